"""Simple models that a GPU model must be better than: a roofline of datasheet numbers, and a roofline with a launch
time and one efficiency."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.constants.measurement import MeasuredGroup
from interp.machine.records import RATE_BYTES

_ATTENTION = ("prefill", "bidirectional", "prefill_narrow", "decode", "decode_narrow")
_EXPERTS = ("experts", "experts_ungated", "experts_blocks")
_MATRIX = ("gemm", "gemm_blocks", "conv_forward", "conv_backward_data", "conv_backward_weight", *_ATTENTION, *_EXPERTS)


def work(group: MeasuredGroup) -> tuple[Floats, Floats]:
    """Return the operations and the bytes of each kernel of a group, counted from the definition of the op and
    independent of the algorithm."""
    c, width = group.columns, group.columns["bytes"]
    if group.kernel_class in ("gemm", "gemm_blocks"):
        flops = 2 * c["batch"] * c["m"] * c["n"] * c["k"]
        return flops, c["batch"] * (c["m"] * c["k"] + c["k"] * c["n"] + c["m"] * c["n"]) * width
    if group.kernel_class.startswith("conv"):
        taps = c["c"] / c["groups"] * c["r"] * c["s"]
        image, result = c["batch"] * c["c"] * c["h"] * c["w"], c["batch"] * c["k"] * c["p"] * c["q"]
        return 2 * result * taps, (image + result + c["k"] * taps) * width
    if group.kernel_class in _ATTENTION:
        none = np.zeros_like(c["batch"])
        decodes, decode_keys = c.get("decodes", none), c.get("decode_keys", none)
        cached = c.get("cache_bytes", width)
        reached = np.where(c["causal"] > 0, c["keys"] - (c["queries"] - 1) / 2, c["keys"])
        pairs = c["batch"] * c["queries"] * reached + decodes * decode_keys
        rows = c["batch"] * c["queries"] + decodes
        kept = c["batch"] * c["keys"] + decodes * decode_keys
        moved = 2 * c["head"] * (c["heads"] * rows * width + c["kv_heads"] * kept * cached)
        return 4 * c["heads"] * pairs * c["head"], moved
    if group.kernel_class in _EXPERTS:
        each = c["hidden"] * c["inter"] * (2 + c["gated"])
        rows = 2 * c["tokens"] * c["hidden"] * RATE_BYTES["bf16"]
        return 2 * c["rows"] * each, c["touched"] * each * width + rows
    return c["flops"], c["read"] + c["written"]


def roofline(group: MeasuredGroup, chip: Chip) -> Floats:
    """Return the time of each kernel of a group by the roofline of datasheet peaks, without a launch time, ns."""
    flops, moved = work(group)
    rate = chip.matrix_rate if group.kernel_class in _MATRIX else chip.rate
    return np.maximum(flops / rate, moved / chip.bandwidth) * 1e9


def fitted_two_constants(fitted_on: Sequence[tuple[MeasuredGroup, Chip]]) -> tuple[float, float]:
    """Return the launch time, in ns, and the efficiency with which a roofline is closest to measured groups. Calls
    that take the host longer have a longer launch time, as in the model."""
    from scipy.optimize import least_squares

    base = np.concatenate([roofline(group, its) for group, its in fitted_on])
    measured = np.log(np.concatenate([group.ns for group, _ in fitted_on]))
    calls = np.concatenate([np.broadcast_to(group.calls, len(group.ns)) for group, _ in fitted_on])

    def residuals(values: Floats) -> Floats:
        return np.log(np.exp(values[0]) * calls + base / np.exp(values[1])) - measured

    start = np.array([measured.min(), np.log(0.7)])
    launch, efficiency = np.exp(least_squares(residuals, start, loss="soft_l1", f_scale=0.1).x)
    return float(launch), float(efficiency)


def two_constants(fitted_on: Sequence[tuple[MeasuredGroup, Chip]], on: MeasuredGroup, chip: Chip) -> Floats:
    """Return the time of each kernel of the group `on` by the roofline with a launch time and an efficiency that were
    fitted on `fitted_on`, ns."""
    launch, efficiency = fitted_two_constants(fitted_on)
    return launch * on.calls + roofline(on, chip) / efficiency

"""Simple models that a GPU model must be better than: a roofline of datasheet numbers, and a roofline with a launch
time and one efficiency."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.constants.measurement import MeasuredGroup

_MATRIX = ("gemm", "conv_forward", "conv_backward_data", "conv_backward_weight", "prefill", "decode")


def work(group: MeasuredGroup) -> tuple[Floats, Floats]:
    """Return the operations and the bytes of each kernel of a group, counted from the definition of the op and
    independent of the algorithm."""
    c, width = group.columns, group.columns["bytes"]
    if group.kernel_class == "gemm":
        flops = 2 * c["batch"] * c["m"] * c["n"] * c["k"]
        return flops, c["batch"] * (c["m"] * c["k"] + c["k"] * c["n"] + c["m"] * c["n"]) * width
    if group.kernel_class.startswith("conv"):
        taps = c["c"] / c["groups"] * c["r"] * c["s"]
        image, result = c["batch"] * c["c"] * c["h"] * c["w"], c["batch"] * c["k"] * c["p"] * c["q"]
        return 2 * result * taps, (image + result + c["k"] * taps) * width
    if group.kernel_class in ("prefill", "decode"):
        reached = np.where(c["causal"] > 0, c["keys"] - (c["queries"] - 1) / 2, c["keys"])
        flops = 4 * c["batch"] * c["heads"] * c["queries"] * reached * c["head"]
        return flops, c["batch"] * c["head"] * width * 2 * (c["heads"] * c["queries"] + c["kv_heads"] * c["keys"])
    return c["flops"], c["read"] + c["written"]


def roofline(group: MeasuredGroup, chip: Chip) -> Floats:
    """Return the time of each kernel of a group by the roofline of datasheet peaks, without a launch time, ns."""
    flops, moved = work(group)
    rate = chip.matrix_rate if group.kernel_class in _MATRIX else chip.rate
    return np.maximum(flops / rate, moved / chip.bandwidth) * 1e9


def two_constants(fitted_on: Sequence[tuple[MeasuredGroup, Chip]], on: MeasuredGroup, chip: Chip) -> Floats:
    """Return the time of each kernel of the group `on` by the roofline with a launch time and an efficiency that were
    fitted on `fitted_on`, ns. Calls that take the host longer have a longer launch time, as in the model."""
    from scipy.optimize import least_squares

    base = np.concatenate([roofline(group, its) for group, its in fitted_on])
    measured = np.log(np.concatenate([group.ns for group, _ in fitted_on]))
    calls = np.concatenate([np.broadcast_to(group.calls, len(group.ns)) for group, _ in fitted_on])

    def residuals(values: Floats) -> Floats:
        return np.log(np.exp(values[0]) * calls + base / np.exp(values[1])) - measured

    start = np.array([measured.min(), np.log(0.7)])
    launch, efficiency = np.exp(least_squares(residuals, start, loss="soft_l1", f_scale=0.1).x)
    return launch * on.calls + roofline(on, chip) / efficiency

"""Laws of the model of routed experts, for any constants: times are never below the chip's limits, never decrease if
there is more to do, and are the same for a kernel alone and in a list."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interp.kinds.gpu.chip import Floats
from interp.kinds.gpu.experts import EXPERTS
from tests.amount import cases
from tests.gpu_draws import COUNT, ELEMENTS, SEEDS, WIDTHS, chip_of, constants, sizes

GPUS = st.sampled_from(["t4", "a100_80_sxm", "l40s", "h100_sxm", "b200_sxm"])


def layers(draw: np.random.Generator, element: str) -> dict[str, Floats]:
    """Random layers, of which this device has some of the experts."""
    tokens, choices, experts = sizes(draw, 32768), sizes(draw, 24), sizes(draw, 512)
    rows = np.minimum(sizes(draw, 1e5), tokens * choices)
    return {
        "tokens": tokens,
        "choices": choices,
        "experts": experts,
        "rows": rows,
        "touched": np.minimum(np.minimum(experts, rows), sizes(draw, 512)),
        "hidden": sizes(draw, 512, 16),
        "inter": sizes(draw, 512, 16),
        "gated": draw.integers(0, 2, COUNT).astype(float),
        "down": draw.integers(0, 2, COUNT).astype(float),
        "even": draw.integers(0, 2, COUNT).astype(float),
        "warm": draw.integers(0, 2, COUNT).astype(float),
        "w_bytes": draw.choice([0.0, 0.53], COUNT),
        "bytes": np.full(COUNT, WIDTHS[element], float),
    }


@given(seed=SEEDS, gpu=GPUS, element=ELEMENTS)
@settings(max_examples=cases(25), deadline=None)
def test_no_layer_beats_the_chip(seed: int, gpu: str, element: str) -> None:
    draw = np.random.default_rng(seed)
    chip, c = chip_of(gpu, element), layers(draw, element)
    took = EXPERTS.estimate(c, chip, constants(draw, EXPERTS))
    matrices = c["hidden"] * c["inter"] * (1 + c["gated"] + c["down"])
    read = c["touched"] * matrices * np.where(c["w_bytes"] > 0, c["w_bytes"], c["bytes"])
    cold = np.where(c["warm"] > 0, np.maximum(read - chip.l2_bytes, 0), read)
    assert np.all(np.isfinite(took.ns))
    assert np.all(took.dram_bytes >= cold * (1 - 1e-9))
    assert np.all(took.ns >= 2 * c["rows"] * matrices / chip.matrix_rate * 1e9 * (1 - 1e-9))
    assert np.all(took.ns >= took.dram_bytes / chip.bandwidth * 1e9 * (1 - 1e-9))


@pytest.mark.parametrize("name", ["tokens", "rows", "experts", "hidden", "inter", "gated", "down"])
@given(seed=SEEDS, gpu=GPUS, element=ELEMENTS)
@settings(max_examples=cases(15), deadline=None)
def test_more_never_takes_less(name: str, seed: int, gpu: str, element: str) -> None:
    draw = np.random.default_rng(seed)
    chip, c, held = chip_of(gpu, element), layers(draw, element), constants(draw, EXPERTS)
    more = np.ones(COUNT) if name in ("gated", "down") else c[name] + sizes(draw, 256, 16)
    before, after = (EXPERTS.estimate(each, chip, held).ns for each in (c, c | {name: more}))
    assert np.all(after >= before * (1 - 1e-9))


@given(seed=SEEDS, gpu=GPUS, element=ELEMENTS)
@settings(max_examples=cases(15), deadline=None)
def test_a_layer_alone_takes_as_long_as_in_a_list(seed: int, gpu: str, element: str) -> None:
    draw = np.random.default_rng(seed)
    chip, c, held = chip_of(gpu, element), layers(draw, element), constants(draw, EXPERTS)
    together = EXPERTS.estimate(c, chip, held).ns
    for index in range(0, COUNT, 60):
        alone = EXPERTS.estimate({name: values[index : index + 1] for name, values in c.items()}, chip, held)
        assert alone.ns[0] == pytest.approx(together[index], rel=1e-12)

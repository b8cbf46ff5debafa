"""Laws of models of matrix products, for any constants: times are never below the chip's limits, never decrease if a
size grows at the same alignment, and are the same for a kernel alone and in a list."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interp.kinds.gpu.chip import Floats
from interp.kinds.gpu.gemm.model import GEMM
from tests.amount import cases
from tests.gpu_draws import COUNT, ELEMENTS, SEEDS, WIDTHS, chip_of, constants, sizes

GPUS = st.sampled_from(["p100", "t4", "a100_80_sxm", "l40s", "h100_sxm", "b200_sxm"])


def kernels(draw: np.random.Generator, element: str, step: int = 1) -> dict[str, Floats]:
    """Random products whose sizes are multiples of `step`."""
    return {
        "batch": sizes(draw, 300),
        "m": sizes(draw, 16384 / step, step),
        "n": sizes(draw, 65536 / step, step),
        "k": sizes(draw, 65536 / step, step),
        "bytes": np.full(COUNT, WIDTHS[element], float),
        "warm": draw.integers(0, 2, COUNT).astype(float),
        "copies": draw.integers(1, 7, COUNT).astype(float),
        "transposed_a": draw.integers(0, 2, COUNT).astype(float),
        "transposed_b": draw.integers(0, 2, COUNT).astype(float),
        "quantise": draw.integers(0, 2, COUNT).astype(float),
    }


@given(seed=SEEDS, gpu=GPUS, element=ELEMENTS)
@settings(max_examples=cases(25), deadline=None)
def test_no_product_beats_the_chip(seed: int, gpu: str, element: str) -> None:
    draw = np.random.default_rng(seed)
    chip, columns = chip_of(gpu, element), kernels(draw, element)
    took = GEMM.estimate(columns, chip, constants(draw, GEMM))
    batch, m, n, k = (columns[name] for name in ("batch", "m", "n", "k"))
    least_flops = 2 * batch * m * n * k / chip.matrix_rate * 1e9
    moved = batch * (m * k + k * n + m * n) * WIDTHS[element]
    compulsory = np.where(columns["warm"] > 0, np.maximum(0, moved - chip.l2_bytes), moved)
    assert np.all(np.isfinite(took.ns))
    assert np.all(took.dram_bytes >= compulsory * (1 - 1e-9))
    assert np.all(took.ns >= least_flops * (1 - 1e-9))
    assert np.all(took.ns >= took.dram_bytes / chip.bandwidth * 1e9 * (1 - 1e-9))
    assert np.all(took.dram_bytes <= moved * (1 + 1e-9))


@pytest.mark.parametrize("name", ["batch", "m", "n", "k", "copies"])
@given(seed=SEEDS, gpu=GPUS, element=ELEMENTS)
@settings(max_examples=cases(15), deadline=None)
def test_more_never_takes_less(name: str, seed: int, gpu: str, element: str) -> None:
    """The law holds at the same alignment: sizes that are no multiples of 16 bytes take other kernels."""
    draw = np.random.default_rng(seed)
    step = 1 if name in ("batch", "copies") else 16
    chip, columns, held = chip_of(gpu, element), kernels(draw, element, step), constants(draw, GEMM)
    more = columns | {name: columns[name] + sizes(draw, 4096 / step, step)}
    few, many = GEMM.estimate(columns, chip, held), GEMM.estimate(more, chip, held)
    assert np.all(many.ns >= few.ns * (1 - 1e-9))


@given(seed=SEEDS, gpu=GPUS, element=ELEMENTS)
@settings(max_examples=cases(15), deadline=None)
def test_adverse_conditions_never_reduce_the_time(seed: int, gpu: str, element: str) -> None:
    """Slower cases: operands that are not in L2, that must be scaled first, or that are not aligned to vectors."""
    draw = np.random.default_rng(seed)
    chip, columns, held = chip_of(gpu, element), kernels(draw, element, 16), constants(draw, GEMM)
    held["tlb_cost_unaligned"] = max(held["tlb_cost_unaligned"], held["tlb_cost"])
    cold = GEMM.estimate(columns | {"warm": np.zeros(COUNT)}, chip, held).ns
    warm = GEMM.estimate(columns | {"warm": np.ones(COUNT)}, chip, held).ns
    assert np.all(cold >= warm * (1 - 1e-9))
    scaled = GEMM.estimate(columns | {"quantise": np.ones(COUNT)}, chip, held).ns
    taken = GEMM.estimate(columns | {"quantise": np.zeros(COUNT)}, chip, held).ns
    assert np.all(scaled >= taken)
    odd = GEMM.estimate(columns | {"k": columns["k"] + 1, "n": columns["n"] + 1}, chip, held).ns
    assert np.all(odd >= GEMM.estimate(columns, chip, held).ns * (1 - 1e-9))


@given(seed=SEEDS, gpu=GPUS, element=ELEMENTS)
@settings(max_examples=cases(10), deadline=None)
def test_a_kernel_takes_the_same_alone_and_the_least_of_its_ways(seed: int, gpu: str, element: str) -> None:
    draw = np.random.default_rng(seed)
    chip, columns, held = chip_of(gpu, element), kernels(draw, element), constants(draw, GEMM)
    together = GEMM.estimate(columns, chip, held)
    alone = GEMM.estimate({name: values[7:8] for name, values in columns.items()}, chip, held)
    assert alone.ns[0] == pytest.approx(together.ns[7], rel=1e-12)
    assert together.way_ns is not None
    assert together.way_ns.shape == (COUNT, len(together.ways))
    assert np.allclose(together.way_ns.min(axis=1), together.ns, rtol=1e-12)

"""Laws of row-wise and element-wise kernels, for any constants: times are above the limits, and never decrease if a
size grows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.kernel_class import KernelClass
from interp.kinds.gpu.vector import VECTOR_CLASSES
from tests.amount import cases
from tests.gpu_draws import COUNT, SEEDS, chip_of, constants, sizes

CLASSES = pytest.mark.parametrize("found", VECTOR_CLASSES, ids=lambda found: found.name)
GPUS = st.sampled_from(["p4", "t4", "a100_80_sxm", "h100_sxm", "rtx4090", "b200_sxm"])
ELEMENTS = st.sampled_from([("f32", 4.0), ("f16", 2.0)])


def kernels(draw: np.random.Generator, width: float) -> dict[str, Floats]:
    """Random kernels of one to many rows and elements, with one to three operands."""
    rows, cols = sizes(draw, 1e5), sizes(draw, 3e4)
    return described(rows, cols, draw.integers(1, 4, COUNT).astype(float), width) | {
        "warm": draw.integers(0, 2, COUNT).astype(float),
        "strided": draw.integers(0, 2, COUNT).astype(float),
        "centred": draw.integers(0, 2, COUNT).astype(float),
    }


def described(rows: Floats, cols: Floats, operands: Floats, width: float) -> dict[str, Floats]:
    bytes_ = rows * cols * width
    return {
        "rows": rows,
        "cols": cols,
        "operands": operands,
        "read": operands * bytes_,
        "written": bytes_,
        "flops": operands * rows * cols,
        "bytes": np.full(COUNT, width, float),
    }


def assert_no_faster(
    found: KernelClass, less: Mapping[str, Floats], more: Mapping[str, Floats], chip: Chip, draw: np.random.Generator
) -> None:
    chosen = constants(draw, found)
    before, after = found.estimate(less, chip, chosen).ns, found.estimate(more, chip, chosen).ns
    assert np.all(after >= before * (1 - 1e-9))


@CLASSES
@given(seed=SEEDS, gpu=GPUS, element=ELEMENTS)
@settings(max_examples=cases(15), deadline=None)
def test_no_kernel_beats_the_chip(found: KernelClass, seed: int, gpu: str, element: tuple[str, float]) -> None:
    draw, chip = np.random.default_rng(seed), chip_of(gpu, element[0])
    columns = kernels(draw, element[1])
    estimate = found.estimate(columns, chip, constants(draw, found))
    moved = columns["read"] + columns["written"]
    compulsory = np.where(columns["warm"] > 0, np.maximum(0, moved - chip.l2_bytes), moved)
    assert np.isfinite(estimate.ns).all()
    assert np.all(estimate.ns > 0)
    assert np.all(estimate.dram_bytes >= compulsory * (1 - 1e-9))
    assert np.all(estimate.ns >= estimate.dram_bytes / chip.bandwidth * 1e9 * (1 - 1e-9))
    assert np.all(estimate.ns >= columns["flops"] / chip.rate * 1e9 * (1 - 1e-9))


@CLASSES
@given(seed=SEEDS, gpu=GPUS, element=ELEMENTS)
@settings(max_examples=cases(15), deadline=None)
def test_more_rows_take_no_less(found: KernelClass, seed: int, gpu: str, element: tuple[str, float]) -> None:
    draw, chip = np.random.default_rng(seed), chip_of(gpu, element[0])
    less = kernels(draw, element[1])
    rows = less["rows"] + sizes(draw, 1e4)
    assert_no_faster(found, less, less | described(rows, less["cols"], less["operands"], element[1]), chip, draw)


@CLASSES
@given(seed=SEEDS, gpu=GPUS, element=ELEMENTS)
@settings(max_examples=cases(15), deadline=None)
def test_longer_rows_take_no_less(found: KernelClass, seed: int, gpu: str, element: tuple[str, float]) -> None:
    """Only rows with the same algorithm are compared: softmax uses a warp for a row of up to 1024 elements, a block of
    256 threads for up to 2048, and a block of 512 threads for a longer row."""
    draw, chip = np.random.default_rng(seed), chip_of(gpu, element[0])
    less = kernels(draw, element[1])
    ends = np.array([1024.0, 2048.0, 1e6])
    end = ends[np.searchsorted(ends, less["cols"])]
    cols = np.minimum(end, less["cols"] + sizes(draw, 1e4))
    assert_no_faster(found, less, less | described(less["rows"], cols, less["operands"], element[1]), chip, draw)


@CLASSES
@given(seed=SEEDS, gpu=GPUS, name=st.sampled_from(["read", "written", "flops"]))
@settings(max_examples=cases(15), deadline=None)
def test_more_of_anything_takes_no_less(found: KernelClass, seed: int, gpu: str, name: str) -> None:
    draw, chip = np.random.default_rng(seed), chip_of(gpu, "f16")
    less = kernels(draw, 2.0)
    assert_no_faster(found, less, less | {name: less[name] * draw.uniform(1, 3, COUNT)}, chip, draw)


@CLASSES
@given(seed=SEEDS, gpu=GPUS)
@settings(max_examples=cases(10), deadline=None)
def test_an_op_in_two_kernels_takes_no_less_than_in_one(found: KernelClass, seed: int, gpu: str) -> None:
    draw, chip = np.random.default_rng(seed), chip_of(gpu, "f16")
    less = kernels(draw, 2.0) | {"kernels": np.ones(COUNT)}
    assert_no_faster(found, less, less | {"kernels": np.full(COUNT, 2.0)}, chip, draw)

"""Laws of models of convolutions, for any constants: times are never below the chip's limits, never decrease if a size
grows, and are the same for a kernel alone and in a list."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interp.kinds.gpu.chip import Floats
from interp.kinds.gpu.conv.algorithms import CONV_CLASSES
from interp.kinds.gpu.kernel_class import KernelClass
from tests.amount import cases
from tests.gpu_draws import COUNT, ELEMENTS, SEEDS, WIDTHS, chip_of, constants, sizes

GPUS = st.sampled_from(["p100", "t4", "a100_80_sxm", "rtx4090", "h100_sxm"])
CLASSES = st.sampled_from(CONV_CLASSES)


def kernels(draw: np.random.Generator, element: str) -> dict[str, Floats]:
    """Random convolutions whose output has the image's size divided by the stride; the library chooses the fastest
    algorithm by measurement."""
    filters, groups = draw.choice([1.0, 3.0, 3.0, 5.0, 7.0], COUNT), draw.choice([1.0, 1.0, 2.0, 32.0], COUNT)
    height, width, stride = sizes(draw, 200), sizes(draw, 200), draw.choice([1.0, 1.0, 2.0], COUNT)
    return {
        "batch": sizes(draw, 100),
        "c": groups * sizes(draw, 1000),
        "k": groups * sizes(draw, 1000),
        "h": height,
        "w": width,
        "r": filters,
        "s": draw.permutation(filters),
        "p": np.ceil(height / stride),
        "q": np.ceil(width / stride),
        "stride": stride,
        "groups": groups,
        "bytes": np.full(COUNT, WIDTHS[element]),
        "planar": draw.integers(0, 2, COUNT).astype(float),
        "warm": draw.integers(0, 2, COUNT).astype(float),
    }


@given(seed=SEEDS, gpu=GPUS, element=ELEMENTS, kernel_class=CLASSES)
@settings(max_examples=cases(30), deadline=None)
def test_no_convolution_beats_the_chip(seed: int, gpu: str, element: str, kernel_class: KernelClass) -> None:
    """The limits are those of the executed algorithm: Winograd's needs fewer operations, and an FFT moves more
    bytes."""
    draw = np.random.default_rng(seed)
    chip, columns = chip_of(gpu, element), kernels(draw, element)
    took = kernel_class.estimate(columns, chip, constants(draw, kernel_class))
    assert np.all(np.isfinite(took.ns))
    assert np.all(took.flops > 0)
    assert np.all(took.ns >= took.flops / chip.matrix_rate * 1e9 * (1 - 1e-9))
    assert np.all(took.ns >= took.dram_bytes / chip.bandwidth * 1e9 * (1 - 1e-9))
    moved = columns["batch"] * columns["k"] * columns["p"] * columns["q"] * columns["bytes"]
    assert np.all(took.dram_bytes >= np.where(columns["warm"] > 0, 0, moved))


@pytest.mark.parametrize("names", ["batch", "c", "k", "h", "w", "p", "q", "h p", "w q"])
@given(seed=SEEDS, gpu=GPUS, element=ELEMENTS, kernel_class=CLASSES)
@settings(max_examples=cases(15), deadline=None)
def test_more_never_takes_less(names: str, seed: int, gpu: str, element: str, kernel_class: KernelClass) -> None:
    draw = np.random.default_rng(seed)
    chip, columns, held = chip_of(gpu, element), kernels(draw, element), constants(draw, kernel_class)
    factor = draw.integers(1, 5, COUNT).astype(float)
    more = columns | {name: columns[name] * factor for name in names.split()}
    few, many = kernel_class.estimate(columns, chip, held), kernel_class.estimate(more, chip, held)
    assert np.all(many.ns >= few.ns * (1 - 1e-9))


@given(seed=SEEDS, gpu=GPUS, element=ELEMENTS, kernel_class=CLASSES)
@settings(max_examples=cases(15), deadline=None)
def test_larger_filters_never_take_less_in_one_algorithm(
    seed: int, gpu: str, element: str, kernel_class: KernelClass
) -> None:
    """Filters are dilated, so that neither Winograd's algorithm for 3x3 filters nor an FFT is used."""
    draw = np.random.default_rng(seed)
    chip, held = chip_of(gpu, element), constants(draw, kernel_class)
    columns = kernels(draw, element) | {"dilation": np.full(COUNT, 2.0)}
    more = columns | {"r": columns["r"] + 2, "s": columns["s"] + 2}
    few, many = kernel_class.estimate(columns, chip, held), kernel_class.estimate(more, chip, held)
    assert np.all(many.ns >= few.ns * (1 - 1e-9))


@given(seed=SEEDS, gpu=GPUS, element=ELEMENTS, kernel_class=CLASSES)
@settings(max_examples=cases(15), deadline=None)
def test_adverse_conditions_never_reduce_the_time(seed: int, gpu: str, element: str, kernel_class: KernelClass) -> None:
    """A convolution takes at least as long if its operands are not in L2, if its channels are stored as planes, if its
    filters are dilated, or if the library does not measure algorithms."""
    draw = np.random.default_rng(seed)
    chip, columns, held = chip_of(gpu, element), kernels(draw, element), constants(draw, kernel_class)
    slower = {"warm": (1, 0), "planar": (0, 1), "dilation": (1, 2), "searched": (1, 0)}
    for name, (quick, slow) in slower.items():
        before = kernel_class.estimate(columns | {name: np.full(COUNT, float(quick))}, chip, held).ns
        after = kernel_class.estimate(columns | {name: np.full(COUNT, float(slow))}, chip, held).ns
        assert np.all(after >= before * (1 - 1e-9)), name


@given(seed=SEEDS, gpu=GPUS, element=ELEMENTS, kernel_class=CLASSES)
@settings(max_examples=cases(15), deadline=None)
def test_a_kernel_takes_the_same_alone_and_the_least_of_its_ways(
    seed: int, gpu: str, element: str, kernel_class: KernelClass
) -> None:
    draw = np.random.default_rng(seed)
    chip, columns, held = chip_of(gpu, element), kernels(draw, element), constants(draw, kernel_class)
    together = kernel_class.estimate(columns, chip, held)
    alone = kernel_class.estimate({name: values[7:8] for name, values in columns.items()}, chip, held)
    assert alone.ns[0] == pytest.approx(together.ns[7], rel=1e-12)
    assert together.way_ns is not None
    assert together.way_ns.shape == (COUNT, len(together.ways))
    assert np.allclose(together.way_ns.min(axis=1), together.ns, rtol=1e-12)

"""Random draws for the laws of GPU kernels: a GPU's datasheet numbers, sizes, and constants within their bounds."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.kernel_class import KernelClass
from interp.machine.records import Gpu
from interp.machine.sheets.files import load_device

COUNT = 300
"""The number of kernels in each draw."""
SEEDS = st.integers(0, 2**32 - 1)
WIDTHS = {"f32": 4.0, "f16": 2.0, "i8": 1.0}
"""The size of each element type in bytes."""
ELEMENTS = st.sampled_from(list(WIDTHS))


def chip_of(name: str, element: str) -> Chip:
    gpu = load_device(name)
    assert isinstance(gpu, Gpu)
    return Chip.of(gpu, element)


def sizes(draw: np.random.Generator, most: float, step: int = 1) -> Floats:
    """Log-uniform random numbers from 1 to `most`, multiplied by `step`."""
    return np.floor(np.exp(draw.uniform(0, np.log(most), COUNT))) * step


def constants(draw: np.random.Generator, kernel_class: KernelClass) -> dict[str, float]:
    """Random constants of a kernel class within their bounds; small and large values are equally likely."""
    span = {constant.name: (max(constant.low, 1e-3), constant.high) for constant in kernel_class.constants}
    return {name: math.exp(draw.uniform(math.log(low), math.log(high))) for name, (low, high) in span.items()}

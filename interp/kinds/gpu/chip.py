"""The data sheet numbers that kernel time models use, as arrays that broadcast over kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from interp.machine.records import ARCHITECTURES, Gpu

Floats: TypeAlias = NDArray[np.float64]

_YEAR = 2020
"""The assumed architecture year of a sheet that names no architecture."""

_WIDENED = ("f16", "bf16", "f8")
"""Element types whose values f32 represents exactly: libraries convert them to f32, so their kernels need no arithmetic
of the type itself."""

INTEGERS = ("i64", "i32", "i16", "i8", "i1")
"""Integer types, whose arithmetic outside matrix units runs on 32-bit lanes."""


@dataclass(frozen=True, slots=True)
class Chip:
    """Data sheet numbers of a GPU for one element type; each is a scalar array, or has one entry per kernel."""

    sms: Floats
    """Number of streaming multiprocessors."""
    clock_hz: Floats
    """Boost clock, Hz."""
    rate: Floats
    """Peak flop/s of the element type outside matrix units. If the sheet has no rate for the type: that of i32 for
    integers, of f32 otherwise. A narrower float with a lower rate than f32 has f32's rate, since libraries convert
    it."""
    matrix_rate: Floats
    """Peak flop/s of contractions of the element type: that of matrix units if they support the type, else `rate`."""
    bandwidth: Floats
    """Bandwidth of DRAM, bytes/s."""
    l2_bytes: Floats
    threads: Floats
    """Maximum number of resident threads per streaming multiprocessor."""
    tdp_w: Floats
    """Power limit of the board, W."""
    has_matrix: Floats
    """1 if matrix units support the element type, else 0."""
    year: Floats
    """Year in which the architecture was released: a proxy for its process node."""
    launch_ns: Floats
    """Time from the end of one kernel to the start of the next one on the device, independent of the host."""

    @staticmethod
    def of(gpu: Gpu, element: str) -> Chip:
        """The numbers of one GPU for kernels of an element type (`f32`, `tf32`, `f16`, `bf16`, `f8`, `i8`)."""
        integer = element in INTEGERS and "i32" in gpu.rates
        plain = gpu.rates.get(element, gpu.rates["i32" if integer else "f32"])
        if element in _WIDENED:
            plain = max(plain, gpu.rates["f32"])
        numbers = (
            gpu.units,
            gpu.clock_hz,
            plain,
            gpu.matrix_rates.get(element, plain),
            gpu.bandwidth,
            gpu.l2_bytes,
            gpu.threads,
            gpu.tdp_w,
            element in gpu.matrix_rates,
            ARCHITECTURES.get(gpu.architecture, _YEAR),
            gpu.launch_ns,
        )
        return Chip(*(np.asarray(float(number)) for number in numbers))

    @staticmethod
    def rows(chips: Sequence[Chip], which: NDArray[np.intp]) -> Chip:
        """The numbers of several GPUs, with row i those of `chips[which[i]]`; for fits over several GPUs."""
        columns = [np.array([float(getattr(chip, field.name)) for chip in chips])[which] for field in fields(Chip)]
        return Chip(*columns)

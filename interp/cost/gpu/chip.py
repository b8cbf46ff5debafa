"""The facts of a data sheet that models of kernel time need, as numbers that broadcast over kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from interp.machine.records import ARCHITECTURES, Gpu

Floats: TypeAlias = NDArray[np.float64]

_YEAR = 2020
"""The architecture of a sheet that names none."""

_WIDENED = ("f16", "bf16", "f8")
"""Floats that f32 holds: their kernels accumulate in f32 anyway, so that they need no arithmetic of their own."""

INTEGERS = ("i64", "i32", "i16", "i8", "i1")
"""Integers, whose plain arithmetic lanes of 32 bits do."""


@dataclass(frozen=True, slots=True)
class Chip:
    """Datasheet numbers of a GPU for one element type; each is a scalar array, or has one entry a kernel."""

    sms: Floats
    """Streaming multiprocessors."""
    clock_hz: Floats
    """Boost clock."""
    rate: Floats
    """Peak flop/s of the element type outside matrix units; where the type has none, i32's for integers and else f32's,
    which is also that of a narrower float with a lower one: libraries widen it then."""
    matrix_rate: Floats
    """Peak flop/s of contractions of the element type: matrix units where they take it, else `rate`."""
    bandwidth: Floats
    """DRAM bytes/s."""
    l2_bytes: Floats
    threads: Floats
    """Resident threads a streaming multiprocessor."""
    tdp_w: Floats
    """Power limit of the board."""
    has_matrix: Floats
    """1 where matrix units take the element type, else 0."""
    year: Floats
    """Year in which the architecture came out: a stand-in for its process node."""
    launch_ns: Floats
    """Time from one kernel's end to the start of the next one on the device, whatever the host does."""

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
        """The numbers of several GPUs, row i being those of `chips[which[i]]`: for fits over GPUs."""
        columns = [np.array([float(getattr(chip, field.name)) for chip in chips])[which] for field in fields(Chip)]
        return Chip(*columns)

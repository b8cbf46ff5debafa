"""Kernel classes: the columns that describe a kernel, the constants that a fit adjusts, and the model that computes
times from both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from interp.kinds.gpu.chip import Chip, Floats

Columns: TypeAlias = Mapping[str, Floats]
"""One array per column name of the class, with one entry per kernel; `bytes` (of an element) is always present."""

Constants: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Column:
    """The name and properties of a number that describes kernels; also a column in files of measurements."""

    name: str
    meaning: str
    default: float | None = None
    """The value if a file of measurements lacks the column; None: the column is required."""
    flag: bool = False
    """True if the column holds only 0 and 1."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of a model, with its physical meaning, unit and bounds; calibrations state its value."""

    name: str
    unit: str
    """The unit; `""` for a ratio."""
    start: float
    """A plausible value: used without a calibration, and as the start of a fit."""
    low: float
    high: float
    meaning: str
    fixed: bool = False
    """True for a known number that fits leave unchanged; a calibration may override it."""
    of_chip: bool = False
    """True for a property of the chip, which all libraries' kernels share; False for a property of a library's
    kernels, which all chips of a compute capability share."""


@dataclass(frozen=True, slots=True)
class GpuModel:
    """A model of a whole GPU, with constants that calibrations state beside those of kernel classes. `element`: the
    word for what is modelled, which stands in place of an element type (`class power board`); empty for a statement
    about the kernels of an element type."""

    name: str
    element: str
    meaning: str
    constants: tuple[Constant, ...]
    transfers: bool = True
    """True if the constants of a similar family apply to a GPU for which none are stated."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Times of kernels, without launch. All arrays have one entry per kernel.

    `terms`: times in ns that overlap or add up to `ns`, for the fastest way (`compute`, `dram`, `l2`, …); the longest
    is the bound. `facts`: further numbers for explanations (`waves`, `tail`, `blocks`, …). `ways`: names of the
    algorithms or tiles considered; `way_ns[i, j]`: time of way j for kernel i (inf if impossible).
    """

    ns: Floats
    flops: Floats
    """Executed operations (fewer for a Winograd kernel than for the convolution itself)."""
    dram_bytes: Floats
    l2_bytes: Floats
    terms: Mapping[str, Floats]
    facts: Mapping[str, Floats] = field(default_factory=dict[str, Floats])
    ways: tuple[str, ...] = ("kernel",)
    way_ns: Floats | None = None


Model: TypeAlias = Callable[[Columns, Chip, Constants], Estimate]


@dataclass(frozen=True, slots=True)
class KernelClass:
    """A kernel class and its model. `model(columns, chip, constants)` is monotone in every column that states a size,
    is never below the time at the chip's peak rates, and takes microseconds per kernel in bulk."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    constants: tuple[Constant, ...]
    model: Model
    spread: float = 1.0
    """The expected deviation of constants from their plausible values, as a factor. A fit weighs it against the
    measurements, so that constants supported by few kernels stay plausible. 1: limited only by their bounds."""
    tries: int = 1
    """The number of start points of a fit."""
    family: str = ""
    """The name that classes share if they have the same model and constants, and differ in the kernels that libraries
    have for them; empty: the class's own name."""
    nearest: Callable[[Columns, Chip, Constants], Model] | None = None
    """The model restricted to the ways (algorithms or tiles) that can be the fastest for constants close to the given
    ones, for classes with many ways; used for derivatives."""

    @property
    def kin(self) -> str:
        """The family's name: that of the class itself, unless several classes form a family."""
        return self.family or self.name

    def defaults(self) -> dict[str, float]:
        return {constant.name: constant.start for constant in self.constants}

    def estimate(self, columns: Columns, chip: Chip, constants: Constants | None = None) -> Estimate:
        """Times of kernels; constants not given have their plausible values."""
        return self.model(columns, chip, {**self.defaults(), **(constants or {})})


def of_chip(constants: tuple[Constant, ...], *names: str) -> tuple[Constant, ...]:
    """The constants, with those of these names marked as properties of the chip."""
    return tuple(replace(each, of_chip=True) if each.name in names else each for each in constants)


WARM = Column("warm", "1 where operands that fit are in L2 at the start (the same call repeated), else 0", 0, flag=True)


def soft_max(exponent: float, *terms: Floats) -> Floats:
    """A smooth maximum: `(sum t^p)^(1/p)`; the total of times that overlap imperfectly."""
    longest = np.maximum.reduce(np.broadcast_arrays(*terms))
    safe = np.where(longest > 0, longest, 1.0)
    total = np.zeros_like(safe)
    for term in terms:
        total = total + (term / safe) ** exponent
    return longest * total ** (1 / exponent)


def waves_of(filled: Floats) -> dict[str, Floats]:
    """Facts about blocks that fill the available slots `filled` times: the number of waves, rounded up, and the `tail`,
    which is the rounded number divided by `filled`, minus 1."""
    waves = np.ceil(filled)
    return {"waves": waves, "tail": np.where(filled > 0, waves / np.where(filled > 0, filled, 1.0) - 1, 0.0)}


def resident(working_set: Floats, chip: Chip, sharpness: float = 4.0, share: float = 0.8) -> Floats:
    """The fraction of a working set, in bytes, that stays in L2 from one use to the next: near 1 for a small set, one
    half for a set of `share` times L2's capacity; the larger `sharpness`, the steeper it falls around that size."""
    return 1 / (1 + (working_set / (share * chip.l2_bytes)) ** sharpness)

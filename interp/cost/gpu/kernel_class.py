"""Classes of kernels: the columns that describe a kernel, the constants that a fit may choose, and the model
that turns both into times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from interp.cost.gpu.chip import Chip, Floats

Columns: TypeAlias = Mapping[str, Floats]
"""One entry a kernel under each of the class's column names; `bytes` (of an element) is always there."""

Constants: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Column:
    """A number that describes a kernel, as in a file of measurements."""

    name: str
    meaning: str
    default: float | None = None
    """The value where a file of measurements has no such column; None: the column is required."""
    flag: bool = False
    """True if it is 0 or 1."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A number of the model with a physical meaning, which a calibration states."""

    name: str
    unit: str
    """`""` for a ratio."""
    start: float
    """A plausible value: what holds without a calibration, and where a fit starts."""
    low: float
    high: float
    meaning: str
    fixed: bool = False
    """Not fitted: a known number, for a calibration to overrule."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Times of kernels, without launch. All arrays have one entry a kernel.

    `terms`: times in ns that overlap or add up to `ns`, of the way that won (`compute`, `dram`, `l2`, …); the longest
    is the bound. `facts`: what an explanation tells besides (`waves`, `tail`, `blocks`, …). `ways`: names of the
    algorithms or tiles that were tried, `way_ns[i, j]` what way j takes for kernel i (inf: it can't).
    """

    ns: Floats
    flops: Floats
    """Operations that are executed (a Winograd kernel's are fewer than the convolution's)."""
    dram_bytes: Floats
    l2_bytes: Floats
    terms: Mapping[str, Floats]
    facts: Mapping[str, Floats] = field(default_factory=dict[str, Floats])
    ways: tuple[str, ...] = ("kernel",)
    way_ns: Floats | None = None


Model: TypeAlias = Callable[[Columns, Chip, Constants], Estimate]


@dataclass(frozen=True, slots=True)
class KernelClass:
    """A class of kernels and its model. `model(columns, chip, constants)` is monotone in every column that states a
    size, never below the chip's peak rates, and costs microseconds a kernel in bulk."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    constants: tuple[Constant, ...]
    model: Model
    spread: float = 1.0
    """The expected distance of constants from their plausible values, as a factor: a fit weighs that against what was
    measured, so that constants of which few kernels tell stay plausible. 1: as far as their bounds let them."""
    tries: int = 1
    """From how many places a fit starts."""
    nearest: Callable[[Columns, Chip, Constants], Model] | None = None
    """The model of those ways alone that can win near given constants, where a class has many: derivatives are taken of
    it."""

    def defaults(self) -> dict[str, float]:
        return {constant.name: constant.start for constant in self.constants}

    def estimate(self, columns: Columns, chip: Chip, constants: Constants | None = None) -> Estimate:
        """Times of kernels; constants that are not given have their plausible values."""
        return self.model(columns, chip, {**self.defaults(), **(constants or {})})


WARM = Column(
    "warm", "1 where operands that fit were in L2 before (the same call repeated), 0 where they were not", 0, flag=True
)


def soft_max(exponent: float, *terms: Floats) -> Floats:
    """A maximum with a rounded corner: `(sum t^p)^(1/p)`; times that overlap imperfectly."""
    longest = np.maximum.reduce(np.broadcast_arrays(*terms))
    safe = np.where(longest > 0, longest, 1.0)
    total = np.zeros_like(safe)
    for term in terms:
        total = total + (term / safe) ** exponent
    return longest * total ** (1 / exponent)


def waves_of(filled: Floats) -> dict[str, Floats]:
    """Facts on blocks that fill the places for them `filled` times: whole waves, and the `tail`, by which these are
    longer, as a share of the work."""
    waves = np.ceil(filled)
    return {"waves": waves, "tail": np.where(filled > 0, waves / np.where(filled > 0, filled, 1.0) - 1, 0.0)}


def resident(working_set: Floats, chip: Chip, sharpness: float = 4.0, share: float = 0.8) -> Floats:
    """The fraction of a working set that stays in L2 from one use to the next: 1 where it is small, falling off around
    `share` of the capacity."""
    return 1 / (1 + (working_set / (share * chip.l2_bytes)) ** sharpness)

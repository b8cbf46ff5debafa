"""The points of a sweep: a full grid, random samples, or a Latin hypercube."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar, get_args

from ndpir.diagnostics.usage import UsageError
from ndpir.sweep.axes import Axis, Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")

Design: TypeAlias = Literal["grid", "random", "latin-hypercube"]
DESIGNS: tuple[Design, ...] = get_args(Design)
Point: TypeAlias = Mapping[str, Value]
"""A value for each axis, by name."""
MOST_POINTS = 10_000_000


def points_of(axes: Sequence[Axis], design: Design, samples: int | None, seed: int) -> list[Point]:
    """The points of a design. On a grid the first axis changes least often; samples are drawn with `seed`, and samples
    that equal earlier samples are dropped. Raises UsageError for a design that does not fit the axes."""
    if design == "grid":
        if samples is not None:
            raise UsageError("a grid has all combinations of the values; remove --samples, or name another --design")
        if spans := [axis.name for axis in axes if axis.span is not None]:
            raise UsageError(
                f"{spans[0]} is a range without a step, which a grid can't enumerate; add one (0.5..2.0+0.25), or "
                "sample it (--design latin-hypercube --samples 100)"
            )
        if (count := prod(len(axis.values) for axis in axes)) > MOST_POINTS:
            raise UsageError(f"the grid has {count} points; sample it (--design latin-hypercube --samples 1000)")
        return [dict(_pairs(axes, values)) for values in product(*(axis.values for axis in axes))]
    if samples is None:
        raise UsageError(f"--design {design} needs the number of points; add --samples 100")
    shares = _random(len(axes), samples, seed) if design == "random" else _latin(len(axes), samples, seed)
    drawn = ({axis.name: axis.at(float(share)) for axis, share in zip(axes, row, strict=True)} for row in shares)
    return list({tuple(point.items()): point for point in drawn}.values())


def _pairs(axes: Sequence[Axis], values: Sequence[Value]) -> Iterator[tuple[str, Value]]:
    return ((axis.name, value) for axis, value in zip(axes, values, strict=True))


def _random(axes: int, samples: int, seed: int) -> NDArray[np.float64]:
    """Independent uniform numbers from 0 to 1, as [samples, axes]: for each sample, its position on each axis as a
    fraction of the axis."""
    import numpy as np

    return np.random.default_rng(seed).random((samples, axes))


def _latin(axes: int, samples: int, seed: int) -> NDArray[np.float64]:
    """A Latin hypercube as [samples, axes]: for each sample, its position on each axis as a fraction of the axis. If an
    axis is divided into `samples` equal parts, each part contains one sample (McKay, Beckman and Conover, 1979)."""
    import numpy as np

    draw = np.random.default_rng(seed)
    strata = np.stack([draw.permutation(samples) for _ in range(axes)], axis=1)
    return (strata + draw.random((samples, axes))) / samples


_SIZES = ("shape.", "dim.")
COSTLY = (*_SIZES, "batch", "cache-length", "passes")
"""Prefixes of the names of axes whose change requires that the program is read or compiled again; these axes change
least often."""


_TIMING = re.compile(r"(?!dim\.|shape\.)@?[^=]+\.t[A-Z]\w*")
"""The names of timing parameters in settings, by their names in DRAM standards (tCCD, tRCD_L); `dim.` and `shape.`
begin the names of sizes."""


@cache
def is_timing(name: str) -> bool:
    """True if a setting or an axis of this name is a timing parameter of a device."""
    return _TIMING.fullmatch(name) is not None


def program_of(point: Point) -> tuple[tuple[str, Value], ...]:
    """The part of a point on which bank programs depend: all axes but those that change only the times of commands."""
    return tuple([(name, value) for name, value in point.items() if not _is_time(name)])


@cache
def _is_time(name: str) -> bool:
    """True if an axis changes only the times of commands: a timing parameter, or a clock rate. Bank programs do not
    depend on it, so it changes most often."""
    return is_timing(name) or (name.endswith(".clock") and not name.startswith(_SIZES))


def in_order_of_evaluation(points: Iterable[T], point_of: Callable[[T], Point], axes: Sequence[Axis]) -> list[T]:
    """Items that each have a point, sorted so that consecutive points share as many results as possible: first by the
    axes that determine the program, then by the machine and its settings, last by timing parameters."""
    numbers = {axis.name: {value: number for number, value in enumerate(axis.values)} for axis in axes}

    def rank(name: str) -> int:
        return 0 if name.startswith(COSTLY) else 2 if _is_time(name) else 1

    names = sorted((axis.name for axis in axes), key=rank)

    items = list(points)
    given = [point_of(item) for item in items]
    # A column of numbers for each axis: many points are sorted faster so than with a key that reads each point.
    columns = [[_place(numbers[name], point[name]) for point in given] for name in names]
    keys = list(zip(*columns, strict=True)) if columns else [()] * len(items)
    return [items[at] for at in sorted(range(len(items)), key=keys.__getitem__)]


def _place(numbers: Mapping[Value, int], value: Value) -> float:
    """The position of a value on an axis; the value itself on a range without a step, which has no positions."""
    found = numbers.get(value)
    return float(value) if found is None else found

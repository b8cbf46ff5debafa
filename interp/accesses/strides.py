"""Elements of a linear subscript along one axis, from its strides alone: whether they are a run, and whether two
instances access the same element. The effort does not depend on the lengths of loops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Run(NamedTuple):
    """The elements `first`, `first` + `step`, …, `length` of them."""

    first: int
    step: int
    length: int

    @property
    def last(self) -> int:
        return self.first + self.step * (self.length - 1)

    def within(self, extent: int) -> Run:
        """Return the part of the run from 0 to `extent` - 1."""
        before = max(0, -(self.first // self.step)) if self.first < 0 else 0
        first = self.first + before * self.step
        length = min(self.length - before, max(0, -((first - extent) // self.step)))
        return Run(first, self.step, max(0, length))


class Stride(NamedTuple):
    """A variable of a subscript: the factor by which it is multiplied, the number of its values, and True if two
    instances with different values of it are different instances."""

    factor: int
    length: int
    own: bool


class Strided(NamedTuple):
    """`run`: all accessed elements of the axis, if they are a run. `decided`: True if it is known whether two different
    instances access the same element; `meeting` is then such an element, or None if there is none."""

    run: Run | None
    decided: bool
    meeting: int | None


def analysed(constant: int, variables: Iterable[Stride], extent: int) -> Strided:
    """Return the elements below `extent` that the subscript `constant` + the sum of `variables` accesses. Each variable
    counts from 0."""
    low, live, still = constant, list[Stride](), False
    for factor, length, own in variables:
        if length == 1:
            continue
        if not factor:
            still |= own
            continue
        low += min(0, factor * (length - 1))
        live.append(Stride(abs(factor), length, own))
    run, overlaps = _sums(low, sorted(live))
    decided, meeting = overlaps == [], None
    if not decided:
        run_of_others, overlaps = _sums(low, sorted(each for each in live if not each.own))
        others = None if None in overlaps else run_of_others
        if others is not None:
            run_of_all, overlaps = _sums(low, sorted(each for each in live if each.own), others)
            run = run or run_of_all
            decided = None not in overlaps
            meeting = next((low + each for each in overlaps if each is not None), None)
            decided = decided or meeting is not None
    if still and meeting is None:
        decided, meeting = run is not None, low if run is None else _first(run.within(extent))
    if meeting is not None and not 0 <= meeting < extent:
        decided, meeting = False, None
    return Strided(run and run.within(extent), decided, meeting)


def _first(run: Run) -> int | None:
    return run.first if run.length else None


def _sums(low: int, variables: Sequence[Stride], run: Run | None = None) -> tuple[Run | None, list[int | None]]:
    """Return the sums of the elements of a run (default: only `low`) and of variables, as a run if they are one; and,
    for each variable with which sums repeat, its factor. None stands for a variable of which this is not known."""
    run = run or Run(low, 1, 1)
    span, found, is_run = (run.length - 1) * run.step, list[int | None](), True
    for factor, length, _ in variables:
        if is_run and run.length == 1:
            run = Run(low, factor, length)
        elif is_run and factor % run.step == 0 and factor <= run.step * run.length:
            found += [factor] if factor < run.step * run.length else []
            run = Run(low, run.step, run.length + factor // run.step * (length - 1))
        else:
            is_run = False
            found += [] if factor > span else [None]
        span += factor * (length - 1)
    return (run if is_run else None), found

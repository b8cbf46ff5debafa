"""A linear program under construction, by single columns and rows, and sums of its columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf

import numpy as np

from lowering.solve.rows import Rows


@dataclass(frozen=True)
class Sum:
    """A weighted sum of columns, and a constant."""

    terms: tuple[tuple[int, float], ...] = ()
    constant: float = 0.0

    def __add__(self, other: Sum) -> Sum:
        return Sum(self.terms + other.terms, self.constant + other.constant)

    def __sub__(self, other: Sum) -> Sum:
        return self + other * -1.0

    def __mul__(self, factor: float) -> Sum:
        return Sum(tuple((column, factor * each) for column, each in self.terms), self.constant * factor)

    @property
    def is_zero(self) -> bool:
        return not self.terms and not self.constant


ZERO, ONE = Sum(), Sum(constant=1.0)


def total(sums: Iterable[Sum]) -> Sum:
    """The sum of sums."""
    terms: list[tuple[int, float]] = []
    constant = 0.0
    for each in sums:
        terms += each.terms
        constant += each.constant
    return Sum(tuple(terms), constant)


@dataclass
class Lines:
    """A linear program under construction, one column and row at a time."""

    upper: list[float] = field(default_factory=list[float])
    cost: list[float] = field(default_factory=list[float])
    limits: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    entries: list[tuple[int, int, float]] = field(default_factory=list[tuple[int, int, float]])
    groups: list[list[int]] = field(default_factory=list[list[int]])

    def column(self, upper: float = 1.0, cost: float = 0.0) -> Sum:
        """A new column from 0 to `upper`."""
        self.upper.append(upper)
        self.cost.append(cost)
        return Sum(((len(self.upper) - 1, 1.0),))

    def at_least(self, more: Sum, less: Sum = ZERO) -> int | None:
        """Add the row `more >= less`; returns its number, None if it always holds."""
        return self.at_most(less, more)

    def at_most(self, less: Sum, more: Sum = ZERO) -> int | None:
        """Add the row `less <= more`; returns its number, None if it always holds."""
        low, high = sum(min(0.0, each * self.upper[c]) for c, each in more.terms), 0.0
        for column, each in less.terms:
            high += max(0.0, each * self.upper[column])
        if high + less.constant <= low + more.constant:
            return None
        row = len(self.limits)
        self.limits.append((-inf, more.constant - less.constant))
        self.entries += [(row, column, each) for column, each in less.terms]
        self.entries += [(row, column, -each) for column, each in more.terms]
        return row

    def rows(self) -> Rows:
        """The linear program."""
        program = Rows()
        program.columns(len(self.upper), np.array(self.upper), np.array(self.cost), tight=True)
        lower, upper = np.array(self.limits, float).reshape(-1, 2).T
        program.rows(len(self.limits), lower, upper)
        if self.entries:
            rows, columns, coefficients = zip(*self.entries, strict=True)
            program.add(rows, columns, coefficients)
        for row, group in zip(program.choices(len(self.groups)).tolist(), self.groups, strict=True):
            program.add([row] * len(group), group)
        return program


@dataclass(frozen=True)
class Progress:
    """The fraction of a task or copy that is done at the end of each slot from `since` on: that of the time between its
    begin and its end. So a job that takes a stream is never ahead of the job that makes the stream."""

    since: int = 0
    done: tuple[Sum, ...] = ()

    def by(self, slot: int) -> Sum:
        """The fraction that is done at the end of a slot."""
        return self.done[min(slot - self.since, len(self.done) - 1)] if self.done and slot >= self.since else ZERO

    def within(self, slot: int) -> Sum:
        """The fraction that is done in a slot."""
        if not self.since <= slot < self.since + len(self.done):
            return ZERO
        return self.by(slot) - self.by(slot - 1) if slot > self.since else self.by(slot)

    @property
    def slots(self) -> range:
        return range(self.since, self.since + len(self.done))


NOTHING = Progress()

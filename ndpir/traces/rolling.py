"""Loop reconstruction from a flat list of commands: loop nests in which every number is linear in the loop variables.

Each command is a kind and a few numbers. Commands `i` and `i + L` of the same kind, whose numbers differ by the same
amounts as those of `i + L` and `i + 2 L`, are iterations of a loop of period L. Found loops become single items (their
kind is the body, the trip count and the increments of each number), and the search continues on these items. All steps
are array operations, and a pass tries few periods, so the time is almost linear in the number of lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]

PERIODS = 12
"""The largest number of periods that one pass tries, the most frequent first."""

ENOUGH = 0.95
"""The fraction of the items below which a pass ends early: once so few remain, its counts of periods are outdated."""

LARGEST_BODY = 1 << 14
"""The largest body of a loop, in items."""


@dataclass(frozen=True)
class Leaf:
    """A command: `first`, its index in the list, and its numbers, both in the first iteration of all loops; and the
    increments of its numbers per iteration of each enclosing loop (the outermost first)."""

    kind: int
    first: int
    numbers: tuple[int, ...]
    steps: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class RolledLoop:
    """A loop: a body of commands and loops that runs `times` times."""

    times: int
    body: tuple[Tree, ...]


Tree: TypeAlias = "Leaf | RolledLoop"


def roll(kinds: Ints, numbers: Ints) -> list[Tree]:
    """The commands `kinds` ([n]) with their `numbers` ([n, k]) as loops. Traversing them reproduces the list."""
    roller = _Roller(kinds, numbers)
    while roller.pass_over(least=3) or roller.pass_over(least=2):
        pass
    return list(roller.trees())


@dataclass(frozen=True)
class _LoopShape:
    """The properties that all loops of one kind share: their body, their trip count, and `steps`, the increments of the
    body's numbers per iteration as [leaves of the body, k]."""

    times: int
    body: tuple[int, ...]
    steps: Ints


class _Roller:
    """The state of the search, a list of items, each of which is a command or a loop: `shape` is the index of each
    item's kind, `start` the offset in `numbers` of the commands of its first iteration (`start[n]` is the length of
    `numbers`), `first` the index of its first command in the original list."""

    def __init__(self, kinds: Ints, numbers: Ints) -> None:
        self.shape = np.asarray(kinds, np.int64)
        self.numbers = np.asarray(numbers, np.int64)
        self.start = np.arange(len(self.shape) + 1)
        self.first = np.arange(len(self.shape))
        self.plain = int(self.shape.max(initial=-1)) + 1
        """Shapes from here on are loops."""
        self.loops: list[_LoopShape] = []
        self.loop_shapes: dict[tuple[int, bytes, bytes], int] = {}

    def pass_over(self, least: int) -> bool:
        """Turn repetitions of at least `least` iterations into loops, innermost loops first; if `least` is 2, the
        longest loops first, since the numbers of two iterations always differ by one increment. Returns True if a
        loop was found."""
        before = len(self.shape)
        for period in sorted(self._periods(), reverse=least == 2):
            if period * least <= len(self.shape) and period <= LARGEST_BODY:
                self._roll_period(period, least)
            if len(self.shape) < ENOUGH * before:
                break
        return len(self.shape) < before

    def _periods(self) -> list[int]:
        """The most frequent distances between two items of the same kind, and between two items of the same kind whose
        numbers grow by the same increments."""
        if len(self.shape) < 2:
            return []
        order = np.argsort(self.shape, kind="stable")
        gaps, same = np.diff(order), np.diff(self.shape[order]) == 0
        marks = self.numbers @ _weights(self.numbers.shape[1])
        totals = np.concatenate(([0], np.cumsum(marks)))
        mark = totals[self.start[1:]] - totals[self.start[:-1]]
        added = np.zeros(len(order), np.int64)
        added[order[1:]] = np.where(same, np.diff(mark[order]), 0)
        again = np.lexsort((np.arange(len(order)), added, self.shape))
        alike = (np.diff(self.shape[again]) == 0) & (np.diff(added[again]) == 0)
        counts = np.bincount(np.concatenate((gaps[same], np.diff(again)[alike])), minlength=1)
        best = np.argsort(counts, kind="stable")[::-1][:PERIODS]
        return [int(period) for period in best if counts[period] and period > 0]

    def _roll_period(self, period: int, least: int) -> None:
        count = len(self.shape) - period
        alike = self.shape[:count] == self.shape[period:]
        fits, rounds = (alike, 2) if least == 2 else (self._steady(alike, period), 3)
        runs = _runs(fits)
        runs = runs[runs[:, 1] - runs[:, 0] >= period]
        chosen: list[tuple[int, int]] = []
        end = 0
        for low, high in runs.tolist():
            low = max(low, end)
            if high - low >= period:
                times = rounds if least == 2 else (high - low) // period + 2
                chosen.append((low, times))
                end = low + times * period
        if chosen:
            self._replace(chosen, period)

    def _steady(self, alike: NDArray[np.bool_], period: int) -> NDArray[np.bool_]:
        """For each item a flag: True if it equals the items one and two periods later, except for numbers that grow by
        equal increments. `alike`: True for items of the same kind as the item one period later."""
        count = len(self.shape) - 2 * period
        if count < 1:
            return np.zeros(0, np.bool_)
        both = alike[:count] & alike[period : period + count]
        items = np.flatnonzero(both)
        widths = self.start[items + 1] - self.start[items]
        rows = np.repeat(self.start[items] - np.concatenate(([0], np.cumsum(widths)[:-1])), widths)
        rows = rows + np.arange(len(rows))
        near = rows + np.repeat(self.start[items + period] - self.start[items], widths)
        far = rows + np.repeat(self.start[items + 2 * period] - self.start[items], widths)
        numbers = self.numbers
        wrong = (numbers[rows] + numbers[far] != 2 * numbers[near]).any(axis=1)
        totals = np.concatenate(([0], np.cumsum(wrong)))
        ends = np.cumsum(widths)
        both[items] = totals[ends] == totals[ends - widths]
        return both

    def _replace(self, chosen: list[tuple[int, int]], period: int) -> None:
        """Replace the iterations of each loop in `chosen`, given as (first item, trip count), by one item. `period`:
        the number of items of an iteration."""
        items = np.ones(len(self.shape), np.bool_)
        rows = np.ones(len(self.numbers), np.bool_)
        shape = self.shape.copy()
        width = np.diff(self.start)
        for low, times in chosen:
            shape[low] = self._loop_shape(low, times, period)
            after = low + times * period
            width[low] = self.start[low + period] - self.start[low]
            items[low + 1 : after] = False
            rows[self.start[low + period] : self.start[after]] = False
        self.shape, self.numbers, self.first = shape[items], self.numbers[rows], self.first[rows]
        self.start = np.concatenate(([0], np.cumsum(width[items])))

    def _loop_shape(self, low: int, times: int, period: int) -> int:
        body = self.shape[low : low + period]
        here, there, after = (int(self.start[low + at * period]) for at in range(3))
        steps = self.numbers[there:after] - self.numbers[here:there]
        key = times, body.tobytes(), steps.tobytes()
        if key not in self.loop_shapes:
            self.loop_shapes[key] = self.plain + len(self.loops)
            self.loops.append(_LoopShape(times, tuple(body.tolist()), steps))
        return self.loop_shapes[key]

    def trees(self) -> Iterator[Tree]:
        """The trees of all items, in order."""
        for shape, row in zip(self.shape.tolist(), self.start.tolist(), strict=False):
            yield self._tree(shape, row, ())[0]

    def _tree(self, shape: int, row: int, steps: tuple[tuple[Ints, int], ...]) -> tuple[Tree, int]:
        """The tree of an item, and the index in `numbers` after the item's last number. `shape`: the item's kind;
        `row`: the index of its first number; `steps`: for each enclosing loop, its increments and the index of this
        item's increments among them."""
        if shape < self.plain:
            added = tuple(tuple(each[at].tolist()) for each, at in steps)
            return Leaf(shape, int(self.first[row]), tuple(self.numbers[row].tolist()), added), row + 1
        loop = self.loops[shape - self.plain]
        body: list[Tree] = []
        first = row
        for inner in loop.body:
            below = *((each, at + row - first) for each, at in steps), (loop.steps, row - first)
            tree, row = self._tree(inner, row, below)
            body.append(tree)
        return RolledLoop(loop.times, tuple(body)), row


def _weights(count: int) -> Ints:
    """Odd factors for a hash of the differences of `count` numbers, from which periods are guessed; overflow is
    harmless."""
    return np.array([(2 * at + 1) * 0x9E3779B97F4A7C1 | 1 for at in range(count)], np.uint64).astype(np.int64)


def _runs(flags: NDArray[np.bool_]) -> Ints:
    """The intervals [first, one past the last] of true entries, as [n, 2]."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], flags, [False]))))
    return edges.reshape(-1, 2)

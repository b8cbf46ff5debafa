"""Loops of a program that many variants of a device execute: each variant skips the repeated iterations of its own
period.

Variants are followed together as long as they have the same loop to execute; each has its own number of iterations
left. An iteration without refresh that ends in the state in which an earlier one ended is known, for this variant, with
the iterations between; it is skipped as often as refreshes allow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from interp.kinds.pim.timing.periods import FAR, Body, BodyLoop
from interp.machine.variants import Cycles

Chosen = NDArray[np.int64]
"""Positions of some variants among those of a group, in increasing order."""
Mask = NDArray[np.bool_]


class Known:
    """For each variant of a batch, the last repeated sequence of iterations of a loop body: the state in which it
    starts and ends, its iterations (0 if none is known), its cycles, and by how much it increases each counter."""

    def __init__(self, width: int, counters: int, count: int) -> None:
        self.key = np.zeros((width, count), np.int64)
        self.rounds = np.zeros(count, np.int64)
        self.cycles = np.zeros(count, np.int64)
        self.counts = np.zeros((counters, count), np.int64)
        self.slack = np.zeros(count, np.int64)
        """The largest number of cycles after its end during which an iteration without refresh still admits one."""
        self.is_empty = True

    def learn(
        self, numbers: Chosen, chosen: Mask, key: Cycles, rounds: Cycles | int, cycles: Cycles, counts: Cycles
    ) -> None:
        """Records the iterations of some variants of a group (`chosen`), whose positions in the batch are
        `numbers`."""
        self.is_empty = False
        if len(chosen) == len(self.rounds) and chosen.all():
            self.key, self.cycles, self.counts = key, cycles, counts
            self.rounds[:] = rounds
            return
        from_ = np.flatnonzero(chosen)
        to = numbers[from_]
        self.key[:, to], self.cycles[to], self.counts[:, to] = key[:, from_], cycles[from_], counts[:, from_]
        self.rounds[to] = rounds if isinstance(rounds, int) else rounds[from_]


class Group(ABC):
    """Variants that are followed together, with the state of their channels. All arrays have the variants as their last
    dimension.

    `numbers`: the variants' positions in the batch. `gaps`: the values of the device that differ between them.
    `times`: cycles of past commands, which all shift if iterations are skipped. `marks`: the other parts of the state.
    `due`: the cycles in which refreshes fall due, one row for each channel. `counts`: counters.
    """

    numbers: Chosen
    gaps: Cycles
    times: Cycles
    marks: Cycles
    due: Cycles
    counts: Cycles
    known: dict[Body, Known]
    """Shared by all groups of a batch."""
    size: int
    """The number of variants in the batch."""
    serving: bool = False
    """True if a refresh may be served between the last command and the next one."""

    @abstractmethod
    def step(self, leaf: Any) -> None:
        """Executes one instruction, and the refreshes served with it."""

    @abstractmethod
    def settle(self) -> None:
        """Serves the refreshes that precede all other commands."""

    @abstractmethod
    def now(self) -> Cycles:
        """(variants) The cycle of the last command."""

    @abstractmethod
    def over(self) -> Cycles:
        """(variants) The last cycle of the commands executed so far: a refresh that falls due by then is served with
        them."""

    @abstractmethod
    def key(self) -> Cycles:
        """(entries, variants) The part of the state on which the times of future commands depend, relative to now."""

    @abstractmethod
    def bind(self) -> None:
        """Sets the names of parts of the arrays, after the arrays have been replaced."""

    def take(self, chosen: Chosen) -> Self:
        """A group of some of the variants, with a state of its own."""
        part = copy(self)
        part.numbers = self.numbers[chosen]
        part.gaps, part.times, part.marks = self.gaps[:, chosen], self.times[:, chosen], self.marks[:, chosen]
        part.due, part.counts = self.due[:, chosen], self.counts[:, chosen]
        part.bind()
        return part

    def put(self, chosen: Chosen, part: Self) -> None:
        """Takes over the state of some of the variants from a group that holds only these."""
        self.times[:, chosen], self.marks[:, chosen] = part.times, part.marks
        self.due[:, chosen], self.counts[:, chosen] = part.due, part.counts
        self.serving = part.serving

    @property
    def count(self) -> int:
        return len(self.numbers)

    @property
    def everywhere(self) -> Chosen | slice:
        """The variants' positions in the batch, as an index of its arrays."""
        return slice(None) if len(self.numbers) == self.size else self.numbers

    def walk(self, body: Body) -> None:
        """Executes the steps of a body serially."""
        for part in body.parts:
            if isinstance(part, BodyLoop):
                self.settle()
                self._loop(part.body, part.times)
            else:
                self.step(part)

    def _loop(self, body: Body, times: int) -> None:
        if times <= 2:
            for _ in range(times):
                self.walk(body)
            return
        active, places = self, np.arange(self.count)
        left = np.full(self.count, times, np.int64)
        key = self.key()
        known = self.known.get(body)
        if known is None:
            known = self.known[body] = Known(len(key), len(self.counts), self.size)
        trail: _Trail | None = None
        walked = 0
        while True:
            if not known.is_empty and (skipped := active.skip(body, known, key, left)) is not None and trail:
                trail.restart(active, key, skipped)
            if not left.all():
                self._finish(active, places, np.flatnonzero(left == 0))
                kept = np.flatnonzero(left)
                if not len(kept):
                    return
                active, places, left, key = active.take(kept), places[kept], left[kept], key[:, kept]
                if trail:
                    trail.keep(kept)
            earlier, start = key, active.now().copy()
            counts, due = active.counts.copy(), active.due.copy()
            active.walk(body)
            left -= 1
            key, now = active.key(), active.now()
            quiet = (active.due == due).all(axis=0)
            at = active.everywhere
            known.slack[at] = np.maximum(known.slack[at], np.where(quiet, active.over() - now, 0))
            same = quiet & (key == earlier).all(axis=0)
            if same.any():
                known.learn(active.numbers, same, key, 1, now - start, active.counts - counts)
            walked += 1
            if trail:
                trail.advance(active, key, quiet, same, known)
            elif walked >= _SETTLED and not same.all():
                trail = _Trail(active, key)

    def _finish(self, active: Self, places: Chosen, ended: Chosen) -> None:
        """Takes over the state of variants that have executed all iterations of a loop."""
        if active is not self and len(ended):
            self.put(places[ended], active.take(ended))

    def skip(self, body: Body, known: Known, key: Cycles, left: Cycles) -> Mask | None:
        """Skips iterations that are known, as often as the iterations left (`left`, which it decreases) and the next
        refresh allow. Returns True for the variants that skipped some; None if none did."""
        at = self.everywhere
        rounds = known.rounds[at]
        hit = (known.key[:, at] == key).all(axis=0)
        hit &= rounds > 0
        if not hit.any():
            return None
        laps = np.where(hit, left // np.maximum(rounds, 1), 0)
        cycles = known.cycles[at]
        if len(self.due) and body.serves:
            room = self.due.min(axis=0) - self.now() - 1 - known.slack[at]
            laps = np.minimum(laps, np.where(cycles > 0, np.maximum(room, 0) // np.maximum(cycles, 1), FAR))
        if not laps.any():
            return None
        self.times += laps * cycles
        self.counts += laps * known.counts[:, at]
        left -= laps * rounds
        return laps > 0


_SETTLED = 3
"""The number of walked iterations of a loop after which most variants repeat the last one. For others, a longer period
is searched."""


class _Trail:
    """For each variant of a group, the state after an earlier iteration of a loop (Brent's search for a period): the
    state, its time and counters, the iterations since then, and their number at which a later state replaces it. It is
    replaced, too, by the state after skipped iterations, since their time is not that of iterations in between, and
    after an iteration with a refresh."""

    def __init__(self, group: Group, key: Cycles) -> None:
        self.key, self.now, self.counts = key.copy(), group.now().copy(), group.counts.copy()
        self.age = np.zeros(group.count, np.int64)
        self.limit = np.full(group.count, 2, np.int64)

    def keep(self, kept: Chosen) -> None:
        self.key, self.counts = self.key[:, kept], self.counts[:, kept]
        self.now, self.age, self.limit = self.now[kept], self.age[kept], self.limit[kept]

    def restart(self, group: Group, key: Cycles, chosen: Mask) -> None:
        """Replaces the states of some variants by their present ones."""
        np.copyto(self.key, key, where=chosen)
        np.copyto(self.now, group.now(), where=chosen)
        np.copyto(self.counts, group.counts, where=chosen)
        self.age[chosen], self.limit[chosen] = 0, 2

    def advance(self, group: Group, key: Cycles, quiet: Mask, same: Mask, known: Known) -> None:
        """Follows one iteration, and learns periods of several iterations."""
        self.age += 1
        if same.all():
            return
        again = quiet & ~same & (self.age > 1) & (key == self.key).all(axis=0)
        if again.any():
            cycles, counts = group.now() - self.now, group.counts - self.counts
            known.learn(group.numbers, again, key, self.age, cycles, counts)
        if not quiet.all():
            self.restart(group, key, ~quiet)
        old = self.age >= self.limit
        if old.any():
            limit = self.limit * 2
            self.restart(group, key, old)
            self.limit[old] = limit[old]

"""Thread blocks on one multiprocessor, event by event: warps that wait for shared memory, matrix units, copies and each
other.

Shared memory serves one request after another, the matrix units of each partition one warp after another. Copies from
global memory arrive a latency after their issue; how much they bring in the long run is counted elsewhere
(interp/tile/traffic.py). Stores to global memory take the multiprocessor's share of its bandwidth. When a block has
ended, the next one takes its place.

Times are whole ticks, so that a loop's timing state becomes periodic, exactly. Whenever the first warp of the first
place begins a turn of its outermost loop, or a block, the state is looked up among those before; where it was met, as
many periods as all warps have turns left are passed at once.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import lcm

from xdsl.ir import SSAValue

from interp.machine.multiprocessor import PARTITIONS, SHARED_BYTES
from interp.tile.work import Loop, Step, Steps, When

TICKS = 16
"""Ticks a cycle."""
PORT_BYTES = 64
BARRIER = 30
"""Cycles from the last warp's arrival at a barrier until all go on (Jia et al., arXiv 1804.06826 and 1903.07486, report
some 20 to 40 for bar.sync of a few warps)."""
READ = 30
"""Cycles from the end of a request until its fragments are there (NVIDIA Ampere: shared-memory latency 23 to 33 cycles,
arXiv 2208.11174)."""
OVER = ("over", 0.0, 0.0, 0)
REMEMBERED = 4096
"""States that are kept to find a period."""


@dataclass(frozen=True)
class Rates:
    """Speed of the memory behind a multiprocessor: `latency` of loads in cycles, and `store`, the bytes a cycle that it
    takes; and the cycles that a warp itself takes for a tile that it stores to shared memory (`staging`)."""

    latency: float
    store: float
    staging: float = 0.0


class Flat:
    """Steps in a row, with jumps: a loop's end goes back to its begin."""

    def __init__(self, steps: Steps) -> None:
        self.code: list[tuple[str, float, float, int]] = []
        """Kind, amount and parts; of `loop` its turns and the place behind its end, of `end` the place of its begin."""
        self.whens: dict[int, When] = {}
        self.loops: dict[int, Loop] = {}
        self.period = 1
        self._add(steps)

    def _add(self, steps: Steps) -> None:
        for step in steps:
            match step:
                case Step():
                    self.code.append((step.kind, step.amount, step.parts, step.behind))
                case Loop():
                    begin = len(self.code)
                    self.loops[begin] = step
                    self.code.append(("loop", step.turns, 0, 0))
                    self._add(step.body)
                    self.code.append(("end", begin, 0, 0))
                    self.code[begin] = ("loop", step.turns, len(self.code), 0)
                case When():
                    begin = len(self.code)
                    self.whens[begin] = step
                    self.period = lcm(self.period, step.period)
                    self.code.append(("when", 0, 0, 0))
                    self._add(step.body)
                    self.code[begin] = ("when", 0, len(self.code), 0)


@dataclass(eq=False, slots=True)
class Warp:
    """One warp of a block: where it stands, the turns that its loops have done, and what it waits for."""

    place: int
    number: int
    at: int = 0
    turns: list[list[int]] = field(default_factory=list[list[int]])
    """Of each loop around it: the place of its begin, and turns done."""
    fragments: list[int] = field(default_factory=list[int])
    """Times, in ticks, at which fragments are there that it asked for; of the last `KEPT` alone."""
    open: int = 0
    """Time, in ticks, at which the copies since its last commit are there; 0 if there are none."""
    groups: list[int] = field(default_factory=list[int])
    """Times, in ticks, at which its groups of copies are there; of the last `KEPT` groups alone."""
    fetched: list[tuple[int, float]] = field(default_factory=list[tuple[int, float]])
    """Of each load into registers, the time, in ticks, at which its bytes are there, and their number."""


KEPT = 16
"""Groups of copies that a warp remembers: more than any pipeline has stages."""


class BlocksOnUnit:
    """The simulation of so many blocks that begin together on one multiprocessor."""

    def __init__(self, steps: Steps, warps: int, blocks: int, rates: Rates, leaps: bool = True) -> None:
        """`leaps`: whether periods are passed at once; times are the same without, to the tick."""
        self.leaps = leaps
        self.flat = Flat(steps)
        self.rates = rates
        self.latency = round(rates.latency * TICKS)
        self.shared = 0
        self.storing = 0
        self.port = 0
        self.matrix = [0] * PARTITIONS
        self.events: list[tuple[int, int, Warp]] = []
        self.sequence = 0
        self.waiting: dict[int, list[Warp]] = {place: [] for place in range(blocks)}
        self.running = [warps] * blocks
        self.ended = [0] * blocks
        self.seen: dict[object, tuple[int, int]] = {}
        for place in range(blocks):
            for number in range(warps):
                self._push(Warp(place, number), 0)

    def run(self) -> list[float]:
        """Cycles until each block has ended."""
        while self.events:
            now, _, warp = heapq.heappop(self.events)
            self._go_on(warp, now)
        return [each / TICKS for each in self.ended]

    def _push(self, warp: Warp, at: int) -> None:
        self.sequence += 1
        heapq.heappush(self.events, (at, self.sequence, warp))

    def _go_on(self, warp: Warp, now: int) -> None:
        """Do a warp's steps until it has to wait."""
        code = self.flat.code
        while True:
            kind, amount, parts, behind = code[warp.at] if warp.at < len(code) else OVER
            if warp.fetched and kind != "fetch":
                arrived = max(at for at, _ in warp.fetched)
                self._push(warp, arrived if arrived > now else self._stage(warp, now))
                return
            warp.at += 1
            match kind:
                case "shared":
                    self.shared = max(self.shared, now) + round(amount * TICKS)
                    warp.fragments = [*warp.fragments[1 - KEPT :], self.shared + READ * TICKS]
                case "multiply":
                    ticks, partition = round(amount * TICKS), warp.number % PARTITIONS
                    # It begins with the first part of the fragments, and ends no earlier than a part after the last.
                    there = warp.fragments[-1 - behind] if behind < len(warp.fragments) else 0
                    ready = there - round(ticks * (1 - 1 / parts))
                    end = max(now, ready, self.matrix[partition]) + ticks
                    self.matrix[partition] = end
                    self._push(warp, end)
                    return
                case "lanes":
                    self._push(warp, max([now, *warp.fragments]) + round(amount * TICKS))
                    return
                case "prefetch":
                    self.shared = max(self.shared, now) + round(parts * TICKS)
                    warp.open = max(warp.open, self._arrive(now + round(parts * TICKS), amount))
                case "fetch":
                    self.shared = max(self.shared, now) + round((amount / SHARED_BYTES + parts) * TICKS)
                    warp.fetched.append((self._arrive(now + round(parts * TICKS), amount), amount))
                case "store":
                    self.shared = max(self.shared, now) + round(parts * TICKS)
                    now = self.shared
                    self.storing = max(self.storing, now) + round(parts * self.rates.store * TICKS)
                    self._push(warp, self.storing)
                    return
                case "commit":
                    warp.groups = [*warp.groups[1 - KEPT :], warp.open]
                    warp.open = 0
                case "wait":
                    arrived = warp.groups[: len(warp.groups) - int(amount)]
                    if (there := max(arrived, default=0)) > now:
                        self._push(warp, there)
                        return
                case "barrier":
                    self._meet(warp, now)
                    return
                case "loop":
                    warp.turns.append([warp.at - 1, 0])
                case "end":
                    if self._turn(warp, int(amount)) and self._leads(warp):
                        now = self._leap(warp, now)
                case "when":
                    if not self.flat.whens[warp.at - 1].done(self._values(warp)):
                        warp.at = int(parts)
                case _:
                    self._end(warp, now)
                    return

    def _arrive(self, asked: int, nbytes: float) -> int:
        """Time, in ticks, at which bytes are there that have just been asked for."""
        self.port = max(self.port, asked + self.latency) + round(nbytes / PORT_BYTES * TICKS)
        return self.port

    def _leads(self, warp: Warp) -> bool:
        return warp.place == 0 and warp.number == 0 and len(warp.turns) == 1

    def _values(self, warp: Warp) -> dict[SSAValue, int]:
        return {self.flat.loops[at].variable: self.flat.loops[at].start + done for at, done in warp.turns}

    def _stage(self, warp: Warp, now: int) -> int:
        """Time, in ticks, at which all that a warp loaded is in shared memory; its loads were on their way at once."""
        nbytes = sum(each for _, each in warp.fetched)
        warp.fetched = []
        start = now + round(self.rates.staging * TICKS)
        self.shared = max(self.shared, start) + round(nbytes / SHARED_BYTES * TICKS)
        return self.shared

    def _turn(self, warp: Warp, begin: int) -> bool:
        """End a turn of a loop; whether another one follows."""
        warp.turns[-1][1] += 1
        if warp.turns[-1][1] < self.flat.code[begin][1]:
            warp.at = begin + 1
            return True
        warp.turns.pop()
        return False

    def _meet(self, warp: Warp, now: int) -> None:
        met = self.waiting[warp.place]
        met.append(warp)
        if len(met) == self.running[warp.place]:
            for each in met:
                self._push(each, now + BARRIER * TICKS)
            self.waiting[warp.place] = []

    def _end(self, warp: Warp, now: int) -> None:
        self.running[warp.place] -= 1
        self.ended[warp.place] = max(self.ended[warp.place], now)

    def _leap(self, warp: Warp, now: int) -> int:
        """Pass as many periods as possible, if the state at hand was met before; the time then. A period is some turns
        of all outermost loops; `warp` is about to begin one."""
        if not self.leaps or len(self.seen) > REMEMBERED:
            return now
        warps = [warp, *(each for _, _, each in self.events), *(each for met in self.waiting.values() for each in met)]
        mine = warp.turns[0][1]
        state = self._state(warps, now, mine)
        before = self.seen.get(state)
        self.seen[state] = (now, mine)
        if before is None:
            return now
        then, turns = before
        least = min(self.flat.code[each.turns[0][0]][1] - each.turns[0][1] - 1 for each in warps if each.turns)
        if periods := int(least) // (mine - turns):
            self._shift(periods * (now - then), periods * (mine - turns), warps)
            self.seen.clear()
        return now + periods * (now - then)

    def _state(self, warps: Sequence[Warp], now: int, mine: int) -> object:
        """All that the times to come depend on, relative to now and, of outermost loops, to the first warp's turn."""
        events = tuple(
            (at - now, self._of(warp, now, mine)) for at, _, warp in sorted(self.events, key=lambda e: e[:2])
        )
        met = tuple(tuple(self._of(warp, now, mine) for warp in met) for met in self.waiting.values())
        units = (max(0, self.shared - now), max(0, self.storing - now), max(0, self.port - now), *(max(0, each - now) for each in self.matrix))
        return self._of(warps[0], now, mine), events, met, units, mine % self.flat.period

    def _of(self, warp: Warp, now: int, mine: int) -> object:
        turns = tuple((at, done - mine if index == 0 else done) for index, (at, done) in enumerate(warp.turns))
        groups = tuple(max(0, at - now) for at in warp.groups)
        fetched = tuple((max(0, at - now), nbytes) for at, nbytes in warp.fetched)
        return (
            warp.place,
            warp.number,
            warp.at,
            turns,
            tuple(max(0, at - now) for at in warp.fragments),
            max(0, warp.open - now),
            groups,
            fetched,
        )

    def _shift(self, passed: int, turns: int, warps: Sequence[Warp]) -> None:
        self.shared += passed
        self.storing += passed
        self.port += passed
        self.matrix = [each + passed for each in self.matrix]
        self.events = [(at + passed, sequence, warp) for at, sequence, warp in self.events]
        for warp in warps:
            warp.fragments = [at + passed for at in warp.fragments]
            warp.open += passed if warp.open else 0
            warp.groups = [at + passed for at in warp.groups]
            warp.fetched = [(at + passed, nbytes) for at, nbytes in warp.fetched]
            if warp.turns:
                warp.turns[0][1] += turns

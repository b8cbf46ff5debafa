"""Thread blocks on one multiprocessor, event by event: warps that wait for shared memory, matrix units, copies and each
other.

Shared memory and the first-level cache serve one request after another, the matrix units of each partition one warp
after another. What comes from global memory arrives a latency after it was asked for, and no faster than the port to
the last-level cache lets it through; how much comes in the long run is counted elsewhere (interp/tile/traffic.py).
Blocks begin together. Of warps that can go on at the same time, the one that has waited longest goes first.

Times are whole ticks, so that a loop's timing state becomes periodic, exactly. Whenever the first warp of the first
block begins a turn of its outermost loop, the state is looked up among those before; where it was met, as many periods
as all warps have turns left are passed at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush, heappushpop
from math import lcm, prod
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from interp.machine.multiprocessor import PARTITIONS, PORT_BYTES, SHARED_BYTES
from interp.tile.walk import value_of
from interp.tile.work import Loop, Step, Steps, When, period_of

TICKS = 16
"""Ticks a cycle."""
MEETING = 30
"""Cycles from the last warp's arrival at a barrier until all go on (Jia et al., arXiv 1804.06826 and 1903.07486, report
some 20 to 40 for bar.sync of a few warps)."""
READ = 30
"""Cycles from the end of a request until its fragments are there (NVIDIA Ampere: shared-memory latency 23 to 33 cycles,
arXiv 2208.11174)."""
REMEMBERED = 4096
"""States that are kept to find a period."""
UNROLLED = 512
"""Steps that an inner loop may become when its turns are written out."""
FEW = 6
"""Turns of an outermost loop that are written out: no period would be found in so few."""
TABLED = 1 << 20
"""Turns of a loop for which it is noted whether conditions are met."""
NEAR = 512
"""Turns after which it does not matter for finding periods that a condition will be met."""
DEEPEST = 64
"""Loops around a condition, at most."""
NEVER = -1
"""The time until which a warp waits that others let go on, or that has ended."""


@dataclass(frozen=True)
class Rates:
    """Speed of the memory behind a multiprocessor: `latency` of loads in cycles; `store`, the cycles that it takes for
    each line that is written; `port`, the bytes a cycle that come from it; `first`: the latency of memory, for loads
    into the registers of threads that multiply alone: blocks ask for the same row at about the same time, and all wait
    with the first one."""

    latency: float
    store: float = 1.0
    port: float = PORT_BYTES
    first: float = 0.0


class Item(NamedTuple):
    """Step of a warp at a place of its program: a kind, and the numbers, mostly ticks, that its meaning hangs on."""

    kind: int
    first: int = 0
    second: int = 0
    third: int = 0


SHARED, LOAD, MULTIPLY, PREFETCH, TURN, BARRIER, WAIT, COMMIT, LANES, FETCH, BRING, STAGE, STORE, LOOP, WHEN, END = (
    range(16)
)
"""Kinds of items."""
Known: TypeAlias = "tuple[int | None, ...]"
"""Of each loop around, from outside, the value of its variable where its turns are written out."""


@dataclass(frozen=True)
class Nest:
    """A loop, or a perfect nest of loops, that is run turn by turn. Of each of its loops, from outside: the start of
    its variable, the turns of the nest between two of its values, and the number of its values."""

    turns: int
    loops: tuple[tuple[int, int, int], ...]

    @staticmethod
    def of(loop: Loop) -> tuple[Nest, Steps]:
        """The nest that begins with a loop, and what its turns do."""
        around = [loop]
        while len(body := around[-1].body) == 1 and isinstance(body[0], Loop):
            around.append(body[0])
        loops = [
            (each.start, prod(inner.turns for inner in around[depth + 1 :]), each.turns)
            for depth, each in enumerate(around)
        ]
        return Nest(prod(each.turns for each in around), tuple(loops)), body

    def values(self, done: int) -> tuple[int, ...]:
        """The values of its variables after so many turns."""
        return tuple(start + done // every % count for start, every, count in self.loops)

    def period(self, expression: AffineExpr, depth: int) -> int:
        """Turns after which an expression of loops, of which those of the nest begin at a depth, is what it was."""
        found, step = 1, period_of(expression)
        for place, (_, every, count) in enumerate(self.loops):
            if any(isinstance(each, AffineDimExpr) and each.position == depth + place for each in expression.dfs()):
                found = lcm(found, every * (step if place == 0 or count % step == 0 else count))
        return found


class Program:
    """Steps in a row, in ticks, with jumps. What a step of each kind takes stands in `_add_step`, and what it does in
    the loop of `BlocksOnUnit.run`.

    Requests that follow each other at once are one; inner loops are written out where that stays short, and perfect
    nests of loops are one loop.
    """

    def __init__(self, steps: Steps, rates: Rates) -> None:
        self.items = list[Item]()
        self.conditions: dict[int, AffineExpr] = {}
        """Of each item WHEN the expression that is 0 when what follows is done."""
        self.nests: dict[int, tuple[int, Nest]] = {}
        """Of each item LOOP the number of loops around its nest, and the nest."""
        self.outer = 0
        """The item LOOP of the outermost loop that is run turn by turn at hand."""
        self.tables: dict[int, bytes] = {}
        """Of each item WHEN whose expression is of the outermost loop, for each of its turns, whether it is 0."""
        self.tables_in: dict[int, list[_Table]] = {}
        """The same by the item of the outermost loop."""
        self.period = 1
        """Turns of the outermost loop after which all other conditions are what they were."""
        self.latency = round(rates.latency * TICKS)
        self.first = round(max(rates.latency, rates.first) * TICKS)
        self.store, self.port = rates.store, rates.port
        flat = list(_flat(steps))
        self.ahead = max((step.ahead for step in flat), default=0)
        self.pending = max((int(step.amount) for step in flat if step.kind == "wait"), default=0)
        self.joined = 0
        """Items before this place are not joined with those that follow, since a jump leads there."""
        self._add(steps, (), False)
        self._append(Item(END))

    def _add(self, steps: Steps, known: Known, inside: bool) -> None:
        for step in steps:
            match step:
                case Step():
                    self._add_step(step)
                case Loop():
                    self._add_loop(step, known, inside)
                case When():
                    self._add_when(step, known)

    def _add_step(self, step: Step) -> None:
        amount, ticks = step.amount, round(step.amount * TICKS)
        match step.kind:
            case "shared":
                late = self.ahead == 0 and len(self.items) > self.joined and self.items[-1].kind == LOAD
                loads = self.items.pop() if late else None
                self._join(Item(SHARED, ticks), self.ahead == 0)
                if loads is not None:  # what takes longer to arrive is waited for
                    self._append(loads)
            case "multiply":
                # It begins with the first part of the fragments, and ends no earlier than a part after the last.
                self._append(Item(MULTIPLY, ticks, round(ticks * (1 - 1 / step.parts)), -1 - step.ahead))
            case "lanes":
                self._append(Item(LANES, ticks))
            case "prefetch":
                self._join(Item(PREFETCH, round(step.parts * TICKS), round(amount / self.port * TICKS)))
            case "fetch":
                # The cache looks lines up, and hands them on to registers; the warp writes them to shared memory.
                moved = round(amount / SHARED_BYTES * TICKS)
                self._join(Item(FETCH, round(step.parts * TICKS), round(amount / self.port * TICKS), moved))
            case "bring":
                moved = round(step.stored * TICKS)
                self._join(Item(BRING, round(step.parts * TICKS), round(amount / self.port * TICKS), moved))
            case "load":
                asked, brought = round(step.parts * TICKS), round(amount / self.port * TICKS)
                self._join(Item(LOAD, asked, brought), self.ahead == 0)
            case "store":
                self._append(Item(STORE, round(step.parts * TICKS), round(step.parts * self.store * TICKS)))
            case "commit":
                self._append(Item(COMMIT))
            case "wait":
                self._append(Item(WAIT, -1 - int(amount)))
            case "barrier":
                self._append(Item(BARRIER))

    def _append(self, item: Item) -> None:
        self._stage()
        self.items.append(item)

    def _stage(self) -> None:
        """Let the warp write to shared memory all that it has loaded."""
        if self.items and self.items[-1].kind in (FETCH, BRING):
            # What a barrier behind it is to show to others is there a latency later; lanes count that themselves.
            self.items.append(Item(STAGE, self.items[-1].third, READ * TICKS * (self.items[-1].kind == FETCH)))

    def _join(self, item: Item, joins: bool = True) -> None:
        last = self.items[-1] if len(self.items) > self.joined else Item(END)
        if joins and last.kind == item.kind:
            sums = (one + two for one, two in zip(last[1:], item[1:], strict=True))
            self.items[-1] = Item(item.kind, *sums)
        else:
            self._append(item)

    def _add_loop(self, loop: Loop, known: Known, inside: bool) -> None:
        nest, body = Nest.of(loop)
        if nest.turns * len(list(_flat(body))) <= UNROLLED if inside else nest.turns <= FEW:
            for done in range(nest.turns):
                self._add(body, (*known, *nest.values(done)), inside)
            return
        self._append(Item(LOOP))
        begin = len(self.items) - 1
        self.nests[begin] = len(known), nest
        if not inside:
            self.outer = begin
        self.joined = len(self.items)
        self._add(body, (*known, *[None] * len(nest.loops)), True)
        self._append(Item(TURN, begin, nest.turns))

    def _add_when(self, when: When, known: Known) -> None:
        values = [
            AffineExpr.dimension(at) if value is None else AffineExpr.constant(value) for at, value in enumerate(known)
        ]
        expression = when.zero.replace_dims_and_symbols(values, ())
        if not any(isinstance(each, AffineDimExpr) for each in expression.dfs()):
            if value_of(expression, known) == 0:
                self._add(when.body, known, True)
            return
        self._append(Item(WHEN))
        begin = len(self.items) - 1
        self._add_condition(begin, expression)
        self.joined = len(self.items)
        self._add(when.body, known, True)
        self._stage()
        self.joined = len(self.items)
        self.items[begin] = Item(WHEN, begin, len(self.items))

    def _add_condition(self, begin: int, expression: AffineExpr) -> None:
        """Let an item WHEN be done where an expression is 0."""
        self.conditions[begin] = expression
        depth, nest = self.nests[self.outer]
        used = {each.position for each in expression.dfs() if isinstance(each, AffineDimExpr)}
        if used <= {*range(depth, depth + len(nest.loops))} and nest.turns <= TABLED:
            turns = np.arange(nest.turns)
            values = [turns] * depth + [start + turns // every % count for start, every, count in nest.loops]
            done = np.asarray(value_of(expression, values)) == 0
            self.tables[begin] = done.tobytes()
            self.tables_in.setdefault(self.outer, []).append(_Table.of(done))
        else:
            self.period = lcm(self.period, nest.period(expression, depth))

    def phase(self, turns: Sequence[int]) -> object:
        """State that the conditions that come soon hang on, where a warp's outermost loop has done some turns."""
        begin, done = turns
        coming = (min(int(each.following[done]) - done, NEAR) for each in self.tables_in.get(begin, ()))
        return done % self.period, *coming

    def periods(self, turns: Sequence[int], period: int) -> int:
        """Number of times that a warp whose outermost loop has done some turns can pass so many of them, that
        conditions are those of the turns before."""
        begin, done = turns
        alike = (self.nests[begin][1].turns - done - 1) // period
        for table in self.tables_in.get(begin, ()):
            other = np.flatnonzero(table.done[done:] != table.done[done - period : len(table.done) - period])
            if len(other):
                alike = min(alike, (int(other[0]) - 1) // period)
        return max(0, alike)

    def done(self, begin: int, turns: Sequence[Sequence[int]]) -> bool:
        """True if what an item WHEN stands before is done, where the loops around have done so many turns."""
        if begin in self.tables:
            return bool(self.tables[begin][turns[0][1]])
        values = [0] * DEEPEST
        for at, done in turns:
            depth, nest = self.nests[at]
            values[depth : depth + len(nest.loops)] = nest.values(done)
        return value_of(self.conditions[begin], values) == 0


@dataclass(frozen=True)
class _Table:
    """For each turn of a loop, whether a condition is met, and the turn, from it on, in which it is met next."""

    done: NDArray[np.bool_]
    following: NDArray[np.int64]

    @staticmethod
    def of(done: NDArray[np.bool_]) -> _Table:
        turns = np.where(done, np.arange(len(done)), len(done))
        return _Table(done, np.minimum.accumulate(turns[::-1])[::-1])


def _flat(steps: Steps) -> Iterator[Step]:
    for step in steps:
        if isinstance(step, Step):
            yield step
        else:
            yield from _flat(step.body)


@dataclass(eq=False, slots=True)
class Warp:
    """One warp of a block: where it stands, the turns that its loops have done, and what it waits for; times are ticks.

    `unit`: the number of its partition, from 1 on; the warps of all blocks stand in the partitions in turn.
    `turns`: of each loop around it the place of its begin, and turns done; `asked`: times at which the fragments that
    it asked for last are there; `open`: time at which the copies since its last commit are there, 0 if there are none;
    `groups`: times at which its last groups of copies and all before them are there.
    """

    place: int
    number: int
    unit: int
    asked: deque[int]
    groups: deque[int]
    at: int = 0
    turns: list[list[int]] = field(default_factory=list[list[int]])
    open: int = 0

    def relative(self, now: int, mine: int) -> object:
        """All that its times to come depend on, relative to a time and, of the outermost loop, to some turns."""
        turns = tuple((at, done - mine if index == 0 else done) for index, (at, done) in enumerate(self.turns))
        asked = tuple([max(0, at - now) for at in self.asked])
        groups = tuple([max(0, at - now) for at in self.groups])
        return self.place, self.number, self.at, turns, asked, max(0, self.open - now), groups

    def shift(self, passed: int, turns: int) -> None:
        """Pass some time and turns of the outermost loop."""
        for index, at in enumerate(self.asked):
            self.asked[index] = at + passed
        for index, at in enumerate(self.groups):
            self.groups[index] = at + passed
        self.open += passed if self.open else 0
        if self.turns:
            self.turns[0][1] += turns


class BlocksOnUnit:
    """The simulation of so many blocks that begin together on one multiprocessor."""

    def __init__(self, steps: Steps, warps: int, blocks: int, rates: Rates, leaps: bool = True) -> None:
        """`leaps`: whether periods are passed at once."""
        self.leaps = leaps
        self.program = Program(steps, rates)
        self.free = [0] * (3 + PARTITIONS)
        """Times at which shared memory, the matrix units of each partition, the port and the way of stores are free."""
        self.sequence = 0
        self.waiting: list[list[Warp]] = [[] for _ in range(blocks)]
        self.running = [warps] * blocks
        self.ended = 0
        self.turns_seen: dict[object, tuple[int, int]] = {}
        """Of each state at a turn the time, and the turns that were done."""
        self.turned = 0
        """Time of the first warp's last turn."""
        self.deltas: set[int] = set()
        """Times that its turns have taken."""
        self.events: list[tuple[int, int, Warp]] = []
        ahead, pending = self.program.ahead, self.program.pending
        for place in range(blocks):
            for number in range(warps):
                asked, groups = deque([0] * (ahead + 1), ahead + 1), deque([0] * (pending + 1), pending + 1)
                unit = 1 + (place * warps + number) % PARTITIONS
                self._push(Warp(place, number, unit, asked, groups), 0)
        self.first = self.events[0][2]
        """The first warp of the first block."""

    def run(self) -> float:
        """Cycles until the last block has ended."""
        program, events, free, shared, read = self.program, self.events, self.free, 0, READ * TICKS
        items, latency, late = program.items, program.latency, program.first
        port, way = PARTITIONS + 1, PARTITIONS + 2
        now, _, warp = heappop(events)
        while True:
            # One warp's items, until it has to wait until `then`, or until others say so.
            at, then = warp.at, NEVER
            while True:
                kind, first, second, third = items[at]
                at += 1
                if kind == SHARED:
                    shared = (shared if shared > now else now) + first
                    warp.asked.append(shared + read)
                elif kind == LOAD:
                    shared = (shared if shared > now else now) + first
                    free[port] = max(free[port], shared + late) + second
                    warp.asked.append(max(free[port], warp.asked[-1]))
                elif kind == MULTIPLY:
                    unit = warp.unit
                    free[unit] = then = max(now, warp.asked[third] - second, free[unit]) + first
                    break
                elif kind == PREFETCH:
                    shared = (shared if shared > now else now) + first
                    free[port] = warp.open = max(free[port], now + first + latency) + second
                elif kind == TURN:
                    turn = warp.turns[-1]
                    turn[1] += 1
                    if turn[1] == second:
                        warp.turns.pop()
                        continue
                    at = first + 1
                    if warp is self.first and len(warp.turns) == 1:
                        warp.at, free[0] = at, shared
                        now, shared = self._leap(warp, now), free[0]
                elif kind == BARRIER:
                    if self._meets(warp, now):
                        then = now + MEETING * TICKS
                    break
                elif kind == WAIT:
                    if warp.groups[first] > now:
                        then = warp.groups[first]
                        break
                elif kind == COMMIT:
                    warp.groups.append(max(warp.groups[-1], warp.open))
                    warp.open = 0
                elif kind == LANES:
                    then = max(now, warp.asked[-1]) + first
                    break
                elif kind == FETCH:
                    shared = max(shared, now) + first + third
                    free[port] = then = max(free[port], now + first + latency) + second
                    break
                elif kind == BRING:
                    shared = max(shared, now) + first
                    free[port] = then = max(free[port], shared + latency) + second
                    break
                elif kind == STAGE:
                    shared = max(shared, now) + first
                    then = shared + second
                    break
                elif kind == STORE:
                    shared = max(shared, now) + first
                    free[way] = then = max(free[way], shared) + second
                    break
                elif kind == LOOP:
                    warp.turns.append([at - 1, 0])
                elif kind == WHEN:
                    at = at if program.done(first, warp.turns) else second
                else:
                    self.running[warp.place] -= 1
                    self.ended = max(self.ended, now)
                    break
            warp.at = at
            if then != NEVER:
                self.sequence += 1
                now, _, warp = heappushpop(events, (then, self.sequence, warp))
            elif events:
                now, _, warp = heappop(events)
            else:
                return self.ended / TICKS

    def _push(self, warp: Warp, at: int) -> None:
        self.sequence += 1
        heappush(self.events, (at, self.sequence, warp))

    def _meets(self, warp: Warp, now: int) -> bool:
        """Let a warp arrive at a barrier; true if it is the last one, with which all others go on."""
        met = self.waiting[warp.place]
        if len(met) + 1 < self.running[warp.place]:
            met.append(warp)
            return False
        for each in met:
            self._push(each, now + MEETING * TICKS)
        met.clear()
        return True

    def _leap(self, warp: Warp, now: int) -> int:
        """Pass as many periods as possible, if the state at hand was met before; the time then. A period is some turns
        of all outermost loops; `warp` is about to begin one."""
        if not self.leaps:
            return now
        turns_seen = self.turns_seen
        mine, delta = warp.turns[0][1], now - self.turned
        self.turned = now
        if delta not in self.deltas:  # what took another time than all turns before is in no state that was met
            self.deltas.add(delta)
            return now
        if len(turns_seen) > REMEMBERED:
            return now
        warps = self._all(warp)
        state = (self._state(warps, now, mine), self.program.phase(warp.turns[0]))
        then, turns = turns_seen.setdefault(state, (now, mine))
        if turns == mine:
            return now
        periods = min(self.program.periods(each.turns[0], mine - turns) for each in warps if each.turns)
        if periods:
            self._shift(periods * (now - then), periods * (mine - turns), warps)
            turns_seen.clear()
            self.turned += periods * (now - then)
        else:
            turns_seen[state] = now, mine
        return now + periods * (now - then)

    def _all(self, warp: Warp) -> list[Warp]:
        return [warp, *(each for _, _, each in self.events), *(each for met in self.waiting for each in met)]

    def _state(self, warps: Sequence[Warp], now: int, mine: int) -> object:
        """All that the times to come depend on, relative to now and, of outermost loops, to the first warp's turn."""
        events = tuple([(at - now, warp.relative(now, mine)) for at, _, warp in sorted(self.events, key=_order)])
        met = tuple([tuple([warp.relative(now, mine) for warp in met]) for met in self.waiting])
        units = tuple([max(0, each - now) for each in self.free])
        return warps[0].relative(now, mine), events, met, units

    def _shift(self, passed: int, turns: int, warps: Sequence[Warp]) -> None:
        self.free[:] = [each + passed for each in self.free]
        self.events[:] = [(at + passed, sequence, warp) for at, sequence, warp in self.events]
        for warp in warps:
            warp.shift(passed, turns)


def _order(event: tuple[int, int, Warp]) -> tuple[int, int]:
    return event[0], event[1]

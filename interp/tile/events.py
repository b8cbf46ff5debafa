"""Event simulation of thread blocks on one multiprocessor: warps wait for shared memory, matrix units, copies, and each
other.

Shared memory and the first-level cache serve requests serially, and the matrix units of each partition serve warps
serially. Data from global memory arrives one latency after its request, and at most at the rate of the port to the
last-level cache; interp/tile/traffic.py counts the traffic of the whole grid. All blocks start together. Among warps
that can continue at the same time, the one that has waited longest continues first.

Times are integers (ticks), so that the timing state of a loop becomes exactly periodic. Whenever the first warp of the
first block begins an iteration of its outermost loop, the state is looked up among earlier states; if it occurred
before, as many periods are skipped at once as all warps have iterations left.
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
from xdsl.ir.affine import AffineExpr

from dialects.programs.index import period_of, repeats, value_of, variables_in
from interp.kinds.gpu.multiprocessor import PARTITIONS, PORT_BYTES, SHARED_BYTES
from interp.tile.work import Loop, Step, Steps, When

TICKS = 16
"""Ticks in a cycle."""
MEETING = 30
"""Cycles from the arrival of the last warp at a barrier until all warps continue (Jia et al., arXiv 1804.06826 and
1903.07486, report some 20 to 40 for bar.sync of a few warps)."""
READ = 30
"""Cycles from the end of a request until its fragments are available (NVIDIA Ampere: shared-memory latency 23 to 33
cycles, arXiv 2208.11174).
"""
MAX_STATES = 4096
"""Maximum number of states that are kept to find a period."""
MAX_UNROLLED = 512
"""Maximum number of steps that an inner loop may have, over all its iterations, to be unrolled."""
MAX_UNROLLED_OUTER = 6
"""Maximum number of iterations that an outermost loop may have to be unrolled; a period would not be found in so few
iterations."""
MAX_TABULATED = 1 << 20
"""Maximum number of iterations that a loop may have for its conditions to be tabulated."""
HORIZON = 512
"""The state used to find periods contains, for each condition, the distance in iterations to the next iteration in
which the condition holds; distances above HORIZON are replaced by HORIZON."""
MAX_DEPTH = 64
"""Maximum number of nested loops around a condition."""
NEVER = -1
"""The time at which a warp continues if it has ended, or waits for another warp to wake it."""


@dataclass(frozen=True)
class Rates:
    """Rates and latencies of the memory that a multiprocessor accesses. `latency`: cycles from a load to the arrival of
    its data. `store`: cycles for each line that the multiprocessor writes. `port`: bytes per cycle that it receives
    from the last-level cache. `first`: latency of DRAM in cycles, used for the loads to registers of `mma threads`:
    all blocks request the same row at about the same time, and so all wait for the first of these requests."""

    latency: float
    store: float = 1.0
    port: float = PORT_BYTES
    first: float = 0.0


class Item(NamedTuple):
    """One item of a warp's program: its kind (SHARED, LOAD, …), and up to three numbers whose meaning depends on the
    kind (most are ticks)."""

    kind: int
    first: int = 0
    second: int = 0
    third: int = 0


SHARED, LOAD, MULTIPLY, PREFETCH, NEXT, BARRIER, WAIT, COMMIT, LANES, FETCH, BRING, STAGE, STORE, LOOP, WHEN, END = (
    range(16)
)
"""The kinds of items of a warp's program."""
Known: TypeAlias = "tuple[int | None, ...]"
"""For each enclosing loop, outermost first: the value of its variable if the loop is unrolled, else None."""


@dataclass(frozen=True)
class Nest:
    """A loop, or a perfect nest of loops, that is simulated as one loop. `iterations`: number of iterations of the
    innermost body. `loops`, outermost first: for each loop the start of its variable, the number of iterations of
    the innermost body in which its variable keeps one value, and its trip count."""

    iterations: int
    loops: tuple[tuple[int, int, int], ...]

    @staticmethod
    def of(loop: Loop) -> tuple[Nest, Steps]:
        """Return the nest that begins with a loop, and the body of its innermost loop."""
        around = [loop]
        while len(body := around[-1].body) == 1 and isinstance(body[0], Loop):
            around.append(body[0])
        loops = [
            (each.start, prod(inner.iterations for inner in around[depth + 1 :]), each.iterations)
            for depth, each in enumerate(around)
        ]
        return Nest(prod(each.iterations for each in around), tuple(loops)), body

    def values(self, done: int) -> tuple[int, ...]:
        """Return the values of the nest's variables after `done` iterations of the innermost body."""
        return tuple(start + done // every % count for start, every, count in self.loops)

    def period(self, expression: AffineExpr, depth: int) -> int:
        """Return a number of iterations of the innermost body after which an expression of loop variables repeats: all
        of the nest's, if it may not repeat before. The nest's variables have the positions from `depth` on among all
        variables of the expression."""
        if not repeats(expression, range(depth, depth + len(self.loops))):
            return self.iterations
        found, step = 1, period_of(expression)
        for place, (_, every, count) in enumerate(self.loops):
            if depth + place in variables_in(expression):
                found = lcm(found, every * (step if place == 0 or count % step == 0 else count))
        return found


class Program:
    """The steps of a warp as a list of items, with durations in ticks; loops are jumps to earlier items. `_add_step`
    computes the durations for each kind of step, and the loop in `BlocksOnUnit.run` executes the items.

    Consecutive requests of one kind are merged; short inner loops are unrolled, and perfect nests of loops become one
    loop.
    """

    def __init__(self, steps: Steps, rates: Rates) -> None:
        self.items = list[Item]()
        self.conditions: dict[int, AffineExpr] = {}
        """Condition of each item WHEN: what follows it runs where the expression is 0."""
        self.nests: dict[int, tuple[int, Nest]] = {}
        """For each item LOOP: the number of loops around its nest, and the nest."""
        self.outer = 0
        """Item LOOP of the outermost loop that is being translated and is not unrolled."""
        self.tables: dict[int, bytes] = {}
        """For each item WHEN whose condition depends only on the outermost loop: one byte per iteration, 1 where the
        condition holds.
        """
        self.tables_in: dict[int, list[_Table]] = {}
        """The same tables by the item LOOP of the outermost loop."""
        self.period = 1
        """Number of iterations of the outermost loop after which all other conditions repeat."""
        self.latency = round(rates.latency * TICKS)
        self.first = round(max(rates.latency, rates.first) * TICKS)
        self.store, self.port = rates.store, rates.port
        flat = list(_flat(steps))
        self.ahead = max((step.ahead for step in flat), default=0)
        self.pending = max((int(step.amount) for step in flat if step.kind == "wait"), default=0)
        self.joined = 0
        """Items before this position are not merged with later ones, because a jump leads here."""
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
                if loads is not None:  # the warp waits for the later arrival
                    self._append(loads)
            case "multiply":
                # The product starts with the first part of the fragments, and ends at least one part after the last has
                # arrived.
                self._append(Item(MULTIPLY, ticks, round(ticks * (1 - 1 / step.parts)), -1 - step.ahead))
            case "lanes":
                self._append(Item(LANES, ticks))
            case "prefetch":
                self._join(Item(PREFETCH, round(step.parts * TICKS), round(amount / self.port * TICKS)))
            case "fetch":
                # The cache looks up lines and delivers them to registers; the warp then writes them to shared memory.
                moved = round(amount / SHARED_BYTES * TICKS)
                self._join(Item(FETCH, round(step.parts * TICKS), round(amount / self.port * TICKS), moved))
            case "bring":
                moved = round(step.stored * TICKS)
                self._join(Item(BRING, round(step.parts * TICKS), round(amount / self.port * TICKS), moved))
            case "load":
                requested, delivered = round(step.parts * TICKS), round(amount / self.port * TICKS)
                self._join(Item(LOAD, requested, delivered), self.ahead == 0)
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
        """Add the items by which the warp writes all data that it has loaded to shared memory."""
        if self.items and self.items[-1].kind in (FETCH, BRING):
            # A following barrier makes this data visible one latency later; requests of `mma threads` already contain
            # that time.
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
        if (
            nest.iterations * len(list(_flat(body))) <= MAX_UNROLLED
            if inside
            else nest.iterations <= MAX_UNROLLED_OUTER
        ):
            for done in range(nest.iterations):
                self._add(body, (*known, *nest.values(done)), inside)
            return
        self._append(Item(LOOP))
        begin = len(self.items) - 1
        self.nests[begin] = len(known), nest
        if not inside:
            self.outer = begin
        self.joined = len(self.items)
        self._add(body, (*known, *[None] * len(nest.loops)), True)
        self._append(Item(NEXT, begin, nest.iterations))

    def _add_when(self, when: When, known: Known) -> None:
        values = [
            AffineExpr.dimension(at) if value is None else AffineExpr.constant(value) for at, value in enumerate(known)
        ]
        expression = when.zero.replace_dims_and_symbols(values, ())
        if not variables_in(expression):
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
        """Attach the condition `expression` = 0 to an item WHEN."""
        self.conditions[begin] = expression
        depth, nest = self.nests[self.outer]
        if variables_in(expression) <= {*range(depth, depth + len(nest.loops))} and nest.iterations <= MAX_TABULATED:
            iterations = np.arange(nest.iterations)
            values = [iterations] * depth + [start + iterations // every % count for start, every, count in nest.loops]
            done = np.asarray(value_of(expression, values)) == 0
            self.tables[begin] = done.tobytes()
            self.tables_in.setdefault(self.outer, []).append(_Table.of(done))
        else:
            self.period = lcm(self.period, nest.period(expression, depth))

    def phase(self, iterations: Sequence[int]) -> object:
        """Return the part of the state that determines the next conditions of a warp; `iterations`: position where the
        warp's outermost loop begins, and the iterations of that loop that it has done."""
        begin, done = iterations
        coming = (min(int(each.following[done]) - done, HORIZON) for each in self.tables_in.get(begin, ()))
        return done % self.period, *coming

    def periods(self, iterations: Sequence[int], period: int) -> int:
        """Return the number of periods, each of `period` iterations of its outermost loop, that a warp can skip because
        all conditions in them are the same as in the preceding period. `iterations`: as for `phase`."""
        begin, done = iterations
        alike = (self.nests[begin][1].iterations - done - 1) // period
        for table in self.tables_in.get(begin, ()):
            other = np.flatnonzero(table.done[done:] != table.done[done - period : len(table.done) - period])
            if len(other):
                alike = min(alike, (int(other[0]) - 1) // period)
        return max(0, alike)

    def done(self, begin: int, iterations: Sequence[Sequence[int]]) -> bool:
        """Return True if the condition of the item WHEN at position `begin` is met. `iterations`: for each enclosing
        loop, the position of its begin and the iterations done."""
        if begin in self.tables:
            return bool(self.tables[begin][iterations[0][1]])
        values = [0] * MAX_DEPTH
        for at, done in iterations:
            depth, nest = self.nests[at]
            values[depth : depth + len(nest.loops)] = nest.values(done)
        return value_of(self.conditions[begin], values) == 0


@dataclass(frozen=True)
class _Table:
    """A condition, tabulated over the iterations of a loop. `done`: for each iteration, True if the condition holds;
    `following`: for each iteration, the first iteration not before it in which the condition holds (the number of
    iterations if there is none)."""

    done: NDArray[np.bool_]
    following: NDArray[np.int64]

    @staticmethod
    def of(done: NDArray[np.bool_]) -> _Table:
        iterations = np.where(done, np.arange(len(done)), len(done))
        return _Table(done, np.minimum.accumulate(iterations[::-1])[::-1])


def _flat(steps: Steps) -> Iterator[Step]:
    for step in steps:
        if isinstance(step, Step):
            yield step
        else:
            yield from _flat(step.body)


@dataclass(eq=False, slots=True)
class Warp:
    """A warp of a block: its position in the program, the iterations that its loops have done, and the events that it
    waits for. Times are in ticks.

    `unit`: number of its partition, from 1; the warps of all blocks are assigned to partitions round-robin. `counters`:
    for each enclosing loop, the position of its begin and the iterations done. `arrivals`: times at which the fragments
    of its latest requests are available. `open`: time at which the data of all copies since its last commit has
    arrived, 0 if there is no copy since. `groups`: for each of its latest groups of copies, the time at which the data
    of the group and of all earlier groups has arrived.
    """

    place: int
    number: int
    unit: int
    arrivals: deque[int]
    groups: deque[int]
    at: int = 0
    iterations: list[list[int]] = field(default_factory=list[list[int]])
    open: int = 0

    def relative(self, now: int, current: int) -> object:
        """Return the state on which the warp's future times depend, relative to time `now` and to iteration `current`
        of the outermost loop."""
        iterations = tuple(
            (at, done - current if index == 0 else done) for index, (at, done) in enumerate(self.iterations)
        )
        arrivals = tuple([max(0, at - now) for at in self.arrivals])
        groups = tuple([max(0, at - now) for at in self.groups])
        return self.place, self.number, self.at, iterations, arrivals, max(0, self.open - now), groups

    def shift(self, passed: int, iterations: int) -> None:
        """Add `passed` ticks to the warp's times and `iterations` to its count of the outermost loop."""
        for index, at in enumerate(self.arrivals):
            self.arrivals[index] = at + passed
        for index, at in enumerate(self.groups):
            self.groups[index] = at + passed
        self.open += passed if self.open else 0
        if self.iterations:
            self.iterations[0][1] += iterations


class BlocksOnUnit:
    """Simulation of blocks that start together on one multiprocessor."""

    def __init__(self, steps: Steps, warps: int, blocks: int, rates: Rates, skipping: bool = True) -> None:
        """Create the simulation; `skipping`: skip periods at once instead of simulating each of them."""
        self.skipping = skipping
        self.program = Program(steps, rates)
        self.free = [0] * (3 + PARTITIONS)
        """Times at which shared memory, the matrix units of each partition, the port and the store path become free."""
        self.sequence = 0
        self.waiting: list[list[Warp]] = [[] for _ in range(blocks)]
        self.running = [warps] * blocks
        self.ended = 0
        self.states_seen: dict[object, tuple[int, int]] = {}
        """Time, and iterations done, of each state met at the begin of an iteration."""
        self.last_begin = 0
        """Time at which the first warp began its latest iteration."""
        self.deltas: set[int] = set()
        """Durations of the first warp's iterations."""
        self.events: list[tuple[int, int, Warp]] = []
        ahead, pending = self.program.ahead, self.program.pending
        for place in range(blocks):
            for number in range(warps):
                arrivals, groups = deque([0] * (ahead + 1), ahead + 1), deque([0] * (pending + 1), pending + 1)
                unit = 1 + (place * warps + number) % PARTITIONS
                self._push(Warp(place, number, unit, arrivals, groups), 0)
        self.first = self.events[0][2]
        """First warp of the first block."""

    def run(self) -> float:
        """Run the simulation; return the cycles until the last block has ended."""
        program, events, free, shared, read = self.program, self.events, self.free, 0, READ * TICKS
        items, latency, late = program.items, program.latency, program.first
        port, store_path = PARTITIONS + 1, PARTITIONS + 2
        now, _, warp = heappop(events)
        while True:
            # Execute items of one warp until it waits until time `then`, or for other warps.
            at, then = warp.at, NEVER
            while True:
                kind, first, second, third = items[at]
                at += 1
                if kind == SHARED:
                    shared = (shared if shared > now else now) + first
                    warp.arrivals.append(shared + read)
                elif kind == LOAD:
                    shared = (shared if shared > now else now) + first
                    free[port] = max(free[port], shared + late) + second
                    warp.arrivals.append(max(free[port], warp.arrivals[-1]))
                elif kind == MULTIPLY:
                    unit = warp.unit
                    free[unit] = then = max(now, warp.arrivals[third] - second, free[unit]) + first
                    break
                elif kind == PREFETCH:
                    shared = (shared if shared > now else now) + first
                    free[port] = warp.open = max(free[port], now + first + latency) + second
                elif kind == NEXT:
                    iteration = warp.iterations[-1]
                    iteration[1] += 1
                    if iteration[1] == second:
                        warp.iterations.pop()
                        continue
                    at = first + 1
                    if warp is self.first and len(warp.iterations) == 1:
                        warp.at, free[0] = at, shared
                        now, shared = self._skip_periods(warp, now), free[0]
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
                    then = max(now, warp.arrivals[-1]) + first
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
                    free[store_path] = then = max(free[store_path], shared) + second
                    break
                elif kind == LOOP:
                    warp.iterations.append([at - 1, 0])
                elif kind == WHEN:
                    at = at if program.done(first, warp.iterations) else second
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
        """Record that a warp has arrived at its block's barrier; return True if it is the last warp of the block, whose
        arrival lets all other warps of the block continue."""
        met = self.waiting[warp.place]
        if len(met) + 1 < self.running[warp.place]:
            met.append(warp)
            return False
        for each in met:
            self._push(each, now + MEETING * TICKS)
        met.clear()
        return True

    def _skip_periods(self, warp: Warp, now: int) -> int:
        """Skip as many periods as possible if the current state occurred before; return the time after them. A period
        is a fixed number of iterations of each warp's outermost loop; `warp` is about to begin an iteration."""
        if not self.skipping:
            return now
        states_seen = self.states_seen
        current, delta = warp.iterations[0][1], now - self.last_begin
        self.last_begin = now
        if delta not in self.deltas:  # an iteration of a new duration can't end in a known state
            self.deltas.add(delta)
            return now
        if len(states_seen) > MAX_STATES:
            return now
        warps = self._all(warp)
        state = (self._state(warps, now, current), self.program.phase(warp.iterations[0]))
        then, iterations = states_seen.setdefault(state, (now, current))
        if iterations == current:
            return now
        periods = min(
            self.program.periods(each.iterations[0], current - iterations) for each in warps if each.iterations
        )
        if periods:
            self._shift(periods * (now - then), periods * (current - iterations), warps)
            states_seen.clear()
            self.last_begin += periods * (now - then)
        else:
            states_seen[state] = now, current
        return now + periods * (now - then)

    def _all(self, warp: Warp) -> list[Warp]:
        return [warp, *(each for _, _, each in self.events), *(each for met in self.waiting for each in met)]

    def _state(self, warps: Sequence[Warp], now: int, current: int) -> object:
        """Return the state on which all future times depend, relative to time `now` and to the first warp's iteration
        of its outermost loop."""
        events = tuple([(at - now, warp.relative(now, current)) for at, _, warp in sorted(self.events, key=_order)])
        met = tuple([tuple([warp.relative(now, current) for warp in met]) for met in self.waiting])
        units = tuple([max(0, each - now) for each in self.free])
        return warps[0].relative(now, current), events, met, units

    def _shift(self, passed: int, iterations: int, warps: Sequence[Warp]) -> None:
        self.free[:] = [each + passed for each in self.free]
        self.events[:] = [(at + passed, sequence, warp) for at, sequence, warp in self.events]
        for warp in warps:
            warp.shift(passed, iterations)


def _order(event: tuple[int, int, Warp]) -> tuple[int, int]:
    return event[0], event[1]

"""Exact modulo schedules of the loop of a matrix product on a multiprocessor, by CP-SAT of OR-tools.

A modulo schedule (Rau, MICRO 1994) begins a turn of the loop every `interval` ticks and does the same in each turn, so
that turns overlap. What one turn of all warps does is a graph: copies to shared memory, reads of fragments, products,
and the two moments at which a block's warps meet, when a tile is there and when nobody needs it any more. An edge from
`u` to `v` with a delay and a distance says: `v` begins no earlier than the delay behind `u` of so many turns before.
Shared memory, the port that copies come by, and the matrix units of a partition serve one op at a time.

Which op goes first is free here; on the clock warps go on in the order of their program and of their requests. So the
clock never needs less than the shortest interval, and where it needs no more, no order of the ops would be faster.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil

from interp.machine.multiprocessor import PARTITIONS
from interp.tile.events import MEETING, PORT_BYTES, READ, TICKS, Rates
from interp.tile.work import Loop, Step, Steps
from lowering.limits import LIMITS


@dataclass(frozen=True)
class Turn:
    """One turn of a warp, in ticks: what its copies to shared memory take of that for their lines, and of the port that
    brings them; for each fragment what its reads take, its product, and the part of that which may be over before the
    fragment is there; `latency`: from when lines are asked for until the port may bring them."""

    lines: int
    port: int
    fragments: tuple[tuple[int, int, int], ...]
    latency: int

    @staticmethod
    def of(steps: Steps, rates: Rates) -> Turn | None:
        """The turn of the one loop of an unpipelined kernel with asynchronous copies; None for other kernels."""
        loops = [each for each in steps if isinstance(each, Loop)]
        if len(loops) != 1:
            return None
        lines, port, fragments, reads = 0, 0, list[tuple[int, int, int]](), 0
        for step in _unrolled(loops[0].body):
            match step.kind:
                case "prefetch":
                    lines, port = lines + _ticks(step.parts), port + _ticks(step.amount / PORT_BYTES)
                case "shared":
                    reads += _ticks(step.amount)
                case "multiply":
                    ticks = _ticks(step.amount)
                    fragments.append((reads, ticks, round(ticks * (1 - 1 / step.parts))))
                    reads = 0
                case "commit" | "wait" | "barrier":
                    pass
                case _:
                    return None
        return Turn(lines, port, tuple(fragments), _ticks(rates.latency)) if port and fragments else None


@dataclass(frozen=True)
class Stages:
    """Limits of overlap: `shared` and `register` stages of buffers, and `places` for blocks on a multiprocessor."""

    shared: int
    register: int = 1
    places: int = 1


@dataclass(frozen=True)
class Interval:
    """The shortest interval between turns that was found, and a bound on any, in cycles; and when each op begins, in
    ticks, by warp (number of the block, of the warp) and op of the turn: its copies' lines and their way through the
    port, then the reads and the product of each fragment."""

    cycles: float
    bound: float
    starts: dict[tuple[int, int], list[int]]

    @property
    def exact(self) -> bool:
        """True if no shorter one exists (but for rounding to a tick)."""
        return self.cycles - self.bound <= 1 / TICKS


@dataclass
class _Graph:
    """Ops and edges: of each op its unit (None for none) and how long it keeps it."""

    units: list[str | None] = field(default_factory=list[str | None])
    ticks: list[int] = field(default_factory=list[int])
    edges: list[tuple[int, int, int, int]] = field(default_factory=list[tuple[int, int, int, int]])
    alike: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Ops of warps that could change places: the first may go first."""

    def op(self, unit: str | None = None, ticks: int = 0) -> int:
        self.units.append(unit)
        self.ticks.append(ticks)
        return len(self.units) - 1

    def edge(self, before: int, behind: int, delay: int, distance: int = 0) -> None:
        self.edges.append((before, behind, delay, distance))

    def kept(self) -> dict[str, int]:
        """Ticks that each unit is kept in a turn."""
        found: dict[str, int] = {}
        for unit, ticks in zip(self.units, self.ticks, strict=True):
            if unit is not None:
                found[unit] = found.get(unit, 0) + ticks
        return found


def _graph(iteration: Turn, warps: int, stages: Stages, block: int) -> tuple[_Graph, dict[tuple[int, int], list[int]]]:
    """The graph of a turn of so many warps of all blocks, and the ops of each; `block`: all warps of a block."""
    graph, of_warp = _Graph(), dict[tuple[int, int], list[int]]()
    for place in range(stages.places):
        there, over = graph.op(), graph.op()  # all see the tile; nobody needs it any more
        # Between the two, units serve all warps one after another.
        brought, read = block * iteration.port, block * sum(ticks for ticks, _, _ in iteration.fragments)
        graph.edge(over, there, MEETING * TICKS + iteration.lines + iteration.latency + brought, stages.shared)
        graph.edge(there, over, MEETING * TICKS + read + READ * TICKS)
        for warp in range(warps):
            matrix = f"matrix {(place * warps + warp) % PARTITIONS}"
            copies = [graph.op("shared", iteration.lines), graph.op("port", iteration.port)]
            reads = [graph.op("shared", ticks) for ticks, _, _ in iteration.fragments]
            products = [graph.op(matrix, ticks) for _, ticks, _ in iteration.fragments]
            of_warp[place, warp] = [*copies, *(op for pair in zip(reads, products, strict=True) for op in pair)]
            graph.edge(over, copies[0], MEETING * TICKS, stages.shared)
            graph.edge(over, copies[1], MEETING * TICKS + iteration.lines + iteration.latency, stages.shared)
            graph.edge(copies[1], there, iteration.port)
            if (place, warp - PARTITIONS) in of_warp:
                graph.alike.append((of_warp[place, warp - PARTITIONS][len(copies) + 1], products[0]))
            count = len(reads)
            for number, (ticks, product, early) in enumerate(iteration.fragments):
                graph.edge(there, reads[number], MEETING * TICKS)
                graph.edge(reads[number], products[number], ticks + READ * TICKS - early)
                graph.edge(reads[number], over, ticks + READ * TICKS)
                behind = number + stages.register  # the read that takes this fragment's registers
                graph.edge(products[number], reads[behind % count], product, behind // count)
                graph.edge(products[number], products[(number + 1) % count], product, (number + 1) // count)
                graph.edge(reads[number], reads[(number + 1) % count], ticks, (number + 1) // count)
    return graph, of_warp


def least_interval(
    iteration: Turn, warps: int, stages: Stages, known: float | None = None, effort: float = LIMITS.interval_effort
) -> Interval:
    """The shortest interval between turns, with a bound. `known`: one that a program is known to keep, in cycles;
    `effort`: deterministic seconds of CP-SAT for one interval."""
    graph, of_warp = _graph(iteration, warps, stages, warps)
    one, _ = _graph(iteration, 1, Stages(stages.shared, stages.register), warps)  # each warp has the same edges
    bound = max(*graph.kept().values(), _shortest_cycle(one))
    high, best = bound, _placed(graph, bound)
    most = 2 * (sum(graph.ticks) + bound) if known is None else max(bound, round(known * TICKS))
    while best is None and high < most:
        high = min(ceil(high * 1.1) + 1, most)
        best = _placed(graph, high)
    low = bound  # below it, ops are not placed with ease
    while high - low > high * LIMITS.interval_gap:
        middle = (low + high) // 2
        if (found := _placed(graph, middle)) is None:
            low = middle + 1
        else:
            high, best = middle, found
    for middle in () if len(graph.units) > LIMITS.interval_ops else (bound, (bound + high) // 2):
        if high - bound <= high * LIMITS.interval_gap:
            break
        found = _solved(graph, middle, effort)
        if isinstance(found, list):
            high, best = middle, found
        elif found:
            bound = middle + 1
        else:
            break
    return _interval(high, bound, best or [], of_warp)


def _interval(ticks: int, bound: int, starts: Sequence[int], of_warp: dict[tuple[int, int], list[int]]) -> Interval:
    begun = {warp: [starts[op] for op in ops] for warp, ops in of_warp.items()} if starts else {}
    return Interval(ticks / TICKS, bound / TICKS, begun)


def _shortest_cycle(graph: _Graph) -> int:
    """The least interval that edges alone allow: no cycle of them may be longer than its distance in turns."""
    low, high = 1, 1 + sum(abs(delay) for _, _, delay, _ in graph.edges)
    while low < high:
        middle = (low + high) // 2
        if _times(graph, middle) is None:
            low = middle + 1
        else:
            high = middle
    return low


def _times(graph: _Graph, interval: int) -> list[int] | None:
    """The earliest begins that edges allow at an interval; None if a cycle forbids it (Bellman and Ford)."""
    times = [0] * len(graph.units)
    for _ in range(len(times) + 1):
        changed = False
        for before, behind, delay, distance in graph.edges:
            if (least := times[before] + delay - distance * interval) > times[behind]:
                times[behind], changed = least, True
        if not changed:
            return times
    return None


def _placed(graph: _Graph, interval: int) -> list[int] | None:
    """Begins of all ops at an interval, by iterative modulo scheduling (Rau, MICRO 1994): the op with the longest way
    behind it first, each as early as it can be, and what is in its way is taken out and placed again. None where that
    does not end soon."""
    count = len(graph.units)
    behind: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    ahead: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for before, after, delay, distance in graph.edges:
        behind[before].append((after, delay - distance * interval))
        ahead[after].append((before, delay - distance * interval))
    heights = _times(_Graph(graph.units, graph.ticks, [(v, u, d, n) for u, v, d, n in graph.edges]), interval)
    if heights is None or max(graph.kept().values()) > interval:
        return None
    begins: list[int | None] = [None] * count
    last = [-1] * count
    waiting = [(-heights[op], op) for op in range(count)]
    heapq.heapify(waiting)
    for _ in range(LIMITS.interval_placed * count):
        while waiting and begins[waiting[0][1]] is not None:
            heapq.heappop(waiting)
        if not waiting:
            return [begin for begin in begins if begin is not None]
        _, op = heapq.heappop(waiting)
        known = [(begins[each], wait) for each, wait in ahead[op] if each != op]
        earliest = max([0, *(begin + wait for begin, wait in known if begin is not None)])
        unit, ticks = graph.units[op], graph.ticks[op]
        beside = [
            each for each in range(count) if each != op and graph.units[each] == unit and begins[each] is not None
        ]
        if unit is None or not ticks:
            begin, beside = earliest, []
        else:
            taken = [((begins[each] or 0) % interval, graph.ticks[each]) for each in beside]
            free = _free(taken, earliest, ticks, interval)
            begin = max(earliest, last[op] + 1) if free is None else free
        begins[op] = last[op] = begin
        out = [each for each in beside if _overlap(begin, ticks, begins[each] or 0, graph.ticks[each], interval)]
        out += [each for each, wait in behind[op] if (then := begins[each]) is not None and then < begin + wait]
        out += [each for each, wait in ahead[op] if (then := begins[each]) is not None and begin < then + wait]
        for each in out:
            if each != op:
                begins[each] = None
                heapq.heappush(waiting, (-heights[each], each))
    return None


def _free(taken: Sequence[tuple[int, int]], earliest: int, ticks: int, interval: int) -> int | None:
    """The first begin from `earliest` on, within an interval, at which a unit is free; `taken`: begin within the
    interval and length of what has it."""
    begins = sorted({0, *((begin + length - earliest) % interval for begin, length in taken)})
    for shift in begins:
        if not any(_overlap(earliest + shift, ticks, begin, length, interval) for begin, length in taken):
            return earliest + shift
    return None


def _overlap(one: int, length: int, two: int, other: int, interval: int) -> bool:
    """True if two ops keep a unit at once in some interval."""
    return (two - one) % interval < length or (one - two) % interval < other


def _solved(graph: _Graph, interval: int, effort: float) -> list[int] | bool:
    """Begins of all ops at an interval; else whether there are none, False where that stays open."""
    from ortools.sat.python import cp_model

    earliest = _times(graph, interval)
    if earliest is None or max(graph.kept().values()) > interval:
        return True
    model = cp_model.CpModel()
    iterations = max(earliest) // interval + 3
    begins = [model.new_int_var(0, interval - 1, "") for _ in graph.units]
    whole = [model.new_int_var(0, iterations, "") for _ in graph.units]
    for before, behind, delay, distance in graph.edges:
        model.add(
            begins[behind] + interval * whole[behind] - begins[before] - interval * whole[before]
            >= delay - distance * interval
        )
    for unit in graph.kept():
        ops = [op for op, each in enumerate(graph.units) if each == unit and graph.ticks[op]]
        # An op at the end of an interval goes on at the begin of the next: each stands twice, an interval apart.
        model.add_no_overlap(
            [
                model.new_fixed_size_interval_var(begins[op] + shift, graph.ticks[op], "")
                for op in ops
                for shift in (0, interval)
            ]
        )
    for one, two in graph.alike:
        model.add(begins[one] + interval * whole[one] <= begins[two] + interval * whole[two])
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.max_deterministic_time = effort
    status = solver.solve(model)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return [
            solver.value(begin) + interval * solver.value(iteration)
            for begin, iteration in zip(begins, whole, strict=True)
        ]
    return status == cp_model.INFEASIBLE


def _unrolled(steps: Steps) -> Iterable[Step]:
    """The steps of all turns of inner loops."""
    for step in steps:
        match step:
            case Step():
                yield step
            case Loop():
                for _ in range(step.iterations):
                    yield from _unrolled(step.body)
            case _:
                yield from _unrolled(step.body)


def _ticks(cycles: float) -> int:
    return round(cycles * TICKS)

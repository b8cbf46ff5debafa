"""Exact modulo schedules of the loop of a matrix product on a multiprocessor, by CP-SAT of OR-tools.

A modulo schedule (Rau, MICRO 1994) starts an iteration of the loop every `interval` ticks and repeats the same order in
each, so that iterations overlap. One iteration of all warps is a graph of copies to shared memory, reads of fragments,
products, and two barriers of each block: a tile has arrived, and all warps have finished reading it. An edge from `u`
to `v` with a delay and a distance n means: in each iteration, `v` starts no earlier than the delay after the start of
`u` in the n-th iteration before. Shared memory, the port that copies use, and the matrix units of a partition serve one
op at a time.

The order of ops is free here; in the event simulation, warps proceed in the order of their program and requests. The
simulation thus never takes less than the shortest interval, and where it takes no more, no other order of the ops would
be faster.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil

from interp.kinds.gpu.multiprocessor import PARTITIONS
from interp.tile.events import MEETING, PORT_BYTES, READ, TICKS, Rates
from interp.tile.work import Loop, Step, Steps
from lowering.limits import LIMITS

SEARCHED_OPS = 64
"""Ops of a loop's body: larger loops are scheduled heuristically and bounded, not searched exactly."""
PLACINGS = 8
"""Times that each op of a loop's body is placed, on average, before the search at one initiation interval stops."""
NEAR = 2e-3
"""Fraction above its lower bound at which a loop's shortest initiation interval so far is good enough."""


@dataclass(frozen=True)
class Iteration:
    """One iteration of a warp, in ticks. `lines`: time for which its copies occupy shared memory; `port`: time for
    which its copies occupy the port; `fragments`: for each fragment, the time of its reads, the time of its product,
    and the part of the product's time that may precede the fragment's arrival; `latency`: time from the request of
    lines until the port may deliver them."""

    lines: int
    port: int
    fragments: tuple[tuple[int, int, int], ...]
    latency: int

    @staticmethod
    def of(steps: Steps, rates: Rates) -> Iteration | None:
        """Return the iteration of the only loop of an unpipelined kernel with asynchronous copies; None for other
        kernels.
        """
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
        return Iteration(lines, port, tuple(fragments), _ticks(rates.latency)) if port and fragments else None


@dataclass(frozen=True)
class Stages:
    """Limits of overlap: the stages of buffers in `shared` memory and in `register`s, and the number of thread blocks
    on a multiprocessor (`places`)."""

    shared: int
    register: int = 1
    places: int = 1


@dataclass(frozen=True)
class Interval:
    """The shortest interval between iterations that was found, and a lower bound on the shortest possible interval, in
    cycles. `starts`: the start times of ops in ticks, by (block, warp): first of the lines of the warp's copies and
    of their transfer through the port, then of the reads and the product of each fragment."""

    cycles: float
    bound: float
    starts: dict[tuple[int, int], list[int]]

    @property
    def exact(self) -> bool:
        """True if no shorter interval exists, apart from rounding to a tick."""
        return self.cycles - self.bound <= 1 / TICKS


@dataclass
class _Graph:
    """Ops and edges of an iteration; for each op, the unit that it occupies (None for none), and for how many ticks it
    occupies that unit."""

    units: list[str | None] = field(default_factory=list[str | None])
    ticks: list[int] = field(default_factory=list[int])
    edges: list[tuple[int, int, int, int]] = field(default_factory=list[tuple[int, int, int, int]])
    interchangeable: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Pairs of ops of interchangeable warps; the first op of a pair is placed first."""

    def op(self, unit: str | None = None, ticks: int = 0) -> int:
        self.units.append(unit)
        self.ticks.append(ticks)
        return len(self.units) - 1

    def edge(self, before: int, behind: int, delay: int, distance: int = 0) -> None:
        self.edges.append((before, behind, delay, distance))

    def kept(self) -> dict[str, int]:
        """Return the ticks for which each unit is occupied in an iteration."""
        found: dict[str, int] = {}
        for unit, ticks in zip(self.units, self.ticks, strict=True):
            if unit is not None:
                found[unit] = found.get(unit, 0) + ticks
        return found


def _graph(
    iteration: Iteration, warps: int, stages: Stages, block: int
) -> tuple[_Graph, dict[tuple[int, int], list[int]]]:
    """Return the graph of an iteration of `warps` warps, and the ops of each warp, by (block, warp); `block`: number of
    warps of a thread block."""
    graph, of_warp = _Graph(), dict[tuple[int, int], list[int]]()
    for place in range(stages.places):
        arrived, finished = graph.op(), graph.op()  # all warps see the tile; all have finished reading it
        # Between these two, each unit serves all warps serially.
        transfer, read = block * iteration.port, block * sum(ticks for ticks, _, _ in iteration.fragments)
        graph.edge(finished, arrived, MEETING * TICKS + iteration.lines + iteration.latency + transfer, stages.shared)
        graph.edge(arrived, finished, MEETING * TICKS + read + READ * TICKS)
        for warp in range(warps):
            matrix = f"matrix {(place * warps + warp) % PARTITIONS}"
            copies = [graph.op("shared", iteration.lines), graph.op("port", iteration.port)]
            reads = [graph.op("shared", ticks) for ticks, _, _ in iteration.fragments]
            products = [graph.op(matrix, ticks) for _, ticks, _ in iteration.fragments]
            of_warp[place, warp] = [*copies, *(op for pair in zip(reads, products, strict=True) for op in pair)]
            graph.edge(finished, copies[0], MEETING * TICKS, stages.shared)
            graph.edge(finished, copies[1], MEETING * TICKS + iteration.lines + iteration.latency, stages.shared)
            graph.edge(copies[1], arrived, iteration.port)
            if (place, warp - PARTITIONS) in of_warp:
                graph.interchangeable.append((of_warp[place, warp - PARTITIONS][len(copies) + 1], products[0]))
            count = len(reads)
            for number, (ticks, product, early) in enumerate(iteration.fragments):
                graph.edge(arrived, reads[number], MEETING * TICKS)
                graph.edge(reads[number], products[number], ticks + READ * TICKS - early)
                graph.edge(reads[number], finished, ticks + READ * TICKS)
                behind = number + stages.register  # the read that reuses this fragment's registers
                graph.edge(products[number], reads[behind % count], product, behind // count)
                graph.edge(products[number], products[(number + 1) % count], product, (number + 1) // count)
                graph.edge(reads[number], reads[(number + 1) % count], ticks, (number + 1) // count)
    return graph, of_warp


def least_interval(
    iteration: Iteration, warps: int, stages: Stages, known: float | None = None, effort: float = LIMITS.interval_effort
) -> Interval:
    """Return the shortest interval between iterations, with a lower bound. `known`: an interval that a program attains,
    in cycles; `effort`: deterministic seconds of CP-SAT for one interval.
    """
    graph, of_warp = _graph(iteration, warps, stages, warps)
    one, _ = _graph(iteration, 1, Stages(stages.shared, stages.register), warps)  # all warps have the same edges
    bound = max(*graph.kept().values(), _shortest_cycle(one))
    high, best = bound, _placed(graph, bound)
    most = 2 * (sum(graph.ticks) + bound) if known is None else max(bound, round(known * TICKS))
    while best is None and high < most:
        high = min(ceil(high * 1.1) + 1, most)
        best = _placed(graph, high)
    low = bound  # below it, the heuristic finds no placement
    while high - low > high * NEAR:
        middle = (low + high) // 2
        if (found := _placed(graph, middle)) is None:
            low = middle + 1
        else:
            high, best = middle, found
    for middle in () if len(graph.units) > SEARCHED_OPS else (bound, (bound + high) // 2):
        if high - bound <= high * NEAR:
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
    """Return the least interval that the edges allow: the sum of delays along each cycle of the graph must be at most
    the sum of distances times the interval."""
    low, high = 1, 1 + sum(abs(delay) for _, _, delay, _ in graph.edges)
    while low < high:
        middle = (low + high) // 2
        if _times(graph, middle) is None:
            low = middle + 1
        else:
            high = middle
    return low


def _times(graph: _Graph, interval: int) -> list[int] | None:
    """Return the earliest start times of all ops that the edges allow at an interval; None if a cycle of edges forbids
    the interval (Bellman-Ford)."""
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
    """Return start times of all ops at an interval, by iterative modulo scheduling (Rau, MICRO 1994): ops are placed in
    the order of their longest path to the end, each as early as possible; conflicting ops are removed and placed
    again. None if this takes too many steps."""
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
    for _ in range(PLACINGS * count):
        while waiting and begins[waiting[0][1]] is not None:
            heapq.heappop(waiting)
        if not waiting:
            return [begin for begin in begins if begin is not None]
        _, op = heapq.heappop(waiting)
        known = [(begins[each], wait) for each, wait in ahead[op] if each != op]
        earliest = max([0, *(begin + wait for begin, wait in known if begin is not None)])
        unit, ticks = graph.units[op], graph.ticks[op]
        rivals = [
            each for each in range(count) if each != op and graph.units[each] == unit and begins[each] is not None
        ]
        if unit is None or not ticks:
            begin, rivals = earliest, []
        else:
            taken = [((begins[each] or 0) % interval, graph.ticks[each]) for each in rivals]
            free = _free(taken, earliest, ticks, interval)
            begin = max(earliest, last[op] + 1) if free is None else free
        begins[op] = last[op] = begin
        out = [each for each in rivals if _overlap(begin, ticks, begins[each] or 0, graph.ticks[each], interval)]
        out += [each for each, wait in behind[op] if (then := begins[each]) is not None and then < begin + wait]
        out += [each for each, wait in ahead[op] if (then := begins[each]) is not None and begin < then + wait]
        for each in out:
            if each != op:
                begins[each] = None
                heapq.heappush(waiting, (-heights[each], each))
    return None


def _free(taken: Sequence[tuple[int, int]], earliest: int, ticks: int, interval: int) -> int | None:
    """Return the first time from which a unit is free for `ticks` ticks, no earlier than `earliest` and less than one
    interval later; None if there is none. `taken`: start time (modulo the interval) and length of each op that
    occupies the unit."""
    begins = sorted({0, *((begin + length - earliest) % interval for begin, length in taken)})
    for shift in begins:
        if not any(_overlap(earliest + shift, ticks, begin, length, interval) for begin, length in taken):
            return earliest + shift
    return None


def _overlap(one: int, length: int, two: int, other: int, interval: int) -> bool:
    """Return True if two ops, with start times `one` and `two` and lengths `length` and `other`, occupy a unit at the
    same time when both repeat every `interval` ticks."""
    return (two - one) % interval < length or (one - two) % interval < other


def _solved(graph: _Graph, interval: int, effort: float) -> list[int] | bool:
    """Return start times of all ops at an interval; True if it is proved that the interval is impossible, False if
    CP-SAT could not decide."""
    from lowering.solve import integer  # imports CP-SAT, which takes longer than most searches

    earliest = _times(graph, interval)
    if earliest is None or max(graph.kept().values()) > interval:
        return True
    model = integer.Model()
    iterations = max(earliest) // interval + 3
    begins = [model.new_int_var(0, interval - 1, "") for _ in graph.units]
    number = [model.new_int_var(0, iterations, "") for _ in graph.units]
    for before, behind, delay, distance in graph.edges:
        model.add(
            begins[behind] + interval * number[behind] - begins[before] - interval * number[before]
            >= delay - distance * interval
        )
    for unit in graph.kept():
        ops = [op for op, each in enumerate(graph.units) if each == unit and graph.ticks[op]]
        # An op at the end of an interval continues at the begin of the next, so each op has two copies, an interval
        # apart.
        model.add_no_overlap(
            [
                model.new_fixed_size_interval_var(begins[op] + shift, graph.ticks[op], "")
                for op in ops
                for shift in (0, interval)
            ]
        )
    for one, two in graph.interchangeable:
        model.add(begins[one] + interval * number[one] <= begins[two] + interval * number[two])
    outcome = integer.solve(model, effort)
    if outcome.found:
        value = outcome.values.value
        return [value(begin) + interval * value(iteration) for begin, iteration in zip(begins, number, strict=True)]
    return outcome.refuted


def _unrolled(steps: Steps) -> Iterable[Step]:
    """Yield the steps of all iterations of inner loops."""
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

"""Construction of a plan of moves from the relaxation's solution; a few variants with different times of prefetches are
simulated, and the best is kept.

The bytes that are evicted to each tier are those of the solution, rounded to pages. Evictions are issued as soon as
their bytes are idle; of several, the bytes with the latest next use are evicted first. Writes ahead of time are issued
when the solution issues them. Prefetches are issued in the order of next uses, separately per tier, each at the first
kernel from which on all kernels have room for it, given the solution's evictions. So no kernel waits for an operand
that could have been prefetched, and no prefetch takes memory that a kernel before its use needs. The variants differ in
the fraction of spare memory that prefetches may take; the plan with the best score is kept. If none of them can be
carried out, since the memory is almost full, all data are moved out after each use and back before the next one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from math import ceil

import numpy as np

from interp.machine.memory_system import MemorySystem
from interp.ranges import outside
from interp.simulate.events.jobs import above
from interp.simulate.memory.engine import Refused, Regime
from interp.simulate.memory.problem import NEVER, KernelTrace, Move, MoveKind
from interp.simulate.memory.replay import STEADY, Run, replay
from lowering.memory.bound import ROUNDED_OFF, Relaxation, needed_bytes, relax
from lowering.memory.intervals import DIRECT, Groups, Mode, overwritten
from lowering.solve.rows import Floats

WINDOWS = (1.0, 0.75, 0.5)
"""Fractions of spare memory that prefetches may take earlier than in the relaxation."""
ENOUGH = 1e-4
"""Relative distance between a plan's score and its bound below which no further variants are tried."""
LATE = -1.0
"""A value of `windows` with which each prefetch waits until the kernel before its use, and so can't block other
prefetches. It is tried for memories that are almost full."""
EACH_USE = -2.0
"""A value of `windows` with which all data are moved out after each use; tried last."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A plan of moves, its simulated run, and the relaxation, which contains the bound on the time of any plan."""

    moves: list[Move]
    regime: Regime
    run: Run
    relaxation: Relaxation

    @property
    def score(self) -> float:
        """Ideal time divided by the time of the last iteration; it is at most `bound`."""
        return self.run.score

    @property
    def bound(self) -> float:
        """The upper bound on the score of any plan."""
        return self.relaxation.bound


def plan(trace: KernelTrace, system: MemorySystem, mode: Mode = "move", windows: Sequence[float] = WINDOWS) -> Plan:
    """The plan with the best score among those tried. Raises InputError if no plan exists: see `relax`; Refused if none
    of those tried can be carried out."""
    return plan_from(relax(trace, system, mode), trace, system, windows)


def plan_from(
    relaxation: Relaxation, trace: KernelTrace, system: MemorySystem, windows: Sequence[float] = WINDOWS
) -> Plan:
    """The plan with the best score among those tried, given the relaxation. Raises Refused if none can be carried
    out."""
    regime = Regime(mode=relaxation.mode)
    best: Plan | None = None
    evictions = list(_evictions(trace, system, relaxation))
    for window in (*windows, LATE, EACH_USE) if evictions else (windows[0], EACH_USE):
        if best is not None and best.run.steady and (window < 0 or best.score > (1 - ENOUGH) * best.bound):
            break
        planned = (
            _at_each_use(trace, system) if window == EACH_USE else _moves(trace, system, relaxation, evictions, window)
        )
        moves = _at_issue_points(trace, planned)
        try:
            found = Plan(moves, regime, replay(trace, system, moves, regime), relaxation)
        except Refused:
            if best is None and window == EACH_USE:
                raise
            continue
        if best is None or (found.run.steady, found.score) > (best.run.steady, best.score):
            best = found
    assert best is not None, "a plan without moves was carried out"
    if (ns := repeated_ns(best.run.spans)) is not None:
        above(ns, relaxation.bound_ns, "any plan of moves", STEADY)
    return best


def repeated_ns(spans: Sequence[float]) -> float | None:
    """The mean time of an iteration in the shortest sequence of iterations with which `spans`, the times of all
    iterations, ends twice in a row; None if there is none. A run that repeats a sequence can go on like this, so that a
    bound on the time of an iteration holds for the mean."""
    for length in range(1, len(spans) // 2 + 1):
        last, before = spans[-length:], spans[-2 * length : -length]
        if all(abs(a - b) <= STEADY * max(a, b) for a, b in zip(before, last, strict=True)):
            return sum(last) / length
    return None


def _at_issue_points(trace: KernelTrace, moves: Iterable[Move]) -> list[Move]:
    """Moves as a program can state them (interp/simulate/program_moves.py). At its start, prefetches are issued when
    all arguments have arrived, and other moves before the first one arrives, or after the argument that is moved; at
    its end, moves are issued before the first result leaves."""
    kernels = trace.kernels
    last = next((n for n in range(len(kernels), 0, -1) if kernels[n - 1].ns or kernels[n - 1].writes), 0)
    first = next((n for n, kernel in enumerate(kernels) if kernel.ns or kernel.reads), 0)
    arrival = {tensor: number for number in range(first) for tensor in kernels[number].writes}

    def at(move: Move) -> int:
        if move.at <= first and move.kind == "prefetch":
            return first
        if move.at <= first:
            return arrival[move.tensor] + 1 if move.tensor in arrival and move.at > arrival[move.tensor] else 0
        return min(move.at, last)

    return sorted((replace(move, at=at(move)) for move in moves), key=lambda move: move.at)


def _at_each_use(trace: KernelTrace, system: MemorySystem) -> list[Move]:
    """Moves of all bytes of each tensor out after each use, and back right before the next one. A tensor always goes to
    the same tier."""
    idle, count = trace.idle, len(trace.kernels)
    rooms = [tier.capacity for tier in system.tiers]
    tiers: dict[int, str] = {}
    timed = list(_discarded(trace))
    for interval in np.flatnonzero(~overwritten(trace)).tolist():
        tensor, after, before = int(idle.tensor[interval]), int(idle.after[interval]), int(idle.before[interval])
        if tensor not in tiers:
            size = trace.tensors[tensor].nbytes
            tier = next((number for number, room in enumerate(rooms) if room >= size), rooms.index(max(rooms)))
            rooms[tier] -= size
            tiers[tensor] = system.tiers[tier].name
        timed.append(((after + 1, 0, -before), Move("evict", tensor, after + 1, tier=tiers[tensor])))
        timed.append(((before % count, 1, 0), Move("prefetch", tensor, before % count)))
    timed.sort(key=lambda each: each[0])
    return [move for _, move in timed]


@dataclass(frozen=True)
class _Eviction:
    """Bytes [first, last) of a group that are evicted to a tier; bytes [`clean`, last) have no copy in that tier before
    the eviction."""

    group: int
    tier: int
    first: int
    last: int
    clean: int
    kept: int
    """The first byte whose copy is not needed by later intervals of the chain."""


def _evictions(trace: KernelTrace, system: MemorySystem, relaxation: Relaxation) -> Iterator[_Eviction]:
    """The evicted ranges of each group, in whole pages, chosen so that a byte of a chain stays in the same tier as long
    as possible.

    The copies in a tier form a contiguous range of the group's bytes: first copies kept from earlier intervals, then
    copies made in this interval. The last bytes of this range are evicted.
    """
    groups, page = relaxation.groups, system.page
    held = relaxation.carried + relaxation.dirty
    evicted = relaxation.clean + relaxation.dirty
    slots = _slots(groups, held)
    for group in range(len(groups)):
        size, following = int(groups.nbytes[group]), int(groups.following[group])
        start, taken = 0, list[_Eviction]()
        lost = [0] * len(system.tiers)
        for tier in range(len(system.tiers)):
            slot, wanted = _up(slots[tier, group], page), _up(evicted[tier, group], page)
            base, start = max(0, min(start, size - slot)), start + slot
            carried = _up(relaxation.carried[tier, group], page)
            kept = _up(relaxation.carried[tier, following], page) if following != NEVER else 0
            last = min(base + _up(held[tier, group], page), size)
            for first, end in outside(max(base, last - wanted), last, _ranges(taken)):
                clean = min(max(base + carried, first), end)
                taken.append(_Eviction(group, tier, first, end, clean, min(max(base + kept, first), end)))
                wanted -= end - first
            lost[tier] = wanted
        for tier, wanted in enumerate(lost):
            for first, end in outside(0, size, _ranges(taken)):
                if wanted > 0:
                    end = min(end, first + wanted)
                    taken.append(_Eviction(group, tier, first, end, first, first))
                    wanted -= end - first
        yield from taken


def _ranges(taken: Sequence[_Eviction]) -> list[tuple[int, int]]:
    return [(eviction.first, eviction.last) for eviction in taken]


def _up(nbytes: float, page: int) -> int:
    """Bytes rounded up to whole pages; a fraction of a page below ROUNDED_OFF is ignored."""
    return ceil(nbytes / page - ROUNDED_OFF) * page


def _slots(groups: Groups, held: Floats) -> Floats:
    """For each tier and each group, the bytes to reserve in the tier: the largest number of bytes that any group of the
    same chain has there (`held`)."""
    slots = held.copy()
    for group in range(len(groups)):
        following = int(groups.following[group])
        if following > group:
            slots[:, following] = np.maximum(slots[:, following], slots[:, group])
    for group in reversed(range(len(groups))):
        following = int(groups.following[group])
        if following > group:
            slots[:, group] = slots[:, following]
    return slots


def _moves(
    trace: KernelTrace, system: MemorySystem, relaxation: Relaxation, evictions: Sequence[_Eviction], window: float
) -> list[Move]:
    """All moves of the plan, in the order of their issue."""
    timed = list(_discarded(trace)) if trace.peak_live > system.capacity else []
    gates = _gates(trace, system, relaxation, window)
    for eviction in evictions:
        after, before = int(relaxation.groups.after[eviction.group]), int(relaxation.groups.before[eviction.group])
        for move in _of_tensors(
            trace, relaxation.groups, eviction, "evict", after + 1, eviction.first, eviction.last, system
        ):
            timed.append(((after + 1, 0, -before, eviction.tier), move))
    if relaxation.mode == "copy":
        timed.extend(_unneeded_copies(trace, system, relaxation.groups, evictions))
    for tier in range(len(system.tiers)):
        mine = [eviction for eviction in evictions if eviction.tier == tier]
        for key, move in _written(trace, system, relaxation, mine, tier):
            timed.append((key, move))
        for key, move in _prefetched(trace, system, relaxation, mine, tier, gates[tier]):
            timed.append((key, move))
    timed.sort(key=lambda each: each[0])
    return [move for _, move in timed]


def _discarded(trace: KernelTrace) -> Iterator[tuple[tuple[float, ...], Move]]:
    """Discards of contents that are overwritten before any kernel reads them."""
    dead, idle = overwritten(trace), trace.idle
    for tensor, after in zip(idle.tensor[dead].tolist(), idle.after[dead].tolist(), strict=True):
        yield (after + 1, 0, 0, 0), Move("discard", tensor, after + 1)


def _of_tensors(
    trace: KernelTrace,
    groups: Groups,
    eviction: _Eviction,
    kind: MoveKind,
    at: int,
    first: int,
    last: int,
    system: MemorySystem,
) -> Iterator[Move]:
    """The moves of tensors that cover bytes [first, last) of a group."""
    start = 0
    tier = system.tiers[eviction.tier].name if kind != "prefetch" else ""
    for tensor in groups.members[eviction.group]:
        size = trace.tensors[tensor].nbytes
        low, high = max(first - start, 0), min(last - start, size)
        if low < high:
            yield Move(kind, tensor, at, low, None if high == size else high, tier)
        start += size


def _written(
    trace: KernelTrace, system: MemorySystem, relaxation: Relaxation, evictions: Sequence[_Eviction], tier: int
) -> Iterator[tuple[tuple[float, ...], Move]]:
    """Copies written ahead of time, at the kernels at which the relaxation writes bytes of their stream. Of the bytes
    that can be written at a kernel, those that will be dropped first are written first."""
    groups = relaxation.groups
    for stream, flows in relaxation.written.items():
        mine = [
            eviction
            for eviction in evictions
            if groups.stream[eviction.group] == stream and eviction.clean < eviction.last
        ]
        if stream == DIRECT or not mine:
            continue
        for place, first, last, at in _earliest_first(groups, mine, flows[tier], system.page):
            for move in _of_tensors(trace, groups, mine[place], "write_back", at, first, last, system):
                yield (at, 0, -int(groups.before[mine[place].group]), tier), move


def _unneeded_copies(
    trace: KernelTrace, system: MemorySystem, groups: Groups, evictions: Sequence[_Eviction]
) -> Iterator[tuple[tuple[float, ...], Move]]:
    """Discards of copies that are not needed any more, in tiers that could become full. Copies of dead or overwritten
    contents are discarded automatically."""
    held = np.bincount(
        [eviction.tier for eviction in evictions], [eviction.last for eviction in evictions], len(system.tiers)
    )
    for eviction in evictions:
        before = int(groups.before[eviction.group]) % groups.kernels
        if eviction.kept == eviction.last or held[eviction.tier] < system.tiers[eviction.tier].capacity:
            continue
        for move in _of_tensors(trace, groups, eviction, "discard", before + 1, eviction.kept, eviction.last, system):
            ends = int(trace.last[move.tensor]) == before and not trace.tensors[move.tensor].persistent
            if not ends and move.tensor not in trace.kernels[before].writes:
                yield (before + 1, 2, 0, eviction.tier), move


def _earliest_first(
    groups: Groups, evictions: Sequence[_Eviction], flow: Floats, page: int
) -> Iterator[tuple[int, int, int, int]]:
    """The parts of evicted ranges that are written ahead of time: for each part the position of its range in
    `evictions`, first and last byte, and the kernel at which to write it. At each kernel, as many bytes are written
    as `flow` states; of the bytes that can be written at that kernel, those that will be dropped first are written
    first. Bytes that can't be written in time are written when they are dropped."""
    count = groups.kernels
    begins: list[list[int]] = [[] for _ in range(count)]
    ends: list[list[int]] = [[] for _ in range(count)]
    for place, eviction in enumerate(evictions):
        begins[(int(groups.since[eviction.group]) + 1) % count].append(place)
        ends[(int(groups.after[eviction.group]) + 1) % count].append(place)
    left, waiting = [0] * len(evictions), list[tuple[int, int]]()
    spare = 0.0
    for step in range(3 * count):  # from the third iteration on, all are equal
        kernel = step % count
        for place in ends[kernel]:
            left[place] = 0
        for place in begins[kernel]:
            group = evictions[place].group
            left[place] = evictions[place].last - evictions[place].clean
            heappush(waiting, (step - 1 + int(groups.after[group] - groups.since[group]), place))
        spare += flow[kernel]
        while waiting and spare >= 1:
            place = waiting[0][1]
            taken = min(left[place], -(-int(spare) // page) * page)
            if taken and step >= 2 * count:
                last = evictions[place].last - left[place] + taken
                yield place, last - taken, last, kernel
            left[place] -= taken
            spare -= taken
            if not left[place]:
                heappop(waiting)
        spare = min(spare, 0.0)


def _prefetched(
    trace: KernelTrace,
    system: MemorySystem,
    relaxation: Relaxation,
    evictions: Sequence[_Eviction],
    tier: int,
    gates: Floats,
) -> Iterator[tuple[tuple[float, ...], Move]]:
    """Prefetches of evicted ranges, in the order of next uses, each part as soon as all kernels from then on have room
    for it."""
    groups, count = relaxation.groups, relaxation.groups.kernels
    due = [
        (int(groups.before[eviction.group]) % count, -int(groups.after[eviction.group]), eviction.group)
        for eviction in evictions
    ]
    total = sum(eviction.last - eviction.first for eviction in evictions)
    if not total:
        return
    if gates[count] > gates[0]:
        gates = gates * total / (gates[count] - gates[0])
    position = 0
    for place in sorted(range(len(evictions)), key=lambda place: due[place]):
        eviction = evictions[place]
        before = int(groups.before[eviction.group]) % count
        earliest = int(groups.after[eviction.group]) + 2 - (count if groups.before[eviction.group] >= count else 0)
        for first, last, kernel in _parts(gates, count, position, eviction.last - eviction.first, system.page):
            at = min(max(kernel, earliest), before)
            for move in _of_tensors(
                trace, groups, eviction, "prefetch", at % count, eviction.first + first, eviction.first + last, system
            ):
                yield (at % count, 1, (before - at) % count, position + first), move
        position += eviction.last - eviction.first


def _gates(trace: KernelTrace, system: MemorySystem, relaxation: Relaxation, window: float) -> Floats:
    """For each tier and each kernel of two iterations, from -count on: the number of bytes that may be back in the
    device's memory when the kernel starts. Bytes are counted in the order of their next uses, starting with the byte
    that is needed first in the iteration.

    The number is that of the relaxation, plus a fraction (`window`) of the memory that the relaxation leaves free.
    """
    if window == LATE:
        return np.full((len(system.tiers), 2 * relaxation.groups.kernels + 1), -1.0)
    groups = relaxation.groups
    first = (relaxation.dirty + relaxation.clean)[:, groups.before == groups.kernels].sum(1)
    at_start = first + relaxation.early[:, 0]
    back = at_start[:, None] + np.cumsum(relaxation.arrivals, 1) - relaxation.arrivals
    total = relaxation.arrivals.sum(1)
    spare = np.maximum(system.capacity - (needed_bytes(trace) - relaxation.absent.sum(0)), 0.0)
    fractions = total / max(total.sum(), 1.0)
    most = back + window * fractions[:, None] * spare
    return _lasting(np.concatenate([most - total[:, None], most, most + total[:, None]], 1))


def _lasting(levels: Floats) -> Floats:
    """For each kernel, the minimum of its level and all later levels. `levels` covers three iterations; the result
    covers two of them and one more kernel."""
    count = levels.shape[1] // 3
    return np.minimum.accumulate(levels[:, ::-1], 1)[:, ::-1][:, : 2 * count + 1]


def _parts(
    gates: Floats, count: int, position: float, nbytes: int, page: int, eager: bool = False
) -> Iterator[tuple[int, int, int]]:
    """The parts [first, last) of an evicted range, each with the kernel at which to issue its prefetch; small parts are
    merged. `position`: number of bytes with earlier next uses. A part is issued at the kernel from which on its last
    byte may be prefetched; with `eager`, its first byte."""
    least = -(-max(nbytes // 8, 16 << 20) // page) * page
    first = 0
    while first < nbytes:
        kernel = int(np.searchsorted(gates, position + first, side="right"))
        last = nbytes if kernel >= len(gates) else min(nbytes, int(gates[kernel] - position) // page * page)
        last = max(last, min(nbytes, first + least))
        if nbytes - last < least:
            last = nbytes
        latest = int(np.searchsorted(gates, position + last, side="left"))
        yield first, last, (kernel if eager else latest) - 1 - count
        first = last

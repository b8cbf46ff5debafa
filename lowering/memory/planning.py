"""A plan of moves built from the relaxation's solution, and the best of a few ways to time it.

What is evicted to which tier is the solution's, in whole pages. Evictions are issued as soon as their bytes are idle, those
needed last first; what may be written ahead, when the solution writes it. Prefetches come in the order of need, each
tier's for itself; each is issued at the kernel from which on there is room for it in all kernels that follow, as far as
the solution's evictions make room. So nothing waits for an operand that could have been here, and no prefetch takes the
room that a kernel before its use needs. How much of the spare room prefetches may take is tried in a few ways, and the
one with the best score is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dialects.diagnostics import InputError
from interp.machine.memory_system import MemorySystem
from interp.memory.engine import Refused, Regime
from interp.memory.problem import NEVER, KernelTrace, Move
from interp.memory.replay import Run, replay
from lowering.memory.intervals import DIRECT, Groups, Mode
from lowering.memory.linear_program import Floats, Indices
from lowering.memory.relaxation import Relaxation, relax

WINDOWS = (1.0, 0.5, 0.0)
"""Parts of the spare room that prefetches may take before their time in the relaxation."""


@dataclass(frozen=True, eq=False)
class Plan:
    """Moves, the run that they give, and the bound that holds for any plan."""

    moves: list[Move]
    regime: Regime
    run: Run
    relaxation: Relaxation
    window: float
    """The part of the spare room that its prefetches may take ahead of the relaxation's."""

    @property
    def score(self) -> float:
        """Ideal time over the time of the last iteration: at most `bound`."""
        return self.run.score

    @property
    def bound(self) -> float:
        """The most that any plan's score can be."""
        return self.relaxation.bound


def plan(
    trace: KernelTrace, system: MemorySystem, mode: Mode = "move", windows: Sequence[float] = WINDOWS
) -> Plan:
    """The best plan of those tried. Raises InputError where there is none: see `relax`."""
    relaxation = relax(trace, system, mode)
    regime = Regime(mode=mode)
    best: Plan | None = None
    why: Refused | None = None
    pieces = list(_pieces(trace, system, relaxation))
    for window in windows if pieces else windows[:1]:
        moves = _moves(trace, system, relaxation, pieces, window)
        try:
            found = Plan(moves, regime, replay(trace, system, moves, regime), relaxation, window)
        except Refused as refused:
            why = refused
            continue
        if best is None or found.score > best.score:
            best = found
    if best is None:
        raise why or InputError("no plan was tried")
    return best


@dataclass(frozen=True)
class _Piece:
    """Bytes [first, last) of a group that are evicted to a tier; those from `clean` on have no copy there before."""

    group: int
    tier: int
    first: int
    last: int
    clean: int
    dropped: tuple[int, int]
    """Bytes whose copies are not needed any more after the interval."""


def _pieces(trace: KernelTrace, system: MemorySystem, relaxation: Relaxation) -> Iterator[_Piece]:
    """What is evicted of each group, in pages, so that a byte of a chain has its place in one tier as long as that goes.

    Copies of a tier lie side by side from a first byte on: carried ones, then those made in the interval. What is
    evicted are the last of them."""
    groups, page = relaxation.groups, system.page
    held = relaxation.carried + relaxation.dirty
    slots = _slots(groups, held)
    for group in range(len(groups)):
        size, taken = int(groups.nbytes[group]), list[tuple[int, int]]()
        start = 0
        for tier in range(len(system.tiers)):
            slot = _up(slots[tier, group], page)
            base, start = max(0, min(start, size - slot)), start + slot
            carried = min(_up(relaxation.carried[tier, group], page), size - base) if groups.carries[group] else 0
            evicted = _up(relaxation.clean[tier, group] + relaxation.dirty[tier, group], page)
            last = min(base + _up(held[tier, group], page), size)
            first = max(base, last - evicted)
            for low, high in taken:
                first, last = (first, min(last, low)) if low > first else (max(first, high), max(last, high))
            following = int(groups.following[group])
            kept = _up(relaxation.carried[tier, following], page) if following != NEVER else 0
            if first < last:
                taken.append((first, last))
                yield _Piece(group, tier, first, last, min(max(base + carried, first), last), (min(base + kept, last), last))


def _up(nbytes: float, page: int) -> int:
    """Bytes in whole pages; what is next to none is none."""
    return -(-int(nbytes) // page) * page if nbytes >= page / 16 else 0


def _slots(groups: Groups, held: Floats) -> Floats:
    """The most that each chain holds in each tier, at each of its groups."""
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
    trace: KernelTrace, system: MemorySystem, relaxation: Relaxation, pieces: Sequence[_Piece], window: float
) -> list[Move]:
    """All moves of the plan, in the order of their issue."""
    timed: list[tuple[tuple[float, ...], Move]] = []
    for piece in pieces:
        after, before = int(relaxation.groups.after[piece.group]), int(relaxation.groups.before[piece.group])
        for move in _of_tensors(trace, relaxation.groups, piece, "evict", after + 1, piece.first, piece.last, system):
            timed.append(((after + 1, 0, -before, piece.tier), move))
    for tier in range(len(system.tiers)):
        mine = [piece for piece in pieces if piece.tier == tier]
        for key, move in _written(trace, system, relaxation, mine, tier):
            timed.append((key, move))
        for key, move in _prefetched(trace, system, relaxation, mine, tier, window):
            timed.append((key, move))
    timed.sort(key=lambda each: each[0])
    return [move for _, move in timed]


def _of_tensors(
    trace: KernelTrace,
    groups: Groups,
    piece: _Piece,
    kind: str,
    at: int,
    first: int,
    last: int,
    system: MemorySystem,
) -> Iterator[Move]:
    """Moves of the tensors that bytes of a group are of."""
    start = 0
    tier = system.tiers[piece.tier].name if kind != "prefetch" else ""
    for tensor in groups.members[piece.group]:
        size = trace.tensors[tensor].nbytes
        low, high = max(first - start, 0), min(last - start, size)
        if low < high:
            yield Move(kind, tensor, at, low, None if high == size else high, tier)  # pyright: ignore
        start += size


def _written(
    trace: KernelTrace, system: MemorySystem, relaxation: Relaxation, pieces: Sequence[_Piece], tier: int
) -> Iterator[tuple[tuple[float, ...], Move]]:
    """Copies made ahead: in the order in which they will be needed, when the relaxation makes them."""
    groups, count = relaxation.groups, relaxation.groups.kernels
    for stream, flows in relaxation.written.items():
        mine = [piece for piece in pieces if groups.stream[piece.group] == stream and piece.clean < piece.last]
        if stream == DIRECT or not mine:
            continue
        mine.sort(key=lambda piece: (int(groups.after[piece.group]), int(groups.before[piece.group]), piece.group))
        done = np.concatenate([[0.0], np.cumsum(flows[tier])])
        wrapped = sum(piece.last - piece.clean for piece in mine if groups.since[piece.group] < 0)
        del wrapped
        total, position = sum(piece.last - piece.clean for piece in mine), 0.0
        shift = _written_at_start(relaxation, mine, tier, stream)
        for piece in mine:
            group = piece.group
            place = (position - shift) / total * done[-1]
            kernel = int(np.searchsorted(done, place % done[-1] if done[-1] else 0.0, side="right")) - 1
            kernel += count * int(np.floor(place / done[-1])) if done[-1] else 0
            at = min(max(kernel, int(groups.since[group]) + 1), int(groups.after[group]) + 1)
            position += piece.last - piece.clean
            for move in _of_tensors(trace, groups, piece, "write_back", at % count, piece.clean, piece.last, system):
                yield (at % count, 0, -int(groups.before[group]), piece.tier), move


def _written_at_start(relaxation: Relaxation, pieces: Sequence[_Piece], tier: int, stream: int) -> float:
    """The bytes of a stream that are written before the iteration starts in which they are dropped."""
    return 0.0


def _prefetched(
    trace: KernelTrace,
    system: MemorySystem,
    relaxation: Relaxation,
    pieces: Sequence[_Piece],
    tier: int,
    window: float,
) -> Iterator[tuple[tuple[float, ...], Move]]:
    """What comes back: in the order of need, each part when there is room for it from then on."""
    groups, count = relaxation.groups, relaxation.groups.kernels
    due = [(int(groups.before[piece.group]) % count, -int(groups.after[piece.group]), piece.group) for piece in pieces]
    total = sum(piece.last - piece.first for piece in pieces)
    if not total:
        return
    gates = _gates(trace, system, relaxation, tier, window)
    gates *= total / (gates[count] - gates[0]) if gates[count] > gates[0] else 1.0
    position = 0
    for place in sorted(range(len(pieces)), key=lambda place: due[place]):
        piece = pieces[place]
        before = int(groups.before[piece.group]) % count
        earliest = int(groups.after[piece.group]) + 2 - (count if groups.before[piece.group] >= count else 0)
        for first, last, kernel in _parts(gates, count, position, piece.last - piece.first, system.page):
            at = min(max(kernel, earliest), before)
            for move in _of_tensors(
                trace, groups, piece, "prefetch", at % count, piece.first + first, piece.first + last, system
            ):
                yield (at % count, 1, at - kernel, position + first), move
        position += piece.last - piece.first


def _gates(trace: KernelTrace, system: MemorySystem, relaxation: Relaxation, tier: int, window: float) -> Floats:
    """For each kernel of two iterations, from -count on, how many bytes of a tier may be back when it starts, counted in
    the order of need from the first byte due in the iteration: the relaxation's, and its part of the spare room."""
    count = relaxation.groups.kernels
    arrived = np.concatenate([[0.0], np.cumsum(relaxation.arrivals[tier])])
    total = arrived[-1]
    back = relaxation.early[tier, 0] + arrived[:-1]
    live = trace.live
    spare = np.maximum(system.capacity - (live - relaxation.absent.sum(0)), 0.0)
    share = relaxation.arrivals[tier].sum() / max(relaxation.arrivals.sum(), 1.0)
    most = back + window * share * spare
    whole = np.concatenate([most - total, most, most + total])
    least = np.minimum.accumulate(whole[::-1])[::-1]
    return least[: 2 * count + 1]


def _parts(gates: Floats, count: int, position: float, nbytes: int, page: int) -> Iterator[tuple[int, int, int]]:
    """Bytes [first, last) of a piece that begins at a position, with the kernel at which to issue them: a part for each
    kernel, but few."""
    least = -(-max(nbytes // 8, 16 << 20) // page) * page
    first = 0
    while first < nbytes:
        kernel = int(np.searchsorted(gates, position + first, side="right"))
        last = nbytes if kernel >= len(gates) else min(nbytes, int(gates[kernel] - position) // page * page)
        last = max(last, min(nbytes, first + least))
        if nbytes - last < least:
            last = nbytes
        yield first, last, int(np.searchsorted(gates, position + last, side="left")) - 1 - count
        first = last

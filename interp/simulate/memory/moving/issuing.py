"""The issue of a plan's moves: each move is queued by tier and direction, and takes effect when it is served
(interp/simulate/memory/moving/serving.py). Discards, and evictions of bytes of which a tier has a copy, take effect at
once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from interp.machine.memory_system import MemorySystem
from interp.ranges import contains, inside
from interp.simulate.memory.contents import HERE, NOWHERE, tier_of
from interp.simulate.memory.log import Act
from interp.simulate.memory.moving.flows import Entry, Queue
from interp.simulate.memory.moving.transfers import Transfers
from interp.simulate.memory.pager import Pager
from interp.simulate.memory.problem import KernelTrace, Move, issues_of
from interp.simulate.memory.regime import Regime


class Issuing(Transfers):
    """Transfers, and the moves of a plan that are issued before kernels."""

    def __init__(
        self,
        trace: KernelTrace,
        system: MemorySystem,
        moves: Sequence[Move],
        regime: Regime,
        pager: Pager | None,
    ) -> None:
        super().__init__(trace, system, regime, pager)
        self.moves = moves
        self.issues = issues_of(moves)
        """For each move, the kernel before which it is issued."""
        self._issues: list[list[tuple[int, Move]]] = [[] for _ in range(self.count + 1)]
        for number, (move, at) in enumerate(zip(moves, self.issues, strict=True)):
            self._issues[at].append((number, move))
        self._tier_numbers = {tier.name: number for number, tier in enumerate(system.tiers)}
        self._issued = 0
        self._waited_for: Counter[int] = Counter()
        """For each step, the number of unfinished prefetches that it waits for."""
        self._open: Counter[int] = Counter()
        """For each move, by its number, the number of its unfinished entries."""
        self._leading = {move.behind for move in moves if move.behind is not None}
        self._released = False
        """True if a move that other moves wait for has finished since these were last checked."""
        self._reserve = 0.0
        """Room, in bytes, that is kept for the next kernel."""

    def is_under_way(self, move: int) -> bool:
        """True if a move, by its number, has been issued and is not done."""
        return self._open[move] > 0

    def _issue(self, at: int) -> None:
        base = self.head - at
        for number, move in self._issues[at]:
            last = self.contents.sizes[move.tensor] if move.last is None else move.last
            ranges = [(move.first, last)] if move.first < last else []
            if not ranges or (self._dead(move.tensor) and move.kind != "prefetch"):
                continue
            if move.kind == "prefetch":
                step = -1
                if move.before is not None:
                    step = base + move.before + (self.count if at > move.before else 0)
                self._issue_prefetch(number, move, ranges, step)
            elif move.kind == "discard":
                self._discard(move.tensor, move.first, last, bool(move.tier))
            else:
                self._issue_outward(number, move, ranges)

    def _dead(self, tensor: int) -> bool:
        return self.contents.uniform_state(tensor) == NOWHERE and tensor not in self._pending

    def _enter(self, queue: Queue, entry: Entry) -> None:
        tier = self.system.tiers[entry.tier]
        if entry.number >= 0:
            self._open[entry.number] += 1
            entry.behind = self.moves[entry.number].behind
        if entry.step >= 0:
            self._waited_for[entry.step] += 1
        latency_ns = self.system.buses[tier.bus].latency_ns
        entry.ready = self.now + latency_ns + (tier.in_ns if entry.inward else tier.out_ns)
        queue.add(entry)
        self._pending.setdefault(entry.tensor, []).append(entry)
        self._changes += 1
        self._stale = True

    def _number(self) -> int:
        self._issued += 1
        return self._issued

    def _issue_prefetch(self, number: int, move: Move, ranges: list[tuple[int, int]], step: int) -> None:
        """Enter a prefetch into the queues of the tiers that hold its bytes, or will hold them when earlier moves are
        done. If a pager evicts, or step `step` waits for the prefetch, the prefetch is queued even if none of its
        bytes is missing now."""
        parts: dict[int, list[tuple[int, int]]] = {}
        leaving = [entry for entry in self._pending.get(move.tensor, ()) if entry.kind == "evict"]
        for first, last in ranges:
            for begin, end, state in self.contents.ranges(move.tensor, first, last):
                if not state & HERE:
                    tier = tier_of(state)  # negative: no tier holds the bytes yet, and the nearest one takes them
                    parts.setdefault(max(0, tier), []).append((begin, end))
                    continue
                for entry in leaving:
                    for part in inside(entry.ranges, begin, end):
                        parts.setdefault(entry.tier, []).append(part)
        is_requested = step >= 0 or self.pager is not None
        if is_requested and not parts and self._inward:
            parts[0] = []
        for tier, part in parts.items():
            entry = Entry(number, "prefetch", move.tensor, part, tier, self._number())
            entry.step, entry.requested = step, ranges if is_requested else None
            self._enter(self._inward[tier], entry)

    def _issue_outward(self, number: int, move: Move, ranges: list[tuple[int, int]]) -> None:
        """Enter an eviction or a write-back into a queue; an eviction of bytes of which a tier has a copy frees them at
        once."""
        tier = self._tier_numbers[move.tier] if move.tier else self._roomiest(sum(b - a for a, b in ranges))
        entry = Entry(number, move.kind, move.tensor, ranges, tier, self._number())
        if move.kind == "evict":
            self._take_over(entry)
            self._drop(entry)
        if entry.ranges:
            self._enter(self._outward[tier], entry)

    def _roomiest(self, nbytes: int) -> int:
        """The number of the nearest tier that has room for `nbytes` bytes in addition to those that queued moves will
        bring to it; if there is none, the number of the tier with most room."""
        rooms = [
            tier.capacity - used - queue.waiting
            for tier, used, queue in zip(self.system.tiers, self.contents.tiers, self._outward, strict=True)
        ]
        return next(
            (tier for tier, room in enumerate(rooms) if room >= nbytes), max(range(len(rooms)), key=rooms.__getitem__)
        )

    def _take_over(self, entry: Entry) -> None:
        """Turn queued write-backs of bytes that an issued eviction covers into evictions of these bytes; they keep
        their positions in the queue."""
        for other in self._pending.get(entry.tensor, ()):
            if other.kind == "write_back" and contains(entry.ranges, other.ranges):
                self._halt_entry(other)
                entry.subtract(other.ranges)
                other.kind = "evict"

    def _drop(self, entry: Entry) -> None:
        """Free, without a transfer, those bytes of an eviction of which a tier has a copy, and remove them from the
        eviction."""
        leaving: list[tuple[int, int]] = []
        for first, last in entry.ranges:
            for begin, end, state in self.contents.ranges(entry.tensor, first, last):
                if state & HERE and tier_of(state) >= 0:
                    self.contents.put(entry.tensor, begin, end, state & ~HERE)
                    self.log.add(Act.DROP, entry.tensor, tier_of(state), begin, end, self._moment, self._moment)
                    leaving.append((begin, end))
        entry.subtract(leaving)

    def _discard(self, tensor: int, first: int, last: int, copies: bool) -> None:
        """Discard the contents of bytes in all memories, at once; with `copies`, only tiers' copies of bytes that are
        on the device."""
        if not copies:
            self._cancel(tensor, [(first, last)])
        for begin, end, state in self.contents.ranges(tensor, first, last):
            if not copies:
                self.contents.put(tensor, begin, end, NOWHERE)
                self.log.add(Act.DISCARD, tensor, -1, begin, end, self._moment, self._moment)
            elif state & HERE and tier_of(state) >= 0:
                self.contents.put(tensor, begin, end, state & 3)
                self.log.add(Act.FORGET, tensor, tier_of(state), begin, end, self._moment, self._moment)
        self._stale = True

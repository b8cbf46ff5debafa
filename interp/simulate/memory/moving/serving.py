"""The service of queued moves: the first move of each queue starts as soon as its latency is over, its bytes may move,
and there is room for bytes that are only allocated.

Moves are served in the order of their issue, separately for each tier and direction. If a move is served before an
earlier move of the same bytes in the opposite direction, neither move transfers these bytes.
"""

from __future__ import annotations

from math import inf

from interp.simulate.memory.contents import FULL, HERE, NOWHERE, tier_of
from interp.simulate.memory.log import Act
from interp.simulate.memory.moving.flows import EXACT, SOON, Entry, Queue
from interp.simulate.memory.moving.issuing import Issuing


class Serving(Issuing):
    """Moves that are issued, and served from their queues."""

    def _serve(self) -> None:
        """Start the first move of each queue that has no transfer under way, if that move can start."""
        for queue in self._queues:
            queue.wants = 0
            while queue.flow is None and queue.entries:
                entry = queue.entries[0]
                if entry.ready < 0:
                    entry.ready = max(self.now, queue.busy_until) + entry.latency
                held = entry.behind is not None and self.is_under_way(entry.behind)
                if entry.requested is not None and not held:
                    self._find_missing(entry, entry.requested)
                if not entry.ranges and entry.requested is None:
                    self._retire(queue)
                elif (
                    held
                    or max(entry.ready, queue.busy_until) > self.now + SOON
                    or not (self._bring if queue.inward else self._send)(queue, entry)
                ):
                    break

        if self._released:  # moves in other queues waited for one that is now done
            self._released = False
            self._serve()

    def _find_missing(self, entry: Entry, requested: list[tuple[int, int]]) -> None:
        """Determine the missing bytes of a prefetch that is the first in its queue. Those of its bytes that are on the
        device already are recorded as used, so that they are not evicted first."""
        entry.requested = None
        self._cancel(entry.tensor, requested, entry.issued, inward=False)
        entry.ranges = list[tuple[int, int]]()
        for first, last in requested:
            for begin, end, state in self.contents.ranges(entry.tensor, first, last):
                if not state & HERE:
                    entry.ranges.append((begin, end))
                elif self.pager is not None:
                    self.pager.arrived(entry.tensor, begin, end, self.now)

    def _retire(self, queue: Queue) -> None:
        self._changes += 1
        entry = queue.entries.popleft()
        if entry.number >= 0:
            self._open[entry.number] -= 1
            self._released |= entry.number in self._leading and not self._open[entry.number]
        if entry.step >= 0:
            self._waited_for[entry.step] -= 1
        pending = self._pending[entry.tensor]
        pending.remove(entry)
        if not pending:
            del self._pending[entry.tensor]

    def _bring(self, queue: Queue, entry: Entry) -> bool:
        """Start a transfer of bytes to the device's memory, or allocate them if no memory holds them; return False if
        there is no room for bytes to be allocated."""
        self._cancel(entry.tensor, entry.ranges, entry.issued, inward=False)
        self._leave_to_others(entry)
        here: list[tuple[int, int]] = []
        for first, last in entry.ranges:
            for begin, end, state in self.contents.ranges(entry.tensor, first, last):
                if state & HERE:
                    here.append((begin, end))
                    continue
                entry.subtract(here)
                if state == NOWHERE:
                    return self._grab(queue, entry, begin, end)
                tier = tier_of(state)
                limit = self._limit(True, tier, end - begin)
                self._flow(queue, entry, begin, end, tier, min(limit, entry.rate or inf), self.regime.mode == "move")
                return True
        entry.ranges = []
        return True

    def _leave_to_others(self, entry: Entry) -> None:
        """Remove from a move the bytes that another queue is already moving in the same direction. An eviction instead
        stops another queue's write-back of its bytes, since a write-back would keep them on the device."""
        for flow in list(self._flows):
            if flow.tensor != entry.tensor or flow.inward != entry.inward:
                continue
            if entry.kind == "evict" and not flow.frees:
                self._halt_entry(flow.entry)
                flow.entry.subtract(entry.ranges)
            else:
                entry.subtract([(flow.first, flow.last)])

    def _grab(self, queue: Queue, entry: Entry, first: int, last: int) -> bool:
        """Allocate bytes that no memory holds, all at once; return False if there is no room for them."""
        nbytes = last - first
        urgent = queue is self._faulted or entry.issued <= queue.urgent
        room = self.system.capacity - self._used - (0.0 if urgent else self._reserve)
        if room < nbytes - EXACT:
            queue.wants = nbytes
            return False
        self._changes += 1
        self.contents.put(entry.tensor, first, last, HERE)
        self.log.add(Act.ALLOCATE, entry.tensor, -1, first, last, self._moment, self._moment)
        entry.subtract([(first, last)])
        queue.busy_until = self.now + self.system.pages(nbytes) * self.system.allocation_ns
        if entry.rate:  # evictions for it meanwhile are part of the service time
            queue.busy_until = max(queue.busy_until, entry.ready + nbytes / entry.rate)
        if self.pager is not None:
            self.pager.arrived(entry.tensor, first, last, self.now)
        return True

    def _send(self, queue: Queue, entry: Entry) -> bool:
        """Start a transfer of bytes, or of a copy of them, to a tier; return False if the running kernel needs the
        bytes."""
        evict = entry.kind == "evict"
        if self.running is not None:
            number = self.running % self.count
            if entry.tensor in (self.trace.operands[number] if evict else self.trace.kernels[number].writes):
                return False
        if evict:
            self._cancel(entry.tensor, entry.ranges, entry.issued, inward=True)
        self._leave_to_others(entry)
        if evict:
            self._drop(entry)
        done: list[tuple[int, int]] = []
        for first, last in entry.ranges:
            for begin, end, state in self.contents.ranges(entry.tensor, first, last):
                if state & HERE and state & FULL and tier_of(state) < 0:
                    entry.subtract(done)
                    self._flow(queue, entry, begin, end, entry.tier, self._limit(False, entry.tier, end - begin), evict)
                    return True
                if evict and state == HERE:
                    self._stale = True  # the room is free at once
                    self.contents.put(entry.tensor, begin, end, NOWHERE)
                    self.log.add(Act.DISCARD, entry.tensor, -1, begin, end, self._moment, self._moment)
                done.append((begin, end))
        entry.ranges = []
        return True

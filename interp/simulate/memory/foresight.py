"""The events of a memory and its transfers: what happens at each, and when the next one is.

Freed room is reserved first for the next kernel: its outputs, its workspace, and the moves that it waits for. So a plan
can't deadlock if each kernel fits once the moves issued before it are done.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, inf

from interp.machine.memory_system import MemorySystem
from interp.simulate.memory.contents import NOWHERE
from interp.simulate.memory.log import Act
from interp.simulate.memory.moving.flows import EXACT, SOON, Entry, Queue, hold_back
from interp.simulate.memory.moving.serving import Serving
from interp.simulate.memory.pager import Pager
from interp.simulate.memory.problem import KernelTrace, Move
from interp.simulate.memory.regime import Regime


class Foresight(Serving):
    """A memory with room for the next kernel, and the time of its next event."""

    def __init__(
        self,
        trace: KernelTrace,
        system: MemorySystem,
        moves: Sequence[Move],
        regime: Regime,
        pager: Pager | None,
        steps: float,
    ) -> None:
        """`steps`: the total number of kernels to run."""
        super().__init__(trace, system, moves, regime, pager)
        self.steps = steps
        self.samples: list[tuple[float, float, tuple[float, ...]]] = []
        """Time, bytes in the device's memory and in each tier, at each event."""
        self._dying = self._deaths()
        self._credits = [
            kernel.workspace + sum(trace.tensors[tensor].nbytes for tensor in dying)
            for kernel, dying in zip(trace.kernels, self._dying, strict=True)
        ]
        """Bytes that become free as each kernel ends."""
        self._reserved: tuple[int, float] | None = None
        """Room reserved for the next kernel's allocations, and the time at which these are done."""
        self._wanted = 0
        """Room that the next kernel waits for, when all else is ready."""
        self._free = self._slack = 0.0
        """Room in the device's memory, and the part of it that is not kept for the next kernel."""
        self._rooms: list[float] = []
        """Room in each tier."""
        self._next = inf

    def advance(self, now: float) -> None:
        """Advance the time to `now`."""
        while True:
            if self._stale:
                self._settle()
            if self._next > now:
                break
            self._pass(self._next)
            self._stale = True
        if now > self.now:
            self._pass(now)

    def next_event(self) -> float:
        """Time, in ns, of the next event of transfers and latencies; inf if there is none."""
        if self._stale:
            self._settle()
        return self._next

    def _settle(self) -> None:
        """Process all events that are due now, and compute the time of the next event."""
        while self._stale:
            self._stale = False
            if self._flows:
                self._finish()
            self._look_ahead()
            if self._pending:
                changes, flows, urgent = self._changes, len(self._flows), [queue.urgent for queue in self._inward]
                self._serve()
                if changes != self._changes or flows != len(self._flows):
                    self._look_ahead()
                    # a move whose missing bytes are known only now may have become one that the next kernel waits for
                    self._stale |= urgent != [queue.urgent for queue in self._inward]
            elif self.pager is None:
                break
            if self.regime.faults and self.pager is not None:
                self._make_room()
        if self.system.allocation_ns and self.running is not None and self.head < self.steps:
            self._allocate_ahead()
            self._stale = False
        self._measure()
        if self._flows:
            self._set_rates()
        self._next = self._foresee()

    def _set_rates(self) -> None:
        flows = self._flows
        before = [flow.rate for flow in flows]
        self._share()
        if self._slack <= EXACT or min(self._rooms) <= EXACT:
            hold_back(flows, self._free, self._slack, self._rooms)
        for flow, rate in zip(flows, before, strict=True):
            if flow.rate != rate:
                self._note(flow)

    def _measure(self) -> None:
        used, tiers = self._used, self._tiers_used()
        self._free = self.system.capacity - used
        self._slack = self._free - self._reserve
        self._rooms = [tier.capacity - each for tier, each in zip(self.system.tiers, tiers, strict=True)]
        self.samples.append((self.now, used, tuple(tiers)))

    def _look_ahead(self) -> None:
        """Determine the bytes that the next kernel still has to allocate, and the moves that it waits for."""
        self._reserve = 0.0
        for queue in self._inward:
            queue.urgent = -1
        if self.head >= self.steps:
            return
        number = self.head % self.count
        need: float = self._allocation(number)
        if self._reserved is not None:
            need -= self._reserved[0]
        if self._pending:
            need += self._awaited(number)
        if self.running is not None:
            need -= self._credits[self.running % self.count]
        self._reserve = need if need > 0 else 0.0
        for flow in self._flows:
            if flow.inward:
                flow.urgent = flow.entry.kind == "fault" or flow.entry.issued <= self._inward[flow.entry.tier].urgent

    def _allocation(self, number: int) -> int:
        """The bytes to allocate in the device's memory when a kernel, by its number, starts."""
        vacant = self.contents.vacant
        need = self.trace.kernels[number].workspace
        for tensor in self.trace.operands[number]:
            need += vacant[tensor]
        return need

    def _deaths(self) -> list[list[int]]:
        """For each kernel, the tensors that are dead once it has ended."""
        dying: list[list[int]] = [[] for _ in self.trace.kernels]
        lasts: list[int] = self.trace.last.tolist()
        for tensor, last in enumerate(lasts):
            if last >= 0 and self.regime.reuse and not self.trace.tensors[tensor].persistent:
                dying[last].append(tensor)
        return dying

    def _awaited(self, number: int) -> float:
        """The bytes that must still arrive before a kernel can start: those of its own operands, and those of moves
        that are queued before the moves of these operands."""
        last: dict[Queue, Entry] = {}
        need = 0.0
        for tensor in self.trace.operands[number]:
            for entry in self._pending.get(tensor, ()):
                if entry.inward and entry.ranges and self.contents.vacant[tensor]:
                    need -= self._vacant_in(entry)  # counted in the kernel's allocation
                if entry.inward and entry.kind != "fault" and entry.ranges:
                    queue = self._inward[entry.tier]
                    if entry.issued > queue.urgent:
                        queue.urgent = entry.issued
                        last[queue] = entry
        need += sum(queue.left_up_to(entry) for queue, entry in last.items())
        if self._faulted.entries:
            need += self._faulted.waiting - (self._faulted.flow.moved if self._faulted.flow is not None else 0.0)
        return need

    def _vacant_in(self, entry: Entry) -> int:
        """The number of a move's bytes that no memory holds."""
        parts = (part for first, last in entry.ranges for part in self.contents.ranges(entry.tensor, first, last))
        return sum(last - first for first, last, state in parts if state == NOWHERE)

    def _foresee(self) -> float:
        """Time, in ns, of the next event, computed from the rates of the transfers under way; inf if there is none."""
        if not self._flows:
            return self._next_start()
        coming = others = leaving = 0.0
        fills = [0.0] * len(self._rooms)
        span = inf
        for flow in self._flows:
            rate = flow.rate
            if rate <= 0:
                continue
            rest = (flow.last - flow.first - flow.moved) / rate
            if rest < span:
                span = rest
            if flow.inward:
                coming += rate
                if not flow.urgent:
                    others += rate
                if flow.frees:
                    fills[flow.tier] -= rate
            else:
                if flow.frees:
                    leaving += rate
                fills[flow.tier] += rate
        for room, fill in zip(self._rooms, fills, strict=True):
            if room > EXACT and fill > 0:
                span = min(span, room / fill)
        span = min(span, _until(self._free, 0.0, leaving - coming), _until(self._slack, 0.0, leaving - others))
        if self._wanted:
            span = min(span, _until(self._free, self._wanted, leaving - coming))
        for queue in self._inward:
            if queue.wants:
                span = min(
                    span,
                    _until(self._slack, queue.wants, leaving - others),
                    _until(self._free, queue.wants, leaving - coming),
                )
        if self._faulted.wants:
            span = min(span, _until(self._free, self._faulted.wants, leaving - coming))
        return min(self.now + span, self._next_start())

    def _next_start(self) -> float:
        """Time, in ns, of the end of the next latency that a move or kernel waits for; inf if there is none."""
        soon = inf
        for queue in self._queues if self._pending else ():
            if queue.flow is None and queue.entries:
                at = max(queue.entries[0].ready, queue.busy_until)
                if at > self.now + SOON:
                    soon = min(soon, at)
        if self._reserved is not None and self._reserved[1] > self.now + SOON:
            soon = min(soon, self._reserved[1])
        if self._faulted.busy_until > self.now + SOON:
            soon = min(soon, self._faulted.busy_until)
        return soon

    def _allocate_ahead(self) -> None:
        """Allocate the next kernel's outputs while another kernel runs, if there is room."""
        need = self._allocation(self.head % self.count)
        need -= self._reserved[0] if self._reserved is not None else 0
        if 0 < need <= self.system.capacity - self._used:
            self._reserve_room(need)
            self._look_ahead()

    def _reserve_room(self, nbytes: int) -> None:
        kept, until = self._reserved or (0, self.now)
        until = max(until, self.now) + self.system.pages(nbytes) * self.system.allocation_ns
        self._reserved = kept + nbytes, until
        self._extra += nbytes
        self.log.add(Act.RESERVE, -1, -1, 0, nbytes, self._moment, self._moment)
        self._stale = True

    def _make_room(self) -> None:
        """Request victims from the pager if there is no room for arriving bytes: for the next kernel if nothing runs,
        and for prefetches."""
        assert self.pager is not None
        short = self._reserve if self.running is None else 0.0
        for queue in self._inward:
            if queue.entries and (queue.flow is not None or queue.wants) and queue.entries[0].issued > queue.urgent:
                short = max(short, self._reserve) + queue.entries[0].left
                short -= queue.flow.moved if queue.flow is not None else 0.0
        if short <= 0:
            return
        short -= self.system.capacity - self._used
        for queue in self._outward:
            short -= queue.waiting - (queue.flow.moved if queue.flow is not None else 0.0)
        if short <= EXACT:
            return
        for tensor, first, last, tier in self.pager.victims(ceil(short - EXACT), self.head, self.now):
            number = self._tier_numbers[tier] if tier else self._roomiest(last - first)
            entry = Entry(-1, "evict", tensor, [(first, last)], number, self._number())
            self._drop(entry)
            self._enter(self._outward[number], entry)
        self._serve()


def _until(level: float, mark: float, rate: float) -> float:
    """Time, in ns, until an amount that is `level` now and changes at `rate` per ns equals `mark`; inf if it equals
    `mark` already, moves away from it, or does not change."""
    away = mark - level
    if abs(away) <= EXACT or not rate or (away > 0) != (rate > 0):
        return inf
    return away / rate

"""Transfers under way between a device's memory and its tiers, with the bytes that each memory holds, and their log.

Between two events each transfer proceeds at a constant rate. Bytes occupy room from their arrival on, and free it as
they are moved away. Transfers of one direction of a bus share it; while a copy of the program occupies the direction,
they rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from interp.machine.memory_system import MemorySystem
from interp.ranges import overlap
from interp.simulate.memory.contents import FULL, HERE, Contents, copy_in
from interp.simulate.memory.log import Act, TransferLog
from interp.simulate.memory.moving.flows import EXACT, Entry, Flow, Queue, share
from interp.simulate.memory.pager import Pager
from interp.simulate.memory.problem import KernelTrace
from interp.simulate.memory.regime import Regime


class Transfers:
    """The bytes that each memory holds, and the transfers between memories, at the time `now` (ns). Kernels are given
    in order, as steps: `step % count` is the kernel."""

    def __init__(self, trace: KernelTrace, system: MemorySystem, regime: Regime, pager: Pager | None) -> None:
        self.trace, self.system, self.regime, self.pager = trace, system, regime, pager
        self.count = len(trace.kernels)
        self.now = 0.0
        self.log = TransferLog()
        tiers = system.tiers
        self.contents = Contents([tensor.nbytes for tensor in trace.tensors], len(tiers))
        self.head = 0
        """The next step to start."""
        self.running: int | None = None
        """The step that runs; the one before `head`."""
        self._rates = [bus.out_rate / 1e9 for bus in system.buses], [bus.in_rate / 1e9 for bus in system.buses]
        self._tier_rates = [tier.out_rate / 1e9 for tier in tiers], [tier.in_rate / 1e9 for tier in tiers]
        """Rates of each bus, and of each tier, outward and inward, bytes/ns."""
        self._directions = {
            way: (bool(inward), number)
            for number, bus in enumerate(system.buses)
            for inward, way in enumerate((bus.out_of, bus.into))
            if way
        }
        """For each direction of a bus, by its name as a resource: True if it leads inward, and its bus's number."""
        self._occupied: Counter[tuple[bool, int]] = Counter()
        """The number of copies of the program that occupy each direction of a bus now."""
        self._inward = [Queue(True, tier) for tier in range(len(tiers))]
        self._outward = [Queue(False, tier) for tier in range(len(tiers))]
        self._faulted = Queue(True, -1)
        self._queues = [*self._inward, *self._outward, self._faulted]
        self._pending: dict[int, list[Entry]] = {}
        """For each tensor, the moves that have been issued and not finished."""
        self._flows: list[Flow] = []
        self._extra: int = 0
        """Bytes in the device's memory that belong to no tensor: workspace, and room reserved for the next kernel."""
        self._changes: int = 0
        """A counter of events that may let a kernel with missing operands start: placements of bytes, moves begun or
        done."""
        self._stale = True
        """True if the rates and the next event must be recomputed."""
        if pager is not None:
            pager.attach(self.contents)

    @property
    def _moment(self) -> tuple[float, int]:
        """The current time, and the number of kernel starts plus kernel ends so far."""
        return self.now, 2 * self.head - (self.running is not None)

    @property
    def _used(self) -> float:
        """Bytes in the device's memory now."""
        total = self.contents.device + self._extra
        for flow in self._flows:
            if flow.inward:
                total += flow.moved
            elif flow.frees:
                total -= flow.moved
        return total

    def _tiers_used(self) -> list[float]:
        """Bytes in each tier now."""
        total: list[float] = list(self.contents.tiers)
        for flow in self._flows:
            if not flow.inward:
                total[flow.tier] += flow.moved
            elif flow.frees:
                total[flow.tier] -= flow.moved
        return total

    def _limit(self, inward: bool, tier: int, nbytes: int) -> float:
        """The rate, in bytes/ns, of a single transfer of `nbytes` bytes."""
        bus = self.system.tiers[tier].bus
        return min(self._rates[inward][bus] * self.system.buses[bus].ramp.share(nbytes), self._tier_rates[inward][tier])

    def _share(self) -> None:
        """Set the rates of the transfers under way, without regard to room."""
        shared: dict[tuple[bool, int], list[Flow]] = {}
        for flow in self._flows:
            shared.setdefault((flow.inward, self.system.tiers[flow.tier].bus), []).append(flow)
        for (inward, bus), flows in shared.items():
            rate = 0.0 if self._occupied[inward, bus] else self._rates[inward][bus]
            share(flows, rate, self._tier_rates[inward])

    def _flow(self, queue: Queue, entry: Entry, first: int, last: int, tier: int, limit: float, frees: bool) -> None:
        queue.flow = Flow(entry, first, last, tier, limit, frees, self._moment)
        self._flows.append(queue.flow)

    def _pass(self, now: float) -> None:
        span = now - self.now
        if span > 0:
            for flow in self._flows:
                flow.moved += flow.rate * span
            self.now = now

    def _note(self, flow: Flow) -> None:
        """Log the progress of a flow since it was last logged."""
        complete = int(flow.moved + EXACT)
        if complete > flow.logged:
            act = Act.IN if flow.inward else Act.OUT if flow.frees else Act.COPY
            first, last = flow.first + flow.logged, flow.first + complete
            self.log.add(act, flow.tensor, flow.tier, first, last, flow.since, self._moment)
            flow.logged = complete
        flow.since = self._moment

    def _finish(self) -> None:
        """Complete the transfers whose last byte has arrived."""
        for queue in self._queues:
            flow = queue.flow
            if flow is not None and flow.moved >= flow.last - flow.first - EXACT:
                flow.moved = flow.last - flow.first
                self._halt(queue)

    def _halt_entry(self, entry: Entry) -> None:
        for queue in self._queues:
            if queue.flow is not None and queue.flow.entry is entry:
                self._halt(queue)
                return

    def _halt(self, queue: Queue) -> None:
        """Stop the transfer that is under way in a queue; the whole bytes moved so far count as moved."""
        flow = queue.flow
        assert flow is not None
        self._note(flow)
        self._land(flow, flow.first + int(flow.moved + EXACT))
        queue.flow = None
        self._flows.remove(flow)

    def _land(self, flow: Flow, end: int) -> None:
        """Record that the bytes of a flow before position `end` have arrived."""
        self._changes += 1
        end = min(end, flow.last)
        contents, tensor, copies = self.contents, flow.tensor, self.regime.mode == "copy"
        if end <= flow.first:
            return
        if flow.inward:
            contents.put(tensor, flow.first, end, HERE | FULL | (copy_in(flow.tier) if copies else 0))
            if self.pager is not None:
                self.pager.arrived(tensor, flow.first, end, self.now)
        else:
            contents.put(tensor, flow.first, end, (0 if flow.frees else HERE) | FULL | copy_in(flow.tier))
        flow.entry.subtract([(flow.first, end)])

    def _cancel(
        self, tensor: int, ranges: list[tuple[int, int]], before: int | None = None, inward: bool | None = None
    ) -> None:
        """Remove bytes `ranges` of a tensor from its moves: from all moves, or only from those issued before the move
        with serial number `before`, and only from moves into the device's memory (`inward` True) or out of it
        (False) if `inward` is given. Bytes that were moved already stay moved."""
        for entry in list(self._pending.get(tensor, ())):
            if (before is None or entry.issued < before) and inward in (None, entry.inward):
                if inward is False and entry.kind == "write_back":
                    continue
                if not overlap(entry.ranges, ranges):
                    continue  # a change that changes nothing would be looked at for ever
                self._halt_entry(entry)
                left = list(entry.ranges)
                entry.subtract(ranges)
                self._changes += 1
                self._stale = True
                if entry.kind == "evict" and self.pager is not None:
                    self._stay(tensor, [(max(a, c), min(b, d)) for a, b in left for c, d in ranges])

    def _stay(self, tensor: int, ranges: Sequence[tuple[int, int]]) -> None:
        """Report bytes whose eviction was cancelled to the pager, as if they had just arrived."""
        assert self.pager is not None
        for first, last in ranges:
            for begin, end, state in self.contents.ranges(tensor, first, last):
                if state & HERE:
                    self.pager.arrived(tensor, begin, end, self.now)

    def close(self) -> None:
        """Log the transfers that are under way."""
        for flow in self._flows:
            self._note(flow)

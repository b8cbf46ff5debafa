"""The memory of a device while kernels run: the memory that holds each byte, the transfers under way, and the kernel
that may start.

Time advances from event to event; between two events each transfer proceeds at a constant rate. Bytes occupy room from
their arrival on, and free it as they are moved away. A kernel starts when all bytes of its operands are in the device's
memory and its outputs and workspace have room; memory of tensors that are dead after their last use is free at once.

Moves are served in the order of their issue, separately for each tier and direction; transfers of one direction share
the bus. Freed room is reserved first for the next kernel: its outputs, its workspace, and the moves that it waits for.
So a plan can't deadlock if each kernel fits once the moves issued before it are done; a plan that does deadlock is
refused.

If a move is served before an earlier move of the same bytes in the opposite direction, neither move transfers these
bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil, inf

from interp.figures import size
from interp.machine.memory_system import MemorySystem
from interp.ranges import contains, inside, overlap
from interp.simulate.memory.contents import FULL, HERE, NOWHERE, Contents, copy_in, tier_of
from interp.simulate.memory.flows import EXACT, Entry, Flow, Queue, hold_back, share
from interp.simulate.memory.log import Act, TransferLog
from interp.simulate.memory.pager import Missing, Pager
from interp.simulate.memory.problem import KernelTrace, Move, check_moves, issues_of
from interp.simulate.memory.regime import STRICT, Refused, Regime
from interp.simulate.memory.start import place

SOON = 1e-3
"""The difference, in ns, up to which two times count as equal."""


class MemoryEngine:
    """The state of a device's memory and of its transfers at the current time. Kernels are given in order, as steps:
    `step % kernels` is the kernel."""

    def __init__(
        self,
        trace: KernelTrace,
        system: MemorySystem,
        moves: Sequence[Move] = (),
        regime: Regime = STRICT,
        start: Sequence[str] | None = None,
        pager: Pager | None = None,
        steps: float = inf,
    ) -> None:
        """`start`: the tier of each tensor at the start (empty: the device's memory; a tensor that does not persist
        then has no contents anywhere). None: persistent tensors start in the memories in which the moves leave them
        at the end of an iteration. `steps`: the total number of kernels to run."""
        check_moves(trace, moves, (tier.name for tier in system.tiers))
        self.trace, self.system, self.regime, self.pager, self.moves = trace, system, regime, pager, moves
        self.steps, self.now = steps, 0.0
        self.count = len(trace.kernels)
        self.log = TransferLog()
        self.samples: list[tuple[float, float, tuple[float, ...]]] = []
        """Time, bytes in the device's memory and in each tier, at each event."""
        tiers = system.tiers
        self.contents = Contents([tensor.nbytes for tensor in trace.tensors], len(tiers))
        self._tier_numbers = {tier.name: number for number, tier in enumerate(tiers)}
        self._rates = _per_ns(system.in_rate), _per_ns(system.out_rate)
        self._tier_rates = [_per_ns(tier.in_rate) for tier in tiers], [_per_ns(tier.out_rate) for tier in tiers]
        self._operands = trace.operands
        self._written = [frozenset(kernel.writes) for kernel in trace.kernels]
        self._kept = [tensor.persistent or not regime.reuse for tensor in trace.tensors]
        self._dying = self._deaths()
        self._credits = [
            kernel.workspace + sum(trace.tensors[tensor].nbytes for tensor in dying)
            for kernel, dying in zip(trace.kernels, self._dying, strict=True)
        ]
        """Bytes that become free as each kernel ends."""
        self._issues: list[list[tuple[int, Move]]] = [[] for _ in range(len(trace.kernels) + 1)]
        self.issues = issues_of(moves)
        """For each move, the kernel before which it is issued."""
        for number, (move, at) in enumerate(zip(moves, self.issues, strict=True)):
            self._issues[at].append((number, move))
        self._inward = [Queue(True, tier) for tier in range(len(tiers))]
        self._outward = [Queue(False, tier) for tier in range(len(tiers))]
        self._faulted = Queue(True, -1)
        self._queues = [*self._inward, *self._outward, self._faulted]
        self._pending: dict[int, list[Entry]] = {}
        """For each tensor, the moves that have been issued and not finished."""
        self._flows: list[Flow] = []
        self._issued = 0
        self._waited_for: Counter[int] = Counter()
        """For each step, the number of unfinished prefetches that it waits for."""
        self._open: Counter[int] = Counter()
        """For each move, by its number, the number of its unfinished entries."""
        self._leading = {move.behind for move in moves if move.behind is not None}
        self._released = False
        """True if a move that other moves wait for has finished since these were last checked."""
        self._extra = 0
        """Bytes in the device's memory that belong to no tensor: workspace, and room reserved for the next kernel."""
        self.head = 0
        """The next step to start."""
        self.running: int | None = None
        """The step that runs; the one before `head`."""
        self._reserved: tuple[int, float] | None = None
        """Room reserved for the next kernel's allocations, and the time at which these are done."""
        self._changes = 0
        """A counter of events that may let a kernel with missing operands start: placements of bytes, moves begun or
        done."""
        self._lacking: tuple[int, int] | None = None
        """The step that lacked operands at the last check, and `_changes` at that time."""
        self._wanted = 0
        """Room that the next kernel waits for, when all else is ready."""
        self._reserve = 0.0
        self._free = self._slack = 0.0
        self._capacities = [tier.capacity for tier in tiers]
        self._rooms: list[float] = []
        """Room in each tier."""
        self._next = inf
        self._stale = True
        """True if the rates and the next event must be recomputed."""
        if pager is not None:
            pager.attach(self.contents)
        place(self.contents, trace, system, self._issues, regime, start)
        self.start = [self.contents.ranges(tensor) for tensor in range(len(trace.tensors))]
        """For each tensor, its byte ranges and their states before the first move."""
        self._issue(0)

    # Interface to the event loop

    def may_start(self, step: int, now: float) -> bool:
        """True if a kernel can start now. Raises Refused if it reads a dead tensor."""
        self.advance(now)
        if self._ready(step):
            return True
        if not self.regime.faults:
            return False
        self.advance(now)  # faults on bytes that only need room may be served at once
        return self._ready(step)

    def started(self, step: int, now: float) -> None:
        """Process the start of a kernel that may start."""
        self.advance(now)
        number = step % self.count
        contents, written = self.contents, self._written[number]
        for tensor in self._operands[number]:
            vacant = contents.vacant[tensor]
            if tensor in written or vacant:
                self._overwrite(tensor)
                if vacant and self.pager is not None:
                    self.pager.arrived(tensor, 0, contents.sizes[tensor], now)
            elif contents.uniform_state(tensor) is None or contents.uniform_state(tensor) == HERE:
                self._fill(tensor)
        if self._reserved is not None:
            self._extra -= self._reserved[0]
            self._reserved = None
        self._extra += self.trace.kernels[number].workspace
        self.running, self.head = step, step + 1
        self._stale = True
        if self.pager is not None:
            self.pager.used(step, now)

    def ended(self, step: int, now: float) -> None:
        """Process the end of a kernel: free dead tensors, and issue moves."""
        self.advance(now)
        number = step % self.count
        for tensor in self._dying[number]:
            self._cancel(tensor, [(0, self.contents.sizes[tensor])])
        self.running = None
        self._extra -= self.trace.kernels[number].workspace
        for tensor in self._dying[number]:
            self.contents.put(tensor, 0, self.contents.sizes[tensor], NOWHERE)
        self._issue(number + 1)
        if number + 1 == self.count:
            self._issue(0)
        self._stale = True

    def next_event(self) -> float:
        """Time, in ns, of the next event of transfers and latencies; inf if there is none."""
        if self._stale:
            self._settle()
        return self._next

    def is_under_way(self, move: int) -> bool:
        """True if a move, by its number, has been issued and is not done."""
        return self._open[move] > 0

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

    def stuck(self, step: int) -> Refused:
        """The error for a kernel that waits for bytes or room that will never come."""
        number = step % self.count
        kernel, tensors = self.trace.kernels[number], self.trace.tensors
        start = f"kernel {number} ({kernel.name})"
        for tensor in self._operands[number]:
            if missing := self.contents.absent[tensor]:
                entry = next((each for each in self._pending.get(tensor, ()) if each.inward), None)
                if entry is None:
                    where = self._where(tensor)
                    return Refused(
                        f"{start} waits for {size(missing)} of {tensors[tensor].name}, which are in {where}, but no "
                        "prefetch brings them; prefetch them before, or use a regime with faults",
                        step,
                    )
                return Refused(
                    f"{start} waits for {size(missing)} of {tensors[tensor].name}, whose prefetch waits for room: "
                    f"{self._state_of_room()}",
                    step,
                    entry.number,
                )
        need = self._allocation(number)
        return Refused(
            f"{start} waits for room for {size(need)} of outputs and workspace: {self._state_of_room()}", step
        )

    # Queries of the state

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

    def _where(self, tensor: int) -> str:
        tiers = {tier_of(state) for _, _, state in self.contents.ranges(tensor) if state & 3 == FULL}
        return " and ".join(self.system.tiers[tier].name for tier in sorted(tiers))

    def _state_of_room(self) -> str:
        tiers = ", ".join(
            f"{tier.name} {size(used)} of {size(tier.capacity)}"
            for tier, used in zip(self.system.tiers, self._tiers_used(), strict=True)
        )
        return (
            f"{self.system.device} holds {size(self._used)} of {size(self.system.capacity)} ({tiers}), and nothing that "
            "has been issued makes room"
        )

    def _allocation(self, number: int) -> int:
        """The bytes to allocate in the device's memory when a kernel, by its number, starts."""
        vacant = self.contents.vacant
        need = self.trace.kernels[number].workspace
        for tensor in self._operands[number]:
            need += vacant[tensor]
        return need

    def _deaths(self) -> list[list[int]]:
        """For each kernel, the tensors that are dead once it has ended."""
        dying: list[list[int]] = [[] for _ in self.trace.kernels]
        lasts: list[int] = self.trace.last.tolist()
        for tensor, last in enumerate(lasts):
            if last >= 0 and not self._kept[tensor]:
                dying[last].append(tensor)
        return dying

    # Moves

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
        entry.ready = self.now + self.system.latency_ns + (tier.in_ns if entry.inward else tier.out_ns)
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
                    parts.setdefault(max(0, tier_of(state)), []).append((begin, end))
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

    def _overwrite(self, tensor: int) -> None:
        """Mark a tensor as overwritten: its copies are stale, and moves of them are cancelled."""
        if tensor in self._pending:
            self._cancel(tensor, [(0, self.contents.sizes[tensor])])
        self.contents.put(tensor, 0, self.contents.sizes[tensor], HERE | FULL)

    def _fill(self, tensor: int) -> None:
        """Mark the bytes of a tensor that were allocated without contents as having contents."""
        for first, last, state in self.contents.ranges(tensor):
            self.contents.put(tensor, first, last, state | HERE | FULL)

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

    # Events

    def _pass(self, now: float) -> None:
        span = now - self.now
        if span > 0:
            for flow in self._flows:
                flow.moved += flow.rate * span
            self.now = now

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
        share(flows, *self._rates, *self._tier_rates)
        if self._slack <= EXACT or min(self._rooms) <= EXACT:
            hold_back(flows, self._free, self._slack, self._rooms)
        for flow, rate in zip(flows, before, strict=True):
            if flow.rate != rate:
                self._note(flow)

    def _finish(self) -> None:
        """Complete the transfers whose last byte has arrived."""
        for queue in self._queues:
            flow = queue.flow
            if flow is not None and flow.moved >= flow.last - flow.first - EXACT:
                flow.moved = flow.last - flow.first
                self._halt(queue)

    def _note(self, flow: Flow) -> None:
        """Log the progress of a flow since it was last logged."""
        complete = int(flow.moved + EXACT)
        if complete > flow.logged:
            act = Act.IN if flow.inward else Act.OUT if flow.frees else Act.COPY
            first, last = flow.first + flow.logged, flow.first + complete
            self.log.add(act, flow.tensor, flow.tier, first, last, flow.since, self._moment)
            flow.logged = complete
        flow.since = self._moment

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
            if entry.tensor in (self._operands[number] if evict else self._written[number]):
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

    def _limit(self, inward: bool, tier: int, nbytes: int) -> float:
        """The rate, in bytes/ns, of a single transfer of `nbytes` bytes."""
        way = 0 if inward else 1
        return min(self._rates[way] * self.system.ramp.share(nbytes), self._tier_rates[way][tier])

    def _flow(self, queue: Queue, entry: Entry, first: int, last: int, tier: int, limit: float, frees: bool) -> None:
        queue.flow = Flow(entry, first, last, tier, limit, frees, self._moment)
        self._flows.append(queue.flow)

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

    def _awaited(self, number: int) -> float:
        """The bytes that must still arrive before a kernel can start: those of its own operands, and those of moves
        that are queued before the moves of these operands."""
        last: dict[Queue, Entry] = {}
        need = 0.0
        for tensor in self._operands[number]:
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

    def _measure(self) -> None:
        used, tiers = self._used, self._tiers_used()
        self._free = self.system.capacity - used
        self._slack = self._free - self._reserve
        self._rooms = [capacity - each for capacity, each in zip(self._capacities, tiers, strict=True)]
        self.samples.append((self.now, used, tuple(tiers)))

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

    # Kernels

    def lacks(self, step: int) -> bool:
        """True if it is known without a further look that a kernel can't start yet."""
        return bool(self._faulted.entries or self._waited_for[step] or self._lacking == (step, self._changes))

    def _ready(self, step: int) -> bool:
        number = step % self.count
        if self.lacks(step):
            return False
        contents = self.contents
        ready = True
        for tensor in self._operands[number]:
            if tensor in self._pending:
                self._pull(tensor)
                if self.regime.faults:
                    self._keep(tensor)
                ready &= not any(each.kind == "evict" and each.ranges for each in self._pending.get(tensor, ()))
            ready &= not contents.absent[tensor]
            state = contents.uniform_state(tensor)
            if state is None or not state & FULL:
                self._check_contents(step, tensor)
        if not ready:
            self._fault(step)
            self._lacking = step, self._changes
            return False
        if self._faulted.busy_until > self.now + SOON:
            self._stale = True
            return False
        if self.regime.faults and any(contents.vacant[tensor] for tensor in self._operands[number]):
            self._fault(step)
            return False
        return self._make_room_for_outputs(number)

    def _pull(self, tensor: int) -> None:
        """Cancel evictions of bytes of a tensor that a later prefetch, awaited by the next kernel, would bring back:
        the bytes stay on the device."""
        for entry in list(self._pending[tensor]):
            if entry.kind == "prefetch":
                self._cancel(tensor, entry.ranges, entry.issued, inward=False)

    def _keep(self, tensor: int) -> None:
        """Cancel pager evictions of bytes that the next kernel uses, if they have not begun."""
        for entry in list(self._pending.get(tensor, ())):
            if entry.kind == "evict" and entry.number < 0 and entry.ranges:
                ranges = list(entry.ranges)
                self._halt_entry(entry)
                entry.subtract(ranges)
                self._changes += 1
                self._stale = True
                if self.pager is not None:
                    self._stay(tensor, ranges)

    def _check_contents(self, step: int, tensor: int) -> None:
        """Raises Refused if a kernel reads a dead tensor."""
        number = step % self.count
        kernel = self.trace.kernels[number]
        if tensor not in kernel.reads or (number == self.trace.first[tensor] and not self.trace.persistent[tensor]):
            return
        dead = sum(last - first for first, last, state in self.contents.ranges(tensor) if not state & FULL)
        if dead:
            raise Refused(
                f"kernel {number} ({kernel.name}) reads {size(dead)} of {self.trace.tensors[tensor].name} that have "
                "been discarded; discard them after their last reader",
                step,
            )

    def _make_room_for_outputs(self, number: int) -> bool:
        """True if the memory has room for the outputs of a kernel and the time of their allocation is over."""
        need = self._allocation(number) - (self._reserved[0] if self._reserved is not None else 0)
        if need > self.system.capacity - self._used + EXACT:
            self._wanted = need
            self._stale = True
            return False
        self._wanted = 0
        if need > 0 and self.system.allocation_ns:
            self._reserve_room(need)
        return self._reserved is None or self._reserved[1] <= self.now + SOON

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

    # Paging on demand

    def _fault(self, step: int) -> None:
        """Fetch bytes that a kernel lacks and that no prefetch brings."""
        if not self.regime.faults or self.pager is None:
            return
        missing: list[Missing] = []
        for tensor in self._operands[step % self.count]:
            if not any(entry.inward and entry.ranges for entry in self._pending.get(tensor, ())):
                for first, last, state in self.contents.ranges(tensor):
                    if not state & HERE:
                        where = self.system.tiers[tier_of(state)].name if state else ""
                        missing.append(Missing(tensor, first, last, where))
        if not missing:
            return
        for tensor, first, last, rate, latency_ns in self.pager.faults(step, missing, self.now):
            entry = Entry(-1, "fault", tensor, [(first, last)], -1, self._number())
            entry.rate = 0.0 if rate == inf else _per_ns(rate)
            entry.ready, entry.latency = -1.0, latency_ns
            self._faulted.add(entry)
            self._pending.setdefault(tensor, []).append(entry)
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

    def close(self) -> None:
        """Log the transfers that are under way."""
        for flow in self._flows:
            self._note(flow)


def _per_ns(rate: float) -> float:
    return rate / 1e9


def _until(level: float, mark: float, rate: float) -> float:
    """Time, in ns, until an amount that is `level` now and changes at `rate` per ns equals `mark`; inf if it equals
    `mark` already, moves away from it, or does not change."""
    away = mark - level
    if abs(away) <= EXACT or not rate or (away > 0) != (rate > 0):
        return inf
    return away / rate

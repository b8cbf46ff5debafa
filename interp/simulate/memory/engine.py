"""The memory of a device while kernels run: which kernel may start, and what its start and end change.

A kernel starts when all bytes of its operands are in the device's memory and its outputs and workspace have room;
memory of tensors that are dead after their last use is free at once. What happens between starts and ends stands in
the layers below this class: foresight.py (events), and in moving/: serving.py, issuing.py (moves) and transfers.py
(bytes on the way). A plan that deadlocks is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from interp.figures import size
from interp.machine.memory_system import MemorySystem
from interp.simulate.memory.contents import FULL, HERE, NOWHERE, tier_of
from interp.simulate.memory.foresight import Foresight
from interp.simulate.memory.moving.flows import EXACT, SOON, Entry
from interp.simulate.memory.pager import Missing, Pager
from interp.simulate.memory.problem import KernelTrace, Move, check_moves
from interp.simulate.memory.regime import STRICT, Refused, Regime
from interp.simulate.memory.start import place


class MemoryEngine(Foresight):
    """The state of a device's memory and of its transfers at the current time."""

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
        super().__init__(trace, system, moves, regime, pager, steps)
        self._lacking: tuple[int, int] | None = None
        """The step that lacked operands at the last check, and `_changes` at that time."""
        place(self.contents, trace, system, self._issues, regime, start)
        self.start = [self.contents.ranges(tensor) for tensor in range(len(trace.tensors))]
        """For each tensor, its byte ranges and their states before the first move."""
        self._issue(0)

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
        contents, written = self.contents, self.trace.kernels[number].writes
        for tensor in self.trace.operands[number]:
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

    def occupy(self, way: str, copies: int, now: float) -> None:
        """Note that `copies` more copies of the program than before (fewer, if negative) occupy a link's direction,
        given by its name as a resource."""
        if way in self._directions:
            self.advance(now)
            self._occupied[self._directions[way]] += copies
            self._stale = True

    def lacks(self, step: int) -> bool:
        """True if it is known without a further look that a kernel can't start yet."""
        return bool(self._faulted.entries or self._waited_for[step] or self._lacking == (step, self._changes))

    def _ready(self, step: int) -> bool:
        number = step % self.count
        if self.lacks(step):
            return False
        contents = self.contents
        ready = True
        for tensor in self.trace.operands[number]:
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
        if self.regime.faults and any(contents.vacant[tensor] for tensor in self.trace.operands[number]):
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

    def _fault(self, step: int) -> None:
        """Fetch bytes that a kernel lacks and that no prefetch brings."""
        if not self.regime.faults or self.pager is None:
            return
        missing: list[Missing] = []
        for tensor in self.trace.operands[step % self.count]:
            if not any(entry.inward and entry.ranges for entry in self._pending.get(tensor, ())):
                for first, last, state in self.contents.ranges(tensor):
                    if not state & HERE:
                        where = self.system.tiers[tier_of(state)].name if state else ""
                        missing.append(Missing(tensor, first, last, where))
        if not missing:
            return
        for tensor, first, last, rate, latency_ns in self.pager.faults(step, missing, self.now):
            entry = Entry(-1, "fault", tensor, [(first, last)], -1, self._number())
            entry.rate = 0.0 if rate == inf else rate / 1e9
            entry.ready, entry.latency = -1.0, latency_ns
            self._faulted.add(entry)
            self._pending.setdefault(tensor, []).append(entry)
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

    def stuck(self, step: int) -> Refused:
        """The error for a kernel that waits for bytes or room that will never come."""
        number = step % self.count
        kernel, tensors = self.trace.kernels[number], self.trace.tensors
        start = f"kernel {number} ({kernel.name})"
        for tensor in self.trace.operands[number]:
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

    def _where(self, tensor: int) -> str:
        tiers = {tier_of(state) for _, _, state in self.contents.ranges(tensor) if state & 3 == FULL}
        return " and ".join(self.system.tiers[tier].name for tier in sorted(tiers))

    def _state_of_room(self) -> str:
        tiers = ", ".join(
            f"{tier.name} {size(used)} of {size(tier.capacity)}"
            for tier, used in zip(self.system.tiers, self._tiers_used(), strict=True)
        )
        return (
            f"{self.system.device} holds {size(self._used)} of {size(self.system.capacity)} ({tiers}), and nothing "
            "that has been issued makes room"
        )

"""A simulation of memory in time steps: the engine's rules, applied byte by byte to small cases.

It has one tier, moves of whole tensors, no latencies, and mode `move`. In each step each direction carries the bytes
that the link can transfer in it, as far as memory is free; times are exact up to a few steps, since the order of events
in a step is unknown.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from interp.machine.memory_system import MemorySystem
from interp.simulate.memory.problem import KernelTrace, Move


@dataclass
class _Location:
    """The location of a tensor's contents: the number of bytes on the device (`here`) and in the tier (`there`). Bytes
    without contents are in neither number."""

    here: float = 0.0
    there: float = 0.0


class NaiveMemory:
    """A simulation of kernels in steps of `tick` ns."""

    def __init__(self, trace: KernelTrace, system: MemorySystem, moves: Sequence[Move], tick: float) -> None:
        self.trace, self.system, self.moves, self.tick = trace, system, moves, tick
        self.sizes = [tensor.nbytes for tensor in trace.tensors]
        self.lying = [_Location() for _ in trace.tensors]
        self.inward: deque[int] = deque()
        self.outward: deque[int] = deque()
        self.workspace = 0
        self.now = 0.0
        self.place()

    def place(self) -> None:
        """Place each persistent tensor in the memory that holds it at the end of an iteration."""
        for number, tensor in enumerate(self.trace.tensors):
            if tensor.persistent:
                mine = sorted((move for move in self.moves if move.tensor == number), key=lambda move: move.at)
                used = any(number in kernel.reads + kernel.writes for kernel in self.trace.kernels)
                if not used or (mine and mine[-1].kind == "evict"):
                    self.lying[number].there = tensor.nbytes
                else:
                    self.lying[number].here = tensor.nbytes

    @property
    def used(self) -> float:
        return sum(each.here for each in self.lying) + self.workspace

    def operands(self, number: int) -> set[int]:
        kernel = self.trace.kernels[number]
        return {*kernel.reads, *kernel.writes}

    def allocation(self, number: int) -> float:
        fresh = (self.sizes[t] for t in self.operands(number) if not self.lying[t].here and not self.lying[t].there)
        return sum(fresh) + self.trace.kernels[number].workspace

    def run(self, iterations: int, patience: float) -> list[float] | None:
        """The start of each kernel; None if a kernel waits longer than `patience` ns."""
        begins: list[float] = []
        count = len(self.trace.kernels)
        self.issue(0)
        for step in range(iterations * count):
            number = step % count
            waited = self.now
            while not self.ready(number):
                if self.now - waited > patience:
                    return None
                self.step(number, None)
            begins.append(self.now)
            for tensor in self.operands(number):
                self.lying[tensor].here = self.sizes[tensor]
            self.workspace = self.trace.kernels[number].workspace
            end = self.now + self.trace.kernels[number].ns
            while self.now < end - self.tick / 2:
                self.step((number + 1) % count, number)
            self.workspace = 0
            for tensor in self.dying(number):
                self.lying[tensor] = _Location()
            self.issue(number + 1)
            if number + 1 == count:
                self.issue(0)
        return begins

    def dying(self, number: int) -> list[int]:
        later = {tensor for after in range(number + 1, len(self.trace.kernels)) for tensor in self.operands(after)}
        return [t for t in self.operands(number) if t not in later and not self.trace.tensors[t].persistent]

    def issue(self, at: int) -> None:
        for move in self.moves:
            if move.at == at and (self.lying[move.tensor].here or self.lying[move.tensor].there):
                (self.inward if move.kind == "prefetch" else self.outward).append(move.tensor)

    def ready(self, number: int) -> bool:
        operands = self.operands(number)
        for tensor in operands & {*self.inward} & {*self.outward}:
            self.outward.remove(tensor)
        if any(self.lying[tensor].there for tensor in operands) or any(t in self.outward for t in operands):
            return False
        return self.used + self.allocation(number) <= self.system.capacity + 1e-6

    def step(self, following: int, running: int | None) -> None:
        """Simulate one tick: bytes leave the device first, since the freed memory may be used in the same tick."""
        self.now += self.tick
        self.leave(running)
        credit = 0.0
        if running is not None:
            credit = self.trace.kernels[running].workspace + sum(self.sizes[t] for t in self.dying(running))
        self.come(following, credit)

    def leave(self, running: int | None) -> None:
        left = self.system.out_rate / 1e9 * self.tick
        while self.outward and left > 1e-9:
            lying = self.lying[self.outward[0]]
            if running is not None and self.outward[0] in self.operands(running):
                return
            part = min(left, lying.here)
            lying.here, lying.there, left = lying.here - part, lying.there + part, left - part
            if lying.here < 1e-9:
                lying.here = 0.0
                self.outward.popleft()

    def come(self, following: int, credit: float) -> None:
        left = self.system.in_rate / 1e9 * self.tick
        while self.inward and left > 1e-9:
            tensor = self.inward[0]
            lying = self.lying[tensor]
            if tensor in self.outward:
                self.outward.remove(tensor)
            waiting = [place for place, each in enumerate(self.inward) if each in self.operands(following)]
            if waiting:
                room = self.system.capacity - self.used
            else:
                room = self.system.capacity - self.used - max(0.0, self.allocation(following) - credit)
                room = min(room, self.system.capacity - self.used)
            part = min(left, lying.there, max(0.0, room))
            lying.here, lying.there, left = lying.here + part, lying.there - part, left - part
            if lying.there < 1e-9:
                lying.there = 0.0
                self.inward.popleft()
            elif part < 1e-9:
                return

"""Unified memory as the driver of a GPU does it: what faults bring, what they cost, and which chunks leave for it.

- A kernel whose operands are not all in the device's memory faults, as its threads go through one operand after the
  other. What is missing comes in groups (interp/memory/fault_groups.py), one after the other, each after `latency_ns`;
  and all of it at most at `service` bytes/s, the rate measured for streams of faults, latencies included. What has no
  contents yet only takes room: where memory is free it costs nothing (a framework's allocator hands out pages of dead
  tensors, which are mapped), where chunks must leave first it takes groups, too.
- When room is lacking, chunks (2 MB) go, whole, to the nearest tier with room: the least recently used ones. With
  `lru` each use counts, as simulators have it (G10, gpgpu-sim UVMSmart). With `migrated` a fault or a prefetch counts
  alone, also one that finds the bytes there; the driver does not see a kernel's accesses that hit
  (kernel-open/nvidia-uvm/uvm_va_block.c of github.com/NVIDIA/open-gpu-kernel-modules: block_mark_memory_used).
- Operands of the kernel that runs or waits are the last to go, since it would fault at them at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import inf

from dialects.diagnostics import InputError
from interp.machine.memory_system import Faults, MemorySystem
from interp.memory.contents import HERE, Contents
from interp.memory.fault_groups import fault_groups
from interp.memory.pager import Fetch, Missing, Victim
from interp.memory.problem import KernelTrace
from interp.memory.recency import Recency


class UnifiedMemory:
    """The driver for a device with tiers behind it, while the kernels of a trace run. It is a `Pager`.

    Raises InputError where the memory of the device serves no faults.
    """

    def __init__(self, trace: KernelTrace, system: MemorySystem) -> None:
        if system.faults is None:
            raise InputError(
                f"the memory behind @{system.device} serves no page faults (its sheet does not say `demand yes`); "
                "take a machine with unified memory (v100-uvm, a100-uvm), or a plan that moves all that kernels need"
            )
        self.trace, self.system = trace, system
        self._faults: Faults = system.faults
        self._recency = Recency()
        self._contents: Contents | None = None
        self.groups = 0
        """Number of groups of faults that were served so far."""
        self.faulted = 0
        """Bytes that they brought."""

    def attach(self, contents: Contents) -> None:
        """Learn where bytes lie. What is here at the start counts as used in order of tensors."""
        self._contents = contents
        for tensor in range(len(self.trace.tensors)):
            for first, last in self._here(tensor, 0, contents.sizes[tensor]):
                self._touch(tensor, first, last)

    def faults(self, step: int, missing: Sequence[Missing], now: float) -> Sequence[Fetch]:
        """Fetches that a kernel's faults cause: of all its missing bytes, operand by operand."""
        by_tensor: dict[int, list[Missing]] = defaultdict(list)
        for part in missing:
            by_tensor[part.tensor].append(part)
        room = self.system.capacity - self._known.device
        found: list[Fetch] = []
        for tensor, parts in by_tensor.items():
            room -= sum(part.last - part.first for part in parts if part.tier)
            for part in parts:
                if part.tier:
                    found.append(self._fetch(tensor, part.first, part.last))
                    continue
                free = part.first + min(max(room, 0), part.last - part.first)
                room -= part.last - part.first
                if part.first < free:
                    found.append(Fetch(tensor, part.first, free, inf, 0.0))
                if free < part.last:
                    found.append(self._fetch(tensor, free, part.last))
        return found

    def _fetch(self, tensor: int, first: int, last: int) -> Fetch:
        """Fetch that serves the faults of a touch of these bytes. It takes a latency for each group, and its transfer
        at the rate that the bus has for its size; or, where that is longer, all of it at the rate of service."""
        faults, system = self._faults, self.system
        groups = fault_groups([(first, last)], self.trace.tensors[tensor].nbytes, faults)
        count, nbytes = sum(groups.values()), sum(size * times for size, times in groups.items())
        self.groups += count
        self.faulted += last - first
        bus = sum(times * size / (system.in_rate * system.ramp.share(size)) for size, times in groups.items())
        ns = max(count * faults.latency_ns + bus * 1e9, nbytes / faults.service * 1e9) - faults.latency_ns
        return Fetch(tensor, first, last, (last - first) / ns * 1e9 if ns > 0 else inf, faults.latency_ns)

    def victims(self, nbytes: int, step: int, now: float) -> Sequence[Victim]:
        """The least recently used chunks that make room for so many bytes more, those of kernel `step` last."""
        spared = set(self.trace.operands[step % len(self.trace.operands)])
        found: list[Victim] = []
        for last_resort in (False, True):
            gone: list[tuple[int, int, int]] = []
            for tensor, first, last in self._recency.oldest():
                if nbytes <= 0:
                    break
                if (tensor in spared) == last_resort:
                    end, parts = self._enough(tensor, first, last, nbytes)
                    nbytes -= sum(stop - start for start, stop in parts)
                    found += [Victim(tensor, start, stop, "") for start, stop in parts]
                    gone.append((tensor, first, end))
            for tensor, first, last in gone:
                self._recency.forget(tensor, first, last)
        return found

    def _enough(self, tensor: int, first: int, last: int, nbytes: int) -> tuple[int, list[tuple[int, int]]]:
        """End of the chunks of a tensor, from `first` on, that hold `nbytes` bytes in the device's memory (at most
        `last`), and the ranges of these bytes, to the end of the last chunk."""
        chunk, size = self._faults.chunk, self.trace.tensors[tensor].nbytes
        parts: list[tuple[int, int]] = []
        for start, stop in self._here(tensor, first * chunk, min(last * chunk, size)):
            if nbytes <= 0:
                break
            stop = min(stop, -(-(start + nbytes) // chunk) * chunk)
            parts.append((start, stop))
            nbytes -= stop - start
        if nbytes > 0:
            return last, parts
        end = -(-parts[-1][1] // chunk)
        rest = self._here(tensor, parts[-1][1], min(end * chunk, size))  # the chunk's other pieces go with it
        return end, parts + list(rest)

    def arrived(self, tensor: int, first: int, last: int, now: float) -> None:
        """Bytes have come to the device's memory, or a prefetch found them there."""
        self._touch(tensor, first, last)

    def used(self, step: int, now: float) -> None:
        """A kernel starts and goes through its operands."""
        if self._faults.evicts == "lru":
            for tensor in self.trace.operands[step % len(self.trace.operands)]:
                self._touch(tensor, 0, self.trace.tensors[tensor].nbytes)

    def _touch(self, tensor: int, first: int, last: int) -> None:
        chunk = self._faults.chunk
        self._recency.touch(tensor, first // chunk, -(-last // chunk))

    def _here(self, tensor: int, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The bytes [first, last) of a tensor that lie in the device's memory."""
        for start, stop, state in self._known.pieces(tensor, first, last):
            if state & HERE:
                yield start, stop

    @property
    def _known(self) -> Contents:
        if self._contents is None:
            raise RuntimeError("`attach` comes before anything else")
        return self._contents

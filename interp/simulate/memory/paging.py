"""Unified memory as a GPU driver implements it: the bytes that faults fetch, the times of faults, and the chunks that
are evicted.

- A kernel whose operands are not all in the device's memory faults, as its threads access one operand after the other.
  Missing bytes are fetched in groups (interp/simulate/memory/fault_groups.py), serially, each after `latency_ns`; and
  all together at most at `service` bytes/s, the rate measured for streams of faults, latencies included. Bytes without
  contents only need room. If there is free memory, they take no time (a framework's allocator hands out pages of dead
  tensors, which are mapped); if chunks must be evicted first, these bytes are fetched in groups, too.
- When room is lacking, whole chunks (2 MB), the least recently used ones, are evicted to the nearest tier with room.
  With `lru` each use of a chunk counts, as in simulators (G10, gpgpu-sim UVMSmart). With `migrated` only a fault or a
  prefetch counts, also one that finds the bytes on the device; the driver does not see a kernel's accesses that hit
  (kernel-open/nvidia-uvm/uvm_va_block.c of github.com/NVIDIA/open-gpu-kernel-modules: block_mark_memory_used).
- Operands of the kernel that runs or waits are evicted last, since it would fault on them at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import inf

from dialects.diagnostics import InputError
from interp.machine.memory_system import Faults, MemorySystem
from interp.simulate.memory.contents import HERE, Contents
from interp.simulate.memory.fault_groups import fault_groups
from interp.simulate.memory.pager import Fetch, Missing, Victim
from interp.simulate.memory.problem import KernelTrace
from interp.simulate.memory.recency import Recency


class UnifiedMemory:
    """The driver for a device with tiers behind it, while the kernels of a trace run. It is a `Pager`.

    Raises InputError if the memory of the device serves no faults.
    """

    def __init__(self, trace: KernelTrace, system: MemorySystem) -> None:
        if system.faults is None:
            raise InputError(
                f"the memory behind @{system.device} serves no page faults (its sheet does not state `demand yes`); "
                "use a machine with unified memory (v100-uvm, a100-uvm), or a plan that moves all operands of kernels"
            )
        self.trace, self.system = trace, system
        self._faults: Faults = system.faults
        self._recency = Recency()
        self._contents: Contents | None = None
        self.groups = 0
        """The number of fault groups served so far."""
        self.faulted = 0
        """The bytes that these groups brought."""

    def attach(self, contents: Contents) -> None:
        """Store a reference to the engine's `contents`. Bytes on the device at the start count as used in order of
        tensors."""
        self._contents = contents
        for tensor in range(len(self.trace.tensors)):
            for first, last in self._here(tensor, 0, contents.sizes[tensor]):
                self._touch(tensor, first, last)

    def faults(self, step: int, missing: Sequence[Missing], now: float) -> Sequence[Fetch]:
        """The fetches for a kernel's faults: all its missing bytes, operand by operand."""
        by_tensor: dict[int, list[Missing]] = defaultdict(list)
        for part in missing:
            by_tensor[part.tensor].append(part)
        room = self.system.capacity - self._known.device
        found: list[Fetch] = []
        for tensor, parts in by_tensor.items():
            room -= sum(part.last - part.first for part in parts if part.tier)
            for part in parts:
                if part.tier:
                    found.append(self._fetch(tensor, part.first, part.last, part.tier))
                    continue
                free = part.first + min(max(room, 0), part.last - part.first)
                room -= part.last - part.first
                if part.first < free:
                    found.append(Fetch(tensor, part.first, free, inf, 0.0))
                if free < part.last:
                    found.append(self._fetch(tensor, free, part.last, ""))
        return found

    def _fetch(self, tensor: int, first: int, last: int, tier: str) -> Fetch:
        """The fetch that serves the faults of a kernel that accesses bytes [first, last) of a tensor in a tier (empty:
        bytes without contents, from the nearest one). It takes the longer of two times: the sum over its fault groups
        of a latency and the group's transfer at the bus's rate for its size; or all bytes at `service` bytes/s."""
        faults, system = self._faults, self.system
        groups = fault_groups([(first, last)], self.trace.tensors[tensor].nbytes, faults)
        count, nbytes = sum(groups.values()), sum(size * times for size, times in groups.items())
        self.groups += count
        self.faulted += last - first
        bus = system.buses[(system.tier(tier) or system.tiers[0]).bus]
        moving = sum(times * size / (bus.in_rate * bus.ramp.share(size)) for size, times in groups.items())
        ns = max(count * faults.latency_ns + moving * 1e9, nbytes / faults.service * 1e9) - faults.latency_ns
        return Fetch(tensor, first, last, (last - first) / ns * 1e9 if ns > 0 else inf, faults.latency_ns)

    def victims(self, nbytes: int, step: int, now: float) -> Sequence[Victim]:
        """The chunks to evict so that `nbytes` more bytes have room: the least recently used chunks that hold no
        operand of kernel `step`; if these are not enough, also chunks of its operands."""
        spared = set(self.trace.operands[step % len(self.trace.operands)])
        found: list[Victim] = []
        for last_resort in (False, True):
            evicted: list[tuple[int, int, int]] = []
            for tensor, first, last in self._recency.oldest():
                if nbytes <= 0:
                    break
                if (tensor in spared) == last_resort:
                    end, parts = self._enough(tensor, first, last, nbytes)
                    nbytes -= sum(stop - start for start, stop in parts)
                    found += [Victim(tensor, start, stop, "") for start, stop in parts]
                    evicted.append((tensor, first, end))
            for tensor, first, last in evicted:
                self._recency.forget(tensor, first, last)
        return found

    def _enough(self, tensor: int, first: int, last: int, nbytes: int) -> tuple[int, list[tuple[int, int]]]:
        """The number of a chunk and byte ranges. The shortest range of chunks is sought that begins with chunk `first`
        of a tensor, and of which `nbytes` bytes are in the device's memory. The number is that of the chunk after
        its last one (at most `last`), the byte ranges are those of its bytes that are in the device's memory."""
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
        rest = self._here(tensor, parts[-1][1], min(end * chunk, size))  # the chunk's other bytes are evicted with it
        return end, parts + list(rest)

    def arrived(self, tensor: int, first: int, last: int, now: float) -> None:
        """Note that bytes have arrived in the device's memory, or that a prefetch found them there."""
        self._touch(tensor, first, last)

    def used(self, step: int, now: float) -> None:
        """Note that a kernel starts and accesses its operands."""
        if self._faults.evicts == "lru":
            for tensor in self.trace.operands[step % len(self.trace.operands)]:
                self._touch(tensor, 0, self.trace.tensors[tensor].nbytes)

    def _touch(self, tensor: int, first: int, last: int) -> None:
        chunk = self._faults.chunk
        self._recency.touch(tensor, first // chunk, -(-last // chunk))

    def _here(self, tensor: int, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The ranges of bytes [first, last) of a tensor that are in the device's memory."""
        for start, stop, state in self._known.ranges(tensor, first, last):
            if state & HERE:
                yield start, stop

    @property
    def _known(self) -> Contents:
        if self._contents is None:
            raise RuntimeError("`attach` comes before anything else")
        return self._contents

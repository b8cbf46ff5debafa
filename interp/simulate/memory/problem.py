"""A trace of kernels and tensors, and the moves of a plan, as plain data: the input of engines, planners and bounds.

Kernels run serially in their order, and the trace repeats (training steps, tokens). A *use* of a tensor is a kernel
that reads or writes it. Between two uses with other kernels in between, the tensor is *idle*, and only then it may
leave the device. A tensor that does not persist has contents from its first use in an iteration to its last use; its
first use gives it contents, and so counts as a write even if the kernel only reads it. A persistent tensor (weights,
optimizer state) always has contents, and is idle from its last use to its first use in the next iteration.

Sizes are the program's bytes; `in_pages` rounds them up for a device that has pages.

If other devices and links run concurrently with the kernels (`Concurrency`), the trace is one run of all of them: the
times of kernels in which the device waits for others are those of that run, and differ in runs in which kernels wait
for memory.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialects.diagnostics import InputError
from interp.simulate.events.jobs import SEPARATE, Job, SharingRules

Numbers: TypeAlias = NDArray[np.int64]

MoveKind: TypeAlias = Literal["prefetch", "evict", "write_back", "discard"]

NEVER = -1
"""The kernel number that means "no kernel"."""


@dataclass(frozen=True)
class Tensor:
    """A block of memory with contents. `persistent`: its contents persist across iterations."""

    name: str
    nbytes: int
    persistent: bool = False


@dataclass(frozen=True)
class Kernel:
    """A step of `ns` nanoseconds, which needs the tensors `reads` and `writes` (by number) and `workspace` bytes
    resident.

    A kernel that both reads and writes a tensor updates it in place.
    """

    name: str
    ns: float
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    workspace: int = 0


@dataclass(frozen=True, eq=False)
class Concurrency:
    """The jobs of a program on all of its devices and links, of which the kernels of a trace are those of one device
    (interp/simulate/program_trace.py). `rules`: the sharing rules of the machine."""

    jobs: tuple[Job, ...]
    rules: SharingRules
    events: tuple[int | None, ...]
    """For each kernel, its job; None for a kernel in which the device waits, an argument arrives, or a result
    leaves."""
    spans: tuple[tuple[float, float], ...]
    """Begin and end, in ns, of each kernel in a run with enough memory."""
    ends: tuple[float, ...]
    """The end, in ns, of each job in that run."""
    own: Mapping[int, int]
    """The kernel of each job of the device, loops included."""
    during: Mapping[int, tuple[int, int]]
    """The first and last kernel that run concurrently with each job of another resource that uses the device's memory:
    in any run, the job starts after the first of them has started, and the last of them ends when the job has ended."""

    @cached_property
    def over(self) -> tuple[int, ...]:
        """For each job, the kernel at whose end it is over in any run: its own kernel; for another job that uses the
        device's memory, the last kernel that runs concurrently with it; for any other job, the last kernel that begins
        before the job ends."""
        kernels = {event: kernel for kernel, event in enumerate(self.events) if event is not None}
        kernels |= {job: last for job, (_, last) in self.during.items()}
        begins = [begin for begin, _ in self.spans]
        return tuple(
            kernels[job] if job in kernels else bisect_left(begins, end) - 1 for job, end in enumerate(self.ends)
        )

    @cached_property
    def readers(self) -> Mapping[int, int]:
        """The jobs of other resources that start together with a job of the device, which takes their results as a
        stream, directly or through others; each with that job."""
        return {
            other: job
            for job, kernel in self.own.items()
            for other in self._upstream(job)
            if self.during.get(other, (NEVER, NEVER))[0] == kernel
        }

    def _upstream(self, job: int) -> Iterator[int]:
        """The jobs whose results a job takes as streams, directly or through others."""
        for other in self.jobs[job].streams:
            yield other
            yield from self._upstream(other)

    def least_ns(self, kernel: int) -> float:
        """The least time of a kernel in any run, in ns: for a task, the time that it takes alone."""
        event = self.events[kernel]
        return 0.0 if event is None else self.jobs[event].ns


@dataclass(frozen=True, eq=False)
class Idle:
    """Idle intervals, as arrays of equal length in order of tensor and time.

    An interval follows a use by kernel `after` and precedes a use by kernel `before`; if it wraps around to the next
    iteration, `before` counts on from the number of kernels (`before % kernels` is the kernel).
    """

    tensor: Numbers
    after: Numbers
    before: Numbers
    """The kernel of the next use after each interval; `before - after >= 2`."""
    nbytes: Numbers
    segment: Numbers
    """The number of each interval's segment. A segment is a maximal sequence of intervals of one tensor without a write
    in between, so that one copy outside the device serves all of them. An interval that wraps around to the next
    iteration belongs to the segment that continues there, before that iteration's first write."""
    segment_write: Numbers
    """For each segment, the kernel that writes its contents; NEVER if none does, as for weights that are only read."""

    def __len__(self) -> int:
        return len(self.tensor)


@dataclass(frozen=True)
class KernelTrace:
    """Kernels in their order, and the tensors that they refer to by number. Raises InputError for invalid numbers.
    `concurrency`: the jobs of the program that the kernels are part of; None if all of its jobs are kernels."""

    kernels: tuple[Kernel, ...]
    tensors: tuple[Tensor, ...]
    concurrency: Concurrency | None = None

    def __post_init__(self) -> None:
        for tensor in self.tensors:
            if tensor.nbytes < 0:
                raise InputError(f"tensor {tensor.name} has {tensor.nbytes} bytes, expected 0 or more")
        for kernel in self.kernels:
            if not (isfinite(kernel.ns) and kernel.ns >= 0):
                raise InputError(f"kernel {kernel.name} takes {kernel.ns} ns, expected a number, 0 or more")
            if kernel.workspace < 0:
                raise InputError(f"kernel {kernel.name} has {kernel.workspace} bytes of workspace, expected 0 or more")
            for number in (*kernel.reads, *kernel.writes):
                if not 0 <= number < len(self.tensors):
                    raise InputError(
                        f"kernel {kernel.name} names tensor {number}, expected one of 0 to {len(self.tensors) - 1}"
                        if self.tensors
                        else f"kernel {kernel.name} names tensor {number}, but the trace has no tensors"
                    )

    def in_pages(self, page: int) -> KernelTrace:
        """The same trace with all sizes rounded up to whole pages of `page` bytes."""
        if page < 1:
            raise InputError(f"a page has {page} bytes, expected 1 or more")

        def in_pages(nbytes: int) -> int:
            return -(-nbytes // page) * page

        return replace(
            self,
            kernels=tuple(replace(kernel, workspace=in_pages(kernel.workspace)) for kernel in self.kernels),
            tensors=tuple(replace(tensor, nbytes=in_pages(tensor.nbytes)) for tensor in self.tensors),
        )

    def scaled(self, factors: Sequence[float]) -> KernelTrace:
        """The same trace with the time of each kernel multiplied by its factor."""
        pairs = zip(self.kernels, factors, strict=True)
        return KernelTrace(tuple(replace(kernel, ns=kernel.ns * factor) for kernel, factor in pairs), self.tensors)

    @cached_property
    def ideal_ns(self) -> float:
        """The time of an iteration in which no kernel waits, ns."""
        return sum(kernel.ns for kernel in self.kernels)

    @cached_property
    def ns(self) -> NDArray[np.float64]:
        """The time of each kernel, ns."""
        return np.array([kernel.ns for kernel in self.kernels], float)

    @cached_property
    def least_ns(self) -> NDArray[np.float64]:
        """The least time of each kernel in any run, ns."""
        if self.concurrency is None:
            return self.ns
        return np.array([self.concurrency.least_ns(kernel) for kernel in range(len(self.kernels))], float)

    @cached_property
    def nbytes(self) -> Numbers:
        """The bytes of each tensor."""
        return np.array([tensor.nbytes for tensor in self.tensors], np.int64)

    @cached_property
    def persistent(self) -> NDArray[np.bool_]:
        """True for each tensor whose contents persist across iterations."""
        return np.array([tensor.persistent for tensor in self.tensors], bool)

    @cached_property
    def workspace(self) -> Numbers:
        """The bytes of workspace of each kernel."""
        return np.array([kernel.workspace for kernel in self.kernels], np.int64)

    @cached_property
    def operands(self) -> tuple[tuple[int, ...], ...]:
        """The tensors that each kernel uses, each once: those it reads, then those it only writes."""
        return tuple(tuple(dict.fromkeys(kernel.reads + kernel.writes)) for kernel in self.kernels)

    @cached_property
    def all_uses(self) -> tuple[Numbers, Numbers, NDArray[np.bool_]]:
        """All uses in order of tensor and kernel, as three arrays: the tensor of each use, its kernel, and True if the
        use gives the tensor new contents."""
        counts = [len(each) for each in self.operands]
        kernel = np.repeat(np.arange(len(self.kernels), dtype=np.int64), counts)
        tensor = np.array([number for each in self.operands for number in each], np.int64)
        written = [set(each.writes) for each in self.kernels]
        writes = np.array([number in written[k] for k, each in enumerate(self.operands) for number in each], bool)
        order = np.lexsort((kernel, tensor))
        tensor, kernel, writes = tensor[order], kernel[order], writes[order]
        if len(tensor):
            begins = np.append(True, tensor[1:] != tensor[:-1])
            writes |= begins & ~self.persistent[tensor]
        return tensor, kernel, writes

    @cached_property
    def _first_use(self) -> Numbers:
        """For each tensor the index in `all_uses` of its first use; as last element the total number of uses."""
        return np.searchsorted(self.all_uses[0], np.arange(len(self.tensors) + 1))

    def uses(self, tensor: int) -> Numbers:
        """The kernels that read or write a tensor, ascending."""
        return self.all_uses[1][self._first_use[tensor] : self._first_use[tensor + 1]]

    def writes(self, tensor: int) -> Numbers:
        """The kernels that give a tensor new contents, ascending."""
        part = slice(self._first_use[tensor], self._first_use[tensor + 1])
        return self.all_uses[1][part][self.all_uses[2][part]]

    @cached_property
    def first(self) -> Numbers:
        """For each tensor, the first kernel that uses it; NEVER if none does."""
        return self._at_edge(self._first_use[:-1])

    @cached_property
    def last(self) -> Numbers:
        """For each tensor, the last kernel that uses it; NEVER if none does."""
        return self._at_edge(self._first_use[1:] - 1)

    def _at_edge(self, places: Numbers) -> Numbers:
        used = self._first_use[1:] > self._first_use[:-1]
        kernels = self.all_uses[1]
        return np.where(used, kernels[np.where(used, places, 0)], NEVER) if len(kernels) else np.full(len(used), NEVER)

    @cached_property
    def working_sets(self) -> Numbers:
        """The bytes that must be resident while each kernel runs: its operands and its workspace."""
        tensor, kernel, _ = self.all_uses
        sums = np.zeros(len(self.kernels), np.int64)
        np.add.at(sums, kernel, self.nbytes[tensor])
        return sums + self.workspace

    @cached_property
    def largest_working_set(self) -> int:
        """The bytes of the largest working set, below which no memory can run the trace."""
        return int(self.working_sets.max(initial=0))

    @cached_property
    def live(self) -> Numbers:
        """The bytes that are live while each kernel runs: all persistent tensors, any other tensor from its first to
        its last use, and the kernel's workspace."""
        changes = np.zeros(len(self.kernels) + 1, np.int64)
        passing = ~self.persistent & (self.first != NEVER)
        np.add.at(changes, self.first[passing], self.nbytes[passing])
        np.add.at(changes, self.last[passing] + 1, -self.nbytes[passing])
        return np.cumsum(changes[:-1]) + self.persistent_bytes + self.workspace

    @cached_property
    def persistent_bytes(self) -> int:
        """Bytes of all tensors whose contents persist across iterations."""
        return int(self.nbytes[self.persistent].sum())

    @cached_property
    def peak_live(self) -> int:
        """The maximum number of bytes that are live at one time: the memory that a run without any move needs."""
        return int(self.live.max(initial=self.persistent_bytes))

    @cached_property
    def idle(self) -> Idle:
        """All idle intervals. A persistent tensor that no kernel uses has none, since it need never be on the
        device."""
        tensor, kernel, writes = self.all_uses
        count, total = len(tensor), len(self.kernels)
        place = np.arange(count)
        ends = np.zeros(count, bool)
        ends[self._first_use[1:][self._first_use[1:] > self._first_use[:-1]] - 1] = True
        following = np.where(ends, self._first_use[tensor], place + 1) if count else place
        before = np.where(ends, kernel[following] + total, kernel[following]) if count else kernel
        taken = (before - kernel >= 2) & (~ends | self.persistent[tensor])
        segment, begins = _segments(tensor, kernel, writes, self._first_use)
        _, numbers = np.unique(segment[taken], return_inverse=True)
        kept = np.unique(segment[taken])
        return Idle(
            tensor[taken],
            kernel[taken],
            before[taken],
            self.nbytes[tensor[taken]],
            numbers.astype(np.int64),
            begins[kept],
        )


def _segments(
    tensor: Numbers, kernel: Numbers, writes: NDArray[np.bool_], first_use: Numbers
) -> tuple[Numbers, Numbers]:
    """For each use, the number of the segment (`Idle.segment`) that contains the interval after it; and for each
    segment, the kernel that writes its contents."""
    count = len(tensor)
    opens = writes.copy()
    used = first_use[:-1][first_use[1:] > first_use[:-1]]
    opens[used] = True
    segment = np.cumsum(opens) - 1
    begins = np.where(writes[opens], kernel[opens], NEVER)
    for start, stop in zip(used.tolist(), [*used.tolist()[1:], count], strict=False):
        # Reads before the first write are of the contents that the last write left.
        if not writes[start] and writes[start:stop].any():
            last = segment[stop - 1]
            segment[start:stop][segment[start:stop] == segment[start]] = last
    return segment, begins


def serial(trace: KernelTrace, device: str, factors: Sequence[float] | None = None) -> Concurrency:
    """The kernels of a trace as the only jobs of its device, without anything that runs concurrently. `factors`: a
    factor for the time of each kernel."""
    factors = factors or [1.0] * len(trace.kernels)
    jobs = tuple(Job(device, kernel.ns * factor) for kernel, factor in zip(trace.kernels, factors, strict=True))
    numbers = range(len(jobs))
    return Concurrency(jobs, SEPARATE, tuple(numbers), (), (), {number: number for number in numbers}, {})


@dataclass(frozen=True)
class Move:
    """One step of a plan: a prefetch, an eviction, a copy or a discard of bytes [first, last) of a tensor (`last` None:
    to its end).

    It is issued when kernel `at - 1` has ended (0: the iteration's start); with `after`, not before the kernel of that
    number has ended. Moves of one direction and tier are served in the order of their issue. With `behind`, a move also
    waits for the completion of the earlier move of that number in the plan. Each iteration repeats the moves.

    - `prefetch` brings the bytes to the device; bytes without contents are allocated there.
    - `evict` sends the bytes to `tier` (empty: the nearest tier with room for them); if a tier has a copy, they are
      only freed on the device.
    - `write_back` copies the bytes to `tier`; they stay on the device.
    - `discard` declares the contents dead; with a `tier`, only that tier's copy of bytes that are on the device.
    """

    kind: MoveKind
    tensor: int
    at: int
    first: int = 0
    last: int | None = None
    tier: str = ""
    after: int | None = None
    behind: int | None = None
    before: int | None = None
    """The kernel that needs the prefetched bytes: it waits for the prefetch even if all its operands are on the device
    (a launch that waits for an event of another stream). A number below `at` means the kernel of that number in the
    next iteration."""


def issues_of(moves: Sequence[Move]) -> list[int]:
    """For each move of a plan, the kernel before which it is issued: the one after all kernels that it waits for, and
    no earlier than for the move that it is behind."""
    found: list[int] = []
    for move in moves:
        at = move.at if move.after is None else max(move.at, move.after + 1)
        found.append(at if move.behind is None else max(at, found[move.behind]))
    return found


def check_moves(trace: KernelTrace, moves: Iterable[Move], tiers: Iterable[str]) -> None:
    """Raises InputError at the first move that names a missing tensor, kernel or tier, or bytes outside its tensor."""
    known = set(tiers)
    kernels = len(trace.kernels)
    for number, move in enumerate(moves):
        where = f"move {number} ({move.kind})"
        if not 0 <= move.tensor < len(trace.tensors):
            raise InputError(f"{where} names tensor {move.tensor}, expected one of 0 to {len(trace.tensors) - 1}")
        tensor = trace.tensors[move.tensor]
        where = f"move {number} ({move.kind} of {tensor.name})"
        last = tensor.nbytes if move.last is None else move.last
        if not 0 <= move.first <= last <= tensor.nbytes:
            raise InputError(
                f"{where} names bytes {move.first} to {last}, expected a part of the tensor's {tensor.nbytes} bytes"
            )
        for kernel, last_one in ((move.at, kernels), (move.after, kernels), (move.before, kernels - 1)):
            if kernel is not None and not 0 <= kernel <= last_one:
                raise InputError(f"{where} names kernel {kernel}, expected 0 to {last_one}")
        if move.behind is not None and not 0 <= move.behind < number:
            raise InputError(f"{where} waits for move {move.behind}, expected one of the {number} moves before it")
        if move.tier and move.tier not in known:
            raise InputError(f"{where} names tier {move.tier}, expected one of: {', '.join(sorted(known))}")

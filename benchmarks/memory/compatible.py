"""G10's accounting, used only for the comparison with its published cycles.

These are the rules of the artifact's simulator (github.com/platformxlab/G10, commit de2c8c6):

- A page is unallocated, on the SSD, in host memory or on the GPU. Pages of weights are on the SSD at first, all other
  pages are unallocated. There are two iterations, and the published time is that of the shorter one.
- The link works in ticks of 50 pages. In a tick at most 50 pages come in and 50 go out, of which 10 from and 10 to the
  SSD; 3,899 are allocated at most. A tick serves planned evictions (SSD, host), faults (SSD, host, unallocated),
  prefetches (SSD, host) and planned allocations, in this order, each from a queue. Served pages arrive in the same
  tick.
- A kernel starts if all pages of its operands are on the GPU and are not in a queue of evictions. Otherwise missing
  pages that are in no queue join the fault queues, inputs first. The kernel ends when the last page has arrived, but no
  sooner than its start plus its cycles plus a stall (`stall`). Then the next kernel begins.
- If the GPU is full, pages are evicted in the order of their arrival (use does not refresh them): to the host until it
  is full, then to the SSD. An evicted page that the running kernel uses joins the fault queues at once. If the host is
  full and a page moves from it to the GPU, the page's host memory is freed only after the page that it replaces was
  evicted, so that afterwards one page of the host is free.
- A plan lists, by kernel, the tensors that join a queue at the kernel's start or are unallocated at once. Pages that
  are in a queue already stay in it.

State is counted by tensor, and equal ticks are simulated together: the simulation's cost grows with the number of
kernels and of runs of pages, not with the number of pages or ticks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import cached_property
from itertools import pairwise
from math import inf, isfinite, nan

from benchmarks.memory.page_runs import Pages, RepeatedRuns, Run, interleaved
from dialects.diagnostics import InputError
from interp.simulate.memory.problem import KernelTrace, Move, issues_of
from ndpir.traces.g10 import CLOCK_GHZ, PAGE, G10Case


class Place(IntEnum):
    """The location of a page: unallocated, on the SSD, in host memory or in GPU memory."""

    NOWHERE = 0
    SSD = 1
    HOST = 2
    GPU = 3


@dataclass(frozen=True)
class Settings:
    """The settings in G10's configuration files, in the units of these files.

    Defaults are the artifact's values (its src/resources/genconfigs.py).
    """

    link_gbps: float = 15.754
    ssd_gbps: float = 3.2
    host_gib: float = 128.0
    gpu_gib: float = 40.0
    fault_us: int = 45
    ssd_us: int = 20
    batch: int = 50
    """The number of pages that the link moves per tick and direction."""
    allocation_cycles: int = 4
    """The cycles to allocate a page."""
    iterations: int = 2

    def __post_init__(self) -> None:
        if self.ssd_batch < 1:
            raise InputError(
                f"an SSD of {self.ssd_gbps:g} GB/s moves less than a page in a tick of {self.batch} pages of a link of "
                f"{self.link_gbps:g} GB/s; expected {self.link_gbps / self.batch:.3g} GB/s at least"
            )

    @cached_property
    def tick(self) -> int:
        """The number of cycles in a tick."""
        return int(self.batch * PAGE / (self.link_gbps * 1e9 / (CLOCK_GHZ * 1e9)))

    @cached_property
    def host_batch(self) -> int:
        """The largest number of pages moved from or to the host in a tick."""
        return int(self.batch / self.link_gbps * self.link_gbps)

    @cached_property
    def ssd_batch(self) -> int:
        """The largest number of pages moved from or to the SSD in a tick."""
        return int(self.batch / self.link_gbps * self.ssd_gbps)

    @cached_property
    def allocations(self) -> int:
        """The largest number of pages allocated in a tick."""
        return self.tick // self.allocation_cycles

    @cached_property
    def gpu_pages(self) -> int:
        """The number of pages of GPU memory."""
        return round(self.gpu_gib / PAGE * 1024**3)

    @cached_property
    def host_pages(self) -> int:
        """The number of pages of host memory."""
        return int(self.host_gib * 1024**3 / 4096)


@dataclass(frozen=True)
class Step:
    """A step of a plan: at the start of kernel `at`, pages of a tensor join the queue of moves to the location `to`.

    All pages of the tensor join that are in no queue, or only `pages` of them; those at location `source` join first.
    """

    at: int
    tensor: int
    to: Place
    pages: int | None = None
    source: Place = Place.NOWHERE


def steps_of(moves: Iterable[Move], trace: KernelTrace) -> list[Step]:
    """Convert moves to steps. Raises InputError for a move that copies, and for a move that waits for another move:
    steps can express neither."""
    steps: list[Step] = []
    moves = list(moves)
    for number, (move, at) in enumerate(zip(moves, issues_of(moves), strict=True)):
        name = trace.tensors[move.tensor].name
        if move.kind == "write_back" or move.behind is not None or move.before is not None or move.tier not in _TIERS:
            raise InputError(
                f"move {number} ({move.kind} of {name}) is not possible in G10's accounting; expected moves that fetch "
                "tensors to the GPU, evict them to host or ssd, or discard them, each at the start of a kernel"
            )
        to = {"prefetch": Place.GPU, "discard": Place.NOWHERE}.get(move.kind, _TIERS[move.tier])
        nbytes = trace.tensors[move.tensor].nbytes
        last = nbytes if move.last is None else move.last
        complete = not move.first and last == nbytes
        steps.append(Step(at, move.tensor, to, None if complete else -(-last // PAGE) - move.first // PAGE))
    return steps


_TIERS = {"": Place.HOST, "host": Place.HOST, "ssd": Place.SSD}


@dataclass(frozen=True)
class Replayed:
    """The result of the simulation of a trace: ends of kernels and numbers of fetched pages."""

    ends: tuple[tuple[int, ...], ...]
    """The cycle of the end of each kernel, by iteration."""
    fetched: tuple[int, ...]
    """The number of fetched pages, by iteration."""

    @cached_property
    def iterations(self) -> tuple[int, ...]:
        """Return the cycles of each iteration."""
        last = [0, *(ends[-1] for ends in self.ends)]
        return tuple(after - before for before, after in pairwise(last))

    @property
    def cycles(self) -> int:
        """Return the cycles that G10 publishes, which are those of the shortest iteration."""
        return min(self.iterations)


def replay_uvm(case: G10Case, settings: Settings | None = None) -> Replayed:
    """Replay a trace with demand paging (`uvm_lru`)."""
    return _Machine(case, settings or Settings(), ()).run()


def replay_lookahead(case: G10Case, settings: Settings | None = None, degree: int = 8) -> Replayed:
    """Replay a trace with DeepUM as the artifact models it (`deepum_like`).

    At the start of kernel i, the operands of kernel i + degree are queued for prefetch. A prefetched page evicts the
    page that arrived first among those that kernels i to i + degree - 1 do not use, or waits if all resident pages are
    used; a faulted page evicts the page that arrived first. Dead pages are discarded.

    The artifact keeps a kernel's operands in a set, ordered by hashes of addresses. Here they are fetched in the
    reverse order of insertion, which is the order of small sets without collisions.
    """
    kernels, operands = len(case.cycles), case.trace.operands
    steps = [
        Step(kernel, tensor, Place.GPU)
        for kernel in range(kernels)
        for tensor in reversed(operands[(kernel + degree) % kernels])
    ]
    return _Machine(case, settings or Settings(), steps, degree).run()


def replay_plan(case: G10Case, steps: Iterable[Step], settings: Settings | None = None) -> Replayed:
    """Replay a trace with a plan (`g10`). Raises InputError if the plan deadlocks."""
    return _Machine(case, settings or Settings(), sorted(steps, key=lambda step: step.at)).run()


class _Queue(IntEnum):
    """The queues of pages, in the order in which a tick serves them."""

    EVICT_SSD = 0
    EVICT_HOST = 1
    FAULT_SSD = 2
    FAULT_HOST = 3
    FAULT_ALLOCATION = 4
    FETCH_SSD = 5
    FETCH_HOST = 6
    ALLOCATION = 7


_FAULTS = (_Queue.FAULT_SSD, _Queue.FAULT_HOST, _Queue.FAULT_ALLOCATION)
_FAULT_OF = {Place.NOWHERE: _Queue.FAULT_ALLOCATION, Place.SSD: _Queue.FAULT_SSD, Place.HOST: _Queue.FAULT_HOST}
_PLANNED_OF = {Place.NOWHERE: _Queue.ALLOCATION, Place.SSD: _Queue.FETCH_SSD, Place.HOST: _Queue.FETCH_HOST}
_UNLIMITED = 1063004400.0
"""A rate of serving faults above the bandwidth of any link, bytes/ms: the artifact's value for faults without a
measured cost."""
_EVER = 1 << 62
"""A number of ticks larger than the number that any kernel waits."""
_SOURCE = {
    _Queue.FAULT_SSD: Place.SSD,
    _Queue.FAULT_HOST: Place.HOST,
    _Queue.FAULT_ALLOCATION: Place.NOWHERE,
    _Queue.FETCH_SSD: Place.SSD,
    _Queue.FETCH_HOST: Place.HOST,
    _Queue.ALLOCATION: Place.NOWHERE,
}


class _Claim(Enum):
    """The rule by which an arriving page evicts a resident page.

    A page that arrives after a fault, or is fetched like a faulted page, evicts the page that arrived first. A
    prefetched page evicts the first page of a tensor that is not in `_Machine.kept_tensors`.
    """

    FAULT = 0
    FORCED = 1
    PLANNED = 2


@dataclass
class Faults:
    """Counts of a kernel's input pages or output pages: the faulted pages, by their location before the fault, and all
    pages."""

    total: int = 0
    unallocated: int = 0
    ssd: int = 0
    host: int = 0

    @property
    def fraction(self) -> float:
        """Return the fraction of pages that faulted."""
        return (self.unallocated + self.ssd + self.host) / self.total if self.total else 0.0

    @property
    def from_ssd(self) -> float:
        """Return the fraction of the faulted pages that were on the SSD."""
        faulted = self.unallocated + self.ssd + self.host
        return self.ssd / faulted if faulted else 0.0


class _Machine:
    """The state of GPU, host and SSD while a trace runs."""

    def __init__(self, case: G10Case, settings: Settings, steps: Sequence[Step], ahead: int = 0) -> None:
        trace = case.trace
        self.case = case
        self.ahead = ahead
        """The number of next kernels whose operands are not evicted for planned pages; 0: any page may be evicted."""
        self.kept_tensors: frozenset[int] = frozenset()
        """The operands of these next kernels."""
        self.running = 0
        """The index of the kernel that started last."""
        self.live_ranges = [
            (0, len(trace.kernels)) if tensor.persistent else (first, last)
            for tensor, first, last in zip(trace.tensors, trace.first.tolist(), trace.last.tolist(), strict=True)
        ]
        """The first and the last kernel between which each tensor is live."""
        self.no_more_evictions = False
        """True if no page that planned pages may evict is left, until the next kernel."""
        self.settings = settings
        self.pages = [-(-tensor.nbytes // PAGE) for tensor in trace.tensors]
        here = [Place.SSD if tensor.persistent else Place.NOWHERE for tensor in trace.tensors]
        self.at = {
            place: [pages if there is place else 0 for pages, there in zip(self.pages, here, strict=True)]
            for place in (Place.NOWHERE, Place.SSD, Place.HOST)
        }
        """The number of pages of each tensor at each place off the GPU, without those in queues."""
        self.resident = Pages(removable=True)
        """The pages on the GPU in the order of their arrival, without those queued for eviction."""
        self.queues = [Pages() for _ in _Queue]
        self.free = settings.gpu_pages
        self.host_free = settings.host_pages
        self.steps = steps
        self.next_step = 0
        self.next_tick = 0
        self.used: frozenset[int] = frozenset()
        """The operands of the kernel that started last."""
        self.missing = 0
        """The number of their pages that are not on the GPU, or are queued for eviction."""
        self.fetched = 0
        self.tick = _Tick(self)
        needed = [sum(self.pages[tensor] for tensor in operands) for operands in trace.operands]
        kernel = max(range(len(needed)), key=needed.__getitem__)
        if needed[kernel] > settings.gpu_pages:
            raise InputError(
                f"kernel {kernel} ({trace.kernels[kernel].name}) needs {needed[kernel]} pages of {PAGE} bytes, but the "
                f"GPU has {settings.gpu_pages}; use a smaller batch or a larger GPU memory"
            )

    def run(self) -> Replayed:
        """Run all iterations of the trace; return the replay's result."""
        now = 0
        ends: list[tuple[int, ...]] = []
        fetched: list[int] = []
        for _ in range(self.settings.iterations):
            ended: list[int] = []
            before = self.fetched
            for kernel in range(len(self.case.cycles)):
                now = self._kernel(kernel, now)
                ended.append(now)
            ends.append(tuple(ended))
            fetched.append(self.fetched - before)
        return Replayed(tuple(ends), tuple(fetched))

    def _kernel(self, kernel: int, now: int) -> int:
        """Simulate a kernel that starts at cycle `now`; return the cycle at which it ends."""
        operands = self.case.trace.operands[kernel]
        self.used = frozenset(operands)
        self.running = kernel
        if self.ahead:
            self._queue_prefetches(kernel)
        self._follow_plan(kernel)
        there = self.resident.count
        self.missing = sum(self.pages[tensor] - there.get(tensor, 0) for tensor in operands)
        end = now + self.case.cycles[kernel]
        if self.missing or any(self.queues[queue].size for queue in _FAULTS):
            stalled = self._fault(kernel)
            end = max(end + stalled, self._wait())
            self._restart_search()
        ticks = -(-end // self.settings.tick)
        while self.next_tick < ticks:
            self.next_tick += self.tick.run_ticks(ticks - self.next_tick, waiting=False)
        return end

    def _queue_prefetches(self, kernel: int) -> None:
        trace = self.case.trace
        kernels = len(trace.kernels)
        self.kept_tensors = frozenset(
            tensor for ahead in range(self.ahead) for tensor in trace.operands[(kernel + ahead) % kernels]
        )
        self._restart_search()

    def eviction_kind(self, tensor: int) -> int:
        """Return a number by which evicted pages of a tensor are treated: 1 if the running kernel uses them, plus 2 if
        they are discarded."""
        first, last = self.live_ranges[tensor]
        return (tensor in self.used) + (2 if self.ahead and not first <= self.running <= last else 0)

    def _restart_search(self) -> None:
        if self.ahead:
            self.resident.restart_outside()
            self.no_more_evictions = not self.resident.any_outside(self.kept_tensors)

    def _follow_plan(self, kernel: int) -> None:
        """Execute the plan's steps at a kernel's start.

        The plan is read in order, and from its begin again after its end. A step that is listed after steps of a later
        kernel is executed only in the next iteration.
        """
        steps = self.steps
        for _ in range(len(steps)):
            step = steps[self.next_step]
            if step.at % len(self.case.cycles) != kernel:
                return
            self.next_step = (self.next_step + 1) % len(steps)
            self._move(step)

    def _move(self, step: Step) -> None:
        at, tensor, to = self.at, step.tensor, step.to
        if to is Place.GPU:
            evicted_by_plan = self.pages[tensor] if step.pages is None else step.pages
            for place in sorted(_PLANNED_OF, key=lambda place: place is not step.source):
                if pages := min(at[place][tensor], evicted_by_plan):
                    self.queues[_PLANNED_OF[place]].append(tensor, pages)
                    at[place][tensor] -= pages
                    evicted_by_plan -= pages
        elif to is Place.NOWHERE:
            gone = self.resident.remove(tensor)
            self.free += gone
            self.host_free += at[Place.HOST][tensor]
            at[Place.NOWHERE][tensor] += gone + at[Place.HOST][tensor] + at[Place.SSD][tensor]
            at[Place.HOST][tensor] = at[Place.SSD][tensor] = 0
        elif pages := self.resident.remove(tensor, step.pages):
            self.queues[_Queue.EVICT_SSD if to is Place.SSD else _Queue.EVICT_HOST].append(tensor, pages)

    def _fault(self, kernel: int) -> int:
        """Queue a kernel's missing pages as faults; return the cycles by which these faults stall the kernel."""
        reads, writes = self.case.trace.kernels[kernel].reads, self.case.trace.kernels[kernel].writes
        inputs, outputs = Faults(), Faults()
        for faults, tensors in ((inputs, reads), (outputs, [one for one in writes if one not in reads])):
            for tensor in tensors:
                faults.total += self.pages[tensor]
                counts = {place: self.at[place][tensor] for place in _FAULT_OF}
                for place, pages in counts.items():
                    if pages:
                        self.queues[_FAULT_OF[place]].append(tensor, pages)
                        self.at[place][tensor] = 0
                faults.unallocated += counts[Place.NOWHERE]
                faults.ssd += counts[Place.SSD]
                faults.host += counts[Place.HOST]
        return stall(self.case, kernel, inputs, outputs, self.settings)

    def _wait(self) -> int:
        """Run ticks until the last page for which the kernel waits has arrived; return the cycle of that tick."""
        while self.missing or any(self.queues[queue].size for queue in _FAULTS):
            self.next_tick += self.tick.run_ticks(_EVER, waiting=True)
        return (self.next_tick - 1) * self.settings.tick


class _Tick:
    """Transfers of pages over the link in one tick, and in the equal ticks after it."""

    def __init__(self, machine: _Machine) -> None:
        self.machine = machine
        self.pages_in = self.pages_in_ssd = self.pages_in_host = self.pages_out = self.pages_out_ssd = (
            self.pages_out_host
        ) = 0
        """Counts of this tick's pages: in, in from the SSD, in from the host; the same three counts out."""
        self.allocated = 0
        self.to_ssd = False
        """True if pages are evicted to the SSD, because the host is full."""
        self.brought: list[tuple[_Queue, int, _Claim]] = []
        self.evicted: list[tuple[Place, int, bool]] = []
        self.evicted_by_plan: list[tuple[_Queue, Place, int]] = []
        """This tick's pages in order: pages that arrived; pages evicted for them, and whether from the front; pages
        evicted by the plan."""
        self.kinds: dict[bool | None, list[tuple[int, int]]] = {}
        """Kinds (`eviction_kind`) of this tick's evicted pages, as runs: evicted for others, from the front (True) or
        not (False); evicted by the plan (None)."""
        self.evicted_kinds: list[tuple[int, int]] = []
        """Kinds of all pages evicted for others, as runs in the order of eviction."""
        self.evicts_in_order = False
        """True if all pages evicted for others in the following ticks come from the front of the sequence, in order."""

    def run_ticks(self, most: int, waiting: bool) -> int:
        """Run a tick, and repeat it as long as all its decisions are the same; return the number of ticks, at most
        `most`.

        If a kernel waits for pages (`waiting`), the last tick is the one in which its last page arrives.
        """
        machine = self.machine
        if not any(queue.size for queue in machine.queues):
            return most
        sizes = [queue.size for queue in machine.queues]
        free, host_free = machine.free, machine.host_free
        self._one_tick(waiting)
        if not (self.brought or self.evicted or self.evicted_by_plan):
            return most
        again = self._repetitions(sizes, free, host_free, most - 1, waiting)
        if again > 0:
            self._repeat(again, machine.free - free, machine.host_free - host_free)
            return 1 + again
        return 1

    def _one_tick(self, waiting: bool) -> None:
        """Run one tick: serve the queues of pages in their order."""
        machine = self.machine
        queues = machine.queues
        self.pages_in = self.pages_in_ssd = self.pages_in_host = self.pages_out = self.pages_out_ssd = (
            self.pages_out_host
        ) = 0
        self.allocated = 0
        self.kinds, self.evicted_kinds = {}, []
        self.to_ssd = not machine.host_free
        self.brought, self.evicted, self.evicted_by_plan = [], [], []
        if queues[_Queue.EVICT_SSD].size:
            self._serve_evictions_to_ssd()
        if queues[_Queue.EVICT_HOST].size:
            self._serve_evictions_to_host()
        for number in _FAULTS:
            if queues[number].size:
                self._fetch(number, _Claim.FAULT)
        planned = _Claim.PLANNED if machine.ahead else _Claim.FAULT
        room_left = not queues[_Queue.FETCH_SSD].size or self._fetch(_Queue.FETCH_SSD, planned)
        if room_left and queues[_Queue.FETCH_HOST].size:
            self._fetch(_Queue.FETCH_HOST, planned)
        if queues[_Queue.ALLOCATION].size:
            self._fetch(_Queue.ALLOCATION, planned)
        if machine.ahead and waiting and machine.missing and not (self.pages_in or self.pages_out):
            for number in (_Queue.FETCH_SSD, _Queue.FETCH_HOST, _Queue.ALLOCATION):
                if queues[number].size:
                    self._fetch(number, _Claim.FORCED)

    def _pages_allowed(self, source: Place) -> int:
        """Return the number of pages that may still be fetched from a location in this tick."""
        settings = self.machine.settings
        if source is Place.NOWHERE:
            return settings.allocations - self.allocated
        most = min(settings.batch - self.pages_in, settings.allocations - self.allocated)
        if source is Place.SSD:
            return min(most, settings.ssd_batch - self.pages_in_ssd)
        return min(most, settings.host_batch - self.pages_in_host)

    def _fetch(self, number: _Queue, claim: _Claim) -> bool:
        """Fetch pages from a queue into free memory or into memory of evicted pages; return False if no page may be
        evicted."""
        machine = self.machine
        queue, source = machine.queues[number], _SOURCE[number]
        while (pages := min(queue.size, self._pages_allowed(source))) > 0:
            as_fault = True
            if claim is _Claim.PLANNED:
                used, front_kind = queue.front_kind(machine.used.__contains__, pages)
                as_fault, pages = bool(used), front_kind
            if machine.free:
                pages = min(pages, machine.free)
                machine.free -= pages
                if source is Place.HOST:
                    machine.host_free += pages
                    self.to_ssd = False
            else:
                pages = self._evict_for(pages, source, as_fault)
                if not pages:
                    return not machine.no_more_evictions or as_fault
            exact = _Claim.FORCED if claim is not _Claim.PLANNED else _Claim.FAULT if as_fault else _Claim.PLANNED
            self._count_in(number, source, pages, exact)
            self._arrive(queue.take(pages))
        return True

    def _count_in(self, number: _Queue, source: Place, pages: int, claim: _Claim) -> None:
        self.allocated += pages
        if source is not Place.NOWHERE:
            self.pages_in += pages
            self.machine.fetched += pages
            if source is Place.SSD:
                self.pages_in_ssd += pages
            else:
                self.pages_in_host += pages
        if self.brought and self.brought[-1][0] is number and self.brought[-1][2] is claim:
            pages += self.brought.pop()[1]
        self.brought.append((number, pages, claim))

    def _arrive(self, repeats: list[RepeatedRuns]) -> None:
        machine = self.machine
        machine.resident.extend(repeats)
        for runs, times in repeats:
            for tensor, count in runs:
                if tensor in machine.used:
                    machine.missing -= count * times

    def _evict_for(self, pages: int, source: Place, as_fault: bool) -> int:
        """Evict pages, all to one location, for `pages` pages that arrive from `source`; return the number of evicted
        pages."""
        machine, settings = self.machine, self.machine.settings
        if self.pages_out >= settings.batch or not (machine.host_free or self.pages_out_ssd < settings.ssd_batch):
            return 0
        pages = min(pages, settings.batch - self.pages_out, machine.resident.size)
        to = Place.SSD if self.to_ssd else Place.HOST
        if machine.ahead and pages:
            kind, pages = (
                (None, 0) if machine.no_more_evictions and not as_fault else self._next_evicted(pages, as_fault)
            )
            if not as_fault and (not pages or machine.resident.last_outside(machine.kept_tensors)):
                pages, machine.no_more_evictions = min(pages, 1), True
            to = Place.NOWHERE if kind and kind & 2 else to
        if not pages:
            return 0
        if to is Place.SSD:  # the first page from the host frees host memory for the next evictions
            pages = 1 if source is Place.HOST else min(pages, settings.ssd_batch - self.pages_out_ssd)
        elif to is Place.HOST:
            pages = min(pages, max(1, settings.host_batch - self.pages_out_host))
            if source is not Place.HOST:
                pages = min(pages, machine.host_free)
        self._record_evicted(self._take_evicted(pages, as_fault), to, as_fault)
        if to is not Place.NOWHERE:
            self._count_out(to, pages)
        if self.evicted and self.evicted[-1][0] is to and self.evicted[-1][2] is as_fault:
            self.evicted.append((to, pages + self.evicted.pop()[1], as_fault))
        else:
            self.evicted.append((to, pages, as_fault))
        if source is Place.HOST:
            machine.host_free += pages
            self.to_ssd = False
        return pages

    def _next_evicted(self, pages: int, from_front: bool) -> tuple[int | None, int]:
        """Return the kind (`eviction_kind`) of the page that is evicted next, and the number of consecutive pages of
        this kind, at most `pages`. `from_front`: from the front of the sequence of resident pages, even if a page
        belongs to a tensor that should be kept."""
        machine = self.machine
        if from_front:
            return machine.resident.front_kind(machine.eviction_kind, pages)
        return machine.resident.front_kind_outside(machine.eviction_kind, pages, machine.kept_tensors)

    def _take_evicted(self, pages: int, from_front: bool) -> list[RepeatedRuns]:
        machine = self.machine
        if from_front:
            return machine.resident.take(pages)
        return machine.resident.take_outside(pages, machine.kept_tensors)

    def _count_out(self, to: Place, pages: int) -> None:
        """Count pages that were evicted to a location. Once a tick's limit or the host's memory is exhausted, the next
        pages are evicted to the other location (host or SSD)."""
        machine, settings = self.machine, self.machine.settings
        self.pages_out += pages
        if to is Place.SSD:
            self.pages_out_ssd += pages
            if self.pages_out_ssd == settings.ssd_batch:
                self.to_ssd = False
        else:
            self.pages_out_host += pages
            machine.host_free -= pages
            if self.pages_out_host == settings.host_batch or not machine.host_free:
                self.to_ssd = True

    def _serve_evictions_to_ssd(self) -> None:
        """Serve planned evictions to the SSD."""
        machine, settings = self.machine, self.machine.settings
        queue = machine.queues[_Queue.EVICT_SSD]
        self._serve_evictions(_Queue.EVICT_SSD, Place.SSD, min(settings.ssd_batch, settings.batch, queue.size))

    def _serve_evictions_to_host(self) -> None:
        """Serve planned evictions to the host; to the SSD if the host is full."""
        machine, settings = self.machine, self.machine.settings
        queue = machine.queues[_Queue.EVICT_HOST]
        while pages := min(queue.size, settings.batch - self.pages_out):
            if machine.host_free:
                pages = min(pages, machine.host_free, settings.host_batch - self.pages_out_host)
            else:
                pages = min(pages, settings.ssd_batch - self.pages_out_ssd)
            if not pages:
                return
            self._serve_evictions(_Queue.EVICT_HOST, Place.HOST if machine.host_free else Place.SSD, pages)

    def _serve_evictions(self, number: _Queue, to: Place, pages: int) -> None:
        machine = self.machine
        machine.free += pages
        self._record_evicted(machine.queues[number].take(pages), to)
        self._count_out(to, pages)
        self.evicted_by_plan.append((number, to, pages))

    def _record_evicted(self, repeats: list[RepeatedRuns], to: Place, way: bool | None = None) -> None:
        """Record pages that were evicted to a location, and queue those that the running kernel uses as faults. `way`:
        None for pages evicted by the plan. For pages evicted to make room for arriving pages: True if they were
        taken from the front of the sequence of resident pages, else False."""
        machine = self.machine
        at, used = machine.at[to], machine.used
        kinds = self.kinds.setdefault(way, [])
        for runs, times in repeats:
            back: list[Run] = []
            for tensor, count in runs:
                if tensor in used:
                    back.append((tensor, count))
                else:
                    at[tensor] += count * times
                kind = machine.eviction_kind(tensor)
                _note(kinds, kind, count * times)
                if way is not None:
                    _note(self.evicted_kinds, kind, count * times)
            if back:
                machine.queues[_FAULT_OF[to]].extend([(tuple(back), times)])
                if way is not None:
                    machine.missing += sum(count for _, count in back) * times

    def _repetitions(self, sizes: list[int], free: int, host_free: int, most: int, waiting: bool) -> int:
        """Return the number of times, at most `most`, that the last tick can be repeated without a change of any
        decision.

        `sizes`, `free` and `host_free`: the numbers of pages in each queue, of free pages of the GPU and of free pages
        of the host before the last tick.
        """
        machine = self.machine
        taken = [0] * len(sizes)
        for number, pages, _ in self.brought:
            taken[number] += pages
        for number, _, pages in self.evicted_by_plan:
            taken[number] += pages
        for size, pages, queue in zip(sizes, taken, machine.queues, strict=True):
            if pages:
                most = min(most, (size - 1) // pages - 1)
            elif not size and queue.size:
                return 0
        if (change := machine.free - free) < 0:
            most = min(most, (machine.free - 1) // -change)
        if change and (self.evicted or not machine.free):
            return 0
        if change := machine.host_free - host_free:
            to_host = sum(pages for _, to, pages in self.evicted_by_plan if to is Place.HOST)
            to_host += sum(pages for to, pages, _ in self.evicted if to is Place.HOST)
            spare = host_free - 1 - to_host
            if spare < 0:
                return 0
            if change < 0:
                most = min(most, spare // -change)
        if most > 0:
            most = self._same_kind(most)
        return self._before_last_page(taken, most) if waiting and most > 0 else most

    def _same_kind(self, most: int) -> int:
        """Return the number of following ticks, at most `most`, with the same kinds of pages as the last tick: whether
        the running kernel uses the fetched pages, and the kinds (`eviction_kind`) of the evicted pages."""
        machine = self.machine
        for number, pages, claim in self.brought:
            if claim is not _Claim.FORCED:
                used, found = machine.queues[number].front_kind(machine.used.__contains__, pages * most)
                if bool(used) is not (claim is _Claim.FAULT):
                    return 0
                most = min(most, found // pages)
        kinds = {kind for runs in self.kinds.values() for kind, _ in runs}
        if any(kind & 1 for kind in kinds) and (len(kinds) > 1 or len(self.evicted) + len(self.evicted_by_plan) > 1):
            return 0
        if self.evicted_by_plan:
            if len(kinds) > 1:
                return 0
            (kind,) = kinds
            for number, _, pages in self.evicted_by_plan:
                first, found = machine.queues[number].front_kind(machine.eviction_kind, pages * most)
                most = min(most, found // pages) if first == kind else 0
        return self._same_evicted(most) if self.evicted and most > 0 else most

    def _same_evicted(self, most: int) -> int:
        """Return the number of following ticks, at most `most`, in which the pages evicted for arriving pages have the
        same kinds (`eviction_kind`) as in the last tick."""
        machine = self.machine
        evicted_counts = {way: sum(pages for _, pages, met in self.evicted if met is way) for way in self.kinds}
        if machine.no_more_evictions and False in evicted_counts:
            return 0
        most = min(most, machine.resident.size // sum(evicted_counts.values()))
        places = {to for to, _, _ in self.evicted} - {Place.NOWHERE}
        if len(places) > 1 and (len(evicted_counts) > 1 or len(self.kinds.get(True, ())) != 1):
            return 0
        self.evicts_in_order = False
        if True in evicted_counts and False in evicted_counts and not machine.resident.front_in(machine.kept_tensors):
            self.evicts_in_order = True
            return self._same_sequence(sum(evicted_counts.values()), most)
        for way, pages in evicted_counts.items():
            if way is None:
                continue
            met = self.kinds[way]
            if len(met) == 1:
                first, found = self._next_evicted(pages * most, way)
                most = min(most, found // pages) if first == met[0][0] else 0
            else:
                resident = machine.resident
                runs, times = (
                    resident.repeated(machine.eviction_kind, pages)
                    if way
                    else resident.repeated_outside(machine.eviction_kind, pages, machine.kept_tensors)
                )
                most = min(most, times) if runs == met else 0
        if True in evicted_counts and False in evicted_counts and most > 0:
            is_kept, found = machine.resident.front_kind(machine.kept_tensors.__contains__, evicted_counts[True] * most)
            most = (
                min(most, found // evicted_counts[True]) if is_kept else 0
            )  # other evictions do not touch these pages
        return most

    def _same_sequence(self, pages: int, most: int) -> int:
        """Return the number of following ticks, at most `most`, in which `pages` pages are evicted from the front of
        the sequence of resident pages, with the same kinds (`eviction_kind`) in the same order as in the last tick."""
        machine = self.machine

        def kind(tensor: int) -> int:
            return machine.eviction_kind(tensor) + (4 if tensor in machine.kept_tensors else 0)

        if len(self.evicted_kinds) == 1:
            first, found = machine.resident.front_kind(kind, pages * most)
            return min(most, found // pages) if first == self.evicted_kinds[0][0] else 0
        runs, times = machine.resident.repeated(kind, pages)
        return min(most, times) if runs == self.evicted_kinds else 0

    def _before_last_page(self, taken: list[int], most: int) -> int:
        """Return the number of repetitions of the tick, at most `most`, before the arrival of the last page for which
        the kernel waits. `taken`: the number of pages that the tick takes from each queue."""
        machine = self.machine
        if any(machine.queues[queue].size for queue in _FAULTS):
            return most
        used = machine.used
        longest = 0
        for queue, pages in zip(machine.queues, taken, strict=True):
            if any(queue.count.get(tensor) for tensor in used):
                longest = max(longest, (queue.last_of(used.__contains__) - 1) // pages if pages else most)
        return min(most, longest)

    def _repeat(self, times: int, freed: int, host_freed: int) -> None:
        """Repeat the last tick the given number of times."""
        machine = self.machine
        for number, to, pages in self.evicted_by_plan:
            self._record_evicted(machine.queues[number].take(pages * times), to)
        self._evict_again(times)
        if self.brought:
            sources = [(machine.queues[number], pages) for number, pages, _ in self.brought]
            self._arrive(interleaved(sources, times))
            counted = sum(pages for number, pages, _ in self.brought if _SOURCE[number] is not Place.NOWHERE)
            machine.fetched += counted * times
        machine.free += freed * times
        machine.host_free += host_freed * times

    def _evict_again(self, times: int) -> None:
        """Repeat the last tick's evictions for arriving pages the given number of times."""
        machine = self.machine
        places = {to for to, _, _ in self.evicted} - {Place.NOWHERE}
        if len(places) > 1:
            self._evict_alternately(times)
            return
        evicted_counts = {way: sum(pages for _, pages, met in self.evicted if met is way) for _, _, way in self.evicted}
        if self.evicts_in_order:
            evicted_counts = {True: sum(evicted_counts.values())}
        for way, pages in evicted_counts.items():
            for runs, again in self._take_evicted(pages * times, way):
                for tensor, count in runs:
                    dead = machine.eviction_kind(tensor) & 2
                    to = Place.NOWHERE if dead or not places else next(iter(places))
                    self._record_evicted([(((tensor, count),), again)], to, way)

    def _evict_alternately(self, times: int) -> None:
        """Repeat, `times` times, evictions that are made first to one location (host or SSD) and then to the other."""
        resident = self.machine.resident
        a_tick = sum(pages for _, pages, _ in self.evicted)
        while times:
            tensor, run = resident.front()
            if complete := min(run // a_tick, times):
                resident.take(complete * a_tick)
                for to, pages, _ in self.evicted:
                    self.machine.at[to][tensor] += pages * complete
            else:
                complete = 1
                for to, pages, _ in self.evicted:
                    self._record_evicted(resident.take(pages), to, True)
            times -= complete


def _note(runs: list[tuple[int, int]], kind: int, pages: int) -> None:
    """Append a run of `pages` pages of a kind to `runs`; if the last run has the same kind, lengthen it instead."""
    if runs and runs[-1][0] == kind:
        pages += runs.pop()[1]
    runs.append((kind, pages))


def stall(case: G10Case, kernel: int, inputs: Faults, outputs: Faults, settings: Settings) -> int:
    """Return the cycles that faults add to a kernel.

    It is the larger of two times: of the faulted pages on the SSD, and of all other faulted pages. The rate of each is
    the one at which such faults were served when the kernel was measured, or the rate of the link.

    The artifact rounds measured times down to full seconds (an integer division), so that they are equal for most
    kernels and faults are served at the link's rate. If no rate remains for pages that are not on the SSD, their time
    is 0 / 0 or 1 / 0. For 0 / 0, the artifact uses only the SSD's time; it converts infinite times to 0 cycles. Demand
    paging is therefore too fast if the SSD is as fast as the link.
    """
    hz = round(CLOCK_GHZ * 1e9)
    resident, output, all_pages = (
        float(cycles[kernel] // hz * 1000) for cycles in (case.cycles, case.output_fault_cycles, case.all_fault_cycles)
    )
    link, ssd_link = (gbps * 1e9 / hz * hz / 1000 for gbps in (settings.link_gbps, settings.ssd_gbps))
    parts: list[tuple[Faults, float, float]] = []
    for faults, longer, shorter in ((inputs, all_pages, output), (outputs, output, resident)):
        rate = _UNLIMITED if longer == shorter else faults.total * PAGE / (longer - shorter)
        slower = rate * settings.fault_us / (settings.fault_us + settings.ssd_us)
        parts.append((faults, rate, min(slower, ssd_link) if faults.ssd else 0.0))
    host_link = link - max(rate for _, _, rate in parts)
    ssd_ms = host_ms = 0.0
    for faults, rate, ssd_rate in parts:
        nbytes = faults.total * PAGE
        if faults.ssd:
            ssd_ms += faults.fraction * faults.from_ssd * nbytes / ssd_rate
        others = faults.fraction * (1 - faults.from_ssd) * nbytes
        if slowest := min(rate, host_link):
            host_ms += others / slowest
        else:
            host_ms += inf if others else nan
    longest = host_ms if ssd_ms < host_ms else ssd_ms
    return int(longest / 10**3 * hz) if isfinite(longest) else 0

"""G10's accounting, simulated page by page and tick by tick: a slow reference that follows the description in
benchmarks/memory/compatible.py literally."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from benchmarks.memory.compatible import Faults, Place, Settings, Step, stall
from ndpir.traces.g10 import PAGE, G10Case

Page = tuple[int, int]
"""A page: the number of its tensor, and its number in the tensor."""


class PageByPage:
    """A run of a trace under demand paging, under a plan's steps, or with evictions that spare the operands of the
    `ahead` kernels from the current one on."""

    def __init__(self, case: G10Case, settings: Settings, steps: Sequence[Step] = (), ahead: int = 0) -> None:
        self.ahead = ahead
        self.stays: set[int] = set()
        self.next_to_leave: Page | None = None
        self.case, self.settings, self.steps = case, settings, list(steps)
        self.tensors = [
            [(number, page) for page in range(-(-tensor.nbytes // PAGE))]
            for number, tensor in enumerate(case.trace.tensors)
        ]
        self.place: dict[Page, Place] = {
            page: Place.SSD if tensor.persistent else Place.NOWHERE
            for tensor, pages in zip(case.trace.tensors, self.tensors, strict=True)
            for page in pages
        }
        self.queued: set[Page] = set()
        self.on_gpu: list[Page] = []
        self.out_to = {Place.SSD: deque[Page](), Place.HOST: deque[Page]()}
        self.faults = {place: deque[Page]() for place in (Place.SSD, Place.HOST, Place.NOWHERE)}
        self.planned = {place: deque[Page]() for place in (Place.SSD, Place.HOST, Place.NOWHERE)}
        self.in_use: set[int] = set()
        self.next_step = 0
        self.fetched = 0

    def run(self) -> list[list[int]]:
        """The cycle in which each kernel ended, by iteration."""
        now = tick = 0
        all_ends: list[list[int]] = []
        for _ in range(self.settings.iterations):
            ends: list[int] = []
            for kernel, cycles in enumerate(self.case.cycles):
                needed = [page for one in self.case.trace.operands[kernel] for page in self.tensors[one]]
                self.in_use = set(self.case.trace.operands[kernel])
                self.kernel = kernel
                self.look_from_front()
                self.follow_plan(kernel)
                end = now + cycles
                if not self.arrived(needed):
                    end += self.stall(kernel)
                    for page in needed:
                        if page not in self.queued and self.place[page] is not Place.GPU:
                            self.faults[self.place[page]].append(page)
                            self.queued.add(page)
                    while not self.arrived(needed):
                        self.tick(waiting=needed)
                        tick += 1
                    self.look_from_front()
                    end = max(end, (tick - 1) * self.settings.tick)
                while tick * self.settings.tick < end:
                    self.tick()
                    tick += 1
                now = end
                ends.append(now)
            all_ends.append(ends)
        return all_ends

    def arrived(self, needed: Sequence[Page]) -> bool:
        return not any(self.faults.values()) and all(
            self.place[page] is Place.GPU and page not in self.queued for page in needed
        )

    def stall(self, kernel: int) -> int:
        reads = self.case.trace.kernels[kernel].reads
        writes = [one for one in self.case.trace.kernels[kernel].writes if one not in reads]
        faults: list[Faults] = []
        for tensors in (reads, writes):
            pages = [page for one in tensors for page in self.tensors[one]]
            places = [self.place[page] for page in pages if page not in self.queued]
            counts = [places.count(place) for place in (Place.NOWHERE, Place.SSD, Place.HOST)]
            faults.append(Faults(len(pages), *counts))
        return stall(self.case, kernel, faults[0], faults[1], self.settings)

    def follow_plan(self, kernel: int) -> None:
        for _ in self.steps:
            step = self.steps[self.next_step]
            if step.at % len(self.case.cycles) != kernel:
                return
            self.next_step = (self.next_step + 1) % len(self.steps)
            self.move(step)

    def move(self, step: Step) -> None:
        pages = [page for page in self.tensors[step.tensor] if page not in self.queued]
        if step.to is Place.GPU:
            order = sorted(self.planned, key=lambda place: (place is not step.source, place))
            for page in [page for place in order for page in pages if self.place[page] is place][: step.pages]:
                self.planned[self.place[page]].append(page)
                self.queued.add(page)
        elif step.to is Place.NOWHERE:
            for page in pages:
                if self.place[page] is Place.GPU:
                    self.on_gpu.remove(page)
                self.place[page] = Place.NOWHERE
        else:
            for page in [page for page in self.on_gpu if page in pages][: step.pages]:
                self.out_to[step.to].append(page)
                self.queued.add(page)

    def look_from_front(self) -> None:
        """Find the first page that is evicted for a prefetched or newly allocated page: among the pages on
        the GPU that the `ahead` kernels from the current one on do not use, the one that arrived first. The next
        victims are the pages that arrived after it."""
        if self.ahead:
            kernels = range(self.kernel, self.kernel + self.ahead)
            operands = self.case.trace.operands
            self.stays = {tensor for kernel in kernels for tensor in operands[kernel % len(operands)]}
            self.next_to_leave = next((page for page in self.on_gpu if page[0] not in self.stays), None)

    def dead(self, page: Page) -> bool:
        tensor, trace = page[0], self.case.trace
        lives = trace.tensors[tensor].persistent or trace.first[tensor] <= self.kernel <= trace.last[tensor]
        return self.ahead > 0 and not lives

    def behind(self, page: Page) -> Page | None:
        """The page that arrived on the GPU directly after this page."""
        place = self.on_gpu.index(page) + 1
        return self.on_gpu[place] if place < len(self.on_gpu) else None

    def host_full(self) -> bool:
        return sum(place is Place.HOST for place in self.place.values()) >= self.settings.host_pages

    def gpu_full(self) -> bool:
        return len(self.on_gpu) >= self.settings.gpu_pages

    def leave(self, page: Page, to: Place) -> None:
        if self.next_to_leave == page:
            self.next_to_leave = self.behind(page)
        self.on_gpu.remove(page)
        self.place[page] = to
        self.out += to is not Place.NOWHERE
        self.out_ssd += to is Place.SSD
        self.out_host += to is Place.HOST
        if to is Place.SSD and self.out_ssd == self.settings.ssd_batch:
            self.to_ssd = False
        if to is Place.HOST and (self.host_full() or self.out_host == self.settings.host_batch):
            self.to_ssd = True
        self.queued.discard(page)
        if page[0] in self.in_use:
            self.faults[to].append(page)
            self.queued.add(page)

    def room(self) -> bool:
        """True if a page can be brought to the GPU: a page of its memory is free, or a page can be evicted."""
        if not self.gpu_full():
            return True
        may_leave = not self.host_full() or self.out_ssd < self.settings.ssd_batch
        return self.out < self.settings.batch and may_leave and any(one not in self.queued for one in self.on_gpu)

    def leaving(self, page: Page, as_fault: bool) -> Page | None:
        """The page that is evicted to make room for `page`."""
        if not self.ahead or as_fault or page[0] in self.in_use:
            return next(one for one in self.on_gpu if one not in self.queued)
        while self.next_to_leave is not None and self.next_to_leave[0] in self.stays:
            self.next_to_leave = self.behind(self.next_to_leave)
        return self.next_to_leave

    def come(self, page: Page, as_fault: bool) -> bool:
        """Bring a page to the GPU; False if the GPU is full and no page can be evicted for it."""
        if self.gpu_full():
            one = self.leaving(page, as_fault)
            if one is None:
                return False
            self.leave(one, Place.NOWHERE if self.dead(one) else Place.SSD if self.to_ssd else Place.HOST)
        if self.place[page] is Place.HOST:
            self.to_ssd = False
        self.place[page] = Place.GPU
        self.queued.discard(page)
        self.on_gpu.append(page)
        self.allocated += 1
        return True

    def tick(self, waiting: Sequence[Page] = ()) -> None:
        settings = self.settings
        self.out = self.out_ssd = self.out_host = self.allocated = 0
        self.coming = self.from_ssd = self.from_host = 0
        self.to_ssd = self.host_full()
        while self.out_to[Place.SSD] and self.out_ssd < settings.ssd_batch and self.out < settings.batch:
            self.leave(self.out_to[Place.SSD].popleft(), Place.SSD)
        while self.out_to[Place.HOST] and self.out < settings.batch:
            full = self.host_full()
            if self.out_ssd >= settings.ssd_batch if full else self.out_host >= settings.host_batch:
                break
            self.leave(self.out_to[Place.HOST].popleft(), Place.SSD if full else Place.HOST)
        self.serve(self.faults, as_faults=True)
        self.serve(self.planned, as_faults=False)
        if self.ahead and waiting and not (self.coming or self.out) and any(one in self.queued for one in waiting):
            self.serve(self.planned, as_faults=True)
        self.fetched += self.coming

    def serve(self, queues: Mapping[Place, deque[Page]], as_faults: bool) -> None:
        for place in (Place.SSD, Place.HOST):
            if not self.bring(queues[place], place, as_faults):
                break
        queue = queues[Place.NOWHERE]
        while queue and self.allocated < self.settings.allocations and self.room():
            if not self.come(queue[0], as_faults):
                break
            queue.popleft()

    def bring(self, queue: deque[Page], place: Place, as_faults: bool) -> bool:
        """Bring queued pages from a place to the GPU. False if no page can be evicted for the next page of the
        queue."""
        settings = self.settings
        while queue and self.coming < settings.batch and self.allocated < settings.allocations and self.room():
            if self.from_ssd >= settings.ssd_batch if place is Place.SSD else self.from_host >= settings.host_batch:
                break
            if not self.come(queue[0], as_faults):
                return False
            queue.popleft()
            self.coming += 1
            self.from_ssd += place is Place.SSD
            self.from_host += place is Place.HOST
        return True

"""Times of unified memory in the engine, compared with a simulation page by page and fault by fault."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interp.machine.memory_system import Bus, Faults, MemorySystem, Tier
from interp.simulate.memory.engine import Regime
from interp.simulate.memory.paging import UnifiedMemory
from interp.simulate.memory.problem import Kernel, KernelTrace, Move, Tensor
from interp.simulate.memory.replay import replay
from lowering.memory.lookahead import lookahead_moves
from lowering.memory.pump import Pump
from tests.amount import cases

PAGE, BLOCK, CHUNK = 10, 20, 80
FAULTS = Faults(PAGE, BLOCK, CHUNK, 100.0, 1e9, "tree", "lru")
"""The costs of faults: a byte takes 1 ns if faults bring it, and 0.25 ns over the bus in each direction."""
EVICTS: st.SearchStrategy[Literal["lru", "migrated"]] = st.sampled_from(["lru", "migrated"])
SYSTEM = MemorySystem("gpu", 800, (Tier("host", 1 << 20, 4e9, 4e9),), (Bus(4e9, 4e9),), page=PAGE, faults=FAULTS)


@dataclass
class PageByPage:
    """A simulation of demand paging that keeps the set of resident pages. Pages of a tensor that is not persistent
    are freed after the last kernel that uses it."""

    trace: KernelTrace
    system: MemorySystem
    faults: Faults
    here: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    """The resident pages, by tensor and number."""
    order: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Chunks with resident pages, by tensor and number, in the order of eviction: the least recently used one, or with
    `evicts` other than `lru` the least recently migrated one, first."""

    def touch(self, tensor: int, page: int) -> None:
        chunk = tensor, page * PAGE // CHUNK
        if chunk in self.order:
            self.order.remove(chunk)
        self.order.append(chunk)

    def leave(self, chunk: tuple[int, int]) -> None:
        self.order.remove(chunk)
        self.here -= {(chunk[0], page) for page in range(chunk[1] * 8, chunk[1] * 8 + 8)}

    def groups(self, tensor: int, missing: list[int]) -> list[int]:
        """The number of pages of each group of faults that brings a tensor's missing pages."""
        pages = self.trace.tensors[tensor].nbytes // PAGE
        there = [page not in missing for page in range(pages)]
        found: list[int] = []
        for page in missing:
            if there[page]:
                continue
            start, stop = page // 8 * 8, min(page // 8 * 8 + 8, pages)
            coming = {other for other in (page // 2 * 2, page // 2 * 2 + 1) if other < stop and not there[other]}
            region = range(0)
            for width in (4, 8):
                node = range(
                    start + (page - start) // width * width, min(start + (page - start) // width * width + width, stop)
                )
                if sum(there[other] or other in coming for other in node) * 100 > len(node) * self.faults.density:
                    region = node
            coming |= {other for other in region if not there[other]}
            for other in coming:
                there[other] = True
            found.append(len(coming))
        return found

    def run(self, iterations: int) -> list[float]:
        """The time of each iteration."""
        spans: list[float] = []
        for _ in range(iterations):
            span = 0.0
            for number, kernel in enumerate(self.trace.kernels):
                span += self.stall(number) + kernel.ns
                for tensor in self.trace.operands[number]:
                    if self.faults.evicts == "lru":
                        for page in range(self.trace.tensors[tensor].nbytes // PAGE):
                            self.touch(tensor, page)
                    if not self.trace.tensors[tensor].persistent and self.trace.last[tensor] == number:
                        for chunk in [chunk for chunk in self.order if chunk[0] == tensor]:
                            self.leave(chunk)
            spans.append(span)
        return spans

    def stall(self, number: int) -> float:
        """The time in ns that a kernel waits for its faults. For each operand: the time to serve the missing bytes at
        the rate `service`, but at least the latencies of its groups plus the transfer. Pages of a new tensor are served
        only if no memory is free for them."""
        span = 0.0
        operands = self.trace.operands[number]
        lacking = {
            tensor: [
                page for page in range(self.trace.tensors[tensor].nbytes // PAGE) if (tensor, page) not in self.here
            ]
            for tensor in operands
        }
        free = self.system.capacity // PAGE - len(self.here)
        victims = [chunk for chunk in self.order if chunk[0] not in operands]
        while sum(map(len, lacking.values())) > self.system.capacity // PAGE - len(self.here):
            self.leave(victims.pop(0))
        for tensor, pages in lacking.items():
            if not pages:
                continue
            served = pages
            if not self.trace.tensors[tensor].persistent and self.trace.first[tensor] == number:
                served = pages[max(0, min(free, len(pages))) :]
            free -= len(pages)
            if served:
                groups = self.groups(tensor, served)
                bus = len(served) * PAGE / (self.system.in_rate / 1e9)
                span += max(
                    len(groups) * self.faults.latency_ns + bus, len(served) * PAGE / (self.faults.service / 1e9)
                )
            for page in pages:
                self.here.add((tensor, page))
                self.touch(tensor, page)
        return span


@st.composite
def traces(draw: st.DrawFn) -> KernelTrace:
    """Traces with tensors of whole pages, in which the operands of each kernel fit into memory."""
    count = draw(st.integers(2, 7))
    sizes = draw(st.lists(st.integers(1, 30), min_size=count, max_size=count))
    persistent = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    kernels: list[Kernel] = []
    for _ in range(draw(st.integers(1, 8))):
        operands = draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=3, unique=True))
        while sum(sizes[each] for each in operands) * PAGE > SYSTEM.capacity:
            operands.pop()
        cut = draw(st.integers(0, len(operands)))
        kernels.append(Kernel("k", draw(st.integers(1, 500)), tuple(operands[:cut]), tuple(operands[cut:])))
    return KernelTrace(
        tuple(kernels),
        tuple(Tensor(f"t{each}", sizes[each] * PAGE, persistent[each]) for each in range(count)),
    )


def run(
    trace: KernelTrace, system: MemorySystem, moves: list[Move], iterations: int = 3, reuse: bool = True
) -> list[float]:
    """The time of each iteration according to the engine."""
    start = ["host" if tensor.persistent else "" for tensor in trace.tensors]
    found = replay(
        trace, system, moves, Regime(faults=True, reuse=reuse), iterations, start=start,
        pager=UnifiedMemory(trace, system), most_iterations=iterations,
    )  # fmt: skip
    return found.spans


@settings(max_examples=cases(300), deadline=None)
@given(traces(), EVICTS, st.sampled_from([0.0, 7.0, 100.0]), st.sampled_from([5e8, 1e9, 4e9]))
def test_demand_paging_takes_as_long_as_page_by_page(
    trace: KernelTrace, evicts: Literal["lru", "migrated"], latency_ns: float, service: float
) -> None:
    faults = replace(FAULTS, evicts=evicts, latency_ns=latency_ns, service=service)
    system = replace(SYSTEM, faults=faults)
    assert run(trace, system, []) == pytest.approx(PageByPage(trace, system, faults).run(3), rel=1e-6, abs=1.0)


@settings(max_examples=cases(200), deadline=None)
@given(traces(), st.booleans())
def test_faster_service_is_never_slower(trace: KernelTrace, reuse: bool) -> None:
    rates = [
        run(trace, replace(SYSTEM, faults=replace(FAULTS, latency_ns=0.0, service=rate)), [], reuse=reuse)
        for rate in (5e8, 1e9, 2e9, 4e9)
    ]
    for slow, fast in pairwise(rates):
        assert all(after <= before + 1.0 for before, after in zip(slow, fast, strict=True))


@settings(max_examples=cases(200), deadline=None)
@given(traces(), st.sampled_from([60, 80, 100]), st.none() | st.integers(0, 5), st.booleans(), EVICTS)
def test_prefetching_comes_to_an_end_and_no_kernel_runs_too_early(
    trace: KernelTrace, factor: int, run_ahead: int | None, reuse: bool, evicts: Literal["lru", "migrated"]
) -> None:
    system = replace(SYSTEM, faults=replace(FAULTS, evicts=evicts))
    for moves in (Pump(factor, run_ahead).moves(trace, SYSTEM.capacity), lookahead_moves(trace, 2)):
        spans = run(trace, system, moves, reuse=reuse)
        assert all(span >= trace.ideal_ns - 1e-6 for span in spans)


def test_a_launch_waits_for_its_position_in_the_stream_although_its_operands_are_resident() -> None:
    trace = KernelTrace(
        (Kernel("a", 10.0, (), ()), Kernel("b", 10.0, (0,), ()), Kernel("c", 10.0, (1,), ())),
        (Tensor("w", 80, True), Tensor("x", 400, True)),
    )
    ahead = Move("prefetch", 1, 0, before=2)  # 400 bytes take 100 ns
    for move, begin in ((Move("prefetch", 0, 0, before=1), 100.0), (Move("prefetch", 0, 0), 10.0)):
        pager = UnifiedMemory(trace, SYSTEM)
        found = replay(trace, SYSTEM, [ahead, move], Regime(faults=True), 1, start=["", "host"], pager=pager)
        assert found.begins[0] == [0.0, begin, pytest.approx(max(begin + 10, 100))]

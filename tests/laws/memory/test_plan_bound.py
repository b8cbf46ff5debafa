"""The bound on plans, and the plans of our policies, on small random traces: no valid plan ends before the bound."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialects.diagnostics import InputError
from interp.machine.memory_system import Bus, MemorySystem, Tier
from interp.simulate.memory.engine import Refused, Regime
from interp.simulate.memory.problem import Kernel, KernelTrace, Move, Tensor
from interp.simulate.memory.replay import replay
from lowering.memory.bound import relax
from lowering.memory.intervals import Mode
from lowering.memory.planning import plan, repeated_ns
from lowering.memory.policies import POLICIES, MemoryOptions
from lowering.solve.rows import Rows
from tests.amount import cases

MODES: tuple[Mode, ...] = ("move", "copy")
SLACK = 1 + 1e-9
"""The allowed rounding error of times in the engine."""


def system(capacity: int, *tiers: Tier, bus: float = 1e9, apart: bool = False) -> MemorySystem:
    """A device whose bus carries `bus` bytes per second, by default a byte per ns. `apart`: each tier has such a bus of
    its own."""
    if not apart:
        return MemorySystem("gpu", capacity, tiers, (Bus(bus, bus),), page=1)
    tiers = tuple(replace(tier, bus=number) for number, tier in enumerate(tiers))
    return MemorySystem("gpu", capacity, tiers, (Bus(bus, bus),) * len(tiers), page=1)


def drawn(seed: int, kernels: int = 7, tensors: int = 6) -> KernelTrace:
    """A trace of weights, activations and workspaces of up to 1,000 bytes, and kernels of up to 2,000 ns."""
    draw = random.Random(seed)
    made = tuple(Tensor(f"t{i}", draw.randint(1, 10) * 100, draw.random() < 0.4) for i in range(tensors))
    used = [sorted(draw.sample(range(tensors), draw.randint(1, 3))) for _ in range(kernels)]
    return KernelTrace(
        tuple(
            Kernel(
                f"k{number}",
                float(draw.choice((0, 100, 500, 2000))),
                tuple(tensor for tensor in each if draw.random() < 0.8),
                tuple(tensor for tensor in each if draw.random() < 0.4),
                draw.choice((0, 0, 300)),
            )
            for number, each in enumerate(used)
        ),
        made,
    )


def tight(trace: KernelTrace, part: float) -> int:
    """A memory capacity between the largest kernel's need (`part` = 0) and the trace's peak of live bytes (`part` =
    1)."""
    return round(trace.largest_working_set + part * (trace.peak_live - trace.largest_working_set))


@pytest.mark.slow
@settings(max_examples=cases(80), derandomize=True, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from((0.0, 0.2, 0.6, 1.0)),
    st.sampled_from(MODES),
    st.integers(1, 3),
    st.booleans(),
)
def test_a_plan_is_sound_and_never_beats_its_bound(seed: int, part: float, mode: Mode, tiers: int, apart: bool):
    trace = drawn(seed)
    rates = (1e9, 0.3e9, 0.1e9)
    behind = (Tier(f"tier{i}", 800 if i + 1 < tiers else 10**6, rates[i], rates[i]) for i in range(tiers))
    memory = system(tight(trace, part), *behind, apart=apart)
    try:
        found = plan(trace, memory, mode)
    except Refused:  # a greedy order of moves may block itself in such small memories; the bound holds even so
        return
    assert found.score <= found.bound * SLACK
    assert found.run.violations(memory, found.regime) == []


@pytest.mark.slow
@settings(max_examples=cases(80), derandomize=True, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(MODES), st.booleans())
def test_no_random_plan_beats_the_bound(seed: int, mode: Mode, apart: bool):
    """Each plan evicts the tensors of a subset of the idle intervals to random tiers and prefetches them at random
    kernels; each plan that can be executed takes at least the time of the bound."""
    trace = drawn(seed, kernels=5, tensors=4)
    behind = [Tier("host", 10**6, 1e9, 1e9), *([Tier("far", 600, 0.5e9, 1e9)] if apart else [])]
    memory = system(tight(trace, 0.3), *behind, apart=apart)
    bound = relax(trace, memory, mode).bound
    idle, count, draw = trace.idle, len(trace.kernels), random.Random(seed)
    spans = [(int(t), int(a), int(b)) for t, a, b in zip(idle.tensor, idle.after, idle.before, strict=True)]
    for chosen in list(product((False, True), repeat=min(len(spans), 5))):
        moves: list[Move] = []
        for (tensor, after, before), taken in zip(spans, chosen, strict=False):
            if taken:
                at = draw.randint(after + 2, before)
                tier = draw.choice(behind).name
                moves += [Move("evict", tensor, after + 1, tier=tier), Move("prefetch", tensor, at % count)]
        try:
            run = replay(trace, memory, moves, Regime(mode=mode), iterations=6)
        except InputError:
            continue
        if run.steady:
            assert run.score <= bound * (1 + 1e-3)


@pytest.mark.parametrize("mode", MODES)
def test_the_order_of_tensors_does_not_matter(mode: Mode):
    trace = drawn(5, kernels=12, tensors=10)
    memory = system(tight(trace, 0.4), Tier("host", 10**6, 1e9, 1e9), Tier("ssd", 10**7, 0.2e9, 0.2e9))
    order: list[int] = np.random.default_rng(1).permutation(len(trace.tensors)).tolist()
    renamed = KernelTrace(
        tuple(
            replace(
                kernel,
                name=f"other{number}",
                reads=tuple(order.index(tensor) for tensor in reversed(kernel.reads)),
                writes=tuple(order.index(tensor) for tensor in reversed(kernel.writes)),
            )
            for number, kernel in enumerate(trace.kernels)
        ),
        tuple(replace(trace.tensors[old], name=f"n{old}") for old in order),
    )
    ours, theirs = plan(trace, memory, mode), plan(renamed, memory, mode)
    assert ours.run.ends == theirs.run.ends
    assert ours.bound == theirs.bound


@pytest.mark.parametrize("mode", MODES)
def test_rows_for_waits_tighten_the_bound(mode: Mode):
    memory = system(2000, Tier("host", 10**6, 1e9, 1e9), Tier("ssd", 10**7, 0.2e9, 0.2e9))
    pairs: list[tuple[float, float]] = []
    for seed in range(12):
        trace = drawn(seed, kernels=12, tensors=10)
        memory = replace(memory, capacity=tight(trace, 0.3))
        pairs.append((relax(trace, memory, mode).bound, relax(trace, memory, mode, waits=False).bound))
    assert all(with_rows <= without * (1 + 1e-6) for with_rows, without in pairs)
    assert any(with_rows < 0.999 * without for with_rows, without in pairs)


def test_tensors_that_fit_are_not_moved():
    trace = drawn(3)
    found = plan(trace, system(trace.peak_live, Tier("host", 10**6, 1e9, 1e9)))
    assert (found.moves, found.score, found.bound) == ([], 1.0, 1.0)


def test_eviction_of_one_tensor_costs_the_time_computed_by_hand():
    """For a kernel of 10 ns, 700 bytes of a weight must be evicted and then prefetched again, which takes 1,400 ns at a
    byte per ns. A kernel of 500 ns without operands runs meanwhile, so that the iteration is 900 ns longer than its
    kernels."""
    tensors = (Tensor("w", 1000, True), Tensor("big", 1000))
    kernels = (
        Kernel("use", 100.0, (0,), (0,)),
        Kernel("other", 10.0, (), (1,), 0),
        Kernel("idle", 500.0, (), ()),
    )
    trace, memory = KernelTrace(kernels, tensors), system(1300, Tier("host", 10**6, 1e9, 1e9))
    found = plan(trace, memory)
    assert found.relaxation.stall_ns == pytest.approx(700 + 200, rel=1e-3)
    assert found.run.spans[-1] == pytest.approx(610 + 900, rel=1e-3)


def test_two_links_move_the_bytes_of_one_tensor_concurrently():
    """As before, but half of the 700 bytes goes over another link: 350 ns out, and 350 ns back during the 500 ns."""
    tensors = (Tensor("w", 1000, True), Tensor("big", 1000))
    kernels = (Kernel("use", 100.0, (0,), (0,)), Kernel("other", 10.0, (), (1,)), Kernel("idle", 500.0, (), ()))
    tiers = (Tier("host", 10**6, 1e9, 1e9), Tier("ndp", 10**6, 1e9, 1e9))
    trace, memory = KernelTrace(kernels, tensors), system(1300, *tiers, apart=True)
    found = plan(trace, memory)
    assert found.relaxation.stall_ns == pytest.approx(350, rel=1e-3)
    assert found.run.spans[-1] == pytest.approx(610 + 350, rel=1e-2)
    assert found.run.violations(memory, found.regime) == []


def test_a_slow_link_moves_nothing_that_a_fast_one_can_move():
    trace = drawn(8, kernels=12, tensors=10)
    slow, fast = Tier("host", 10**6, 0.1e9, 0.1e9), Tier("ndp", 10**6, 1e9, 1e9, bus=1)
    memory = MemorySystem("gpu", tight(trace, 0.8), (fast, slow), (Bus(0.1e9, 0.1e9), Bus(1e9, 1e9)), page=1)
    found = plan(trace, memory)
    alone = plan(trace, system(memory.capacity, Tier("ndp", 10**6, 1e9, 1e9)))
    assert found.score >= alone.score
    if alone.score == 1.0:
        assert {move.tier for move in found.moves} <= {"", "ndp"}


def test_tensors_that_are_overwritten_before_a_read_need_no_memory():
    tensors = (Tensor("w", 1000, True), Tensor("big", 1000))
    kernels = (Kernel("use", 10.0, (0,), ()), Kernel("other", 10.0, (), (1,)), Kernel("set", 10.0, (), (0,)))
    trace = KernelTrace((*kernels, Kernel("idle", 10.0, (), ())), tensors)
    found = plan(trace, system(1300, Tier("host", 10**6, 1e9, 1e9)))
    assert found.moves == [Move("discard", 0, 1)]
    assert (found.score, found.bound) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("capacity", "tiers", "message"),
    [
        (
            900,
            (Tier("host", 10**6, 1e9, 1e9),),
            r"kernel 0 \(use\) needs 1000 bytes at one time, but @gpu holds only 900",
        ),
        (1300, (), r"2000 bytes are live in kernel 1 \(other\), but @gpu holds only 1300 and no tier is behind it"),
        (1300, (Tier("host", 500, 1e9, 1e9),), r"only 1300 and the tiers behind it 500; use larger memory behind"),
    ],
)
def test_a_trace_that_no_plan_can_run_is_refused(capacity: int, tiers: tuple[Tier, ...], message: str):
    tensors = (Tensor("w", 1000, True), Tensor("big", 1000))
    trace = KernelTrace((Kernel("use", 100.0, (0,), ()), Kernel("other", 10.0, (), (1,))), tensors)
    trace = replace(trace, kernels=(*trace.kernels, Kernel("idle", 1.0, (), ())))
    with pytest.raises(InputError, match=message):
        plan(trace, system(capacity, *tiers))


def test_latency_and_allocation_lower_the_score_and_not_the_bound():
    trace = drawn(8, kernels=12, tensors=10)
    memory = system(tight(trace, 0.3), Tier("host", 10**6, 1e9, 1e9))
    slow = replace(memory, buses=(Bus(1e9, 1e9, 50.0),), allocation_ns=1.0)
    quick, late = plan(trace, memory), plan(trace, slow)
    assert quick.bound == late.bound
    assert late.score < quick.score
    assert late.run.violations(slow, late.regime) == []


def test_a_bound_from_any_duals_is_below_the_optimum():
    """The program min x + y with x + y >= 3, x <= 2, y <= 2 has the optimum 3. Its lower bound is proved for the limit
    x + y >= 2.5 (`surely`), and is at most 2.5."""
    program = Rows()
    columns = program.columns(2, [2.0, 2.0], 1.0)
    program.add(program.rows(1, lower=3.0, surely=(2.5, np.inf)).repeat(2), columns)
    found = program.solve()
    assert found is not None
    assert found.objective == pytest.approx(3.0)
    assert 2.499 <= found.lower_bound <= 2.5


def test_the_bound_on_plans_of_both_modes_holds_for_a_mode_without_a_plan():
    trace = drawn(235)
    memory = system(tight(trace, 0.0), Tier("tier0", 800, 1e9, 1e9), Tier("tier1", 10**6, 0.3e9, 0.3e9))
    with pytest.raises(Refused):
        plan(trace, memory, "copy")
    found = POLICIES["plan"](trace, memory, MemoryOptions())
    assert found.bound_ns == min(relax(trace, memory, mode).bound_ns for mode in MODES)
    assert found.bound_ns is not None
    assert found.bound_ns < plan(trace, memory, "move").relaxation.bound_ns


def test_the_mean_time_of_repeated_iterations_is_compared_with_the_bound():
    assert repeated_ns([9.0, 5.0, 5.0]) == 5.0
    assert repeated_ns([9.0, 4.0, 6.0, 4.0, 6.0]) == 5.0
    assert repeated_ns([9.0, 4.0, 6.0, 7.0]) is None
    assert repeated_ns([5.0]) is None

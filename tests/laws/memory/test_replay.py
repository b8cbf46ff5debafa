"""Replays whose times can be computed by hand: 1 byte per ns in each direction, and 100 bytes of memory."""

from __future__ import annotations

import pytest

from interp.machine.memory_system import Bus, MemorySystem, Tier
from interp.simulate.memory.engine import Refused, Regime
from interp.simulate.memory.problem import Kernel, KernelTrace, Move, Tensor
from interp.simulate.memory.replay import Run, replay

SYSTEM = MemorySystem(
    "gpu", 100, (Tier("host", 1000, 1e9, 1e9), Tier("ssd", 1000, 0.25e9, 0.25e9)), (Bus(1e9, 1e9),), page=1
)


def _trace(ns: float = 100.0) -> KernelTrace:
    """A trace in which kernel 0 makes `a` and kernel 3 reads it; in between, kernels 1 and 2 use 60 bytes."""
    kernels = (
        Kernel("make", ns, (), (0,)),
        Kernel("fill", ns, (), (1,)),
        Kernel("pass", ns, (1,), ()),
        Kernel("read", ns, (0,), ()),
    )
    return KernelTrace(kernels, (Tensor("a", 50), Tensor("b", 60)))


def _begins(run: Run, iteration: int = 0) -> list[float]:
    return [round(begin, 6) for begin in run.begins[iteration]]


def test_outputs_wait_for_evictions() -> None:
    run = replay(_trace(), SYSTEM, [Move("evict", 0, 1, tier="host"), Move("prefetch", 0, 3)])
    # 10 bytes must leave before b has room; a is back 50 ns after b is dead
    assert _begins(run) == [0, 110, 210, 360]
    assert run.spans == pytest.approx([460, 460, 460])
    assert run.score == pytest.approx(400 / 460)


def test_the_ssd_takes_its_time() -> None:
    run = replay(_trace(), SYSTEM, [Move("evict", 0, 1, tier="ssd"), Move("prefetch", 0, 3)])
    assert _begins(run) == [0, 140, 240, 540]


def test_tiers_share_the_bus() -> None:
    moves = [Move("evict", 0, 1, 0, 20, "ssd"), Move("evict", 0, 1, 20, 50, "host"), Move("prefetch", 0, 3)]
    run = replay(_trace(), SYSTEM, moves)
    # out: ssd 0.25 and host 0.75 a ns; in: host's 30 in 40 ns, meanwhile 10 of the ssd's 20, then 40 more
    assert _begins(run) == [0, 110, 210, 390]


def test_early_prefetches_leave_room_for_the_next_kernel() -> None:
    run = replay(_trace(), SYSTEM, [Move("evict", 0, 1, tier="host"), Move("prefetch", 0, 2)])
    assert _begins(run) == [0, 110, 210, 320]  # 40 bytes are prefetched during b, 10 after b


def test_writing_back_early_makes_leaving_free() -> None:
    trace = KernelTrace(
        (Kernel("make", 100, (), (0,)), Kernel("wait", 100, (), ()), *_trace().kernels[1:]), _trace().tensors
    )
    moves = [Move("write_back", 0, 1, tier="host"), Move("evict", 0, 2, tier="host"), Move("prefetch", 0, 4)]
    run = replay(trace, SYSTEM, moves, Regime(mode="copy"))
    assert _begins(run) == [0, 100, 200, 300, 450]


def test_a_plan_that_deadlocks_is_refused() -> None:
    with pytest.raises(Refused, match=r"kernel 3 \(read\) waits for 50 B of a, which are in host, but no prefetch"):
        replay(_trace(), SYSTEM, [Move("evict", 0, 1, tier="host")])
    with pytest.raises(Refused, match=r"kernel 1 \(fill\) waits for room for 60 B .*: gpu holds 50 B of 100 B"):
        replay(_trace(), SYSTEM)
    with pytest.raises(Refused, match=r"kernel 3 \(read\) reads 50 B of a that have been discarded") as refused:
        replay(_trace(), SYSTEM, [Move("discard", 0, 1)])
    assert refused.value.step == 3


def test_latencies_pass_before_the_first_byte() -> None:
    system = MemorySystem("gpu", 100, SYSTEM.tiers, (Bus(1e9, 1e9, 7),), allocation_ns=1, page=10)
    run = replay(_trace(), system, [Move("evict", 0, 1, tier="host"), Move("prefetch", 0, 3)])
    # a takes 5 ns to allocate, b 6, after the 10 bytes that it waits for have left
    assert _begins(run) == [5, 105 + 7 + 10 + 6, 228, 385]

"""The engine's events, compared with a simulation in small time steps."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from interp.machine.memory_system import Bus, MemorySystem, Tier
from interp.simulate.memory.engine import Refused
from interp.simulate.memory.problem import KernelTrace, Move
from interp.simulate.memory.replay import replay
from tests.amount import cases
from tests.laws.memory.naive_memory import NaiveMemory
from tests.laws.memory.traces import traces

UNIT, TICK = 64, 1.0


@st.composite
def plans(draw: st.DrawFn, trace: KernelTrace) -> list[Move]:
    """An eviction and a prefetch in some idle intervals of tensors, at least one kernel apart, so that the eviction
    ends before the prefetch starts."""
    idle, kernels, moves = trace.idle, len(trace.kernels), list[Move]()
    for number in range(len(idle)):
        tensor, after, before = (int(each[number]) for each in (idle.tensor, idle.after, idle.before))
        if idle.nbytes[number] and draw(st.booleans()):
            moves.append(Move("evict", tensor, (after + 1) % kernels))
            moves.append(Move("prefetch", tensor, draw(st.integers(after + 2, before)) % kernels))
    return moves


@settings(max_examples=cases(160), deadline=None)
@given(st.data())
def test_events_agree_with_small_steps(data: st.DataObject) -> None:
    trace = data.draw(traces(most_kernels=6, most_tensors=5, unit=UNIT))
    trace = trace.scaled([40.0] * len(trace.kernels))
    moves = data.draw(plans(trace))
    capacity = trace.largest_working_set + UNIT * data.draw(st.integers(0, 10))
    rate = data.draw(st.sampled_from([1e9, 4e9]))
    system = MemorySystem("gpu", capacity, (Tier("host", 1 << 40, rate, rate),), (Bus(rate, rate),), page=UNIT)
    naive = NaiveMemory(trace, system, moves, TICK)
    assume(naive.used <= capacity)
    begins = naive.run(2, 3000)
    if begins is None:
        with pytest.raises(Refused):
            replay(trace, system, moves, iterations=2, most_iterations=2)
        return
    run = replay(trace, system, moves, iterations=2, most_iterations=2)
    found = [begin for each in run.begins for begin in each]
    slip = 3 * TICK * len(found)
    assert found == pytest.approx(begins, abs=slip)

"""Laws of plans that are written into programs: ops are read as the moves from which they were written, a program with
a plan takes the time of the program's trace with this plan, and no policy changes a value."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from dialects.diagnostics import InputError, notes_to
from interp.machine.memory_system import MemorySystem
from interp.simulate.memory.engine import Refused, Regime
from interp.simulate.memory.problem import Move, issues_of
from interp.simulate.memory.replay import replay
from interp.simulate.program_moves import moves_of
from interp.simulate.program_trace import ProgramTrace, trace_of_plan
from interp.simulate.schedule.planning import Plan
from interp.simulate.simulation import simulate
from interp.walk.entry import block_of, entry_of
from interp.walk.run import run_module
from lowering.banks.templates import clock_for
from lowering.graph.rewriting import arrange
from lowering.memory.prefetch import PrefetchPass
from lowering.memory.writing import in_order_of_time, write_moves
from tests.amount import cases
from tests.laws.memory.test_programs import BYTES, Drawn, programs, timed
from tests.programs import context, parse


def traced(text: str):
    """The parsed program with its function, its trace and its plan."""
    module = parse(text)
    clock, function = clock_for(module), entry_of(module)
    plan = Plan(module, clock)
    results = plan.entry(function)
    timeline = plan.timeline()
    return module, function, clock, plan, timeline, trace_of_plan(plan, function, results, timeline, "gpu")


def arrivals(found: ProgramTrace) -> int:
    """The number of kernels in which arguments arrive."""
    return sum(kernel.name.startswith("hand over") for kernel in found.trace.kernels)


@st.composite
def moves(draw: st.DrawFn, kernels: int, tensors: list[int]) -> list[Move]:
    """Moves of weights at random times."""
    found: list[Move] = []
    for _ in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(["prefetch", "evict", "write_back", "discard"]))
        first, last = draw(st.sampled_from([(0, None), (1000, None), (0, 4000)]))
        tier = "" if kind == "prefetch" else "host"
        found.append(
            Move(kind, draw(st.sampled_from(tensors)), draw(st.integers(0, kernels)), first, last, tier)  # pyright: ignore[reportArgumentType]
        )
    return found


@given(programs(), st.data())
@settings(max_examples=cases(50), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_moves_are_read_as_they_were_written(program: Drawn, data: st.DataObject) -> None:
    """If the ops are in the order of the timeline, each move is issued where it was planned: at the end of the last
    kernel before that which is an op, or ends with another device's job. A move off the device waits for its earlier
    readers, too; a discard can wait for nothing else."""
    module, function, clock, _, timeline, found = traced(program.text())
    arrange(block_of(function), in_order_of_time(found, timeline.events))
    module, function, clock, _, timeline, found = traced(str(module))
    weights = [number for number, tensor in enumerate(found.trace.tensors) if tensor.persistent]
    assume(weights)
    drawn = data.draw(moves(len(found.trace.kernels), weights))
    system = MemorySystem.of(clock.machine)
    assert system is not None
    written = write_moves(function, found, timeline.events, drawn, system)
    assert (written.ops, written.lost) == (len(drawn), 0)
    again = Plan(module, clock)
    results = again.entry(function)
    read, _ = moves_of(again.moves, trace_of_plan(again, function, results, again.timeline(), "gpu"), system)
    concurrency = found.concurrency
    ends = sorted({*concurrency.over, *(step for step, event in enumerate(concurrency.events) if event is not None)})
    arrived = arrivals(found)
    for move, at, expected in zip(read, issues_of(read), sorted(drawn, key=lambda each: each.at), strict=True):
        before = bisect_left(ends, expected.at) - 1
        stated = ends[before] + 1 if before >= 0 else 0
        if move.kind in ("prefetch", "write_back"):
            assert at == max(stated, arrived if move.kind == "prefetch" else 0)
        elif move.kind == "evict":
            assert at >= stated
        last = None if move.last == BYTES else move.last
        assert replace(move, at=0, last=last, after=None) == replace(expected, at=0)


SINGLE = programs().filter(lambda program: all("other" not in line and "queue" not in line for line in program.lines))


@given(SINGLE, st.data(), st.sampled_from(["60 kB", "80 kB", "1 GiB"]))
@settings(
    max_examples=cases(50), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
def test_a_program_takes_the_time_of_its_trace(program: Drawn, data: st.DataObject, memory: str) -> None:
    module, function, clock, _, timeline, found = traced(program.text('"by hand", faults = false', memory=memory))
    weights = [number for number, tensor in enumerate(found.trace.tensors) if tensor.persistent]
    assume(weights)
    drawn = [move for move in data.draw(moves(len(found.trace.kernels), weights)) if move.kind != "discard"]
    system = MemorySystem.of(clock.machine)
    assert system is not None
    write_moves(function, found, timeline.events, drawn, system)
    own = {step for step, event in enumerate(found.concurrency.events) if event is not None}
    before = [max((step + 1 for step in own if step < move.at), default=0) for move in drawn]
    before = [
        max(at, arrivals(found)) if move.kind == "prefetch" else at for move, at in zip(drawn, before, strict=True)
    ]
    order = sorted(range(len(drawn)), key=lambda number: drawn[number].at)
    same = [replace(drawn[number], at=before[number]) for number in order]
    try:
        expected = replay(found.trace, system, same, Regime()).spans[-1]
    except (Refused, InputError):
        with pytest.raises(InputError):
            simulate(module, clock)
        return
    assert simulate(module, clock).makespan_ns == pytest.approx(expected, rel=1e-6, abs=1e-3)


@pytest.mark.slow
@given(programs(), st.sampled_from(["uvm", "pump", "lookahead", "plan"]), st.sampled_from([40, 50, 70]))
@settings(max_examples=cases(50), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_policies_change_no_value(program: Drawn, policy: str, kilobytes: int) -> None:
    text = program.text(memory=f"{kilobytes} kB")
    found = traced(text)[-1]
    assume(found.trace.largest_working_set <= kilobytes * 1000)
    module = parse(text)
    with notes_to(lambda message, place: None):
        PrefetchPass(policy=policy).apply(context(), module)
    module.verify()
    for array, expected in zip(run_module(module), run_module(parse(text)), strict=True):
        np.testing.assert_array_equal(array, expected)
    least = timed(program.text()).makespan_ns
    assert simulate(module, clock_for(module)).makespan_ns >= least * (1 - 1e-9)

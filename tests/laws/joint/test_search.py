"""Laws of the search over devices, repeated runs and moves: no rule alone leads to a shorter program, and what is
carried out is what was scored, with the values of the program as read."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from dialects.diagnostics import InputError, notes_to
from interp.simulate.program_trace import trace_of
from interp.simulate.simulation import simulate
from interp.walk.entry import entry_of
from interp.walk.run import run_module
from lowering.banks.templates import clock_for
from lowering.instance.problem import Schedule
from lowering.joint.carrying import carried_out
from lowering.joint.search import JointSearch, decision_of
from lowering.place.place import PlacePass
from lowering.solve.climbing import Budget
from lowering.tasks.placing import place_in_parts, written
from lowering.tasks.short import with_moves
from ndpir.cli.check import error_of
from tests.amount import cases
from tests.laws.joint.plans import BEHIND, Short
from tests.programs import context, parse


def _placed_by_rule(short: Short, policy: str) -> float:
    """The time in ns of a program that a rule places, with planned moves; infinite if it can't run so."""
    module = parse(short.text)
    clock = clock_for(module)
    try:
        with notes_to(lambda message, place: None):
            place_in_parts(entry_of(module), clock, policy, BEHIND)
            return with_moves(entry_of(module), clock)[1].makespan_ns
    except InputError:
        return inf


@pytest.mark.slow
@given(st.integers(0, 9999))
@settings(max_examples=cases(4), deadline=None, phases=[Phase.generate])
def test_no_rule_alone_leads_to_a_shorter_program(seed: int) -> None:
    short = Short(seed, most=7)
    least = min((_placed_by_rule(short, policy) for policy in ("gpu", "pim-first")), default=inf) if short.text else inf
    if least == inf:
        return
    module = parse(short.text)
    clock = clock_for(module)
    with notes_to(lambda message, place: None):
        PlacePass(effort=1).apply(context(), module)
        planned, timeline = with_moves(entry_of(module), clock)
    assert timeline.makespan_ns <= least * (1 + 1e-9)
    for one, other in zip(run_module(parse(short.text), seed=3), run_module(planned, seed=3), strict=True):
        assert error_of(one, other) <= 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 5, 11, 23])
def test_what_is_carried_out_is_what_was_scored(seed: int) -> None:
    short = Short(seed)
    if not short.text:
        return
    problem, system = short.problem()
    search = JointSearch(problem, system, Budget(8))
    best = search.best_of([decision_of(problem, Schedule(problem.on_primary() or ()))])
    assert best is not None
    made, schedule = carried_out(problem, best.decision)
    assert made.ends(schedule) == pytest.approx(best.ideal_ns)
    module = problem.function.parent_op()
    written(made, schedule, "", unsplit=True)
    trace = trace_of(module, problem.clock).trace  # pyright: ignore[reportArgumentType]
    assert trace.ideal_ns == pytest.approx(best.ideal_ns)
    assert trace.peak_live == pytest.approx(best.program.trace.peak_live, rel=1e-3)
    assert simulate(with_moves(problem.function, problem.clock)[0], problem.clock).makespan_ns >= best.ideal_ns * 0.999

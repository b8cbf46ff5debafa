"""Laws of the bound on PIMFlow's plans: a plan that has one fits the devices' memories and ends no earlier, and plans
that are left out because of their bound change no result."""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from lowering.banks.templates import clock_for
from lowering.instance.of_program import PlacementProblem
from lowering.instance.options import MODES
from lowering.partition.pimflow.bound import least_makespan
from lowering.partition.pimflow.search import pimflow_plans
from lowering.partition.plans.simulated import as_marked
from lowering.partition.search import planning
from lowering.partition.search.outcome import Subject
from tests.amount import cases
from tests.laws.partition.test_plans import function_of, placed, problems
from tests.programs import parse


@given(problems(), st.sampled_from(list(MODES)))
@settings(max_examples=cases(60), phases=[Phase.generate])
def test_no_plan_ends_before_its_bound(text: str, mode: str) -> None:
    module = parse(text)
    function, clock = function_of(module), clock_for(module)
    room = PlacementProblem(function, clock).room
    plan = next(pimflow_plans(function, clock, mode))
    least = least_makespan(function, clock, plan, room)
    outcome = Subject(function, clock).outcome(mode, plan, False, as_marked)
    if least:
        assert outcome is not None
        assert least <= outcome.ns * (1 + 1e-9)
    assert not least_makespan(function, clock, plan, dict.fromkeys(room, 0))


def _no_bound(*given: object) -> float:
    return 0.0


@pytest.mark.slow
@given(problems())
@settings(max_examples=cases(20), phases=[Phase.generate])
def test_plans_that_are_left_out_change_no_result(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        ours = placed(text, "optimal", effort=1)
        patch.setattr(planning, "least_makespan", _no_bound)
        assert str(placed(text, "optimal", effort=1)) == str(ours)

"""Laws of the bound on plans that decide together where ops run, where values rest, and what runs again: no plan that
can be carried out takes less time, and it is no looser than it was."""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from lowering.joint.bound.program import JointRelaxation, joint_bound
from tests.amount import cases
from tests.laws.joint.plans import Short, alone


def bound_of(short: Short, repeats: bool = True, branches: int = 0) -> JointRelaxation:
    found = joint_bound(*short.problem(), repeats, branches)
    assert found is not None
    return found


@pytest.mark.slow
@given(st.integers(0, 9999))
@settings(max_examples=cases(6), deadline=None, phases=[Phase.generate])
def test_no_plan_takes_less_time(seed: int) -> None:
    short = Short(seed)
    if not short.text:
        return
    bound = bound_of(short, branches=4)
    for ns, text in short.times(3):
        assert ns >= bound.bound_ns * (1 - 1e-6), text


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 8, 11])
def test_choices_and_reruns_only_add_plans(seed: int) -> None:
    """The bound without repeated runs is not below that with them, and the compiler's plan for the GPU alone is one of
    all plans."""
    short = Short(seed)
    least, kept = bound_of(short), bound_of(short, repeats=False)
    assert least.bound_ns <= kept.bound_ns * (1 + 1e-6)
    assert kept.reruns == {}
    assert least.bound_ns <= alone(short) * (1 + 1e-6)

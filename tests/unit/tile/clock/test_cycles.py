"""The event simulation equals a cycle-by-cycle simulation on small cases."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from interp.kinds.gpu.multiprocessor import Multiprocessor
from interp.machine.sheets import load_device
from interp.tile.events import TICKS, BlocksOnUnit, Rates
from interp.tile.work import Steps
from lowering.tile.outlines import outline_of_schedule
from lowering.tile.schedule import Problem, Schedule
from tests.amount import cases
from tests.unit.tile.clock.cycles import Cycles
from tests.unit.tile.clock.programs import whole_steps

RATES = st.builds(Rates, st.integers(1, 60).map(float), st.sampled_from((1.0, 2.0)))
A100 = Multiprocessor.of(load_device("a100", {}, None), ModuleOp([]))


@settings(max_examples=cases(375))
@given(whole_steps(), st.integers(1, 6), st.integers(1, 3), RATES)
def test_events_are_those_of_cycles(program: Steps, warps: int, blocks: int, rates: Rates) -> None:
    assert BlocksOnUnit(program, warps, blocks, rates).run() == Cycles(program, warps, blocks, rates).run()


SCHEDULES = (
    Schedule((32, 32, 16), (2, 1), asynchronous=False),
    Schedule((32, 32, 32), (2, 2), pad=8),
    Schedule((32, 32, 32), (1, 2), stages=3, swizzled=True),
    Schedule((32, 32, 32), (1, 1), stages=2, register_stages=2, swizzled=True),
    Schedule((16, 32, 32), (1, 1), stages=3, register_stages=2, swizzled=True, peeled=True),
)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_products_take_the_ticks_that_they_take_one_by_one(schedule: Schedule) -> None:
    (outline,) = outline_of_schedule(Problem(64, 64, 160), schedule, A100)
    rates = Rates(200.0, 1.5)
    slow = Cycles(outline.steps, outline.warps, 2, rates, TICKS)
    assert BlocksOnUnit(outline.steps, outline.warps, 2, rates).run() == slow.run()

"""Test of the energy of a timeline whose jobs slow each other down."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from interp.machine.cost import Cost
from interp.simulate.events.jobs import Job
from interp.simulate.schedule.memory import Residency
from interp.simulate.schedule.planning import Draft, timeline_of
from tests.table_clock import TableClock, machine


class Board(TableClock):
    """A clock whose devices' boards take 2 W while idle."""

    def board_idle_w(self, device: str) -> float | None:
        return 2.0


def test_a_slowed_job_takes_idle_power_for_its_extra_time() -> None:
    """Two jobs of 10 ns each need the full bandwidth of one memory, so that both end at 20 ns. The energy of a job is
    its own 100 nJ plus 2 W of idle power for the 10 ns that it takes longer."""
    shared = Board(machine("a", "b", arbitrations=("shared",)), {})
    cost = Cost(10.0, 7.0, 10, 0, "memory", 100.0)
    drafts = [Draft(ModuleOp([]), name, Job(name, cost.ns, draw=1.0), cost) for name in "ab"]
    timeline = timeline_of(drafts, Residency(), shared)
    assert timeline.makespan_ns == pytest.approx(20.0)
    assert timeline.busy_ns["a"] == pytest.approx(20.0)
    assert sum(timeline.energy_nj.values()) == 14.0
    assert timeline.board_nj == pytest.approx(2 * (100.0 + 2.0 * 10.0))

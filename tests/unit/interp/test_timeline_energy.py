"""Energy of a timeline whose jobs slow each other down."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from interp.cost.record import Cost
from interp.schedule.jobs import Job
from interp.schedule.memory import Residency
from interp.schedule.timeline import Draft, timeline_of
from tests.table_clock import TableClock, machine


class Board(TableClock):
    """Each device's board takes 2 W while it is idle."""

    def board_idle_w(self, device: str) -> float | None:
        return 2.0


def test_what_is_slowed_down_idles_for_the_rest_of_its_time() -> None:
    """Two jobs of 10 ns that draw all of one bandwidth end at 20 ns: 100 nJ each, and 2 W for the other 10 ns."""
    shared = Board(machine("a", "b", arbitrations=("shared",)), {})
    cost = Cost(10.0, 7.0, 10, 0, "memory", 100.0)
    drafts = [Draft(ModuleOp([]), name, Job(name, cost.ns, draw=1.0), cost) for name in "ab"]
    timeline = timeline_of(drafts, Residency(), shared)
    assert timeline.makespan_ns == pytest.approx(20.0)
    assert timeline.busy_ns["a"] == pytest.approx(20.0)
    assert sum(timeline.energy_nj.values()) == 14.0
    assert timeline.board_nj == pytest.approx(2 * (100.0 + 2.0 * 10.0))

"""Lower bounds on the time of grids never exceed this time, and equal it if no warp waits for another one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from interp.machine.multiprocessor import Multiprocessor
from interp.machine.sheets import load_device
from interp.tile.bounds import least_ns
from interp.tile.clock import SHEET, Constants, slowed, time_of
from interp.tile.outline import outline_of
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.templates import pipelined_kernel
from tests.amount import cases

SLOWED = Constants(matrix=0.94, shared=0.88, store=2.5, contention=0.3)
SIDES = st.integers(1, 700)
PROBLEMS = st.builds(Problem, SIDES, SIDES, SIDES)


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    warps = draw(st.sampled_from((1, 2, 4))), draw(st.sampled_from((1, 2, 4)))
    rows, columns, inner = (16 * draw(st.sampled_from((1, 2, 4))) for _ in range(3))
    return Schedule(
        (rows * warps[0], columns * warps[1], inner),
        warps,
        stages=draw(st.integers(1, 5)),
        asynchronous=draw(st.booleans()),
        pad=draw(st.sampled_from((0, 8))),
        order=draw(st.sampled_from((1, 4))),
    )


def unit_of(sheet: str) -> Multiprocessor:
    return Multiprocessor.of(load_device(sheet, {}, None), ModuleOp([]))


@given(PROBLEMS, schedules(), st.sampled_from((SHEET, SLOWED)), st.sampled_from(("a100", "l20")))
@settings(max_examples=cases(150), deadline=None)
def test_no_grid_is_faster(problem: Problem, schedule: Schedule, constants: Constants, sheet: str) -> None:
    unit = unit_of(sheet)
    (grid,) = pipelined_kernel(problem, schedule).grids
    outline = outline_of(grid, slowed(unit, constants))
    least, found = least_ns(outline, unit, constants), time_of(outline, unit, constants)
    assert (least is None) == (found is None)
    if least is not None and found is not None:
        assert least <= found.ns * (1 + 1e-12)


@pytest.mark.parametrize("stages", [1, 2, 4])
def test_of_one_warp_it_is_the_time(stages: int) -> None:
    unit = unit_of("a100")
    (grid,) = pipelined_kernel(Problem(64, 16, 2048), Schedule((64, 16, 16), (1, 1), stages=stages, pad=8)).grids
    outline = outline_of(grid, unit)
    found = time_of(outline, unit)
    assert found is not None
    assert least_ns(outline, unit) == pytest.approx(found.ns)  # pyright: ignore[reportUnknownMemberType]

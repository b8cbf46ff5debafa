"""The outline of a kernel that is combined from parts equals the outline that is derived from the complete kernel."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from interp.kinds.gpu.multiprocessor import Multiprocessor
from interp.machine.sheets import load_device
from interp.tile.outline import outline_of
from lowering.tile.outlines import outline_of_schedule
from lowering.tile.schedule import Convolution, Problem, Schedule
from lowering.tile.templates import pipelined_kernel
from tests.amount import cases

A100 = Multiprocessor.of(load_device("a100", {}, None), ModuleOp([]))
CONVOLUTION = Convolution(2, (9, 8), 32, 48, (3, 3), (1, 2), ((1, 1), (1, 0)))
PROBLEMS = st.one_of(
    st.builds(
        Problem,
        st.sampled_from((64, 96, 100)),
        st.sampled_from((64, 200)),
        st.sampled_from((32, 64, 160, 250)),
        st.sampled_from((1, 3)),
        across=st.booleans(),
        epilogue=st.sampled_from(((), ("bias", "relu"))),
    ),
    st.just(Problem.of_convolution(CONVOLUTION)),
)


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    rows, columns = draw(st.sampled_from(((1, 1), (2, 1), (2, 2), (1, 4))))
    m, n = draw(st.sampled_from((1, 2, 4))), draw(st.sampled_from((1, 2)))
    pad, swizzled = draw(st.sampled_from(((0, False), (8, False), (0, True))))
    return Schedule(
        (16 * rows * m, 16 * columns * n, 16 * draw(st.sampled_from((1, 2, 4)))),
        (rows, columns),
        stages=draw(st.integers(1, 5)),
        register_stages=draw(st.sampled_from((1, 2, 4))),
        asynchronous=draw(st.booleans()),
        order=draw(st.sampled_from((1, 2))),
        peeled=draw(st.booleans()),
        pad=pad,
        swizzled=swizzled,
    )


@settings(max_examples=cases(15))
@given(schedules(), st.sampled_from((16, 20)), st.booleans())
def test_problems_that_differ_in_iterations_share_an_order(schedule: Schedule, extent: int, across: bool) -> None:
    # As many tiles of K as stages, one more, and many; and parts of a tile.
    deep = [
        schedule.block[2] * iterations + rest
        for iterations in (schedule.stages, schedule.stages + 1, 40)
        for rest in (0, 8)
    ]
    for problem in (Problem(5 * extent, 7 * extent, k, batch, across=across) for k in deep for batch in (1, 3)):
        expected = tuple(outline_of(grid, A100) for grid in pipelined_kernel(problem, schedule).grids)
        assert outline_of_schedule(problem, schedule, A100) == expected


@settings(max_examples=cases(25))
@given(schedules(), st.sampled_from(((9, 8), (7, 16))))
def test_convolutions_share_an_order(schedule: Schedule, spatial: tuple[int, int]) -> None:
    for channels, images in ((16, 1), (64, 2), (320, 2)):
        problem = Problem.of_convolution(
            replace(CONVOLUTION, batch=images, spatial=spatial, channels_in=channels, strides=(1, 2))
        )
        expected = tuple(outline_of(grid, A100) for grid in pipelined_kernel(problem, schedule).grids)
        assert outline_of_schedule(problem, schedule, A100) == expected


@settings(max_examples=cases(75))
@given(PROBLEMS, schedules())
def test_an_outline_is_that_of_the_kernel(problem: Problem, schedule: Schedule) -> None:
    expected = tuple(outline_of(grid, A100) for grid in pipelined_kernel(problem, schedule).grids)
    assert outline_of_schedule(problem, schedule, A100) == expected

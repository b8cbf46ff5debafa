"""Spaces of schedules, and closed formulas that rank them: sizes as published, blocks and traffic as of the clock."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from dialects.tile.loops import WARP
from interp.machine.multiprocessor import Multiprocessor
from interp.machine.sheets import load_device
from interp.tile.outline import outline_of
from interp.tile.traffic import traffic_of
from interp.tile.work import occupancy
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.search.ranking import RANKINGS, analytical_ns, blocks_of, bottleneck_ns, moved_by
from lowering.tile.search.spaces import PUBLISHED, Space, extended, kind_of, published, unpipelined
from lowering.tile.templates import pipelined_kernel

A100 = Multiprocessor.of(load_device("a100", {}, None), ModuleOp([]))


@pytest.mark.parametrize(
    ("kind", "size", "without"),
    [("dense", 1620, 108), ("batched", 4860, 324), ("conv2d", 2430, 162), ("conv3d", 3645, 243)],
)
def test_published_spaces_have_their_sizes(kind: str, size: int, without: int) -> None:
    space = published(kind)
    assert len(space) == size
    assert len(unpipelined(kind, asynchronous=True)) == len(unpipelined(kind, asynchronous=False)) == without
    schedules = [space.schedule(index) for index in range(size)]
    assert len(set(schedules)) == size
    assert Space.of(schedules).schedule(size - 1) == schedules[-1]


def test_our_space_holds_the_published_one() -> None:
    wide = extended("dense", stages=(2, 3))
    schedules = {wide.schedule(index) for index in range(len(wide))}
    assert len(schedules) == len(wide)
    narrow = published("dense")
    narrow = narrow.take(narrow["stages"] < 4)
    assert schedules >= {narrow.schedule(index) for index in range(len(narrow))}


def test_a_problem_has_the_space_of_its_kind() -> None:
    assert kind_of(Problem(8, 8, 8)) == "dense"
    assert kind_of(Problem(8, 8, 8, batch=2)) == "batched"
    assert set(PUBLISHED) == {"dense", "batched", "conv2d", "conv3d"}


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    warps = draw(st.sampled_from((1, 2, 4))), draw(st.sampled_from((1, 2, 4)))
    tiles = draw(st.sampled_from((1, 2, 4))), draw(st.sampled_from((1, 2)))
    chunks, stages = draw(st.sampled_from((1, 2, 4))), draw(st.integers(1, 5))
    block = 16 * warps[0] * tiles[0], 16 * warps[1] * tiles[1], 16 * chunks
    return Schedule(block, warps, stages=stages, pad=draw(st.sampled_from((0, 8))), order=draw(st.sampled_from((1, 4))))


EVEN = st.integers(1, 100).map(lambda eighths: 8 * eighths)
"""Extents whose rows threads can copy asynchronously."""


@settings(max_examples=30)
@given(schedules(), EVEN, EVEN, EVEN)
def test_blocks_and_traffic_are_those_of_the_clock(schedule: Schedule, m: int, n: int, k: int) -> None:
    problem, space = Problem(m, n, k), Space.of([schedule])
    outline = outline_of(pipelined_kernel(problem, schedule).grids[0], A100)
    blocks = blocks_of(problem, space, A100)
    held = occupancy(outline.shared_bytes, outline.registers, outline.warps * WARP, A100)
    assert (blocks.held[0], blocks.count[0], blocks.warps[0]) == (held.blocks, outline.count, outline.warps)
    at_once = min(outline.count, max(held.blocks, 1) * A100.count)
    if schedule.order == 1 or not blocks.grid[1][0] % schedule.order:
        found = traffic_of(outline.streams, outline.written, at_once, A100.l2_bytes)
        moved = moved_by(problem, space, A100, blocks)
        assert moved.read[0] == pytest.approx(found.read)
        assert moved.missed[0] == pytest.approx(found.missed)


@pytest.mark.parametrize("name", RANKINGS)
def test_a_schedule_that_no_multiprocessor_holds_is_last(name: str) -> None:
    small, large = Schedule((64, 64, 32), (2, 2)), Schedule((256, 256, 256), (2, 2), stages=4)
    found = RANKINGS[name](Problem(1024, 1024, 1024), Space.of([small, large]), A100)
    assert np.isfinite(found).tolist() == [True, False]


def test_latency_is_what_the_bottleneck_does_not_see() -> None:
    problem, space = Problem(512, 768, 3072), published("dense")
    found, least = analytical_ns(problem, space, A100), bottleneck_ns(problem, space, A100)
    held = np.isfinite(found)
    assert (found[held] >= least[held] * (1 - 1e-9)).all()

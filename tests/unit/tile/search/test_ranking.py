"""Spaces of schedules, and analytical models that rank them: sizes equal published ones, numbers of blocks and traffic
equal those of the clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from dialects.tile.loops import WARP
from interp.kinds.gpu.multiprocessor import Multiprocessor
from interp.machine.sheets import load_device
from interp.tile.traffic import traffic_of
from interp.tile.work import occupancy
from lowering.tile.outlines import outline_of_schedule
from lowering.tile.schedule import Convolution, Problem, Schedule
from lowering.tile.search.ranking import analytical_ns, blocks_of, bottleneck_ns, moved_by
from lowering.tile.search.spaces import PUBLISHED, Space, extended, kind_of, published, unpipelined
from lowering.tile.search.trials import simulated_ns
from tests.amount import cases

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
    register_stages, order = draw(st.sampled_from((1, 2, 4))), draw(st.sampled_from((1, 4)))
    pad, swizzled = draw(st.sampled_from(((0, False), (8, False), (0, True))))
    return Schedule(
        block, warps, stages=stages, register_stages=register_stages, pad=pad, swizzled=swizzled, order=order
    )


IMAGE = Convolution(3, (9, 10), 64, 48, (3, 3), (1, 1), ((1, 1), (1, 1)))


def problems() -> st.SearchStrategy[Problem]:
    sides = st.integers(1, 40).map(lambda eighths: 8 * eighths)
    products = st.builds(Problem, sides, sides, st.integers(1, 250).map(lambda eighths: 8 * eighths), st.integers(1, 3))
    return st.one_of(products, st.just(Problem.of_convolution(IMAGE)))


@settings(max_examples=cases(100))
@given(schedules(), problems(), st.booleans())
def test_blocks_and_traffic_are_those_of_the_clock(schedule: Schedule, problem: Problem, warm: bool) -> None:
    unit, space = replace(A100, warm=warm), Space.of([schedule])
    outline, *_ = outline_of_schedule(problem, schedule, unit)
    blocks = blocks_of(problem, space, unit)
    held = occupancy(outline.shared_bytes, outline.registers, outline.warps * WARP, unit)
    assert (blocks.held[0], blocks.count[0], blocks.warps[0]) == (held.blocks, outline.count, outline.warps)
    at_once = min(outline.count, max(held.blocks, 1) * unit.count)
    found = traffic_of(outline.streams, outline.written, at_once, unit.l2_bytes, warm)
    moved = moved_by(problem, space, unit, blocks)
    assert (moved.missed[0], moved.largest_miss[0]) == pytest.approx((found.missed, found.largest_miss))


@pytest.mark.slow
@pytest.mark.parametrize("problem", [Problem(512, 768, 3072), Problem(1024, 64, 1024, batch=12)])
def test_closed_formulas_rank_as_the_simulator_does(problem: Problem) -> None:
    space = published(kind_of(problem))
    space = space.take(np.random.default_rng(1).permutation(len(space))[:60])
    simulated = np.array([simulated_ns(problem, space.schedule(index), A100) for index in range(len(space))])
    predicted = analytical_ns(problem, space, A100)
    assert (np.isfinite(predicted) == np.isfinite(simulated)).all()
    runs = np.isfinite(simulated)
    ranks = [each[runs].argsort().argsort() for each in (predicted, simulated)]
    assert np.corrcoef(ranks[0], ranks[1])[0, 1] > 0.95
    assert np.abs(predicted[runs] / simulated[runs] - 1).mean() < 0.1


def test_a_repeated_kernel_finds_operands_that_fit_in_the_cache() -> None:
    small, large = Problem(512, 512, 512), Problem(65536, 8192, 512)
    for problem, less in ((small, True), (large, False)):
        cold, warm = (analytical_ns(problem, published("dense"), replace(A100, warm=each)) for each in (False, True))
        assert (warm.min() < cold.min() * (1 - 1e-6)) == less


@pytest.mark.parametrize("ranking", [analytical_ns, bottleneck_ns])
def test_a_schedule_that_no_multiprocessor_holds_is_last(
    ranking: Callable[[Problem, Space, Multiprocessor], NDArray[np.float64]],
) -> None:
    small, large = Schedule((64, 64, 32), (2, 2)), Schedule((256, 256, 256), (2, 2), stages=4)
    found = ranking(Problem(1024, 1024, 1024), Space.of([small, large]), A100)
    assert np.isfinite(found).tolist() == [True, False]


def test_times_with_latency_are_at_least_the_bottleneck() -> None:
    problem, space = Problem(512, 768, 3072), published("dense")
    found, least = analytical_ns(problem, space, A100), bottleneck_ns(problem, space, A100)
    held = np.isfinite(found)
    assert (found[held] >= least[held] * (1 - 1e-9)).all()

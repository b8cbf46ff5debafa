"""Branch and bound over schedules: its bound never exceeds simulated times, and its result is that of an exhaustive
search."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from interp.kinds.gpu.multiprocessor import SHEET, Constants, Multiprocessor
from interp.machine.sheets import load_device
from lowering.tile.schedule import Convolution, Problem
from lowering.tile.search.bounding import GAP, best_schedule, coarse_ns
from lowering.tile.search.spaces import Space, extended, published
from lowering.tile.search.trials import simulated_ns
from tests.amount import cases

UNIT = Multiprocessor.of(load_device("a100", {}, None), ModuleOp([]))
CONSTANTS = (SHEET, Constants(matrix=0.94, shared=0.88))
IMAGES = Convolution(4, (15, 14), 16, 32, (3, 3), (1, 1), ((1, 1), (1, 1)))
STRIDED = Convolution(4, (15, 14), 16, 32, (3, 3), (2, 2), ((1, 1), (0, 1)))
PROBLEMS = (
    Problem(200, 130, 90),
    Problem(512, 768, 300, across=True),
    Problem(64, 100, 64, batch=7),
    Problem.of_convolution(IMAGES),
    Problem.of_convolution(STRIDED),
)
SPACES = {"published": published("dense"), "ours": extended("dense")}


@given(st.data(), st.sampled_from(PROBLEMS), st.sampled_from(("published", "ours")), st.sampled_from(CONSTANTS))
@settings(max_examples=cases(62), deadline=None)
def test_no_schedule_is_faster_than_the_closed_bound(
    data: st.DataObject, problem: Problem, kind: str, constants: Constants
) -> None:
    whole = SPACES[kind]
    space = whole.take([data.draw(st.integers(0, len(whole) - 1))])
    unit = replace(UNIT, constants=constants)
    least = float(coarse_ns(problem, space, unit)[0])
    assert least <= simulated_ns(problem, space.schedule(0), unit) * (1 + 1e-12)


def drawn(count: int) -> Space:
    whole = published("dense")
    return whole.take(np.random.default_rng(3).choice(len(whole), count, replace=False))


@pytest.mark.parametrize("problem", PROBLEMS[:2])
def test_the_best_of_a_space_is_found(problem: Problem) -> None:
    space = drawn(40)
    every = [simulated_ns(problem, space.schedule(place), UNIT) for place in range(len(space))]
    found = best_schedule(problem, UNIT, space=space, trials=len(space))
    assert found is not None
    assert min(every) <= found.ns <= min(every) / (1 - GAP)
    assert found.bound <= min(every)
    assert found.trials <= len(space)


def test_few_trials_are_reported_with_a_bound() -> None:
    space, problem = drawn(40), PROBLEMS[1]
    best = min(simulated_ns(problem, space.schedule(place), UNIT) for place in range(len(space)))
    found = best_schedule(problem, UNIT, space=space, trials=3)
    assert found is not None
    assert found.trials == 3
    assert found.bound <= best <= found.ns


def test_if_no_kernel_fits_no_schedule_is_returned() -> None:
    small = replace(UNIT, shared_bytes=2048)
    space = drawn(10)
    assert set(coarse_ns(PROBLEMS[0], space, small)) == {inf}
    assert best_schedule(PROBLEMS[0], small, space=space) is None


def test_schedules_of_the_same_kernel_are_tried_once() -> None:
    whole = published("dense")
    same = whole.take((whole["block_m"] == 64) & (whole["block_n"] == 64) & (whole["warps_m"] == 2))
    one_turn = same.take(same["block_k"] == 32)
    found = best_schedule(Problem(256, 256, 32), UNIT, space=one_turn, trials=1000)
    assert found is not None
    tiles = {(*each.block, *each.warps) for each in map(one_turn.schedule, range(len(one_turn)))}
    assert found.trials <= 2 * len(tiles)  # of stages of shared memory one is left, of registers one or two

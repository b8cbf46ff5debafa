"""Laws of the lower bound for placements under memory capacities: it is at most the makespan of the best placement that
fits, and often above the bound that ignores memory."""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from lowering.bounds.relaxation import LoadProgram, bound_of_memory
from tests.amount import cases
from tests.laws.placement.random_placements import random_placement_problem
from tests.laws.schedule.naive_schedules import fitting_optimum, optimum
from tests.table_clock import machine
from tests.table_problem import problem_of

KINDS: list[tuple[int, int, dict[str, Any]]] = [
    (2, 40, {"devices": 3}),
    (3, 40, {"devices": 2}),
    (3, 20, {"devices": 2, "rich": True}),
]
"""Kinds of random problems. Each entry is the number of nodes, the number of problems to draw, and the arguments of
`random_placement_problem`."""


@pytest.mark.slow
@pytest.mark.parametrize(("nodes", "count", "kind"), KINDS)
def test_no_placement_that_fits_ends_before_it(nodes: int, count: int, kind: Mapping[str, Any]) -> None:
    for seed in range(cases(count)):
        random = Random(seed)
        memory = {each: random.randrange(20, 110) for each in ("cpu", "left", "right")}
        problem = random_placement_problem(seed, nodes, **kind, memory=memory)
        bound, least = bound_of_memory(problem), fitting_optimum(problem)
        if bound is not None and math.isfinite(least):
            assert bound.ns <= least * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_weights_that_do_not_fit_count_elsewhere(seed: int) -> None:
    """Four ops in a chain are fast on a device whose memory holds two of their weights."""
    random = Random(seed)
    costs = [[float(random.randrange(50, 100)), float(random.randrange(1, 10))] for _ in range(4)]
    on = machine("cpu", "left", memory_bytes={"left": 210})
    problem = problem_of(costs, [[-1], [0], [1], [2]], [1] * 5, on=on, weights=[100] * 4)
    bound = bound_of_memory(problem)
    assert bound is not None
    assert optimum(problem) < bound.ns <= fitting_optimum(problem) * (1 + 1e-9)
    assert bound.ns >= 0.7 * fitting_optimum(problem)


def test_two_tasks_on_one_device_count_twice() -> None:
    """Each of two nodes takes 4 ns on a first device, in whose memory only one of them fits, or two tasks of 5 ns on a
    second device. So the second device is busy for at least 10 ns."""
    program = LoadProgram()
    for _ in range(2):
        here, there = program.new(), program.new()
        program.groups.append([here, there])
        program.busy(here, [("home", 4.0)])
        program.busy(there, [("away", 5.0), ("away", 5.0)])
    program.rows.append(("memory", 1.0, [(0, 1.0), (2, 1.0)]))
    assert program.least()[0] == pytest.approx(10.0)

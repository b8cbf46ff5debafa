"""Laws of local search, which decides some nodes again while all other nodes stay: its schedules are valid, never end
later than before the search, and often end earlier than those of beam search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

import lowering.optimise.search.optimal as optimal_module
from lowering.instance.problem import Problem, Schedule
from lowering.optimise.quick.heuristics import quick
from lowering.optimise.search.improving import improved
from lowering.optimise.search.optimal import optimise
from lowering.optimise.search.windows import LEAST_NODES, Windows, critical, restricted
from lowering.solve import stopping
from tests.laws.placement.random_placements import random_placement_problem
from tests.laws.placement.test_exact import check
from tests.laws.schedule.naive_schedules import optimum
from tests.table_problem import random_problem

KINDS: list[tuple[int, int, dict[str, Any]]] = [
    (6, 6, {}),
    (5, 8, {"rich": True}),
    (4, 8, {"rich": True, "regions": 2, "arbitrations": ("separate", "exclusive")}),
]
"""Kinds of random problems. Each entry is the number of nodes, the number of problems to draw, and the arguments of
`random_placement_problem`."""


def searched(problem: Problem, start: Schedule, times: int) -> Schedule:
    windows, best = Windows(problem), start
    for _ in range(times):
        better = windows.better(best, float("inf"))
        assert problem.ends(better) <= problem.ends(best)
        best = better
    return best


@pytest.mark.slow
@pytest.mark.parametrize(("nodes", "count", "kind"), KINDS)
def test_of_few_nodes_it_finds_the_best(nodes: int, count: int, kind: Mapping[str, Any]) -> None:
    """With all nodes in one window, the search is exact."""
    assert nodes <= LEAST_NODES
    for seed in range(5000, 5000 + count):
        problem = random_placement_problem(seed, nodes, **kind)
        schedule = replace(searched(problem, Schedule(quick(problem)), 3))
        check(problem, replace(schedule, ns=problem.ends(schedule)))
        assert problem.ends(schedule) == pytest.approx(optimum(problem), rel=1e-6)


@pytest.mark.slow
def test_it_improves_schedules_of_beam_search() -> None:
    problem = random_problem(5, 80, window=8)
    beams = min(improved(problem, 30_000), key=problem.ends)
    found = searched(problem, beams, 4)
    check(problem, replace(found, ns=problem.ends(found)))
    assert problem.ends(found) < problem.ends(beams)
    assert searched(problem, beams, 4).order == found.order


def test_nodes_that_are_not_free_stay() -> None:
    problem = random_problem(3, 12)
    schedule = Schedule(quick(problem))
    part = restricted(problem, schedule, {2, 7})
    for node, mine, choice in zip(problem.nodes, part.nodes, schedule.placement, strict=True):
        assert mine.choices == (node.choices if node.index in (2, 7) else (choice,))
    assert part.ends(schedule) == problem.ends(schedule)


def test_a_longest_chain_ends_last_and_starts_first() -> None:
    for seed in range(5):
        problem = random_problem(seed, 12)
        schedule = Schedule(quick(problem))
        chain = critical(problem, schedule)
        assert sum(schedule.placement[node].cost.ns for node in chain) <= problem.ends(schedule) * (1 + 1e-12)
        assert chain


def in_vain(_: Windows, best: Schedule, seconds: float) -> Schedule:
    assert seconds > 0
    return best


@pytest.mark.slow
def test_a_gap_is_searched_until_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search continues while time is left; a fake clock advances by a second at each call."""
    ticks = iter(range(1_000_000))
    for module in (optimal_module, stopping):
        monkeypatch.setattr(module, "monotonic", lambda: float(next(ticks)))
    monkeypatch.setattr(Windows, "better", in_vain)
    problem = random_problem(2, 40, window=6)
    problem.options = replace(problem.options, limit=400.0)
    schedule = optimise(problem)
    assert schedule.bound is not None
    assert schedule.ns > schedule.bound.ns
    assert next(ticks) > 400

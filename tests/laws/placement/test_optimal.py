"""Laws of policy `optimal`: it finds the optimum of brute force, and its bounds are never above this optimum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

import lowering.optimise.search.optimal as optimal_module
from lowering.bounds.segments import segments_of
from lowering.instance.problem import Problem, Schedule
from lowering.limits import LIMITS
from lowering.optimise.quick.heuristics import greedy, priority
from lowering.optimise.search.lowest import lowest
from lowering.optimise.search.optimal import Budget, SegmentRow, optimise
from lowering.optimise.search.small import place_small
from tests.amount import cases
from tests.laws.placement.random_placements import random_placement_problem
from tests.laws.schedule.naive_schedules import optimum
from tests.table_clock import machine
from tests.table_problem import problem_of, random_problem

KINDS: list[tuple[int, int, dict[str, Any]]] = [
    (6, 15, {}),
    (8, 1, {}),
    (5, 25, {"rich": True}),
    (4, 40, {"rich": True, "regions": 2}),
    (5, 25, {"rich": True, "regions": 2, "arbitrations": ("separate", "exclusive")}),
]
"""Kinds of random problems. Each entry is the number of nodes, the number of problems to draw, and the arguments of
`random_placement_problem`."""


@pytest.mark.slow
@pytest.mark.parametrize(("nodes", "count", "kind"), KINDS)
def test_it_is_the_best_of_all_placements_and_orders(nodes: int, count: int, kind: Mapping[str, Any]) -> None:
    for seed in range(1000, 1000 + cases(count)):
        problem = random_placement_problem(seed, nodes, **kind)
        schedule, least = optimise(problem), optimum(problem)
        assert schedule.ns == problem.ends(schedule) == pytest.approx(least, rel=1e-6)
        assert schedule.bound is not None
        assert schedule.bound.ns == pytest.approx(least, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("nodes", "count", "kind"), KINDS)
def test_segments_add_up_to_at_most_the_optimum(nodes: int, count: int, kind: Mapping[str, Any]) -> None:
    for seed in range(2000, 2000 + cases(count)):
        problem = random_placement_problem(seed, nodes, **kind)
        assert SegmentRow(problem, Budget(0.0)).settled() <= optimum(problem) * (1 + 1e-9)


def chain_of_branches(seed: int, branches: int = 3) -> Problem:
    """Nodes that fork and join several times, each of which can run on three devices."""
    draw = random_problem(seed, 4 * branches)
    costs = [[choice.cost.ns for choice in node.choices] for node in draw.nodes]
    full = [row if len(row) == 3 else [*row, *[None] * (3 - len(row))] for row in costs]
    reads: list[list[int]] = []
    for branch in range(branches):
        first = 4 * branch
        reads += [[first - 1], [first], [first], [first + 1, first + 2]]
    return problem_of(full, reads, draw.sizes[: 4 * branches + 1], on=machine("cpu", "left", "right"))


@pytest.mark.slow
def test_programs_that_fork_and_join_are_solved_segment_by_segment(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(cases(10)):
        problem = chain_of_branches(seed)
        whole = optimise(problem)
        assert len(segments_of(problem)) > 3
        row = SegmentRow(problem, Budget(0.0))
        assert row.settled() == pytest.approx(whole.ns, rel=1e-6)
        with monkeypatch.context() as patch:
            patch.setattr(optimal_module, "LIMITS", replace(LIMITS, whole_nodes=0))
            in_parts = optimise(problem)
        assert in_parts.ns == pytest.approx(whole.ns, rel=1e-6)
        assert in_parts.bound is not None
        assert in_parts.bound.ns == pytest.approx(whole.ns, rel=1e-6)


@pytest.fixture
def little_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit the effort of searches, so that they stop before a proof."""
    monkeypatch.setattr(optimal_module, "LIMITS", replace(LIMITS, optimal_effort=0.03, segment_effort=0.006))


@pytest.mark.slow
@pytest.mark.usefixtures("little_effort")
def test_it_is_never_worse_than_other_policies() -> None:
    for seed in range(cases(3)):
        problem = random_problem(seed, 30, window=(0, 4, 8)[seed % 3])
        schedule = optimise(problem)
        assert schedule.ns == problem.ends(schedule)
        assert schedule.bound is not None
        assert lowest(problem).ns <= schedule.bound.ns <= schedule.ns * (1 + 1e-9)
        priorities = [("left", "right", "cpu"), ("right", "cpu", "left"), ("cpu", "left", "right")]
        others = [place_small(problem), greedy(problem)]
        for each in priorities:
            problem.options = replace(problem.options, devices=each)
            others.append(priority(problem))
        assert schedule.ns <= min(problem.ends(Schedule.of(other)) for other in others) * (1 + 1e-9)


@pytest.mark.slow
@pytest.mark.usefixtures("little_effort")
def test_it_finds_the_same_twice() -> None:
    first, second = (optimise(random_problem(0, 26, window=5)) for _ in range(2))
    assert (first.ns, first.bound, first.order) == (second.ns, second.bound, second.order)
    assert [choice.label for choice in first.placement] == [choice.label for choice in second.placement]

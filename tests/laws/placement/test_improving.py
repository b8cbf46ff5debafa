"""Laws of beam search: its schedules are valid, none ends before the optimum, and it finds the optimum if the order is
fixed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from lowering.instance.problem import Problem, Schedule
from lowering.instance.sequence import started
from lowering.optimise.quick.construct import construct
from lowering.optimise.quick.heuristics import greedy
from lowering.optimise.search.improving import improved, improvements
from lowering.optimise.search.optimal import optimise
from lowering.optimise.search.urgency import by_urgency, optimistic
from tests.amount import cases
from tests.laws.placement.random_placements import random_placement_problem
from tests.laws.schedule.naive_schedules import optimum
from tests.table_problem import problem_of, random_problem

KINDS: list[tuple[int, int, dict[str, Any]]] = [
    (6, 15, {}),
    (5, 25, {"rich": True}),
    (4, 25, {"rich": True, "regions": 2}),
    (5, 20, {"rich": True, "arbitrations": ("separate", "exclusive")}),
]
"""Kinds of random problems. Each entry is the number of nodes, half the number of problems to draw if NDPIR_EXAMPLES is
60, and the arguments of `random_placement_problem`."""


@pytest.mark.slow
@pytest.mark.parametrize(("nodes", "count", "kind"), KINDS)
def test_schedules_are_valid_and_end_no_earlier_than_the_best(nodes: int, count: int, kind: Mapping[str, Any]) -> None:
    for seed in range(3000, 3000 + cases(2 * count)):
        problem = random_placement_problem(seed, nodes, **kind)
        least = optimum(problem)
        for schedule in improved(problem, 4000):
            jobs = problem.jobs(schedule.placement)
            at = {job: place for place, job in enumerate(schedule.order)}
            assert sorted(schedule.order) == list(range(len(jobs)))
            assert all(at[other] < at[job] for job in at for other in jobs[job].after)
            assert all(choice in node.choices for choice, node in zip(schedule.placement, problem.nodes, strict=True))
            fits = not problem.overfull(schedule)
            assert not fits or problem.ends(schedule) >= least * (1 - 1e-9)


def chain(seed: int, nodes: int) -> Problem:
    """A chain of nodes, each of which reads the result of the previous one."""
    draw = random_problem(seed, nodes, lacking=0.0)
    costs = [[choice.cost.ns for choice in node.choices] for node in draw.nodes]
    return problem_of(costs, [[index - 1] for index in range(nodes)], draw.sizes)


@pytest.mark.slow
def test_chains_are_placed_at_their_best() -> None:
    for seed in range(10):
        problem = chain(seed, 6)
        schedule = next(improvements(problem))[0]
        assert problem.ends(schedule) == optimum(problem)


def test_in_every_order_nodes_follow_their_producers() -> None:
    for seed in range(10):
        problem = random_problem(seed, 20, window=(0, 4, 8)[seed % 3])
        order = by_urgency(problem, optimistic(problem))
        schedule = construct(problem, order, optimistic(problem), width=20).schedule(problem)
        for found in (order, started(problem, schedule)):
            assert sorted(found) == list(range(20))
            at = {node: place for place, node in enumerate(found)}
            assert all(
                at[problem.producer[v]] < at[n.index] for n in problem.nodes for v in n.reads if v in problem.producer
            )


@pytest.mark.slow
def test_searches_gain_much_where_nothing_can_be_cut() -> None:
    for window in (0, 8, 20):
        problem = random_problem(5, 80, window=window)
        best = min(problem.ends(schedule) for schedule in improved(problem, 10_000))
        assert best < 0.9 * problem.ends(Schedule(greedy(problem)))


@pytest.mark.slow
def test_searches_find_the_same_twice() -> None:
    problem = random_problem(7, 40, window=6)
    first, second = (
        [(s.order, problem.ends(s), work) for s, work in islice(improvements(problem), 6)] for _ in range(2)
    )
    assert first == second


def test_searches_end_when_the_time_is_spent() -> None:
    looks = iter(range(1000))
    assert len(list(improvements(random_problem(1, 30), lambda: next(looks) > 100))) == 3
    assert not list(improvements(random_problem(1, 0)))


@pytest.mark.slow
def test_a_limit_in_seconds_applies_to_the_complete_program_too() -> None:
    problem = random_problem(11, 60, window=6)
    problem.options = replace(problem.options, limit=0.5)
    schedule = optimise(problem)
    assert schedule.ns == problem.ends(schedule) <= problem.ends(Schedule(greedy(problem)))

"""Laws of the lower bound of all placements: no placement in any order of tasks ends before it; and each of the bounds
whose maximum it is, is at most the optimum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import numpy as np
import pytest

from lowering.bounds import relaxation
from lowering.bounds.branching import by_cases
from lowering.bounds.makespan import CutLevel, cuts
from lowering.bounds.relaxation import least_load, least_load_of
from lowering.bounds.segments import segments_of
from lowering.bounds.subproblem import whole_subproblem
from lowering.instance.choice import Choice
from lowering.instance.problem import Problem, Schedule
from lowering.optimise.quick.heuristics import greedy
from lowering.optimise.search.lowest import lowest
from tests.amount import cases
from tests.laws.placement.random_placements import random_placement_problem
from tests.laws.schedule.naive_schedules import optimum, placements
from tests.table_problem import problem_of, random_problem

ROUNDING = 1 + 1e-9
TURNS = ("separate", "exclusive")

KINDS: list[tuple[int, int, dict[str, Any]]] = [
    (2, 100, {"rich": True, "regions": 1}),
    (3, 90, {"rich": True, "regions": 1}),
    (4, 40, {"rich": True}),
    (4, 35, {"rich": True, "regions": 2, "arbitrations": TURNS}),
    (5, 25, {"devices": 2, "rich": True, "regions": 2}),
    (6, 20, {"devices": 2}),
    (4, 35, {"rich": True, "regions": 3, "unit": 0.37}),
]
"""Kinds of random problems. Each entry is the number of nodes, the number of problems to draw, and the arguments of
`random_placement_problem`, which add views, choices of two parts, inputs on other devices, several results, regions,
or devices that access a shared memory one after another."""


def drawn(nodes: int, number: int, kind: Mapping[str, Any]) -> Iterator[Problem]:
    return (random_placement_problem(seed, nodes, **kind) for seed in range(cases(number)))


def bounds_of(problem: Problem) -> dict[str, float]:
    """Each of the lower bounds whose maximum is the bound of all placements, in ns, by name."""
    whole = whole_subproblem(problem)
    fine = cuts(problem, whole)
    coarse = {segment.exit for segment in segments_of(problem)}
    levels = {"cut": fine, "cut seldom": [node for node in fine if node in coarse]}
    found = {
        "longest chain": whole.longest,
        "load": least_load_of(whole).ns,
        "cases": by_cases(whole, 0.0, 2000)[0],
        "all of it": lowest(problem).ns,
    }
    for name, chosen in levels.items():
        level = CutLevel(problem, whole, chosen, None)
        found[name] = level.bound().ns
        level.settle(2000)
        found[f"{name}, closer"] = level.bound().ns
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("nodes", "number", "kind"), KINDS)
def test_no_placement_ends_before_any_part_of_the_bound(nodes: int, number: int, kind: dict[str, Any]) -> None:
    for seed, problem in enumerate(drawn(nodes, number, kind)):
        least = optimum(problem)
        for name, bound in bounds_of(problem).items():
            assert bound <= least * ROUNDING, f"seed {seed}: {name} claims {bound}, {least} is reached"


@pytest.mark.slow
@pytest.mark.parametrize(("window", "number"), [(1, 30), (2, 30)])
def test_no_placement_of_long_programs_ends_before_it(window: int, number: int) -> None:
    """The nodes read only recent values, so that most of these programs can be cut into segments."""
    for seed in range(cases(number)):
        problem = random_problem(seed, 5, 2 + seed % 2, window)
        least = optimum(problem)
        assert max(bounds_of(problem).values()) <= least * ROUNDING, f"seed {seed}"


@pytest.mark.parametrize("seed", range(cases(25)))
def test_no_order_on_shared_bandwidth_ends_before_it(seed: int) -> None:
    random = Random(seed)
    problem = random_placement_problem(seed, 4, rich=True, arbitrations=("shared", "exclusive"))
    bound = max(bounds_of(problem).values())
    for placement in list(placements(problem))[:200]:
        for _ in range(3):
            order = some_order(problem, placement, random)
            assert bound <= problem.ends(Schedule(placement, order)) * ROUNDING


def some_order(problem: Problem, placement: list[Choice], random: Random) -> tuple[int, ...]:
    jobs = problem.jobs(placement)
    done: dict[int, None] = {}
    while len(done) < len(jobs):
        ready = [job for job in range(len(jobs)) if job not in done and all(other in done for other in jobs[job].after)]
        done[random.choice(ready)] = None
    return tuple(done)


def test_cases_are_exact_where_copies_and_order_cost_nothing() -> None:
    """For a chain, the bound equals the time of the best placement."""
    for seed in range(10):
        problem = random_problem(seed, 12, 3, 1)
        least = lowest(problem).ns
        assert least == pytest.approx(problem.makespan(best_of_chain(problem)), rel=1e-12)


def best_of_chain(problem: Problem) -> list[Choice]:
    """The best placement of a chain, by dynamic programming over the device of each value."""
    value = problem.inputs[0]
    ways: dict[str, tuple[float, list[Choice]]] = {problem.primary: (0.0, [])}
    for node in problem.nodes:
        found: dict[str, tuple[float, list[Choice]]] = {}
        for choice in node.choices:
            for source, (ns, chosen) in ways.items():
                ends = ns + problem.copy(problem.sizes[value], source, choice.device).ns + choice.cost.ns
                if choice.lands not in found or ends < found[choice.lands][0]:
                    found[choice.lands] = ends, [*chosen, choice]
        (value,), ways = node.writes, found
    last = {
        source: ns + problem.copy(problem.sizes[value], source, problem.primary).ns for source, (ns, _) in ways.items()
    }
    return ways[min(last, key=lambda source: last[source])][1]


@pytest.mark.slow
@pytest.mark.parametrize("devices", [2, 3])
def test_the_load_is_close_to_the_best_sharing_out(devices: int) -> None:
    """The bound for work that can be divided in fractions, compared with all placements of independent nodes."""
    for seed in range(40):
        random = np.random.default_rng(seed)
        table = random.integers(1, 50, (7, devices))
        rows = [[{f"d{device}": float(ns)} for device, ns in enumerate(row)] for row in table]
        least = min(
            max(sum(table[node, d] for node, d in enumerate(each) if d == device) for device in range(devices))
            for each in np.ndindex(*([devices] * len(table)))
        )
        bound = least_load(rows).ns
        assert bound <= least
        assert bound >= least - table.max(), "a whole node more than what fractions reach"
        steps = np.linspace(0, 1, 21)
        mixes = (
            [(a, 1 - a) for a in steps]
            if devices == 2
            else [(a, b, 1 - a - b) for a in steps for b in steps if a + b <= 1]
        )
        assert bound >= max((table * np.array(mix)).min(axis=1).sum() for mix in mixes) * (1 - 2e-3)


@pytest.mark.slow
def test_it_holds_for_programs_too_long_to_try() -> None:
    for seed in range(4):
        problem = random_problem(seed, 30, 3, (5, 0)[seed % 2])
        assert lowest(problem).ns <= problem.makespan(greedy(problem)) * ROUNDING


def test_two_ways_out_of_one_node_agree_on_where_it_ran() -> None:
    """Each of two readers alone would prefer another device for the node whose result they read; the bound must choose
    one device for the node."""
    costs = [[10.0, 10.0, None], [None, 10.0, None], [10.0, None, None], [10.0, None, None]]
    problem = problem_of(costs, [[-1], [0], [0], [1, 2]], [100, 0, 0, 0, 0])
    assert lowest(problem).ns == optimum(problem)


def test_work_for_one_device_adds_up_with_any_work_for_other_devices() -> None:
    """Four nodes can only run on the primary device, and one only on another device."""
    costs: list[list[float | None]] = [[10.0, None]] * 4 + [[None, 5.0]]
    problem = problem_of(costs, [[-1]] * 5, [0] * 6, results=range(5))
    found = lowest(problem)
    assert (found.ns, found.because) == (40.0, "load of cpu")


def test_nothing_takes_no_time() -> None:
    assert lowest(problem_of([], [], [4], on=random_problem(0, 1).clock.machine)).ns == 0.0


def test_the_load_of_a_link_counts_where_more_must_pass_it_than_devices_do() -> None:
    """Other devices compute each result faster than the primary device, to which it must then be copied: the best
    placement balances the copies against the work of the primary device."""
    problem = problem_of([[40.0, 1.0]] * 6, [[-1]] * 6, [*[100] * 6, 0], results=range(6))
    whole = whole_subproblem(problem)
    copy = problem.copy(100, "left", "cpu").ns
    found = least_load_of(whole).ns
    assert found == pytest.approx(6 * 40 * copy / (40 + copy))
    assert found <= lowest(problem).ns <= optimum(problem) * ROUNDING


def test_weights_of_a_part_of_many_nodes_bound_all_of_these_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(1)
    rows = [[{name: random.uniform(1, 50)} for name in "abc"] for _ in range(300)]
    exact = least_load(rows).ns
    monkeypatch.setattr(relaxation, "SAMPLED", 100)
    assert 0.98 * exact <= least_load(rows).ns <= exact * ROUNDING

"""Policies that run kernels on near-data units in parallel with kernels of the GPU, compared with brute force in the
accounting of XLA-NDP (lowering/optimise/overlap/plan.py)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowering.instance.choice import ChoicePart
from lowering.instance.problem import Problem, Schedule
from lowering.optimise.overlap.fractions import Relaxation
from lowering.optimise.overlap.hiding import Hiding
from lowering.optimise.overlap.kernels import Kernels
from lowering.optimise.overlap.policies import overlap_from
from lowering.optimise.overlap.rules import by_cost, by_pattern
from lowering.optimise.overlap.search import Chosen, chosen_forms
from lowering.optimise.overlap.timed import Timed, TransferMode, TransferModes, least_busy
from lowering.optimise.policies import POLICIES
from tests.laws.near_data.overlapping import broken, least, most_hidden, published, random_problem

NEAR = 0.01
"""The allowed difference of times in ns, since the flow algorithm rounds times to whole picoseconds."""
SEEDS = st.integers(0, 10**6)


@given(SEEDS, st.integers(1, 9))
def test_the_bound_is_below_all_choices_and_the_choice_above(seed: int, nodes: int) -> None:
    problem = random_problem(seed, nodes)
    chosen, best = Chosen.of(Kernels.of(problem)), least(problem)
    assert chosen.bound <= best + NEAR
    assert chosen.plan.ns >= best - NEAR


@given(SEEDS, st.integers(1, 20))
def test_ours_is_never_worse_than_the_rules_or_the_gpu_alone(seed: int, nodes: int) -> None:
    kernels = Kernels.of(random_problem(seed, nodes))
    ours = Chosen.of(kernels).plan
    for other in (by_cost(kernels), by_pattern(kernels)):
        assert ours.ns <= other.ns + NEAR
    if not kernels.forced:
        assert ours.ns <= kernels.alone_ns + NEAR


@given(SEEDS, st.integers(1, 20))
def test_plans_keep_the_rules_of_the_accounting(seed: int, nodes: int) -> None:
    problem = random_problem(seed, nodes)
    kernels = Kernels.of(problem)
    for plan in (by_cost(kernels), by_pattern(kernels), Chosen.of(kernels).plan):
        assert not broken(problem, plan)
        assert kernels.forced <= plan.offloaded.keys()
        assert plan.ns >= published(problem, plan.offloaded) - NEAR


@given(SEEDS, st.integers(1, 16), SEEDS)
def test_hidden_time_equals_that_of_a_linear_program_over_all_pairs(seed: int, nodes: int, some: int) -> None:
    problem = random_problem(seed, nodes)
    kernels = Kernels.of(problem)
    hiding = Hiding(kernels)
    away = {node for node in kernels.candidates if some >> node & 1} | kernels.forced
    assert hiding.most(away) == pytest.approx(most_hidden(problem, away), abs=NEAR)
    plan = hiding.plan(away)
    assert plan.ns == pytest.approx(published(problem, away), abs=NEAR)
    assert not broken(problem, plan)


@given(SEEDS, st.integers(1, 20))
def test_the_bound_that_prices_prove_is_the_value_of_the_program(seed: int, nodes: int) -> None:
    kernels = Kernels.of(random_problem(seed, nodes))
    relaxation = Relaxation(Hiding(kernels))
    shares = relaxation.solve()
    assert kernels.forced <= {node for node, share in shares.items() if share == 1.0}
    assert relaxation.prices().bound == pytest.approx(relaxation.value, rel=1e-6, abs=1e-6)


@given(SEEDS, st.integers(1, 12), st.sampled_from(["pattern", "xla-ndp", "overlap"]))
def test_decisions_agree_with_the_placement(seed: int, nodes: int, policy: str) -> None:
    problem = random_problem(seed, nodes)
    problem.options = replace(problem.options, accounting="published")
    kernels = Kernels.of(problem)
    schedule = Schedule.of(POLICIES[policy](problem))
    assert schedule.decisions.keys() == kernels.candidates.keys()
    total = sum(ns for node, ns in kernels.ns.items() if schedule.placement[node].device == "gpu")
    for node, decision in schedule.decisions.items():
        assert (decision.word.data == "gpu") == (schedule.placement[node].device == "gpu")
        total += decision.exposed_ns
    assert schedule.published is not None
    assert total == pytest.approx(schedule.published.ns, abs=NEAR)


def timeline_of(seed: int, nodes: int) -> Problem:
    """A problem in which policies minimise the time of the timeline; some of its inputs are state."""
    problem = random_problem(seed, nodes, marked=0.0)
    problem.options = replace(problem.options, accounting="full")
    made = [value for value in problem.outputs if value not in problem.inputs]
    problem.movable = dict(zip(problem.inputs, made[: seed % 2], strict=False))
    return problem


@given(SEEDS, st.integers(1, 12))
def test_ours_ends_no_later_than_the_rules_or_the_gpu_alone(seed: int, nodes: int) -> None:
    problem = timeline_of(seed, nodes)
    ours = problem.ends(Schedule.of(POLICIES["overlap"](problem)))
    for name in ("pattern", "xla-ndp", "gpu"):
        assert ours <= problem.ends(Schedule.of(POLICIES[name](problem))) + NEAR


@given(SEEDS, st.integers(1, 8), SEEDS, st.sampled_from(["whole", "writes", "both"]))
def test_no_schedule_ends_before_the_bound_of_loads(seed: int, nodes: int, some: int, way: TransferMode) -> None:
    problem = timeline_of(seed, nodes)
    kernels = Kernels.of(problem)
    schedule = Timed(kernels).schedule({node: way for node in kernels.candidates if some >> node & 1})
    assert schedule.ns == problem.ends(schedule)
    assert least_busy(problem).ns <= schedule.ns + NEAR


@given(SEEDS, st.integers(1, 12), st.sampled_from(["pattern", "xla-ndp", "overlap"]))
def test_decisions_agree_with_the_timeline(seed: int, nodes: int, policy: str) -> None:
    problem = timeline_of(seed, nodes)
    kernels = Kernels.of(problem)
    schedule = Schedule.of(POLICIES[policy](problem))
    begins, ends = problem.spans(schedule)
    took = {
        node: (begin, end)
        for (node, step), begin, end in zip(
            problem.walk(schedule.placement, schedule.input_devices), begins, ends, strict=True
        )
        if isinstance(step, ChoicePart)
    }
    for node, decision in schedule.decisions.items():
        assert (decision.word.data == "gpu") == (schedule.placement[node].device == "gpu")
        beside = [
            min(end, took[node][1]) - max(begin, took[node][0])
            for host, (begin, end) in took.items()
            if schedule.placement[host].device == "gpu"
        ]
        most = sum(each for each in beside if each > 0) if decision.word.data != "gpu" else 0.0
        assert decision.hidden_ns == pytest.approx(min(most, kernels.candidates[node].ns), abs=NEAR)


def in_forms(seed: int, nodes: int, forms: Sequence[int]) -> Problem:
    """A random problem in which each kernel on the near-data units has choices of two forms; `forms` gives the order of
    the choices: 0 for the alternative form, 1 for the usual form."""
    problem, draw = random_problem(seed, nodes), random.Random(seed)
    for index, node in enumerate(problem.nodes):
        away = node.choices[-1]
        phases = tuple(float(draw.randrange(1, 30)) for _ in range(draw.randint(1, 3)))
        if not node.view and away.device == "ndp":
            cost = replace(away.cost, ns=sum(phases), phases=phases if len(phases) > 1 else ())
            other = replace(away, label="ndp other", parts=(replace(away.parts[0], cost=cost),), cost=cost)
            problem.nodes[index] = replace(node, choices=(*node.choices[:-1], *[(other, away)[form] for form in forms]))
    return problem


@given(SEEDS, st.integers(1, 12))
def test_several_forms_are_never_worse_than_the_usual_one(seed: int, nodes: int) -> None:
    both, one = (chosen_forms(in_forms(seed, nodes, forms))[0] for forms in ((0, 1), (1,)))
    assert both.plan.ns <= one.plan.ns + NEAR


@given(SEEDS, st.integers(1, 5))
def test_the_bound_is_below_all_choices_of_forms(seed: int, nodes: int) -> None:
    problem = in_forms(seed, nodes, (0, 1))
    chosen, free = chosen_forms(problem)[0], list(Kernels.of(problem).candidates)
    best = float("inf")
    for picked in product((0, 1), repeat=len(free)):
        fixed = in_forms(seed, nodes, (0, 1))
        for index, form in zip(free, picked, strict=True):
            node = fixed.nodes[index]
            fixed.nodes[index] = replace(node, choices=(*node.choices[:-2], node.choices[-2:][form]))
        best = min(best, least(fixed))
    assert chosen.bound <= best + NEAR
    assert chosen.plan.ns >= best - NEAR


@given(SEEDS, st.integers(1, 10))
def test_a_search_from_a_given_choice_is_never_worse_than_this_choice(seed: int, nodes: int) -> None:
    kernels = Kernels.of(timeline_of(seed, nodes))
    known: TransferModes = dict.fromkeys(kernels.candidates, ("whole", "writes", "both")[seed % 3])
    ours, ways = overlap_from(kernels.problem, [known])
    assert ours.ns <= Timed(kernels).schedule(known).ns + NEAR
    assert Timed(kernels).schedule(ways).ns >= ours.ns - NEAR

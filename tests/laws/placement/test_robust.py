"""Laws of plans for uncertain costs: which costs a scenario changes; a hedged plan never has more regret than the
policy's own plan; and the text of its message."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interp.machine.cost import Cost
from lowering.instance.choice import Choice, ChoicePart
from lowering.instance.of_program import PlacementProblem
from lowering.instance.options import Options
from lowering.instance.problem import Problem, Region, Schedule
from lowering.limits import LIMITS
from lowering.optimise.policies import POLICIES
from lowering.optimise.quick.heuristics import greedy
from lowering.optimise.robust import TRAINING, PlanTrial, end, hedge
from lowering.optimise.scenarios import scenarios
from tests.amount import cases
from tests.laws.placement.test_policies import THREE, function_of, graphs
from tests.programs import parse
from tests.table_clock import TableClock, machine
from tests.table_problem import OP, problem_of, random_problem

QUICK = ("gpu", "pim-first", "greedy", "cost", "path")


def drawn(seed: int, nodes: int, regret: str, robust: float = 0.25) -> Problem:
    """A random problem with uncertain costs."""
    problem = random_problem(seed, nodes)
    problem.options = Options(robust=robust, regret="worst" if regret == "worst" else "expected")
    return problem


def regrets(problem: Problem, plans: list[Schedule], known: list[Schedule]) -> list[float]:
    """For each of `plans`, its worst or mean regret, by the option `regret`, over the scenarios with which `hedge`
    chooses. A regret is the relative excess over the earliest end of the plans `known` in the scenario."""
    found: list[list[float]] = [[] for _ in plans]
    for scenario in scenarios(problem, problem.options.robust, LIMITS.robust_scenarios, TRAINING):
        best = min(scenario.ends(scenario.here(plan)) for plan in known)
        for each, plan in zip(found, plans, strict=True):
            each.append(scenario.ends(scenario.here(plan)) / best - 1)
    return [max(each) if problem.options.regret == "worst" else sum(each) / len(each) for each in found]


@given(graphs(), THREE, st.sampled_from([0.0, 0.1, 0.5]), st.integers(0, 99))
@settings(max_examples=cases(40))
def test_a_scenario_has_the_same_jobs_at_other_costs(text: str, clock: TableClock, robust: float, seed: int) -> None:
    problem = PlacementProblem(function_of(parse(text)), clock)
    (scenario,) = scenarios(problem, robust, 1, seed)
    plan = Schedule(greedy(problem))
    there = scenario.here(plan)
    assert [choice.label for choice in there.placement] == [choice.label for choice in plan.placement]
    assert list(scenario.there(there).placement) == list(plan.placement)
    before, after = problem.jobs(plan.placement), scenario.jobs(there.placement)
    for nominal, wrong in zip(before, after, strict=True):
        assert (wrong.resource, wrong.after) == (nominal.resource, nominal.after)
        assert wrong.ns == pytest.approx(nominal.ns, rel=robust + 1e-12)
    if not robust:
        assert [job.ns for job in after] == [job.ns for job in before]
        assert scenario.ends(there) == problem.ends(plan)
    for node, twin in zip(problem.nodes, scenario.nodes, strict=True):
        for choice, wrong in zip(node.choices, twin.choices, strict=True):
            assert wrong.cost.ns == pytest.approx(choice.cost.ns, rel=robust + 1e-12)
            if len(wrong.parts) == 1:
                assert wrong.cost.ns == pytest.approx(wrong.parts[0].cost.ns)


@given(st.integers(0, 10_000), st.sampled_from([0.1, 0.5]))
@settings(max_examples=cases(30))
def test_equal_work_is_wrong_alike_and_a_link_in_both_directions(seed: int, robust: float) -> None:
    costs = [[10.0, 20.0], [10.0, 30.0], [10.0, 20.0]]
    problem = problem_of(costs, [(-1,), (0,), (1,)], [5, 5, 5, 5], on=machine("cpu", "left"))
    (scenario,) = scenarios(problem, robust, 1, seed)
    first, second, third = ([choice.cost.ns for choice in node.choices] for node in scenario.nodes)
    assert first == third
    assert first[0] == second[0]
    assert scenario.copy(5, "cpu", "left").ns == scenario.copy(5, "left", "cpu").ns
    assert scenario.copy(90, "cpu", "left").ns == pytest.approx(scenario.copy(0, "cpu", "left").ns * 10)
    assert len({first[0] / 10, first[1] / 20, second[1] / 30, scenario.copy(0, "cpu", "left").ns / 10}) == 4
    again = scenarios(problem, robust, 1, seed)[0]
    assert [choice.cost for node in again.nodes for choice in node.choices] == [
        choice.cost for node in scenario.nodes for choice in node.choices
    ]


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(1, 9), st.sampled_from(QUICK), st.sampled_from(["worst", "expected"]))
@settings(max_examples=cases(25))
def test_a_hedged_plan_never_loses_more_than_the_policys_own(seed: int, nodes: int, policy: str, regret: str) -> None:
    problem = drawn(seed, nodes, regret)
    own = Schedule.of(POLICIES[policy](problem))
    plan, figures = hedge(problem, POLICIES[policy])
    here, there = regrets(problem, [plan, own], [plan, own])
    assert here <= there + 1e-9
    assert figures.regret <= figures.nominal
    assert figures.regret >= 0
    assert plan.ns == problem.ends(plan)
    assert not problem.overfull(plan)
    again, same = hedge(problem, POLICIES[policy])
    assert (list(again.placement), again.order, same) == (list(plan.placement), plan.order, figures)


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(1, 9), st.sampled_from(QUICK), st.sampled_from(["worst", "expected"]))
@settings(max_examples=cases(20))
def test_costs_that_are_hardly_wrong_leave_the_best_plan(seed: int, nodes: int, policy: str, regret: str) -> None:
    problem = drawn(seed, nodes, regret, robust=1e-12)
    plan, figures = hedge(problem, POLICIES[policy])
    assert plan.ns <= end(problem, Schedule.of(POLICIES[policy](problem))) * (1 + 1e-9)
    assert figures.price == pytest.approx(0.0, abs=1e-8)


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(2, 4), st.sampled_from(["worst", "expected"]))
@settings(max_examples=cases(15))
def test_on_small_problems_hardly_any_plan_loses_less(seed: int, nodes: int, regret: str) -> None:
    """Compared with all placements in program order, a hedged plan's regret is close to the least."""
    problem = drawn(seed, nodes, regret)
    plans = [Schedule(placement) for placement in product(*(node.choices for node in problem.nodes))]
    plan, _ = hedge(problem, POLICIES["cost"])
    *each, ours = regrets(problem, [*plans, plan], plans)
    assert ours <= min(each) + 0.05


@pytest.mark.slow
def test_a_plan_that_memory_does_not_hold_is_not_taken() -> None:
    costs = [[100.0, 10.0], [100.0, 10.0], [100.0, 10.0]]
    for room, there in ((1000, 3), (250, 2)):
        on = machine("cpu", "left", memory_bytes={"left": room})
        problem = problem_of(costs, [(-1,), (0,), (1,)], [1, 1, 1, 1], on=on, weights=[100, 100, 100])
        problem.options = Options(robust=0.2)
        plan, _ = hedge(problem, POLICIES["cost"])
        assert not problem.overfull(plan)
        assert sum(choice.device == "left" for choice in plan.placement) == there


def test_orders_and_waits_are_evaluated_in_scenarios_too() -> None:
    """A plan may run the slower of two independent jobs first. The plan is then timed with this order both at nominal
    costs and in each scenario."""
    problem = problem_of([[10.0, None], [20.0, None]], [(-1,), (-1,)], [1, 1, 1], on=machine("cpu", "left"))
    plan = Schedule([node.choices[0] for node in problem.nodes], order=(1, 0), waits=((0, 1),))
    trial = PlanTrial(problem, scenarios(problem, 0.2, 3, 7), expected=True)
    reached = trial.evaluate(plan)
    assert reached == [scenario.ends(scenario.here(plan)) for scenario in trial.scenarios]
    starts = problem.spans(plan)[0]
    assert starts[0] > starts[1] == 0.0


def test_no_time_at_all_is_no_regret() -> None:
    problem = problem_of([], [], [1])
    problem.options = Options(robust=0.2)
    _, figures = hedge(problem, POLICIES["greedy"])
    assert figures.sentence(0.2, False) == (
        "robust: worst regret 0.0 % instead of 0.0 % over 16 scenarios of costs wrong by up to 20 %, and 0.0 % instead "
        "of 0.0 % over 16 others; price 0.0 % at nominal costs"
    )
    assert replace(figures, regret=0.5).sentence(0.2, True).startswith("robust: mean regret 50.0 %")


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.3]))
@settings(max_examples=cases(20))
def test_a_choice_of_several_parts_costs_the_sum_of_its_parts_and_copies(seed: int, robust: float) -> None:
    """Two nodes form a region with one part on each of two devices. In each scenario the cost of the region is the sum
    of the scenario's costs of its parts and of the copy between them."""
    problem = problem_of([[10.0, 20.0]] * 3, [(-1,), (0,), (1,)], [5, 6, 7, 8], on=machine("cpu", "left"))
    (argument,), (first, second, third) = problem.inputs, (node.writes[0] for node in problem.nodes)
    parts = (
        ChoicePart(OP, "left", Cost(30.0, 0.0, 0, 0, "table"), (argument,), (), (first,)),
        ChoicePart(OP, "cpu", Cost(40.0, 0.0, 0, 0, "table"), (first,), (), (second,)),
    )
    cost = parts[0].cost + problem.copy(problem.sizes[first], "left", "cpu") + parts[1].cost
    together = Choice("together", parts, ((argument, "left"),), "cpu", cost)
    problem.regions.append(Region((0, 1), together))
    plan = Schedule([together, together, problem.nodes[2].choices[0]])
    (scenario,) = scenarios(problem, robust, 1, seed)
    (region,) = scenario.regions
    there = scenario.here(plan)
    assert [choice is region.choice for choice in there.placement] == [True, True, False]
    assert list(scenario.there(there).placement) == list(plan.placement)
    assert len(scenario.jobs(there.placement)) == len(problem.jobs(plan.placement)) == 5
    moved = scenario.copy(problem.sizes[first], "left", "cpu").ns
    assert region.choice.cost.ns == pytest.approx(sum(part.cost.ns for part in region.choice.parts) + moved)
    if robust:
        assert region.choice.cost.ns != together.cost.ns
    problem.options = Options(robust=0.2)
    assert hedge(problem, lambda each: [each.regions[0].choice] * 2 + [each.nodes[2].choices[0]])[1].regret <= 1
    assert third in problem.outputs

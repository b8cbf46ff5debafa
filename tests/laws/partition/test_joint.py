"""Laws of splits and pipelines as regions of the placement problem: the search is exact for tasks in program order, a
region has the jobs of the transformation that it represents, numbers are kept, and more effort ends no later."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from xdsl.context import Context

from interp.machine.cost import Cost
from interp.simulate.simulation import simulate
from interp.walk.run import run_module
from lowering.banks.templates import clock_for
from lowering.instance.choice import Choice, ChoicePart
from lowering.instance.of_program import PlacementProblem
from lowering.instance.problem import Problem, Region
from lowering.instance.sequence import started
from lowering.optimise.quick.heuristics import gpu
from lowering.partition.plans.plan import OpSharding, Plan, carry_out
from lowering.partition.plans.simulated import Simulated, StepForm
from lowering.partition.search.offers import offer
from lowering.partition.search.outcome import Subject, as_expected, in_order
from lowering.partition.search.space import RegionCandidate, RegionSpace, expected
from lowering.partition.search.states import StateSearch
from lowering.partition.shards.parts import splittable_axes
from lowering.place.order import OrderPass
from ndpir.cli.check import error_of
from tests.amount import cases
from tests.laws.partition.test_plans import LAYERS, TOLERANCE, function_of, placed, problems
from tests.programs import parse
from tests.table_problem import OP, random_problem


def add_regions(problem: Problem, seed: int, count: int) -> None:
    """Add random regions of one to three consecutive nodes, each with parts on random devices. A region writes those
    values of its nodes that nodes outside of it read or that are results of the program."""
    draw = random.Random(seed)
    for _ in range(count):
        first = draw.randrange(len(problem.nodes))
        nodes = tuple(range(first, min(first + draw.randint(1, 3), len(problem.nodes))))
        made = {value for index in nodes for value in problem.nodes[index].writes}
        taken = [value for index in nodes for value in problem.nodes[index].reads if value not in made]
        parts: list[ChoicePart] = []
        known = list(dict.fromkeys(taken))
        for writes in [*((value,) for value in made), (problem.value(draw.randrange(50)),)]:
            reads = tuple(sorted(draw.sample(known, draw.randint(1, len(known)))))
            ns = float(draw.randrange(1, 60))
            parts.append(ChoicePart(OP, draw.choice(problem.devices), Cost(ns, ns, 0, 0, "table"), reads, (), writes))
            known += writes
        cost = Cost(1.0, 1.0, 0, 0, "table")
        needs = tuple((value, part.device) for part in parts for value in part.reads if value in taken)
        problem.regions.append(Region(nodes, Choice("region", tuple(parts), needs, parts[-1].device, cost)))


def all_placements(problem: Problem, start: int = 0) -> Iterator[list[Choice]]:
    """All combinations of a choice for each node, and of disjoint regions."""
    if start == len(problem.nodes):
        yield []
        return
    for rest in all_placements(problem, start + 1):
        yield from ([choice, *rest] for choice in problem.nodes[start].choices)
    for region in problem.regions:
        if region.nodes[0] == start:
            for rest in all_placements(problem, region.nodes[-1] + 1):
                yield [*[region.choice] * len(region.nodes), *rest]


@pytest.mark.slow
@given(st.integers(0, 1 << 30), st.integers(1, 5), st.sampled_from((2, 2, 3)), st.integers(0, 4))
@settings(max_examples=cases(150))
def test_the_search_finds_the_best_of_all_placements_and_regions(
    seed: int, nodes: int, devices: int, regions: int
) -> None:
    problem = random_problem(seed, nodes, devices)
    add_regions(problem, seed, regions)
    search = StateSearch(problem, width=1 << 30)
    ns, placement = search.placements()[0]
    assert search.exact
    assert ns == problem.makespan(placement)
    assert ns == pytest.approx(min(map(problem.makespan, all_placements(problem))), rel=1e-12)


@pytest.mark.slow
@given(st.integers(0, 1 << 30), st.integers(1, 12), st.sampled_from((1, 4, 32)))
@settings(max_examples=cases(50))
def test_a_limited_search_predicts_its_results_in_any_sequence(seed: int, nodes: int, width: int) -> None:
    problem = random_problem(seed, nodes)
    add_regions(problem, seed, 4)
    best = in_order(problem, StateSearch(problem, width).placements()[0][1])
    assert best.ns == problem.ends(best) <= problem.makespan(best.placement)
    sequence = started(problem, best)
    position = {node: place for place, node in enumerate(sequence)}
    assert sorted(sequence) == list(range(nodes))
    for node in problem.nodes:
        assert all(position[problem.producer[v]] < position[node.index] for v in node.reads if v in problem.producer)
    if sequence == list(range(nodes)):
        return
    for ns, placement in StateSearch(problem, width, sequence).placements():
        ranks = [float(position[node]) for node in range(nodes)]
        assert in_order(problem, placement, ranks).ns <= ns * (1 + 1e-9)


def space_of(subject: Subject) -> RegionSpace:
    space = RegionSpace(PlacementProblem(subject.laid, subject.clock), Simulated(subject.laid, subject.clock))
    halves = (0.25, 0.5)
    both = tuple(subject.clock.machine.devices)
    for op in [op for op in space.times.ops if subject.clock.supports(op, both[1])]:  # whether it pays or not
        cuts = [StepForm((OpSharding(both, axis, (end,)),)) for axis in splittable_axes(op) for end in halves]
        space.add([op], cuts)
    offer(space)
    return space


def taken(space: RegionSpace, candidates: list[RegionCandidate]) -> list[Choice]:
    """The placement with the given regions; all nodes outside of the regions are on the primary device."""
    placement = list(gpu(space.problem))
    for each in candidates:
        for index in each.region.nodes:
            placement[index] = each.region.choice
    return placement


def same_jobs(subject: Subject, space: RegionSpace, placement: list[Choice], steps: list[RegionCandidate]) -> bool:
    """Apply `steps` to a copy of the program. If this creates the nodes that their regions predict, assert that its
    jobs are those of the regions, and return True; else return False."""
    clone = subject.laid.clone()
    plan = Plan("regions", tuple(each.step for each in steps))
    if not carry_out(clone, plan.on(subject.laid, clone)):
        return False
    problem = PlacementProblem(clone, subject.clock)
    looks = expected(space, placement)
    now, where = as_expected(problem, looks)
    if where != list(range(len(looks))):
        return False
    mine = [(job.resource, job.ns, len(job.after)) for job in problem.jobs(now)]
    assert mine == [(job.resource, job.ns, len(job.after)) for job in space.problem.jobs(placement)]
    assert problem.makespan(now) == space.problem.makespan(placement)
    return True


@pytest.mark.slow
@given(problems(), st.integers(0, 1 << 30))
@settings(max_examples=cases(10), phases=[Phase.generate])
def test_a_region_has_the_jobs_of_its_executed_step(text: str, seed: int) -> None:
    module = parse(text)
    subject = Subject(function_of(module), clock_for(module))
    space = space_of(subject)
    draw = random.Random(seed)
    for each in draw.sample(space.candidates, min(6, len(space.candidates))):
        same_jobs(subject, space, taken(space, [each]), [each])


def test_regions_apart_are_exact() -> None:
    """Two regions with an unsplit op between them have the jobs of the transformed program, each region alone and both
    together."""
    module = parse(LAYERS)
    subject = Subject(function_of(module), clock_for(module))
    space = space_of(subject)
    first, second = ([each for each in space.candidates if each.region.nodes == (node,)] for node in (0, 2))
    assert first
    assert second
    for chosen in ([a, b] for a, b in product(first[:4], second[-4:])):
        assert all(same_jobs(subject, space, taken(space, [each]), [each]) for each in chosen)
        assert same_jobs(subject, space, taken(space, chosen), chosen)


@pytest.mark.slow
@given(problems())
@settings(max_examples=cases(4), phases=[Phase.generate])  # a case takes seconds: all policies plan it
def test_more_effort_keeps_the_numbers_and_ends_no_later(text: str) -> None:
    numbers = run_module(parse(text), seed=5)
    ends: list[float] = []
    for effort in (1, 2, 3):
        module = placed(text, "optimal", effort=effort)
        assert all(error_of(*pair) <= TOLERANCE for pair in zip(numbers, run_module(module, seed=5), strict=True))
        OrderPass().apply(Context(), module)
        ends.append(simulate(module, clock_for(module)).makespan_ns)
    assert ends[2] <= ends[1] * (1 + 1e-9)
    assert ends[1] <= ends[0] * (1 + 1e-9)

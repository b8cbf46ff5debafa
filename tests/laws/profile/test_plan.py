"""Laws of profiling plans: no set of placements measures all costs in fewer runs, for any program, and for devices that
lack some ops; on chains, the number of runs is the least flow through the placement graph."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from interp.machine.composition import Machine
from interp.machine.cost import NOTHING, Cost
from lowering.instance.choice import Choice, ChoicePart
from lowering.instance.memories import Memories
from lowering.instance.problem import Problem
from lowering.profiling.items import requirements_of
from lowering.profiling.plan import RunPlan, copies_of, profile_plan
from lowering.profiling.search import search
from tests.amount import cases
from tests.laws.banks.naive_runs import fewest, measured
from tests.laws.profile.proofs import proved
from tests.table_clock import TableClock, device, link
from tests.table_problem import OP, problem_of, random_problem

FREE = replace(link(), bandwidth=1e42, latency_ns=0.0)


def a_machine(*links: tuple[str, str], free: tuple[tuple[str, str], ...] = ()) -> Machine:
    """A machine with these links; devices are in the order of their first mention in `links`. `free`: pairs of devices
    that share a memory."""
    names = dict.fromkeys(name for ends in (*links, *free) for name in ends)
    return Machine({name: device(name) for name in names}, dict.fromkeys(links, link()) | dict.fromkeys(free, FREE))


TWO = a_machine(("cpu", "pim"))
SHARED = a_machine(("cpu", "pim"), ("par", "pim"), free=(("cpu", "par"),))
BY_PRIMARY = a_machine(("cpu", "pim"), free=(("cpu", "par"),))  # from par to pim by way of cpu, whose memory it shares
STAR = a_machine(("cpu", "one"), ("cpu", "two"))
CLIQUE = a_machine(("cpu", "one"), ("cpu", "two"), ("one", "two"))
MEMORIES: tuple[tuple[Machine, Mapping[str, int]], ...] = (
    (TWO, {"cpu": 0, "pim": 1}),
    (SHARED, {"cpu": 0, "par": 0, "pim": 1}),
    (BY_PRIMARY, {"cpu": 0, "par": 0, "pim": 1}),
    (STAR, {"cpu": 0, "one": 1, "two": 2}),
    (CLIQUE, {"cpu": 0, "one": 1, "two": 2}),
)


def odd_problem(seed: int, on: Machine, nodes: int) -> Problem:
    """A problem with features that `random_problem` lacks: nodes with several results, views, splits over two devices,
    inputs on other devices, results that are also read."""
    draw = random.Random(seed)
    problem = Problem(TableClock(on, {}))
    values = [problem.value(draw.randrange(1, 100)) for _ in range(draw.randint(1, 2))]
    problem.inputs = tuple(values)
    if draw.random() < 0.3:
        problem.present_at = {values[0]: tuple(draw.sample(problem.devices, draw.randint(1, len(problem.devices))))}
    for _ in range(nodes):
        view = draw.random() < 0.2
        able = [name for name in problem.devices if view or draw.random() < 0.8] or [problem.primary]
        reads = tuple(sorted(draw.sample(values, min(len(values), draw.randint(1, 2)))))
        writes = tuple(problem.value(draw.randrange(1, 100)) for _ in range(1 if view else draw.randint(1, 2)))
        cost = NOTHING if view else Cost(7.0, 7.0, 0, 0, "table")
        choices = [Choice(name, (part,), tuple((value, name) for value in reads), name, cost)
                   for name in able for part in (ChoicePart(OP, name, cost, reads, (), writes, view),)]  # fmt: skip
        if (
            not view and len(reads) > 1 and draw.random() < 0.4
        ):  # the first value to another device, the rest on the primary device
            far, primary = problem.devices[-1], problem.primary
            between = problem.value(5)
            parts = (
                ChoicePart(OP, far, cost, reads[:1], (), (between,)),
                ChoicePart(OP, primary, cost, (between, *reads[1:]), (), writes),
            )
            needs = ((reads[0], far), *((value, primary) for value in reads[1:]))
            choices.append(Choice(f"{far}+{primary}", parts, needs, primary, cost + cost))
        problem.node(OP, choices, reads, writes)
        values += writes
    read = {value for node in problem.nodes for value in node.reads}
    last = problem.nodes[-1].writes
    problem.outputs = tuple(each for each in values if each not in read or (each in last and draw.random() < 0.5))
    return problem


def held_against_all(problem: Problem, memory: Mapping[str, int], symmetric: bool) -> RunPlan:
    """The plan of profiling runs for a problem, after a check that no set of placements measures all costs in fewer
    runs."""
    apart, together = (profile_plan(problem, each, symmetric) for each in (False, True))
    every = [measured(problem, each, memory, symmetric) for each in product(*(node.choices for node in problem.nodes))]
    inner = {value for node in problem.nodes for choice in node.choices for value in _inside(choice)}
    for plan in (apart, together):
        got = {item for run in plan.runs for item in measured(problem, run.placement, memory, symmetric)}
        assert got == {item for items in every for item in items}
        counted = (
            [index for run in plan.runs for index in run.nodes],
            [each for run in plan.runs for each in run.copies],
        )
        assert (len(counted[0]), len(counted[1])) == plan.measured
        assert sum(plan.measured) == sum(not (item[0] == "copy" and item[1] in inner) for item in got)
        assert all(set(run.copies) <= set(copies_of(problem, run.placement)) for run in plan.runs)
    pinned = [run.placement for run in apart.runs if run.kind == "nodes"]
    assert apart.nodes.runs == fewest(problem, memory, symmetric, copies=False) == len(pinned)
    assert apart.copies.runs == fewest(problem, memory, symmetric, before=pinned)
    assert together.together.runs == fewest(problem, memory, symmetric) == len(together.runs)
    assert proved(apart)
    assert proved(together)
    return apart


def _inside(choice: Choice) -> set[int]:
    """The values that one part of a choice makes and another part of it reads."""
    return {value for part in choice.parts[:-1] for value in part.writes}


@pytest.mark.slow
@pytest.mark.parametrize(("on", "memory"), MEMORIES)
@pytest.mark.parametrize("symmetric", [True, False])
def test_no_set_of_runs_is_smaller(on: Machine, memory: Mapping[str, int], symmetric: bool) -> None:
    for seed in range(cases(300 if on is not CLIQUE else 200)):
        nodes = 1 + seed % (5 if len(memory) == 2 else 3)
        lacking = (0.0, 0.2, 0.5)[seed // 5 % 3]
        held_against_all(random_problem(seed, nodes, len(memory), lacking=lacking, on=on), memory, symmetric)


@pytest.mark.parametrize(("on", "memory"), MEMORIES)
@pytest.mark.parametrize("symmetric", [True, False])
def test_no_set_of_runs_is_smaller_with_views_splits_and_several_results(
    on: Machine, memory: Mapping[str, int], symmetric: bool
) -> None:
    for seed in range(cases(175 if on is not CLIQUE else 125)):
        held_against_all(odd_problem(seed, on, 1 + seed % 3), memory, symmetric)


@pytest.mark.parametrize(("on", "memory"), MEMORIES[2:])
def test_no_set_of_runs_is_smaller_for_four_nodes_on_three_devices(on: Machine, memory: Mapping[str, int]) -> None:
    for seed in range(15):
        held_against_all(random_problem(1000 + seed, 4, 3, lacking=0.1, on=on), memory, seed % 2 == 0)


# Chains: the least flow with lower bounds through the layered graph.


def chain(seed: int, nodes: int, on: Machine) -> Problem:
    """A chain of nodes, each of which reads the previous one; some nodes can't run on some devices."""
    draw = random.Random(seed)
    able = [[d == 0 or draw.random() < 0.7 for d in range(len(on.devices))] for _ in range(nodes)]
    costs = [[1.0 if can else None for can in row] for row in able]
    return problem_of(costs, [[index - 1] for index in range(nodes)], [8] * (nodes + 1), on=on)


def least_flow(problem: Problem, memory: Mapping[str, int], symmetric: bool) -> int:
    """The least flow from start to end of the layered graph of a chain, by a mixed-integer program: at least one unit
    through each node on each device, and at least one unit for each copy, through any of the edges that measure it
    (with `symmetric`, also those in the opposite direction)."""
    from scipy.optimize import LinearConstraint, milp  # pyright: ignore[reportUnknownVariableType]

    layers = [
        [problem.primary],
        *([choice.label for choice in node.choices] for node in problem.nodes),
        [problem.primary],
    ]
    edges = [(i, a, b) for i, (one, other) in enumerate(pairwise(layers)) for a in one for b in other]
    rows: list[tuple[list[float], float, float]] = []
    for i, layer in enumerate(layers):
        for place in layer:
            into = [float(j + 1 == i and b == place) for j, _, b in edges]
            out = [float(j == i and a == place) for j, a, _ in edges]
            if 0 < i < len(layers) - 1:
                rows.append(([x - y for x, y in zip(into, out, strict=True)], 0.0, 0.0))
                rows.append((into, 1.0, np.inf))
    for i, a, b in edges:
        ends = (memory[a], memory[b])
        if ends[0] != ends[1]:
            same = {ends, ends[::-1]} if symmetric else {ends}
            rows.append(([float(j == i and (memory[c], memory[d]) in same) for j, c, d in edges], 1.0, np.inf))
    matrix, low, high = (np.array(column) for column in zip(*rows, strict=True))
    from_start = np.array([float(i == 0) for i, _, _ in edges])
    whole = np.ones(len(edges), dtype=np.int64)
    solved = milp(from_start, constraints=LinearConstraint(matrix, low, high), integrality=whole)
    assert solved.fun is not None
    return round(solved.fun)


@pytest.mark.slow
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize(("on", "memory"), [MEMORIES[0], MEMORIES[1], MEMORIES[4]])
def test_on_chains_it_is_the_least_flow(on: Machine, memory: Mapping[str, int], symmetric: bool) -> None:
    for seed in range(20):
        problem = chain(seed, 2 + seed % 11, on)
        plan = profile_plan(problem, True, symmetric)
        assert proved(plan)
        assert len(plan.runs) == least_flow(problem, memory, symmetric)


def test_on_chains_with_directions_it_is_the_largest_load_of_a_node() -> None:
    """The number of runs is the maximum over nodes of the sum over devices of max(copies in, copies out), as in
    lowering/profiling/forest.py."""
    for seed in range(60):
        problem = chain(seed, 2 + seed % 9, CLIQUE)
        able = [
            {problem.primary},
            *({choice.device for choice in node.choices} for node in problem.nodes),
            {problem.primary},
        ]
        loads = [
            sum(max(1, len(before - {place}), len(after - {place})) for place in here)
            for before, here, after in zip(able, able[1:], able[2:], strict=False)
        ]
        assert len(profile_plan(problem, True, False).runs) == max(loads)


@pytest.mark.slow
@pytest.mark.parametrize("devices", [2, 3, 4, 5])
def test_figures_for_any_number_of_memories(devices: int) -> None:
    """If each pair of D memories has a link, the copies of a chain of 8 ops take D(D-1)/2 runs if links are symmetric,
    else D(D-1). If D ops read one value, a run measures several copies of the value, so that D runs suffice."""
    names = [f"d{number}" for number in range(devices)]
    on = a_machine(*((one, other) for i, one in enumerate(names) for other in names[i + 1 :]))
    problem = problem_of([[1.0] * devices] * 8, [[index - 1] for index in range(8)], [8] * 9, on=on)
    for symmetric in (True, False):
        plan = profile_plan(problem, symmetric=symmetric)
        assert (plan.nodes.runs, plan.copies.runs) == (devices, devices * (devices - 1) // (2 if symmetric else 1))
        assert proved(plan)
    star = problem_of(
        [[1.0] * devices] * (1 + devices), [[-1], *([0] for _ in range(devices))], [8] * (2 + devices), on=on
    )
    assert profile_plan(star, symmetric=False).copies.runs == devices


# Large graphs, and the parts that seldom are needed.


@pytest.mark.parametrize(("on", "memory"), MEMORIES)
def test_large_graphs_are_proved_too(on: Machine, memory: Mapping[str, int]) -> None:
    problem = random_problem(3, 150, len(memory), window=6, on=on)
    for symmetric in (True, False):
        plan = profile_plan(problem, False, symmetric)
        assert proved(plan)
        memories = Memories(problem, symmetric)
        picks = [[node.choices.index(choice) for node, choice in zip(problem.nodes, run.placement, strict=True)]
                 for run in plan.runs]  # fmt: skip
        required = requirements_of(problem, memories)
        ends = [0] * (len(required.ways) - len(problem.nodes))
        assert required.after([[*run, *ends] for run in picks]).nothing


@pytest.mark.slow
def test_constraint_programming_equals_enumeration_of_all_placements() -> None:
    for seed in range(40):
        on, _ = MEMORIES[seed % len(MEMORIES)]
        problem = random_problem(seed, 3, len(on.devices), on=on)
        memories = Memories(problem, seed % 2 == 0)
        required, least = requirements_of(problem, memories), fewest(problem, memories.number, memories.symmetric)
        for k in range(1, 7):
            found, refuted = search(required, k)
            assert (found is None) == (k < least) == refuted
            assert found is None or (len(found) == k and required.after(found).nothing)

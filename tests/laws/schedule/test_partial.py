"""Laws of partial schedules: lists and beams place values and start tasks as the timeline does, and the rule of copies
agrees with a plain statement of it."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from interp.simulate.schedule.routes import Copy
from lowering.instance.choice import Choice
from lowering.instance.partial import Begins, Partials
from lowering.instance.problem import Problem
from lowering.instance.sequence import names
from lowering.optimise.quick.construct import construct
from lowering.optimise.search.urgency import by_urgency, optimistic
from tests.laws.placement.random_placements import random_placement_problem

SEEDS = st.integers(0, 1 << 30)


def a_problem(seed: int, most: int = 10, **kind: Any) -> Problem:
    random = Random(seed)
    return random_placement_problem(seed, random.randint(1, most), random.randint(2, 4), rich=True, **kind)


def ends_by_hand(problem: Problem, placement: list[Choice]) -> float:
    """The makespan of a placement in program order, with one queue for each device and link: a plain simulation that
    shares no code with partial schedules. Links are direct, or lead by way of the primary device or `left`."""
    there = {value: list(problem.starts_at(value)) for value in problem.inputs}
    at = {(value, device): 0.0 for value, devices in there.items() for device in devices}
    free: dict[str, float] = defaultdict(float)
    links = problem.clock.machine.links

    def joined(a: str, b: str) -> bool:
        return (a, b) in links or (b, a) in links

    def bring(value: int, target: str) -> float:
        source = there[value][0]
        if (value, target) not in at:
            way = [source, target]
            if not joined(source, target):
                way.insert(1, next(each for each in problem.devices if joined(source, each) and joined(each, target)))
            for a, b in pairwise(way):
                if (value, b) not in at:
                    link = problem.clock.machine.way(a, b)
                    begin = max(at[value, a], free[link])
                    at[value, b] = free[link] = begin + problem.clock.copy_cost(problem.sizes[value], a, b).ns
        return at[value, target]

    for choice in placement:
        for part in choice.parts:
            ready = max((bring(value, part.device) for value in part.reads), default=0.0)
            if not part.view:
                ready = free[part.device] = max(ready, free[part.device]) + part.cost.ns
            for value in part.writes:
                there[value], at[value, part.device] = [part.device], ready
    for value in problem.outputs:
        bring(value, problem.exit_of(value))
    return max(free.values(), default=0.0)


@given(SEEDS, st.booleans())
def test_the_rule_of_copies_is_the_timeline_s(seed: int, relayed: bool) -> None:
    problem = a_problem(seed, relayed=relayed)
    random = Random(seed)
    placement = [random.choice(node.choices) for node in problem.nodes]
    assert ends_by_hand(problem, placement) == problem.makespan(placement)


@given(SEEDS)
def test_a_list_s_times_are_those_of_its_schedule(seed: int) -> None:
    """Jobs start when `Problem.spans` starts them, and copies have the times that the clock states."""
    problem = a_problem(seed, relayed=True)
    order = by_urgency(problem, optimistic(problem))
    found = construct(problem, order, optimistic(problem))
    schedule = found.schedule(problem)
    begins = dict(zip(names(problem, schedule.placement), problem.spans(schedule)[0], strict=True))
    for name, begin in found.begins.of.items():
        assert begins[name] == begin
    for _, step in problem.walk(schedule.placement):
        if isinstance(step, Copy):
            assert step.ns == problem.clock.copy_cost(problem.sizes[step.value], step.source, step.target).ns
            assert step.link == problem.clock.machine.way(step.source, step.target)


@given(SEEDS)
def test_a_list_gives_each_node_the_choice_by_which_it_ends_first(seed: int) -> None:
    """In program order, by whole simulations of the program up to each node."""
    problem = a_problem(seed, most=6)
    problem.outputs = ()
    chosen: list[Choice] = []
    for node in problem.nodes:
        part = problem.part()
        for earlier in problem.nodes[: node.index + 1]:
            part.node(earlier.op, earlier.choices, earlier.reads, earlier.writes)
        ends: list[float] = []
        for choice in node.choices:
            account = part.account([*chosen, choice])
            last = choice.parts[-1]
            mine = [
                end for (_, step), end in zip(part.walk([*chosen, choice]), account.ends, strict=True) if step is last
            ]
            ends.append(mine[0] if mine else -1.0)
        if min(ends) < 0:  # a view takes no job
            chosen.append(construct(problem, range(node.index + 1), defaultdict(float)).placement[node.index])
        else:
            chosen.append(node.choices[ends.index(min(ends))])
    assert construct(problem, range(len(problem.nodes)), defaultdict(float)).placement == chosen


@given(SEEDS)
def test_one_of_many_schedules_makes_the_copies_of_a_single_one(seed: int) -> None:
    """Only many schedules insert work into idle time, so that times may differ."""
    problem = a_problem(seed, most=5, relayed=True)
    random = Random(seed)
    placement = [random.choice(node.choices) for node in problem.nodes]
    single, begins = problem.partial(account=Begins()), Begins()
    many = Partials.one(problem.copies, len(problem.sizes))
    device = problem.copies.network.device
    for value, devices in problem.start().items():
        many.place(value, [device[each] for each in devices])
    for node, choice in enumerate(placement):
        single.account.node = begins.node = node  # pyright: ignore[reportOptionalMemberAccess]
        for part in choice.parts:
            single.issue(part)
            many.issue(part, range(len(problem.sizes)), begins)  # pyright: ignore[reportArgumentType]
    assert isinstance(single.account, Begins)
    assert begins.of.keys() == single.account.of.keys()
    made = [value for value in range(len(problem.sizes)) if value in single.places]
    for value in made:
        there = {each for each, number in device.items() if np.isfinite(many.ready[0, value, number])}
        assert there == set(single.places[value])


@pytest.mark.parametrize("width", [1, 2, 8])
def test_schedules_of_all_widths_have_the_jobs_of_their_placements(width: int) -> None:
    for seed in range(10):
        problem = a_problem(seed, relayed=True)
        left = optimistic(problem)
        found = construct(problem, by_urgency(problem, left), left, width)
        assert found.begins.of.keys() == set(names(problem, found.placement))
        assert sorted(found.schedule(problem).order) == list(range(len(found.begins.of)))

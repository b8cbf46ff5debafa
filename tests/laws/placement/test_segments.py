"""Laws of segments: a program's least time is at least the sum of the least times of its segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from interp.machine.cost import NOTHING, Cost
from lowering.bounds.segments import segments_of, shape_of_problem
from lowering.instance.choice import Choice, ChoicePart
from lowering.instance.problem import Problem, Region
from lowering.optimise.search.optimal import Budget, SegmentRow
from tests.amount import cases
from tests.laws.placement.random_placements import random_placement_problem
from tests.laws.schedule.naive_schedules import optimum
from tests.table_clock import TableClock, machine
from tests.table_problem import OP

KINDS: list[tuple[int, int, dict[str, Any]]] = [
    (6, 80, {"devices": 2, "window": 2}),
    (5, 120, {"devices": 2, "window": 2, "rich": True}),
    (5, 120, {"devices": 2, "window": 2, "rich": True, "regions": 2}),
]
"""Kinds of random problems. Each entry is the number of nodes, the number of problems to draw, and the arguments of
`random_placement_problem`: nodes read only the two latest values, so that programs have many segments."""


@pytest.mark.slow
@pytest.mark.parametrize(("nodes", "count", "kind"), KINDS)
def test_segments_add_up_to_at_most_the_optimum(nodes: int, count: int, kind: Mapping[str, Any]) -> None:
    several = 0
    for seed in range(cases(count)):
        problem = random_placement_problem(seed, nodes, **kind)
        several += len(segments_of(problem)) > 1
        assert SegmentRow(problem, Budget(0.0)).settled() <= optimum(problem) * (1 + 1e-9)
    assert several > cases(count) // 3


def task(
    device: str, ns: float, reads: Sequence[int], writes: int, weights: Sequence[tuple[str, int]] = ()
) -> ChoicePart:
    return ChoicePart(OP, device, Cost(ns, ns, 0, 0, "table"), tuple(reads), tuple(weights), (writes,))


def way(*parts: ChoicePart) -> Choice:
    made = {value for part in parts for value in part.writes}
    needs = [(value, part.device) for part in parts for value in part.reads if value not in made]
    last = parts[-1].device
    return Choice(last, parts, tuple(dict.fromkeys(needs)), last, sum((part.cost for part in parts), NOTHING))


def empty(values: int) -> Problem:
    """A problem without nodes; its first value is the input, and copies take 10 ns."""
    problem = Problem(TableClock(machine("cpu", "left"), {}))
    for _ in range(values):
        problem.value(0)
    problem.inputs = (0,)
    return problem


def add(problem: Problem, *choices: Choice) -> None:
    """Add a node with these choices. Its results are the values that the choices' parts make, without those that only
    other parts of the same choice read."""
    reads = tuple(dict.fromkeys(value for choice in choices for value, _ in choice.needs))
    writes = tuple(dict.fromkeys(value for choice in choices for part in choice.parts for value in part.writes))
    problem.node(OP, choices, reads, writes)


def test_a_task_that_still_runs_after_its_first_result_overlaps_with_the_next_segment() -> None:
    problem = empty(6)
    add(problem, way(task("cpu", 1, [0], 1), task("left", 100, [0], 2)))  # value 2 is read last of all
    add(problem, way(task("cpu", 1, [1], 3)))
    add(problem, way(task("cpu", 100, [3], 4)))
    add(problem, way(task("cpu", 1, [4, 2], 5)))
    problem.outputs = (5,)
    assert [segment.nodes for segment in segments_of(problem)] == [(1,), (2, 3), ()]
    assert SegmentRow(problem, Budget(0.0)).settled() == 102
    assert optimum(problem) == 121


def test_a_region_is_completely_in_one_segment_or_in_none() -> None:
    problem = empty(6)
    add(problem, way(task("cpu", 10, [0], 1)))
    add(problem, way(task("cpu", 100, [1], 2)))
    add(problem, way(task("cpu", 10, [1], 3)))  # on no way to the end, but it may run with the node before
    add(problem, way(task("cpu", 10, [2], 4)))
    add(problem, way(task("cpu", 10, [4], 5)))
    problem.regions.append(Region((1, 2), way(task("cpu", 1, [1], 2), task("cpu", 1, [1], 3))))
    problem.outputs = (3, 5)
    assert [segment.nodes for segment in segments_of(problem)] == [(0,), (1, 2, 3, 4)]
    assert SegmentRow(problem, Budget(0.0)).settled() == optimum(problem) == 32


def test_a_result_of_a_region_alone_is_no_cut() -> None:
    problem = empty(4)
    for node in range(3):
        add(problem, way(task("cpu", 50, [node], node + 1)))
    problem.regions.append(Region((0, 1), way(task("left", 1, [0], 1), task("left", 1, [1], 2))))
    problem.outputs = (3,)
    assert [segment.nodes for segment in segments_of(problem)] == [(0, 1, 2), ()]
    assert SegmentRow(problem, Budget(0.0)).settled() == optimum(problem) == 72


def test_weights_that_are_shared_are_another_shape_than_weights_of_their_own() -> None:
    shapes = {names: shape_of_problem(with_weights(names)) for names in ("uv", "ww", "xx")}
    assert shapes["uv"] != shapes["ww"] == shapes["xx"]


def with_weights(names: str) -> Problem:
    problem = empty(1 + len(names))
    for node, name in enumerate(names):
        add(problem, way(task("left", 1, [node], node + 1, [(name, 8)])))
    return problem

"""Laws of the placement graph: if each value has one reader, the times of a placement's nodes and edges add up to its
sequential time; on a chain, the cheapest path is the cheapest placement."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

import pytest

from lowering.instance.choice import Choice
from lowering.instance.placement_graph import PlacementGraph
from lowering.instance.problem import Problem
from tests.table_clock import machine
from tests.table_problem import problem_of, random_problem


def tree(seed: int, nodes: int) -> Problem:
    """A random problem whose values have one reader each."""
    draw = random.Random(seed)
    costs = [
        [draw.randrange(1, 100), *(draw.choice([None, draw.randrange(1, 100)]) for _ in "ab")] for _ in range(nodes)
    ]
    reads: list[list[int]] = []
    free: list[int] = []
    for node in range(nodes):
        taken = sorted(draw.sample(free, min(len(free), draw.randint(0, 2))))
        reads.append(taken or ([-1] if node == 0 else []))
        free = [*(each for each in free if each not in taken), node]
    return problem_of(costs, reads, [draw.randrange(100) for _ in range(nodes + 1)], on=machine("gpu", "pim", "npu"))


def along(graph: PlacementGraph, placement: Sequence[Choice]) -> float:
    """The sum of the times in ns of a placement's choices, and of the graph's edges between these choices."""
    edges = (
        edge.ns
        for edge in graph.transfers()
        if all(end is None or placement[end[0]] is end[1] for end in (edge.maker, edge.reader))
    )
    return sum(choice.cost.ns for choice in placement) + sum(edges)


def test_nodes_and_edges_add_up_to_the_sequential_time() -> None:
    for seed in range(150):
        problem = tree(seed, 1 + seed % 4)
        graph = PlacementGraph.of(problem)
        for placement in product(*(node.choices for node in problem.nodes)):
            assert along(graph, placement) == pytest.approx(problem.serial_ns(placement))


def test_copies_that_readers_share_are_counted_once() -> None:
    """If several readers of a value share a copy, the graph, which counts the copy for each of them, gives an upper
    bound."""
    for seed in range(60):
        problem = random_problem(seed, 3, 3, on=machine("gpu", "pim", "npu"))
        graph = PlacementGraph.of(problem)
        for placement in product(*(node.choices for node in problem.nodes)):
            assert along(graph, placement) >= problem.serial_ns(placement) - 1e-9


@pytest.mark.slow
def test_on_a_chain_the_cheapest_path_is_the_cheapest_placement() -> None:
    for seed in range(60):
        draw = random.Random(seed)
        costs = [[draw.randrange(1, 100) for _ in range(3)] for _ in range(5)]
        sizes = [draw.randrange(60) for _ in range(6)]
        problem = problem_of(costs, [[i - 1] for i in range(5)], sizes, on=machine("gpu", "pim", "npu"))
        best: dict[tuple[int, Choice] | None, float] = {}
        for edge in PlacementGraph.of(problem).transfers():
            before = 0.0 if edge.maker is None else best[edge.maker]
            reached = before + edge.ns + (edge.reader[1].cost.ns if edge.reader else 0.0)
            best[edge.reader] = min(best.get(edge.reader, reached), reached)
        every = product(*(node.choices for node in problem.nodes))
        assert best[None] == pytest.approx(min(problem.serial_ns(placement) for placement in every))


def test_a_device_that_lacks_an_op_has_no_node_for_it() -> None:
    problem = problem_of([[1, None, 2], [1, 2, None]], [[-1], [0]], [8, 8, 8], on=machine("gpu", "pim", "npu"))
    graph = PlacementGraph.of(problem)
    assert graph.node_count == 4
    ends = {(edge.maker and edge.maker[1].label, edge.reader and edge.reader[1].label) for edge in graph.transfers()}
    assert ends == {(a, b) for a in ("gpu", "npu") for b in ("gpu", "pim")} | {
        (None, "gpu"),
        (None, "npu"),
        ("gpu", None),
        ("pim", None),
    }

"""Laws of the makespans of neighbours of a placement: they equal those of whole simulations where these are shorter."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

from lowering.optimise.quick.heuristics import greedy, moves
from lowering.optimise.quick.neighbours import Neighbours
from tests.amount import cases
from tests.laws.placement.random_placements import random_placement_problem

KINDS: list[dict[str, Any]] = [
    {},
    {"devices": 2},
    {"rich": True},
    {"rich": True, "relayed": True},
    {"rich": True, "regions": 2},
    {"rich": True, "arbitrations": ("separate", "exclusive")},
]
"""Kinds of random problems, as arguments of `random_placement_problem`."""


@pytest.mark.parametrize("kind", KINDS)
def test_shorter_neighbours_have_the_makespan_of_a_whole_simulation(kind: Mapping[str, Any]) -> None:
    """Neighbours that are not shorter are never reported as shorter. Starting placements are random and greedy ones."""
    shorter = proved = incremental = 0
    for seed in range(cases(100)):
        problem, draw = random_placement_problem(seed, 14, **kind), random.Random(seed)
        placements = [[draw.choice(node.choices) for node in problem.nodes]] if not problem.regions else []
        for placement in (*placements, greedy(problem)):
            here = Neighbours(problem, placement)
            assert here.makespan == problem.makespan(placement)
            for move in moves(problem, placement):
                neighbour = list(placement)
                for index, choice in move:
                    neighbour[index] = choice
                changed = [index for index, _ in move]
                found, whole = here.ends(neighbour, changed), problem.makespan(neighbour)
                assert found == whole if whole < here.makespan else found >= here.makespan
                shorter, proved = shorter + (whole < here.makespan), proved + (found > whole)
                incremental += here.is_incremental
    assert shorter
    assert proved or not incremental


@pytest.mark.parametrize("kind", KINDS[:4])
def test_neighbours_without_room_for_their_weights_do_not_fit(kind: Mapping[str, Any]) -> None:
    """Weights of a neighbour have room exactly if a neighbour without values would fit."""
    answers = {True: 0, False: 0}
    for seed in range(cases(100)):
        problem, draw = random_placement_problem(seed, 14, **kind), random.Random(seed)
        placement = [draw.choice(node.choices) for node in problem.nodes]
        held = problem.resident(placement)
        problem.room |= {name: nbytes + draw.choice((0, 1, nbytes // 4)) for name, nbytes in held.items()}
        here = Neighbours(problem, placement)
        for move in moves(problem, placement):
            neighbour = list(placement)
            for index, choice in move:
                neighbour[index] = choice
            needed = problem.resident(neighbour)
            fits = all(nbytes <= problem.room[name] for name, nbytes in needed.items())
            assert here.has_room(neighbour, [index for index, _ in move]) is fits
            answers[fits] += 1
    assert all(answers.values())

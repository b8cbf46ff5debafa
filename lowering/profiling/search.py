"""Test by CP-SAT of OR-tools whether k profiling runs can measure everything required.

It finds as few runs as two specialised searches that it replaced: enumeration of sets of placements for small graphs,
and local search as in WalkSAT for large ones.
"""

from __future__ import annotations

from typing import Any

from lowering.limits import LIMITS
from lowering.profiling.items import Picks, Requirements

LITERALS = 200_000
"""Literals of the CP-SAT model that decides whether a number of profiling runs suffices, at most."""


def search(required: Requirements, k: int) -> tuple[list[Picks] | None, bool]:
    """`k` runs that measure all required items, or None if none were found; and a flag, True if it is proved that no
    such runs exist."""
    from lowering.solve import integer  # imports CP-SAT, which takes longer than most searches

    pairs = sum(
        len(each.hops) * len(each.hops[0])
        for hops, read in zip(required.hops, required.uses, strict=True)
        if hops
        for each in read
    )
    if k * (sum(required.ways) + pairs) > LITERALS:
        return None, False
    model = integer.Model()
    taken = [[[model.new_bool_var("") for _ in range(ways)] for ways in required.ways] for _ in range(k)]
    for run in taken:
        for choices in run:
            model.add_exactly_one(choices)
    for node, bits in enumerate(required.nodes):
        for choice in range(required.ways[node]):
            if bits >> choice & 1:
                model.add_bool_or([run[node][choice] for run in taken])
    for value, hops in enumerate(required.hops):
        if hops:
            _hops_made(model, required, value, taken)
    outcome = integer.solve(model, LIMITS.runs_effort, seed=1)
    return [[outcome.chosen(row) for row in run] for run in taken] if outcome.found else None, outcome.refuted


def _hops_made(model: Any, required: Requirements, value: int, taken: list[list[list[Any]]]) -> None:
    """Add the constraint that each required hop of a value is made in some run, by a choice of its producer and a
    choice of one of its consumers."""
    made: dict[int, list[Any]] = {1 << bit: [] for bit in range(required.hops[value].bit_length())}
    for run in taken:
        for use in required.uses[value]:
            for maker, row in enumerate(use.hops):
                for reader, hops in enumerate(row):
                    if hops & required.hops[value]:
                        both = model.new_bool_var("")
                        model.add_implication(both, run[use.maker][maker])
                        model.add_implication(both, run[use.reader][reader])
                        for hop, literals in made.items():
                            if hops & hop:
                                literals.append(both)
    for hop, literals in made.items():
        if required.hops[value] & hop:
            model.add_bool_or(literals)

"""Whether so many runs can measure what is wanted: all placements of a small graph, else constraint programming."""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from math import prod
from typing import Any

from lowering.profiling.items import Picks, Wanted, union

MOST_PLACEMENTS = 1024
"""Placements of a graph that is searched completely."""
MOST_LITERALS = 200_000
"""Size of the model that constraint programming is given."""
MOST_REFUTED = 20_000
"""Sets of items for which so many runs were sought in vain, after which the complete search is given up."""
EFFORT = 2.0
"""Deterministic time of OR-tools, which is about a second each, and the same search on every machine."""


class Unfinished(Exception):
    """A complete search was given up."""


def search(wanted: Wanted, k: int) -> tuple[list[Picks] | None, bool]:
    """So many runs that measure everything, or whether there are none; neither where that stays open."""
    if searchable(wanted):
        with suppress(Unfinished):
            runs = all_of(wanted, k)
            return runs, runs is None
    return by_constraints(wanted, k)


def searchable(wanted: Wanted) -> bool:
    """Whether a graph has few enough placements to look at all of them."""
    return prod(wanted.ways) <= MOST_PLACEMENTS


def all_of(wanted: Wanted, k: int) -> list[Picks] | None:
    """The same from all placements: sets of k of them, the item that fewest of them measure first; None if there are
    none. Raises Unfinished."""
    measured: dict[int, Picks] = {}
    for picks in product(*map(range, wanted.ways)):
        measured.setdefault(_measures(wanted, list(picks)), list(picks))
    masks = sorted(measured, key=lambda mask: (-mask.bit_count(), mask))
    best: list[int] = []
    for mask in masks:
        if not any(mask & ~other == 0 for other in best):
            best.append(mask)
    everything = union(best)
    chosen = _covering(best, everything, k, set()) if everything == _all_items(wanted) else None
    return None if chosen is None else [measured[mask] for mask in chosen]


def _measures(wanted: Wanted, picks: Picks) -> int:
    """What a run measures, a bit an item."""
    mask, at = 0, 0
    for bits, ways, pick in zip(wanted.nodes, wanted.ways, picks, strict=True):
        mask |= (bits & 1 << pick) << at
        at += ways
    for value, hops in enumerate(wanted.hops):
        if hops:
            mask |= (wanted.moved(value, picks) & hops) << at
            at += hops.bit_length()
    return mask


def _all_items(wanted: Wanted) -> int:
    mask, at = 0, 0
    for bits, ways in zip(wanted.nodes, wanted.ways, strict=True):
        mask |= bits << at
        at += ways
    for hops in wanted.hops:
        mask |= hops << at
        at += hops.bit_length()
    return mask


def _covering(masks: list[int], left: int, k: int, refuted: set[tuple[int, int]]) -> list[int] | None:
    """At most k masks whose union holds all bits of `left`; filled up to k. `refuted`: what none were found for."""
    if not left:
        return masks[:1] * k
    if not k or (left, k) in refuted or left.bit_count() > k * max((mask & left).bit_count() for mask in masks):
        return None
    items = [1 << bit for bit in range(left.bit_length()) if left >> bit & 1]
    rarest = min(items, key=lambda item: sum(1 for mask in masks if mask & item))
    for mask in masks:
        if mask & rarest and (rest := _covering(masks, left & ~mask, k - 1, refuted)) is not None:
            return [mask, *rest]
    refuted.add((left, k))
    if len(refuted) > MOST_REFUTED:
        raise Unfinished
    return None


def by_constraints(wanted: Wanted, k: int) -> tuple[list[Picks] | None, bool]:
    """The same by OR-tools, where the model is not too large."""
    from ortools.sat.python import cp_model

    pairs = sum(
        len(each.hops) * len(each.hops[0])
        for hops, read in zip(wanted.hops, wanted.readings, strict=True)
        if hops
        for each in read
    )
    if k * (sum(wanted.ways) + pairs) > MOST_LITERALS:
        return None, False
    model = cp_model.CpModel()
    taken = [[[model.new_bool_var("") for _ in range(ways)] for ways in wanted.ways] for _ in range(k)]
    for run in taken:
        for choices in run:
            model.add_exactly_one(choices)
    for node, bits in enumerate(wanted.nodes):
        for choice in range(wanted.ways[node]):
            if bits >> choice & 1:
                model.add_bool_or([run[node][choice] for run in taken])
    for value, hops in enumerate(wanted.hops):
        if hops:
            _hops_made(model, wanted, value, taken)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = EFFORT
    status = solver.solve(model)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return [[next(c for c, var in enumerate(row) if solver.value(var)) for row in run] for run in taken], False
    return None, status == cp_model.INFEASIBLE


def _hops_made(model: Any, wanted: Wanted, value: int, taken: list[list[list[Any]]]) -> None:
    """Each hop of a value is made in some run, by some choices of its maker and one of its readers."""
    made: dict[int, list[Any]] = {1 << bit: [] for bit in range(wanted.hops[value].bit_length())}
    for run in taken:
        for reading in wanted.readings[value]:
            for maker, row in enumerate(reading.hops):
                for reader, hops in enumerate(row):
                    if hops & wanted.hops[value]:
                        both = model.new_bool_var("")
                        model.add_implication(both, run[reading.maker][maker])
                        model.add_implication(both, run[reading.reader][reader])
                        for hop, literals in made.items():
                            if hops & hop:
                                literals.append(both)
    for hop, literals in made.items():
        if wanted.hops[value] & hop:
            model.add_bool_or(literals)

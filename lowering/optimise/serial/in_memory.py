"""The placement of minimum serial time among those whose weights fit memory: the sum of tables of
lowering/optimise/serial/factors.py with a constraint for each device's memory, by CP-SAT of OR-tools.

A table over two variables is encoded with a boolean for each pair of their values, whose row and column sums equal the
booleans of the variables: if the tables form a tree, the linear relaxation of this encoding is integral. On chains and
graphs of 60 to 600 nodes with room for half of the weights on two devices, results are 0.4 to 2 % above the lower
bound, after 5 to 40 s of processor time. Lagrangian prices on memory, adapted until the best placement fits, gave
results 57 to 86 % above the bound, after a second or two.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeAlias

from lowering.instance.choice import Choice, Placement
from lowering.instance.problem import Problem
from lowering.optimise.quick.heuristics import moved, settle
from lowering.optimise.serial.factors import SerialFactors
from lowering.solve.climbing import Budget, improve

ROUNDS = 4
"""Rounds of the search for the placement of minimum serial time in the memory that live values leave free."""
EFFORT = 1.0
"""Deterministic seconds of CP-SAT: the search of one of the `ROUNDS`."""
MENDING_PLACED = 100_000
"""Nodes placed, over all trials of moving single nodes to make a placement fit memory: a second or so."""

UNITS = 1 << 40
"""Integer units of the largest sum of tables: the relative rounding error is then below 1e-9 for hundreds of tables."""


def fitting(
    space: SerialFactors, bound_ns: float, placement: Placement, others: Iterable[Placement]
) -> tuple[float, Placement]:
    """A lower bound on the serial time of all placements that fit memory, and the placement of least serial time that
    was found among them; if none was found, the placement with the least overflow. `placement`: the best placement
    without memory constraints; `others`: additional candidates.

    The constraints count weights only. The memory of live values of the placement found is subtracted from the
    capacities for the next round, until a placement fits.
    """
    problem = space.problem
    found = [each for each in others if problem.fits(each)]
    free = dict(problem.room)
    for number in range(ROUNDS):
        hint = min(found, key=problem.serial_ns, default=placement)
        solved, least = _solve(space, free, hint)
        bound_ns = max(bound_ns, least) if not number else bound_ns
        if solved is None:
            break
        full = problem.overfull(solved)
        if not full:
            found.append(solved)
            break
        settled = settle(problem, solved)
        found += [settled] if problem.fits(settled) else []
        free |= {name: min(free[name], problem.room[name] - need.live) for name, need in full.items()}
    best = sorted(found, key=problem.serial_ns)[:3] or [settle(problem, placement)]
    return bound_ns, min((_moved(problem, each) for each in best), key=problem.serial_ns)


def _solve(space: SerialFactors, free: Mapping[str, int], hint: Placement) -> tuple[Placement | None, float]:
    """The best placement whose weights fit the free bytes of each device, None if none exists or none was found; and a
    lower bound for all such placements."""
    from lowering.solve import integer  # imports CP-SAT, which takes longer than most searches

    factors = space.factors
    model = integer.Model()
    taken = [[model.new_bool_var("") for _ in range(size)] for size in factors.sizes]
    for row in taken:
        model.add_exactly_one(row)
    most = sum(float(table.max()) for table in factors.tables.values())
    scale = UNITS / most if most > 0 else 1.0
    terms: list[integer.Linear] = []
    for scope, table in factors.tables.items():
        if len(scope) == 1:
            terms += [math.floor(ns * scale) * each for each, ns in zip(taken[scope[0]], table, strict=True)]
            continue
        pairs = [[model.new_bool_var("") for _ in taken[scope[1]]] for _ in taken[scope[0]]]
        for each, row in zip(taken[scope[0]], pairs, strict=True):
            model.add(sum(row) == each)
        for each, column in zip(taken[scope[1]], zip(*pairs, strict=True), strict=True):
            model.add(sum(column) == each)
        terms += [
            math.floor(ns * scale) * each
            for row, times in zip(pairs, table, strict=True)
            for each, ns in zip(row, times, strict=True)
            if ns
        ]
    for name, capacity in free.items():
        used: list[integer.Linear] = []
        for nbytes, users in _held(space.problem, name):
            there = model.new_bool_var("")
            for node, number in users:
                model.add_implication(taken[node][number], there)
            used.append(nbytes * there)
        model.add(sum(used) <= max(capacity, 0))
    model.minimize(sum(terms))
    for x, value in enumerate(space.numbers(hint)):
        for number, each in enumerate(taken[x]):
            model.add_hint(each, number == value)
    outcome = integer.solve(model, EFFORT, linearization=2)
    if outcome.refuted:
        return None, 0.0
    least = factors.constant + max(outcome.bound, 0.0) / scale
    return space.placement([outcome.chosen(row) for row in taken]) if outcome.found else None, least


def _held(problem: Problem, device: str) -> list[tuple[int, list[tuple[int, int]]]]:
    """The values that may be resident on a device: the bytes of each, and the choices, as (node, index), that use it
    there."""
    found: dict[Hashable, tuple[int, list[tuple[int, int]]]] = {}
    for node in problem.nodes:
        for number, choice in enumerate(node.choices):
            for part in choice.parts:
                for resident, nbytes in part.residents if part.device == device else ():
                    size, users = found.get(resident, (0, []))
                    found[resident] = max(size, nbytes), [*users, (node.index, number)]
    return list(found.values())


Ranked: TypeAlias = "tuple[tuple[int, float], list[Choice]]"
"""A placement after its overflow in bytes and its serial time."""


def _moved(problem: Problem, placement: Placement) -> Placement:
    """A placement after moving single nodes as long as that reduces the overflow of devices, or the serial time at
    equal overflow. Overflow counts the memory of weights and values."""

    def rank(placement: Placement) -> tuple[int, float]:
        full = problem.overfull(placement)
        excess = sum(need.total - problem.room[device] for device, need in full.items())
        return excess, problem.serial_ns(placement)

    budget = Budget(MENDING_PLACED // max(1, len(problem.nodes)))
    every = [(node.index, choice) for node in problem.nodes for choice in node.choices]

    def better(best: Ranked, move: tuple[int, Choice]) -> Ranked | None:
        if (trial := moved(best[1], [move])) is None:
            return None
        budget.spend()
        return (now, trial) if (now := rank(trial)) < best[0] else None

    return improve((rank(placement), list(placement)), lambda best: every, better, budget)[1]

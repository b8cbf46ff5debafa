"""Placements that fit memory: each byte of weights on a device that is too full gets a price, which is raised and
lowered until what is best at these prices fits.

At any prices the least sum of time and prices, less what full memories would cost, bounds the time of every placement
that fits (Lagrangian relaxation; Fisher, "The Lagrangian relaxation method for solving integer programming problems",
1981). Weights that several nodes may use are divided among these: together they never pay for more than is there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lowering.limits import LIMITS
from lowering.placement.choice import Choice, Placement
from lowering.placement.problem import Problem
from lowering.placement.search.heuristics import settle
from lowering.placement.serial.elimination import Least, Table
from lowering.placement.serial.in_turn import InTurnFactors

Priced: TypeAlias = dict[int, Table]
"""What the choices of some nodes cost besides, by the number of the node."""


def fitting(
    space: InTurnFactors,
    priced: Callable[[Priced], Least],
    bound_ns: float,
    placement: Placement,
    others: Iterable[Placement],
) -> tuple[float, Placement]:
    """A bound on the sequential time of all placements that fit, and the best one found; where none does, `others`
    begin with what is left. `placement` is the best one without memory, `priced` finds the best one at some prices."""
    problem = space.problem
    left = list(others)
    found = {problem.in_turn(each): each for each in left if not problem.overfull(each)}
    memory = np.array([problem.clock.machine.devices[device].memory_bytes for device in problem.devices], dtype=float)
    shares = _shares(problem)
    total = sum(mine.max(axis=0) for mine in shares.values()) if shares else np.zeros(len(memory))
    prices = _Prices(problem.in_turn(placement) / np.maximum(total, 1.0) / 16)
    full, overfull = problem.overfull(placement), [placement]
    for _ in range(LIMITS.price_steps if shares else 0):
        now = prices.next(np.array([device in full for device in problem.devices]))
        # Sums without BLAS: the same plan on every processor.
        least = priced({index: (mine * now).sum(axis=-1) for index, mine in shares.items()})
        bound_ns = max(bound_ns, least.value - float((now * memory).sum()))
        placement = space.placement(least.values)
        full = problem.overfull(placement)
        if full:
            overfull.append(placement)
        else:
            found[problem.in_turn(placement)] = placement
        if prices.close or (found and min(found) <= bound_ns * (1 + LIMITS.price_close)):
            break
    for each in overfull[-3:]:
        settled = settle(problem, each)
        if not problem.overfull(settled):
            found[problem.in_turn(settled)] = settled
    if not found:
        return bound_ns, _mended(problem, left[0])
    best = [_refilled(space, found[ns]) for ns in sorted(found)[:2]]
    return bound_ns, min(best, key=problem.in_turn)


class _Prices:
    """Between prices at which a device is overfull and such at which it is not, for each device: halved step by step,
    after `first` times ever more where nothing is known above."""

    def __init__(self, first: Table) -> None:
        self.first = first
        self.now = np.zeros(len(first))
        self.low, self.high = np.zeros(len(first)), np.full(len(first), np.inf)

    def next(self, full: NDArray[np.bool_]) -> Table:
        """The next prices to try, given which devices are overfull at those of now."""
        now = self.now
        # What was too high before, or too low, may not be so at other prices of other devices.
        self.low = np.where(full, now, np.where(now <= self.low, now / 2, self.low))
        self.high = np.where(full, np.where(now >= self.high, np.inf, self.high), now)
        above = np.isinf(self.high)
        between = (self.low + np.where(above, 0.0, self.high)) / 2
        self.now = np.where(above, np.maximum(2 * self.low, self.first), between)
        return self.now

    @property
    def close(self) -> bool:
        """Whether another step would hardly change anything."""
        return bool(np.all(self.low >= (1 - LIMITS.price_close) * self.high))


def _shares(problem: Problem) -> dict[int, Table]:
    """For each node that has weights, the bytes by choice and device: its share of what others use there, too."""
    users: dict[tuple[str, Hashable], set[int]] = defaultdict(set)
    for node in problem.nodes:
        for choice in node.choices:
            for part in choice.parts:
                for what, _ in part.residents:
                    users[part.device, what].add(node.index)
    number = {device: place for place, device in enumerate(problem.devices)}
    shares: dict[int, Table] = {}
    for node in problem.nodes:
        mine = np.zeros((len(node.choices), len(number)))
        for row, choice in enumerate(node.choices):
            for (device, what), nbytes in _residents(choice).items():
                mine[row, number[device]] += nbytes / len(users[device, what])
        if mine.any():
            shares[node.index] = mine
    return shares


def _residents(choice: Choice) -> dict[tuple[str, Hashable], int]:
    """The bytes that a choice keeps, by device and what they are."""
    held: dict[tuple[str, Hashable], int] = {}
    for part in choice.parts:
        for what, nbytes in part.residents:
            held[part.device, what] = max(nbytes, held.get((part.device, what), 0))
    return held


class _Moves:
    """A placement whose nodes move one by one, with what each device holds and where each value is needed."""

    def __init__(self, space: InTurnFactors, placement: Placement) -> None:
        problem = space.problem
        self.space = space
        self.placement = list(placement)
        self.outputs = frozenset(problem.outputs)
        self.needed: dict[int, Counter[str]] = defaultdict(Counter)
        self.held: Counter[tuple[str, Hashable]] = Counter()
        """How many nodes use each weight on each device."""
        devices = problem.clock.machine.devices
        self.free = {
            name: devices[name].memory_bytes - need.live for name, need in problem.account(placement).needs().items()
        }
        """Bytes that are free for weights, if values take as many as they do at first."""
        self.reached = {value: tuple(devices) for value, devices in problem.start().items()}
        self.now = space.numbers(placement)
        for index, number in enumerate(self.now):
            self._enter(index, number)

    def improve(self, index: int) -> bool:
        """Give a node the choice with which all takes least time, of those whose weights fit; whether it is another
        one."""
        node, before = self.space.problem.nodes[index], self.now[index]
        if len(node.choices) == 1:
            return False
        self._leave(index, before)
        values = {value for way in self.space.ways[index] for value in (*way.needs, *way.makes)}
        totals: dict[int, float] = {}
        for number in (before, *(other for other in range(len(node.choices)) if other != before)):
            if number == before or self._fits(index, number):
                self._enter(index, number)
                totals[number] = self._ns(index, number, values)
                self._leave(index, number)
        best = min(totals, key=totals.__getitem__)
        self._enter(index, best)
        self.now[index] = best
        self.placement[index] = node.choices[best]
        return best != before

    def _ns(self, index: int, number: int, values: Iterable[int]) -> float:
        problem, home = self.space.problem, frozenset((self.space.problem.home,))
        total = self.space.ways[index][number].ns
        for value in sorted(values):
            if value in self.reached:
                asked = frozenset(device for device, users in self.needed[value].items() if users)
                asked |= home if value in self.outputs else frozenset[str]()
                total += self.space.copies_to(problem.sizes[value], self.reached[value], asked)
        return total

    def _fits(self, index: int, number: int) -> bool:
        more: Counter[str] = Counter()
        for (device, what), nbytes in _residents(self.space.problem.nodes[index].choices[number]).items():
            more[device] += 0 if self.held[device, what] else nbytes
        return all(nbytes <= self.free[device] for device, nbytes in more.items())

    def _enter(self, index: int, number: int, users: int = 1) -> None:
        way, choice = self.space.ways[index][number], self.space.problem.nodes[index].choices[number]
        for value, devices in way.needs.items():
            for device in devices:
                self.needed[value][device] += users
        self.reached |= way.makes
        for (device, what), nbytes in _residents(choice).items():
            before = self.held[device, what]
            self.held[device, what] = before + users
            self.free[device] -= nbytes * ((before + users > 0) - (before > 0))

    def _leave(self, index: int, number: int) -> None:
        self._enter(index, number, -1)


def _mended(problem: Problem, placement: Placement) -> Placement:
    """Move single nodes while that leaves devices less overfull, by what they must hold in all: weights and values."""
    devices = problem.clock.machine.devices

    def excess(placement: Placement) -> int:
        full = problem.overfull(placement)
        return sum(need.total - devices[device].memory_bytes for device, need in full.items())

    best, least = list(placement), excess(placement)
    budget = LIMITS.mending_placed // max(1, len(problem.nodes))
    moved = True
    while moved and least:
        moved = False
        for node in problem.nodes:
            for choice in node.choices:
                if choice is best[node.index] or budget <= 0:
                    continue
                budget -= 1
                trial = [*best[: node.index], choice, *best[node.index + 1 :]]
                if (now := excess(trial)) < least:
                    best, least, moved = trial, now, True
    return best


def _refilled(space: InTurnFactors, placement: Placement) -> Placement:
    """Move single nodes to where all takes less time and weights still fit; as it was where that overfills a device
    all the same."""
    moves = _Moves(space, placement)
    for _ in range(LIMITS.refill_sweeps):
        if not sum(moves.improve(index) for index in range(len(placement))):
            break
    return placement if space.problem.overfull(moves.placement) else moves.placement

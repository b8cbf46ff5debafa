"""Bounds on placements that memory must hold: what a device can't hold must run elsewhere.

Every placement takes at least the load of a device, and along a chain of nodes that wait for each other the sum of
their times and of the copies between them. Which of them another device may take over, its memory limits: let a byte
there have a price. Then for any price >= 0

    makespan >= min over placements of (load, or length of the chain, + price x bytes on the device) - price x capacity

(Lagrange; what fits pays no more than it is given back). The minimum is a sum over nodes for a load, a dynamic program
along a chain. Weights that several nodes share count for each of them in equal parts, which is no more than they take.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import NamedTuple

from interp.schedule.jobs import Bound
from lowering.limits import LIMITS
from lowering.placement.choice import Choice
from lowering.placement.problem import Problem

HIGHEST = 1e12
"""A price of a byte, in ns, at which nothing is worth it."""


class Link(NamedTuple):
    """A node of a chain, and the value by which it waits for the one before; None for the first."""

    node: int
    value: int | None


def bound_of_memory(problem: Problem) -> Bound | None:
    """The best bound over devices whose memory may be too small; None where there are none, or regions."""
    if problem.regions:
        return None
    found: list[Bound] = []
    for device, record in problem.clock.machine.devices.items():
        if sum(_residents(problem, device).values()) > record.memory_bytes:
            held = Held(problem, device)
            for other in problem.devices:
                ns = _best(partial(_load, problem, other, held), record.memory_bytes)
                found.append(Bound(ns, f"load of {other}, since memory of {device} can't hold all"))
            for chain in _chains(problem, device):
                ns = _best(partial(_along, problem, chain, held), record.memory_bytes)
                found.append(Bound(ns, f"longest chain, since memory of {device} can't hold all"))
    return max(found, key=lambda bound: bound.ns, default=None)


class Held:
    """The bytes that each choice takes on a device, weights that several nodes share in equal parts."""

    def __init__(self, problem: Problem, device: str) -> None:
        users = Counter(
            what
            for node in problem.nodes
            for what in {what for choice in node.choices for part in choice.parts for what, _ in part.residents}
        )
        self.bytes: dict[Choice, float] = {}
        for node in problem.nodes:
            for choice in node.choices:
                there = {each for part in choice.parts if part.device == device for each in part.residents}
                self.bytes[choice] = sum(nbytes / users[what] for what, nbytes in there)


def _residents(problem: Problem, device: str) -> dict[Hashable, int]:
    """All that might be resident on a device."""
    return {
        what: nbytes
        for node in problem.nodes
        for choice in node.choices
        for part in choice.parts
        if part.device == device
        for what, nbytes in part.residents
    }


def _chains(problem: Problem, device: str) -> list[list[Link]]:
    """The longest chains with each node where it is quickest, and where it is quickest elsewhere."""
    anywhere = [min(choice.cost.ns for choice in node.choices) for node in problem.nodes]
    elsewhere = [
        min((choice.cost.ns for choice in node.choices if choice.device != device), default=anywhere[node.index])
        for node in problem.nodes
    ]
    return [_longest(problem, anywhere), _longest(problem, elsewhere)]


def _longest(problem: Problem, ns: Sequence[float]) -> list[Link]:
    ends: list[float] = []
    before: list[tuple[int, int] | None] = []
    for node in problem.nodes:
        ways = [(ends[problem.producer[value]], value) for value in node.reads if value in problem.producer]
        ways = [way for way in ways if all(_through(problem, choice, way[1], node.writes) for choice in node.choices)]
        latest, value = max(ways, default=(0.0, -1))
        ends.append(latest + ns[node.index])
        before.append((problem.producer[value], value) if value >= 0 else None)
    chain: list[Link] = []
    at: int | None = max(range(len(ends)), key=lambda node: ends[node], default=None)
    while at is not None:
        came = before[at]
        chain.append(Link(at, came[1] if came else None))
        at = came[0] if came else None
    return chain[::-1]


def _through(problem: Problem, choice: Choice, value: int | None, writes: Sequence[int]) -> dict[int, float] | None:
    """For each value that a choice makes, the least time from when `value` is where it is read (None: from the start)
    until it is made; None where some result does not wait for it."""
    known: dict[int, tuple[float, str]] = {}
    for part in choice.parts:
        waits = [
            known[read][0] + problem.copy(problem.sizes[read], known[read][1], part.device).ns
            for read in part.reads
            if read in known
        ]
        if value is None or value in part.reads:
            waits.append(0.0)
        if waits:
            took = max(waits) + (0.0 if part.view else part.cost.ns)
            known |= dict.fromkeys(part.writes, (took, part.device))
    found = {result: known[result][0] for result in writes if result in known}
    return found if len(found) == len(writes) and writes else None


def _best(least: Callable[[float], tuple[float, float]], capacity: int) -> float:
    """The best bound over prices, in ns. `least`: for a price, the least sum and the bytes that it takes; what remains
    after the capacity is paid for is concave in the price."""
    best, used = least(0.0)
    low, high = 0.0, 1.0 / max(capacity, 1)
    while used > capacity and high < HIGHEST:  # until what is held at that price fits
        ns, used = least(high)
        best = max(best, ns - high * capacity)
        low, high = (high, high * 8) if used > capacity else (low, high)
    for _ in range(LIMITS.memory_price_steps):
        price = (low + high) / 2
        ns, used = least(price)
        best = max(best, ns - price * capacity)
        low, high = (price, high) if used > capacity else (low, price)
    return best


def _load(problem: Problem, device: str, held: Held, price: float) -> tuple[float, float]:
    """The least load of a device, prices included, and the bytes that are held then."""
    total = used = 0.0
    for node in problem.nodes:
        ns, nbytes = min(
            (
                sum(part.cost.ns for part in choice.parts if part.device == device and not part.view)
                + price * held.bytes[choice],
                held.bytes[choice],
            )
            for choice in node.choices
        )
        total, used = total + ns, used + nbytes
    return total, used


def _along(problem: Problem, chain: Sequence[Link], held: Held, price: float) -> tuple[float, float]:
    """The least sum of times, copies and prices along a chain, and the bytes that are held then."""
    reached: list[tuple[float, float, str]] = []
    for place, (index, value) in enumerate(chain):
        node = problem.nodes[index]
        leaves = chain[place + 1].value if place + 1 < len(chain) else None
        row: list[tuple[float, float, str]] = []
        for choice in node.choices:
            times = _through(problem, choice, value, node.writes)
            assert times is not None, "a chain is made of what waits for each other"
            took = times[leaves] if leaves is not None else max(times.values())
            came = used = 0.0
            if value is not None:
                size = problem.sizes[value]
                targets = {part.device for part in choice.parts if value in part.reads}
                came, used = min(
                    (ns + min(problem.copy(size, source, target).ns for target in targets), nbytes)
                    for ns, nbytes, source in reached
                )
            mine = held.bytes[choice]
            row.append((came + took + price * mine, used + mine, _lands(choice, leaves)))
        reached = row
    ns, used, _ = min(reached, default=(0.0, 0.0, ""))
    return ns, used


def _lands(choice: Choice, value: int | None) -> str:
    """Where a choice makes a value."""
    return next((part.device for part in choice.parts if value in part.writes), choice.lands)

"""The sequential times of all placements by enumeration, for problems whose choices are single tasks: reference results
for `path`."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from interp.machine.composition import Machine
from interp.machine.cost import NOTHING, Cost
from lowering.instance.choice import Choice, ChoicePart, Placement
from lowering.instance.problem import Problem
from tests.table_clock import TableClock, link, machine
from tests.table_problem import OP


def least_of_all(problem: Problem) -> float:
    """The least sequential time in ns over all placements: the sum of the times of all tasks and of all copies; each
    value is copied once over each link that it must cross."""
    counts = [len(node.choices) for node in problem.nodes]
    total = np.zeros(int(np.prod(counts)))
    chosen = dict(enumerate(np.indices(counts, dtype=np.int8).reshape(len(counts), -1)))
    for node in problem.nodes:
        total += np.array([choice.cost.ns for choice in node.choices])[chosen[node.index]]
    bit = {device: 1 << place for place, device in enumerate(problem.devices)}

    def where(node: int) -> NDArray[np.int64]:
        return np.array([bit[choice.device] for choice in problem.nodes[node].choices])[chosen[node]]

    for value, nbytes in enumerate(problem.sizes):
        made = np.full(len(total), bit[problem.primary])
        if value in problem.producer:
            made = where(problem.producer[value])
        asked = np.full(len(total), bit[problem.primary] if value in problem.outputs else 0)
        for reader in problem.consumers[value]:
            asked |= where(reader)
        for source, start in bit.items():
            total += np.where(made == start, _crossed(problem, nbytes, source, bit)[asked], 0.0)
    return float(total.min())


def _crossed(problem: Problem, nbytes: int, source: str, bit: dict[str, int]) -> NDArray[np.float64]:
    """The time to copy a value of `nbytes` from device `source` to each set of devices; the sets are bit masks with the
    bits in `bit`. The links form a tree of two levels below `source`: a value crosses each link on a path to a
    device of the set once."""
    links = problem.clock.machine.links
    ns = np.zeros(1 << len(bit))
    for asked in range(len(ns)):
        targets = {device for device, mine in bit.items() if asked & mine} - {source}
        apart = {each for each in targets if {(source, each), (each, source)}.isdisjoint(links)}
        crossed = {(source, each) for each in targets - apart} | {(problem.primary, each) for each in apart}
        crossed |= {(source, problem.primary)} if apart else set()
        ns[asked] = sum(problem.clock.copy_cost(nbytes, a, b).ns for a, b in crossed)
    return ns


def all_placements(problem: Problem) -> list[tuple[Choice, ...]]:
    """All placements of a small problem."""
    return list(product(*(node.choices for node in problem.nodes)))


def sequential_times(problem: Problem, placements: Sequence[Placement]) -> list[float]:
    """The sequential time of each placement, as the problem computes it."""
    return [problem.serial_ns(placement) for placement in placements]


def linked(draw: random.Random, *names: str) -> Machine:
    """A machine on which some pairs of devices have a direct link, besides the links with the primary device."""
    plain = machine(*names)
    more = {(a, b): link() for a in names[1:] for b in names[1:] if a < b and draw.random() < 0.4}
    return Machine(plain.devices, {**plain.links, **more})


def problem_in_parts(seed: int, most: int = 4, memory: bool = False) -> Problem:
    """A random problem with all kinds of choices: nodes with several results, parts on one or two devices with values
    between them, views, inputs that are also on other devices or are results, and weights that several nodes share."""
    draw = random.Random(seed)
    names = ("cpu", "left", "right")[: draw.randint(2, 3)]
    on = linked(draw, *names)
    if memory:
        sizes = {name: draw.choice([1 << 40, draw.randrange(100, 500)]) for name in names}
        on = Machine(machine(*names, memory_bytes=sizes).devices, on.links)
    problem = Problem(TableClock(on, {}))
    values = [problem.value(draw.randrange(0, 100)) for _ in range(draw.randint(1, 2))]
    problem.inputs = tuple(values)
    for value in values:
        if draw.random() < 0.2:
            problem.present_at[value] = tuple(draw.sample(names, draw.randint(1, len(names))))
    for _ in range(draw.randint(1, most)):
        reads = tuple(sorted({draw.choice(values) for _ in range(draw.randint(1, 3))}))
        writes = tuple(problem.value(draw.randrange(0, 100)) for _ in range(draw.randint(1, 2)))
        view = draw.random() < 0.15
        weights = tuple((f"w{k}", 60 + 40 * k) for k in range(3) if draw.random() < 0.3) if memory else ()
        choices = [_whole(draw, device, reads, writes, weights, view) for device in names]
        if not view:
            choices = [choice for choice in choices if choice.device == problem.primary or draw.random() < 0.7]
            choices += [
                _in_two(problem, draw, pair, reads, writes, weights)
                for pair in product(names, names)
                if draw.random() < 0.2
            ]
        problem.node(OP, choices, reads, writes)
        values += writes
    problem.outputs = tuple(sorted({draw.choice(values) for _ in range(draw.randint(0, 3))}))
    problem.staying = {value: draw.choice(names[1:]) for value in problem.outputs if draw.random() < 0.2}
    return problem


def _whole(
    draw: random.Random,
    device: str,
    reads: tuple[int, ...],
    writes: tuple[int, ...],
    weights: tuple[tuple[str, int], ...],
    view: bool,
) -> Choice:
    ns = float(draw.randrange(1, 100))
    cost = NOTHING if view else Cost(ns, ns, 0, 0, "table")
    part = ChoicePart(OP, device, cost, reads, () if view else weights, writes, view)
    return Choice(device, (part,), tuple((value, device) for value in reads), device, cost)


def _in_two(
    problem: Problem,
    draw: random.Random,
    pair: tuple[str, str],
    reads: tuple[int, ...],
    writes: tuple[int, ...],
    weights: tuple[tuple[str, int], ...],
) -> Choice:
    """A choice of two tasks on the devices `pair`. The second task reads a value that the first task makes for it only,
    and may read some of the values `reads`; either task may make the node's first result."""
    first, second = pair
    between = problem.value(draw.randrange(0, 100))
    late = tuple(value for value in reads if draw.random() < 0.5)
    early = writes[:1] if len(writes) > 1 and draw.random() < 0.5 else ()
    more = early if draw.random() < 0.5 else ()
    costs = [Cost(float(ns), float(ns), 0, 0, "table") for ns in (draw.randrange(1, 50), draw.randrange(1, 50))]
    parts = (
        ChoicePart(OP, first, costs[0], reads, weights, (between, *early)),
        ChoicePart(
            OP, second, costs[1], (between, *late, *more), (), tuple(each for each in writes if each not in early)
        ),
    )
    needs = [*((value, first) for value in reads), *((value, second) for value in late)]
    label = first if first == second else f"{first}+{second}"
    return Choice(label, parts, tuple(dict.fromkeys(needs)), second, costs[0] + costs[1])

"""The fewest profiling runs by enumeration: all placements of a small problem, and the smallest set of them that
measures all costs; independent of the planner, which is compared with it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from itertools import product

from interp.simulate.schedule.routes import Copy
from lowering.instance.choice import Placement
from lowering.instance.problem import Problem


def measured(
    problem: Problem, placement: Placement, memory: Mapping[str, int], symmetric: bool
) -> set[tuple[Hashable, ...]]:
    """The costs that a run with a placement measures: ("node", index, label), and ("copy", value, memories)."""
    items: set[tuple[Hashable, ...]] = set()
    copies = [step for _, step in problem.walk(placement) if isinstance(step, Copy)]
    for node, choice in zip(problem.nodes, placement, strict=True):
        if not node.view:
            items.add(("node", node.index, choice.label))
    for value, source, target, *_ in copies:
        ends = (memory[source], memory[target])
        if ends[0] != ends[1]:
            items.add(("copy", value, frozenset(ends) if symmetric else ends))
    return items


def fewest(
    problem: Problem, memory: Mapping[str, int], symmetric: bool, before: Sequence[Placement] = (), copies: bool = True
) -> int:
    """The size of the smallest set of placements that measures every cost measured by any placement, except those
    measured by `before`; `copies`: False to count nodes only."""
    runs = [measured(problem, each, memory, symmetric) for each in product(*(node.choices for node in problem.nodes))]
    done = [measured(problem, each, memory, symmetric) for each in before]
    every = dict.fromkeys(item for run in runs for item in run if not any(item in one for one in done))
    wanted = [item for item in every if copies or item[0] == "node"]
    bit = {item: 1 << number for number, item in enumerate(wanted)}
    masks = {sum(bit[item] for item in run if item in bit) for run in runs}
    largest: list[int] = []
    for mask in sorted(masks, key=int.bit_count, reverse=True):
        if not any(mask & ~other == 0 for other in largest):
            largest.append(mask)
    return _cover(largest, (1 << len(wanted)) - 1)


def _cover(masks: list[int], everything: int) -> int:
    """The smallest number of masks whose union has all bits of `everything`, by depth-first search; the search branches
    on the bit that the fewest masks have."""

    @cache
    def within(left: int, depth: int) -> bool:
        if not left:
            return True
        if left.bit_count() > depth * max((mask & left).bit_count() for mask in masks):
            return False
        missing = (1 << bit for bit in range(left.bit_length()) if left >> bit & 1)
        rarest = min(missing, key=lambda bit: sum(mask & bit != 0 for mask in masks))
        return any(mask & rarest and within(left & ~mask, depth - 1) for mask in masks)

    depth = 0
    while not within(everything, depth):
        depth += 1
    return depth

"""The policy `path`: the placement of minimum serial time, by variable elimination over the graph of (op, device)
nodes; beyond its width, or if memory is short, a good placement with a lower bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from math import factorial

from dialects.diagnostics import note
from interp.figures import count, percent, time
from lowering.instance.choice import Placement
from lowering.instance.problem import Problem, Schedule
from lowering.limits import LIMITS
from lowering.optimise.quick.heuristics import by_priority, by_tree, gpu, greedy, improve_locally, pim_first, settle
from lowering.optimise.serial.elimination import Order, best_order, eliminate, order_by
from lowering.optimise.serial.factors import SerialFactors
from lowering.optimise.serial.in_memory import fitting

LISTS = 24
"""Priority lists of devices with which `path` compares its placement if an exact search would exceed its width: all
lists of up to four devices."""
PART_WIDTH = 1 << 14
"""Entries of one table, at most, when some of the nodes are improved together."""
ROUNDS = 12
"""Rounds in which some of the nodes are improved together."""
WIDTH = 1 << 26
"""Entries of one table, at most: such a table always fits the computer's memory."""
BOUND_ENTRIES = LIMITS.elimination_entries >> 4
"""Entries of all tables for a lower bound, at most: a second or two."""


@dataclass(frozen=True)
class SerialTime:
    """`ns`: the serial time of the placement; `bound_ns`: a lower bound for placements of the problem's nodes that fit
    memory; `exact`: True if the placement is optimal. If each elimination order needs a table larger than the width,
    `node` is the number of the node at which such a table is needed, and the table has more than `entries` entries."""

    placement: Placement
    ns: float
    bound_ns: float
    exact: bool
    entries: int = 0
    node: int | None = None


def place_path(problem: Problem) -> Schedule:
    """The placement of minimum serial time: the sum of all tasks and copies, with each value copied once to each device
    that reads it."""
    found = least_serial(problem, problem.options.width)
    above = found.ns / found.bound_ns - 1 if found.bound_ns > 0 else 0.0
    if found.node is not None:
        width = min(problem.options.width, WIDTH)
        table = f"a table of {count(found.entries, 'entry')}, more than width={width}"
        many = f"tables of more than {count(LIMITS.elimination_entries, 'entry')} in all"
        note(
            "place: from this op on, the exact search for the minimum serial time needs "
            f"{table if found.entries > width else many}; the placement found takes {time(found.ns)}, at most "
            f"{percent(above)} above the minimum; a larger `width` takes more time and memory",
            problem.nodes[found.node].op,
        )
    elif not found.exact and problem.fits(found.placement):
        note(
            "place: the placement of minimum serial time does not fit memory; the chosen placement takes "
            f"{time(found.ns)}, at most {percent(above)} above the minimum of those that fit",
            problem.nodes[0].op.parent_op(),
        )
    schedule = Schedule(found.placement)
    return Schedule(found.placement, ns=problem.ends(schedule))


def least_serial(problem: Problem, width: int) -> SerialTime:
    """The placement of minimum serial time, as defined by `Problem.serial_ns`, among those that fit memory; exact if no
    table of the search exceeds `width` entries (at most `WIDTH`) and the unconstrained optimum fits
    memory. Cached per problem, since `path` and the bound on all placements both use it."""
    return problem.once(f"least serial time by {width}", lambda: seek_least(problem, width))


def seek_least(problem: Problem, width: int) -> SerialTime:
    """The result of `least_serial`, not cached."""
    space, width = SerialFactors(problem), min(width, WIDTH)
    order = best_order(space.factors, width)

    bounded = max(1, min(width, BOUND_ENTRIES // max(1, len(order.sequence))))
    least = eliminate(space.factors, order, bounded if order.stuck is not None else None)
    bound_ns, placement = least.value, space.placement(least.values)
    stuck = None if order.stuck is None else space.places[order.stuck]
    if stuck is not None:
        placement = improved_in_parts(space, min((placement, *by_rule(problem)), key=problem.serial_ns))
    if not problem.fits(placement):
        others = [settle(problem, each) for each in (placement, *by_rule(problem))]
        bound_ns, placement = fitting(space, bound_ns, placement, others)
    ns = problem.serial_ns(placement)
    exact = bound_ns >= ns * (1 - 1e-12)
    # Sums of the same times in another order differ in their last digits.
    bound_ns = ns if exact else bound_ns
    return SerialTime(
        placement, ns, bound_ns, exact, order.largest if stuck is not None else 0, None if exact else stuck
    )


def by_rule(problem: Problem) -> Iterator[Placement]:
    """The placements with which the best placement is compared: those of other rules, and of priority lists, whether
    they fit memory or not."""
    devices = problem.workers
    lists = permutations(devices) if factorial(len(devices)) <= LISTS else ((device,) for device in devices)
    listed = (tuple(by_priority(problem, wanted)) for wanted in dict.fromkeys((problem.options.devices, *lists)))
    yield from dict.fromkeys((tuple(gpu(problem)), *listed))
    yield pim_first(problem)
    yield greedy(problem)
    yield improve_locally(problem, by_tree(problem))


def improved_in_parts(space: SerialFactors, placement: Placement) -> Placement:
    """Improve a placement iteratively: in each round some variables are fixed, those that were fixed least often first,
    and the optimal values of all others are computed at once."""
    factors = space.factors
    known = dict(enumerate(space.numbers(placement)))
    sets = [x for x in range(len(known), len(factors.sizes)) if factors.sizes[x] > 1]
    values = eliminate(factors.given(known), Order(tuple(sets), 0, 0)).values
    for x, value in known.items():
        values[x] = value
    best = factors.at(values)
    times_fixed: dict[int, int] = {}
    idle = 0
    for _ in range(ROUNDS):
        order = order_by(factors, "size", PART_WIDTH, times_fixed)
        least = eliminate(factors.given({x: values[x] for x in order.fixed}), order)
        for x in order.sequence:
            values[x] = least.values[x]
        for x in order.fixed:
            times_fixed[x] = times_fixed.get(x, 0) + 1
        idle = 0 if least.value < best * (1 - 1e-12) else idle + 1
        best = least.value
        if idle == 3 or not order.fixed:
            break
    return min((placement, space.placement(values)), key=space.problem.serial_ns)

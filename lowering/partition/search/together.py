"""Devices, order, splits and pipeline stages in one search: what the policy `optimal` does with the most effort.

1. Splits and pipelines that may pay off become regions of the placement problem (lowering/partition/search/space.py).
2. One search decides over nodes and regions (lowering/partition/search/states.py), first in program order, then in the
   order in which its own best schedule starts the nodes, so that branches overlap.
3. The result of the search is refined: stages are split between both devices, boundaries between shards are moved
   slightly; then the search is repeated with these forms.
4. The best schedules are improved by moves and, for small programs, by an exact search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from dialects.graph import shape_of
from lowering.instance.choice import Choice, Placement
from lowering.instance.problem import Problem, Region, Schedule
from lowering.instance.sequence import positions, started
from lowering.limits import LIMITS
from lowering.optimise.quick.heuristics import quick
from lowering.partition.plans.plan import Op, OpSharding, Plan
from lowering.partition.plans.simulated import StepForm
from lowering.partition.search.offers import inside, offer
from lowering.partition.search.outcome import Outcome, Subject, carried, in_order, polished
from lowering.partition.search.parts import parts_of
from lowering.partition.search.space import RegionCandidate, RegionSpace, chosen, expected, expected_ranks
from lowering.partition.search.states import StateSearch
from lowering.solve.climbing import Budget, improve

ROUNDS = 6
"""Rounds in which policy `optimal` continues its search with refined splits and pipelines."""
SEQUENCES = 2
"""Orders of nodes, taken from the best schedules, in which policy `optimal` continues its search."""
CARRIED = 4
"""Plans of one round of policy `optimal` that are applied to the program and simulated."""
SMALL_NODES = 80
"""Nodes of a program up to which policy `optimal` searches it exactly as a whole, with regions and, before ops are
split, without."""
REGIONS = 40
"""Regions among which the exact search of policy `optimal` chooses: those of the best schedules first."""
EXACT_EFFORT = 6.0
"""Deterministic seconds of CP-SAT: the exact search of policy `optimal` with regions."""
CLIMBED = 20_000
"""Nodes placed, each in several orders, over all trials of hill climbing of policy `optimal`, if its search is not
exact."""
FINER: tuple[int, ...] = (-2, -1, 1, 2)
"""32nds of the extent of a split axis by which policy `optimal` moves the boundary between two shards."""
INSERTIONS_PLACED = 1_000_000
"""Nodes placed, over all trials, by inserting splits into a placement."""


def together(subject: Subject, spent: Callable[[], bool]) -> Iterator[Outcome | None]:
    """Plans of one search over nodes and regions, each carried out and timed as a whole (None: it can't be made or does
    not fit memory); until `spent`."""
    times = subject.times(subject.laid)
    parts_of(times)
    space = RegionSpace(subject.problem(subject.laid), times)
    whole = unpartitioned_ops(space.problem)
    offer(space)
    problem, pool = space.problem, Pool(space.problem)
    pool.add(whole)
    pool.add(in_order(problem, inserted(problem, whole.placement)))
    met: set[tuple[int, ...]] = set()
    reached = float("inf")
    for _ in range(ROUNDS):
        for sequence in pool.sequences():
            ranks = [float(rank) for rank in positions(sequence)]
            for _, placement in StateSearch(problem, sequence=sequence).placements():
                pool.add(in_order(problem, placement, ranks))
        if not pool.found or spent():  # no placement fits memory
            return
        for schedule in pool.best(CARRIED):
            if (key := tuple(map(id, schedule.placement))) not in met:
                met.add(key)
                yield _carried(subject, space, schedule)
        best = pool.found[0]
        known = len(space.candidates)
        refine(space, chosen(space, best.placement))
        if best.ns >= reached * (1 - LIMITS.rounding) and len(space.candidates) == known:
            break
        reached = min(reached, best.ns)
    yield _carried(subject, space, _climbed(pool, whole))
    if len(problem.nodes) <= SMALL_NODES and not spent():
        yield _carried(subject, space, _exactly(space, pool))


def unpartitioned_ops(problem: Problem) -> Schedule:
    """The schedule of a problem's ops without regions: their placement and order."""
    schedule = in_order(problem, quick(problem))
    return polished(problem, schedule) if len(problem.nodes) <= SMALL_NODES else schedule


def inserted(problem: Problem, placement: Placement) -> list[Choice]:
    """A placement after inserting regions one at a time, each time the one that shortens the makespan most, until no
    region shortens it."""
    budget = Budget(INSERTIONS_PLACED // max(1, len(problem.nodes)))
    inside = {region.choice for region in problem.regions}

    def better(best: tuple[float, list[Choice]], region: Region) -> tuple[float, list[Choice]] | None:
        if any(best[1][index] in inside for index in region.nodes):
            return None
        budget.spend()
        trial = list(best[1])
        for index in region.nodes:
            trial[index] = region.choice
        ns = problem.makespan(trial)
        return (ns, trial) if ns < best[0] * (1 - LIMITS.rounding) and problem.fits(trial) else None

    start = problem.makespan(placement), list(placement)
    return improve(start, lambda best: problem.regions, better, budget, "steepest", cost=lambda best: best[0])[1]


def _exactly(space: RegionSpace, pool: Pool) -> Schedule:
    """The best schedule, improved by an exact search over all nodes, with the regions that good schedules use."""
    problem, best = space.problem, pool.found[0]
    wanted = dict.fromkeys(choice for schedule in pool.found for choice in schedule.placement if choice in space.of)
    every = list(problem.regions)
    wanted |= dict.fromkeys(region.choice for region in every)
    taken = {*best.placement, *list(wanted)[:REGIONS]}
    problem.regions = [region for region in every if region.choice in taken]
    found = polished(problem, best, EXACT_EFFORT)
    problem.regions = every
    return found


def _climbed(pool: Pool, whole: Schedule) -> Schedule:
    """The best schedule after hill climbing: single nodes are moved, regions inserted or removed, as long as the
    schedule becomes shorter in its best known order; nodes of a removed region are placed as in `whole`."""
    problem, budget = pool.problem, Budget(CLIMBED // max(1, len(pool.problem.nodes)))

    def moves(best: Schedule) -> Iterator[tuple[Sequence[float], Sequence[int], Choice]]:
        ranks = [float(rank) for rank in positions(started(problem, best))]
        yield from ((ranks, nodes, choice) for nodes, choice in _changes(problem))

    def better(best: Schedule, move: tuple[Sequence[float], Sequence[int], Choice]) -> Schedule | None:
        ranks, nodes, choice = move
        broken = {best.placement[node] for node in nodes if best.placement[node] is not choice}
        if not broken:
            return None
        budget.spend()
        trial = [
            choice if index in nodes else whole.placement[index] if taken in broken else taken
            for index, taken in enumerate(best.placement)
        ]
        schedule = in_order(problem, trial, ranks)
        return schedule if schedule.ns < best.ns * (1 - LIMITS.rounding) and problem.fits(schedule) else None

    return improve(pool.found[0], moves, better, budget)


def _changes(problem: Problem) -> Iterator[tuple[tuple[int, ...], Choice]]:
    yield from ((region.nodes, region.choice) for region in problem.regions)
    yield from (((node.index,), choice) for node in problem.nodes for choice in node.choices if len(node.choices) > 1)


class Pool:
    """Schedules of a problem, the shortest first, and the node orders with which the search has not been run yet."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.found: list[Schedule] = []
        self.visited: set[tuple[tuple[int, ...], int]] = set()

    def add(self, schedule: Schedule) -> None:
        """Add a schedule, unless it does not fit memory."""
        if self.problem.fits(schedule):
            self.found.append(replace(schedule, ns=self.problem.ends(schedule)))
            self.found.sort(key=lambda schedule: schedule.ns)

    def best(self, count: int) -> list[Schedule]:
        """The `count` best schedules."""
        return self.found[:count]

    def sequences(self) -> list[tuple[int, ...]]:
        """The node orders that the search has not used yet: first the program's order, later the orders in which the
        best schedules start their nodes."""
        orders = [tuple(range(len(self.problem.nodes)))]
        orders += [tuple(started(self.problem, schedule)) for schedule in self.best(SEQUENCES)]
        regions = len(self.problem.regions)
        fresh = [order for order in dict.fromkeys(orders) if (order, regions) not in self.visited]
        self.visited.update((order, regions) for order in fresh)
        return fresh


def _carried(subject: Subject, space: RegionSpace, schedule: Schedule) -> Outcome | None:
    """The outcome of carrying out the plan that a schedule of the search chose, with nodes in the order in which that
    schedule starts them."""
    placement = schedule.placement
    ranks = expected_ranks(space, placement, positions(started(space.problem, schedule)))
    keyed = expected(space, placement)
    plan = Plan("regions", tuple(each.step for each in chosen(space, placement)))
    return subject.outcome("regions", plan, True, lambda problem: carried(problem, keyed, ranks), LIMITS.whole_effort)


def refine(space: RegionSpace, taken: Sequence[RegionCandidate]) -> None:
    """Add to a space variants of the forms in `taken`: forms with the stages of an op split between both devices, or
    with slightly moved boundaries between shards."""
    for candidate in taken:
        step = candidate.step
        form = StepForm(step.shardings, step.stages, step.axis)
        space.add(step.ops, [*inside(space, form), *_finer(step.ops, form)])


def _finer(ops: Sequence[Op], form: StepForm) -> Iterator[StepForm]:
    for index, sharding in enumerate(form.shardings):
        if len(sharding.ends) == 1:
            shape = shape_of(ops[index].results[0])
            extent = shape[sharding.axis % len(shape)]
            at = round(sharding.ends[0] * extent)
            for step in FINER:
                end = at + round(step * max(1.0, extent / 32))
                if 0 < end < extent:
                    cut = OpSharding(sharding.devices, sharding.axis, (end / extent,))
                    yield replace(form, shardings=(*form.shardings[:index], cut, *form.shardings[index + 1 :]))

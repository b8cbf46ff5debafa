"""The policy `joint`: devices, splits and pipeline stages of ops, decided in one search.

1. Splits and pipelines that may pay off become regions of the placement problem
   (lowering/partition/joint/space.py).
2. One search decides over nodes and regions (lowering/partition/joint/search.py), first in program order, then
   in the order in which its own best schedule starts the nodes, so that branches overlap.
3. The result of the search is refined: stages are split between both devices, boundaries between shards are moved
   slightly; then the search is repeated with these forms.
4. The resulting plans are carried out, placed as decided, and timed as a whole, as are the plans of sequential
   decisions (lowering/partition/joint/one_by_one.py). The shortest plan is taken, so that none of these policies is
   faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.func import FuncOp

from dialects.graph import shape_of
from interp.kinds.clock import Clock
from lowering.instance.choice import Choice
from lowering.instance.of_program import PlacementProblem
from lowering.instance.problem import Options, Problem, Schedule
from lowering.instance.sequence import positions, started
from lowering.limits import LIMITS
from lowering.partition.best.outcome import JointPlan, Subject, carried, improved_by_moves, in_order, least, polished
from lowering.partition.best.policy import parts_of
from lowering.partition.joint.forms import inside, offer
from lowering.partition.joint.one_by_one import inserted, one_by_one, unpartitioned_ops
from lowering.partition.joint.search import JointSearch
from lowering.partition.joint.space import JointSpace, RegionCandidate, chosen, expected, expected_ranks
from lowering.partition.plans.plan import Op, OpSharding, Plan
from lowering.partition.plans.simulated import StepForm
from lowering.solve.climbing import Budget, improve


@dataclass(frozen=True)
class Joint:
    """The outcomes of the joint decision (`together`) and of sequential decisions (`others`), and the shortest of all
    these outcomes, `outcome`. `regions`: the number of regions among which the search chose."""

    outcome: JointPlan | None
    others: tuple[JointPlan, ...]
    together: tuple[JointPlan, ...]
    regions: int


def place_joint(function: FuncOp, clock: Clock, options: Options = Options()) -> tuple[PlacementProblem, Schedule]:  # noqa: B008 - it is frozen
    """Rewrite a function by the shortest plan, and place it."""
    subject = Subject.of(function, clock, options)
    found = decided(subject)
    return subject.place_shortest((*found.others, *found.together))


def decided(subject: Subject) -> Joint:
    """All outcomes for a function, and the shortest one."""
    times = subject.times(subject.laid)
    parts_of(times)
    space = JointSpace(subject.problem(subject.laid), times)
    whole = unpartitioned_ops(space.problem)
    offer(space)
    others = tuple(one_by_one(subject, space, whole))
    together = tuple(_together(subject, space, whole))
    return Joint(least((*others, *together)), others, together, len(space.candidates))


def _together(subject: Subject, space: JointSpace, whole: Schedule) -> Iterator[JointPlan]:
    """The outcomes of one search over nodes and regions, after improvement."""
    problem = space.problem
    found: dict[tuple[int, ...], JointPlan] = {}
    pool = Pool(problem)
    pool.add(whole)
    pool.add(in_order(problem, inserted(problem, whole.placement)))
    reached = float("inf")
    for _ in range(LIMITS.joint_rounds):
        for sequence in pool.sequences():
            ranks = [float(rank) for rank in positions(sequence)]
            for _, placement in JointSearch(problem, sequence=sequence).placements():
                pool.add(in_order(problem, placement, ranks))
        if not pool.found:  # no placement fits memory
            return
        for schedule in pool.best(LIMITS.joint_carried):
            key = tuple(map(id, schedule.placement))
            if key not in found and (outcome := _carried(subject, space, schedule)) is not None:
                found[key] = outcome
        best = pool.found[0]
        known = len(space.candidates)
        refine(space, chosen(space, best.placement))
        if best.ns >= reached * (1 - LIMITS.rounding) and len(space.candidates) == known:
            break
        reached = min(reached, best.ns)
    finals = [_climbed(pool, whole)]
    if len(problem.nodes) <= LIMITS.joint_small_nodes:
        finals.append(_exactly(space, pool))
    carried = (_carried(subject, space, final) for final in finals)
    if last := [outcome for outcome in carried if outcome is not None]:
        found[()] = min(last, key=lambda outcome: outcome.ns)
    tried = sorted(found.values(), key=lambda outcome: outcome.ns)
    yield from tried
    for outcome in tried[: LIMITS.joint_finalists]:
        if (better := subject.again("joint, moved", outcome, improved_by_moves, LIMITS.whole_effort)) is not None:
            yield better


def _exactly(space: JointSpace, pool: Pool) -> Schedule:
    """The best schedule, improved by an exact search over all nodes, with the regions that good schedules use."""
    problem, best = space.problem, pool.found[0]
    wanted = dict.fromkeys(choice for schedule in pool.found for choice in schedule.placement if choice in space.of)
    every = list(problem.regions)
    wanted |= dict.fromkeys(region.choice for region in every)
    taken = {*best.placement, *list(wanted)[: LIMITS.joint_regions]}
    problem.regions = [region for region in every if region.choice in taken]
    found = polished(problem, best, LIMITS.joint_effort)
    problem.regions = every
    return found


def _climbed(pool: Pool, whole: Schedule) -> Schedule:
    """The best schedule after hill climbing: single nodes are moved, regions inserted or removed, as long as the
    schedule becomes shorter in its best known order; nodes of a removed region are placed as in `whole`."""
    problem, budget = pool.problem, Budget(LIMITS.joint_climbed // max(1, len(pool.problem.nodes)))

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
        orders += [tuple(started(self.problem, schedule)) for schedule in self.best(LIMITS.joint_sequences)]
        regions = len(self.problem.regions)
        fresh = [order for order in dict.fromkeys(orders) if (order, regions) not in self.visited]
        self.visited.update((order, regions) for order in fresh)
        return fresh


def _carried(subject: Subject, space: JointSpace, schedule: Schedule) -> JointPlan | None:
    """The outcome of carrying out the plan that a schedule of the search chose, with nodes in the order in which that
    schedule starts them."""
    placement = schedule.placement
    ranks = expected_ranks(space, placement, positions(started(space.problem, schedule)))
    keyed = expected(space, placement)
    plan = Plan("joint", tuple(each.step for each in chosen(space, placement)))
    return subject.outcome("joint", plan, True, lambda problem: carried(problem, keyed, ranks), LIMITS.whole_effort)


def refine(space: JointSpace, taken: Sequence[RegionCandidate]) -> None:
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
            for step in LIMITS.joint_finer:
                end = at + round(step * max(1.0, extent / 32))
                if 0 < end < extent:
                    cut = OpSharding(sharding.devices, sharding.axis, (end / extent,))
                    yield replace(form, shardings=(*form.shardings[:index], cut, *form.shardings[index + 1 :]))

"""The policy `joint`: where each op runs, what is cut and what runs in stages, decided in one search.

1. Cuts and pipelines that may pay somewhere become regions of the placement problem (lowering/joint_space.py).
2. One search decides over nodes and regions at once (lowering/joint_search.py), first in program order, then in the
   order in which its own best schedule starts the nodes, so that branches run side by side.
3. What it finds is refined: stages cut between both devices, cuts moved a little; then the search goes on with these.
4. Plans found so are carried out, placed as decided, and timed as a whole, as are those of deciding one after another
   (lowering/one_by_one.py). The one that ends first is taken, so that no other of these policies ends earlier.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.func import FuncOp

from dialects.graph import shape_of
from interp.clock import Clock
from lowering import exact
from lowering.best import parts_of
from lowering.choice import Choice
from lowering.heuristics import search
from lowering.joint_forms import inside, offer
from lowering.joint_outcome import ROUNDING, Outcome, Subject, carried, in_order, polished
from lowering.joint_search import JointSearch, positions, started
from lowering.joint_space import Candidate, JointSpace, chosen, expected, ranked_looks
from lowering.one_by_one import inserted, one_by_one, whole_ops
from lowering.placement import PlacementProblem
from lowering.plan import Op, Plan, Share
from lowering.problem import Problem, Schedule
from lowering.simulated import Form, Simulated

ROUNDS = 6
"""How often the search goes on with what it found."""
SEQUENCES = 2
"""Orders of nodes in which it goes on."""
CARRIED = 4
"""Plans of one round that are carried out at the most."""
SMALL = 80
"""Nodes up to which the whole is given to the exact search."""
REGIONS = 40
"""Regions among which it chooses: those of the best schedules first."""
EFFORT = 6.0
"""Work that it may do, in the solver's own measure (about seconds on one core)."""
CLIMBED = 20_000
"""Node placements, each in several orders, that moves may simulate in all where the search is not exact."""
FINALISTS = 3
"""How many plans are improved by moving single nodes in the end."""
FINER = (-2, -1, 1, 2)
"""By how many 32nds of the extent a cut is moved."""


@dataclass(frozen=True)
class Joint:
    """What came of deciding together, and of each way of deciding one after another. `regions`: how many candidates
    were weighed."""

    outcome: Outcome
    others: tuple[Outcome, ...]
    together: tuple[Outcome, ...]
    regions: int


def place_joint(function: FuncOp, clock: Clock) -> tuple[PlacementProblem, Schedule]:
    """Rewrite a function by the plan that ends first, and place it."""
    subject = Subject.of(function, clock)
    return subject.carry_out(decided(subject).outcome)


def decided(subject: Subject) -> Joint:
    """All that is tried for a function, and the one that ends first."""
    times = Simulated(subject.laid, subject.clock)
    parts_of(times)
    space = JointSpace(PlacementProblem(subject.laid, subject.clock), times)
    whole = whole_ops(space.problem)
    offer(space)
    others = tuple(one_by_one(subject, space, whole))
    together = tuple(_together(subject, space, whole))
    least = min((*others, *together), key=lambda outcome: outcome.ns)
    return Joint(least, others, together, len(space.candidates))


def _together(subject: Subject, space: JointSpace, whole: Schedule) -> Iterator[Outcome]:
    """What one search over nodes and regions finds, the best of it improved."""
    problem = space.problem
    found: dict[tuple[int, ...], Outcome] = {}
    pool = Pool(problem)
    pool.add(whole)
    pool.add(in_order(problem, inserted(problem, whole.placement)))
    reached = float("inf")
    for _ in range(ROUNDS):
        for sequence in pool.sequences():
            ranks = [float(rank) for rank in positions(sequence)]
            for _, placement in JointSearch(problem, sequence=sequence).placements():
                pool.add(in_order(problem, placement, ranks))
        for schedule in pool.best(CARRIED):
            key = tuple(map(id, schedule.placement))
            if key not in found and (outcome := _carried(subject, space, schedule)) is not None:
                found[key] = outcome
        best = pool.found[0]
        known = len(space.candidates)
        refine(space, chosen(space, best.placement))
        if best.ns >= reached * (1 - ROUNDING) and len(space.candidates) == known:
            break
        reached = min(reached, best.ns)
    finals = [_climbed(pool, whole)]
    if exact.available() and len(problem.nodes) <= SMALL:
        finals.append(_exactly(space, pool))
    carried = (_carried(subject, space, final) for final in finals)
    if last := [outcome for outcome in carried if outcome is not None]:
        found[()] = min(last, key=lambda outcome: outcome.ns)
    tried = sorted(found.values(), key=lambda outcome: outcome.ns)
    yield from tried
    for outcome in tried[:FINALISTS]:
        if (better := _improved(subject, outcome)) is not None:
            yield better


def _exactly(space: JointSpace, pool: Pool) -> Schedule:
    """What exact search makes of the best schedule over all nodes, with the regions that good schedules take."""
    problem, best = space.problem, pool.found[0]
    wanted = dict.fromkeys(choice for schedule in pool.found for choice in schedule.placement if choice in space.of)
    every = list(problem.regions)
    wanted |= dict.fromkeys(region.choice for region in every)
    taken = {*best.placement, *list(wanted)[:REGIONS]}
    problem.regions = [region for region in every if region.choice in taken]
    found = polished(problem, best, EFFORT)
    problem.regions = every
    return found


def _climbed(pool: Pool, whole: Schedule) -> Schedule:
    """The best schedule with single nodes moved, and regions put in or taken out, while it ends earlier in the best
    order that is known of it; what is taken out goes where it is `whole`."""
    problem, best = pool.problem, pool.found[0]
    budget, improved = CLIMBED // max(1, len(problem.nodes)), True
    while improved and budget > 0:
        improved = False
        ranks = [float(rank) for rank in positions(started(problem, best))]
        for nodes, choice in _changes(problem):
            trial = list(best.placement)
            broken = {trial[node] for node in nodes if trial[node] is not choice}
            for index, taken in enumerate(best.placement):
                if taken in broken:
                    trial[index] = whole.placement[index]
            for node in nodes:
                trial[node] = choice
            if budget <= 0 or not broken:
                continue
            budget -= 1
            schedule = in_order(problem, trial, ranks)
            if schedule.ns < best.ns * (1 - ROUNDING) and not problem.overfull(schedule):
                best, improved = schedule, True
    return best


def _changes(problem: Problem) -> Iterator[tuple[tuple[int, ...], Choice]]:
    yield from ((region.nodes, region.choice) for region in problem.regions)
    yield from (((node.index,), choice) for node in problem.nodes for choice in node.choices if len(node.choices) > 1)


class Pool:
    """Schedules of a problem, the best first, and the orders of nodes that the search has not gone through yet."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.found: list[Schedule] = []
        self.gone: set[tuple[tuple[int, ...], int]] = set()

    def add(self, schedule: Schedule) -> None:
        """A schedule, unless memory does not hold it."""
        if not self.problem.overfull(schedule):
            self.found.append(replace(schedule, ns=self.problem.ends(schedule)))
            self.found.sort(key=lambda schedule: schedule.ns)

    def best(self, count: int) -> list[Schedule]:
        """The best so many of them."""
        return self.found[:count]

    def sequences(self) -> list[tuple[int, ...]]:
        """The program's order at first; later those in which the best schedules start their nodes."""
        orders = [tuple(range(len(self.problem.nodes)))]
        orders += [tuple(started(self.problem, schedule)) for schedule in self.best(SEQUENCES)]
        regions = len(self.problem.regions)
        fresh = [order for order in dict.fromkeys(orders) if (order, regions) not in self.gone]
        self.gone.update((order, regions) for order in fresh)
        return fresh


def _carried(subject: Subject, space: JointSpace, schedule: Schedule) -> Outcome | None:
    """A schedule of the search as a plan of the program, its nodes in the order in which it starts them."""
    placement = schedule.placement
    ranks = ranked_looks(space, placement, positions(started(space.problem, schedule)))
    looks = expected(space, placement)
    plan = Plan("joint", tuple(each.step for each in chosen(space, placement)))
    return subject.outcome("joint", plan, True, lambda problem: carried(problem, looks, ranks))


def _improved(subject: Subject, outcome: Outcome) -> Outcome | None:
    """An outcome with single nodes and groups of them moved while the program ends earlier."""

    def place(problem: PlacementProblem) -> Schedule:
        start: list[Choice] = [
            node.choices[choice] for node, choice in zip(problem.nodes, outcome.choices, strict=True)
        ]
        return in_order(problem, search(problem, start))

    return subject.outcome("joint, moved", outcome.plan, outcome.laid, place)


def refine(space: JointSpace, taken: Sequence[Candidate]) -> None:
    """Give a space more forms like those that a schedule takes: with the stages of an op cut between both devices, or
    cut a little earlier or later."""
    for candidate in taken:
        step = candidate.step
        form = Form(step.shares, step.stages, step.axis)
        space.add(step.ops, [*inside(space, form), *_finer(step.ops, form)])


def _finer(ops: Sequence[Op], form: Form) -> Iterator[Form]:
    for index, share in enumerate(form.shares):
        if len(share.ends) == 1:
            shape = shape_of(ops[index].results[0])
            extent = shape[share.axis % len(shape)]
            at = round(share.ends[0] * extent)
            for step in FINER:
                end = at + round(step * max(1.0, extent / 32))
                if 0 < end < extent:
                    cut = Share(share.devices, share.axis, (end / extent,))
                    yield replace(form, shares=(*form.shares[:index], cut, *form.shares[index + 1 :]))

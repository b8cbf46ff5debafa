"""Outcomes of plans: each is carried out, placed, put in order, and timed as a whole; the one that ends first can be
carried out again on the program itself."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import islice
from typing import TypeAlias

from xdsl.dialects.func import FuncOp

from dialects.diagnostics import working
from interp.cost.clock import Clock
from interp.figures import time
from interp.schedule.events import by_rank, in_rank_order
from lowering.limits import LIMITS
from lowering.partition.joint.space import looks_of
from lowering.partition.pimflow.search import pimflow_plans
from lowering.partition.plan import Plan, carry_out
from lowering.partition.simulated import Simulated, settled
from lowering.placement.choice import Choice, Placement
from lowering.placement.exact import solver as exact
from lowering.placement.of_program import PlacementProblem
from lowering.placement.problem import Options, Problem, Schedule
from lowering.placement.search.heuristics import descend, quick, search, settle
from lowering.placement.sequence import reordered

Look: TypeAlias = tuple[Hashable, str]
"""By what a node is known again, and its choice's label."""


@dataclass(frozen=True)
class JointPlan:
    """A plan for a function, or (`laid`) for its clone with views noted, and the choices of the nodes that carrying it
    out makes, by their numbers, with an order; `ns` is when all ends. No plan: the function stays as it is."""

    name: str
    ns: float
    laid: bool
    plan: Plan | None
    choices: tuple[int, ...]
    order: tuple[int, ...]
    waits: tuple[tuple[int, int], ...]

    @property
    def cut(self) -> bool:
        """True if a plan decided it: it cuts ops, or says where some of them run."""
        return self.plan is not None and bool(self.plan.steps)


@dataclass(frozen=True)
class Subject:
    """The subject of a plan: a function, and a clone of it in which slices and joins that are views are noted, so that
    ops are planned as they will be placed (the function itself where that changes nothing). `options` are those of the
    policies that are tried."""

    function: FuncOp
    laid: FuncOp
    clock: Clock
    options: Options = field(default_factory=Options)
    _times: dict[FuncOp, Simulated] = field(default_factory=dict[FuncOp, Simulated])
    _pimflow: dict[str, list[Plan]] = field(default_factory=dict[str, list[Plan]])

    @staticmethod
    def of(function: FuncOp, clock: Clock, options: Options = Options()) -> Subject:  # noqa: B008 - it is frozen
        laid = function.clone()
        carry_out(laid, ())
        return Subject(function, function if str(laid) == str(function) else laid, clock, options)

    def times(self, function: FuncOp) -> Simulated:
        """Times of parts of one of the two functions, which all that is planned for it shares."""
        if function not in self._times:
            self._times[function] = Simulated(function, self.clock)
        return self._times[function]

    def pimflow(self, mode: str) -> Iterator[Plan]:
        """The plan that PIMFlow finds in a mode, by its own costs, and ever less of it: without pipelines, then its
        cuts alone, then none."""
        known = self._pimflow.setdefault(mode, [])
        yield from known
        for plan in islice(pimflow_plans(self.function, self.clock, mode), len(known), None):
            known.append(plan)
            yield plan

    def as_is(self, name: str, problem: PlacementProblem, schedule: Schedule) -> JointPlan | None:
        """The outcome of a schedule for the function as it is, with its order or a better one; None where memory does
        not hold it."""
        return _outcome(name, False, None, problem, reordered(problem, schedule))

    def outcome(
        self,
        name: str,
        plan: Plan | None,
        laid: bool,
        place: Callable[[PlacementProblem], Schedule],
        effort: float = 0.0,
    ) -> JointPlan | None:
        """The outcome of a plan under a policy, in the order of that or a better one; None where it can't be made, or
        memory does not hold it. `effort`: of an exact search of places and order from there on."""
        source = self.laid if laid else self.function
        clone = source.clone()
        if plan is not None and not carry_out(clone, plan.on(source, clone)):
            return None
        problem = PlacementProblem(clone, self.clock)
        schedule = reordered(problem, place(problem))
        if effort and len(problem.nodes) <= LIMITS.polished_nodes:
            schedule = polished(problem, schedule, effort)
        found = _outcome(name, laid, plan, problem, schedule)
        problem.drop()
        return found

    def again(
        self,
        name: str,
        outcome: JointPlan,
        change: Callable[[PlacementProblem, Schedule], Schedule],
        effort: float = 0.0,
    ) -> JointPlan | None:
        """The outcome after a change of places and order."""

        def place(problem: PlacementProblem) -> Schedule:
            return change(problem, _schedule(problem, outcome))

        return self.outcome(name, outcome.plan, outcome.laid, place, effort)

    def first_to_end(self, outcomes: Iterable[JointPlan]) -> tuple[PlacementProblem, Schedule]:
        """Rewrite the function by the outcome that ends first, and place it; where memory holds none, the placement of
        the rules as it is."""
        best = least(outcomes)
        if best is not None:
            return self.carry_out(best)
        problem = PlacementProblem(self.function, self.clock)
        return problem, Schedule(quick(problem))

    def carry_out(self, outcome: JointPlan) -> tuple[PlacementProblem, Schedule]:
        """Rewrite the function as an outcome says, and place what results."""
        if outcome.plan is not None:
            if outcome.laid and self.laid is not self.function:
                carry_out(self.function, ())
            steps = outcome.plan.on(self.laid if outcome.laid else self.function, self.function)
            done = carry_out(self.function, steps)
            assert done, "a plan that was tried can be made"
        problem = PlacementProblem(self.function, self.clock)
        return problem, _schedule(problem, outcome)


def least(outcomes: Iterable[JointPlan]) -> JointPlan | None:
    """The outcome that ends first; of equal ones the first."""
    best: JointPlan | None = None
    for outcome in outcomes:
        if best is None or outcome.ns < best.ns:
            best = outcome
            working(f"best so far {time(outcome.ns)}, by {outcome.name}")
    return best


def _outcome(
    name: str, laid: bool, plan: Plan | None, problem: PlacementProblem, schedule: Schedule
) -> JointPlan | None:
    if problem.overfull(schedule):
        return None
    choices = tuple(node.choices.index(choice) for node, choice in zip(problem.nodes, schedule.placement, strict=True))
    return JointPlan(name, problem.ends(schedule), laid, plan, choices, schedule.order, schedule.waits)


def _schedule(problem: PlacementProblem, outcome: JointPlan) -> Schedule:
    placement = [node.choices[choice] for node, choice in zip(problem.nodes, outcome.choices, strict=True)]
    return Schedule(placement, outcome.order, outcome.waits, ns=outcome.ns)


def moved_about(problem: PlacementProblem, schedule: Schedule) -> Schedule:
    """Single nodes and groups of them moved while the program ends earlier in program order."""
    return Schedule(search(problem, schedule.placement))


def in_order(problem: Problem, placement: Placement, ranks: Sequence[float] = ()) -> Schedule:
    """A placement with the order of its tasks and copies that ends first: as they are, by list scheduling as in the
    pass `order`, or, by the ranks of its nodes, all in turn or what is ready first. Of equals the first; an order must
    fit memory, too."""
    more: list[list[int]] = []
    if ranks:
        jobs, theirs = problem.jobs(placement), ranked(problem, placement, ranks)
        more = [in_rank_order([job.after for job in jobs], theirs), by_rank(jobs, theirs)]
    return reordered(problem, Schedule(placement), more)


def ranked(problem: Problem, placement: Placement, ranks: Sequence[float]) -> list[float]:
    """Ranks of nodes as ranks of the jobs of a placement: a copy has that of its first reader."""
    every = [*ranks, max(ranks, default=0.0)]
    return [every[node] for node, _ in problem.walk(placement)]


def as_expected(problem: PlacementProblem, looks: Sequence[Look]) -> tuple[list[Choice], list[int | None]]:
    """A placement in which each node that looks as expected has the choice that goes with it, in this order, and for
    each node where that is in `looks`; the others settle among themselves."""
    numbers: dict[Hashable, int] = {}
    wanted = [numbers.setdefault(key, len(numbers)) for key, _ in looks]
    met = [numbers.setdefault(looks_of(node), len(numbers)) for node in problem.nodes]
    found: list[int | None] = [None] * len(met)
    for a, b, length in SequenceMatcher(None, wanted, met, autojunk=False).get_matching_blocks():
        found[b : b + length] = range(a, a + length)
    placement = settled(problem)
    given: dict[int, Choice] = {}
    for node, at in zip(problem.nodes, found, strict=True):
        choice = None if at is None else next((each for each in node.choices if each.label == looks[at][1]), None)
        if choice is not None:
            given[node.index] = choice
    placement = [given.get(index, choice) for index, choice in enumerate(placement)]
    free = [node.index for node in problem.nodes if node.index not in given and len(node.choices) > 1]
    return descend([problem.nodes[index] for index in free], placement, problem.makespan)[0], found


def polished(problem: Problem, schedule: Schedule, effort: float = LIMITS.polish_effort) -> Schedule:
    """A schedule that ends no later: what exact search makes of it within an effort."""
    if not problem.nodes:
        return schedule
    solved = exact.solve(problem, effort, schedule)
    if solved is None or problem.overfull(solved.schedule):
        return schedule
    ns = problem.ends(solved.schedule)
    return replace(solved.schedule, ns=ns) if ns < problem.ends(schedule) else schedule


def carried(problem: PlacementProblem, looks: Sequence[Look], ranks: Sequence[float]) -> Schedule:
    """The schedule of a problem whose nodes are placed as expected, and ordered by the ranks that go with it; what was
    not expected stands behind what stands before it."""
    placement, where = as_expected(problem, looks)
    mine, least = list[float](), 0.0
    for at in where:
        least = ranks[at] if at is not None else least
        mine.append(least)
    return in_order(problem, fitting(problem, placement), mine)


def fitting(problem: Problem, placement: Placement) -> list[Choice]:
    """A placement that memory holds, if moving whole weights makes it so."""
    return list(placement) if not problem.overfull(placement) else settle(problem, placement)

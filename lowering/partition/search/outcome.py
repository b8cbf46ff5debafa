"""Outcomes of plans: each plan is carried out, placed, ordered, and timed as a whole; the shortest one can be repeated
on the program itself."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from xdsl.dialects.func import FuncOp

from interp.kinds.clock import Clock, shape_key
from interp.simulate.events.jobs import Bound
from interp.simulate.events.loop import by_rank
from interp.simulate.events.orders import in_rank_order
from interp.walk.entry import is_graph_op
from lowering.graph.marks import marked
from lowering.instance.choice import Choice, Node, Placement
from lowering.instance.of_program import PlacementProblem
from lowering.instance.problem import Options, Problem, Schedule
from lowering.instance.sequence import reordered
from lowering.limits import LIMITS
from lowering.optimise.exact import solver as exact
from lowering.optimise.quick.heuristics import descend, search, settle
from lowering.partition.pimflow.search import pimflow_plans
from lowering.partition.plans.plan import Plan, carry_out
from lowering.partition.plans.simulated import Simulated, settled

POLISHED_NODES = 60
"""Nodes of a plan up to which its placement and order are searched exactly."""

PlacedNode: TypeAlias = tuple[Hashable, str]
"""A node's key, by which the node is identified in another copy of the program, and the label of its choice."""


def node_key(node: Node) -> Hashable:
    """The key by which a node is identified in another copy of the program."""
    assert is_graph_op(node.op)  # launches were rejected before
    return shape_key(node.op), node.view, marked(node.op)


@dataclass(frozen=True)
class Outcome:
    """A plan, and the schedule of the function that it rewrites: `choices`, the number of each node's choice; and
    `schedule`, everything else that was decided: with an empty placement, since nodes and choices belong to one copy
    of the function, and without a bound, since a bound of one policy is for unsplit ops.

    `laid`: the plan is for the clone of the function in which slices and joins that are views are noted. `plan` is
    None: the function is unchanged.
    """

    name: str
    laid: bool
    plan: Plan | None
    choices: tuple[int, ...]
    schedule: Schedule

    @property
    def ns(self) -> float:
        """The makespan in ns."""
        return self.schedule.ns

    @property
    def cut(self) -> bool:
        """True if the plan has steps: it splits ops, pipelines them, or assigns them to devices."""
        return self.plan is not None and bool(self.plan.steps)

    def on(self, problem: PlacementProblem, bound: Bound | None = None) -> Schedule:
        """The schedule for the problem of a copy of the function that is rewritten by the plan. `bound`: a lower bound
        on the makespan of any placement of that problem, if one is known."""
        placement = [node.choices[choice] for node, choice in zip(problem.nodes, self.choices, strict=True)]
        return replace(self.schedule, placement=placement, bound=bound)


@dataclass(frozen=True)
class Subject:
    """The function to plan. `options`: the pass options with which policies are run."""

    function: FuncOp
    clock: Clock
    options: Options = field(default_factory=Options)
    _times: dict[FuncOp, Simulated] = field(default_factory=dict[FuncOp, Simulated])
    _pimflow: dict[str, list[Plan]] = field(default_factory=dict[str, list[Plan]])

    @cached_property
    def laid(self) -> FuncOp:
        """A clone of the function in which slices and joins that are views are noted, so that ops have the costs that
        they will have when placed; the function itself if no views are found."""
        laid = self.function.clone()
        carry_out(laid, ())
        return self.function if str(laid) == str(self.function) else laid

    def problem(self, function: FuncOp) -> PlacementProblem:
        """The placement problem of a copy of the function, with the memory that the options allow."""
        return PlacementProblem(function, self.clock, Options(behind=self.options.behind, split=self.options.split))

    def times(self, function: FuncOp) -> Simulated:
        """Times of sets of ops of `function`, which is the function to plan or its clone `laid`; all plans for that
        function share them."""
        if function not in self._times:
            self._times[function] = Simulated(function, self.clock)
        return self._times[function]

    def pimflow(self, mode: str) -> Iterator[Plan]:
        """The plan that PIMFlow finds in a mode, by its own costs, followed by reduced versions of it: the plan without
        pipelines, then a plan with only its splits, then the empty plan."""
        known = self._pimflow.setdefault(mode, [])
        yield from known
        for plan in islice(pimflow_plans(self.function, self.clock, mode), len(known), None):
            known.append(plan)
            yield plan

    def as_is(self, name: str, problem: PlacementProblem, schedule: Schedule) -> Outcome | None:
        """The outcome of a schedule for the unmodified function, with its order or a shorter one; None if it does not
        fit memory."""
        return outcome_of(name, problem, reordered(problem, schedule))

    def outcome(
        self,
        name: str,
        plan: Plan | None,
        laid: bool,
        place: Callable[[PlacementProblem], Schedule],
        effort: float = 0.0,
    ) -> Outcome | None:
        """The outcome of a plan: the function `place` places the nodes of the rewritten function, and these run in the
        order of that schedule or a shorter one. None if the plan can't be made or does not fit memory. `effort`: the
        effort of an exact search of placement and order that starts from this schedule; 0 for no search."""
        source = self.laid if laid else self.function
        clone = source.clone()
        if plan is not None and not carry_out(clone, plan.on(source, clone)):
            return None
        problem = self.problem(clone)
        schedule = reordered(problem, place(problem))
        if effort and len(problem.nodes) <= POLISHED_NODES:
            schedule = polished(problem, schedule, effort)
        found = outcome_of(name, problem, schedule, laid, plan)
        problem.drop()
        return found

    def again(
        self,
        name: str,
        outcome: Outcome,
        change: Callable[[PlacementProblem, Schedule], Schedule],
        effort: float = 0.0,
    ) -> Outcome | None:
        """The outcome of the same plan after `change` of its placement and order."""

        def place(problem: PlacementProblem) -> Schedule:
            return change(problem, outcome.on(problem))

        return self.outcome(name, outcome.plan, outcome.laid, place, effort)

    def carry_out(self, outcome: Outcome) -> tuple[PlacementProblem, Schedule]:
        """Rewrite the function by the plan of an outcome, and place the result as in the outcome."""
        if outcome.plan is not None:
            if outcome.laid and self.laid is not self.function:
                carry_out(self.function, ())
            steps = outcome.plan.on(self.laid if outcome.laid else self.function, self.function)
            done = carry_out(self.function, steps)
            assert done, "a plan that was tried can be made"
        problem = self.problem(self.function)
        return problem, outcome.on(problem)


def outcome_of(
    name: str, problem: PlacementProblem, schedule: Schedule, laid: bool = False, plan: Plan | None = None
) -> Outcome | None:
    """The outcome of a schedule for the problem of a function that is rewritten by a plan; None if it does not fit
    memory."""
    if not problem.fits(schedule):
        return None
    choices = tuple(node.choices.index(choice) for node, choice in zip(problem.nodes, schedule.placement, strict=True))
    decided = replace(schedule, placement=(), ns=problem.ends(schedule), bound=None)
    return Outcome(name, laid, plan, choices, decided)


def improved_by_moves(problem: PlacementProblem, schedule: Schedule) -> Schedule:
    """The schedule after moving single nodes and groups of nodes as long as that shortens the makespan in program
    order."""
    return Schedule(search(problem, schedule.placement))


def in_order(problem: Problem, placement: Placement, ranks: Sequence[float] = ()) -> Schedule:
    """The schedule of a placement in the order with the shortest makespan among several orders of tasks and copies that
    fit memory; of equally short orders the first. The orders are: program order; list scheduling as in the pass
    `order`; strictly by the `ranks` of nodes; and by `ranks` among the jobs that are ready."""
    more: list[list[int]] = []
    if ranks:
        jobs, theirs = problem.jobs(placement), ranked(problem, placement, ranks)
        more = [in_rank_order([job.after for job in jobs], theirs), by_rank(jobs, theirs)]
    return reordered(problem, Schedule(placement), more)


def ranked(problem: Problem, placement: Placement, ranks: Sequence[float]) -> list[float]:
    """The ranks of the jobs of a placement, given the ranks of its nodes: a task has the rank of its node, and a copy
    that of its first consumer."""
    every = [*ranks, max(ranks, default=0.0)]
    return [every[node] for node, _ in problem.walk(placement)]


def as_expected(problem: PlacementProblem, keyed: Sequence[PlacedNode]) -> tuple[list[Choice], list[int | None]]:
    """A placement in which nodes have the choices stated in `keyed`, and for each node the index of its entry in
    `keyed`, None if it has no entry. Nodes and entries are aligned, in order, by equal keys; unaligned nodes are
    placed by local search."""
    numbers: dict[Hashable, int] = {}
    wanted = [numbers.setdefault(key, len(numbers)) for key, _ in keyed]
    met = [numbers.setdefault(node_key(node), len(numbers)) for node in problem.nodes]
    found: list[int | None] = [None] * len(met)
    for a, b, length in SequenceMatcher(None, wanted, met, autojunk=False).get_matching_blocks():
        found[b : b + length] = range(a, a + length)
    placement = settled(problem)
    given: dict[int, Choice] = {}
    for node, at in zip(problem.nodes, found, strict=True):
        choice = None if at is None else next((each for each in node.choices if each.label == keyed[at][1]), None)
        if choice is not None:
            given[node.index] = choice
    placement = [given.get(index, choice) for index, choice in enumerate(placement)]
    free = [node.index for node in problem.nodes if node.index not in given and len(node.choices) > 1]
    return descend([problem.nodes[index] for index in free], placement, problem.makespan)[0], found


def polished(problem: Problem, schedule: Schedule, effort: float = LIMITS.whole_effort) -> Schedule:
    """A schedule that is no longer than the given one: the result of an exact search that starts from it, within an
    effort. That search knows no streams, and all inputs are on the primary device; if the given schedule uses either,
    the search starts from its placement alone."""
    if not problem.nodes:
        return schedule
    plain = not schedule.streams and not schedule.input_devices
    solved = exact.solve(problem, effort, schedule if plain else Schedule(schedule.placement))
    if solved is None or not problem.fits(solved.schedule):
        return schedule
    ns = problem.ends(solved.schedule)
    return replace(solved.schedule, ns=ns) if ns < problem.ends(schedule) else schedule


def carried(problem: PlacementProblem, keyed: Sequence[PlacedNode], ranks: Sequence[float]) -> Schedule:
    """The schedule of a problem with nodes placed as stated in `keyed`, and ordered by the corresponding `ranks`; a
    node without an entry has the rank of the node before it in the program."""
    placement, where = as_expected(problem, keyed)
    mine, least = list[float](), 0.0
    for at in where:
        least = ranks[at] if at is not None else least
        mine.append(least)
    return in_order(problem, fitting(problem, placement), mine)


def fitting(problem: Problem, placement: Placement) -> list[Choice]:
    """The placement if it fits memory; otherwise a placement in which weights are moved from devices whose memory is
    exceeded to other devices."""
    return list(placement) if problem.fits(placement) else settle(problem, placement)

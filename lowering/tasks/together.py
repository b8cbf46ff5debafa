"""Placement of functions that exceed their primary device's memory, if further memory is behind it: one search decides
on devices, repeated runs and moves between memories (lowering/joint)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xdsl.dialects.func import FuncOp

from dialects.diagnostics import InputError, notes_to, working
from interp.kinds.clock import Clock
from interp.machine.memory_system import MemorySystem
from interp.simulate.events.jobs import Bound
from interp.walk.unchanged import unchanged
from lowering.instance.choice import Choice
from lowering.instance.of_program import PlacementProblem
from lowering.instance.options import Options
from lowering.instance.problem import Problem, Schedule
from lowering.joint.bound.program import LARGEST, JointRelaxation, joint_bound
from lowering.joint.carrying import carried_out
from lowering.joint.decision import Decision
from lowering.joint.search import JointSearch, decision_of
from lowering.limits import LIMITS
from lowering.optimise.overlap.kernels import can_offload
from lowering.optimise.overlap.timed import least_busy
from lowering.optimise.policies import BESIDE, POLICIES
from lowering.optimise.quick.heuristics import gpu, greedy
from lowering.optimise.search.lowest import lowest
from lowering.optimise.search.small import place_small
from lowering.solve.climbing import Budget
from lowering.tasks.loops import Placed
from lowering.tasks.placing import written
from lowering.tasks.short import Way

WHY = "load of devices, links and memories, which keeps the order of the primary device's kernels"
"""The reason of the lower bound on any plan."""
CARRIED_OUT = 4
"""The best decisions that are carried out with planned moves, at most, in a program of a hundred nodes."""

BRANCHED, BRANCHES = 40, 20
"""Nodes of a program up to which the lower bound is raised by branching, and the linear programs that this solves."""

BOUNDED = {1: 5_000, 2: 20_000, 3: LARGEST}
"""The size of the largest program for which the lower bound on all plans is solved, by the effort of the options. It
takes some seconds for a program of size 20,000, and minutes for one of size 100,000."""
EFFORTS = {1: 0.2, 2: 1.0, 3: 5.0}
"""The work of the search by the effort of the options, as a multiple of that of the default effort."""


def ways_together(function: FuncOp, clock: Clock, options: Options, described: str, until: float) -> dict[str, Way]:
    """The ways to place a function that the search finds, and those from which it starts. Each can place a clone of the
    function. `until`: the end of the search, in seconds of `monotonic`."""
    system = MemorySystem.of(clock.machine)
    assert system is not None
    options = replace(options, behind=True)
    with unchanged(), notes_to(lambda message, place: None):
        problem = PlacementProblem(function, clock, options)
        starts = dict(_starts(problem))
        bound, found = lowest(problem), _relaxed(problem, system, options.effort)
        working("one search over devices, repeated runs and moves")
        search = JointSearch(problem, system, Budget(LIMITS.relaxations * EFFORTS[options.effort], until))
        if found is not None:
            starts["as in the bound"] = search.rounded(found)
        search.best_of(starts.values())
        problem.drop()
    nearest = search.nearest(max(2, round(CARRIED_OUT / search.cost)))
    named = {f"together{f' ({number})' if number else ''}": each for number, each in enumerate(nearest)}
    named |= {f"at the start {name}": (search.least_ns(decision), decision) for name, decision in starts.items()}

    def way(decision: Decision, least_ns: float) -> Way:
        def place(trial: FuncOp) -> Placed:
            return _placed(trial, clock, options, decision, bound, described)._replace(
                whole=None if found is None else Bound(found.bound_ns, WHY)
            )

        return Way(place, least_ns)

    return {name: way(decision, ns) for name, (ns, decision) in named.items()}


def _relaxed(problem: Problem, system: MemorySystem, effort: int) -> JointRelaxation | None:
    """The relaxation of all plans; None if the problem is too large for this effort."""
    branches = BRANCHES if len(problem.nodes) <= BRANCHED else 0
    return joint_bound(problem, system, branches=branches, largest=BOUNDED[effort])


def _placed(
    function: FuncOp, clock: Clock, options: Options, decision: Decision, bound: Bound, described: str
) -> Placed:
    """Place a clone of the function for whose problem a decision was made."""
    with unchanged():
        problem = PlacementProblem(function, clock, options)
    placement = [
        next(each for each in node.choices if each.label == choice.label)
        for node, choice in zip(problem.nodes, decision.placement, strict=True)
    ]
    problem, schedule = carried_out(problem, replace(decision, placement=tuple(placement)))
    plain = not schedule.streams and not schedule.input_devices
    schedule = replace(schedule, bound=bound if plain else least_busy(problem))
    return written(problem, schedule, described, unsplit=True)


def _starts(problem: PlacementProblem) -> Iterator[tuple[str, Decision]]:
    """The decisions from which the search starts: all nodes on the primary device, and the decisions of rules, for a
    primary device of unlimited memory and for the memory that it has."""
    yield f"all on @{problem.primary}", decision_of(problem, Schedule(gpu(problem)))
    yield "as if memory were larger", decision_of(problem, place_small(problem))
    for name in BESIDE if can_offload(problem) else ():
        yield f"by {name}", decision_of(problem, Schedule.of(POLICIES[name](problem)))
    with unchanged():
        within = PlacementProblem(problem.function, problem.clock, replace(problem.options, behind=False))
    for name, rule in (("greedy", greedy), ("optimal", place_small)):
        try:
            schedule = Schedule.of(rule(within))
        except InputError:
            continue
        if within.fits(schedule):
            yield f"by {name} within the memory", _moved(decision_of(within, schedule), problem)
    within.drop()


def _moved(decision: Decision, problem: Problem) -> Decision:
    """A decision for another problem of the same function."""

    def same(number: int, choice: Choice) -> Choice:
        return next(each for each in problem.nodes[number].choices if each.label == choice.label)

    return replace(decision, placement=tuple(same(*each) for each in enumerate(decision.placement)))

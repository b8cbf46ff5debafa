"""The policy `best`: the shortest program of many plans, by the timeline of each.

1. Each op alone: on one device, or cut along any axis at the ratio that the timeline of the cut says.
2. Each run of connected ops that could gain by it: in stages, with the devices that look best, by its timeline.
3. The cheapest cover of the program by these (lowering/cover.py), stages cut between both devices where that helps.
4. The whole program under this plan, under each of PIMFlow's plans, and without a plan; and under those of its cuts and
   pipelines that help when all else may move, so that independent branches run side by side. The one that ends first
   is taken: no other policy ends earlier.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence

from xdsl.dialects.func import FuncOp

from interp.clock import Clock
from lowering.best_space import WORTH, Stages, alone, assignments, axis_of, nested, runs
from lowering.choice import Placement
from lowering.cover import Interval, cover
from lowering.heuristics import cost, search, settle
from lowering.part_costs import PartCosts
from lowering.pimflow_search import MODES, plan_pimflow
from lowering.placement import PlacementProblem
from lowering.plan import Op, Plan, Step, carry_out
from lowering.simulated import Form, Simulated, settled

TRIALS = 100
"""How many forms of runs are simulated at the most."""
FORMS = 3
"""How many forms of one run are simulated at the most."""
GROUPS = 12
"""How many groups of equal steps are tried one by one."""
FINALISTS = 2
"""How many plans are improved by moving single ops in the end."""


def place_best(function: FuncOp, clock: Clock) -> tuple[PlacementProblem, Placement]:
    """Rewrite a function by the best plan, and place it."""
    plan = best_plan(function, clock)
    done = carry_out(function, plan.steps)
    assert done, "a plan that was tried can be made"
    problem = PlacementProblem(function, clock)
    return problem, improved(problem, plan)


def best_plan(function: FuncOp, clock: Clock) -> Plan:
    """The plan under which a function ends first."""
    parts = plan_parts(function, clock)
    tried: list[tuple[float, Plan]] = []
    for plan in (*plans(function, clock), Plan("parts", parts)):
        for less in (plan, plan.cuts):  # where memory does not hold all of it, its cuts, as policy pimflow has it
            if (ns := _makespan(function, clock, less, _placed)) is not None:
                tried.append((ns, less))
                break
    tried.sort(key=lambda entry: entry[0])
    finals = [(_makespan(function, clock, plan, improved) or ns, plan) for ns, plan in tried[:FINALISTS]]
    ns, plan = min(finals, key=lambda entry: entry[0], default=(float("inf"), Plan("no plan", ())))
    return assembled(function, clock, parts, plan, ns)


def plans(function: FuncOp, clock: Clock) -> Iterator[Plan]:
    """The program as it is, and PIMFlow's plans for it."""
    yield Plan("no plan", ())
    for name, mode in MODES.items():
        yield Plan(name, plan_pimflow(function, clock, mode).all_steps)


def assembled(function: FuncOp, clock: Clock, parts: Sequence[Step], plan: Plan, ns: float) -> Plan:
    """A plan that ends at `ns`, or one that ends earlier, of cuts and pipelines alone with all other ops free to move:
    those that save most are tried first, equal ones together, and stay where the whole program then ends earlier."""
    groups: dict[Hashable, list[Step]] = defaultdict(list)
    times = Simulated(function, clock)
    for step in Plan("parts", tuple(parts)).cuts.steps:
        groups[times.signature(step.ops)].append(step)
    here = clock.machine.home
    saved = {
        key: sum(clock.op_cost(op, here).ns for step in steps for op in step.ops) - sum(step.ns for step in steps)
        for key, steps in groups.items()
    }
    found, reached = Plan("no plan", ()), float("inf")
    for key in sorted(groups, key=lambda key: -saved[key])[:GROUPS]:
        trial = Plan("assembled", (*found.steps, *groups[key]))
        end = _makespan(function, clock, trial, improved)
        if end is not None and end < reached:
            found, reached = trial, end
    return found if reached < ns else plan


def plan_parts(function: FuncOp, clock: Clock) -> tuple[Step, ...]:
    """The cheapest cover of a program by ops alone and runs in stages, each by its own timeline."""
    return parts_of(Simulated(function, clock))


def parts_of(times: Simulated) -> tuple[Step, ...]:
    """The same, with all that was timed for it left in `times`."""
    ops = times.ops
    with PartCosts(times.clock) as costs:
        costs.prepare(ops)
        equal: dict[Hashable, tuple[Form, float]] = {}
        for op in ops:
            if (key := times.signature((op,))) not in equal:
                equal[key] = alone(times, costs, op)
        single = [equal[times.signature((op,))] for op in ops]
        joint = _runs(times, costs, [ns for _, ns in single])
    chosen = cover([ns for _, ns in single], {run: ns for run, (_, ns) in joint.items()})[1]
    steps: list[Step] = []
    for start, length in chosen:
        mine = ops[start : start + length]
        form, ns = single[start] if length == 1 else _refined(times, costs, mine, joint[start, length])
        steps.append(form.step(mine, ns))
    return tuple(steps)


def _runs(times: Simulated, costs: PartCosts, single: Sequence[float]) -> dict[Interval, tuple[Form, float]]:
    """The best form of each run that takes less time than its ops alone; those that promise most come first."""
    promising: list[tuple[float, Interval, Form]] = []
    stages = Stages(costs)
    for start, length in runs(times.ops):
        mine = times.ops[start : start + length]
        axis, known = axis_of(mine[-1]), sum(single[start : start + length])
        if axis is not None:
            ways = assignments(stages, mine, axis, WORTH * known)[:FORMS]
            promising += [(ns - known, (start, length), form) for ns, form in ways]
    found: dict[Interval, tuple[Form, float]] = {}
    last = times.timed + TRIALS
    for _, (start, length), form in sorted(promising, key=lambda entry: entry[:2]):
        if times.timed >= last:
            break
        ns = times.ns(times.ops[start : start + length], form)
        known = found[start, length][1] if (start, length) in found else sum(single[start : start + length])
        if ns is not None and ns < known:
            found[start, length] = form, ns
    return found


def _refined(times: Simulated, costs: PartCosts, ops: Sequence[Op], best: tuple[Form, float]) -> tuple[Form, float]:
    """A pipeline with stages cut between both devices, where that helps."""
    if costs.pim is not None:
        for form in nested(best[0], costs.home, costs.pim):
            ns = times.ns(ops, form)
            if ns is not None and ns < best[1]:
                best = form, ns
    return best


def _makespan(
    function: FuncOp, clock: Clock, plan: Plan, policy: Callable[[PlacementProblem, Plan], Placement]
) -> float | None:
    """When the program ends under a plan; None where a step can't be made or memory does not hold it."""
    clone = function.clone()
    if not carry_out(clone, plan.on(function, clone)):
        return None
    problem = PlacementProblem(clone, clock)
    placement = policy(problem, plan)
    ns = None if problem.overfull(placement) else problem.makespan(placement)
    problem.drop()
    return ns


def _placed(problem: PlacementProblem, plan: Plan) -> Placement:
    return settle(problem, settled(problem)) if plan.steps else cost(problem)


def improved(problem: PlacementProblem, plan: Plan) -> Placement:
    """With single ops moved while the program ends earlier."""
    return search(problem, _placed(problem, plan))

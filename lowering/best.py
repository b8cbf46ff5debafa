"""The policy `best`: the shortest program of many plans, by the timeline of each.

1. Each op alone: on one device, or cut along any axis at the ratio that the timeline of the cut says.
2. Each run of connected ops that could gain by it: in stages, with the devices that look best, by its timeline.
3. The cheapest cover of the program by these (lowering/cover.py), stages cut between both devices where that helps.
4. The whole program under this plan, under it with whole ops free to move, under each of PIMFlow's plans, and without a
   plan; the one that ends first is taken, so that no other policy ends earlier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xdsl.dialects.func import FuncOp

from interp.clock import Clock
from lowering.best_space import WORTH, alone, assignments, axis_of, nested, pipelines, runs
from lowering.choice import Placement
from lowering.cover import Interval, cover
from lowering.part_costs import PartCosts
from lowering.pimflow_search import MODES, plan_pimflow
from lowering.placement import PlacementProblem
from lowering.plan import Op, Plan, Step, carry_out
from lowering.policies import cost, search, settle
from lowering.simulated import Form, Simulated, settled

TRIALS = 400
"""How many forms of runs are simulated at the most."""
ASSIGNMENTS = 2
"""How many ways to give a run's ops to devices are simulated."""
FINALISTS = 2
"""How many plans are improved by moving single ops in the end."""


def place_best(function: FuncOp, clock: Clock) -> tuple[PlacementProblem, Placement]:
    """Rewrite a function by the best plan, and place it."""
    ranked: list[tuple[float, int, Plan]] = []
    for number, plan in enumerate(plans(function, clock)):
        ns = _makespan(function, clock, plan, _placed)
        if ns is not None:
            ranked.append((ns, number, plan))
    finals: list[tuple[float, int, Plan]] = []
    for _, number, plan in sorted(ranked, key=lambda entry: entry[:2])[:FINALISTS]:
        ns = _makespan(function, clock, plan, _improved)
        finals.append((float("inf") if ns is None else ns, number, plan))
    plan = min(finals, key=lambda entry: entry[:2])[2] if finals else Plan("no plan", ())
    done = carry_out(function, plan.steps)
    assert done, "a plan that was tried can be made"
    problem = PlacementProblem(function, clock)
    return problem, _improved(problem, plan)


def plans(function: FuncOp, clock: Clock) -> Iterator[Plan]:
    """All plans of whole programs that are compared."""
    yield Plan("no plan", ())
    for name, mode in MODES.items():
        yield Plan(name, plan_pimflow(function, clock, mode).all_steps)
    steps = plan_parts(function, clock)
    yield Plan("parts", steps)
    yield Plan("parts, others free", tuple(step for step in steps if step.kind in ("split", "pipeline")))


def plan_parts(function: FuncOp, clock: Clock) -> tuple[Step, ...]:
    """The cheapest cover of a program by ops alone and runs in stages, each by its own timeline."""
    times = Simulated(function, clock)
    ops = times.ops
    with PartCosts(clock) as costs:
        costs.prepare(ops)
        single = [alone(times, costs, op) for op in ops]
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
    promising: list[tuple[float, Interval, list[tuple[str, ...]], int]] = []
    for start, length in runs(times.ops):
        mine = times.ops[start : start + length]
        axis, known = axis_of(mine[-1]), sum(single[start : start + length])
        ways = assignments(costs, mine, axis, WORTH * known) if axis is not None else []
        if ways and axis is not None:
            devices = [devices for _, devices in ways[:ASSIGNMENTS]]
            promising.append((known - ways[0][0], (start, length), devices, axis))
    found: dict[Interval, tuple[Form, float]] = {}
    last = times.timed + TRIALS
    for _, (start, length), ways, axis in sorted(promising, key=lambda entry: (-entry[0], entry[1])):
        if times.timed >= last:
            break
        known = sum(single[start : start + length])
        best = _best_form(times, times.ops[start : start + length], ways, axis)
        if best is not None and best[1] < known:
            found[start, length] = best
    return found


def _best_form(
    times: Simulated, ops: Sequence[Op], ways: Sequence[tuple[str, ...]], axis: int
) -> tuple[Form, float] | None:
    """A run's best assignment and number of stages: more of these as long as that helps."""
    best: tuple[Form, float] | None = None
    for devices in ways:
        before = float("inf")
        for form in pipelines(devices, axis):
            ns = times.ns(ops, form)
            if ns is None or ns >= before:
                break
            before = ns
            if best is None or ns < best[1]:
                best = form, ns
    return best


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


def _improved(problem: PlacementProblem, plan: Plan) -> Placement:
    """With single ops moved while the program ends earlier."""
    return search(problem, _placed(problem, plan))

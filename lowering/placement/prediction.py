"""Notes of `place` on its plan for reports: the expected makespan, and a bound on any placement."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.func import FuncOp

from dialects.task import PlanAttr, PublishedAttr
from interp.cost.clock import Clock
from interp.schedule.jobs import Bound
from lowering.graph.rewriting import set_attribute
from lowering.placement.baseline import digest
from lowering.placement.bounds.makespan import lowest
from lowering.placement.problem import Problem, Published, Schedule

ATTRIBUTE, PUBLISHED = "task.plan", "task.published"


@dataclass(frozen=True)
class Prediction:
    """A plan as its policy saw it. `policy` with its options; `ns`: when the program ends; `bound`: no placement of its
    ops ends earlier, where that is known. `published`: what it comes to in that accounting, where the policy counts by
    it."""

    policy: str
    ns: float
    bound: Bound | None = None
    published: Published | None = None


def prediction_of(problem: Problem, schedule: Schedule, policy: str, whole: bool) -> Prediction:
    """The prediction of a schedule. `whole`: it places the program's ops as they are, so that a bound on all placements
    of these is one for it; what a policy has cut before, and given to devices, may end earlier. So may what streams or
    what lies elsewhere from the start."""
    ns = problem.ends(schedule)
    bound = schedule.bound or (lowest(problem) if whole and not schedule.streams and not schedule.lies else None)
    if bound is None:
        return Prediction(policy, ns, None, schedule.published)
    bound = Bound(min(bound.ns, ns), bound.because)  # sums may differ in their last digits
    return Prediction(policy, ns, bound, schedule.published)


def write_prediction(function: FuncOp, clock: Clock, prediction: Prediction) -> None:
    """Note a prediction on a placed function, with a mark of the machine that it holds for."""
    bound = prediction.bound or Bound(0.0, "")
    machine = digest(clock.machine)
    plan = PlanAttr.of(prediction.policy, prediction.ns, bound.ns, bound.because, machine)
    set_attribute(function, ATTRIBUTE, plan)
    published = prediction.published
    set_attribute(function, PUBLISHED, None if published is None else PublishedAttr.of(*published, machine))


def read_prediction(function: FuncOp, clock: Clock) -> Prediction | None:
    """The prediction that stands on a function; None where there is none, or it was written for another machine."""
    noted, machine = function.attributes.get(ATTRIBUTE), digest(clock.machine)
    if not isinstance(noted, PlanAttr) or noted.machine.data != machine:
        return None
    ns, bound = noted.ns.value.data, noted.bound.value.data
    counted = function.attributes.get(PUBLISHED)
    published: Published | None = None
    if isinstance(counted, PublishedAttr) and counted.machine.data == machine:
        published = Published(*(each.value.data for each in (counted.ns, counted.alone, counted.bound)))
    return Prediction(noted.policy.data, ns, Bound(bound, noted.because.data) if bound else None, published)

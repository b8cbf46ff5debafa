"""What `place` notes of its plan for readers: when the program should end, and what no placement can beat."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.func import FuncOp

from dialects.task import PlanAttr
from interp.cost.clock import Clock
from interp.schedule.jobs import Bound
from lowering.graph.rewriting import set_attribute
from lowering.placement.baseline import digest
from lowering.placement.bounds.makespan import lowest
from lowering.placement.problem import Problem, Schedule

ATTRIBUTE = "task.plan"


@dataclass(frozen=True)
class Prediction:
    """A plan as its policy saw it. `policy` with its options; `ns`: when the program ends; `bound`: no placement of its
    ops ends earlier, where that is known."""

    policy: str
    ns: float
    bound: Bound | None = None


def prediction_of(problem: Problem, schedule: Schedule, policy: str, whole: bool) -> Prediction:
    """What a schedule comes to. `whole`: it places the program's ops as they are, so that a bound on all placements of
    these is one for it; what a policy has cut before, and given to devices, may end earlier. So may what streams or
    what lies elsewhere from the start."""
    ns = problem.ends(schedule)
    bound = schedule.bound or (lowest(problem) if whole and not schedule.streams and not schedule.lies else None)
    if bound is None:
        return Prediction(policy, ns)
    return Prediction(policy, ns, Bound(min(bound.ns, ns), bound.because))  # sums may differ in their last digits


def write_prediction(function: FuncOp, clock: Clock, prediction: Prediction) -> None:
    """Note a prediction on a placed function, with a mark of the machine that it holds for."""
    bound = prediction.bound or Bound(0.0, "")
    plan = PlanAttr.of(prediction.policy, prediction.ns, bound.ns, bound.because, digest(clock.machine))
    set_attribute(function, ATTRIBUTE, plan)


def read_prediction(function: FuncOp, clock: Clock) -> Prediction | None:
    """The prediction that stands on a function; None where there is none, or it was written for another machine."""
    noted = function.attributes.get(ATTRIBUTE)
    if not isinstance(noted, PlanAttr) or noted.machine.data != digest(clock.machine):
        return None
    ns, bound = noted.ns.value.data, noted.bound.value.data
    return Prediction(noted.policy.data, ns, Bound(bound, noted.because.data) if bound else None)

"""Policies that split ops before placement: into shards for several devices, and into pipeline stages that overlap.

They complement the policies of lowering/optimise/policies.py, which place ops unpartitioned. They need a processor as
the primary device and another device linked with it; PIMFlow's policies need a PIM as that device. If the primary
device is a PIM itself, ops are placed unpartitioned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from xdsl.dialects.func import FuncOp

from dialects.diagnostics import note
from interp.kinds.clock import Clock
from lowering.instance.choice import Placement
from lowering.instance.of_program import PlacementProblem
from lowering.instance.options import Options
from lowering.instance.problem import Schedule
from lowering.optimise.policies import POLICIES
from lowering.partition.best.policy import place_best
from lowering.partition.pimflow.search import pimflow_plans
from lowering.partition.plans.part_costs import linked_pims, plans_for
from lowering.partition.plans.plan import Plan, carry_out
from lowering.partition.plans.simulated import as_marked

Planner: TypeAlias = Callable[[FuncOp, Clock, Options], tuple[PlacementProblem, Placement | Schedule]]
"""A policy that rewrites a function (argument: the options of the pass) and places the result, optionally with an
order."""


def pimflow(function: FuncOp, clock: Clock, options: Options) -> tuple[PlacementProblem, Placement]:
    """The plan that PIMFlow finds by its own costs. If it can't be made or does not fit memory, it is reduced: first to
    a plan without pipelines, then to a plan with only its splits, then to the empty plan; ops without a step are
    placed freely."""
    if not linked_pims(clock):
        note(f"no op is split, and policy cost is used instead: {_lack(clock, 'PIM')}", function)
        problem = PlacementProblem(function, clock, options)
        return problem, Schedule.of(POLICIES["cost"](problem)).placement
    plan = next(
        (plan for plan in pimflow_plans(function, clock, options.mode) if _fits(function, clock, plan)), Plan("", ())
    )
    carry_out(function, plan.steps)
    problem = PlacementProblem(function, clock)
    return problem, as_marked(problem).placement


def _fits(function: FuncOp, clock: Clock, plan: Plan) -> bool:
    """True if a plan can be made and fits memory."""
    clone = function.clone()
    if not carry_out(clone, plan.on(function, clone)):
        return False
    problem = PlacementProblem(clone, clock)
    fits = problem.fits(as_marked(problem))
    problem.drop()
    return fits


def best(function: FuncOp, clock: Clock, options: Options) -> tuple[PlacementProblem, Schedule]:
    """The plan with the shortest makespan among the plans of all other policies and of a larger space of plans; see
    lowering/partition/best/policy.py."""
    _note_unpartitioned_ops(function, clock)
    return place_best(function, clock, options)


def joint(function: FuncOp, clock: Clock, options: Options) -> tuple[PlacementProblem, Schedule]:
    """The plan that one search over placement, splits, pipelines and order finds; it is never slower than the plans of
    sequential decisions or of `best`."""
    _note_unpartitioned_ops(function, clock)
    if not plans_for(clock):
        return place_best(function, clock, options)
    from lowering.partition.joint.policy import place_joint

    return place_joint(function, clock, options)


def _note_unpartitioned_ops(function: FuncOp, clock: Clock) -> None:
    if not plans_for(clock):
        lack = _lack(clock, "other device")
        note(f"no op is split, and the fastest plan of the other policies is used: {lack}", function)


def _lack(clock: Clock, lacking: str) -> str:
    """The reason why no plan can be made for the machine."""
    primary = clock.machine.primary
    record = clock.machine.devices[primary]
    return f"@{primary} ({record.name}) {f'is linked with no {lacking}' if record.runs_all else 'is no processor'}"


PLANNERS: dict[str, Planner] = {"pimflow": pimflow, "best": best, "joint": joint}

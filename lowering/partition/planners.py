"""Policies that may split ops before placement: into shards for several devices, and into pipeline stages that overlap.

They complement the policies of lowering/optimise/policies.py, which place ops unpartitioned. Ops are split if the
primary device is a processor and another device is linked with it; for PIMFlow's plans, that device must be a PIM.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from xdsl.dialects.func import FuncOp

from dialects.diagnostics import InputError, note
from dialects.launching import LaunchingOp
from interp.kinds.clock import Clock
from lowering.instance.of_program import PlacementProblem
from lowering.partition.certificate import certificate
from lowering.partition.pimflow.search import pimflow_plans
from lowering.partition.plans.part_costs import linked_pims
from lowering.partition.plans.plan import Plan, carry_out
from lowering.partition.plans.simulated import as_marked
from lowering.partition.search.planning import Planned, place_optimal

Planner: TypeAlias = Callable[[PlacementProblem], Planned]
"""A policy that decides on the problem of a function, and may rewrite the function before."""


def pimflow(problem: PlacementProblem) -> Planned:
    """The plan that PIMFlow finds by its own costs. If it can't be made or does not fit memory, it is reduced: first to
    a plan without pipelines, then to a plan with only its splits, then to the empty plan; ops without a step are
    placed freely."""
    function, clock = problem.function, problem.clock
    if launch := next((node.op for node in problem.nodes if isinstance(node.op, LaunchingOp)), None):
        raise InputError(
            f"{launch.name}: policy pimflow splits ops, and a launched kernel cannot be split; name another policy "
            "(place{policy=optimal})",
            launch,
        )
    split_bound = certificate(function, clock)
    if not linked_pims(clock):
        note(f"no op is split, and policy optimal is used instead, with effort=1: {_lack(clock)}", function)
        problem.options = replace(problem.options, effort=1)
        return place_optimal(problem)._replace(split_bound=split_bound)
    plan = next(
        (plan for plan in pimflow_plans(function, clock, problem.options.mode) if _fits(function, clock, plan)),
        Plan("", ()),
    )
    problem.drop()
    carry_out(function, plan.steps)
    problem = PlacementProblem(function, clock)
    return Planned(problem, as_marked(problem), split_bound)


def _fits(function: FuncOp, clock: Clock, plan: Plan) -> bool:
    """True if a plan can be made and fits memory."""
    clone = function.clone()
    if not carry_out(clone, plan.on(function, clone)):
        return False
    problem = PlacementProblem(clone, clock)
    fits = problem.fits(as_marked(problem))
    problem.drop()
    return fits


def _lack(clock: Clock) -> str:
    """The reason why no plan of PIMFlow can be made for the machine."""
    primary = clock.machine.primary
    record = clock.machine.devices[primary]
    return f"@{primary} ({record.name}) {'is linked with no PIM' if record.runs_all else 'is no processor'}"


def optimal(problem: PlacementProblem) -> Planned:
    """The plan with the shortest makespan that the effort of the options finds, with devices, queues and links in
    parallel, and with ops split and pipelined (lowering/partition/search/planning.py)."""
    return place_optimal(problem)


PLANNERS: dict[str, Planner] = {"pimflow": pimflow, "optimal": optimal}

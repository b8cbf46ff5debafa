"""Policies that cut a program before they place it: in parts for several devices, and in stages that overlap.

They stand beside the policies of lowering/policies.py, which place each op whole. Plans are for a processor at home
with a PIM beside it: where home is a PIM itself, ops are placed whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

from xdsl.dialects.func import FuncOp

from dialects.diagnostics import note
from interp.clock import Clock
from interp.sheet import Pim
from lowering.best import place_best
from lowering.choice import Placement
from lowering.heuristics import cost, settle
from lowering.part_costs import plans_for
from lowering.pimflow_search import MODES, plan_pimflow
from lowering.placement import PlacementProblem
from lowering.plan import Plan, carry_out
from lowering.problem import Schedule
from lowering.simulated import settled

Planner: TypeAlias = Callable[[FuncOp, Clock, str], tuple[PlacementProblem, Placement | Schedule]]
"""Rewrites a function (with the mode that the pass was given) and places what results, in an order if it likes."""


def pimflow(function: FuncOp, clock: Clock, mode: str) -> tuple[PlacementProblem, Placement]:
    """The plan that PIMFlow finds, by its own costs; where that can't be made, or memory does not hold it, less of
    it: without pipelines, then its cuts alone, then none, with all else where it finds room."""
    if not plans_for(clock):
        return _whole(function, clock)
    plan = next((plan for plan in _less_and_less(function, clock, mode) if _fits(function, clock, plan)), Plan("", ()))
    carry_out(function, plan.steps)
    problem = PlacementProblem(function, clock)
    return problem, settle(problem, settled(problem))


def _less_and_less(function: FuncOp, clock: Clock, mode: str) -> Iterator[Plan]:
    plan = Plan(mode, plan_pimflow(function, clock, MODES[mode]).all_steps)
    yield plan
    yield Plan(mode, plan_pimflow(function, clock, replace(MODES[mode], pipelines=False)).all_steps)
    yield plan.cuts


def _fits(function: FuncOp, clock: Clock, plan: Plan) -> bool:
    """Whether a plan can be made and memory holds it."""
    clone = function.clone()
    if not carry_out(clone, plan.on(function, clone)):
        return False
    problem = PlacementProblem(clone, clock)
    fits = not problem.overfull(settle(problem, settled(problem)))
    problem.drop()
    return fits


def best(function: FuncOp, clock: Clock, _: str) -> tuple[PlacementProblem, Placement]:
    """The plan of a larger space that ends first, PIMFlow's among them."""
    return place_best(function, clock) if plans_for(clock) else _whole(function, clock)


def joint(function: FuncOp, clock: Clock, _: str) -> tuple[PlacementProblem, Placement | Schedule]:
    """Places, cuts, pipelines and their order decided together; never later than one after another, nor than `best`."""
    if not plans_for(clock):
        return _whole(function, clock)
    from lowering.joint import place_joint

    return place_joint(function, clock)


def _whole(function: FuncOp, clock: Clock) -> tuple[PlacementProblem, Placement]:
    """Where there is nothing to plan with, which is said."""
    home = clock.machine.home
    record = clock.machine.devices[home]
    lacks = "is no processor" if isinstance(record, Pim) else "is linked with no PIM"
    note(f"no op is cut, and place takes policy cost: @{home} ({record.name}) {lacks}", function)
    problem = PlacementProblem(function, clock)
    return problem, cost(problem)


PLANNERS: dict[str, Planner] = {"pimflow": pimflow, "best": best, "joint": joint}

"""Policies that cut a program before they place it: in parts for several devices, and in stages that overlap.

They stand beside the policies of lowering/policies.py, which place each op whole. Plans are for a processor at home
with a PIM beside it: where home is a PIM itself, ops are placed whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from xdsl.dialects.func import FuncOp

from interp.clock import Clock
from lowering.best import place_best
from lowering.choice import Placement
from lowering.part_costs import plans_for
from lowering.pimflow_search import MODES, plan_pimflow
from lowering.placement import PlacementProblem
from lowering.plan import Plan, can_be_made, carry_out
from lowering.policies import cost, settle
from lowering.simulated import settled

Planner: TypeAlias = Callable[[FuncOp, Clock, str], tuple[PlacementProblem, Placement]]
"""Rewrites a function (with the mode that the pass was given) and places what results."""


def pimflow(function: FuncOp, clock: Clock, mode: str) -> tuple[PlacementProblem, Placement]:
    """The plan that PIMFlow finds, by its own costs."""
    if not plans_for(clock):
        return _whole(function, clock)
    plan = Plan(mode, plan_pimflow(function, clock, MODES[mode]).all_steps)
    if not can_be_made(function, plan):
        plan = Plan(mode, plan_pimflow(function, clock, replace(MODES[mode], pipelines=False)).all_steps)
    carry_out(function, plan.steps)
    problem = PlacementProblem(function, clock)
    return problem, settle(problem, settled(problem))


def best(function: FuncOp, clock: Clock, _: str) -> tuple[PlacementProblem, Placement]:
    """The plan of a larger space that ends first, PIMFlow's among them."""
    return place_best(function, clock) if plans_for(clock) else _whole(function, clock)


def _whole(function: FuncOp, clock: Clock) -> tuple[PlacementProblem, Placement]:
    problem = PlacementProblem(function, clock)
    return problem, cost(problem)


PLANNERS: dict[str, Planner] = {"pimflow": pimflow, "best": best}

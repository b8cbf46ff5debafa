"""The answer of `-t profile-plan`: the fewest profiling runs that measure every cost that a placement may need."""

from __future__ import annotations

from dataclasses import dataclass

from lowering.placement.graph import title_of
from lowering.profiling.plan import Figure, RunPlan


@dataclass(frozen=True)
class PlannedNode:
    """An op of the program."""

    index: int
    """Its number in program order."""
    op: str
    place: str
    """The line of the program that it comes from."""
    view: bool
    """True if it takes no time, since its result is a view of its operand."""
    choices: tuple[str, ...]
    """The devices, or splits over several, that can run it."""


@dataclass(frozen=True)
class MeasuredNode:
    """An op on a device, whose time a run measures."""

    index: int
    choice: str


@dataclass(frozen=True)
class MeasuredCopy:
    """A copy whose time a run measures."""

    value: int
    """The number of the value."""
    maker: int | None
    """The op that makes the value; null for an argument."""
    bytes: int
    source: str
    target: str


@dataclass(frozen=True)
class PlannedRun:
    """One profiling run."""

    kind: str
    """What it measures: nodes, copies or both."""
    placement: tuple[str, ...]
    """The choice of each op, in program order."""
    nodes: tuple[MeasuredNode, ...]
    """The ops that no run before it measures on that device."""
    copies: tuple[MeasuredCopy, ...]
    """The copies that no run before it measures."""


@dataclass(frozen=True)
class ProfilePlanAnswer:
    """The runs, and the reasons for their number."""

    function: str
    primary: str
    devices: tuple[str, ...]
    memories: tuple[tuple[str, ...], ...]
    """The devices by the memory that they share."""
    symmetric: bool
    """True if a copy takes as long in both directions, so that one measurement holds for both."""
    measured_times: int
    """The number of times of ops on devices that the runs measure."""
    measured_copies: int
    described: str
    """The numbers of runs in words."""
    least_nodes: Figure
    """The least number of runs for all times of ops."""
    least_copies: Figure
    """The least number of further runs for all copies."""
    least_together: Figure
    """The least number of runs that measure both at once."""
    nodes: tuple[PlannedNode, ...]
    runs: tuple[PlannedRun, ...]


def profile_plan_data(plan: RunPlan, function: str) -> ProfilePlanAnswer:
    """A plan as plain data. `function`: the name of the profiled function."""
    problem = plan.problem
    nodes = (
        PlannedNode(node.index, *title_of(node), node.view, tuple(choice.label for choice in node.choices))
        for node in problem.nodes
    )
    runs = (
        PlannedRun(
            run.kind,
            run.labels,
            tuple(MeasuredNode(index, run.labels[index]) for index in run.nodes),
            tuple(
                MeasuredCopy(value, problem.producer.get(value), problem.bytes_of(value), source, target)
                for value, source, target in run.copies
            ),
        )
        for run in plan.runs
    )
    return ProfilePlanAnswer(
        function,
        problem.primary,
        tuple(problem.devices),
        tuple(tuple(group) for group in plan.memories.groups()),
        plan.memories.symmetric,
        *plan.measured,
        plan.described(),
        plan.nodes,
        plan.copies,
        plan.together,
        tuple(nodes),
        tuple(runs),
    )

"""The answer of `-t profile-plan`: the fewest profiling runs that measure every cost that a placement may need."""

from __future__ import annotations

from dataclasses import dataclass

from lowering.instance.placement_graph import title_of
from lowering.profiling.plan import Figure, RunPlan


@dataclass(frozen=True)
class PlannedNode:
    """An op of the program."""

    index: int
    """The op's number in program order."""
    op: str
    place: str
    """The line of the program that the op comes from."""
    view: bool
    """True if the op takes no time, since its result is a view of its operand."""
    choices: tuple[str, ...]
    """The devices, and splits over several devices, that can run the op."""


@dataclass(frozen=True)
class MeasuredNode:
    """An op and a device, on which a run measures the op's time."""

    index: int
    choice: str


@dataclass(frozen=True)
class MeasuredCopy:
    """A copy whose time a run measures."""

    value: int
    """The number of the copied value."""
    maker: int | None
    """The number of the op that computes the value; null for an argument of the program."""
    bytes: int
    source: str
    target: str


@dataclass(frozen=True)
class PlannedRun:
    """One profiling run."""

    kind: str
    """The measured costs: `nodes` (times of ops), `copies` or `both`."""
    placement: tuple[str, ...]
    """The device or split on which this run executes each op, in program order."""
    nodes: tuple[MeasuredNode, ...]
    """The ops that this run is the first to execute on their device."""
    copies: tuple[MeasuredCopy, ...]
    """The copies that this run is the first to make."""


@dataclass(frozen=True)
class ProfilePlanAnswer:
    """The profiling runs, and the reasons why fewer do not suffice."""

    function: str
    primary: str
    devices: tuple[str, ...]
    memories: tuple[tuple[str, ...], ...]
    """Groups of devices; the devices of a group share one memory."""
    symmetric: bool
    """True if a copy takes as long in both directions, so that one measurement holds for both."""
    measured_times: int
    """The number of pairs of an op and a device whose times the runs measure."""
    measured_copies: int
    described: str
    """A sentence with the numbers of runs."""
    least_nodes: Figure
    """The least number of runs that measure all times of ops."""
    least_copies: Figure
    """The least number of further runs that measure all remaining copies."""
    least_together: Figure
    """The least number of runs that measure all times of ops and all copies."""
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

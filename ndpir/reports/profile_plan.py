"""`-t profile-plan`: the fewest profiling runs that measure every cost that placing a program may need."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from dialects.text.columns import table
from interp.figures import count
from lowering.instance.placement_graph import title_of
from lowering.profiling.plan import Figure, RunPlan, profile_plan
from ndpir.reports.placement_graph import problem_of
from ndpir.reports.target import AnswerTarget


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


@dataclass(frozen=True)
class ProfilePlanTarget(AnswerTarget[ProfilePlanAnswer]):
    """The fewest profiling runs for a program of graph ops on a machine. Each run places every op. Together the runs
    execute each op on each device that can run it, and make each copy that any placement may need. Runs for ops come
    first, one per device; ops that the device can't run are on the primary device. Runs for the remaining copies
    follow. The lines `nodes`, `copies` and `together` give the reason for the least number of runs.

    `together`: measure ops and copies in the same runs, which may need fewer runs. `symmetric`: true if a copy takes as
    long in both directions, so that only one direction is measured; default: derived from the links. `json`: the plan
    as JSON, which ndp-profile reads. `limit`: the largest number of ops for which placements are listed op by op (0: no
    limit). `entry`: the function; default: `main`, or else the first function.
    """

    name: ClassVar[str] = "profile-plan"
    together: bool = False
    symmetric: bool | None = None
    limit: int = 40
    entry: str | None = None

    def __post_init__(self) -> None:
        if self.limit < 0:
            raise ValueError(f"`limit` of profile-plan is a number of ops from 0 (no limit) on, not {self.limit}")

    def answer(self, module: ModuleOp) -> ProfilePlanAnswer:
        problem = problem_of(module, self.entry, self.name)
        plan = profile_plan(problem, self.together, self.symmetric)
        found = profile_plan_data(plan, problem.function.sym_name.data)
        problem.drop()
        return found

    def text(self, answer: ProfilePlanAnswer) -> str:
        return plan_text(answer, self.limit)


def plan_text(plan: ProfilePlanAnswer, limit: int = 0) -> str:
    """The plan as text: the numbers of op times and of copies to measure, the least numbers of runs with reasons, and
    the runs."""
    where = " and ".join(f"{'|'.join(f'@{each}' for each in group)}" for group in plan.memories)
    ways = "each in one direction" if plan.symmetric else "each direction by itself"
    timed = sum(not node.view for node in plan.nodes)
    lines = [
        f"measured   {count(plan.measured_times, 'time')} of {count(timed, 'op')} on devices that can run them, "
        f"{count(plan.measured_copies, 'copy')} between memories ({ways})",
        f"memories   {where}",
        f"runs       {plan.described}",
        f"nodes      {_why(plan.least_nodes)}",
        f"copies     {_why(plan.least_copies)}",
        f"together   {_why(plan.least_together)}",
        "",
        _runs_table(plan).rstrip("\n"),
    ]
    if not limit or len(plan.nodes) <= limit:
        rows = [
            (str(node.index), node.op, node.place, *(run.placement[node.index] for run in plan.runs))
            for node in plan.nodes
        ]
        header = ("#", "op", "source", *(f"run {number}" for number, _ in enumerate(plan.runs, 1)))
        lines += ["", table(header, rows, left=tuple(range(1, len(header)))).rstrip("\n")]
    return "\n".join(lines) + "\n"


def _why(figure: Figure) -> str:
    if figure.runs == figure.least:
        return f"{figure.least}, and no fewer: {figure.proof}"
    return f"between {figure.least} and {figure.runs}: {figure.proof}; {figure.runs} runs suffice"


def _runs_table(plan: ProfilePlanAnswer) -> str:
    """A table with one row per run: the number of op times and the number of copies that the run is the first to
    measure, and the number of ops that it executes on each device."""
    labels = list(dict.fromkeys(choice for node in plan.nodes for choice in node.choices))
    rows: list[tuple[str, ...]] = []
    for number, run in enumerate(plan.runs, 1):
        placed = Counter(run.placement)
        here = (str(placed[label]) for label in labels)
        rows.append((str(number), run.kind, str(len(run.nodes)), str(len(run.copies)), *here))
    header = ("run", "for", "new times", "new copies", *(f"ops on {label}" for label in labels))
    return table(header, rows, left=(1,))

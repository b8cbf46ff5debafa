"""`-t profile-plan`: the fewest profiling runs that measure every cost that placing a program may need."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from interp.figures import count, table
from lowering.placement.graph import title_of
from lowering.placement.problem import Problem
from lowering.profiling.plan import Figure, RunPlan, profile_plan
from ndpir.targets.placement_graph import problem_of

FORMAT = "ndpir-profile-plan-1"


@dataclass(frozen=True)
class ProfilePlanTarget(Target):
    """The fewest profiling runs for a program of graph ops on a machine. Each run places every op. Together the runs
    execute each op on each device that can run it, and make each copy that some placement may need. Runs for ops come
    first, one per device; ops that the device can't run are on the primary device. Runs for the remaining copies
    follow. The lines `nodes`, `copies` and `together` give the reason for the least number of runs.

    `together`: measure ops and copies in the same runs, which may need fewer runs. `symmetric`: true if a copy takes as
    long in both directions, so that only one is measured; default: derived from the links. `json`: the plan in the
    format `ndpir-profile-plan-1`, for ndp-profile. `limit`: the largest number of ops for which placements are listed
    op by op (0: no limit). `entry`: the function; default: `main`, or the first one.
    """

    name: ClassVar[str] = "profile-plan"
    NEEDS_MACHINE: ClassVar[bool] = True
    together: bool = False
    symmetric: bool | None = None
    json: bool = False
    limit: int = 40
    entry: str | None = None

    def __post_init__(self) -> None:
        if self.limit < 0:
            raise ValueError(f"`limit` of profile-plan is a number of ops from 0 (no limit) on, not {self.limit}")

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        problem = problem_of(module, self.entry, self.name)
        plan = profile_plan(problem, self.together, self.symmetric)
        if self.json:
            json.dump(plan_json(plan, problem.function.sym_name.data), output, indent=1)
            output.write("\n")
        else:
            output.write(plan_text(plan, self.limit))
        problem.drop()


def plan_text(plan: RunPlan, limit: int = 0) -> str:
    """The plan as text: numbers of measured times and copies, the least numbers of runs with reasons, and the runs."""
    problem = plan.problem
    nodes, copies = plan.measured
    memories = plan.memories.groups()
    where = " and ".join(f"{'|'.join(f'@{each}' for each in group)}" for group in memories)
    ways = "each in one direction" if plan.memories.symmetric else "each direction by itself"
    lines = [
        f"measured   {count(nodes, 'time')} of {count(_timed(problem), 'op')} on devices that can run them, "
        f"{count(copies, 'copy')} between memories ({ways})",
        f"memories   {where}",
        f"runs       {plan.described()}",
        *(f"{name:10} {_why(figure)}" for name, figure in _figures(plan)),
        "",
        _runs_table(plan).rstrip("\n"),
    ]
    if not limit or len(problem.nodes) <= limit:
        rows = [
            (str(node.index), *title_of(node), *(run.labels[node.index] for run in plan.runs)) for node in problem.nodes
        ]
        header = ("#", "op", "source", *(f"run {number}" for number, _ in enumerate(plan.runs, 1)))
        lines += ["", table(header, rows, left=tuple(range(1, len(header)))).rstrip("\n")]
    return "\n".join(lines) + "\n"


def _timed(problem: Problem) -> int:
    return sum(not node.view for node in problem.nodes)


def _figures(plan: RunPlan) -> Iterator[tuple[str, Figure]]:
    yield "nodes", plan.nodes
    yield "copies", plan.copies
    yield "together", plan.together


def _why(figure: Figure) -> str:
    if figure.runs == figure.least:
        return f"{figure.least}, and no fewer: {figure.proof}"
    return f"between {figure.least} and {figure.runs}: {figure.proof}; {figure.runs} runs suffice"


def _runs_table(plan: RunPlan) -> str:
    """A table with one row per run: the times and copies first measured in it, and its number of ops on each device."""
    labels = list(dict.fromkeys(choice.label for node in plan.problem.nodes for choice in node.choices))
    rows: list[tuple[str, ...]] = []
    for number, run in enumerate(plan.runs, 1):
        placed = Counter(run.labels)
        here = (str(placed[label]) for label in labels)
        rows.append((str(number), run.kind, str(len(run.nodes)), str(len(run.copies)), *here))
    header = ("run", "for", "new times", "new copies", *(f"ops on {label}" for label in labels))
    return table(header, rows, left=(1,))


def plan_json(plan: RunPlan, function: str) -> dict[str, Any]:
    """The plan as data for JSON: ops by index in program order, values by number and index of the op that makes
    them."""
    problem = plan.problem
    return {
        "format": FORMAT,
        "function": function,
        "home": problem.primary,
        "devices": list(problem.devices),
        "memories": [list(group) for group in plan.memories.groups()],
        "symmetric": plan.memories.symmetric,
        "least": {
            name: {"runs": figure.runs, "at_least": figure.least, "why": figure.proof}
            for name, figure in _figures(plan)
        },
        "nodes": [
            {
                "index": node.index,
                "op": title_of(node)[0],
                "source": title_of(node)[1],
                "view": node.view,
                "choices": [choice.label for choice in node.choices],
            }
            for node in problem.nodes
        ],
        "runs": [
            {
                "kind": run.kind,
                "placement": list(run.labels),
                "nodes": [{"index": index, "choice": run.labels[index]} for index in run.nodes],
                "copies": [
                    {
                        "value": value,
                        "maker": problem.producer.get(value),
                        "bytes": problem.bytes_of(value),
                        "from": source,
                        "to": target,
                    }
                    for value, source, target in run.copies
                ],
            }
            for run in plan.runs
        ],
    }

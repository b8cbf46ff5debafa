"""The smallest set of profiling runs: placements that together measure each cost that a placement may need.

A run is a placement of every node, executed with all of its tasks and copies timed. The costs to measure are defined in
lowering/profiling/items.py; lowering/profiling/cover.py minimises the number of runs. There are two modes:

    apart     runs for nodes first: in run d each node is on device d, or on the primary device if d can't run it,
              so that only necessary copies disturb the measurement; their number is the largest number of choices of
              a node, which is the minimum. Then the fewest further runs that make the remaining copies (as published:
              Kim et al., TODAES 2024: 3 runs for nodes and 1 for copies on CPU serial, CPU parallel and PIM)
    together  the fewest runs for nodes and copies at once: 3 for that machine

One run suffices for copies between two memories if both directions cost the same: let each value designate one
consumer. A value then has one edge and a node at most one edge towards its consumers, so the graph of these edges is a
forest, which is 2-colourable. Nodes of one colour are placed in one memory, nodes of the second colour in the other
memory, and each value is copied. If the directions differ, each node must make its value in either memory: two runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from dialects.locations import text_of
from interp.figures import count
from interp.simulate.schedule.names import name_of
from interp.simulate.schedule.routes import Copy
from lowering.instance.choice import Choice
from lowering.instance.memories import Memories
from lowering.instance.problem import Problem
from lowering.profiling.cover import Minimum, minimum
from lowering.profiling.items import Picks, Requirements, requirements_of

Kind: TypeAlias = Literal["nodes", "copies", "both"]


@dataclass(frozen=True)
class ProfilingRun:
    """One profiling run: the choice of each node; the nodes that it is the first run to measure; and the copies, as
    (value, source, target), that it is the first run to measure."""

    kind: Kind
    placement: tuple[Choice, ...]
    nodes: tuple[int, ...]
    copies: tuple[tuple[int, str, str], ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The label of each node's choice."""
        return tuple(choice.label for choice in self.placement)


@dataclass(frozen=True)
class Figure:
    """A number of runs, a lower bound on the number of runs that are needed, and the reason for the bound."""

    runs: int
    least: int
    proof: str

    def __str__(self) -> str:
        return str(self.runs) if self.runs == self.least else f"{self.runs} (at least {self.least})"


@dataclass(frozen=True)
class RunPlan:
    """Runs that measure everything, and the minimum numbers of runs in both modes: for nodes first and then for copies,
    and for nodes and copies at once."""

    problem: Problem
    memories: Memories
    runs: tuple[ProfilingRun, ...]
    nodes: Figure
    copies: Figure
    """The runs for copies in addition to those for nodes."""
    together: Figure
    measured: tuple[int, int]
    """The number of node costs and the number of copy costs that the runs measure."""

    def described(self) -> str:
        """The numbers of runs in words, as in `3 runs for nodes, then 1 for copies; or 3 for nodes and copies at
        once`."""
        nodes = _runs(self.nodes.runs)
        return f"{nodes} for nodes, then {self.copies} for copies; or {self.together} for nodes and copies at once"


def profile_plan(problem: Problem, together: bool = False, symmetric: bool | None = None) -> RunPlan:
    """The fewest runs that measure all costs of placements of a problem. `together`: True to measure nodes and copies
    in the same runs, False to measure nodes first.

    `symmetric`: True if a copy costs the same in both directions, so that measuring one direction suffices; None:
    determined from the clock. Raises InputError if a device that values must be copied to has no link.
    """
    memories = Memories(problem, symmetric)
    required = requirements_of(problem, memories)
    pinned = runs_for_nodes(problem, required)
    left = required.after(pinned)
    copies = minimum(left)
    both = minimum(required, upper=[*pinned, *copies.runs])
    taken = both.runs if together else [*pinned, *copies.runs]
    separate: list[Kind] = [*("nodes" for _ in pinned), *("copies" for _ in copies.runs)]
    kinds: list[Kind] = ["both" for _ in both.runs] if together else separate
    return RunPlan(
        problem,
        memories,
        tuple(_described(problem, memories, required, taken, kinds)),
        _figure(problem, _most_choices(required, pinned)),
        _figure(problem, copies),
        _figure(problem, both),
        (sum(bits.bit_count() for bits in required.nodes), sum(bits.bit_count() for bits in required.hops)),
    )


def _most_choices(required: Requirements, pinned: list[Picks]) -> Minimum:
    at = max(range(len(required.nodes)), key=lambda node: required.nodes[node].bit_count(), default=0)
    return Minimum(pinned, len(pinned), "choices" if pinned else "nothing", at)


def _figure(problem: Problem, found: Minimum) -> Figure:
    near = "the program's ends"
    if found.at < len(problem.nodes):
        op = problem.nodes[found.at].op
        place = text_of(op.location)
        near = f"{name_of(op)} at {place}" if place else name_of(op)
    fewer = _runs(found.least - 1)
    why = {
        "nothing": "nothing is left to be measured",
        "something": "the remaining items need a run",
        "choices": f"a run takes one choice of each node, and {near} has {found.least}",
        "ties": f"{fewer} can't make the choices and copies that meet at {near}",
        "search": f"all sets of {fewer} were searched",
    }
    return Figure(len(found.runs), found.least, why[found.proof])


def _runs(number: int) -> str:
    return count(number, "run")


def runs_for_nodes(problem: Problem, required: Requirements) -> list[Picks]:
    """Runs that measure every choice of every node, as many as the node with the most choices has. Each device gets its
    own run, or shares a run with devices that run other nodes; in a run, a node is placed on the run's device if it
    can run there, otherwise on the primary device."""
    runs = max((bits.bit_count() for bits in required.nodes), default=0)
    column = _columns(problem, runs)
    pinned: list[Picks] = [[0] * len(required.ways) for _ in range(runs)]
    for node in problem.nodes:
        taken: dict[int, int] = {}
        for pick, choice in enumerate(node.choices):
            free = [run for run in range(runs) if run not in taken]
            if free:
                taken[column[choice.device] if column[choice.device] in free else free[0]] = pick
        primary = next((pick for pick, choice in enumerate(node.choices) if choice.device == problem.primary), 0)
        for run in range(runs):
            pinned[run][node.index] = taken.get(run, primary)
    return pinned


def _columns(problem: Problem, runs: int) -> dict[str, int]:
    """For each device the number of its run. Devices that can run the same node have different runs; if there are fewer
    `runs` than that needs, some of them share a run."""
    able = [{choice.device for choice in node.choices} for node in problem.nodes if not node.view]
    column: dict[str, int] = {}
    for device in problem.devices:
        conflicting = {column[other] for devices in able if device in devices for other in devices if other in column}
        free = [run for run in range(runs) if run not in conflicting]
        column[device] = free[0] if free else len(column) % max(runs, 1)
    return column


def _described(
    problem: Problem, memories: Memories, required: Requirements, taken: Sequence[Picks], kinds: Sequence[Kind]
) -> list[ProfilingRun]:
    """The runs, each with the nodes and copies that no earlier run measures."""
    runs: list[ProfilingRun] = []
    left = required
    for picks, kind in zip(taken, kinds, strict=True):
        placement = tuple(node.choices[pick] for node, pick in zip(problem.nodes, picks, strict=False))
        nodes = tuple(index for index, pick in enumerate(picks) if left.nodes[index] >> pick & 1)
        copies: list[tuple[int, str, str]] = []
        hops = list(left.hops)
        for value, source, target in copies_of(problem, placement):
            bit = memories.hop(source, target)
            if hops[value] & bit:
                copies.append((value, source, target))
                hops[value] &= ~bit
        runs.append(ProfilingRun(kind, placement, nodes, tuple(copies)))
        left = left.after([picks])
    return runs


def copies_of(problem: Problem, placement: Sequence[Choice]) -> list[tuple[int, str, str]]:
    """The copies of a placement, as (value, source, target), in the order in which `Problem.walk` makes them."""
    return [step[:3] for _, step in problem.walk(placement) if isinstance(step, Copy)]

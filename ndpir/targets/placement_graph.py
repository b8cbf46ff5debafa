"""`-t placement-graph`: all placements of a program as one graph, as a table, for Graphviz, or as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, ClassVar, Literal

import graphviz
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.utils.target import Target

from dialects.diagnostics import InputError
from dialects.task import OnType
from interp.cost.clock import Clock
from interp.figures import count, size, table, time
from interp.program.entry import entry_of
from lowering.banks.templates import clock_for
from lowering.graph.inline import inline_calls
from lowering.placement.choice import Choice, Placement
from lowering.placement.graph import PlacementGraph, title_of
from lowering.placement.notes import note_idle_devices
from lowering.placement.of_program import PlacementProblem
from lowering.placement.place import PlacePass
from lowering.placement.policies import POLICIES
from lowering.placement.problem import Schedule
from lowering.placement.words import one_of
from ndpir.targets.dot import COLOURS, empty_drawing, plain
from ndpir.targets.svg import laid_out


@dataclass(frozen=True)
class PlacementGraphTarget(Target):
    """All placements of a program of graph ops as one layered graph (Kim et al., TODAES 2024): each op once a device
    that can run it, with its time; each value between them, with what its copy takes; start and end on the primary
    device. An op that a device lacks has no node there; between devices that share a memory nothing is copied.

    `format`: text (a table of ops by device, then one of values by the memories they move between), dot (a row of boxes
    an op) or svg (the same, laid out by Graphviz). `policy`: whose choices are marked, `*` in text, bold in the
    drawing; none: nobody's. `devices`: the order that policy priority wants. `entry`: the function, where it is not
    `main` or the first one.
    """

    name: ClassVar[str] = "placement-graph"
    NEEDS_MACHINE: ClassVar[bool] = True
    format: Literal["text", "dot", "svg"] = "text"
    policy: str = one_of(lambda: ("none", *POLICIES), default="none")
    devices: tuple[str, ...] = ()
    entry: str | None = None

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        problem = problem_of(module, self.entry, self.name)
        graph = PlacementGraph.of(problem)
        chosen = self.chosen(problem, problem.clock)
        if self.format == "text":
            output.write(graph_text(graph, chosen, self.policy))
        else:
            drawing = graph_drawing(graph, chosen)
            output.write(drawing if self.format == "dot" else laid_out(drawing, "-t placement-graph{format=dot}"))
        problem.drop()

    def chosen(self, problem: PlacementProblem, clock: Clock) -> Placement | None:
        """The decision of the policy."""
        if self.policy == "none":
            if self.devices:
                raise InputError("placement-graph: `devices` is of policy priority, not of none; leave it out")
            return None
        if self.policy not in POLICIES:
            known = ", ".join(("none", *POLICIES))
            raise InputError(f"placement-graph: there is no policy `{self.policy}`; there are {known}")
        for device in self.devices:
            clock.machine.device(device)
        problem.options = PlacePass(policy=self.policy, devices=self.devices).options()
        return Schedule.of(POLICIES[self.policy](problem)).placement


def problem_of(module: ModuleOp, entry: str | None, target: str) -> PlacementProblem:
    """The placement problem of a copy of a module's entry function, calls inlined; `drop` it in the end. Raises
    InputError where the function is no program of graph ops, or no device can run one of them."""
    module = module.clone()
    inline_calls(module)
    function = entry_of(module, entry)
    if _placed(function):
        name = f"@{function.sym_name.data}"
        raise InputError(f"{name} is placed already; {target} takes functions of graph ops on plain tensors", function)
    problem = PlacementProblem(function, clock_for(module))
    note_idle_devices(problem)
    return problem


def _placed(function: FuncOp) -> bool:
    types = (*function.function_type.inputs, *function.function_type.outputs)
    return any(isinstance(each, OnType) for each in types)


def graph_text(graph: PlacementGraph, chosen: Placement | None, policy: str) -> str:
    """The graph as two tables."""
    problem, memories = graph.problem, graph.memories
    shared = [f"{' and '.join(f'@{each}' for each in group)} share one memory" for group in memories.groups()]
    shared = [text for text, group in zip(shared, memories.groups(), strict=True) if len(group) > 1]
    edges = sum(1 for _ in graph.transfers())
    lines = [
        f"{count(len(problem.nodes), 'layer')} of {count(graph.node_count, 'node')}, and {count(edges, 'edge')}; "
        + "; ".join([f"start and end are at @{problem.primary}", *shared])
    ]
    if chosen is not None:
        serial, makespan = problem.serial_ns(chosen), problem.makespan(chosen)
        lines.append(f"* is where {policy} puts it: {time(serial)} serial, {time(makespan)} overlapped")
    labels = graph.labels
    rows = [
        (
            str(node.index),
            *title_of(node),
            *_cells(node.choices, labels, node.view, chosen[node.index] if chosen else None),
        )
        for node in problem.nodes
    ]
    lines += ["", table(("#", "op", "source", *labels), rows, left=(1, 2)).rstrip("\n")]
    moved = list(_values(graph))
    if moved:
        header = ("value", "size", "from", "to", *(name for name, _, _ in graph.ways()))
        lines += ["", table(header, moved, left=(0, 2, 3)).rstrip("\n")]
    return "\n".join(lines) + "\n"


def _cells(choices: tuple[Choice, ...], labels: list[str], view: bool, chosen: Choice | None) -> Iterator[str]:
    """The time of an op under each label: `-` where it can't run there, `view` where it is a view."""
    by_label = {choice.label: choice for choice in choices}
    for label in labels:
        choice = by_label.get(label)
        text = "-" if choice is None else "view" if view else time(choice.cost.ns)
        yield f"* {text}" if choice is not None and choice is chosen else text


def _values(graph: PlacementGraph) -> Iterator[tuple[str, ...]]:
    problem = graph.problem
    for value, maker, readers in graph.values():
        nbytes = problem.bytes_of(value)
        to = ", ".join("end" if reader is None else str(reader) for reader in readers)
        costs = (time(problem.copy(nbytes, source, target).ns) for _, source, target in graph.ways())
        yield graph.names[value], size(nbytes), "start" if maker is None else str(maker), to, *costs


BOLD = {"color": "#c00000", "penwidth": "2.5", "fontcolor": "#c00000"}


def graph_drawing(graph: PlacementGraph, chosen: Placement | None) -> str:
    """The graph in Graphviz's language: a rank for each layer, edges that copy nothing without a label."""
    problem = graph.problem
    drawing = empty_drawing("placements", nodesep="0.4", ranksep="0.6", color="#aaaaaa", fontcolor="#555555")
    for end in ("start", "end"):
        drawing.node(end, plain(f"{end} @{problem.primary}"), shape="ellipse")
    for node in problem.nodes:
        layer = graphviz.Digraph(graph_attr={"rank": "same"})
        for number, choice in enumerate(node.choices):
            told = "view" if node.view else time(choice.cost.ns)
            label = f"{node.index} {title_of(node)[0]}\n{choice.label}: {told}"
            colour = COLOURS[problem.devices.index(choice.device) % len(COLOURS)]
            bold = BOLD if chosen is not None and chosen[node.index] is choice else {}
            layer.node(f"n{node.index}_{number}", plain(label), fillcolor=colour, **bold)
        drawing.subgraph(layer)
    for edge in graph.transfers():
        ends = [_box(graph, end) or other for end, other in ((edge.maker, "start"), (edge.reader, "end"))]
        passed = [end for end in (edge.maker, edge.reader) if end is not None]
        taken = chosen is not None and all(chosen[index] is choice for index, choice in passed)
        label = {"label": plain(f"{graph.names[edge.value]} {time(edge.ns)}")} if edge.ns else {}
        drawing.edge(*ends, **label, **(BOLD if taken else {}))
    return drawing.source


def _box(graph: PlacementGraph, end: tuple[int, Choice] | None) -> str | None:
    if end is None:
        return None
    index, choice = end
    return f"n{index}_{graph.problem.nodes[index].choices.index(choice)}"

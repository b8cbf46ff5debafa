"""`-t placement-graph`: all placements of a program as one graph, written as tables, for Graphviz, or as a picture."""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from shutil import which
from signal import SIGTERM
from subprocess import PIPE, Popen, TimeoutExpired
from typing import IO, ClassVar, Literal

import graphviz
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from dialects.diagnostics import InputError
from dialects.files import reason_of
from dialects.task import OnType
from dialects.text.columns import table
from interp.figures import count, size, time
from interp.kinds.clock import Clock
from interp.walk.effort import EFFORT
from interp.walk.entry import entry_of
from lowering.banks.templates import clock_for
from lowering.graph.inline import inline_calls
from lowering.instance.choice import Choice, Placement
from lowering.instance.of_program import PlacementProblem
from lowering.instance.placement_graph import PlacementGraph, title_of
from lowering.instance.problem import Schedule
from lowering.optimise.policies import POLICIES
from lowering.place.place import PlacePass
from lowering.tasks.notes import note_idle_devices
from lowering.words import one_of
from ndpir.reports.answers.graphs.placement_graph import Layer, MovedValue, PlacementGraphAnswer, placement_graph_data
from ndpir.reports.document import document_of_file
from ndpir.reports.dot import COLOURS, empty_drawing, plain
from ndpir.reports.target import AnswerTarget

LIMIT_S = 60.0
"""The time limit of Graphviz in s; `--effort` multiplies it. Without a limit, Graphviz would run for hours on thousands
of boxes."""


def svg_of(drawing: str, as_text: str) -> str:
    """The SVG of a drawing in Graphviz's language. `as_text`: the command-line options that write the drawing as text
    instead, for error messages. Raises InputError if Graphviz is not installed, fails, or exceeds the time limit."""
    if (program := which("dot")) is None:
        raise InputError(
            "this picture needs Graphviz's program `dot`, which is not on the PATH; install it (apt install graphviz, "
            f"brew install graphviz, winget install graphviz), or write the text with {as_text}"
        )
    limit_s = LIMIT_S * EFFORT.get()
    try:
        with _started([program, "-Tsvg"]) as layout:
            svg, errors = layout.communicate(drawing.encode(), limit_s)
    except TimeoutExpired:
        boxes = len(re.findall(r"^\s*n\d+ \[", drawing, re.MULTILINE))
        more = max(2, round(10 * EFFORT.get()))
        raise InputError(
            f"Graphviz's `dot` did not finish the layout of this drawing's {boxes:,} boxes within {limit_s:.0f} s; "
            f"draw less (one layer of the model, or after -p fuse), allow more time (--effort {more}), "
            f"or write the text with {as_text} for a faster engine (sfdp -Tsvg)"
        ) from None
    except OSError as error:
        raise InputError(
            f"Graphviz's `dot` can't be started: {reason_of(error)}; write the text with {as_text}"
        ) from None
    if layout.returncode:
        why = " ".join(errors.decode("utf-8", "replace").split())[:300] or f"it ended with status {layout.returncode}"
        raise InputError(f"Graphviz's `dot` could not lay the graph out: {why}; write the text with {as_text}")
    return svg.decode()


@contextmanager
def _started(command: list[str]) -> Generator[Popen[bytes]]:
    """A context with a running subprocess; if the body of the `with` statement raises, the subprocess and the processes
    that it started are killed."""
    with Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True) as process:
        try:
            yield process
        except BaseException:
            if hasattr(os, "killpg"):
                with suppress(OSError):
                    os.killpg(process.pid, SIGTERM)
            process.kill()
            raise


@dataclass(frozen=True)
class PlacementGraphTarget(AnswerTarget[PlacementGraphAnswer]):
    """All placements of a program of graph ops as one layered graph (Kim et al., TODAES 2024). Each op has one node per
    device that can run it, with its time; edges are values between ops, with the times of their copies. Start and
    end are on the primary device. Devices that share a memory need no copies between them.

    `format`: text (a table of ops by device, then one of values by source and target memory), dot (one row of boxes per
    op) or svg (the same drawing, laid out by Graphviz). `policy`: the policy whose choices are marked, by `*` in text
    and bold in the drawing; none: no marks. `devices`: the order of devices for policy priority. `json`: the graph as
    JSON, or the drawing in JSON. `entry`: the function; default: `main`, or else the first function.
    """

    name: ClassVar[str] = "placement-graph"
    format: Literal["text", "dot", "svg"] = "text"
    policy: str = one_of(lambda: ("none", *POLICIES), default="none")
    devices: tuple[str, ...] = ()
    entry: str | None = None

    def answer(self, module: ModuleOp) -> PlacementGraphAnswer:
        problem = problem_of(module, self.entry, self.name)
        answer = placement_graph_data(PlacementGraph.of(problem), self.chosen(problem, problem.clock), self.policy)
        problem.drop()
        return answer

    def text(self, answer: PlacementGraphAnswer) -> str:
        return graph_text(answer)

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        if self.format == "text":
            super().emit(ctx, module, output)
            return
        problem = problem_of(module, self.entry, self.name)
        drawing = graph_drawing(PlacementGraph.of(problem), self.chosen(problem, problem.clock))
        text = drawing if self.format == "dot" else svg_of(drawing, "-t placement-graph{format=dot}")
        output.write(document_of_file(self.name, text) if self.json else text)
        problem.drop()

    def chosen(self, problem: PlacementProblem, clock: Clock) -> Placement | None:
        """The placement that the policy decides; None for policy none. Raises InputError for an unknown policy or
        device, and for `devices` without a policy."""
        if self.policy == "none":
            if self.devices:
                raise InputError(
                    "placement-graph: option `devices` applies to policy priority only, but policy is none; "
                    "remove `devices`"
                )
            return None
        if self.policy not in POLICIES:
            known = ", ".join(("none", *POLICIES))
            raise InputError(f"placement-graph: there is no policy `{self.policy}`; choose one of {known}")
        for device in self.devices:
            clock.machine.device(device)
        problem.options = PlacePass(policy=self.policy, devices=self.devices).options()
        return Schedule.of(POLICIES[self.policy](problem)).placement


def problem_of(module: ModuleOp, entry: str | None, target: str) -> PlacementProblem:
    """The placement problem of a copy of a module's entry function with calls inlined; the caller must call the
    problem's `drop` when finished. Raises InputError if the function is placed already, or if no device can run one
    of its ops."""
    module = module.clone()
    inline_calls(module)
    function = entry_of(module, entry)
    if _placed(function):
        name = f"@{function.sym_name.data}"
        message = f"{name} is placed already; {target} needs a function of graph ops before pass place"
        raise InputError(message, function)
    problem = PlacementProblem(function, clock_for(module))
    note_idle_devices(problem)
    return problem


def _placed(function: FuncOp) -> bool:
    types = (*function.function_type.inputs, *function.function_type.outputs)
    return any(isinstance(each, OnType) for each in types)


def graph_text(answer: PlacementGraphAnswer) -> str:
    """The graph as two tables: one of ops by device, and one of values by source and target memory; choices of the
    policy are marked by `*`."""
    groups = [group for group in answer.memories if len(group) > 1]
    shared = [f"{' and '.join(f'@{each}' for each in group)} share one memory" for group in groups]
    lines = [
        f"{count(len(answer.layers), 'layer')} of {count(answer.nodes, 'node')}, and {count(answer.edges, 'edge')}; "
        + "; ".join([f"start and end are at @{answer.primary}", *shared])
    ]
    if answer.serial_ns is not None and answer.makespan_ns is not None:
        serial, makespan = time(answer.serial_ns), time(answer.makespan_ns)
        lines.append(f"* marks the device that {answer.policy} chooses: {serial} serial, {makespan} overlapped")
    rows = [(str(layer.index), layer.op, layer.place, *_cells(layer, answer.labels)) for layer in answer.layers]
    lines += ["", table(("#", "op", "source", *answer.labels), rows, left=(1, 2)).rstrip("\n")]
    if answer.values:
        header = ("value", "size", "from", "to", *(way.label for way in answer.ways))
        lines += ["", table(header, [_moved(value) for value in answer.values], left=(0, 2, 3)).rstrip("\n")]
    return "\n".join(lines) + "\n"


def _cells(layer: Layer, labels: Sequence[str]) -> Iterator[str]:
    """The cells of an op's row in the table: the op's time on each device or split in `labels`, `-` for a device that
    can't run the op, and `view` for a view, which takes no time."""
    by_label = {option.label: number for number, option in enumerate(layer.options)}
    for label in labels:
        number = by_label.get(label)
        text = "-" if number is None else "view" if layer.view else time(layer.options[number].ns)
        yield f"* {text}" if number is not None and number == layer.chosen else text


def _moved(value: MovedValue) -> tuple[str, ...]:
    to = ", ".join("end" if reader is None else str(reader) for reader in value.readers)
    source = "start" if value.maker is None else str(value.maker)
    return value.name, size(value.bytes), source, to, *map(time, value.copy_ns)


BOLD = {"color": "#c00000", "penwidth": "2.5", "fontcolor": "#c00000"}


def graph_drawing(graph: PlacementGraph, chosen: Placement | None) -> str:
    """The graph in Graphviz's language: the nodes of an op are in one row; an edge has a label if its value needs a
    copy."""
    problem = graph.problem
    drawing = empty_drawing("placements", nodesep="0.4", ranksep="0.6", color="#aaaaaa", fontcolor="#555555")
    for end in ("start", "end"):
        drawing.node(end, plain(f"{end} @{problem.primary}"), shape="ellipse")
    for node in problem.nodes:
        layer = graphviz.Digraph(graph_attr={"rank": "same"})
        for number, choice in enumerate(node.choices):
            time_text = "view" if node.view else time(choice.cost.ns)
            label = f"{node.index} {title_of(node)[0]}\n{choice.label}: {time_text}"
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

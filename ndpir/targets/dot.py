"""`-t dot`: the program as a graph in Graphviz's language, coloured by device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, ClassVar, NamedTuple

import graphviz
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.target import Target

from dialects.binding import YieldingOp
from dialects.element_types import byte_count
from dialects.hw import DeviceOp
from dialects.locations import text_of
from dialects.repeating import RepeatingOp
from dialects.task import CopyOp, JoinOp, OnType, ResidencyOp, ResidentOp, RunOp, placed
from interp.figures import size
from interp.program.entry import ahead_of_time, block_of, functions, is_graph_op
from interp.program.views import is_view
from interp.schedule.names import name_of

COLOURS = ("#cfe2f3", "#d9ead3", "#fce5cd", "#ead1dc", "#fff2cc", "#d0e0e3", "#e6d5f5", "#f4cccc")
"""One pastel colour per device, in the machine's order; the first colour is that of the primary device."""


@dataclass(frozen=True)
class DotTarget(Target):
    """The program in Graphviz's language: tasks (or ops, before placement) as boxes with the types of their results,
    coloured by device, and copies as dashed edges with their size in bytes. Not drawn are weights, values that are
    computed from weights ahead of time, and views."""

    name: ClassVar[str] = "dot"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(drawing_of(module))


def drawing_of(module: ModuleOp) -> str:
    """The functions of a module in Graphviz's language, one cluster per function if there are several, and a legend of
    devices."""
    return _Drawing(module).drawn()


def empty_drawing(name: str, *, nodesep: str, ranksep: str, **edges: str) -> graphviz.Digraph:
    """An empty drawing with the fonts and colours of ndpir's drawings, laid out from top to bottom. `nodesep`,
    `ranksep`: distances in inches; `edges`: attributes of all edges."""
    return graphviz.Digraph(
        name,
        graph_attr={"rankdir": "TB", "fontname": "Helvetica", "nodesep": nodesep, "ranksep": ranksep},
        node_attr={
            "shape": "box",
            "style": "filled,rounded",
            "fillcolor": "white",
            "fontname": "Helvetica",
            "fontsize": "10",
        },
        edge_attr={"fontname": "Helvetica", "fontsize": "9", **edges},
    )


def plain(text: str) -> str:
    """A label that shows `text` literally, including backslashes and angle brackets; line breaks are kept."""
    return graphviz.nohtml(graphviz.escape(text).replace("\n", "\\n"))


class Made(NamedTuple):
    """The box that computes a value; `moved`: the total bytes of all copies made of the value since it was computed."""

    box: str
    moved: int = 0


@dataclass
class _Drawing:
    module: ModuleOp
    made: dict[SSAValue, Made] = field(default_factory=dict[SSAValue, Made])
    graph: graphviz.Digraph = field(init=False)
    devices: list[str] = field(init=False)
    used: dict[str, None] = field(default_factory=dict[str, None])
    nodes: int = 0

    def __post_init__(self) -> None:
        self.devices = [op.sym_name.data for op in self.module.ops if isinstance(op, DeviceOp)]
        self.graph = empty_drawing("program", nodesep="0.25", ranksep="0.35", color="#555555")

    def drawn(self) -> str:
        drawn = functions(self.module)
        outer = self.graph
        for index, function in enumerate(drawn):
            if len(drawn) > 1:
                self.graph = graphviz.Digraph(
                    f"cluster_{index}", graph_attr={"label": plain("@" + function.sym_name.data)}
                )
            self.function(function)
            if self.graph is not outer:
                outer.subgraph(self.graph)
        if self.used:
            legend = graphviz.Digraph(
                "cluster_devices", graph_attr={"label": "devices", "style": "dotted", "fontsize": "10"}
            )
            for device in self.used:
                number = self.devices.index(device)
                legend.node(f"device_{number}", plain(f"@{device}"), fillcolor=self.colour(device))
            outer.subgraph(legend)
        return outer.source

    def colour(self, device: str) -> str:
        if device not in self.devices:
            self.devices.append(device)
        self.used[device] = None
        return COLOURS[self.devices.index(device) % len(COLOURS)]

    def box(self, label: Sequence[str], **attributes: str) -> str:
        name = f"n{self.nodes}"
        self.nodes += 1
        self.graph.node(name, plain("\n".join(line for line in label if line)), **attributes)
        return name

    def function(self, function: FuncOp) -> None:
        block = block_of(function)
        for index, argument in enumerate(block.args):
            label = (f"%{argument.name_hint or f'arg{index}'}", _type_text(argument.type))
            self.made[argument] = Made(self.box(label, **self.style(argument.type), shape="ellipse"))
        self.ops(block)

    def ops(self, block: Block) -> None:
        ahead = ahead_of_time(block)
        for op in block.ops:
            if op not in ahead and not isinstance(op, ResidentOp | JoinOp | YieldingOp):
                self.op(op)

    def loop(self, op: RepeatingOp) -> None:
        """Draw the ops of a loop's body once, inside a frame."""
        self.nodes += 1
        frame = {"style": "rounded", "label": plain(name_of(op))}
        around, self.graph = self.graph, graphviz.Digraph(f"cluster_loop_{self.nodes}", graph_attr=frame)
        self.made |= _shown(self.made, op.arguments, op.inputs)
        self.ops(op.body.block)
        self.made |= _shown(self.made, op.results, op.last.values)
        around.subgraph(self.graph)
        self.graph = around

    def op(self, op: Operation) -> None:
        match op:
            case CopyOp() if (made := self.made.get(op.value)) is not None:
                self.made[op.copied] = Made(made.box, made.moved + byte_count(placed(op.value).tensor))
            case CopyOp():
                return
            case RepeatingOp():
                self.loop(op)
            case ResidencyOp():
                box = self.box((name_of(op), text_of(op.location) or ""), **self.style(op.value.type), shape="cds")
                self.connect(op.operands, box)
                self.made |= dict.fromkeys(op.results, Made(box))
            case ReturnOp():
                for index, value in enumerate(op.operands):
                    self.connect([value], self.box((f"result {index}", _type_text(value.type)), shape="ellipse"))
            case _ if is_view(op) and len(op.operands) == 1:
                if op.operands[0] in self.made:
                    self.made[op.results[0]] = self.made[op.operands[0]]
            case _:
                title = name_of(op) if is_graph_op(op) or isinstance(op, RunOp) else op.name
                types = [_type_text(result.type) for result in op.results]
                style = self.style(op.results[0].type) if op.results else {}
                box = self.box((title, text_of(op.location) or "", *types), **style)
                self.connect(op.operands, box)
                self.made |= dict.fromkeys(op.results, Made(box))

    def style(self, type_: Attribute) -> dict[str, str]:
        return {"fillcolor": self.colour(type_.place)} if isinstance(type_, OnType) else {}

    def connect(self, values: Sequence[SSAValue], box: str) -> None:
        for value in dict.fromkeys(values):
            if (made := self.made.get(value)) is not None:
                copied = {"label": f"copy {size(made.moved)}", "style": "dashed"} if made.moved else {}
                self.graph.edge(made.box, box, **copied)


def _shown(
    made: Mapping[SSAValue, Made], values: Sequence[SSAValue], sources: Sequence[SSAValue]
) -> dict[SSAValue, Made]:
    """The box that computes each of `values`, which are aliases of the values `sources` in the same order; `made` has
    the boxes of `sources`."""
    return {value: made[source] for value, source in zip(values, sources, strict=False) if source in made}


def _type_text(type_: Attribute) -> str:
    """A tensor type as `1x64xf32`; empty for other types."""
    tensor = type_.tensor if isinstance(type_, OnType) else type_  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not isinstance(tensor, TensorType):
        return ""
    return "x".join([*map(str, tensor.get_shape()), str(tensor.element_type)])  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]

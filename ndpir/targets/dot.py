"""`-t dot`: the program as a graph for Graphviz, coloured by device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import IO, ClassVar

import graphviz
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.target import Target

from dialects.element_types import byte_count
from dialects.hw import DeviceOp
from dialects.locations import text_of
from dialects.task import CopyOp, JoinOp, OnType, ResidentOp, RunOp, placed
from interp.program import ahead_of_time, functions, is_graph_op, is_view
from interp.timeline import name_of
from ndpir.targets.figures import size

COLOURS = ("#cfe2f3", "#d9ead3", "#fce5cd", "#ead1dc", "#fff2cc", "#d0e0e3", "#e6d5f5", "#f4cccc")
"""A pastel a device, in the machine's order; the first is home's."""


@dataclass(frozen=True)
class DotTarget(Target):
    """Tasks (or ops, before placement) as boxes with their results' types, coloured by device; copies as dashed edges
    with their size. Weights and what is made of them ahead of time are left out, and views are not drawn."""

    name: ClassVar[str] = "dot"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(drawing_of(module).source)


def drawing_of(module: ModuleOp) -> graphviz.Digraph:
    """All functions of a module as one drawing, a cluster each where there are several, and a legend of the devices."""
    return _Drawing(module).drawn()


@dataclass
class _Drawing:
    module: ModuleOp
    graph: graphviz.Digraph = field(init=False)
    devices: list[str] = field(init=False)
    used: dict[str, None] = field(default_factory=dict[str, None])
    nodes: int = 0

    def __post_init__(self) -> None:
        self.graph = graphviz.Digraph(
            "program",
            graph_attr={"rankdir": "TB", "fontname": "Helvetica", "nodesep": "0.25", "ranksep": "0.35"},
            node_attr={
                "shape": "box",
                "style": "filled,rounded",
                "fillcolor": "white",
                "fontname": "Helvetica",
                "fontsize": "10",
            },
            edge_attr={"fontname": "Helvetica", "fontsize": "9", "color": "#555555"},
        )
        self.devices = [op.sym_name.data for op in self.module.ops if isinstance(op, DeviceOp)]

    def drawn(self) -> graphviz.Digraph:
        several = len(functions(self.module)) > 1
        for function in functions(self.module):
            if several:
                with self.graph.subgraph(name=f"cluster_{function.sym_name.data}") as cluster:  # pyright: ignore
                    cluster.attr(label=f"@{function.sym_name.data}")
                    self.function(function, cluster)
            else:
                self.function(function, self.graph)
        if self.used:
            with self.graph.subgraph(name="cluster_devices") as legend:  # pyright: ignore
                legend.attr(label="devices", style="dotted", fontsize="10")
                for device in self.used:
                    legend.node(f"device_{device}", f"@{device}", fillcolor=self.colour(device))
        return self.graph

    def colour(self, device: str) -> str:
        if device not in self.devices:
            self.devices.append(device)
        self.used[device] = None
        return COLOURS[self.devices.index(device) % len(COLOURS)]

    def box(self, graph: graphviz.Digraph, label: Sequence[str], **attributes: str) -> str:
        name = f"n{self.nodes}"
        self.nodes += 1
        graph.node(name, "\\n".join(graphviz.escape(line) for line in label if line), **attributes)
        return name

    def function(self, function: FuncOp, graph: graphviz.Digraph) -> None:
        block = function.body.block
        ahead = ahead_of_time(block)
        # A value is drawn as an edge from the box that made it, with what it was copied on its way.
        made: dict[SSAValue, tuple[str, int]] = {}
        for index, argument in enumerate(block.args):
            label = (f"%{argument.name_hint or f'arg{index}'}", _type_text(argument.type))
            made[argument] = (self.box(graph, label, **self.style(argument.type), shape="ellipse"), 0)
        for op in block.ops:
            if op in ahead or isinstance(op, ResidentOp | JoinOp):
                continue
            if isinstance(op, CopyOp):
                if op.value in made:
                    name, moved = made[op.value]
                    made[op.copied] = (name, moved + byte_count(placed(op.value).tensor))
            elif is_view(op):
                if op.operands[0] in made:
                    made[op.results[0]] = made[op.operands[0]]
            elif isinstance(op, ReturnOp):
                for index, value in enumerate(op.operands):
                    self.connect(
                        graph,
                        [value],
                        self.box(graph, (f"result {index}", _type_text(value.type)), shape="ellipse"),
                        made,
                    )
            else:
                name = self.op(graph, op)
                self.connect(graph, op.operands, name, made)
                made |= dict.fromkeys(op.results, (name, 0))

    def op(self, graph: graphviz.Digraph, op: Operation) -> str:
        label = (name_of(op) if is_graph_op(op) or isinstance(op, RunOp) else op.name, text_of(op.location) or "")
        types = [_type_text(result.type) for result in op.results]
        return self.box(graph, (*label, *types), **(self.style(op.results[0].type) if op.results else {}))

    def style(self, type_: Attribute) -> dict[str, str]:
        return {"fillcolor": self.colour(type_.place)} if isinstance(type_, OnType) else {}

    def connect(
        self, graph: graphviz.Digraph, values: Sequence[SSAValue], name: str, made: dict[SSAValue, tuple[str, int]]
    ) -> None:
        for value in dict.fromkeys(values):
            if value in made:
                source, moved = made[value]
                graph.edge(source, name, **({"label": f"copy {size(moved)}", "style": "dashed"} if moved else {}))


def _type_text(type_: Attribute) -> str:
    """`1x64xf32`."""
    tensor = type_.tensor if isinstance(type_, OnType) else type_  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not isinstance(tensor, TensorType):
        return ""
    return "x".join([*map(str, tensor.get_shape()), str(tensor.element_type)])  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]

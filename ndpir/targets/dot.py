"""`-t dot`: the program as a graph for Graphviz, coloured by device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import IO, ClassVar, NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.target import Target

from dialects.element_types import byte_count
from dialects.hw import DeviceOp
from dialects.locations import text_of
from dialects.task import CopyOp, JoinOp, OnType, ResidentOp, RunOp, placed
from interp.figures import size
from interp.program import ahead_of_time, block_of, functions, is_graph_op
from interp.timeline import name_of
from interp.views import is_view

COLOURS = ("#cfe2f3", "#d9ead3", "#fce5cd", "#ead1dc", "#fff2cc", "#d0e0e3", "#e6d5f5", "#f4cccc")
"""A pastel a device, in the machine's order; the first is home's."""


@dataclass(frozen=True)
class DotTarget(Target):
    """Tasks (or ops, before placement) as boxes with their results' types, coloured by device; copies as dashed edges
    with their size. Weights and what is made of them ahead of time are left out, and views are not drawn."""

    name: ClassVar[str] = "dot"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(drawing_of(module))


def drawing_of(module: ModuleOp) -> str:
    """All functions of a module in Graphviz's language, a cluster each where there are several, and a legend of the
    devices."""
    return _Drawing(module).drawn()


HEADER = """\
digraph program {
  graph [rankdir=TB, fontname=Helvetica, nodesep=0.25, ranksep=0.35]
  node [shape=box, style="filled,rounded", fillcolor=white, fontname=Helvetica, fontsize=10]
  edge [fontname=Helvetica, fontsize=9, color="#555555"]
"""


class Made(NamedTuple):
    """Where a drawn value comes from, and the bytes that were copied on its way."""

    box: str
    moved: int = 0


@dataclass
class _Drawing:
    module: ModuleOp
    made: dict[SSAValue, Made] = field(default_factory=dict[SSAValue, Made])
    lines: list[str] = field(default_factory=list[str])
    devices: list[str] = field(init=False)
    used: dict[str, None] = field(default_factory=dict[str, None])
    nodes: int = 0

    def __post_init__(self) -> None:
        self.devices = [op.sym_name.data for op in self.module.ops if isinstance(op, DeviceOp)]

    def drawn(self) -> str:
        drawn = functions(self.module)
        for index, function in enumerate(drawn):
            if len(drawn) > 1:
                self.lines.append(f"subgraph cluster_{index} {{ label={_quoted('@' + function.sym_name.data)}")
            self.function(function)
            if len(drawn) > 1:
                self.lines.append("}")
        if self.used:
            self.lines.append("subgraph cluster_devices { label=devices; style=dotted; fontsize=10")
            for device in self.used:
                attributes = attributes_text(label=f"@{device}", fillcolor=self.colour(device))
                self.lines.append(f"device_{self.devices.index(device)} {attributes}")
            self.lines.append("}")
        return HEADER + "".join(f"  {line}\n" for line in self.lines) + "}\n"

    def colour(self, device: str) -> str:
        if device not in self.devices:
            self.devices.append(device)
        self.used[device] = None
        return COLOURS[self.devices.index(device) % len(COLOURS)]

    def box(self, label: Sequence[str], **attributes: str) -> str:
        name = f"n{self.nodes}"
        self.nodes += 1
        text = "\n".join(line for line in label if line)
        self.lines.append(f"{name} {attributes_text(label=text, **attributes)}")
        return name

    def function(self, function: FuncOp) -> None:
        block = block_of(function)
        ahead = ahead_of_time(block)
        for index, argument in enumerate(block.args):
            label = (f"%{argument.name_hint or f'arg{index}'}", _type_text(argument.type))
            self.made[argument] = Made(self.box(label, **self.style(argument.type), shape="ellipse"))
        for op in block.ops:
            if op not in ahead and not isinstance(op, ResidentOp | JoinOp):
                self.op(op)

    def op(self, op: Operation) -> None:
        match op:
            case CopyOp() if (made := self.made.get(op.value)) is not None:
                self.made[op.copied] = Made(made.box, made.moved + byte_count(placed(op.value).tensor))
            case CopyOp():
                return
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
                copied = attributes_text(label=f"copy {size(made.moved)}", style="dashed") if made.moved else ""
                self.lines.append(f"{made.box} -> {box} {copied}".rstrip())


def _type_text(type_: Attribute) -> str:
    """`1x64xf32`."""
    tensor = type_.tensor if isinstance(type_, OnType) else type_  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not isinstance(tensor, TensorType):
        return ""
    return "x".join([*map(str, tensor.get_shape()), str(tensor.element_type)])  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]


def attributes_text(**attributes: str) -> str:
    """What stands behind a box or edge in Graphviz's language."""
    return "[" + ", ".join(f"{name}={_quoted(value)}" for name, value in attributes.items()) + "]"


def _quoted(text: str) -> str:
    """A string of Graphviz's language; a line break stays one."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'

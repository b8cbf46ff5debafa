"""An exported program of PyTorch as plain records: its graph, its inputs and outputs, and where its weights are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from dialects import graph as g
from dialects.element_types import ElementType, element_type_named

Extent: TypeAlias = int | str
"""A number, or an expression of symbolic sizes as PyTorch prints it: `2*s0`."""

SCALAR_TYPES: Mapping[int, str] = {
    1: "ui8",
    2: "i8",
    3: "i16",
    4: "i32",
    5: "i64",
    6: "f16",
    7: "f32",
    8: "f64",
    12: "i1",
    13: "bf16",
    28: "ui16",
    29: "f8E4M3FN",
    30: "f8E5M2",
    31: "f8E4M3FNUZ",
    32: "f8E5M2FNUZ",
    33: "f8E8M0FNU",
    34: "ui32",
    35: "ui64",
}
"""MLIR's names of element types by their numbers in the schema of exported programs (`ScalarType` in
torch/_export/serde/schema.py); 9 to 11 are complex numbers."""


COMPLEX: Mapping[str, str] = {"complex64": "f32", "complex128": "f64"}
"""PyTorch's complex types that are read, with the element type of their parts."""


@dataclass(frozen=True, slots=True)
class Ref:
    """A tensor or a number that a node computes, or an input, by its name in the graph."""

    name: str


@dataclass(frozen=True, slots=True)
class ScalarType:
    """An element type as an argument of a node, by MLIR's name."""

    name: str

    @property
    def element(self) -> ElementType:
        return element_type_named(self.name)


@dataclass(frozen=True, slots=True)
class Subgraph:
    """A graph as an argument of a node: a branch, or the body of a loop."""

    name: str
    graph: Graph


Argument: TypeAlias = "Ref | ScalarType | Subgraph | bool | int | float | complex | str | Sequence[Argument] | None"
Output: TypeAlias = "str | Sequence[Output] | None"
"""The name of a result; None for a result without one; a sequence for a result that is a list."""


@dataclass(frozen=True, slots=True)
class TensorMeta:
    """The type of a tensor: MLIR's name of its element type (or what PyTorch calls an unsupported one), its extents,
    and the strides of its axes in elements."""

    element: str
    shape: tuple[Extent, ...]
    strides: tuple[Extent, ...]

    @property
    def is_complex(self) -> bool:
        return self.element in COMPLEX


@dataclass(frozen=True, slots=True)
class Node:
    """A call of an operator: `target` is its name with the overload, such as `aten.add.Tensor`; `inputs` its arguments
    by the names in the operator's schema, without those left out; `module` the path of the module that calls it; `line`
    the line of the user's code."""

    target: str
    inputs: Mapping[str, Argument]
    outputs: Sequence[Output]
    module: str = ""
    line: str = ""

    @property
    def op(self) -> str:
        """The operator's name without the overload: `aten.add`."""
        return self.target.rpartition(".")[0] if self.target.count(".") > 1 else self.target

    @property
    def place(self) -> str:
        """The module and the line, as in `layers.0.mlp (model.py:31)`."""
        return f"{self.module} ({self.line})" if self.module and self.line else self.module or self.line

    @property
    def names(self) -> list[str]:
        """The names of all results."""
        found: list[str] = []
        waiting = list(self.outputs)
        while waiting:
            each = waiting.pop(0)
            if isinstance(each, str):
                found.append(each)
            elif each is not None:
                waiting = [*each, *waiting]
        return found


@dataclass(slots=True)
class Graph:
    """Nodes in order, and the types of all values. `numbers`: the symbolic numbers, as expressions or values."""

    inputs: Sequence[Argument]
    outputs: Sequence[Argument]
    nodes: Sequence[Node]
    tensors: Mapping[str, TensorMeta]
    numbers: Mapping[str, Extent | float | bool]

    def walk(self) -> Iterator[Node]:
        """All nodes, those of graphs inside of nodes after the node."""
        for node in self.nodes:
            yield node
            for value in node.inputs.values():
                if isinstance(value, Subgraph):
                    yield from value.graph.walk()


@dataclass(frozen=True, slots=True)
class Weight:
    """A parameter, buffer or constant: its type in memory and the place of its numbers.

    `source` gives the source of a weight of `count` elements from element `offset` of its storage on; None stands for a
    weight without numbers (a fake or meta tensor). `read` reads the same elements now, as little-endian bytes."""

    meta: TensorMeta
    offset: int
    source: Callable[[int, int], g.WeightSource | None]
    read: Callable[[int, int], bytes | None]


@dataclass(frozen=True, slots=True)
class Input:
    """An input of the graph. `kind`: `user`, `parameter`, `buffer`, `constant`, `number` (a fixed number or text) or
    `token`; `target`: the name of the parameter, buffer or constant."""

    kind: str
    name: str
    target: str = ""
    value: Any = None


@dataclass(frozen=True, slots=True)
class Result:
    """An output of the graph. `kind`: `user`, `loss`, `changed` (the new content of a parameter, buffer or user input),
    `gradient` (of a parameter or user input) or `token`; `target`: the name of what changes, or of what the gradient is
    of."""

    kind: str
    argument: Argument
    target: str = ""


@dataclass(slots=True)
class Program:
    """A whole exported program."""

    name: str
    graph: Graph
    inputs: Sequence[Input]
    results: Sequence[Result]
    weights: Mapping[str, Weight]
    hints: Mapping[str, int] = field(default_factory=dict[str, int])
    """The extents with which the program was exported, by symbol."""
    ranges: Mapping[str, tuple[int | None, int | None]] = field(
        default_factory=dict[str, "tuple[int | None, int | None]"]
    )
    """The least and the greatest extents for which the program holds, by symbol."""

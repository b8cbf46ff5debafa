"""A StableHLO program as plain records, the same from text and from MLIR's Python bindings; no op is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Attribute: TypeAlias = "bool | int | float | str | Numbers | list[Attribute] | dict[str, Attribute]"
"""A value of an op's attribute; symbols and words are texts."""


@dataclass(frozen=True, slots=True)
class TypeText:
    """A type that is no tensor of numbers, as it is written (`!stablehlo.token`, `tuple<…>`)."""

    text: str


@dataclass(frozen=True, slots=True)
class TensorShape:
    """A tensor's extents and element type (`f32`, `i1`, `ui8`, …); None for an extent that is not known."""

    shape: tuple[int | None, ...]
    element: str

    def __str__(self) -> str:
        return f"tensor<{'x'.join([*('?' if n is None else str(n) for n in self.shape), self.element])}>"


Type: TypeAlias = TensorShape | TypeText


@dataclass(frozen=True, slots=True)
class Numbers:
    """A dense literal as it is written between `dense<` and `>`, and its type."""

    text: str
    type: Type | None = None


@dataclass(slots=True, eq=False)
class Value:
    """What an op or block makes available to ops behind it."""

    name: str
    type: Type


@dataclass(slots=True, eq=False)
class Block:
    """A region: StableHLO's have one block each."""

    arguments: list[Value]
    ops: list[Op]


@dataclass(slots=True, eq=False)
class Op:
    """One op. `name` has no `stablehlo.` before it; `attributes` are named as in the generic form, whichever was
    read."""

    name: str
    operands: list[Value]
    results: list[Value]
    attributes: dict[str, Attribute]
    regions: list[Block]
    place: str
    """`FILE:LINE:COLUMN`."""


@dataclass(slots=True, eq=False)
class Function:
    """A function; the attributes of arguments tell donated buffers (`tf.aliasing_output`, `jax.buffer_donor`)."""

    name: str
    body: Block
    place: str
    argument_attributes: Sequence[Mapping[str, Attribute]] = ()
    result_attributes: Sequence[Mapping[str, Attribute]] = ()

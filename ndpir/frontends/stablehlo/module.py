"""A StableHLO program as plain records, the same from text and from MLIR's Python bindings; no op is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.ir import SSAValue

HloAttribute: TypeAlias = "bool | int | float | str | DenseLiteral | list[HloAttribute] | dict[str, HloAttribute]"
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


HloType: TypeAlias = TensorShape | TypeText


@dataclass(frozen=True, slots=True)
class DenseLiteral:
    """A dense literal as it is written between `dense<` and `>`, and its type; of `dense_resource<…>` all."""

    text: str
    type: HloType | None = None
    at: int | None = field(default=None, compare=False)
    """The character of the program's text at which `dense<` stands; None where there is no such text."""


@dataclass(slots=True, eq=False)
class HloValue:
    """A result of an op, or an argument of a block."""

    name: str
    type: HloType

    @property
    def name_hint(self) -> str | None:
        """The name without its `%`; None for a number."""
        name = self.name.removeprefix("%")
        return name if SSAValue.is_valid_name(name) else None


@dataclass(slots=True, eq=False)
class HloBlock:
    """A region: StableHLO's have one block each."""

    arguments: list[HloValue]
    ops: list[HloOp]


@dataclass(slots=True, eq=False)
class HloOp:
    """One op. `name` has no `stablehlo.` before it; `attributes` are named as in the generic form, whichever was
    read."""

    name: str
    operands: list[HloValue]
    results: list[HloValue]
    attributes: dict[str, HloAttribute]
    regions: list[HloBlock]
    place: str
    """`FILE:LINE:COLUMN`."""


@dataclass(slots=True, eq=False)
class HloFunction:
    """A function; the attributes of arguments tell donated buffers (`tf.aliasing_output`, `jax.buffer_donor`) and names
    (`jax.arg_info`), those of results names (`jax.result_info`)."""

    name: str
    body: HloBlock
    place: str
    argument_attributes: Sequence[Mapping[str, HloAttribute]] = ()
    result_attributes: Sequence[Mapping[str, HloAttribute]] = ()

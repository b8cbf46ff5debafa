"""Records for the parts of a StableHLO program; readers of text and of MLIR's Python bindings build equal records.
Records are not validated: unsupported ops have records, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.ir import SSAValue

from dialects.annotations import DECLARING

HloAttribute: TypeAlias = (
    "bool | int | float | str | DenseLiteral | AttributeText | list[HloAttribute] | dict[str, HloAttribute]"
)
"""A value of an op's attribute; symbols and keywords are strings."""


@dataclass(frozen=True, slots=True)
class TypeText:
    """A type other than a tensor of numbers, as text (`!stablehlo.token`, `tuple<…>`)."""

    text: str


@dataclass(frozen=True, slots=True)
class TensorShape:
    """The extents of a tensor (None for a dynamic extent) and its element type (`f32`, `i1`, `ui8`, …)."""

    shape: tuple[int | None, ...]
    element: str

    def __str__(self) -> str:
        return f"tensor<{'x'.join([*('?' if n is None else str(n) for n in self.shape), self.element])}>"


HloType: TypeAlias = TensorShape | TypeText


@dataclass(frozen=True, slots=True)
class DenseLiteral:
    """A dense literal: the text between `dense<` and `>`, and its type. A literal `dense_resource<…>` is kept with its
    whole text."""

    text: str
    type: HloType | None = None
    at: int | None = field(default=None, compare=False)
    """The character offset of `dense<` in the program's text; None for programs that were not parsed by ndpir's own
    grammar."""


@dataclass(frozen=True, slots=True)
class AttributeText:
    """The value of an attribute of ndpir's dialects (`task.on`), as text: `@pim`; `unit` for one without value."""

    text: str

    @staticmethod
    def is_of(name: str) -> bool:
        """True for the name of such an attribute."""
        return name.partition(".")[0] in DECLARING and "." in name


@dataclass(slots=True, eq=False)
class HloValue:
    """A result of an op, or an argument of a block."""

    name: str
    type: HloType

    @property
    def name_hint(self) -> str | None:
        """The name without `%`; None if the name is a number."""
        name = self.name.removeprefix("%")
        return name if SSAValue.is_valid_name(name) else None


@dataclass(slots=True, eq=False)
class HloBlock:
    """The block of a region; in StableHLO, each region has exactly one block."""

    arguments: list[HloValue]
    ops: list[HloOp]


@dataclass(slots=True, eq=False)
class HloOp:
    """One op. `name` is without the prefix `stablehlo.`; `attributes` have the names of the generic form, even if the
    op was written in the pretty form."""

    name: str
    operands: list[HloValue]
    results: list[HloValue]
    attributes: dict[str, HloAttribute]
    regions: list[HloBlock]
    place: str
    """The op's location, as `FILE:LINE:COLUMN`."""


@dataclass(slots=True, eq=False)
class HloModule:
    """The attributes of a module, and its place."""

    attributes: Mapping[str, HloAttribute]
    place: str


@dataclass(slots=True, eq=False)
class HloFunction:
    """A function. Attributes of arguments state donated buffers (`tf.aliasing_output`, `jax.buffer_donor`) and names
    (`jax.arg_info`); attributes of results state names (`jax.result_info`)."""

    name: str
    body: HloBlock
    place: str
    argument_attributes: Sequence[Mapping[str, HloAttribute]] = ()
    result_attributes: Sequence[Mapping[str, HloAttribute]] = ()
    attributes: Mapping[str, HloAttribute] = field(default_factory=dict[str, HloAttribute])
    modules: Sequence[HloModule] = ()
    """The modules around the function, the outermost first."""


def ops_in(blocks: Sequence[HloBlock]) -> Iterator[HloOp]:
    """The ops in blocks and in the regions of these ops."""
    for block in blocks:
        for op in block.ops:
            yield op
            yield from ops_in(op.regions)

"""Construction of graph ops for the converters of StableHLO ops."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NoReturn, Protocol, TypeAlias, TypeVar, cast

from numpy.typing import NDArray
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Block, SSAValue
from xdsl.utils.exceptions import VerifyException

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import dtype_of, element_type_named, tensor_type
from dialects.graph.constant import NumbersAttr
from dialects.locations import at_line
from interp.numerics.dense import elements
from lowering.graph.folding import Folding
from ndpir.frontends.construction import Construction
from ndpir.frontends.stablehlo import module as program
from ndpir.frontends.stablehlo.literals import Literals
from ndpir.frontends.stablehlo.module import DenseLiteral, HloAttribute, HloOp, HloType, HloValue, TensorShape

Array: TypeAlias = NDArray[Any]


class ConversionContext(Protocol):
    """The context of an op's conversion: the block that gets the new ops, and a map from the program's values to graph
    values."""

    block: Block
    folding: Folding
    """Constant folding for ops on small constants, such as loop counters."""
    literals: Literals
    """The weights created from long literals."""

    def convert(self, op: HloOp) -> None:
        """Convert an op, and record the values of its results."""
        ...

    def weight(self, block: program.HloBlock, heavy: Sequence[str]) -> float:
        """The number of ops in a region, including called functions; infinite if the name of one of these ops is in
        `heavy`."""
        ...

    def __getitem__(self, value: HloValue) -> SSAValue: ...

    def __setitem__(self, value: HloValue, made: SSAValue) -> None: ...


class Building(Construction):
    """The conversion of one StableHLO op: access to its attributes, and construction of the graph ops that replace it,
    with the op's location."""

    def __init__(self, op: HloOp, scope: ConversionContext) -> None:
        self.op, self.scope, self.block = op, scope, scope.block
        self.location = located_at(op.place)

    def fail(self, message: str) -> NoReturn:
        """Raise InputError with the op's name and location."""
        name = self.op.name if "." in self.op.name else f"stablehlo.{self.op.name}"
        raise InputError(f"{name}: {message}", self.op.place)

    def build(self, cls: type[g.GraphOp], /, *operands: SSAValue, **properties: Any) -> SSAValue:
        """The result of a new op, folded to a constant if possible. Raises InputError at the StableHLO op if the new op
        is invalid."""
        try:
            made = cls(*operands, **properties)
        except VerifyException as error:
            self.fail(str(error))
        # A bitcast is not folded: its bits may be a nan with a sign, which constants can't hold.
        if cls is not g.BitcastOp and (numbers := self.scope.folding.value_of(made)) is not None:
            made.drop_all_references()
            made = g.ConstantOp(numbers)
        made.location = self.location
        self.block.add_op(made)
        return made.results[0]

    def inlined(self, block: program.HloBlock, operands: Sequence[SSAValue]) -> list[SSAValue]:
        """The results of a region, converted inline with `operands` as its arguments. Raises InputError if the region
        has no return."""
        for value, operand in zip(block.arguments, operands, strict=True):
            self.scope[value] = operand
        for op in block.ops:
            if op.name == "return":
                return [self.scope[value] for value in op.operands]
            self.scope.convert(op)
        self.fail("its region has no return; end it with stablehlo.return")

    def inlined_into(self, block: Block, region: program.HloBlock, operands: Sequence[SSAValue]) -> list[SSAValue]:
        """The results of a region, converted inline into another block."""
        scope = self.scope
        scope.block, outer = block, scope.block
        try:
            return Building(self.op, scope).inlined(region, operands)
        finally:
            scope.block = outer

    def constant(self, value: Array | NumbersAttr) -> SSAValue:
        """A constant. Raises InputError if it has too many differing elements for a literal."""
        try:
            return self.placed(g.ConstantOp(value))
        except VerifyException as error:
            self.fail(str(error))

    def placed(self, made: g.ConstantOp | g.WeightOp) -> SSAValue:
        """The result of an op without operands, which is added to the block."""
        made.location = self.location
        self.block.add_op(made)
        return made.y

    # Attributes.

    def get(self, key: str) -> HloAttribute:
        """The value of an attribute. Raises InputError if the op has no attribute of this name."""
        if key not in self.op.attributes:
            self.fail(f"attribute `{key}` is missing; add it")
        return self.op.attributes[key]

    def ints(self, key: str, default: Sequence[int] | None = None) -> tuple[int, ...]:
        """An attribute as a tuple of integers, from a list, an array or a dense literal."""
        if default is not None and key not in self.op.attributes:
            return tuple(default)
        return self.as_ints(key, self.get(key))

    def as_ints(self, key: str, found: HloAttribute) -> tuple[int, ...]:
        match found:
            case DenseLiteral(type=TensorShape()):
                return tuple(array_of(found, self).ravel().tolist())
            case list() if all(isinstance(each, int) for each in found):
                return tuple(cast("list[int]", found))
            case int():
                return (found,)
            case _:
                self.fail(f"`{key}` must be a list of integers, not {found}")

    def pairs(self, key: str, count: int) -> list[tuple[int, int]]:
        """An attribute with a pair of integers for each of `count` axes, such as padding widths; zeros if the op has no
        such attribute."""
        found = self.op.attributes.get(key)
        if found is None:
            return [(0, 0)] * count
        flat = [n for each in (found if isinstance(found, list) else [found]) for n in self.as_ints(key, each)]
        if len(flat) == 1:
            flat *= 2 * count
        if len(flat) != 2 * count:
            self.fail(f"`{key}` has {len(flat)} numbers, but needs two for each of {count} axes")
        return list(zip(flat[::2], flat[1::2], strict=True))

    def integer(self, key: str, default: int | None = None) -> int:
        found = self.ints(key, None if default is None else (default,))
        return found[0] if len(found) == 1 else self.fail(f"`{key}` must be one integer, not {list(found)}")

    def word(self, key: str, default: str | None = None) -> str:
        """An attribute that is a keyword, such as the direction of a comparison."""
        return str(self.op.attributes.get(key, default) if default is not None else self.get(key))

    def fields(self, key: str) -> dict[str, HloAttribute]:
        found = self.get(key)
        return found if isinstance(found, dict) else self.fail(f"`{key}` must have named fields, not be {found}")

    def result(self, index: int = 0) -> g.Tensor:
        """The type of result `index` as stated in the program."""
        return self.tensor(self.op.results[index].type)

    def tensor(self, type_: HloType) -> g.Tensor:
        """The graph-level type of a StableHLO type. Raises InputError for an unsupported type."""
        return graph_type(type_, self.op.place)


def located_at(place: str) -> LocationAttr:
    """The location of a place, `FILE:LINE:COLUMN`."""
    file, line, column = place.rsplit(":", 2)
    return at_line(file, int(line), int(column))


def graph_type(type_: HloType, place: str) -> g.Tensor:
    """The graph-level type of a StableHLO type. Raises InputError for an unsupported type."""
    if isinstance(type_, TensorShape):
        if (known := _known_type(type_)) is not None:
            return known
        if None in type_.shape:
            raise InputError(f"{type_} has a dynamic extent; lower the function for known shapes", place)
    text = str(type_) if isinstance(type_, TensorShape) else type_.text
    raise InputError(f"type {text} is not supported; use tensors of f16, bf16, f32, f64, i1 or integers", place)


@cache
def _known_type(type_: TensorShape) -> g.Tensor | None:
    try:
        shape = [extent for extent in type_.shape if extent is not None]
        return tensor_type(shape, element_type_named(type_.element)) if len(shape) == len(type_.shape) else None
    except KeyError:
        return None


def array_of(numbers: DenseLiteral, building: Building) -> Array:
    """The elements of a dense literal. Raises InputError for invalid text."""
    assert numbers.type is not None
    type_ = building.tensor(numbers.type)
    dtype, shape = dtype_of(type_.element_type), type_.get_shape()
    if (resource := _RESOURCE.match(numbers.text)) is not None:
        building.fail(
            "the printed text does not contain the numbers (dense_resource<__elided__>); print the program "
            "with all numbers, as "
            "as_text() does, or pass the lowered object to ndpir.read"
            if resource[1].startswith("__elided__")
            else f"the numbers are in a resource ({numbers.text[:60]}); print the program with dense literals"
        )
    try:
        return elements(numbers.text, shape, dtype)
    except (ValueError, OverflowError) as error:
        building.fail(f"`dense<{numbers.text.strip()[:40]}>` can't be read as {type_}: {error}")


_RESOURCE = re.compile(r"dense_resource<([^>]*)>")


Converter: TypeAlias = "Callable[[Building, list[SSAValue]], SSAValue | list[SSAValue]]"
CONVERTERS: dict[str, Converter] = {}
"""Converter functions by op name; each takes the converted operands of an op and returns the values that replace its
results."""
ConverterT = TypeVar("ConverterT", bound=Converter)


def converts(*names: str) -> Callable[[ConverterT], ConverterT]:
    """A decorator that registers a function as the converter of the ops with the given names."""

    def enter(converter: ConverterT) -> ConverterT:
        CONVERTERS.update(dict.fromkeys(names, converter))
        return converter

    return enter

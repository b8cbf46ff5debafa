"""Converters for element-wise ops; each follows the section of the StableHLO specification with the op's name."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import I1, IntegerType, dtype_of, element_type_of, is_float, tensor_type
from dialects.graph.constant import NumbersAttr
from ndpir.frontends.stablehlo.building import CONVERTERS, Building, Converter, array_of, converts
from ndpir.frontends.stablehlo.literals import numbers_of
from ndpir.frontends.stablehlo.module import DenseLiteral
from ndpir.writers.stablehlo.names import ONE_TO_ONE

ON_TRUTH_VALUES = {"add": g.OrOp, "maximum": g.OrOp, "minimum": g.AndOp, "multiply": g.AndOp}
"""The graph op for arithmetic on truth values (i1), by op name: a sum is an or, a product is an and (specification, add
and multiply)."""


def _same(cls: type[g.GraphOp], properties: dict[str, Any]) -> Converter:
    def convert(b: Building, xs: list[SSAValue]) -> SSAValue:
        return b.build(cls, *xs, **properties)

    return convert


CONVERTERS.update({name: _same(cls, properties) for name, (cls, properties) in ONE_TO_ONE.items()})


@converts(*ON_TRUTH_VALUES)
def arithmetic(b: Building, xs: list[SSAValue]) -> SSAValue:
    on_truth = g.tensor_of(xs[0]).element_type == I1
    return b.build(ON_TRUTH_VALUES[b.op.name] if on_truth else ONE_TO_ONE[b.op.name][0], *xs)


@converts("chlo.square")
def square(b: Building, xs: list[SSAValue]) -> SSAValue:
    """The product of the operand with itself."""
    return b.build(g.MulOp, xs[0], xs[0])


@converts("constant", "chlo.constant")
def constant(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.constant`; a literal of more than 1024 elements that are not all equal becomes a `graph.weight`, whose
    numbers stay in the file."""
    value = b.get("value")
    if not isinstance(value, DenseLiteral):
        b.fail(f"`value` must be a dense literal (dense<…>), not {value}")
    literal = replace(value, type=value.type or b.op.results[0].type)
    if (known := _NUMBERS.get(literal)) is not None:
        return b.constant(known)
    if (repeated := b.scope.literals.known(literal)) is not None:
        return b.placed(repeated)
    array = array_of(literal, b)
    type_ = tensor_type(array.shape, element_type_of(array.dtype))
    if (weight := b.scope.literals.weight(literal, array, type_)) is not None:
        return b.placed(weight)
    if array.dtype.kind not in "biu" and np.signbit(array[np.isnan(array)]).any():
        return b.build(g.BitcastOp, b.constant(array.view(f"u{array.dtype.itemsize}")), result_type=b.result())
    numbers = numbers_of(array, type_)
    if len(literal.text) < _SHORT:
        _NUMBERS[literal] = numbers
    return b.constant(numbers)


_NUMBERS: dict[DenseLiteral, NumbersAttr] = {}
"""The numbers of short literals by literal, cached since programs repeat literals."""
_SHORT = 64


@converts("convert")
def convert(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.cast` to the result's element type."""
    return b.cast(xs[0], b.result().element_type)


@converts("compare")
def compare(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.compare`; for comparisons in total order, floating-point numbers are first mapped to integers with the
    same order."""
    if b.word("compare_type", "FLOAT") == "TOTALORDER":
        xs = [in_total_order(b, x) for x in xs]
    return b.build(g.CompareOp, *xs, kind=b.word("comparison_direction").lower())


def in_total_order(b: Building, x: SSAValue) -> SSAValue:
    """Floating-point numbers mapped to integers in the order of `TOTALORDER`: -nan, -inf, …, -0, 0, …, inf, nan. The
    integers are the numbers' bits, with all bits but the sign inverted for negative numbers. Integers are unchanged."""
    type_ = g.tensor_of(x)
    if not is_float(type_.element_type):
        return x
    width = 8 * dtype_of(type_.element_type).itemsize
    bits = b.build(g.BitcastOp, x, result_type=tensor_type(type_.get_shape(), IntegerType(width)))
    sign = b.build(g.ShiftOp, bits, b.constant(np.array(width - 1, f"i{width // 8}")), kind="arithmetic")
    largest = b.constant(np.array((1 << (width - 1)) - 1, f"i{width // 8}"))
    return b.build(g.XorOp, bits, b.build(g.AndOp, sign, largest))


@converts("select")
def select(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.select`."""
    return b.build(g.SelectOp, *xs)


@converts("clamp")
def clamp(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.max` with the lower limit, then `graph.min` with the upper one."""
    low, x, high = xs
    return b.build(g.MinOp, b.build(g.MaxOp, x, low), high)


@converts("iota", "dynamic_iota")
def iota(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.constant` with the coordinates along one axis, broadcast to the result's shape."""
    type_ = b.result()
    along = b.along(b.integer("iota_dimension"), type_.get_shape(), type_.element_type)
    return b.broadcast_to(along, type_.get_shape())


@converts("popcnt")
def popcnt(b: Building, xs: list[SSAValue]) -> SSAValue:
    """The number of bits that are one: neighbouring bits are added, then the sums of neighbouring pairs, of groups of
    four, of eight, … (Warren, Hacker's Delight, 5-1)."""
    x = xs[0]
    dtype = dtype_of(g.tensor_of(x).element_type)
    bits, width = 8 * dtype.itemsize, 1
    while width < bits:
        mask = sum(((1 << width) - 1) << at for at in range(0, bits, 2 * width))
        kept = b.constant(np.array(mask, f"u{dtype.itemsize}").view(dtype))
        moved = b.build(g.ShiftOp, x, b.constant(np.array(width, dtype)), kind="right")
        x = b.build(g.AddOp, b.build(g.AndOp, x, kept), b.build(g.AndOp, moved, kept))
        width *= 2
    return x


@converts("count_leading_zeros")
def count_leading_zeros(b: Building, xs: list[SSAValue]) -> SSAValue:
    """The number of leading zero bits: all bits below the highest set bit are set, and the remaining zeros are
    counted."""
    x = xs[0]
    dtype = dtype_of(g.tensor_of(x).element_type)
    width = 1
    while width < 8 * dtype.itemsize:
        x = b.build(g.OrOp, x, b.build(g.ShiftOp, x, b.constant(np.array(width, dtype)), kind="right"))
        width *= 2
    return popcnt(b, [b.build(g.NotOp, x)])


@converts("optimization_barrier")
def optimization_barrier(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """The operands, unchanged."""
    return xs


BY_ELEMENT = {*ONE_TO_ONE, "chlo.square", "constant", "convert", "compare", "select", "clamp"}
"""Ops that a region on scalars may contain. Applied to tensors, they compute each element as the region does."""


def neutral_element(kind: str, element: Any) -> Any:
    """The neutral element of a reduction of the given kind."""
    dtype = dtype_of(element)
    if kind in ("sum", "prod"):
        return dtype.type(kind == "prod")
    if is_float(element):
        return dtype.type(-inf if kind == "max" else inf)
    if element == I1:
        return dtype.type(kind == "min")
    limits = np.iinfo(dtype)
    return dtype.type(limits.min if kind == "max" else limits.max)

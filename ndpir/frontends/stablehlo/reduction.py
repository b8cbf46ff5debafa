"""Reductions: by the one op in their region, or by a pattern that it makes."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import I1, IntegerType
from ndpir.frontends.stablehlo.building import Building, converts
from ndpir.frontends.stablehlo.elementwise import worst
from ndpir.frontends.stablehlo.module import Block, Op
from ndpir.frontends.stablehlo.movement import known_number

KINDS = {"add": "sum", "multiply": "prod", "minimum": "min", "maximum": "max", "and": "min", "or": "max"}
"""What an op folds a row of elements into. Of truth values `and` is the least and `or` the largest."""
BINARY = {"sum": g.AddOp, "prod": g.MulOp, "min": g.MinOp, "max": g.MaxOp}


def folding(block: Block) -> str | None:
    """The op that a region folds its two arguments with, if that is all it does."""
    match block.ops:
        case [Op(name=name, operands=[left, right], results=[made]), Op(name="return", operands=[given])]:
            return name if given is made and {id(left), id(right)} == {id(v) for v in block.arguments} else None
        case _:
            return None


@converts("reduce")
def reduce(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """Several operands are folded together where the region finds the place of the least or largest."""
    count = len(xs) // 2
    if count == 1:
        name = folding(b.op.regions[0])
        if name not in KINDS:
            b.fail("a reduction folds with one op: add, multiply, minimum, maximum, and, or")
        return [folded(b, xs[0], xs[1], name, b.ints("dimensions"))]
    b.fail("a reduction of several operands at once is not read")


def folded(b: Building, x: SSAValue, start: SSAValue, name: str, axes: tuple[int, ...]) -> SSAValue:
    """`x` folded along some axes, and with what it starts from where that changes anything."""
    element, kind = g.tensor_of(x).element_type, KINDS[name]
    if element == I1:
        kind = {"add": "max", "multiply": "min", "minimum": "min", "maximum": "max"}.get(name, kind)
    elif name in ("and", "or"):
        b.fail(f"bits of integers are not folded by `{name}`; truth values are")
    small = IntegerType(8)
    wide = b.cast(x, small) if element == I1 else x
    y = b.add(g.ReduceOp, wide, kind=kind, axes=axes) if axes else wide
    y = b.cast(y, element)
    if known_number(start) == worst(kind, element):
        return y
    cls = BINARY[kind] if element != I1 else {"min": g.AndOp, "max": g.OrOp}[kind]
    return b.add(cls, y, start)

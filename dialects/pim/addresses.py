"""Explicit addresses of commands, as attributes: a constant, and a factor for the variable of each enclosing loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Attribute, Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.pim.loops import ForOp
from dialects.programs.index import Linear
from dialects.programs.properties import Ints, values_of

ADDRESS = "address"
"""The attribute with an op's address within its channel from a vendor's text, if it differs from the one implied by
scope, row and column."""


def addressed(address: Linear, loops: Sequence[SSAValue]) -> Attribute:
    """An address as an attribute; `loops`: the variables of the enclosing loops, the outermost first."""
    return DenseArrayBase.from_list(i64, address.numbers(loops))


def stated_address(op: Operation, name: str = ADDRESS) -> Linear | None:
    """The explicit address of an op, as an expression of the enclosing loops' variables; None if it has none. `name`:
    the attribute. Raises InputError for a malformed attribute."""
    stated = op.attributes.get(name)
    if stated is None:
        return None
    loops = loops_around(op)
    numbers = values_of(cast(Ints, stated))
    if len(numbers) != 1 + len(loops):
        raise InputError(
            f"{op.name}: `{name}` must hold one constant and one factor for each of the {len(loops)} loops around "
            f"the op, for instance array<i64: {', '.join(['0'] * (1 + len(loops)))}>, not {stated}",
            op,
        )
    return Linear.over(loops, numbers)


def loops_around(op: Operation) -> list[SSAValue]:
    """The variables of the loops that enclose an op, the outermost first."""
    found: list[SSAValue] = []
    around = op.parent_op()
    while around is not None:
        if isinstance(around, ForOp):
            found.append(around.variable)
        around = around.parent_op()
    return found[::-1]

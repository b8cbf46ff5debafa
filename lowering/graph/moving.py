"""Ops that move elements around a contraction, and that its kernel does as it loads and stores them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from xdsl.ir import Block, Operation, SSAValue

from dialects import graph as g

IsMove: TypeAlias = Callable[[Operation | Block], bool]


def movers(value: SSAValue, is_move: IsMove) -> Iterator[g.GraphOp]:
    """The ops that move elements on the way to a value, the last first."""
    while is_move(op := value.owner):
        assert isinstance(op, g.GraphOp)
        yield op
        value = op.operands[0]


def moved_after(value: SSAValue, is_move: IsMove) -> list[g.GraphOp]:
    """The ops that move a result which nothing else reads."""
    ops: list[g.GraphOp] = []
    while value.has_one_use() and is_move(op := next(iter(value.uses)).operation):
        assert isinstance(op, g.GraphOp)
        ops.append(op)
        value = op.results[0]
    while ops and isinstance(ops[-1], g.ReshapeOp):
        ops.pop()
    return ops

"""Common subexpressions: ops that compute the same from the same values stand once in a block."""

from __future__ import annotations

from collections.abc import Hashable

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from dialects.graph import GraphOp
from dialects.graph.constant import ConstantOp, WeightOp
from dialects.locations import located


def merge_equal_ops(module: ModuleOp) -> int:
    """Let the first of equal graph ops of a block stand for all, and bear their places; how many went."""
    merged: dict[Operation, list[Operation]] = {}
    for block in module.walk_blocks():
        _merge_in(block, merged)
    for first, others in merged.items():
        if not isinstance(first, ConstantOp | WeightOp):
            located(first, first, *others)
        for other in others:
            block = other.parent
            assert block is not None
            block.erase_op(other)
    return sum(map(len, merged.values()))


def _merge_in(block: Block, merged: dict[Operation, list[Operation]]) -> None:
    seen: dict[Hashable, Operation] = {}
    for op in block.ops:
        if not isinstance(op, GraphOp):
            continue
        first = seen.setdefault(_identity(op), op)
        if first is not op:
            merged.setdefault(first, []).append(op)
            for old, new in zip(op.results, first.results, strict=True):
                old.replace_all_uses_with(new)


def _identity(op: GraphOp) -> Hashable:
    """Equal for ops that compute the same."""
    types = tuple(op.result_types) if op.EXPLICIT_RESULT else ()
    return type(op), tuple(op.operands), frozenset(op.properties.items()), frozenset(op.attributes.items()), types

"""Patterns by which products of rows with matrices that were gathered for them become products of experts, which read a
matrix once for all rows that choose it and write none."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from xdsl.ir import SSAValue

from dialects.element_types import tensor_type
from dialects.graph.binary import AddOp
from dialects.graph.contraction import GroupedMatmulOp, MatmulOp
from dialects.graph.indexing import GatherNdOp, GatherOp
from dialects.graph.op import shape_of
from dialects.graph.patterns.matching import axes_of, element_of, made_by, only_made_by, rebuilt
from dialects.graph.quantized import DequantizeOp
from dialects.graph.rules import Replacement, RuleBuilder, Table
from dialects.graph.shape import BroadcastOp, ReshapeOp, TransposeOp


class _Chosen(NamedTuple):
    """Entries of a table along its first axis, one for each id: `table` holds one for each expert."""

    table: SSAValue
    ids: SSAValue
    """Of the shape of the entries' leading axes, or with one more axis, of extent 1."""


def _chosen(value: SSAValue, new: RuleBuilder | None = None) -> _Chosen | None:
    """The table and the ids of which a value is a gather, perhaps transposed or dequantized since. With `new`, the
    table is moved and dequantized in the same way; without, it is as it was gathered. None for any other value."""
    if (gather := made_by(value, GatherOp)) is not None:
        return _Chosen(gather.x, gather.indices) if not gather.axis.value.data else None
    if (gather := made_by(value, GatherNdOp)) is not None:
        one = not gather.batch_dims.value.data and shape_of(gather.indices)[-1] == 1
        return _Chosen(gather.x, gather.indices) if one else None
    if (moved := made_by(value, TransposeOp)) is not None:
        found = _chosen(moved.x, new)
        if found is None or new is None:
            return found
        lead = len(shape_of(moved.x)) - len(shape_of(found.table)) + 1
        order = axes_of(moved.permutation)
        if order[:lead] != tuple(range(lead)):
            return None
        rest = [0, *(axis - lead + 1 for axis in order[lead:])]
        return _Chosen(new(TransposeOp(found.table, permutation=rest), moved), found.ids)
    if (scaled := made_by(value, DequantizeOp)) is not None:
        return _dequantized(scaled, new)
    return None


def _dequantized(op: DequantizeOp, new: RuleBuilder | None) -> _Chosen | None:
    """`_chosen` of dequantized entries: their scales and zero points were gathered by the same ids, or are the same for
    all experts."""
    found = _chosen(op.x, new)
    if found is None:
        return None
    lead = len(shape_of(op.x)) - len(shape_of(found.table)) + 1
    axis = op.axis.value.data
    if op.block.value.data and axis < lead:
        return None
    scales: list[SSAValue] = []
    for value in op.operands[1:]:
        of_expert = _chosen(value, new)
        if of_expert is not None and of_expert.ids is found.ids:
            scales.append(of_expert.table)
            continue
        shape = shape_of(value)
        full = (1,) * (len(shape_of(op.x)) - len(shape)) + shape
        if any(extent != 1 for extent in full[:lead]):
            return None
        scales.append(_reshaped(value, (1, *full[lead:]), new) if new is not None and shape else value)
    if new is None:
        return found
    at = axis - lead + 1 if op.block.value.data else 0
    return _Chosen(new(DequantizeOp(found.table, *scales, axis=at, block=op.block.value.data), op), found.ids)


def _gathered_product(op: MatmulOp, new: RuleBuilder) -> Replacement:
    if op.bias is not None:
        return None
    turned = bool(op.transpose_a.value.data), bool(op.transpose_b.value.data)
    for index in (0, 1):
        value, row = op.operands[index], op.operands[1 - index]
        if _chosen(value) is None or len(shape_of(value)) < 3:
            continue
        # The other factor is one row, [1, k], or, behind the matrix, one column, [k, 1].
        *batch, first, second = shape_of(row)
        is_line = (second if turned[1 - index] else first) if index else (first if turned[1] else second)
        lead = shape_of(value)[:-2]
        batch = (1,) * (len(lead) - len(batch)) + tuple(batch)
        if is_line != 1 or any(extent not in (1, full) for extent, full in zip(batch, lead, strict=False)):
            continue
        if len(batch) != len(lead) or (found := _chosen(value, new)) is None:
            continue
        if len(shape_of(found.table)) != 3:
            continue
        ids = _reshaped(found.ids, lead, new)
        x = _reshaped(row, (*batch, first * second), new)
        stored = turned[1] if index else not turned[0]  # W · x = x · Wᵀ
        y = new(GroupedMatmulOp(x, found.table, ids, transpose_b=stored), op)
        return _reshaped(y, shape_of(op.y), new)
    return None


def _bias(op: AddOp, new: RuleBuilder) -> Replacement:
    """(x · w[id]) + b[id] = x · w[id] + b[id], rounded once."""
    for value, other in ((op.a, op.b), (op.b, op.a)):
        view = only_made_by(value, ReshapeOp)
        product = only_made_by(view.x if view is not None else value, GroupedMatmulOp)
        found = _chosen(other) if product is not None and product.bias is None else None
        if product is None or found is None or len(shape_of(found.table)) != 2:
            continue
        if shape_of(other) != shape_of(value) or not _same(found.ids, product.ids):
            continue
        table = found.table
        if shape_of(table)[0] != shape_of(product.w)[0] or element_of(table) != element_of(product.y):
            continue
        whole = _chosen(other, new)
        assert whole is not None
        biased = new(rebuilt(product, *product.operands[:3], whole.table), product)
        return _reshaped(biased, shape_of(op.y), new)
    return None


def _same(a: SSAValue, b: SSAValue) -> bool:
    """True if two values are views of the same one."""
    while isinstance(a.owner, ReshapeOp):
        a = a.owner.x
    while isinstance(b.owner, ReshapeOp):
        b = b.owner.x
    return a is b


def _by_token(op: GroupedMatmulOp, new: RuleBuilder) -> Replacement:
    """Ids in one row for all choices of all tokens: an axis for the choices again, by which work counts experts."""
    source = op.ids
    while isinstance(source.owner, ReshapeOp):
        source = source.owner.x
    if len(shape_of(source)) < 2:
        return None
    *tokens, choices = shape_of(source)
    rows = prod(shape_of(op.ids))
    if op.choices > 1 or choices < 2 or prod(shape_of(op.x)[:-1]) != rows:
        return None
    lead = tuple(extent for extent in tokens if extent != 1) or (1,)
    x = _reshaped(op.x, (*lead, choices, shape_of(op.x)[-1]), new)
    y = new(rebuilt(op, x, op.w, _reshaped(source, (*lead, choices), new), *op.operands[3:]), op)
    return _reshaped(y, shape_of(op.y), new)


def _repeated_rows(op: GroupedMatmulOp, new: RuleBuilder) -> Replacement:
    """A token's row that was repeated for each of its choices: read once."""
    repeat = made_by(op.x, BroadcastOp)
    if repeat is None or shape_of(repeat.x)[-1:] != shape_of(op.x)[-1:]:
        return None
    shape = shape_of(repeat.x)
    x = _reshaped(repeat.x, (1,) * (len(shape_of(op.x)) - len(shape)) + shape, new)
    return new(rebuilt(op, x, *op.operands[1:]), repeat)


def _turned_matrices(op: GroupedMatmulOp, new: RuleBuilder) -> Replacement:
    inner = made_by(op.w, TransposeOp)
    if inner is None or axes_of(inner.permutation) != (0, 2, 1):
        return None
    turned = not op.transpose_b.value.data
    return new(rebuilt(op, op.x, inner.x, *op.operands[2:], transpose_b=turned), inner)


def _reshaped(x: SSAValue, shape: tuple[int, ...], new: RuleBuilder) -> SSAValue:
    if shape_of(x) == shape:
        return x
    return new(ReshapeOp(x, result_type=tensor_type(shape, element_of(x))))


RULES: Table = (
    (MatmulOp, _gathered_product),  # x · gather(w, ids) = the product of experts
    (AddOp, _bias),  # experts' products + gather(b, ids) = with a bias
    (GroupedMatmulOp, _by_token),  # ids [t · k] = ids [t, k]
    (GroupedMatmulOp, _repeated_rows),  # rows repeated for each choice = rows that broadcast
    (GroupedMatmulOp, _turned_matrices),  # x · transpose(w) = x · w with transpose_b
)

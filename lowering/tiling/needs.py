"""What a part of an op's result needs of its operands, op by op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from dialects.graph import (
    AttentionOp,
    BatchNormOp,
    BroadcastOp,
    ConcatOp,
    ConvOp,
    CumsumOp,
    ElementwiseOp,
    GatherOp,
    GraphOp,
    LayerNormOp,
    LrnOp,
    MatmulOp,
    PadOp,
    PoolOp,
    ReduceOp,
    ReshapeOp,
    RmsNormOp,
    SliceOp,
    SoftmaxOp,
    TransposeOp,
    shape_of,
)
from dialects.graph.contraction import WindowedOp
from lowering.tiling.boxes import Box, Part, replaced, whole


def part_of_op(op: GraphOp, box: Box) -> Part | None:
    """What a part of an op's result takes; None where it can't be computed alone."""
    rule = next((rule for types, rule in _RULES if isinstance(op, types)), None)
    return rule(op, box) if rule is not None else None


def _stretched(value: SSAValue, box: Box) -> Box:
    """The part of a broadcast operand that lies under a box of the result."""
    shape = shape_of(value)
    tail = box[len(box) - len(shape) :]
    return tuple(range(1) if extent == 1 else indices for extent, indices in zip(shape, tail, strict=True))


def _elementwise(op: GraphOp, box: Box) -> Part:
    return Part(tuple(_stretched(value, box) for value in op.operands))


def _along(op: GraphOp, axes: Sequence[int], box: Box) -> Part | None:
    """An op that needs all of some axes, with factors that broadcast."""
    shape = shape_of(op.operands[0])
    if any(len(box[axis]) != shape[axis] for axis in axes):
        return None
    return _elementwise(op, box)


def _one_axis(op: GraphOp, box: Box) -> Part | None:
    assert isinstance(op, SoftmaxOp | CumsumOp)
    return _along(op, [op.axis.value.data % len(box)], box)


def _norm(op: GraphOp, box: Box) -> Part | None:
    assert isinstance(op, LayerNormOp | RmsNormOp)
    return _along(op, range(op.axis.value.data % len(box), len(box)), box)


def _lrn(op: GraphOp, box: Box) -> Part | None:
    return _along(op, [1], box)


def _batch_norm(op: GraphOp, box: Box) -> Part:
    return Part((box, *((box[1],) for _ in op.operands[1:])))


def _matmul(op: GraphOp, box: Box) -> Part:
    assert isinstance(op, MatmulOp)
    *batch, rows, columns = box
    depth = range(op.sizes[3])
    turned_a, turned_b = bool(op.transpose_a.value.data), bool(op.transpose_b.value.data)
    a = (depth, rows) if turned_a else (rows, depth)
    b = (columns, depth) if turned_b else (depth, columns)
    needs = [_batched(op.a, batch, a), _batched(op.b, batch, b)]
    if op.bias is not None:
        needs.append(_stretched(op.bias, box))
    return Part(tuple(needs))


def _batched(value: SSAValue, batch: Sequence[range], matrix: Box) -> Box:
    shape = shape_of(value)[:-2]
    tail = batch[len(batch) - len(shape) :]
    return (*(range(1) if extent == 1 else indices for extent, indices in zip(shape, tail, strict=True)), *matrix)


def _windows(op: WindowedOp, box: Box, kernel: tuple[int, ...]) -> tuple[Box, list[int]] | None:
    """The part of the image's spatial axes that windows see, and the pads that they still need; None where a window
    sees no image at all. An axis that is not cut stays whole, whether windows see all of it or not, so that rows are
    one piece of memory."""
    image = shape_of(op.operands[0])[2:]
    strides, pads, dilations = op.window(kernel)
    seen: list[range] = []
    low: list[int] = []
    high: list[int] = []
    results = shape_of(op.results[0])[2:]
    for indices, count, extent, k, stride, pad, dilation in zip(
        box[2:], results, image, kernel, strides, pads, dilations, strict=True
    ):
        first = indices.start * stride - pad[0]
        last = (indices.stop - 1) * stride - pad[0] + (k - 1) * dilation + 1
        inside = range(max(first, 0), min(last, extent))
        if not inside:
            return None
        seen.append(range(extent) if len(indices) == count else inside)
        low.append(max(-first, 0))
        high.append(max(last - extent, 0))
    return tuple(seen), [*low, *high] if any((*low, *high)) else []


def _conv(op: GraphOp, box: Box) -> Part | None:
    """Output channels of several groups come in whole groups."""
    assert isinstance(op, ConvOp)
    found = _windows(op, box, op.kernel)
    if found is None:
        return None
    seen, pads = found
    groups, filters, channels = op.groups.value.data, box[1], range(shape_of(op.x)[1])
    if len(filters) != shape_of(op.y)[1] and groups > 1:
        each, depth = shape_of(op.y)[1] // groups, shape_of(op.w)[1]
        if filters.start % each or filters.stop % each:
            return None
        channels = range(filters.start // each * depth, filters.stop // each * depth)
        groups = len(filters) // each
    needs = [(box[0], channels, *seen), (filters, *whole(op.w)[1:])]
    if op.bias is not None:
        needs.append((filters,))
    return Part(tuple(needs), {"pads": pads, "groups": groups})


def _pool(op: GraphOp, box: Box) -> Part | None:
    """What a last window sees beyond the padding never counts: a mean that counts padding can't say so in a part."""
    assert isinstance(op, PoolOp)
    kernel = tuple(op.kernel.get_values())
    found = _windows(op, box, kernel)
    if found is None:
        return None
    seen, pads = found
    ends = pads[len(kernel) :] or [0] * len(kernel)
    beyond = any(need > pad[1] for need, pad in zip(ends, op.window(kernel)[1], strict=True))
    if beyond and op.kind.data == "mean" and op.count_include_pad.value.data:
        return None
    return Part(((box[0], box[1], *seen),), {"pads": pads, "ceil": False})


def _attention(op: GraphOp, box: Box) -> Part | None:
    """A part of the queries of a causal attention sees no key behind its last one."""
    assert isinstance(op, AttentionOp)
    batch, heads, queries, depth = box
    shared = shape_of(op.q)[1] // shape_of(op.k)[1]
    if len(depth) != shape_of(op.y)[3] or heads.start % shared or heads.stop % shared:
        return None
    caches = range(heads.start // shared, heads.stop // shared)
    length, keys = shape_of(op.q)[2], range(shape_of(op.k)[2])
    if op.causal.value.data:
        keys = range(len(keys) - length + queries.stop)
        if not keys:
            return None
    needs: list[Box] = [
        (batch, heads, queries, range(shape_of(op.q)[3])),
        (batch, caches, keys, range(shape_of(op.k)[3])),
        (batch, caches, keys, depth),
    ]
    if op.mask is not None:
        needs.append(_stretched(op.mask, (batch, heads, queries, keys)))
    return Part(tuple(needs))


def _reduce(op: GraphOp, box: Box) -> Part:
    assert isinstance(op, ReduceOp)
    reduced, kept = op.axis_set(), iter(box)
    if op.keep_dims.value.data:
        return Part((tuple(r if a in reduced else b for a, (r, b) in enumerate(zip(whole(op.x), box, strict=True))),))
    return Part((tuple(indices if axis in reduced else next(kept) for axis, indices in enumerate(whole(op.x))),))


def _transpose(op: GraphOp, box: Box) -> Part:
    assert isinstance(op, TransposeOp)
    found = dict(zip(op.permutation.get_values(), box, strict=True))
    return Part((tuple(found[axis] for axis in range(len(box))),))


def _concat(op: GraphOp, box: Box) -> Part:
    assert isinstance(op, ConcatOp)
    axis, at = op.axis.value.data % len(box), 0
    needs: list[Box | None] = []
    for value in op.operands:
        extent = shape_of(value)[axis]
        inside = range(max(box[axis].start - at, 0), min(box[axis].stop - at, extent))
        needs.append(replaced(box, axis, inside) if inside else None)
        at += extent
    return Part(tuple(needs))


def _slice(op: GraphOp, box: Box) -> Part:
    assert isinstance(op, SliceOp)
    kept = [indices[part.start : part.stop] for indices, part in zip(op.ranges(), box, strict=True)]
    spans = tuple(range(min(indices), max(indices) + 1) for indices in kept)
    starts = [indices[0] - span.start for indices, span in zip(kept, spans, strict=True)]
    ends = [
        indices[-1] - span.start + (1 if indices.step > 0 else -1) for indices, span in zip(kept, spans, strict=True)
    ]
    return Part((spans,), {"starts": starts, "ends": ends, "steps": [indices.step for indices in kept]})


def _pad(op: GraphOp, box: Box) -> Part | None:
    assert isinstance(op, PadOp)
    inside: list[range] = []
    low: list[int] = []
    high: list[int] = []
    for indices, before, extent in zip(box, op.low.get_values(), shape_of(op.x), strict=True):
        first, last = indices.start - before, indices.stop - before
        inside.append(range(max(first, 0), min(last, extent)))
        low.append(max(-first, 0))
        high.append(max(last - extent, 0))
    return Part((tuple(inside),), {"low": low, "high": high}) if all(inside) else None


def _gather(op: GraphOp, box: Box) -> Part:
    assert isinstance(op, GatherOp)
    axis, rank = op.axis.value.data % len(shape_of(op.x)), len(shape_of(op.indices))
    table = (*box[:axis], range(shape_of(op.x)[axis]), *box[axis + rank :])
    return Part((table, box[axis : axis + rank]))


def _reshape(op: GraphOp, box: Box) -> Part | None:
    """Axes that are merged or cut are split along the outermost one that is longer than 1, at whole indices of both
    sides; others pass."""
    need: list[range] = []
    for source, target in _runs(shape_of(op.operands[0]), shape_of(op.results[0])):
        found = _through(source, target, box[target.start : target.stop], op)
        if found is None:
            return None
        need += found
    return Part((tuple(need),))


def _runs(source: tuple[int, ...], target: tuple[int, ...]) -> list[tuple[range, range]]:
    """The shortest runs of axes of both shapes that hold as many elements."""
    runs: list[tuple[range, range]] = []
    i = j = 0
    while i < len(source) or j < len(target):
        begin, other = i, j
        i, j = min(i + 1, len(source)), min(j + 1, len(target))
        while prod(source[begin:i]) != prod(target[other:j]):
            if prod(source[begin:i]) < prod(target[other:j]):
                i += 1
            else:
                j += 1
        runs.append((range(begin, i), range(other, j)))
    return runs


def _through(source: range, target: range, box: Box, op: GraphOp) -> list[range] | None:
    inner, outer = (
        shape_of(op.operands[0])[source.start : source.stop],
        shape_of(op.results[0])[target.start : target.stop],
    )
    if all(len(indices) == extent for indices, extent in zip(box, outer, strict=True)):
        return [range(extent) for extent in inner]
    lead = next(axis for axis, extent in enumerate(outer) if extent > 1)
    if any(len(indices) != extent for indices, extent in zip(box[lead + 1 :], outer[lead + 1 :], strict=True)):
        return None
    step = prod(outer[lead + 1 :])
    first, last = box[lead].start * step, box[lead].stop * step
    own = next(axis for axis, extent in enumerate(inner) if extent > 1)
    size = prod(inner[own + 1 :])
    if first % size or last % size:
        return None
    return [range(first // size, last // size) if axis == own else range(extent) for axis, extent in enumerate(inner)]


_Rule: TypeAlias = Callable[[GraphOp, Box], Part | None]
_RULES: tuple[tuple[tuple[type[Operation], ...], _Rule], ...] = (
    ((ElementwiseOp, BroadcastOp), _elementwise),
    ((MatmulOp,), _matmul),
    ((ConvOp,), _conv),
    ((AttentionOp,), _attention),
    ((PoolOp,), _pool),
    ((SoftmaxOp, CumsumOp), _one_axis),
    ((LayerNormOp, RmsNormOp), _norm),
    ((LrnOp,), _lrn),
    ((BatchNormOp,), _batch_norm),
    ((ReduceOp,), _reduce),
    ((ReshapeOp,), _reshape),
    ((TransposeOp,), _transpose),
    ((ConcatOp,), _concat),
    ((SliceOp,), _slice),
    ((PadOp,), _pad),
    ((GatherOp,), _gather),
)
"""What parts of each op need. A new op has parts when it stands here."""

"""Converters of operators that move elements: views, permutations, slices, joins, padding, repetition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.padding import padded
from ndpir.frontends.torch.call import I64, AtenCall, converts, element_of, rank_of
from ndpir.frontends.torch.promotion import Operand, promoted
from ndpir.frontends.torch.views import permutation_of, slice_bounds, strided_places


@converts(
    "view",
    "reshape",
    "_unsafe_view",
    "view_as",
    "reshape_as",
    "unsqueeze",
    "squeeze",
    "flatten",
    "unflatten",
    "view_copy",
    "unsqueeze_copy",
    "squeeze_copy",
    "_reshape_alias",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "ravel",
    "_reshape_copy",
    "prims.squeeze",
    "prims.view_of",
)
def reshape(call: AtenCall) -> SSAValue:
    """The same elements in the shape that the program states for the result."""
    return call.reshaped(call["a" if call.node.op.startswith("prims") else "self"], call.result().get_shape())


@converts(
    "permute",
    "transpose",
    "t",
    "movedim",
    "moveaxis",
    "swapaxes",
    "swapdims",
    "adjoint",
    "mT",
    "numpy_T",
    "permute_copy",
    "transpose_copy",
    "t_copy",
)
def permute(call: AtenCall) -> SSAValue:
    x = call["self"]
    op = call.node.op.removesuffix("_copy")
    if op == "aten.permute":
        return call.transposed(x, [call.axis_of(axis, rank_of(x)) for axis in call.ints("dims")])
    return call.transposed(x, permutation_of(call, rank_of(x)))


@converts("expand", "expand_as", "broadcast_to", "expand_copy", "prims.broadcast_in_dim")
def expand(call: AtenCall) -> SSAValue:
    if call.node.op == "prims.broadcast_in_dim":
        x, shape = call["a"], call.result().get_shape()
        axes = call.ints("broadcast_dimensions")
        x = call.reshaped(x, [g.shape_of(x)[axes.index(at)] if at in axes else 1 for at in range(len(shape))])
        return call.broadcast_to(x, shape)
    return call.broadcast_to(call["self"], call.result().get_shape())


@converts("broadcast_tensors")
def broadcast_tensors(call: AtenCall) -> list[SSAValue]:
    return [call.broadcast_to(x, call.result(at).get_shape()) for at, x in enumerate(call.tensors("tensors"))]


# Parts.


def cut(call: AtenCall, x: SSAValue, axis: int, start: int, end: int, step: int = 1) -> SSAValue:
    """A slice along one axis."""
    starts, ends, steps = [0] * rank_of(x), list(g.shape_of(x)), [1] * rank_of(x)
    starts[axis], ends[axis], steps[axis] = start, end, step
    return call.sliced(x, starts, ends, steps)


@converts("slice", "slice_copy")
def slice_(call: AtenCall) -> SSAValue:
    x = call["self"]
    axis = call.axis("dim", rank_of(x), 0)
    return cut(call, x, axis, *slice_bounds(call, g.shape_of(x)[axis]))


@converts("narrow", "narrow_copy")
def narrow(call: AtenCall) -> SSAValue:
    x = call["self"]
    axis, start = call.axis("dim", rank_of(x)), call.integer("start")
    start += g.shape_of(x)[axis] if start < 0 else 0
    return cut(call, x, axis, start, start + call.integer("length"))


@converts("select", "select_copy")
def select(call: AtenCall) -> SSAValue:
    x = call["self"]
    shape = g.shape_of(x)
    axis = call.axis("dim", len(shape))
    at = call.integer("index")
    at += shape[axis] if at < 0 else 0
    return call.reshaped(cut(call, x, axis, at, at + 1), [n for each, n in enumerate(shape) if each != axis])


@converts(
    "split",
    "split_with_sizes",
    "chunk",
    "tensor_split",
    "unsafe_split",
    "unsafe_chunk",
    "split_with_sizes_copy",
    "hsplit",
    "vsplit",
    "dsplit",
    "unsafe_split_with_sizes",
)
def split(call: AtenCall) -> list[SSAValue]:
    """Parts of the extents that the program states for the results."""
    x = call["self"]
    axis = call.axis("dim", rank_of(x), {"aten.hsplit": min(1, rank_of(x) - 1), "aten.dsplit": 2}.get(call.node.op, 0))
    parts: list[SSAValue] = []
    sizes = _split_sizes(call, g.shape_of(x)[axis], axis)
    at = 0
    for size in sizes:
        parts.append(cut(call, x, axis, at, at + size))
        at += size
    return parts


def _split_sizes(call: AtenCall, extent: int, axis: int) -> list[int]:
    op = call.node.op.removeprefix("aten.")
    if "with_sizes" in op or (op == "split" and call.node.target.endswith(".sizes")):
        return list(call.ints("split_sizes" if call.has("split_sizes") else "split_size"))
    if op in ("split", "unsafe_split"):
        size = call.integer("split_size")
        return [min(size, extent - at) for at in range(0, extent, size)] or [0]
    if op in ("chunk", "unsafe_chunk"):
        size = max(-(-extent // call.integer("chunks")), 1)
        return [min(size, extent - at) for at in range(0, extent, size)] or [0]
    name = next((name for name in ("sections", "indices") if call.has(name)), "tensor_indices_or_sections")
    if call.is_tensor(name):
        call.fail("places that a tensor holds are not supported; give them as numbers")
    given = call.plain(call.get(name))
    if isinstance(given, int):
        return [extent // given + (at < extent % given) for at in range(given)]
    bounds = [0, *(min(max(each + extent if each < 0 else each, 0), extent) for each in given), extent]
    return [max(after - before, 0) for before, after in pairwise(bounds)]


@converts("unbind", "unbind_copy")
def unbind(call: AtenCall) -> list[SSAValue]:
    x = call["self"]
    shape = g.shape_of(x)
    axis = call.axis("dim", len(shape), 0)
    kept = [n for each, n in enumerate(shape) if each != axis]
    return [call.reshaped(cut(call, x, axis, at, at + 1), kept) for at in range(shape[axis])]


@converts("diagonal", "diagonal_copy", "linalg_diagonal")
def diagonal(call: AtenCall) -> SSAValue:
    """Every (n + 1)-th element of the two axes as one."""
    x = call["self" if call.has("self") else "A"]
    shape = g.shape_of(x)
    defaults = (-2, -1) if "linalg" in call.node.op else (0, 1)
    first, second = (call.axis(name, len(shape), at) for name, at in zip(("dim1", "dim2"), defaults, strict=True))
    offset = call.integer("offset", 0)
    others = [axis for axis in range(len(shape)) if axis not in (first, second)]
    rows, columns = shape[first], shape[second]
    kept = [shape[axis] for axis in others]
    length = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    flat = call.reshaped(call.transposed(x, [*others, first, second]), [*kept, rows * columns])
    start = offset if offset > 0 else -offset * columns
    end = start + (length - 1) * (columns + 1) + 1 if length else start
    return cut(call, flat, len(kept), start, end, columns + 1)


@converts("diag_embed", "diag")
def diag_embed(call: AtenCall) -> SSAValue:
    """A matrix with the elements of the last axis on a diagonal."""
    x = call["self"]
    if call.node.op == "aten.diag" and rank_of(x) == 2:
        given = {**call.node.inputs, "offset": call.integer("diagonal", 0)}
        return diagonal(AtenCall(replace(call.node, inputs=given), call.values, call.location, call.body))
    shape = g.shape_of(x)
    offset = call.integer("offset", call.integer("diagonal", 0))
    n = shape[-1] + abs(offset)
    rank = len(shape) + 1
    row, column = call.along(0, (n, n), I64), call.along(1, (n, n), I64)
    hit = call.build(g.CompareOp, call.build(g.AddOp, row, call.number(offset, I64)), column, kind="eq")
    low = [*(0 for _ in shape[:-1]), max(offset, 0)]
    high = [*(0 for _ in shape[:-1]), max(-offset, 0)]
    wide = padded(call, x, tuple(low), tuple(high), (0,) * len(shape))
    wide = call.reshaped(wide, (*shape[:-1], 1, n))
    made = call.build(g.SelectOp, hit, wide, call.number(0, element_of(x)))
    first, second = call.axis("dim1", rank, -2), call.axis("dim2", rank, -1)
    order = [at for at in range(rank) if at not in (first, second)]
    places = [*order, first, second]
    return call.transposed(made, np.argsort(places).tolist())


@converts("unfold", "unfold_copy")
def unfold(call: AtenCall) -> SSAValue:
    """Windows along an axis; the elements of each are a new last axis."""
    x = call["self"]
    x = x if rank_of(x) else call.reshaped(x, (1,))
    axis, size, step = call.axis("dimension", rank_of(x)), call.integer("size"), call.integer("step")
    count = (g.shape_of(x)[axis] - size) // step + 1
    if size <= 16 or count > size:
        parts = [cut(call, x, axis, at, at + (count - 1) * step + 1, step) for at in range(size)]
        apart = [call.reshaped(part, (*g.shape_of(part), 1)) for part in parts]
        return call.build(g.ConcatOp, *apart, axis=rank_of(x)) if len(apart) > 1 else apart[0]
    places = call.constant((np.arange(count)[:, None] * step + np.arange(size)).astype(np.int64))
    made = call.build(g.GatherOp, x, places, axis=axis)
    order = [at for at in range(rank_of(made)) if at != axis + 1]
    return call.transposed(made, [*order, axis + 1])


@converts("as_strided", "as_strided_copy")
def as_strided(call: AtenCall) -> SSAValue:
    """Elements of the operand's memory at given strides, which must be row-major there: the elements by their
    number."""
    x = call["self"]
    flat, places, size = call.reshaped(x, (prod(g.shape_of(x)),)), strided_places(call), call.ints("size")
    if np.array_equal(places.ravel(), np.arange(prod(g.shape_of(x)))):
        return call.reshaped(flat, size)
    return call.build(g.GatherOp, flat, call.constant(places), axis=0)


# Joins.


@converts("cat", "concat", "concatenate")
def cat(call: AtenCall) -> SSAValue:
    """Tensors joined along an axis, in their common type; empty vectors count as nothing."""
    parts = [x for x in call.tensors("tensors") if g.shape_of(x) != (0,)] or call.tensors("tensors")[:1]
    element = promoted([Operand(element_of(x), 2 if rank_of(x) else 1) for x in call.tensors("tensors")])
    axis = call.axis("dim", rank_of(parts[0]), 0)
    parts = [call.cast(x, element) for x in parts]
    return call.build(g.ConcatOp, *parts, axis=axis) if len(parts) > 1 else parts[0]


@converts("stack", "hstack", "vstack", "dstack", "column_stack")
def stack(call: AtenCall) -> SSAValue:
    parts = call.tensors("tensors")
    element = promoted([Operand(element_of(x), 2 if rank_of(x) else 1) for x in parts])
    parts = [call.cast(x, element) for x in parts]
    shape = call.result().get_shape()
    match call.node.op.removeprefix("aten."):
        case "stack":
            axis = call.axis("dim", len(shape), 0)
            parts = [call.reshaped(x, [1 if at == axis else n for at, n in enumerate(shape)]) for x in parts]
        case "hstack":
            axis = 0 if len(shape) == 1 else 1
            parts = [call.reshaped(x, g.shape_of(x) or (1,)) for x in parts]
        case "column_stack":
            axis = 1
            parts = [x if rank_of(x) > 1 else call.reshaped(x, (prod(g.shape_of(x)), 1)) for x in parts]
        case "dstack":
            axis = 2
            parts = [
                call.reshaped(
                    x,
                    (
                        *((1,) if rank_of(x) < 2 else ()),
                        *g.shape_of(x),
                        *(1,) * (len(shape) - rank_of(x) - (rank_of(x) < 2)),
                    ),
                )
                for x in parts
            ]
        case _:
            axis = 0
            parts = [call.reshaped(x, (1, *g.shape_of(x))) if rank_of(x) < 2 else x for x in parts]
    return call.build(g.ConcatOp, *parts, axis=axis) if len(parts) > 1 else parts[0]


@converts("repeat", "tile")
def repeat(call: AtenCall) -> SSAValue:
    """The tensor repeated along each axis."""
    x = call["self"]
    times = call.ints("repeats" if call.has("repeats") else "dims")
    times = (*(1,) * (rank_of(x) - len(times)), *times)
    shape = (*(1,) * (len(times) - rank_of(x)), *g.shape_of(x))
    if 0 in times or 0 in shape:
        return call.splat(0, call.result())
    apart = [n for pair in zip((1 for _ in shape), shape, strict=True) for n in pair]
    wide = [n for pair in zip(times, shape, strict=True) for n in pair]
    spread = call.broadcast_to(call.reshaped(x, apart), wide)
    return call.reshaped(spread, [n * t for n, t in zip(shape, times, strict=True)])


@converts("repeat_interleave")
def repeat_interleave(call: AtenCall) -> SSAValue:
    """Each element repeated a number of times along an axis."""
    if call.is_tensor("repeats") or not call.has("self"):
        call.fail("numbers of repetitions that depend on data are not supported; give one number for all")
    x, times = call["self"], call.integer("repeats")
    if not call.has("dim"):
        x = call.reshaped(x, (prod(g.shape_of(x)),))
    axis = call.axis("dim", rank_of(x), 0)
    shape = g.shape_of(x)
    apart = call.reshaped(x, (*shape[: axis + 1], 1, *shape[axis + 1 :]))
    wide = call.broadcast_to(apart, (*shape[: axis + 1], times, *shape[axis + 1 :]))
    return call.reshaped(wide, (*shape[:axis], shape[axis] * times, *shape[axis + 1 :]))


@converts("flip", "fliplr", "flipud", "prims.rev")
def flip(call: AtenCall) -> SSAValue:
    x = call["a" if call.node.op == "prims.rev" else "self"]
    axes = {"aten.fliplr": (1,), "aten.flipud": (0,)}.get(call.node.op) or call.ints("dims")
    return call.reversed(x, [call.axis_of(axis, rank_of(x)) for axis in axes])


@converts("roll")
def roll(call: AtenCall) -> SSAValue:
    """Elements moved along axes; those that leave at the end come back at the beginning."""
    x = call["self"]
    shape, shifts = g.shape_of(x), call.ints("shifts")
    axes = call.ints("dims", ())
    if not axes:
        flat = _rolled(call, call.reshaped(x, (prod(shape),)), 0, shifts[0])
        return call.reshaped(flat, shape)
    for shift, axis in zip(shifts, axes, strict=True):
        x = _rolled(call, x, call.axis_of(axis, len(shape)), shift)
    return x


def _rolled(call: AtenCall, x: SSAValue, axis: int, shift: int) -> SSAValue:
    n = g.shape_of(x)[axis]
    if not n or not shift % n:
        return x
    at = n - shift % n
    return call.build(g.ConcatOp, cut(call, x, axis, at, n), cut(call, x, axis, 0, at), axis=axis)


@converts("rot90")
def rot90(call: AtenCall) -> SSAValue:
    x = call["self"]
    a, b = (call.axis_of(axis, rank_of(x)) for axis in call.ints("dims", (0, 1)))
    order = list(range(rank_of(x)))
    order[a], order[b] = b, a
    match call.integer("k", 1) % 4:
        case 1:
            return call.transposed(call.reversed(x, [b]), order)
        case 2:
            return call.reversed(x, [a, b])
        case 3:
            return call.reversed(call.transposed(x, order), [b])
        case _:
            return x


@converts("pixel_shuffle", "pixel_unshuffle")
def pixel_shuffle(call: AtenCall) -> SSAValue:
    x = call["self"]
    *batch, c, h, w = g.shape_of(x)
    count = len(batch)
    order = list(range(count))
    if call.node.op == "aten.pixel_shuffle":
        r = call.integer("upscale_factor")
        apart = call.reshaped(x, (*batch, c // (r * r), r, r, h, w))
        moved = call.transposed(apart, [*order, *(count + at for at in (0, 3, 1, 4, 2))])
        return call.reshaped(moved, (*batch, c // (r * r), h * r, w * r))
    r = call.integer("downscale_factor")
    apart = call.reshaped(x, (*batch, c, h // r, r, w // r, r))
    moved = call.transposed(apart, [*order, *(count + at for at in (0, 2, 4, 1, 3))])
    return call.reshaped(moved, (*batch, c * r * r, h // r, w // r))


@converts("channel_shuffle", "native_channel_shuffle")
def channel_shuffle(call: AtenCall) -> SSAValue:
    x, groups = call["self"], call.integer("groups")
    n, c, *rest = g.shape_of(x)
    apart = call.reshaped(x, (n, groups, c // groups, *rest))
    return call.reshaped(call.transposed(apart, [0, 2, 1, *range(3, 3 + len(rest))]), (n, c, *rest))


@converts("block_diag")
def block_diag(call: AtenCall) -> SSAValue:
    """Matrices on a diagonal, zeros elsewhere."""
    type_ = call.result()
    rows: list[SSAValue] = []
    at = 0
    for x in call.tensors("tensors"):
        matrix = call.reshaped(x, (*(1,) * (2 - rank_of(x)), *g.shape_of(x)))
        width = g.shape_of(matrix)[1]
        matrix = call.cast(matrix, type_.element_type)  # pyright: ignore[reportArgumentType]
        rows.append(padded(call, matrix, (0, at), (0, type_.get_shape()[1] - at - width), (0, 0)))
        at += width
    return call.build(g.ConcatOp, *rows, axis=0) if len(rows) > 1 else rows[0]


# Padding.


@converts("constant_pad_nd", "pad")
def pad(call: AtenCall) -> SSAValue:
    """Elements around a tensor: a number, or by `mode` elements of the tensor itself."""
    x, pads = call["self"], call.ints("pad")
    low, high = _widths(rank_of(x), pads)
    mode = call.word("mode", "constant")
    if mode != "constant":
        return around(
            call, x, low, high, {"reflect": "reflect", "replicate": "replicate", "circular": "circular"}[mode]
        )
    value = call.plain(call.get("value"))
    filled = call.number(0 if value is None else value, element_of(x))
    return padded(call, x, tuple(low), tuple(high), (0,) * rank_of(x), filled)


def _widths(rank: int, pads: Sequence[int]) -> tuple[list[int], list[int]]:
    """The widths before and after each axis; PyTorch lists pairs from the last axis on."""
    low, high = [0] * rank, [0] * rank
    for at in range(len(pads) // 2):
        low[rank - 1 - at], high[rank - 1 - at] = pads[2 * at], pads[2 * at + 1]
    return low, high


@converts(
    "reflection_pad1d",
    "reflection_pad2d",
    "reflection_pad3d",
    "replication_pad1d",
    "replication_pad2d",
    "replication_pad3d",
    "_pad_circular",
)
def pad_by_elements(call: AtenCall) -> SSAValue:
    x = call["self"]
    low, high = _widths(rank_of(x), call.ints("padding" if call.has("padding") else "pad"))
    mode = {"reflection": "reflect", "replication": "replicate", "_pad": "circular"}[
        call.node.op.removeprefix("aten.").rpartition("_")[0]
    ]
    return around(call, x, low, high, mode)


def around(call: AtenCall, x: SSAValue, low: Sequence[int], high: Sequence[int], mode: str) -> SSAValue:
    """`x` with elements of its own around it: mirrored at its edges, the nearest, or those of the other end."""
    for axis, (before, after) in enumerate(zip(low, high, strict=True)):
        n = g.shape_of(x)[axis]
        if before < 0 or after < 0:
            at = np.arange(-before, n + after)
            mirrored = n - 1 - abs(n - 1 - at % max(2 * n - 2, 1))
            places = {"reflect": mirrored, "replicate": np.clip(at, 0, n - 1), "circular": at % n}[mode]
            x = call.build(g.GatherOp, x, call.constant(places.astype(np.int64)), axis=axis)
            continue
        if not before and not after:
            continue
        if mode == "reflect":
            low_part = call.reversed(cut(call, x, axis, 1, 1 + before), [axis])
            high_part = call.reversed(cut(call, x, axis, n - 1 - after, n - 1), [axis])
        elif mode == "replicate":
            low_part = _times(call, cut(call, x, axis, 0, 1), axis, before)
            high_part = _times(call, cut(call, x, axis, n - 1, n), axis, after)
        else:
            low_part, high_part = cut(call, x, axis, n - before, n), cut(call, x, axis, 0, after)
        kept = [part for part in (low_part, x, high_part) if g.shape_of(part)[axis]]
        x = call.build(g.ConcatOp, *kept, axis=axis) if len(kept) > 1 else kept[0]
    return x


def _times(call: AtenCall, x: SSAValue, axis: int, count: int) -> SSAValue:
    shape = [count if at == axis else n for at, n in enumerate(g.shape_of(x))]
    return call.broadcast_to(x, shape)


@converts("tril", "triu")
def triangle(call: AtenCall) -> SSAValue:
    x = call["self"]
    *_, rows, columns = g.shape_of(x)
    row, column = call.along(0, (rows, columns), I64), call.along(1, (rows, columns), I64)
    edge = call.build(g.AddOp, row, call.number(call.integer("diagonal", 0), I64))
    kept = call.build(g.CompareOp, column, edge, kind="le" if call.node.op == "aten.tril" else "ge")
    return call.build(g.SelectOp, kept, x, call.number(0, element_of(x)))


@converts("meshgrid")
def meshgrid(call: AtenCall) -> list[SSAValue]:
    """Coordinates of a grid; `xy` exchanges the first two axes."""
    found = call.tensors("tensors")
    made: list[SSAValue] = []
    swaps = call.word("indexing", "ij") == "xy" and len(found) > 1
    for at, x in enumerate(found):
        shape = call.result(at).get_shape()
        axis = {0: 1, 1: 0}.get(at, at) if swaps else at
        n = prod(g.shape_of(x))
        made.append(
            call.broadcast_to(call.reshaped(x, [n if each == axis else 1 for each in range(len(shape))]), shape)
        )
    return made


@converts("trace")
def trace(call: AtenCall) -> SSAValue:
    x = call["self"]
    rows, columns = g.shape_of(x)
    length = min(rows, columns)
    flat = call.reshaped(x, (rows * columns,))
    found = cut(call, flat, 0, 0, (length - 1) * (columns + 1) + 1 if length else 0, columns + 1)
    type_ = call.result()
    return call.build(g.ReduceOp, call.cast(found, type_.element_type), kind="sum", axes=(0,))  # pyright: ignore[reportArgumentType]

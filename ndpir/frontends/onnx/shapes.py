"""Operators for constants and shapes, and operators that move elements without arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.onnx.operators import OnnxNode, handles, rank_of
from ndpir.frontends.onnx.tensors import TensorError, array_of, checked_shape
from ndpir.frontends.padding import padded


@handles("Constant", newest=25)
def constant(node: OnnxNode) -> SSAValue:
    """The value of a Constant node, given as a tensor or as numbers in attributes. A large tensor becomes a weight,
    whose numbers are not read from the file."""
    match list(node.attributes.values()):
        case [one]:
            pass
        case several:
            node.fail(f"a constant must have one value attribute, not {len(several)}")
    match one.name:
        case "value":
            return _tensor(node)
        case "value_float" | "value_floats":
            return node.constant(np.array(one.f if one.name == "value_float" else one.floats, np.float32))
        case "value_int" | "value_ints":
            return node.constant(np.array(one.i if one.name == "value_int" else one.ints, np.int64))
        case other:
            node.fail(f"the attribute `{other}` of a constant is not supported; store a tensor or numbers")


def _tensor(node: OnnxNode) -> SSAValue:
    try:
        return node.body.tensor(node.tensor("value"), node.proto.output[0], node.location)
    except TensorError as error:
        node.fail(f"the constant {error}")


@handles("ConstantOfShape", newest=25)
def constant_of_shape(node: OnnxNode) -> SSAValue:
    shape = node.integers(0)
    try:
        value = array_of(node.tensor("value")) if node.has("value") else np.zeros((1,), np.float32)
        shape = checked_shape(shape)
    except TensorError as error:
        node.fail(f"the constant {error}")
    if value.size != 1:
        node.fail(f"`value` must have one element, not {value.size}")
    return node.splat(g.NumbersAttr.of(value), shape)


@handles("Identity", newest=25)
def identity(node: OnnxNode) -> SSAValue:
    return node[0]


@handles("Shape", newest=25)
def shape(node: OnnxNode) -> SSAValue:
    extents = g.shape_of(node[0])
    start, end = node.integer("start"), node.integer("end", len(extents))
    return node.constant(np.array(extents[slice(*slice(start, end).indices(len(extents)))], np.int64))


@handles("Reshape", newest=25)
def reshape(node: OnnxNode) -> SSAValue:
    """`graph.reshape` to the extents in the second operand: 0 keeps the extent at this position (unless `allowzero`),
    -1 is inferred from the other extents."""
    x, wanted = node[0], list(node.integers(1))
    before = g.shape_of(x)
    if not node.integer("allowzero"):
        for axis, extent in enumerate(wanted):
            if extent == 0:
                if axis >= len(before):
                    node.fail(
                        f"the shape {wanted} keeps the extent of axis {axis} (0), but the operand has "
                        f"{len(before)} axes; write its extent"
                    )
                wanted[axis] = before[axis]
    if min(wanted, default=0) < -1 or wanted.count(-1) > 1:
        node.fail(f"the shape {wanted} must hold extents and at most one -1")
    if -1 in wanted:
        others = -prod(wanted)
        if others == 0 or prod(before) % others:
            node.fail(f"{prod(before)} elements can't be reshaped to {wanted}; both need the same number of elements")
        wanted[wanted.index(-1)] = prod(before) // others
    return node.reshaped(x, wanted)


@handles("Flatten", newest=25)
def flatten(node: OnnxNode) -> SSAValue:
    extents = g.shape_of(node[0])
    axis = node.integer("axis")
    axis = len(extents) if axis == len(extents) else node.axis_of(axis, len(extents))
    return node.reshaped(node[0], (prod(extents[:axis]), prod(extents[axis:])))


def _axes(node: OnnxNode) -> tuple[int, ...] | None:
    """The axes of Squeeze and Unsqueeze as the node states them (None: not stated): an attribute before opset 13, then
    an operand."""
    if node.since < 13:
        return node.integer_list("axes")
    return None if node.get(1) is None else node.integers(1)


def _distinct(node: OnnxNode, axes: Sequence[int], rank: int) -> list[int]:
    counted = sorted(node.axis_of(axis, rank) for axis in axes)
    if len(set(counted)) != len(counted):
        node.fail(f"the axes {list(axes)} contain one axis twice; remove the duplicate")
    return counted


@handles("Squeeze", newest=25)
def squeeze(node: OnnxNode) -> SSAValue:
    extents = g.shape_of(node[0])
    axes = _axes(node)
    if axes is None:
        axes = [axis for axis, extent in enumerate(extents) if extent == 1]
    dropped = _distinct(node, axes, len(extents))
    for axis in dropped:
        if extents[axis] != 1:
            node.fail(f"axis {axis} has extent {extents[axis]}; only axes of extent 1 can be dropped")
    return node.reshaped(node[0], [extent for axis, extent in enumerate(extents) if axis not in dropped])


@handles("Unsqueeze", newest=25)
def unsqueeze(node: OnnxNode) -> SSAValue:
    extents, axes = list(g.shape_of(node[0])), _axes(node) or ()
    for axis in _distinct(node, axes, len(extents) + len(axes)):
        extents.insert(axis, 1)
    return node.reshaped(node[0], extents)


@handles("Transpose", newest=25)
def transpose(node: OnnxNode) -> SSAValue:
    permutation = node.integer_list("perm")
    if permutation is None:
        permutation = tuple(reversed(range(rank_of(node[0]))))
    return node.transposed(node[0], permutation)


@handles("Expand", newest=13)
def expand(node: OnnxNode) -> SSAValue:
    """Bidirectional broadcast: an extent of 1 in the target shape keeps the operand's extent."""
    x, wanted = node[0], node.integers(1)
    if min(wanted, default=0) < 0:
        node.fail(f"the shape {list(wanted)} has a negative extent; extents must be at least 0")
    return node.broadcast_to(x, g.broadcast_shapes(g.shape_of(x), wanted))


@handles("Concat", newest=13)
def concat(node: OnnxNode) -> SSAValue:
    parts = [node[i] for i in range(len(node.inputs))]
    return parts[0] if len(parts) == 1 else node.build(g.ConcatOp, *parts, axis=node.axis("axis", rank_of(parts[0])))


@handles("Slice", newest=13)
def slice_(node: OnnxNode) -> SSAValue:
    """`graph.slice`; starts, ends, axes and steps are attributes before opset 10, then operands."""
    extents = g.shape_of(node[0])
    if node.since < 10:
        starts, ends, axes = (node.integer_list(name) for name in ("starts", "ends", "axes"))
        steps = None
    else:
        starts, ends = node.integers(1), node.integers(2)
        axes, steps = (None if node.get(i) is None else node.integers(i) for i in (3, 4))
    starts, ends = starts or (), ends or ()
    axes = tuple(range(len(starts))) if axes is None else axes
    steps = (1,) * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(axes) == len(steps):
        node.fail(
            f"the numbers of starts, ends, axes and steps must be equal, not {len(starts)}, {len(ends)}, {len(axes)} "
            f"and {len(steps)}"
        )
    if 0 in steps:
        node.fail("a step of 0 was met; steps must not be 0")
    places = [node.axis_of(axis, len(extents)) for axis in axes]

    def ranges(shape: Sequence[int]) -> list[tuple[int, int, int]]:
        found = [(0, extent, 1) for extent in shape]
        for start, end, place, step in zip(starts, ends, places, steps, strict=True):
            found[place] = slice(start, end, step).indices(shape[place])
        return found

    y = _sliced(node, node[0], ranges(extents))
    if y is not node[0]:
        node.body.remakes[y] = lambda shape: _words(ranges(shape))
    return y


def _sliced(node: OnnxNode, x: SSAValue, ranges: Sequence[tuple[int, int, int]]) -> SSAValue:
    if all(bounds == (0, extent, 1) for bounds, extent in zip(ranges, g.shape_of(x), strict=True)):
        return x
    return node.build(g.SliceOp, x, **_words(ranges))


def _words(ranges: Sequence[tuple[int, int, int]]) -> dict[str, tuple[int, ...] | None]:
    """The properties of a slice."""
    starts, ends, steps = zip(*ranges, strict=True)
    return {"starts": starts, "ends": ends, "steps": None if set(steps) == {1} else steps}


@handles("Split", newest=18)
def split(node: OnnxNode) -> list[SSAValue]:
    """One slice for each output. Sizes are an attribute before opset 13, then an operand; without sizes, all parts have
    the same size."""
    x, parts = node[0], len(node.wanted)
    axis = node.axis("axis", rank_of(x))
    extent = g.shape_of(x)[axis]
    sizes = node.integer_list("split") if node.since < 13 else (None if node.get(1) is None else node.integers(1))
    if sizes is None:
        each = -(-extent // parts)
        if node.integer("num_outputs", parts) != parts or (node.since < 18 and extent % parts):
            node.fail(
                f"extent {extent} of axis {axis} can't be divided into {parts} outputs; state the sizes of the "
                "outputs (`split`)"
            )
        sizes = tuple(min(each, max(extent - each * i, 0)) for i in range(parts))
    if len(sizes) != parts or sum(sizes) != extent or min(sizes) < 0:
        node.fail(
            f"the sizes {list(sizes)} must be {parts} numbers, one for each output, with the sum "
            f"{extent}, the extent of axis {axis}"
        )
    full_ranges = [(0, n, 1) for n in g.shape_of(x)]
    places = pairwise(accumulate(sizes, initial=0))
    return [_sliced(node, x, [*full_ranges[:axis], (start, end, 1), *full_ranges[axis + 1 :]]) for start, end in places]


@handles("Pad", newest=25)
def pad(node: OnnxNode) -> SSAValue:
    """Elements around a tensor: of one value, or copies of its own elements (modes `edge`, `reflect` and `wrap`, a
    gather along each axis). Negative widths cut elements off. Widths are an attribute before opset 11, then an
    operand."""
    mode = node.word("mode", "constant", "edge", "reflect", *(("wrap",) if node.since >= 19 else ()))
    x, rank = node[0], rank_of(node[0])
    widths = (node.integer_list("pads") or ()) if node.since < 11 else node.integers(1)
    axes = tuple(range(rank)) if node.get(3) is None else tuple(node.axis_of(axis, rank) for axis in node.integers(3))
    if len(widths) != 2 * len(axes) or len(set(axes)) != len(axes):
        node.fail(f"{len(axes)} axes need {2 * len(axes)} pads, not {len(widths)}; state two for each axis")
    low, high = [0] * rank, [0] * rank
    for axis, before, after in zip(axes, widths[: len(axes)], widths[len(axes) :], strict=True):
        low[axis], high[axis] = before, after
        if g.shape_of(x)[axis] + min(before, 0) + min(after, 0) < 0:
            node.fail(
                f"pads of {before} and {after} cut more than the {g.shape_of(x)[axis]} elements of axis {axis} off"
            )
    if mode == "constant":
        value = None if node.get(2) is None else node.reshaped(node[2], ())
        value = node.like(x, node.real("value")) if node.since < 11 else value
        return padded(node, x, tuple(low), tuple(high), (0,) * rank, value)
    for axis in axes:
        x = _copied(node, x, axis, low[axis], high[axis], mode)
    return x


_PADDINGS: dict[str, Callable[[NDArray[np.int64], tuple[int, int]], NDArray[np.int64]]] = {
    "edge": lambda places, widths: np.pad(places, widths, "edge"),
    "reflect": lambda places, widths: np.pad(places, widths, "reflect"),
    "wrap": lambda places, widths: np.pad(places, widths, "wrap"),
}


def _copied(node: OnnxNode, x: SSAValue, axis: int, low: int, high: int, mode: str) -> SSAValue:
    """`x` with copies of its own elements before and after those along an axis."""
    extent = g.shape_of(x)[axis]
    node.check_table(extent + max(low, 0) + max(high, 0))
    kept = np.arange(extent, dtype=np.int64)[max(-low, 0) : extent - max(-high, 0)]
    if not kept.size and max(low, high) > 0:
        node.fail(f"axis {axis} has no elements of which copies could be added")
    places = _PADDINGS[mode](kept, (max(low, 0), max(high, 0)))
    if np.array_equal(places, np.arange(extent)):
        return x
    return node.build(g.GatherOp, x, node.constant(places), axis=axis)

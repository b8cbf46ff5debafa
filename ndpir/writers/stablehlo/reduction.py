"""Writers of reductions, normalisations and pooling as StableHLO; f16 and bf16 are reduced in f32."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod

import numpy as np

from dialects import graph as g
from dialects.element_types import I64, dtype_of, integer_limits, is_float, tensor_type
from ndpir.writers.stablehlo.program import HloWriter, Written, integers, pairs, refuse, writer

FOLDS = {"sum": "add", "mean": "add", "prod": "multiply", "min": "minimum", "max": "maximum"}
"""The StableHLO op that combines two elements, by the kind of `graph.reduce`."""


def start_of(kind: str, x: Written) -> float | int:
    """The neutral element of a reduction, with which it starts."""
    if kind in ("sum", "mean", "prod"):
        return int(kind == "prod")
    if is_float(x.element):
        return inf if kind == "min" else -inf
    least, most = integer_limits(x.element)
    return most if kind == "min" else least


def reduced(w: HloWriter, x: Written, kind: str, axes: Sequence[int], keep: bool = False) -> Written:
    """`x` reduced along axes by the op of `kind`; with `keep`, these axes remain in the result with extent 1."""
    start = w.scalar(start_of(kind, x), x.element)
    shape = [n for axis, n in enumerate(x.shape) if axis not in axes]
    made = Written(w.fresh(), tensor_type(shape, x.element))
    applies = f"applies stablehlo.{FOLDS[kind]} across dimensions = {list(axes)}"
    types = f"({x.type}, {start.type}) -> {made.type}"
    w.line(f"{made.name} = stablehlo.reduce({x.name} init: {start.name}) {applies} : {types}")
    return w.reshaped(made, [1 if axis in axes else n for axis, n in enumerate(x.shape)]) if keep else made


def windowed(
    w: HloWriter,
    x: Written,
    kind: str,
    sizes: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    pads: Sequence[tuple[int, int]],
) -> Written:
    """The reduction by `kind` of each window of `x`; each argument after `kind` has one entry for each axis of `x`."""
    start = w.scalar(start_of(kind, x), x.element)
    shape = [
        (n + sum(pad) - (size - 1) * dilation - 1) // stride + 1
        for n, pad, size, dilation, stride in zip(x.shape, pads, sizes, dilations, strides, strict=True)
    ]
    made, scalar = Written(w.fresh(), tensor_type(shape, x.element)), start.type
    attributes = (
        f"window_dimensions = {integers(sizes)}, window_strides = {integers(strides)}, "
        f"window_dilations = {integers(dilations)}, padding = {pairs(pads)}"
    )
    with w.region(
        f'{made.name} = "stablehlo.reduce_window"({x.name}, {start.name}) <{{{attributes}}}> ({{',
        f"}}) : ({x.type}, {scalar}) -> {made.type}",
    ):
        a, b, y = w.fresh(), w.fresh(), w.fresh()
        w.line(f"^bb0({a}: {scalar}, {b}: {scalar}):")
        w.line(f"  {y} = stablehlo.{FOLDS[kind]} {a}, {b} : {scalar}")
        w.line(f"  stablehlo.return {y} : {scalar}")
    return made


@writer.of(g.ReduceOp)
def reduce(w: HloWriter, op: g.ReduceOp) -> Written:
    x, kind, axes = w[op.x], op.kind.data, op.axis_set()
    keep = bool(op.keep_dims.value.data)
    if kind != "mean":
        return w.cast(reduced(w, w.widened(x), kind, axes, keep), x.element)
    count = prod(x.shape[axis] for axis in axes)
    if is_float(x.element):
        return w.cast(w.with_scalar("divide", reduced(w, w.widened(x), "sum", axes, keep), count), x.element)
    if dtype_of(x.element).itemsize > 4:
        refuse(
            op, f"StableHLO's sums of {x.element} wrap around, but means here do not; cast to a wider type (graph.cast)"
        )
    total = reduced(w, w.cast(x, I64), "sum", axes, keep)
    return w.cast(w.with_scalar("divide", total, max(count, 1)), x.element)


@writer.of(g.CumsumOp)
def cumsum(w: HloWriter, op: g.CumsumOp) -> Written:
    """A `reduce_window` whose windows are as long as the axis, with padding on one side; for exclusive sums, the
    operand is shifted by one element first."""
    x, axis, backwards = w[op.x], op.axis.value.data % len(g.shape_of(op.x)), bool(op.reverse.value.data)
    n, rank = x.shape[axis], len(x.shape)
    if not n:
        return x
    wide = w.widened(x)

    def along(number: int) -> list[int]:
        return [number if a == axis else 0 for a in range(rank)]

    if op.exclusive.value.data:
        kept = [
            (1 if backwards else 0, n if backwards else n - 1) if a == axis else (0, e) for a, e in enumerate(x.shape)
        ]
        wide = w.sliced(wide, [low for low, _ in kept], [high for _, high in kept])
        wide = w.padded(wide, along(0 if backwards else 1), along(1 if backwards else 0), 0)
    sides = (0, n - 1) if backwards else (n - 1, 0)
    ones = [1] * rank
    pads = [sides if a == axis else (0, 0) for a in range(rank)]
    y = windowed(w, wide, "sum", [n if a == axis else 1 for a in range(rank)], ones, ones, pads)
    return w.cast(y, x.element)


@writer.of(g.SoftmaxOp)
def softmax_op(w: HloWriter, op: g.SoftmaxOp) -> Written:
    axis = op.axis.value.data % len(g.shape_of(op.x))
    return w.cast(softmax(w, w.widened(w[op.x]), axis), w[op.x].element)


def softmax(w: HloWriter, x: Written, axis: int) -> Written:
    """Exponentials of each element minus the maximum, divided by the sum of these exponentials."""
    powers = w.same("exponential", w.same("subtract", x, reduced(w, x, "max", [axis], keep=True)))
    return w.same("divide", powers, reduced(w, powers, "sum", [axis], keep=True))


@writer.of(g.LayerNormOp, g.RmsNormOp)
def layer_norm(w: HloWriter, op: g.LayerNormOp | g.RmsNormOp) -> Written:
    x = w.widened(w[op.x])
    axes = range(op.axis.value.data % len(x.shape), len(x.shape))
    count = prod(x.shape[axis] for axis in axes)

    def mean(y: Written) -> Written:
        return w.with_scalar("divide", reduced(w, y, "sum", axes, keep=True), count)

    if isinstance(op, g.LayerNormOp):
        x = w.same("subtract", x, mean(x))
    spread = w.with_scalar("add", mean(w.same("multiply", x, x)), op.epsilon.value.data)
    y = w.same("multiply", w.same("divide", x, w.same("sqrt", spread)), w.widened(w[op.scale]))
    if isinstance(op, g.LayerNormOp) and op.bias is not None:
        y = w.same("add", y, w.widened(w[op.bias]))
    return w.cast(y, w[op.x].element)


@writer.of(g.BatchNormOp)
def batch_norm(w: HloWriter, op: g.BatchNormOp) -> Written:
    x = w.widened(w[op.x])
    given = (w.cast(w[value], x.element) for value in (op.scale, op.bias, op.mean, op.variance))
    scale, bias, mean, variance = given
    factor = w.same("divide", scale, w.same("sqrt", w.with_scalar("add", variance, op.epsilon.value.data)))
    shift = w.same("subtract", bias, w.same("multiply", mean, factor))
    factor, shift = (w.spread(each, x.shape, [1]) for each in (factor, shift))
    return w.cast(w.same("add", w.same("multiply", x, factor), shift), w[op.x].element)


@writer.of(g.LrnOp)
def lrn(w: HloWriter, op: g.LrnOp) -> Written:
    x, size = w.widened(w[op.x]), op.size.value.data
    below = (size - 1) // 2
    ones = [1] * len(x.shape)
    sizes = [size if axis == 1 else 1 for axis in range(len(x.shape))]
    pads = [(below, size - 1 - below) if axis == 1 else (0, 0) for axis in range(len(x.shape))]
    total = windowed(w, w.same("multiply", x, x), "sum", sizes, ones, ones, pads)
    scaled = w.with_scalar("multiply", total, op.alpha.value.data / size)
    root = w.with_scalar("power", w.with_scalar("add", scaled, op.bias.value.data), -op.beta.value.data)
    return w.cast(w.same("multiply", root, x), w[op.x].element)


@writer.of(g.PoolOp)
def pool(w: HloWriter, op: g.PoolOp) -> Written:
    x, kind, kernel = w[op.x], op.kind.data, tuple(op.kernel.get_values())
    strides, pads, dilations = op.window(kernel)
    window = (1, 1, *kernel), (1, 1, *strides), (1, 1, *dilations)
    reach = [(0, 0), (0, 0), *op.reach()]
    if kind == "max":
        return windowed(w, x, "max", *window, reach)
    if not is_float(x.element) and dtype_of(x.element).itemsize > 4:
        refuse(
            op, f"StableHLO's sums of {x.element} wrap around, but means here do not; cast to a wider type (graph.cast)"
        )
    wide = w.widened(x) if is_float(x.element) else w.cast(x, I64)
    # The number of elements in each window: a fold of ones, which include the padding if the mean counts it.
    counts_pads = bool(op.count_include_pad.value.data)
    image = [n + sum(pad) * counts_pads for n, pad in zip(x.shape[2:], pads, strict=True)]
    around = [
        (low - own[0] * counts_pads, high - own[1] * counts_pads)
        for (low, high), own in zip(reach[2:], pads, strict=True)
    ]
    ones = w.constant(np.ones((1, 1, *image)), wide.element)
    counts = windowed(w, ones, "sum", *window, [(0, 0), (0, 0), *around])
    return w.cast(w.same("divide", windowed(w, wide, "sum", *window, reach), counts), x.element)

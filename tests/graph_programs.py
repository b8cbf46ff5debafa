"""Random programs of graph ops for laws: valid by construction, with all element types, empty and scalar tensors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any, TypeAlias

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from dialects import graph as g
from dialects.element_types import _TABLE as TABLE  # pyright: ignore[reportPrivateUsage]
from dialects.element_types import I1, I64, bit_width, dtype_of, is_float, tensor_type
from dialects.graph.unary import UNARY_OPS
from interp.numerics.packing import from_bytes, to_bytes
from interp.numerics.rounding import SMALL_INTEGERS, is_real

Draw: TypeAlias = Callable[[st.SearchStrategy[Any]], Any]
Build: TypeAlias = Callable[[Draw, SSAValue], list[g.GraphOp]]

ELEMENTS = tuple(type_ for type_, _, _ in TABLE)
SHAPES = st.lists(st.integers(0, 4), max_size=4).map(tuple)
EDGES = [0.0, -0.0, 1.0, -1.5, 0.1, 2.0, 6e-8, 1e30, -3e38, float("inf"), float("-inf"), float("nan")]


def arrays(draw: Draw, shape: tuple[int, ...] | None = None, element: Any = None) -> NDArray[Any]:
    """An array of random bits."""
    dtype = dtype_of(draw(st.sampled_from(ELEMENTS)) if element is None else element)
    extents: tuple[int, ...] = draw(SHAPES) if shape is None else shape
    size = prod(extents)
    if dtype.kind == "b":
        return np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)), dtype).reshape(extents)
    raw = draw(st.binary(min_size=size * dtype.itemsize, max_size=size * dtype.itemsize))
    array = np.frombuffer(raw, dtype).reshape(extents)
    if dtype in SMALL_INTEGERS or dtype.name.startswith("float4"):  # a byte of numpy's holds fewer bits
        array = from_bytes(to_bytes(array), dtype, size).reshape(extents)
    if is_real(dtype) and size and draw(st.booleans()):
        edges = np.array([draw(st.sampled_from(EDGES)) for _ in range(size)]).reshape(extents)
        with np.errstate(over="ignore"):
            return edges.astype(dtype)
    return array


def unary(draw: Draw, x: SSAValue) -> list[g.GraphOp]:
    if g.tensor_of(x).element_type == I1:
        return [g.NotOp(x)]
    if not is_float(g.tensor_of(x).element_type):
        return [draw(st.sampled_from([g.AbsOp, g.NegOp, g.ReluOp, g.ClipOp, g.SignOp, g.NotOp]))(x)]
    return [draw(st.sampled_from([op for op in UNARY_OPS if op not in (g.NotOp, g.CastOp)]))(x)]


def clip(draw: Draw, x: SSAValue) -> list[g.GraphOp]:
    low, high = draw(st.floats(allow_nan=False)), draw(st.floats(allow_nan=False))
    return [g.ClipOp(x, min=low, max=high)] if g.tensor_of(x).element_type != I1 else []


def binary(draw: Draw, x: SSAValue) -> list[g.GraphOp]:
    element, shape = g.tensor_of(x).element_type, g.shape_of(x)
    other = tuple(draw(st.sampled_from([1, extent])) for extent in shape[draw(st.integers(0, len(shape))) :])
    constant = g.ConstantOp(arrays(draw, other, element))
    logic = [g.AndOp, g.OrOp, g.XorOp]
    numbers = [g.AddOp, g.SubOp, g.MulOp, g.DivOp, g.MinOp, g.MaxOp, g.PowOp, g.RemOp]
    shifts = [partial(g.ShiftOp, kind=kind) for kind in ("left", "right", "arithmetic")]
    known = logic if element == I1 else [*numbers, g.Atan2Op] if is_float(element) else [*logic, *numbers, *shifts]
    operands = (constant.y, x) if draw(st.booleans()) else (x, constant.y)
    return [constant, draw(st.sampled_from(known))(*operands)]


def choose(draw: Draw, x: SSAValue) -> list[g.GraphOp]:
    kind = draw(st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"]))
    compared = g.CompareOp(x, x, kind=kind)
    other = g.ConstantOp(arrays(draw, (), g.tensor_of(x).element_type))
    return [compared, other, g.SelectOp(compared.y, other.y, x)]


def cast(draw: Draw, x: SSAValue) -> list[g.GraphOp]:
    element = draw(st.sampled_from(ELEMENTS))
    return [g.CastOp(x, result_type=tensor_type(g.shape_of(x), element))]


def reduction(draw: Draw, x: SSAValue) -> list[g.GraphOp]:
    element, rank = g.tensor_of(x).element_type, len(g.shape_of(x))
    if element == I1:
        return []
    axes: list[int] = draw(st.lists(st.integers(0, rank - 1), unique=True)) if rank else []
    kind = draw(st.sampled_from(["sum", "mean", "prod", "min", "max"]))
    ops: list[g.GraphOp] = [g.ReduceOp(x, kind=kind, axes=axes, keep_dims=draw(st.booleans()))]
    if rank:
        axis = draw(st.integers(-rank, rank - 1))
        ops.append(g.CumsumOp(x, axis=axis, exclusive=draw(st.booleans()), reverse=draw(st.booleans())))
        if is_float(element):
            scale = g.ConstantOp(arrays(draw, g.shape_of(x)[-1:], element))
            ops += [g.SoftmaxOp(x, axis=axis), scale, g.RmsNormOp(x, scale.y), g.LayerNormOp(x, scale.y, scale.y)]
    return ops


def movement(draw: Draw, x: SSAValue) -> list[g.GraphOp]:
    shape, element = g.shape_of(x), g.tensor_of(x).element_type
    axes = tuple(draw(st.permutations(range(len(shape)))))
    starts = [draw(st.integers(0, extent)) for extent in shape]
    ends = [draw(st.integers(start, extent)) for start, extent in zip(starts, shape, strict=True)]
    steps = [draw(st.integers(1, 3)) for _ in shape]
    low = [draw(st.integers(0, 2)) for _ in shape]
    fill = draw(st.sampled_from([0.0, 1.0]))
    flat = tensor_type((1, prod(shape)), element)
    ops: list[g.GraphOp] = [
        g.TransposeOp(x, permutation=axes),
        g.SliceOp(x, starts=starts, ends=ends, steps=steps),
        g.PadOp(x, low=low, high=low[::-1], value=fill),
        g.ReshapeOp(x, result_type=flat),
        g.BroadcastOp(x, result_type=tensor_type((2, *shape), element)),
    ]
    if shape:
        backwards = [n - 1 for n in shape], [-1] * len(shape), [-1] * len(shape)
        ops.append(g.SliceOp(x, starts=backwards[0], ends=backwards[1], steps=backwards[2]))
        ops.append(g.ConcatOp(x, x, axis=draw(st.integers(-len(shape), len(shape) - 1))))
    return [draw(st.sampled_from(ops))]


def gather(draw: Draw, x: SSAValue) -> list[g.GraphOp]:
    shape = g.shape_of(x)
    if not shape or not shape[0]:
        return []
    picks = draw(st.lists(st.integers(-shape[0], shape[0] - 1), max_size=3))
    indices = g.ConstantOp(np.array(picks, dtype_of(I64)))
    vectors = g.ReshapeOp(indices.y, result_type=tensor_type((len(picks), 1), I64))
    rows = g.GatherOp(x, indices.y)
    return [indices, vectors, rows, g.GatherNdOp(x, vectors.y), g.ScatterNdOp(x, vectors.y, rows.y, kind="set")]


def dynamic(draw: Draw, x: SSAValue) -> list[g.GraphOp]:
    shape, element = g.shape_of(x), g.tensor_of(x).element_type
    starts = [g.ConstantOp(np.array(draw(st.integers(-1, extent + 1)), np.int32)) for extent in shape]
    places = [start.y for start in starts]
    part = g.DynamicSliceOp(x, *places, sizes=[draw(st.integers(0, extent)) for extent in shape])
    ops: list[g.GraphOp] = [*starts, part, g.DynamicUpdateSliceOp(x, part.y, *places)]
    if element != I1:
        bits = IntegerType(bit_width(element))
        ops.append(g.BitcastOp(x, result_type=tensor_type(shape, bits)))
        if shape:
            ops.append(g.ArgsortOp(x, axis=draw(st.integers(0, len(shape) - 1)), descending=draw(st.booleans())))
    return ops


def window(draw: Draw, x: SSAValue) -> list[g.GraphOp]:
    shape, element = g.shape_of(x), g.tensor_of(x).element_type
    if len(shape) < 3 or element == I1 or min(shape[2:]) < 2:
        return []
    axes = len(shape) - 2
    pads, strides = (
        draw(st.lists(st.integers(0, 1), min_size=2 * axes, max_size=2 * axes)),
        [draw(st.integers(1, 2))] * axes,
    )
    options: dict[str, Any] = {"pads": pads, "strides": strides}
    ops: list[g.GraphOp] = [
        g.PoolOp(
            x, kind=draw(st.sampled_from(["max", "mean"])), kernel=[2] * axes, ceil=draw(st.booleans()), **options
        ),
        g.Im2colOp(x, kernel=[2] * axes, **options),
    ]
    if is_float(element):
        depthwise = draw(st.booleans()) and shape[1] > 0
        filters = arrays(draw, (shape[1], 1 if depthwise else shape[1], *(2,) * axes), element)
        weight = g.ConstantOp(filters[:2] if not depthwise else filters)
        ops += [weight, g.ConvOp(x, weight.y, groups=shape[1] if depthwise else 1, **options)]
    return ops


def product(draw: Draw, x: SSAValue) -> list[g.GraphOp]:
    shape, element = g.shape_of(x), g.tensor_of(x).element_type
    if len(shape) < 2 or element == I1:
        return []
    transposed = draw(st.booleans())
    if transposed:
        return [g.MatmulOp(x, x, transpose_b=True)]
    b = g.ConstantOp(arrays(draw, (shape[-1], 2), element))
    bias = g.ConstantOp(arrays(draw, (2,), element))
    return [b, bias, g.MatmulOp(x, b.y, bias.y)]


STEPS: tuple[Build, ...] = (unary, clip, binary, choose, cast, reduction, movement, gather, dynamic, window, product)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """The text of a function without arguments and results, whose ops use results of earlier ops."""
    first = g.ConstantOp(arrays(draw))
    ops: list[Operation] = [first]
    values = [first.y]
    for _ in range(draw(st.integers(1, 6))):
        made = draw(st.sampled_from(STEPS))(draw, draw(st.sampled_from(values[-3:])))
        ops += made
        values += [op.results[0] for op in made if prod(g.shape_of(op.results[0])) <= 512]
    return str(ModuleOp([FuncOp("main", ((), ()), Region(Block([*ops, ReturnOp()])))]))

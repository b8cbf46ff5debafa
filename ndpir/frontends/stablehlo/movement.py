"""Converters for ops that move elements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import dtype_of
from ndpir.frontends.padding import padded
from ndpir.frontends.stablehlo.building import CONVERTERS, Building, converts


@converts("broadcast_in_dim")
def broadcast_in_dim(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.broadcast`, with operand axis i as result axis `broadcast_dimensions[i]`."""
    dims, shape = b.ints("broadcast_dimensions"), b.result().get_shape()
    order = sorted(range(len(dims)), key=dims.__getitem__)
    x = b.transposed(xs[0], order)
    extents = dict(zip(sorted(dims), g.shape_of(x), strict=True))
    first = min(dims, default=len(shape))
    return b.broadcast_to(b.reshaped(x, [extents.get(axis, 1) for axis in range(first, len(shape))]), shape)


@converts("bitcast_convert")
def bitcast_convert(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.bitcast`."""
    return b.build(g.BitcastOp, xs[0], result_type=b.result())


@converts("reshape")
def reshape(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.reshape`."""
    return b.reshaped(xs[0], b.result().get_shape())


@converts("transpose")
def transpose(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.transpose`."""
    return b.transposed(xs[0], b.ints("permutation"))


@converts("slice")
def slice_(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.slice`."""
    return b.sliced(xs[0], b.ints("start_indices"), b.ints("limit_indices"), b.ints("strides"))


@converts("reverse")
def reverse(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.slice` with a step of -1 along the reversed axes."""
    return b.reversed(xs[0], b.ints("dimensions"))


@converts("concatenate")
def concatenate(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.concat`."""
    return b.build(g.ConcatOp, *xs, axis=b.integer("dimension"))


@converts("pad")
def pad(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.pad`; negative widths cut elements off, and interior padding becomes padding along a new axis."""
    x, value = xs
    rank = len(g.shape_of(x))
    low, high = b.ints("edge_padding_low"), b.ints("edge_padding_high")
    return padded(b, x, low, high, b.ints("interior_padding", (0,) * rank), value)


@converts("broadcast")
def broadcast(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.broadcast`, with the new axes before the operand's."""
    return b.broadcast_to(xs[0], b.result().get_shape())


BROADCASTING = (
    "add and atan2 compare divide maximum minimum multiply next_after or polygamma power remainder select shift_left "
    "shift_right_arithmetic shift_right_logical subtract xor zeta"
)
"""Ops for which CHLO has a form with broadcast operands, `chlo.broadcast_NAME`."""


@converts(*(f"chlo.broadcast_{name}" for name in BROADCASTING.split()))
def broadcasting(b: Building, xs: list[SSAValue]) -> SSAValue | list[SSAValue]:
    """The op without `broadcast_` in its name, on operands that are broadcast to the result's shape. The axes of an
    operand of lower rank become the axes `broadcast_dimensions` of the result, by default its last axes."""
    shape = b.result().get_shape()
    wide: list[SSAValue] = []
    for x in xs:
        own = g.shape_of(x)
        last = range(len(shape) - len(own), len(shape))
        axes = b.ints("broadcast_dimensions", last) if 0 < len(own) < len(shape) else tuple(last)
        extents = dict(zip(axes, own, strict=True))
        if not extents.keys() <= set(range(len(shape))):
            b.fail(f"`broadcast_dimensions` must hold axes of {b.result()}, from 0 to {len(shape) - 1}")
        wide.append(b.broadcast_to(b.reshaped(x, [extents.get(axis, 1) for axis in range(len(shape))]), shape))
    name = b.op.name.removeprefix("chlo.broadcast_")
    name = name if name in CONVERTERS else f"chlo.{name}"
    return CONVERTERS[name](Building(replace(b.op, name=name), b.scope), wide)


@converts("chlo.constant_like")
def constant_like(b: Building, xs: list[SSAValue]) -> SSAValue:
    """The number `value` of the op, broadcast to the operand's shape."""
    value, dtype = b.get("value"), dtype_of(b.result().element_type)
    if not isinstance(value, int | float):
        b.fail(f"`value` must be a number, not {value}")
    return b.broadcast_to(b.constant(np.array(value).astype(dtype)), g.shape_of(xs[0]))


# Ops with extents as operands: the extents follow from the result type, since dynamic ones are refused.


@converts("dynamic_broadcast_in_dim")
def dynamic_broadcast_in_dim(b: Building, xs: list[SSAValue]) -> SSAValue:
    """Converted as `broadcast_in_dim`, to the result's shape."""
    return broadcast_in_dim(b, xs[:1])


@converts("dynamic_reshape")
def dynamic_reshape(b: Building, xs: list[SSAValue]) -> SSAValue:
    """Converted as `reshape`, to the result's shape."""
    return reshape(b, xs[:1])


@converts("real_dynamic_slice")
def real_dynamic_slice(b: Building, xs: list[SSAValue]) -> SSAValue:
    """Converted as `slice`, if starts, ends and steps are constants."""
    return b.sliced(xs[0], *(known_integers(b, x) for x in xs[1:]))


@converts("dynamic_pad")
def dynamic_pad(b: Building, xs: list[SSAValue]) -> SSAValue:
    """Converted as `pad`, if the widths are constants."""
    low, high, interior = (known_integers(b, x) for x in xs[2:])
    return padded(b, xs[0], low, high, interior, xs[1])


@converts("get_dimension_size")
def get_dimension_size(b: Building, xs: list[SSAValue]) -> SSAValue:
    """A constant, the extent of the operand along an axis; all extents are known."""
    return b.constant(np.array(g.shape_of(xs[0])[b.integer("dimension")], np.int32))


def known_integers(b: Building, x: SSAValue) -> tuple[int, ...]:
    """The integers of a constant. Raises InputError for any other value."""
    if not isinstance(x.owner, g.ConstantOp):
        b.fail("the result's extents are not constants; lower the function for known shapes")
    return tuple(map(int, x.owner.value.array().ravel()))

"""Widths of copies: how many elements, one behind the other in both memories, a thread can copy at once."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd, prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr

from dialects.tile.accesses import Access
from dialects.tile.memory import BufferOp, CopyOp, bytes_in
from dialects.tile.views import ViewOp

VECTOR = 16
"""Bytes that a thread copies at once, at most (128-bit loads; PTX ISA, cp.async)."""
ASYNCHRONOUS = (4, 8, 16)
"""Bytes that a thread can copy asynchronously at once (PTX ISA, cp.async, cp-size)."""


BOX = 256
"""Elements of a box along an axis that is copied in bulk, at most (CUDA driver API, cuTensorMapEncodeTiled: boxDim)."""
AXES = 5
"""Axes of a memory that is copied from in bulk, at most (the same: tensorRank)."""


def bulk_problem(op: CopyOp) -> str:
    """Reason why a copy can't be one of the tensor memory accelerator's; nothing if it can. It brings a box of a
    memory, row behind row, whose rows and strides are multiples of 16 bytes."""
    source, target = op.accesses
    rank, buffer = len(source.box.sizes), target.memory.owner
    if isinstance(source.memory.owner, ViewOp):
        return "it is from a view"
    if rank > AXES or max(source.box.sizes) > BOX:
        return f"its box has more than {AXES} axes, or more than {BOX} elements along one"
    if isinstance(buffer, BufferOp) and buffer.padding:
        return "rows of shared memory are padded, and boxes lie there without gaps; swizzle rows instead"
    if (nbytes := width_of(op) * element_bytes(target)) != VECTOR:
        return f"rows begin at multiples of {nbytes} bytes, not of {VECTOR}"
    return ""


def width_of(op: CopyOp) -> int:
    """Number of elements that a thread copies at once: a power of two, of `VECTOR` bytes at most, in whose multiples
    rows of both boxes begin and end."""
    together = 0
    for access in op.accesses:
        together = gcd(together, *_steps(access))
    width = max(1, VECTOR // element_bytes(op.target))
    while together % width:
        width //= 2
    return width


def element_bytes(access: Access) -> int:
    """Bytes of an element of a memory."""
    type_: MemRefType[Attribute] = access.memory.type  # pyright: ignore[reportAssignmentType]
    return max(1, bytes_in(access.memory) // prod(type_.get_shape()))


def _steps(access: Access) -> Iterator[int]:
    """Distances, in elements, between places at which rows of a box may begin and end."""
    type_: MemRefType[Attribute] = access.memory.type  # pyright: ignore[reportAssignmentType]
    shape, owner = type_.get_shape(), access.memory.owner
    if isinstance(owner, ViewOp):
        yield from _steps_of_view(access, owner)
        return
    stride = 1
    for axis in reversed(range(len(shape))):
        start, size = access.box.starts[axis], access.box.sizes[axis]
        yield stride * step_of(start)
        if axis == len(shape) - 1:
            yield max(size, 1)
            stride = shape[-1] + (owner.padding if isinstance(owner, BufferOp) else 0)
        else:
            if size > 1:
                yield stride
            stride *= shape[axis]


def _steps_of_view(access: Access, view: ViewOp) -> Iterator[int]:
    """Such distances in the memory that a view is of; 1 where elements behind each other in the view lie elsewhere."""
    type_: MemRefType[Attribute] = view.source.type  # pyright: ignore[reportAssignmentType]
    last = len(access.box.sizes) - 1
    moving = [
        start + AffineExpr.dimension(0) if size > 1 and axis != last else start
        for axis, (start, size) in enumerate(zip(access.box.starts, access.box.sizes, strict=True))
    ]
    yield max(access.box.sizes[last], 1)
    stride = 1
    for axis in reversed(range(len(view.map.data.results))):
        subscript = view.map.data.results[axis]
        slope, run = _run(subscript, last)
        yield run if slope == (1 if stride == 1 else 0) else 1
        yield stride * step_of(subscript.replace_dims_and_symbols(moving, ()))
        stride *= type_.get_shape()[axis]


def _run(expression: AffineExpr, position: int) -> tuple[int, int]:
    """Amount by which an expression grows with a variable, and the multiples of the variable at which it may do
    otherwise; 0 if it never does."""
    match expression:
        case AffineDimExpr():
            return int(expression.position == position), 0
        case AffineBinaryOpExpr(kind, left, right):
            (one, run), (other, further) = _run(left, position), _run(right, position)
            if kind is AffineBinaryOpKind.Add:
                return one + other, gcd(run, further)
            if kind is AffineBinaryOpKind.Mul and isinstance(right, AffineConstantExpr):
                return one * right.value, run
            if not one:
                return 0, run
            if isinstance(left, AffineDimExpr) and isinstance(right, AffineConstantExpr):
                return (1 if kind is AffineBinaryOpKind.Mod else 0), right.value
            return 0, 1
        case _:
            return 0, 0


def step_of(expression: AffineExpr) -> int:
    """A number of which an index expression is always a multiple; 0 if it is always 0."""
    match expression:
        case AffineConstantExpr(value):
            return abs(value)
        case AffineBinaryOpExpr(kind, left, right):
            one, other = step_of(left), step_of(right)
            match kind:
                case AffineBinaryOpKind.Mul:
                    return one * other
                case AffineBinaryOpKind.Add | AffineBinaryOpKind.Mod:
                    return gcd(one, other)
                case _:
                    return one // other if one % other == 0 else 1
        case _:
            return 1

"""Widths of copies: the number of elements, contiguous in both memories, that a thread can copy at once."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd, prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr

from dialects.programs.index import step_of
from dialects.tile.accesses import Access
from dialects.tile.memory import BufferOp, CopyOp, bytes_in
from dialects.tile.views import ViewOp

VECTOR = 16
"""Largest number of bytes that a thread copies at once (128-bit loads; PTX ISA, cp.async)."""
ASYNCHRONOUS = (4, 8, 16)
"""Numbers of bytes that a thread can copy asynchronously at once (PTX ISA, cp.async, cp-size)."""


BOX = 256
"""Largest number of elements along an axis of a box that is copied in bulk (CUDA driver API, cuTensorMapEncodeTiled:
boxDim).
"""
AXES = 5
"""Largest number of axes of a memory that is copied in bulk (CUDA driver API, cuTensorMapEncodeTiled: tensorRank)."""


def bulk_problem(op: CopyOp) -> str:
    """Return the reason why the tensor memory accelerator can't make a copy; an empty string if it can. It copies boxes
    row by row, and needs rows and strides that are multiples of 16 bytes.
    """
    source, target = op.accesses
    rank, buffer = len(source.box.sizes), target.memory.owner
    if isinstance(source.memory.owner, ViewOp):
        return "its source is a view"
    if rank > AXES or max(source.box.sizes) > BOX:
        return f"its box has more than {AXES} axes, or more than {BOX} elements along one"
    if isinstance(buffer, BufferOp) and buffer.padding:
        return "its shared buffer is padded, but the unit writes rows without gaps; swizzle the buffer instead"
    if (nbytes := width_of(op) * element_bytes(target)) != VECTOR:
        return f"its rows begin at multiples of {nbytes} bytes, but the unit needs multiples of {VECTOR}"
    return ""


def width_of(op: CopyOp) -> int:
    """Return the number of elements that a thread copies at once: the largest power of two, at most `VECTOR` bytes,
    such that rows of both boxes begin and end at multiples of it.
    """
    together = 0
    for access in op.accesses:
        together = gcd(together, *_steps(access))
    width = max(1, VECTOR // element_bytes(op.target))
    while together % width:
        width //= 2
    return width


def element_bytes(access: Access) -> int:
    """Return the number of bytes of an element of a memory."""
    type_: MemRefType[Attribute] = access.memory.type  # pyright: ignore[reportAssignmentType]
    return max(1, bytes_in(access.memory) // prod(type_.get_shape()))


def _steps(access: Access) -> Iterator[int]:
    """Yield numbers of elements, such that the starts, ends and strides of the rows of a box are multiples of each of
    them."""
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
    """Yield numbers of elements, such that the starts, ends and strides of the rows of a view's box, in the memory
    behind the view, are multiples of each of them; 1 if neighbours in the view are not contiguous in that memory."""
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
    """Return the slope of an expression in the variable with index `position`, and a number n such that the slope
    changes only where the variable is a multiple of n; n is 0 if the slope is constant."""
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

"""Widths of copies: how many elements, one behind the other in both memories, a thread can copy at once."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd, prod

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineExpr

from dialects.tile.accesses import Access
from dialects.tile.memory import BufferOp, CopyOp, bytes_in

VECTOR = 16
"""Bytes that a thread copies at once, at most (128-bit loads; PTX ISA, cp.async)."""
ASYNCHRONOUS = (4, 8, 16)
"""Bytes that a thread can copy asynchronously at once (PTX ISA, cp.async, cp-size)."""


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

"""Discrete Fourier transforms of real tensors whose last axis holds real and imaginary parts, in steps of matrix
products (Cooley and Tukey, 1965)."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import dtype_of
from ndpir.frontends.formulas import Term
from ndpir.frontends.onnx.operators import OnnxNode, element_of, handles, rank_of
from ndpir.frontends.padding import padded

Array = NDArray[np.floating[Any]]
LARGEST_FACTOR = 64
"""The largest transform that is one product with its matrix, if its length has factors."""

Complex = tuple[Term, Term | None]
"""Real and imaginary part; None for an imaginary part of zeros."""


@handles("DFT", newest=20)
def dft(node: OnnxNode) -> SSAValue:
    """The transform along an axis, which is cut or padded with zeros to `dft_length` first."""
    rank = rank_of(node[0])
    if node.since < 20:
        axis = node.axis("axis", rank)
    else:
        axis = node.axis_of(-2 if node.get(2) is None else node.whole(2), rank)
    length = None if node.get(1) is None else node.whole(1)
    return _transformed(node, node[0], axis, length, bool(node.integer("inverse")), bool(node.integer("onesided")))


@handles("STFT", newest=17)
def stft(node: OnnxNode) -> SSAValue:
    """Transforms of overlapping frames of a signal, each weighted by a window."""
    signal, step = node[0], node.whole(1)
    shape = g.shape_of(signal)
    if len(shape) == 2:
        signal, shape = node.reshaped(signal, (*shape, 1)), (*shape, 1)
    window = None if node.get(2) is None else g.shape_of(node[2])
    if node.get(3) is None and window is None:
        node.fail("the length of a frame is missing; give the window or the length")
    length = node.whole(3) if node.get(3) is not None else prod(window or ())
    if window not in (None, (length,)):
        node.fail(f"the window must have the shape [{length}], the length of a frame, not {list(window or ())}")
    if len(shape) != 3 or step < 1 or not 1 <= length <= shape[1]:
        node.fail(f"a signal {signal.type} has no frames of {length} elements, {step} apart")
    count = (shape[1] - length) // step + 1
    node.check_table(max(count, length))
    starts = Term(node, node.constant(np.arange(count, dtype=np.int64)[:, None] * step))
    places = starts + Term(node, node.constant(np.arange(length, dtype=np.int64)))
    frames = node.build(g.GatherOp, signal, places.value, axis=1)
    if node.get(2) is not None:
        frames = node.build(g.MulOp, frames, node.reshaped(node[2], (length, 1)))
    return _transformed(node, frames, 2, None, False, bool(node.integer("onesided")) and shape[2] == 1)


def _transformed(node: OnnxNode, x: SSAValue, axis: int, length: int | None, inverse: bool, onesided: bool) -> SSAValue:
    """The transform of `x` along `axis`. `onesided`: only the first half of the spectrum of real numbers is the result,
    or for an inverse transform the operand."""
    shape, rank = g.shape_of(x), rank_of(x)
    if axis == rank - 1 or shape[-1] not in (1, 2) or not shape[axis]:
        node.fail(f"{x.type} must hold real and imaginary parts along its last axis, and elements along axis {axis}")
    if onesided and not inverse and shape[-1] == 2:
        node.fail("only the spectrum of real numbers is onesided; give the operand a last axis of 1")
    n = length if length is not None else 2 * (shape[axis] - 1) if onesided and inverse else shape[axis]
    if n < 1:
        node.fail(f"the length of the transform must be at least 1, not {n}")
    held = n // 2 + 1 if onesided and inverse else n
    widths = tuple(held - shape[axis] if at == axis else 0 for at in range(rank))
    x = padded(node, x, (0,) * rank, widths, (0,) * rank)
    order = [*(at for at in range(rank) if at not in (axis, rank - 1)), rank - 1, axis]
    x = node.transposed(x, order)
    *outer, parts, _ = g.shape_of(x)
    count = prod(outer)
    flat = node.reshaped(x, (count, parts, held))

    def part(at: int) -> Term:
        return Term(node, node.reshaped(node.sliced(flat, (0, at, 0), (count, at + 1, held)), (count, held)))

    signal: Complex = part(0), part(1) if parts == 2 else None
    if onesided and inverse:
        signal = _mirrored(node, signal, n)
    real, imaginary = _fourier(node, signal, n, 1.0 if inverse else -1.0)
    real, imaginary = (each if each is not None else real * 0.0 for each in (real, imaginary))
    results = [real] if onesided and inverse else [real, imaginary]
    if inverse:
        results = [each / n for each in results]
    if onesided and not inverse:
        held = n // 2 + 1
        results = [Term(node, node.sliced(each.value, (0, 0), (count, held))) for each in results]
    else:
        held = n
    apart = [node.reshaped(each.value, (*outer, 1, held)) for each in results]
    y = apart[0] if len(apart) == 1 else node.build(g.ConcatOp, *apart, axis=rank - 2)
    return node.transposed(y, [order.index(at) for at in range(rank)])


def _mirrored(node: OnnxNode, half: Complex, n: int) -> Complex:
    """The complete spectrum of real numbers from its first half: element n - k is the conjugate of element k."""
    count = g.shape_of(half[0].value)[0]

    def whole(part: Term, sign: float) -> Term:
        inner = node.sliced(part.value, (0, 1), (count, (n - 1) // 2 + 1))
        turned = Term(node, node.reversed(inner, [1])) * sign
        return Term(node, node.build(g.ConcatOp, part.value, turned.value, axis=1)) if n > 2 else part

    real, imaginary = half
    return whole(real, 1.0), None if imaginary is None else whole(imaginary, -1.0)


def _fourier(node: OnnxNode, x: Complex, n: int, sign: float) -> Complex:
    """The transform along the last axis, of n elements: one matrix product, or, if n is a product of two factors,
    transforms of the first factor, a rotation of each element, and transforms of the second."""
    a = next((each for each in range(min(n - 1, LARGEST_FACTOR), 1, -1) if n % each == 0), 1)
    node.check_table(n if a > 1 else n * n)
    if n <= LARGEST_FACTOR or a == 1:
        return _times(node, x, np.outer(np.arange(n), np.arange(n)) % n * (sign * 2 * np.pi / n), is_product=True)
    b = n // a
    outer = g.shape_of(x[0].value)[:-1]

    def split(part: Term | None) -> Term | None:  # element j1 * b + j2 to [j2, j1]
        if part is None:
            return None
        apart = node.reshaped(part.value, (*outer, a, b))
        return Term(node, node.transposed(apart, _swapped(len(outer) + 2)))

    def turned(part: Term) -> Term:
        return Term(node, node.transposed(part.value, _swapped(len(outer) + 2)))

    real, imaginary = split(x[0]), split(x[1])
    assert real is not None
    real, imaginary = _fourier(node, (real, imaginary), a, sign)
    angles = np.outer(np.arange(b), np.arange(a)) * (sign * 2 * np.pi / n)
    real, imaginary = _times(node, (real, imaginary), angles, is_product=False)
    assert imaginary is not None
    real, imaginary = _fourier(node, (turned(real), turned(imaginary)), b, sign)
    assert imaginary is not None
    shape = (*outer, n)
    found = [Term(node, node.reshaped(turned(each).value, shape)) for each in (real, imaginary)]
    return found[0], found[1]


def _swapped(rank: int) -> list[int]:
    return [*range(rank - 2), rank - 1, rank - 2]


def _times(node: OnnxNode, x: Complex, angles: Array, *, is_product: bool) -> Complex:
    """The matrix product, or else the product by element, with e^(i angle)."""
    dtype = dtype_of(element_of(x[0].value))
    cosine, sine = (Term(node, node.constant(function(angles).astype(dtype))) for function in (np.cos, np.sin))
    op = g.MatmulOp if is_product else g.MulOp
    real, imaginary = x
    if imaginary is None:
        return real(op, cosine), real(op, sine)
    return real(op, cosine) - imaginary(op, sine), real(op, sine) + imaginary(op, cosine)

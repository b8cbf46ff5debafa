"""Numerics of quantized values: conversion by scales and zero points, and exact products of small factors."""

from __future__ import annotations

import numpy as np

from dialects import graph as g
from dialects.element_types import dtype_of
from interp.numerics.contraction import product
from interp.numerics.convolution import correlation
from interp.numerics.meaning import meaning
from interp.numerics.rounding import F32, F64, SMALL_FLOATS, Array, DType, largest_of, limits_of, rounded, wide_dtype


@meaning.of(g.QuantizeOp)
def quantize(op: g.QuantizeOp, x: Array, scale: Array, zero: Array | None = None) -> Array:
    dtype = dtype_of(g.tensor_of(op.y).element_type)
    wide = np.promote_types(wide_dtype(x.dtype), F32) if x.dtype.kind not in "iu" else F32
    y = x.astype(wide) / _of_elements(op, scale).astype(wide)
    if dtype in SMALL_FLOATS:
        most = largest_of(dtype)
        offset = 0 if zero is None else _of_elements(op, zero).astype(wide)
        return rounded(np.clip(y + offset, -most, most), dtype)
    y = np.rint(y)
    if zero is not None:
        y = y + _of_elements(op, zero).astype(wide)
    low, high = limits_of(dtype)
    return np.clip(np.where(np.isnan(y), 0, y), low, high).astype(dtype)


@meaning.of(g.DequantizeOp)
def dequantize(op: g.DequantizeOp, x: Array, scale: Array, zero: Array | None = None) -> Array:
    wide = wide_dtype(scale.dtype)
    y = x.astype(wide)
    if zero is not None:
        y = y - _of_elements(op, zero).astype(wide)
    return rounded(y * _of_elements(op, scale).astype(wide), dtype_of(g.tensor_of(op.y).element_type))


def _of_elements(op: g.QuantizeOp | g.DequantizeOp, numbers: Array) -> Array:
    """Scales or zero points in a shape that broadcasts to the elements: each repeated for the elements of its block."""
    block, axis = op.block.value.data, op.axis.value.data
    if not block or numbers.shape[axis] == 1:
        return numbers
    return np.repeat(numbers, block, axis).take(np.arange(g.shape_of(op.x)[axis]), axis)


def _factors(op: g.QmatmulOp | g.QconvOp, factors: tuple[Array, Array], zeros: tuple[Array, ...]) -> tuple[Array, ...]:
    """The factors less their zero points, as numbers in which sums are exact: products of 16 bits, of which f64 sums
    2^37 and f32 2^8 without rounding."""
    wide = [exact(x) for x in factors]
    for x, zero in zip(wide, zeros, strict=False):
        x -= zero.astype(x.dtype)
    return tuple(wide)


def exact(factor: Array) -> Array:
    """A factor of at most 8 bits in the type in which its products are summed: f32 for floats, f64 for integers."""
    wide: DType = F32 if is_float(factor) else F64
    return factor.astype(wide)


def is_float(x: Array) -> bool:
    """True for elements that are small floating-point numbers."""
    return x.dtype in SMALL_FLOATS


def summed(y: Array, factor: Array) -> Array:
    """Exact sums in the type of the op's result; integers wrap."""
    return y if is_float(factor) else y.astype(np.int64).astype(np.int32)


@meaning.of(g.QmatmulOp)
def qmatmul(op: g.QmatmulOp, a: Array, b: Array, *zeros: Array) -> Array:
    x, w = _factors(op, (a, b), zeros)
    if op.transpose_a.value.data:
        x = x.swapaxes(-1, -2)
    if op.transpose_b.value.data:
        w = w.swapaxes(-1, -2)
    return summed(product(x, w), a)


@meaning.of(g.QconvOp)
def qconv(op: g.QconvOp, x: Array, w: Array, *zeros: Array) -> Array:
    image, filters = _factors(op, (x, w), zeros)
    return summed(correlation(image, filters, op.window(op.kernel), op.groups.value.data, g.shape_of(op.y)[2:]), x)

"""Numerics of reductions, softmax and normalisations."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from dialects import graph as g
from dialects.graph.reduction import Reducing
from interp.numerics.meaning import meaning
from interp.numerics.rounding import Array, integer_mean, is_real, rounded, sum_dtype, wide_dtype, wide_integer, widened

FOLDS: dict[str, np.ufunc] = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}
"""The functions that combine two elements, by the kind of reduction."""


@meaning.of(g.ReduceOp)
def reduce(op: Reducing, x: Array) -> Array:
    dtype, kind, axes = x.dtype, op.kind.data, op.axis_set()
    wide = widened(x)
    options: dict[str, Any] = {"axis": axes, "keepdims": bool(op.keep_dims.value.data)}
    count = prod(x.shape[axis] for axis in axes)
    if kind == "mean" and not is_real(dtype):
        wide = x.astype(wide_integer(dtype), copy=False)
        return integer_mean(lambda f: np.add.reduce(f(wide), dtype=wide.dtype, **options), max(count, 1), dtype)
    fold = FOLDS["sum" if kind == "mean" else kind]
    if fold.identity is None and x.size == 0:
        options["initial"] = _neutral(kind, wide)
    y = np.asarray(fold.reduce(wide, dtype=sum_dtype(wide.dtype) if fold is np.add else wide.dtype, **options))
    return rounded(y / y.dtype.type(count) if kind == "mean" else y, dtype)


def _neutral(kind: str, x: Array) -> Any:
    """The result of a minimum or maximum over no elements: the greatest value of x's type for a minimum, the least
    value for a maximum."""
    if is_real(x.dtype):
        return np.inf if kind == "min" else -np.inf
    return np.iinfo(x.dtype).max if kind == "min" else np.iinfo(x.dtype).min


@meaning.of(g.CumsumOp)
def cumsum(op: g.CumsumOp, x: Array) -> Array:
    axis, wide = op.axis.value.data, widened(x)
    if op.reverse.value.data:
        wide = np.flip(wide, axis)
    y = np.cumsum(wide, axis, dtype=sum_dtype(wide.dtype))
    if op.exclusive.value.data:
        y = np.roll(y, 1, axis)
        if y.size:
            y[(*(slice(None),) * (axis % x.ndim), 0)] = 0
    if op.reverse.value.data:
        y = np.flip(y, axis)
    return rounded(y, x.dtype)


def softmax(x: Array, axis: int, out: Array | None = None) -> Array:
    """exp(x - max) divided by its sum along `axis`, in x's own type; a slice of minus infinities alone gives nan."""
    if x.size == 0:
        return x
    y = np.subtract(x, x.max(axis, keepdims=True), out=out)
    np.exp(y, out=y)
    y /= y.sum(axis, sum_dtype(y.dtype), keepdims=True).astype(y.dtype)
    return y


@meaning.of(g.SoftmaxOp)
def softmax_op(op: g.SoftmaxOp, x: Array) -> Array:
    return rounded(softmax(widened(x), op.axis.value.data), x.dtype)


@meaning.of(g.LayerNormOp)
def layer_norm(op: g.LayerNormOp, x: Array, scale: Array, bias: Array | None = None) -> Array:
    if x.size == 0:
        return x
    wide = widened(x)
    axes = tuple(range(op.axis.value.data % x.ndim, x.ndim))
    y = wide - wide.mean(axes, sum_dtype(wide.dtype), keepdims=True).astype(wide.dtype)
    _normalise(y, axes, op.epsilon.value.data)
    y *= widened(scale)
    if bias is not None:
        y += widened(bias)
    return rounded(y, x.dtype)


@meaning.of(g.RmsNormOp)
def rms_norm(op: g.RmsNormOp, x: Array, scale: Array) -> Array:
    if x.size == 0:
        return x
    y = x.astype(wide_dtype(x.dtype), copy=True)
    _normalise(y, tuple(range(op.axis.value.data % x.ndim, x.ndim)), op.epsilon.value.data)
    y *= widened(scale)
    return rounded(y, x.dtype)


def _normalise(y: Array, axes: tuple[int, ...], epsilon: float) -> None:
    """Divide `y`, in place, by the square root of the mean of its squares along `axes` plus `epsilon`."""
    square = np.square(y).mean(axes, sum_dtype(y.dtype), keepdims=True)
    square += epsilon
    y /= np.sqrt(square).astype(y.dtype)


@meaning.of(g.BatchNormOp)
def batch_norm(op: g.BatchNormOp, x: Array, scale: Array, bias: Array, mean: Array, variance: Array) -> Array:
    wide = widened(x)
    scale, bias, mean, variance = (widened(v).astype(wide.dtype, copy=False) for v in (scale, bias, mean, variance))
    factor = scale / np.sqrt(variance + wide.dtype.type(op.epsilon.value.data))
    channels = (-1, *(1,) * (x.ndim - 2))
    y = wide * factor.reshape(channels)
    y += (bias - mean * factor).reshape(channels)
    return rounded(y, x.dtype)


@meaning.of(g.LrnOp)
def lrn(op: g.LrnOp, x: Array) -> Array:
    size, wide = op.size.value.data, widened(x)
    square, below = np.square(wide), (size - 1) // 2
    total = np.zeros_like(wide)
    channels = x.shape[1]
    for shift in range(max(-below, 1 - channels), min(size - below, channels)):  # total[c] += square[c + shift]
        low, high = max(0, -shift), min(channels, channels - shift)
        total[:, low:high] += square[:, low + shift : high + shift]
    total *= op.alpha.value.data / size
    total += op.bias.value.data
    np.power(total, total.dtype.type(-op.beta.value.data), out=total)
    total *= wide
    return rounded(total, x.dtype)

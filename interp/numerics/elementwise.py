"""Numerics of the element-wise ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, nan, pow, sqrt

import numpy as np

from dialects import graph as g
from dialects.element_types import dtype_of
from interp.numerics.meaning import Elementwise, elementwise, meaning
from interp.numerics.rounding import F64, I64, U64, Array, cast, is_real, quotient, wide_integer
from interp.numerics.special import erf, erfc

# Ops with a numpy function.
for _op_class, _function in (
    (g.AbsOp, np.abs),
    (g.NegOp, np.negative),
    (g.ExpOp, np.exp),
    (g.LogOp, np.log),
    (g.SqrtOp, np.sqrt),
    (g.SinOp, np.sin),
    (g.CosOp, np.cos),
    (g.TanhOp, np.tanh),
    (g.TanOp, np.tan),
    (g.SignOp, np.sign),
    (g.Log1pOp, np.log1p),
    (g.Expm1Op, np.expm1),
    (g.CbrtOp, np.cbrt),
    (g.Atan2Op, np.arctan2),
    (g.FloorOp, np.floor),
    (g.CeilOp, np.ceil),
    (g.AddOp, np.add),
    (g.SubOp, np.subtract),
    (g.MulOp, np.multiply),
    (g.MinOp, np.minimum),
    (g.MaxOp, np.maximum),
):
    meaning.attach(Elementwise.of(_function), _op_class)
for _op_class, _function in (
    (g.NotOp, np.invert),
    (g.IsNanOp, np.isnan),
    (g.IsFiniteOp, np.isfinite),
    (g.AndOp, np.bitwise_and),
    (g.OrOp, np.bitwise_or),
    (g.XorOp, np.bitwise_xor),
):
    meaning.attach(Elementwise.of(_function, exact=True), _op_class)


@elementwise(g.ReluOp)
def _relu(op: g.ReluOp, xs: Sequence[Array], out: Array | None) -> Array:
    return np.maximum(xs[0], xs[0].dtype.type(0), out=out)


@elementwise(g.RsqrtOp)
def _rsqrt(op: g.RsqrtOp, xs: Sequence[Array], out: Array | None) -> Array:
    root = np.sqrt(xs[0], out=out)
    return np.divide(1, root, out=root)


@elementwise(g.ReciprocalOp)
def _reciprocal(op: g.ReciprocalOp, xs: Sequence[Array], out: Array | None) -> Array:
    return np.divide(xs[0].dtype.type(1), xs[0], out=out)


def sigmoid(x: Array, out: Array | None = None) -> Array:
    """1 / (1 + exp(-x)), in x's type."""
    y = np.negative(x, out=out)
    np.exp(y, out=y)
    y += 1
    return np.divide(1, y, out=y)


@elementwise(g.SiluOp)
def _silu(op: g.SiluOp, xs: Sequence[Array], out: Array | None) -> Array:
    y = sigmoid(xs[0])
    return np.multiply(xs[0], y, out=y)


@elementwise(g.GeluOp)
def _gelu(op: g.GeluOp, xs: Sequence[Array], out: Array | None) -> Array:
    x = xs[0]
    if op.approximate.data == "tanh":
        inner = x * x
        inner *= x
        inner *= 0.044715
        inner += x
        inner *= sqrt(2 / np.pi)
        np.tanh(inner, out=inner)
    else:
        inner = erf(x * x.dtype.type(1 / sqrt(2)))
    inner += 1
    inner *= x
    inner *= 0.5
    return inner


@elementwise(g.ClipOp)
def _clip(op: g.ClipOp, xs: Sequence[Array], out: Array | None) -> Array:
    x, low, high = xs[0], op.min.value.data, op.max.value.data
    if x.dtype.kind in "iu":
        low, high = _integer_bound(np.ceil(low), x), _integer_bound(np.floor(high), x)
    y = np.maximum(x, x.dtype.type(low), out=out)
    return np.minimum(y, x.dtype.type(high), out=y)


def _integer_bound(bound: float, x: Array) -> int:
    """A bound as an integer of x's type, clamped to its range."""
    limits = np.iinfo(x.dtype)
    return int(limits.min) if bound <= limits.min else int(limits.max) if bound >= limits.max else int(bound)


@elementwise(g.DivOp)
def _div(op: g.DivOp, xs: Sequence[Array], out: Array | None) -> Array:
    a, b = xs
    if is_real(a.dtype):
        return np.divide(a, b, out=out)
    return quotient(a, b)


@elementwise(g.RoundOp)
def _round(op: g.RoundOp, xs: Sequence[Array], out: Array | None) -> Array:
    if op.ties.data == "even":
        return np.rint(xs[0], out=out)
    nearest = np.trunc(xs[0])
    nearest += np.copysign(np.abs(xs[0] - nearest) >= 0.5, xs[0])
    return np.copysign(nearest, xs[0], out=nearest)


@elementwise(g.RemOp)
def _rem(op: g.RemOp, xs: Sequence[Array], out: Array | None) -> Array:
    a, b = xs
    if is_real(a.dtype):
        return np.fmod(a, b, out=out)
    return np.where(b == 0, a, np.fmod(a, np.where(b == 0, b.dtype.type(1), b)))


@elementwise(g.ShiftOp, exact=True)
def _shift(op: g.ShiftOp, xs: Sequence[Array], out: Array | None) -> Array:
    a, b = xs
    bits = 8 * a.dtype.itemsize
    unsigned = np.dtype(f"u{a.dtype.itemsize}")
    beyond = b.astype(unsigned) >= bits  # negative distances count as large ones
    distance = np.where(beyond, bits - 1, b).astype(a.dtype)
    match op.kind.data:
        case "left":
            return np.where(beyond, a.dtype.type(0), np.left_shift(a, distance))
        case "right":
            moved = np.right_shift(a.view(unsigned), distance.view(unsigned)).view(a.dtype)
            return np.where(beyond, a.dtype.type(0), moved)
        case _:
            signed = np.dtype(f"i{a.dtype.itemsize}")
            return np.right_shift(a.view(signed), distance.view(signed)).view(a.dtype)


@elementwise(g.PowOp)
def _pow(op: g.PowOp, xs: Sequence[Array], out: Array | None) -> Array:
    a, b = xs
    return _real_pow(a, b) if is_real(a.dtype) else _integer_pow(a, b)


def _real_pow(a: Array, b: Array) -> Array:
    """a^b in a's type. The exponent is never rounded to a's type, in which a large odd exponent would become even."""
    shape = np.broadcast_shapes(a.shape, b.shape)
    if b.size == 1:
        match b.item():
            case 2:
                return np.square(np.broadcast_to(a, shape))
            case 0.5:  # as a power, minus infinity gives infinity and minus zero gives zero
                return np.sqrt(np.broadcast_to(np.where(a == -np.inf, np.inf, a), shape)) + a.dtype.type(0)
            case _:
                pass
    if b.dtype == a.dtype:
        return np.power(a, b)
    if is_real(b.dtype):
        return np.power(a.astype(F64), b.astype(F64)).astype(a.dtype)
    power = np.power(np.abs(a.astype(F64)), b.astype(F64))
    return np.where(np.signbit(a) & (b % 2 != 0), -power, power).astype(a.dtype)


def _integer_pow(a: Array, b: Array) -> Array:
    """a^b of integers, with overflow wrapped; for b < 0 the result is 0, except for a = 1 and a = -1."""
    if is_real(b.dtype):
        return _integer_pow_of_real(a, b)
    negative = b < 0
    count = np.where(negative, 0, b).astype(U64)
    base, power = a.astype(wide_integer(a.dtype)).view(U64), np.ones(np.broadcast_shapes(a.shape, b.shape), U64)
    while count.any():  # a^(2n + 1) = a * (a^2)^n, modulo 2^64
        power = np.where(count & U64.type(1), power * base, power)
        base, count = base * base, count >> U64.type(1)
    odd = b % 2 != 0
    ends = np.where(a == 1, 1, np.where(a == -1, np.where(odd, -1, 1), 0))
    return np.where(negative, ends.astype(a.dtype), power.astype(a.dtype))


def _integer_pow_of_real(a: Array, b: Array) -> Array:
    """a^b of integers a and floating-point exponents b, of the type of a: exact if the exponent is whole, otherwise
    computed in f64 and cast. Whole powers are not computed in f64, because the last digit there, and so the integer,
    would depend on the processor."""
    wide = b.astype(F64)
    is_integer = (wide == np.floor(wide)) & (np.abs(wide) < float(1 << 63))
    exact = _integer_pow(a, np.where(is_integer, wide, 0.0).astype(I64))
    bases, exponents = np.broadcast_arrays(a.astype(F64), np.where(is_integer, 1.0, wide))
    powers = [_float_pow(x, y) for x, y in zip(bases.ravel().tolist(), exponents.ravel().tolist(), strict=True)]
    return np.where(is_integer, exact, cast(np.array(powers, F64).reshape(bases.shape), a.dtype))


def _float_pow(a: float, b: float) -> float:
    """C's pow, which is the same on each processor if the exact power is an f64 number."""
    try:
        return pow(a, b)
    except OverflowError:
        return inf  # for an exponent that is not whole: the base is positive
    except ValueError:
        return inf if a == 0 else nan


_COMPARISONS: dict[str, Callable[..., Array]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@elementwise(g.CompareOp, exact=True)
def _compare(op: g.CompareOp, xs: Sequence[Array], out: Array | None) -> Array:
    return _COMPARISONS[op.kind.data](*xs)


@elementwise(g.SelectOp, exact=True)
def _select(op: g.SelectOp, xs: Sequence[Array], out: Array | None) -> Array:
    return np.where(*xs)


@elementwise(g.CastOp, exact=True)
def _cast(op: g.CastOp, xs: Sequence[Array], out: Array | None) -> Array:
    return cast(xs[0], dtype_of(g.tensor_of(op.y).element_type))


@elementwise(g.ErfOp)
def _erf(op: g.ErfOp, xs: Sequence[Array], out: Array | None) -> Array:
    return erf(xs[0])


@elementwise(g.ErfcOp)
def _erfc(op: g.ErfcOp, xs: Sequence[Array], out: Array | None) -> Array:
    return erfc(xs[0])


@elementwise(g.SigmoidOp)
def _sigmoid(op: g.SigmoidOp, xs: Sequence[Array], out: Array | None) -> Array:
    return sigmoid(xs[0], out)

"""What the element-wise ops compute.

Each meaning is a function of the op, its operands (in the type they are computed in) and an array that may take the
result, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, nan, pow, sqrt
from typing import Any, TypeAlias

import numpy as np

from dialects import graph as g
from dialects.element_types import dtype_of
from interp.numerics.rounding import (
    F64,
    I64,
    U64,
    Array,
    cast,
    is_real,
    quotient,
    rounded,
    wide_dtype,
    wide_integer,
    widened,
)
from interp.numerics.special import erf

Meaning: TypeAlias = Callable[[Any, Sequence[Array], Array | None], Array]


def _ufunc(function: Callable[..., Array]) -> Meaning:
    """A meaning that is a numpy function."""
    return lambda op, xs, out: function(*xs, out=out)


def _relu(op: g.ReluOp, xs: Sequence[Array], out: Array | None) -> Array:
    return np.maximum(xs[0], xs[0].dtype.type(0), out=out)


def _rsqrt(op: g.RsqrtOp, xs: Sequence[Array], out: Array | None) -> Array:
    root = np.sqrt(xs[0], out=out)
    return np.divide(1, root, out=root)


def _reciprocal(op: g.ReciprocalOp, xs: Sequence[Array], out: Array | None) -> Array:
    return np.divide(xs[0].dtype.type(1), xs[0], out=out)


def sigmoid(x: Array, out: Array | None = None) -> Array:
    """1 / (1 + exp(-x)), in x's type."""
    y = np.negative(x, out=out)
    np.exp(y, out=y)
    y += 1
    return np.divide(1, y, out=y)


def _silu(op: g.SiluOp, xs: Sequence[Array], out: Array | None) -> Array:
    y = sigmoid(xs[0])
    return np.multiply(xs[0], y, out=y)


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


def _clip(op: g.ClipOp, xs: Sequence[Array], out: Array | None) -> Array:
    x, low, high = xs[0], op.min.value.data, op.max.value.data
    if x.dtype.kind in "iu":
        low, high = _whole(np.ceil(low), x), _whole(np.floor(high), x)
    y = np.maximum(x, x.dtype.type(low), out=out)
    return np.minimum(y, x.dtype.type(high), out=y)


def _whole(bound: float, x: Array) -> int:
    """A bound as an integer of x's type, the nearest one if it lies outside."""
    limits = np.iinfo(x.dtype)
    return int(limits.min) if bound <= limits.min else int(limits.max) if bound >= limits.max else int(bound)


def _div(op: g.DivOp, xs: Sequence[Array], out: Array | None) -> Array:
    a, b = xs
    if is_real(a.dtype):
        return np.divide(a, b, out=out)
    return quotient(a, b)


def _pow(op: g.PowOp, xs: Sequence[Array], out: Array | None) -> Array:
    a, b = xs
    return _real_pow(a, b) if is_real(a.dtype) else _integer_pow(a, b)


def _real_pow(a: Array, b: Array) -> Array:
    """a^b in a's type; the exponent is never rounded to that type, for a large one would lose its parity."""
    shape = np.broadcast_shapes(a.shape, b.shape)
    if b.size == 1:
        match b.item():
            case 2:
                return np.square(np.broadcast_to(a, shape))
            case 0.5:  # of minus infinity infinity, of minus zero zero, as a power
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
    """a^b of integers, which wraps; 1 / a^n truncates to 0, but for a = 1 and a = -1, and so it does for a = 0."""
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
    """a^b of integers and any exponents: exact where the exponent is whole, else the power of f64 numbers, which is
    cast. Whole powers are not left to f64, whose last digit, and so the integer, would depend on the processor."""
    wide = b.astype(F64)
    whole = (wide == np.floor(wide)) & (np.abs(wide) < float(1 << 63))
    exact = _integer_pow(a, np.where(whole, wide, 0.0).astype(I64))
    bases, exponents = np.broadcast_arrays(a.astype(F64), np.where(whole, 1.0, wide))
    powers = [_float_pow(x, y) for x, y in zip(bases.ravel().tolist(), exponents.ravel().tolist(), strict=True)]
    return np.where(whole, exact, cast(np.array(powers, F64).reshape(bases.shape), a.dtype))


def _float_pow(a: float, b: float) -> float:
    """C's pow, which is the same on each processor where the power is a number of f64."""
    try:
        return pow(a, b)
    except OverflowError:
        return inf  # of an exponent that is not whole: the base is positive
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


def _compare(op: g.CompareOp, xs: Sequence[Array], out: Array | None) -> Array:
    return _COMPARISONS[op.kind.data](*xs)


def _select(op: g.SelectOp, xs: Sequence[Array], out: Array | None) -> Array:
    return np.where(*xs)


# Computed in the operands' wide type, rounded to the operands' own.
_COMPUTED: dict[type[g.ElementwiseOp], Meaning] = {
    g.AbsOp: _ufunc(np.abs),
    g.NegOp: _ufunc(np.negative),
    g.ExpOp: _ufunc(np.exp),
    g.LogOp: _ufunc(np.log),
    g.SqrtOp: _ufunc(np.sqrt),
    g.RsqrtOp: _rsqrt,
    g.ReciprocalOp: _reciprocal,
    g.SinOp: _ufunc(np.sin),
    g.CosOp: _ufunc(np.cos),
    g.TanhOp: _ufunc(np.tanh),
    g.ErfOp: lambda op, xs, out: erf(xs[0]),
    g.SigmoidOp: lambda op, xs, out: sigmoid(xs[0], out),
    g.ReluOp: _relu,
    g.SiluOp: _silu,
    g.FloorOp: _ufunc(np.floor),
    g.CeilOp: _ufunc(np.ceil),
    g.GeluOp: _gelu,
    g.ClipOp: _clip,
    g.AddOp: _ufunc(np.add),
    g.SubOp: _ufunc(np.subtract),
    g.MulOp: _ufunc(np.multiply),
    g.DivOp: _div,
    g.MinOp: _ufunc(np.minimum),
    g.MaxOp: _ufunc(np.maximum),
    g.PowOp: _pow,
}
# Exact in the operands' own type.
_EXACT: dict[type[g.ElementwiseOp], Meaning] = {
    g.NotOp: _ufunc(np.logical_not),
    g.IsNanOp: _ufunc(np.isnan),
    g.AndOp: _ufunc(np.bitwise_and),
    g.OrOp: _ufunc(np.bitwise_or),
    g.XorOp: _ufunc(np.bitwise_xor),
    g.CompareOp: _compare,
    g.SelectOp: _select,
}


def evaluate(op: g.ElementwiseOp, xs: Sequence[Array], out: Array | None) -> Array:
    """The result of an element-wise op.

    `out`: an array of the result's type and shape that may be overwritten; it may be an operand.
    """
    if not any(x.ndim for x in xs):  # numpy makes scalars of these, which have no memory to write to
        return evaluate(op, [x.reshape(1) for x in xs], None).reshape(())
    if isinstance(op, g.CastOp):
        return cast(xs[0], dtype_of(g.tensor_of(op.y).element_type))
    if (exact := _EXACT.get(type(op))) is not None:
        return exact(op, xs, out)
    compute, dtype = _COMPUTED[type(op)], xs[0].dtype
    if wide_dtype(dtype) == dtype:
        return compute(op, xs, out)
    wide = [widened(x) for x in xs]
    into = next((x for x in wide if x.dtype != dtype and x.shape == g.shape_of(op.results[0])), None)
    return rounded(compute(op, wide, into), dtype)

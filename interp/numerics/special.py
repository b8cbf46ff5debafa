"""Special functions that numpy lacks: the error function, and its complement."""

from __future__ import annotations

from functools import cache
from math import erf as exact_erf
from math import erfc as exact_erfc
from math import exp, pi, sqrt

import numpy as np

from interp.numerics.rounding import F64, Array

_STEP = 128  # table entries a unit
_END = 6.5  # erf(6.5) is 1 in f64
_BLOCK = 16384  # elements at a time, so that intermediates stay in cache


@cache
def _taylor(terms: int) -> Array:
    """Coefficients of erf's Taylor series around k / 128, one row per power.

    The n-th derivative of erf at c is 2 / sqrt(pi) * exp(-c^2) * (-1)^(n-1) * H_(n-1)(c), with the Hermite polynomials
    H_0 = 1, H_1 = 2c, H_(n+1) = 2c H_n - 2n H_(n-1) (Abramowitz and Stegun, 7.1.19 and 22.7.13).
    """
    centres = [k / _STEP for k in range(int(_END * _STEP) + 1)]
    rows = np.empty((terms, len(centres)))
    for k, c in enumerate(centres):
        rows[0, k] = exact_erf(c)
        before, hermite, scale = 0.0, 1.0, 2 / sqrt(pi) * exp(-c * c)
        for n in range(1, terms):
            scale /= n
            rows[n, k] = scale * hermite
            before, hermite, scale = hermite, 2 * c * hermite - 2 * (n - 1) * before, -scale
    return rows


def _sum(rows: Array, nearest: Array, distance: Array) -> Array:
    """The values of the Taylor series around the table's points `nearest`, at `distance` from these points (Horner's
    scheme)."""
    value = rows[-1].take(nearest)
    for row in rows[-2::-1]:
        value *= distance
        value += row.take(nearest)
    return value


def erf(x: Array) -> Array:
    """The error function of f32 or f64 elements, in their type; the absolute error is below 1e-7 (f32) and 1e-14
    (f64)."""
    rows = _taylor(7 if x.dtype == F64 else 4)
    source = np.ascontiguousarray(x).reshape(-1)
    result = np.empty_like(source)
    for start in range(0, source.size, _BLOCK):
        part = source[start : start + _BLOCK].astype(F64)
        size = np.minimum(np.abs(part), _END)
        nan = np.isnan(size)
        nearest = np.where(nan, 0.0, size * _STEP + 0.5).astype(np.intp)
        distance = size - nearest / _STEP
        value = _sum(rows, nearest, distance)
        result[start : start + _BLOCK] = np.copysign(value, part)
    return result.reshape(x.shape)


_END_SCALED = 26.5  # beyond it erfc is subnormal in f64
_ZERO = 28.0  # erfc(28) is 0 in f64


@cache
def _scaled_taylor(terms: int) -> Array:
    """Coefficients of the Taylor series of y = exp(x^2) erfc(x) around k / 128, one row per power. They follow from y'
    = 2 x y - 2 / sqrt(pi) (Abramowitz and Stegun, 7.1.19)."""
    c = np.arange(int(_END_SCALED * _STEP) + 1) / _STEP
    rows = np.empty((terms, c.size))
    rows[0] = [exp(each * each) * exact_erfc(each) for each in c.tolist()]
    rows[1] = 2 * c * rows[0] - 2 / sqrt(pi)
    for n in range(2, terms):  # coefficients, not derivatives: the factorials are divided out
        rows[n] = 2 * (c * rows[n - 1] + rows[n - 2]) / n
    return rows


def erfc(x: Array) -> Array:
    """1 - erf(x) of f32 or f64 elements, in their type; where the result is a normal number, its relative error is
    below 1e-7 (f32) and 1e-13 (f64)."""
    rows = _scaled_taylor(7 if x.dtype == F64 else 4)
    source = np.ascontiguousarray(x).reshape(-1)
    result = np.empty_like(source)
    for start in range(0, source.size, _BLOCK):
        part = source[start : start + _BLOCK].astype(F64)
        size = np.minimum(np.abs(part), _ZERO)
        nearest = np.where(np.isnan(size), 0.0, np.minimum(size, _END_SCALED) * _STEP + 0.5).astype(np.intp)
        distance = size - nearest / _STEP
        value = _sum(rows, nearest, distance)
        with np.errstate(under="ignore"):
            value *= np.exp(-size * size)
            result[start : start + _BLOCK] = np.where(part < 0, 2 - value, value)
    return result.reshape(x.shape)

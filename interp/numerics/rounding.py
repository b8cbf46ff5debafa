"""Number formats: how elements are widened before an op computes and rounded once after it.

f16 and bf16 are stored in that type and computed in f32; f64 stays f64; integers wrap.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
DType: TypeAlias = np.dtype[Any]

F16, BF16 = np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)
F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
BOOL, I64, U64 = np.dtype(np.bool_), np.dtype(np.int64), np.dtype(np.uint64)

_WIDE: dict[DType, DType] = {F16: F32, BF16: F32}


def is_real(dtype: DType) -> bool:
    """Whether `dtype` is a floating-point type of the level."""
    return dtype.kind == "f" or dtype == BF16


def wide_dtype(dtype: DType) -> DType:
    """The type that elements of `dtype` are computed in."""
    return _WIDE.get(dtype, dtype)


def widened(array: Array) -> Array:
    """`array` in the type it is computed in; the same object where that is its own type."""
    wide = _WIDE.get(array.dtype)
    return array if wide is None else array.astype(wide)


def rounded(array: Array, dtype: DType) -> Array:
    """`array` in a floating-point or its own `dtype`, rounded to nearest even; the same object if it has that type."""
    if array.dtype == dtype:
        return array
    if dtype == BF16 and array.dtype != F32:
        array = _odd_f32(array)  # a plain cast would go by way of f32 and round twice
    elif dtype == F16 and array.dtype.kind in "iu":
        array = array.astype(F64)
    return array.astype(dtype)


def _odd_f32(array: Array) -> Array:
    """f32 numbers that round to bf16 as `array`'s own do: an inexact tie of two bf16 numbers is moved off the tie."""
    exact = array.astype(F64)
    single = exact.astype(F32)
    bits = single.view(np.uint32)
    tie = (bits & np.uint32(0xFFFF)) == np.uint32(0x8000)
    if not tie.any():
        return single
    back, size = np.abs(single).astype(F64), np.abs(exact)
    bits = bits + (tie & (back < size)).astype(np.uint32) - (tie & (back > size)).astype(np.uint32)
    return bits.view(F32)


def cast(array: Array, dtype: DType) -> Array:
    """`graph.cast`: to floats to nearest even, to integers towards zero and wrapping, to truth values against zero.

    Beyond 64 bits a number becomes the nearest 64-bit integer before it wraps; nan becomes 0.
    """
    if dtype == BOOL:
        return array != 0
    if is_real(dtype):
        return rounded(array, dtype)
    if not is_real(array.dtype):
        return array.astype(dtype)
    whole = np.trunc(array.astype(F64))
    if dtype == U64:
        low = _saturated(np.minimum(whole, 0.0), I64).astype(U64)
        return np.where(whole < 0, low, _saturated(np.maximum(whole, 0.0), U64))
    return _saturated(whole, I64).astype(dtype)


def _saturated(whole: Array, dtype: DType) -> Array:
    """Whole f64 numbers as 64-bit integers, those beyond as the nearest, nan as 0."""
    limits = np.iinfo(dtype)
    high = float(limits.max)  # 2^63 or 2^64: one more than fits
    fits = (whole >= float(limits.min)) & (whole < high)
    if fits.all():
        return whole.astype(dtype)
    inside = np.where(fits, whole, 0.0).astype(dtype)
    inside[whole >= high] = limits.max
    inside[whole < float(limits.min)] = limits.min
    return inside

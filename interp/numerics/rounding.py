"""Number formats: elements are widened before an op computes and rounded once after it.

f16, bf16 and smaller floating-point elements are stored in that type and computed in f32, integers of fewer than 8 bits
in 8 bits; sums of reductions are accumulated in f64; integers wrap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
DType: TypeAlias = np.dtype[Any]

F16, BF16 = np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)
F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
BOOL, I64, U64 = np.dtype(np.bool_), np.dtype(np.int64), np.dtype(np.uint64)

SMALL_FLOATS = frozenset(
    np.dtype(each)
    for each in (
        ml_dtypes.float8_e4m3fn,
        ml_dtypes.float8_e4m3fnuz,
        ml_dtypes.float8_e5m2,
        ml_dtypes.float8_e5m2fnuz,
        ml_dtypes.float8_e8m0fnu,
        ml_dtypes.float4_e2m1fn,
    )
)
"""The floating-point types of at most 8 bits."""
SMALL_INTEGERS: dict[DType, DType] = {
    np.dtype(ml_dtypes.int2): np.dtype(np.int8),
    np.dtype(ml_dtypes.int4): np.dtype(np.int8),
    np.dtype(ml_dtypes.uint2): np.dtype(np.uint8),
    np.dtype(ml_dtypes.uint4): np.dtype(np.uint8),
}
"""The integer types of fewer than 8 bits, each with the type that its elements are computed in."""

_WIDE: dict[DType, DType] = {F16: F32, BF16: F32, **dict.fromkeys(SMALL_FLOATS, F32), **SMALL_INTEGERS}


def is_real(dtype: DType) -> bool:
    """True if `dtype` is a floating-point type of the graph level."""
    return dtype.kind == "f" or dtype == BF16 or dtype in SMALL_FLOATS


def limits_of(dtype: DType) -> tuple[int, int]:
    """The least and the largest number of an integer type."""
    limits = ml_dtypes.iinfo(dtype) if dtype in SMALL_INTEGERS else np.iinfo(dtype)
    return int(limits.min), int(limits.max)


def largest_of(dtype: DType) -> float:
    """The largest finite number of a floating-point type."""
    return float(ml_dtypes.finfo(dtype).max)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def wide_dtype(dtype: DType) -> DType:
    """The type that elements of `dtype` are computed in."""
    return _WIDE.get(dtype, dtype)


def sum_dtype(dtype: DType) -> DType:
    """The type in which sums of elements of `dtype` are accumulated: f64 for floating-point elements, since numpy adds
    pairwise only along contiguous memory, and serially elsewhere (32,768 rows in f32: off by 7e-6)."""
    return F64 if is_real(dtype) else dtype


def wide_integer(dtype: DType) -> DType:
    """The 64-bit integer type that holds all values of an integer `dtype`."""
    return U64 if dtype.kind == "u" else I64


def widened(array: Array) -> Array:
    """`array` in the type it is computed in; `array` itself if that is its own type."""
    wide = _WIDE.get(array.dtype)
    return array if wide is None else array.astype(wide)


def rounded(array: Array, dtype: DType) -> Array:
    """`array` converted to `dtype`, a floating-point type or the array's own type, rounded to nearest even; `array`
    itself if it has that type."""
    if array.dtype == dtype:
        return array
    if dtype == BF16 and array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        array = _odd_f64(array)
    if dtype == BF16 and array.dtype != F32:
        array = _odd_f32(array)  # a plain cast would convert to f32 first and round twice
    elif dtype == F16 and array.dtype.kind in "iu":
        array = array.astype(F64)
    elif dtype in SMALL_FLOATS and array.dtype != F32:
        array = _odd_f32(array)
    return array.astype(dtype)


def _odd_f32(array: Array) -> Array:
    """f32 numbers that round to the same numbers of 16 or fewer bits as `array`: an inexact number is rounded to the
    f32 number beside it with an odd last bit, which is no tie of two shorter numbers."""
    exact = array.astype(F64)
    single = exact.astype(F32)
    back, size = np.abs(single).astype(F64), np.abs(exact)
    inexact = (back != size) & ~np.isnan(exact)
    if not inexact.any():
        return single
    bits = single.view(np.uint32)
    bits = bits - (inexact & (back > size)).astype(np.uint32)  # towards zero
    return (bits | inexact.astype(np.uint32)).view(F32)


def _odd_f64(array: Array) -> Array:
    """64-bit integers as f64 numbers that round to the same f32, f16 or bf16 numbers as the integers: in an integer of
    more than 53 bits, the low 11 bits are replaced by one bit, which is 1 if any of the 11 bits is 1."""
    low, last = array.dtype.type(0x7FF), array.dtype.type(11)  # f64 keeps 53 of 64 bits
    kept = (array & ~low) | (((array & low) != 0).astype(array.dtype) << last)
    large = (array >= array.dtype.type(1 << 53)) | (array.astype(F64) <= -float(1 << 53))
    return np.where(large, kept, array).astype(F64)


def cast(array: Array, dtype: DType) -> Array:
    """The conversion `graph.cast`: to floating-point types rounded to nearest even, to i1 as x != 0, between integers
    the low bits; from floating-point types to integers truncated towards zero, with nan as 0.

    Numbers beyond the integer type's range become its least or greatest integer, as on GPUs (PTX `cvt.rzi`): numpy's
    own conversion depends on the processor.
    """
    if array.dtype in SMALL_INTEGERS:
        array = widened(array)
    if dtype == BOOL:
        return widened(array) != 0
    if is_real(dtype):
        return rounded(array, dtype)
    if not is_real(array.dtype):
        return array.astype(dtype)
    exact, (least, most) = array.astype(F64), limits_of(dtype)
    low, end = float(least), float(most + 1)  # the first number beyond the range is a power of two, so exact
    below, above = exact <= low, exact >= end
    wide = wide_dtype(dtype)
    inside = np.where(below | above | np.isnan(exact), 0.0, exact).astype(wide)  # truncates
    return np.where(below, least, np.where(above, most, inside)).astype(dtype, copy=False)


def quotient(a: Array, b: Array | int) -> Array:
    """The quotient of integers, truncated towards zero; 0 for a zero divisor, and the least number divided by -1
    wraps."""
    y = np.floor_divide(a, b)
    if y.dtype.kind == "i":  # floor to truncation: one more if signs differ and there is a remainder
        y += ((a ^ b) < 0) & (y * b != a) & (b != 0)
    return y


def integer_mean(total: Callable[[Callable[[Array], Array]], Array], counts: Array | int, dtype: DType) -> Array:
    """Means of integers of `dtype`, truncated towards zero, without intermediate overflow.

    `total(f)`: for each mean, the sum of f(x) over its elements x, which are converted to a 64-bit type of the same
    signedness; `counts`: the number of elements of each mean, at least 1.
    """
    if dtype.itemsize < 8:  # sums of up to 2^31 of these numbers fit into 64 bits
        return quotient(total(lambda x: x), counts).astype(dtype)
    # x = count * (x // count) + x % count: sums of quotients stay below the largest x, and sums of remainders are
    # small.
    quotients, rest = total(lambda x: x // counts), total(lambda x: x % counts)
    floor = quotients + rest // counts
    return np.asarray(floor + ((floor < 0) & (rest % counts != 0)))

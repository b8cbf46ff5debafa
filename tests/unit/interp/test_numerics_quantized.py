"""Numbers of quantized values: rounding, saturation, blocks, exact sums, packed elements."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dialects import graph as g
from dialects.element_types import byte_count, element_type_named, element_type_of, tensor_type
from interp.numerics.packing import from_bytes, to_bytes
from interp.numerics.rounding import SMALL_FLOATS, SMALL_INTEGERS, cast, largest_of, limits_of, rounded
from tests.graph_values import compute

Array = NDArray[Any]
F32 = np.float32
SMALL = sorted((*SMALL_INTEGERS, *SMALL_FLOATS), key=str)


def quantized(x: Array, element: str, *scales: Array, **words: int) -> list[float]:
    type_ = tensor_type(x.shape, element_type_named(element))
    return compute(g.QuantizeOp, x, *scales, result_type=type_, **words).astype(np.float64).ravel().tolist()


def test_quotients_are_rounded_to_even_and_saturate() -> None:
    x = np.array([0.25, 0.75, -0.25, -99, 99, np.inf, -np.inf, np.nan], F32)
    scale = np.array(0.5, F32)
    assert quantized(x, "i8", scale) == [0, 2, 0, -128, 127, 127, -128, 0]
    assert quantized(x, "ui4", scale, np.array(3, ml_dtypes.uint4)) == [3, 5, 3, 0, 15, 15, 0, 0]
    assert quantized(x, "i2", scale) == [0, 1, 0, -2, 1, 1, -2, 0]
    assert quantized(x[:5] * 9, "f8E4M3FN", scale)[3:] == [-448.0, 448.0]


def test_each_block_has_its_scale_and_zero_point() -> None:
    x = np.array([[1, 2, 3, 4, 5]], F32)
    scale, zero = np.array([[1, 2, 5]], F32), np.array([[0, 1, -1]], np.int8)
    assert quantized(x, "i8", scale, zero, axis=1, block=2) == [1, 2, 3, 3, 0]
    q = np.array([[1, 2, 3, 3, 0]], np.int8)
    assert compute(g.DequantizeOp, q, scale, zero, axis=1, block=2).tolist() == [[1, 2, 4, 4, 5]]
    halves = compute(g.DequantizeOp, q.astype(ml_dtypes.int4), scale.astype(np.float16), axis=1, block=2)
    assert (halves.dtype, halves.tolist()) == (np.float16, [[1, 2, 6, 6, 0]])


@given(st.integers(1, 5), st.integers(1, 300), st.integers(1, 5), st.booleans(), st.integers(0, 99))
def test_sums_of_small_products_are_exact(m: int, k: int, n: int, unsigned: bool, seed: int) -> None:
    draw, kind = np.random.default_rng(seed), np.uint8 if unsigned else np.int8
    limits = np.iinfo(kind)
    a = draw.integers(limits.min, limits.max + 1, (m, k)).astype(kind)
    b = draw.integers(-128, 128, (k, n)).astype(np.int8)
    p, q = a[:, :1].copy(), b[:1].copy()
    exact = (a.astype(object) - p.astype(object)) @ (b.astype(object) - q.astype(object))
    assert compute(g.QmatmulOp, a, b, p, q).tolist() == exact.tolist()
    assert (
        compute(g.QmatmulOp, a.T.copy(), b, transpose_a=True).tolist() == (a.astype(object) @ b.astype(object)).tolist()
    )


def test_padding_of_a_convolution_stands_for_zero() -> None:
    x, w = np.full((1, 1, 2, 2), 10, np.uint8), np.ones((1, 1, 3, 3), np.int8)
    y = compute(g.QconvOp, x, w, np.array(7, np.uint8), np.array(0, np.int8), pads=(1, 1, 1, 1))
    assert y.ravel().tolist() == [12, 12, 12, 12]


def test_small_floats_are_multiplied_and_summed_in_f32() -> None:
    a = np.array([[448, 448, 0.5]], F32).astype(ml_dtypes.float8_e4m3fn)
    y = compute(g.QmatmulOp, a, a, transpose_b=True)
    assert (y.dtype, y.tolist()) == (F32, [[2 * 448.0**2 + 0.25]])


@pytest.mark.parametrize("dtype", SMALL, ids=str)
@given(count=st.integers(0, 9), seed=st.integers(0, 99))
def test_packed_elements_come_back(dtype: np.dtype[Any], count: int, seed: int) -> None:
    numbers = np.random.default_rng(seed).integers(-8, 8, count)
    array = rounded(numbers.astype(F32), dtype) if dtype in SMALL_FLOATS else numbers.astype(np.int8).astype(dtype)
    data = to_bytes(array)
    assert len(data) == byte_count(tensor_type((count,), element_type_of(dtype)))
    assert from_bytes(data, dtype, count).tobytes() == array.tobytes()


def test_the_first_element_has_the_lowest_bits() -> None:
    assert to_bytes(np.array([1, -1, 7], ml_dtypes.int4)) == bytes([0xF1, 0x07])
    halves = compute(
        g.BitcastOp, np.array([[0x21, 0xF3]], np.uint8), result_type=tensor_type((1, 2, 2), element_type_named("ui4"))
    )
    assert halves.astype(int).tolist() == [[[1, 2], [3, 15]]]


@pytest.mark.parametrize("dtype", SMALL, ids=str)
def test_casts_to_small_types_round_once_and_saturate_integers(dtype: np.dtype[Any]) -> None:
    if dtype in SMALL_INTEGERS:
        low, high = limits_of(dtype)
        assert cast(np.array([-1e9, 1e9, np.nan, 1.9], F32), dtype).astype(int).tolist() == [low, high, 0, 1]
        assert compute(g.AddOp, np.array([high], dtype), np.array([1], dtype)).astype(int).tolist() == [low]
    elif dtype.name != "float8_e8m0fnu":
        one, more = np.array(1, F32).astype(dtype), np.nextafter(np.array(1, dtype), np.array(2, dtype))
        tie = (float(one) + float(more)) / 2
        assert float(rounded(np.array(tie * (1 + 1e-12)), dtype)) == float(
            more
        )  # f32 alone would round down to the tie
        assert largest_of(dtype) == float(rounded(np.array(largest_of(dtype)), dtype))

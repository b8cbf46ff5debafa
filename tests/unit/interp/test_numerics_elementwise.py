"""Tests of element-wise ops' results: rounding to element types, integer arithmetic, special functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from dialects import graph as g
from dialects.element_types import element_type_of, tensor_type
from interp.numerics.rounding import rounded
from interp.numerics.special import erf, erfc
from tests.graph_values import Array, compute, drawn

BF16 = ml_dtypes.bfloat16


@pytest.mark.parametrize(("dtype", "limit"), [(np.float64, 1e-14), (np.float32, 1e-7)])
def test_erf_agrees_with_pythons_math_module(dtype: Any, limit: float) -> None:
    x = np.concatenate([np.linspace(-7, 7, 20001), np.logspace(-300, 2, 400), [0.0, 1e-320]]).astype(dtype)
    exact = np.array([math.erf(float(v)) for v in x])
    y = erf(x)
    assert y.dtype == dtype
    assert np.abs(y - exact).max() < limit
    small = np.abs(exact) > 1e-30  # where f32 is not subnormal, the relative error is bounded, too
    assert (np.abs(y - exact)[small] <= 4 * limit * np.abs(exact)[small]).all()


def test_erf_of_nan_infinities_and_negative_zero() -> None:
    y = erf(np.array([np.nan, np.inf, -np.inf, -0.0]))
    assert np.isnan(y[0])
    assert y[1:3].tolist() == [1.0, -1.0]
    assert np.signbit(y[3])


@pytest.mark.parametrize(("dtype", "limit"), [(np.float64, 1e-13), (np.float32, 1e-7)])
def test_erfc_agrees_with_pythons_math_module_where_it_is_small(dtype: Any, limit: float) -> None:
    x = np.concatenate([np.linspace(-30, 30, 20011), np.logspace(-300, 2, 400), [0.0, np.inf, -np.inf]]).astype(dtype)
    exact = np.array([math.erfc(float(v)) for v in x])
    y = erfc(x)
    assert y.dtype == dtype
    normal = exact >= np.finfo(dtype).tiny
    assert (np.abs(y - exact)[normal] <= limit * exact[normal]).all()
    assert (y[~normal] <= np.finfo(dtype).tiny).all()
    assert np.isnan(erfc(np.array([np.nan]))[0])


_FORMULAS: dict[type[g.GraphOp], Callable[[float], float]] = {
    g.AbsOp: abs,
    g.NegOp: lambda x: -x,
    g.ExpOp: math.exp,
    g.LogOp: lambda x: math.log(x) if x > 0 else -math.inf if x == 0 else math.nan,
    g.SqrtOp: lambda x: math.sqrt(x) if x >= 0 else math.nan,
    g.RsqrtOp: lambda x: 1 / math.sqrt(x) if x > 0 else math.inf if x == 0 else math.nan,
    g.ReciprocalOp: lambda x: 1 / x if x else math.inf,
    g.SinOp: math.sin,
    g.CosOp: math.cos,
    g.TanhOp: math.tanh,
    g.ErfOp: math.erf,
    g.ErfcOp: math.erfc,
    g.SigmoidOp: lambda x: 1 / (1 + math.exp(-x)),
    g.ReluOp: lambda x: max(x, 0.0),
    g.SiluOp: lambda x: x / (1 + math.exp(-x)),
    g.FloorOp: math.floor,
    g.CeilOp: math.ceil,
    g.GeluOp: lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2,
}
_EPSILON = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-21, "float64": 2.0**-49}


@pytest.mark.parametrize("op", _FORMULAS, ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", [np.float16, BF16, np.float32, np.float64], ids=lambda d: np.dtype(d).name)
def test_unary_ops_round_once(op: type[g.GraphOp], dtype: Any) -> None:
    x = np.concatenate([np.linspace(-6, 6, 97), [0.0]]).astype(dtype)
    y = compute(op, x)
    exact = np.array([_FORMULAS[op](float(v)) for v in x])
    assert y.dtype == dtype
    # The error is half a unit in the last place for f16 and bf16 (computed in f32), a few units for f32 and f64.
    near = np.abs(x.astype(np.float64)) if op is g.GeluOp else np.abs(exact)  # 1 + erf loses digits by cancellation
    scale = np.maximum(near, 1e-3)
    got = y.astype(np.float64)
    same = (got == exact) | (np.isnan(exact) & np.isnan(got))
    with np.errstate(invalid="ignore"):
        error = np.abs(got - exact)
    assert (same | (error <= 1.02 * _EPSILON[np.dtype(dtype).name] * scale)).all()


def test_gelu_by_tanh() -> None:
    x = np.linspace(-5, 5, 101)
    exact = x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2
    np.testing.assert_allclose(compute(g.GeluOp, x, approximate="tanh"), exact, rtol=1e-13, atol=1e-15)


def test_sigmoid_and_silu_at_the_ends() -> None:
    x = np.array([-1e4, 1e4, -np.inf, np.inf], np.float32)
    assert compute(g.SigmoidOp, x).tolist() == [0.0, 1.0, 0.0, 1.0]
    assert compute(g.SiluOp, x[:2]).tolist() == [0.0, 1e4]


def test_clip_keeps_nan_and_the_maximum_wins() -> None:
    x = np.array([np.nan, -1, 7], np.float16)
    np.testing.assert_array_equal(compute(g.ClipOp, x, min=0.0, max=6.0), np.array([np.nan, 0, 6], np.float16))
    assert compute(g.ClipOp, x[1:], min=3.0, max=2.0).tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-1.5, 2.5, [-1, 2, 2]),
        (-math.inf, math.inf, [-128, 2, 127]),
        (300.0, math.inf, [127] * 3),
        (0.0, -1e9, [-128] * 3),
    ],
)
def test_clip_of_integers(low: float, high: float, expected: list[int]) -> None:
    assert compute(g.ClipOp, np.array([-128, 2, 127], np.int8), min=low, max=high).tolist() == expected


def test_integers_wrap_and_truncate() -> None:
    a, b = np.array([127, -128, -7, 7, -7, 5], np.int8), np.array([1, -1, 2, -2, -2, 0], np.int8)
    assert compute(g.AddOp, a, b).tolist() == [-128, 127, -5, 5, -9, 5]
    assert compute(g.DivOp, a, b).tolist() == [127, -128, -3, -3, 3, 0]
    assert compute(g.DivOp, np.array([200, 7], np.uint8), np.array([3, 0], np.uint8)).tolist() == [66, 0]
    assert compute(g.NegOp, np.array([-128], np.int8)).tolist() == [-128]


def test_powers() -> None:
    x = np.array([2, -3, 1, -1, 0], np.int32)
    assert compute(g.PowOp, x, np.array(3, np.int64)).tolist() == [8, -27, 1, -1, 0]
    assert compute(g.PowOp, x, np.array(-3, np.int64)).tolist() == [0, 0, 1, -1, 0]
    assert compute(g.PowOp, x[:2], np.array([0.5, 2.0], np.float32)).tolist() == [1, 9]
    y = drawn(2, 3)
    np.testing.assert_allclose(compute(g.PowOp, y, np.array(2, np.int64)), y * y)
    assert compute(g.PowOp, y, np.full((4, 1, 1), 2.0, np.float32)).shape == (4, 2, 3)


def test_comparisons_with_nan() -> None:
    x = np.array([1, np.nan], BF16)
    assert compute(g.CompareOp, x, x, kind="eq").tolist() == [True, False]
    assert compute(g.CompareOp, x, x, kind="ne").tolist() == [False, True]
    assert compute(g.IsNanOp, x).tolist() == [False, True]


def test_logic_and_select() -> None:
    p, q = np.array([True, True, False]), np.array([True, False, False])
    assert compute(g.XorOp, p, q).tolist() == [False, True, False]
    assert compute(g.AndOp, np.array([12], np.uint8), np.array([10], np.uint8)).tolist() == [8]
    assert compute(g.NotOp, p).tolist() == [False, False, True]
    assert compute(g.SelectOp, p, np.array([1.0], np.float16), np.array(2.0, np.float16)).tolist() == [1, 1, 2]


def casted(x: Array, dtype: Any) -> Array:
    return compute(g.CastOp, x, result_type=tensor_type(x.shape, element_type_of(np.dtype(dtype))))


def test_casts_round_once() -> None:
    tie = 1 + 2.0**-8  # between the bf16 numbers 1 and 1 + 2^-7
    x = np.array([tie, tie + 2.0**-40, -tie - 2.0**-40, tie - 2.0**-40, np.nan, np.inf, 1e39])
    assert casted(x, BF16).astype(float)[:4].tolist() == [1.0, 1 + 2.0**-7, -1 - 2.0**-7, 1.0]
    assert np.isnan(casted(x, BF16)[4])
    assert np.isposinf(casted(x, BF16).astype(float)[5:]).all()
    integers = np.array([2**11 + 1, 2**25 * (2**11 + 1) // 2**25, 65519, 65520])
    assert casted(integers, np.float16).tolist() == [2048.0, 2048.0, 65504.0, np.inf]
    assert casted(np.array([2**40 + 2**32 + 1]), BF16).astype(float).tolist() == [2.0**40 + 2.0**33]


def test_casts_to_integers_truncate_and_saturate() -> None:
    x = np.array([-1.9, 300.7, np.nan, np.inf, -np.inf, 1e30, -(2.0**63)], np.float32)
    assert casted(x, np.int8).tolist() == [-1, 127, 0, 127, -128, 127, -128]
    assert casted(x, np.uint8).tolist() == [0, 255, 0, 255, 0, 255, 0]
    assert casted(x, np.int64).tolist() == [-1, 300, 0, 2**63 - 1, -(2**63), 2**63 - 1, -(2**63)]
    assert casted(np.array([-1.0, 2.0**63, 2.0**64]), np.uint64).tolist() == [0, 2**63, 2**64 - 1]
    assert casted(np.array([200, -129], np.int16), np.int8).tolist() == [-56, 127]
    assert casted(np.array([0.5, 0.0, np.nan], np.float16), np.bool_).tolist() == [True, False, True]


def test_rounding_to_the_same_type_returns_the_array_itself() -> None:
    x = drawn(3)
    assert rounded(x, x.dtype) is x

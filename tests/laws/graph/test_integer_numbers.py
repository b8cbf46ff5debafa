"""Integers are exact: each integer op gives the result of unbounded integers, wrapped to the type where the op's
definition says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dialects import graph as g
from dialects.element_types import element_type_of, tensor_type
from tests.amount import cases
from tests.graph_values import compute

Array = NDArray[Any]
INTEGERS = [np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)]
FLOATS = [np.dtype(name) for name in (ml_dtypes.bfloat16, np.float16, np.float32, np.float64)]
SOME = settings(max_examples=cases(15), deadline=None)
NAMES = [dtype.name for dtype in INTEGERS]


def wrapped(number: int, dtype: np.dtype[Any]) -> int:
    """The low bits of an integer, interpreted as a number of the type."""
    limits = np.iinfo(dtype)
    return (number - int(limits.min)) % (1 << 8 * dtype.itemsize) + int(limits.min)


def truncated(a: int, b: int) -> int:
    """The quotient a / b, rounded towards zero; 0 if b is 0."""
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def numbers(dtype: np.dtype[Any]) -> st.SearchStrategy[int]:
    """Numbers of a type, often its extremes."""
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    edges = [low, low + 1, high - 1, high, 0, 1, 2, 3, high // 2, high // 2 + 1, max(low, -1), max(low, -2)]
    return st.one_of(st.sampled_from(edges), st.integers(low, high))


def pairs(draw: st.DrawFn, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    count = draw(st.integers(1, 9))
    drawn = [draw(st.lists(numbers(dtype), min_size=count, max_size=count)) for _ in range(2)]
    if draw(st.booleans()):
        drawn[1] = drawn[1][:1]  # numpy has other loops for one divisor or exponent
    a, b = (np.array(each, dtype) for each in drawn)
    return a, b


def power(a: int, b: int, dtype: np.dtype[Any]) -> int:
    if b < 0:
        return {1: 1, -1: -1 if b % 2 else 1}.get(a, 0)
    return wrapped(pow(a, b, 1 << 64), dtype)


BINARY: dict[type[g.GraphOp], Callable[[int, int], int]] = {
    g.AddOp: lambda a, b: a + b,
    g.SubOp: lambda a, b: a - b,
    g.MulOp: lambda a, b: a * b,
    g.DivOp: truncated,
    g.MinOp: min,
    g.MaxOp: max,
    g.AndOp: lambda a, b: a & b,
    g.OrOp: lambda a, b: a | b,
    g.XorOp: lambda a, b: a ^ b,
}
UNARY: dict[type[g.GraphOp], Callable[[int], int]] = {
    g.AbsOp: abs,
    g.NegOp: lambda a: -a,
    g.ReluOp: lambda a: max(a, 0),
}
COMPARED: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
FOLDED: dict[str, Callable[[Sequence[int]], int]] = {
    "sum": sum,
    "prod": prod,
    "mean": lambda xs: truncated(sum(xs), len(xs)),
    "min": min,
    "max": max,
}


@pytest.mark.parametrize("dtype", INTEGERS, ids=NAMES)
@SOME
@given(st.data())
def test_elementwise(dtype: np.dtype[Any], data: st.DataObject) -> None:
    a, b = data.draw(st.composite(pairs)(dtype))
    both = [(int(x), int(y)) for x, y in zip(*np.broadcast_arrays(a, b), strict=True)]
    for op, meaning in BINARY.items():
        assert compute(op, a, b).tolist() == [wrapped(meaning(x, y), dtype) for x, y in both], op.name
    assert compute(g.PowOp, a, b).tolist() == [power(x, y, dtype) for x, y in both]
    for op, one in UNARY.items():
        assert compute(op, a).tolist() == [wrapped(one(x), dtype) for x in a.tolist()], op.name
    for kind, holds in COMPARED.items():
        assert compute(g.CompareOp, a, b, kind=kind).tolist() == [holds(x, y) for x, y in both], kind


@SOME
@given(st.data())
def test_powers_of_another_type(data: st.DataObject) -> None:
    dtypes = st.sampled_from(INTEGERS)
    a, b = data.draw(dtypes), data.draw(dtypes)
    x, n = data.draw(numbers(a)), data.draw(numbers(b))
    assert compute(g.PowOp, np.array([x], a), np.array([n], b)).tolist() == [power(x, n, a)]
    real = data.draw(st.sampled_from([np.float32, np.float64]))
    whole = data.draw(st.integers(-8, 64))
    assert compute(g.PowOp, np.array([x], a), np.array([whole], real)).tolist() == [power(x, whole, a)]


@pytest.mark.parametrize("dtype", INTEGERS, ids=NAMES)
@SOME
@given(st.data())
def test_reductions(dtype: np.dtype[Any], data: st.DataObject) -> None:
    shape = data.draw(st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 3)))
    count = prod(shape)
    x = np.array(data.draw(st.lists(numbers(dtype), min_size=count, max_size=count)), dtype).reshape(shape)
    axes = sorted(data.draw(st.sets(st.integers(0, 2), min_size=1)))
    rows = np.moveaxis(x, axes, range(-len(axes), 0)).reshape(-1, prod(shape[axis] for axis in axes)).tolist()
    for kind, fold in FOLDED.items():
        found = compute(g.ReduceOp, x, kind=kind, axes=axes)
        assert found.ravel().tolist() == [wrapped(fold(row), dtype) for row in rows], kind
        assert found.dtype == dtype
    running = compute(g.CumsumOp, x, axis=1)
    for at in np.ndindex(*shape):
        assert running[at] == wrapped(sum(x[at[0], : at[1] + 1, at[2]].tolist()), dtype)


@pytest.mark.parametrize("dtype", INTEGERS, ids=NAMES)
@SOME
@given(st.data())
def test_products(dtype: np.dtype[Any], data: st.DataObject) -> None:
    m, n, k = data.draw(st.tuples(*[st.integers(1, 4)] * 3))
    a, b, bias = (
        np.array(data.draw(st.lists(numbers(dtype), min_size=r * c, max_size=r * c)), dtype).reshape(r, c)
        for r, c in ((m, k), (k, n), (1, n))
    )
    expected = [
        [wrapped(sum(int(a[i, e]) * int(b[e, j]) for e in range(k)) + int(bias[0, j]), dtype) for j in range(n)]
        for i in range(m)
    ]
    assert compute(g.MatmulOp, a, b, bias).tolist() == expected


@pytest.mark.parametrize("dtype", INTEGERS, ids=NAMES)
@SOME
@given(st.data())
def test_pooling(dtype: np.dtype[Any], data: st.DataObject) -> None:
    height, width = data.draw(st.tuples(*[st.integers(2, 5)] * 2))
    kernel = data.draw(st.tuples(*[st.integers(1, 2)] * 2))
    pads = [data.draw(st.integers(0, extent - 1)) for extent in (*kernel, *kernel)]
    counted = data.draw(st.booleans())
    cells = data.draw(st.lists(numbers(dtype), min_size=height * width, max_size=height * width))
    x = np.array(cells, dtype).reshape(1, 1, height, width)
    means, most = (
        compute(g.PoolOp, x, kind=kind, kernel=kernel, pads=pads, count_include_pad=counted) for kind in ("mean", "max")
    )
    for top, left in np.ndindex(*means.shape[2:]):
        rows, columns = (
            range(at - pad, at - pad + extent) for at, pad, extent in zip((top, left), pads[:2], kernel, strict=True)
        )
        seen = [int(x[0, 0, r, c]) for r, c in product(rows, columns) if 0 <= r < height and 0 <= c < width]
        count = prod(kernel) if counted else len(seen)
        assert means[0, 0, top, left] == truncated(sum(seen), count)
        assert most[0, 0, top, left] == max(seen)


def test_means_of_many_large_numbers() -> None:
    """A sum in i8 overflows: an earlier version computed -28 as the mean of [100, 100]."""
    assert compute(g.ReduceOp, np.array([100, 100], np.int8), kind="mean").tolist() == 100
    assert compute(g.ReduceOp, np.array([-7, 0], np.int32), kind="mean").tolist() == -3
    assert compute(g.PoolOp, np.full((1, 1, 4), 100, np.int8), kind="mean", kernel=[2]).tolist() == [[[100, 100, 100]]]
    for dtype in INTEGERS:
        for extreme in (np.iinfo(dtype).max, np.iinfo(dtype).min):
            x = np.full((3, 1000), extreme, dtype)
            assert compute(g.ReduceOp, x, kind="mean", axes=[1]).tolist() == [extreme] * 3


def cast(x: Array, dtype: np.dtype[Any]) -> Array:
    return compute(g.CastOp, x, result_type=tensor_type(x.shape, element_type_of(dtype)))


@SOME
@given(st.data())
def test_casts_to_integers(data: st.DataObject) -> None:
    source, target = data.draw(st.sampled_from(INTEGERS + FLOATS)), data.draw(st.sampled_from(INTEGERS))
    limits = np.iinfo(target)
    if source in INTEGERS:
        number = data.draw(numbers(source))
        assert cast(np.array([number], source), target).tolist() == [wrapped(number, target)]
        return
    edges = [float(edge) * factor for edge in (limits.min, limits.max) for factor in (0.5, 1.0, 2.0)]
    real = data.draw(st.one_of(st.floats(), st.sampled_from([*edges, -0.5, 0.5, -1.0, 127.5, 128.0, 255.9])))
    with np.errstate(over="ignore"):
        x = np.array([real]).astype(source)
    value = float(x[0])
    if np.isnan(value):
        expected = 0
    elif np.isinf(value):
        expected = int(limits.max if value > 0 else limits.min)
    else:
        expected = min(max(int(value), int(limits.min)), int(limits.max))
    assert cast(x, target).tolist() == [expected]


@SOME
@given(st.data())
def test_casts_of_integers_to_floats_round_once(data: st.DataObject) -> None:
    source, target = data.draw(st.sampled_from(INTEGERS)), data.draw(st.sampled_from(FLOATS))
    digits = data.draw(st.integers(2, 63))
    tie = (1 << digits) + (1 << max(digits - 8, 0)) + data.draw(st.integers(-2, 2))  # between two numbers of bf16
    number = wrapped(data.draw(st.one_of(st.just(tie), st.just(-tie), numbers(source))), source)
    assert float(cast(np.array([number], source), target)[0]) == nearest(number, target)


def nearest(number: int, dtype: np.dtype[Any]) -> float:
    """The number of a floating-point type that is nearest to an integer; of two equally near numbers the one with an
    even significand."""
    digits, largest = {
        "bfloat16": (8, Fraction(2) ** 128),
        "float16": (11, Fraction(2) ** 16),
        "float32": (24, Fraction(2) ** 128),
        "float64": (53, Fraction(2) ** 1024),
    }[dtype.name]
    unit = 1 << max(abs(number).bit_length() - digits, 0)
    rounded = round(Fraction(abs(number), unit)) * unit  # Python rounds halves to even
    value = float("inf") if rounded >= largest else float(rounded)
    return -value if number < 0 else value


def test_powers_keep_the_parity_of_large_exponents() -> None:
    for base in (ml_dtypes.bfloat16, np.float16, np.float32, np.float64):
        minus = np.array([-1.0, -1.0, 1.0], base)
        for exponent in (2**24 + 1, 2**53 + 1, 2**62 + 1):
            odd = np.array([exponent, exponent + 1, exponent], np.int64)
            assert compute(g.PowOp, minus, odd).astype(float).tolist() == [-1.0, 1.0, 1.0]
            assert compute(g.PowOp, minus[:1], odd[:1]).astype(float).tolist() == [-1.0]
        real = np.array([257.0, 258.0, 2.0**24 + 1])
        assert compute(g.PowOp, minus, real).astype(float).tolist() == [-1.0, 1.0, 1.0]
    assert compute(g.PowOp, np.array([-1.0], np.float32), np.array([2.0**24 + 1])).tolist() == [-1.0]
    assert compute(g.PowOp, np.array([3], np.uint64), np.array([2**63 + 1], np.uint64)).tolist() == [
        pow(3, 2**63 + 1, 2**64)
    ]
    roots = compute(g.PowOp, np.array([-np.inf, -0.0, 4.0]), np.array(0.5))
    assert roots.tolist() == [np.inf, 0.0, 2.0]
    assert not np.signbit(roots).any()

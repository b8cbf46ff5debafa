"""Tests of results of convolution, unfolding and pooling, against plain loops over every element."""

from __future__ import annotations

from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from dialects import graph as g
from tests.graph_values import Array, compute, drawn


def plain_conv(x: Array, w: Array, groups: int, strides: Any, pads: Any, dilations: Any) -> Array:
    """Cross-correlation in f64, computed element by element."""
    axes = x.ndim - 2
    x = np.pad(x.astype(np.float64), [(0, 0), (0, 0), *zip(pads[:axes], pads[axes:], strict=True)])
    kernel, each = w.shape[2:], w.shape[0] // groups
    spread = [d * (k - 1) + 1 for k, d in zip(kernel, dilations, strict=True)]
    extents = [(n - s) // stride + 1 for n, s, stride in zip(x.shape[2:], spread, strides, strict=True)]
    y = np.zeros((x.shape[0], w.shape[0], *extents))
    for n, m, *at in product(*map(range, y.shape)):
        first = m // each * w.shape[1]
        for c, *tap in product(*map(range, w.shape[1:])):
            place = tuple(a * s + t * d for a, s, t, d in zip(at, strides, tap, dilations, strict=True))
            y[(n, m, *at)] += x[(n, first + c, *place)] * float(w[(m, c, *tap)])
    return y


_CONVS: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    ((1, 3, 6, 7), (4, 3, 3, 3), {}),
    ((2, 3, 6, 7), (4, 3, 3, 3), {"pads": (1, 0, 2, 1), "strides": (2, 1)}),
    ((2, 4, 9, 8), (6, 2, 3, 2), {"groups": 2, "dilations": (2, 3), "pads": (1, 1, 1, 1)}),
    ((1, 4, 5, 5), (8, 4, 1, 1), {}),
    ((2, 4, 5, 5), (6, 2, 1, 1), {"groups": 2, "strides": (2, 2), "pads": (1, 0, 0, 1)}),
    ((2, 5, 7, 6), (5, 1, 3, 3), {"groups": 5, "pads": (1, 1, 1, 1)}),
    ((2, 5, 7, 6), (10, 1, 3, 2), {"groups": 5, "strides": (2, 1), "pads": (1, 0, 1, 1)}),
    ((1, 3, 9, 9), (3, 1, 3, 3), {"groups": 3, "dilations": (2, 2), "pads": (2, 1, 0, 2)}),
    ((2, 3, 11), (4, 3, 4), {"strides": (3,), "pads": (2, 1)}),
    ((2, 3, 11), (3, 1, 4), {"groups": 3, "pads": (2, 1)}),
    ((1, 2, 4, 5, 4), (3, 2, 2, 3, 2), {"strides": (1, 2, 1), "pads": (1, 0, 0, 0, 1, 1)}),
    ((1, 2, 4, 5, 4), (2, 1, 2, 3, 2), {"groups": 2, "pads": (1, 0, 0, 0, 1, 1)}),
    ((1, 1, 6, 6), (2, 1, 3, 3), {}),
    ((0, 3, 6, 6), (4, 3, 3, 3), {}),
    ((1, 0, 6, 6), (4, 0, 3, 3), {}),
    ((1, 3, 6, 6), (0, 3, 3, 3), {}),
]


@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize(("image", "filters", "options"), _CONVS)
def test_conv_is_its_definition(
    image: tuple[int, ...], filters: tuple[int, ...], options: dict[str, Any], biased: bool
) -> None:
    x, w, b = drawn(*image), drawn(*filters, seed=1), drawn(filters[0], seed=2)
    axes = len(image) - 2
    full: dict[str, Any] = {
        "groups": 1,
        "strides": (1,) * axes,
        "pads": (0,) * 2 * axes,
        "dilations": (1,) * axes,
    } | options
    exact = plain_conv(x, w, **full)
    if biased:
        exact += b.reshape(-1, *(1,) * axes)
    y = compute(g.ConvOp, x, w, *([b] if biased else []), **options)
    np.testing.assert_allclose(y, exact, rtol=1e-5, atol=1e-5)


def test_conv_is_unfolding_and_a_product() -> None:
    x, w = drawn(2, 4, 9, 8, dtype=np.float64), drawn(6, 2, 3, 2, dtype=np.float64, seed=1)
    options: dict[str, Any] = {"groups": 2, "strides": (2, 1), "pads": (1, 0, 1, 1), "dilations": (1, 2)}
    rows = compute(g.Im2colOp, x, kernel=(3, 2), **options)
    y = compute(g.ConvOp, x, w, **options)
    by_rows = rows @ w.reshape(2, 3, 12).swapaxes(-1, -2)  # [N, groups, pixels, M / groups]
    np.testing.assert_allclose(by_rows.swapaxes(-1, -2).reshape(y.shape), y, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(("dtype", "half_unit"), [(np.float16, 2.0**-11), (ml_dtypes.bfloat16, 2.0**-8)])
@pytest.mark.parametrize("filters", [(4, 64, 3, 3), (64, 1, 3, 3), (4, 64, 1, 1)])
def test_half_conv_rounds_once(dtype: Any, half_unit: float, filters: tuple[int, ...]) -> None:
    x, w = drawn(1, 64, 5, 5, dtype=dtype), drawn(*filters, dtype=dtype, seed=1)
    b = drawn(filters[0], dtype=dtype, seed=2)
    groups = 64 // filters[1]
    y = compute(g.ConvOp, x, w, b, groups=groups)
    exact = plain_conv(x, w, groups, (1, 1), (0,) * 4, (1, 1)) + b.astype(np.float64).reshape(-1, 1, 1)
    assert y.dtype == dtype
    # The sum has the rounding error of f32, then it is rounded once to the element type.
    assert (np.abs(y.astype(np.float64) - exact) <= half_unit * np.abs(exact) * 1.001 + 2e-5).all()


def test_a_large_image_is_unfolded_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    x, w = drawn(2, 3, 12, 10), drawn(4, 3, 3, 3, seed=1)
    at_once = compute(g.ConvOp, x, w, strides=(2, 1), pads=(1, 1, 1, 1))
    monkeypatch.setattr("interp.numerics.convolution._CHUNK", 1000)
    np.testing.assert_allclose(
        compute(g.ConvOp, x, w, strides=(2, 1), pads=(1, 1, 1, 1)), at_once, rtol=1e-5, atol=1e-6
    )


def plain_pool(
    x: Array, kind: str, kernel: Any, strides: Any, pads: Any, dilations: Any, extents: Any, padded: bool
) -> Array:
    """Pooling in plain loops over each window's elements; with `padded`, a mean counts padding, but no element beyond
    it."""
    y = np.zeros((*x.shape[:2], *extents))
    axes = len(kernel)
    for n, c, *at in product(*map(range, y.shape)):
        inside: list[float] = []
        count = 0
        for tap in product(*map(range, kernel)):
            place = [a * s + t * d - low for a, s, t, d, low in zip(at, strides, tap, dilations, pads, strict=False)]
            in_image = all(0 <= p < size for p, size in zip(place, x.shape[2:], strict=True))
            in_pads = all(-pads[i] <= p < x.shape[2 + i] + pads[axes + i] for i, p in enumerate(place))
            if in_image:
                inside.append(float(x[(n, c, *place)]))
            count += in_pads if padded else in_image
        y[(n, c, *at)] = max(inside) if kind == "max" else sum(inside) / count
    return y


@pytest.mark.parametrize("kind", ["max", "mean"])
@pytest.mark.parametrize(
    ("image", "options"),
    [
        ((2, 3, 7, 8), {"kernel": (3, 2)}),
        ((1, 3, 7, 8), {"kernel": (3, 3), "strides": (2, 2), "pads": (1, 1, 1, 1)}),
        ((1, 3, 7, 8), {"kernel": (3, 3), "strides": (2, 2), "pads": (1, 0, 0, 1), "ceil": True}),
        (
            (1, 3, 7, 8),
            {"kernel": (2, 3), "strides": (3, 2), "pads": (1, 2, 1, 2), "count_include_pad": True, "ceil": True},
        ),
        ((1, 2, 9, 9), {"kernel": (2, 3), "dilations": (3, 2), "pads": (1, 1, 1, 1)}),
        ((1, 2, 7, 7), {"kernel": (7, 7)}),
        ((1, 2, 8, 7), {"kernel": (5, 6), "strides": (3, 1), "pads": (2, 0, 1, 1)}),
        ((2, 3, 9), {"kernel": (4,), "strides": (2,), "pads": (1, 2)}),
        ((1, 2, 4, 4, 5), {"kernel": (2, 2, 2), "strides": (2, 1, 2), "ceil": True}),
    ],
)
def test_pool_is_its_definition(kind: str, image: tuple[int, ...], options: dict[str, Any]) -> None:
    x = drawn(*image)
    y = compute(g.PoolOp, x, kind=kind, **options)
    axes = len(image) - 2
    exact = plain_pool(
        x,
        kind,
        options["kernel"],
        options.get("strides", (1,) * axes),
        options.get("pads", (0,) * 2 * axes),
        options.get("dilations", (1,) * axes),
        y.shape[2:],
        options.get("count_include_pad", False),
    )
    np.testing.assert_allclose(y, exact, rtol=1e-6, atol=1e-6)


def test_pool_of_integers_and_halves() -> None:
    x = np.arange(-8, 8, dtype=np.int8).reshape(1, 1, 4, 4)
    assert compute(g.PoolOp, x, kind="max", kernel=(2, 2), pads=(1, 1, 0, 0)).min() == -8
    assert compute(g.PoolOp, x[..., :2, :2], kind="mean", kernel=(2, 2)).item() == -5  # -5.5 truncates to -5
    half = np.full((1, 1, 64, 64), 7.0, np.float16)
    assert compute(g.PoolOp, half, kind="mean", kernel=(64, 64)).item() == 7.0


def test_nan_wins_a_maximum() -> None:
    x = np.array([[[1.0, np.nan, 3.0, 4.0]]], np.float32)
    np.testing.assert_array_equal(compute(g.PoolOp, x, kind="max", kernel=(2,)), [[[np.nan, np.nan, 4.0]]])

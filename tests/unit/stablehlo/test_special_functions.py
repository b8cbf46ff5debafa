"""CHLO functions that are converted to formulas equal scipy's; at edges and poles they equal XLA's."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

import ndpir

INTEGERS = {np.int8: "i8", np.uint8: "ui8", np.int32: "i32", np.uint32: "ui32", np.int64: "i64", np.uint64: "ui64"}
ELEMENT: dict[type[np.generic], str] = {np.float32: "f32", np.float64: "f64", **INTEGERS}
REFERENCE: dict[str, Callable[..., Any]] = {
    "bessel_i1e": special.i1e,
    "digamma": special.digamma,
    "lgamma": special.gammaln,
    "polygamma": special.polygamma,
    "zeta": special.zeta,
}


def computed(name: str, *arguments: NDArray[Any]) -> NDArray[Any]:
    """The result of one CHLO function for some numbers."""
    type_ = f"tensor<{len(arguments[0])}x{ELEMENT[arguments[0].dtype.type]}>"
    names = [f"%{index}" for index in range(len(arguments))]
    takes = ", ".join(f"{each}: {type_}" for each in names)
    text = f"""func.func @main({takes}) -> {type_} {{
      %r = "chlo.{name}"({", ".join(names)}) : ({", ".join([type_] * len(names))}) -> {type_}
      return %r : {type_}
    }}"""
    return ndpir.run(ndpir.parse(text, f"{name}.mlir"), list(arguments))[0]


@pytest.mark.parametrize(("dtype", "error"), [(np.float32, 1e-5), (np.float64, 1e-12)])
@pytest.mark.parametrize("name", REFERENCE)
def test_results_equal_those_of_scipy(name: str, dtype: type[np.floating], error: float) -> None:
    random = np.random.default_rng(1)
    x = random.uniform(0.1, 12, 500)
    first = {"polygamma": random.integers(0, 9, 500), "zeta": random.uniform(1.1, 20, 500)}.get(name)
    arguments = [each.astype(dtype) for each in ([x] if first is None else [first, x])]
    wide = [each.astype(np.float64) for each in arguments]
    np.testing.assert_allclose(computed(name, *arguments), REFERENCE[name](*wide), rtol=error, atol=error)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_upper_halves_of_products(dtype: type[np.integer]) -> None:
    limits, bits = np.iinfo(dtype), np.iinfo(dtype).bits
    drawn = np.random.default_rng(0).integers(limits.min, limits.max, 20, dtype, endpoint=True).tolist()
    numbers = [limits.min, limits.max, 0, 1, limits.max - 1, *drawn]
    x, y = (np.array(each, dtype) for each in zip(*product(numbers, repeat=2), strict=True))
    expected = [(int(a) * int(b)) >> bits for a, b in zip(x, y, strict=True)]
    assert computed("mulhi", x, y).tolist() == expected


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("name", "rows"),
    [
        (
            "zeta",  # x, q and the sum of (q + k)^-x
            [
                (1.0, 2.0, inf), (0.5, 2.0, nan), (nan, 2.0, nan), (2.0, nan, nan), (2.0, inf, nan), (inf, 1.0, 1.0),
                (2.0, 0.0, inf), (2.0, -3.0, inf), (3.0, -3.0, nan), (2.5, -0.5, nan), (2.0, -0.5, 8.934802200544679),
            ],
        ),
        (
            "polygamma",  # n, x
            [
                (0.0, 1.0, -0.5772156649015329), (0.0, -1.0, nan), (0.5, 1.0, nan), (-1.0, 1.0, nan), (nan, 1.0, nan),
                (1.0, 1.0, 1.6449340668482264), (1.0, 0.0, inf), (1.0, -2.0, inf), (2.0, -2.0, nan), (1.0, nan, nan),
                (1.0, -0.5, 8.934802200544679),
            ],
        ),
        (
            "bessel_i1e",
            [(0.0, 0.0), (inf, 0.0), (-inf, 0.0), (nan, nan), (8.0, 0.13414249329269812), (-8.0, -0.13414249329269812)],
        ),
    ],
)  # fmt: skip
def test_edges_and_poles(name: str, rows: list[tuple[float, ...]], dtype: type[np.floating]) -> None:
    *arguments, expected = np.array(rows, dtype).T
    found = computed(name, *map(np.ascontiguousarray, arguments))
    np.testing.assert_allclose(found, expected, rtol=1e-5)

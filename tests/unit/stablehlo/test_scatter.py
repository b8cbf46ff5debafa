"""Scatters with any region if no two windows overlap, and with bitwise regions if windows overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ndpir

BITWISE = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


def text(region: str, element: str = "f32", indices: int = 3, unique: bool = False) -> str:
    """The text of a program that scatters single elements into a tensor of 6 elements. `indices`: the number of
    indices, which are an argument; if 0, three constant indices, the last one out of range."""
    count = indices or 3
    picks = "" if indices else f"%i = stablehlo.constant dense<[[4], [0], [9]]> : tensor<{count}x1xi32>\n"
    argument = f"%i: tensor<{count}x1xi32>, " if indices else ""
    scalar, updates_type = f"tensor<{element}>", f"tensor<{count}x{element}>"
    return f"""func.func @main(%x: tensor<6x{element}>, {argument}%u: {updates_type}) -> tensor<6x{element}> {{
      {picks}%0 = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
        indices_are_sorted = false, unique_indices = {str(unique).lower()}}}> ({{
      ^bb0(%a: {scalar}, %b: {scalar}):
        {region}
        stablehlo.return %y : {scalar}
      }}) : (tensor<6x{element}>, tensor<{count}x1xi32>, {updates_type}) -> tensor<6x{element}>
      return %0 : tensor<6x{element}>
    }}"""


X, U = np.array([1, 2, 3, 4, 5, 6], np.float32), np.array([2, 8, 3], np.float32)
GENERAL = "%s = stablehlo.sine %a : tensor<f32>\n%y = stablehlo.divide %s, %b : tensor<f32>"


def expected(x: NDArray[Any]) -> NDArray[Any]:
    y = x.copy()
    y[4], y[0] = np.sin(x[4]) / U[0], np.sin(x[0]) / U[1]
    return y  # the third index is out of range


@pytest.mark.parametrize("unique", [True, False])
def test_a_region_of_any_ops_with_distinct_indices(unique: bool) -> None:
    module = ndpir.parse(text(GENERAL, indices=3 if unique else 0, unique=unique), "x.mlir")
    arguments = [X, np.array([[4], [0], [9]], np.int32), U] if unique else [X, U]
    (y,) = ndpir.run(module, arguments)
    assert np.abs(y.astype(np.float64) - expected(X)).max() < 1e-6


def test_a_single_window_overlaps_no_other() -> None:
    module = ndpir.parse(text("%y = stablehlo.divide %a, %b : tensor<f32>", indices=1), "x.mlir")
    (y,) = ndpir.run(module, [X, np.array([[2]], np.int32), U[:1]])
    assert y.tolist() == [1, 2, 1.5, 4, 5, 6]


def test_a_region_of_several_ops_is_refused_if_windows_may_overlap() -> None:
    with pytest.raises(ndpir.InputError, match=r"x.mlir:2:\d+: stablehlo.scatter: a scatter whose windows may overlap"):
        ndpir.parse(text(GENERAL), "x.mlir")


@pytest.mark.parametrize("name", BITWISE)
@pytest.mark.parametrize(("element", "dtype"), [("i32", np.int32), ("ui8", np.uint8), ("i1", np.bool_)])
def test_bits_of_equal_indices_are_folded(name: str, element: str, dtype: Any) -> None:
    draw = np.random.default_rng(4)
    x, u = (draw.integers(0, 2 if element == "i1" else 256, n).astype(dtype) for n in (6, 5))
    at = np.array([[3], [3], [1], [8], [3]], np.int32)
    y = x.copy()
    BITWISE[name].at(y, at[[0, 1, 2, 4], 0], u[[0, 1, 2, 4]])
    module = ndpir.parse(text(f"%y = stablehlo.{name} %a, %b : tensor<{element}>", element, 5), "x.mlir")
    again = ndpir.parse(ndpir.write(module, "stablehlo"), "again.mlir")
    for each in (module, again):
        np.testing.assert_array_equal(ndpir.run(each, [x, at, u])[0], y)

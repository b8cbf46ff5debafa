"""The conversion of `chlo.next_after` gives numpy's results to the last bit."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import ndpir


@pytest.mark.parametrize(("element", "dtype"), [("f16", np.float16), ("f32", np.float32), ("f64", np.float64)])
def test_next_numbers_equal_those_of_numpy(element: str, dtype: type[np.floating]) -> None:
    limits = np.finfo(dtype)
    numbers = [0.0, -0.0, 1.0, -1.0, 0.1, limits.max, -limits.max, limits.tiny, limits.smallest_subnormal]
    pairs = np.array(list(product([*numbers, np.inf, -np.inf, np.nan], repeat=2)), dtype)
    x, y = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
    type_ = f"tensor<{len(x)}x{element}>"
    (found,) = ndpir.run(
        ndpir.parse(f"""func.func @main(%x: {type_}, %y: {type_}) -> {type_} {{
          %0 = chlo.broadcast_next_after %x, %y : ({type_}, {type_}) -> {type_}
          return %0 : {type_}
        }}"""),
        [x, y],
    )
    with np.errstate(over="ignore"):
        expected = np.nextafter(x, y)
    np.testing.assert_array_equal(found, expected)
    signed = ~np.isnan(expected) & (x != y)  # in f16, numpy returns a zero of either sign
    np.testing.assert_array_equal(np.signbit(found[signed]), np.signbit(expected[signed]))

"""`reduce_precision` to formats with various numbers of exponent and fraction bits, bit for bit."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import ndpir

TYPES = {
    "f16": (np.dtype(np.float16), 5, 10),
    "bf16": (np.dtype(ml_dtypes.bfloat16), 8, 7),
    "f32": (np.dtype(np.float32), 8, 23),
}
"""The numbers of exponent and fraction bits, by element type."""
FORMATS = [(1, 1), (2, 3), (4, 3), (5, 2), (5, 10), (6, 9), (8, 3), (8, 7), (8, 23), (11, 52)]


def text(element: str, exponent: int, mantissa: int, count: int) -> str:
    type_ = f"tensor<{count}x{element}>"
    return (
        f"func.func @main(%x: {type_}) -> {type_} {{\n"
        f"%0 = stablehlo.reduce_precision %x, format = e{exponent}m{mantissa} : {type_}\nreturn %0 : {type_}\n}}"
    )


def rounded(x: NDArray[Any], own: tuple[int, int], exponent: int, mantissa: int) -> NDArray[Any]:
    """The nearest numbers of a format, computed by arithmetic in f64 instead of on bits."""
    least, reach = 2 - (1 << (own[0] - 1)), (1 << (min(exponent, own[0]) - 1)) - 1
    size = np.abs(x.astype(np.float64))
    finite = np.where(np.isfinite(size), size, 0)
    step = np.ldexp(1.0, np.maximum(np.frexp(finite)[1] - 1, least) - min(mantissa, own[1]))
    near = np.rint(finite / step) * step
    near[near >= 2.0 ** (reach + 1)] = np.inf
    if exponent < own[0]:
        near[near < 2.0 ** (1 - reach)] = 0.0
    return np.copysign(np.where(np.isfinite(size), near, size), x.astype(np.float64)).astype(x.dtype)


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize(("exponent", "mantissa"), FORMATS)
def test_numbers_are_rounded_to_nearest_even_and_flushed_to_zero(element: str, exponent: int, mantissa: int) -> None:
    dtype, *own = TYPES[element]
    width = 8 * dtype.itemsize
    bits = np.random.default_rng(1).integers(0, 1 << width, 3000, np.uint64).astype(f"u{width // 8}")
    largest = np.array(np.inf, dtype).view(bits.dtype)
    bits = bits[bits & largest != largest]
    ties = np.arange(1.0, 513.0) * 2.0 ** (-6)  # halfway between numbers of short formats
    special = [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan]
    x = np.concatenate([bits.view(dtype), ties.astype(dtype), np.array(special, dtype)])
    (y,) = ndpir.run(ndpir.parse(text(element, exponent, mantissa, x.size), "x.mlir"), [x])
    expected = rounded(x, (own[0], own[1]), exponent, mantissa)
    is_nan = np.isnan(x.astype(np.float64))
    assert np.isnan(y[is_nan].astype(np.float64)).all()
    np.testing.assert_array_equal(y[~is_nan].view(bits.dtype), expected[~is_nan].view(bits.dtype))


def test_without_a_fraction_ties_go_to_even_exponents_as_in_xla() -> None:
    x = np.array([1.5, 3.0, 6.0, -12.0, 0.75, 1.25, 1.75], np.float32)
    (y,) = ndpir.run(ndpir.parse(text("f32", 8, 0, x.size), "x.mlir"), [x])
    assert y.tolist() == [2.0, 2.0, 8.0, -8.0, 0.5, 1.0, 2.0]


def test_a_format_that_keeps_every_bit_changes_nothing() -> None:
    for exponent, mantissa in [(8, 23), (1 << 30, 1 << 30)]:
        assert "func.return %x" in ndpir.write(ndpir.parse(text("f16", exponent, mantissa, 4), "x.mlir"))


def test_a_format_without_an_exponent_is_refused() -> None:
    with pytest.raises(ndpir.InputError, match=r"`exponent_bits` must be at least 1 and .* at least 0, not 0 and"):
        ndpir.parse(text("f32", 0, 3, 4), "x.mlir")

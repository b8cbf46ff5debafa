"""Activation functions as the banks' units compute them: linear interpolation between samples in a table.

Published for GDDR6-AiM: units look activation functions up in a table in a row of the banks, and interpolate (Lee et
al., ISSCC 2022; Kwon et al., Hot Chips 34, 2022). Neither source states how the table is sampled. Assumed here: the
table takes one row, so it has as many samples as a row has elements; they are evenly spaced from -8 on and stored in
the banks' element type. Between two samples, interpolation is in f32; beyond the ends, the result is the function's
asymptote; the result register holds the same element type.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialects.element_types import dtype_of, element_type_named
from interp.numerics.special import erf

Array: TypeAlias = NDArray[Any]

REACH = 8.0
"""Tables cover the interval from -REACH to REACH."""


@dataclass(frozen=True)
class Function:
    """A function of f64 arrays, and its asymptotes (slope, offset) on both sides."""

    exact: Callable[[Array], Array]
    left: tuple[float, float]
    right: tuple[float, float]


LINEAR = (1.0, 0.0)

FUNCTIONS: dict[str, Function] = {
    "relu": Function(lambda x: np.maximum(x, 0), (0, 0), LINEAR),
    "leaky_relu": Function(lambda x: np.where(x < 0, 0.01 * x, x), (0.01, 0), LINEAR),
    "sigmoid": Function(lambda x: 1 / (1 + np.exp(-x)), (0, 0), (0, 1)),
    "tanh": Function(np.tanh, (0, -1), (0, 1)),
    "gelu": Function(lambda x: x / 2 * (1 + erf(x / np.sqrt(2))), (0, 0), LINEAR),
    "silu": Function(lambda x: x / (1 + np.exp(-x)), (0, 0), LINEAR),
}
"""The functions that `pim.activate` may name; plugins may add further ones."""


@lru_cache(maxsize=64)
def table_of(function: str, samples: int, element: str) -> Array:
    """The function's samples as f32, which holds every element type of banks."""
    places = -REACH + 2 * REACH / samples * np.arange(samples)
    exact = FUNCTIONS[function].exact(places)
    return exact.astype(dtype_of(element_type_named(element))).astype(np.float32)


def activated(function: str, x: Array, samples: int, element: str) -> Array:
    """The activation of f32 numbers by a table of `samples` samples; f32 values that the element type represents
    exactly."""
    table, f32 = table_of(function, samples, element), np.float32
    position = (x + f32(REACH)) * f32(samples / (2 * REACH))
    inside = (position >= 0) & (position <= samples - 1)
    within = np.where(inside, position, f32(0))
    first = np.floor(within).astype(np.intp)
    low, high = table[first], table[np.minimum(first + 1, samples - 1)]
    between = low + (within - first.astype(f32)) * (high - low)
    left, right = (_line(x, *asymptote) for asymptote in (FUNCTIONS[function].left, FUNCTIONS[function].right))
    outside = np.where(position < 0, left, np.where(position > 0, right, x))  # NaN stays NaN
    return np.where(inside, between, outside).astype(dtype_of(element_type_named(element))).astype(f32)


def _line(x: Array, slope: float, offset: float) -> Array:
    return x * np.float32(slope) + np.float32(offset) if slope else np.full_like(x, offset)

"""Rounding of multiply units: the arithmetic modes that a sheet's `numeric` may name.

`wide` is assumed for GDDR6-AiM and Newton: 16 multipliers feed an adder tree, and products of 16-bit floats are exact
in f32 (Lee et al., ISSCC 2022, and He et al., MICRO 2020, draw the tree; neither states its widths: f32 is assumed).
`lanes` is HBM-PIM: a SIMD unit of f16 multipliers and f16 adders, with accumulator registers of as many lanes and no
tree (Kwon et al., ISSCC 2021; Lee et al., ISCA 2021); since it multiplies and adds in two stages, products are rounded
before the addition. `narrow` is the tree with every result rounded to the element type: the lowest precision that a
unit may have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]


@dataclass(frozen=True)
class Arithmetic:
    """The effect of a multiply command on sums. `per_lane`: each lane keeps its own sum. `narrow`: accumulators are no
    wider than the element type.

    `multiply(row, buffer, sums, dtype)` returns new sums, [channels, banks] or, if each lane keeps a sum, [channels,
    banks, lanes]. `row`: [channels, banks, columns, lanes]; `buffer`: [channels, banks or 1, columns, lanes]; all in
    f32, which represents the element type `dtype` of rows and buffer exactly.
    """

    multiply: Callable[[Array, Array, Array, np.dtype[Any]], Array]
    per_lane: bool = False
    narrow: bool = False


def _wide(row: Array, buffer: Array, sums: Array, dtype: np.dtype[Any]) -> Array:
    """New sums from exact products (of f32 elements: rounded to f32): lanes are added by a tree of neighbours, then
    columns serially onto the accumulator, all in f32."""
    terms = _tree(row * buffer, _same)
    return np.add.accumulate(np.concatenate([sums[..., None], terms], axis=-1), axis=-1)[..., -1]


def _narrow(row: Array, buffer: Array, sums: Array, dtype: np.dtype[Any]) -> Array:
    """New sums as in `_wide`, but with each product and each sum rounded to the element type."""
    rounded = _rounding(dtype)
    terms = _tree(rounded(row * buffer), rounded)
    for column in range(terms.shape[-1]):
        sums = rounded(sums + terms[..., column])
    return sums


def _lanes(row: Array, buffer: Array, sums: Array, dtype: np.dtype[Any]) -> Array:
    """New sums of each lane separately, columns serially: product and sum are each rounded to the element type."""
    rounded = _rounding(dtype)
    terms = rounded(row * buffer)
    for column in range(terms.shape[-2]):
        sums = rounded(sums + terms[..., column, :])
    return sums


def _tree(terms: Array, rounded: Callable[[Array], Array]) -> Array:
    """The sum of the lanes of each column: neighbours are added pairwise until one number per column is left; an odd
    last number moves on to the next level."""
    while (lanes := terms.shape[-1]) > 1:
        even = rounded(terms[..., : lanes - 1 : 2] + terms[..., 1::2])
        terms = np.concatenate([even, terms[..., -1:]], axis=-1) if lanes % 2 else even
    return terms[..., 0]


def _same(x: Array) -> Array:
    return x


def _rounding(dtype: np.dtype[Any]) -> Callable[[Array], Array]:
    """A function that rounds f32 numbers to the element type and returns them as f32. That the numbers were rounded to
    f32 before has no effect: f32 has more than 2 p + 2 binary digits, where f16 or bf16 has p."""
    return lambda x: x.astype(dtype).astype(np.float32)


NUMERICS: dict[str, Arithmetic] = {
    "wide": Arithmetic(_wide),
    "narrow": Arithmetic(_narrow, narrow=True),
    "lanes": Arithmetic(_lanes, per_lane=True, narrow=True),
}
"""Arithmetic modes by the sheet's word; a plug-in that adds one documents it in `interp.machine.records.NUMERIC_MODES`.
"""


def lanes_added(sums: Array) -> Array:
    """The host's sum of per-lane partial sums, added in f32 from the first lane on. [..., lanes] to [...]."""
    return np.add.accumulate(sums, axis=-1)[..., -1]

"""Numerics of mixtures of experts: products of rows with the matrices that they choose."""

from __future__ import annotations

import numpy as np

from dialects import graph as g
from dialects.element_types import is_small
from interp.numerics.indexing import checked_indices
from interp.numerics.meaning import meaning
from interp.numerics.quantized import exact, summed
from interp.numerics.rounding import Array, rounded, widened


@meaning.of(g.GroupedMatmulOp)
def grouped_matmul(op: g.GroupedMatmulOp, x: Array, w: Array, ids: Array, bias: Array | None = None) -> Array:
    """One product for each expert that some row chooses, of all rows that choose it."""
    small = is_small(g.tensor_of(op.x).element_type)
    wide = exact if small else widened
    flat = ids.reshape(-1)
    chosen = flat if op.experts.value.data else checked_indices(op, flat, len(w), 0)
    rows = np.broadcast_to(x, (*ids.shape, x.shape[-1])).reshape(-1, x.shape[-1])
    y = np.zeros((len(rows), g.shape_of(op.y)[-1]), wide(x[:0]).dtype)
    for expert in np.unique(chosen[(chosen >= 0) & (chosen < len(w))]).tolist():
        at = chosen == expert
        matrix = wide(w[expert])
        y[at] = wide(rows[at]) @ (matrix.T if op.transpose_b.value.data else matrix)
        if bias is not None:
            y[at] += widened(bias[expert])
    y = y.reshape(g.shape_of(op.y))
    return summed(y, x) if small else rounded(y, x.dtype)

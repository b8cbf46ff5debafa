"""Writer of the products of a mixture of experts as StableHLO."""

from __future__ import annotations

from dialects import graph as g
from dialects.element_types import I64, is_small, tensor_type
from ndpir.writers.stablehlo.contraction import multiplied, sums_of
from ndpir.writers.stablehlo.movement import from_start, gathered
from ndpir.writers.stablehlo.program import HloWriter, Written, writer


@writer.of(g.GroupedMatmulOp)
def grouped_matmul(w: HloWriter, op: g.GroupedMatmulOp) -> Written:
    """A `gather` of the matrix of each row, and a product for each row, since XLA has no such product for CPUs. With
    ids of other devices' experts, rows of those are set to zero."""
    *rows, n = g.shape_of(op.y)
    here, count = g.shape_of(op.w)[0], len(rows)
    ids, own = from_start(w, op.ids, [here]), None
    if op.experts.value.data:
        ids = w.cast(w[op.ids], I64)
        inside = w.with_scalar("minimum", w.with_scalar("maximum", ids, 0), max(here - 1, 0))
        ids, own = inside, w.compared(ids, inside, "eq")
    element = g.tensor_of(op.y).element_type
    wide = sums_of(element)
    x, matrices = w[op.x], w[op.w]
    if is_small(g.tensor_of(op.x).element_type):
        x, matrices = w.cast(x, element), w.cast(matrices, element)
    lines = w.broadcast_to(w.reshaped(x, (*x.shape[:-1], 1, x.shape[-1])), (*rows, 1, x.shape[-1]))
    y = multiplied(w, lines, _chosen(w, matrices, ids), False, bool(op.transpose_b.value.data), wide)
    y = w.reshaped(y, (*rows, n))
    if op.bias is not None:
        y = w.same("add", y, w.cast(_chosen(w, w[op.bias], ids), wide))
    y = w.cast(y, element)
    if own is None:
        return y
    return w.selected(w.spread(own, y.shape, range(count)), y, w.scalar(0, element))


def _chosen(w: HloWriter, table: Written, ids: Written) -> Written:
    """The entry of a table, along its first axis, that each id chooses."""
    rank, shape = len(ids.shape), table.shape[1:]
    return gathered(
        w,
        table,
        ids,
        tensor_type((*ids.shape, *shape), table.element),
        [1, *shape],
        offset_dims=list(range(rank, rank + len(shape))),
        collapsed_slice_dims=[0],
        start_index_map=[0],
        index_vector_dim=rank,
    )

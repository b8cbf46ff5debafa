"""Recognition of means as JAX expands them: a sum whose result lacks the reduced axes, a reshape that restores these
axes with extent 1, and a division by the number of elements."""

from __future__ import annotations

from dialects import graph as g
from dialects.element_types import element_count, is_float
from dialects.graph.patterns.matching import axes_of, element_of, keeps_type, only_made_by, rebuilt, splat
from dialects.graph.rules import Replacement, RuleBuilder, Table
from lowering.graph.rules.activations import about, either_way


def _with_axes(op: g.ReshapeOp, new: RuleBuilder) -> Replacement:
    reduce = only_made_by(op.x, g.ReduceOp)
    if reduce is None or reduce.keep_dims.value.data:
        return None
    axes = reduce.axis_set()
    if g.shape_of(op.y) != tuple(1 if axis in axes else n for axis, n in enumerate(g.shape_of(reduce.x))):
        return None
    return new(g.ReduceOp(reduce.x, kind=reduce.kind, axes=axes_of(reduce.axes), keep_dims=True), reduce)


def _mean(op: g.MulOp | g.DivOp, new: RuleBuilder) -> Replacement:
    for x, other in either_way(op) if isinstance(op, g.MulOp) else ((op.a, op.b),):
        reduce, number = only_made_by(x, g.ReduceOp), splat(other)
        if reduce is None or not number or reduce.kind.data != "sum" or not keeps_type(x, op.y):
            continue
        length = element_count(g.tensor_of(reduce.x)) / max(element_count(g.tensor_of(reduce.y)), 1)
        divided = 1 / number if isinstance(op, g.MulOp) else number
        if is_float(element_of(x)) and length > 1 and about(divided, length, element_of(x)):
            return new(rebuilt(reduce, reduce.x, kind="mean"), reduce)
    return None


RULES: dict[str, Table] = {
    "mean": (
        (g.ReshapeOp, _with_axes),  # reshape(reduce(x)) = reduce(x, keep_dims)
        ((g.MulOp, g.DivOp), _mean),  # Σ x / n = mean x
    )
}

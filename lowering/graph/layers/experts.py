"""Layers of experts as one kernel: from a router's logits and the tokens to the weighted sums of the experts' results.

Libraries run such a layer as a few kernels that are measured together: the choice of experts, the moves of rows to
them, both products, the activation between them, and the sums. Here its ops are, for tokens x,

    ids, p = the choice of experts and their weights, from logits
    h = act(grouped_matmul(quantize(x), w1, ids)); y = Σ p · grouped_matmul(quantize(h), w2, ids)

where `act` may be any ops that are computed row by row, of one product of gates and inner values or of two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from xdsl.ir import Block, Operation, SSAValue

from dialects import graph as g
from dialects.element_types import element_count
from dialects.graph.roles import FusionRole
from interp.walk.entry import ahead_of_time
from lowering.graph.moving import KERNEL_OPS, is_read_by, own_moves, take_makers, take_scaling

KIND = "experts"
"""The word for the group of a layer of experts."""
_ROWWISE = (FusionRole.POINTWISE, FusionRole.CONVERSION, FusionRole.VIEW, FusionRole.MOVEMENT, FusionRole.REDUCTION)
"""Roles of ops between the products of a layer."""


def expert_groups(block: Block) -> Iterator[tuple[str, list[g.GraphOp]]]:
    """The layers of experts of a block, each with the word for its kind and its ops."""
    early: Collection[Operation] | None = None
    for op in list(block.ops):
        if isinstance(op, g.GroupedMatmulOp):
            early = ahead_of_time(block) if early is None else early
            if ops := _layer(op, early):
                yield KIND, ops


def _layer(down: g.GroupedMatmulOp, early: Collection[Operation]) -> list[g.GraphOp]:
    """The ops of the layer whose last product is `down`; empty if it is not the last one, or if values between its
    products have other readers."""
    inner = _between(down, early)
    ups = [op for op in inner if isinstance(op, g.GroupedMatmulOp)]
    inside = {*inner, down}
    if not ups or not all(is_read_by(op, inside) for op in inner):
        return []
    ops: list[g.GraphOp] = [*inner, down, *_sums(down)]
    found = set(ops)
    seeds = [value for op in ops for value in op.operands if not isinstance(op, g.GroupedMatmulOp)]
    most = max(1, element_count(g.tensor_of(down.ids)) // down.choices) * down.all_experts
    take_makers(found, [down.ids, *seeds], early, lambda op: _is_routing(op, most))
    for up in ups:
        take_scaling(found, up.x, early)
    for product in (*ups, down):
        found.update(own_moves(product, 1, lambda op: isinstance(op, g.DequantizeOp | g.CastOp | g.ReshapeOp)))
    return list(found)


def _between(down: g.GroupedMatmulOp, early: Collection[Operation]) -> list[g.GraphOp]:
    """The products that choose the same experts and on which `down` depends, and the ops on the way from them; empty
    if there are too many."""
    met: list[g.GraphOp] = []
    pending = [down.x]
    for value in pending:
        op = value.owner
        if not isinstance(op, g.GraphOp) or op in early or op in met or len(met) > KERNEL_OPS:
            continue
        if isinstance(op, g.GroupedMatmulOp):
            if _source(op.ids) is _source(down.ids):
                met.append(op)
        elif op.FUSION in _ROWWISE:
            met.append(op)
            pending += op.operands
    if len(met) > KERNEL_OPS:
        return []
    reached: set[Operation] = {op for op in met if isinstance(op, g.GroupedMatmulOp)}
    for _ in met:  # ops are met from the end
        before = len(reached)
        reached.update(op for op in met if any(value.owner in reached for value in op.operands))
        if len(reached) == before:
            break
    return [op for op in met if op in reached]


def _source(value: SSAValue) -> SSAValue:
    """The value of which another one is a view or a conversion."""
    while isinstance(op := value.owner, g.ReshapeOp | g.CastOp):
        value = op.x
    return value


def _sums(down: g.GroupedMatmulOp) -> list[g.GraphOp]:
    """The ops that weigh the results of a token's experts and add them up, in order; those that weigh them alone if
    there is no sum over the choices."""
    ops: list[g.GraphOp] = []
    value, weighed = down.y, 0
    while value.has_one_use() and len(ops) < KERNEL_OPS:
        op = next(iter(value.uses)).operation
        if isinstance(op, g.ReduceOp):
            added = element_count(g.tensor_of(op.x)) == element_count(g.tensor_of(op.y)) * down.choices
            return [*ops, op] if op.kind.data == "sum" and added else ops[:weighed]
        if not isinstance(op, g.CastOp | g.DequantizeOp | g.MulOp | g.ReshapeOp):
            break
        ops.append(op)
        weighed = len(ops) if isinstance(op, g.MulOp) else weighed
        value = op.results[0]
    return ops[:weighed]


def _is_routing(op: g.GraphOp, most: int) -> bool:
    """True for an op on logits, of which there are at most `most`, or on what is chosen by them."""
    return op.FUSION is not FusionRole.CONTRACTION and element_count(g.tensor_of(op.results[0])) <= most

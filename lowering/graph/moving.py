"""Search for data-movement ops around a contraction that the contraction's kernel performs while loading operands and
storing results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TypeAlias

from xdsl.ir import Block, Operation, SSAValue

from dialects import graph as g
from dialects.element_types import is_small_float
from dialects.graph.op import PLACED
from dialects.graph.patterns.matching import element_of, is_ahead_of_time, widens
from dialects.graph.roles import FusionRole
from dialects.locations import located
from lowering.graph.rewriting import rewriter_at

KERNEL_OPS = 64
"""Ops of a kernel up to which more ops are fused into it: longer chains become several kernels."""

IsMove: TypeAlias = Callable[[Operation | Block], bool]


def movers(value: SSAValue, is_move: IsMove, user: g.GraphOp) -> Iterator[g.GraphOp]:
    """The chain of data-movement ops that ends in an operand `value` of `user` and that the kernel of `user` may
    contain, the last op first."""
    while is_move(op := value.owner):
        assert isinstance(op, g.GraphOp)
        if not runs_with(op, user):
            return
        yield op
        value = op.operands[0]


def runs_with(op: g.GraphOp, other: g.GraphOp) -> bool:
    """True if a kernel that contains `other` may contain `op`: both are marked for the same device, or neither is
    marked. The mark of an op that is computed ahead of time has no effect."""
    return op.attributes.get(PLACED) == other.attributes.get(PLACED) or is_ahead_of_time(op.results[0])


def widens_both(op: g.GraphOp, is_move: IsMove) -> bool:
    """True if both factors of a product were widened to f32 from the same type."""
    casts = [cast for value in op.operands[:2] for cast in list(filter(widens, movers(value, is_move, op)))[:1]]
    return len(casts) == 2 and len({element_of(cast.operands[0]) for cast in casts}) == 1


def loads_factor(op: Operation) -> bool:
    """True for an op that moves or widens the elements of a factor of a product, so that the product's kernel can do
    this while loading. At most `KERNEL_OPS` reads are followed from the op to a product."""
    moving, met, reads = [op], {op}, 0
    for each in moving:
        if not isinstance(each, g.GraphOp) or not (
            widens(each) or each.FUSION in (FusionRole.MOVEMENT, FusionRole.VIEW)
        ):
            continue
        for use in (use for result in each.results for use in result.uses):
            reads += 1
            if reads > KERNEL_OPS:
                return False
            if is_product(use.operation) and use.index < 2:
                return True
            if use.operation not in met:
                met.add(use.operation)
                moving.append(use.operation)
    return False


def is_product(op: Operation) -> bool:
    """True for an op that multiplies its first two operands as matrices or convolves them."""
    return isinstance(op, g.MatmulOp | g.ConvOp)


def own_moves(op: g.GraphOp, index: int, is_move: IsMove) -> list[g.GraphOp]:
    """The data-movement ops that compute an operand, in program order. Those with other readers are copied for `op`."""
    ops: list[g.GraphOp] = []
    user = op
    for move in list(movers(op.operands[index], is_move, op)):
        at = index if user is op else 0
        if not move.results[0].has_one_use():
            copy = located(move.clone(), move)
            rewriter_at(user).insert(copy)
            user.operands[at] = copy.results[0]
            move = copy
        ops.insert(0, move)
        user = move
    while ops and isinstance(ops[0], g.ReshapeOp):
        del ops[0]  # a view of a value from outside
    return ops


def moved_after(product: g.GraphOp, is_move: IsMove) -> list[g.GraphOp]:
    """The chain of data-movement ops after a product that its kernel may contain, each of which is the only reader of
    the previous value; reshapes at its end are left out."""
    ops: list[g.GraphOp] = []
    value = product.results[0]
    while value.has_one_use() and is_move(op := next(iter(value.uses)).operation):
        assert isinstance(op, g.GraphOp)
        if not runs_with(op, product):
            break
        ops.append(op)
        value = op.results[0]
    while ops and isinstance(ops[-1], g.ReshapeOp):
        ops.pop()
    return ops


def scaling_of(value: SSAValue) -> g.QuantizeOp | None:
    """The op that scales a factor to a small float, perhaps moved or dequantized since; None if there is none."""
    while isinstance(op := value.owner, g.CastOp | g.DequantizeOp | g.ReshapeOp):
        value = op.x
    return op if isinstance(op, g.QuantizeOp) and is_small_float(element_of(op.y)) else None


def take_scaling(found: set[g.GraphOp], value: SSAValue, early: Collection[Operation]) -> None:
    """Add to `found` the ops that scale a factor to a small float, from the numbers that are scaled, with those that
    compute the scales; none if ops outside of `found` read the small floats."""
    scaling = scaling_of(value)
    if scaling is None:
        return
    source = scaling.x
    while isinstance(source.owner, g.CastOp | g.ReshapeOp):
        source = source.owner.x
    take_makers(found, [value], early, lambda op: isinstance(op, _SCALES) and op.results[0] is not source)


_SCALES = (
    *(g.AbsOp, g.BroadcastOp, g.CastOp, g.ClipOp, g.DequantizeOp, g.DivOp, g.MaxOp, g.MulOp, g.QuantizeOp),
    *(g.ReciprocalOp, g.ReduceOp, g.ReshapeOp),
)
"""Ops that scale numbers to a small type, and that compute the scales."""


def take_makers(
    found: set[g.GraphOp],
    values: Iterable[SSAValue],
    early: Collection[Operation],
    fits: Callable[[g.GraphOp], bool],
) -> None:
    """Add to `found` the ops of a kind that compute some values, directly or through each other, and whose results
    only ops in `found` read. Ops in `early` are computed ahead of time."""
    pending = list(values)
    for _ in range(KERNEL_OPS):
        makers = dict.fromkeys(op for value in pending if isinstance(op := value.owner, g.GraphOp))
        new = [op for op in makers if op not in found and op not in early and fits(op) and is_read_by(op, found)]
        if not new:
            return
        found.update(new)
        pending += [value for op in new for value in op.operands]


def is_read_by(op: g.GraphOp, readers: Collection[Operation]) -> bool:
    """True if only the given ops read the results of an op."""
    return all(use.operation in readers for result in op.results for use in result.uses)

"""Grouping of ops that run as one kernel: a contraction or reduction with the element-wise ops around it, or
element-wise ops only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from dialects import graph as g
from dialects.element_types import element_count
from dialects.graph import (
    BroadcastOp,
    ConstantOp,
    ElementwiseOp,
    FusedOp,
    GraphOp,
    ReshapeOp,
    YieldOp,
    appends,
    tensor_of,
)
from dialects.graph.fused import is_prepared
from dialects.graph.op import PLACED
from dialects.graph.patterns.matching import widens
from dialects.graph.quantized import ScaledOp, SmallProductOp
from dialects.graph.roles import FusionRole
from dialects.locations import located
from interp.walk.entry import ahead_of_time
from lowering.graph.marks import unmark
from lowering.graph.moving import KERNEL_OPS, is_product, movers, own_moves, widens_both
from lowering.graph.rewriting import rewriter_at

GROUPS = 64
"""Groups that are considered for fusion with one op, at most."""
REPEATED_OPS = 8
"""Ops, at most, that a kernel recomputes instead of reading their results."""

EXPENSIVE = (g.ErfOp, g.ErfcOp, g.TanhOp, g.PowOp, g.LogOp, g.SinOp, g.CosOp, g.TanOp, g.SigmoidOp, g.GeluOp, g.SiluOp)
"""Element-wise ops that take many instructions per element and are therefore never recomputed in several kernels."""


@dataclass(eq=False)
class KernelGroup:
    """A group of ops that become one kernel. `tail`: the last op; `anchor`: the contraction, reduction or norm in the
    group, None if all ops are element-wise."""

    tail: GraphOp
    ops: list[GraphOp] = field(default_factory=list[GraphOp])
    anchor: GraphOp | None = None
    sealed: bool = False
    """True if no preceding contraction may join the group."""
    kind: str | None = None
    """The word for the recognised pattern (lowering/graph/kinds.py); no other group absorbs ops of a recognised
    group."""

    @staticmethod
    def of(op: GraphOp) -> KernelGroup:
        return KernelGroup(op, [op], op if op.FUSION.anchors else None)

    @property
    def results(self) -> list[SSAValue]:
        """The values of the group that ops outside of it use."""
        inside = set(self.ops)
        return [r for op in self.ops for r in op.results if any(use.operation not in inside for use in r.uses)]

    @property
    def mark(self) -> Attribute | None:
        """The device for which all ops of the group are marked; None without marks."""
        return self.tail.attributes.get(PLACED)

    @property
    def contracts(self) -> bool:
        """True if the group's anchor is a contraction."""
        return self.anchor is not None and self.anchor.FUSION is FusionRole.CONTRACTION

    @property
    def pointwise(self) -> bool:
        """True if each element of the result depends only on the elements of operands at the same position."""
        return self.anchor is None and all(op.FUSION.is_pointwise or op.FUSION is FusionRole.VIEW for op in self.ops)

    @property
    def free(self) -> bool:
        """True if the group has only views and cheap element-wise ops, so that it can be recomputed at almost no
        cost."""
        return all(op.FUSION.is_free for op in self.ops)


def groups_of(block: Block, residual: bool = True, known: Iterable[KernelGroup] = ()) -> list[KernelGroup]:
    """The kernels of a block's ops; an op that is not fused is a group of one. Without `residual`, an element-wise op
    with several run-time operands starts its own kernel. `known`: groups that were formed before.

    An op joins the groups of its operands if their results have no other uses, so that a group has one result and no
    cycles can arise. Ops that depend only on constants are in no group: they are computed ahead of time.

    A product in f32 whose factors were both widened from f16, or both from bf16, includes the widening casts, even if
    these have other readers: tensor cores multiply 16-bit numbers and accumulate in f32, with the same rounding. So
    does a product of quantized weights with their dequantization: its kernel reads the small numbers.
    """
    groups: dict[Operation, KernelGroup] = {op: group for group in known for op in group.ops}
    early = ahead_of_time(block)
    groups |= {op: group for group in _widened_products(block, groups, early) for op in group.ops}
    groups |= {op: group for group in _dequantized_products(block, groups, early) for op in group.ops}
    place: dict[Operation, int] = {}
    uses: dict[KernelGroup, int] = {}
    for index, op in enumerate(block.ops):
        place[op] = index
        if op in groups:
            continue
        if op not in early and isinstance(op, GraphOp) and op.FUSION is not FusionRole.OPAQUE and not appends(op):
            here = groups[op] = KernelGroup.of(op)
            here.sealed = not residual and _joins_values(op, early)
            if op.FUSION.is_pointwise or op.FUSION is FusionRole.REDUCTION:
                _absorb(here, groups, place, uses)
    return list(dict.fromkeys(groups.values()))


def _widened_products(
    block: Block, taken: Collection[Operation], early: Collection[Operation]
) -> Iterator[KernelGroup]:
    """The initial groups of products whose factors are widened to f32: each product with the casts that widen its
    factors."""
    for op in list(block.ops):
        if not isinstance(op, g.GraphOp) or not is_product(op) or op in taken or op in early:
            continue
        casts = [move for value in op.operands[:2] for move in movers(value, _is_load, op) if widens(move)]
        if any(cast in early and not isinstance(cast.operands[0].owner, g.WeightOp) for cast in casts):
            continue  # a factor that is computed ahead of time
        if widens_both(op, _is_load):
            yield KernelGroup(op, [*own_moves(op, 0, _is_load), *own_moves(op, 1, _is_load), op], op)


def _dequantized_products(
    block: Block, taken: Collection[Operation], early: Collection[Operation]
) -> Iterator[KernelGroup]:
    """The initial groups of products with a factor that is dequantized, and of attention over such keys and values:
    each with the ops that convert the small elements as it loads them."""

    def is_load(op: Operation | Block) -> bool:
        return isinstance(op, g.DequantizeOp | g.CastOp | ReshapeOp) and op not in early

    for op in list(block.ops):
        if not isinstance(op, g.MatmulOp | g.ConvOp | g.GroupedMatmulOp | g.AttentionOp) or op in taken or op in early:
            continue
        loads: list[GraphOp] = []
        for index in range(3 if isinstance(op, g.AttentionOp) else 2):
            if any(isinstance(each, g.DequantizeOp) for each in movers(op.operands[index], is_load, op)):
                loads += own_moves(op, index, is_load)
        if loads:
            yield KernelGroup(op, [*loads, op], op)


def _is_load(op: Operation | Block) -> bool:
    return widens(op) or isinstance(op, ReshapeOp)


def _joins_values(op: GraphOp, early: Collection[Operation]) -> bool:
    """True if an element-wise op has more than one run-time operand."""
    made = {value for value in op.operands if not isinstance(value.owner, Operation) or value.owner not in early}
    return op.FUSION.is_pointwise and len(made) > 1


def _absorb(
    here: KernelGroup,
    groups: dict[Operation, KernelGroup],
    place: dict[Operation, int],
    uses: dict[KernelGroup, int],
) -> None:
    """Absorb the groups that compute operands of `here` and can be part of its kernel. `uses`: cache of the numbers of
    uses of groups' results."""
    chosen = _behind(here, groups, uses)
    while (unfit := _unfit(here, chosen, groups, place)) is not None:
        leaving = [unfit]
        for part in leaving:
            if part in chosen:
                del chosen[part]
                leaving += [maker for _, maker in _makers(part, groups)]  # their results now have a user outside
    for part in chosen:
        here.ops += part.ops
        here.anchor = here.anchor or part.anchor
        here.sealed = here.sealed or part.sealed
        for op in part.ops:
            groups[op] = here
    here.ops.sort(key=place.__getitem__)


def _behind(
    here: KernelGroup, groups: dict[Operation, KernelGroup], uses: dict[KernelGroup, int]
) -> dict[KernelGroup, None]:
    """The groups that compute operands of `here`, directly or through groups without an anchor, and whose results are
    used by `here` and by such groups only, each after these, among the first `GROUPS` groups that are met.
    A group whose elements would be computed several times is left out."""
    found: dict[KernelGroup, None] = {}
    met: dict[KernelGroup, int] = {}
    near, refused = set[KernelGroup](), set[KernelGroup]()
    pending = [here]
    for reached in pending:
        leads = reached is here or reached.anchor is None
        for user, part in _makers(reached, groups):
            if part not in met and len(met) == GROUPS:
                continue
            met[part] = met.get(part, 0) + 1
            if (met[part] == 1 and _is_refused(part, here)) or part in refused or _repeats(part, user):
                refused.add(part)
                continue
            if leads and not (reached.sealed and part.anchor is not None):
                near.add(part)
            if part not in uses:
                uses[part] = part.tail.results[0].uses.get_length()
            if part in near and met[part] == uses[part]:
                found[part] = None
                pending.append(part)
    return found


def _is_refused(part: KernelGroup, here: KernelGroup) -> bool:
    """True if a group that computes an operand of `here` can't be part of its kernel, whatever else is."""
    if part.kind or len(part.ops) >= KERNEL_OPS or part.mark != here.mark:  # a kernel runs on one device
        return True
    return here.anchor is not None and not part.pointwise


def _makers(group: KernelGroup, groups: dict[Operation, KernelGroup]) -> Iterator[tuple[GraphOp, KernelGroup]]:
    """The groups that compute operands of a group's ops, each with the op: once for each operand."""
    for op in group.ops:
        for value in op.operands:
            part = groups.get(value.owner) if isinstance(value.owner, Operation) else None
            if part is not None and part is not group:
                yield op, part


def _unfit(
    here: KernelGroup,
    chosen: dict[KernelGroup, None],
    groups: dict[Operation, KernelGroup],
    place: dict[Operation, int],
) -> KernelGroup | None:
    """A group of `chosen` that can't be part of the kernel of `here` if the kernel also contains all other groups of
    `chosen`; None if each can."""
    anchored = [part for part in chosen if part.anchor is not None]
    for part in anchored:
        if not _keeps_places(part, here, chosen, groups):
            return part
    if len(anchored) > 1:
        return min(anchored, key=lambda part: (part.contracts, place[part.tail]))
    if anchored and anchored[0].contracts:
        return next((part for part in chosen if part is not anchored[0] and not part.pointwise), None)
    return None


def _repeats(part: KernelGroup, user: Operation) -> bool:
    """True if fusing `part` into `user` would compute elements of `part` several times."""
    if part.free:
        return False
    assert isinstance(user, GraphOp)
    made = _count(part.tail.results[0])
    if user.FUSION.reduces:
        return made != _count(user.operands[0])
    return (user.FUSION.is_pointwise or isinstance(user, BroadcastOp)) and made < _count(user.results[0])


def _keeps_places(
    part: KernelGroup, here: KernelGroup, chosen: dict[KernelGroup, None], groups: dict[Operation, KernelGroup]
) -> bool:
    """True if all groups on the paths from `part`, which has an anchor, to `here` are element-wise and keep the number
    of elements, so that each element keeps its position."""
    if here.anchor is not None:
        return False
    size = _count(here.tail.results[0])
    pending = [part]
    for reached in pending:
        if _count(reached.tail.results[0]) != size or (reached is not part and not reached.pointwise):
            return False
        following = (groups[use.operation] for use in reached.tail.results[0].uses)
        pending += [user for user in following if user is not here and user in chosen and user not in pending]
    return True


def _count(value: SSAValue) -> int:
    return element_count(tensor_of(value))


def fuse_group(group: KernelGroup) -> FusedOp | None:
    """Replace the ops of a group by one `graph.fused`. Returns None, without changes, if fewer than two ops need a
    kernel.

    Views of operands from outside stay outside. Constants that repeat one number are moved into the body as immediates.
    Ops that expand small constants to large ones (element positions as the counters of random numbers, a mask for all
    heads) are moved into the body, too, so that their results occupy no memory.
    """
    inside = set[Operation](group.ops)
    for value in dict.fromkeys(value for op in group.ops for value in op.operands):
        if value.owner not in inside:
            _grow_inside(value, group, inside)
    for op in group.ops:
        if isinstance(op, ReshapeOp) and op.x.owner not in inside:
            inside.discard(op)
    ops = [op for op in group.ops if op in inside]
    if sum(not isinstance(op, ReshapeOp) for op in ops) < 2:
        return None
    group.ops = ops
    outside = [value for op in ops for value in op.operands if value.owner not in inside]
    literals = dict.fromkeys(value for op in ops for value in op.operands if _is_immediate(value, op))
    inputs = [value for value in dict.fromkeys(outside) if value not in literals or _feeds_anchor(value, ops)]
    body = Block(arg_types=[value.type for value in inputs])
    known: dict[SSAValue, SSAValue] = dict(zip(inputs, body.args, strict=True))
    for value, argument in zip(inputs, body.args, strict=True):
        argument.name_hint = value.name_hint
    for value in literals:
        if value not in known:
            assert isinstance(value.owner, ConstantOp)
            literal = located(ConstantOp(value.owner.value), value.owner)
            literal.y.name_hint = value.name_hint
            body.add_op(literal)
            known[value] = literal.y
    return _moved(group, ops, inputs, body, known)


def dissolve(group: FusedOp, rewriter: PatternRewriter) -> None:
    """Replace a group by its ops, in place."""
    outside: dict[SSAValue, SSAValue] = dict(zip(group.body.block.args, group.inputs, strict=True))
    inner, results = group.ops, [outside.get(value, value) for value in group.yielded]
    for op in inner:
        op.detach()
        op.operands = [outside.get(value, value) for value in op.operands]
    rewriter.insert(inner, InsertPoint.before(group))
    rewriter.replace(group, [], results, safe_erase=False)


def _moved(
    group: KernelGroup, ops: list[GraphOp], inputs: list[SSAValue], body: Block, known: dict[SSAValue, SSAValue]
) -> FusedOp:
    results = group.results
    following = group.tail.next_op
    assert following is not None
    rewriter = rewriter_at(following)
    for op in ops:
        op.detach()
        for index, value in enumerate(op.operands):
            if value in known:
                op.operands[index] = known[value]
        body.add_op(op)
        rewriter.notify_op_modified(op)
    anchor = [group.anchor] if group.anchor is not None else []
    last = located(YieldOp(*results), group.tail)
    body.add_op(last)
    fused = located(FusedOp(inputs, Region(body), group.kind), *anchor, *ops)
    if group.mark is not None:
        fused.attributes[PLACED] = group.mark
    unmark(ops)  # even in an unmarked group: it may hold a copy of an ahead-of-time op, whose mark has no effect
    rewriter.insert(fused)
    inside = set(body.ops)
    for made, result in zip(results, fused.results, strict=True):
        result.name_hint = made.name_hint
        rewriter.replace_uses_with_if(made, result, lambda use: use.operation not in inside)
    for value in known:
        if isinstance(value.owner, ConstantOp) and value.first_use is None:
            rewriter.erase(value.owner)
    return fused


def _grow_inside(value: SSAValue, group: KernelGroup, inside: set[Operation]) -> None:
    """Move the computation of a value into a group if a few cheap ops compute it from constants that are all much
    smaller than the value. `inside`: the ops of the group."""
    chain: list[GraphOp] = []
    if not _is_grown(value, _count(value) // 4, chain) or not chain:
        return
    if not all(isinstance(use.operation, ElementwiseOp) for use in value.uses if use.operation in inside):
        return
    first = next(index for index, op in enumerate(group.ops) if value in op.operands)
    rewriter = rewriter_at(group.ops[first])
    known: dict[SSAValue, SSAValue] = {}
    copies = [located(op.clone(value_mapper=known), op) for op in chain]
    rewriter.insert(copies)
    rewriter.replace_uses_with_if(value, known[value], lambda use: use.operation in inside)
    group.ops[first:first] = copies
    inside.update(copies)
    for op in reversed(chain):
        if not any(result.uses.get_length() for result in op.results):
            rewriter.erase(op)


def _is_grown(value: SSAValue, most: int, chain: list[GraphOp]) -> bool:
    """True if cheap ops compute a value from ahead-of-time values of at most `most` elements each. Appends these ops to
    `chain`, in order."""
    op = value.owner
    if op in chain or _is_splat(value) or (_count(value) <= most and is_prepared(value, most=KERNEL_OPS)):
        return True
    if not isinstance(op, ElementwiseOp | BroadcastOp | ReshapeOp) or isinstance(op, EXPENSIVE):
        return False
    if len(chain) == REPEATED_OPS or not all(_is_grown(operand, most, chain) for operand in op.operands):
        return False
    chain.append(op)
    return True


def _is_splat(value: SSAValue) -> bool:
    return isinstance(value.owner, ConstantOp) and value.owner.value.is_splat


def _is_immediate(value: SSAValue, user: GraphOp) -> bool:
    return _is_splat(value) and value not in _loaded(user)


def _feeds_anchor(value: SSAValue, ops: list[GraphOp]) -> bool:
    return any(value in _loaded(op) for op in ops)


def _loaded(op: GraphOp) -> Sequence[SSAValue]:
    """The operands that a kernel reads from memory, even if all their elements are equal: none of an element-wise op,
    and not the zero points of a product."""
    if isinstance(op, ElementwiseOp | ScaledOp):
        return ()
    return op.operands[:2] if isinstance(op, SmallProductOp) else op.operands

"""Attention in training as two kernels that do not store weights, as in FlashAttention-2 (Dao, 2023).

Automatic differentiation stores the weights softmax(q · kᵀ · scale + mask) of the forward pass for the backward pass.
Here, the forward kernel returns the maximum and the sum of each row instead, and the backward kernel recomputes the
weights from q, k, the maxima and the sums, with the program's own ops, so that results do not change. The ops between
the products may be any element-wise ops (scale, mask, dropout, a soft cap) and views. If ops outside of the attention
read scores or weights, nothing is changed.

    s = q · kᵀ; p = softmax(s); y = p · v          attention: y, m = max s, z = Σ exp(s - m)
    dv = pᵀ · dy; dp = dy · vᵀ                 →   attention_grad: p = exp(q · kᵀ - m) / z, then dv, dp, ds, dq and dk
    ds = (dp - Σ dp p) p; dq = ds · k; dk = dsᵀ · q
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import BFloat16Type, Float16Type
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from dialects import graph as g
from dialects.element_types import element_count
from dialects.graph.op import PLACED
from dialects.graph.patterns.matching import OpT, element_of, made_by, wide_element, widens
from dialects.graph.patterns.primitives import in_primitives
from dialects.locations import located
from lowering.graph.folding import known_elements
from lowering.graph.moving import KERNEL_OPS, moved_after, movers
from lowering.graph.rewriting import rewriter_at
from lowering.graph.rules.attention import HIDES


@dataclass
class Scores:
    """All ops on the scores and weights of one attention: the ops between the products that compute scores and the
    products that read weights."""

    rows: int
    keys: int
    ops: dict[g.GraphOp, frozenset[g.MatmulOp]] = field(default_factory=dict[g.GraphOp, "frozenset[g.MatmulOp]"])
    """The ops on scores and weights, each with the products on which it depends; in the forward pass this is only q ·
    kᵀ."""
    takers: dict[g.MatmulOp, int] = field(default_factory=dict[g.MatmulOp, int])
    """The products that read weights or the gradient of weights, each with the index of the operand that is read."""
    stores: list[g.DynamicUpdateSliceOp] = field(default_factory=list[g.DynamicUpdateSliceOp])
    """Updates that save scores or weights of a loop iteration to a stack."""

    @staticmethod
    def around(*seeds: g.GraphOp) -> Scores | None:
        """The scores whose weights `seeds` compute or read; None if any op reads the scores or weights that is neither
        an op of the attention nor an update of a stack."""
        shape = g.shape_of(seeds[0].results[0])
        if len(shape) < 2 or 0 in shape:
            return None
        found = Scores(_count(seeds[0].results[0]) // shape[-1], shape[-1])
        made = list(seeds)
        for op in made:
            if len(made) > KERNEL_OPS or not all(map(found.holds_all, op.results)):
                return None
            makers = (found.leading(value) for value in op.operands if found.is_inner(op))
            made += [maker for maker in dict.fromkeys(makers) if maker is not None and maker not in made]
            for use in op.results[0].uses:
                if not found.takes(use.operation, use.index, op) and found.holds(op.results[0]):
                    return None
                if found.is_inner(user := use.operation) and isinstance(user, g.GraphOp) and user not in made:
                    made.append(user)
        for op in in_order(made):
            before = [
                found.ops.get(maker, frozenset()) for value in op.operands if (maker := made_by(value, g.GraphOp))
            ]
            found.ops[op] = frozenset([op]) if isinstance(op, g.MatmulOp) else frozenset[g.MatmulOp]().union(*before)
        return None if any(op in found.takers for op in found.ops) else found

    def takes(self, user: Operation, index: int, op: g.GraphOp) -> bool:
        """True if `user`, which reads `op`'s result as its operand `index`, is allowed in an attention. Records `user`
        if it is a product that reads weights, or an update that saves them to a stack."""
        if isinstance(user, g.MatmulOp) and self.holds(op.results[0]):
            known = user in self.takers or index > 1
            self.takers[user] = index
            return not known
        if isinstance(user, g.DynamicUpdateSliceOp) and index == 1 and self.holds(op.results[0]):
            self.stores.append(user)
            return True
        return self.is_inner(user)

    def holds(self, value: SSAValue) -> bool:
        """True if a value has one element per score, in rows that each belong to one query."""
        return _count(value) == self.rows * self.keys and g.shape_of(value)[-1:] == (self.keys,)

    def holds_all(self, value: SSAValue) -> bool:
        """True if a value has either one element per score or one element per row of scores."""
        return self.holds(value) or _count(value) == self.rows

    def is_inner(self, op: Operation) -> bool:
        """True for an op that a kernel can contain between two products: element-wise, along rows, or a view."""
        if not isinstance(op, g.GraphOp) or len(op.results) != 1:
            return False
        if isinstance(op, g.ReduceOp):
            return op.along_rows and _count(op.y) == self.rows and self.holds(op.x)
        if isinstance(op, g.SoftmaxOp):
            return self.holds(op.y) and op.axis.value.data in (-1, len(g.shape_of(op.y)) - 1)
        if op.FUSION.is_pointwise or isinstance(op, g.ReshapeOp | g.BroadcastOp):
            return self.holds_all(op.results[0])
        return False

    def leading(self, value: SSAValue) -> g.GraphOp | None:
        """The op that computes a value, if the value depends on scores; None for values that do not depend on scores,
        such as a mask."""
        first = made_by(value, g.GraphOp)
        pending = [] if first is None else [first]
        for op in pending:
            if isinstance(op, g.MatmulOp) and self.holds(op.y):
                return first
            if self.is_inner(op) and len(pending) <= KERNEL_OPS:
                pending += [
                    maker for each in op.operands if (maker := made_by(each, g.GraphOp)) not in (None, *pending)
                ]
        return None


def attention_groups(block: Block, without: Collection[str]) -> Iterator[tuple[str, list[g.GraphOp]]]:
    """The attentions of a block in f16 and bf16, forward and backward, each with the word for its kind (such as
    `attention_grad`) and its ops; words in `without` are skipped. Ops that the backward kernel recomputes are
    copied. Attentions in f32 are skipped: FlashAttention and cuDNN, which XLA calls, have no kernels for this type."""
    for op in list(block.ops):
        if isinstance(op, g.SoftmaxOp | g.ExpOp) and (scores := Scores.around(op)) is not None and not scores.stores:
            yield from _groups(op, scores, without)


def _groups(
    anchor: g.SoftmaxOp | g.ExpOp, scores: Scores, without: Collection[str]
) -> Iterator[tuple[str, list[g.GraphOp]]]:
    """The kernels of an attention, if kernels for it exist, each with the word for its kind and its ops."""
    parts = Parts.of(scores, scores.ops[anchor])
    if parts is None or len(scores.ops[anchor]) != 1:
        return
    forward, backward, result, gradients = parts
    word = "causal_attention" if _is_causal(forward, scores) else "attention"
    if (result is not None and word in without) or (gradients and f"{word}_grad" in without):
        return
    recomputed: list[g.GraphOp] = []
    if result is None:
        recomputed = forward
    elif gradients:
        forward = with_statistics(forward)
        recomputed = _recomputed_forward([*backward, *gradients], forward, scores)
        forward = _alive(forward)
    if result is not None:
        yield word, _with_moves([*forward, result])
    if gradients:
        yield f"{word}_grad", _with_moves([*recomputed, *backward, *gradients])


class Parts(NamedTuple):
    """The parts of an attention for which kernels exist: ops on scores and weights, forward and backward; the product p
    · v; and those of the products dv, dq and dk that the program computes."""

    forward: list[g.GraphOp]
    backward: list[g.GraphOp]
    result: g.MatmulOp | None
    gradients: list[g.MatmulOp]

    @staticmethod
    def of(scores: Scores, own: frozenset[g.MatmulOp]) -> Parts | None:
        """The parts of an attention with these scores; None if no kernels exist for it. `own`: the products of the
        forward pass; empty if another loop computes the values of the forward pass."""
        takers = _takers(scores, own)
        if takers is None or not _has_kernels(scores):
            return None
        result, gradients = takers
        forward, backward = ([op for op in scores.ops if (scores.ops[op] == own) is here] for here in (True, False))
        products = sum(isinstance(op, g.MatmulOp) for op in backward)
        if products != bool(gradients) or not _is_gradient(backward) or not (own or gradients):
            return None
        return Parts(forward, backward, result, gradients) if not own or _is_softmax(forward, result) else None


def _takers(scores: Scores, own: frozenset[g.MatmulOp]) -> tuple[g.MatmulOp | None, list[g.MatmulOp]] | None:
    """The product p · v, and those of the products dv, dq and dk that the program computes. None if another product
    reads scores or weights, or if one of these four products occurs twice. `own`: the products on which scores of
    the forward pass depend."""
    found: dict[tuple[bool, bool], g.MatmulOp] = {}
    for op, index in scores.takers.items():
        weights = made_by(op.operands[index], g.GraphOp)
        assert weights is not None
        turned = bool((op.transpose_b if index else op.transpose_a).value.data)
        role = scores.ops[weights] == own, turned == bool(index)  # in the forward pass; sums over keys, not queries
        if role in found:
            return None
        found[role] = op
    result = found.pop((True, True), None)
    return result, list(found.values())


def _has_kernels(scores: Scores) -> bool:
    """True if the products are stacks of matrices, with all operands in f16 or bf16 before conversion, and no op is
    marked for a device: both kernels would run there."""
    if any(PLACED in op.attributes for op in (*scores.ops, *scores.takers)):
        return False
    for op in (*(op for op in scores.ops if isinstance(op, g.MatmulOp)), *scores.takers):
        lead = g.shape_of(op.a)[:-2]
        if op.bias is not None or not lead or lead != g.shape_of(op.b)[:-2]:
            return False
        if not all(_is_short(op.operands[index], op) for index in (0, 1) if scores.takers.get(op) != index):
            return False
    return True


def _is_short(value: SSAValue, user: g.GraphOp) -> bool:
    """True for an operand of type f16 or bf16 of `user`, or one that was converted from such a type."""
    sources = (value, *(move.operands[0] for move in movers(value, is_move, user)))
    return any(isinstance(element_of(source), Float16Type | BFloat16Type) for source in sources)


def _is_softmax(forward: Iterable[g.GraphOp], result: g.MatmulOp | None) -> bool:
    """True if the ops from scores to weights exponentiate once, and reduce rows only to their maximum and sum.
    `result`: the product p · v; if it is None (a loop with only the backward pass), maximum and sum may be computed
    by other ops."""
    powers = [op for op in forward if isinstance(op, g.ExpOp | g.SoftmaxOp)]
    kinds = [op.kind.data for op in forward if isinstance(op, g.ReduceOp)]
    if len(powers) != 1 or (kinds and isinstance(powers[0], g.SoftmaxOp)):
        return False
    return result is None or isinstance(powers[0], g.SoftmaxOp) or sorted(kinds) in (["sum"], ["max", "sum"])


def _is_gradient(backward: Iterable[g.GraphOp]) -> bool:
    """True if there are no backward ops, or if they reduce rows at most once, to Σ dp p, which a kernel computes as Σ
    dy y."""
    kinds = [op.kind.data for op in backward if isinstance(op, g.ReduceOp)]
    return not any(isinstance(op, g.ExpOp | g.SoftmaxOp) for op in backward) and kinds in ([], ["sum"])


def _is_causal(forward: Iterable[g.GraphOp], scores: Scores) -> bool:
    """True if a mask, known at compile time, hides from each query exactly the keys after its position."""
    for op in forward:
        shape = g.shape_of(op.results[0])
        if isinstance(op, g.SelectOp):
            array = known_elements(_mask(op.condition))
            seen = array if array is None or op.a.owner in scores.ops else ~array
        elif isinstance(op, g.AddOp):
            array = known_elements(_mask(op.b if op.a.owner in scores.ops else op.a))
            seen = None if array is None else array > HIDES
        else:
            continue
        if seen is not None and seen.shape[-2:] == shape[-2:] and shape[-2] <= shape[-1]:
            queries, keys = shape[-2:]
            return bool((seen == np.tri(queries, keys, keys - queries, dtype=np.bool_)).all())
    return False


def _mask(value: SSAValue) -> SSAValue:
    """The mask from which `value` is computed: before broadcasts over heads and sequences, and outside of loops that
    pass it unchanged to all iterations."""
    while True:
        owner = value.owner
        loop = owner.parent_op() if isinstance(owner, Block) else None
        if isinstance(owner, g.BroadcastOp) and g.shape_of(owner.x)[-2:] == g.shape_of(value)[-2:]:
            value = owner.x
        elif isinstance(loop, g.RepeatOp) and isinstance(value, BlockArgument) and value.index > len(loop.outputs):
            value = loop.inputs[value.index - 1]
        else:
            return value


def with_statistics(forward: list[g.GraphOp]) -> list[g.GraphOp]:
    """The ops of the forward pass, in which a softmax is replaced by the ops that compute it step by step, so that its
    maximum and its sum are values, too."""
    softmax = next((op for op in forward if isinstance(op, g.SoftmaxOp)), None)
    if softmax is None:
        return forward
    written = in_primitives(softmax)
    rewriter, ops = rewriter_at(softmax), list(written.ops)
    rewriter.replace_all_uses_with(written.body.block.args[0], softmax.x)
    made = written.yielded[0]
    for op in ops:
        op.detach()
        rewriter.insert(op)
    rewriter.replace_all_uses_with(softmax.y, made)
    written.drop_all_references()
    rewriter.erase(softmax)
    return [op for op in (*forward, *ops) if op is not softmax and isinstance(op, g.GraphOp)]


def _recomputed_forward(
    readers: Collection[g.GraphOp], forward: Collection[g.GraphOp], scores: Scores
) -> list[g.GraphOp]:
    """Copies of the ops that compute the forward scores and weights read by `readers`, from q, k and values with one
    element per row. The copies are inserted before the first reader, and the readers are changed to use them."""
    inside = set(forward)

    def scores_of(op: g.GraphOp) -> list[g.GraphOp]:
        makers = (made_by(value, g.GraphOp) for value in op.operands if scores.holds(value))
        return [maker for maker in makers if maker is not None and maker in inside]

    needed = list(dict.fromkeys(maker for op in readers for maker in scores_of(op)))
    for op in needed:
        needed += [maker for maker in dict.fromkeys(scores_of(op)) if maker not in needed]
    rewriter = rewriter_at(in_order(op for op in readers if scores_of(op))[0])
    copies: dict[SSAValue, SSAValue] = {}
    recomputed: list[g.GraphOp] = []
    for op in in_order(needed):
        recomputed.append(copy := located(op.clone(value_mapper=copies), op))
        rewriter.insert(copy)
    for op in readers:
        op.operands = [copies.get(value, value) for value in op.operands]
        rewriter.notify_op_modified(op)
    return recomputed


def _alive(ops: list[g.GraphOp]) -> list[g.GraphOp]:
    """Erase the unused ops among `ops`, and return all others."""
    ops = in_order(ops)
    for op in reversed(ops):
        if op.results[0].first_use is None:
            rewriter_at(op).erase(op)
    return [op for op in ops if op.parent is not None]


def _with_moves(ops: list[g.GraphOp]) -> list[g.GraphOp]:
    """The ops of a kernel, together with the ops that move or convert elements of operands and results of its products.
    Ops that move operands are copied, since they may have other readers."""
    inside, copies, moves = set[Operation](ops), dict[SSAValue, SSAValue](), list[g.GraphOp]()
    for product in in_order([op for op in ops if isinstance(op, g.MatmulOp)]):
        rewriter = rewriter_at(product)
        for index, value in enumerate(product.operands):
            way = [] if value.owner in inside else [*movers(value, is_move, product)]
            while way and isinstance(way[-1], g.ReshapeOp):
                way.pop()  # a view of a value from outside
            for op in reversed(way):
                if op.results[0] not in copies:
                    rewriter.insert(copy := located(op.clone(value_mapper=copies), op))
                    copies[op.results[0]] = copy.results[0]
                    moves.append(copy)
            product.operands[index] = copies.get(value, value)
            for op in way:
                if op.results[0].first_use is None:
                    rewriter_at(op).erase(op)
        moves += moved_after(product, _is_moved_after)
    return [*moves, *ops]


def in_order(ops: Iterable[OpT]) -> list[OpT]:
    """Sort ops of one block by program order."""
    ops = list(ops)
    block = ops[0].parent
    assert block is not None
    place = {op: index for index, op in enumerate(block.ops)}
    return sorted(ops, key=place.__getitem__)


def is_move(op: Operation | Block) -> bool:
    """True for an op that a kernel can perform while loading an operand: it moves elements or widens them."""
    return widens(op) or isinstance(op, g.ReshapeOp | g.TransposeOp | g.SliceOp)


def _is_moved_after(op: Operation | Block) -> bool:
    """True for an op that a kernel can perform while storing a result: it moves elements or rounds them."""
    if isinstance(op, g.CastOp):
        return wide_element(element_of(op.y)) == element_of(op.x) != element_of(op.y)
    return isinstance(op, g.ReshapeOp | g.TransposeOp)


def _count(value: SSAValue) -> int:
    return element_count(g.tensor_of(value))

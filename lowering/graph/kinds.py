"""Words for groups of ops with a known purpose: an optimiser's update, a norm in training, a gradient, the random
numbers of threefry.

Groups of optimisers and of threefry are formed first, so that no other kernel absorbs a part of them. All other groups
are formed by the general rules (lowering/graph/multi_output.py), and get a word here if the pattern that they compute
has one; gradients are recognised by the forward group whose intermediate results they read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeGuard

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from dialects import graph as g
from dialects.element_types import element_count
from dialects.graph.op import PLACED
from dialects.graph.patterns.matching import is_ahead_of_time, made_by, splat
from lowering.graph.attention import attention_groups
from lowering.graph.convolutions import gradient_groups
from lowering.graph.grouping import KernelGroup
from lowering.graph.layers.experts import expert_groups
from lowering.graph.layers.scaled import scaled_groups
from lowering.graph.rules.activations import either_way, gelu_of
from lowering.graph.rules.gradients import powers, softmax_gradient
from lowering.graph.rules.norms import mean_square, root

KINDS = {
    "adam": "the update of a parameter and both of its moments: p - η m / (√v + ε), in mixed precision, with decay",
    "sgd_momentum": "the update of a parameter and its momentum: v = μ v + g, p - η v",
    "softmax": "a softmax with its exponentials or sums as additional results",
    "softmax_grad": "(dy - Σ dy·y) y along rows, with what follows element by element",
    "log_softmax": "x - max - log Σ exp, with the maximum and the sum as results",
    "log_softmax_grad": "dy - softmax(x) Σ dy",
    "cross_entropy": "a log_softmax of which only picked elements are read",
    "cross_entropy_grad": "the gradient of a cross_entropy",
    "layer_norm": "a layer norm with its statistics as additional results",
    "layer_norm_grad": "the gradient of a layer norm by its input: sums along rows",
    "layer_norm_grad_weights": "the gradient of a layer norm by scale and bias: sums across rows",
    "rms_norm": "an RMS norm with its statistics as additional results",
    "rms_norm_grad": "the gradient of an RMS norm by its input",
    "rms_norm_grad_weights": "the gradient of an RMS norm by its scale",
    "batch_norm_stats": "means or variances of channels over a batch",
    "batch_norm": "a normalisation by statistics over a batch, with scale and shift",
    "batch_norm_grad_stats": "sums over a batch for the gradients of a batch norm",
    "batch_norm_grad": "the gradient of a batch norm by its input",
    "gelu": "a GELU with intermediate values, needed for its gradient, as additional results",
    "gelu_grad": "the gradient of a GELU",
    "conv_backward_data": "the gradient of a convolution by its input",
    "conv_backward_weight": "the gradient of a convolution by its filters",
    "attention": "softmax(q · kᵀ · scale + mask) · v with row maxima and sums as results; weights are not stored",
    "attention_grad": "the gradients of an attention, from weights recomputed from q, k, maxima and sums",
    "causal_attention": "an attention in which each query sees only the keys up to its own position",
    "causal_attention_grad": "the gradients of a causal attention",
    "experts": "a layer of experts: the choice of experts, both products, the activation, and the weighted sums",
    "scaled_product": "a product of small floats that scales its first factor from 16 bits, and its result back",
    "dropout": "elements kept by random numbers, and scaled",
    "threefry": "random numbers by Threefry-2x32 (Salmon et al., 2011)",
}
"""All words for groups with a known purpose, each with its meaning."""


def known_groups(block: Block, without: Collection[str]) -> list[KernelGroup]:
    """The groups that are formed before the general rules: parameter updates, random numbers, convolution gradients,
    attentions, layers of experts and scaled products of a block."""
    found: list[KernelGroup] = []
    taken = set[Operation]()
    gradients = [(kind, ops) for kind, ops in gradient_groups(block) if kind not in without]
    candidates = (
        *gradients,
        *_optimisers(block, {op for _, ops in gradients for op in ops}),
        *(("threefry", ops) for ops in _threefry(block)),
        *(() if "attention" in without else attention_groups(block, without)),
        *expert_groups(block),
        *scaled_groups(block),
    )
    place = {op: index for index, op in enumerate(block.ops)}  # including copied ops
    for kind, ops in candidates:
        if kind in without or taken & set(ops) or not _is_convex(ops, place) or not _have_one_mark(ops):
            continue
        taken.update(ops)
        ordered = sorted(ops, key=place.__getitem__)
        found.append(KernelGroup(ordered[-1], ordered, kind=kind))
    return found


def _have_one_mark(ops: Iterable[Operation]) -> bool:
    """True if all ops are marked for the same device, or none is marked: a kernel runs on one device. Marks of ops that
    are computed ahead of time have no effect."""
    return (
        len({op.attributes.get(PLACED) for op in ops}) == 1
        or len({op.attributes.get(PLACED) for op in ops if not is_ahead_of_time(op.results[0])}) == 1
    )


def _is_convex(ops: Collection[Operation], place: Mapping[Operation, int]) -> bool:
    """True if no path leads from an op of `ops` through an op outside of `ops` back to an op of `ops`."""
    inside, last = set(ops), max(map(place.__getitem__, ops))
    pending = [user for op in ops for user in _users(op) if user not in inside]
    met = set(pending)
    for op in pending:
        if place.get(op, last) >= last:
            continue
        following = _users(op)
        if not inside.isdisjoint(following):
            return False
        pending += [user for user in following if user not in met]
        met.update(following)
    return True


# Random numbers.


def _threefry(block: Block) -> Iterator[list[g.GraphOp]]:
    """Groups of connected ops on unsigned integers with at least 20 rotations by the distances of Threefry-2x32."""
    taken = set[Operation]()
    for op in block.ops:
        if op in taken or not _is_rotation(op):
            continue
        pending: list[g.GraphOp] = [op]
        met = set[Operation](pending)
        for each in pending:
            around = (*(value.owner for value in each.operands), *_users(each))
            near = [other for other in dict.fromkeys(around) if _mixes(other, op.y) and other not in met]
            met.update(near)
            pending += near
        taken |= met
        if sum(map(_is_rotation, pending)) >= _ROUNDS:
            yield pending


_ROUNDS = 20
_ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)


def _is_rotation(op: Operation) -> TypeGuard[g.OrOp]:
    if not isinstance(op, g.OrOp):
        return False
    left, right = (made_by(value, g.ShiftOp) for value in op.operands)
    if left is None or right is None or left.a is not right.a:
        return False
    by, back = splat(left.b), splat(right.b)
    return by in _ROTATIONS and back is not None and by + back == 32  # pyright: ignore[reportOperatorIssue]


def _mixes(op: Operation | Block, like: SSAValue) -> TypeGuard[g.GraphOp]:
    return isinstance(op, g.AddOp | g.XorOp | g.OrOp | g.ShiftOp) and op.results[0].type == like.type


# Optimisers.


def _optimisers(block: Block, others: Collection[Operation]) -> Iterator[tuple[str, list[g.GraphOp]]]:
    """The element-wise ops that compute a result of a block as an update of one of its arguments, each group with the
    word for its kind; the longest updates first. `others`: the ops of other groups."""
    last = block.last_op
    assert last is not None
    ends = (value.owner.update if isinstance(value.owner, g.DynamicUpdateSliceOp) else value for value in last.operands)
    uses: dict[SSAValue, int] = {}
    slices = [(value, ops) for value in dict.fromkeys(ends) if len(ops := _updating(value, last, uses, others)) > 2]
    for value, ops in sorted(slices, key=lambda each: -len(each[1])):
        if _is_adam(ops, last):
            yield "adam", ops
        elif _is_momentum(value, last):
            yield "sgd_momentum", ops


def _updating(
    value: SSAValue, last: Operation, uses: dict[SSAValue, int], others: Collection[Operation]
) -> list[g.GraphOp]:
    """The element-wise ops, and the transposes of their operands, by which a block's result `value` is computed,
    consumers first. An op is included only if each use of its results is by an included op, or as a result of the
    block. `uses`: cache of the numbers of uses of values other than as results."""
    ops: list[g.GraphOp] = []
    met = set[Operation]()
    reads = Counter[SSAValue]()
    pending = [value]
    for each in pending:
        op = each.owner
        if not isinstance(op, g.GraphOp) or op in met or op in others:
            continue
        if not op.FUSION.is_pointwise and not isinstance(op, g.TransposeOp):
            continue
        if each not in uses:
            uses[each] = sum(not _ends(use.operation, last) for use in each.uses)
        if _count(each) != _count(value) or reads[each] < uses[each]:
            continue
        met.add(op)
        ops.append(op)
        reads.update(op.operands)
        pending += [operand for operand in op.operands if operand.owner not in met]
    return ops


def _is_adam(ops: Iterable[g.GraphOp], last: Operation) -> bool:
    """True if an op divides a moving mean by √(moving mean of squares) + ε."""
    for op in ops:
        if not isinstance(op, g.DivOp):
            continue
        add = made_by(_bare(op.b), g.AddOp)
        root = (
            next((r for x, c in either_way(add) if _is_scalar(c) and (r := made_by(_bare(x), g.SqrtOp))), None)
            if add
            else None
        )
        squares = _mixed(root.x, last) if root else None
        mean = _mixed(op.a, last) if squares else None
        if squares and mean and _is_square_of(squares, mean):
            return True
    return False


def _mixed(value: SSAValue, last: Operation) -> SSAValue | None:
    """g if `value` is a·s + b·g times scalar factors, where the sum a·s + b·g is a result of the block and s an
    argument of the block; otherwise None."""
    factors = [factor for factor in powers(_bare(value)).of if not _is_scalar(factor)]
    if len(factors) != 1 or powers(_bare(value)).of[factors[0]] != 1:
        return None
    moving = factors[0]
    add = made_by(_bare(moving), g.AddOp)
    for x, other in either_way(add) if add and _is_returned(moving, last) else ():
        if _is_old(_alone(x)):
            return other
    return None


def _is_square_of(square: SSAValue, x: SSAValue) -> bool:
    """True if, apart from scalar factors, `square` is the square of `x`."""
    once = {factor: power for factor, power in powers(_bare(x)).of.items() if not _is_scalar(factor)}
    twice = {factor: power for factor, power in powers(_bare(square)).of.items() if not _is_scalar(factor)}
    return sum(once.values()) == 1 and twice == {factor: 2 * power for factor, power in once.items()}


def _is_momentum(value: SSAValue, last: Operation) -> bool:
    """True if a parameter changes by a multiple of its momentum a·v + g."""
    op = _bare(value).owner
    if not isinstance(op, g.SubOp | g.AddOp):
        return False
    for parameter, change in either_way(op) if isinstance(op, g.AddOp) else ((op.a, op.b),):
        if _is_old(_bare(parameter)) and _mixed(change, last) is not None:
            return True
    return False


def _bare(value: SSAValue) -> SSAValue:
    """The value at the start of the chain of casts that ends in `value`; `value` itself if no cast computes it."""
    while isinstance(value.owner, g.CastOp):
        value = value.owner.x
    return value


def _alone(value: SSAValue) -> SSAValue | None:
    """x if `value` is x times scalar factors (possibly none); otherwise None."""
    factors = [factor for factor, power in powers(_bare(value)).of.items() if not _is_scalar(factor) and power == 1]
    return _bare(factors[0]) if len(factors) == 1 else None


def _is_returned(value: SSAValue, last: Operation) -> bool:
    return any(_ends(use.operation, last) or isinstance(use.operation, g.CastOp) for use in value.uses)


def _ends(op: Operation, last: Operation) -> bool:
    """True for the terminator of a block, and for an op that writes a slice of a stack which the block returns."""
    if isinstance(op, g.DynamicUpdateSliceOp):
        return all(user is last for user in _users(op))
    return op is last


def _is_old(value: SSAValue | None) -> bool:
    """True for an argument of a block, and for a slice of such an argument that is read in a loop iteration."""
    if value is not None and isinstance(value.owner, g.DynamicSliceOp):
        value = value.owner.x
    return isinstance(value, BlockArgument)


# Names of groups that the general rules made.


def name(groups: Sequence[KernelGroup], without: Collection[str]) -> None:
    """Give each group of a block whose pattern has a word that word; `groups` are in program order."""
    left: dict[SSAValue, frozenset[str]] = {}
    for group in groups:
        read = frozenset[str]().union(*(left.get(value, ()) for op in group.ops for value in op.operands))
        kind = group.kind or _kind(group, read)
        if kind is not None and (group.kind is not None or kind not in without):
            group.kind = kind
        if kind is not None:
            left |= dict.fromkeys(_traces(group, kind), frozenset([kind]))
        elif read and all(op.FUSION.is_pointwise or op.FUSION.is_free for op in group.ops):
            left |= dict.fromkeys(group.results, read)


def _kind(group: KernelGroup, read: Collection[str]) -> str | None:
    """The word for the pattern of a group; None if there is none. `read`: the words of the groups that compute the
    operands of this group."""
    reduced = [op for op in group.ops if isinstance(op, g.ReduceOp)]
    if any(op.along_rows for op in reduced):
        if (found := next((kind for kind in _ROWWISE if kind in read), None)) is not None:
            return f"{found}_grad"
        return _rowwise(group)
    if reduced:
        if (found := next((kind for kind in ("layer_norm", "rms_norm") if kind in read), None)) is not None:
            return f"{found}_grad_weights"
        if "batch_norm_stats" in read and not _is_variance(reduced):
            return "batch_norm_grad_stats"
        return "batch_norm_stats" if _is_variance(reduced) or _is_mean(reduced) else None
    if "gelu" in read:
        return "gelu_grad"
    if "batch_norm_grad_stats" in read or "batch_norm_stats" in read:
        sizes = {_count(value) for op in group.ops for value in op.operands} - {1}
        if sizes and max(_count(op.results[0]) for op in group.ops) > min(sizes):  # it broadcasts them over a batch
            return "batch_norm_grad" if "batch_norm_grad_stats" in read else "batch_norm"
    if any(_is_gelu(op) for op in group.ops):
        return "gelu"
    if "threefry" in read and any(isinstance(op, g.SelectOp) for op in group.ops):
        return "dropout"
    return None


_ROWWISE = ("cross_entropy", "log_softmax", "softmax", "layer_norm", "rms_norm")


def _traces(group: KernelGroup, kind: str) -> list[SSAValue]:
    """The results of a group of kind `kind` by which its gradient is recognised: a group that reads one of them is that
    gradient if its ops match."""
    results = group.results
    if kind in _ROWWISE:
        kept = min(_count(value) for op in group.ops if isinstance(op, g.ReduceOp) for value in op.results)
        return [value for value in results if _count(value) == kept]
    if kind == "gelu":
        return [value for value in results if not _is_gelu(value.owner)]
    return results if kind in ("threefry", "batch_norm_stats", "batch_norm_grad_stats") else []


def _rowwise(group: KernelGroup) -> str | None:
    inside = set[Operation](group.ops)
    for op in group.ops:
        if isinstance(op, g.MulOp | g.DivOp) and (x := normed(op, inside)) is not None:
            return "layer_norm" if _is_centred(x) else "rms_norm"
        if isinstance(op, g.LogOp) and _is_sum_of_exponentials(op.x, inside):
            return "cross_entropy" if _is_picked_from(op) else "log_softmax"
        if isinstance(op, g.DivOp) and isinstance(op.a.owner, g.ExpOp) and _is_sum_of_exponentials(op.b, inside):
            return "softmax"
        if isinstance(op, g.MulOp) and _is_softmax_grad(op):
            return "softmax_grad"
    return None


def normed(op: g.MulOp | g.DivOp, inside: Collection[Operation]) -> SSAValue | None:
    """x if an op computes x / √(mean x² + ε) and all ops of this formula are in `inside`; otherwise None."""
    for x, other in either_way(op) if isinstance(op, g.MulOp) else ((op.a, op.b),):
        found = root(other) if isinstance(op, g.MulOp) else (made.x, ()) if (made := made_by(other, g.SqrtOp)) else None
        mean = mean_square(found[0]) if found else None
        if mean and mean.x is x and all(each in inside for each in mean.ops):
            return x
    return None


def _is_picked_from(log: g.LogOp) -> bool:
    """True if the result of a logarithm is subtracted from values, and only gathers read the differences (as in a
    cross-entropy loss)."""
    less = [
        op for value in (log.y, *(op.y for op in _users(log) if isinstance(op, g.ReshapeOp))) for op in _read_by(value)
    ]
    readers = [reader for op in less if isinstance(op, g.SubOp) for reader in _users(op)]
    return bool(readers) and all(isinstance(op, g.GatherNdOp | g.GatherElementsOp | g.GatherOp) for op in readers)


def _read_by(value: SSAValue) -> list[Operation]:
    return [use.operation for use in value.uses]


def _is_centred(x: SSAValue) -> bool:
    sub = made_by(x, g.SubOp)
    mean = made_by(sub.b, g.ReduceOp) if sub else None
    return sub is not None and mean is not None and mean.kind.data == "mean" and mean.x is sub.a


def _is_sum_of_exponentials(value: SSAValue, inside: Collection[Operation]) -> bool:
    """True if a value is Σ exp(x - max x) along rows, computed by ops in `inside`."""
    total = made_by(_unshaped(value), g.ReduceOp)
    e = made_by(total.x, g.ExpOp) if total and total.kind.data == "sum" else None
    shifted = made_by(e.x, g.SubOp) if e else None
    largest = made_by(_unshaped(shifted.b), g.ReduceOp) if shifted else None
    if total is None or shifted is None or largest is None or not {total, largest} <= set(inside):
        return False
    return (largest.kind.data, largest.x, largest.axis_set()) == ("max", shifted.a, total.axis_set())


def _is_softmax_grad(op: g.MulOp) -> bool:
    """True if an op computes (dy - Σ dy·y) y for the result y of a softmax, or the same formula with a quotient e / s
    instead of y."""
    if softmax_gradient(op) is not None:
        return True
    for difference, y in either_way(op):
        sub, softmax = made_by(difference, g.SubOp), made_by(_bare(y), g.SoftmaxOp)
        total = made_by(sub.b, g.ReduceOp) if sub else None
        product = made_by(total.x, g.MulOp) if total and total.kind.data == "sum" else None
        if sub is None or softmax is None or total is None or product is None:
            continue
        axis = softmax.axis.value.data % len(g.shape_of(softmax.x))
        if total.axis_set() == (axis,) and {product.a, product.b} == {sub.a, y}:
            return True
    return False


def _is_variance(reduced: Iterable[g.ReduceOp]) -> bool:
    """True if a group sums (x - mean x)² over a batch, or sums both x² and x."""
    return any(_mean_taken_off(op) is not None or _is_summed(op, squared=True) for op in reduced)


def _is_summed(op: g.ReduceOp, squared: bool) -> bool:
    """True if an op sums x² and another op sums x over the same axes. `squared`: True if `op` is the op that sums x²,
    False if it is the op that sums x."""
    of = _squared(op.x) if squared else op.x
    if of is None or op.kind.data not in ("sum", "mean"):
        return False
    alike = [of, _bare(of), *(each.y for each in _read_by(_bare(of)) if isinstance(each, g.CastOp))]
    readers = [user for value in dict.fromkeys(alike) for user in _read_by(value)]
    if not squared:
        readers = [user for each in readers if isinstance(each, g.MulOp) and _squared(each.y) for user in _users(each)]
    return any(isinstance(each, g.ReduceOp) and each is not op and each.axis_set() == op.axis_set() for each in readers)


def _squared(value: SSAValue) -> SSAValue | None:
    """x if a value is x²; otherwise None."""
    square = made_by(value, g.MulOp)
    return square.a if square and square.a is square.b else None


def _mean_taken_off(op: g.ReduceOp) -> g.ReduceOp | None:
    """The reduction that computes the mean of x, if an op sums (x - mean x)² over the same axes; otherwise None."""
    square = _squared(op.x)
    sub = made_by(square, g.SubOp) if square else None
    for factor in powers(_unshaped(sub.b)).of if sub else ():
        mean = made_by(_unshaped(factor), g.ReduceOp)
        if mean and sub and mean.x is sub.a and mean.axis_set() == op.axis_set() and op.kind.data in ("sum", "mean"):
            return mean
    return None


def _is_mean(reduced: Iterable[g.ReduceOp]) -> bool:
    """True if one of the sums over a batch is the mean of x that is subtracted to compute a variance."""
    for op in reduced:
        if _is_summed(op, squared=False):
            return True
        readers = [use.operation for use in op.x.uses]
        for sub in readers:
            if isinstance(sub, g.SubOp):
                for square in _users(sub):
                    if any(isinstance(each, g.ReduceOp) and _mean_taken_off(each) is op for each in _users(square)):
                        return True
    return False


def _unshaped(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, g.ReshapeOp):
        value = value.owner.x
    return value


def _is_gelu(op: Operation | Block) -> bool:
    """True if an op computes x · ½ · (1 + erf(x / √2)) or its tanh approximation; intermediate values may have other
    readers."""
    return isinstance(op, g.MulOp) and gelu_of(op, shared=True) is not None


def _users(op: Operation) -> list[Operation]:
    return [use.operation for result in op.results for use in result.uses]


def _is_scalar(value: SSAValue) -> bool:
    return _count(value) == 1


def _count(value: SSAValue) -> int:
    return element_count(g.tensor_of(value))

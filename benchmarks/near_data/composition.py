"""Time of a training step on a GPU alone, by category of kernels (its composition)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dialects import graph as g
from dialects.element_types import element_count
from interp.kinds.clock import Clock
from interp.walk.entry import ahead_of_time, block_of, changed_states, is_contraction
from interp.walk.views import is_view

PRODUCTS, OPTIMIZER, SOFTMAX, NORMS, OTHERS = "products", "optimizer", "softmax", "norms", "others"
CATEGORIES = PRODUCTS, OPTIMIZER, SOFTMAX, NORMS, OTHERS
STORED: Mapping[str, Mapping[str, float]] = {
    "bert_large": {PRODUCTS: 0.433122, OPTIMIZER: 0.207950, SOFTMAX: 0.181418, NORMS: 0.052274, OTHERS: 0.125235},
    "bert_base": {PRODUCTS: 493121696 / 1042094704, SOFTMAX: 219189390 / 1042094704, NORMS: 78653439 / 1042094704},
}
"""Published fractions of the time on the GPU alone, by category; softmax and norms include their dropout.

The fractions are stored in JueonPark/tracegen (BERT-large, 24 encoders) and JueonPark/HLO_breakdown (BERT-base, 12
layers, batch 16).
"""


class Composition(NamedTuple):
    """Times of a training step on a GPU alone by category of kernels, ns.

    `random`: the time of random numbers and of masks made from them; `cast`: the time of conversions of f32 master
    weights to f16. Both times are also part of `ns`.
    """

    ns: Mapping[str, float]
    random: float
    cast: float

    @property
    def total(self) -> float:
        return sum(self.ns.values())

    def fraction(self, category: str) -> float:
        return self.ns[category] / self.total


def composition(function: FuncOp, clock: Clock) -> Composition:
    """Return the composition of a fused step's time on a machine's primary device.

    The time of the matrix products in a fused kernel counts as time of products, the remaining time of the kernel for
    the category of its other ops. As in the stored tables, random numbers and dropout count as softmax or norm if they
    have as many elements as a softmax or a layer norm.
    """
    block, primary = block_of(function), clock.machine.primary
    early, kept = ahead_of_time(block), _state(function)
    kernels = [op for op in block.ops if isinstance(op, g.GraphOp | g.FusedOp) and op not in early]
    kernels = [op for op in kernels if not is_view(op, early)]
    clock.prepare(kernels, primary)
    sizes = {_largest(op): _named(op) for op in kernels if _named(op) == NORMS}
    sizes |= {_largest(op): SOFTMAX for op in kernels if _named(op) == SOFTMAX}
    ns: dict[str, float] = defaultdict(float, dict.fromkeys(CATEGORIES, 0.0))
    drawn, random, cast = set[SSAValue](), 0.0, 0.0
    for op in block.ops:
        is_drawn = _draws(op, drawn, early)
        if is_drawn:
            drawn.update(op.results)
        if op not in early and isinstance(op, g.GraphOp | g.FusedOp) and not is_view(op, early):
            total = clock.op_cost(op, primary).ns
            product = min(total, sum(clock.op_cost(each, primary).ns for each in _products(op)))
            if _is_gradient(op):
                product = total
            ns[PRODUCTS] += product
            is_dropout = is_drawn or (isinstance(op, g.FusedOp) and op.kind is not None and op.kind.data == "dropout")
            if is_dropout:
                category = sizes.get(_largest(op), OTHERS)
            elif any(result in kept for result in op.results):
                category = OPTIMIZER
            else:
                category = _named(op)
            ns[category] += total - product
            random += total if is_drawn else 0.0
            cast += total if isinstance(op, g.CastOp) and op.x in block.args else 0.0
    return Composition(dict(ns), random, cast)


def _products(op: Operation) -> list[Operation]:
    """Return the matrix products and convolutions in a kernel."""
    return [each for each in (op.ops if isinstance(op, g.FusedOp) else (op,)) if is_contraction(each)]


def _is_gradient(op: Operation) -> bool:
    """Return True for the gradient of a convolution, which is one kernel."""
    return isinstance(op, g.FusedOp) and op.kind is not None and op.kind.data.startswith("conv_backward")


def _state(function: FuncOp) -> set[SSAValue]:
    """Return the results that reuse the memory of donated arguments: master weights, moments, statistics."""
    block = block_of(function)
    last = block.last_op
    assert last is not None
    found = {last.operands[number] for number in changed_states(function).values() if number is not None}
    for value in list(found):
        while isinstance(value.owner, g.ReshapeOp):
            found.add(value := value.owner.x)
    return found


def _draws(op: Operation, drawn: Collection[SSAValue], early: Collection[Operation]) -> bool:
    """Return True if a kernel draws random numbers, or is computed from random numbers only: all of its operands are in
    `drawn`, not counting results of the ops `early`, which are computed ahead of time."""
    if isinstance(op, g.FusedOp) and op.kind is not None and op.kind.data == "threefry":
        return True
    made = [value for value in op.operands if not (isinstance(value.owner, Operation) and value.owner in early)]
    return bool(made) and all(value in drawn for value in made)


def _named(op: g.GraphOp | g.FusedOp) -> str:
    """Return the category of a kernel by its kind."""
    kind = op.kind.data if isinstance(op, g.FusedOp) and op.kind is not None else ""
    if kind.startswith("softmax") or isinstance(op, g.SoftmaxOp):
        return SOFTMAX
    return NORMS if kind.startswith(("layer_norm", "batch_norm")) or isinstance(op, g.LayerNormOp) else OTHERS


def _largest(op: Operation) -> int:
    """Return the number of elements of an op's largest result."""
    return max((element_count(g.tensor_of(value)) for value in op.results), default=0)

"""Constant folding: what depends on small constants alone is computed now, by the interpreter's own arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation, SSAValue

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import dtype_of, element_count
from dialects.graph.constant import LITERAL_LIMIT, Array, ConstantOp, NumbersAttr
from dialects.graph.patterns.matching import numbers, repeated
from dialects.graph.rules import Replacement, RuleBuilder, Table
from lowering.limits import LIMITS

_SameElements = g.ReshapeOp | g.BroadcastOp | g.TransposeOp | g.SliceOp | g.ConcatOp


class Folding:
    """Folds ops whose operands are known; a result too large for a constant is kept aside for what follows from it."""

    def __init__(self) -> None:
        self.known: dict[SSAValue, Array] = {}
        self.turns: dict[SSAValue, Array | None] = {}
        """Of scalars that depend on the counter of a loop alone: one number a turn, or one for all."""

    def rules(self, module: Operation) -> Table:
        """One entry an op class of the graph level, and of plugins' ops that a program has."""
        classes = dict.fromkeys((*g.Graph.operations, *map(type, module.walk())))
        return tuple((op_class, self.fold) for op_class in classes if issubclass(op_class, g.GraphOp))

    def fold(self, op: g.GraphOp, new: RuleBuilder) -> Replacement:
        """op(constants) = constant; op(counter of a loop) = constant or counter, where it is that in all turns"""
        if (value := self.value_of(op)) is not None:
            return new(ConstantOp(value))
        loop = op.parent_op()
        if (
            not op.operands
            or not isinstance(loop, g.RepeatOp)
            or (turns := self._in_turns(op.results[0], loop)) is None
        ):
            return None
        if turns.size and (turns == turns[0]).all():
            return new(ConstantOp(turns[0]))
        same = op.results[0].type == loop.counter.type and (turns == loop.counted).all()
        return loop.counter if same else None

    def _in_turns(self, value: SSAValue, loop: g.RepeatOp) -> Array | None:
        """A scalar in each turn of a loop, where it depends on the counter and constants alone."""
        if value not in self.turns:
            self.turns[value] = None
            owner, here = value.owner, loop.body.block
            if value is loop.counter:
                most = LIMITS.folded_elements
                self.turns[value] = np.array(loop.counted, np.int32) if loop.turns <= most else None
            elif isinstance(owner, ConstantOp) and not g.shape_of(value):
                self.turns[value] = owner.value.array()[None]
            elif isinstance(owner, g.ElementwiseOp) and owner.parent is here and not g.shape_of(value):
                operands = [self._in_turns(operand, loop) for operand in owner.operands]
                known = [each for each in operands if each is not None]
                self.turns[value] = _evaluated(owner, known) if len(known) == len(operands) else None
        return self.turns[value]

    def value_of(self, op: g.GraphOp) -> NumbersAttr | None:
        """The constant that `op` stands for, if its operands are known and the numbers few."""
        for operand in op.operands:
            if not (isinstance(operand.owner, ConstantOp) or operand in self.known):
                return None
        if not op.operands or op.results[0] in self.known or g.is_overwritten(op):
            return None
        known = [array for operand in op.operands if (array := self._numbers(operand)) is not None]
        if (value := self._repeated(op, known)) is not None:
            return value
        if element_count(g.tensor_of(op.results[0])) > LIMITS.folded_elements or op.work().flops > LIMITS.folded_flops:
            return None
        if max(array.size for array in known) > LIMITS.folded_elements or (result := _evaluated(op, known)) is None:
            return None
        value = NumbersAttr.of(result)
        if value.is_splat or result.size <= LITERAL_LIMIT:
            return value
        self.known[op.results[0]] = result
        return None

    def _numbers(self, value: SSAValue) -> Array | None:
        return numbers(value) if (array := self.known.get(value)) is None else array

    def _repeated(self, op: g.GraphOp, operands: Sequence[Array]) -> NumbersAttr | None:
        """The constant that one evaluation of single elements gives, where each operand repeats one element."""
        ones = [_one(operand) for operand in op.operands]
        if any(one is None for one in ones) or 0 in g.shape_of(op.results[0]):
            return None
        first = ones[0]
        assert first is not None
        if isinstance(op, _SameElements):
            alike = all(one is not None and one.tobytes() == first.tobytes() for one in ones)
            return repeated(first, g.tensor_of(op.results[0])) if alike else None
        if isinstance(op, g.ElementwiseOp):
            rank = len(g.shape_of(op.results[0]))
            result = _evaluated(op, [one.reshape((1,) * rank) for one in ones if one is not None])
            return None if result is None else repeated(result, g.tensor_of(op.results[0]))
        return None


def known_elements(value: SSAValue, known: dict[SSAValue, Array | None] | None = None) -> Array | None:
    """The elements of a value that a few ops, element by element or moving them, make of constants and literals alone,
    of at most `LIMITS.mask_elements` each; None for any other value. `known`: the values that were asked for
    already."""
    known = {} if known is None else known
    if value not in known:
        known[value] = numbers(value)
        op, few = (
            value.owner,
            len(known) <= LIMITS.mask_ops and element_count(g.tensor_of(value)) <= LIMITS.mask_elements,
        )
        if few and isinstance(op, g.WeightOp):
            known[value] = _of_literal(op)
        if few and isinstance(op, g.ElementwiseOp | _SameElements):
            operands = [array for operand in op.operands if (array := known_elements(operand, known)) is not None]
            known[value] = _evaluated(op, operands) if op.operands and len(operands) == len(op.operands) else None
    return known[value]


def _of_literal(op: g.WeightOp) -> Array | None:
    """The elements of a literal of the program, which is too large for a constant; None for a weight that is none."""
    from interp.program.weights import weight_array

    if not isinstance(op.source, g.LiteralAttr | g.HeldAttr):
        return None
    try:
        return weight_array(op)
    except InputError:
        return None  # it is missing: the run will say so, at this place


def _one(value: SSAValue) -> Array | None:
    """The element that a constant repeats, as a scalar array."""
    if not isinstance(owner := value.owner, ConstantOp) or not owner.value.is_splat:
        return None
    return np.frombuffer(owner.value.data.data, dtype_of(owner.value.tensor.element_type)).reshape(())


def _evaluated(op: Operation, operands: Sequence[Array]) -> Array | None:
    from interp.numerics import evaluate  # numpy's share of start-up is paid only where there is something to compute

    try:
        with np.errstate(all="ignore"):
            return evaluate(op, operands)[0]
    except InputError:
        return None  # an index out of range: the run will say so, at this place

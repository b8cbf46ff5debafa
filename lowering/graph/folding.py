"""Constant folding: ops whose operands are all small constants are evaluated with the interpreter's arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation, SSAValue

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import dtype_of, element_count
from dialects.graph.constant import LITERAL_LIMIT, Array, ConstantOp, NumbersAttr
from dialects.graph.fused import expands
from dialects.graph.patterns.matching import numbers, repeated
from dialects.graph.rules import Replacement, RuleBuilder, Table

FOLDED_ELEMENTS = 1 << 16
"""Elements of the largest intermediate array that is computed to fold ops into a small constant."""
FOLDED_FLOPS = 1 << 22
"""Floating-point operations, at most, that are spent on folding one op into a constant."""
MASK_ELEMENTS = 1 << 24
"""Elements of the largest array that is computed to determine the keys hidden by an attention's mask."""
MASK_OPS = 64
"""Values, at most, that are computed to determine a mask."""

_SameElements = g.ReshapeOp | g.BroadcastOp | g.TransposeOp | g.SliceOp | g.ConcatOp


class Folding:
    """Folding of ops with known operands. A folded result that has too many elements for a constant op is kept in
    memory only, to fold the ops that read it."""

    def __init__(self) -> None:
        self.known: dict[SSAValue, Array] = {}
        self.counter_values: dict[SSAValue, Array | None] = {}
        """The values of scalars that depend only on a loop counter: one number per iteration, or one for all."""

    def rules(self, module: Operation) -> Table:
        """The rewrite rules of folding: one entry per op class of the graph level, and per class of plugin ops in the
        program."""
        classes = dict.fromkeys((*g.Graph.operations, *map(type, module.walk())))
        return tuple((op_class, self.fold) for op_class in classes if issubclass(op_class, g.GraphOp))

    def fold(self, op: g.GraphOp, new: RuleBuilder) -> Replacement:
        """Replace an op on constants by a constant. Replace an op computed from a loop's counter by a constant if its
        values in all iterations are equal, and by the counter if its value in each iteration is that of the counter."""
        if (value := self.value_of(op)) is not None:
            return new(ConstantOp(value))
        loop = op.parent_op()
        if (
            not op.operands
            or not isinstance(loop, g.RepeatOp)
            or (counter_values := self._counter_values(op.results[0], loop)) is None
        ):
            return None
        if counter_values.size and (counter_values == counter_values[0]).all():
            return new(ConstantOp(counter_values[0]))
        same = op.results[0].type == loop.counter.type and (counter_values == loop.counted).all()
        return loop.counter if same else None

    def _counter_values(self, value: SSAValue, loop: g.RepeatOp) -> Array | None:
        """The values of a scalar in each iteration of a loop, if it depends only on the counter and constants;
        otherwise None."""
        known, here = self.counter_values, loop.body.block
        waiting = [value]
        while waiting:
            each, owner = waiting[-1], waiting[-1].owner
            is_scalar = not g.shape_of(each)
            is_computed = isinstance(owner, g.ElementwiseOp) and owner.parent is here and is_scalar
            operands = owner.operands if isinstance(owner, g.ElementwiseOp) and is_computed else ()
            if each not in known and (missing := [operand for operand in operands if operand not in known]):
                waiting += missing
                continue
            waiting.pop()
            if each in known:
                continue
            known[each] = None
            if each is loop.counter:
                most = FOLDED_ELEMENTS
                known[each] = np.array(loop.counted, np.int32) if loop.iterations <= most else None
            elif isinstance(owner, ConstantOp) and is_scalar:
                known[each] = owner.value.array()[None]
            elif isinstance(owner, g.ElementwiseOp) and is_computed:
                arrays = [array for operand in operands if (array := known[operand]) is not None]
                known[each] = _evaluated(owner, arrays) if len(arrays) == len(operands) else None
        return known[value]

    def value_of(self, op: g.GraphOp) -> NumbersAttr | None:
        """The value of `op` as a constant, if its operands are known and it has few elements; otherwise None. A matrix
        of quantized weights stays one."""
        for operand in op.operands:
            if not (isinstance(operand.owner, ConstantOp) or operand in self.known):
                return None
        if not op.operands or op.results[0] in self.known or g.is_overwritten(op) or isinstance(op, g.OpaqueOp):
            return None
        if expands(op) and len(g.shape_of(op.results[0])) > 1:
            return None
        known = [array for operand in op.operands if (array := self._numbers(operand)) is not None]
        if (value := self._repeated(op, known)) is not None:
            return value
        if element_count(g.tensor_of(op.results[0])) > FOLDED_ELEMENTS or op.work().flops > FOLDED_FLOPS:
            return None
        if max(array.size for array in known) > FOLDED_ELEMENTS or (result := _evaluated(op, known)) is None:
            return None
        value = NumbersAttr.of(result)
        if value.is_splat or result.size <= LITERAL_LIMIT:
            return value
        self.known[op.results[0]] = result
        return None

    def _numbers(self, value: SSAValue) -> Array | None:
        return numbers(value) if (array := self.known.get(value)) is None else array

    def _repeated(self, op: g.GraphOp, operands: Sequence[Array]) -> NumbersAttr | None:
        """The value of `op` if each operand repeats one element: computed from single elements; otherwise None."""
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
    """The elements of a value that at most `MASK_OPS` element-wise or data-movement ops compute from constants
    and listed weights alone; None for any other value, and if a value in between has more than `MASK_ELEMENTS`
    elements. `known`: cache of earlier results."""
    known = {} if known is None else known
    if value not in known:
        known[value] = numbers(value)
        op, few = (
            value.owner,
            len(known) <= MASK_OPS and element_count(g.tensor_of(value)) <= MASK_ELEMENTS,
        )
        if few and isinstance(op, g.WeightOp):
            known[value] = _of_literal(op)
        if few and isinstance(op, g.ElementwiseOp | _SameElements):
            operands = [array for operand in op.operands if (array := known_elements(operand, known)) is not None]
            known[value] = _evaluated(op, operands) if op.operands and len(operands) == len(op.operands) else None
    return known[value]


def _of_literal(op: g.WeightOp) -> Array | None:
    """The elements of a weight that the program's text lists (too many for a constant op), or its ONNX file; None for
    other weights."""
    from interp.numerics.weights import weight_array

    if not isinstance(op.source, g.LiteralAttr | g.HeldAttr | g.OnnxAttr):
        return None
    try:
        return weight_array(op)
    except InputError:
        return None  # the file is missing: the run reports it at this op


def _one(value: SSAValue) -> Array | None:
    """The element that a constant repeats, as a scalar array; None for a value that is no constant with equal
    elements."""
    if not isinstance(owner := value.owner, ConstantOp) or not owner.value.is_splat:
        return None
    return np.frombuffer(owner.value.data.data, dtype_of(owner.value.tensor.element_type)).reshape(())


def _evaluated(op: Operation, operands: Sequence[Array]) -> Array | None:
    from interp.numerics import evaluate  # import numpy only if there is something to compute

    try:
        with np.errstate(all="ignore"):
            return evaluate(op, operands)[0]
    except InputError:
        return None  # an index is out of range: the run reports it at this op

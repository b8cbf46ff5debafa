"""Numerics: the computation of each graph op, in numpy.

f16 and bf16 tensors are stored in that type, computed in f32, and rounded once per op; products are accumulated in f32,
sums of reductions in f64; f64 stays f64; integers wrap; the quotient and the mean of integers truncate towards zero,
and a quotient by zero is 0. Integer results are the same on all processors; floating-point results may differ in their
last digits.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
from xdsl.ir import Operation, OpResult, SSAValue

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import byte_count, dtype_of
from interp.numerics import (
    contraction,
    convolution,
    elementwise,
    experts,
    indexing,
    movement,
    opaque,
    pooling,
    quantized,
    reduction,
)
from interp.numerics.host_memory import memory_bytes
from interp.numerics.meaning import Elementwise, meaning
from interp.numerics.rounding import Array

BUILT_IN_MODULES = (
    *(contraction, convolution, elementwise, experts, indexing, movement, opaque, pooling, quantized),
    reduction,
)
"""The modules that define the built-in ops."""


@meaning.of(g.ConstantOp)
def constant(op: g.ConstantOp) -> Array:
    return op.value.array()


@meaning.of(g.WeightOp)
def weight(op: g.WeightOp) -> Array:
    from interp.numerics.weights import weight_array

    return weight_array(op)


def evaluate(op: Operation, operands: Sequence[Array], reuse: Collection[int] = ()) -> list[Array]:
    """The results of a graph op or `graph.fused`, one array per result, of the result's shape and element type.

    Results may be views of operands. `reuse` holds positions of operands that the caller never reads again: if the list
    of operands holds the only reference to such an array, an element-wise op may write its result there. Raises
    InputError at the op for an index outside its tensor, a weight whose data are missing, and an op for which no
    computation is registered.
    """
    try:
        with np.errstate(all="ignore"):
            if isinstance(op, g.FusedOp):
                return _fused(op, operands)
            return [_one(op, operands, reuse)]
    except MemoryError:
        raise _no_room(op, "the free memory of this computer") from None


def _fused(op: g.FusedOp, operands: Sequence[Array]) -> list[Array]:
    values: dict[SSAValue, Array] = dict(zip(op.body.block.args, operands, strict=True))
    uses = Counter(operand for inner in op.body.block.ops for operand in inner.operands)
    for inner in op.ops:
        uses.subtract(inner.operands)
        given = [values[operand] for operand in inner.operands]
        dead = {operand for operand in inner.operands if not uses[operand] and isinstance(operand, OpResult)}
        for operand in dead:
            del values[operand]
        reuse = [index for index, operand in enumerate(inner.operands) if operand in dead]
        values[inner.results[0]] = _one(inner, given, reuse)
    return [values[value] for value in op.yielded]


def _one(op: Operation, operands: Sequence[Array], reuse: Collection[int]) -> Array:
    if not isinstance(op, g.GraphOp):
        raise InputError(
            f"{op.name} is not a graph op, but only graph ops can be evaluated; run the program with ndpir.run", op
        )
    if byte_count(g.tensor_of(op.results[0])) > memory_bytes():
        raise _no_room(op, f"this computer's memory of {memory_bytes()} bytes")
    if (compute := meaning.find(type(op))) is None:
        raise InputError(
            f"{op.name} has no definition of its values, so it can't be evaluated; attach one "
            "(interp/numerics/meaning.py)",
            op,
        )
    if isinstance(compute, Elementwise):
        out = _storage(op, operands, reuse)  # before the call: its tuple of operands would hold references, too
        return np.asarray(compute(op, *operands, out=out))
    return np.asarray(compute(op, *operands))


def _no_room(op: Operation, memory: str) -> InputError:
    result = g.tensor_of(op.results[0])
    return InputError(
        f"{op.name}: {result} of {byte_count(result)} bytes does not fit {memory}; request "
        "time and energy only, which need no numbers (-t timeline)",
        op,
    )


def _storage(op: g.GraphOp, operands: Sequence[Array], reuse: Collection[int]) -> Array | None:
    """An operand among `reuse` to whose array the op may write its result; None if there is none."""
    type_ = g.tensor_of(op.results[0])
    for index in reuse:
        alone = sys.getrefcount(operands[index]) == _ALONE  # a view would hold a reference, too
        flags = operands[index].flags
        fits = operands[index].shape == type_.get_shape() and operands[index].dtype == dtype_of(type_.element_type)
        if alone and fits and flags.owndata and flags.writeable:
            return operands[index]
    return None


_PROBE = [np.zeros(1)]
_ALONE = sys.getrefcount(_PROBE[0])
"""The reference count of an array that is referred to by one list only."""

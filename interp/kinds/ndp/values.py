"""Numerics of near-data programs: arithmetic as at graph level; a reduction first reduces the shard of each unit, then
the units' partial results."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from dialects.element_types import dtype_of
from dialects.graph.op import shape_of, tensor_of
from dialects.ndp import CombineOp, FilterOp, LoadOp, ProgramOp, ReduceOp, StoreOp
from dialects.ndp.instructions import AllocOp, BarrierOp, JoinOp
from interp.numerics import evaluate
from interp.numerics.reduction import FOLDS, reduce
from interp.numerics.rounding import Array, is_real, rounded, widened


def run_program(program: ProgramOp, units: int, operands: Sequence[Array]) -> list[Array]:
    """The outputs of a program on `units` units."""
    memory: dict[SSAValue, Array] = dict(zip(program.inputs, operands, strict=True))
    values: dict[SSAValue, Array] = {}
    partial: dict[SSAValue, list[Array]] = {}
    for op in program.body.block.ops:
        match op:
            case FilterOp() | AllocOp() | BarrierOp() | JoinOp():
                pass
            case LoadOp():
                values[op.value] = memory[op.memory]
            case StoreOp():
                memory[op.memory] = values[op.value]
            case ReduceOp():
                partial[op.y] = _reduced(op, values[op.x], units)
            case CombineOp():
                owner = op.partial.owner
                assert isinstance(owner, ReduceOp)
                values[op.y] = _combined(owner, partial[op.partial])
            case _:
                values |= zip(op.results, evaluate(op, [values[each] for each in op.operands]), strict=True)
    return [memory[value] for value in program.outputs]


def _reduced(op: ReduceOp, x: Array, units: int) -> list[Array]:
    """The partial reduction of each unit's shard, in the accumulation type and with all axes kept. A shard is a range
    of the longest reduced axis of the operand. For integers, where order does not matter, the only result is the
    reduction of all elements."""
    axes = op.axis_set()
    if not is_real(x.dtype) or not x.size or not axes:
        with np.errstate(all="ignore"):
            return [np.asarray(reduce(op, x))]
    fold = FOLDS["sum" if op.kind.data == "mean" else op.kind.data]
    cut = max(axes, key=lambda axis: x.shape[axis])
    shares = np.array_split(widened(x), min(units, x.shape[cut]), cut)
    with np.errstate(all="ignore"):
        return [np.asarray(fold.reduce(share, axis=axes, keepdims=True, dtype=share.dtype)) for share in shares]


def _combined(op: ReduceOp, parts: list[Array]) -> Array:
    dtype, shape = dtype_of(tensor_of(op.y).element_type), shape_of(op.y)
    if len(parts) == 1 and parts[0].dtype == dtype and parts[0].shape == shape:
        return parts[0]
    fold = FOLDS["sum" if op.kind.data == "mean" else op.kind.data]
    with np.errstate(all="ignore"):
        combined = np.asarray(fold.reduce(np.stack(parts), axis=0, dtype=parts[0].dtype))
        if op.kind.data == "mean":
            count = prod(shape_of(op.x)[axis] for axis in op.axis_set())
            combined = combined / combined.dtype.type(count)
    return rounded(combined, dtype).reshape(shape)

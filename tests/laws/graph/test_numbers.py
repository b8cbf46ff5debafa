"""Laws of numbers: every op computes a result of the shape that its shape rule gives, and reuse of dead storage changes
no value."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import dtype_of
from interp.numerics import evaluate
from interp.numerics.rounding import Array, widened
from tests.graph_programs import programs
from tests.programs import parse


def ops_of(text: str) -> list[g.GraphOp]:
    (function,) = parse(text).ops
    assert isinstance(function, FuncOp)
    return [op for op in function.body.block.ops if isinstance(op, g.GraphOp)]


@given(programs())
def test_results_have_the_inferred_types(text: str) -> None:
    values: dict[SSAValue, Array] = {}
    for op in ops_of(text):
        (result,) = evaluate(op, [values[operand] for operand in op.operands])
        type_ = g.tensor_of(op.results[0])
        assert isinstance(result, np.ndarray)
        assert (result.shape, result.dtype) == (type_.get_shape(), dtype_of(type_.element_type)), op.name
        values[op.results[0]] = result


@given(programs())
def test_reuse_changes_no_number(text: str) -> None:
    ops = ops_of(text)
    fresh: dict[SSAValue, Array] = {}
    for op in ops:
        fresh[op.results[0]] = evaluate(op, [fresh[operand] for operand in op.operands])[0]
    last = {operand: op for op in ops for operand in op.operands}
    held: dict[SSAValue, Array] = {}
    for op in ops:
        operands = [held[operand] for operand in op.operands]
        dead = {operand for operand in op.operands if last[operand] is op}
        for operand in dead:
            del held[operand]
        reuse = [index for index, operand in enumerate(op.operands) if operand in dead]
        result = evaluate(op, operands, reuse)[0]
        del operands
        np.testing.assert_array_equal(widened(result), widened(fresh[op.results[0]]))
        held[op.results[0]] = result

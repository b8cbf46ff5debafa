"""`-t onnx` keeps numbers: each op of random programs, exported, gives the same result in onnxruntime as in the
interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import element_type_of, tensor_type
from interp.numerics import evaluate
from interp.walk.entry import functions
from ndpir.writers.onnx.emit import op_model
from tests.graph_programs import programs
from tests.graph_values import values
from tests.laws.graph.test_integer_numbers import FLOATS, INTEGERS, numbers
from tests.programs import parse

pytest.importorskip("onnxruntime")

from tests.amount import cases
from tests.onnx_runs import NoKernel, assert_same, run_model

Array = NDArray[Any]


@settings(
    max_examples=cases(100), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(programs())
def test_each_op_keeps_its_numbers(text: str) -> None:
    arrays: dict[SSAValue, Array] = {}
    for op in functions(parse(text))[0].body.block.ops:
        if not isinstance(op, g.GraphOp):
            continue
        xs = [arrays[operand] for operand in op.operands]
        (result,) = evaluate(op, list(xs))
        arrays[op.results[0]] = np.array(result)
        if isinstance(op, g.ConstantOp) or _is_open(op, xs, result):
            continue
        try:
            model = op_model(op, {})
        except (
            InputError
        ):  # ONNX has no such op of these element types; tests/unit/onnx/test_target_onnx.py reads the sentences
            continue
        try:
            (found,) = run_model(model, [arrays[operand] for operand in dict.fromkeys(op.operands)])
        except NoKernel:
            continue
        assert_same(found, result)


# What each integer op is built from: its class, how many operands, properties.
INTEGER_OPS: tuple[tuple[type[g.GraphOp], int, dict[str, Any]], ...] = (
    *((kind, 2, {}) for kind in (g.AddOp, g.SubOp, g.MulOp, g.DivOp, g.MinOp, g.MaxOp, g.PowOp)),
    *((kind, 2, {}) for kind in (g.AndOp, g.OrOp, g.XorOp, g.MatmulOp)),
    *((kind, 1, {}) for kind in (g.AbsOp, g.NegOp, g.ReluOp)),
    (g.ClipOp, 1, {"min": -2.5, "max": 100.0}),
    *((g.ReduceOp, 1, {"kind": kind, "axes": [1]}) for kind in ("sum", "mean", "prod", "min", "max")),
    (g.CumsumOp, 1, {"axis": 1}),
    *((g.CompareOp, 2, {"kind": kind}) for kind in ("eq", "lt", "ge")),
)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@settings(max_examples=cases(4), deadline=None)
@given(st.data())
def test_integers_at_their_extremes(dtype: np.dtype[Any], data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 3))
    a, b = (
        np.array(data.draw(st.lists(numbers(dtype), min_size=count**2, max_size=count**2)), dtype).reshape(count, -1)
        for _ in range(2)
    )
    cases = [(kind, [a, b][:operands], words) for kind, operands, words in INTEGER_OPS]
    target = element_type_of(data.draw(st.sampled_from(INTEGERS + FLOATS)))
    cases.append((g.CastOp, [a], {"result_type": tensor_type(a.shape, target)}))
    for kind, arrays, words in cases:
        op = kind(*values(*arrays), **words)
        (result,) = evaluate(op, list(arrays))
        if _is_open(op, arrays, result):
            continue
        try:
            (found,) = run_model(op_model(op, {}), arrays)
        except (InputError, NoKernel):
            continue
        assert_same(found, result)


def _is_open(op: g.GraphOp, xs: list[Array], result: Array) -> bool:
    """True if ONNX or onnxruntime do not define the result: reductions and norms of no elements, integers beyond the
    range of their type (in sums, which onnxruntime computes in f64, beyond 53 bits), a maximum with nan; and for
    bf16, which numpy arrays can't pass to onnxruntime."""
    if any(x.size == 0 for x in xs) or any(x.dtype.name == "bfloat16" for x in (*xs, result)):
        return True
    integers = result.dtype.kind in "iu"
    match op:
        case g.CastOp():
            return integers and xs[0].dtype.kind == "f" and not (np.abs(xs[0]) < 127).all()
        case g.PoolOp():
            return xs[0].dtype.kind == "f" and bool(np.isnan(xs[0]).any())
        case g.ReduceOp():
            beyond = (
                float(np.abs(xs[0].astype(np.float64)).sum()) > min(2.0**53, np.iinfo(result.dtype).max)
                if integers
                else False
            )
            if op.kind.data in ("min", "max") and not integers:
                return bool(np.isnan(xs[0].astype(np.float64)).any())
            return integers and (op.kind.data == "prod" or (op.kind.data in ("sum", "mean") and beyond))
        case g.MinOp() | g.MaxOp() | g.ClipOp():  # onnxruntime 1.31 compares the low halves of 64 bits
            return (
                integers
                and result.dtype.itemsize == 8
                and any(
                    (x.astype(np.float64) >= 2.0**31).any() or (x.astype(np.float64) < -(2.0**31)).any() for x in xs
                )
            )
        case g.PowOp():  # onnxruntime takes those of integers in f64
            a, b = (x.astype(np.float64) for x in xs)
            with np.errstate(all="ignore"):
                size = np.abs(a) ** b
            return integers and not bool((size <= min(2.0**53, np.iinfo(result.dtype).max)).all())
        case _:
            return False

"""`-t onnx` keeps numbers: each op of random programs, exported, gives in onnxruntime what it gives here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.diagnostics import InputError
from interp.numerics import evaluate
from interp.program import functions
from ndpir.targets.onnx import op_model
from tests.graph_programs import programs
from tests.programs import parse

pytest.importorskip("onnxruntime")

from tests.onnx_runs import NoKernel, assert_same, run_model

Array = NDArray[Any]


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
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
        ):  # ONNX has no such op of these element types; tests/unit/test_target_onnx.py reads the sentences
            continue
        try:
            (found,) = run_model(model, [arrays[operand] for operand in dict.fromkeys(op.operands)])
        except NoKernel:
            continue
        assert_same(found, result)


def _is_open(op: g.GraphOp, xs: list[Array], result: Array) -> bool:
    """Where ONNX or onnxruntime leave a result open: nothing to reduce or to normalise, integers beyond their type (or
    in sums, which onnxruntime takes in f64, beyond its 53 bits), nan in a maximum; and bf16, which numpy can't hand to
    it."""
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
            return integers and (op.kind.data == "prod" or (op.kind.data in ("sum", "mean") and beyond))
        case _:
            return integers and isinstance(op, g.PowOp)

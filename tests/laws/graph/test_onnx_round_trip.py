"""Laws of `-t onnx`: each written program is read again by the ONNX front end, and computes the same numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from numpy.typing import NDArray
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import ElementType, bit_width, dtype_of, is_small_float
from interp.numerics import evaluate
from interp.numerics.rounding import cast
from interp.walk.entry import functions
from interp.walk.run import run_module
from ndpir.diagnostics.verify import verify
from ndpir.frontends.onnx import import_onnx
from ndpir.writers.onnx.emit import model_bytes, op_model
from tests.amount import cases
from tests.graph_programs import ELEMENTS, programs
from tests.graph_values import values
from tests.onnx_runs import assert_same
from tests.programs import context, parse
from tests.unit.onnx.test_target_onnx import OPS

Array = NDArray[Any]

REFUSED = {
    "graph.erfc": "f16 bf16 f32 f64",
    "graph.pow": "i8 i16 ui8 ui16 ui32 ui64",
    "graph.reduce mean": "i8 i16 ui8 ui16",
    "graph.pool max": "i16 i32 i64 ui16 ui32 ui64",
    "graph.pool mean": "i8 i16 i32 i64 ui8 ui16 ui32 ui64",
}
"""For each op (with its kind) that `-t onnx` refuses, the element types for which it does so. It also refuses index ops
whose index vectors have no coordinates."""


def read_back(op: g.GraphOp, inputs: list[Array]) -> tuple[Array, bool]:
    """The result that the program computes after an op was written as ONNX and read again, and True if ONNX has the op
    as one node."""
    model = op_model(op, {})
    with TemporaryDirectory() as folder:
        path = Path(folder) / "written.onnx"
        path.write_bytes(model_bytes(model))
        module = import_onnx(str(path))
        verify(module, context())
        (result,) = run_module(module, inputs)
    return result, len(model.graph.node) <= 2  # the last one names the result


def check(op: g.GraphOp, inputs: list[Array], expected: Array) -> None:
    found, alone = read_back(op, inputs)
    if alone or expected.dtype.itemsize > 2 or expected.dtype.kind in "iub":
        assert found.dtype == expected.dtype
        if op.work().macs and expected.dtype.kind == "f" and expected.dtype.itemsize > 2:
            # BLAS may sum in another order for an array at another address, so only the last bits may differ
            digits = 8 * float(np.finfo(expected.dtype).eps)
            np.testing.assert_allclose(found, expected, rtol=digits, atol=digits)
            return
        if expected.dtype.kind not in "iub":  # numpy can't compare nans of bf16
            found, expected = found.astype(np.float64), expected.astype(np.float64)
        np.testing.assert_array_equal(found, expected)
    elif np.isfinite(expected.astype(np.float64)).all():  # each node rounds to 16 bits, our ops do so once
        assert_same(found, expected)


def of_type(arrays: tuple[Array, ...], element: ElementType, kind: type[g.GraphOp]) -> Iterator[Array]:
    """The operands of a case, cast to another element type, except for indices, masks and conditions."""
    dtype = dtype_of(element)
    for index, array in enumerate(arrays):
        other = array.dtype != arrays[0].dtype and array.dtype.kind in "ib"
        if other or (kind is g.SelectOp and index == 0):
            yield array
        else:
            with np.errstate(over="ignore"):
                other_type = cast(np.asarray(np.abs(array) if dtype.kind == "u" else array), dtype)
            yield other_type


SMALL = [element for element in ELEMENTS if bit_width(element) < 8 or is_small_float(element)]
COMPUTED = [element for element in ELEMENTS if element not in SMALL]
"""The element types that ONNX computes in."""
MOVED = {"graph.reshape", "graph.transpose", "graph.quantize", "graph.dequantize", "graph.qmatmul", "graph.qconv"}
"""The ops of the cases that ONNX has for small elements, in the types of the opset."""


@pytest.mark.parametrize("element", SMALL, ids=map(str, SMALL))
def test_arithmetic_on_small_elements_is_refused(element: ElementType) -> None:
    for kind, arrays, words in OPS:
        try:
            op = kind(*values(*of_type(arrays, element, kind)), **words)
        except VerifyException:
            continue
        if kind.name not in MOVED:
            with pytest.raises(InputError, match=r"ONNX doesn't compute in|opset 23 has no elements of"):
                op_model(op, {})


@pytest.mark.parametrize("element", COMPUTED, ids=map(str, COMPUTED))
def test_each_op_of_each_type_is_read_again_or_refused(element: ElementType) -> None:
    refused: set[str] = set()
    for kind, arrays, words in OPS:
        given_arrays = list(of_type(arrays, element, kind))
        try:
            op = kind(*values(*given_arrays), **words)
        except VerifyException:  # it takes no such elements
            continue
        name = f"{kind.name} {words['kind']}" if f"{kind.name} {words.get('kind')}" in REFUSED else kind.name
        try:
            op_model(op, {})
        except InputError:
            refused.add(name)
            continue
        (expected,) = evaluate(op, [array.copy() for array in given_arrays])
        check(op, given_arrays, expected)
    assert refused == {name for name, types in REFUSED.items() if str(element) in types.split()}


@settings(
    max_examples=cases(25), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(programs())
def test_each_op_of_random_programs_is_read_again(text: str) -> None:
    arrays: dict[SSAValue, Array] = {}
    for op in functions(parse(text))[0].body.block.ops:
        if not isinstance(op, g.GraphOp):
            continue
        xs = [arrays[operand] for operand in op.operands]
        (result,) = evaluate(op, list(xs))
        arrays[op.results[0]] = np.array(result)
        try:
            op_model(op, {})
        except InputError:
            continue
        check(op, [arrays[operand] for operand in dict.fromkeys(op.operands)], arrays[op.results[0]])

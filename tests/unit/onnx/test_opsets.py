"""Tests of operators whose form or meaning changed between opsets 7 and 28, before and after each change, against
onnxruntime."""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.diagnostics import InputError
from interp.walk.run import run_module
from ndpir.frontends.onnx import OnnxNode, import_model, operators

Array = NDArray[Any]
F = np.float32
X = np.random.default_rng(7).normal(size=(2, 3, 4)).astype(F)
IMAGE = np.random.default_rng(8).normal(size=(1, 2, 7, 6)).astype(F)
FILTERS = np.random.default_rng(9).normal(size=(4, 1, 3, 3)).astype(F)


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


Case: TypeAlias = tuple[str, int, Array, list[Array], dict[str, Any], int]
"""A test case: operator, opset, first operand, operands that are initialisers, attributes, number of results."""

CASES: list[Case] = [
    ("Softmax", 9, X, [], {"axis": 1}, 1),  # flattens from axis 1 on
    ("Softmax", 11, X, [], {}, 1),  # flattens from axis 1 on
    ("Softmax", 11, X, [], {"axis": -1}, 1),
    ("Softmax", 13, X, [], {"axis": 1}, 1),
    ("Softmax", 13, X, [], {}, 1),
    ("Clip", 7, X, [], {"min": -0.5, "max": 0.25}, 1),
    ("Clip", 10, X, [], {"max": 0.25}, 1),
    ("Clip", 11, X, [np.array(-0.5, F), np.array(0.25, F)], {}, 1),
    ("Clip", 13, X.astype(np.int32), [np.array(-1, np.int32)], {}, 1),
    ("Slice", 9, X, [], {"starts": [1, 0], "ends": [2**31 - 1, -1], "axes": [1, 2]}, 1),
    ("Slice", 9, X, [], {"starts": [0, -2], "ends": [1, 3]}, 1),
    ("Slice", 10, X, [ints(3, 0), ints(0, 100), ints(2, 0), ints(-2, 1)], {}, 1),
    ("Slice", 13, X, [ints(-1), ints(-(2**63)), ints(-1), ints(-1)], {}, 1),
    ("Slice", 13, X, [ints(2), ints(1), ints(1)], {}, 1),  # an empty result
    ("Squeeze", 11, X[:1], [], {"axes": [0]}, 1),
    ("Squeeze", 13, X[:1], [ints(-3)], {}, 1),
    ("Squeeze", 13, X[:1], [], {}, 1),
    ("Unsqueeze", 11, X, [], {"axes": [3, 0]}, 1),
    ("Unsqueeze", 13, X, [ints(-1, 1)], {}, 1),
    ("Split", 11, X, [], {"axis": 2, "split": [1, 3]}, 2),
    ("Split", 11, X, [], {"axis": 2}, 2),
    ("Split", 13, X, [ints(1, 2)], {"axis": 1}, 2),
    ("Split", 18, X, [], {"axis": 1, "num_outputs": 2}, 2),  # parts of unequal size
    ("ReduceSum", 11, X, [], {"axes": [-1], "keepdims": 0}, 1),
    ("ReduceSum", 13, X, [ints(-1)], {"keepdims": 0}, 1),
    ("ReduceSum", 13, X, [], {"noop_with_empty_axes": 1}, 1),
    ("ReduceMean", 13, X, [], {"axes": [0, 2]}, 1),
    ("ReduceMean", 18, X, [ints(0, 2)], {}, 1),
    ("ReduceMax", 18, X, [], {}, 1),
    ("Dropout", 7, X, [], {"ratio": 0.5}, 1),
    ("Dropout", 10, X, [], {"ratio": 0.5}, 1),
    ("Dropout", 12, X, [np.array(0.5, F), np.array(False)], {}, 2),
    ("BatchNormalization", 9, IMAGE, [np.array([1, 2], F)] * 4, {"epsilon": 1e-3}, 1),
    ("BatchNormalization", 15, IMAGE, [np.array([1, 2], F)] * 4, {}, 1),
    ("Reshape", 7, X, [ints(0, -1)], {}, 1),
    ("Reshape", 14, X[:, :0], [ints(0, 4, 2)], {"allowzero": 1}, 1),
    ("Gemm", 7, X[0], [X[1].T.copy(), np.ones((3, 1), F)], {"alpha": 0.5, "beta": 2.0}, 1),
    ("Gemm", 9, X[0], [X[1], np.ones(3, F)], {"transB": 1}, 1),
    ("Gemm", 11, X[0], [X[1]], {"transA": 1}, 1),
    ("Pow", 7, np.abs(X), [np.array(0.5, F)], {}, 1),
    ("Pow", 12, X, [ints(2)], {}, 1),
    ("Add", 7, X, [np.ones((3, 1), F)], {}, 1),
    ("Flatten", 9, X, [], {"axis": 2}, 1),
    ("Flatten", 11, X, [], {"axis": -1}, 1),
    ("Flatten", 13, X, [], {"axis": 3}, 1),
    ("Gather", 7, X, [np.array([[0, 2]], np.int64)], {"axis": 1}, 1),
    ("Gather", 13, X, [np.array(-1, np.int64)], {"axis": -1}, 1),
    ("Shape", 15, X, [], {"start": -2, "end": 3}, 1),
    ("Pad", 10, X, [], {"pads": [0, 1, 0, 2, 0, 0], "value": 1.5}, 1),
    ("Pad", 18, X, [ints(1, 2), np.array(1.5, F), ints(-1)], {}, 1),
    ("MaxPool", 8, IMAGE, [], {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}, 1),
    ("MaxPool", 12, IMAGE, [], {"kernel_shape": [3, 2], "strides": [2, 3], "ceil_mode": 1, "pads": [1, 0, 0, 1]}, 2),
    ("MaxPool", 12, IMAGE, [], {"kernel_shape": [2, 2], "dilations": [2, 1], "storage_order": 1}, 2),
    ("MaxPool", 12, IMAGE, [], {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_LOWER"}, 1),
    ("AveragePool", 7, IMAGE, [], {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_UPPER"}, 1),
    ("AveragePool", 11, IMAGE, [], {"kernel_shape": [2, 2], "pads": [1, 1, 0, 0], "count_include_pad": 1}, 1),
    ("AveragePool", 19, IMAGE, [], {"kernel_shape": [2, 2], "dilations": [2, 2], "auto_pad": "VALID"}, 1),
    ("Conv", 11, IMAGE, [FILTERS, X[0, 0]], {"group": 2, "auto_pad": "SAME_UPPER", "strides": [2, 2]}, 1),
    ("LayerNormalization", 17, X, [np.ones(4, F), np.ones(4, F)], {"epsilon": 1e-3}, 3),
    ("LayerNormalization", 17, X, [np.ones((3, 4), F)], {"axis": 1}, 1),
    ("MatMul", 9, X, [np.ones(4, F)], {}, 1),
    ("CumSum", 14, X, [np.array(-1, np.int32)], {"reverse": 1, "exclusive": 1}, 1),
    ("Expand", 8, X, [ints(5, 1, 1, 1)], {}, 1),
    ("ConstantOfShape", 9, ints(2, 3), [], {"value": helper.make_tensor("v", TensorProto.INT8, [1], [3])}, 1),
    ("LRN", 7, IMAGE, [], {"size": 3}, 1),
    ("Cast", 9, X, [], {"to": TensorProto.BOOL}, 1),
    ("Not", 7, X > 0, [], {}, 1),
]


def model_of(case: Case) -> ModelProto:
    """A model of one node, whose first operand is an input of the model, or an initialiser if shapes depend on it."""
    operator, opset, x, constants, attributes, results = case
    names, outputs = [f"i{i}" for i in range(len(constants))], [f"y{i}" for i in range(results)]
    inputs = [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)]
    initialisers = [numpy_helper.from_array(array, name) for name, array in zip(names, constants, strict=True)]
    if operator == "ConstantOfShape":
        inputs, initialisers = [], [numpy_helper.from_array(x, "x")]
    node = helper.make_node(operator, ["x", *names], outputs, **attributes)
    results_ = [helper.make_empty_tensor_value_info(name) for name in outputs]
    graph = helper.make_graph([node], "main", inputs, results_, initialisers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


@pytest.mark.parametrize("case", CASES, ids=[f"{case[0]}-{case[1]}-{i}" for i, case in enumerate(CASES)])
def test_an_operator_computes_the_results_of_onnxruntime(case: Case) -> None:
    model = model_of(case)
    runtime = import_module("onnxruntime")  # onnxruntime has no type hints
    session = runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    inputs = [case[2]] if model.graph.input else []
    expected = session.run(None, {"x": case[2]} if inputs else {})
    module = import_model(model, "m.onnx")
    module.verify()
    for found, reference in zip(run_module(module, inputs), expected, strict=True):
        assert (found.dtype, found.shape) == (reference.dtype, reference.shape)
        np.testing.assert_allclose(np.asarray(found, np.float64), reference, rtol=1e-5, atol=1e-6)


def test_a_plugin_can_add_an_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plugin supports an operator by adding a handler, a function of a node, to the table."""
    square = np.array([[1.0, 2.0], [3.0, 5.0]], F)
    model = model_of(("Det", 12, square, [], {}, 1))
    with pytest.raises(InputError, match="1 operator is not supported: Det"):
        import_model(model, "m.onnx")

    def det(node: OnnxNode) -> SSAValue:
        """Import Det of a matrix of two rows as the difference of the products along its diagonals."""
        a, b, c, d = (node.sliced(node[0], (i, j), (i + 1, j + 1)) for i in (0, 1) for j in (0, 1))
        found = node.build(g.SubOp, node.build(g.MulOp, a, d), node.build(g.MulOp, b, c))
        return node.reshaped(found, ())

    monkeypatch.setitem(operators.OPERATORS, "Det", operators.Operator(det, newest=22))
    (found,) = run_module(import_model(model, "m.onnx"), [square])
    np.testing.assert_allclose(np.asarray(found, np.float64), -1.0, rtol=1e-6)

"""Quantized models in the forms of quantizers: equal to onnxruntime within one step of a scale, and recovered into
products of small factors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper

import ndpir
from dialects import graph as g
from dialects.diagnostics import InputError
from interp.walk.run import run_module
from ndpir.frontends.onnx.importer import import_model
from tests.onnx_runs import run_model

Array = NDArray[Any]


def save(model: ModelProto, path: Path) -> None:
    path.write_bytes(model.SerializeToString())


RNG = np.random.default_rng(0)
X = RNG.standard_normal((3, 16)).astype(np.float32)
IMAGE = RNG.standard_normal((1, 4, 7, 7)).astype(np.float32)
STEP = np.float32(0.04)


def model_of(
    nodes: list[Any], constants: Mapping[str, Any], x: Array, opset: int = 21, output: str = "y"
) -> ModelProto:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_empty_tensor_value_info(output)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def node(kind: str, inputs: str, output: str, **words: Any) -> Any:
    return helper.make_node(kind, ["" if name == "-" else name for name in inputs.split()], [output], **words)


SCALES: Mapping[str, Any] = {"s": np.float32(0.02), "z": np.uint8(120), "o": STEP, "p": np.uint8(7)}
ENDS = [node("QuantizeLinear", "x s z", "q"), node("DequantizeLinear", "q s z", "d")]
OUT = [node("QuantizeLinear", "m o p", "r"), node("DequantizeLinear", "r o p", "y")]
WEIGHTS = RNG.integers(-127, 128, (16, 8)).astype(np.int8)
ROWS = (0.01 + RNG.random(8) / 100).astype(np.float32)
FILTERS = RNG.integers(-127, 128, (6, 2, 3, 3)).astype(np.int8)
BIAS = RNG.integers(-900, 900, 6).astype(np.int32)
PACKED = helper.make_tensor("w", TensorProto.INT4, (16, 8), RNG.integers(-8, 8, 128).tolist())


def qdq() -> ModelProto:
    constants = {**SCALES, "w": WEIGHTS, "t": ROWS, "v": np.zeros(8, np.int8)}
    return model_of(
        [*ENDS, node("DequantizeLinear", "w t v", "e", axis=1), node("MatMul", "d e", "m"), *OUT], constants, X
    )


def qdq_turned() -> ModelProto:
    constants = {**SCALES, "w": np.ascontiguousarray(WEIGHTS.T), "t": ROWS, "v": np.zeros(8, np.int8)}
    nodes = [node("DequantizeLinear", "w t v", "e", axis=0), node("Transpose", "e", "f", perm=[1, 0])]
    return model_of([*ENDS, *nodes, node("MatMul", "d f", "m"), *OUT], constants, X)


def qoperator() -> ModelProto:
    weights = WEIGHTS // 2  # onnxruntime's sums of pairs saturate on x64 without VNNI, here whatever its options say
    constants = {**SCALES, "w": weights, "t": ROWS, "v": np.zeros(8, np.int8)}
    nodes = [ENDS[0], node("QLinearMatMul", "q s z w t v o p", "r"), OUT[1]]
    return model_of(nodes, constants, X)


def dynamic() -> ModelProto:
    first = helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"])
    nodes = [first, node("MatMulInteger", "q w z v", "i"), node("Cast", "i", "c", to=TensorProto.FLOAT)]
    nodes += [node("Mul", "s t", "k"), node("Mul", "c k", "y")]
    return model_of(nodes, {"w": WEIGHTS, "v": np.int8(3), "t": np.float32(0.01)}, X)


def conv(kind: str) -> ModelProto:
    constants: dict[str, Any] = {**SCALES, "w": FILTERS, "t": np.full(6, 0.01, np.float32), "v": np.zeros(6, np.int8)}
    words = {"pads": [1, 1, 0, 0], "strides": [2, 1], "group": 2}
    if kind == "qoperator":
        nodes = [ENDS[0], node("QLinearConv", "q s z w t v o p b", "r", **words), OUT[1]]
        return model_of(nodes, {**constants, "b": BIAS}, IMAGE)
    constants |= {"b": BIAS, "k": np.full(6, 0.0002, np.float32)}
    nodes = [node("DequantizeLinear", "w t v", "e", axis=0), node("DequantizeLinear", "b k", "c", axis=0)]
    return model_of([*ENDS, *nodes, node("Conv", "d e c", "m", **words), *OUT], constants, IMAGE)


def blocks() -> ModelProto:
    constants = {"t": RNG.random((4, 8)).astype(np.float32)}
    nodes = [node("DequantizeLinear", "w t", "e", axis=0, block_size=4), node("MatMul", "x e", "y")]
    model = model_of(nodes, constants, X)
    model.graph.initializer.append(PACKED)
    return model


FORMS: dict[str, tuple[ModelProto, Array, type[g.GraphOp] | None]] = {
    "qdq": (qdq(), X, g.QmatmulOp),
    "qdq, weights transposed": (qdq_turned(), X, g.QmatmulOp),
    "qoperator": (qoperator(), X, g.QmatmulOp),
    "dynamic": (dynamic(), X, g.QmatmulOp),
    "conv, qoperator": (conv("qoperator"), IMAGE, g.QconvOp),
    "conv, qdq": (conv("qdq"), IMAGE, g.QconvOp),
    "blocks of 4 bits": (blocks(), X, None),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_form_has_the_numbers_of_onnxruntime_and_one_product(name: str, tmp_path: Path) -> None:
    model, x, product = FORMS[name]
    path = tmp_path / "m.onnx"
    save(model, path)
    (expected,) = run_model(model, [x])
    module = import_model(model, str(path))
    small = ndpir.compile(module.clone(), passes="canonicalize")
    for program in (module, small):
        (found,) = run_module(program, [x])
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        a, b = found.astype(np.float64), expected.astype(np.float64)
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1.01 * float(STEP) if "q" in name else 1e-3)
    kinds = [type(op) for op in small.walk()]
    if product is None:
        assert kinds.count(g.DequantizeOp) == kinds.count(g.MatmulOp) == 1
    else:
        assert kinds.count(product) == 1
        assert not {g.MatmulOp, g.ConvOp} & {*kinds}


def test_small_types_of_inputs_and_weights_are_read(tmp_path: Path) -> None:
    numbers = np.array([-8, 7, 3, -1, 0], np.int8)
    small = helper.make_tensor("w", TensorProto.INT4, (5,), numbers.tolist())
    floats = helper.make_tensor("f", TensorProto.FLOAT8E4M3FN, (5,), [0.5, -2.0, 448.0, 0.0, 1.125])
    nodes = [node("Cast", "w", "a", to=TensorProto.FLOAT), node("Cast", "f", "b", to=TensorProto.FLOAT)]
    nodes += [node("Add", "a b", "c"), node("Add", "c x", "y")]
    model = model_of(nodes, {}, np.zeros(5))
    model.graph.initializer.extend([small, floats])
    save(model, tmp_path / "m.onnx")
    (y,) = run_module(import_model(model, str(tmp_path / "m.onnx")), [np.zeros(5, np.float32)])
    assert y.tolist() == [-7.5, 5.0, 451.0, -1.0, 1.125]


@pytest.mark.parametrize(
    ("inputs", "constants", "words", "sentence"),
    [
        ("x s v", {"v": np.zeros(3, np.int8)}, {}, "the zero point of tensor<3xi8> must have the shape of the scale"),
        ("x t", {"t": np.ones(5, np.float32)}, {"axis": 1}, "the scale must be one number, or a vector of 16 for axis"),
        ("x t", {"t": np.ones((3, 5), np.float32)}, {"axis": 1, "block_size": 4}, "does not broadcast to tensor<3x16x"),
        ("x t", {"t": np.ones(3, np.float32)}, {"axis": 7}, "there is no axis 7; axes run from -2 to 1"),
        ("x s v", {"v": np.zeros((), np.float32)}, {}, "graph.quantize makes integers of 2 to 16 bits"),
    ],
)  # fmt: skip
def test_wrong_scales_are_refused_by_a_sentence(
    inputs: str, constants: dict[str, Any], words: dict[str, int], sentence: str
) -> None:
    model = model_of([node("QuantizeLinear", inputs, "y", **words)], {"s": SCALES["s"], **constants}, X)
    with pytest.raises(InputError) as error:
        import_model(model, "m.onnx")
    assert sentence in error.value.message

"""Operators of com.microsoft, against onnxruntime: equal numbers, or at most one step of the result's scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, helper, numpy_helper

from dialects.diagnostics import InputError
from interp.walk.run import run_module
from ndpir.frontends.onnx.importer import import_model
from tests.onnx_runs import run_model

Array = NDArray[Any]


def save(model: ModelProto, path: Path) -> None:
    path.write_bytes(model.SerializeToString())


RNG = np.random.default_rng(0)


def f(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def u(*shape: int) -> Array:
    return RNG.integers(0, 255, shape).astype(np.uint8)


def i(*shape: int) -> Array:
    return RNG.integers(-127, 127, shape).astype(np.int8)


def s(number: float) -> Array:
    return np.array(number, np.float32)


def z(number: int, dtype: Any = np.uint8) -> Array:
    return np.array(number, dtype)


def model_of(
    kind: str, inputs: Sequence[Array | None], outputs: Sequence[int], known: Sequence[int], words: Mapping[str, Any]
) -> tuple[ModelProto, list[Array]]:
    """A model of one node, and its inputs; those in `known` are initialisers. `outputs`: the numbers of those used."""
    domain = "" if kind == "SimplifiedLayerNormalization" else "com.microsoft"
    names = ["" if array is None else f"i{index}" for index, array in enumerate(inputs)]
    made = [f"o{index}" if index in outputs else "" for index in range(max(outputs) + 1)]
    given = [(name, array) for name, array in zip(names, inputs, strict=True) if array is not None]
    feeds = [(name, array) for name, array in given if int(name[1:]) not in known]
    graph = helper.make_graph(
        [helper.make_node(kind, names, made, domain=domain, **words)],
        "g",
        [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in feeds],
        [helper.make_empty_tensor_value_info(name) for name in made if name],
        [numpy_helper.from_array(array, name) for name, array in given if int(name[1:]) in known],
    )
    imports = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10), [array for _, array in feeds]


A, B, Y = (s(0.02), z(120)), (s(0.03), z(128)), (s(0.05), z(130))
UNIT = (s(1 / 256), z(0))
COS, SIN = np.cos(f(16, 8)), np.sin(f(16, 8))
PAST = (f(1, 2, 4, 16), f(1, 2, 4, 16))
TOTAL = (np.array([6], np.int32), np.array(7, np.int32))

CASES: list[tuple[str, Sequence[Array | None], Sequence[int], Sequence[int], Mapping[str, Any]]] = [
    ("QLinearAdd", [u(2, 3), *A, u(2, 3), *B, *Y], (0,), (), {}),
    ("QLinearMul", [u(2, 3), *A, u(3), *B, *Y], (0,), (), {}),
    ("QLinearSigmoid", [u(2, 3), *A, *UNIT], (0,), (1, 2, 3, 4), {}),
    ("QLinearLeakyRelu", [u(2, 3), *A, *Y], (0,), (1, 2, 3, 4), {"alpha": 0.1}),
    ("QLinearSoftmax", [u(2, 5), *A, *UNIT], (0,), (1, 2, 3, 4), {"axis": -1, "opset": 13}),
    ("QLinearConcat", [*Y, u(2, 3), *A, u(2, 4), *B], (0,), (0, 1, 3, 4, 6, 7), {"axis": 1}),
    ("QLinearWhere", [u(2, 3) > 99, u(2, 3), *A, u(2, 3), *B, *Y], (0,), (2, 3, 5, 6, 7, 8), {}),
    ("QLinearGlobalAveragePool", [u(1, 3, 4, 4), *A, *Y], (0,), (), {}),
    ("QLinearAveragePool", [u(1, 3, 6, 6), *A, *Y], (0,), (), {"kernel_shape": [2, 2], "strides": [2, 2]}),
    ("QGemm", [u(2, 4), *A, i(4, 5), s(0.01), z(0, np.int8), np.arange(5, dtype=np.int32), *Y], (0,), (3, 4, 5, 6), {}),
    ("QGemm", [u(2, 4), *A, i(5, 4), f(5) ** 2, np.zeros(5, np.int8), None], (0,), (3, 4, 5), {"transB": 1}),
    ("MatMulIntegerToFloat", [u(2, 4), i(4, 5), s(0.1), f(5) ** 2, z(9), np.zeros(5, np.int8), f(5)], (0,), (), {}),
    ("DynamicQuantizeMatMul", [f(2, 4), i(4, 5), s(0.1), z(3, np.int8), f(5)], (0,), (), {}),
    ("MatMulNBits", [f(3, 64), u(4, 2, 16), f(4, 2)], (0,), (1, 2), {"K": 64, "N": 4, "block_size": 32}),
    ("MatMulNBits", [f(3, 48), u(2, 2, 16), f(4), u(2)], (0,), (1, 2, 3), {"K": 48, "N": 2, "block_size": 32}),
    ("MatMulNBits", [f(2, 32), u(4, 1, 32), f(4), u(4)], (0,), (1, 2, 3),
     {"K": 32, "N": 4, "block_size": 32, "bits": 8}),
    ("GatherBlockQuantized", [u(10, 16), z(3, np.int64).reshape(1), f(10, 2)], (0,), (0, 2), {"block_size": 16}),
    ("SkipLayerNormalization", [f(2, 3, 8), f(2, 3, 8), f(8), f(8), f(8)], (0, 3), (), {"epsilon": 1e-5}),
    ("SkipSimplifiedLayerNormalization", [f(2, 3, 8), f(2, 3, 8), f(8)], (0, 3), (), {"epsilon": 1e-5}),
    ("SimplifiedLayerNormalization", [f(2, 3, 8), f(8)], (0,), (), {"epsilon": 1e-5}),
    ("EmbedLayerNormalization", [np.array([[1, 0, 4]], np.int32), np.array([[0, 1, 1]], np.int32), f(5, 8), f(6, 8),
     f(2, 8), f(8), f(8), np.ones((1, 3), np.int32)], (0, 1), (), {"epsilon": 1e-5}),
    ("Gelu", [f(2, 3)], (0,), (), {}),
    ("QuickGelu", [f(2, 3)], (0,), (), {}),
    ("BiasGelu", [f(2, 3), f(3)], (0,), (), {}),
    ("FastGelu", [f(2, 3), f(3)], (0,), (), {}),
    ("FusedMatMul", [f(2, 3, 4), f(3, 5, 4)], (0,), (), {"transB": 1, "transBatchA": 1, "alpha": 0.5}),
    ("FusedConv", [f(1, 2, 5, 5), f(3, 2, 3, 3), f(3)], (0,), (),
     {"activation": "Clip", "activation_params": [0.0, 1.0]}),
    ("RotaryEmbedding", [f(2, 3, 32), z(3, np.int64).reshape(1), COS, SIN], (0,), (), {"interleaved": 1}),
    ("RotaryEmbedding", [f(2, 2, 3, 16), np.array([[0, 1, 2], [4, 5, 6]], np.int64), COS, SIN], (0,), (), {}),
    ("MultiHeadAttention", [f(2, 3, 16), f(2, 5, 16), f(2, 5, 16), f(48)], (0,), (), {"num_heads": 2}),
    ("MultiHeadAttention", [f(2, 3, 16), f(2, 3, 16), f(2, 3, 16), None, None, f(1, 2, 3, 7), f(2, 2, 4, 8),
     f(2, 2, 4, 8)], (0, 1, 2), (), {"num_heads": 2, "scale": 0.3}),
    ("Attention", [f(2, 3, 8), f(8, 48), f(48), np.array([[1, 1, 0], [1, 1, 1]], np.int32)], (0,), (),
     {"num_heads": 2, "unidirectional": 1}),
    ("Attention", [f(2, 3, 8), f(8, 48), f(48), None, f(2, 2, 2, 4, 8)], (0, 1), (), {"num_heads": 2}),
    ("QAttention", [u(2, 3, 8), i(8, 48) // 2, f(48), s(0.01), s(0.02), None, z(120), z(0, np.int8)], (0,), (),
     {"num_heads": 2}),
    ("GroupQueryAttention", [f(1, 3, 64), f(1, 3, 32), f(1, 3, 32), *PAST, *TOTAL, COS, SIN], (0, 1, 2), (5, 6),
     {"num_heads": 4, "kv_num_heads": 2, "do_rotary": 1, "local_window_size": 3}),
    ("GroupQueryAttention", [f(1, 1, 128), None, None, *PAST, np.array([4], np.int32), np.array(5, np.int32), COS, SIN],
     (0, 1, 2), (5, 6), {"num_heads": 4, "kv_num_heads": 2, "do_rotary": 1, "rotary_interleaved": 1, "softcap": 5.0}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_an_operator_gives_the_numbers_of_onnxruntime(case: Any, tmp_path: Path) -> None:
    model, inputs = model_of(*case)
    path = tmp_path / "m.onnx"
    save(model, path)
    expected = run_model(model, inputs)
    found = run_module(import_model(model, str(path)), inputs)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        is_step = other.dtype.name in ("uint8", "int8")
        a, b = one.astype(np.float64), other.astype(np.float64)
        np.testing.assert_allclose(a, b, rtol=0, atol=1 if is_step else 2e-5 * max(1.0, float(np.abs(b).max())))


WRONG: list[tuple[str, Sequence[Array | None], Sequence[int], Mapping[str, Any], str]] = [
    ("MatMulNBits", [f(3, 64), u(4, 2, 16), f(4, 2)], (1, 2), {"K": 64, "N": 4, "block_size": 32, "bits": 3},
     "weights of 3 bits are not supported; `bits` must be one of 2, 4, 8"),
    ("MatMulNBits", [f(3, 64), u(4, 1, 16), f(4, 2)], (1, 2), {"K": 64, "N": 4, "block_size": 32},
     "the packed rows hold 32 elements of 4 bits, but 64 are needed"),
    ("GroupQueryAttention", [f(1, 3, 64), f(1, 3, 32), f(1, 3, 32), *PAST, *TOTAL], (5, 6),
     {"num_heads": 4, "kv_num_heads": 2, "smooth_softmax": 1}, "a sink in the softmax"),
    ("QLinearConcat", [*Y, u(2, 3), *A, u(2, 4)], (), {"axis": 1}, "each part takes three inputs"),
    ("FusedConv", [f(1, 2, 5, 5), f(3, 2, 3, 3)], (), {"activation": "Elu"},
     "attribute `activation` is 'Elu'; supported"),
    ("GroupQueryAttention", [f(1, 3, 64), None, None, f(2), f(2), *TOTAL], (5, 6), {"num_heads": 4, "kv_num_heads": 2},
     "a value of tensor<2xf32> was met, but it must have 4 axes"),
    ("RotaryEmbedding", [f(2, 3), z(3, np.int64).reshape(1), COS, SIN], (), {}, "but it must have 4 axes"),
    ("EmbedLayerNormalization", [z(1, np.int64).reshape(1, 1, 1), None, f(5, 8), f(6, 8), None, f(8), f(8)], (), {},
     "but it must have 2 axes"),
    ("MultiHeadAttention", [f(2, 3, 16), f(2, 3, 16)], (), {"num_heads": 2}, "keys and values are missing"),
]  # fmt: skip


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case[0])
def test_what_is_not_supported_is_refused_by_a_sentence(case: Any) -> None:
    kind, inputs, known, words, sentence = case
    model, _ = model_of(kind, inputs, (0,), known, words)
    with pytest.raises(InputError) as error:
        import_model(model, "m.onnx")
    assert sentence in error.value.message

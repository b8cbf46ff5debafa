"""ONNX operators that become several graph ops: their numbers against onnxruntime's, for forms that the node tests of
the onnx package do not have, and the errors of nodes that do not fit."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, helper, numpy_helper

from dialects.diagnostics import InputError
from interp.walk.run import run_module
from ndpir.frontends.onnx import import_model
from tests.onnx_runs import run_model

Array = NDArray[Any]
F = np.float32


def drawn(*shape: int, seed: int = 7) -> Array:
    return np.random.default_rng(seed).normal(size=shape).astype(F)


def floats(*values: float) -> Array:
    return np.array(values, F)


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


NONE = np.zeros(0, F)
IMAGE, CUBE, ROWS = drawn(1, 4, 6, 5), drawn(1, 2, 3, 4, 5), drawn(2, 12)
Case: TypeAlias = tuple[str, int, Array, list[Array], dict[str, Any]]
"""A test case: operator, opset, first operand, operands that are initialisers, attributes."""

CASES: list[Case] = [
    ("ConvTranspose", 11, IMAGE, [drawn(4, 3, 3, 2)], {"strides": [2, 3], "pads": [1, 0, 0, 1]}),
    ("ConvTranspose", 11, IMAGE, [drawn(4, 3, 3, 3), drawn(6)], {"group": 2, "strides": [3, 2], "dilations": [2, 1]}),
    ("ConvTranspose", 11, IMAGE, [drawn(4, 1, 2, 2)], {"strides": [2, 2], "group": 4, "output_padding": [1, 1]}),
    ("ConvTranspose", 11, IMAGE, [drawn(4, 2, 3, 3)], {"strides": [2, 2], "auto_pad": "SAME_UPPER"}),
    ("ConvTranspose", 11, CUBE, [drawn(2, 3, 2, 3, 1)], {"strides": [2, 1, 2], "output_shape": [5, 5, 9]}),
    ("ConvTranspose", 11, drawn(2, 3, 8), [drawn(3, 2, 16)], {"strides": [8], "pads": [4, 4]}),
    ("Resize", 13, IMAGE, [NONE, floats(1, 1, 2, 3)], {"mode": "linear"}),
    ("Resize", 13, IMAGE, [NONE, floats(1, 1, 4, 0.6)],
     {"mode": "cubic", "coordinate_transformation_mode": "asymmetric"}),
    ("Resize", 13, IMAGE, [NONE, NONE, ints(1, 4, 3, 15)],
     {"mode": "linear", "coordinate_transformation_mode": "align_corners"}),
    ("Resize", 13, CUBE, [NONE, floats(1, 1, 2, 2, 2)], {"mode": "linear"}),
    ("Resize", 13, IMAGE, [NONE, floats(1, 1, 0.5, 0.4)], {"mode": "nearest", "nearest_mode": "ceil"}),
    ("Resize", 10, IMAGE, [floats(1, 1, 2, 2)], {"mode": "nearest"}),
    ("Resize", 18, IMAGE, [NONE, floats(1, 1, 0.5, 0.5)], {"mode": "linear", "antialias": 1}),
    ("Upsample", 9, IMAGE, [floats(1, 1, 2, 2)], {"mode": "linear"}),
    ("LpPool", 18, IMAGE, [], {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1], "p": 3}),
    ("TopK", 11, ROWS, [ints(5)], {"axis": 0 - 1, "largest": 0}),
    ("TopK", 11, np.array([[3, 1, 3, 2, 3]], np.int64), [ints(4)], {}),
    ("ArgMax", 13, ROWS, [], {"axis": 1, "keepdims": 0}),
    ("ArgMin", 13, ROWS, [], {"axis": 0, "select_last_index": 1}),
    ("Einsum", 12, drawn(2, 3, 4), [drawn(2, 5, 4), drawn(5, 6)], {"equation": "bij,bkj,kl->bil"}),
    ("Einsum", 12, drawn(2, 3, 3), [drawn(3)], {"equation": "...ii,i->...i"}),
    ("Einsum", 12, drawn(2, 3), [drawn(4, 5)], {"equation": "ij,kl->lj"}),
    ("Einsum", 12, drawn(2, 1, 3, 4), [drawn(5, 4, 6)], {"equation": "a...bc,...cd->...abd"}),
    ("STFT", 17, drawn(1, 128, 1), [np.array(16), drawn(32)], {"onesided": 1}),
    ("GridSample", 16, IMAGE, [drawn(1, 3, 4, 2)], {"mode": "bicubic", "padding_mode": "reflection"}),
    ("GridSample", 16, IMAGE, [drawn(1, 3, 4, 2)], {"mode": "nearest", "padding_mode": "border", "align_corners": 1}),
    ("InstanceNormalization", 9, IMAGE, [drawn(4), drawn(4)], {"epsilon": 1e-3}),
    ("Pad", 13, IMAGE, [ints(0, 1, -2, 3, 0, 0, 1, -1), np.array(2, F)], {}),
    ("Pad", 13, IMAGE, [ints(0, 0, 2, 1, 0, 0, 1, 3)], {"mode": "reflect"}),
    ("PRelu", 9, IMAGE, [drawn(4, 1, 1)], {}),
    ("Softplus", 9, floats(-200, -1, 0, 1, 200).reshape(1, 5), [], {}),
    ("ReduceLogSumExp", 13, floats(1000, 999, -1e30).reshape(1, 3), [], {"axes": [1]}),
    ("ReduceL2", 13, ROWS, [], {"keepdims": 0}),
    ("LogSoftmax", 9, drawn(2, 3, 4), [], {"axis": 1}),
    ("Hardmax", 11, drawn(2, 3, 4), [], {"axis": 1}),
    ("LpNormalization", 9, ROWS, [], {"axis": 0, "p": 1}),
    ("MaxUnpool", 11, drawn(1, 1, 2, 2), [ints(5, 7, 13, 15).reshape(1, 1, 2, 2)],
     {"kernel_shape": [2, 2], "strides": [2, 2]}),
    ("ReverseSequence", 10, drawn(4, 3), [ints(4, 2, 1)], {}),
    ("DepthToSpace", 13, drawn(1, 8, 2, 3), [], {"blocksize": 2, "mode": "CRD"}),
    ("Tile", 13, drawn(2, 1, 3), [ints(1, 4, 2)], {}),
    ("Trilu", 14, drawn(2, 4, 5), [np.array(-1)], {"upper": 0}),
    ("RoiAlign", 16, IMAGE, [floats(0, 0, 3, 4, 1, 1, 9, 2).reshape(2, 4), ints(0, 0)],
     {"output_height": 2, "output_width": 3, "sampling_ratio": 2, "spatial_scale": 0.5}),
]  # fmt: skip


def model_of(case: Case) -> ModelProto:
    """A model of one node, whose first operand is an input and whose other operands are initialisers; empty operands of
    floating-point numbers are omitted."""
    operator, opset, x, constants, attributes = case
    kept = {f"i{at}": array for at, array in enumerate(constants) if array.size}
    names = [f"i{at}" if array.size else "" for at, array in enumerate(constants)]
    count = {"TopK": 2}.get(operator, 1)
    outputs = [f"y{at}" for at in range(count)]
    node = helper.make_node(operator, ["x", *names], outputs, name="n", **attributes)
    ends = (
        [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
    )
    held = [numpy_helper.from_array(array, name) for name, array in kept.items()]
    graph = helper.make_graph([node], "main", *ends, held)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


@pytest.mark.parametrize("case", CASES, ids=[f"{case[0]}-{index}" for index, case in enumerate(CASES)])
def test_an_operator_computes_the_results_of_onnxruntime(case: Case) -> None:
    model = model_of(case)
    module = import_model(model, "m.onnx")
    module.verify()
    for found, expected in zip(run_module(module, [case[2]]), run_model(model, [case[2]]), strict=True):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        size = float(np.abs(expected).max(initial=1.0))
        np.testing.assert_allclose(np.asarray(found, np.float64), expected, rtol=1e-5, atol=2e-6 * size)


TRANSFORMS: list[tuple[tuple[int, ...], list[Array], dict[str, Any]]] = [
    ((2, 96, 1), [], {"axis": 1}),
    ((2, 97, 2), [], {"axis": 1}),
    ((2, 300, 1), [np.array(360)], {"axis": 1, "onesided": 1}),
    ((3, 40, 5, 2), [np.array(36)], {"axis": 1, "inverse": 1}),
]


@pytest.mark.parametrize("case", TRANSFORMS)
def test_a_fourier_transform_is_as_exact_as_f32_allows(
    case: tuple[tuple[int, ...], list[Array], dict[str, Any]],
) -> None:
    """The reference is numpy in f64: onnxruntime's rotations are less exact."""
    shape, length, attributes = case
    x = drawn(*shape)
    (found,) = run_module(import_model(model_of(("DFT", 17, x, length, attributes)), "m.onnx"), [x])
    wide = x[..., 0].astype(np.complex128) + (1j * x[..., 1] if shape[-1] == 2 else 0)
    count = int(length[0]) if length else shape[1]
    expected = (np.fft.ifft if attributes.get("inverse") else np.fft.fft)(wide, count, axis=1)
    expected = expected[:, : count // 2 + 1] if attributes.get("onesided") else expected
    error = np.abs(np.asarray(found, np.float64) - np.stack([expected.real, expected.imag], axis=-1)).max()
    assert error < 2e-6 * np.abs(expected).max()


WRONG: dict[str, tuple[Case, str]] = {
    "more than all elements": (("TopK", 11, ROWS, [ints(13)], {}), "`k` must be from 0 to 12, the extent of axis 1"),
    "missing factor": (
        ("Resize", 13, IMAGE, [NONE, floats(1, 2)], {}),
        "4 axes need a factor or an extent each, not 2",
    ),
    "no extent": (("Resize", 13, IMAGE, [NONE, floats(1, 1, 0, 1)], {}), "factors and extents must be above 0"),
    "huge image": (("Resize", 13, IMAGE, [NONE, floats(1, 1, 1e9, 1e9)], {}), "has more than 2^40 elements"),
    "linear integers": (
        ("Resize", 13, IMAGE.astype(np.int32), [NONE, floats(1, 1, 2, 2)], {"mode": "linear"}),
        "only the mode `nearest` resizes elements of i32; cast the operand (Cast)",
    ),
    "filters of other channels": (
        ("ConvTranspose", 11, IMAGE, [drawn(3, 1, 2, 2)], {}),
        "the operands must be [N, C, spatial…]",
    ),
    "empty result": (("ConvTranspose", 11, IMAGE, [drawn(4, 1, 1, 1)], {"pads": [9] * 4}), "the result would have"),
    "wrong equation": (("Einsum", 12, ROWS, [ROWS], {"equation": "ij,jk,kl"}), "has 3 terms for 2 operands"),
    "other rank": (("Einsum", 12, ROWS, [ROWS], {"equation": "i,jk"}), "does not fit operands of 2, 2 axes"),
    "other extents": (("Einsum", 12, ROWS, [ROWS], {"equation": "ij,jk"}), "counts 12 elements in one operand, 2 in"),
    "unknown index": (("Einsum", 12, ROWS, [], {"equation": "ij->k"}), "must name indices of the operands, each once"),
    "no numbers": (("DFT", 17, ROWS, [], {"axis": 1}), "must hold real and imaginary parts along its last axis"),
    "long signal": (("DFT", 17, drawn(1, 4, 1), [np.array(2**41)], {"axis": 1}), "has more than 2^40 elements"),
    "onesided": (("DFT", 17, drawn(1, 4, 2), [], {"axis": 1, "onesided": 1}), "only the spectrum of real numbers"),
    "other grid": (("GridSample", 16, IMAGE, [drawn(1, 3, 4, 3)], {}), "needs a grid [N, points…, 2], not"),
    "no samples": (("RoiAlign", 16, IMAGE, [drawn(2, 4), ints(0, 0)], {}), "`sampling_ratio` must be at least 1"),
    "cut too much": (("Pad", 13, ROWS, [ints(0, -7, 0, -7)], {}), "cut more than the 12 elements of axis 1 off"),
    "unknown mode": (("Pad", 13, ROWS, [ints(0, 1, 0, 1)], {"mode": "wrap"}), "supported: constant, edge, reflect"),
    "repeats": (("Tile", 13, ROWS, [ints(2)], {}), "needs 2 repeats of at least 0, not [2]"),
    "blocks": (("DepthToSpace", 13, IMAGE, [], {"blocksize": 3}), "can't be divided into blocks of 9"),
    "groups": (("InstanceNormalization", 9, IMAGE, [drawn(3), drawn(4)], {}), "input 1 must have the shape [4]"),
    "endless range": (
        ("Range", 11, np.array(0.0, F), [np.array(1.0, F), np.array(0.0, F)], {}),
        "must be known before",
    ),
    "data": (("NonZero", 13, ROWS, [], {}), "the shape of its result depends on its numbers"),
    "chosen by data": (("Compress", 11, ROWS, [np.array([True] * 13)], {"axis": 1}), "selects element 12, but axis 1"),
    "power": (("LpPool", 18, IMAGE, [], {"kernel_shape": [2, 2], "p": 0}), "`p`, the exponent of the norm, must be"),
    "slope": (("PRelu", 9, ROWS, [drawn(3, 2, 12)], {}), "does not broadcast to tensor<2x12xf32>"),
    "places": (("MaxUnpool", 11, IMAGE, [ints(1)], {"kernel_shape": [2, 2]}), "and a position each"),
    "positions": (("TensorScatter", 24, ROWS, [ROWS, ints(1)], {"axis": 1}), "need a position for each of their"),
    "lengths": (("ReverseSequence", 10, ROWS, [ints(1)], {}), "needs a length for each of 12 sequences"),
}


@pytest.mark.parametrize(("case", "text"), WRONG.values(), ids=WRONG)
def test_a_node_that_does_not_fit_is_an_error_of_one_sentence(case: Case, text: str) -> None:
    with pytest.raises(InputError) as error:
        import_model(model_of(case), "m.onnx")
    found = error.value.message
    assert found.startswith(f'node "n" ({case[0]}): ')
    assert text in found
    assert "\n" not in found


def test_a_long_range_of_numbers_is_computed() -> None:
    constants = [
        numpy_helper.from_array(np.array(n, F), name) for name, n in zip("abc", (2.0, 5000.0, 1.5), strict=True)
    ]
    node = helper.make_node("Range", ["a", "b", "c"], ["r"])
    last = helper.make_node("Add", ["x", "r"], ["y"])
    ends = [helper.make_tensor_value_info("x", 1, ())], [helper.make_empty_tensor_value_info("y")]
    model = helper.make_model(
        helper.make_graph([node, last], "g", *ends, constants), opset_imports=[helper.make_opsetid("", 20)]
    )
    (found,) = run_module(import_model(model, "m.onnx"), [np.array(1.0, F)])
    np.testing.assert_array_equal(found, np.arange(2.0, 5000.0, 1.5) + 1)


def test_functions_of_the_model_and_of_the_standard_are_expanded() -> None:
    scaled = helper.make_node("Mul", ["x", "factor"], ["y"])
    factor = helper.make_node("Constant", [], ["factor"])
    factor.attribute.add(name="value_float", ref_attr_name="by", type=1)
    opset = [helper.make_opsetid("", 20)]
    scale = helper.make_function("mine", "Scale", ["x"], ["y"], [factor, scaled], opset, ["by"])
    twice = helper.make_node("Scale", ["x"], ["a"], domain="mine", by=3.0)
    both = helper.make_function("mine", "Both", ["x"], ["y"], [twice, helper.make_node("Mish", ["a"], ["y"])],
                                [*opset, helper.make_opsetid("mine", 1)])  # fmt: skip
    ends = [helper.make_tensor_value_info("x", 1, (2, 12))], [helper.make_empty_tensor_value_info("y")]
    graph = helper.make_graph([helper.make_node("Both", ["x"], ["y"], domain="mine")], "g", *ends)
    model = helper.make_model(graph, opset_imports=[*opset, helper.make_opsetid("mine", 1)], functions=[scale, both])
    (found,) = run_module(import_model(model, "m.onnx"), [ROWS])
    wide = 3.0 * ROWS.astype(np.float64)
    np.testing.assert_allclose(
        np.asarray(found, np.float64), wide * np.tanh(np.log1p(np.exp(wide))), rtol=1e-5, atol=1e-6
    )


def functions_of(depth: int, width: int) -> ModelProto:
    """A model with functions, each of which uses the next one `width` times, and the last one the first if `depth` is
    0."""
    names = [f"f{at}" for at in range(max(depth, 1))]
    made: list[Any] = []
    opset = [helper.make_opsetid("", 20), helper.make_opsetid("mine", 1)]
    for at, name in enumerate(names):
        used = names[at + 1] if at + 1 < len(names) else ("f0" if depth == 0 else "")
        values = ["x", *(f"v{n}" for n in range(width - 1)), "y"]
        nodes = [helper.make_node(used or "Relu", [a], [b], domain="mine" if used else "") for a, b in pairwise(values)]
        made.append(helper.make_function("mine", name, ["x"], ["y"], nodes, opset))
    ends = [helper.make_tensor_value_info("x", 1, (2,))], [helper.make_empty_tensor_value_info("y")]
    graph = helper.make_graph([helper.make_node("f0", ["x"], ["y"], domain="mine")], "g", *ends)
    return helper.make_model(graph, opset_imports=opset, functions=made)


def test_functions_that_use_themselves_or_become_too_many_nodes_are_errors() -> None:
    import_model(functions_of(3, 2), "m.onnx").verify()
    with pytest.raises(InputError, match="the function `f0` of the model uses itself; write it without recursion"):
        import_model(functions_of(0, 1), "m.onnx")
    with pytest.raises(InputError, match="of the model becomes more than 1048576 nodes"):
        import_model(functions_of(40, 2), "m.onnx")

"""The onnx package's own node tests as cases: import of a case's model, run, and comparison of its results.

The package builds the cases in memory (about 5 s).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, numpy_helper

from interp.walk.run import run_module
from ndpir.frontends.onnx import import_model

Array = NDArray[Any]
Case = Any  # onnx.backend.test.case.test_case.TestCase, which has no types

SHAPE_OPERANDS: Mapping[str, tuple[int, ...]] = {
    "AffineGrid": (1,),
    "BlackmanWindow": (0,),
    "CenterCropPad": (1,),
    "Col2Im": (1, 2),
    "ConstantOfShape": (0,),
    "CumProd": (1,),
    "CumSum": (1,),
    "DFT": (1, 2),
    "Dropout": (1, 2),
    "Expand": (1,),
    "HammingWindow": (0,),
    "HannWindow": (0,),
    "Loop": (0, 1),
    "MaxUnpool": (2,),
    "MelWeightMatrix": (0, 1, 2, 3, 4),
    "Compress": (1,),
    "NonZero": (0,),
    "OneHot": (1,),
    "Pad": (1, 2, 3),
    "Range": (0, 1, 2),
    "ReduceL1": (1,),
    "ReduceL2": (1,),
    "ReduceLogSum": (1,),
    "ReduceLogSumExp": (1,),
    "ReduceMax": (1,),
    "ReduceMean": (1,),
    "ReduceMin": (1,),
    "ReduceProd": (1,),
    "ReduceSum": (1,),
    "ReduceSumSquare": (1,),
    "Reshape": (1,),
    "Resize": (1, 2, 3),
    "STFT": (1, 3),
    "Slice": (1, 2, 3, 4),
    "Split": (1,),
    "Squeeze": (1,),
    "Tile": (1,),
    "TopK": (1,),
    "Trilu": (1,),
    "Unsqueeze": (1,),
    "Upsample": (1,),
}
"""Operands that decide a shape or an axis, by operator. The cases feed them as inputs, but shapes are static here, so
they become initialisers."""


def all_cases() -> list[Case]:
    """All node tests of the package."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        found: list[Case] = collect_testcases(None)  # pyright: ignore[reportArgumentType]
    return found


def operator_of(case: Case) -> str:
    """The operator that a case tests; `several` for one with a graph of several nodes."""
    nodes = case.model.graph.node
    return nodes[0].op_type if len(nodes) == 1 else "several"


def element_types(model: ModelProto) -> set[int]:
    """The ONNX element types of a model's inputs, outputs and initialisers."""
    values = [*model.graph.input, *model.graph.output, *model.graph.value_info]
    return {v.type.tensor_type.elem_type for v in values if v.type.HasField("tensor_type")}


def shape_inputs(cases: list[Case]) -> dict[str, set[str]]:
    """The inputs of each case that decide a shape, by the case's name. A case `NAME_expanded…`, whose graph is the
    operator's definition, has those of the case `NAME`."""
    found: dict[str, set[str]] = {}
    for case in cases:
        named = found[case.name] = set[str]()
        for node in case.model.graph.node:
            places = SHAPE_OPERANDS.get(node.op_type, ())
            named.update(node.input[index] for index in places if index < len(node.input))
    for case in cases:
        found[case.name] |= found.get(case.name.partition("_expanded")[0], set())
    return found


def check(case: Case, shape_operands: set[str]) -> None:
    """Import and run a case for each of its data sets; raise AssertionError unless the results are right, and
    InputError if the model is refused. `shape_operands`: inputs that become initialisers."""
    for inputs, outputs in case.data_sets:
        model = ModelProto()
        model.CopyFrom(case.model)
        arrays = dict(zip((value.name for value in model.graph.input), map(as_array, inputs), strict=True))
        bind(model, arrays, shape_operands)
        module = import_model(model, case.name)
        module.verify()
        results = run_module(module, list(arrays.values()))
        for result, expected in zip(results, map(as_array, outputs), strict=True):
            compare(result, expected, case.rtol, case.atol)


def as_array(value: object) -> Array:
    """The numbers of a tensor; a sequence or an optional value as an array of objects."""
    if isinstance(value, TensorProto):
        return numpy_helper.to_array(value)
    if isinstance(value, list):
        found = np.empty((), object)
        found[()] = value
        return found
    return np.asarray(value)


def bind(model: ModelProto, arrays: dict[str, Array], names: set[str]) -> None:
    """Turn the inputs `names` of a model into initialisers with the values in `arrays`, from which they are removed;
    also raise an opset below 7 to 7 where that changes nothing."""
    for name in names & arrays.keys():
        model.graph.initializer.append(numpy_helper.from_array(arrays.pop(name), name))
    for entry in model.opset_import:
        if entry.domain == "" and entry.version < 7 and all(_same(node, entry.version) for node in model.graph.node):
            entry.version = 7


def _same(node: onnx.NodeProto, opset: int) -> bool:
    old, new = (onnx.defs.get_schema(node.op_type, each) for each in (opset, 7))
    return old.since_version == new.since_version


def compare(result: Array, expected: Array, rtol: float, atol: float) -> None:
    """Raise AssertionError unless the results are equal within the case's tolerances, or within one rounding of the
    largest element: sums whose terms cancel are no more exact than that."""
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    if expected.dtype == ml_dtypes.bfloat16:
        rtol = atol = 2**-6
        result, expected = result.astype(np.float32), expected.astype(np.float32)
    if expected.dtype.name in ("float16", "float32", "float64"):
        finite = expected[np.isfinite(expected)]
        atol = max(atol, float(np.spacing(expected.dtype.type(1))) * float(np.abs(finite).max(initial=0.0)))
    np.testing.assert_allclose(result, expected, rtol=rtol, atol=atol)

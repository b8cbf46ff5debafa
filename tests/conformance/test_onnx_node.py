"""The onnx package's own node tests, for all operators that ndpir imports: each case is imported, run, and compared.

The package builds the cases in memory (about 5 s). The 478 cases with only the nine common element types count for the
project's bar of 470; cases with other integer types are run in addition. The reasons for skipped cases are shown by
`pytest -ra`.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, numpy_helper

from interp.walk.run import run_module
from ndpir.frontends.onnx import import_model

pytestmark = pytest.mark.slow

# The operators of published CNNs and transformers, as PyTorch's exporters write them.
OPERATORS = """
    Add And Attention AveragePool BatchNormalization Cast CastLike Clip Concat Constant ConstantOfShape Conv Cos CumSum
    Div Dropout Equal Erf Expand Flatten Gather GatherElements GatherND Gelu Gemm GlobalAveragePool GreaterOrEqual
    Identity IsNaN LRN LayerNormalization LessOrEqual MatMul MaxPool Mul Neg Not Pow RMSNormalization Reciprocal
    ReduceMean Relu Reshape Shape Sigmoid Sin Slice Softmax Split Sqrt Squeeze Sum Tanh Transpose Unsqueeze Where
""".split()  # noqa: SIM905 - a list of 56 lines reads worse

COMMON = frozenset(
    map(TensorProto.DataType.Value, "FLOAT FLOAT16 BFLOAT16 DOUBLE BOOL INT8 INT32 INT64 UINT8".split())  # noqa: SIM905
)
MORE = frozenset((TensorProto.INT16, TensorProto.UINT16, TensorProto.UINT32, TensorProto.UINT64))

RANDOM = "training mode draws random numbers, and each runtime has a generator of its own"
SKIPPED = {
    "test_training_dropout": RANDOM,
    "test_training_dropout_default": RANDOM,
    "test_training_dropout_default_mask": RANDOM,
    "test_training_dropout_mask": RANDOM,
    "test_identity_opt": "an optional value is no tensor",
    "test_identity_sequence": "a sequence is no tensor",
}
"""Cases of supported element types that do not run."""

# Operands that decide a shape. The cases feed them as inputs, but shapes are static here, so they become initialisers.
SHAPE_OPERANDS = {
    "ConstantOfShape": (0,),
    "CumSum": (1,),
    "Dropout": (1, 2),
    "Expand": (1,),
    "ReduceMean": (1,),
    "Reshape": (1,),
    "Slice": (1, 2, 3, 4),
    "Split": (1,),
    "Squeeze": (1,),
    "Unsqueeze": (1,),
}

Array = NDArray[Any]
Case = Any  # onnx.backend.test.case.test_case.TestCase, which has no types


@pytest.fixture(scope="session")
def cases() -> list[Case]:
    """All cases whose nodes are operators that ndpir imports."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        found: list[Case] = collect_testcases(None)  # pyright: ignore[reportArgumentType]
    known = set(OPERATORS)
    return [c for c in found if all(n.domain in ("", "ai.onnx") and n.op_type in known for n in c.model.graph.node)]


def element_types(model: ModelProto) -> set[int]:
    """The ONNX element types of a model's inputs, outputs and initialisers."""
    values = [*model.graph.input, *model.graph.output, *model.graph.value_info]
    return {v.type.tensor_type.elem_type for v in values if v.type.HasField("tensor_type")}


@pytest.mark.parametrize("operator", [*OPERATORS, "several"])
def test_operator(operator: str, cases: Sequence[Case], subtests: pytest.Subtests) -> None:
    mine = [case for case in cases if operator_of(case) == operator]
    assert mine
    for case in mine:
        if case.name not in SKIPPED and element_types(case.model) <= COMMON | MORE:
            with subtests.test(case.name):
                check(case)


def operator_of(case: Case) -> str:
    nodes = case.model.graph.node
    return nodes[0].op_type if len(nodes) == 1 else "several"


@pytest.mark.parametrize(("name", "reason"), SKIPPED.items())
def test_skipped(name: str, reason: str, cases: Sequence[Case]) -> None:
    assert any(case.name == name for case in cases)
    pytest.skip(f"{name}: {reason}")


def test_skipped_element_types(cases: Sequence[Case]) -> None:
    others = Counter(
        TensorProto.DataType.Name(type_) for c in cases for type_ in element_types(c.model) - COMMON - MORE
    )
    pytest.skip(f"element types that graph does not have: {', '.join(f'{n} in {c} cases' for n, c in others.items())}")


def test_bar(cases: Sequence[Case]) -> None:
    """At most 8 of the 478 cases with only common element types are in `SKIPPED`, so that at least 470 of them run."""
    common = [case for case in cases if element_types(case.model) <= COMMON]
    assert len(common) >= 478
    assert sum(case.name not in SKIPPED for case in common) >= 470


def check(case: Case) -> None:
    model = ModelProto()
    model.CopyFrom(case.model)
    for inputs, outputs in case.data_sets:
        arrays = dict(zip((value.name for value in model.graph.input), map(as_array, inputs), strict=True))
        bind_shapes(model, arrays)
        module = import_model(model, case.name)
        module.verify()
        results = run_module(module, list(arrays.values()))
        for result, expected in zip(results, map(as_array, outputs), strict=True):
            compare(result, expected, case.rtol, case.atol)


def as_array(value: object) -> Array:
    return numpy_helper.to_array(value) if isinstance(value, TensorProto) else np.asarray(value)


def bind_shapes(model: ModelProto, arrays: dict[str, Array]) -> None:
    """Turn the inputs of a model that determine shapes into initialisers with the values in `arrays`, from which they
    are removed; also raise an opset below 7 to 7."""
    for node in model.graph.node:
        for index in SHAPE_OPERANDS.get(node.op_type, ()):
            if index < len(node.input) and node.input[index] in arrays:
                name = node.input[index]
                model.graph.initializer.append(numpy_helper.from_array(arrays.pop(name), name))
    for entry in model.opset_import:
        if entry.domain == "" and entry.version < 7:
            for node in model.graph.node:  # only where that changes nothing
                old, new = (onnx.defs.get_schema(node.op_type, opset) for opset in (entry.version, 7))
                assert old.since_version == new.since_version
            entry.version = 7


def compare(result: Array, expected: Array, rtol: float, atol: float) -> None:
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    if expected.dtype == ml_dtypes.bfloat16:
        rtol = atol = 2**-6
        result, expected = result.astype(np.float32), expected.astype(np.float32)
    np.testing.assert_allclose(result, expected, rtol=rtol, atol=atol)

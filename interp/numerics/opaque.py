"""Values of operators of ONNX whose meaning is unknown here (`graph.opaque`), from onnx's reference evaluator or ONNX
Runtime.

Both run a model of one node, which names one of their own operators: no code comes from the file of the program, and no
library of custom operators is loaded. Operators that run a program or open a file by name are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DenseIntOrFPElementsAttr, FloatAttr, i64
from xdsl.ir import Attribute

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import dtype_of
from dialects.graph.opaque import plain
from interp.numerics.meaning import meaning
from interp.numerics.rounding import Array

if TYPE_CHECKING:
    from onnx import ModelProto

STANDARD: Final = ("", "ai.onnx", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training", "ai.onnx.training")
"""The domains of the ONNX standard."""
RUNTIME: Final = (*STANDARD, "com.microsoft")
"""The domains whose operators ONNX Runtime has."""
_RUN_OTHERS: Final = frozenset({"ATen", "EPContext", "ExternalOp", "PythonOp", "PythonOpGrad", "TritonOp"})
"""Operators of com.microsoft that run a program, or read a file, that their attributes name."""


@meaning.of(g.OpaqueOp)
def opaque(op: g.OpaqueOp, *xs: Array) -> Array:
    """The result by the first evaluator that has the operator. Raises InputError if none gives it."""
    reasons: list[str] = []
    for called, evaluate in _EVALUATORS:
        found = evaluate(op, xs)
        if not isinstance(found, str):
            return _checked(op, np.asarray(found), called)
        reasons.append(f"{called} {found}")
    raise InputError(
        f"graph.opaque of {op.called} has no values here: {', and '.join(reasons)}; its time and energy need none (-t "
        "timeline)",
        op,
    )


def _checked(op: g.OpaqueOp, found: Array, by: str) -> Array:
    """The result, if it is of the op's type."""
    type_ = g.tensor_of(op.y)
    if found.shape != type_.get_shape() or found.dtype != dtype_of(type_.element_type):
        raise InputError(
            f"graph.opaque of {op.called} is written as {type_}, but {by} computes {found.dtype} of shape "
            f"{list(found.shape)}; correct the type",
            op,
        )
    return found


def _by_reference(op: g.OpaqueOp, xs: Sequence[Array]) -> Array | str:
    """The result by onnx's reference evaluator, or why it has none."""
    if op.domain.data not in STANDARD:
        return f"knows no domain {op.domain.data}"
    from onnx.reference import ReferenceEvaluator

    try:
        evaluator: Any = ReferenceEvaluator(_model(op, xs))
    except Exception as error:  # whatever a node makes of foreign code
        return _refuses(error)
    return _result(op, xs, lambda feeds: evaluator.run(None, feeds))


def _by_runtime(op: g.OpaqueOp, xs: Sequence[Array]) -> Array | str:
    """The result by ONNX Runtime, or why it has none."""
    if op.domain.data not in RUNTIME or op.operator.data in _RUN_OTHERS:
        return f"has no operator {op.called}"
    if find_spec("onnxruntime") is None:
        return "is not installed (pip install onnxruntime)"
    onnxruntime: Any = import_module("onnxruntime")  # without types
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # its messages are in the error
    options.intra_op_num_threads = 1  # sums in one order
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        data = _model(op, xs).SerializeToString()
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its exceptions have no common class
        return _refuses(error)
    return _result(op, xs, lambda feeds: session.run(None, feeds))


_EVALUATORS = (("onnx's reference evaluator", _by_reference), ("ONNX Runtime", _by_runtime))


def _result(op: g.OpaqueOp, xs: Sequence[Array], run: Callable[[dict[str, Array]], Sequence[object]]) -> Array | str:
    """The op's output among those that a run of its node gives, or why it fails."""
    try:
        found: Any = run({f"x{place}": x for place, x in zip(_places(op), xs, strict=True)})[0]
    except Exception as error:  # whatever foreign code makes of the operands
        return _refuses(error)
    array: Array = np.asarray(found)
    return array if array.dtype.kind in "biufV" else "gives no tensor"


def _refuses(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"refuses it ({text[:200] or type(error).__name__})"


def _places(op: g.OpaqueOp) -> list[int]:
    """The place of each operand among the inputs of the node."""
    absent = set(op.absent.get_values())
    return [place for place in range(len(op.xs) + len(absent)) if place not in absent]


def _model(op: g.OpaqueOp, xs: Sequence[Array]) -> ModelProto:
    """The model of the op's node alone, whose inputs are the operands, and whose output is the op's."""
    from onnx import helper

    places = _places(op)
    inputs = [f"x{place}" if place in places else "" for place in range(len(op.xs) + len(op.absent.get_values()))]
    outputs = [f"y{number}" for number in range(op.outputs.value.data)]
    node = helper.make_node(op.operator.data, inputs, outputs, domain=op.domain.data)
    for name, value in op.given.data.items():
        found = plain(value)
        assert found is not None  # the op verifies
        if isinstance(found, DenseIntOrFPElementsAttr):
            found = _tensor(found)
        kind = _list_of(value) if found == [] else None  # no element shows the type
        node.attribute.append(helper.make_attribute(name, found, attr_type=kind))
    types = [helper.np_dtype_to_tensor_dtype(x.dtype) for x in xs]
    given = [
        helper.make_tensor_value_info(f"x{place}", type_, x.shape)
        for place, type_, x in zip(places, types, xs, strict=True)
    ]
    result = helper.np_dtype_to_tensor_dtype(np.dtype(dtype_of(g.tensor_of(op.y).element_type)))
    made = helper.make_tensor_value_info(outputs[op.output.value.data], result, None)
    graph = helper.make_graph([node], "opaque", given, [made])
    version = op.opset.value.data
    opsets = [helper.make_opsetid(op.domain.data, version)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)


_IR_VERSION: Final = 10
"""The version of the file format of models of one node, which ONNX Runtime has read since 2024."""


def _list_of(value: Attribute) -> int:
    """The number of ONNX for a list of integers, floats or texts."""
    from onnx import AttributeProto

    if isinstance(value, ArrayAttr):
        return AttributeProto.STRINGS
    return AttributeProto.INTS if value == DenseArrayBase.from_list(i64, []) else AttributeProto.FLOATS


def _tensor(value: DenseIntOrFPElementsAttr) -> object:
    """A dense tensor as a tensor of ONNX."""
    from onnx import numpy_helper

    dtype = dtype_of(value.type.element_type)
    numbers = [each.value.data if isinstance(each, FloatAttr) else each for each in value.get_values()]
    return numpy_helper.from_array(np.array(numbers).astype(dtype).reshape(value.get_shape()))

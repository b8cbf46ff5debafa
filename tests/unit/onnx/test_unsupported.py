"""The ways that error messages name to avoid operators of ONNX: there is one for each operator, and it works."""

from __future__ import annotations

import re
from typing import Any

import pytest
from onnx import ModelProto, TensorProto, defs, helper, inliner, shape_inference

from dialects.diagnostics import InputError
from ndpir.frontends.onnx import import_model
from ndpir.frontends.onnx.operators import OPERATORS
from ndpir.frontends.onnx.unsupported import EXPANDED, WAYS

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
STANDARD = {schema.name for schema in defs.get_all_schemas_with_history() if schema.domain == ""}
AXES = helper.make_tensor("axes", INT64, [1], [1])
IMAGE, MATRIX = (1, 4, 4, 4), (2, 6)
EXAMPLES: dict[str, tuple[str, tuple[int, ...], dict[str, Any]]] = {
    "Celu": ("x", MATRIX, {"alpha": 2.0}),
    "DepthToSpace": ("x", IMAGE, {"blocksize": 2}),
    "Elu": ("x", MATRIX, {"alpha": 1.0}),
    "HardSigmoid": ("x", MATRIX, {"alpha": 0.2, "beta": 0.5}),
    "LeakyRelu": ("x", MATRIX, {"alpha": 0.1}),
    "MeanVarianceNormalization": ("x", IMAGE, {"axes": [0, 2, 3]}),
    "PRelu": ("x one", MATRIX, {}),
    "ReduceL1": ("x axes", MATRIX, {}),
    "ReduceL2": ("x axes", MATRIX, {}),
    "ReduceLogSum": ("x axes", MATRIX, {}),
    "ReduceLogSumExp": ("x axes", MATRIX, {}),
    "ReduceSumSquare": ("x axes", MATRIX, {}),
    "Selu": ("x", MATRIX, {"alpha": 1.6, "gamma": 1.05}),
    "SpaceToDepth": ("x", IMAGE, {"blocksize": 2}),
    "ThresholdedRelu": ("x", MATRIX, {"alpha": 1.0}),
    "LogSoftmax": ("x", MATRIX, {"axis": -1}),
    "SwiGLU": ("x x", MATRIX, {"alpha": 1.0}),
    "Swish": ("x", MATRIX, {"alpha": 1.0}),
}
"""Operands, shape of the first operand, and attributes; other operators take one matrix and have no attributes."""
OTHERS = {
    "axes": AXES,
    "one": helper.make_tensor("one", FLOAT, [1], [0.5]),
}


def model(operator: str, domain: str = "", **attributes: Any) -> ModelProto:
    """A model of a node of an operator that reads another node's result."""
    words, shape, usual = EXAMPLES.get(operator, ("x", MATRIX, {}))
    operands = words.split()
    since = max(21, defs.get_schema(operator).since_version) if operator in STANDARD and not domain else 21
    first = helper.make_node("Relu", ["x"], ["r"], name="first")
    read = ["r" if name == "x" else name for name in operands]
    node = helper.make_node(operator, read, ["y"], name="n", domain=domain, **(attributes or usual))
    used = [OTHERS[name] for name in dict.fromkeys(operands) if name in OTHERS]
    ends = [helper.make_tensor_value_info("x", FLOAT, shape)], [helper.make_empty_tensor_value_info("y")]
    return helper.make_model(
        helper.make_graph([first, node], "g", *ends, used), opset_imports=[helper.make_opsetid("", since)]
    )


def message(proto: ModelProto) -> str:
    with pytest.raises(InputError) as error:
        import_model(proto, "m.onnx")
    return error.value.message


def test_each_operator_of_the_standard_is_supported_or_has_a_way_out() -> None:
    assert not STANDARD - OPERATORS.keys() - EXPANDED.keys() - WAYS.keys()
    assert not OPERATORS.keys() & (EXPANDED.keys() | WAYS.keys())


def test_each_operator_that_a_way_out_names_is_supported() -> None:
    for name, way in WAYS.items():
        named = {word for word in re.findall(r"\b[A-Z]\w+\b", way) if word in STANDARD}
        assert named <= OPERATORS.keys() | EXPANDED.keys(), name


@pytest.mark.parametrize("operator", EXPANDED)
def test_an_operator_that_onnx_defines_by_others_can_be_imported_after_expansion(operator: str) -> None:
    proto = model(operator)
    advice = re.search(r"inline_selected_functions\(model, (\[.+?\]), inline_schema_functions=True\)", message(proto))
    assert advice is not None
    functions = re.findall(r'\("", "(\w+)"\)', advice[1])
    proto = shape_inference.infer_shapes(proto)
    expanded = inliner.inline_selected_functions(proto, [("", name) for name in functions], False, True)
    import_model(expanded, "m.onnx")


def test_several_operators_have_their_ways_out() -> None:
    nodes = [
        helper.make_node(name, ["x"], [f"y{n}"], name="n") for n, name in enumerate(("Elu", "Det", "LSTM", "Rellu"))
    ]
    ends = [helper.make_tensor_value_info("x", FLOAT, MATRIX)], [helper.make_empty_tensor_value_info("y0")]
    proto = helper.make_model(helper.make_graph(nodes, "g", *ends), opset_imports=[helper.make_opsetid("", 21)])
    found = message(proto)
    assert "; Det: compute it outside of the model" in found
    assert "; LSTM: write it in the framework as one cell for each step" in found
    assert "; Rellu: the standard has no `Rellu`; did you mean `Relu`?" in found
    assert "; Elu: expand it by ONNX's definition" in found


def test_an_operator_of_another_version_or_domain_has_a_way_out() -> None:
    proto = model("Swish")
    proto.opset_import[0].version = 21
    proto.graph.node[1].op_type = "Gelu"
    proto.opset_import[0].version = 17
    assert message(proto).endswith("convert the model to a newer opset (onnx.version_converter)")
    proto = model("FusedGelu", "com.microsoft", a=1)
    assert "take the model before that, as the framework exported it" in message(proto)
    assert "or a plugin can add a handler" in message(model("Thing", "mine", a=1))
    local = model("Double", "mine", a=1)
    body = [helper.make_node("Add", ["x", "x"], ["y"])]
    local.functions.append(helper.make_function("mine", "Double", ["x"], ["y"], body, [helper.make_opsetid("", 21)]))
    assert "expand the model's own functions (onnx.inliner.inline_local_functions)" in message(local)

"""The ways that error messages name to avoid operators of ONNX: there is one for each operator, and it works."""

from __future__ import annotations

import re
from typing import Any

import pytest
from onnx import ModelProto, TensorProto, defs, helper

from dialects.diagnostics import InputError
from ndpir.frontends.onnx import import_model
from ndpir.frontends.onnx.operators import OPERATORS
from ndpir.frontends.onnx.unsupported import WAYS

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
SCHEMAS: list[Any] = [schema for schema in defs.get_all_schemas_with_history() if schema.domain == ""]
STANDARD = {schema.name for schema in SCHEMAS}
DEFINED = {schema.name for schema in SCHEMAS if schema.has_function or schema.has_context_dependent_function}
"""Operators that the standard defines by others."""
MATRIX = (2, 6)


def model(operator: str, domain: str = "", **attributes: Any) -> ModelProto:
    """A model of a node of an operator that reads another node's result."""
    first = helper.make_node("Relu", ["x"], ["r"], name="first")
    node = helper.make_node(operator, ["r"], ["y"], name="n", domain=domain, **attributes)
    ends = [helper.make_tensor_value_info("x", FLOAT, MATRIX)], [helper.make_empty_tensor_value_info("y")]
    return helper.make_model(helper.make_graph([first, node], "g", *ends), opset_imports=[helper.make_opsetid("", 21)])


def message(proto: ModelProto) -> str:
    with pytest.raises(InputError) as error:
        import_model(proto, "m.onnx")
    return error.value.message


def test_each_operator_of_the_standard_is_supported_or_has_a_way_out() -> None:
    assert not STANDARD - OPERATORS.keys() - DEFINED - WAYS.keys()
    assert not OPERATORS.keys() & WAYS.keys()


def test_each_operator_that_a_way_out_names_is_supported() -> None:
    for name, way in WAYS.items():
        named = {word for word in re.findall(r"\b[A-Z]\w+\b", way) if word in STANDARD}
        assert named <= OPERATORS.keys(), name


def test_several_operators_have_their_ways_out() -> None:
    names = ("Elu", "Det", "Unique", "Rellu")
    nodes = [helper.make_node(name, ["x"], [f"y{n}"], name="n") for n, name in enumerate(names)]
    ends = [helper.make_tensor_value_info("x", FLOAT, MATRIX)], [helper.make_empty_tensor_value_info("y0")]
    proto = helper.make_model(helper.make_graph(nodes, "g", *ends), opset_imports=[helper.make_opsetid("", 21)])
    found = message(proto)
    assert "; Det: compute it outside of the model" in found
    assert "; Unique: the shape of its result depends on the data; compute it outside of the model" in found
    assert "; Rellu: the standard has no `Rellu`; did you mean `Relu`?" in found
    assert "Elu (" not in found


def test_an_operator_of_another_version_or_domain_has_a_way_out() -> None:
    proto = model("Gelu")
    proto.opset_import[0].version = 17
    assert message(proto).endswith("convert the model to a newer opset (onnx.version_converter)")
    proto = model("FusedThing", "com.microsoft", a=1)
    assert "take the model before that, as the framework exported it" in message(proto)
    assert "or a plugin can add a handler" in message(model("Thing", "mine", a=1))
    learned = model("Binarizer", "ai.onnx.ml")
    del learned.graph.node[0]
    del learned.opset_import[:]
    learned.opset_import.append(helper.make_opsetid("ai.onnx.ml", 1))
    learned.graph.node[0].input[0] = "x"
    assert message(learned).startswith("1 operator is not supported: ai.onnx.ml.Binarizer")


def test_a_definition_that_needs_an_unsupported_operator_names_it() -> None:
    local = model("Draws", "mine")
    body = [helper.make_node("RandomUniformLike", ["x"], ["y"])]
    local.functions.append(helper.make_function("mine", "Draws", ["x"], ["y"], body, [helper.make_opsetid("", 21)]))
    assert message(local).startswith(
        '1 operator is not supported: RandomUniformLike (node "n"); its numbers differ from run to run'
    )
    assert "1 operator is not supported: Bernoulli" in message(model("Bernoulli"))

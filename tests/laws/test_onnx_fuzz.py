"""Whatever the bytes or the fields of a model: it imports to a module that verifies, or says in a sentence why not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import AttributeProto, ModelProto, NodeProto, TensorProto
from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError
from ndpir.frontends.onnx import import_model, import_onnx

MODELS = Path(__file__).parents[2] / "examples" / "models"
SEEDS = ("vgg16", "bert_2layer_torchscript17", "gpt2_2layer_bf16")
BYTES = [(MODELS / f"{name}.onnx").read_bytes() for name in SEEDS]
PROTOS = [ModelProto.FromString(data) for data in BYTES]

edges = st.sampled_from((0, 1, -1, 65, 10**12, 2**31, -(2**31), 2**40, 2**63 - 1, -(2**63)))
numbers = edges | st.integers(-9, 9)
reals = st.floats(width=32)


@st.composite
def damaged_bytes(draw: st.DrawFn) -> bytes:
    """A model with some bytes changed, taken out, put in, or cut off."""
    data = bytearray(draw(st.sampled_from(BYTES)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data) - 1))
        match draw(st.integers(0, 3)):
            case 0:
                data[at] = draw(st.integers(0, 255))
            case 1:
                del data[at : at + draw(st.integers(1, 8))]
            case 2:
                data[at:at] = draw(st.binary(min_size=1, max_size=8))
            case _:
                data[at] ^= 1 << draw(st.integers(0, 7))
    return bytes(data[: draw(st.integers(0, len(data)))] if draw(st.integers(0, 19)) == 0 else data)


@st.composite
def odd_models(draw: st.DrawFn) -> ModelProto:
    """A model whose nodes, attributes, tensors or inputs were changed one by one, so that it still decodes."""
    model = ModelProto()
    model.CopyFrom(draw(st.sampled_from(PROTOS)))
    for _ in range(draw(st.integers(1, 3))):
        graph = model.graph
        node: NodeProto = draw(st.sampled_from(graph.node))
        match draw(st.integers(0, 7)):
            case 0:
                other: NodeProto = draw(st.sampled_from(graph.node))
                node.input[:] = [*node.input[:-1], draw(st.sampled_from([*other.input, *other.output, ""]))]
            case 1:
                node.op_type = draw(st.sampled_from(graph.node)).op_type
            case 2:
                node.output[:] = [draw(st.sampled_from(["", "q", *graph.node[0].output])), *node.output[1:]]
            case 3 | 4 if node.attribute:
                change_attribute(draw, draw(st.sampled_from(node.attribute)))
            case 5:
                change_tensor(draw, draw(st.sampled_from(graph.initializer)))
            case 6:
                type_ = draw(st.sampled_from(graph.input)).type.tensor_type
                type_.shape.dim[draw(st.integers(0, len(type_.shape.dim) - 1))].dim_value = draw(numbers)
                type_.elem_type = draw(st.sampled_from((type_.elem_type, *range(24))))
            case _:
                model.opset_import[0].version = draw(st.integers(5, 30))
    return model


def change_attribute(draw: st.DrawFn, attribute: AttributeProto) -> None:
    match attribute.type:
        case AttributeProto.INT:
            attribute.i = draw(numbers)
        case AttributeProto.INTS:
            attribute.ints[:] = draw(st.lists(numbers, max_size=5))
        case AttributeProto.FLOAT:
            attribute.f = draw(reals)
        case AttributeProto.STRING:
            attribute.s = draw(st.binary(max_size=4))
        case AttributeProto.TENSOR:
            change_tensor(draw, attribute.t)
        case _:
            attribute.type = AttributeProto.GRAPH


def change_tensor(draw: st.DrawFn, tensor: TensorProto) -> None:
    match draw(st.integers(0, 4)):
        case 0:
            tensor.dims[:] = draw(st.lists(numbers, max_size=5))
        case 1:
            tensor.data_type = draw(st.integers(0, 24))
        case 2:
            tensor.raw_data = draw(st.binary(max_size=32))
        case 3:
            for entry in tensor.external_data:
                entry.value = draw(st.sampled_from(("", "..", "-1", "9" * 30, "x", "/etc/passwd")))
        case _:
            tensor.ClearField("raw_data")


def imports_or_says_why(act: Callable[[], ModuleOp]) -> None:
    try:
        act().verify()
    except InputError as error:
        message = error.message
    else:
        return
    assert message
    assert "\n" not in message


@given(damaged_bytes())
@settings(max_examples=5 * settings().max_examples)
def test_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.onnx"
    path.write_bytes(data)
    imports_or_says_why(lambda: import_onnx(str(path)))


@given(odd_models())
@settings(max_examples=5 * settings().max_examples)
def test_fields(model: ModelProto) -> None:
    imports_or_says_why(lambda: import_model(model, "odd.onnx"))

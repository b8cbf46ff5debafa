"""Operators of ONNX that are not supported, as opaque ops: their types, values, time, place, and refusals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

import ndpir
from dialects import graph as g
from dialects.diagnostics import InputError, notes_to
from ndpir.frontends.onnx import import_model

FLOAT = TensorProto.FLOAT
ACME, MICROSOFT = "com.acme", "com.microsoft"


def value(name: str, *shape: int | str) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, FLOAT, shape)


def node(operator: str, inputs: str, outputs: str, domain: str = "", **attributes: Any) -> NodeProto:
    read = [name.strip("_") for name in inputs.split()]
    return helper.make_node(operator, read, outputs.split(), domain=domain, **attributes)


def model(
    nodes: Sequence[NodeProto], inputs: Sequence[ValueInfoProto], outputs: Sequence[ValueInfoProto],
    stated: Sequence[ValueInfoProto] = (), **more: Any,
) -> ModelProto:  # fmt: skip
    graph = helper.make_graph(nodes, "g", inputs, outputs, value_info=stated)
    opsets = [helper.make_opsetid(domain, version) for domain, version in (("", 22), (ACME, 3), (MICROSOFT, 1))]
    return helper.make_model(graph, opset_imports=opsets, **more)


def opaque_ops(proto: ModelProto, **sizes: Any) -> list[g.OpaqueOp]:
    module = import_model(proto, "m.onnx", opaque=True, **sizes)
    module.verify()
    return [op for op in module.walk() if isinstance(op, g.OpaqueOp)]


def message(proto: ModelProto, opaque: bool = True) -> str:
    with pytest.raises(InputError) as error:
        import_model(proto, "m.onnx", opaque=opaque)
    return error.value.message


X, Y = value("x", 2, 3, 3), value("y", 2, 3, 3)
GLOW = model(
    [node("Relu", "x", "a"), node("Glow", "a _ x", "b c", ACME, alpha=0.1, mode="soft"), node("Add", "b c", "y")],
    [value("x", "n", 4)],
    [value("y", "n", 4)],
    [value("b", "n", 4), value("c", "n", 1)],
)
DET = model([node("Relu", "x", "a"), node("Det", "a", "y")], [X], [helper.make_empty_tensor_value_info("y")])


def test_types_come_from_the_graph_and_outputs_of_a_node_are_one_group() -> None:
    first, second = opaque_ops(GLOW, dims={"n": 2})
    assert [g.shape_of(op.y) for op in (first, second)] == [(2, 4), (2, 1)]
    assert first.called == "com.acme.Glow"
    assert (first.opset.value.data, list(first.absent.get_values())) == (3, [1])
    assert 'given = {alpha = 0.1, mode = "soft"}, absent = [1], outputs = 2' in str(first)
    assert first.parent is second.parent
    assert isinstance(first.parent_op(), g.FusedOp)


def test_types_come_from_the_standard() -> None:
    (op,) = opaque_ops(DET)
    assert g.shape_of(op.y) == (2,)


def test_a_refusal_names_the_flag_and_the_shares() -> None:
    assert message(DET, opaque=False).endswith(
        "; --opaque runs on the primary device, timed by bytes: Det (1 of 2 nodes, 50.0 %)"
    )


REFUSED: dict[str, tuple[ModelProto, str]] = {
    "no shape": (
        model([node("Glow", "x", "a", ACME), node("Relu", "a", "y")], [X], [value("y", 2)]),
        "the shape of its output 0 (`a`) is unknown: neither the standard nor the model's graph (value_info) gives it",
    ),
    "random numbers": (model([node("Bernoulli", "x", "y")], [X], [Y]), "Bernoulli"),
    "no such operator": (model([node("Rellu", "x", "y")], [X], [value("y", 2)]), "did you mean `Relu`?"),
    "a graph": (
        model([node("Map", "x", "y", ACME, body=helper.make_graph([], "b", [], []))], [X], [value("y", 2)]),
        "1 operator is not supported: com.acme.Map",
    ),
    "no operand": (model([node("Glow", "", "y", ACME)], [X], [value("y", 2)]), "takes operators of one input or more"),
    "a sparse attribute": (
        model([node("Glow", "x", "y", ACME, s=helper.make_tensor_type_proto(FLOAT, [2]))], [X], [value("y", 2)]),
        "its attribute `s` is TYPE_PROTO, which --opaque can't write",
    ),
    "a large attribute": (
        model(
            [node("Glow", "x", "y", ACME, t=helper.make_tensor("t", FLOAT, [2000], [0.0] * 2000))],
            [X],
            [value("y", 2)],
        ),
        "its attribute `t` is a tensor of 2000 float32 elements, but --opaque writes at most 1024",
    ),
    "a bad node": (
        model([node("Det", "x x", "y")], [X], [value("y", 2)]),
        "the standard's shape inference refuses it",
    ),
    "other sizes": (model([node("Glow", "x", "y", ACME)], [X], [Y]), "has no rule for other extents"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_no_opaque_op_can_stand_for_is_refused(case: str) -> None:
    proto, expected = REFUSED[case]
    with pytest.raises(InputError) as error:
        import_model(proto, "m.onnx", batch=4 if case == "other sizes" else None, opaque=True)
    assert expected in error.value.message


def test_values_are_those_of_the_reference_evaluator_and_the_runtime() -> None:
    module = import_model(DET, "m.onnx", opaque=True)
    x = np.random.default_rng(3).random((2, 3, 3), np.float32)
    assert ndpir.run(module, [x])[0] == pytest.approx(np.linalg.det(x), rel=1e-5)
    pytest.importorskip("onnxruntime")
    inverse = model([node("Inverse", "x", "y", MICROSOFT)], [X], [Y])
    assert ndpir.run(import_model(inverse, "m.onnx", opaque=True), [x])[0] == pytest.approx(np.linalg.inv(x), rel=1e-3)


def test_without_an_evaluator_values_are_refused_at_the_node() -> None:
    with pytest.raises(InputError) as error:
        ndpir.run(import_model(GLOW, "m.onnx", {"n": 2}, opaque=True))
    assert "graph.opaque of com.acme.Glow has no values here: onnx's reference evaluator" in str(error.value)
    assert "Glow:b" in str(error.value.place)


def test_a_node_that_its_handler_refuses_becomes_opaque_with_a_note() -> None:
    indices = helper.make_tensor_value_info("k", TensorProto.INT64, [1])
    proto = model([node("TopK", "x k", "y i")], [X, indices], [value("y", 2, 3, 2)])
    notes: list[str] = []
    with notes_to(lambda text, place: notes.append(text)):
        (op,) = opaque_ops(proto)
    assert (op.called, g.shape_of(op.y)) == ("TopK", (2, 3, 2))
    assert notes[0].startswith("TopK is opaque here, since ")


def test_it_runs_on_the_primary_device_alone_and_all_outputs_are_marked(tmp_path: Path) -> None:
    path = tmp_path / "glow.onnx"
    path.write_bytes(GLOW.SerializeToString())
    placed = ndpir.compile(path, machine="a100-newton", dims={"n": 2}, opaque=True)
    summary, timeline = ndpir.answer(placed, "summary"), ndpir.answer(placed, "timeline")
    (use,) = summary.opaque
    assert (use.operator, use.times) == ("com.acme.Glow", 1)
    assert 0 < use.share < 1
    assert timeline.opaque == summary.opaque
    assert [row.on for row in timeline.rows if row.name == "opaque com.acme.Glow"] == ["gpu"]
    for target in ("summary", "timeline", "report", "dot", "perfetto", "json"):
        assert "com.acme.Glow" in ndpir.write(placed, target), target
    (row,) = ndpir.compare(path, ["a100-newton"], ["gpu-only"], dims={"n": 2}, opaque=True)
    assert row.opaque_share == pytest.approx(use.share, rel=0.5)
    with pytest.raises(InputError, match="applies only to models of ONNX"):
        ndpir.read(Path(__file__).parent / "none.mlir", opaque=True)


def test_a_task_of_another_device_is_refused() -> None:
    text = """
      hw.device @gpu = "a100"
      hw.device @pim = "newton"
      hw.link @gpu to @pim = "on_board"
      func.func @f(%x: !task.on<@pim, tensor<4xf16>>) -> !task.on<@pim, tensor<4xf16>> {
        %y = task.run @pim (%a = %x) {
          %0 = graph.opaque %a operator = "Glow", domain = "com.acme" : tensor<4xf16> -> tensor<4xf16>
          task.yield %0
        }
        func.return %y : !task.on<@pim, tensor<4xf16>>
      }
    """
    with pytest.raises(InputError, match="such an op runs on the primary device @gpu alone"):
        ndpir.simulate(ndpir.parse(text))

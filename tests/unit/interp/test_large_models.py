"""Reading, verifying and printing a large ONNX model: the calls that it takes grow as its nodes do, and no faster."""

from __future__ import annotations

import sys
from collections.abc import Callable
from io import StringIO
from types import FrameType

import numpy as np
import pytest
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from dialects.graph.op import GraphOp
from dialects.graph.unary import ReluOp
from ndpir.cli.verify import verify
from ndpir.frontends.onnx.importer import import_model

SIDE = 4
LAYER = ("Add", "Relu", "MatMul", "Reshape")


def model(nodes: int, *, own_weights: bool = False, backwards: bool = False, wide: bool = False) -> ModelProto:
    """`nodes` nodes in layers of four: one chain, or all layers side by side (`wide`); `backwards` lists them so."""
    made: list[NodeProto] = []
    arrays = {"b": np.ones(SIDE, np.float32), "w": np.ones((SIDE, SIDE), np.float32), "s": np.array([-1, SIDE])}
    second = {"Add": "b", "MatMul": "w", "Reshape": "s"}
    value, ends = "x", list[str]()
    for index in range(nodes):
        kind = LAYER[index % len(LAYER)]
        if wide and index % len(LAYER) == 0:
            value = "x"
        inputs = [value]
        if kind in second:
            inputs.append(f"{second[kind]}{index}" if own_weights else second[kind])
            arrays[inputs[1]] = arrays[second[kind]]
        value = f"v{index}"
        made.append(helper.make_node(kind, inputs, [value], name=f"node{index}"))
        if wide and kind == LAYER[-1]:
            ends.append(value)
    known = [numpy_helper.from_array(array, name) for name, array in arrays.items()]
    declared = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [SIDE, SIDE]) for name in ["x", *(ends or [value])]
    ]
    graph = helper.make_graph(made[::-1] if backwards else made, "large", declared[:1], declared[1:], known)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def through(source: ModelProto) -> tuple[ModuleOp, str]:
    module = import_model(source, "large.onnx")
    verify(module)
    text = StringIO()
    Printer(text).print_op(module)
    return module, text.getvalue()


def calls_of(work: Callable[[], object]) -> int:
    """The number of calls, of Python and C functions, that some work makes."""
    count = 0

    def met(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(met)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "shape", [{}, {"own_weights": True}, {"backwards": True}, {"wide": True}], ids=["chain", "own", "backwards", "wide"]
)
def test_calls_grow_with_nodes(shape: dict[str, bool]) -> None:
    small, large = model(40, **shape), model(400, **shape)
    through(small)  # fills what is cached for the process
    few, many = calls_of(lambda: through(small)), calls_of(lambda: through(large))
    assert many < 10.5 * few


def test_an_op_of_each_form_is_inferred_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ops of one class with the same types and properties share the run of the shape rule, and its verification."""
    ran: list[GraphOp] = []
    rule = ReluOp.infer

    def counted(op: ReluOp) -> tuple[object, ...]:
        ran.append(op)
        return rule(op)

    monkeypatch.setattr(ReluOp, "infer", counted)
    module, text = through(model(400))
    assert text.count("graph.relu") == 100
    assert len(ran) <= 2  # once where it is built, once where it is verified
    verify(module)
    assert len(ran) <= 2

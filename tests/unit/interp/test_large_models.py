"""Checks that reading, verifying and printing an ONNX model take a number of Python calls that is linear in its
nodes."""

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
from ndpir.diagnostics.verify import verify
from ndpir.frontends.onnx.importer import import_model
from tests.programs import context

SIDE = 4
LAYER = ("Add", "Relu", "MatMul", "Reshape")


def model(nodes: int, *, own_weights: bool = False, backwards: bool = False, wide: bool = False) -> ModelProto:
    """An ONNX model of `nodes` nodes in layers of four. The layers form a chain, or all read the input (`wide`);
    `backwards` lists the nodes in reverse order; `own_weights` gives each node its own weights."""
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
    verify(module, context())
    text = StringIO()
    Printer(text).print_op(module)
    return module, text.getvalue()


def calls_of(work: Callable[[], object]) -> int:
    """The number of calls of Python and C functions during `work`."""
    count = 0

    def count_call(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count_call)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "shape", [{}, {"own_weights": True}, {"backwards": True}, {"wide": True}], ids=["chain", "own", "backwards", "wide"]
)
def test_the_number_of_calls_is_linear_in_the_number_of_nodes(shape: dict[str, bool]) -> None:
    small, large = model(40, **shape), model(400, **shape)
    through(small)  # fills the caches of this process
    few, many = calls_of(lambda: through(small)), calls_of(lambda: through(large))
    assert many < 10.5 * few


def test_equal_ops_share_one_run_of_shape_inference(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ops of one class with equal types and properties share one run of the shape rule, and one verification."""
    ran: list[GraphOp] = []
    rule = ReluOp.infer

    def counted(op: ReluOp) -> tuple[object, ...]:
        ran.append(op)
        return rule(op)

    monkeypatch.setattr(ReluOp, "infer", counted)
    module, text = through(model(400))
    assert text.count("graph.relu") == 100
    assert len(ran) <= 2  # once where it is built, once where it is verified
    verify(module, context())
    assert len(ran) <= 2

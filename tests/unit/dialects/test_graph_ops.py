"""Tests of graph and task ops in Python: constructors and their errors, the ops' work, and the cost of importing
them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import TensorType, f16, f32, i1, i64
from xdsl.ir import Block, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from dialects import graph as g
from dialects.element_types import byte_count, element_count, element_type_of, tensor_type
from dialects.task import CopyOp, OnType, ResidentOp, RunOp, YieldOp
from dialects.work import Work


def value(*shape: int, element: object = f32) -> SSAValue:
    return test.TestOp(result_types=[TensorType(element, shape)]).results[0]  # pyright: ignore


def test_constructors_infer_results() -> None:
    conv = g.ConvOp(value(1, 3, 8, 8), value(4, 3, 3, 3), strides=(2, 2), pads=[1, 1, 1, 1])
    assert str(conv.y.type) == "tensor<1x4x4x4xf32>"
    relu = g.ReluOp(conv)  # an op with one result can be used in place of the result
    assert relu.y.type == conv.y.type
    assert g.CastOp(relu.y, result_type=tensor_type((1, 4, 4, 4), f16)).y.type == tensor_type((1, 4, 4, 4), f16)
    assert g.ReduceOp(relu.y, kind="mean", axes=(2, 3), keep_dims=True).axis_set() == (2, 3)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: g.AddOp(value(2)), "graph.add takes 2 operands (a, b), not 1"),
        (lambda: g.MatmulOp(*[value(2, 2)] * 4), "graph.matmul takes 2 to 3 operands (a, b, bias), not 4"),
        (lambda: g.CastOp(value(2)), "graph.cast needs an explicit result type"),
        (lambda: g.CastOp(value(2), result_type=f16), "the result of graph.cast: graph ops work on tensors, not f16"),
        (lambda: g.ReluOp(value(-1)), "unknown extent"),
        (lambda: g.SoftmaxOp(value(2), axis=1 << 70), "does not fit in 64 bits"),
        (lambda: g.ConstantOp(np.arange(1025)), "at most 1024 differing elements, not 1025"),
        (lambda: CopyOp(value(2), "gpu"), "is not on a device"),
    ],
)
def test_constructors_refuse_wrong_operands(build: Callable[[], object], message: str) -> None:
    with pytest.raises(VerifyException) as error:
        build()
    assert message in str(error.value)


def test_constants_of_one_repeated_number_are_stored_as_one_number() -> None:
    ones = g.ConstantOp(np.ones((512, 512), np.float32))
    assert len(ones.value.data.data) == 4
    assert ones.value.array().shape == (512, 512)
    assert g.NumbersAttr.of(np.zeros((0, 3))).stretched(tensor_type((2, 0), i64)).array().shape == (2, 0)


def work(op: g.GraphOp) -> tuple[int, int, int, int]:
    w = op.work()
    return w.flops, w.read, w.written, w.macs


def test_work_of_contractions_is_exact() -> None:
    a, b, c = value(2, 3, 4, element=f16), value(4, 5, element=f16), value(5, element=f16)
    assert work(g.MatmulOp(a, b)) == (2 * 120, 48 + 40, 60, 2 * 3 * 4 * 5)
    assert work(g.MatmulOp(a, b, c)) == (2 * 120 + 30, 48 + 40 + 10, 60, 120)
    conv = g.ConvOp(value(2, 4, 8, 8), value(6, 2, 3, 3), groups=2)
    assert work(conv) == (2 * 2 * 6 * 36 * 18, 4 * (512 + 108), 4 * 2 * 6 * 36, 2 * 6 * 36 * 2 * 9)
    attention = g.AttentionOp(value(1, 4, 3, 8), value(1, 2, 5, 8), value(1, 2, 5, 6))
    assert work(attention) == (2 * 60 * 14 + 5 * 60, 4 * (96 + 80 + 60), 4 * 72, 4 * 3 * 5 * (8 + 6))
    masked = g.AttentionOp(*attention.operands, value(3, 5, element=i1), softcap=3.0)
    assert masked.work().flops == attention.work().flops + 4 * 60


def test_memory_traffic_is_the_least_that_an_op_needs() -> None:
    x = value(8, 8)
    assert work(g.AddOp(x, x)) == (64, 256, 256, 0)  # a value that is used twice is read once
    assert work(g.AddOp(x, value(8))) == (64, 256 + 32, 256, 0)
    assert g.ReshapeOp(x, result_type=tensor_type((64,), f32)).work() == Work(0, 256, 256, 0, moves_only=True)
    assert work(g.SliceOp(x, starts=(0, 0), ends=(2, 8))) == (0, 64, 64, 0)
    table, ids = value(50000, 8, element=f16), value(3, element=i64)
    assert work(g.GatherOp(table, ids)) == (0, 3 * 16 + 24, 48, 0)
    assert g.ConstantOp(np.ones(3)).work() == Work()
    assert (Work(1, 2, 3, 0, True) + Work(4, 5, 6, 1)) == Work(5, 7, 9, 1)


def test_a_fused_kernel_moves_only_its_inputs_and_outputs() -> None:
    x, w = value(1, 3, 8, 8), value(4, 3, 3, 3)
    body = Block(arg_types=[x.type, w.type])
    conv = g.ConvOp(*body.args)
    relu = g.ReluOp(conv.y)
    body.add_ops([conv, relu, g.YieldOp(relu.y)])
    fused = g.FusedOp([x, w], Region(body)).work()
    assert fused.macs == conv.work().macs
    assert fused.flops == conv.work().flops + relu.work().flops
    assert (fused.read, fused.written) == (conv.work().read, relu.work().written)


def test_tasks_from_python() -> None:
    weight = g.WeightOp("w", g.UniformAttr(g.real(0.0), g.real(1.0), g.integer(1)), tensor_type((4, 4), f32))
    resident = ResidentOp(weight.y, "pim")
    body = Block(arg_types=[weight.y.type])
    relu = g.ReluOp(body.args[0])
    body.add_ops([relu, YieldOp(relu.y)])
    run = RunOp("pim", [resident.placed], Region(body), queue=1, after=[resident.placed])
    run.verify()
    assert run.outputs[0].type == OnType.of("pim", weight.y.type)
    copy = CopyOp(run.outputs[0], "gpu")
    copy.verify()
    assert copy.ends == ("pim", "gpu")


def test_element_types() -> None:
    assert byte_count(tensor_type((3, 5), i1)) == element_count(tensor_type((3, 5), i1)) == 15
    with pytest.raises(KeyError):
        element_type_of(np.dtype(">f4"))


@pytest.mark.slow
def test_parsing_programs_does_not_import_numpy() -> None:
    code = "import sys, dialects.hw, dialects.graph, dialects.task, dialects.pim; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"

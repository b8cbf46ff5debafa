"""Tests of op interfaces: every graph op implements each of them, and a plugin's op is treated like ndpir's own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region
from xdsl.irdl import irdl_op_definition, operand_def, result_def

import ndpir
from dialects import graph as g
from dialects.diagnostics import InputError, notes_to
from dialects.external import ExternalInterface
from dialects.graph.boxes import full_box
from dialects.graph.op import TENSOR, GraphOp, Tensor, tensor_of
from dialects.graph.roles import AnyLayout, FusionRole
from dialects.work import Work
from interp.kinds.gpu.kernels import kernel_form, kernels_of
from interp.numerics import evaluate
from interp.numerics.meaning import meaning
from lowering.partition.shards.parts import part_of, splittable_axes
from lowering.partition.shards.split import SplitPass
from ndpir.cli.opt import main
from ndpir.registry.entries import examples
from ndpir.writers.onnx.emit import op_model
from ndpir.writers.onnx.graph import writer
from tests.graph_values import values
from tests.unit.dialects.test_graph_reference import completed, parse

PLUGIN = Path(__file__).parents[3] / "examples" / "plugin"
OPS = [op for op in g.Graph.operations if issubclass(op, GraphOp)]
UNSPLITTABLE = {g.ConstantOp, g.WeightOp, g.OpaqueOp}
"""Ops without operands, and of which only the bytes are known, which can't be split."""
NORMS = {g.SoftmaxOp, g.LayerNormOp, g.RmsNormOp, g.CumsumOp}
INDEXING = {
    g.GatherOp,
    g.GatherElementsOp,
    g.GatherNdOp,
    g.ScatterElementsOp,
    g.ScatterNdOp,
    g.DynamicSliceOp,
    g.DynamicUpdateSliceOp,
}
ROW_MAJOR = {
    g.BitcastOp,
    g.ArgsortOp,
    g.MatmulOp,
    g.QmatmulOp,
    g.RaggedMatmulOp,
    g.GroupedMatmulOp,
    g.AttentionOp,
    g.ReshapeOp,
    g.TransposeOp,
    g.BroadcastOp,
    g.Im2colOp,
    *INDEXING,
    *NORMS,
}
"""Ops whose kernels need row-major images."""


@pytest.fixture(scope="module")
def _loaded() -> None:
    ndpir.load_plugin(PLUGIN / "ops.py")


@pytest.mark.parametrize("op_class", OPS, ids=lambda op: op.name)
def test_each_op_implements_each_interface(op_class: type[GraphOp]) -> None:
    assert isinstance(op_class.FUSION, FusionRole)
    assert op_class.has_trait(AnyLayout) == (op_class not in UNSPLITTABLE | ROW_MAJOR)
    assert all(interface.find(op_class) is not None for interface in (meaning, kernel_form, writer))
    for text in examples(op_class):
        for op in parse(completed(text)).walk():
            if isinstance(op, op_class):
                assert isinstance(op.work(), Work)
                part = part_of(op, full_box(op.results[0]))
                assert (part is None) == (op_class in UNSPLITTABLE)
                assert part is None or len(part.needs) == len(op.operands)
                assert all(kernel.op is op for kernel in kernels_of(op))


class _Minimal(GraphOp):
    """An op with only the declarations that every op needs."""

    MACS: ClassVar[int] = 0
    x = operand_def(TENSOR)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        return (tensor_of(self.x),)

    def work(self) -> Work:
        return self.work_of(1, macs=self.MACS)


@irdl_op_definition
class _MinimalOp(_Minimal):
    """A minimal op without multiply-accumulates."""

    name = "mute.op"


@irdl_op_definition
class _MinimalProductOp(_Minimal):
    """A minimal op that multiplies and accumulates."""

    name = "mute.product"
    MACS: ClassVar = 8


def test_undefined_properties_of_an_op_have_a_default_or_an_error_message() -> None:
    x = np.ones((4, 8), np.float32)
    op = _MinimalOp(*values(x))
    assert op.FUSION is FusionRole.OPAQUE
    assert splittable_axes(op) == ()
    messages: list[str] = []
    loose = _MinimalOp(*values(x))
    function = FuncOp("f", ((op.x.type,), ()), Region(Block([loose], arg_types=[op.x.type])))
    loose.operands[0] = function.body.block.args[0]
    function.body.block.add_op(ReturnOp())
    with notes_to(lambda text, _: messages.append(text)):
        SplitPass(op="op").apply(Context(), ModuleOp([function]))
    assert messages == ["mute.op is not split: its class does not define the operands of a part (method `part`)"]
    assert [kernel.kernel_class for kernel in kernels_of(op)] == ["elementwise"]
    with pytest.raises(InputError, match=r"mute\.op has no definition of its values"):
        evaluate(op, [x])
    with pytest.raises(InputError, match=r"mute\.op can't be written as ONNX"):
        op_model(op, {})
    with pytest.raises(InputError, match=r"no GPU kernel is described for mute\.product; add"):
        kernels_of(_MinimalProductOp(*values(x)))


def test_an_interface_attached_to_a_class_holds_for_its_subclasses() -> None:
    interface = ExternalInterface[str]()
    interface.attach("any", GraphOp)
    assert interface.find(g.ReluOp) == "any"
    interface.attach("element-wise", g.ElementwiseOp)
    assert (interface.find(g.ReluOp), interface.find(g.ConvOp)) == ("element-wise", "any")


@pytest.mark.usefixtures("_loaded")
def test_a_plugins_op_is_interpreted() -> None:
    program = ndpir.parse(
        "func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {\n"
        "  %y = mobile.hard_swish %x : tensor<2x3xf32>\n  %z = mobile.log_softmax %x : tensor<2x3xf32>\n"
        "  func.return %y, %z : tensor<2x3xf32>, tensor<2x3xf32>\n}\n"
    )
    x = np.array([[-4, -1, 0], [1, 2, 5]], np.float32)
    swished, logarithms = ndpir.run(program, [x])
    np.testing.assert_allclose(np.asarray(swished, np.float32), [[0, -1 / 3, 0], [2 / 3, 5 / 3, 5]], rtol=1e-6)
    np.testing.assert_allclose(
        np.asarray(logarithms, np.float32), x - np.log(np.exp(x).sum(1, keepdims=True)), rtol=1e-5
    )


def _printed(capsys: pytest.CaptureFixture[str], passes: str, *words: str) -> str:
    command = ["--plugin", str(PLUGIN / "ops.py"), str(PLUGIN / "mobile.mlir"), "-p", passes, "--check", *words]
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert "1 result equal" in err
    return out


def test_a_plugins_op_fuses_by_its_role_and_is_split_along_the_axes_it_allows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The plugin's activation is fused with the product whose result it reads; its normalisation is split by rows,
    since it reduces along columns."""
    out = _printed(capsys, "fuse,split{op=log_softmax at=0.25}")
    kernel = out[out.index("graph.fused") : out.index("graph.yield")]
    assert "graph.matmul" in kernel
    assert "mobile.hard_swish" in kernel
    assert out.count("mobile.log_softmax") == 2
    assert "graph.concat %2, %4 axis = 0 : tensor<16x4096xf16>, tensor<48x4096xf16>" in out


def test_a_plugins_op_is_split_with_the_ops_around_it(capsys: pytest.CaptureFixture[str]) -> None:
    """`chain` derives, from the last op back to the first, which parts of operands each shard needs."""
    out = _printed(capsys, "chain{op=matmul,log_softmax axis=0 stages=2}")
    assert out.count("mobile.log_softmax") == out.count("mobile.hard_swish") == out.count("graph.matmul") == 2


def test_a_plugins_op_is_placed_and_timed(capsys: pytest.CaptureFixture[str]) -> None:
    out = _printed(capsys, "offload", "--machine", "a100-aim", "-t", "timeline")
    for task in ("matmul+mobile.hard_swish", "mobile.log_softmax"):
        (row,) = [line for line in out.splitlines() if f" {task} " in line]
        assert re.search(r"[\d.]+ us +gpu  ", row)


@pytest.mark.usefixtures("_loaded")
def test_a_plugins_op_is_folded() -> None:
    program = ndpir.parse(
        "func.func @main() -> tensor<3xf32> {\n  %x = graph.constant [-3.0, 0.0, 3.0] : tensor<3xf32>\n"
        "  %y = mobile.hard_swish %x : tensor<3xf32>\n  func.return %y : tensor<3xf32>\n}\n"
    )
    assert "graph.constant [0.0, 0.0, 3.0]" in ndpir.write(ndpir.compile(program, "canonicalize")).replace(
        "-0.0", "0.0"
    )

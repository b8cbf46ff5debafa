"""Kernels of graph ops, and their costs on a GPU with `model kernels`."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func
from xdsl.ir import Operation
from xdsl.parser import Parser

from dialects.graph import FusedOp, Graph, GraphOp
from dialects.hw import Hw
from interp.kinds.clock import Clock
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.known import constants_for
from interp.kinds.gpu.kernels import Kernel, kernels_of
from interp.machine.composition import Machine
from interp.machine.records import Gpu
from interp.machine.sheets import load_device
from interp.simulate.simulation import simulate

MACHINE = 'hw.device @gpu = "h100_sxm"\n'


def program(body: str, *arguments: str) -> ModuleOp:
    context = Context()
    for dialect in (Builtin, Func, Hw, Graph):
        context.load_dialect(dialect)
    listed = ", ".join(f"%{name}: tensor<{type_}>" for name, type_ in (word.split(":") for word in arguments))
    text = f"{MACHINE}func.func @f({listed}) {{\n{body}\n func.return\n}}"
    module = Parser(context, text).parse_module()
    module.verify()
    return module


def graph_ops(module: ModuleOp) -> list[GraphOp | FusedOp]:
    block = next(op for op in module.walk() if op.name == "func.func").regions[0].block
    return [op for op in block.ops if isinstance(op, GraphOp | FusedOp)]


def kernels(body: str, *arguments: str) -> tuple[Kernel, ...]:
    return kernels_of(graph_ops(program(body, *arguments))[-1])


CASES = [
    ("graph.matmul %a, %b : tensor<3x5xf16>, tensor<5x7xf16>", "a:3x5xf16 b:5x7xf16", "gemm", "m=3 n=7 k=5 batch=1"),
    (
        "graph.matmul %a, %b : tensor<2x4x3x5xf16>, tensor<5x7xf16>",
        "a:2x4x3x5xf16 b:5x7xf16",
        "gemm",
        "m=24 n=7 k=5 batch=1",  # one right-hand matrix: one product with more rows, not a batch
    ),
    (
        "graph.matmul %a, %b : tensor<2x4x3x5xf32>, tensor<2x4x5x7xf32>",
        "a:2x4x3x5xf32 b:2x4x5x7xf32",
        "gemm",
        "m=3 n=7 k=5 batch=8",
    ),
    (
        "graph.conv %a, %b strides = [2, 1], pads = [1, 1, 1, 1] : tensor<2x6x9x8xf16>, tensor<4x6x3x3xf16>",
        "a:2x6x9x8xf16 b:4x6x3x3xf16",
        "conv_forward",
        "batch=2 c=6 h=9 w=8 k=4 r=3 s=3 p=5 q=8 stride=2 groups=1",
    ),
    (
        "graph.conv %a, %b groups = 6 : tensor<1x6x9xf32>, tensor<6x1x3xf32>",
        "a:1x6x9xf32 b:6x1x3xf32",
        "conv_forward",
        "batch=1 c=6 h=1 w=9 k=6 r=1 s=3 p=1 q=7 groups=6",
    ),
    (
        "graph.conv %a, %b : tensor<1x96x1x1xf16>, tensor<4x96x1x1xf16>",
        "a:1x96x1x1xf16 b:4x96x1x1xf16",
        "gemm",
        "m=1 n=4 k=96",
    ),
    (
        "graph.attention %a, %b, %b causal : tensor<2x8x16x64xf16>, tensor<2x2x16x64xf16>, tensor<2x2x16x64xf16>",
        "a:2x8x16x64xf16 b:2x2x16x64xf16",
        "prefill",
        "batch=2 queries=16 keys=16 heads=8 kv_heads=2 head=64 causal=1",
    ),
    (
        "graph.attention %a, %b, %b : tensor<2x8x1x64xf16>, tensor<2x2x99x64xf16>, tensor<2x2x99x64xf16>",
        "a:2x8x1x64xf16 b:2x2x99x64xf16",
        "decode",
        "batch=2 queries=1 keys=99 heads=8 kv_heads=2 head=64 causal=0",
    ),
    ("graph.gelu %a : tensor<4x6xf32>", "a:4x6xf32", "elementwise", "read=96 written=96"),
    ("graph.softmax %a axis = 1 : tensor<4x6x2xf32>", "a:4x6x2xf32", "softmax", "rows=8 cols=6"),
    (
        "graph.layer_norm %a, %b axis = 1 : tensor<4x6x2xf16>, tensor<6x2xf16>",
        "a:4x6x2xf16 b:6x2xf16",
        "norm",
        "rows=4 cols=12 centred=1",
    ),
    ("graph.reduce mean %a axes = [2] : tensor<4x6x2xf32>", "a:4x6x2xf32", "reduction", "rows=24 cols=2"),
    (
        "graph.gather %a, %b : tensor<100x32xf32>, tensor<7xi64>",
        "a:100x32xf32 b:7xi64",
        "gather",
        "rows=7 cols=32 written=896",
    ),
    ("graph.transpose %a permutation = [1, 0] : tensor<4x6xf32>", "a:4x6xf32", "copy", "read=96 written=96 strided=1"),
]


@pytest.mark.parametrize(("body", "arguments", "name", "numbers"), CASES)
def test_an_op_becomes_a_kernel_of_its_class(body: str, arguments: str, name: str, numbers: str):
    (kernel,) = kernels(f"%y = {body}", *arguments.split())
    expected = {key: float(value) for key, value in (word.split("=") for word in numbers.split())}
    assert kernel.kernel_class == name
    assert {key: kernel.numbers[key] for key in expected} == expected
    needed = {column.name for column in CLASSES[name].columns if column.default is None}
    assert needed <= kernel.numbers.keys()


def test_views_and_weights_have_no_kernel():
    assert kernels("%y = graph.reshape %a : tensor<4x6xf32> -> tensor<24xf32>", "a:4x6xf32") == ()
    assert kernels('%y = graph.weight "w" = uniform(0.0, 1.0, 7) : tensor<4xf32>') == ()


FUSED = """
%y = graph.fused (%p = %a, %q = %b, %r = %c) {
  %0 = graph.matmul %p, %q : tensor<64x32xf16>, tensor<32x16xf16>
  %1 = graph.add %0, %r : tensor<64x16xf16>
  %2 = graph.relu %1 : tensor<64x16xf16>
  graph.yield %2
}
"""


def test_a_fused_group_is_its_largest_op_with_additions_of_the_others():
    (kernel,) = kernels(FUSED, "a:64x32xf16", "b:32x16xf16", "c:64x16xf16")
    assert (kernel.kernel_class, kernel.more_flops, kernel.more_bytes) == ("gemm", 2 * 64 * 16, 2 * 64 * 16)
    norm = """
%y = graph.fused (%p = %a) {
  %0 = graph.add %p, %p : tensor<64x32xf16>
  %1 = graph.softmax %0 : tensor<64x32xf16>
  graph.yield %1
}
"""
    (kernel,) = kernels(norm, "a:64x32xf16")
    assert (kernel.kernel_class, kernel.numbers["rows"], kernel.numbers["read"]) == ("softmax", 64, 64 * 32 * 2)
    assert kernel.numbers["flops"] > 64 * 32


def test_two_contractions_in_a_group_are_two_kernels():
    body = """
%y = graph.fused (%p = %a) {
  %0 = graph.matmul %p, %p : tensor<32x32xf16>
  %1 = graph.matmul %0, %p : tensor<32x32xf16>
  graph.yield %1
}
"""
    found = kernels(body.replace("%p : tensor<32x32xf16>", "%p : tensor<32x32xf16>, tensor<32x32xf16>"), "a:32x32xf16")
    assert [kernel.kernel_class for kernel in found] == ["gemm", "gemm"]


def test_batched_costs_equal_single_costs():
    text = FUSED + "%z = graph.relu %y : tensor<64x16xf16>"
    module = program(text, "a:64x32xf16", "b:32x16xf16", "c:64x16xf16")
    ops: list[Operation] = list(graph_ops(module))
    machine = Machine.of(module)
    together = Clock(machine)
    together.prepare(ops, "gpu")
    assert [together.op_cost(op, "gpu") for op in ops] == [Clock(machine).op_cost(op, "gpu") for op in ops]
    assert simulate(module, Clock(machine)).makespan_ns == pytest.approx(
        sum(together.op_cost(op, "gpu").ns for op in ops)
    )


def test_the_machine_determines_the_submission_of_kernels():
    module = program("%y = graph.relu %a : tensor<8xf32>", "a:8xf32")
    replayed, eager = (
        Clock(Machine({"gpu": load_device("h100_sxm", {"submits": way, "dispatch.eager": "30 us"})}, {})).op_cost(
            graph_ops(module)[0], "gpu"
        )
        for way in ("graph", "eager")
    )
    assert replayed.bound == "launch"
    assert replayed.ns < 1e4
    assert (eager.ns, eager.bound) == (3e4, "launch")


def test_f32_contractions_may_run_on_matrix_units():
    body = "%y = graph.matmul %a, %a : tensor<4096x4096xf32>, tensor<4096x4096xf32>"
    module = program(body, "a:4096x4096xf32")
    full, rounded = (
        Clock(Machine({"gpu": load_device("a100_40_sxm", {"contract": word})}, {})).op_cost(graph_ops(module)[0], "gpu")
        for word in ("f32", "tf32")
    )
    assert 3 < full.ns / rounded.ns < 16


def test_a_variant_uses_the_constants_of_its_base(tmp_path: Path):
    sheet = tmp_path / "mine.sheet"
    sheet.write_text('device faster = h100_sxm "with the memory of tomorrow" with bandwidth 8 TB/s\n')
    (tmp_path / "h100_sxm.calibration").write_text(
        'calibration gpu h100_sxm\n  class gemm f32 "by hand"\n    dram 0.5\n'
    )
    record = load_device(str(sheet))
    assert isinstance(record, Gpu)
    known = constants_for(record, "gemm", "f32")
    assert (known.constants["dram"], known.chip) == (0.5, "h100_sxm")  # its kernels are those of the sheet's library

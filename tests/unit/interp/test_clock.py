"""Tests of the clock on machines of round numbers, whose times and energies are calculated by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func
from xdsl.ir import Operation
from xdsl.parser import Parser

from dialects.diagnostics import InputError
from dialects.graph import Graph
from dialects.hw import Hw
from dialects.pim import KernelOp, LaunchOp
from dialects.pim import Pim as PimDialect
from dialects.task import RunOp, Task
from interp.kinds.clock import Clock
from interp.kinds.pim.timing.clock import kernel_time, launch_cost, memref_bytes
from interp.machine.composition import Machine
from interp.machine.cost import Cost
from interp.machine.records import Pim

MACHINE = """
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"
"""
KERNEL = """
pim.kernel @gemv on @pim (%x: memref<8xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.load %x
  pim.act all row 0
  pim.mac all columns 0 to 2
  pim.drain all to %y
  pim.pre all
}
"""


def program(text: str) -> ModuleOp:
    context = Context()
    for dialect in (Builtin, Func, Hw, Graph, Task, PimDialect):
        context.load_dialect(dialect)
    module = Parser(context, MACHINE + text).parse_module()
    module.verify()
    return module


def ops(module: ModuleOp, name: str) -> list[Operation]:
    return [op for op in module.walk() if op.name == name]


class Kernels:
    """A kernel source that returns the same kernel for every matmul, and none for other ops."""

    def __init__(self, kernel: KernelOp) -> None:
        self.kernel = kernel

    def kernel_for(self, op: Operation, pim: Pim) -> KernelOp | None:
        return self.kernel if op.name == "graph.matmul" else None

    def cost_for(self, op: Operation, pim: Pim) -> Cost | None:
        kernel = self.kernel_for(op, pim)
        return None if kernel is None else launch_cost(kernel_time(kernel, pim), memref_bytes(kernel), pim)

    def least_ns(self, op: Operation, pim: Pim, enough: float) -> float:
        return 0.0

    def kept_bytes(self, op: Operation, pim: Pim) -> int | None:
        return None

    def why_not(self, op: Operation, pim: Pim) -> str | None:
        return None if op.name == "graph.matmul" else f"{op.name}: it is no matmul"

    def plan_of(self, op: Operation, pim: Pim) -> None:
        """Always None: this source has no mappings to choose from."""


GRAPH = """
func.func @f(%x: tensor<1x1000xf16>, %w: tensor<1000x1000xf16>, %a: tensor<1000x1000xf32>) -> tensor<1000xf16> {
  %y = graph.matmul %x, %w : tensor<1x1000xf16>, tensor<1000x1000xf16>
  %z = graph.relu %y : tensor<1x1000xf16>
  %m = graph.matmul %a, %a : tensor<1000x1000xf32>
  %r = graph.reshape %z : tensor<1x1000xf16> -> tensor<1000xf16>
  func.return %r : tensor<1000xf16>
}
"""


def costs() -> Iterator[tuple[str, Cost]]:
    module = program(GRAPH)
    clock = Clock(Machine.of(module))
    for op in module.walk():
        if op.name.startswith("graph."):
            yield op.name, clock.op_cost(op, "gpu")


def test_a_processor_is_a_roofline_after_a_launch():
    (_, gemv), (_, relu), (_, gemm), (_, view) = costs()
    # 1 M multiply-adds at 10 TFLOP/s take 0.2 us, 2 004 000 bytes at 100 GB/s 20.04 us; a launch 1 us
    assert gemv == Cost(21_040.0, 2_000_000 * 1e-3 + 2_004_000 * 10e-3, 2_004_000, 2_000_000, "memory")
    assert relu == Cost(1_040.0, 1_000 * 1e-3 + 4_000 * 10e-3, 4_000, 1_000, "launch")
    # no matrix rate for f32: 2 GFLOP at 1 TFLOP/s take 2 ms
    assert (gemm.ns, gemm.bound) == (2_001_000.0, "compute")
    assert view == Cost(0.0, 0.0, 0, 0, "view")


def test_a_fused_group_is_one_launch_and_keeps_inner_values_off_the_memory():
    module = program("""
func.func @f(%x: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
  %y = graph.fused (%a = %x) {
    %0 = graph.relu %a : tensor<1000x1000xf32>
    %1 = graph.neg %0 : tensor<1000x1000xf32>
    graph.yield %1
  }
  func.return %y : tensor<1000x1000xf32>
}
""")
    cost = Clock(Machine.of(module)).op_cost(ops(module, "graph.fused")[0], "gpu")
    assert (cost.ns, cost.bytes, cost.flops, cost.bound) == (81_000.0, 8_000_000, 2_000_000, "memory")


def test_copies_take_a_latency_and_the_bytes():
    clock = Clock(Machine.of(program("")))
    assert clock.copy_cost(1_000, "gpu", "pim") == Cost(1_100.0, 10.0, 1_000, 0, "latency")
    assert clock.copy_cost(1_000_000, "pim", "gpu") == Cost(101_000.0, 10_000.0, 1_000_000, 0, "link")


def test_a_pim_runs_the_ops_that_have_a_kernel():
    module = program(GRAPH + KERNEL)
    kernel = ops(module, "pim.kernel")[0]
    assert isinstance(kernel, KernelOp)
    clock = Clock(Machine.of(module), Kernels(kernel))
    gemv, gemm = ops(module, "graph.matmul")
    relu, view = ops(module, "graph.relu")[0], ops(module, "graph.reshape")[0]
    assert clock.supports(gemv, "pim")
    assert clock.supports(view, "pim")
    assert not clock.supports(relu, "pim")
    assert clock.op_cost(gemv, "pim") == clock.op_cost(gemm, "pim") == clock.kernel_cost(kernel)
    with pytest.raises(
        InputError, match=r"@pim \(toy_pim\) can't run graph.relu: it is no matmul; place it on another device"
    ):
        clock.op_cost(relu, "pim")
    with pytest.raises(InputError, match="there is no device @npu; the machine has @gpu, @pim"):
        clock.op_cost(relu, "npu")
    assert not Clock(Machine.of(module)).supports(gemv, "pim")


def test_the_cost_of_a_bank_program_is_that_of_its_commands():
    module = program(KERNEL)
    kernel = ops(module, "pim.kernel")[0]
    assert isinstance(kernel, KernelOp)
    cost = Clock(Machine.of(module)).kernel_cost(kernel)
    assert cost.flops == 2 * 2 * 2 * 4  # 2 columns, 2 banks, 4 lanes
    assert cost.bytes == 4 * (8 + 16 + 2)
    assert cost.energy_nj == 2 * 1 + 10 + 2 * 1 + 1 + 10  # load, act, mac, drain, pre
    # load in cycles 1 and 2, act 3, mac 13 and 14, drain 24, pre 103 (100 after act); the launch takes 100 ns
    assert cost.ns == 100 + 103


def test_the_cost_of_a_task_is_the_sum_over_its_ops():
    module = program("""
func.func @f(%x: !task.on<@gpu, tensor<1000xf32>>) -> !task.on<@gpu, tensor<1000xf32>> {
  %y = task.run @gpu (%a = %x) {
    %0 = graph.relu %a : tensor<1000xf32>
    %1 = graph.neg %0 : tensor<1000xf32>
    task.yield %1
  }
  func.return %y : !task.on<@gpu, tensor<1000xf32>>
}
""")
    run = ops(module, "task.run")[0]
    assert isinstance(run, RunOp)
    assert Clock(Machine.of(module)).task_cost(run) == Cost(
        2_160.0, 162.0, 16_000, 2_000, "launch", phases=(1_080.0, 1_080.0)
    )


def test_ops_that_only_move_data_add_no_time_to_a_launch():
    module = program(
        KERNEL
        + """
func.func @f(%x: !task.on<@pim, tensor<2x4xf32>>, %w: !task.on<@pim, tensor<1x1x2x2x4xf32>>) {
  %y = task.run @pim (%a = %x, %b = %w) {
    %0 = graph.transpose %a permutation = [1, 0] : tensor<2x4xf32>
    %1 = graph.reshape %0 : tensor<4x2xf32> -> tensor<8xf32>
    %2 = pim.launch @gemv (%1, %b) : (tensor<8xf32>, tensor<1x1x2x2x4xf32>) -> tensor<2xf32>
    task.yield %2
  }
  func.return
}
"""
    )
    clock = Clock(Machine.of(module))
    run, launch = ops(module, "task.run")[0], ops(module, "pim.launch")[0]
    assert isinstance(run, RunOp)
    assert isinstance(launch, LaunchOp)
    assert clock.task_cost(run) == clock.op_cost(launch, "pim")
    assert clock.supports(launch, "pim")
    assert not clock.supports(launch, "gpu")


def test_a_bank_program_on_a_gpu_is_an_error():
    module = program(KERNEL.replace("on @pim", "on @gpu"))
    kernel = ops(module, "pim.kernel")[0]
    assert isinstance(kernel, KernelOp)
    with pytest.raises(InputError, match=r"@gpu \(toy_gpu\) has no banks"):
        Clock(Machine.of(module)).kernel_cost(kernel)


def test_costs_add_up():
    small, large = Cost(1.0, 2.0, 3, 4, "memory"), Cost(10.0, 20.0, 30, 40, "compute")
    assert small + large == Cost(11.0, 22.0, 33, 44, "compute", phases=(1.0, 10.0))

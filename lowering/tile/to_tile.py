"""Products that stand on GPUs become launches of kernels of thread blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from dialects.diagnostics import InputError
from dialects.element_types import tensor_type
from dialects.graph import ATTENTIONS, ConvOp, FusedOp, GraphOp, MatmulOp
from dialects.locations import located
from dialects.task import RunOp
from dialects.tile import KernelOp, LaunchOp, memref_of
from interp.machine.composition import Machine
from interp.machine.multiprocessor import Multiprocessor
from interp.machine.records import Gpu
from interp.program.entry import blocks_of, functions, is_contraction
from interp.program.level import programs_in
from lowering.graph.grouping import take_apart
from lowering.graph.rewriting import apply_once, set_attribute
from lowering.tile.choice import PIPELINED, UNPIPELINED, Choice, choice_of, schedules_of
from lowering.tile.problems import lay, lift, problem_of
from lowering.tile.schedule import Problem
from lowering.tile.templates import kernel_of

WHY = "tile.why"
"""An op's attribute: why it is no kernel of thread blocks, though it is a product on a GPU."""


@dataclass(frozen=True)
class ToTilePass(ModulePass):
    """Writes products and convolutions as kernels of thread blocks, each with the schedule that the clock of thread
    blocks finds the fastest for it.

    Each becomes a `tile.launch`, between the graph ops that bring what it takes into the order in which the kernel
    reads it, and the result back. Equal products share one kernel. In a function of graph ops the kernels are the
    primary device's, in a task those of its device. A group is taken apart for its product; `fuse` groups what is left.
    A product for which there is no template stays with the GPU's library and says why (`tile.why`). Kernels are
    unpipelined: their buffers only wish for the stages that the schedule gives them, which `pipeline-buffers` grants.

    `pipelined`: whether schedules have stages; `device`: lower the products of this device alone, empty means of all.

    Before:
    ```mlir
    hw.device @gpu = "a100"
    func.func @main(%a: tensor<32x64xf16>, %b: tensor<64x32xf16>) -> tensor<32x32xf16> {
      %c = graph.matmul %a, %b : tensor<32x64xf16>, tensor<64x32xf16>
      func.return %c : tensor<32x32xf16>
    }
    ```
    After:
    ```mlir
    hw.device @gpu = "a100"
    tile.kernel @matmul_32x32x64_f16 on @gpu (%a: memref<32x64xf16>, %b: memref<64x32xf16>) -> (%c: memref<32x32xf16>) {
      tile.blocks %i = 0 to 1, %j = 0 to 1 warps 1, 1 {
        %as = tile.buffer shared pad 8 stages 2 : memref<32x32xf16>
        %bs = tile.buffer shared pad 8 stages 2 : memref<32x32xf16>
        %af = tile.buffer register : memref<32x16xf16>
        %bf = tile.buffer register : memref<16x32xf16>
        %sum = tile.buffer register : memref<32x32xf32>
        tile.fill %sum with 0.0
        tile.for %k = 0 to 2 {
          tile.copy async %a[%i * 32 : 32, %k * 32 : 32] to %as
          tile.copy async %b[%k * 32 : 32, %j * 32 : 32] to %bs
          tile.commit
          tile.wait 0
          tile.barrier
          tile.for %t = 0 to 2 {
            tile.copy %as[0 : 32, %t * 16 : 16] to %af
            tile.copy %bs[%t * 16 : 16] to %bf
            tile.mma %af, %bf into %sum
          }
          tile.barrier
        }
        tile.copy %sum to %c[%i * 32 : 32, %j * 32 : 32]
      }
    }
    func.func @main(%a: tensor<32x64xf16>, %b: tensor<64x32xf16>) -> tensor<32x32xf16> {
      %c = tile.launch @matmul_32x32x64_f16 (%a, %b) : (tensor<32x64xf16>, tensor<64x32xf16>) -> tensor<32x32xf16>
      func.return %c : tensor<32x32xf16>
    }
    ```
    """

    name = "to-tile"
    NEEDS_MACHINE: ClassVar[bool] = True
    COMPARED: ClassVar[bool] = True
    pipelined: bool = True
    device: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = Machine.of(op)
        gpus = machine.gpus
        if not gpus or (self.device and self.device not in gpus):
            met = f"no GPU @{self.device}" if self.device else "no GPU"
            known = ", ".join(f"@{name}" for name in gpus) or "none"
            raise InputError(
                f"to-tile: the machine has {met} with multiprocessors (`shared` in its sheet); it has {known}", op
            )
        kernels = _Kernels(op, gpus, self.pipelined)
        for function in functions(op):
            for place, ops in _work(function, machine.primary):
                if place in gpus and self.device in ("", place):
                    apply_once([each for each in ops if _product_in(each) is not None], LaunchKernel(place, kernels))


def _work(function: FuncOp, primary: str) -> list[tuple[str, list[Operation]]]:
    """The ops of a function by the device that runs them: those in tasks, and those outside, at the primary device."""
    found: list[tuple[str, list[Operation]]] = []
    for block in blocks_of(function):
        found.append((primary, list(block.ops)))
        found += [(run.place, list(run.body.block.ops)) for run in block.ops if isinstance(run, RunOp)]
    return found


def _product_in(op: Operation) -> GraphOp | None:
    """The product that an op is, or that a group has as its only one."""
    if isinstance(op, MatmulOp | ConvOp):
        return op
    if not isinstance(op, FusedOp) or (op.kind is not None and op.kind.data in ATTENTIONS):
        return None
    found = [inner for inner in op.ops if is_contraction(inner)]
    return found[0] if len(found) == 1 else None


@dataclass
class LaunchKernel(RewritePattern):
    """op(a, b) on a GPU = lift(launch(lay(a), lay(b)))."""

    place: str
    kernels: _Kernels

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        product = _product_in(op)
        assert product is not None
        kernel = self.kernels.kernel(product, self.place, rewriter)
        if isinstance(kernel, str):
            set_attribute(op, WHY, StringAttr(kernel))
            return
        if isinstance(op, FusedOp):
            take_apart(op, rewriter)
        assert isinstance(product, MatmulOp | ConvOp)
        given = lay(product, kernel)
        types = [memref_of(value) for value in kernel.outputs]
        results = [tensor_type(type_.get_shape(), type_.element_type) for type_ in types]
        launch = located(LaunchOp(kernel.sym_name.data, [chain.value for chain in given], results), product)
        lifted = lift(product, launch.outputs[0])
        lifted.value.name_hint = product.y.name_hint
        ops = [*(each for chain in given for each in chain.ops), launch, *lifted.ops]
        rewriter.insert(ops, InsertPoint.before(product))
        rewriter.replace(product, [], [lifted.value])


class _Kernels:
    """The kernels of one module, by problem and device."""

    def __init__(self, module: ModuleOp, gpus: dict[str, Gpu], pipelined: bool) -> None:
        self.module, self.gpus = module, gpus
        self.ways = PIPELINED if pipelined else UNPIPELINED
        self.names = set(programs_in(module))
        self.units: dict[str, Multiprocessor] = {}
        self.choices: dict[tuple[Problem, str], Choice | None] = {}
        self.known: dict[tuple[Problem, str], KernelOp] = {}

    def kernel(self, op: GraphOp, place: str, rewriter: PatternRewriter) -> KernelOp | str:
        """The kernel of a product in the module, where it is put before the first function; or why there is none."""
        problem = problem_of(op)
        if isinstance(problem, str):
            return problem
        if place not in self.units:
            self.units[place] = Multiprocessor.of(self.gpus[place], op)
        key = (problem, place)
        if key not in self.choices:
            try:
                self.choices[key] = choice_of(problem, self.units[place], schedules_of(problem, self.ways))
            except NotImplementedError as error:
                return f"{op.name}: {error}"
        choice = self.choices[key]
        if choice is None:
            return f"{op.name} has no tile that a multiprocessor of {self.gpus[place].name} holds"
        if key not in self.known:
            kernel = kernel_of(problem, choice.schedule, self._new_name(problem, place), place)
            for each in kernel.walk():
                located(each, op)
            block = self.module.body.block
            first = next((other for other in block.ops if not other.name.startswith(("hw.", "tile."))), None)
            rewriter.insert(kernel, InsertPoint.at_end(block) if first is None else InsertPoint.before(first))
            self.known[key] = kernel
        return self.known[key]

    def _new_name(self, problem: Problem, place: str) -> str:
        kind = "matmul" if problem.convolution is None else "conv"
        sizes = [*([problem.batch] if problem.batch > 1 else []), problem.m, problem.n, problem.k]
        name = f"{kind}_{'x'.join(map(str, sizes))}_{problem.element}"
        tries = (name, f"{name}_{place}", *(f"{name}_{place}_{number}" for number in range(2, len(self.names) + 3)))
        name = next(each for each in tries if each not in self.names)
        self.names.add(name)
        return name

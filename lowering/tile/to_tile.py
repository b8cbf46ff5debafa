"""Pass that lowers products on GPUs to launches of kernels of thread blocks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import FloatAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from dialects.diagnostics import InputError
from dialects.element_types import name_of, tensor_type
from dialects.graph import AttentionOp, ConvOp, FusedOp, GraphOp, TransposeOp, shape_of, tensor_of
from dialects.locations import located
from dialects.task import RunOp
from dialects.tile import WHY, KernelOp, LaunchOp, memref_of
from dialects.tile.kernel import LAUNCH_SCALE, SCALE
from interp.kinds.clock import Clock
from interp.kinds.gpu.multiprocessor import Multiprocessor
from interp.tile.clock import grid_times
from interp.walk.entry import blocks_of, functions
from interp.walk.level import programs_in
from interp.walk.work_key import shape_key
from lowering.banks.templates import clock_for
from lowering.graph.grouping import dissolve
from lowering.graph.rewriting import apply_once, set_attribute
from lowering.tile.choice import SPACES, attention_schedule, choice_of, spaces_of
from lowering.tile.epilogue import Unfit
from lowering.tile.problems import channels_last, is_image, kernel_of_product, problem_of, product_in
from lowering.tile.schedule import Schedule
from lowering.tile.templates import inputs_of, kernel_of_op, pipelined
from lowering.words import one_of

MAX_NAMED_OPS = 3
"""Maximum number of ops after a product that appear in its kernel's name."""


@dataclass(frozen=True)
class ToTilePass(ModulePass):
    """Lower products and convolutions to kernels of thread blocks, each with the fastest schedule that is found for it.

    A product becomes a `tile.launch`, alone or with its group. If other ops of the group can't be applied to a tile,
    the group is dissolved, and `fuse` can group the remaining ops. Equal ops share one kernel. In a function of graph
    ops the kernels are for the primary device, in a task for the task's device. A product without a template is still
    computed by the GPU's library, and its attribute `tile.why` gives the reason. Kernels are unpipelined: their buffers
    only request the stages of the schedule, and peeled loops; `pipeline-buffers` then pipelines and peels the loops.

    A kernel's attribute `tile.scale` scales its time so that the fastest schedule takes as long as the kernel of the
    GPU's library: where the models of both kinds of kernels disagree about the same product, that is no gain, and
    a slower schedule takes longer than the library's kernel in the proportion that the model of thread blocks predicts.
    Where a profile has a time for the library's kernel that is no longer than the launch by the sheet, the launch is
    scaled, too (`tile.launch_scale`).

    `space`: the schedules to choose from: `ours` (all), those that ALCOP searches (`published`), or the same tiles
    without stages (`unpipelined`). `device`: lower only products of this device; empty means all devices. `attention`:
    also lower attention to a kernel, instead of leaving it to the GPU's library.

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
      tile.blocks %i = 0 to 2, %j = 0 to 2 warps 1, 1 {
        %as = tile.buffer shared stages 2 swizzled : memref<16x64xf16>
        %bs = tile.buffer shared stages 2 swizzled : memref<64x16xf16>
        %af = tile.buffer register stages 4 : memref<16x16xf16>
        %bf = tile.buffer register stages 4 : memref<16x16xf16>
        %sum = tile.buffer register : memref<16x16xf32>
        tile.fill %sum with 0.0
        tile.for %k = 0 to 1 {
          tile.copy async %a[%i * 16 : 16, %k * 64 : 64] to %as
          tile.copy async %b[%k * 64 : 64, %j * 16 : 16] to %bs
          tile.commit
          tile.wait 0
          tile.barrier
          tile.for %t = 0 to 4 {
            tile.copy %as[0 : 16, %t * 16 : 16] to %af
            tile.copy %bs[%t * 16 : 16] to %bf
            tile.mma %af, %bf into %sum
          }
          tile.barrier
        }
        tile.copy %sum to %c[%i * 16 : 16, %j * 16 : 16]
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
    space: str = one_of(lambda: SPACES, default="ours")
    device: str = ""
    attention: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        clock = clock_for(op)
        machine, gpus = clock.machine, clock.machine.gpus
        if not gpus or (self.device and self.device not in gpus):
            met = f"no GPU @{self.device}" if self.device else "no GPU"
            known = ", ".join(f"@{name}" for name in gpus) or "none"
            raise InputError(
                f"to-tile: the machine has {met} with multiprocessors (`shared` in its sheet); it has {known}", op
            )
        kernels = Kernels(op, clock, self.space)
        for function in functions(op):
            for place, ops in _work(function, machine.primary):
                if place in gpus and self.device in ("", place):
                    apply_once([each for each in ops if self._is_lowered(each)], LaunchKernel(place, kernels))

    def _is_lowered(self, op: Operation) -> bool:
        return product_in(op) is not None or (self.attention and isinstance(op, AttentionOp))


def _work(function: FuncOp, primary: str) -> list[tuple[str, list[Operation]]]:
    """Return the ops of a function, grouped by the device that runs them: ops in tasks run on the task's device, all
    others on the primary device."""
    found: list[tuple[str, list[Operation]]] = []
    for block in blocks_of(function):
        found.append((primary, list(block.ops)))
        found += [(run.place, list(run.body.block.ops)) for run in block.ops if isinstance(run, RunOp)]
    return found


@dataclass
class LaunchKernel(RewritePattern):
    """Replaces an op on a GPU by a launch of its kernel: op(a, b) = launch(a, b). If the op has no kernel, it dissolves
    the group around a product, or records the reason."""

    place: str
    kernels: Kernels

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        try:
            kernel = self.kernels.kernel(op, self.place, rewriter)
        except Unfit as error:
            product = product_in(op)
            if product is not None and product is not op and self._fits(product):
                dissolve(op, rewriter)  # pyright: ignore[reportArgumentType]
                self.match_and_rewrite(product, rewriter)
            else:
                set_attribute(op, WHY, StringAttr(str(error)))
            return
        values = inputs_of(op)
        given = [_transposes(value, op) for value in values]
        taken = [transposes[0].y if transposes else value for value, transposes in zip(values, given, strict=True)]
        types = [memref_of(value) for value in kernel.outputs]
        results = [tensor_type(type_.get_shape(), type_.element_type) for type_ in types]
        launch = located(LaunchOp(kernel.sym_name.data, taken, results), op)
        lifted = [_transposes(value, op, back=True) for value in launch.outputs]
        made = [
            transposes[0].y if transposes else value for value, transposes in zip(launch.outputs, lifted, strict=True)
        ]
        for old, new in zip(op.results, made, strict=True):
            new.name_hint = old.name_hint
        before, after = ([each for transposes in ops for each in transposes] for ops in (given, lifted))
        rewriter.replace(op, [*before, launch, *after], made)

    @staticmethod
    def _fits(product: Operation) -> bool:
        try:
            problem_of(product)
        except Unfit:
            return False
        return True


def _transposes(value: SSAValue, op: Operation, back: bool = False) -> list[TransposeOp]:
    """Return the transpose of an image to channels last, or, with `back`, from channels last; empty for a value that is
    not an image."""
    rank = len(shape_of(value))
    if not is_image(op) or rank < 3:
        return []
    order = (0, rank - 1, *range(1, rank - 1)) if back else channels_last(rank)
    return [located(TransposeOp(value, permutation=order), op)]


class Kernels:
    """Kernels of one module, by the ops that they compute and their device."""

    def __init__(self, module: ModuleOp, clock: Clock, space: str) -> None:
        self.module, self.clock, self.gpus, self.space = module, clock, clock.machine.gpus, space
        self.names = set(programs_in(module))
        self.units: dict[str, Multiprocessor] = {}
        self.schedules: dict[tuple[Hashable, str, str], Schedule | None] = {}
        self.known: dict[Hashable, KernelOp] = {}

    def kernel(self, op: Operation, place: str, rewriter: PatternRewriter) -> KernelOp:
        """Return the kernel of an op; a new one is inserted before the module's first function. Raises Unfit with the
        reason if there is none.
        """
        assert isinstance(op, GraphOp | FusedOp)
        key = (shape_key(op), place)
        if key not in self.known:
            kernel = self._attention(op, place) if isinstance(op, AttentionOp) else self._product(op, place)
            for name, scale in self._scales(op, place).items():
                set_attribute(kernel, name, FloatAttr(scale, 64))
            for each in kernel.walk():
                located(each, op)
            block = self.module.body.block
            first = next((other for other in block.ops if not other.name.startswith(("hw.", "tile."))), None)
            rewriter.insert(kernel, InsertPoint.at_end(block) if first is None else InsertPoint.before(first))
            self.known[key] = kernel
        return self.known[key]

    def _product(self, op: Operation, place: str) -> KernelOp:
        problem = problem_of(op)
        product = product_in(op)
        after = op.ops if isinstance(op, FusedOp) else ()
        sizes = [*([problem.batch] if problem.batch > 1 else []), problem.m, problem.n, problem.k]
        kinds = [each.name.removeprefix("graph.") for each in after if each is not product]
        words = [kind for kind in kinds if kind != "constant"][:MAX_NAMED_OPS]
        kind = "conv" if isinstance(product, ConvOp) else "matmul"
        name = self._new_name((kind, "x".join(map(str, sizes)), problem.element, *words), place)
        return kernel_of_product(op, self._schedule(op, place, self.space), name, place)

    def _attention(self, op: AttentionOp, place: str) -> KernelOp:
        sizes = "x".join(map(str, (*shape_of(op.q), shape_of(op.k)[2])))
        name = self._new_name(("attention", sizes, name_of(tensor_of(op.q).element_type)), place)
        return kernel_of_op(op, self._schedule(op, place, self.space), name, place)

    def _scales(self, op: GraphOp | FusedOp, place: str) -> dict[str, float]:
        """Return the scales of an op's kernel, by the name of the attribute: the time of the library's kernel, without
        its launch, divided by that of the grids of the fastest schedule that is known. If the library's kernel was
        measured to take no longer than a launch by the sheet (no measurement tells which part of it is the launch), the
        launch and the grids have the same scale. Empty if the GPU's library has no kernel."""
        if not self.clock.supports(op, place):
            return {}
        unit = self._unit(op, place)
        spaces = dict.fromkeys(("ours", self.space))
        fastest = min(self.grids_ns(op, place, space) for space in spaces)
        ns = self.clock.op_cost(op, place).ns
        if ns > unit.launch_ns:
            return {SCALE: (ns - unit.launch_ns) / fastest}
        scale = ns / (unit.launch_ns + fastest)
        return {SCALE: scale, LAUNCH_SCALE: scale}

    def grids_ns(self, op: GraphOp | FusedOp, place: str, space: str) -> float:
        """Return the time of the grids of the fastest schedule of a space, before it is scaled. Raises Unfit as
        `kernel`."""
        schedule = self._schedule(op, place, space)
        make = kernel_of_op if isinstance(op, AttentionOp) else kernel_of_product
        kernel = pipelined(make(op, schedule, "fastest", place), schedule)
        return sum(each.ns for each in grid_times(kernel, self._unit(op, place)))

    def slowdown(self, op: GraphOp | FusedOp, place: str) -> float | None:
        """Return the time of an op's kernel of this space, as a multiple of that of the GPU's library; None if the
        library has no kernel. Raises Unfit as `kernel`."""
        scales = self._scales(op, place)
        if not scales:
            return None
        launch = self._unit(op, place).launch_ns * scales.get(LAUNCH_SCALE, 1.0)
        return (launch + scales[SCALE] * self.grids_ns(op, place, self.space)) / self.clock.op_cost(op, place).ns

    def _unit(self, op: Operation, place: str) -> Multiprocessor:
        if place not in self.units:
            self.units[place] = Multiprocessor.of(self.gpus[place], op)
        return self.units[place]

    def _schedule(self, op: Operation, place: str, space: str) -> Schedule:
        """Return the fastest schedule of a space for an op. Raises Unfit if a multiprocessor can't hold a thread block
        of any schedule tried."""
        attends = isinstance(op, AttentionOp)
        key = (shape_key(op) if attends else problem_of(op), place, space)  # pyright: ignore[reportArgumentType]
        if key not in self.schedules:
            unit = self._unit(op, place)
            if attends:
                self.schedules[key] = attention_schedule(op, unit, (1,) if space == "unpipelined" else (1, 2, 3))
            else:
                choice = choice_of(problem_of(op), unit, spaces_of(space, problem_of(op)))
                self.schedules[key] = choice and choice.schedule
        if (schedule := self.schedules[key]) is None:
            raise Unfit(f"a multiprocessor of {self.gpus[place].name} can't hold a thread block of any schedule tried")
        return schedule

    def _new_name(self, words: Sequence[str], place: str) -> str:
        name = "_".join(words)
        tries = (name, f"{name}_{place}", *(f"{name}_{place}_{number}" for number in range(2, len(self.names) + 3)))
        name = next(each for each in tries if each not in self.names)
        self.names.add(name)
        return name

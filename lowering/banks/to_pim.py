"""The pass `to-pim`: lowers tasks on a PIM to launches of bank programs, with explicit layout conversions of
operands."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.traits import SymbolOpInterface

from dialects.diagnostics import InputError
from dialects.element_types import tensor_type
from dialects.graph import FusedOp, GraphOp
from dialects.locations import located
from dialects.pim import PLAN, KernelOp, LaunchOp, memref_of
from dialects.task import WORK, ResidentOp, RunOp, placed
from dialects.values import name_on
from interp.cost.profiled import Profiled
from interp.kinds.clock import Clock
from interp.machine.composition import Machine
from interp.machine.records import Pim
from interp.simulate.schedule.residency import check_residents
from interp.walk.entry import bank_work, blocks_of, functions
from lowering.banks.pimflow.programs import why_not_lowered
from lowering.banks.plan import BankPlan, misfit, only_op
from lowering.banks.templates import PimTemplates
from lowering.graph.rewriting import apply_once


@dataclass(frozen=True)
class ToPimPass(ModulePass):
    """Generates the bank programs of the tasks that are placed on PIMs.

    Each product of a task and each element-wise op (or fused group of element-wise ops) becomes a `pim.launch`. Graph
    ops before it convert its operands to the order in which they are loaded or written; graph ops after it convert the
    result back from the order in which it is drained or read. These conversions are address generation and take no
    time. Weights are laid out for the banks ahead of time. Equal ops share one kernel. Tasks on other devices are
    unchanged. If a profile has a measured time for an op on the device, the launch names the row of the profile
    (`task.work`).

    `device`: lower only the tasks of this device; empty means all PIMs.

    Before:
    ```mlir
    hw.device @pim = "toy_pim"
    func.func @main(%x: !task.on<@pim, tensor<1x16xf32>>) -> !task.on<@pim, tensor<1x4xf32>> {
      %w = graph.weight "fc" = uniform(-1.0, 1.0, 1) : tensor<16x4xf32>
      %wp = task.resident %w on @pim
      %y = task.run @pim (%a = %x, %b = %wp) {
        %0 = graph.matmul %a, %b : tensor<1x16xf32>, tensor<16x4xf32>
        task.yield %0
      }
      func.return %y : !task.on<@pim, tensor<1x4xf32>>
    }
    ```
    After:
    ```mlir
    hw.device @pim = "toy_pim"
    pim.kernel @matmul_1x4x16_f32 on @pim (%x: memref<1x16xf32>, %w: memref<1x1x2x8x4xf32> at row 0)
        -> (%y: memref<1x2x2xf32>) {
      pim.channels %c = 0 to 1 {
        pim.act all row 0
        pim.load %x[0, 0 to 16]
        pim.for %s = 0 to 2 {
          pim.mac all columns %s * 4 to %s * 4 + 4 buffer 0
          pim.drain all to %y[0, %s]
        }
        pim.pre all
      }
    }
    func.func @main(%x: !task.on<@pim, tensor<1x16xf32>>) -> !task.on<@pim, tensor<1x4xf32>> {
      %w = graph.weight "fc" = uniform(-1.0, 1.0, 1) : tensor<16x4xf32>
      %0 = graph.transpose %w permutation = [1, 0] : tensor<16x4xf32>
      %1 = graph.reshape %0 : tensor<4x16xf32> -> tensor<2x2x16xf32>
      %2 = graph.transpose %1 permutation = [1, 0, 2] : tensor<2x2x16xf32>
      %3 = graph.reshape %2 : tensor<2x2x16xf32> -> tensor<1x1x2x8x4xf32>
      %w_pim = task.resident %3 on @pim
      %y = task.run @pim (%a = %x, %w_pim_1 = %w_pim) {
        %4 = pim.launch @matmul_1x4x16_f32 (%a, %w_pim_1)
          : (tensor<1x16xf32>, tensor<1x1x2x8x4xf32>) -> tensor<1x2x2xf32>
        %5 = graph.reshape %4 : tensor<1x2x2xf32> -> tensor<1x4xf32>
        task.yield %5
      }
      func.return %y : !task.on<@pim, tensor<1x4xf32>>
    }
    ```
    """

    name = "to-pim"
    NEEDS_MACHINE: ClassVar[bool] = True
    device: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = Machine.of(op)
        pims = machine.pims
        if self.device and self.device not in pims:
            known = ", ".join(f"@{name}" for name in pims) or "none"
            raise InputError(f"to-pim: the machine has no PIM @{self.device}; its PIMs are {known}", op)
        programs = _Programs(op, PimTemplates.of(op))
        profiled = Profiled(machine.devices, machine.links)
        for function in functions(op):
            for run in [op for block in blocks_of(function) for op in block.ops if isinstance(op, RunOp)]:
                pim = pims.get(run.place)
                if pim is None and PLAN in run.attributes:
                    raise misfit(
                        run,
                        f"applies only to a PIM, but @{run.place} is not a PIM; move the attribute to a task on a PIM",
                    )
                if pim is not None and self.device in ("", run.place):
                    if pim.programs != "own":
                        raise InputError(why_not_lowered(run.place, pim), run)
                    task = _Task(run, pim)
                    launched = apply_once(
                        [inner for inner in bank_work(run) if not isinstance(inner, LaunchOp)],
                        LaunchProgram(task, programs, profiled),
                    )
                    apply_once([run] if launched else [], HandOperands(task))
            check_residents(function, Clock(machine, programs.templates), pims)


@dataclass
class LaunchProgram(RewritePattern):
    """Replaces an op in a task on a PIM by a launch: `op(x, w)` becomes `lift(launch(lay(x), w in the banks))`, where
    `lay` and `lift` convert layouts. A fused group of one op is treated as that op."""

    task: _Task
    programs: _Programs
    profiled: Profiled

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, GraphOp | FusedOp)
        task, pim, place = self.task, self.task.pim, self.task.run.place
        plan = self.programs.templates.plan_for(op, pim)
        if isinstance(plan, str):
            raise InputError(f"@{place} ({pim.name}) can't run {plan}; place it on another device", op)
        op = _unwrapped(op, rewriter)
        row = self.profiled.row(op, place)
        weights = self.programs.weights(task, op, plan, rewriter)
        taken = plan.lay_inputs(op, pim)
        operands = [*(chain.value for chain in taken), *weights]
        types = [memref_of(value) for value in plan.kernel.outputs]
        results = [tensor_type(type_.get_shape(), type_.element_type) for type_ in types]
        launch = located(LaunchOp(self.programs.kernel(plan, place, op, rewriter), operands, results), op)
        if row is not None:
            launch.attributes[WORK] = StringAttr(row.key)
        given = plan.lift_results(op, launch.outputs)
        laid = [inner for chain in taken for inner in chain.ops]
        lifted = [inner for chain in given for inner in chain.ops]
        rewriter.insert([*laid, launch, *lifted], InsertPoint.before(op))
        for result, chain in zip(op.results, given, strict=True):
            chain.value.name_hint = result.name_hint
        rewriter.replace(op, [], [chain.value for chain in given])


@dataclass
class HandOperands(RewritePattern):
    """Add the weights in their bank layout as operands to a task that launches programs, and remove unused ops and
    operands from the task."""

    task: _Task

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        run, block, inputs = self.task.run, self.task.run.body.block, self.task.inputs
        for inner in reversed(list(block.ops)):
            if isinstance(inner, GraphOp | FusedOp) and all(result.first_use is None for result in inner.results):
                rewriter.erase(inner)
        for argument in reversed([argument for argument in block.args if argument.first_use is None]):
            del inputs[argument.index]
            rewriter.erase_block_argument(argument)
        new = RunOp(run.place, inputs, run.detach_region(run.body), run.queue_number, list(run.after))
        new.location = run.location
        new.take_as_stream(
            [inputs.index(run.inputs[number]) for number in run.streamed if run.inputs[number] in inputs]
        )
        new.attributes |= {name: attribute for name, attribute in run.attributes.items() if name != PLAN}
        sources = [value.owner for value in run.inputs]
        for old, result in zip(run.outputs, new.outputs, strict=True):
            result.name_hint = old.name_hint
        rewriter.replace(run, new)
        for owner in sources:
            if isinstance(owner, ResidentOp) and owner.parent is not None and owner.placed.first_use is None:
                rewriter.erase(owner)


class _Programs:
    """The kernels of one module, and the resident weights in the layouts of these kernels."""

    def __init__(self, module: ModuleOp, templates: PimTemplates) -> None:
        self.module = module
        self.templates = templates
        self.names = {name for op in module.body.block.ops if (name := _symbol(op))}
        self.kernels: dict[tuple[KernelOp, str], str] = {}
        self.laid: dict[Hashable, list[SSAValue]] = {}

    def kernel(self, plan: BankPlan, place: str, op: Operation, rewriter: PatternRewriter) -> str:
        """The name of a plan's kernel in the module. The first call inserts the kernel, before the first function."""
        if (name := self.kernels.get((plan.kernel, place))) is None:
            name = self.kernels[plan.kernel, place] = self._new_name(plan.kernel.sym_name.data, place)
            kernel = plan.kernel.clone()
            for command in kernel.walk():
                located(command, op)
            kernel.sym_name, kernel.device = StringAttr(name), SymbolRefAttr(place)
            block = self.module.body.block
            first = next((other for other in block.ops if not other.name.startswith(("hw.", "pim."))), None)
            point = InsertPoint.at_end(block) if first is None else InsertPoint.before(first)
            rewriter.insert(kernel, point)
        return name

    def _new_name(self, name: str, place: str) -> str:
        tries = (name, f"{name}_{place}", *(f"{name}_{place}_{number}" for number in range(2, len(self.names) + 3)))
        name = next(each for each in tries if each not in self.names)
        self.names.add(name)
        return name

    def weights(self, task: _Task, op: GraphOp | FusedOp, plan: BankPlan, rewriter: PatternRewriter) -> list[SSAValue]:
        """The arguments of the task's body for the weights in their bank layout. Each layout is made once and shared by
        all tasks that use it."""
        sources = [task.outside(weight, op, rewriter) for weight in plan.weights(op)]
        key = (*sources, task.run.place, plan.kernel, plan.layout_key(op))
        if key not in self.laid:
            ops, tensors = plan.lay_weights(op, sources, task.pim)
            residents = [located(ResidentOp(tensor, task.run.place), op) for tensor in tensors]
            for resident in residents:
                name = sources[0].name_hint if sources else None
                resident.placed.name_hint = name_on(name, task.run.place)
            rewriter.insert([*ops, *residents], InsertPoint.before(task.run))
            self.laid[key] = [resident.placed for resident in residents]
        return [task.take(value, rewriter) for value in self.laid[key]]


class _Task:
    """A `task.run` that is being lowered, with its new operands."""

    def __init__(self, run: RunOp, pim: Pim) -> None:
        self.run, self.pim = run, pim
        self.inputs = list(run.inputs)

    def outside(self, value: SSAValue, op: Operation, rewriter: PatternRewriter) -> SSAValue:
        """The plain tensor outside of all tasks for a weight in the task's body. If ops in the body compute the weight
        from other weights, they are cloned in front of the task, so that they run ahead of time."""
        if isinstance(value, BlockArgument):
            source = self.inputs[value.index].owner
            if not isinstance(source, ResidentOp):
                raise InputError(f"task.run @{self.run.place}: the weight must be resident there (task.resident)", op)
            return source.value
        inner = value.owner
        assert isinstance(inner, Operation)
        clone = located(inner.clone(), inner)
        clone.operands = [self.outside(operand, op, rewriter) for operand in inner.operands]
        rewriter.insert(clone, InsertPoint.before(self.run))
        return clone.results[inner.results.index(value)]

    def take(self, value: SSAValue, rewriter: PatternRewriter) -> BlockArgument:
        """The argument of the body for a placed value; added if the task does not have it yet."""
        block = self.run.body.block
        if value in self.inputs:
            return block.args[self.inputs.index(value)]
        argument = rewriter.insert_block_argument(block, len(block.args), placed(value).tensor)
        argument.name_hint = value.name_hint
        self.inputs.append(value)
        return argument


def _unwrapped(op: GraphOp | FusedOp, rewriter: PatternRewriter) -> GraphOp | FusedOp:
    """The only op of a fused group of one op, moved out of the group; any other op unchanged."""
    inner = only_op(op)
    if not isinstance(op, FusedOp) or inner is None:
        return op
    outside: dict[SSAValue, SSAValue] = dict(zip(op.body.block.args, op.inputs, strict=True))
    inner.detach()
    inner.operands = [outside.get(operand, operand) for operand in inner.operands]
    rewriter.insert(inner, InsertPoint.before(op))
    rewriter.replace(op, [], list(inner.results), safe_erase=False)
    return inner


def _symbol(op: Operation) -> str | None:
    trait = op.get_trait(SymbolOpInterface)
    name = trait.get_sym_attr_name(op) if trait is not None else None
    return name.data if name is not None else None

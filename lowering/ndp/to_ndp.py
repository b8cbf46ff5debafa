"""The pass `to-ndp`: lowers tasks on near-data units to launches of unoptimised programs, op by op."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from dialects.diagnostics import InputError
from dialects.element_types import element_count
from dialects.graph import ConstantOp, FusedOp, GraphOp, ReduceOp, tensor_of
from dialects.graph.patterns.primitives import in_primitives
from dialects.locations import located
from dialects.ndp import (
    OUTPUTS,
    AllocOp,
    BarrierOp,
    CombineOp,
    FilterOp,
    JoinOp,
    LaunchOp,
    LoadOp,
    ProgramOp,
    StoreOp,
)
from dialects.ndp import ReduceOp as UnitReduceOp
from dialects.task import WORK, RunOp
from interp.cost.profiled import Profiled
from interp.kinds.ndp.phases import levels, moves, specified_outputs, why_not_streamed
from interp.machine.composition import Machine
from interp.machine.near_data import near_data_devices
from interp.walk.entry import blocks_of, functions
from interp.walk.level import programs_in
from interp.walk.views import is_view
from lowering.graph.rewriting import apply_once


@dataclass(frozen=True)
class ToNdpPass(ModulePass):
    """Generates the programs of the tasks that are placed on near-data units.

    Each op, or fused group, of a task becomes an `ndp.launch`. Its program consists of a load of operands, a
    computation and a store of the result for each op; intermediate results are stored to scratch memory. A reduction
    ends a phase; ops that do not depend on its result come before. Softmax and norms are expanded into primitive ops.
    Equal programs are generated once. If a profile has a measured time for an op on the device, the launch names the
    row of the profile (`task.work`). The attribute `ndp.outputs` of a task is copied to its programs. The passes
    `forward-stores`, `number-values` and `split-outputs` optimise the programs.

    `device`: lower only the tasks of this device; empty means all near-data units.

    Before:
    ```mlir
    hw.device @ndp = "toy_ndp"
    func.func @main(%x: !task.on<@ndp, tensor<64xf32>>) -> !task.on<@ndp, tensor<64xf32>> {
      %y = task.run @ndp (%a = %x) {
        %0 = graph.fused (%b = %a) {
          %1 = graph.neg %b : tensor<64xf32>
          %2 = graph.exp %1 : tensor<64xf32>
          graph.yield %2
        }
        task.yield %0
      }
      func.return %y : !task.on<@ndp, tensor<64xf32>>
    }
    ```
    After:
    ```mlir
    hw.device @ndp = "toy_ndp"
    ndp.program @neg_exp on @ndp (%b: memref<64xf32>) -> (%0: memref<64xf32>) {
      ndp.filter %b
      %1 = ndp.load %b
      %2 = graph.neg %1 : tensor<64xf32>
      %3 = ndp.alloc : memref<64xf32>
      ndp.store %2 to %3
      %4 = ndp.load %3
      %5 = graph.exp %4 : tensor<64xf32>
      ndp.store %5 to %0
      ndp.join
    }
    func.func @main(%x: !task.on<@ndp, tensor<64xf32>>) -> !task.on<@ndp, tensor<64xf32>> {
      %y = task.run @ndp (%a = %x) {
        %6 = ndp.launch @neg_exp (%a) : (tensor<64xf32>) -> tensor<64xf32>
        task.yield %6
      }
      func.return %y : !task.on<@ndp, tensor<64xf32>>
    }
    ```
    """

    name = "to-ndp"
    NEEDS_MACHINE: ClassVar[bool] = True
    device: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = Machine.of(op)
        units = near_data_devices(machine.devices)
        if self.device and self.device not in units:
            known = ", ".join(f"@{name}" for name in units) or "none"
            raise InputError(f"to-ndp: the machine has no near-data units @{self.device}; it has {known}", op)
        launch = LaunchProgram(op, Profiled(machine.devices, machine.links))
        for function in functions(op):
            for run in [each for block in blocks_of(function) for each in block.ops if isinstance(each, RunOp)]:
                if run.place not in units and OUTPUTS in run.attributes:
                    raise InputError(
                        f"task.run @{run.place}: {OUTPUTS} applies only to near-data units; remove it", run
                    )
                if run.place in units and self.device in ("", run.place):
                    apply_once([inner for inner in run.body.block.ops if _is_work(inner)], launch)
                    run.attributes.pop(OUTPUTS, None)


def _is_work(op: Operation) -> bool:
    return isinstance(op, GraphOp | FusedOp) and not is_view(op)


@dataclass
class LaunchProgram(RewritePattern):
    """Replaces an op, or fused group, in a task on near-data units by a launch of its program."""

    module: ModuleOp
    profiled: Profiled
    known: dict[str, str] = field(default_factory=dict[str, str])
    """The names of the programs generated so far, by their text without value names."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, GraphOp | FusedOp)
        run = op.parent_op()
        assert isinstance(run, RunOp)
        if (why := why_not_streamed(op)) is not None:
            raise InputError(f"@{run.place} can't run {why}; place it on another device", op)
        program, operands = written(op, run.place)
        if (outputs := specified_outputs(op)) is not None:
            program.attributes[OUTPUTS] = outputs
        text = _without_names(program)
        if (name := self.known.get(text)) is None:
            name = self.known[text] = self._new_name(op)
            program.sym_name = StringAttr(name)
            block = self.module.body.block
            first = next((other for other in block.ops if not other.name.startswith(("hw.", "pim.", "ndp."))), None)
            rewriter.insert(program, InsertPoint.at_end(block) if first is None else InsertPoint.before(first))
        launch = located(LaunchOp(name, operands, op.result_types), op)
        if (row := self.profiled.row(op, run.place)) is not None:
            launch.attributes[WORK] = StringAttr(row.key)
        for old, new in zip(op.results, launch.outputs, strict=True):
            new.name_hint = old.name_hint
        rewriter.replace(op, launch)

    def _new_name(self, op: GraphOp | FusedOp) -> str:
        taken = programs_in(self.module)
        words = [each.name.partition(".")[2] for each in (op.ops if isinstance(op, FusedOp) else (op,))]
        name = "_".join([word for word in words if word != "constant"][:3])
        return next(each for n in range(len(taken) + 1) if (each := f"{name}_{n}" if n else name) not in taken)


def _without_names(program: ProgramOp) -> str:
    """The text of a program without value names, by which equal programs are recognised."""
    copy = program.clone()
    for op in copy.walk():
        for value in (*op.results, *(each for region in op.regions for each in region.block.args)):
            value.name_hint = None
    return str(copy)


def written(op: GraphOp | FusedOp, device: str) -> tuple[ProgramOp, list[SSAValue]]:
    """The program (without a name) of an op or group that near-data units can run, and the operands of its launch."""
    outer = list(dict.fromkeys(op.operands))
    group = in_primitives(op)
    types = [_memref(value) for value in (*outer, *group.yielded)]
    block = Block(arg_types=types)
    memory = dict(zip(outer, block.args, strict=False))
    inner = zip(op.operands, group.body.block.args, strict=True)
    writer = _Writer(group, block, {argument: memory[value] for value, argument in inner})
    for argument, value in zip(block.args, outer, strict=False):
        argument.name_hint = value.name_hint
    writer.write(block.args[len(outer) :])
    return located(ProgramOp("", device, Region(block), len(outer)), op), outer


def _memref(value: SSAValue) -> MemRefType:
    tensor = tensor_of(value)
    return MemRefType(tensor.element_type, tensor.get_shape())


class _Writer:
    """A writer of the phases of a program from a group of primitive ops."""

    def __init__(self, group: FusedOp, block: Block, memory: dict[SSAValue, SSAValue]) -> None:
        self.group, self.block = group, block
        self.level = levels(group)
        self.place = {op: place for place, op in enumerate(group.ops)}
        self.memory = memory
        """The memory of each stored value."""
        self.here: dict[SSAValue, SSAValue] = {}
        """Values that the current phase has computed."""
        self.laid: set[SSAValue] = set()
        """Results of data-movement ops that the current phase has stored."""
        self.partial: dict[SSAValue, SSAValue] = {}
        """The partial results of reductions, which stay in the units until they are combined."""

    def write(self, outputs: tuple[SSAValue, ...]) -> None:
        """Write all phases; `outputs` are the memories of the results."""
        results = list(zip(self.group.yielded, outputs, strict=True))
        computed = {value for op in self.group.ops if not moves(op) for value in op.results}
        own = {value: output for value, output in reversed(results) if value in computed}
        if memories := list(dict.fromkeys(self.memory.values())):
            self.block.add_op(located(FilterOp(*memories), self.group))
        for phase in range(max(self.level.values(), default=0) + 1):
            self.here.clear()
            self.laid.clear()
            if phase:
                self.block.add_op(located(BarrierOp(), self.group))
            for op in self.group.ops:
                if isinstance(op, ReduceOp) and self.level[op.y] == phase:
                    self.keep(op.y, self.add(CombineOp(self.partial[op.y]), op), own)
            for op in self.group.ops:
                if not moves(op) and max((self.level[each] for each in op.operands), default=0) == phase:
                    self.compute(op, own)
            for value, output in results:
                if self.level[value] == phase and own.get(value) is not output:
                    self.block.add_op(located(StoreOp(self.take(value, True), output), self.group))
        self.block.add_op(located(JoinOp(), self.group))

    def compute(self, op: Operation, own: dict[SSAValue, SSAValue]) -> None:
        """Write one op of the group, with the loads of its operands and the store of its result. `own`: the values
        computed in the current phase."""
        most = max(element_count(tensor_of(each)) for each in (*op.operands, *op.results))
        taken = [self.take(each, element_count(tensor_of(each)) < most) for each in op.operands]
        if isinstance(op, ReduceOp):
            reduce = UnitReduceOp.create(operands=taken, properties=dict(op.properties))
            reduce.settle_results(None)
            self.partial[op.y] = self.add(reduce, op)
            return
        clone = op.clone()
        clone.operands = taken
        self.keep(op.results[0], self.add(clone, op), own)

    def add(self, op: Operation, source: Operation) -> SSAValue:
        self.block.add_op(located(op, source))
        return op.results[0]

    def keep(self, value: SSAValue, made: SSAValue, own: dict[SSAValue, SSAValue]) -> None:
        """Store a value of the group that was just computed, and record the memory that it is stored to."""
        self.here[value] = made
        if (memory := own.get(value)) is None:
            memory = self.add(AllocOp(_memref(value)), self.group)
        self.memory[value] = memory
        self.block.add_op(located(StoreOp(made, memory), self.group))

    def take(self, value: SSAValue, computed: bool = False) -> SSAValue:
        """A value of the group for use in the current phase: loaded from memory, or, with `computed`, used directly if
        this phase has computed it. An op that moves or broadcasts elements needs `computed`, since other units may
        not have stored their elements yet. Results of data-movement ops are stored and loaded like all other
        results; constants are not."""
        for op in self._moved(value):
            if (result := op.results[0]) not in self.here:
                clone = op.clone()
                clone.operands = [self.load(each, each not in self.laid) for each in op.operands]
                self.here[result] = self.add(clone, op)
            if result not in self.laid and not (computed and result is value):
                self.keep(result, self.here[result], {})
                self.laid.add(result)
        return self.load(value, computed)

    def load(self, value: SSAValue, computed: bool) -> SSAValue:
        """A clone of the value if it is a constant, the value itself if this phase has computed it and `computed` is
        True, otherwise a load of the value."""
        if isinstance(value.owner, ConstantOp):
            return self.add(value.owner.clone(), value.owner)
        if computed and value in self.here:
            return self.here[value]
        return self.add(LoadOp(self.memory[value]), self.group)

    def _moved(self, value: SSAValue) -> list[Operation]:
        """The data-movement ops through which a value is computed, in program order."""
        found, waiting = set[Operation](), [value]
        while waiting:
            owner = waiting.pop().owner
            if not isinstance(owner, ConstantOp | Block) and owner not in found and moves(owner):
                found.add(owner)
                waiting += owner.operands
        return sorted(found, key=self.place.__getitem__)

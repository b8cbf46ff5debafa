"""The pass `split-outputs`: splits phases of near-data programs that store several results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from dialects.locations import located
from dialects.ndp import OUTPUTS, AllocOp, BarrierOp, LoadOp, ProgramOp, ReduceOp, StoreOp
from dialects.ndp.plan import TOGETHER
from interp.machine.composition import Machine
from interp.walk.level import device_of, level_with
from lowering.graph.rewriting import apply_once
from lowering.ndp.dead import sweep


@dataclass(frozen=True)
class SplitOutputsPass(ModulePass):
    """Moves each result of a phase to its own phase, which repeats the loads and computations that it needs, if that
    takes less time on the device: units store the results of short phases faster, but load operands several times.
    Programs with `ndp.outputs = #ndp.outputs<together>` are not changed.

    Before:
    ```mlir
    hw.device @ndp = "ndpx" {units = 1, bandwidth = "900 GB/s"}
    ndp.program @both on @ndp (%a: memref<1048576xf32>) -> (%r: memref<1048576xf32>, %s: memref<1048576xf32>) {
      ndp.filter %a
      %x = ndp.load %a
      %y = graph.exp %x : tensor<1048576xf32>
      %z = graph.neg %x : tensor<1048576xf32>
      ndp.store %y to %r
      ndp.store %z to %s
      ndp.join
    }
    ```
    After:
    ```mlir
    hw.device @ndp = "ndpx" {units = 1, bandwidth = "900 GB/s"}
    ndp.program @both on @ndp (%a: memref<1048576xf32>) -> (%r: memref<1048576xf32>, %s: memref<1048576xf32>) {
      ndp.filter %a
      %x = ndp.load %a
      %y = graph.exp %x : tensor<1048576xf32>
      ndp.store %y to %r
      ndp.barrier
      %1 = ndp.load %a
      %z = graph.neg %1 : tensor<1048576xf32>
      ndp.store %z to %s
      ndp.join
    }
    ```
    """

    name = "split-outputs"
    NEEDS_MACHINE: ClassVar[bool] = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        programs = [each for each in op.body.block.ops if isinstance(each, ProgramOp)]
        if programs:
            apply_once(programs, SplitOutputs(Machine.of(op)))


@dataclass
class SplitOutputs(RewritePattern):
    """Splits a phase into one phase per store, if that takes less time."""

    machine: Machine

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, ProgramOp)
        if op.attributes.get(OUTPUTS) == TOGETHER:
            return
        device, level = self.machine.device(device_of(op), op), level_with(op)
        level.check_device(op, device)
        for number, phase in enumerate(op.phases):
            if not _later(phase):
                continue
            trial = op.clone()
            split(trial, trial.phases[number], PatternRewriter(trial.phases[number][0]))
            better = level.cost(trial, device).ns < level.cost(op, device).ns
            trial.erase()
            if better:
                split(op, phase, rewriter)
                self.match_and_rewrite(op, rewriter)  # the phases were renumbered
                return


def split(program: ProgramOp, phase: Sequence[Operation], rewriter: PatternRewriter) -> None:
    """Move the stores of a phase, except the first that can be moved, to new phases after it. Stores of partial results
    of `ndp.reduce` in the units, and stores to memory that the phase loads, are not moved."""
    last = phase[-1].next_op
    assert last is not None
    for store in _later(phase):
        copies: dict[SSAValue, SSAValue] = {}
        behind = [located(BarrierOp(), store), *(each.clone(copies) for each in _slice(store, phase))]
        rewriter.insert(behind, InsertPoint.before(last))
        rewriter.erase(store)
    sweep(program, rewriter)


def _later(phase: Sequence[Operation]) -> list[StoreOp]:
    """The stores of a phase that splitting moves to new phases."""
    loaded = {op.memory for op in phase if isinstance(op, LoadOp)}
    stores = [op for op in phase if isinstance(op, StoreOp)]
    free = [op for op in stores if op.memory not in loaded]
    return free if len(free) < len(stores) else free[1:]


def _slice(store: StoreOp, phase: Sequence[Operation]) -> list[Operation]:
    """A store and the ops of its phase that it depends on, in order."""
    inside, needed = set(phase), set[Operation]()
    waiting: list[Operation] = [store]
    while waiting:
        if (op := waiting.pop()) in needed:
            continue
        needed.add(op)
        for operand in op.operands:
            owner = operand.owner
            if isinstance(owner, Operation) and owner in inside and not isinstance(owner, AllocOp | ReduceOp):
                waiting.append(owner)
    return [op for op in phase if op in needed]

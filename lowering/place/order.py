"""Reordering of a placed program's tasks and copies, so that independent branches overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from dialects.diagnostics import InputError, note
from dialects.task import CopyOp, RepeatOp, ResidencyOp, RunOp
from interp.kinds.clock import Clock
from interp.simulate.events.jobs import Job
from interp.simulate.schedule.arbitration import rules_of
from interp.simulate.schedule.timeline import Timeline
from interp.simulate.simulation import needs_moves, simulate
from interp.walk.entry import block_of, blocks_of, functions
from lowering.banks.templates import clock_for
from lowering.graph.rewriting import arrange, put, rewriter_at
from lowering.instance.orders import orders
from lowering.limits import LIMITS
from lowering.partition.search.decided import given_form


@dataclass(frozen=True)
class OrderPass(ModulePass):
    """Reorders tasks and copies to shorten the makespan; each device and link processes its queue in program order.

    List scheduling: whenever a device or link is free, it starts the ready job with the longest tail (critical path to
    the end). This is done forwards, backwards, and once with program order as the priority; the order with the shortest
    makespan is kept, and among orders of equal makespan that with the least memory for live values. A program is left
    unchanged if no order is shorter or none of the shorter ones fits memory. Functions that call or are called are left
    unchanged, too: run `inline` first.

    Before (a relu on the GPU takes 3 us, a copy 11 us: the copy ends at 17 us):
    ```mlir
    hw.device @gpu = "toy_gpu"
    hw.device @pim = "toy_pim"
    hw.link @gpu to @pim = "toy_link"
    func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>, %y: !task.on<@gpu, tensor<25000xf32>>)
        -> (!task.on<@gpu, tensor<25000xf32>>, !task.on<@pim, tensor<25000xf32>>) {
      %a = task.run @gpu (%p = %x) {
        %0 = graph.relu %p : tensor<25000xf32>
        task.yield %0
      }
      %b = task.run @gpu (%p = %y) {
        %0 = graph.relu %p : tensor<25000xf32>
        task.yield %0
      }
      %c = task.copy %b to @pim
      func.return %a, %c : !task.on<@gpu, tensor<25000xf32>>, !task.on<@pim, tensor<25000xf32>>
    }
    ```
    After (the copy ends at 14 us):
    ```mlir
    hw.device @gpu = "toy_gpu"
    hw.device @pim = "toy_pim"
    hw.link @gpu to @pim = "toy_link"
    func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>, %y: !task.on<@gpu, tensor<25000xf32>>)
        -> (!task.on<@gpu, tensor<25000xf32>>, !task.on<@pim, tensor<25000xf32>>) {
      %b = task.run @gpu (%p = %y) {
        %0 = graph.relu %p : tensor<25000xf32>
        task.yield %0
      }
      %c = task.copy %b to @pim
      %a = task.run @gpu (%p = %x) {
        %0 = graph.relu %p : tensor<25000xf32>
        task.yield %0
      }
      func.return %a, %c : !task.on<@gpu, tensor<25000xf32>>, !task.on<@pim, tensor<25000xf32>>
    }
    ```
    """

    name = "order"
    NEEDS_MACHINE: ClassVar[bool] = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if given_form() is not None:  # the plan that is given states the order
            return
        clock = clock_for(op)
        called = {inner.callee.string_value() for inner in op.walk() if isinstance(inner, CallOp)}
        for function in functions(op):
            ops = list(block_of(function).ops)
            if any(isinstance(inner, CallOp) for inner in ops):
                note(
                    f"@{function.sym_name.data} keeps the order of its ops, since it calls other functions; inline "
                    "these first (-p inline)",
                    function,
                )
            elif any(isinstance(inner, ResidencyOp) for inner in ops):
                note(
                    f"@{function.sym_name.data} keeps the order of its ops, since moves between memories are planned "
                    "for this order; run `order` before `prefetch`",
                    function,
                )
            elif function.sym_name.data in called or not any(
                isinstance(inner, RunOp | CopyOp | RepeatOp) for inner in ops
            ):
                continue
            elif needs_moves(function, clock):
                note(
                    f"@{function.sym_name.data} keeps the order of its ops, since it exceeds the memory of "
                    f"@{clock.machine.primary}, and `place` decided for this order how moves between memories will "
                    "delay it; plan them next (-p prefetch)",
                    function,
                )
            else:
                order_function(op, function, clock)


_TIMED = RunOp | CopyOp | RepeatOp


def order_function(module: ModuleOp, function: FuncOp, clock: Clock) -> None:
    """Reorder one placed function, and the bodies of its loops, if that shortens the makespan. Raises InputError if it
    has no timeline."""
    for block in reversed(blocks_of(function)):
        _order(block, module, function.sym_name.data, clock)


def _order(block: Block, module: ModuleOp, name: str, clock: Clock) -> None:
    now = best = simulate(module, clock, name)
    here = _of_block(now, block)
    if here is None or not here.gap > LIMITS.rounding:
        return
    as_read = kept = list(block.ops)
    alone = rules_of(clock.machine).separate
    for estimate, order in orders(_jobs(here)):
        reached, tie = _of_block(best, block), best is not now
        longest = 1 + LIMITS.rounding if tie else 1 - LIMITS.rounding  # of the best one's makespan, see `_better`
        if alone and reached is not None and estimate > reached.makespan_ns * longest:
            break
        arrange(block, [here.events[index].op for index in order])
        reached = _fitting(module, clock, name)
        if reached is not None and _better(reached, best, tie):
            best, kept = reached, list(block.ops)
    put(block, kept)
    rewriter = rewriter_at(InsertPoint.at_end(block))
    for before, op in zip((None, *as_read), as_read, strict=False):
        if op.prev_op is not before:
            rewriter.notify_op_modified(op)  # now behind another op


def _of_block(timeline: Timeline, block: Block) -> Timeline | None:
    """The timeline of a block, which is the function's body or a loop's: of one iteration for a loop; None for a loop
    with no iterations."""
    if not isinstance(block.parent_op(), RepeatOp):
        return timeline
    waiting = [timeline]
    for each in waiting:
        for event in each.events:
            if event.body is not None:
                if event.op is block.parent_op():
                    return event.body
                waiting.append(event.body)
    return None


def _fitting(module: ModuleOp, clock: Clock, name: str) -> Timeline | None:
    """The timeline of a function in its current order; None if it does not fit memory."""
    try:
        return simulate(module, clock, name)
    except InputError:
        return None


def _better(new: Timeline, old: Timeline, tie: bool) -> bool:
    """True if the timeline `new` ends earlier than `old`, or, if `tie`, ends at the same time and needs less memory for
    live values."""
    if new.makespan_ns < old.makespan_ns * (1 - LIMITS.rounding):
        return True
    return tie and new.makespan_ns <= old.makespan_ns * (1 + LIMITS.rounding) and _live(new) < _live(old)


def _live(timeline: Timeline) -> int:
    return sum(need.live for need in timeline.memory.values())


def _jobs(timeline: Timeline) -> list[Job]:
    return [event.job for event in timeline.events]

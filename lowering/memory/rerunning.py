"""The pass `recompute`: recomputes values if a program exceeds the device's memory (lowering/memory/recompute.py
selects the ops)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, get_args

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from dialects.diagnostics import InputError, note
from dialects.repeating import RepeatingOp
from dialects.task import RunOp
from dialects.task.memory import Mode
from interp.figures import count, percent, size, time
from interp.kinds.clock import Clock
from interp.machine.memory_system import MemorySystem
from interp.simulate.memory.problem import KernelTrace
from interp.simulate.program_trace import ProgramTrace, trace_of
from interp.walk.entry import block_of, entry_of, is_graph_op
from interp.walk.views import in_place, is_view, is_view_task
from lowering.banks.templates import clock_for
from lowering.graph.inline import inline_calls
from lowering.graph.rewriting import rewriter_at
from lowering.memory.bound import relax
from lowering.memory.recompute import Priced, Recomputed, Reruns, combined_with_moves, fitting
from lowering.words import check_options, one_of


@dataclass(frozen=True)
class RecomputePass(ModulePass):
    """Recomputes results instead of keeping them, until the program fits the primary device's memory.

    A value that is read again much later is freed after its earlier uses, and recomputed by a copy of its op from the
    same operands (activation checkpointing). Ops are selected by the bytes above the memory's size that they free,
    divided by their time; ops that turn out to be unnecessary are dropped from the selection. A loop is a single op,
    and its body is not changed. Ops that update in place are not run again, nor are tasks with concurrent events that
    allocate or free values. A program that fits is not changed; neither is a program for which no selection is found,
    with a note. Calls are inlined first.

    If the device has memory behind it, recomputation is combined with moves: an op is recomputed if its time is less
    than the waits caused by the moves that it saves, according to the relaxation used by `prefetch{policy=plan}`, which
    should be the next pass. `mode`: the cost of an evicted byte, `copy` or `move`.

    Before (at `%d`, which does not read `%a`, the live values including `%a` take 500 kB):
    ```mlir
    hw.device @gpu = "toy_gpu" {memory = "400 kB"}
    func.func @main(%x: tensor<25000xf32> {task.state = "read"}) -> tensor<25000xf32> {
      %a = graph.relu %x : tensor<25000xf32>
      %b = graph.exp %a : tensor<25000xf32>
      %c = graph.sqrt %b : tensor<25000xf32>
      %d = graph.add %b, %c : tensor<25000xf32>
      %e = graph.add %d, %a : tensor<25000xf32>
      func.return %e : tensor<25000xf32>
    }
    ```
    After:
    ```mlir
    hw.device @gpu = "toy_gpu" {memory = "400 kB"}
    func.func @main(%x: tensor<25000xf32> {task.state = "read"}) -> tensor<25000xf32> {
      %a = graph.relu %x : tensor<25000xf32>
      %b = graph.exp %a : tensor<25000xf32>
      %c = graph.sqrt %b : tensor<25000xf32>
      %d = graph.add %b, %c : tensor<25000xf32>
      %a_1 = graph.relu %x : tensor<25000xf32>
      %e = graph.add %d, %a_1 : tensor<25000xf32>
      func.return %e : tensor<25000xf32>
    }
    ```
    """

    name = "recompute"
    NEEDS_MACHINE: ClassVar[bool] = True
    mode: str = one_of(lambda: get_args(Mode), default="copy")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_options(self)
        inline_calls(op)
        recompute(op, entry_of(op), clock_for(op), "move" if self.mode == "move" else "copy")


def recompute(module: ModuleOp, function: FuncOp, clock: Clock, mode: Mode = "copy") -> Recomputed | None:
    """Recompute ops of a function of a program until it fits memory, or, with memory behind the device, as far as
    that reduces its time. Returns the trace with the selected repeated runs; None if no repeated runs are needed, or
    no selection is found."""
    program = trace_of(module, clock, function.sym_name.data)
    capacity = clock.machine.devices[program.device].memory_bytes
    trace = replace(program.trace, concurrency=None)  # that of repeated runs is not known
    if trace.peak_live <= capacity:
        return None
    ended = max((number + 1 for number, op in enumerate(program.ops) if op is not None), default=0)
    reruns = Reruns(trace, able=lambda kernel: runs_again(program, kernel), last=ended)
    system = MemorySystem.of(clock.machine)
    if system is not None and system.device == program.device:
        estimate = "estimated time" if program.trace.concurrency is not None else "lower bound on the time"
        found = _combined_with_moves(function, reruns, system, mode, estimate)
        if found.reruns:
            carry_out(function, program, reruns, found)
        return found if found.reruns else None
    found = fitting(reruns, capacity)
    if found is None:
        most = size(trace.peak_live)
        note(
            f"recompute: @{program.device} holds {size(capacity)} and the program needs {most}; no selection of "
            "recomputed ops makes it fit; move values to other memory, or give the device more memory",
            function,
        )
        return None
    carry_out(function, program, reruns, found)
    more = percent(found.more_ns / trace.ideal_ns) if trace.ideal_ns else "0 %"
    ops = sum(op is not None for op in program.ops)
    note(
        f"recompute: {count(sum(found.again), 'op')} of {ops} are recomputed, which takes {more} more time; "
        f"the program then needs at most {size(found.trace.peak_live)} on @{program.device}, "
        f"not {size(trace.peak_live)}",
        function,
    )
    return found


def _combined_with_moves(
    function: FuncOp, reruns: Reruns, system: MemorySystem, mode: Mode, estimate: str
) -> Recomputed:
    """Select the ops to recompute in a program whose tensors can also be moved to tiers and back. Returns the trace
    with their repeated runs. `estimate`: the meaning of the relaxation's time, which is no bound if other devices and
    links run concurrently, since kernels then wait for them as long as in the trace."""
    bounds: list[float] = []

    def priced(trace: KernelTrace) -> Priced | None:
        try:
            found = relax(trace.in_pages(system.page), system, mode)
        except InputError:  # a recomputed kernel needs more memory than the device has
            return None
        bounds.append(found.bound_ns)
        return Priced(found.bound_ns, found.prices)

    found, best = combined_with_moves(reruns, priced)
    if best is not None and found.reruns:
        note(
            f"recompute: {count(sum(found.again), 'op')} are recomputed in addition to moves (mode {mode}), "
            "which takes "
            f"{time(found.more_ns)}; the {estimate} of any plan of moves is then {time(best.bound_ns)}, "
            f"and {time(bounds[0])} without recomputation",
            function,
        )
    return found


def runs_again(program: ProgramTrace, kernel: int) -> bool:
    """True if a kernel of a program may run again: it is an op or task of the function's block without concurrent
    events."""
    op = program.ops[kernel]
    if op is None or isinstance(op, RepeatingOp) or in_place(op) or not isinstance(op.parent_op(), FuncOp):
        return False
    plain = is_graph_op(op) or (isinstance(op, RunOp) and op.place == program.device)
    return plain and not any(first <= kernel <= last for first, last in program.concurrency.during.values())


def carry_out(function: FuncOp, program: ProgramTrace, reruns: Reruns, found: Recomputed) -> None:
    """Insert copies of ops where they run again, and let all later ops read the results of these copies."""
    due: dict[Operation, list[list[Operation]]] = defaultdict(list)
    last = block_of(function).last_op
    assert last is not None, "a function ends in a return"
    for unit, before in sorted(found.reruns.items()):
        ops = [op for kernel in reruns.unit(unit, before) if (op := program.ops[kernel]) is not None]
        due[_op_from(program, before) or last].append(ops)
    run_again(function, due)


def _op_from(program: ProgramTrace, kernel: int) -> Operation | None:
    """The op of a kernel, or of the next kernel that has an op."""
    return next((op for op in program.ops[kernel:] if op is not None), None)


def run_again(function: FuncOp, due: Mapping[Operation, Sequence[Sequence[Operation]]]) -> dict[Operation, Operation]:
    """Let ops run again: before each op of `due`, copies of some sequences of ops, whose results all later ops read.
    Returns all copies, those of views included, each with the op that it is a copy of."""
    copying = _Copying()
    copying.block(function, due)
    return copying.origin


class _Copying:
    """Insertion of copies of the ops that run again, in one walk over a block."""

    def __init__(self) -> None:
        self.now: dict[SSAValue, SSAValue] = {}
        """Recomputed values, each with its current replacement."""
        self.views: set[SSAValue] = set()
        """Values in `now` that are views of recomputed values."""
        self.origin: dict[Operation, Operation] = {}

    def block(self, function: FuncOp, due: Mapping[Operation, Sequence[Sequence[Operation]]]) -> None:
        """Process a function's block."""
        for op in list(block_of(function).ops):
            for ops in due.get(op, ()):
                self._rerun(ops, op)
            for index, operand in enumerate(op.operands):
                value = self._current(operand, op)
                if value is not operand:
                    op.operands[index] = value

    def _rerun(self, ops: Sequence[Operation], before: Operation) -> None:
        """Insert copies of ops before another op."""
        made: dict[SSAValue, SSAValue] = {}
        for op in ops:
            copy = op.clone({operand: made.get(operand) or self._current(operand, before) for operand in op.operands})
            self.origin[copy] = op
            for old, new in zip(op.results, copy.results, strict=True):
                new.name_hint = old.name_hint
                made[old] = new
            rewriter_at(before).insert(copy)
        self.now |= made
        for view in self.views:
            del self.now[view]
        self.views.clear()

    def _current(self, value: SSAValue, before: Operation) -> SSAValue:
        """The value to use at `before` instead of a value of the original program: its recomputed copy; or, for a view
        of recomputed data, a copy of the view; or else the value itself."""
        if not self.now:
            return value
        current: dict[SSAValue, SSAValue] = {}
        waiting = [value]
        while waiting:
            here, owner = waiting[-1], waiting[-1].owner
            is_shown = here not in self.now and isinstance(owner, Operation) and _is_view(owner)
            operands = owner.operands if isinstance(owner, Operation) and is_shown else ()
            if missing := [operand for operand in operands if operand not in current]:
                waiting += reversed(missing)
                continue
            waiting.pop()
            if any(current[operand] is not operand for operand in operands) and isinstance(owner, Operation):
                self._view_again(owner, current, before)
            current[here] = self.now.get(here, here)
        return current[value]

    def _view_again(self, view: Operation, current: dict[SSAValue, SSAValue], before: Operation) -> None:
        """Insert a copy of a view, with the current values of its operands."""
        copy = view.clone({operand: current[operand] for operand in view.operands})
        self.origin[copy] = view
        rewriter_at(before).insert(copy)
        for old, new in zip(view.results, copy.results, strict=True):
            new.name_hint = old.name_hint
            self.now[old] = new
            self.views.add(old)


def _is_view(op: Operation) -> bool:
    """True if an op or task is only a view of its operand."""
    return is_view_task(op) if isinstance(op, RunOp) else is_view(op)

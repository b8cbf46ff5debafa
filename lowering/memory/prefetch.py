"""The pass `prefetch`: plans moves for programs larger than the memory of their primary device, by a policy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.passes import ModulePass

from dialects.diagnostics import InputError, note
from dialects.files import write_text
from dialects.task import MEMORY, MemoryAttr, OnType
from interp.figures import count, size
from interp.kinds.clock import Clock
from interp.machine.memory_system import MemorySystem
from interp.simulate.program_moves import check_kernels, residency_statement
from interp.simulate.program_trace import ProgramTrace, trace_of_plan
from interp.simulate.schedule.iterations import IteratedPlan
from interp.simulate.schedule.residency import WAY_OUT
from interp.simulate.schedule.timeline import Event
from interp.walk.entry import block_of, blocks_of, functions
from lowering.banks.templates import clock_for
from lowering.graph.rewriting import arrange, put, rewriter_at, set_attribute
from lowering.limits import LIMITS
from lowering.machine.digest import digest
from lowering.memory.holding import hold_back
from lowering.memory.plan_file import plan_text
from lowering.memory.policies import POLICIES, MemoryOptions, MemoryPlan
from lowering.memory.writing import in_block, in_order_of_time, write_moves
from lowering.words import check_options, number, one_of

_READER = {"factor": "pump", "runahead": "pump", "degree": "lookahead", "file": "replay"}
"""For each option that only one policy reads, this policy."""


@dataclass(frozen=True)
class PrefetchPass(ModulePass):
    """Plans the moves between the primary device's memory and the memory behind it, and inserts them into a placed
    program: `task.prefetch`, `task.evict`, `task.write_back` and `task.discard` between its tasks, and the regime of
    memory management as `#task.memory` on its functions.

    `policy`: `uvm` (demand paging: missing data are fetched by page faults), `pump` (PUMP, ASP-DAC 2022: one stream
    prefetches the operands of each launch), `lookahead` (DeepUM as G10 models it: the operands of the task `degree`
    tasks ahead), `replay` (the moves of a `file`), `plan` (from a linear program, with a lower bound on the time of any
    plan). Plugins can add policies (lowering/memory/policies.py). `mode`: `move` (each evicted byte is copied out and,
    before its next use, back in) or `copy` (bytes with a valid copy behind the device are dropped without a transfer);
    the default depends on the policy. Options of `pump`: `factor`, the per cent of memory that its window may take, and
    `runahead`, the number of launches by which the CPU is ahead (-1: it never waits). `reuse=false`: dead values keep
    their memory, and are moved like live ones. `save`: a file to which the moves are written, for `replay`. A program
    that fits is not changed. `short=true`, in pipelines for any program and machine: nothing is said of programs that
    fit, nor of machines without memory behind the primary device. `lent=false`: `plan` moves nothing to the memory of
    other devices.

    Before (the GPU's 300 kB hold only one of the two weights in addition to the operands and results of tasks):
    ```mlir
    hw.device @gpu = "toy_gpu" {memory = "300 kB"}
    hw.device @host = "toy_host"
    hw.link @gpu to @host = "toy_bus"
    func.func @main(%x: !task.on<@gpu, tensor<50000xf32>>) -> !task.on<@gpu, tensor<50000xf32>> {
      %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<25000xf32>
      %wg = task.resident %w on @gpu
      %y = task.run @gpu (%a = %wg) {
        %0 = graph.relu %a : tensor<25000xf32>
        task.yield %0
      }
      func.return %x : !task.on<@gpu, tensor<50000xf32>>
    }
    ```
    After `prefetch{policy=pump}`:
    ```mlir
    func.func @main(%x: !task.on<@gpu, tensor<50000xf32>>) -> !task.on<@gpu, tensor<50000xf32>>
        attributes {task.memory = #task.memory<"pump", mode = "move", faults = true, reuse = true, runahead = 64>} {
      %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<25000xf32>
      %wg = task.resident %w on @gpu
      %0 = task.prefetch %wg
      %y = task.run @gpu after %0 (%a = %wg) {
        %1 = graph.relu %a : tensor<25000xf32>
        task.yield %1
      }
      func.return %x : !task.on<@gpu, tensor<50000xf32>>
    }
    ```
    """

    name = "prefetch"
    NEEDS_MACHINE: ClassVar[bool] = True
    COMPARED: ClassVar[bool] = True
    policy: str = one_of(lambda: POLICIES, default="plan")
    mode: str = one_of(lambda: ("move", "copy"), default="")
    factor: int = number(MemoryOptions.factor, least=1, most=100)
    runahead: int = number(64, least=-1)
    degree: int = number(MemoryOptions.degree, least=1)
    reuse: bool = True
    file: str = ""
    save: str = ""
    short: bool = False
    lent: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        options = self.options()
        clock = clock_for(op)
        behind = MemorySystem.of(clock.machine) is not None
        if not behind and self.short:
            return
        if not behind:
            raise InputError(
                f"prefetch: @{clock.machine.primary} has no memory behind it; use a machine that has such memory "
                "(v100-uvm, "
                f'a100-uvm, a100-g10), or declare one (hw.device @host = "host_memory", hw.link '
                f'@{clock.machine.primary} to @host = "pcie4_copies")',
                op,
            )
        called = {inner.callee.string_value() for inner in op.walk() if isinstance(inner, CallOp)}
        for function in functions(op):
            if function.sym_name.data not in called:
                self.plan(op, function, clock, options)

    def restricted(self, without: tuple[str, ...]) -> PrefetchPass:
        """The pass for a plan that does without something, as `place{without=…}` names it."""
        return replace(self, lent=False) if "devices" in without else self

    def options(self) -> MemoryOptions:
        """The options of the pass for the policy. Raises InputError for invalid values, and for options that only other
        policies have."""
        check_options(self, lambda policy, option: _READER.get(option, policy) == policy)
        if self.policy == "replay" and not self.file:
            raise InputError(
                'prefetch: policy replay needs the file of a plan: prefetch{policy=replay file="plan.txt"}'
            )
        mode = None if not self.mode else "move" if self.mode == "move" else "copy"
        runahead = None if self.runahead < 0 else self.runahead
        return MemoryOptions(mode, self.factor, runahead, self.degree, self.reuse, self.file)

    def plan(self, module: ModuleOp, function: FuncOp, clock: Clock, options: MemoryOptions) -> None:
        """Plan the moves of one function. Raises InputError for a function that is not placed, calls other functions,
        or has a plan already, and if there is no memory to move data to."""
        program, events = _in_order_of_time(module, function, clock)
        name, device = f"@{function.sym_name.data}", program.device
        capacity = clock.machine.devices[device].memory_bytes
        if program.trace.peak_live <= capacity:
            if not self.short:
                note(
                    f"{name} needs {size(program.trace.peak_live)} and fits into the {size(capacity)} of @{device}, so "
                    "no data are moved",
                    function,
                )
            return
        program, events = hold_back((program, events), capacity, lambda: _in_order_of_time(module, function, clock))
        system = MemorySystem.of(clock.machine, held=program.held)
        if system is not None and not self.lent:
            system = system.dedicated
        if system is None:
            raise InputError(
                f"{name} needs {size(program.trace.peak_live)}, but @{device} holds {size(capacity)}, and the program "
                f"fills all memory behind it; {WAY_OUT}",
                function,
            )
        check_kernels(program, system, function)
        plan = POLICIES[self.policy](program.trace, system, options)
        written = write_moves(function, program, events, plan.moves, system)
        set_attribute(function, MEMORY, self.attribute(plan, clock, program.trace.ideal_ns))
        if self.save:
            write_text(self.save, plan_text(plan.moves, program.trace))
        note(
            f"{name} needs {size(program.trace.peak_live)} of the {size(system.capacity)} of @{system.device}; "
            f"policy {self.policy}: " + "; ".join(plan.sentences),
            function,
        )
        if written.lost:
            note(
                f"{count(written.lost, 'move')} of {name} can't be written, since no value of the "
                "function occupies exactly "
                "the bytes that they move",
                function,
            )

    def attribute(self, plan: MemoryPlan, clock: Clock, ideal_ns: float) -> MemoryAttr:
        """The attribute `#task.memory` that records a plan, with the options of its policy that differ from the
        defaults. `ideal_ns`: the program's time without moves, in ns."""
        usual = PrefetchPass(policy=self.policy)
        stated = [
            f"{word}={'true' if value is True else 'false' if value is False else value}"
            for word in ("mode", "factor", "runahead", "degree", "reuse", "file")
            if (value := getattr(self, word)) != getattr(usual, word)
        ]
        return MemoryAttr.of(
            " ".join([self.policy, *stated]),
            mode=plan.regime.mode,
            faults=plan.regime.faults,
            reuse=plan.regime.reuse,
            runahead=plan.runahead,
            bound=plan.bound_ns,
            ideal=ideal_ns if plan.bound_ns is not None else None,
            because=plan.because,
            machine=digest(clock.machine) if plan.bound_ns is not None else "",
        )


def _in_order_of_time(module: ModuleOp, function: FuncOp, clock: Clock) -> tuple[ProgramTrace, tuple[Event, ...]]:
    """The trace of a placed function, and the events of its timeline without moves, after its ops were put in the order
    of that timeline, in which moves can be written between them; unless that would delay its end."""
    program, events = _traced(module, function, clock)
    as_read = {block: list(block.ops) for block in blocks_of(function)}
    changed = False
    for block in as_read:
        inner = None if block is block_of(function) else block
        ordered = in_order_of_time(program, events, inner)
        if ordered != in_block((event.op for event in events), inner):
            arrange(block, ordered)
            changed = True
    if not changed:
        return program, events
    again = _traced(module, function, clock)
    if again[0].trace.ideal_ns > program.trace.ideal_ns * (1 + LIMITS.rounding):
        for block, ops in as_read.items():
            put(block, ops)
        return _traced(module, function, clock)
    rewriter_at(function).notify_op_modified(function)
    return again


def _traced(module: ModuleOp, function: FuncOp, clock: Clock) -> tuple[ProgramTrace, tuple[Event, ...]]:
    """The trace of a placed function, and the events of its timeline without moves. Raises InputError for a function
    that is not placed, calls other functions, or has a plan already."""
    name = f"@{function.sym_name.data}"
    types = (*function.function_type.inputs, *function.function_type.outputs)
    if any(not isinstance(type_, OnType) for type_ in types) or any(
        isinstance(op, CallOp) for op in block_of(function).ops
    ):
        raise InputError(
            f"{name} is not fully placed, but prefetch plans the memory of tasks: place it first (-p place,prefetch)",
            function,
        )
    if (planned := residency_statement(function)) is not None:
        raise InputError(
            f"{name} already has a plan for its memory; remove that plan, or remove prefetch from the pipeline", planned
        )
    plan = IteratedPlan(module, clock)
    results = plan.entry(function)
    timeline = plan.timeline()
    return trace_of_plan(plan, function, results, timeline, clock.machine.primary), timeline.events

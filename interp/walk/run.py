"""Execution of programs on arrays: functions run op by op in numpy, at graph, task and pim level alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from dialects.binding import YieldingOp
from dialects.diagnostics import InputError
from dialects.graph.fused import FusedOp
from dialects.graph.fused import YieldOp as FusedYieldOp
from dialects.graph.op import GraphOp
from dialects.hw import DeviceOp
from dialects.repeating import RepeatingOp
from dialects.task import CopyOp, JoinOp, ResidencyOp, ResidentOp, RunOp, TokenType
from dialects.task import YieldOp as TaskYieldOp
from interp.walk.discarded import check_discards
from interp.walk.effort import check_steps
from interp.walk.entry import ahead_of_time, block_of, entry_of, functions
from interp.walk.inputs import Array, argument_types, check_inputs, check_memory, drawn, seeded_inputs
from interp.walk.level import device_of, is_launch, launched_name, level_with, programs_in

if TYPE_CHECKING:
    from interp.machine.composition import Machine
    from interp.machine.device import Device

Progress: TypeAlias = Callable[[int, int], None]

PROGRESS: ContextVar[Progress | None] = ContextVar("PROGRESS", default=None)
"""A function that is called with (ops done, total ops) while a program runs; a driver sets it to show progress."""


def run_module(
    module: ModuleOp,
    inputs: Sequence[Array] | None = None,
    *,
    seed: int = 0,
    entry: str | None = None,
    machine: Machine | None = None,
) -> list[Array]:
    """The results of a program's entry function (`entry`, else `main`, else the first function).

    `inputs`: one array per argument, of its shape and element type; None draws them from `seed` (`seeded_inputs`).
    `machine`: the machine whose banks compute if the program launches pim kernels; None uses the machine that the
    program declares.

    A program of pim kernels alone runs each of them once; `inputs` are then all their inputs, in order. A value is
    dropped after its last use, and a weight is read no earlier than its first use. Raises InputError for inputs of
    wrong type, a missing entry, and ops that can't be run.
    """
    runner = _Runner(module, machine, PROGRESS.get())
    if entry is None and runner.programs and not functions(module):
        return runner.all_programs(inputs, seed)
    function = entry_of(module, entry)
    check_steps({each.sym_name.data: each for each in functions(module)}, runner.programs, function)
    check_discards(module)
    if inputs is None:
        inputs = seeded_inputs(function, seed)
    check_inputs(function, argument_types(function), inputs)
    return runner.call(function, inputs)


class _Runner:
    """A run of the functions of one module. Weights, and values that depend on weights alone, are computed when they
    are first needed.
    """

    def __init__(self, module: ModuleOp, machine: Machine | None, progress: Progress | None) -> None:
        self.module = module
        self.machine = machine
        self.progress = progress
        self.functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, FuncOp)}
        self.programs = programs_in(module)

    def call(self, function: FuncOp, inputs: Sequence[Array]) -> list[Array]:
        return self.block(block_of(function), inputs)

    def repeat(self, loop: RepeatingOp, inputs: list[Array]) -> list[Array]:
        """The values that the last iteration of a loop yields."""
        carried = len(loop.outputs)
        for count in loop.counted:
            inputs[:carried] = self.block(loop.body.block, [np.array(count, np.int32), *inputs])
        return inputs[:carried]

    def block(self, block: Block, inputs: Sequence[Array]) -> list[Array]:
        """The values of the operands of a block's terminator, if the block's arguments have the values `inputs`."""
        values: dict[SSAValue, Array] = dict(zip(block.args, inputs, strict=True))
        ops = [op for op in block.ops if not isinstance(op, ResidencyOp)]  # these change no value
        uses = Counter(operand for op in ops for operand in op.operands if not _is_moment(operand))
        on_demand = ahead_of_time(block) | dict.fromkeys(op for op in block.ops if isinstance(op, ResidentOp))
        waiting = dict(on_demand)

        def take(value: SSAValue) -> Array:
            """The array of a value, which is dropped after the value's last use."""
            if _is_moment(value):
                return _NOTHING
            array = values[value]
            uses[value] -= 1
            if not uses[value]:
                del values[value]
            return array

        def run(op: Operation) -> None:
            prepare(op)
            operands = [take(operand) for operand in op.operands]
            dead = [index for index, operand in enumerate(op.operands) if not uses[operand]]
            results = self.results_of(op, operands, dead)
            for value, array in zip(op.results, results, strict=True):
                if uses[value]:
                    values[value] = array

        def prepare(op: Operation) -> None:
            """Run the ops that an op depends on and that run on demand. It uses a stack of its own, since chains of ops
            may be deeper than Python's stack permits."""
            stack = _owners(op, waiting)
            while stack:
                if needed := _owners(stack[-1], waiting):
                    stack += needed
                elif (ready := stack.pop()) in waiting:
                    del waiting[ready]
                    run(ready)

        for done, op in enumerate(ops):
            if self.progress is not None:
                self.progress(done, len(ops))
            if isinstance(op, ReturnOp | YieldingOp):
                prepare(op)
                return [take(operand) for operand in op.operands]
            if op not in on_demand:
                run(op)
        raise AssertionError("a block ends in func.return or a yield")

    def results_of(self, op: Operation, operands: list[Array], dead: Sequence[int] = ()) -> list[Array]:
        """The results of an op; `dead` are the positions of operands that nothing reads afterwards."""
        match op:
            case GraphOp() | FusedOp():
                from interp.numerics import evaluate

                return evaluate(op, operands, dead)
            case RunOp():
                return self.body(op, operands[: len(op.inputs)])
            case RepeatingOp():
                return self.repeat(op, operands)
            case CopyOp() | ResidentOp():
                return operands[:1]
            case JoinOp():
                return [_NOTHING]
            case _ if is_launch(op):
                return self.launch(op, operands)
            case CallOp():
                callee = self.functions.get(op.callee.string_value())
                if callee is None or callee.is_declaration:
                    raise InputError(f"func.call: there is no function {op.callee} with a body", op)
                return self.call(callee, operands)
            case _:
                raise InputError(
                    f"{op.name} can't be run; only graph, task and pim ops, func.call and func.return can",
                    op,
                )

    def body(self, run: RunOp, inputs: list[Array]) -> list[Array]:
        values: dict[SSAValue, Array] = dict(zip(run.body.block.args, inputs, strict=True))
        device = self.devices.get(run.place)
        for op in run.body.block.ops:
            operands = [values[operand] for operand in op.operands]
            if isinstance(op, TaskYieldOp | FusedYieldOp):
                return operands
            own = device.values(op, operands) if device is not None else None
            values |= zip(op.results, self.results_of(op, operands) if own is None else own, strict=True)
        raise InputError("task.run: the body must end in task.yield", run)

    def launch(self, launch: Operation, operands: list[Array]) -> list[Array]:
        program = self.programs.get(name := launched_name(launch))
        if program is None:
            known = _listed(self.programs)
            raise InputError(f"{launch.name}: there is no kernel @{name}; the program has {known}", launch)
        return self.carry_out(program, operands)

    def carry_out(self, program: Operation, operands: Sequence[Array]) -> list[Array]:
        """The outputs of a program of a level (bank commands, near-data ops or thread blocks)."""
        level, device = level_with(program), self.machine_of().device(device_of(program), program)
        level.check_device(program, device)
        return level.run(program, device, operands)

    def all_programs(self, inputs: Sequence[Array] | None, seed: int) -> list[Array]:
        """The outputs of all programs of a module, run serially."""
        results: list[Array] = []
        for program in self.programs.values():
            types = level_with(program).inputs(program)
            check_steps({}, {}, program)
            if inputs is None:
                check_memory(program, types)
            given = drawn(types, seed) if inputs is None else inputs[: len(types)]
            inputs = inputs and inputs[len(types) :]
            check_inputs(program, types, given)
            results += self.carry_out(program, given)
        return results

    @cached_property
    def devices(self) -> Mapping[str, Device]:
        """The machine's devices, each of which may evaluate ops of tasks in its own arithmetic; empty without a
        machine.
        """
        declared = any(isinstance(op, DeviceOp) for op in self.module.body.block.ops)
        return self.machine_of().devices if declared or self.machine is not None else {}

    def machine_of(self) -> Machine:
        if self.machine is None:
            from interp.machine.composition import Machine

            self.machine = Machine.of(self.module)
        return self.machine


def _owners(op: Operation, among: Mapping[Operation, None]) -> list[Operation]:
    """The ops among `among` that produce operands of an op."""
    owners = (operand.owner for operand in op.operands)
    return [owner for owner in owners if isinstance(owner, Operation) and owner in among]


def _listed(names: Mapping[str, object]) -> str:
    return ", ".join(f"@{name}" for name in names) or "none"


def _is_moment(value: SSAValue) -> bool:
    """True if a value is a token, which orders ops and carries no data."""
    return isinstance(value.type, TokenType)


_NOTHING: Array = np.zeros((), np.bool_)
"""The array that represents a token, which has no data."""

"""Execution of programs on arrays: functions run op by op in numpy, at graph, task and pim level alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dialects.diagnostics import InputError
from dialects.graph.fused import FusedOp
from dialects.graph.op import GraphOp
from dialects.hw import DeviceOp
from dialects.repeating import RepeatingOp
from dialects.task import CopyOp, JoinOp, ResidencyOp, ResidentOp, RunOp
from interp.walk.discarded import check_discards
from interp.walk.effort import check_steps
from interp.walk.entry import entry_of, functions
from interp.walk.inputs import Array, argument_types, as_rested, check_inputs, check_memory, drawn, seeded_inputs
from interp.walk.interpret import Meaning, interpret
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
    inputs = as_rested(function, inputs)
    check_inputs(function, argument_types(function), inputs)
    return interpret(function, inputs, runner)


class _Runner(Meaning[Array]):
    """A run of the functions of one module: the meaning of values is their arrays. Weights, and values that depend on
    weights alone, are computed when they are first needed.
    """

    def __init__(self, module: ModuleOp, machine: Machine | None, progress: Progress | None) -> None:
        self.module = module
        self.machine = machine
        self.progress = progress
        self.functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, FuncOp)}
        self.programs = programs_in(module)
        self.device: Device | None = None
        """The device of the current task."""

    def waits(self, op: Operation, early: Mapping[Operation, None]) -> bool:
        return op in early or isinstance(op, ResidentOp)

    def reached(self, number: int, count: int) -> None:
        if self.progress is not None and self.device is None:
            self.progress(number, count)

    def loop(self, loop: RepeatingOp, operands: list[Array]) -> list[Array]:
        """The values that the last iteration of a loop yields."""
        carried = len(loop.outputs)
        for count in loop.counted:
            operands[:carried] = interpret(loop.body.block, [np.array(count, np.int32), *operands], self)
        return operands[:carried]

    def task(self, run: RunOp, operands: list[Array]) -> list[Array]:
        self.device = self.devices.get(run.place)
        try:
            return interpret(run.body.block, operands[: len(run.inputs)], self)
        finally:
            self.device = None

    def op(self, op: Operation, operands: list[Array], dead: Sequence[int]) -> list[Array]:
        if self.device is not None and (own := self.device.values(op, operands)) is not None:
            return own
        match op:
            case GraphOp() | FusedOp():
                from interp.numerics import evaluate

                return evaluate(op, operands, dead)
            case CopyOp() | ResidentOp():
                return operands[:1]
            case JoinOp() | ResidencyOp():
                return [_NOTHING] * len(op.results)
            case _ if is_launch(op):
                return self.launch(op, operands)
            case _:
                raise InputError(
                    f"{op.name} can't be run; only graph, task and pim ops, func.call and func.return can",
                    op,
                )

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


def _listed(names: Mapping[str, object]) -> str:
    return ", ".join(f"@{name}" for name in names) or "none"


_NOTHING: Array = np.zeros((), np.bool_)
"""The array that represents a token, which has no data."""

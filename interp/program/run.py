"""What a program computes: its functions run op by op in numpy, at graph, task and pim level alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from dialects.binding import YieldingOp
from dialects.diagnostics import InputError
from dialects.element_types import I1, dtype_of, is_float
from dialects.graph.fused import FusedOp
from dialects.graph.fused import YieldOp as FusedYieldOp
from dialects.graph.op import GraphOp, tensor_problem
from dialects.hw import DeviceOp
from dialects.repeating import RepeatingOp
from dialects.task import CopyOp, JoinOp, OnType, ResidentOp, RunOp
from dialects.task import YieldOp as TaskYieldOp
from interp.figures import size
from interp.program.effort import check_steps
from interp.program.entry import ahead_of_time, block_of, entry_of, functions
from interp.program.level import Shaped, device_of, is_launch, launched_name, level_with, name_of, programs_in

if TYPE_CHECKING:
    from interp.machine.composition import Machine
    from interp.machine.device import Device

Array: TypeAlias = NDArray[np.generic]
Progress: TypeAlias = Callable[[int, int], None]

PROGRESS: ContextVar[Progress | None] = ContextVar("PROGRESS", default=None)
"""Called with (ops done, ops in all) while a program runs; a driver sets it to show how far a long run is."""


def run_module(
    module: ModuleOp,
    inputs: Sequence[Array] | None = None,
    *,
    seed: int = 0,
    entry: str | None = None,
    machine: Machine | None = None,
    progress: Progress | None = None,
) -> list[Array]:
    """The results of a program's entry function (`entry`, else `main`, else the first one).

    `inputs`: one array an argument, of its shape and element type; None draws them from `seed` (`seeded_inputs`).
    `machine`: whose banks compute where the program launches pim kernels; None takes the one that stands in the
    program. `progress`: called with (ops done, ops in all); None takes what PROGRESS holds.

    A program of pim kernels alone runs each of them once; `inputs` are then all their inputs, in order.

    A value is dropped after its last use, and a weight is read no earlier than its first use. Raises InputError for
    inputs that do not fit, a missing entry, and what can't be run.
    """
    runner = _Runner(module, machine, progress or PROGRESS.get())
    if entry is None and runner.programs and not functions(module):
        return runner.all_programs(inputs, seed)
    function = entry_of(module, entry)
    check_steps({each.sym_name.data: each for each in functions(module)}, runner.programs, function)
    if inputs is None:
        inputs = seeded_inputs(function, seed)
    _check_inputs(function, argument_types(function), inputs)
    return runner.call(function, inputs)


def argument_types(function: FuncOp) -> list[TensorType[Attribute]]:
    """The tensor types of a function's arguments, wherever they lie. Raises InputError for an argument that is no
    tensor."""
    return [_tensor(function, type_) for type_ in function.function_type.inputs]


def seeded_inputs(function: FuncOp, seed: int) -> list[Array]:
    """An array for each argument: floats even in [-1, 1), integers even in [0, 8), truth values even; the same for the
    same seed."""
    types = argument_types(function)
    if seed < 0:
        raise InputError(f"a seed is a number from 0 on, not {seed}")
    _check_memory(function, types)
    return _drawn(types, seed)


def _check_memory(taker: Operation, types: Sequence[Shaped]) -> None:
    """Raises InputError for inputs that this machine's memory can't hold: a system may promise it and fail later."""
    from interp.numerics import memory_bytes

    need = sum(prod(type_.get_shape()) * dtype_of(type_.element_type).itemsize for type_ in types)
    if need > memory_bytes():
        raise InputError(
            f"the inputs of @{name_of(taker)} take {size(need)}, and this machine's memory has "
            f"{size(memory_bytes())}; time and energy can be had without numbers (-t timeline)",
            taker,
        )


def _drawn(types: Sequence[Shaped], seed: int) -> list[Array]:
    random = np.random.Generator(np.random.PCG64(seed))
    return [_draw(random, type_) for type_ in types]


def _draw(random: np.random.Generator, type_: Shaped) -> Array:
    shape, element = type_.get_shape(), type_.element_type
    dtype = dtype_of(element)
    if is_float(element):
        return np.asarray(random.random(shape, np.float32) * 2 - 1).astype(dtype)
    return np.asarray(random.integers(0, 2 if element == I1 else 8, shape)).astype(dtype)


def _tensor(function: FuncOp, type_: Attribute) -> TensorType[Attribute]:
    inner = type_.tensor if isinstance(type_, OnType) else type_  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not isinstance(inner, TensorType):
        raise InputError(f"@{function.sym_name.data} takes a {type_}; only tensors can be passed", function)
    if (wrong := tensor_problem(inner)) is not None:  # pyright: ignore[reportUnknownArgumentType]
        raise InputError(f"@{function.sym_name.data} can't be run: {wrong}", function)
    return inner  # pyright: ignore[reportUnknownVariableType]


def _check_inputs(taker: Operation, types: Sequence[Shaped], inputs: Sequence[Array]) -> None:
    name = name_of(taker)
    if len(inputs) != len(types):
        raise InputError(f"@{name} takes {len(types)} inputs, but {len(inputs)} are given", taker)
    for index, (array, type_) in enumerate(zip(inputs, types, strict=True)):
        expected = dtype_of(type_.element_type)
        if not isinstance(cast(object, array), np.ndarray):
            raise InputError(f"input {index} of @{name} must be a numpy array, not a {type(array).__name__}", taker)
        if array.shape != type_.get_shape() or array.dtype != expected:
            met = f"{array.dtype.name} of shape {list(array.shape)}"
            raise InputError(
                f"input {index} of @{name} is {expected.name} of shape {list(type_.get_shape())}, not {met}", taker
            )


class _Runner:
    """Runs functions of one module; a weight or what is made of weights alone is computed when it is first asked
    for."""

    def __init__(self, module: ModuleOp, machine: Machine | None, progress: Progress | None) -> None:
        self.module = module
        self.machine = machine
        self.progress = progress
        self.functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, FuncOp)}
        self.programs = programs_in(module)

    def call(self, function: FuncOp, inputs: Sequence[Array]) -> list[Array]:
        return self.block(block_of(function), inputs)

    def repeat(self, loop: RepeatingOp, inputs: list[Array]) -> list[Array]:
        """What the last turn of a loop yields."""
        carried = len(loop.outputs)
        for count in loop.counted:
            inputs[:carried] = self.block(loop.body.block, [np.array(count, np.int32), *inputs])
        return inputs[:carried]

    def block(self, block: Block, inputs: Sequence[Array]) -> list[Array]:
        """What ends a block takes, for these arguments."""
        values: dict[SSAValue, Array] = dict(zip(block.args, inputs, strict=True))
        uses = Counter(operand for op in block.ops for operand in op.operands)
        on_demand = ahead_of_time(block) | dict.fromkeys(op for op in block.ops if isinstance(op, ResidentOp))
        waiting = dict(on_demand)

        def take(value: SSAValue) -> Array:
            """A value; forgotten after its last use."""
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
            """Run what an op needs and has been waiting to be asked for, by hand since it may be a long chain."""
            stack = _owners(op, waiting)
            while stack:
                if needed := _owners(stack[-1], waiting):
                    stack += needed
                elif (ready := stack.pop()) in waiting:
                    del waiting[ready]
                    run(ready)

        ops = list(block.ops)
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
        """An op's results; `dead` are the positions of operands that nobody reads again."""
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
                    f"{op.name} can't be run; the interpreter knows graph, task and pim ops, func.call and func.return",
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
        raise InputError("task.run: the body ends in task.yield", run)

    def launch(self, launch: Operation, operands: list[Array]) -> list[Array]:
        program = self.programs.get(name := launched_name(launch))
        if program is None:
            known = _listed(self.programs)
            raise InputError(f"{launch.name}: there is no kernel @{name}; the program has {known}", launch)
        return self.carry_out(program, operands)

    def carry_out(self, program: Operation, operands: Sequence[Array]) -> list[Array]:
        """The outputs of a program of a level."""
        level, device = level_with(program), self.machine_of().device(device_of(program), program)
        level.check_device(program, device)
        return level.run(program, device, operands)

    def all_programs(self, inputs: Sequence[Array] | None, seed: int) -> list[Array]:
        """The outputs of each program of a level in turn."""
        results: list[Array] = []
        for program in self.programs.values():
            types = level_with(program).inputs(program)
            check_steps({}, {}, program)
            if inputs is None:
                _check_memory(program, types)
            given = _drawn(types, seed) if inputs is None else inputs[: len(types)]
            inputs = inputs and inputs[len(types) :]
            _check_inputs(program, types, given)
            results += self.carry_out(program, given)
        return results

    @cached_property
    def devices(self) -> Mapping[str, Device]:
        """The machine's devices, each of which may compute ops of tasks in its own way; none where no machine is
        there."""
        declared = any(isinstance(op, DeviceOp) for op in self.module.body.block.ops)
        return self.machine_of().devices if declared or self.machine is not None else {}

    def machine_of(self) -> Machine:
        if self.machine is None:
            from interp.machine.composition import Machine

            self.machine = Machine.of(self.module)
        return self.machine


def _owners(op: Operation, among: Mapping[Operation, None]) -> list[Operation]:
    """The ops of a set that make an op's operands."""
    owners = (operand.owner for operand in op.operands)
    return [owner for owner in owners if isinstance(owner, Operation) and owner in among]


def _listed(names: Mapping[str, object]) -> str:
    return ", ".join(f"@{name}" for name in names) or "none"


_NOTHING: Array = np.zeros((), np.bool_)
"""The value of a token."""

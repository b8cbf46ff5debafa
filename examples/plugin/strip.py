"""Plugin with a new level of programs: vector programs that process tensors strip by strip; see README.md.

A `strip.program` describes the work on one strip of each input, a vector with a fixed number of elements; a
`strip.launch` executes it for all strips of its operands, in a task. The level defines results and costs of programs,
and their checks for a device; the pass `to-strip` writes programs from tasks. Timelines, `--check` and summaries
support the level like built-in levels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd, prod
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import (
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    TensorType,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Block, Dialect, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    eq,
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import IsolatedFromAbove, IsTerminator, Pure, SymbolOpInterface
from xdsl.universe import Universe

from dialects.diagnostics import InputError
from dialects.element_types import byte_width
from dialects.graph import AddOp, FusedOp, GraphOp, MulOp, ReluOp, SubOp, tensor_of
from dialects.locations import located
from dialects.task import RunOp
from interp.machine.cost import Cost
from interp.machine.device import Device
from interp.walk.level import Level, Shaped

VECTOR = VarConstraint("V", base(VectorType))
INT = IntegerAttr.constr(type=eq(i64))


@irdl_op_definition
class ProgramOp(IRDLOperation):
    """A program for one strip of each input, which is executed `strips` times, for consecutive strips.

    The block's arguments are strips of the inputs; `strip.yield` returns strips of the outputs.
    """

    name = "strip.program"
    sym_name = prop_def(SymbolNameConstraint())
    device = prop_def(SymbolRefAttr)
    strips = prop_def(INT)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())
    assembly_format = "$sym_name `on` $device `strips` $strips $body attr-dict"


class Arithmetic(IRDLOperation):
    """Base class of arithmetic instructions on strips; each element of the result is rounded once to its type."""

    V: ClassVar = VECTOR


class Binary(Arithmetic):
    """Base class of instructions on two strips."""

    a = operand_def(VECTOR)
    b = operand_def(VECTOR)
    y = result_def(VECTOR)
    traits = traits_def(Pure())
    assembly_format = "$a `,` $b attr-dict `:` type($a)"


@irdl_op_definition
class StripAddOp(Binary):
    name = "strip.add"


@irdl_op_definition
class StripSubOp(Binary):
    name = "strip.sub"


@irdl_op_definition
class StripMulOp(Binary):
    name = "strip.mul"


@irdl_op_definition
class StripReluOp(Arithmetic):
    name = "strip.relu"
    a = operand_def(VECTOR)
    y = result_def(VECTOR)
    traits = traits_def(Pure())
    assembly_format = "$a attr-dict `:` type($a)"


@irdl_op_definition
class StripYieldOp(IRDLOperation):
    name = "strip.yield"
    values = var_operand_def(VectorType)
    traits = traits_def(IsTerminator())
    assembly_format = "$values attr-dict `:` type($values)"


@irdl_op_definition
class LaunchOp(IRDLOperation):
    """Launch of a program in a task: the tensors that are its operands are the program's inputs, its results are the
    program's outputs."""

    name = "strip.launch"
    kernel = prop_def(SymbolRefAttr)
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$kernel `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)"


def _rectified(x: NDArray[Any]) -> NDArray[Any]:
    return np.maximum(x, np.zeros((), x.dtype))


MEANINGS: dict[type[Operation], Callable[..., NDArray[Any]]] = {
    StripAddOp: np.add,
    StripSubOp: np.subtract,
    StripMulOp: np.multiply,
    StripReluOp: _rectified,
}
WRITTEN: dict[type[Operation], type[Binary | StripReluOp]] = {
    AddOp: StripAddOp,
    SubOp: StripSubOp,
    MulOp: StripMulOp,
    ReluOp: StripReluOp,
}
"""The strip instruction for each graph op that can be written as one."""
ELEMENTS, ENERGY_NJ = 32, 0.01
"""The number of elements of a device's vectors, and the energy of an instruction on one vector, nJ."""


def _vector(type_: Attribute) -> VectorType[Attribute]:
    return cast("VectorType[Attribute]", type_)


class Strips(Level):
    """The level of strip programs: each cycle, one instruction loads, computes or stores one strip."""

    PROGRAM = ProgramOp
    LAUNCH = LaunchOp

    def inputs(self, program: Operation) -> Sequence[Shaped]:
        assert isinstance(program, ProgramOp)
        vectors = [_vector(argument.type) for argument in program.body.block.args]
        strips = program.strips.value.data
        return [TensorType(type_.element_type, [strips * type_.get_shape()[0]]) for type_ in vectors]

    def run(self, program: Operation, device: Device, operands: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        assert isinstance(program, ProgramOp)
        self.check(program, device)
        block, strips = program.body.block, program.strips.value.data
        given = [x.reshape(strips, -1) for x in operands]
        found: list[list[NDArray[Any]]] = []
        for strip in range(strips):
            values: dict[SSAValue, NDArray[Any]] = {
                argument: x[strip] for argument, x in zip(block.args, given, strict=True)
            }
            for op in block.ops:
                taken = [values[operand] for operand in op.operands]
                if isinstance(op, StripYieldOp):
                    found.append(taken)
                else:
                    values[op.results[0]] = MEANINGS[type(op)](*taken).astype(taken[0].dtype)
        return [np.concatenate(parts).reshape(operands[0].shape) for parts in zip(*found, strict=True)]

    def cost(self, program: Operation, device: Device) -> Cost:
        assert isinstance(program, ProgramOp)
        self.check(program, device)
        block, strips = program.body.block, program.strips.value.data
        moved = [*block.args, *(block.last_op.operands if block.last_op else ())]
        arithmetic = sum(not isinstance(op, StripYieldOp) for op in block.ops)
        instructions = strips * (len(moved) + arithmetic)
        types = [_vector(value.type) for value in moved]
        nbytes = strips * sum(prod(type_.get_shape()) * byte_width(type_.element_type) for type_ in types)
        flops = strips * arithmetic * types[0].get_shape()[0]
        ns = device.launch_ns + instructions / device.clock_hz * 1e9
        return Cost(ns, instructions * ENERGY_NJ, nbytes, flops, "instructions")

    def check(self, program: ProgramOp, device: Device) -> None:
        """Check a program for a device. Raises InputError, at the op, for strips longer than the device's vectors."""
        for argument in program.body.block.args:
            if (length := _vector(argument.type).get_shape()[0]) > ELEMENTS:
                raise InputError(
                    f"strip.program: met a strip of {length} elements; vectors of {device.name} have {ELEMENTS}",
                    program,
                )


@dataclass(frozen=True)
class ToStripPass(ModulePass):
    """Write a program for each op or fused group in a device's tasks, if its ops are in `WRITTEN` and have one shape.

    Before: `%y = graph.add %a, %b : tensor<64xf32>` in a `task.run @gpu`
    After: `%y = strip.launch @add_0(%a, %b) : …` in that task, and `strip.program @add_0 on @gpu strips 2 : i64 { … }`

    `device`: the device whose tasks are rewritten.
    """

    name = "to-strip"
    device: str = "gpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        runs = [run for run in op.walk() if isinstance(run, RunOp) and run.place == self.device]
        fit = [inner for run in runs for inner in run.body.block.ops if _fits(inner)]
        for number, inner in enumerate(fit):
            name = f"{inner.name.partition('.')[2]}_{number}"
            op.body.block.insert_ops_before([located(self._program(name, inner), inner)], _first(op))
            kernel = {"kernel": SymbolRefAttr(name)}
            types = [result.type for result in inner.results]
            launch = LaunchOp.create(operands=list(inner.operands), result_types=types, properties=kernel)
            Rewriter.replace_op(inner, [located(launch, inner)])

    def _program(self, name: str, op: Operation) -> ProgramOp:
        shape = tensor_of(op.operands[0])
        length = gcd(prod(shape.get_shape()), ELEMENTS)
        block = Block(arg_types=[VectorType(shape.element_type, [length])] * len(op.operands))
        ops, arguments = (op.ops, op.body.block.args) if isinstance(op, FusedOp) else ([op], op.operands)
        strips: dict[SSAValue, SSAValue] = dict(zip(arguments, block.args, strict=True))
        for inner in ops:
            taken = [strips[operand] for operand in inner.operands]
            block.add_op(one := WRITTEN[type(inner)].create(operands=taken, result_types=[taken[0].type]))
            strips[inner.results[0]] = one.results[0]
        given = op.body.block.last_op.operands if isinstance(op, FusedOp) and op.body.block.last_op else op.results
        block.add_op(StripYieldOp.create(operands=[strips[value] for value in given]))
        properties: dict[str, Attribute] = {
            "sym_name": StringAttr(name),
            "device": SymbolRefAttr(self.device),
            "strips": IntegerAttr(prod(shape.get_shape()) // length, i64),
        }
        return ProgramOp.create(properties=properties, regions=[Region(block)])


def _fits(op: Operation) -> bool:
    ops = op.ops if isinstance(op, FusedOp) else [op] if isinstance(op, GraphOp) else []
    types = {value.type for inner in ops for value in (*inner.operands, *inner.results)}
    return bool(ops) and all(type(inner) in WRITTEN for inner in ops) and len(types) == 1


def _first(module: ModuleOp) -> Operation:
    return next(op for op in module.body.block.ops if not op.name.startswith(("hw.", "strip.", "pim.")))


OPS: list[type[Operation]] = [ProgramOp, LaunchOp, StripAddOp, StripSubOp, StripMulOp, StripReluOp, StripYieldOp]
UNIVERSE = Universe(
    all_dialects={"strip": lambda: Dialect("strip", OPS)},
    all_passes={"to-strip": lambda: ToStripPass},
)
LEVELS = {"strip": Strips()}

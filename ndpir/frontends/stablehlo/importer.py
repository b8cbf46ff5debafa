"""Builds functions of graph ops from a StableHLO program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block as IrBlock
from xdsl.ir import Region, SSAValue

from dialects.diagnostics import InputError
from dialects.suggestions import hint
from ndpir.frontends.stablehlo import contraction, elementwise, indexing, movement, reduction
from ndpir.frontends.stablehlo.building import CONVERTERS, Building, graph_type
from ndpir.frontends.stablehlo.module import Function, Op, Value
from ndpir.frontends.stablehlo.text import read_functions

ANSWERED_IN = (contraction, elementwise, indexing, movement, reduction)
"""The files that fill the table of converters when they are imported."""
REFUSED = {
    "custom_call": "calls of code outside of the program are not read; lower the function without them",
    "fft": "Fourier transforms are not read; run them outside of the program",
    "complex": "complex numbers are not read; compute with their parts",
    "while": "loops are not read; unroll them (a Python loop in place of lax.scan)",
}
"""Ops that are refused for a reason of their own."""


def import_stablehlo(text: str, file: str) -> ModuleOp:
    """The program as a module of functions of graph ops. Raises InputError with a place."""
    functions = read_functions(text, file)
    if not functions:
        raise InputError("the program holds no function; lower one with jax.jit(f).lower(…).as_text()", f"{file}:1:1")
    known = {function.name: function for function in functions}
    return ModuleOp([_function(function, known) for function in functions])


def _function(function: Function, known: Mapping[str, Function]) -> FuncOp:
    types = [graph_type(value.type, function.place) for value in function.body.arguments]
    block = IrBlock(arg_types=types)
    values: dict[Value, Sequence[SSAValue]] = {}
    for value, argument in zip(function.body.arguments, block.args, strict=True):
        argument.name_hint = value.name.removeprefix("%")
        values[value] = (argument,)
    outputs: list[SSAValue] = []
    for op in function.body.ops:
        operands = [one for value in op.operands for one in values[value]]
        if op.name in ("return", "func.return"):
            outputs = operands
            block.add_op(ReturnOp(*operands))
            continue
        made = _converted(op, operands, block, known)
        for value, one in zip(op.results, made, strict=True):
            values[value] = (one,)
    visibility = None if function.name == "main" else StringAttr("private")
    made = FuncOp(function.name, (types, [value.type for value in outputs]), Region(block), visibility)
    return made


def _converted(op: Op, operands: list[SSAValue], block: IrBlock, known: Mapping[str, Function]) -> Sequence[SSAValue]:
    building = Building(op, block)
    if op.name in ("call", "func.call"):
        name = str(op.attributes.get("callee", ""))
        if name not in known:
            raise InputError(f"there is no function @{name}{hint(name, known)}", op.place)
        call = CallOp(name, operands, [building.tensor(result.type) for result in op.results])
        call.location = building.location
        block.add_op(call)
        return call.results
    converter = CONVERTERS.get(op.name)
    if converter is None:
        way = REFUSED.get(op.name, "this op is not read")
        building.fail(way)
    made = converter(building, operands)
    found = made if isinstance(made, list) else [made]
    for result, one in zip(op.results, found, strict=True):
        if (wanted := building.tensor(result.type)) != one.type:
            building.fail(f"its result is written as {result.type}, but its operands imply {one.type}")
        del wanted
    return found

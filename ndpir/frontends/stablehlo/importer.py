"""Builds functions of graph ops from a StableHLO program."""

from __future__ import annotations

import gc
import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.suggestions import hint
from interp.program.inputs import ARGUMENT_NAME, FILL, fill_attribute
from lowering.graph.folding import Folding
from ndpir.frontends.stablehlo import contraction, control, elementwise, from_jaxlib, indexing, movement, reduction
from ndpir.frontends.stablehlo.building import CONVERTERS, Building, graph_type
from ndpir.frontends.stablehlo.fills import fills_of
from ndpir.frontends.stablehlo.module import HloAttribute, HloFunction, HloOp, HloValue
from ndpir.frontends.stablehlo.text import read_functions

ANSWERED_IN = (contraction, control, elementwise, indexing, movement, reduction)
"""The files that fill the table of converters when they are imported."""
REFUSED = {
    "custom_call": "calls of code outside of the program are not read; lower the function without them",
    "fft": "Fourier transforms are not read; run them outside of the program",
    "complex": "complex numbers are not read; compute with their parts",
}
"""Ops that are refused for a reason of their own."""


def import_stablehlo(source: str | bytes | Any, file: str) -> ModuleOp:
    """The program as a module of functions of graph ops. Raises InputError with a place.

    `source`: text, MLIR's bytecode, or a module of MLIR's Python bindings. Long texts are read by jaxlib where it is
    installed, and what it does not read, by our own grammar, which says why.
    """
    with _collecting_nothing():
        return _imported(_functions(source, file), file)


@contextmanager
def _collecting_nothing() -> Generator[None]:
    """A program's objects stay: looking for garbage among them takes a third of the time that making them does."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _functions(source: str | bytes | Any, file: str) -> list[HloFunction]:
    match source:
        case str():
            is_long = len(source) >= from_jaxlib.WORTH_IT and from_jaxlib.is_installed()
            functions = from_jaxlib.functions_of_text(source, file) if is_long else None
            return read_functions(source, file) if functions is None else functions
        case bytes():
            return from_jaxlib.functions_of_bytecode(source, file)
        case _:
            return from_jaxlib.functions_of_module(source, file)


def _imported(functions: Sequence[HloFunction], file: str) -> ModuleOp:
    if not functions:
        raise InputError("the program holds no function; lower one with jax.jit(f).lower(…).as_text()", f"{file}:1:1")
    known = {function.name: function for function in functions}
    fills = {"main": fills_of(known)}
    return ModuleOp([_function(function, known, fills.get(function.name, ())) for function in functions])


def _function(
    function: HloFunction, known: Mapping[str, HloFunction], fills: Sequence[tuple[float, float] | None]
) -> FuncOp:
    types = [graph_type(value.type, function.place) for value in function.body.arguments]
    scope = _Scope(Block(arg_types=types), known)
    names = _names(ARGUMENT_NAME, function.argument_attributes, len(types))
    for value, argument, name in zip(function.body.arguments, scope.block.args, names, strict=True):
        argument.name_hint = readable(name) or value.name.removeprefix("%")
        scope[value] = argument
    if not function.body.ops or function.body.ops[-1].name != "return":
        raise InputError(f"@{function.name} returns nothing; end it with func.return", function.place)
    *ops, last = function.body.ops
    for op in ops:
        scope.convert(op)
    outputs = [scope[value] for value in last.operands]
    scope.block.add_op(ReturnOp(*outputs))
    visibility = None if function.name == "main" else StringAttr("private")
    made = FuncOp(function.name, (types, [value.type for value in outputs]), Region(scope.block), visibility)
    made.arg_attrs = _noted(ARGUMENT_NAME, names, fills)
    made.res_attrs = _noted(RESULT_NAME, _names(RESULT_NAME, function.result_attributes, len(outputs)))
    return made


RESULT_NAME = "jax.result_info"


def readable(name: str) -> str | None:
    """What JAX calls an argument as a name in the program: `params.dense.kernel` of `params['dense']['kernel']`."""
    words = ".".join(re.findall(r"\w+", name, re.ASCII))
    return re.sub(r"_(\d+)$", r".\1", words) if words[:1].isalpha() else None  # xDSL counts by _N itself


def _names(key: str, said: Sequence[Mapping[str, HloAttribute]], count: int) -> list[str]:
    """The names that attributes give to all arguments or results; none for those without."""
    return [str(said[index].get(key, "")) if index < len(said) else "" for index in range(count)]


def _noted(
    key: str, names: Sequence[str], fills: Sequence[tuple[float, float] | None] = ()
) -> ArrayAttr[DictionaryAttr] | None:
    """The names of arguments or results, and what seeded runs draw arguments from."""
    found: list[dict[str, Attribute]] = [{key: StringAttr(name)} if name else {} for name in names]
    for noted, fill in zip(found, fills, strict=False):
        if fill is not None:
            noted[FILL] = fill_attribute(*fill)
    return ArrayAttr(map(DictionaryAttr, found)) if any(found) else None


class _Scope:
    """A function under construction."""

    def __init__(self, block: Block, known: Mapping[str, HloFunction]) -> None:
        self.block, self.known = block, known
        self.folding = Folding()
        self.values: dict[HloValue, SSAValue] = {}

    def __getitem__(self, value: HloValue) -> SSAValue:
        return self.values[value]

    def __setitem__(self, value: HloValue, made: SSAValue) -> None:
        self.values[value] = made

    def convert(self, op: HloOp) -> None:
        """Convert an op, and note what its results became. Raises InputError for one that is not read."""
        building = Building(op, self)
        operands = [self.values[value] for value in op.operands]
        if op.name == "call":
            made: Sequence[SSAValue] = self._call(building, operands)
        else:
            converter = CONVERTERS.get(op.name)
            if converter is None:
                building.fail(REFUSED.get(op.name) or f"this op is not read{hint(op.name, CONVERTERS)}")
            try:
                found = converter(building, operands)
            except (ValueError, LookupError, ArithmeticError, StopIteration):  # axes that are not there
                building.fail(f"its attributes do not fit its operands ({', '.join(str(x.type) for x in operands)})")
            made = found if isinstance(found, list) else [found]
        if len(made) < len(op.results):
            building.fail(f"{len(op.results)} results are written, but it makes {len(made)}")
        for result, one in zip(op.results, made, strict=False):
            wanted, met = building.tensor(result.type), g.tensor_of(one)
            is_other = wanted is not met and (wanted.element_type != met.element_type or wanted.get_shape())
            if is_other and wanted != met:
                building.fail(f"its result is written as {result.type}, but its operands imply {one.type}")
            self.values[result] = one  # where a region on scalars is computed on whole tensors, a larger one

    def _call(self, building: Building, operands: Sequence[SSAValue]) -> Sequence[SSAValue]:
        name = str(building.op.attributes.get("callee", ""))
        if name not in self.known:
            building.fail(f"there is no function @{name}{hint(name, self.known)}")
        call = CallOp(name, operands, [building.tensor(result.type) for result in building.op.results])
        call.location = building.location
        self.block.add_op(call)
        return call.results

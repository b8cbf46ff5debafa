"""Builds functions of graph ops from a StableHLO program."""

from __future__ import annotations

import gc
import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from math import inf
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, UnitAttr, i64
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.suggestions import hint
from interp.program.entry import DONATED, KEPT
from interp.program.inputs import ARGUMENT_NAME, FILL, fill_attribute
from lowering.graph.folding import Folding
from ndpir.frontends.stablehlo import (
    contraction,
    control,
    elementwise,
    formulas,
    from_jaxlib,
    indexing,
    loops,
    movement,
    random_bits,
    reduction,
)
from ndpir.frontends.stablehlo.building import CONVERTERS, Building, graph_type
from ndpir.frontends.stablehlo.fills import fills_of
from ndpir.frontends.stablehlo.literals import Literals
from ndpir.frontends.stablehlo.module import HloAttribute, HloBlock, HloFunction, HloOp, HloValue
from ndpir.frontends.stablehlo.specification import REFUSED
from ndpir.frontends.stablehlo.text import read_functions

ANSWERED_IN = (contraction, control, elementwise, formulas, indexing, loops, movement, random_bits, reduction)
"""The files that fill the table of converters when they are imported."""
IN_SCOPE = {
    "call": "`func.call`.",
    "composite": "`func.call` of its decomposition.",
    "get_tuple_element": "The element.",
    "return": "`func.return`.",
    "tuple": "Names of its elements.",
}
"""Ops that a function under construction reads by itself, and what they become."""


def import_stablehlo(source: str | bytes | Any, file: str, *, kept_in: str | None = None, start: int = 0) -> ModuleOp:
    """The program as a module of functions of graph ops. Raises InputError with a place.

    `source`: text, MLIR's bytecode, or a module of MLIR's Python bindings. Long texts are read by jaxlib where it is
    installed, and what it does not read, by our own grammar, which says why.
    `kept_in`: the file that holds it from byte `start` on, where the numbers of long literals are read when a run asks
    for them; None for a program that no file holds, whose numbers stay in memory.
    """
    literals = Literals(source if isinstance(source, str | bytes) else None, kept_in, start)
    with _collecting_nothing():
        return import_functions(_functions(source, file), file, literals)


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


def import_functions(functions: Sequence[HloFunction], file: str, literals: Literals | None = None) -> ModuleOp:
    """The program that some functions make, as a module. Raises InputError with a place."""
    if not functions:
        raise InputError("the program holds no function; lower one with jax.jit(f).lower(…).as_text()", f"{file}:1:1")
    known = {function.name: function for function in functions}
    try:
        fills = {"main": fills_of(known)}
    except LookupError:  # an op lacks operands, which its converter says
        fills = {}
    kept = literals or Literals()
    return ModuleOp([_function(function, known, fills.get(function.name, ()), kept) for function in functions])


def _function(
    function: HloFunction,
    known: Mapping[str, HloFunction],
    fills: Sequence[tuple[float, float] | None],
    literals: Literals,
) -> FuncOp:
    types = [graph_type(value.type, function.place) for value in function.body.arguments]
    scope = _Scope(Block(arg_types=types), known, literals)
    names = _names(ARGUMENT_NAME, function.argument_attributes, len(types))
    for value, argument, name in zip(function.body.arguments, scope.block.args, names, strict=True):
        argument.name_hint = readable(name) or value.name_hint
        scope[value] = argument
    if not function.body.ops or function.body.ops[-1].name != "return":
        raise InputError(f"@{function.name} returns nothing; end it with func.return", function.place)
    *ops, last = function.body.ops
    for op in ops:
        scope.convert(op)
    outputs = [scope[value] for value in last.operands]
    scope.block.add_op(ReturnOp(*outputs))
    results = [value.type for value in outputs]
    is_main = function.name == "main"
    made = FuncOp(function.name, (types, results), Region(scope.block), None if is_main else StringAttr("private"))
    noted = _named(ARGUMENT_NAME, names)
    if is_main:
        for notes, fill, said, type_ in zip_longest(noted, fills, function.argument_attributes[: len(types)], types):
            notes |= {} if fill is None else {FILL: fill_attribute(*fill)}
            notes |= _memory(said or {}, type_, results)
    made.arg_attrs = _array(noted)
    made.res_attrs = _array(_named(RESULT_NAME, _names(RESULT_NAME, function.result_attributes, len(outputs))))
    return made


def _memory(said: Mapping[str, HloAttribute], type_: Attribute, results: Sequence[Attribute]) -> dict[str, Attribute]:
    """Attributes that tell an argument's memory: a result takes it, or any may; else it stays with the caller."""
    number = said.get("tf.aliasing_output")
    if isinstance(number, int) and 0 <= number < len(results) and results[number] == type_:
        return {DONATED: IntegerAttr(number, i64)}
    return {DONATED if number is not None or said.get("jax.buffer_donor") else KEPT: UnitAttr()}


RESULT_NAME = "jax.result_info"


def readable(name: str) -> str | None:
    """JAX's words for an argument as a name in the program: `params.dense.kernel` of `params['dense']['kernel']`."""
    words = ".".join(re.findall(r"\w+", name, re.ASCII))
    return re.sub(r"_(\d+)$", r".\1", words) if words[:1].isalpha() else None  # xDSL counts by _N itself


def _names(key: str, said: Sequence[Mapping[str, HloAttribute]], count: int) -> list[str]:
    """The names that attributes give to all arguments or results; none for those without."""
    return [str(said[index].get(key, "")) if index < len(said) else "" for index in range(count)]


def _named(key: str, names: Sequence[str]) -> list[dict[str, Attribute]]:
    """Attributes of arguments or results: their names."""
    return [{key: StringAttr(name)} if name else {} for name in names]


def _array(noted: Sequence[dict[str, Attribute]]) -> ArrayAttr[DictionaryAttr] | None:
    return ArrayAttr(map(DictionaryAttr, noted)) if any(noted) else None


class _Scope:
    """A function under construction."""

    def __init__(self, block: Block, known: Mapping[str, HloFunction], literals: Literals) -> None:
        self.block, self.known, self.literals = block, known, literals
        self.folding = Folding()
        self.values: dict[HloValue, SSAValue] = {}
        self.tuples: dict[HloValue, Sequence[HloValue]] = {}
        self.weights: dict[HloBlock, float] = {}

    def __getitem__(self, value: HloValue) -> SSAValue:
        return self.values[value]

    def __setitem__(self, value: HloValue, made: SSAValue) -> None:
        self.values[value] = made

    def convert(self, op: HloOp) -> None:
        """Convert an op, and note what its results became. Raises InputError for one that is not read."""
        building = Building(op, self)
        if op.name in ("tuple", "get_tuple_element"):
            self._pack(op, building)
            return
        if any(value in self.tuples for value in op.operands):
            building.fail("tuples are taken apart by get_tuple_element alone; pass their elements")
        operands = [self.values[value] for value in op.operands]
        if op.name in ("call", "composite"):
            made: Sequence[SSAValue] = self._call(building, operands)
        else:
            converter = CONVERTERS.get(op.name)
            if converter is None:
                others = "ops of StableHLO and CHLO are read (docs/stablehlo.md); lower the function to these"
                building.fail(REFUSED.get(op.name) or f"there is no such op{hint(op.name, CONVERTERS, others)}")
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

    def _pack(self, op: HloOp, building: Building) -> None:
        """Tuples are names of their elements (specification, tuple, get_tuple_element)."""
        if op.name == "tuple":
            self.tuples[op.results[0]] = op.operands
            return
        elements, index = self.tuples.get(op.operands[0], ()), building.integer("index")
        if not 0 <= index < len(elements):
            building.fail(f"there is no element {index} of {len(elements)}")
        (result,) = op.results
        if (inner := self.tuples.get(elements[index])) is not None:
            self.tuples[result] = inner
        else:
            self.values[result] = self.values[elements[index]]

    def weight(self, block: HloBlock, heavy: Sequence[str]) -> float:
        """Number of ops in a region, with those of what it calls; infinitely many where one is among `heavy`."""
        if block not in self.weights:
            self.weights[block] = inf  # what calls itself
            self.weights[block] = sum(self._op_weight(op, heavy) for op in block.ops)
        return self.weights[block]

    def _op_weight(self, op: HloOp, heavy: Sequence[str]) -> float:
        called = self.known.get(str(op.attributes.get("callee", op.attributes.get("decomposition", ""))))
        blocks = [*op.regions, *([called.body] if called is not None else [])]
        return inf if op.name in heavy else 1 + sum(self.weight(block, heavy) for block in blocks)

    def _call(self, building: Building, operands: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """A function's results; a composite is what its decomposition computes."""
        attributes = building.op.attributes
        name = str(attributes.get("callee", attributes.get("decomposition", "")))
        if name not in self.known:
            building.fail(f"there is no function @{name}{hint(name, self.known)}")
        call = CallOp(name, operands, [building.tensor(result.type) for result in building.op.results])
        call.location = building.location
        self.block.add_op(call)
        return call.results

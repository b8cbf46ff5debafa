"""Conversion of StableHLO programs to functions of graph ops.

Annotations, attributes of ndpir's dialects such as `task.on`, are carried to the made functions and ops, where the
verifier checks them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import zip_longest
from math import inf
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.graph.op import PLACED
from dialects.task import STATE, State
from dialects.task.state import KEEPS
from dialects.text.suggestions import hint
from interp.host import without_collection
from interp.walk.inputs import ARGUMENT_NAME, fill_attribute
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
from ndpir.frontends.stablehlo.building import CONVERTERS, Building, graph_type, located_at
from ndpir.frontends.stablehlo.fills import fills_of
from ndpir.frontends.stablehlo.literals import Literals
from ndpir.frontends.stablehlo.module import AttributeText, HloAttribute, HloBlock, HloFunction, HloOp, HloValue, ops_in
from ndpir.frontends.stablehlo.specification import REFUSED
from ndpir.frontends.stablehlo.text import read_functions

CONVERTER_MODULES = (contraction, control, elementwise, formulas, indexing, loops, movement, random_bits, reduction)
"""The modules that fill the table of converters when imported."""
BUILT_IN_OPS = {
    "call": "`func.call`.",
    "composite": "`func.call` of its decomposition.",
    "get_tuple_element": "The element of the tuple.",
    "return": "`func.return`.",
    "tuple": "Its elements, each as a value of its own.",
}
"""Ops that need no converter in the table, and their replacements."""


def import_stablehlo(source: str | bytes | Any, file: str, *, kept_in: str | None = None, start: int = 0) -> ModuleOp:
    """The program as a module of functions of graph ops. Raises InputError with file, line and column for invalid
    programs.

    `source`: text, MLIR's bytecode, or a module of MLIR's Python bindings. Long texts are read by jaxlib if it is
    installed; texts that jaxlib rejects are read by ndpir's own grammar, which reports errors with line and column.
    `kept_in`: the file that holds `source` from byte `start` on; runs read the numbers of long literals from it. If no
    file holds the program, `kept_in` is None, and the numbers stay in memory.
    """
    literals = Literals(source if isinstance(source, str | bytes) else None, kept_in, start)
    with without_collection():  # the program's objects stay alive, and collection adds a third to the time
        return import_functions(_functions(source, file), file, literals)


def _functions(source: str | bytes | Any, file: str) -> list[HloFunction]:
    match source:
        case str():
            is_long = len(source) >= from_jaxlib.MIN_JAXLIB_LENGTH and from_jaxlib.is_installed()
            functions = from_jaxlib.functions_of_text(source, file) if is_long else None
            return read_functions(source, file) if functions is None else functions
        case bytes():
            return from_jaxlib.functions_of_bytecode(source, file)
        case _:
            return from_jaxlib.functions_of_module(source, file)


def import_functions(functions: Sequence[HloFunction], file: str, literals: Literals | None = None) -> ModuleOp:
    """The functions of a program as a module. Raises InputError with file, line and column for invalid programs."""
    if not functions:
        raise InputError(
            "the program has no function; write one, such as jax.jit(f).lower(…).as_text() prints", f"{file}:1:1"
        )
    known = {function.name: function for function in functions}
    try:
        fills = {"main": fills_of(known)}
    except LookupError:  # an op lacks operands; its converter reports this
        fills = {}
    kept = literals or Literals()
    made = ModuleOp([_function(function, known, fills.get(function.name, ()), kept) for function in functions])
    for module in dict.fromkeys(module for function in functions for module in function.modules):
        made.attributes |= _annotations_in(module.attributes, module.place)
        made.location = located_at(module.place)
    return made


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
    scope.finish(last, outputs)
    results = [value.type for value in outputs]
    is_main = function.name == "main"
    keeps = is_main and not any(map(_donates, function.argument_attributes))
    made = FuncOp(function.name, (types, results), Region(scope.block), None if is_main else StringAttr("private"))
    noted = _named(ARGUMENT_NAME, names)
    for notes, fill, attributes, type_ in zip_longest(noted, fills, function.argument_attributes[: len(types)], types):
        stated = _annotations_in(attributes or {}, function.place)
        if is_main:
            notes |= {} if fill is None else {g.FILL: fill_attribute(*fill)}
            notes |= {} if keeps or STATE in stated else _memory(attributes or {}, type_, results)
        notes |= stated
    made.arg_attrs = _array(noted)
    noted = _named(RESULT_NAME, _names(RESULT_NAME, function.result_attributes, len(outputs)))
    for notes, attributes in zip(noted, function.result_attributes, strict=False):
        notes |= _annotations_in(attributes, function.place)
    made.res_attrs = _array(noted)
    made.attributes |= ({KEEPS: UnitAttr()} if keeps else {}) | _annotations_in(function.attributes, function.place)
    made.location = located_at(function.place)
    return made


def _donates(attributes: Mapping[str, HloAttribute] | None) -> bool:
    """True if the memory of an argument is stated, by JAX or in the program's text."""
    return attributes is not None and bool(attributes.keys() & {"tf.aliasing_output", "jax.buffer_donor", STATE})


def _memory(
    attributes: Mapping[str, HloAttribute], type_: Attribute, results: Sequence[Attribute]
) -> dict[str, Attribute]:
    """The attribute of a function argument that states if results may reuse the argument's memory: only one given
    result, any result, or no result (the memory stays with the caller)."""
    number = attributes.get("tf.aliasing_output")
    if isinstance(number, int) and 0 <= number < len(results) and results[number] == type_:
        return State("overwritten", number).noted
    is_free = number is not None or attributes.get("jax.buffer_donor")
    return State("free" if is_free else "read").noted


RESULT_NAME = "jax.result_info"


def readable(name: str) -> str | None:
    """JAX's name of an argument as an SSA name: `params.dense.kernel` for `params['dense']['kernel']`; None if the SSA
    name would not start with a letter."""
    words = ".".join(re.findall(r"\w+", name, re.ASCII))
    return re.sub(r"_(\d+)$", r".\1", words) if words[:1].isalpha() else None  # xDSL appends _N to repeated names


def _names(key: str, attributes: Sequence[Mapping[str, HloAttribute]], count: int) -> list[str]:
    """The names of all arguments or results, stated by the attribute `key`; "" for those without this attribute."""
    return [str(attributes[index].get(key, "")) if index < len(attributes) else "" for index in range(count)]


def _named(key: str, names: Sequence[str]) -> list[dict[str, Attribute]]:
    """Attribute dictionaries of arguments or results; each states a name of `names` under `key`."""
    return [{key: StringAttr(name)} if name else {} for name in names]


def _array(noted: Sequence[dict[str, Attribute]]) -> ArrayAttr[DictionaryAttr] | None:
    return ArrayAttr(map(DictionaryAttr, noted)) if any(noted) else None


def _annotations_in(attributes: Mapping[str, HloAttribute], place: str) -> dict[str, Attribute]:
    """The annotations among attributes, by name in the order of the alphabet, in which MLIR prints them. Raises
    InputError at `place` for a value that can't be read."""
    found = {name: each for name, each in attributes.items() if isinstance(each, AttributeText)}
    return {name: _parsed(name, found[name], place) for name in sorted(found)}


def _parsed(name: str, value: AttributeText, place: str) -> Attribute:
    try:
        found = cast("ArrayAttr[Attribute]", Parser(_context(), f"[{value.text}]").parse_attribute())
        (one,) = found.data  # in brackets, since the parser ignores text behind an attribute
    except (ParseError, VerifyException, ValueError):
        raise InputError(
            f"the value of `{name}` can't be read (`{value.text}`); write it as in docs/dialects.md", place
        ) from None
    return one


@cache
def _context() -> Context:
    from ndpir.registry.names import LazyContext, Registry  # only annotations need them

    return LazyContext(Registry())


def _carry(notes: Mapping[str, Attribute], made: Sequence[Operation], results: Sequence[SSAValue]) -> str | None:
    """Give the annotations of a StableHLO op to the ops that replace it. A device holds for all of them that compute,
    also in the bodies of loops, unless one has a mark of its own; any other annotation is given to the op of the first
    result. Returns the name of an annotation for which there is no op; None if there is none.
    """
    graph = [op for each in made for op in each.walk() if isinstance(op, g.GraphOp)]
    computing = [op for op in graph if not isinstance(op, g.ConstantOp | g.WeightOp)] or graph
    last = [op for op in made if results and op is results[0].owner]
    for name, value in notes.items():
        takers = computing if name == PLACED and computing else last
        if not takers:
            return name
        for op in takers:
            op.attributes.setdefault(name, value)
    return None


def _and_after(op: Operation) -> list[Operation]:
    """An op and those behind it in its block."""
    found = [op]
    while (op_behind := found[-1].next_op) is not None:
        found.append(op_behind)
    return found


class _Scope:
    """A function under construction, with the graph values of the values converted so far."""

    def __init__(self, block: Block, known: Mapping[str, HloFunction], literals: Literals) -> None:
        self.block, self.known, self.literals = block, known, literals
        self.folding = Folding()
        self.values: dict[HloValue, SSAValue] = {}
        self.tuples: dict[HloValue, Sequence[HloValue]] = {}
        self.weights: dict[HloBlock, float] = {}
        self.annotated = set[HloOp]()
        """The converted ops with annotations."""

    def __getitem__(self, value: HloValue) -> SSAValue:
        return self.values[value]

    def __setitem__(self, value: HloValue, made: SSAValue) -> None:
        self.values[value] = made

    def convert(self, op: HloOp) -> None:
        """Convert an op, and record the values of its results. Raises InputError for an unsupported or invalid op."""
        building = Building(op, self)
        notes = _annotations_in(op.attributes, op.place)
        before = self.block.last_op
        if op.name in ("tuple", "get_tuple_element"):
            self._pack(op, building)
            made: Sequence[SSAValue] = ()
        else:
            made = self._converted(op, building)
        if notes:
            self.annotated.add(op)
            first = self.block.first_op if before is None else before.next_op
            if (left := _carry(notes, [] if first is None else _and_after(first), made)) is not None:
                building.fail(f"`{left}` has no effect, since no op is made of this one; write it on another op")
        for inner in ops_in(op.regions):
            if inner not in self.annotated and (left := next(iter(_annotations_in(inner.attributes, inner.place)), "")):
                Building(inner, self).fail(
                    f"`{left}` has no effect, since no op is made of this one; write it on the {op.name} around it"
                )

    def finish(self, op: HloOp, outputs: Sequence[SSAValue]) -> None:
        """Add the return of the function."""
        made = ReturnOp(*outputs)
        made.attributes |= _annotations_in(op.attributes, op.place)
        made.location = located_at(op.place)
        self.block.add_op(made)

    def _converted(self, op: HloOp, building: Building) -> Sequence[SSAValue]:
        """The values that replace the results of an op, which are recorded."""
        if any(value in self.tuples for value in op.operands):
            building.fail("a tuple may only be an operand of get_tuple_element; pass its elements instead")
        operands = [self.values[value] for value in op.operands]
        if op.name in ("call", "composite"):
            made: Sequence[SSAValue] = self._call(building, operands)
        else:
            converter = CONVERTERS.get(op.name)
            if converter is None:
                others = "lower the function to ops of StableHLO and CHLO (docs/stablehlo.md)"
                building.fail(REFUSED.get(op.name) or f"there is no such op{hint(op.name, CONVERTERS, others)}")
            try:
                found = converter(building, operands)
            except (ValueError, LookupError, ArithmeticError, StopIteration):  # for example, an axis out of range
                building.fail(
                    f"the attributes do not fit the operands ({', '.join(str(x.type) for x in operands)}); check "
                    "the axes in the attributes"
                )
            made = found if isinstance(found, list) else [found]
        if len(made) < len(op.results):
            building.fail(
                f"the op is written with {len(op.results)} results, but has {len(made)}; write one type for each result"
            )
        for result, one in zip(op.results, made, strict=False):
            wanted, met = building.tensor(result.type), g.tensor_of(one)
            is_other = wanted is not met and (wanted.element_type != met.element_type or wanted.get_shape())
            if is_other and wanted != met:
                building.fail(
                    f"the result is written as {result.type}, but the operands imply {one.type}; correct one of them"
                )
            self.values[result] = one  # of a larger shape if a region on scalars is applied to tensors
        return made

    def _pack(self, op: HloOp, building: Building) -> None:
        """Record the values of a `tuple` op, which are its operands, or of a `get_tuple_element` op, which is one
        element of the tuple (specification, tuple and get_tuple_element)."""
        if op.name == "tuple":
            self.tuples[op.results[0]] = op.operands
            return
        elements, index = self.tuples.get(op.operands[0], ()), building.integer("index")
        if not 0 <= index < len(elements):
            building.fail(f"`index` must be an integer from 0 to {len(elements) - 1}, not {index}")
        (result,) = op.results
        if (inner := self.tuples.get(elements[index])) is not None:
            self.tuples[result] = inner
        else:
            self.values[result] = self.values[elements[index]]

    def weight(self, block: HloBlock, heavy: Sequence[str]) -> float:
        """The number of ops in a region, including called functions; infinite if one of them is in `heavy`, or if a
        function calls itself."""
        if block not in self.weights:
            self.weights[block] = inf  # for recursive calls
            self.weights[block] = sum(self._op_weight(op, heavy) for op in block.ops)
        return self.weights[block]

    def _op_weight(self, op: HloOp, heavy: Sequence[str]) -> float:
        called = self.known.get(str(op.attributes.get("callee", op.attributes.get("decomposition", ""))))
        blocks = [*op.regions, *([called.body] if called is not None else [])]
        return inf if op.name in heavy else 1 + sum(self.weight(block, heavy) for block in blocks)

    def _call(self, building: Building, operands: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """The results of a function call; a composite is a call of its decomposition."""
        attributes = building.op.attributes
        name = str(attributes.get("callee", attributes.get("decomposition", "")))
        if name not in self.known:
            building.fail(f"the program has no function @{name}{hint(name, self.known)}")
        call = CallOp(name, operands, [building.tensor(result.type) for result in building.op.results])
        call.location = building.location
        self.block.add_op(call)
        return call.results

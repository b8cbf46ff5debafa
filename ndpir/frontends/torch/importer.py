"""Conversion of exported programs to `func.func @main` of graph ops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite, prod
from typing import Any, NoReturn

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import dtype_of, element_type_named, is_float, tensor_type
from dialects.graph.constant import Held, HeldAttr
from dialects.graph.properties import integer, real
from dialects.locations import named
from dialects.task.state import State
from interp.host import without_collection
from interp.numerics.packing import from_bytes
from interp.walk.inputs import fill_attribute
from ndpir.frontends.onnx.builder import BodyBuilder
from ndpir.frontends.onnx.importer import value_name
from ndpir.frontends.onnx.tensors import INLINE_LIMIT, TensorError, checked_shape
from ndpir.frontends.sizes import Sizes
from ndpir.frontends.torch import opaque, operators
from ndpir.frontends.torch.call import COMPLEX_CONVERTERS, AtenCall, Results, converter_of, replaced
from ndpir.frontends.torch.extents import Extents
from ndpir.frontends.torch.program import (
    COMPLEX,
    Argument,
    Graph,
    Input,
    Node,
    Program,
    Ref,
    Subgraph,
    TensorMeta,
    Weight,
)
from ndpir.frontends.torch.unsupported import refuse_unsupported
from ndpir.frontends.torch.views import INVERSES, changed, changed_roots, dense_order, viewed

MODULES = operators.MODULES
RNG = "rng_state"
"""The name of the argument that is the state of the generator of random numbers."""
MOST_FILLED = 1 << 16
"""The largest number of elements of a buffer that is read to find the interval of its numbers."""


def import_program(program: Program, sizes: Sizes, fills: Mapping[str, tuple[float, float]] | None = None) -> ModuleOp:
    """The program as a module with one function `@main`: its arguments are the user's inputs, then the parameters and
    buffers that change, which are states; its results are the user's outputs, then the new content of states.

    `fills`: intervals from which random numbers for inputs are drawn, by their titles. Raises InputError for
    unsupported programs.
    """
    refuse_unsupported(program, sizes.opaque)
    return _Importer(program, sizes, fills or {}).module()


class _Importer:
    """One import."""

    def __init__(self, program: Program, sizes: Sizes, fills: Mapping[str, tuple[float, float]]) -> None:
        self.program, self.sizes, self.fills = program, sizes, fills
        self.extents = Extents(program, sizes)
        self.block = Block()
        self.body = BodyBuilder(self.block, program.name)
        self.scope = Scope(program, self.extents, self.body, program.graph)
        self.notes: list[dict[str, Attribute]] = []
        self.initial: dict[str, SSAValue] = {}

    def fail(self, message: str) -> NoReturn:
        raise InputError(message, f"{self.program.name}:1:1")

    def module(self) -> ModuleOp:
        """The complete module with the imported function."""
        stated = {each.target for each in self.program.results if each.kind == "changed"}
        changes = changed_roots(self.program.graph, self.scope)
        for each in self.program.inputs:
            if each.kind == "user":
                self._argument(each)
            elif each.kind == "number":
                self.scope.constants[each.name] = each.value
        for each in self.program.inputs:
            if each.kind in ("parameter", "buffer", "constant"):
                if each.target in stated or each.name in changes:
                    self._argument(each)
                else:
                    self.scope.weights[each.name] = lambda each=each: self._weight(each)
        with without_collection():  # building creates no garbage, and collection adds a third to its time
            self.scope.convert_all(self.program.graph)
        results, states = self._results()
        self.block.add_op(ReturnOp(*(self.body.place(value) for value in results)))
        self._erase_unused()
        for argument, number in states.items():
            self.notes[argument] |= State("overwritten", number).noted
        types = ([argument.type for argument in self.block.args], [result.type for result in results])
        function = FuncOp("main", types, Region(self.block))
        if any(self.notes):
            function.arg_attrs = ArrayAttr(DictionaryAttr(each) for each in self.notes)
        function.location = named(self.program.name)
        return self.extents.resized(ModuleOp([function]), self.body)

    def _argument(self, each: Input) -> None:
        """Add an argument of the function for an input."""
        meta = self.program.graph.tensors[each.name]
        type_ = self._type(meta, each.target or each.name)
        argument = self.block.insert_arg(type_, len(self.block.args))
        title = each.target or each.name
        argument.name_hint = value_name(title)
        argument.location = named(title)
        self.notes.append({})
        if title in self.fills:
            self.notes[-1] |= {g.FILL: fill_attribute(*self.fills[title])}
        weight = self.program.weights.get(each.target)
        if each.kind != "user" and weight is not None:
            self.notes[-1] |= _interval(weight, type_)
        self.scope.values[each.name] = self.initial[each.name] = argument

    def _type(self, meta: TensorMeta, title: str) -> g.Tensor:
        try:
            return self.scope.type_of(meta)
        except VerifyException as error:
            self.fail(f"`{title}`: {error}")

    def _weight(self, each: Input) -> SSAValue:
        """The value of a parameter, buffer or constant that does not change."""
        weight = self.program.weights.get(each.target)
        if weight is None:
            self.fail(f"the numbers of `{each.target}` are missing in the program; save it again by torch.export.save")
        type_ = self._type(weight.meta, each.target)
        try:
            return bound(
                self.body, each.target, weight, type_, inline=each.kind != "parameter" or len(type_.get_shape()) < 2
            )
        except VerifyException as error:
            self.fail(f"`{each.target}`: {error}")

    def _results(self) -> tuple[list[SSAValue], dict[int, int]]:
        """The results of the function: the user's outputs, gradients, then the new contents of arguments; and for each
        argument that is a state, the number of its result."""
        scope, results = self.scope, list[SSAValue]()
        for each in self.program.results:
            if each.kind in ("user", "loss", "gradient"):
                results += [scope.read(ref.name) for ref in _refs(each.argument) if scope.is_tensor(ref.name)]
        if scope.drawn_from is not None:
            self.initial[RNG] = scope.drawn_from
            self.notes.append({})
        after: dict[str, SSAValue] = {}
        for each in self.program.results:
            if each.kind == "changed" and isinstance(each.argument, Ref):
                name = next(
                    (i.name for i in self.program.inputs if each.target in (i.target, i.name) and i.name), each.target
                )
                after[name] = scope.read(each.argument.name)
        for name, value in self.initial.items():
            if name not in after and (now := scope.read(name)) is not value:
                after[name] = now
        states: dict[int, int] = {}
        for name, value in after.items():
            argument = self.initial[name]
            assert isinstance(argument, BlockArgument)
            if value is argument:
                continue  # a state that is only read
            states[argument.index] = len(results)
            results.append(value)
        if not results:
            self.fail("the program computes no tensor; export a model that returns one")
        return results, states

    def _erase_unused(self) -> None:
        """Remove ops without effect whose results nothing reads."""
        op = self.block.last_op
        while op is not None:
            before = op.prev_op
            if not isinstance(op, ReturnOp) and not any(result.uses for result in op.results):
                op.detach()
                op.erase()
            op = before


def _names(arguments: Iterable[Argument]) -> Iterator[str]:
    for argument in arguments:
        yield from (ref.name for ref in _refs(argument))


def _refs(argument: Argument) -> Iterator[Ref]:
    if isinstance(argument, Ref):
        yield argument
    elif isinstance(argument, Sequence) and not isinstance(argument, str):
        for each in argument:
            yield from _refs(each)


def _interval(weight: Weight, type_: g.Tensor) -> dict[str, Attribute]:
    """The interval from which random numbers for a state are drawn, if its initial numbers are known: theirs."""
    count = prod(type_.get_shape())
    if not 0 < count <= MOST_FILLED or (data := weight.read(weight.offset, count)) is None:
        return {}
    array = from_bytes(data, dtype_of(type_.element_type), count)
    if array.dtype.kind == "b":
        return {}
    low, high = array.min().item(), array.max().item()
    if not is_float(type_.element_type):
        return {g.FILL: fill_attribute(int(low), int(high) + 1)} if high < 2**62 else {}
    low, high = float(low), float(high)
    if not (isfinite(low) and isfinite(high)) or not (low or high):
        return {}  # zeros: a cache or a moment that steps fill
    return {g.FILL: fill_attribute(low, float(np.nextafter(np.float32(high), np.float32(np.inf))))}


def bound(body: BodyBuilder, name: str, weight: Weight, type_: g.Tensor, inline: bool) -> SSAValue:
    """A weight as a value: its numbers stay where they are. `inline`: a few numbers become a constant, so that what
    follows from them is computed now. Raises VerifyException for strides that a weight can't have."""
    shape, strides = type_.get_shape(), [int(each) for each in weight.meta.strides]
    count = prod(shape)
    location = named(name)
    dense = dense_order(shape, strides)
    if inline and count <= INLINE_LIMIT and dense is not None:
        data = weight.read(weight.offset, count)
        if data is not None:
            array = from_bytes(data, dtype_of(type_.element_type), count)
            stored = array.reshape([shape[axis] for axis in dense]).transpose(np.argsort(dense))
            return body.constant(g.NumbersAttr.of(np.ascontiguousarray(stored).reshape(shape)), location)
    hint = value_name(name)
    if dense is None:
        return _spread(body, name, weight, type_, strides)
    stored_type = tensor_type([shape[axis] for axis in dense], type_.element_type)
    op = g.WeightOp(name, _source(weight, name, stored_type), stored_type)
    op.location = location
    op.y.name_hint = hint
    if dense == list(range(len(shape))):
        return op.y
    return body.add(g.TransposeOp(op.y, permutation=tuple(np.argsort(dense).tolist())), location)


def _spread(body: BodyBuilder, name: str, weight: Weight, type_: g.Tensor, strides: Sequence[int]) -> SSAValue:
    """A weight whose elements do not lie side by side, such as a slice of a larger one, or one that repeats elements:
    the part of memory that holds them as a vector, and a gather of its elements."""
    shape = type_.get_shape()
    repeated = [axis for axis, stride in enumerate(strides) if stride == 0 and shape[axis] > 1]
    if repeated:
        narrow = tensor_type([1 if axis in repeated else n for axis, n in enumerate(shape)], type_.element_type)
        once = TensorMeta(weight.meta.element, narrow.get_shape(), weight.meta.strides)
        one = bound(body, name, Weight(once, weight.offset, weight.source, weight.read), narrow, inline=False)
        return body.add(g.BroadcastOp(one, result_type=type_), named(name))
    order = sorted(range(len(shape)), key=lambda axis: (-strides[axis], axis))
    steps = [strides[axis] for axis in order]
    extents = [shape[axis] for axis in order]
    if any(each % after or each < after * n for each, after, n in zip(steps, steps[1:], extents[1:], strict=False)):
        raise VerifyException(
            f"its elements overlap in memory (strides {list(strides)}); export it as a tensor of its own"
        )
    wide = [before // after for before, after in zip(steps, [*steps[1:], 1], strict=True)]
    whole = [extents[0], *wide]
    needed = sum((n - 1) * s for n, s in zip(extents, steps, strict=True)) + 1
    full = prod(whole)
    stored = tensor_type((needed,), type_.element_type)
    op = g.WeightOp(name, _source(weight, name, stored), stored)
    op.location = location = named(name)
    padded = body.add(g.PadOp(op.y, low=(0,), high=(full - needed,)), location) if full > needed else op.y
    apart = body.add(g.ReshapeOp(padded, result_type=tensor_type(whole, type_.element_type)), location)
    ends = [*extents, 1]
    cut = body.add(g.SliceOp(apart, starts=(0,) * len(whole), ends=tuple(ends), steps=(1,) * len(whole)), location)
    flat = body.add(g.ReshapeOp(cut, result_type=tensor_type(extents, type_.element_type)), location)
    return body.add(g.TransposeOp(flat, permutation=tuple(np.argsort(order).tolist())), location)


def _source(weight: Weight, name: str, type_: g.Tensor) -> g.WeightSource:
    """The source of a weight; one without numbers is drawn from a seed that its name gives."""
    found = weight.source(weight.offset, prod(type_.get_shape()))
    if found is not None:
        return found
    if not is_float(type_.element_type):
        return HeldAttr(Held.named(f"torch.absent.{name}"))
    seed = int.from_bytes(name.encode()[-7:], "big")
    return g.UniformAttr(real(-0.1), real(0.1), integer(seed))


class Scope:
    """The values of one graph by their names, and of the graphs inside of its nodes."""

    def __init__(
        self, program: Program, extents: Extents, body: BodyBuilder, graph: Graph, outer: Scope | None = None
    ) -> None:
        self.program, self.extents, self.body, self.graph, self.outer = program, extents, body, graph, outer
        self.values: dict[str, SSAValue] = {}
        self.constants: dict[str, Any] = {}
        self.weights: dict[str, Any] = {}
        self.views: dict[str, tuple[Node, int, str]] = {}
        """For each view, the call that takes it, its number among the call's results, and what it is a view of."""
        self.seen: dict[str, int] = {}
        """For each view, the number of changes of its memory when its value was computed."""
        self.changes: dict[str, int] = {}
        """The number of changes of each memory, by the tensor that owns it."""
        self.drawn_from: SSAValue | None = None
        """The argument that is the state of the generator of random numbers, if the graph draws any."""
        self.has_complex = any(meta.is_complex for meta in graph.tensors.values())
        self.has_changes = outer is None and any(map(changed, graph.nodes))

    # What calls ask for.

    def read(self, name: str) -> SSAValue:
        if name in self.views and self.seen[name] < self.changes.get(self._root(name), 0):
            node, _, parent = self.views[name]
            if replaced(node) is not None:  # its result is its argument
                self._set_view(name, self.read(parent))
                return self.values[name]
            for other, value in zip(node.names, _flat(self._made(node)), strict=False):
                if other in self.views and value is not None:
                    self._set_view(other, value)
        value = self.values.get(name)
        if value is None and name in self.weights:
            value = self.values[name] = self.weights.pop(name)()
        if value is None and self.outer is not None:
            return self.outer.read(name)
        if value is None:
            raise VerifyException(f"the value `{name}` is not computed before it is read")
        return value

    def _root(self, name: str) -> str:
        while name in self.views:
            name = self.views[name][2]
        return name

    def _set_view(self, name: str, value: SSAValue) -> None:
        self.values[name] = value
        self.seen[name] = self.changes.get(self._root(name), 0)

    def assign(self, name: str, value: SSAValue) -> None:
        if name not in self.views:
            self.read(name)
            self.values[name] = value
            self.changes[name] = self.changes.get(name, 0) + 1
            return
        node, index, parent = self.views[name]
        inverse = INVERSES.get(node.op)
        if inverse is None and replaced(node) is None:
            inverse = INVERSES.get(node.op.removesuffix("_"))
        before = self.read(parent)
        new = value if inverse is None else inverse(self._call(node), before, value, index)
        self.assign(parent, new)
        self._set_view(name, value)

    def number(self, name: str) -> Any:
        if name in self.constants:
            return self.constants[name]
        found = self.graph.numbers.get(name)
        if found is None and self.outer is not None:
            return self.outer.number(name)
        return self.extents.number(name if found is None else found)

    def number_of(self, extent: Any) -> int:
        return int(self.extents.number(extent))

    def meta(self, name: str) -> TensorMeta | None:
        found = self.graph.tensors.get(name)
        return self.outer.meta(name) if found is None and self.outer is not None else found

    def is_tensor(self, name: str) -> bool:
        return name in self.values or name in self.weights or self.meta(name) is not None

    def type_of(self, meta: TensorMeta) -> g.Tensor:
        parts = (2,) if meta.is_complex else ()
        try:
            element = element_type_named(COMPLEX.get(meta.element, meta.element))
        except KeyError:
            raise VerifyException(
                f"elements of {meta.element} are not supported; use floats of 8 to 64 bits, bool or integers"
            ) from None
        try:
            return tensor_type(checked_shape([*(self.extents.number(each) for each in meta.shape), *parts]), element)
        except TensorError as error:
            raise VerifyException(f"the tensor {error}") from None

    def note_number(self, name: str, value: Any) -> None:
        self.constants[name] = value

    def random_state(self) -> SSAValue:
        """The present state of the generator of random numbers, an argument of the program. Raises VerifyException in a
        graph inside of a node, which could not hand it on."""
        if self.outer is not None:
            raise VerifyException(
                "random numbers inside of a branch or a loop's body are not supported; draw them outside, and pass them"
            )
        if RNG not in self.values:
            argument = self.body.block.insert_arg(
                tensor_type((2,), element_type_named("ui64")), len(self.body.block.args)
            )
            argument.name_hint = RNG
            argument.location = named(RNG)
            self.values[RNG] = self.drawn_from = argument
        return self.values[RNG]

    def inlined(self, graph: Subgraph, given: Sequence[SSAValue], body: BodyBuilder) -> list[SSAValue]:
        scope = Scope(self.program, self.extents, body, graph.graph, self)
        for each, value in zip(graph.graph.inputs, given, strict=True):
            if isinstance(each, Ref):
                scope.values[each.name] = value
        scope.convert_all(graph.graph)
        call = AtenCall(Node("graph", {}, []), scope, named(graph.name), body)
        return [call.tensor(each) for each in graph.graph.outputs]

    # Calls.

    def convert_all(self, graph: Graph) -> None:
        """Convert all calls of a graph. Raises InputError for an invalid one, with its place."""
        for node in graph.nodes:
            try:
                self._convert(node)
            except VerifyException as error:
                self._fail(node, str(error))
            except InputError as error:
                self._fail(node, error.message) if error.place is None else _raise(error)
            except (ValueError, LookupError, ArithmeticError, TypeError, AssertionError, StopIteration) as error:
                self._fail(
                    node,
                    f"the arguments do not fit the operator ({type(error).__name__}: {error}); export it again",
                )

    def _fail(self, node: Node, message: str) -> NoReturn:
        raise InputError(f"{node.target}: {message}", node.place or f"{self.program.name}:1:1") from None

    def _call(self, node: Node) -> AtenCall:
        return AtenCall(node, self, named(node.place or node.target), self.body)

    def _made(self, node: Node) -> Results:
        converter = converter_of(node)
        if self.has_complex and any(map(self._is_complex, [*_names(node.inputs.values()), *node.names])):
            converter = COMPLEX_CONVERTERS.get(node.op)
            if converter is None:
                raise VerifyException("complex numbers are not supported here; compute with real and imaginary parts")
        if converter is None:
            return opaque.converted(self._call(node))
        return converter(self._call(node))

    def _is_complex(self, name: str) -> bool:
        meta = self.meta(name)
        return meta is not None and meta.is_complex

    def _convert(self, node: Node) -> None:
        made = self._made(node)
        if replaced(node) is not None:
            self._change(node, made)
            return
        parent = viewed(node, self) if self.has_changes else None
        for index, (name, value) in enumerate(zip(node.names, _flat(made), strict=False)):
            if value is None:
                continue
            if value.name_hint is None:
                value.name_hint = value_name(name)
            self._check(name, value)
            if parent is not None:
                self.views[name] = node, index, parent
                self._set_view(name, value)
            else:
                self.values[name] = value

    def _change(self, node: Node, made: Results) -> None:
        """Give an argument of a call new content; the result shares its memory."""
        (name, *_), value = changed(node), next(iter(_flat(made)))
        assert value is not None
        before = g.tensor_of(self.read(name))
        call = self._call(node)
        value = call.broadcast_to(call.cast(value, element_type_named(str(before.element_type))), before.get_shape())
        self.assign(name, value)
        for each in node.names:
            self.views[each] = node, 0, name
            self._set_view(each, value)

    def _check(self, name: str, value: SSAValue) -> None:
        """Raise VerifyException if a value has another type than the program states."""
        if (meta := self.meta(name)) is None:
            return
        if (stated := self.type_of(meta)) != value.type:
            raise VerifyException(f"its result is computed as {value.type}, but the program states {stated}")


def _raise(error: InputError) -> NoReturn:
    raise error


def _flat(made: Results) -> list[SSAValue | None]:
    if made is None or isinstance(made, SSAValue):
        return [made]
    return [value for each in made for value in _flat(each)]

"""Conversion of ONNX models to `func.func @main` of graph ops."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NoReturn

from onnx import GraphProto, ModelProto, NodeProto, SparseTensorProto, TensorProto, ValueInfoProto
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.locations import named
from interp.host import without_collection
from ndpir.frontends.onnx import (
    attention,
    compositions,
    contraction,
    control,
    elementwise,
    indexing,
    microsoft,
    pooling,
    quantized,
    reduction,
    shapes,
)
from ndpir.frontends.onnx.builder import BodyBuilder
from ndpir.frontends.onnx.extents import Extents, declared
from ndpir.frontends.onnx.functions import Functions
from ndpir.frontends.onnx.model import check_operators, in_order, node_label, opset_of, printable, read_model, refusal
from ndpir.frontends.onnx.opaque import OpaqueNodes
from ndpir.frontends.onnx.roles import Readers
from ndpir.frontends.onnx.subgraphs import Scope, read_by, stated_in
from ndpir.frontends.onnx.tensors import TensorError, element_type
from ndpir.frontends.sizes import Sizes

HANDLERS = (
    attention,
    compositions,
    contraction,
    control,
    elementwise,
    indexing,
    microsoft,
    pooling,
    quantized,
    reduction,
    shapes,
)
"""The modules that fill the table of operators when imported."""


def import_onnx(
    path: str,
    dims: Mapping[str, int] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    batch: int | None = None,
    cache_length: int | None = None,
    opaque: bool = False,
) -> ModuleOp:
    """The model at `path` as a module with one function `@main`, whose arguments are the inputs without an initialiser.

    `dims`: extents of dimensions, e.g. `{"b": 8}`; an unnamed dimension is called `INPUT.AXIS`. `shapes`: replacements
    for the stated shapes of inputs, e.g. `{"x": (1, 3, 64, 64)}`. `batch`: the number of samples. `cache_length`: the
    number of tokens in a decoder's caches. All other shapes are inferred; constants that depend on them are extended.
    `opaque`: operators that are not supported become opaque ops, where their result types are known.
    Weights are referred to by name, and not read. Raises InputError for invalid or unsupported models.
    """
    return import_model(read_model(path), path, dims, shapes, batch, cache_length, opaque)


def import_model(
    model: ModelProto,
    path: str,
    dims: Mapping[str, int] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    batch: int | None = None,
    cache_length: int | None = None,
    opaque: bool = False,
) -> ModuleOp:
    """`import_onnx` for a model in memory; `path` is its name in messages, and the location of its weights."""
    return _Importer(model, path, Sizes.of(dims, shapes, batch, cache_length, opaque)).module()


class _Importer:
    """One import of a model, with the values converted so far by their ONNX names."""

    def __init__(self, model: ModelProto, path: str, sizes: Sizes) -> None:
        self.graph: GraphProto = model.graph
        self.path = path
        self.opset = opset_of(model, path)
        versions = {entry.domain: entry.version for entry in model.opset_import}
        opaque = OpaqueNodes(versions) if sizes.opaque else None
        self.functions = Functions(model, opaque)
        check_operators(model, self.opset, path, self.functions)
        self.initialisers: dict[str, TensorProto] = {}
        self._read_initialisers(self.graph.initializer, self.graph.sparse_initializer)
        inputs = [value for value in self.graph.input if value.name not in self.initialisers]
        if len({value.name for value in inputs}) != len(inputs):
            self._fail("two inputs have the same name; rename one of them")
        self.extents = Extents(inputs, path, sizes, Readers(self.graph))
        if opaque is not None:
            opaque.dims = self.extents.dims
        self.values: dict[str, SSAValue] = {}
        used = {name for node in self.graph.node for name in read_by(node)}
        self.wanted = used | {value.name for value in self.graph.output}

    def _read_initialisers(self, tensors: Sequence[TensorProto], sparse: Sequence[SparseTensorProto]) -> None:
        if sparse:
            self._fail(
                f"`{sparse[0].values.name}` is a sparse tensor, but only dense ones are supported; store it densely"
            )
        for tensor in tensors:
            if tensor.name in self.initialisers:
                self._fail(f"two initialisers are called `{tensor.name}`; rename one of them")
            self.initialisers[tensor.name] = tensor

    def _fail(self, message: str) -> NoReturn:
        raise refusal(message, self.path)

    def module(self) -> ModuleOp:
        """The complete module with the imported function."""
        nodes = in_order(self.graph, self.path)
        block = Block(arg_types=self.extents.types())
        for value, argument in zip(self.extents.inputs, block.args, strict=True):
            argument.name_hint = value_name(value.name)
            argument.location = named(printable(value.name))
            self.values[value.name] = argument
        body = BodyBuilder(block, self.path)
        stated = stated_in((*self.graph.value_info, *self.graph.output))
        scope = Scope(self.functions, self.opset, lambda name: self._value(name, body), stated)
        with without_collection():  # building creates no garbage, and collection adds a third to its time
            for node in nodes:
                self._import_node(node, body, scope)
        results = [body.place(self._result(value, body)) for value in self.graph.output]
        block.add_op(ReturnOp(*results))
        types = ([argument.type for argument in block.args], [result.type for result in results])
        function = FuncOp("main", types, Region(block))
        function.location = named(self.path)
        module = ModuleOp([function])
        return self._resized(module, body) if self.extents.changes else module

    def _resized(self, module: ModuleOp, body: BodyBuilder) -> ModuleOp:
        """The program with the requested sizes in place of those that the model states. Raises InputError if they can't
        be traced through the model."""
        from ndpir.frontends.resizing import in_sizes

        dynamic = "torch.onnx.export(…, dynamic_shapes=…)"
        flags = " ".join(self.extents.sizes.flags)
        changes, remakes = self.extents.changes, body.remakes
        made = in_sizes(module, changes, remakes, flags, lambda place: f'node "{place}": ', dynamic, self._fail)
        self.extents.note_positions()
        return made

    def _result(self, output: ValueInfoProto, body: BodyBuilder) -> SSAValue:
        """The value of a model's output, checked against its declared type."""
        value = self._value(output.name, body)
        if value is None:
            self._fail(f"no node of the model computes its output `{output.name}`; add one, or remove the output")
        stated, found = output.type.tensor_type, g.tensor_of(value)
        if output.type.WhichOneof("value") != "tensor_type":
            return value
        try:
            fits = not stated.elem_type or element_type(stated.elem_type) == found.element_type
        except TensorError as error:
            self._fail(f"output `{output.name}` {error}")
        if not (fits and self.extents.fits(stated, found.get_shape())):
            self._fail(
                f"output `{output.name}` is declared as {declared(stated)}, but computed as {found}; "
                "correct the declaration"
            )
        return value

    # Nodes

    def _value(self, name: str, body: BodyBuilder) -> SSAValue | None:
        """The value of a given ONNX name, or None if there is none; initialisers are created on first use."""
        value = self.values.get(name)
        if value is None and (tensor := self.initialisers.get(name)) is not None:
            try:
                value = body.tensor(tensor, name, named(printable(name)))
            except TensorError as error:
                self._fail(f"the initialiser `{name}` {error}")
            value.name_hint = value_name(name)
            self.values[name] = value
        return value

    def _import_node(self, proto: NodeProto, body: BodyBuilder, scope: Scope) -> None:
        inputs = [self._value(name, body) if name else None for name in proto.input]
        wanted = [name in self.wanted for name in proto.output]
        try:
            made = self.functions.made(proto, self.opset, inputs, wanted, named(node_label(proto)), body, scope)
        except VerifyException as error:
            self._fail(f'node "{node_label(proto)}" ({proto.op_type}): {error}')
        except InputError as error:
            self._fail(f'node "{node_label(proto)}" ({proto.op_type}): {error.message}')
        for name, value in zip(proto.output, [made] if isinstance(made, SSAValue) else made, strict=False):
            if name and value is not None:
                if value.name_hint is None:
                    value.name_hint = value_name(name)
                self.values[name] = value


_LONGEST = 100
"""The number of characters kept from the end of a value's name."""


_FOREIGN = re.compile(r"[^\w$.]+", re.ASCII)
_NUMBERED = re.compile(r"(_\d+)+$")
_BEGINNING = re.compile(r"[A-Za-z_$.]")


def value_name(name: str) -> str:
    """An ONNX name as the name of an SSA value: `input.1` is unchanged, `/layer/Conv_output_0` is `layer_Conv_output`.

    Numbers at the end are dropped, since the printer appends numbers to repeated names.
    """
    text = _NUMBERED.sub("", _FOREIGN.sub("_", name[-_LONGEST:]).strip("_"))
    return text if _BEGINNING.match(text) else f"v{text}"

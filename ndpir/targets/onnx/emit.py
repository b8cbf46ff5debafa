"""`-t onnx`: a graph-level program as an ONNX model that other tools run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, ClassVar

from onnx import ModelProto, TensorProto, external_data_helper, helper
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue
from xdsl.utils.target import Target

from dialects.diagnostics import InputError
from dialects.files import check_writable, written
from dialects.graph import FusedOp, GraphOp
from dialects.graph.op import tensor_problem
from interp.figures import size
from interp.numerics.rounding import cast
from interp.program.entry import block_of, entry_of
from lowering.graph.inline import inline_calls
from ndpir.targets.onnx import contraction, elementwise, movement, reduction
from ndpir.targets.onnx.graph import IR_VERSION, OPSET, Array, OnnxGraph

ANSWERED_IN = (contraction, elementwise, movement, reduction)
"""The files that say how our ops are written."""
_LARGEST = (1 << 31) - (1 << 20)
"""Bytes of one protobuf message, with room for what is no weight."""


@dataclass(frozen=True)
class OnnxTarget(Target):
    """The entry function as an ONNX model (opset 23): weights as initialisers with their numbers, groups as the ops of
    their bodies, calls inlined, names as far as they are known. Binary: write it to a file (`-o model.onnx`) or a pipe.

    `wide`: f16 and bf16 become f32, which any processor computes. `weights`: a file for the numbers of weights, which
    must lie beside the model; without it they stand in the model, up to protobuf's 2 GB. `entry`: the function, where
    it is not `main` or the first one.

    The front end reads all that is written, and it computes the same; an op that takes several nodes of f16 or bf16
    rounds in each. Refused is what ONNX has no node for: pools of integers but maxima of 8 bits, means of integers of
    8 and 16 bits, powers of integers but i32 and i64, gathers and scatters by vectors without coordinates.
    """

    name: ClassVar[str] = "onnx"
    ENCODING: ClassVar[str] = "latin-1"
    """The output is bytes, one character each."""
    wide: bool = False
    weights: str | None = None
    entry: str | None = None

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        if self.weights is not None:
            check_writable(self.weights)
        module = module.clone()
        inline_calls(module)
        model = model_of(entry_of(module, self.entry), wide=self.wide)
        if self.weights is not None:
            _move_weights(model, self.weights)
        output.write(model_bytes(model).decode(self.ENCODING))


def model_of(function: FuncOp, wide: bool = False) -> ModelProto:
    """A function as an ONNX model. Raises InputError at what can't be written, and where weights have no numbers."""
    for type_ in (*function.function_type.inputs, *function.function_type.outputs):
        if (wrong := tensor_problem(type_)) is not None:
            name = function.sym_name.data
            raise InputError(f"@{name} can't be written as ONNX: {wrong}; it takes functions of graph ops", function)
    graph, block = OnnxGraph(wide), block_of(function)
    arguments: list[SSAValue] = []
    for index, argument in enumerate(block.args):
        graph.values[argument] = graph.fresh(argument.name_hint or f"arg{index}")
        arguments.append(argument)
    for op in block.ops:
        if isinstance(op, ReturnOp):
            return _model(graph, function.sym_name.data, arguments, list(op.operands))
        if not isinstance(op, GraphOp | FusedOp):
            raise InputError(f"{op.name} can't be written as ONNX; it takes functions of graph ops alone", op)
        graph.write(op)
    raise AssertionError("a function's block ends in func.return")


def op_model(op: GraphOp | FusedOp, known: Mapping[SSAValue, Array], wide: bool = False) -> ModelProto:
    """One op or group as a model of its own: `known` operands are initialisers, all others inputs, each value once."""
    graph = OnnxGraph(wide)
    given: list[SSAValue] = []
    for index, operand in enumerate(dict.fromkeys(op.operands)):
        if (array := known.get(operand)) is not None:
            graph.values[operand] = graph.initialiser(f"w{index}", cast(array, graph.dtype_of(operand)))
        else:
            graph.values[operand] = graph.fresh(f"x{index}")
            given.append(operand)
    graph.write(op)
    return _model(graph, op.name, given, list(op.results))


def _model(graph: OnnxGraph, name: str, inputs: list[SSAValue], results: list[SSAValue]) -> ModelProto:
    """The model whose outputs are `results`; each has a node of its own, since outputs have names of their own."""
    outputs = [graph.fresh(f"result{index}") for index in range(len(results))]
    for output, value in zip(outputs, results, strict=True):
        graph.nodes.append(helper.make_node("Identity", [graph[value]], [output], name=output))
    made = helper.make_graph(
        graph.nodes,
        name,
        [graph.info(graph[value], value) for value in inputs],
        [graph.info(output, value) for output, value in zip(outputs, results, strict=True)],
        graph.initialisers,
    )
    opsets = [helper.make_opsetid("", OPSET)]
    return helper.make_model(made, opset_imports=opsets, ir_version=IR_VERSION, producer_name="ndpir")


def model_bytes(model: ModelProto) -> bytes:
    """The model as a file holds it. Raises InputError where its weights are too large for one message."""
    held = sum(len(tensor.raw_data) for tensor in model.graph.initializer)
    if held > _LARGEST:
        raise InputError(
            f"the weights take {size(held)}, and one file of ONNX holds 2 GB; give them a file of their own "
            "(-t onnx{weights=FILE})"
        )
    return model.SerializeToString(deterministic=True)


def _move_weights(model: ModelProto, path: str) -> None:
    """Put the numbers of large initialisers into a file beside the model."""
    with written(path) as file:
        for tensor in model.graph.initializer:
            if len(tensor.raw_data) > _INLINE:
                _move(tensor, file, os.path.basename(path))


_INLINE = 1024
"""Bytes of an initialiser that stays in the model: extents, axes, scalars."""
_PAGE = 4096
"""Weights start at multiples of it, so that a runtime can map them."""


def _move(tensor: TensorProto, file: IO[bytes], location: str) -> None:
    file.write(bytes(-file.tell() % _PAGE))
    offset, numbers = file.tell(), tensor.raw_data
    file.write(numbers)
    external_data_helper.set_external_data(tensor, location, offset, len(numbers))
    tensor.ClearField("raw_data")

"""`-t onnx`: a graph-level program as an ONNX model for other tools."""

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
from interp.walk.entry import block_of, entry_of
from lowering.graph.inline import inline_calls
from ndpir.writers.onnx import contraction, elementwise, experts, movement, quantized, reduction
from ndpir.writers.onnx.graph import IR_VERSION, OPSET, Array, OnnxGraph

WRITER_MODULES = (contraction, elementwise, experts, movement, quantized, reduction)
"""The modules that register the writers of ops."""
_LARGEST = (1 << 31) - (1 << 20)
"""The largest size of all weights in one protobuf message, in bytes: the message's limit minus 1 MiB for all other
parts of the model."""


@dataclass(frozen=True)
class OnnxTarget(Target):
    """The entry function as an ONNX model (opset 23). Weights become initialisers with their numbers, groups become the
    ops of their bodies; calls are inlined, and known names of values are kept. The output is binary: write it to a
    file (`-o model.onnx`) or a pipe.

    `wide`: write f16 and bf16 as f32, which any processor can compute. `weights`: a file for the numbers of weights, in
    the folder of the model; without it they are stored in the model, up to protobuf's 2 GB. `entry`: the entry
    function, if it is neither `main` nor the first function.

    The front end can read the output, and the model computes the same results; an op that becomes several nodes of f16
    or bf16 rounds in each of them. Unsupported are ops without an ONNX form: pools of integers (except maxima of 8
    bits), means of integers of 8 and 16 bits, powers of integers other than i32 and i64, gathers and scatters by index
    vectors without coordinates.
    """

    name: ClassVar[str] = "onnx"
    ENCODING: ClassVar[str] = "latin-1"
    """The encoding that maps each character of the output to one byte."""
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
    """A function as an ONNX model. Raises InputError for ops and types that can't be written, and for weights without
    numbers."""
    for type_ in (*function.function_type.inputs, *function.function_type.outputs):
        if (wrong := tensor_problem(type_)) is not None:
            name = function.sym_name.data
            raise InputError(
                f"@{name} can't be written as ONNX: {wrong}; only functions of graph ops on tensors can", function
            )
    graph, block = OnnxGraph(wide), block_of(function)
    arguments: list[SSAValue] = []
    for index, argument in enumerate(block.args):
        graph.values[argument] = graph.fresh(argument.name_hint or f"arg{index}")
        arguments.append(argument)
    for op in block.ops:
        if isinstance(op, ReturnOp):
            return _model(graph, function.sym_name.data, arguments, list(op.operands))
        if not isinstance(op, GraphOp | FusedOp):
            raise InputError(f"{op.name} can't be written as ONNX; functions may hold graph ops only", op)
        graph.write(op)
    raise AssertionError("a function's block ends in func.return")


def op_model(op: GraphOp | FusedOp, known: Mapping[SSAValue, Array], wide: bool = False) -> ModelProto:
    """One op or group as a model. The operands in `known` are initialisers, all other operands are inputs; a value that
    is used as several operands is only one input."""
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
    """The model whose outputs are `results`. Each output is the result of an Identity node, so that a value that is
    returned twice has two names."""
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
    """The model as the bytes of a file. Raises InputError if its weights are too large for one protobuf message."""
    held = sum(len(tensor.raw_data) for tensor in model.graph.initializer)
    if held > _LARGEST:
        raise InputError(
            f"the weights have {size(held)}, but an ONNX file holds at most 2 GB; write them to a separate file "
            "(-t onnx{weights=FILE})"
        )
    return model.SerializeToString(deterministic=True)


def _move_weights(model: ModelProto, path: str) -> None:
    """Move the numbers of large initialisers into a file in the model's folder."""
    with written(path) as file:
        for tensor in model.graph.initializer:
            if len(tensor.raw_data) > _INLINE:
                _move(tensor, file, os.path.basename(path))


_INLINE = 1024
"""The largest size of an initialiser that stays in the model, in bytes; extents, axes and scalars are smaller."""
_PAGE = 4096
"""The alignment of weights in the file in bytes, with which runtimes can map the file into memory."""


def _move(tensor: TensorProto, file: IO[bytes], location: str) -> None:
    file.write(bytes(-file.tell() % _PAGE))
    offset, numbers = file.tell(), tensor.raw_data
    file.write(numbers)
    external_data_helper.set_external_data(tensor, location, offset, len(numbers))
    tensor.ClearField("raw_data")

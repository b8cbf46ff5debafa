"""`-t stablehlo`: a graph-level program as StableHLO text for XLA."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import IO, Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation
from xdsl.utils.target import Target

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import I1, tensor_type
from dialects.files import check_writable, written
from dialects.graph.op import tensor_problem
from dialects.repeating import COUNTER
from interp.walk.entry import block_of, entry_of
from ndpir.writers.stablehlo import contraction, elementwise, experts, movement, quantized, reduction
from ndpir.writers.stablehlo.program import HloWriter, Written

WRITER_MODULES = (contraction, elementwise, experts, movement, quantized, reduction)
"""The modules that register the writers of ops."""


@dataclass(frozen=True)
class StablehloTarget(Target):
    """A graph-level program as StableHLO text with the entry function as @main. Groups are written as the ops of their
    bodies, loops as `while`, calls as calls, and weights as arguments after those of the function, as JAX passes
    parameters.

    `weights`: a file (`.npz`) for the numbers of weights, by name and in the order of the arguments. `entry`: the entry
    function, if it is neither `main` nor the first function.

    The front end can read the output, and the program computes the same results. An op of a shorter type than f32 that
    is written as several StableHLO ops is computed in f32 and rounded once, as in ndpir. Unsupported are means of
    64-bit integers, and scatters by index vectors without coordinates.
    """

    name: ClassVar[str] = "stablehlo"
    weights: str | None = None
    entry: str | None = None

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        if self.weights is not None:
            check_writable(self.weights)
        main = entry_of(module, self.entry)
        text, weights = text_of(module, main)
        if self.weights is not None:
            _write_weights(self.weights, weights)
        output.write(text)


def text_of(module: ModuleOp, main: FuncOp) -> tuple[str, list[g.WeightOp]]:
    """The program as StableHLO text, and the weights that become arguments after those of `main`, in the order of these
    arguments. Raises InputError for ops and types that can't be written."""
    called = {call.callee.string_value() for call in module.walk() if isinstance(call, CallOp)}
    others = [op for op in module.body.block.ops if isinstance(op, FuncOp) and op is not main]
    lines: list[str] = []
    weights: list[g.WeightOp] = []
    for function in (main, *(other for other in others if other.sym_name.data in called)):
        writer, body = HloWriter(), block_of(function)
        for type_ in (*function.function_type.inputs, *function.function_type.outputs):
            if (wrong := tensor_problem(type_)) is not None:
                where = f"@{function.sym_name.data} can't be written as StableHLO: {wrong}"
                raise InputError(f"{where}; only functions of graph ops on tensors can", function)
        arguments = [
            Written(writer.fresh(each.name_hint or f"arg{n}"), g.tensor_of(each)) for n, each in enumerate(body.args)
        ]
        writer.values |= zip(body.args, arguments, strict=True)
        returned = _body(writer, body)
        if function is main:
            arguments += [argument for argument, _ in writer.weights.values()]
            weights = [op for _, op in writer.weights.values()]
        elif writer.weights:
            _, op = next(iter(writer.weights.values()))
            raise InputError(
                "a weight is written as an argument of @main, so it must be used in @main, not in a called "
                "function; inline called functions (-p inline)",
                op,
            )
        head = ", ".join(f"{each.name}: {each.type}" for each in arguments)
        types = ", ".join(str(each.type) for each in returned)
        name = "public @main" if function is main else f"private {SymbolRefAttr(function.sym_name)}"
        lines += [f"  func.func {name}({head}) -> ({types}) {{", *writer.lines]
        ending = f" {', '.join(each.name for each in returned)} : {types}" if returned else ""
        lines += [f"    return{ending}", "  }"]
    return "\n".join([f"module {SymbolRefAttr(main.sym_name)} {{", *lines, "}", ""]), weights


def _body(writer: HloWriter, block: Block) -> list[Written]:
    """Write the ops of a block; returns the values that the block returns or yields."""
    for op in block.ops:
        match op:
            case ReturnOp() | g.YieldOp():
                return writer.operands(op)
            case CallOp():
                _call(writer, op)
            case g.RepeatOp():
                _loop(writer, op)
            case _:
                writer.write(op)
    raise AssertionError("a block ends with a return or a yield")


def _several(writer: HloWriter, op: Operation) -> tuple[str, str, str]:
    """Three texts for an op: the names of its results, the results' types, and the operands' types."""
    made = [Written(writer.fresh(), g.tensor_of(result)) for result in op.results]
    writer.values |= zip(op.results, made, strict=True)
    given = ", ".join(str(each.type) for each in writer.operands(op))
    return ", ".join(each.name for each in made), ", ".join(str(each.type) for each in made), given


def _call(writer: HloWriter, op: CallOp) -> None:
    operands = ", ".join(each.name for each in writer.operands(op))
    names, types, given = _several(writer, op)
    equals = f"{names} = " if names else ""
    writer.line(f'{equals}"func.call"({operands}) <{{callee = {op.callee}}}> : ({given}) -> ({types})')


def _loop(writer: HloWriter, op: g.RepeatOp) -> None:
    """Write a loop as `while`; its first carried value is the counter, and values that do not change are carried,
    too."""
    first, end, by = (writer.scalar(number, COUNTER.element_type) for number in (op.counted.start, op.counted.stop, 1))
    inputs = [writer[value] for value in op.inputs]
    carried = [first, *inputs]
    names = [writer.fresh() for _ in carried]
    writer.values |= zip(
        op.outputs, (Written(n, each.type) for n, each in zip(names[1:], inputs, strict=False)), strict=False
    )
    types = ", ".join(str(each.type) for each in carried)
    given = ", ".join(each.name for each in carried)
    truth = tensor_type((), I1)
    with writer.region(f'{", ".join(names)} = "stablehlo.while"({given}) ({{', "}, {"):
        inside = _arguments(writer, carried)
        hit = writer.compared(inside[0], end, "lt")
        writer.line(f"stablehlo.return {hit.name} : {truth}")
    with writer.region("", f"}}) : ({types}) -> ({types})"):
        writer.lines.pop()
        inside = _arguments(writer, carried)
        writer.values |= zip(op.body.block.args, inside, strict=True)
        yielded = _body(writer, op.body.block)
        after = [writer.same("add", inside[0], by), *yielded, *inside[1 + len(yielded) :]]
        writer.line(f"stablehlo.return {', '.join(each.name for each in after)} : {types}")


def _arguments(writer: HloWriter, carried: list[Written]) -> list[Written]:
    """New arguments of a region, one for each carried value, with its type."""
    inside = [Written(writer.fresh(), each.type) for each in carried]
    writer.line(f"^bb0({', '.join(f'{each.name}: {each.type}' for each in inside)}):")
    return inside


def _write_weights(path: str, weights: list[g.WeightOp]) -> None:
    """Write the numbers of weights as a numpy archive; bf16 is stored as its bits, since numpy files have no such
    type."""
    import numpy as np

    from interp.numerics.weights import weight_array

    if os.path.splitext(path)[1] != ".npz":
        raise InputError(f"{path}: weights are written as a numpy archive; use a file name that ends with .npz")
    arrays: dict[str, Any] = {}
    for op in weights:
        array = weight_array(op)
        arrays[op.sym.data] = array.view(np.uint16) if array.dtype.name == "bfloat16" else array
    with written(path) as file:
        np.savez(file, **arrays)

"""The pass `strip-mine`: runs an element-wise kernel whose operands fill much of the device's memory as a loop over
strips of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from dialects.element_types import byte_count, tensor_type
from dialects.graph import (
    ConstantOp,
    DynamicSliceOp,
    DynamicUpdateSliceOp,
    FusedOp,
    GraphOp,
    RepeatOp,
    ReshapeOp,
    YieldOp,
    shape_of,
    tensor_of,
)
from dialects.graph.boxes import Box, full_box, replaced
from dialects.graph.constant import NumbersAttr
from dialects.locations import located
from dialects.repeating import COUNTER
from interp.machine.memory_system import MemorySystem
from interp.simulate.simulation import needs_moves
from interp.walk.entry import ahead_of_time, block_of, changed_states, functions, is_graph_op
from lowering.banks.templates import clock_for
from lowering.graph.rewriting import rewriter_at
from lowering.partition.shards.parts import compute, part_of
from lowering.partition.shards.split import is_pointwise

LARGE = 16
"""A kernel is divided if its operands and results take more than this fraction of memory."""
STRIP = 32
"""A strip takes at most this fraction of memory, if few enough strips do."""
MOST = 64
"""The largest number of strips of a kernel, each of which costs a launch."""


@dataclass(frozen=True)
class StripMinePass(ModulePass):
    """Runs large element-wise kernels as loops over strips, in programs that exceed the primary device's memory. Then
    `prefetch` can move strip by strip what would have to be in memory at one time, such as all operands of an
    optimizer's update of the weights of all layers, which a scanned model stacks.

    A kernel is divided if its operands and results take more than a sixteenth of memory: along its first axis, into
    equal strips of at most a thirty-second of memory, or into as many as that axis permits, at most 64. Each result
    must have the type of an operand: the loop carries a value of this type, of which each iteration replaces a strip.
    No result changes.

    Before (of 1 MB of memory, the operands and the result take 1.2 MB):
    ```mlir
    hw.device @gpu = "toy_gpu" {memory = "1 MB"}
    hw.device @host = "toy_host"
    hw.link @gpu to @host = "toy_bus"
    func.func @main(%x: tensor<4x25000xf32> {task.state = "read"}, %w: tensor<4x25000xf32> {task.state = "read"})
      -> tensor<4x25000xf32> {
      %y = graph.add %x, %w : tensor<4x25000xf32>
      func.return %y : tensor<4x25000xf32>
    }
    ```
    After:
    ```mlir
    %y = graph.repeat %i = 0 to 4 (%y_1 = %x, %x_1 = %x, %w_1 = %w) {
      %0 = graph.constant 0 : tensor<i32>
      %1 = graph.dynamic_slice %x_1, %i, %0 sizes = [1, 25000] : tensor<4x25000xf32>, tensor<i32>, tensor<i32>
      %2 = graph.dynamic_slice %w_1, %i, %0 sizes = [1, 25000] : tensor<4x25000xf32>, tensor<i32>, tensor<i32>
      %3 = graph.add %1, %2 : tensor<1x25000xf32>
      %4 = graph.dynamic_update_slice %y_1, %3, %i, %0 in_place :
          tensor<4x25000xf32>, tensor<1x25000xf32>, tensor<i32>, tensor<i32>
      graph.yield %4
    }
    ```
    """

    name = "strip-mine"
    NEEDS_MACHINE: ClassVar[bool] = True
    COMPARED: ClassVar[bool] = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        clock = clock_for(op)
        system = MemorySystem.of(clock.machine)
        if system is None:
            return
        for function in functions(op):
            block = block_of(function)
            early = ahead_of_time(block)
            large = [each for each in block.ops if each not in early and _bytes(each) * LARGE > system.capacity]
            if not any(is_graph_op(each) and is_pointwise(each) for each in large) or not needs_moves(function, clock):
                continue
            taken = _donated(function)
            for each in large:
                if is_graph_op(each) and is_pointwise(each):
                    _divide(each, system.capacity, taken)


def _bytes(op: Operation) -> int:
    """The bytes of an op's operands and results."""
    return sum(byte_count(tensor_of(value)) for value in {*op.operands, *op.results}) if is_graph_op(op) else 0


def _donated(function: FuncOp) -> Mapping[SSAValue, SSAValue]:
    """For each value that is returned in the memory of an argument, this argument."""
    last = block_of(function).last_op
    assert last is not None
    donated = changed_states(function)
    return {last.operands[number]: argument for argument, number in donated.items() if number is not None}


def _divide(op: GraphOp | FusedOp, capacity: int, taken: Mapping[SSAValue, SSAValue]) -> None:
    """Replace an element-wise kernel by a loop over its strips, unless it can't be divided."""
    shape = shape_of(op.results[0])
    if not shape or any(shape_of(result) != shape for result in op.results):
        return
    count = _strips(shape[0], _bytes(op), capacity)
    box = replaced(full_box(op.results[0]), 0, range(shape[0] // count))
    part = part_of(op, box) if count > 1 else None
    first = [_first(op, result, taken) for result in op.results]
    if part is None or any(value is None for value in first):
        return
    _Loop(op, count, box).replace([value for value in first if value is not None])


def _strips(extent: int, nbytes: int, capacity: int) -> int:
    """The number of strips of a kernel whose operands and results take `nbytes` bytes, along an axis of some extent."""
    able = [count for count in range(1, min(extent, MOST) + 1) if extent % count == 0]
    return next((count for count in able if nbytes * STRIP <= capacity * count), able[-1])


def _first(op: Operation, result: SSAValue, taken: Mapping[SSAValue, SSAValue]) -> SSAValue | None:
    """The operand whose memory a loop carries for a result: the argument that is donated to it, or any of its type;
    None if there is none."""
    alike = [value for value in op.operands if value.type == result.type]
    given = taken.get(result)
    return given if given in alike else next(iter(alike), None)


class _Loop:
    """A loop over the strips of a kernel, under construction."""

    def __init__(self, op: GraphOp | FusedOp, count: int, box: Box) -> None:
        self.op, self.count, self.box = op, count, box
        self.rewriter = rewriter_at(op)
        self.inputs: list[SSAValue] = []
        self.block = Block(arg_types=[COUNTER])
        self.block.args[0].name_hint = "i"
        self.known: dict[SSAValue, SSAValue] = {}
        self.strips: dict[SSAValue, SSAValue] = {}

    def replace(self, first: list[SSAValue]) -> None:
        """Replace the kernel, given the initial value of each of its results."""
        carried = [
            self.passed(self.stacked(value), result) for value, result in zip(first, self.op.results, strict=True)
        ]
        self.zero = self.add(ConstantOp(NumbersAttr.of(np.zeros((), np.int32)))).results[0]
        made = self.add(compute(self.op, self.box, self.fetch))
        yielded = [
            self.add(DynamicUpdateSliceOp(stack, self.shaped(part, stack), *self.starts(stack), in_place=True)).results[
                0
            ]
            for stack, part in zip(carried, made.results, strict=True)
        ]
        self.add(YieldOp(*yielded))
        loop = self.rewriter.insert(located(RepeatOp(range(self.count), self.inputs, Region(self.block)), self.op))
        results: list[SSAValue] = []
        for result, stack in zip(self.op.results, loop.results, strict=True):
            stack.name_hint = result.name_hint
            results.append(stack if stack.type == result.type else self.reshaped(stack, shape_of(result)))
        self.rewriter.replace(self.op, [], results)

    def fetch(self, value: SSAValue, need: Box) -> SSAValue:
        """The part of an operand that a strip needs, in the loop's body: the operand, or its strip."""
        if need == full_box(value):
            if value not in self.known:
                self.known[value] = self.passed(value, value)
            return self.known[value]
        if value not in self.strips:
            stack = self.passed(self.stacked(value), value)
            sizes = [1, *shape_of(stack)[1:]]
            taken = self.add(DynamicSliceOp(stack, *self.starts(stack), sizes=sizes)).results[0]
            rows = tuple(len(indices) for indices in need)
            self.strips[value] = taken if shape_of(taken) == rows else self.add(_reshape(taken, rows)).results[0]
        return self.strips[value]

    def stacked(self, value: SSAValue) -> SSAValue:
        """A full-size operand with an axis of strips in front."""
        shape = shape_of(value)
        return (
            value if shape[0] == self.count else self.reshaped(value, (self.count, shape[0] // self.count, *shape[1:]))
        )

    def reshaped(self, value: SSAValue, shape: tuple[int, ...]) -> SSAValue:
        return self.rewriter.insert(located(_reshape(value, shape), self.op)).results[0]

    def shaped(self, part: SSAValue, stack: SSAValue) -> SSAValue:
        """A strip of a result in the shape of a slice of its stack."""
        shape = (1, *shape_of(stack)[1:])
        return part if shape_of(part) == shape else self.add(_reshape(part, shape)).results[0]

    def starts(self, stack: SSAValue) -> list[SSAValue]:
        return [self.block.args[0], *([self.zero] * (len(shape_of(stack)) - 1))]

    def passed(self, value: SSAValue, named: SSAValue) -> SSAValue:
        """The argument of the loop's body for an operand of the loop."""
        self.inputs.append(value)
        argument = self.block.insert_arg(value.type, len(self.block.args))
        argument.name_hint = named.name_hint
        return argument

    def add(self, op: Operation) -> Operation:
        self.block.add_op(located(op, self.op))
        return op


def _reshape(value: SSAValue, shape: tuple[int, ...]) -> ReshapeOp:
    assert prod(shape) == prod(shape_of(value))
    return ReshapeOp(value, result_type=tensor_type(shape, tensor_of(value).element_type))

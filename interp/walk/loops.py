"""Constants that a run has to write to memory, because it overwrites them: initial values of loops, and values that are
updated in place."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from dialects.element_types import dtype_of, element_count
from dialects.graph.constant import ConstantOp, NumbersAttr
from dialects.graph.op import tensor_of
from dialects.graph.shape import BroadcastOp
from dialects.locations import located
from dialects.repeating import RepeatingOp


def fills_of(loop: RepeatingOp) -> dict[int, BroadcastOp]:
    """The loop-carried operands of a graph-level loop that start as a constant of one repeated number (as the stacked
    result of a scan does): for each operand, by its number, an op that writes the constant. The loop needs memory
    for these operands in addition to that of its arguments."""
    fills: dict[int, BroadcastOp] = {}
    for index in range(len(loop.outputs)):
        if (fill := fill_of(loop.inputs[index])) is not None:
            fills[index] = located(fill, loop)
    return fills


def fill_of(value: SSAValue) -> BroadcastOp | None:
    """An op that writes a constant of one repeated number; None for any other value. Its scalar operand is a new
    constant, which is not yet part of the program.
    """
    owner = value.owner
    if not isinstance(owner, ConstantOp) or not owner.value.is_splat or element_count(tensor_of(value)) < 2:
        return None
    number = np.frombuffer(owner.value.data.data, dtype_of(owner.value.tensor.element_type)).reshape(())
    one = located(ConstantOp(NumbersAttr.of(number)), owner)
    return located(BroadcastOp(one.results[0], result_type=tensor_of(value)), owner)

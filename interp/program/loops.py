"""Constants that a run writes, since it overwrites them: what a loop starts with, or what is updated in place."""

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
    """The operands of a loop on graph level that are carried and start as a constant that repeats one number (as what
    a scan writes does), by their numbers: each with an op that writes it. It has to lie in memory of the loop's own."""
    fills: dict[int, BroadcastOp] = {}
    for index in range(len(loop.outputs)):
        if (fill := fill_of(loop.inputs[index])) is not None:
            fills[index] = located(fill, loop)
    return fills


def fill_of(value: SSAValue) -> BroadcastOp | None:
    """An op that writes a constant which repeats one number; None for any other value. It reads its number from a new
    constant, which is no part of the program yet."""
    owner = value.owner
    if not isinstance(owner, ConstantOp) or not owner.value.is_splat or element_count(tensor_of(value)) < 2:
        return None
    number = np.frombuffer(owner.value.data.data, dtype_of(owner.value.tensor.element_type)).reshape(())
    one = located(ConstantOp(NumbersAttr.of(number)), owner)
    return located(BroadcastOp(one.results[0], result_type=tensor_of(value)), owner)

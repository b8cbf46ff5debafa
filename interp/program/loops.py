"""What a loop needs before it starts."""

from __future__ import annotations

import numpy as np

from dialects.element_types import dtype_of, element_count
from dialects.graph.constant import ConstantOp, NumbersAttr
from dialects.graph.op import tensor_of
from dialects.graph.shape import BroadcastOp
from dialects.locations import located
from dialects.repeating import RepeatingOp


def fills_of(loop: RepeatingOp) -> dict[int, BroadcastOp]:
    """The operands of a loop on graph level that are carried and start as a constant that repeats one number (as what
    a scan writes does), by their numbers: each with an op that writes it. It has to lie in memory of the loop's own.

    A broadcast reads its number from a new constant, which is no part of the program yet.
    """
    fills: dict[int, BroadcastOp] = {}
    for index in range(len(loop.outputs)):
        value = loop.inputs[index]
        owner = value.owner
        if isinstance(owner, ConstantOp) and owner.value.is_splat and element_count(tensor_of(value)) > 1:
            number = np.frombuffer(owner.value.data.data, dtype_of(owner.value.tensor.element_type)).reshape(())
            one = located(ConstantOp(NumbersAttr.of(number)), owner)
            fills[index] = located(BroadcastOp(one.results[0], result_type=tensor_of(value)), loop)
    return fills

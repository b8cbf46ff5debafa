"""The positions of a host command's entries in its memref, for all channels at once, and the transfer of values to
them."""

from __future__ import annotations

from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import BlockArgument, SSAValue

from dialects.pim import ChannelsOp, HostOp, Linear, Subscript, memref_of
from interp.kinds.pim.checks.sentences import stored_by_several_channels, stored_twice
from interp.kinds.pim.program import region_of
from interp.kinds.pim.values.memory import KernelMemory

Array: TypeAlias = NDArray[Any]
Values: TypeAlias = dict[SSAValue, int]


class Access:
    """The positions of a host command's entries in the flat memref, [channels or 1, entries], before the loop
    variables' offset is added."""

    def __init__(self, op: HostOp) -> None:
        region = region_of(op)
        shape = memref_of(op.memref).get_shape()
        strides = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
        parts = [*op.parts, *(Subscript(Linear(), extent) for extent in shape[len(op.parts) :])]
        first = Linear()
        block = np.zeros(1, np.intp)
        for part, stride in zip(parts, strides, strict=True):
            first += part.start * stride
            block = (block[:, None] + np.arange(max(part.extent, 1)) * stride).reshape(-1)
        self.loops = Linear(0, tuple(term for term in first.terms if not _is_channel(term[0], region)))
        self.at = _per_channel(first - self.loops, region)[:, None] + block
        self.distinct = len(np.unique(self.at)) == self.at.size

    def __call__(self, values: Values) -> Array:
        return self.at + self.loops.at(values)


def _is_channel(variable: SSAValue, region: ChannelsOp | None) -> bool:
    return isinstance(variable, BlockArgument) and region is not None and variable.block is region.body.block


def _per_channel(expression: Linear, region: ChannelsOp | None) -> NDArray[np.intp]:
    """The value of an expression of the channel's variables for all channels; a single number if it does not depend on
    the channel."""
    if not expression.terms or region is None:
        return np.array([expression.constant], np.intp)
    arguments = region.body.block.args
    return np.array(
        [expression.at(dict(zip(arguments, combination, strict=True))) for combination in region.combinations()],
        np.intp,
    )


class Delivery:
    """A writer of values to an output of a kernel; unless it adds to the entries, it checks that each entry is stored
    only once."""

    def __init__(self, op: HostOp, memory: KernelMemory, channels: int, adds: bool = False) -> None:
        """Raises InputError if several of `channels` channels store to the same entries. `adds`: numbers are added to
        the entries instead, which several channels may do."""
        self.op, self.adds, self.access = op, adds, Access(op)
        self.target, self.written = memory.host[op.memref], memory.written[op.memref]
        if not adds and not (self.access.distinct and len(self.access.at) == channels):
            raise stored_by_several_channels(op)

    def put(self, values: Values, numbers: Array) -> None:
        """Stores `numbers`, [channels, entries], in the memref's element type. Raises InputError for an entry that was
        already stored."""
        at = self.access(values)
        numbers = numbers.astype(self.target.dtype)
        if self.adds:
            np.add.at(self.target, np.broadcast_to(at, numbers.shape), numbers)
        else:
            self._refuse_twice(at)
            self.target[at] = numbers
        self.written[at] = True

    def _refuse_twice(self, at: Array) -> None:
        written = self.written[at]
        if written.any():
            entry = np.unravel_index(int(at[written][0]), memref_of(self.op.memref).get_shape())
            raise stored_twice(self.op, [int(each) for each in entry])

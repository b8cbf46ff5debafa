"""Boxes of indices, and the parts of an op's operands from which a part of its result is computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.ir import SSAValue

from dialects.graph.properties import Value
from dialects.graph.tensors import shape_of

Box: TypeAlias = tuple[range, ...]
"""The indices of a part of a tensor: one range of step 1 per axis."""


@dataclass(frozen=True)
class PartOperands:
    """The parts of an op's operands from which a part of its result is computed: the box of each operand (None if the
    operand is not needed), and the properties whose values differ from those of the whole op."""

    needs: tuple[Box | None, ...]
    properties: Mapping[str, Value] = field(default_factory=dict[str, Value])


def full_box(value: SSAValue) -> Box:
    """The box that covers all of a tensor."""
    return tuple(range(extent) for extent in shape_of(value))


def shape_of_box(box: Box) -> tuple[int, ...]:
    """The extents of a box."""
    return tuple(len(indices) for indices in box)


def replaced(box: Box, axis: int, indices: range) -> Box:
    """A box with `indices` as its indices on one axis."""
    return (*box[:axis], indices, *box[axis + 1 :])


def hull(box: Box, other: Box) -> Box:
    """The smallest box that contains both boxes."""
    return tuple(range(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(box, other, strict=True))


def stretched(shape: tuple[int, ...], box: Box) -> Box:
    """The box of an operand that broadcasting maps to `box`, a box of the broadcast shape. `shape`: the operand's
    shape."""
    tail = box[len(box) - len(shape) :]
    return tuple(range(1) if extent == 1 else indices for extent, indices in zip(shape, tail, strict=True))


def cut(first: int, stop: int, extent: int) -> tuple[range, int, int]:
    """The indices from `first` to `stop` - 1 that exist on an axis of length `extent`, the number of missing indices
    before the axis, and the number of missing indices after it."""
    return range(max(first, 0), min(stop, extent)), max(-first, 0), max(stop - extent, 0)

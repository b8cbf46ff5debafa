"""Boxes of indices, and what a part of an op's result takes of its operands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.ir import SSAValue

from dialects.graph.properties import Value
from dialects.graph.tensors import shape_of

Box: TypeAlias = tuple[range, ...]
"""Indices of a part, a range of step 1 on each axis."""


@dataclass(frozen=True)
class PartOperands:
    """The way to compute a part of a result: the box of each operand (None: the part does not need it), and properties
    that differ from the whole op's."""

    needs: tuple[Box | None, ...]
    properties: Mapping[str, Value] = field(default_factory=dict[str, Value])


def whole(value: SSAValue) -> Box:
    """All of a tensor."""
    return tuple(range(extent) for extent in shape_of(value))


def shape_of_box(box: Box) -> tuple[int, ...]:
    """Its extents."""
    return tuple(len(indices) for indices in box)


def replaced(box: Box, axis: int, indices: range) -> Box:
    """A box with other indices on one axis."""
    return (*box[:axis], indices, *box[axis + 1 :])


def hull(box: Box, other: Box) -> Box:
    """The smallest box that holds both."""
    return tuple(range(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(box, other, strict=True))


def stretched(shape: tuple[int, ...], box: Box) -> Box:
    """The part of an operand of some shape that lies under a box of what it broadcasts to."""
    tail = box[len(box) - len(shape) :]
    return tuple(range(1) if extent == 1 else indices for extent, indices in zip(shape, tail, strict=True))


def cut(first: int, stop: int, extent: int) -> tuple[range, int, int]:
    """The indices from `first` to `stop` that an axis of some extent has, and how many lie before it and behind it."""
    return range(max(first, 0), min(stop, extent)), max(-first, 0), max(stop - extent, 0)

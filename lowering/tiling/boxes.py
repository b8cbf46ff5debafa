"""Boxes of indices, and what a part of an op's result takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.ir import SSAValue

from dialects.graph import SliceOp, shape_of
from dialects.graph.properties import Value

Box: TypeAlias = tuple[range, ...]
"""Indices of a part, a range of step 1 on each axis."""


@dataclass(frozen=True)
class Part:
    """How a part of a result is computed: the box of each operand (None: the part does not need it), and properties
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


def sliced(value: SSAValue, box: Box) -> SliceOp | None:
    """The slice that takes a box out of a tensor; None where that is all of it."""
    if box == whole(value):
        return None
    return SliceOp(value, starts=[indices.start for indices in box], ends=[indices.stop for indices in box])

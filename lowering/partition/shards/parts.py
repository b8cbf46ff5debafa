"""Shards of ops: the part of each operand that a part of the result needs, halos included, and the op that computes it.

A part is a box: a range of indices on every axis. Splitting between devices and pipelining both use this module, so
that an op, or a group of ops, can be split along any axis along which its results are independent.

    %y = graph.conv %x, %w pads = [1, 1, 1, 1] : tensor<1x8x16x16xf32>, tensor<4x8x3x3xf32>

Rows 0 to 8 of %y are

    %0 = graph.slice %x starts = [0, 0, 0, 0], ends = [1, 8, 9, 16] : tensor<1x8x16x16xf32>
    %1 = graph.conv %0, %w pads = [1, 1, 0, 1] : tensor<1x8x9x16xf32>, tensor<4x8x3x3xf32>
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, overload

from xdsl.ir import Block, BlockArgument, Region, SSAValue

from dialects.element_types import tensor_type
from dialects.graph import FusedOp, GraphOp, SliceOp, YieldOp, tensor_of
from dialects.graph.boxes import Box, PartOperands, full_box, replaced, shape_of_box
from dialects.graph.patterns.matching import rebuilt
from dialects.graph.properties import Value
from dialects.locations import located

Fetch: TypeAlias = Callable[[SSAValue, Box], SSAValue]


def part_of(op: GraphOp | FusedOp, box: Box) -> PartOperands | None:
    """The parts of operands from which a part of an op's result is computed (of all results of a group, which must have
    one shape); None if the part is empty or can't be computed alone (`GraphOp.part`)."""
    return op.part(box) if all(box) else None


def sliced(value: SSAValue, box: Box) -> SliceOp | None:
    """The slice that extracts a box from a tensor; None if the box is the entire tensor."""
    return None if box == full_box(value) else SliceOp.of(value, box)


def splittable_axes(op: GraphOp | FusedOp) -> tuple[int, ...]:
    """The axes of the result along which halves can be computed alone."""
    box = full_box(op.results[0])
    halves = {axis: len(indices) // 2 for axis, indices in enumerate(box) if len(indices) > 1}
    return tuple(
        axis
        for axis, at in halves.items()
        if all(part_of(op, replaced(box, axis, half)) for half in (range(at), range(at, len(box[axis]))))
    )


@overload
def compute(op: GraphOp, box: Box, fetch: Fetch) -> GraphOp: ...
@overload
def compute(op: GraphOp | FusedOp, box: Box, fetch: Fetch) -> GraphOp | FusedOp: ...
def compute(op: GraphOp | FusedOp, box: Box, fetch: Fetch) -> GraphOp | FusedOp:
    """The op that computes a part of `op`'s result, with the attributes of `op`; `fetch` provides a part of an operand.
    The part must be one that `part_of` accepts."""
    made = _compute_group(op, box, fetch) if isinstance(op, FusedOp) else _compute_op(op, box, fetch)
    made.attributes = dict(op.attributes)
    return made


def _compute_op(op: GraphOp, box: Box, fetch: Fetch) -> GraphOp:
    part = op.part(box)
    assert part is not None, f"{op.name} has no such part"
    operands = [fetch(value, need) for value, need in zip(op.operands, part.needs, strict=True) if need is not None]
    if op.EXPLICIT_RESULT:
        result = tensor_type(shape_of_box(box), tensor_of(op.results[0]).element_type)
        properties: dict[str, Value] = {**op.properties, **part.properties}
        return type(op)(*operands, result_type=result, **properties)
    return rebuilt(op, *operands, **part.properties)


# Groups: required parts are computed backwards from the results through the body.


def _compute_group(group: FusedOp, box: Box, fetch: Fetch) -> FusedOp:
    boxes = group.boxes(box)
    assert boxes is not None, f"{group.name} has no such part"
    body = _PartBody(group, boxes, fetch)
    for op in group.ops:
        if op.results[0] in boxes:
            assert isinstance(op, GraphOp)
            body.add(op)
    body.block.add_op(located(YieldOp(*(body.seen(value, box) for value in group.yielded)), group))
    return FusedOp(body.inputs, Region(body.block), group.kind)


class _PartBody:
    """The body of a part of a group, under construction. An operand of which several parts are needed becomes several
    arguments, one for each part."""

    def __init__(self, group: FusedOp, boxes: dict[SSAValue, Box], fetch: Fetch) -> None:
        self.group = group
        self.boxes = boxes
        self.fetch = fetch
        self.block = Block()
        self.inputs: list[SSAValue] = []
        self.known: dict[tuple[SSAValue, Box], SSAValue] = {}

    def add(self, op: GraphOp) -> None:
        """Add the required part of an op of the group."""
        value, box = op.results[0], self.boxes[op.results[0]]
        made = compute(op, box, self.seen) if op.operands else op.clone()
        self.block.add_op(located(made, op))
        made.results[0].name_hint = value.name_hint
        self.known[value, box] = made.results[0]

    def seen(self, value: SSAValue, box: Box) -> SSAValue:
        """The part of a value of the group, in this body."""
        if (value, box) not in self.known:
            self.known[value, box] = (
                self._argument(value, box) if isinstance(value, BlockArgument) else self._cut(value, box)
            )
        return self.known[value, box]

    def _argument(self, value: BlockArgument, box: Box) -> SSAValue:
        self.inputs.append(self.fetch(self.group.inputs[value.index], box))
        argument = self.block.insert_arg(self.inputs[-1].type, len(self.block.args))
        argument.name_hint = value.name_hint
        return argument

    def _cut(self, value: SSAValue, box: Box) -> SSAValue:
        """Extract a box of a value from the larger box that the body computes."""
        computed = self.boxes[value]
        inside = tuple(
            range(part.start - all_.start, part.stop - all_.start) for part, all_ in zip(box, computed, strict=True)
        )
        cut = SliceOp.of(self.known[value, computed], inside)
        self.block.add_op(located(cut, self.group))
        return cut.y

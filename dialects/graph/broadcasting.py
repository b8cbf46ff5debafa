"""Element-wise ops: a result element depends only on the operands' elements at its own position."""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import SSAValue
from xdsl.irdl import traits_def
from xdsl.utils.exceptions import VerifyException

from dialects.graph.boxes import Box, PartOperands
from dialects.graph.op import GraphOp, shape_of
from dialects.graph.roles import AnyLayout, FusionRole
from dialects.work import Work


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that numpy broadcasting gives: shapes are aligned at the last axis, and extents of 1 are repeated.

    Raises VerifyException if an axis has two different extents, neither of which is 1.
    """
    rank = max(map(len, shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    result = tuple(max(column) if 0 not in column else 0 for column in zip(*padded, strict=True))
    for shape in padded:
        if any(extent not in (1, full) for extent, full in zip(shape, result, strict=True)):
            listed = " and ".join("x".join(map(str, s)) or "a scalar" for s in shapes)
            raise VerifyException(
                f"shapes {listed} do not broadcast: aligned at the last axis, extents must be equal or 1"
            )
    return result


class ElementwiseOp(GraphOp):
    """Base class of all element-wise ops: result shape by broadcasting, `FLOPS_EACH` flops per result element."""

    FLOPS_EACH: ClassVar[int] = 1
    FUSION: ClassVar = FusionRole.POINTWISE
    traits = traits_def(AnyLayout())

    def broadcast(self, *operands: SSAValue) -> tuple[int, ...]:
        """The shape that some operands broadcast to. Raises VerifyException, with the op's name, if they do not
        broadcast."""
        shapes = {shape_of(operand): None for operand in operands}
        if len(shapes) == 1:
            return next(iter(shapes))
        try:
            return broadcast_shapes(*shapes)
        except VerifyException as error:
            raise VerifyException(f"{self.name}: {error}") from None

    def work(self) -> Work:
        return self.work_of(self.FLOPS_EACH)

    def part(self, box: Box) -> PartOperands | None:
        return self.part_by_broadcast(box)

"""Base class of ops that access boxes of memories: common syntax, properties and checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseArrayBase,
    IndexType,
    MemRefType,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import AttrSizedOperandSegments, opt_attr_def, prop_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.braces import BracedOp
from dialects.launching import MEMREF, memref_of
from dialects.programs.index import Variables, bounds_of, check_expression
from dialects.programs.properties import INTS, Ints
from dialects.tile.boxes import Box, parse_box, print_box
from dialects.tile.loops import map_of, range_of
from dialects.values import called, resolve_known


class Access(NamedTuple):
    """A box of a memory that an op reads or writes."""

    memory: SSAValue
    box: Box

    @property
    def shape(self) -> tuple[int, ...]:
        return self.box.shape


class AccessingOp(BracedOp):
    """Base class of ops that access memories. Each access is a box of one memory; starts of boxes are expressions of
    loop variables.
    """

    memories = var_operand_def(MEMREF)
    indices = var_operand_def(IndexType)
    starts = prop_def(AffineMapAttr)
    sizes = prop_def(INTS)
    READS: ClassVar[tuple[int, ...]]
    """Positions, in `accesses`, of the boxes that the op reads."""
    WRITES: ClassVar[tuple[int, ...]]
    """Positions, in `accesses`, of the boxes that the op writes."""
    unwrapped = opt_attr_def(UnitAttr)
    """Set if starts of boxes may exceed the ends of memories; the pass `wrap-indices` wraps the starts and removes the
    mark."""

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @staticmethod
    def parts(accesses: Sequence[Access], indices: Sequence[SSAValue]) -> tuple[AffineMapAttr, Ints]:
        """Return the properties `starts` and `sizes` for accesses; starts become one affine map over `indices`."""
        starts = [start for access in accesses for start in access.box.starts]
        sizes = [size for access in accesses for size in access.box.sizes]
        return map_of(starts, indices), DenseArrayBase.from_list(i64, sizes)

    @property
    def accesses(self) -> list[Access]:
        """Accesses of the op, in the order of its memories."""
        found, at = list[Access](), 0
        starts, sizes = self.starts.data.results, [int(size) for size in self.sizes.get_values()]
        for memory in self.memories:
            rank = len(memref_of(memory).get_shape())
            found.append(Access(memory, Box(tuple(starts[at : at + rank]), tuple(sizes[at : at + rank]))))
            at += rank
        return found

    def retarget(self, number: int, memory: SSAValue, box: Box, indices: Sequence[SSAValue]) -> None:
        """Replace the access with index `number` by a box of another memory, whose starts are expressions over
        `indices`. The op's other accesses do not change."""
        accesses = self.accesses
        known = [*self.indices]  # Values that no start uses are dropped at the end.
        renumbered: list[AffineExpr] = []
        for value in indices:
            if value not in known:
                known.append(value)
            renumbered.append(AffineExpr.dimension(known.index(value)))
        accesses[number] = Access(memory, box.over(renumbered))
        used = [value for at, value in enumerate(known) if any(at in each.box.variables for each in accesses)]
        kept = [AffineExpr.dimension(used.index(value) if value in used else 0) for value in known]
        accesses = [each._replace(box=each.box.over(kept)) for each in accesses]
        self.starts, self.sizes = self.parts(accesses, used)
        memories = [access.memory for access in accesses]
        others = self.operands[: len(self.operands) - len(self.memories) - len(self.indices)]
        self.operands = [*others, *memories, *used]
        segments = [1] * len(others) + [len(memories), len(used)]
        self.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, segments)

    def check_boxes(self, may_exceed: Sequence[int] = ()) -> None:
        """Raise VerifyException for a box that is not within its memory. `may_exceed`: the indices of the accesses
        whose box may exceed its memory, because elements outside of it read as zeros."""
        ranks = sum(len(memref_of(memory).get_shape()) for memory in self.memories)
        if len(self.starts.data.results) != ranks or len(self.sizes) != ranks:
            raise VerifyException(
                f"{self.name}: expected one start and one size for each axis of its memories ({ranks}), not "
                f"{len(self.starts.data.results)} starts and {len(self.sizes)} sizes"
            )
        if self.starts.data.num_dims != len(self.indices) or self.starts.data.num_symbols:
            raise VerifyException(
                f"{self.name}: starts of boxes must be expressions of the op's {len(self.indices)} loop variables only"
            )
        ranges = [range_of(value) for value in self.indices]
        for number, (memory, box) in enumerate(self.accesses):
            if getattr(memory.owner, "rotating", None) is not None and box.sizes[0]:
                raise VerifyException(
                    f"{self.name}: {called(memory)} is a rotating buffer; access one slot of it at a time "
                    f"({called(memory)}[%k mod 2])"
                )
            for axis, (start, size, extent) in enumerate(
                zip(box.starts, box.sizes, memref_of(memory).get_shape(), strict=True)
            ):
                check_expression(start)
                low, high = bounds_of(start, ranges)
                end = high + max(size, 1)
                if (low < 0 or end > extent) and number not in may_exceed and self.unwrapped is None:
                    raise VerifyException(
                        f"{self.name}: axis {axis} of {called(memory)} has {extent} elements, but the box spans "
                        f"elements {low} to {end}; shrink or move the box"
                    )

    def print_access(self, printer: Printer, number: int) -> None:
        """Print a memory and its box."""
        access = self.accesses[number]
        printer.print_ssa_value(access.memory)
        print_box(printer, access.box, access.memory, self.indices)


def parse_access(parser: Parser, variables: Variables) -> Access:
    """Parse an access such as `%a[%i * 128 : 128, %k]`."""
    start, unresolved = parser.pos, parser.parse_unresolved_operand()
    memory = resolve_known(parser, unresolved)
    if not isinstance(memory.type, MemRefType):
        parser.raise_error(
            f"a box is part of a memory (a memref), not of {called(memory)}, a value of type {memory.type}",
            start,
            parser.pos,
        )
    return Access(memory, parse_box(parser, memory, variables))

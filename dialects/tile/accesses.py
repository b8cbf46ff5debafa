"""Ops that access boxes of memories: one text, one set of properties and one check for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple, TypeAlias

from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseArrayBase,
    IndexType,
    IntegerType,
    MemRefType,
    NoneAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.irdl import AttrSizedOperandSegments, base, opt_attr_def, prop_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.braces import BracedOp
from dialects.element_types import is_element_type
from dialects.launching import memref_of
from dialects.tile.boxes import Box, Variables, bounds_of, check_expression, parse_box, print_box
from dialects.tile.loops import range_of
from dialects.values import called, resolve_known

MEMREF = base(MemRefType)
Ints: TypeAlias = "DenseArrayBase[IntegerType]"


def is_plain(type_: Attribute) -> bool:
    """True if a type is a memref that thread blocks can access: static, of numbers, one after the other, not empty."""
    if not isinstance(type_, MemRefType):
        return False
    memref: MemRefType[Attribute] = type_  # pyright: ignore[reportUnknownVariableType]
    in_order = isinstance(memref.layout, NoneAttr) and isinstance(memref.memory_space, NoneAttr)
    return in_order and min(memref.get_shape(), default=1) >= 1 and is_element_type(memref.element_type)


class Access(NamedTuple):
    """A box of a memory that an op reads or writes."""

    memory: SSAValue
    box: Box

    @property
    def shape(self) -> tuple[int, ...]:
        return self.box.shape


class AccessingOp(BracedOp):
    """Common to ops that access memories, each by a box of it whose starts are expressions of loop variables."""

    memories = var_operand_def(MEMREF)
    indices = var_operand_def(IndexType)
    starts = prop_def(AffineMapAttr)
    sizes = prop_def(DenseArrayBase.constr(i64))
    READS: ClassVar[tuple[int, ...]]
    """Numbers of the accesses that read."""
    WRITES: ClassVar[tuple[int, ...]]
    """Numbers of the accesses that write."""
    unwrapped = opt_attr_def(UnitAttr)
    """Starts run beyond the ends of memories, until `wrap-indices` keeps them within."""

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @staticmethod
    def parts(accesses: Sequence[Access], indices: Sequence[SSAValue]) -> tuple[AffineMapAttr, Ints]:
        """The properties that say these accesses, over so many loop variables."""
        starts = [start for access in accesses for start in access.box.starts]
        sizes = [size for access in accesses for size in access.box.sizes]
        return AffineMapAttr(AffineMap(len(indices), 0, tuple(starts))), DenseArrayBase.from_list(i64, sizes)

    @property
    def accesses(self) -> list[Access]:
        """The boxes, in the order of the memories."""
        found, at = list[Access](), 0
        starts, sizes = self.starts.data.results, [int(size) for size in self.sizes.get_values()]
        for memory in self.memories:
            rank = len(memref_of(memory).get_shape())
            found.append(Access(memory, Box(tuple(starts[at : at + rank]), tuple(sizes[at : at + rank]))))
            at += rank
        return found

    def retarget(self, number: int, memory: SSAValue, box: Box, indices: Sequence[SSAValue]) -> None:
        """Let an access go to a box of another memory, whose starts are over `indices`; those of others stay."""
        accesses = self.accesses
        known = [*self.indices]  # what nothing uses any longer is left out at the end
        renumbered: list[AffineExpr] = []
        for value in indices:
            if value not in known:
                known.append(value)
            renumbered.append(AffineExpr.dimension(known.index(value)))
        accesses[number] = Access(memory, box.over(renumbered))
        used = [value for at, value in enumerate(known) if any(_uses(each.box, at) for each in accesses)]
        kept = [AffineExpr.dimension(used.index(value) if value in used else 0) for value in known]
        accesses = [each._replace(box=each.box.over(kept)) for each in accesses]
        self.starts, self.sizes = self.parts(accesses, used)
        memories = [access.memory for access in accesses]
        others = self.operands[: len(self.operands) - len(self.memories) - len(self.indices)]
        self.operands = [*others, *memories, *used]
        segments = [1] * len(others) + [len(memories), len(used)]
        self.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, segments)

    def check_boxes(self, may_exceed: Sequence[int] = ()) -> None:
        """Raises VerifyException for a box that is none of its memory; `may_exceed`: the numbers of accesses that may
        reach beyond it, where they read zeros."""
        ranks = sum(len(memref_of(memory).get_shape()) for memory in self.memories)
        if len(self.starts.data.results) != ranks or len(self.sizes) != ranks:
            raise VerifyException(f"{self.name}: a start and a size an axis of its memories are said")
        if self.starts.data.num_dims != len(self.indices) or self.starts.data.num_symbols:
            raise VerifyException(f"{self.name}: starts are expressions of its {len(self.indices)} loop variables")
        ranges = [range_of(value) for value in self.indices]
        for number, (memory, box) in enumerate(self.accesses):
            if getattr(memory.owner, "rotating", None) is not None and box.sizes[0]:
                raise VerifyException(
                    f"{self.name}: {called(memory)} is rotating; access one slot of it ({called(memory)}[%k mod 2])"
                )
            for axis, (start, size, extent) in enumerate(
                zip(box.starts, box.sizes, memref_of(memory).get_shape(), strict=True)
            ):
                check_expression(start)
                low, high = bounds_of(start, ranges)
                end = high + max(size, 1)
                if (low < 0 or end > extent) and number not in may_exceed and self.unwrapped is None:
                    raise VerifyException(
                        f"{self.name}: axis {axis} of {called(memory)} has {extent} elements, but the box reaches from "
                        f"{low} to {end}"
                    )

    def print_access(self, printer: Printer, number: int) -> None:
        """Write a memory and its box."""
        access = self.accesses[number]
        printer.print_ssa_value(access.memory)
        print_box(printer, access.box, access.memory, self.indices)


def _uses(box: Box, position: int) -> bool:
    """True if a start of a box depends on the variable at a position."""
    return any(
        isinstance(each, AffineDimExpr) and each.position == position for start in box.starts for each in start.dfs()
    )


def parse_access(parser: Parser, variables: Variables) -> Access:
    """Read `%a[%i * 128 : 128, %k]`."""
    start, unresolved = parser.pos, parser.parse_unresolved_operand()
    memory = resolve_known(parser, unresolved)
    if not isinstance(memory.type, MemRefType):
        parser.raise_error(f"a memory is expected here, not {memory.type}", start, parser.pos)
    return Access(memory, parse_box(parser, memory, variables))

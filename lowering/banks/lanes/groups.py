"""Element-wise products of two tensors by commands on groups of banks: in each group, a column of bank 0 times the same
column of bank 1 is written to that column of bank 2."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Region

from dialects.element_types import element_type_named
from dialects.pim import (
    HOST,
    ActOp,
    GroupProductOp,
    KernelOp,
    Linear,
    MulColumnsOp,
    PreOp,
    ReadOp,
    Subscript,
    WriteOp,
)
from interp.machine.records import Pim
from lowering.banks.cursor import Cursor
from lowering.banks.lanes.mapping import LaneMapping, LaneWork
from lowering.banks.products.traversal import closes_rows


@dataclass(frozen=True)
class GroupMapping(LaneMapping):
    """The positions of elements in banks: element `(((channel * rows + row) * groups + group) * width + column) * lanes
    + lane` of both operands and the result is in that channel, group, column and lane, in bank 0, 1 and 2 of the
    group. All `rows` reuse one physical row."""

    def shape(self, pim: Pim) -> tuple[int, ...]:
        """Shape of a tensor in the program's host layout: [channels, rows, groups, elements in a row of one bank]."""
        return self.channels, self.rows, pim.groups, self.width * pim.lanes


def group_mapping(work: LaneWork, pim: Pim) -> GroupMapping | str:
    """The mapping of an element-wise product of two tensors to groups of banks, with as few rows as possible, on all
    channels that get elements to compute; or the reason why no mapping is possible."""
    if [step.command for step in work.steps] != [MulColumnsOp] or any(work.stored):
        return f"groups of banks of {pim.name} can only multiply two tensors"
    ops = (ActOp, WriteOp, GroupProductOp, ReadOp, *([PreOp] if closes_rows(pim) else []))
    if missing := [op.COMMAND.verb for op in ops if not pim.scopes_written(op.COMMAND.verb)]:
        return f"{pim.name} lacks the verbs {', '.join(missing)}"
    if pim.banks < 3 or "bank" not in pim.scopes_written(WriteOp.COMMAND.verb):
        return f"{pim.name} has no command that writes to one of the three banks of a group"
    cells = pim.groups * pim.lanes
    runs = -(-work.count // (cells * pim.channels))
    rows = -(-runs // pim.columns)
    width = -(-runs // rows)
    return GroupMapping(work, -(-work.count // (cells * width * rows)), rows, width, (0, 1, 2))


def group_kernel(mapping: GroupMapping, pim: Pim, name: str, device: str = "pim") -> KernelOp:
    """The bank program of a mapping: its inputs are the tensors to multiply (a single tensor if it is squared), its
    output is their product."""
    operands = mapping.work.steps[0].operands
    type_ = MemRefType(element_type_named(mapping.work.element), mapping.shape(pim))
    inputs = len(set(operands))
    block = Block(arg_types=[type_] * (inputs + 1))
    for argument, hint in zip(block.args, [*(["x"] if inputs == 1 else ["x0", "x1"]), "y"], strict=True):
        argument.name_hint = hint
    _Writer(mapping, pim, block).program()
    return KernelOp(name, device, Region(block), [HOST] * inputs)


@dataclass
class _Writer(Cursor):
    mapping: GroupMapping
    pim: Pim
    block: Block
    """The insertion point of the next op."""

    def program(self) -> None:
        """Write the program: one region for all channels, and one loop iteration per row, which opens the row."""
        mapping, arguments = self.mapping, self.block.args
        columns = Subscript(Linear(), mapping.width)
        with self.channels_alike(mapping.channels) as channel, self.loop("r", mapping.rows) as row:
            for scope, unit, _ in self.everywhere(ActOp):
                self.add(ActOp(0, scope, unit))
            for bank, operand in enumerate(mapping.work.steps[0].operands):
                with self.loop("g", self.pim.groups) as group:
                    at = [Subscript(channel), Subscript(row), Subscript(group)]
                    self.add(WriteOp(arguments[operand], at, columns, "bank", group * self.pim.banks + bank))
            for scope, unit, _ in self.everywhere(GroupProductOp):
                self.add(GroupProductOp(columns, scope, unit))
            with self.loop("g", self.pim.groups) as group:
                at = [Subscript(channel), Subscript(row), Subscript(group)]
                self.add(ReadOp(arguments[-1], at, columns, "bank", group * self.pim.banks + 2))
            for scope, unit, _ in self.everywhere(PreOp) if closes_rows(self.pim) else ():
                self.add(PreOp(scope, unit))

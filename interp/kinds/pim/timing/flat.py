"""The time of a bank program without loops, from arrays: each kind of command stands once as ops, whose numbers are the
variables of the loops around them, and each command is an index of a kind with the values of these variables.

The clocks are those of kernels (clock.py), and so is the meaning of a command; only the ops of a kernel are not written
for each command. Programs that are checked for hazards are timed as kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from dialects.pim import BarrierOp, CommandOp, HostOp, KernelOp, SetOp, StepOp
from dialects.pim.addresses import loops_around
from interp.kinds.pim.program import (
    ChannelProgram,
    Issue,
    Step,
    check_kernel,
    classes_of,
    issues,
    moved_bytes,
    on_bus,
    region_of,
    slot_of,
)
from interp.kinds.pim.timing.clock import BankTime, programs_time, total_of_requests, total_of_stream
from interp.kinds.pim.timing.requests.kernel import Expansion, is_reordered
from interp.kinds.pim.timing.requests.request import Request
from interp.kinds.pim.timing.streams import Do, Item, Pause, Stream, StreamBuilder, instructed, joined, needs_row
from interp.machine.records import Pim

Ints: TypeAlias = NDArray[np.int64]
UsedRow: TypeAlias = int | str | None
"""The row that a bank used last: its number, or the name of an activation table."""


@dataclass(frozen=True)
class FlatProgram:
    """A program of n commands without loops. `kernel`: each kind of command once, below a loop for each of its k
    numbers, whose ranges contain the values of this program; `kinds`: the ops of each kind, which are several if one
    region can't hold its channels. `codes`: [n], the kind of each command; `numbers`: [n, k], the values of the loop
    variables, the outermost first; `rows`: [n], the row that is named for the command's banks, -1 for none."""

    kernel: KernelOp
    kinds: Sequence[Sequence[CommandOp]]
    codes: Ints
    numbers: Ints
    rows: Ints

    @cached_property
    def distinct(self) -> tuple[list[int], Ints]:
        """The index of the first of each set of equal commands, and for each command the index of its set."""
        columns = [self.codes, self.rows, *self.numbers.T]
        key = np.zeros(len(self.codes), np.int64)
        size = 1
        for column in columns:
            low, high = int(column.min()), int(column.max())
            if low == high:
                continue
            span = high - low + 1
            if size * span >= 1 << 62:
                _, key = np.unique(key, return_inverse=True)
                size = int(key.max()) + 1
            if size * span >= 1 << 62:
                _, column = np.unique(column, return_inverse=True)
                low, span = 0, int(column.max()) + 1
            key = key * span + (column - low)
            size *= span
        _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        return first.tolist(), inverse.astype(np.int64)

    @cached_property
    def variables(self) -> list[tuple[tuple[SSAValue, int], ...]]:
        """For each kind, the loop variables around its ops, each with the index of its number."""
        return [tuple((value, at) for op in ops for at, value in enumerate(loops_around(op))) for ops in self.kinds]

    def values(self, at: int) -> dict[SSAValue, int]:
        """The values of the loop variables for the command at an index."""
        numbers: list[int] = self.numbers[at].tolist()
        return {variable: numbers[place] for variable, place in self.variables[int(self.codes[at])]}

    def moved(self, channel: int, pim: Pim) -> int:
        """The bytes transferred between a channel and the host."""
        counts = np.bincount(self.codes, minlength=len(self.kinds)).tolist()
        return sum(
            count * moved_bytes(op, pim)
            for ops, count in zip(self.kinds, counts, strict=True)
            for op in ops
            if isinstance(op, HostOp) and _addresses(op, channel)
        )


def _addresses(op: CommandOp, channel: int) -> bool:
    region = region_of(op)
    return region is None or channel in region.numbers()


def flat_time(program: FlatProgram, pim: Pim) -> BankTime | None:
    """Time and energy of a program, equal to those of its kernel (`kernel_time`); None if only the kernel can be timed,
    because hazards are to be checked, or channels wait for each other. Raises InputError, at an op of the program's
    `kernel`, for a command that the device does not have."""
    if pim.checked:
        return None
    check_kernel(program.kernel, pim)
    if pim.rows_by == "program":
        return _by_program(program, pim)
    if is_reordered(program.kernel, pim):
        classes = classes_of(program.kernel)
        moved = [program.moved(channels[0], pim) for channels in classes]
        return total_of_requests(_requests(program, pim), list(map(len, classes)), moved, pim)
    return total_of_stream(_stream(program, pim), pim)


def _by_program(program: FlatProgram, pim: Pim) -> BankTime | None:
    classes = classes_of(program.kernel)
    if len(classes) > 1 and any(isinstance(op, BarrierOp) for ops in program.kinds for op in ops):
        return None
    first, inverse = program.distinct
    steps: list[Step | None] = []
    for at in first:
        op, *_ = program.kinds[int(program.codes[at])]
        steps.append(Issue(slot_of(op, program.values(at)), issues(op, pim)) if on_bus(op, pim) else None)
    programs: list[ChannelProgram] = []
    for channels in classes:
        own = [any(_addresses(op, channels[0]) for op in ops) for ops in program.kinds]
        mine: list[int] = inverse[np.array(own, np.bool_)[program.codes]].tolist()
        found = tuple([step for at in mine if (step := steps[at]) is not None])
        programs.append(ChannelProgram(channels, found, program.moved(channels[0], pim)))
    return programs_time(programs, pim)


def _requests(program: FlatProgram, pim: Pim) -> list[Request]:
    """The requests of a program, in order."""
    first, inverse = program.distinct
    expansion = Expansion(program.kernel, pim, rolls=False)
    sources = [expansion.source(ops) for ops in program.kinds]
    made: list[Sequence[Request]] = []
    codes: list[int] = program.codes[first].tolist()
    rows: list[int] = program.rows[first].tolist()
    for at, code, row in zip(first, codes, rows, strict=True):
        expansion.values = program.values(at)
        made.append(sources[code](row))
    order: list[int] = inverse.tolist()
    return [request for at in order for request in made[at]]


def _stream(program: FlatProgram, pim: Pim) -> Stream:
    """The instruction stream of a program."""
    classes = instructed(program.kernel, pim)
    builder = StreamBuilder(program.kernel, pim, classes, unrolled=False)
    used: list[list[UsedRow]] = [[None] * pim.banks_per_channel for _ in classes]
    """For each class of channels, the row that each bank used last."""
    first, inverse = program.distinct
    kinds = [
        _RowCommand(builder, program.kinds[int(program.codes[at])], program.values(at), int(program.rows[at]))
        for at in first
    ]
    items: list[Item] = []
    order: list[int] = inverse.tolist()
    for at in order:
        items += kinds[at].items(used)
    moved = tuple(program.moved(channels[0], pim) for channels in classes)
    return Stream(tuple(classes), tuple(items), moved)


class _RowCommand:
    """A command with all of its numbers, as the source of the items of a stream."""

    def __init__(self, builder: StreamBuilder, ops: Sequence[CommandOp], values: dict[SSAValue, int], row: int) -> None:
        self.builder, self.ops = builder, ops
        self.parts: list[tuple[Do, range, UsedRow]] = []
        self.fixed: list[Item] | None = None
        self.made: dict[tuple[int, ...], list[Item]] = {}
        op, pim = ops[0], builder.pim
        if isinstance(op, BarrierOp | StepOp) or (isinstance(op, SetOp) and not on_bus(op, pim)):
            self.fixed = [Pause(isinstance(op, BarrierOp))]
            return
        for each in ops:
            slot, classes = slot_of(each, values), builder.classes_in(region_of(each))
            item = Do(slot, issues(each, pim), (0,) * len(classes), classes)
            self.parts.append((item, slot.banks(pim), row if each.table is None else f"table {each.table}"))
        if not needs_row(op, pim):
            self.fixed = self._items([0] * sum(len(item.classes) for item, _, _ in self.parts))

    def items(self, used: Sequence[list[UsedRow]]) -> Sequence[Item]:
        """The command's items; `used`, the row that each bank of each class used last, is brought up to date."""
        if self.fixed is not None:
            return self.fixed
        met: list[int] = []
        for item, banks, row in self.parts:
            for at in item.classes:
                rows, same = used[at], 0
                for bank in banks:
                    if rows[bank] == row:
                        same |= 1 << bank
                    else:
                        rows[bank] = row
                met.append(same)
        key = tuple(met)
        if (made := self.made.get(key)) is None:
            made = self.made[key] = self._items(met)
        return made

    def _items(self, met: Sequence[int]) -> list[Item]:
        found: list[Item] = []
        begin = 0
        for op, (item, _, _) in zip(self.ops, self.parts, strict=True):
            end = begin + len(item.classes)
            items = self.builder.instructions(op, item._replace(met=tuple(met[begin:end])))
            found = joined(found, items) if found else items
            begin = end
        return found

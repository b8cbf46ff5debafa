"""The mapping of element-wise ops to the columns of bank rows, and the bank program of a mapping.

A tensor's elements are distributed evenly over channels, banks and lanes. In a row, every operand and every result of
the work has its own range of columns, all of the same width. A loop runs over the rows.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Block, Region, SSAValue

from dialects.element_types import element_type_named
from dialects.pim import (
    HOST,
    ActOp,
    BinaryLaneOp,
    KernelOp,
    LaneOp,
    Linear,
    PreOp,
    ReadOp,
    Subscript,
    UnaryLaneOp,
    WriteOp,
)
from interp.machine.records import Pim
from lowering.banks.cursor import Cursor
from lowering.banks.products.traversal import closes_rows, widest


@dataclass(frozen=True)
class LaneStep:
    """One operation on whole tensors: the bank command, and the operands, given as numbers of values of a
    `LaneWork`."""

    command: type[LaneOp]
    operands: tuple[int, ...]


@dataclass(frozen=True)
class LaneWork:
    """Element-wise work: operands of `count` elements each, steps that each compute a value from earlier values, and
    the numbers of the values that are results of the work.

    Values are numbered: first the operands, then the result of each step. `stored`: for each operand, True if it is a
    weight that is stored in rows.
    """

    element: str
    count: int
    stored: tuple[bool, ...]
    steps: tuple[LaneStep, ...]
    results: tuple[int, ...]

    @property
    def verbs(self) -> list[str]:
        """The verbs that a device must have for this work, except for closing rows."""
        commands = dict.fromkeys(step.command for step in self.steps)
        ways = [ActOp, *([] if all(self.stored) else [WriteOp]), *commands, ReadOp]
        return [command.COMMAND.verb for command in ways]


@dataclass(frozen=True)
class LaneMapping:
    """The positions of elements in banks: element `(((channel * rows + row) * banks + bank) * width + column) * lanes +
    lane` of every value is in that channel, row, bank and lane; the columns of value `v` start at column `places[v]
    * width`."""

    work: LaneWork
    channels: int
    rows: int
    width: int
    places: tuple[int, ...]

    def __str__(self) -> str:
        """A short description that distinguishes mappings of the same work."""
        kept = f"{sum(self.work.stored)} operands kept in rows" if any(self.work.stored) else "all operands written"
        return f"{kept}, on {self.channels} channels ({self.rows} rows, {self.width} columns a value)"

    def shape(self, pim: Pim) -> tuple[int, ...]:
        """Shape of a tensor in the program's host layout: [channels, rows, banks, elements in a row of one bank]."""
        return self.channels, self.rows, pim.banks_per_channel, self.width * pim.lanes


def lane_mapping(work: LaneWork, pim: Pim) -> LaneMapping | str:
    """The mapping of element-wise work with the fewest rows, on all channels that have elements to compute; or the
    reason why no mapping is possible."""
    needed = [*work.verbs, PreOp.COMMAND.verb] if closes_rows(pim) else work.verbs
    if missing := [verb for verb in needed if not pim.scopes_written(verb)]:
        return f"{pim.name} lacks the verbs {', '.join(missing)}"
    places, held = _places(work)
    widest_run = pim.columns // held
    if widest_run == 0:
        return f"a row must hold {held} values, but a row of {pim.name} has only {pim.columns} columns"
    cells = pim.banks_per_channel * pim.lanes
    runs = -(-work.count // (cells * pim.channels))
    rows = -(-runs // widest_run)
    width = -(-runs // rows)
    channels = -(-work.count // (cells * width * rows))
    if any(work.stored) and rows > pim.rows:
        return f"the weights need {rows} rows of each bank, but banks of {pim.name} have {pim.rows}"
    return LaneMapping(work, channels, rows, width, places)


def _places(work: LaneWork) -> tuple[tuple[int, ...], int]:
    """The slot (range of columns) of each value in a row, and the number of slots: weights have the first slots, then
    the operands that the program writes follow. A step's result reuses the slot of an operand that no later step
    reads, if there is such an operand."""
    first = len(work.stored)
    last = dict.fromkeys(work.results, len(work.steps))
    for number, step in enumerate(work.steps):
        for value in step.operands:
            last[value] = max(last.get(value, 0), number)
    order = sorted(range(first), key=lambda value: not work.stored[value])
    places = {value: place for place, value in enumerate(order)}
    free: list[int] = []
    held = first
    for number, step in enumerate(work.steps):
        done = [v for v in dict.fromkeys(step.operands) if last[v] == number and not (v < first and work.stored[v])]
        free += [places[value] for value in reversed(done)]  # reuse the first operand's slot first
        if not free:
            free.append(held)
            held += 1
        places[first + number] = free.pop()
    return tuple(places[value] for value in range(first + len(work.steps))), held


def lane_kernel(mapping: LaneMapping, pim: Pim, name: str = "lanes", device: str = "pim") -> KernelOp:
    """The bank program of a mapping. Its inputs are the written operands, then one tensor of all weights concatenated
    along columns (if there are any): [channels, rows, banks, columns, lanes]. Its outputs are the results."""
    work, element = mapping.work, element_type_named(mapping.work.element)
    weights, shape = sum(work.stored), mapping.shape(pim)
    types: list[Attribute] = [MemRefType(element, shape)] * (len(work.stored) - weights)
    rows = [HOST] * len(types)
    hints = [f"x{number}" for number in range(len(types))] if len(types) > 1 else ["x"] * len(types)
    if weights:
        types.append(MemRefType(element, (*shape[:3], weights * mapping.width, pim.lanes)))
        rows.append(0)
        hints.append("w")
    inputs = len(types)
    types += [MemRefType(element, shape)] * len(work.results)
    hints += [f"y{number}" for number in range(len(work.results))] if len(work.results) > 1 else ["y"]
    block = Block(arg_types=types)
    for argument, hint in zip(block.args, hints, strict=True):
        argument.name_hint = hint
    written = [value for value, stored in enumerate(work.stored) if not stored]
    sources = list(zip(block.args, written, strict=False))
    targets = list(zip(block.args[inputs:], work.results, strict=True))
    _Writer(mapping, pim, block).program(sources, targets)
    return KernelOp(name, device, Region(block), rows)


@dataclass
class _Writer(Cursor):
    mapping: LaneMapping
    pim: Pim
    block: Block
    """The insertion point of the next op."""

    def program(self, sources: Sequence[tuple[SSAValue, int]], targets: Sequence[tuple[SSAValue, int]]) -> None:
        """Write one region for all channels. Without weights, all iterations reuse one row, which stays open, unless
        refreshes close rows that the program must open."""
        mapping = self.mapping
        weights = any(mapping.work.stored)
        once = not weights and (self.pim.refresh is None or self.pim.rows_by == "controller")
        with (
            self.channels_alike(mapping.channels) as channel,
            self.row(Linear(), once),
            self.loop("r", mapping.rows) as row,
            self.row(row if weights else Linear(), not once),
        ):
            self.move(sources, WriteOp, channel, row)
            for number, step in enumerate(mapping.work.steps):
                self.compute(step, len(mapping.work.stored) + number)
            self.move(targets, ReadOp, channel, row)

    @contextmanager
    def row(self, number: Linear, opens: bool) -> Generator[None]:
        """If `opens`, open a row before the ops that are added inside the context, and close it after them."""
        for scope, unit, _ in self.everywhere(ActOp) if opens else ():
            self.add(ActOp(number, scope, unit))
        yield
        for scope, unit, _ in self.everywhere(PreOp) if opens and closes_rows(self.pim) else ():
            self.add(PreOp(scope, unit))

    def move(
        self,
        memrefs: Sequence[tuple[SSAValue, int]],
        command: type[WriteOp | ReadOp],
        channel: Linear,
        row: Linear,
    ) -> None:
        """Transfer columns of the open row between the host and all banks."""
        if not memrefs:
            return
        scope = widest(self.pim, command.COMMAND.verb)
        units = self.pim.units(scope)
        size = self.pim.banks_per_channel // units
        with self.loop(scope, units) as unit:
            banks = Subscript(unit * size, size if size > 1 else 0)
            for memref, value in memrefs:
                parts = [Subscript(channel), Subscript(row), banks]
                self.add(command(memref, parts, self.columns(value), scope, unit))

    def compute(self, step: LaneStep, result: int) -> None:
        width = self.mapping.width
        first, *others = step.operands
        into = self.mapping.places[result] * width

        for scope, unit, _ in self.everywhere(step.command):
            if issubclass(step.command, BinaryLaneOp):
                second = self.mapping.places[others[0]] * width
                self.add(step.command(self.columns(first), second, into, scope, unit))
            else:
                assert issubclass(step.command, UnaryLaneOp)
                self.add(step.command(self.columns(first), into, scope, unit))

    def columns(self, value: int) -> Subscript:
        """The columns of a value in a row."""
        return Subscript(Linear(self.mapping.places[value] * self.mapping.width), self.mapping.width)

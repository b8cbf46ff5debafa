"""Builds a `pim.kernel` from a list of commands: finds loops in the list, and puts commands of the same channels into
one `pim.channels` region."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np
from xdsl.dialects.builtin import MemRefType, UnitAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from dialects.element_types import element_type_named
from dialects.locations import at_line
from dialects.pim import HOST, ChannelsOp, ForOp, KernelOp, Linear
from dialects.pim.loops import JOINED
from dialects.programs.index import INDEX
from interp.machine.records import Pim, Scope
from interp.ranges import joined
from ndpir.traces.rolling import Ints, Leaf, RolledLoop, Tree, roll


@dataclass(frozen=True, slots=True)
class CommandKind:
    """A command without its numbers.

    `word`: selects the op to build. `channels`: the addressed channels, in ascending order; empty: the whole device.
    `columns`: the number of columns that the command works on. `text`: words of its trace line that the op keeps as an
    attribute. `odd`: True if the op keeps the address of its trace line.
    """

    word: str
    channels: tuple[int, ...] = ()
    columns: int = 1
    scope: Scope = "all"
    text: str = ""
    odd: bool = False


@dataclass
class FlatCommands:
    """A list of commands without loops: the distinct kinds, and for each command the index of its kind, its numbers
    (equally many for all commands), and the number of its line."""

    kinds: dict[CommandKind, int] = field(default_factory=dict[CommandKind, int])
    codes: list[int] = field(default_factory=list[int])
    numbers: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])
    lines: list[int] = field(default_factory=list[int])

    def code(self, kind: CommandKind) -> int:
        return self.kinds.setdefault(kind, len(self.kinds))

    def add(self, code: int, numbers: tuple[int, ...], line: int) -> None:
        self.codes.append(code)
        self.numbers.append(numbers)
        self.lines.append(line)

    def rolled(self) -> RolledProgram:
        """The program with reconstructed loops."""
        return RolledProgram(list(self.kinds), roll(np.array(self.codes), np.array(self.numbers)), np.array(self.lines))


@dataclass(frozen=True)
class RolledProgram:
    """Commands in loops; the command of `leaf` was read from line `lines[leaf.first]` in its first iteration."""

    kinds: Sequence[CommandKind]
    trees: Sequence[Tree]
    lines: Ints


class Argument(NamedTuple):
    """A memref of a kernel: its name, shape and element type; its first row in the banks, or HOST if it is in host
    memory; and True if it is an output."""

    name: str
    shape: tuple[int, ...]
    element: Attribute
    row: int = HOST
    output: bool = False


Maker: TypeAlias = Callable[[CommandKind, Sequence[Linear], Linear, Sequence[SSAValue]], Operation]
"""A function that builds the op of a command kind. Arguments: the kind's numbers as expressions of the enclosing loops,
the index of the channel among the addressed channels in ascending order, and the variables of these loops, the
outermost first."""


def kernel_of(
    program: RolledProgram,
    arguments: Sequence[Argument],
    maker: Callable[[dict[str, SSAValue]], Maker],
    file: str,
    name: str,
    device: str,
) -> KernelOp:
    """The kernel of a program; `maker` receives the arguments by name."""
    block = Block(arg_types=[MemRefType(argument.element, argument.shape) for argument in arguments])
    for value, argument in zip(block.args, arguments, strict=True):
        value.name_hint = argument.name
    values: dict[str, SSAValue] = {a.name: v for a, v in zip(arguments, block.args, strict=True)}
    builder = _Builder(program, maker(values), file)
    builder.fill(block, program.trees, [])
    kernel = KernelOp(name, device, Region(block), [argument.row for argument in arguments if not argument.output])
    kernel.attributes["trace"] = UnitAttr()
    kernel.location = at_line(file, 1, 1)
    return kernel


class _Builder:
    def __init__(self, program: RolledProgram, make: Maker, file: str) -> None:
        self.program, self.make, self.file = program, make, file

    def channels(self, tree: Tree) -> tuple[int, ...] | None:
        """The channels that all commands of a tree address; None if the commands address different channels, or if the
        channels can't be written as one `pim.channels` region."""
        if isinstance(tree, Leaf):
            channels = self.program.kinds[tree.kind].channels
            return channels if channels and len(_regions(channels)) == 1 else None
        found = {self.channels(inner) for inner in tree.body}
        return found.pop() if len(found) == 1 else None

    def fill(self, block: Block, trees: Iterable[Tree], variables: list[SSAValue]) -> None:
        """Fill a block with commands outside of `pim.channels`, and with `pim.channels` regions."""
        for channels, group in groupby(trees, self.channels):
            if channels is not None:
                (spread,) = _regions(channels)
                block.add_op(self.region(spread, list(group), variables))
                continue
            for tree in group:
                if isinstance(tree, RolledLoop):
                    block.add_op(self.loop(tree, variables, None))
                elif to := self.program.kinds[tree.kind].channels:
                    for at, spread in enumerate(_regions(to)):
                        block.add_op(op := self.region(spread, [tree], variables))
                        op.attributes |= {JOINED: UnitAttr()} if at else {}
                else:
                    block.add_op(self.command(tree, variables, Linear()))

    def region(self, spread: _Spread, trees: Sequence[Tree], variables: list[SSAValue]) -> Operation:
        inner = Block(arg_types=[INDEX] * len(spread.steps))
        for value, hint in zip(inner.args, "cdefgh", strict=False):
            value.name_hint = hint
        simple = len(spread.steps) == 1 and spread.steps[0][0] == 1
        if simple:
            ranges = [range(spread.first, spread.first + spread.steps[0][1])]
            number, place = None, Linear.of(inner.args[0]) - spread.first + spread.before
        else:
            ranges = [range(count) for _, count in spread.steps]
            number, place, size = Linear(spread.first), Linear(spread.before), 1
            for value, (step, count) in reversed(list(zip(inner.args, spread.steps, strict=True))):
                number, place = number + Linear.of(value) * step, place + Linear.of(value) * size
                size *= count
        for tree in trees:
            inner.add_op(self.tree(tree, variables, place))
        op = ChannelsOp(ranges, number, Region(inner))
        op.location = next(iter(inner.ops)).location
        return op

    def tree(self, tree: Tree, variables: list[SSAValue], place: Linear) -> Operation:
        return self.command(tree, variables, place) if isinstance(tree, Leaf) else self.loop(tree, variables, place)

    def loop(self, tree: RolledLoop, variables: list[SSAValue], place: Linear | None) -> Operation:
        """A loop inside of `pim.channels`, or, if `place` is None, a loop around `pim.channels` regions."""
        inner = Block(arg_types=[INDEX])
        inner.args[0].name_hint = "ijklmn"[min(len(variables), 5)]
        below = [*variables, inner.args[0]]
        if place is None:
            self.fill(inner, tree.body, below)
        else:
            for each in tree.body:
                inner.add_op(self.tree(each, below, place))
        op = ForOp(range(tree.times), Region(inner))
        op.location = next(iter(inner.ops)).location
        return op

    def command(self, leaf: Leaf, variables: list[SSAValue], place: Linear) -> Operation:
        numbers = [
            Linear.over(variables, (first, *(step[at] for step in leaf.steps))) for at, first in enumerate(leaf.numbers)
        ]
        op = self.make(self.program.kinds[leaf.kind], numbers, place, variables)
        op.location = at_line(self.file, int(self.program.lines[leaf.first]), 1)
        return op


class _Spread(NamedTuple):
    """Channels as nested ranges: `first` + i * step + j * step' + … for all i, j, … below their counts. `steps`: the
    (step, count) of each range, the outermost range first. `before`: the number of channels of the same instruction in
    earlier `pim.channels` regions."""

    first: int
    steps: tuple[tuple[int, int], ...]
    before: int = 0


@cache
def _regions(channels: tuple[int, ...]) -> tuple[_Spread, ...]:
    """Channels, in ascending order, as a small number of nested ranges (greedy)."""
    found: list[_Spread] = []
    rest = list(channels)
    while rest:
        best = _Spread(rest[0], ((1, 1),))
        for size in range(1, len(rest) + 1):
            if (steps := _nest(rest[:size])) is not None:
                best = _Spread(rest[0], steps, len(channels) - len(rest))
        size = prod(count for _, count in best.steps)
        found.append(best._replace(before=len(channels) - len(rest)))
        rest = rest[size:]
    return tuple(found)


def _nest(channels: Sequence[int]) -> tuple[tuple[int, int], ...] | None:
    """Ascending numbers as a nest of ranges, the outermost first: (step, count) each."""
    if len(channels) == 1:
        return ((1, 1),)
    step = channels[1] - channels[0]
    count = next((at for at in range(len(channels)) if channels[at] != channels[0] + at * step), len(channels))
    if count == len(channels):
        return ((step, count),)
    if len(channels) % count:
        return None
    heads = channels[::count]
    inner = [channels[0] + at * step for at in range(count)]
    for low, head in enumerate(heads):
        if [number - head + channels[0] for number in channels[low * count : (low + 1) * count]] != inner:
            return None
    outer = _nest(heads)
    return None if outer is None else (*outer, (step, count))


MOST = 8
"""The largest number of weight operands; further rows have no operand, which only matters for numeric execution."""


def weight_rows(rows: Iterable[int], channels: int, pim: Pim) -> list[Argument]:
    """An operand of the kernel for each interval of consecutive rows; it has the shape [channels, rows, banks, columns,
    lanes] and starts at the interval's first row."""
    stretches = joined((row, row + 1) for row in rows)
    shape = pim.banks_per_channel, pim.columns, pim.lanes
    return [
        Argument(f"w{at}" if at else "w", (channels, end - first, *shape), element_type_named(pim.element), first)
        for at, (first, end) in enumerate(stretches[:MOST])
    ]

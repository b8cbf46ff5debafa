"""Traces as flat programs: arrays of the kinds of commands and of their numbers, from which a trace is timed without a
kernel.

Each format's reader has a function `flat` beside `read`. It reads traces as programs write them, and returns None for
all others, traces with errors among them: these are left to `read`, so that errors are found and worded in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Operation, SSAValue

from dialects.pim import CommandOp, Linear
from interp.kinds.pim.timing.flat import FlatProgram
from ndpir.traces.building import Argument, CommandKind, Maker, RolledProgram, kernel_of
from ndpir.traces.rolling import Ints, Leaf, RolledLoop, Tree

MOST_KINDS = 4096
"""The largest number of kinds of commands in a flat program."""


@dataclass(frozen=True)
class FlatTrace:
    """The commands of a trace in order. `kinds`: the distinct kinds, in order of their first command; for each command
    `codes`, the index of its kind, `numbers` ([n, k]), its numbers, with 0 for those without an effect on time, and
    `rows`, the row that it uses (-1: none). Commands that only name rows are left out where controllers open rows."""

    kinds: Sequence[CommandKind]
    codes: Ints
    numbers: Ints
    rows: Ints
    arguments: Sequence[Argument]
    maker: Callable[[dict[str, SSAValue]], Maker]

    def program(self) -> FlatProgram:
        """The trace as a program for the clock."""
        made: dict[int, list[CommandOp]] = {}

        def maker(values: dict[str, SSAValue]) -> Maker:
            make = self.maker(values)
            index = {kind: at for at, kind in enumerate(self.kinds)}

            def recorded(
                kind: CommandKind, numbers: Sequence[Linear], place: Linear, loops: Sequence[SSAValue]
            ) -> Operation:
                op = make(kind, numbers, place, loops)
                assert isinstance(op, CommandOp)
                made.setdefault(index[kind], []).append(op)
                return op

            return recorded

        largest = np.zeros((len(self.kinds), self.numbers.shape[1]), np.int64)
        np.maximum.at(largest, self.codes, self.numbers)
        trees = [_nest(at, sizes) for at, sizes in enumerate((largest + 1).tolist())]
        rolled = RolledProgram(self.kinds, trees, np.ones(1, np.int64))
        kernel = kernel_of(rolled, self.arguments, maker, "trace", "trace", "pim")
        return FlatProgram(kernel, [made[at] for at in range(len(self.kinds))], self.codes, self.numbers, self.rows)


def _nest(kind: int, sizes: Sequence[int]) -> Tree:
    """A command whose numbers are the variables of loops around it, with `sizes` iterations each."""
    count = len(sizes)
    steps = tuple(tuple(int(at == place) for at in range(count)) for place in range(count))
    tree: Tree = Leaf(kind, 0, (0,) * count, steps)
    for size in reversed(sizes):
        tree = RolledLoop(size, (tree,))
    return tree


def numbered(columns: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Equal rows of `columns` as one number each, in order of their first appearance: the index of the first of each,
    and for each row its number."""
    key = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        if (column == column[0]).all():
            continue
        _, part = np.unique(column, return_inverse=True)
        _, key = np.unique(key * (int(part.max()) + 1) + part, return_inverse=True)
    _, first, key = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[key]


def distinct(kinds: Sequence[CommandKind], codes: Ints) -> tuple[list[CommandKind], Ints]:
    """Kinds, some of which may be equal, without repetition, and for each command the index of its kind among them."""
    index: dict[CommandKind, int] = {}
    places = [index.setdefault(kind, len(index)) for kind in kinds]
    return list(index), np.array(places, np.int64)[codes]

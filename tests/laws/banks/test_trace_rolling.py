"""Loops that are reconstructed from a list of commands unroll to the same list. If the list was unrolled from loops,
the reconstruction finds about as few loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ndpir.traces.rolling import Leaf, Tree, roll

Command = tuple[int, int, int]


@dataclass(frozen=True)
class Step:
    """A command (a kind and two numbers), and for each enclosing loop, the outermost first, the amounts by which one
    iteration increases the two numbers."""

    command: Command
    added: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Repeat:
    times: int
    body: tuple[Step | Repeat, ...]


number = st.integers(-3, 9)
steps = st.builds(
    Step,
    st.tuples(st.integers(0, 3), st.integers(0, 50), number),
    st.lists(st.tuples(number, number), min_size=4, max_size=4).map(tuple),
)
programs = st.lists(
    st.recursive(
        steps,
        lambda inner: st.builds(Repeat, st.integers(2, 6), st.lists(inner, min_size=1, max_size=3).map(tuple)),
        max_leaves=8,
    ),
    min_size=1,
    max_size=5,
).map(tuple)


def flat(program: Sequence[Step | Repeat], rounds: tuple[int, ...] = ()) -> Iterator[Command]:
    for each in program:
        if isinstance(each, Repeat):
            for at in range(each.times):
                yield from flat(each.body, (*rounds, at))
        else:
            kind, one, two = each.command
            for at, (first, second) in zip(rounds, each.added, strict=False):
                one, two = one + at * first, two + at * second
            yield kind, one, two


def unrolled(trees: Sequence[Tree], rounds: tuple[int, ...] = ()) -> Iterator[Command]:
    for tree in trees:
        if isinstance(tree, Leaf):
            one, two = tree.numbers
            for at, (first, second) in zip(rounds, tree.steps, strict=True):
                one, two = one + at * first, two + at * second
            yield tree.kind, one, two
        else:
            for at in range(tree.times):
                yield from unrolled(tree.body, (*rounds, at))


def size(trees: Sequence[Tree]) -> int:
    return sum(1 if isinstance(tree, Leaf) else 1 + size(tree.body) for tree in trees)


def rolled(commands: Sequence[Command]) -> list[Tree]:
    table = np.array(commands).reshape(-1, 3)
    return roll(table[:, 0], table[:, 1:])


@given(programs)
def test_nothing_is_lost(program: tuple[Step | Repeat, ...]) -> None:
    commands = list(flat(program))
    assert list(unrolled(rolled(commands))) == commands


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=40))
def test_nothing_is_lost_without_loops(commands: list[Command]) -> None:
    assert list(unrolled(rolled(commands))) == commands


def test_deep_nests_are_found() -> None:
    inner = Repeat(32, (Step((0, 0, 0), ((1024, 0), (32, 0), (1, 0), (0, 0))),))
    tile = Repeat(16, (Step((1, 0, 0), ((16, 0), (1, 0), (0, 0), (0, 0))), inner, Step((2, 7, 0), ((0, 0),) * 4)))
    trees = rolled(list(flat((Repeat(20, (tile, Step((3, 0, 0), ((1, 1),) * 4))),))))
    assert size(trees) == 7


def test_ragged_ends_stay_outside() -> None:
    body = (Step((0, 0, 0), ((1, 0),)), Step((1, 0, 0), ((2, 0),)))
    commands = [*flat((Repeat(9, body),)), (0, 9, 0)]
    assert size(rolled(commands)) == 4

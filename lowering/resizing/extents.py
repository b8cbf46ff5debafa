"""Extents of axes as variables: which axes of a program have one extent, and how others are computed from them.

The extent of each axis of each value is a variable (`Extent`) with its number in the program as read (`old`). Ops make
variables equal (`unify`), or define one by others (`define`). The request gives some variables another number, and
`new` computes the others, or raises `Refused` where two requirements contradict each other.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from math import prod
from typing import NoReturn

from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from dialects.graph import WeightOp


class Refused(Exception):
    """Raised if a program can't have the requested extents. `op`: the op at which this was found, or None."""

    def __init__(self, message: str, op: Operation | None = None) -> None:
        super().__init__(message)
        self.op = op


@contextmanager
def blamed_on(op: Operation) -> Generator[None]:
    """A context in which errors of an op's verification, and errors without an op, are raised as Refused at `op`."""
    try:
        yield
    except Refused as error:
        raise Refused(str(error), error.op or op) from None
    except VerifyException as error:
        raise Refused(str(error), op) from None


@dataclass(frozen=True)
class Change:
    """Another extent for an axis of an argument of `@main`. `is_batch`: the axis counts independent samples."""

    argument: int
    axis: int
    extent: int
    name: str
    is_batch: bool = False


@dataclass(frozen=True)
class Definition:
    """An extent as a function of other extents, as an op computes it."""

    parts: tuple[Extent, ...]
    value: Callable[[Sequence[int]], int]
    op: Operation
    is_product: bool = False
    order: int = field(default_factory=count().__next__)
    """The number of definitions made before this one."""


@dataclass(eq=False)
class Extent:
    """A variable for the extents of axes that are equal. Variables that were made equal form a tree of links; its
    root has the facts."""

    old: int
    link: Extent | None = None
    requested: int | None = None
    is_batch: bool = False
    """True for the axis of independent samples, along which no op may combine elements."""
    fixed: list[str] = field(default_factory=list[str])
    """Reasons for which the extent can't change, as phrases."""
    weights: list[tuple[WeightOp, int]] = field(default_factory=list[tuple[WeightOp, int]])
    """Weights that have this extent, each with the axis."""
    definitions: list[Definition] = field(default_factory=list[Definition])
    inputs: list[str] = field(default_factory=list[str])
    """Arguments that have this extent, as phrases."""
    ops: list[Operation] = field(default_factory=list[Operation])
    """Ops that made variables equal to this one."""
    is_known: bool = False
    """True if an op's result that is fixed or requested has this extent as a part."""
    found: int | None = None

    @property
    def root(self) -> Extent:
        """The variable that has the facts of all variables equal to this one."""
        here = self
        while here.link is not None:
            here = here.link
        return here

    def __repr__(self) -> str:
        return f"Extent({self.old})"


ONE = Extent(1, fixed=["an extent of 1"])
"""The extent of axes that have one element in a program of any size."""


def fixed(extent: int, reason: str) -> Extent:
    """A variable whose extent can't change."""
    return ONE if extent == 1 else Extent(extent, fixed=[reason])


def unify(a: Extent, b: Extent, op: Operation | None) -> Extent:
    """Make two variables equal, as `op` requires; returns the root. Raises Refused if different extents were requested
    for them."""
    a, b = a.root, b.root
    if a is b:
        return a
    if ONE in (a, b):
        other = b if a is ONE else a
        other.fixed.append("like an operand of one element")
        return other
    if a.requested is not None and b.requested is not None and a.requested != b.requested:
        raise Refused(
            f"{_some(a.inputs)} would have the extent {a.requested} and {_some(b.inputs)} the extent {b.requested}, "
            "but both must be equal",
            op,
        )
    old, other = _product(a), _product(b)
    b.link = a
    if a.requested is None:
        a.requested = b.requested
    a.is_batch |= b.is_batch
    for mine, theirs in (
        (a.fixed, b.fixed),
        (a.weights, b.weights),
        (a.definitions, b.definitions),
        (a.inputs, b.inputs),
        (a.ops, b.ops),
    ):
        mine.extend(theirs)  # pyright: ignore[reportArgumentType]
    if op is not None:
        a.ops.append(op)
    if old and other and [part.root.old for part in old] == [part.root.old for part in other]:
        for one, two in zip(old, other, strict=True):
            if one.root is not two.root and ONE not in (one.root, two.root):
                unify(one, two, op)
    return a.root


def factors(extent: Extent) -> list[Extent]:
    """The variables whose product an extent is, outermost first; the extent itself if it is not known as a product."""
    parts = _product(extent.root)
    return [each for part in parts for each in factors(part)] if parts else [extent.root]


def _product(extent: Extent) -> tuple[Extent, ...]:
    return next((each.parts for each in extent.definitions if each.is_product), ())


def product(parts: Sequence[Extent], op: Operation) -> Extent:
    """The variable for an axis that merges the axes of some variables, outermost first."""
    if not parts:
        return ONE
    if len(parts) == 1:
        return parts[0]
    return define(prod(part.old for part in parts), parts, prod, op, is_product=True)


def define(
    old: int,
    parts: Sequence[Extent],
    value: Callable[[Sequence[int]], int],
    op: Operation,
    *,
    is_product: bool = False,
) -> Extent:
    """A variable that is a function of others."""
    return Extent(old, definitions=[Definition(tuple(parts), value, op, is_product)])


def has_batch(extent: Extent) -> bool:
    """True if the batch is an extent, or one of the axes that it merges."""
    return any(part.root.is_batch for part in factors(extent))


def solve(roots: Sequence[Extent]) -> None:
    """Compute the extents of all variables in the resized program, for `new`. `roots`: the roots of all variables and
    of those that define them. Raises Refused if requirements contradict each other."""
    defined = sorted(((each, root) for root in roots for each in root.definitions), key=lambda pair: pair[0].order)
    for root in roots:
        root.found = root.requested or (None if root.definitions else root.old)
    waiting = [pair for pair in defined if pair[1].found is None]
    while waiting:
        for each, root in waiting:
            if root.found is None and all(part.root.found is not None for part in each.parts):
                root.found = each.value([new(part) for part in each.parts])
        left = [pair for pair in waiting if pair[1].found is None]
        if len(left) == len(waiting):  # extents that are defined by each other alone
            left[0][1].found = left[0][1].old
        waiting = [pair for pair in left if pair[1].found is None]
    for each, root in defined:
        if each.value([new(part) for part in each.parts]) != new(root):
            _contradict(root, each)
    for root in roots:
        if root.fixed and is_changed(root):
            op = root.ops[-1] if root.ops else root.definitions[0].op if root.definitions else None
            raise Refused(f"it needs an extent of {root.old}, {root.fixed[0]}, but would get {new(root)}", op)


def new(extent: Extent) -> int:
    """The extent in the resized program, after `solve`."""
    found = extent.root.found
    assert found is not None, "solve() was not called with this variable's root"
    return found


def _contradict(root: Extent, broken: Definition) -> NoReturn:
    value = broken.value([new(part) for part in broken.parts])
    if broken.is_product and root.old == value:
        listed = " x ".join(str(part.old) for part in broken.parts)
        raise Refused(f"it takes an axis of {root.old} as {listed}, but the axis would have {new(root)}", broken.op)
    op = root.ops[-1] if root.ops else broken.op
    raise Refused(f"its operands would have the extents {value} and {new(root)}, which must be equal", op)


def is_changed(extent: Extent) -> bool:
    """True if the extent in the resized program differs from that in the program as read."""
    return new(extent) != extent.root.old


def _some(phrases: Sequence[str]) -> str:
    return phrases[0] if phrases else "an axis"

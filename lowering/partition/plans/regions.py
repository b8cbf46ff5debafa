"""Excerpts of a program as functions of their own: to be planned, placed and timed separately."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from dialects.graph import FusedOp, GraphOp
from interp.kinds.clock import shape_key
from interp.walk.entry import is_view
from lowering.partition.plans.plan import Op


@dataclass(frozen=True)
class Excerpt:
    """A function that computes the same as some ops of a program, from the same operands; `twins` maps the program's
    ops to those of the excerpt. Weights are copied into it.

    `known`: maps values of the program to values of the excerpt; `takes`, `makes`: values of the program that
    correspond to the excerpt's arguments and results.
    """

    function: FuncOp
    twins: Mapping[Op, Op]
    known: Mapping[SSAValue, SSAValue]
    takes: tuple[SSAValue, ...]
    makes: tuple[SSAValue, ...]


def signature(ops: Sequence[Op], early: Collection[Operation]) -> Hashable:
    """The key of an excerpt: its ops' classes, types and properties, their data flow, which operands are weights, and
    which results are used outside. Equal keys imply equal times."""
    numbers: dict[SSAValue, int] = {}
    keys: list[Hashable] = []
    mine = set[Operation](ops)
    for op in ops:
        wires: list[Hashable] = []
        for value in op.operands:
            shown = _shown(value, early)
            weight = isinstance(shown.owner, Operation) and shown.owner in early
            wires.append((weight, value.type, numbers.setdefault(shown, len(numbers))))
        for result in op.results:
            numbers[result] = len(numbers)
        keys.append((shape_key(op), tuple(wires), tuple(is_used_outside(result, mine) for result in op.results)))
    return tuple(keys)


def _shown(value: SSAValue, early: Collection[Operation]) -> SSAValue:
    """The value whose data a view reads, traced through views of views; a value that is no view itself."""
    while isinstance(owner := value.owner, Operation) and is_view(owner) and owner not in early:
        if len(owner.operands) != 1:
            break
        value = owner.operands[0]
    return value


def is_used_outside(value: SSAValue, mine: Collection[Operation]) -> bool:
    """True if an op that is not in `mine` uses a value, or a view of it."""
    shown, met = [value], set[Operation]()
    for each in shown:
        for user in users(each):
            if not is_view(user):
                if user not in mine:
                    return True
            elif user not in met:
                met.add(user)
                shown += user.results
    return False


def users(value: SSAValue) -> list[Operation]:
    """The ops that use a value, except detached ops that were made for timing."""
    return [use.operation for use in value.uses if use.operation.parent is not None]


def excerpt(ops: Sequence[Op], early: Collection[Operation]) -> Excerpt:
    """Copy ops (in program order) and the views between them from a block to a function; `early`: the ops computed
    ahead of time."""
    return _Excerpting(set(ops), early).take(ops)


class _Excerpting:
    def __init__(self, mine: Collection[Operation], early: Collection[Operation]) -> None:
        self.mine = mine
        self.early = early
        self.block = Block()
        self.known: dict[SSAValue, SSAValue] = {}

    def take(self, ops: Sequence[Op]) -> Excerpt:
        twins: dict[Op, Op] = {op: self.copy(op) for op in ops}
        results = [value for op in ops for value in op.results if is_used_outside(value, self.mine)]
        self.block.add_op(ReturnOp(*(self.known[value] for value in results)))
        types = [value.type for value in self.block.args], [self.known[value].type for value in results]
        arguments = set[SSAValue](self.block.args)
        takes = tuple(value for value, own in self.known.items() if own in arguments)
        function = FuncOp("excerpt", types, Region(self.block))
        return Excerpt(function, twins, self.known, takes, tuple(results))

    def copy(self, op: Op) -> Op:
        for operand in op.operands:
            self.fetch(operand)
        twin = op.clone(value_mapper={operand: self.known[operand] for operand in op.operands})
        twin.location = op.location
        self.block.add_op(twin)
        self.known.update(zip(op.results, twin.results, strict=True))
        return twin

    def fetch(self, value: SSAValue) -> None:
        """Make a value available: weights, values computed from them, and views of available values are copied; all
        other values become arguments."""
        waiting = [value]
        while waiting:
            here = waiting[-1]
            owner = here.owner
            if here in self.known:
                waiting.pop()
            elif not isinstance(owner, GraphOp | FusedOp) or not (owner in self.early or is_view(owner)):
                waiting.pop()
                self.known[here] = self.block.insert_arg(here.type, len(self.block.args))
            elif missing := [operand for operand in owner.operands if operand not in self.known]:
                waiting += reversed(missing)
            else:
                waiting.pop()
                self.copy(owner)

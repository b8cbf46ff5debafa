"""Decomposition of a function with loops into straight-line subproblems: the ops before, between and after loops, and
those of each loop body, decomposed in the same way.

Nothing runs concurrently with a loop, so the subproblems are serial in every schedule: each is a separate program for
every policy, with its inputs and results on the primary device. Times, energies and bounds add up, those of a body
multiplied by its trip count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from dialects.graph import RepeatOp
from dialects.graph.shape import ConcatOp
from dialects.locations import located
from interp.walk.entry import ahead_of_time, block_of
from interp.walk.loops import fills_of
from interp.walk.views import CARRIED, COUNTED, ORDER, is_carried, is_counted, is_view


@dataclass(eq=False)
class StraightSubproblem:
    """Ops without loops, as a function whose arguments are the outside values `inputs` that the ops read; `outputs` are
    the values of the whole function that correspond to its results."""

    function: FuncOp
    inputs: Sequence[SSAValue]
    outputs: Sequence[SSAValue]


@dataclass(eq=False)
class StraightLoop:
    """A loop, with the subproblems of its body."""

    op: RepeatOp
    body: list[StraightSubproblem | StraightLoop]


def has_loops(function: FuncOp) -> bool:
    """True if a function contains loops."""
    return any(isinstance(op, RepeatOp) for op in block_of(function).ops)


def once_each(parts: Sequence[StraightSubproblem | StraightLoop], iterations: int = 1) -> Iterator[tuple[FuncOp, int]]:
    """The subproblems of a function, each with its execution count."""
    for part in parts:
        if isinstance(part, StraightSubproblem):
            yield part.function, iterations
        else:
            yield from once_each(part.body, iterations * part.op.iterations)


def subproblems_of(function: FuncOp) -> list[tuple[FuncOp, int]]:
    """The subproblems of a function, each with its execution count; a function with loops is consumed."""
    return list(once_each(cut(block_of(function), function))) if has_loops(function) else [(function, 1)]


def cut(block: Block, function: FuncOp) -> list[StraightSubproblem | StraightLoop]:
    """Decompose a block of a function. The remaining block has loops, ops that are computed ahead of time, and the
    terminator; results of subproblems that these use are replaced by placeholder values without a defining op."""
    early = ahead_of_time(block)
    parts: list[StraightSubproblem | StraightLoop] = []
    taken: list[Operation] = []
    for op in list(block.ops):
        if op.next_op is None or isinstance(op, RepeatOp):
            if isinstance(op, RepeatOp):
                taken += _filled(op, block)
            if taken:
                parts.append(_subproblem(taken, early, function))
                taken = []
        elif op not in early:
            taken.append(op)
        if isinstance(op, RepeatOp):
            parts.append(StraightLoop(op, cut(op.body.block, function)))
    return parts


def _filled(loop: RepeatOp, block: Block) -> list[Operation]:
    """Insert ops before a loop that compute its constant initial values by broadcasting a scalar, on the primary
    device; returns the ops whose results are these values."""
    fills = fills_of(loop)
    for index, fill in fills.items():
        one = fill.operands[0].owner
        assert isinstance(one, Operation)
        block.insert_ops_before([one, fill], loop)
        loop.operands[index] = fill.results[0]
    return list(fills.values())


def _subproblem(ops: Sequence[Operation], early: dict[Operation, None], function: FuncOp) -> StraightSubproblem:
    """Move ops of a block into a function of their own."""
    inside = set(ops)
    body, inputs, known = Block(), list[SSAValue](), dict[SSAValue, SSAValue]()

    def seen(value: SSAValue) -> SSAValue:
        """The counterpart of a value in the subproblem's function; if it has none yet, an argument or a copied op is
        added."""
        owner = value.owner
        if value in known or (isinstance(owner, Operation) and owner in inside):
            return known.get(value, value)
        if isinstance(owner, Operation) and owner in early:
            copy_prepared(owner, body, known)
        else:
            known[value] = body.insert_arg(value.type, len(body.args))
            known[value].name_hint = value.name_hint
            inputs.append(value)
        return known[value]

    outputs = [result for op in ops for result in op.results if any(use.operation not in inside for use in result.uses)]
    for op in ops:
        op.detach()
        for index, value in enumerate(op.operands):
            op.operands[index] = seen(value)
        body.add_op(op)
    ports = Block(arg_types=[value.type for value in outputs])
    for value, port in zip(outputs, ports.args, strict=True):
        port.name_hint = value.name_hint
        value.replace_uses_with_if(port, lambda use: use.operation not in inside)
    last = located(ReturnOp(*outputs), ops[-1])
    body.add_op(last)
    for op in ops:
        if isinstance(op, ConcatOp) and ORDER in op.attributes and not is_view(op):
            del op.attributes[ORDER]  # its parts are moved elsewhere
    types = [argument.type for argument in body.args], [value.type for value in outputs]
    made = located(FuncOp(function.sym_name.data, types, Region(body)), function)
    for role, has_role in ((COUNTED, is_counted), (CARRIED, is_carried)):
        if numbers := [number for number, value in enumerate(inputs) if has_role(value)]:
            made.attributes[role] = DenseArrayBase.from_list(i64, numbers)
    return StraightSubproblem(made, inputs, list(ports.args))


def copy_prepared(last: Operation, body: Block, known: dict[SSAValue, SSAValue]) -> None:
    """Clone an op that is computed ahead of time, with its operands, to the end of a block; iteratively, since the
    chain of operands may be long."""
    waiting = [last]
    while waiting:
        op = waiting[-1]
        needed = [value.owner for value in op.operands if value not in known]
        if needed:
            waiting += [owner for owner in needed if isinstance(owner, Operation)]
        elif waiting.pop().results[0] not in known:
            body.add_op(located(op.clone(known), op))

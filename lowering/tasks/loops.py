"""Placement of programs with loops: each loop-free subproblem is placed by itself, and loop-carried values are on the
primary device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import FunctionType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from dialects.diagnostics import note, notes_to
from dialects.graph import GraphOp
from dialects.locations import located
from dialects.task import OnType, RepeatOp, ResidentOp, YieldOp
from dialects.values import name_on
from interp.simulate.events.jobs import Bound, in_sequence
from interp.walk.entry import block_of
from lowering.graph.merging import MergeEqual
from lowering.graph.rewriting import apply_once, rewriter_at
from lowering.instance.problem import Published
from lowering.instance.straight import StraightLoop, StraightSubproblem, copy_prepared, cut, once_each
from lowering.tasks.prediction import Prediction


class Placed(NamedTuple):
    """Facts of a placed function: the prediction of its makespan, the flops of each device, and a lower bound on the
    makespan of any plan with splits, in ns; 0 if the planner gives none. `moved_ns`: the makespan with planned moves
    between memories, if the function exceeds the primary device's memory."""

    prediction: Prediction
    flops: Mapping[str, int]
    bound_ns: float = 0.0
    moved_ns: float | None = None
    whole: Bound | None = None
    """A lower bound on the time of any plan of devices, repeated runs and moves, if one is known."""

    @property
    def ns(self) -> float:
        """The makespan by which placements are compared, in ns."""
        return self.prediction.ns if self.moved_ns is None else self.moved_ns


def place_subproblems(function: FuncOp, primary: str, place: Callable[[FuncOp], Placed]) -> Placed:
    """Place a function with loops in place: each subproblem by `place`. A note that several subproblems issue in the
    same words is issued once."""
    parts = cut(block_of(function), function)
    messages: dict[tuple[str, str | None], None] = {}
    with notes_to(lambda message, place: messages.setdefault((message, place))):
        found = [(place(subproblem), iterations) for subproblem, iterations in once_each(parts)]
    for message, at in messages:
        note(message, at)
    old, new = block_of(function), Block()
    known: dict[SSAValue, SSAValue] = {}
    for argument in old.args:
        known[argument] = new.insert_arg(OnType.of(primary, argument.type), len(new.args), argument.location)
        known[argument].name_hint = argument.name_hint
    function.body.detach_block(old)
    function.body.add_block(new)
    _JoiningLoops(primary).block(old, parts, new, known)
    old.erase(safe_erase=False)
    last = new.last_op
    assert last is not None
    function.function_type = FunctionType.from_lists(
        [argument.type for argument in new.args], [value.type for value in last.operands]
    )
    rewriter_at(function).notify_op_modified(function)
    flops, bounded = Counter[str](), all(placed.bound_ns for placed, _ in found)
    for placed, iterations in found:
        flops.update({device: number * iterations for device, number in placed.flops.items()})
    bound = sum(placed.bound_ns * iterations for placed, iterations in found) if bounded else 0.0
    return Placed(_serial([(placed.prediction, iterations) for placed, iterations in found]), flops, bound)


def _serial(parts: Sequence[tuple[Prediction, int]]) -> Prediction:
    """The prediction for subproblems that run serially: sums of their predictions, each multiplied by its execution
    count."""
    ns = sum(prediction.ns * iterations for prediction, iterations in parts)
    policy = parts[0][0].policy if parts else ""
    bounds = [
        Bound(each.bound.ns * iterations, each.bound.because) for each, iterations in parts if each.bound is not None
    ]
    counted = [
        [figure * iterations for figure in each.published] for each, iterations in parts if each.published is not None
    ]
    published = Published(*map(sum, zip(*counted, strict=True))) if counted and len(counted) == len(parts) else None
    if len(bounds) < len(parts) or not parts:
        return Prediction(policy, ns, None, published)
    bound = in_sequence(bounds)
    return Prediction(policy, ns, bound.below(ns, "any placement"), published)


class _JoiningLoops:
    """Reassembles placed subproblems and loops into one function."""

    def __init__(self, primary: str) -> None:
        self.primary = primary

    def block(
        self,
        old: Block,
        parts: Sequence[StraightSubproblem | StraightLoop],
        new: Block,
        known: dict[SSAValue, SSAValue],
    ) -> None:
        """Append placed ops to a block. `known`: maps values of the old block to values of the new one."""
        for part in parts:
            if isinstance(part, StraightSubproblem):
                self.subproblem(part, new, known)
            else:
                self.loop(part, new, known)
        last = old.last_op
        assert last is not None
        values = [self.placed(value, new, known) for value in last.operands]
        new.add_op(located(ReturnOp(*values) if isinstance(last, ReturnOp) else YieldOp(*values), last))
        _merge(new)

    def subproblem(self, part: StraightSubproblem, new: Block, known: dict[SSAValue, SSAValue]) -> None:
        block = block_of(part.function)
        for argument, value in zip(block.args, part.inputs, strict=True):
            argument.replace_all_uses_with(self.placed(value, new, known))
        *ops, last = block.ops
        for op in ops:
            op.detach()
            new.add_op(op)
        known |= zip(part.outputs, last.operands, strict=True)
        part.function.erase(safe_erase=False)

    def loop(self, part: StraightLoop, new: Block, known: dict[SSAValue, SSAValue]) -> None:
        loop = part.op
        inputs = [self.placed(value, new, known) for value in loop.inputs]
        old = loop.body.block
        body = Block(arg_types=[OnType.of(self.primary, argument.type) for argument in old.args])
        for argument, before in zip(body.args, old.args, strict=True):
            argument.name_hint = before.name_hint
        self.block(old, part.body, body, dict(zip(old.args, body.args, strict=True)))
        made = located(RepeatOp(self.primary, loop.counted, inputs, Region(body)), loop)
        made.attributes |= loop.attributes
        new.add_op(made)
        for before, result in zip(loop.results, made.results, strict=True):
            result.name_hint = before.name_hint
        known |= zip(loop.results, made.results, strict=True)

    def placed(self, value: SSAValue, new: Block, known: dict[SSAValue, SSAValue]) -> SSAValue:
        """The value on the primary device that replaces a value of the old function; a value computed ahead of time is
        made resident on that device."""
        if value not in known:
            owner = value.owner
            assert isinstance(owner, Operation)
            made = dict[SSAValue, SSAValue]()
            copy_prepared(owner, new, made)
            resident = located(ResidentOp(made[value], self.primary), owner)
            resident.placed.name_hint = name_on(value.name_hint, self.primary)
            new.add_op(resident)
            known[value] = resident.placed
        return known[value]


def _merge(block: Block) -> None:
    """Remove duplicates of ops whose values several subproblems compute ahead of time."""
    apply_once([op for op in block.ops if isinstance(op, GraphOp)], MergeEqual())
    first: dict[Hashable, ResidentOp] = {}
    for op in list(block.ops):
        if isinstance(op, ResidentOp) and first.setdefault((op.value, op.placed.type), op) is not op:
            op.placed.replace_all_uses_with(first[op.value, op.placed.type].placed)
            op.detach()
            op.erase()

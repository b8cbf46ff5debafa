"""The phases of a fused group on near-data units: stretches of one stream over elements, between which all units wait
for each other, since what one of them reduces the others need."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.element_types import byte_count, element_count
from dialects.graph import ConstantOp, ElementwiseOp, FusedOp, GraphOp, ReduceOp, tensor_of
from dialects.graph.primitives import in_primitives
from dialects.graph.roles import FusionRole
from dialects.ndp.plan import OUTPUTS, SPLIT, TOGETHER, OutputsAttr
from dialects.task import RunOp


@dataclass
class Phase:
    """A stream over elements: what it loads and stores, and how many ops it does on each element."""

    elements: int = 0
    loads: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])
    stores: Sequence[SSAValue] = ()
    ops: int = 0
    flops: int = 0

    @property
    def nbytes(self) -> int:
        """Bytes from and to memory."""
        return sum(byte_count(tensor_of(value)) for value in (*self.loads, *self.stores))

    def over(self, *values: SSAValue) -> None:
        """Stream over the elements of these at least."""
        self.elements = max([self.elements, *(element_count(tensor_of(value)) for value in values)])


def why_not_streamed(op: Operation) -> str | None:
    """The reason why near-data units can't run an op, in words that begin with its name; None if they can."""
    for inner in op.ops if isinstance(op, FusedOp) else (op,):
        if not isinstance(inner, GraphOp):
            return f"{inner.name}: near-data units stream graph ops"
        if inner.FUSION in (FusionRole.CONTRACTION, FusionRole.WINDOWED):
            return f"{inner.name}: it reads elements again and again, and near-data units stream them once"
        if inner.FUSION is FusionRole.OPAQUE and not isinstance(inner, ConstantOp):
            return f"{inner.name}: near-data units stream element-wise ops, reductions, softmax and norms"
    return None


def told_outputs(op: Operation) -> OutputsAttr | None:
    """The way in which the task around an op stores results, where it notes one (`ndp.outputs`). Raises InputError, at
    the task, for a note of another kind."""
    run = op.parent_op()
    if not isinstance(run, RunOp) or (told := run.attributes.get(OUTPUTS)) is None:
        return None
    if not isinstance(told, OutputsAttr):
        raise InputError(f"task.run @{run.place}: {OUTPUTS} is {SPLIT} or {TOGETHER}, not {told}", run)
    return told


def moves(op: Operation) -> bool:
    """True if an op in a body is addresses alone: where an element lies, or a number that stands in the program."""
    return isinstance(op, GraphOp) and (
        isinstance(op, ConstantOp) or op.FUSION in (FusionRole.MOVEMENT, FusionRole.VIEW)
    )


def ops_each(op: Operation) -> int:
    """The operations that an op does on each element: none where it only moves them."""
    return 0 if moves(op) else op.FLOPS_EACH if isinstance(op, ElementwiseOp) else 1


def levels(group: FusedOp) -> dict[SSAValue, int]:
    """The phase in which each value of a body of primitives is at hand at the earliest: a reduction's result in the one
    after its operand's."""
    found: dict[SSAValue, int] = dict.fromkeys(group.body.block.args, 0)
    for op in group.ops:
        level = max((found[operand] for operand in op.operands), default=0)
        found |= dict.fromkeys(op.results, level + isinstance(op, ReduceOp))
    return found


def sources(value: SSAValue) -> Iterator[SSAValue]:
    """The values that lie in memory, or were computed, of which a value is made by moving elements alone."""
    met, waiting = set[SSAValue](), [value]
    while waiting:
        owner = (each := waiting.pop()).owner
        if each in met:
            continue
        met.add(each)
        if isinstance(owner, Operation) and moves(owner):
            waiting += owner.operands
        else:
            yield each


class Phased:
    """An op or group that near-data units can run, phase by phase: nothing is loaded, stored or computed twice in a
    phase. A value that a later phase needs is stored and loaded again, but for the result of a reduction in the phase
    that puts it together."""

    def __init__(self, op: GraphOp | FusedOp) -> None:
        group = in_primitives(op)
        self.level = levels(group)
        self.same = _numbered(op, group)
        self.inputs = {self.same[argument] for argument in group.body.block.args}
        needed, late = self._needed(group)
        count = max(self.level.values(), default=0) + 1
        self.stores: list[list[SSAValue]] = [[] for _ in range(count)]
        """The stores of each phase, in the order of its program."""
        self.reduces: list[list[ReduceOp]] = [[] for _ in range(count)]
        """The partial reductions that each phase leaves in the units."""
        owned = {value for value in group.yielded if isinstance(value.owner, Operation) and not moves(value.owner)}
        shared = {self.same[value] for value in owned}
        made = [op for op in group.ops if not moves(op)]
        for inner in sorted(made, key=lambda op: not isinstance(op, ReduceOp)):  # what is put together comes first
            result = inner.results[0]
            if result in owned or (result in late and result not in shared):
                self.stores[self.level[result]].append(result)
            if isinstance(inner, ReduceOp) and result in needed:
                self.reduces[self._phase(inner)].append(inner)
        for value in group.yielded:
            if value in owned:
                owned.remove(value)
            else:
                self.stores[self.level[value]].append(value)

    def phases(self) -> list[Phase]:
        """All phases, one after the other."""
        return [self._stream(at, stores, self.reduces[at]) for at, stores in enumerate(self.stores)]

    def apart(self, at: int) -> list[Phase]:
        """One phase with each of its stores in a phase of its own, which loads and computes anew what it needs; the
        first one leaves in the units what is reduced."""
        first, others = self.stores[at][:1], self.stores[at][1:]
        return [self._stream(at, first, self.reduces[at]), *(self._stream(at, [each], ()) for each in others)]

    def _phase(self, op: Operation) -> int:
        """The phase that computes an op, or its first level."""
        return max((self.level[operand] for operand in op.operands), default=0)

    def _sources(self, value: SSAValue) -> list[SSAValue]:
        return [self.same[source] for source in sources(value)]

    def _needed(self, group: FusedOp) -> tuple[set[SSAValue], set[SSAValue]]:
        """Values on the way to a result; and those that a phase behind their own needs."""
        needed, late = set[SSAValue](), set[SSAValue]()
        waiting = [(source, self.level[value]) for value in group.yielded for source in self._sources(value)]
        while waiting:
            value, at = waiting.pop()
            if value in self.inputs:
                continue
            if self.level[value] < at:
                late.add(value)
            if value not in needed:
                needed.add(value)
                assert isinstance(value.owner, Operation)
                phase = self._phase(value.owner)
                waiting += [(each, phase) for operand in value.owner.operands for each in self._sources(operand)]
        return needed, late

    def _stream(self, at: int, stores: Sequence[SSAValue], reduces: Sequence[ReduceOp]) -> Phase:
        """The stream of a phase that stores and reduces this and no more."""
        found, done = Phase(stores=stores), set[Operation]()
        found.over(*stores)
        waiting: list[GraphOp] = list(reduces)

        def take(value: SSAValue) -> None:
            for source in self._sources(value):
                if source in self.inputs or self.level[source] < at:
                    found.loads[source] = None
                else:
                    assert isinstance(source.owner, GraphOp)
                    waiting.append(source.owner)

        for value in stores:
            take(value)
        while waiting:
            if (op := waiting.pop()) in done:
                continue
            done.add(op)
            if isinstance(op, ReduceOp) and self.level[op.y] == at:  # what all units have of it is put together
                found.over(op.y)
                found.ops += 1
                continue
            found.over(*op.operands, *op.results)
            found.ops += ops_each(op)
            found.flops += op.work().flops
            for operand in op.operands:
                take(operand)
        return found


def _numbered(op: GraphOp | FusedOp, group: FusedOp) -> dict[SSAValue, SSAValue]:
    """For each value of a body the first one that is computed alike."""
    same: dict[SSAValue, SSAValue] = {}
    first: dict[object, SSAValue] = {}
    for outer, argument in zip(op.operands, group.body.block.args, strict=True):
        same[argument] = first.setdefault(outer, argument)
    for inner in group.ops:
        taken = tuple(same[operand] for operand in inner.operands)
        same[inner.results[0]] = first.setdefault(alike(inner, taken), inner.results[0])
    return same


def alike(op: Operation, operands: tuple[Hashable, ...]) -> Hashable:
    """The key that ops share which compute the same of these operands, values or what stands for such."""
    return (type(op), tuple(op.properties.items()), operands, op.results[0].type)

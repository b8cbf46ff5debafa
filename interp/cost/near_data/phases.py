"""The phases of a fused group on near-data units: stretches of one stream over elements, between which all units wait
for each other, since what one of them reduces the others need."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from dialects.element_types import byte_count, element_count
from dialects.graph import ConstantOp, ElementwiseOp, FusedOp, GraphOp, ReduceOp, tensor_of
from dialects.graph.primitives import in_primitives
from dialects.graph.roles import FusionRole


@dataclass
class Phase:
    """A stream over elements: what it loads and stores, and how many ops it does on each element."""

    elements: int = 0
    loads: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])
    stores: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])
    ops: int = 0
    flops: int = 0

    @property
    def nbytes(self) -> int:
        """Bytes from and to memory."""
        return sum(byte_count(tensor_of(value)) for value in (*self.loads, *self.stores))

    def over(self, *values: SSAValue) -> None:
        """Stream over the elements of these at least."""
        self.elements = max(self.elements, *(element_count(tensor_of(value)) for value in values))


def why_not_streamed(op: Operation) -> str | None:
    """Why near-data units can't run an op, in words that begin with its name; None if they can."""
    for inner in op.ops if isinstance(op, FusedOp) else (op,):
        if not isinstance(inner, GraphOp):
            return f"{inner.name}: near-data units stream graph ops"
        if inner.FUSION in (FusionRole.CONTRACTION, FusionRole.WINDOWED):
            return f"{inner.name}: it reads elements again and again, and near-data units stream them once"
        if inner.FUSION is FusionRole.OPAQUE and not isinstance(inner, ConstantOp):
            return f"{inner.name}: near-data units stream element-wise ops, reductions, softmax and norms"
    return None


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


def phases_of(op: GraphOp | FusedOp) -> list[Phase]:
    """The phases of an op or group that near-data units can run, with nothing loaded, stored or computed twice in a
    phase. A value that a later phase needs is stored and loaded again, but for the result of a reduction in the phase
    that puts it together."""
    group = in_primitives(op)
    level = levels(group)
    found = [Phase() for _ in range(max(level.values(), default=0) + 1)]
    same = _numbered(op, group)

    def take(value: SSAValue, at: int) -> None:
        for source in sources(value):
            source = same[source]
            if source in inputs:
                found[at].loads[source] = None
            elif level[source] < at:
                found[level[source]].stores[source] = None
                found[at].loads[source] = None

    inputs = {same[argument] for argument in group.body.block.args}
    for inner in group.ops:
        result = inner.results[0]
        if moves(inner) or same[result] is not result:
            continue
        assert isinstance(inner, GraphOp)
        at = max(level[operand] for operand in inner.operands)
        for operand in inner.operands:
            take(operand, at)
        found[at].over(*inner.operands, result)
        found[at].ops += ops_each(inner)
        found[at].flops += inner.work().flops
        if isinstance(inner, ReduceOp):  # what the units have of it is put together in the next phase
            found[level[result]].over(result)
            found[level[result]].ops += 1
    for value in group.yielded:
        at = level[value]
        take(value, at)
        found[at].over(value)
        found[at].stores[same[value]] = None
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


def alike(op: Operation, operands: tuple[SSAValue, ...]) -> Hashable:
    """The key that ops share which compute the same of these operands."""
    return (type(op), tuple(op.properties.items()), operands, op.results[0].type)

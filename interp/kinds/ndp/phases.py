"""The phases of a fused group on near-data units: a phase is one stream over elements; between phases all units wait
for each other, because they need each other's reduction results."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from dialects.element_types import byte_count, element_count
from dialects.graph import ConstantOp, ElementwiseOp, FusedOp, GraphOp, ReduceOp, tensor_of
from dialects.graph.patterns.primitives import in_primitives
from dialects.graph.reduction import Reducing
from dialects.graph.roles import FusionRole
from dialects.ndp.plan import OUTPUTS, OutputsAttr
from dialects.task import RunOp
from interp.kinds.ndp.law import Counts


@dataclass
class Phase:
    """One stream over elements: the values that it loads and stores, its numbers of reductions and of other ops per
    element, and its total number of operations (`flops`)."""

    elements: int = 0
    loads: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])
    stores: Sequence[SSAValue] = ()
    ops: int = 0
    reductions: int = 0
    flops: int = 0

    @property
    def nbytes(self) -> int:
        """Bytes that the phase loads from memory and stores to it."""
        return sum(byte_count(tensor_of(value)) for value in (*self.loads, *self.stores))

    @property
    def counts(self) -> Counts:
        """The counts in the form that the law of cycles takes."""
        return Counts(self.elements, len(self.loads), len(self.stores) + self.reductions, self.ops, self.reductions)

    def over(self, *values: SSAValue) -> None:
        """Raise the number of elements of the stream to that of the largest of these values."""
        self.elements = max([self.elements, *(element_count(tensor_of(value)) for value in values)])


def why_not_streamed(op: Operation) -> str | None:
    """The reason why near-data units can't run an op, beginning with the op's name; None if they can."""
    for inner in op.ops if isinstance(op, FusedOp) else (op,):
        if not isinstance(inner, GraphOp):
            return f"{inner.name}: near-data units stream graph ops"
        if inner.FUSION in (FusionRole.CONTRACTION, FusionRole.WINDOWED):
            return f"{inner.name}: it reads elements again and again, and near-data units stream them once"
        if inner.FUSION is FusionRole.OPAQUE and not isinstance(inner, ConstantOp):
            return f"{inner.name}: near-data units stream element-wise ops, reductions, softmax and norms"
    return None


def specified_outputs(op: Operation) -> OutputsAttr | None:
    """The attribute `ndp.outputs` of the task around an op, which selects how the task stores its results; None without
    the attribute."""
    run = op.parent_op()
    specified = run.attributes.get(OUTPUTS) if isinstance(run, RunOp) else None
    return specified if isinstance(specified, OutputsAttr) else None


def moves(op: Operation) -> bool:
    """True if an op in the body of a group takes no cycles of a unit because it only determines addresses: it moves
    elements, or is a constant of the program."""
    return isinstance(op, GraphOp) and (
        isinstance(op, ConstantOp) or op.FUSION in (FusionRole.MOVEMENT, FusionRole.VIEW)
    )


def ops_each(op: Operation) -> int:
    """The number of operations that an op performs on each element; 0 if it only moves them, and for a reduction, which
    counts separately."""
    return 0 if moves(op) or isinstance(op, Reducing) else op.FLOPS_EACH if isinstance(op, ElementwiseOp) else 1


def levels(group: FusedOp) -> dict[SSAValue, int]:
    """The earliest phase in which each value of a body of primitives is available: for the result of a reduction, the
    phase after its operand's."""
    found: dict[SSAValue, int] = dict.fromkeys(group.body.block.args, 0)
    for op in group.ops:
        level = max((found[operand] for operand in op.operands), default=0)
        found |= dict.fromkeys(op.results, level + isinstance(op, ReduceOp))
    return found


def sources(value: SSAValue) -> Iterator[SSAValue]:
    """The values in memory, or computed values, from which a value is formed only by moving elements."""
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
    """An op or group that near-data units can run, as phases: within a phase, nothing is loaded, stored or computed
    twice. A value needed in a later phase is stored and loaded again, except the result of a reduction in the phase
    that combines its partial results."""

    def __init__(self, op: GraphOp | FusedOp) -> None:
        group = in_primitives(op)
        self.level = levels(group)
        self.same = _numbered(op, group)
        self.inputs = {self.same[argument] for argument in group.body.block.args}
        needed, late = self._needed(group)
        count = max(self.level.values(), default=0) + 1
        self.stores: list[list[SSAValue]] = [[] for _ in range(count)]
        """The values that each phase stores, in the order of its program."""
        self.reduces: list[list[ReduceOp]] = [[] for _ in range(count)]
        """The reductions whose partial results each phase leaves in the units."""
        owned = {value for value in group.yielded if isinstance(value.owner, Operation) and not moves(value.owner)}
        shared = {self.same[value] for value in owned}
        made = [op for op in group.ops if not moves(op)]
        for inner in sorted(made, key=lambda op: not isinstance(op, ReduceOp)):  # combined results come first
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
        """All phases in order; they run serially."""
        return [self._stream(at, stores, self.reduces[at]) for at, stores in enumerate(self.stores)]

    def split_by_store(self, at: int) -> list[Phase]:
        """The phases that replace phase `at` if each of its stores gets a phase of its own, which loads and recomputes
        the values that the store needs. The first of these phases also computes the partial reductions, which stay
        in the units."""
        first, others = self.stores[at][:1], self.stores[at][1:]
        return [self._stream(at, first, self.reduces[at]), *(self._stream(at, [each], ()) for each in others)]

    def _phase(self, op: Operation) -> int:
        """The phase in which an op is computed: the first one in which all of its operands are available."""
        return max((self.level[operand] for operand in op.operands), default=0)

    def _sources(self, value: SSAValue) -> list[SSAValue]:
        return [self.same[source] for source in sources(value)]

    def _needed(self, group: FusedOp) -> tuple[set[SSAValue], set[SSAValue]]:
        """The values of the group that its results depend on, and those of them that a phase later than their own
        uses."""
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
        """The stream of a phase with exactly these stores and reductions."""
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
            if isinstance(op, ReduceOp) and self.level[op.y] == at:  # the partial results of all units are combined
                found.over(op.y)
                found.ops += 1
                continue
            found.over(*op.operands, *op.results)
            found.ops += ops_each(op)
            found.reductions += isinstance(op, ReduceOp)
            found.flops += op.work().flops
            for operand in op.operands:
                take(operand)
        return found


def _numbered(op: GraphOp | FusedOp, group: FusedOp) -> dict[SSAValue, SSAValue]:
    """For each value of a body, the first value of the body that an equal computation gives."""
    same: dict[SSAValue, SSAValue] = {}
    first: dict[object, SSAValue] = {}
    for outer, argument in zip(op.operands, group.body.block.args, strict=True):
        same[argument] = first.setdefault(outer, argument)
    for inner in group.ops:
        taken = tuple(same[operand] for operand in inner.operands)
        same[inner.results[0]] = first.setdefault(computation_key(inner, taken), inner.results[0])
    return same


def computation_key(op: Operation, operands: tuple[Hashable, ...]) -> Hashable:
    """A key that is equal for ops that compute the same from equal operands; operands are values or their keys."""
    return (type(op), tuple(op.properties.items()), operands, op.results[0].type)

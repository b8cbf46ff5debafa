"""Pipelines: loops whose turns read what earlier turns have filled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from dialects.tile import BufferOp, CopyOp, ForOp, scope_of
from lowering.tile.pipelining.indices import depends_on, readers_of

WHY = "tile.why"
"""A buffer's attribute: why it is not pipelined though it was to be."""
GROUP = "tile.group"
"""A buffer's attribute: the number of its group of copies, among those that each turn commits; 0 where it is not
said."""


@dataclass(frozen=True, eq=False)
class Pipeline:
    """Buffers of one scope that one loop fills by copies, all of as many stages.

    `groups`: the copies, those together whose arrival is waited for together. `outer`: of fragments, the pipeline of
    shared memory that they are copied from, if the two are one: fragments go on from the last turns of the inner loop
    to what the next turn of the outer one will use.
    """

    loop: ForOp
    groups: tuple[tuple[CopyOp, ...], ...]
    stages: int
    outer: Pipeline | None = None

    @property
    def copies(self) -> tuple[CopyOp, ...]:
        return tuple(copy for group in self.groups for copy in group)

    @property
    def ahead(self) -> int:
        """Number of turns that copies are ahead of what reads."""
        return self.stages - 1

    @property
    def iterations(self) -> int:
        """Number of turns of the loop."""
        return len(self.loop.values)

    @property
    def iteration(self) -> tuple[AffineExpr, list[SSAValue]]:
        """The number of a turn as an expression over loop variables; for what goes on from turn to turn of an outer
        loop, counted from its first one as far as slots depend on it."""
        inner = AffineExpr.dimension(0) - self.loop.values.start
        if self.outer is None or self.iterations % self.stages == 0:
            return inner, [self.loop.variable]
        outer = AffineExpr.dimension(1) - self.outer.loop.values.start
        return outer * self.iterations + inner, [self.loop.variable, self.outer.loop.variable]


def pipelines(root: Operation) -> list[Pipeline]:
    """The pipelines that a program asks for, after `detect-pipelines`: of shared memory first."""
    found: dict[ForOp, list[CopyOp]] = {}
    for op in root.walk():
        if (
            isinstance(op, CopyOp)
            and isinstance(loop := op.parent_op(), ForOp)
            and requested_stages(op.target.memory) > 1
            and any(loop.is_ancestor(reader) for reader in readers_of(op.target.memory))
        ):
            found.setdefault(loop, []).append(op)
    shared: dict[Operation, Pipeline] = {}
    fragments: list[Pipeline] = []
    for loop, copies in found.items():
        stages = requested_stages(copies[0].target.memory)
        if scope_of(copies[0].target.memory) == "shared":
            shared[loop] = Pipeline(loop, tuple(_groups(copies)), stages)
        else:
            fragments.append(Pipeline(loop, (tuple(copies),), stages))
    return [*shared.values(), *(_fused(each, shared) for each in fragments)]


def requested_stages(memory: SSAValue) -> int:
    """Stages that a memory is to have; 1 for what is no buffer."""
    return memory.owner.requested_stages if isinstance(memory.owner, BufferOp) else 1


def _groups(copies: list[CopyOp]) -> Iterator[tuple[CopyOp, ...]]:
    numbers = [getattr(copy.target.memory.owner, "attributes", {}).get(GROUP) for copy in copies]
    for number in dict.fromkeys(numbers):
        yield tuple(copy for copy, its in zip(copies, numbers, strict=True) if its == number)


def _fused(inner: Pipeline, shared: dict[Operation, Pipeline]) -> Pipeline:
    """A pipeline of fragments, as one with that of shared memory around it where all its copies read from one group of
    that, and no other op of the outer loop's body does."""
    around = inner.loop.parent_op()
    outer = shared.get(around) if around is not None else None
    if outer is None:
        return inner
    sources = {copy.source.memory for copy in inner.copies}
    for group in outer.groups:
        memories = [copy.target.memory for copy in group]
        inside = [op for memory in memories for op in readers_of(memory) if outer.loop.is_ancestor(op)]
        bound = any(_moves_with(copy, outer.loop.variable) for copy in inner.copies)
        if sources <= {*memories} and all(inner.loop.is_ancestor(op) for op in inside) and not bound:
            return Pipeline(inner.loop, inner.groups, inner.stages, outer)
    return inner


def _moves_with(copy: CopyOp, variable: SSAValue) -> bool:
    """True if what a copy reads of a slot depends on a loop variable."""
    buffer = copy.source.memory.owner
    first = 1 if isinstance(buffer, BufferOp) and buffer.rotating is not None else 0
    return depends_on(copy, 0, [variable], first)


def group_of(pipeline: Pipeline, memory: SSAValue) -> int:
    """The number of the group that fills a buffer."""
    return next(
        number for number, group in enumerate(pipeline.groups) for copy in group if copy.target.memory is memory
    )


def child_of(loop: ForOp, op: Operation) -> Operation:
    """The op of a loop's body that an op within the loop is, or is in."""
    while (around := op.parent_op()) is not loop and around is not None:
        op = around
    return op


def consumers(loop: ForOp, memory: SSAValue) -> list[Operation]:
    """The ops of a loop's body that read a buffer, or hold ops that do, in order."""
    readers = {child_of(loop, op) for op in readers_of(memory) if loop.is_ancestor(op)}
    return [op for op in loop.body.block.ops if op in readers]

"""Pipelines: loops whose iterations read data that earlier iterations have copied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from dialects.tile import GROUP, BufferOp, CopyOp, ForOp, scope_of
from lowering.tile.pipelining.indices import depends_on, readers_of


@dataclass(frozen=True, eq=False)
class Pipeline:
    """Buffers of one scope that one loop fills by copies, all with the same number of stages.

    `groups`: the copies, grouped by common waits. `outer`: set if this is a pipeline of fragments that is fused with a
    pipeline of shared memory: that pipeline, from whose buffers the fragments are copied. The last iterations of the
    inner loop then load fragments for the next iteration of the outer loop.
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
        """Number of iterations between a copy and its readers."""
        return self.stages - 1

    @property
    def iterations(self) -> int:
        """Number of iterations of the loop."""
        return len(self.loop.values)

    @property
    def iteration(self) -> tuple[AffineExpr, list[SSAValue]]:
        """Number of the current iteration, as an expression over loop variables; in a fused pipeline whose slots depend
        on this number, it counts through all iterations of the outer loop."""
        inner = AffineExpr.dimension(0) - self.loop.values.start
        if self.outer is None or self.iterations % self.stages == 0:
            return inner, [self.loop.variable]
        outer = AffineExpr.dimension(1) - self.outer.loop.values.start
        return outer * self.iterations + inner, [self.loop.variable, self.outer.loop.variable]


def pipelines(root: Operation) -> list[Pipeline]:
    """Return the pipelines that a program requests, after `detect-pipelines`; those of shared memory first."""
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
    """Return the number of stages that a memory requests; 1 for a memory that is not a buffer."""
    return memory.owner.requested_stages if isinstance(memory.owner, BufferOp) else 1


def _groups(copies: list[CopyOp]) -> Iterator[tuple[CopyOp, ...]]:
    numbers = [getattr(copy.target.memory.owner, "attributes", {}).get(GROUP) for copy in copies]
    for number in dict.fromkeys(numbers):
        yield tuple(copy for copy, each in zip(copies, numbers, strict=True) if each == number)


def _fused(inner: Pipeline, shared: dict[Operation, Pipeline]) -> Pipeline:
    """Fuse a pipeline of fragments with the pipeline of shared memory around it, if all its copies read one group of
    the outer pipeline that no other op of the outer loop reads; otherwise return it unchanged.
    """
    around = inner.loop.parent_op()
    outer = shared.get(around) if around is not None else None
    if outer is None:
        return inner
    sources = {copy.source.memory for copy in inner.copies}
    for group in outer.groups:
        memories = [copy.target.memory for copy in group]
        inside = [op for memory in memories for op in readers_of(memory) if outer.loop.is_ancestor(op)]
        bound = any(_depends_on_loop(copy, outer.loop.variable) for copy in inner.copies)
        if sources <= {*memories} and all(inner.loop.is_ancestor(op) for op in inside) and not bound:
            return Pipeline(inner.loop, inner.groups, inner.stages, outer)
    return inner


def _depends_on_loop(copy: CopyOp, variable: SSAValue) -> bool:
    """Return True if the part of a slot that a copy reads depends on a loop variable."""
    buffer = copy.source.memory.owner
    first = 1 if isinstance(buffer, BufferOp) and buffer.rotating is not None else 0
    return depends_on(copy, 0, [variable], first)


def group_of(pipeline: Pipeline, memory: SSAValue) -> int:
    """Return the number of the group that fills a buffer."""
    return next(
        number for number, group in enumerate(pipeline.groups) for copy in group if copy.target.memory is memory
    )


def child_of(loop: ForOp, op: Operation) -> Operation:
    """Return the op of a loop's body that is `op` or contains it."""
    while (around := op.parent_op()) is not loop and around is not None:
        op = around
    return op


def consumers(loop: ForOp, memory: SSAValue) -> list[Operation]:
    """Return the ops of a loop's body that read a buffer or contain readers, in order."""
    readers = {child_of(loop, op) for op in readers_of(memory) if loop.is_ancestor(op)}
    return [op for op in loop.body.block.ops if op in readers]

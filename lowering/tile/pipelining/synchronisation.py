"""Commits, waits and barriers of pipelined loops."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from dialects.tile import (
    GROUP,
    AccessingOp,
    BarrierOp,
    BlocksOp,
    BufferOp,
    CommitOp,
    CopyOp,
    ForOp,
    MmaOp,
    WaitOp,
    WhenOp,
    scope_of,
    viewed,
)
from lowering.tile.pipelining.pipelines import Pipeline, consumers, group_of, pipelines
from lowering.tile.pipelining.steps import TilePass


@dataclass(frozen=True)
class WaitForStagesPass(TilePass):
    """Let each iteration of a pipelined loop wait only for its own stage, while later stages are in flight; after the
    loop, the thread block waits for all remaining copies.

    Each group of copies is committed after its last copy, and waited for before the first op that reads it. A barrier
    is placed between the last op that reads a slot and the next copy to it. In fused pipelines, the inner loop waits
    for the next tiles in the iteration that first reads them (`tile.when`). After the barrier there, no thread reads
    the previous slot, so the outer loop needs no separate barrier.

    Before: `tile.commit`, `tile.wait 0` in the loop. After, with three stages: `tile.commit`, `tile.wait 2`, and
    `tile.wait 0` after the loop. With fragments in two stages of two iterations, the inner loop begins with:
    ```mlir
    tile.when (%s + 1) mod 2 {
      tile.wait 1
      tile.barrier
    }
    ```
    """

    name = "wait-for-stages"

    def pattern(self, module: ModuleOp) -> RewritePattern:
        return _Inject(pipelines(module))


class _Inject(RewritePattern):
    def __init__(self, found: list[Pipeline]) -> None:
        self.found = {each.loop: each for each in found}
        self.fused: dict[tuple[ForOp, int], Pipeline] = {}
        for each in found:
            if each.outer is not None:
                self.fused[each.outer.loop, group_of(each.outer, each.copies[0].source.memory)] = each

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForOp, rewriter: PatternRewriter) -> None:
        pipeline = self.found[op]
        if scope_of(pipeline.copies[0].target.memory) == "shared":
            self._synchronise(pipeline, rewriter)
        for copy in pipeline.copies:
            if isinstance(buffer := copy.target.memory.owner, BufferOp):
                buffer.stages = None  # the request is fulfilled
                buffer.attributes.pop(GROUP, None)
                rewriter.notify_op_modified(buffer)

    def _synchronise(self, pipeline: Pipeline, rewriter: PatternRewriter) -> None:
        loop = pipeline.loop
        barriers = [each.next_op for each in loop.body.block.ops if isinstance(each, WaitOp)]
        for each in [each for each in loop.body.block.ops if isinstance(each, CommitOp | WaitOp)]:
            rewriter.erase(each)
        for group in pipeline.groups:
            rewriter.insert(CommitOp(), InsertPoint.after(group[-1]))
        for number, group in enumerate(pipeline.groups):
            read = [each for copy in group for each in consumers(loop, copy.target.memory)]
            order = [each for each in loop.body.block.ops if each in read]
            inner = self.fused.get((loop, number))
            if inner is None:
                _wait_before(order[0], _pending(pipeline, number, _barrier_before(order[0]) or order[0]), rewriter)
            else:
                barrier = _barrier_before(order[0])
                if barrier is not None and barrier in barriers and not _writes_otherwise(pipeline):
                    rewriter.erase(barrier)
                _guard(inner, _pending(pipeline, number, order[0], 1), rewriter)
            if inner is None and not _barrier_follows(order[-1], group[0]):
                rewriter.insert(BarrierOp(), InsertPoint.after(order[-1]))
        guarded = all((loop, number) in self.fused for number in range(len(pipeline.groups)))
        if guarded and _orders_nothing_else(pipeline):
            for each in [each for each in loop.body.block.ops if isinstance(each, BarrierOp)]:
                rewriter.erase(each)
        flush: list[Operation] = [WaitOp(0)]
        # The first copies of the outer loop's next iteration follow.
        flush += [BarrierOp()] if isinstance(loop.parent_op(), ForOp) else []
        rewriter.insert(flush, InsertPoint.after(loop))


def _pending(pipeline: Pipeline, group: int, place: Operation, next_iteration: int = 0) -> int:
    """Return the number of groups that may still be in flight before an op of the loop's body reads the data that a
    group of copies has written for this iteration or the next one: the number of groups that were committed later."""
    commits = [each for each in pipeline.loop.body.block.ops if isinstance(each, CommitOp)]
    before = sum(1 for each in commits if each.is_before_in_block(place))
    return (pipeline.ahead - next_iteration) * len(pipeline.groups) + before - group - 1


def _wait_before(op: Operation, pending: int, rewriter: PatternRewriter) -> None:
    """Insert a wait before an op, and a barrier that makes the arrived data visible to all threads."""
    if (barrier := _barrier_before(op)) is not None:
        rewriter.insert(WaitOp(pending), InsertPoint.before(barrier))
    else:
        rewriter.insert([WaitOp(pending), BarrierOp()], InsertPoint.before(op))


def _barrier_before(op: Operation) -> BarrierOp | None:
    """Return the nearest barrier before an op, if no commit and only ops that take little time are between the barrier
    and the op; otherwise None."""
    at = op.prev_op
    while at is not None and not isinstance(at, ForOp | WhenOp | MmaOp | CommitOp | WaitOp):
        if isinstance(at, BarrierOp):
            return at
        at = at.prev_op
    return None


def _guard(inner: Pipeline, pending: int, rewriter: PatternRewriter) -> None:
    """Insert a wait for the next tiles in the iteration of the inner loop that first reads them."""
    crossing = (AffineExpr.dimension(0) + (inner.ahead - inner.loop.values.start)) % inner.iterations
    body = Block([WaitOp(pending), BarrierOp()])
    guard = WhenOp(crossing, [inner.loop.variable], Region(body))
    rewriter.insert(guard, InsertPoint.at_start(inner.loop.body.block))


def _writes_otherwise(pipeline: Pipeline) -> bool:
    """Return True if the loop also writes to shared memory that is not pipelined."""
    accessing = [op for op in pipeline.loop.walk() if isinstance(op, AccessingOp)]
    written = {op.memories[number] for op in accessing for number in op.WRITES}
    others = [memory for memory in written if scope_of(memory) == "shared"]
    return any(isinstance(each.owner, BufferOp) and each.owner.rotating is None for each in others)


def _orders_nothing_else(pipeline: Pipeline) -> bool:
    """Return True if the barriers of a loop order no accesses but those to the slots of its pipeline: apart from
    registers, the loop accesses only these slots and memory that no op of the grid writes."""
    grid = pipeline.loop.parent_op()
    while grid is not None and not isinstance(grid, BlocksOp):
        grid = grid.parent_op()
    assert grid is not None
    accessing = [op for op in grid.walk() if isinstance(op, AccessingOp)]
    written = {viewed(op.memories[number])[0] for op in accessing for number in op.WRITES}
    filled = {copy.target.memory for copy in pipeline.copies}
    accessed = {memory for op in accessing if pipeline.loop.is_ancestor(op) for memory in op.memories}
    return all(scope_of(each) == "register" or viewed(each)[0] not in written for each in accessed - filled)


def _barrier_follows(last: Operation, copy: CopyOp) -> bool:
    """Return True if there is a barrier between an op and a copy of the next iteration; both ops are in one loop's
    body."""
    at = last.next_op
    while at is not None:
        if isinstance(at, BarrierOp):
            return True
        at = at.next_op
    at = copy.prev_op
    while at is not None:
        if isinstance(at, BarrierOp):
            return True
        at = at.prev_op
    return False

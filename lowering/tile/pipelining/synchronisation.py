"""Commits, waits and barriers of pipelined loops."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from dialects.tile import (
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
from lowering.tile.pipelining.pipelines import GROUP, Pipeline, consumers, group_of, pipelines
from lowering.tile.pipelining.steps import TilePass


@dataclass(frozen=True)
class WaitForStagesPass(TilePass):
    """Lets each turn of a pipelined loop wait for its own stage alone, while later ones are on their way, and the
    thread block wait for what was copied in vain when the loop is over.

    Each group of copies is committed behind its last one, waited for before the first op that reads it, and a barrier
    stands between the last that does and the next copy to the same slot. Where fragments go on to the next turn of the
    loop around theirs, they wait for its tiles themselves, in the turn in which they cross over (`tile.when`). No
    thread reads the slot of this turn behind the barrier there, so that the outer loop needs none of its own.

    Before: `tile.commit`, `tile.wait 0` in the loop. After, with three stages: `tile.commit`, `tile.wait 2`, and
    `tile.wait 0` behind the loop. With fragments in two stages of two turns, the inner loop begins with:
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
                buffer.stages = None  # the wish is fulfilled
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
            if inner is None and not _meets_after(order[-1], group[0]):
                rewriter.insert(BarrierOp(), InsertPoint.after(order[-1]))
        guarded = all((loop, number) in self.fused for number in range(len(pipeline.groups)))
        if guarded and _orders_nothing_else(pipeline):
            for each in [each for each in loop.body.block.ops if isinstance(each, BarrierOp)]:
                rewriter.erase(each)
        flush: list[Operation] = [WaitOp(0)]
        flush += [BarrierOp()] if isinstance(loop.parent_op(), ForOp) else []  # the next turn's first copies follow
        rewriter.insert(flush, InsertPoint.after(loop))


def _pending(pipeline: Pipeline, group: int, place: Operation, next_turn: int = 0) -> int:
    """Number of groups that may be on their way, before an op of the loop's body, when a group's copies for this turn,
    or for the next one, have arrived: those that were committed later."""
    commits = [each for each in pipeline.loop.body.block.ops if isinstance(each, CommitOp)]
    before = sum(1 for each in commits if each.is_before_in_block(place))
    return (pipeline.ahead - next_turn) * len(pipeline.groups) + before - group - 1


def _wait_before(op: Operation, pending: int, rewriter: PatternRewriter) -> None:
    """Wait, and let all threads see what has arrived."""
    if (barrier := _barrier_before(op)) is not None:
        rewriter.insert(WaitOp(pending), InsertPoint.before(barrier))
    else:
        rewriter.insert([WaitOp(pending), BarrierOp()], InsertPoint.before(op))


def _barrier_before(op: Operation) -> BarrierOp | None:
    """The barrier before an op, if nothing that takes long stands between, and no copy's group ends."""
    at = op.prev_op
    while at is not None and not isinstance(at, ForOp | WhenOp | MmaOp | CommitOp | WaitOp):
        if isinstance(at, BarrierOp):
            return at
        at = at.prev_op
    return None


def _guard(inner: Pipeline, pending: int, rewriter: PatternRewriter) -> None:
    """Wait for the next tiles in the turn of the inner loop that is the first to read them."""
    crossing = (AffineExpr.dimension(0) + (inner.ahead - inner.loop.values.start)) % inner.iterations
    body = Block([WaitOp(pending), BarrierOp()])
    guard = WhenOp(crossing, [inner.loop.variable], Region(body))
    rewriter.insert(guard, InsertPoint.at_start(inner.loop.body.block))


def _writes_otherwise(pipeline: Pipeline) -> bool:
    """True if the loop also writes to shared memory what is not pipelined."""
    accessing = [op for op in pipeline.loop.walk() if isinstance(op, AccessingOp)]
    written = {op.memories[number] for op in accessing for number in op.WRITES}
    others = [memory for memory in written if scope_of(memory) == "shared"]
    return any(isinstance(each.owner, BufferOp) and each.owner.rotating is None for each in others)


def _orders_nothing_else(pipeline: Pipeline) -> bool:
    """True if a loop accesses, outside of registers, the slots of its pipeline and memory that no op of the grid
    writes to: its barriers then order nothing else."""
    grid = pipeline.loop.parent_op()
    while grid is not None and not isinstance(grid, BlocksOp):
        grid = grid.parent_op()
    assert grid is not None
    accessing = [op for op in grid.walk() if isinstance(op, AccessingOp)]
    written = {viewed(op.memories[number])[0] for op in accessing for number in op.WRITES}
    filled = {copy.target.memory for copy in pipeline.copies}
    accessed = {memory for op in accessing if pipeline.loop.is_ancestor(op) for memory in op.memories}
    return all(scope_of(each) == "register" or viewed(each)[0] not in written for each in accessed - filled)


def _meets_after(last: Operation, copy: CopyOp) -> bool:
    """True if a barrier stands between an op and a copy of the next turn, all of them in one loop's body."""
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

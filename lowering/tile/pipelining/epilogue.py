"""Peeling of the last iterations of pipelined loops, which then make no copies whose data is not used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from dialects.tile import PEEL, AccessingOp, BufferOp, CommitOp, CopyOp, ForOp, WaitOp, WhenOp
from lowering.graph.rewriting import apply_once
from lowering.tile.pipelining.indices import readers_of, simplify, substitute_all


@dataclass(frozen=True)
class PeelLastTurnsPass(ModulePass):
    """Peel the last S - 1 iterations of pipelined loops with S stages, in which `wrap-indices` leaves copies that
    nothing reads. Peeled iterations copy nothing, wait for fewer groups, and leave none in flight. The traffic is then
    that of the unpipelined loop; the program grows by S - 1 loop bodies. The pass runs after the other passes of
    pipelining.

    Before, with two stages:
    ```mlir
    tile.for %k = 0 to 4 {
      tile.copy async %x[((%k + 1) mod 4) * 16 : 16] to %t[(%k + 1) mod 2]
      tile.commit
      tile.wait 1
      tile.barrier
      tile.copy %t[%k mod 2] to %y[%k * 16 : 16]
      tile.barrier
    }
    tile.wait 0
    ```
    After:
    ```mlir
    tile.for %k = 0 to 3 {
      tile.copy async %x[%k * 16 + 16 : 16] to %t[(%k + 1) mod 2]
      tile.commit
      tile.wait 1
      tile.barrier
      tile.copy %t[%k mod 2] to %y[%k * 16 : 16]
      tile.barrier
    }
    tile.wait 0
    tile.barrier
    tile.copy %t[1] to %y[48 : 16]
    tile.barrier
    ```

    `wished`: peel only loops that fill buffers with the attribute `tile.peel`; `to-tile` sets it where a kernel is
    faster with peeled loops.
    """

    name = "peel-last-turns"
    wished: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for scope in ("shared", "register"):  # a peeled iteration contains a copy of the loop over fragments
            loops = [each for each in op.walk() if isinstance(each, ForOp) and _is_peelable(each, scope)]
            apply_once([each for each in loops if not self.wished or _requests_peeling(each, scope)], _Peel(scope))
        for buffer in [each for each in op.walk() if isinstance(each, BufferOp)]:
            buffer.attributes.pop(PEEL, None)  # the request is fulfilled


def _requests_peeling(loop: ForOp, scope: str) -> bool:
    """Return True if some buffer that a loop fills requests peeling."""
    buffers = [fill.target.memory.owner for fill in _fills(loop.body.block, scope)]
    return any(isinstance(buffer, BufferOp) and PEEL in buffer.attributes for buffer in buffers)


def _fills(block: Block, scope: str) -> Iterator[CopyOp]:
    """Yield the copies of a loop's body that fill rotating buffers of a scope and that the loop reads."""
    loop = block.parent_op()
    for op in block.ops:
        if (
            isinstance(op, CopyOp)
            and loop is not None
            and isinstance(buffer := op.target.memory.owner, BufferOp)
            and (buffer.rotating is not None and buffer.scope.data == scope)
            and any(loop.is_ancestor(reader) for reader in readers_of(buffer.memory))
        ):
            yield op


def _is_peelable(loop: ForOp, scope: str) -> bool:
    """Return True if iterations of a loop fill buffers for later iterations of the same loop only, and its last
    iterations are not peeled yet.
    """
    is_fused = any(isinstance(op, WhenOp) and _waits(op) for op in loop.body.block.ops)
    fills = list(_fills(loop.body.block, scope))
    return bool(fills) and (scope == "shared" or not is_fused) and not _is_read_next(fills[0].target.memory, loop)


def _is_read_next(memory: SSAValue, loop: ForOp) -> bool:
    """Return True if the first op after a loop that accesses a buffer reads it."""
    at = loop.next_op
    while at is not None:
        for op in at.walk():
            if isinstance(op, AccessingOp) and memory in op.memories:
                return all(op.memories[number] is not memory for number in op.WRITES)
        at = at.next_op
    return False


def _waits(op: Operation) -> list[WaitOp]:
    return [each for each in op.walk() if isinstance(each, WaitOp)]


@dataclass
class _Peel(RewritePattern):
    scope: str

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForOp, rewriter: PatternRewriter) -> None:
        buffers = [fill.target.memory.owner for fill in _fills(op.body.block, self.scope)]
        peeled = max(buffer.slots for buffer in buffers if isinstance(buffer, BufferOp)) - 1
        values = op.values
        if peeled >= len(values):
            return
        iterations = [self._peeled_iteration(op, number, values.stop - peeled + number) for number in range(peeled)]
        op.bounds = DenseArrayBase.from_list(i64, [values.start, values.stop - peeled])
        rewriter.insert([each for iteration in iterations for each in iteration], InsertPoint.after(op))
        rewriter.notify_op_modified(op)
        for each in (op, *(each for iteration in iterations for each in iteration)):
            simplify(each)

    def _peeled_iteration(self, loop: ForOp, number: int, value: int) -> list[Operation]:
        """Return the ops of one peeled iteration: of the number `number`, counted from the first peeled iteration, with
        the value `value` of the loop variable."""
        ops = list(loop.body.block.ops)
        fills = [ops.index(fill) for fill in _fills(loop.body.block, self.scope)]
        commits = [at for at, op in enumerate(ops) if isinstance(op, CommitOp)]
        iteration = loop.clone()
        substitute_all(iteration, iteration.variable, AffineExpr.constant(value), [])
        body, found = iteration.body.block, list[Operation]()
        for at, op in enumerate(list(body.ops)):
            op.detach()
            if at in fills or at in commits:
                continue
            found.append(op)
            # The last iterations and this one commit this many groups fewer than the loop.
            fewer = len(commits) * number + sum(1 for commit in commits if commit < at)
            for wait in _waits(op):
                _reduce_pending(wait, fewer)
        return found


def _reduce_pending(wait: WaitOp, fewer: int) -> None:
    """Reduce the number of pending groups of a wait; remove a conditional wait for an iteration that does not exist."""
    pending = wait.pending.value.data - fewer
    around = wait.parent_op()
    if pending < 0 and isinstance(around, WhenOp) and around.parent is not None:
        around.detach()
        around.erase()
    else:
        wait.pending = IntegerAttr(max(0, pending), i64)

"""Last turns of pipelined loops, written out without the copies that nobody reads."""

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

from dialects.tile import AccessingOp, BufferOp, CommitOp, CopyOp, ForOp, WaitOp, WhenOp
from lowering.graph.rewriting import apply_once
from lowering.tile.pipelining.indices import readers_of, simplify, substitute_all
from lowering.tile.schedule import PEEL


@dataclass(frozen=True)
class PeelLastTurnsPass(ModulePass):
    """Peels off pipelined loops their last S - 1 turns, in which `wrap-indices` lets them copy in vain: written out,
    they copy nothing, wait for ever fewer groups, and leave nothing on its way. Traffic is then that of the unpipelined
    loop, and the text is longer by S - 1 bodies. It runs after the other passes of pipelining.

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

    `wished`: peel loops alone that fill buffers with the attribute `tile.peel`, as kernels of a program have
    whose schedules are faster so.
    """

    name = "peel-last-turns"
    wished: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for scope in ("shared", "register"):  # peeled loops hold copies of those of fragments
            loops = [each for each in op.walk() if isinstance(each, ForOp) and _is_peelable(each, scope)]
            apply_once([each for each in loops if not self.wished or _wishes(each, scope)], _Peel(scope))
        for buffer in [each for each in op.walk() if isinstance(each, BufferOp)]:
            buffer.attributes.pop(PEEL, None)  # the wish is fulfilled


def _wishes(loop: ForOp, scope: str) -> bool:
    """True if buffers that a loop fills wish for its last turns to be written out."""
    buffers = [fill.target.memory.owner for fill in _fills(loop.body.block, scope)]
    return any(isinstance(buffer, BufferOp) and PEEL in buffer.attributes for buffer in buffers)


def _fills(block: Block, scope: str) -> Iterator[CopyOp]:
    """The copies of a loop's body that fill rotating buffers of a scope which the loop reads."""
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
    """True if turns of a loop fill what later ones read, no later turn of a loop around it does, and its last turns are
    not written out yet."""
    goes_on = any(isinstance(op, WhenOp) and _waits(op) for op in loop.body.block.ops)
    fills = list(_fills(loop.body.block, scope))
    return bool(fills) and (scope == "shared" or not goes_on) and not _is_read_next(fills[0].target.memory, loop)


def _is_read_next(memory: SSAValue, loop: ForOp) -> bool:
    """True if the first op behind a loop that accesses a buffer reads it."""
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
        iterations = [self._turn(op, number, values.stop - peeled + number) for number in range(peeled)]
        op.bounds = DenseArrayBase.from_list(i64, [values.start, values.stop - peeled])
        rewriter.insert([each for iteration in iterations for each in iteration], InsertPoint.after(op))
        rewriter.notify_op_modified(op)
        for each in (op, *(each for iteration in iterations for each in iteration)):
            simplify(each)

    def _turn(self, loop: ForOp, number: int, value: int) -> list[Operation]:
        """The ops of one of the last turns, the `number`-th of those that copy nothing."""
        ops = list(loop.body.block.ops)
        idle = [ops.index(fill) for fill in _fills(loop.body.block, self.scope)]
        commits = [at for at, op in enumerate(ops) if isinstance(op, CommitOp)]
        iteration = loop.clone()
        substitute_all(iteration, iteration.variable, AffineExpr.constant(value), [])
        body, found = iteration.body.block, list[Operation]()
        for at, op in enumerate(list(body.ops)):
            op.detach()
            if at in idle or at in commits:
                continue
            found.append(op)
            # So many groups fewer are committed here than in the loop.
            fewer = len(commits) * number + sum(1 for commit in commits if commit < at)
            for wait in _waits(op):
                _lower(wait, fewer)
        return found


def _lower(wait: WaitOp, fewer: int) -> None:
    """Let a wait leave so many groups fewer on their way. What waits for a turn that there is not goes."""
    pending = wait.pending.value.data - fewer
    around = wait.parent_op()
    if pending < 0 and isinstance(around, WhenOp) and around.parent is not None:
        around.detach()
        around.erase()
    else:
        wait.pending = IntegerAttr(max(0, pending), i64)

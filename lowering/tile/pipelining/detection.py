"""Detection of buffers that can be pipelined."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import prod

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from dialects.tile import (
    BarrierOp,
    BufferOp,
    CommitOp,
    CopyOp,
    ForOp,
    WaitOp,
    memref_of,
    scope_of,
)
from dialects.tile.widths import ASYNCHRONOUS, element_bytes, width_of
from lowering.tile.pipelining.indices import depends_on, readers_of, writers_of
from lowering.tile.pipelining.nests import nest_of
from lowering.tile.pipelining.pipelines import GROUP, WHY, child_of, consumers
from lowering.tile.pipelining.steps import TilePass


@dataclass(frozen=True)
class Verdict:
    """Stages that a buffer gets, and of what: by which copy in which loop it is filled, and in which of a turn's
    groups; or 1 stage, and why."""

    stages: int = 1
    why: str = ""
    copy: CopyOp | None = None
    loop: ForOp | None = None
    group: int = 0

    def no(self, why: str) -> Verdict:
        """The verdict that this buffer is not pipelined."""
        return replace(self, stages=1, why=why)


@dataclass(frozen=True)
class DetectPipelinesPass(TilePass):
    """Decides which buffers that ask for stages can be pipelined, and says of the others why they are not (`tile.why`).

    A buffer is filled by one copy in a loop, anew in each turn, and read behind it in that loop alone. Shared memory is
    filled by an asynchronous copy, plain or padded with zeros; registers by any that computes nothing on the way. There
    are no more stages than turns, of all loops of a perfect nest. Buffers that one loop fills have as many stages.
    Those that the same ops read first and last share a commit, a wait and barriers; of others each has its own
    (`tile.group`).

    An asynchronous copy brings 4, 8 or 16 bytes a thread. One whose rows begin elsewhere becomes synchronous, as does
    one that is not pipelined in a loop in which others are: waits count the groups of all copies.

    Before:
    ```mlir
    tile.kernel @copy on @gpu (%x: memref<64x64xf16>) -> (%y: memref<64x64xf16>) {
      tile.blocks %i = 0 to 1 warps 4, 1 {
        %t = tile.buffer shared stages 8 : memref<16x64xf16>
        tile.for %k = 0 to 4 {
          tile.copy async %x[%k * 16 : 16] to %t
          tile.commit
          tile.wait 0
          tile.barrier
          tile.copy %t to %y[%k * 16 : 16]
          tile.barrier
        }
      }
    }
    ```
    After:
    ```mlir
    tile.kernel @copy on @gpu (%x: memref<64x64xf16>) -> (%y: memref<64x64xf16>) {
      tile.blocks %i = 0 to 1 warps 4, 1 {
        %t = tile.buffer shared stages 4 : memref<16x64xf16>
        tile.for %k = 0 to 4 {
          tile.copy async %x[%k * 16 : 16] to %t
          tile.commit
          tile.wait 0
          tile.barrier
          tile.copy %t to %y[%k * 16 : 16]
          tile.barrier
        }
      }
    }
    ```
    """

    name = "detect-pipelines"

    def ops(self, module: ModuleOp) -> list[Operation]:
        return [*_asking(module), *(op for op in module.walk() if isinstance(op, CopyOp))]

    def pattern(self, module: ModuleOp) -> RewritePattern:
        return _Detect(_verdicts(_asking(module)))


def _asking(module: ModuleOp) -> list[BufferOp]:
    """The buffers that ask for stages."""
    return [op for op in module.walk() if isinstance(op, BufferOp) and op.requested_stages > 1]


def _verdicts(buffers: Iterable[BufferOp]) -> dict[BufferOp, Verdict]:
    """Verdicts on all buffers, each by itself and then with those that the same loop fills."""
    found = {buffer: _alone(buffer) for buffer in buffers}
    by_loop: dict[ForOp, list[BufferOp]] = {}
    for buffer, verdict in found.items():
        if verdict.stages > 1 and verdict.loop is not None:
            by_loop.setdefault(verdict.loop, []).append(buffer)
    for loop, together in by_loop.items():
        shared = [buffer for buffer in together if buffer.scope.data == "shared"]
        fragments = [buffer for buffer in together if buffer not in shared]
        for some in (shared, fragments):
            if len({found[buffer].stages for buffer in some}) > 1:
                _refuse(found, some, "buffers that one loop fills have different stages")
        _number_groups(found, loop, [buffer for buffer in shared if found[buffer].stages > 1])
    return found


def _refuse(found: dict[BufferOp, Verdict], buffers: Iterable[BufferOp], why: str) -> None:
    for buffer in buffers:
        found[buffer] = found[buffer].no(why)


def _number_groups(found: dict[BufferOp, Verdict], loop: ForOp, buffers: list[BufferOp]) -> None:
    """Number the groups of copies that have synchronisation of their own, in the order of their copies."""
    order = {op: number for number, op in enumerate(loop.body.block.ops)}
    places = _places(loop)
    numbers: dict[tuple[int, int], int] = {}
    for buffer in sorted(buffers, key=lambda each: order[_copy_of(found[each])]):
        read = consumers(loop, buffer.memory)
        key = places[read[0]], places[read[-1]]
        found[buffer] = replace(found[buffer], group=numbers.setdefault(key, len(numbers)))


def _copy_of(verdict: Verdict) -> CopyOp:
    assert verdict.copy is not None
    return verdict.copy


def _places(loop: ForOp) -> dict[Operation, int]:
    """Of each op of a loop's body a number; copies to registers that follow each other have the same."""
    found: dict[Operation, int] = {}
    number, before = 0, False
    for op in loop.body.block.ops:
        loads = isinstance(op, CopyOp) and scope_of(op.target.memory) == "register"
        number += 0 if loads and before else 1
        found[op], before = number, loads
    return found


def _alone(buffer: BufferOp) -> Verdict:
    """Verdict on a buffer by itself."""
    wished, writers = Verdict(buffer.requested_stages), writers_of(buffer.memory)
    if len(writers) != 1 or not isinstance(copy := writers[0], CopyOp):
        return wished.no("it is not filled by one copy")
    readers = readers_of(buffer.memory)
    if buffer.rotating is not None:
        return wished.no("its slots rotate already")
    if problem := _copy_problem(copy, buffer):
        return wished.no(problem)
    loop = copy.parent_op()
    if not isinstance(loop, ForOp):
        return wished.no("the copy to it stands in no loop")
    if not readers or not all(loop.is_ancestor(reader) for reader in readers):
        return wished.no("it is read outside of the loop that fills it")
    if any(child_of(loop, reader).is_before_in_block(copy) for reader in readers):
        return wished.no("a turn reads it before it fills it")
    shared = buffer.scope.data == "shared"
    nest = nest_of(loop) if shared else [loop]
    if depends_on(copy, 1, [each.variable for each in nest]):
        return wished.no("a turn fills a part of it alone")
    if any(nest[0].is_ancestor(op) for op in writers_of(copy.source.memory)):
        return wished.no("what it is copied from is written in the same loop")
    if shared and any(_is_grouped(op) for each in loop.body.block.ops for op in each.walk() if op is not each):
        return wished.no("loops within the one that fills it wait for copies too")
    if not shared and any(isinstance(op, WaitOp | BarrierOp) for op in loop.walk()):
        return wished.no("the loop that fills it waits for copies or other threads")
    stages = min(buffer.requested_stages, prod(len(each.values) for each in nest))
    found = replace(wished, stages=stages, copy=copy, loop=loop)
    return found if stages > 1 else found.no("the loop that fills it has one turn")


def _copy_problem(copy: CopyOp, buffer: BufferOp) -> str:
    """Reason why a copy does not fill a buffer while the thread block goes on; nothing if it does."""
    source, target = copy.accesses
    if buffer.scope.data == "register":
        same = memref_of(source.memory).element_type == memref_of(target.memory).element_type
        return "" if same else "the copy to it rounds, which is computed on the way"
    if copy.asynchronous is None:
        return "the copy to it is not asynchronous"
    nbytes = width_of(copy) * element_bytes(target)
    if nbytes in ASYNCHRONOUS:
        return ""
    return f"threads can copy {nbytes} bytes of it at once, but 4, 8 or 16 asynchronously"


def _is_grouped(op: Operation) -> bool:
    """True for what counts groups of copies, or is counted."""
    return isinstance(op, CommitOp | WaitOp) or (isinstance(op, CopyOp) and op.asynchronous is not None)


class _Detect(RewritePattern):
    """Stages, groups and reasons for buffers; and copies that become synchronous."""

    def __init__(self, found: dict[BufferOp, Verdict]) -> None:
        self.found = found
        self.loops = {each.loop for buffer, each in found.items() if each.stages > 1 and buffer.scope.data == "shared"}

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        match op:
            case BufferOp():
                self._decide(op, self.found[op], rewriter)
            case CopyOp() if op.asynchronous is not None:
                self._keep_or_wait(op, rewriter)
            case _:
                pass

    def _decide(self, op: BufferOp, verdict: Verdict, rewriter: PatternRewriter) -> None:
        if verdict.stages != op.requested_stages:
            op.stages = IntegerAttr(verdict.stages, i64) if verdict.stages > 1 else None
            rewriter.notify_op_modified(op)
        if verdict.stages == 1:
            op.attributes[WHY] = StringAttr(verdict.why)
        elif verdict.group:
            op.attributes[GROUP] = IntegerAttr(verdict.group, i64)
            rewriter.notify_op_modified(op)

    def _keep_or_wait(self, op: CopyOp, rewriter: PatternRewriter) -> None:
        """Make a copy synchronous that can't be asynchronous, or must not."""
        buffer = op.target.memory.owner
        assert isinstance(buffer, BufferOp)
        verdict = self.found.get(buffer)
        if problem := _copy_problem(op, buffer):
            buffer.attributes[WHY] = StringAttr(problem)
        elif op.parent_op() in self.loops and (verdict is None or verdict.stages == 1):
            buffer.attributes.setdefault(WHY, StringAttr("waits of the loop count the groups of pipelined copies"))
        else:
            return
        op.asynchronous = op.bulk = None
        rewriter.notify_op_modified(op)

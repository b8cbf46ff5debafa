"""Detection of buffers that can be pipelined."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import prod

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from dialects.tile import (
    GROUP,
    WHY,
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
from lowering.tile.pipelining.pipelines import child_of, consumers
from lowering.tile.pipelining.steps import TilePass


@dataclass(frozen=True)
class Verdict:
    """The decision on a buffer. If it is pipelined: its number of stages, the copy that fills it, the loop of that
    copy, and the number of its group among the copies of an iteration. Otherwise: 1 stage, and the reason."""

    stages: int = 1
    why: str = ""
    copy: CopyOp | None = None
    loop: ForOp | None = None
    group: int = 0

    def refused(self, why: str) -> Verdict:
        """Return the decision that this buffer is not pipelined, with `why` as the reason."""
        return replace(self, stages=1, why=why)


@dataclass(frozen=True)
class DetectPipelinesPass(TilePass):
    """Decide which of the buffers that request stages can be pipelined, and record the reason for every other buffer
    that requests stages (`tile.why`).

    A buffer can be pipelined if one copy in a loop fills it in each iteration, and only ops after this copy in the same
    loop read it. Shared memory must be filled by an asynchronous copy, plain or padded with zeros; registers by a copy
    that does not convert. A buffer gets at most as many stages as its perfect nest of loops has iterations. All buffers
    filled by one loop get the same number of stages. Buffers whose first and last readers are the same ops share a
    commit, a wait and barriers; other buffers have separate ones (`tile.group`).

    An asynchronous copy moves 4, 8 or 16 bytes per thread. A copy whose rows are not aligned to one of these sizes
    becomes synchronous. So does a copy that is not pipelined in a loop with pipelined copies, because waits count the
    groups of all copies.

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
        return [*_requesting(module), *(op for op in module.walk() if isinstance(op, CopyOp))]

    def pattern(self, module: ModuleOp) -> RewritePattern:
        return _Detect(_verdicts(_requesting(module)))


def _requesting(module: ModuleOp) -> list[BufferOp]:
    """Return the buffers that request stages."""
    return [op for op in module.walk() if isinstance(op, BufferOp) and op.requested_stages > 1]


def _verdicts(buffers: Iterable[BufferOp]) -> dict[BufferOp, Verdict]:
    """Return the decisions on all buffers: first on each buffer by itself, then on the buffers that one loop fills
    together."""
    found = {buffer: _decide_alone(buffer) for buffer in buffers}
    by_loop: dict[ForOp, list[BufferOp]] = {}
    for buffer, verdict in found.items():
        if verdict.stages > 1 and verdict.loop is not None:
            by_loop.setdefault(verdict.loop, []).append(buffer)
    for loop, together in by_loop.items():
        shared = [buffer for buffer in together if buffer.scope.data == "shared"]
        fragments = [buffer for buffer in together if buffer not in shared]
        for some in (shared, fragments):
            if len({found[buffer].stages for buffer in some}) > 1:
                _refuse(found, some, "its loop fills another buffer with a different number of stages")
        _number_groups(found, loop, [buffer for buffer in shared if found[buffer].stages > 1])
    return found


def _refuse(found: dict[BufferOp, Verdict], buffers: Iterable[BufferOp], why: str) -> None:
    for buffer in buffers:
        found[buffer] = found[buffer].refused(why)


def _number_groups(found: dict[BufferOp, Verdict], loop: ForOp, buffers: list[BufferOp]) -> None:
    """Number the groups of buffers that have separate synchronisation, in the order of their copies."""
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
    """Number the ops of a loop's body; successive copies to registers have the same number."""
    found: dict[Operation, int] = {}
    number, before = 0, False
    for op in loop.body.block.ops:
        loads = isinstance(op, CopyOp) and scope_of(op.target.memory) == "register"
        number += 0 if loads and before else 1
        found[op], before = number, loads
    return found


def _decide_alone(buffer: BufferOp) -> Verdict:
    """Return the decision on a buffer by itself."""
    requested, writers = Verdict(buffer.requested_stages), writers_of(buffer.memory)
    if len(writers) != 1 or not isinstance(copy := writers[0], CopyOp):
        return requested.refused("more or less than one copy fills it")
    readers = readers_of(buffer.memory)
    if buffer.rotating is not None:
        return requested.refused("it is already a rotating buffer")
    if problem := _copy_problem(copy, buffer):
        return requested.refused(problem)
    loop = copy.parent_op()
    if not isinstance(loop, ForOp):
        return requested.refused("the copy to it is not in a loop")
    if not readers or not all(loop.is_ancestor(reader) for reader in readers):
        return requested.refused("it is read outside of the loop that fills it")
    if any(child_of(loop, reader).is_before_in_block(copy) for reader in readers):
        return requested.refused("an iteration reads it before it fills it")
    shared = buffer.scope.data == "shared"
    nest = nest_of(loop) if shared else [loop]
    if depends_on(copy, 1, [each.variable for each in nest]):
        return requested.refused("an iteration fills only a part of it")
    if any(nest[0].is_ancestor(op) for op in writers_of(copy.source.memory)):
        return requested.refused("the source of its copy is written in the same loop")
    if shared and any(_is_grouped(op) for each in loop.body.block.ops for op in each.walk() if op is not each):
        return requested.refused("the loop that fills it contains loops that wait for copies")
    if not shared and any(isinstance(op, WaitOp | BarrierOp) for op in loop.walk()):
        return requested.refused("the loop that fills it contains waits or barriers")
    stages = min(buffer.requested_stages, prod(len(each.values) for each in nest))
    found = replace(requested, stages=stages, copy=copy, loop=loop)
    return found if stages > 1 else found.refused("the loop that fills it has only one iteration")


def _copy_problem(copy: CopyOp, buffer: BufferOp) -> str:
    """Return the reason why a copy can't fill a buffer while the thread block computes; an empty string if it can."""
    source, target = copy.accesses
    if buffer.scope.data == "register":
        same = memref_of(source.memory).element_type == memref_of(target.memory).element_type
        return "" if same else "the copy to it converts the element type"
    if copy.asynchronous is None:
        return "the copy to it is not asynchronous"
    nbytes = width_of(copy) * element_bytes(target)
    if nbytes in ASYNCHRONOUS:
        return ""
    return f"its rows let a thread copy {nbytes} bytes at once, but asynchronous copies need 4, 8 or 16"


def _is_grouped(op: Operation) -> bool:
    """Return True for an op that issues, commits or waits for asynchronous copies."""
    return isinstance(op, CommitOp | WaitOp) or (isinstance(op, CopyOp) and op.asynchronous is not None)


class _Detect(RewritePattern):
    """Pattern that sets stages, groups and reasons of buffers, and makes copies synchronous."""

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
        """Make a copy synchronous if it can't be asynchronous, or is not pipelined in a pipelined loop."""
        buffer = op.target.memory.owner
        assert isinstance(buffer, BufferOp)
        verdict = self.found.get(buffer)
        if problem := _copy_problem(op, buffer):
            buffer.attributes[WHY] = StringAttr(problem)
        elif op.parent_op() in self.loops and (verdict is None or verdict.stages == 1):
            buffer.attributes.setdefault(
                WHY, StringAttr("the waits of its loop count only the groups of pipelined copies")
            )
        else:
            return
        op.asynchronous = op.bulk = None
        rewriter.notify_op_modified(op)

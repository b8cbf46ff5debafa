"""Pipelining of what fills shared memory: while a thread block computes on one stage of a buffer, copies to others are
on their way (Huang et al., ALCOP, MLSys 2023, transformation of section 3).

Six passes, in this order, each of which can be printed and run alone:

    detect-pipelines    decide which buffers can be pipelined, and how many stages they get
    enlarge-buffers     give each of them that many slots
    shift-copies        let a turn copy what S - 1 turns later will use
    wrap-indices        keep slots within the buffer, and what is copied within the loop (the last turns copy in vain)
    copy-first-stages   copy before the loop what its first S - 1 turns use
    wait-for-stages     commit each stage, and wait for the oldest one only
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, StringAttr, UnitAttr, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from dialects.tile import (
    AccessingOp,
    Box,
    BufferOp,
    CommitOp,
    CopyOp,
    ForOp,
    WaitOp,
    memref_of,
    scope_of,
)
from dialects.tile.boxes import INDEX, simplified
from dialects.tile.loops import range_of
from lowering.graph.rewriting import apply_once

WHY = "tile.why"
"""A buffer's attribute: why it is not pipelined though it was to be."""


@dataclass(frozen=True)
class Pipeline:
    """Buffers that one loop fills by asynchronous copies, all of as many stages."""

    loop: ForOp
    copies: tuple[CopyOp, ...]
    stages: int


def pipelines(root: Operation) -> list[Pipeline]:
    """The pipelines that are marked in a program, after `detect-pipelines`: loops that fill and read buffers."""
    found: dict[ForOp, list[CopyOp]] = {}
    for op in root.walk():
        if not isinstance(op, CopyOp) or not isinstance(loop := op.parent_op(), ForOp) or _stages(op.target.memory) < 2:
            continue
        if any(number == 0 and loop.is_ancestor(user) for user, number in _accesses(op.target.memory)):
            found.setdefault(loop, []).append(op)
    return [Pipeline(loop, tuple(copies), _stages(copies[0].target.memory)) for loop, copies in found.items()]


def _stages(memory: SSAValue) -> int:
    return memory.owner.wished_stages if isinstance(memory.owner, BufferOp) else 1


def _accesses(memory: SSAValue) -> list[tuple[AccessingOp, int]]:
    """The ops that access a buffer, each with the number of the access."""
    return [
        (use.operation, number)
        for use in memory.uses
        if isinstance(use.operation, AccessingOp)
        for number, access in enumerate(use.operation.accesses)
        if access.memory is memory and use.operation.operands[use.index] is memory
    ]


class _TilePass(ModulePass):
    """Common to the passes of pipelining: one rewrite pattern on some ops, by default on the pipelined loops."""

    def ops(self, module: ModuleOp) -> list[Operation]:
        """The ops to rewrite."""
        return [each.loop for each in pipelines(module)]

    @abstractmethod
    def pattern(self, module: ModuleOp) -> RewritePattern:
        """The pattern that rewrites them."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_once(self.ops(op), self.pattern(op))


@dataclass(frozen=True)
class DetectPipelinesPass(_TilePass):
    """Decides which buffers that ask for stages can be pipelined.

    It must be filled by one asynchronous copy in a loop, and read in that loop alone. There are no more stages than
    turns. Since shared memory has one count of groups for all buffers, those that one loop fills have as many stages
    and are first and last read by the same ops; otherwise none of them is pipelined. Where a buffer is not, it says why
    (`tile.why`).

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
        return [op for op in module.walk() if isinstance(op, BufferOp) and op.wished_stages > 1]

    def pattern(self, module: ModuleOp) -> RewritePattern:
        return _Detect(self._together(module))

    def _together(self, module: ModuleOp) -> dict[BufferOp, tuple[int, str]]:
        """The stages of each buffer, or 1 and why."""
        found = {op: _alone(op) for op in self.ops(module) if isinstance(op, BufferOp)}
        by_loop: dict[Operation, list[BufferOp]] = {}
        for buffer, (stages, _) in found.items():
            if stages > 1 and (loop := _filling(buffer).parent_op()) is not None:
                by_loop.setdefault(loop, []).append(buffer)
        for buffers in by_loop.values():
            if len({found[buffer][0] for buffer in buffers}) > 1:
                for buffer in buffers:
                    found[buffer] = 1, "buffers that one loop fills have different stages"
        return found


def _filling(buffer: BufferOp) -> CopyOp:
    return next(op for op, number in _accesses(buffer.memory) if isinstance(op, CopyOp) and number == 1)


def _alone(buffer: BufferOp) -> tuple[int, str]:
    """The stages that a buffer can have by itself, or 1 and why."""
    accesses = _accesses(buffer.memory)
    writers = [op for op, number in accesses if number == len(op.memories) - 1 and not _only_reads(op)]
    readers = [op for op, _ in accesses if op not in writers]
    if scope_of(buffer.memory) != "shared":
        return 1, "registers are no shared memory"
    if len(writers) != 1 or not isinstance(writers[0], CopyOp):
        return 1, "it is not filled by one copy"
    copy = writers[0]
    if copy.asynchronous is None:
        return 1, "the copy to it is not asynchronous"
    loop = copy.parent_op()
    if not isinstance(loop, ForOp):
        return 1, "the copy to it stands in no loop"
    if not all(loop.is_ancestor(reader) for reader in readers):
        return 1, "it is read outside of the loop that fills it"
    stages = min(buffer.wished_stages, len(loop.values))
    return (stages, "") if stages > 1 else (1, "the loop that fills it has one turn")


def _only_reads(op: AccessingOp) -> bool:
    return op.name == "tile.read"


@dataclass
class _Detect(RewritePattern):
    found: dict[BufferOp, tuple[int, str]]

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BufferOp, rewriter: PatternRewriter) -> None:
        stages, why = self.found[op]
        if stages == op.wished_stages:
            return
        op.stages = IntegerAttr(stages, i64) if stages > 1 else None
        if stages == 1:
            op.attributes[WHY] = StringAttr(why)
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class EnlargeBuffersPass(_TilePass):
    """Gives each pipelined buffer a slot a stage, in front of its axes; all still use the first slot.

    Before: `%t = tile.buffer shared stages 3 : memref<16x64xf16>`, read as `%t`. After: `memref<3x16x64xf16>`, read
    as `%t[0]`.
    """

    name = "enlarge-buffers"

    def ops(self, module: ModuleOp) -> list[Operation]:
        found = [copy.target.memory.owner for each in pipelines(module) for copy in each.copies]
        return [op for op in dict.fromkeys(found) if isinstance(op, BufferOp)]

    def pattern(self, module: ModuleOp) -> RewritePattern:
        return _Enlarge()


class _Enlarge(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BufferOp, rewriter: PatternRewriter) -> None:
        type_ = memref_of(op.memory)
        larger = BufferOp(op.scope.data, MemRefType(type_.element_type, (op.wished_stages, *type_.get_shape())))
        larger.attributes, larger.properties = dict(op.attributes), dict(op.properties)
        larger.memory.name_hint = op.memory.name_hint
        users = _accesses(op.memory)
        boxes = [user.accesses[number].box for user, number in users]
        rewriter.insert(larger, InsertPoint.before(op))
        for (user, number), box in zip(users, boxes, strict=True):
            slot = Box((AffineExpr.constant(0), *box.starts), (0, *box.sizes))
            user.retarget(number, larger.memory, slot, user.indices)
            rewriter.notify_op_modified(user)
        rewriter.erase(op)


@dataclass(frozen=True)
class ShiftCopiesPass(_TilePass):
    """Lets turn k of a pipelined loop read slot k, and copy what turn k + S - 1 will read to slot k + S - 1.

    Slots and tiles run beyond their ends then, which ops say of themselves (`unwrapped`) and `wrap-indices` mends.
    Before: `tile.copy async %x[%k * 16 : 16] to %t[0]`. After, with three stages: `tile.copy async
    %x[%k * 16 + 32 : 16] to %t[%k + 2] {unwrapped}`.
    """

    name = "shift-copies"

    def pattern(self, module: ModuleOp) -> RewritePattern:
        return _Shift({each.loop: each for each in pipelines(module)})


@dataclass
class _Shift(RewritePattern):
    found: dict[ForOp, Pipeline]

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForOp, rewriter: PatternRewriter) -> None:
        pipeline = self.found[op]
        ahead, start = pipeline.stages - 1, op.values.start
        for copy in pipeline.copies:
            for user, number in _accesses(copy.target.memory):
                _set_slot(user, number, op.variable, ahead - start if user is copy else -start)
                user.unwrapped = UnitAttr()
                rewriter.notify_op_modified(user)
            _substitute(copy, 0, op.variable, AffineExpr.dimension(0) + ahead)


@dataclass(frozen=True)
class WrapIndicesPass(_TilePass):
    """Keeps the slots of pipelined buffers within them, and what is copied within the loop: its last S - 1 turns copy
    tiles of its first turns once more, which nobody reads. That adds (S - 1) / E to the traffic of E turns.

    Before: `tile.copy async %x[%k * 16 + 32 : 16] to %t[%k + 2] {unwrapped}`. After, with three stages and four turns:
    `tile.copy async %x[((%k + 2) mod 4) * 16 : 16] to %t[(%k + 2) mod 3]`.
    """

    name = "wrap-indices"

    def pattern(self, module: ModuleOp) -> RewritePattern:
        return _Wrap({each.loop: each for each in pipelines(module)})


@dataclass
class _Wrap(RewritePattern):
    found: dict[ForOp, Pipeline]

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForOp, rewriter: PatternRewriter) -> None:
        pipeline = self.found[op]
        start, turns, ahead = op.values.start, len(op.values), pipeline.stages - 1
        for copy in pipeline.copies:
            for user, number in _accesses(copy.target.memory):
                access = user.accesses[number]
                starts = (access.box.starts[0] % pipeline.stages, *access.box.starts[1:])
                user.retarget(number, access.memory, Box(starts, access.box.sizes), user.indices)
                user.unwrapped = None
                rewriter.notify_op_modified(user)
            turn = (AffineExpr.dimension(0) + (ahead - start)) % turns
            _substitute(copy, 0, op.variable, turn + (start - ahead))  # it stands as k + ahead there


@dataclass(frozen=True)
class CopyFirstStagesPass(_TilePass):
    """Copies before a pipelined loop what its first S - 1 turns read, a group a turn.

    After, with three stages:
    ```mlir
    tile.for %p = 0 to 2 {
      tile.copy async %x[%p * 16 : 16] to %t[%p]
      tile.commit
    }
    ```
    """

    name = "copy-first-stages"

    def pattern(self, module: ModuleOp) -> RewritePattern:
        return _Prologue({each.loop: each for each in pipelines(module)})


@dataclass
class _Prologue(RewritePattern):
    found: dict[ForOp, Pipeline]

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForOp, rewriter: PatternRewriter) -> None:
        pipeline = self.found[op]
        start, ahead = op.values.start, pipeline.stages - 1
        body = Block(arg_types=[INDEX])
        body.args[0].name_hint = "p"
        for copy in pipeline.copies:
            first = copy.clone()
            # Turn k copies what turn k + ahead reads, so that turn p - ahead would have copied what turn p reads.
            for number in (0, 1):
                _substitute(first, number, op.variable, AffineExpr.dimension(0) + (start - ahead), body.args[0])
            body.add_op(first)
        body.add_op(CommitOp())
        prologue = ForOp(range(ahead), Region(body))
        for each in body.ops:
            if isinstance(each, CopyOp):
                _simplify(each)
        rewriter.insert(prologue, InsertPoint.before(op))


@dataclass(frozen=True)
class WaitForStagesPass(_TilePass):
    """Lets each turn of a pipelined loop wait for its own stage alone, while S - 1 later ones are on their way, and the
    thread block wait for what was copied in vain when the loop is over.

    Before: `tile.commit`, `tile.wait 0` in the loop. After, with three stages: `tile.commit`, `tile.wait 2`, and
    `tile.wait 0` behind the loop.
    """

    name = "wait-for-stages"

    def pattern(self, module: ModuleOp) -> RewritePattern:
        return _Inject({each.loop: each for each in pipelines(module)})


@dataclass
class _Inject(RewritePattern):
    found: dict[ForOp, Pipeline]

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForOp, rewriter: PatternRewriter) -> None:
        pipeline = self.found[op]
        for wait in [each for each in op.body.block.ops if isinstance(each, WaitOp)]:
            rewriter.replace(wait, WaitOp(pipeline.stages - 1))
        rewriter.insert(WaitOp(0), InsertPoint.after(op))
        for copy in pipeline.copies:
            if isinstance(buffer := copy.target.memory.owner, BufferOp):
                buffer.stages = None  # the wish is fulfilled
                rewriter.notify_op_modified(buffer)


def _simplify(user: AccessingOp) -> None:
    """Leave out of indices what the ranges of loops make superfluous."""
    for number, access in enumerate(user.accesses):
        ranges = [range_of(value) for value in user.indices]
        starts = tuple(simplified(start, ranges) for start in access.box.starts)
        user.retarget(number, access.memory, Box(starts, access.box.sizes), user.indices)


def _set_slot(user: AccessingOp, number: int, variable: SSAValue, offset: int) -> None:
    """Let an access go to slot `variable + offset` of its buffer."""
    access, indices = user.accesses[number], [*user.indices]
    if variable not in indices:
        indices.append(variable)
    slot = AffineExpr.dimension(indices.index(variable)) + offset
    user.retarget(number, access.memory, Box((slot, *access.box.starts[1:]), access.box.sizes), indices)


def _substitute(
    user: AccessingOp, number: int, variable: SSAValue, by: AffineExpr, value: SSAValue | None = None
) -> None:
    """Put an expression in the place of a loop variable: `by`, over `value`, or over the variable itself."""
    access, indices = user.accesses[number], [*user.indices]
    if variable not in indices:
        return
    new = [AffineExpr.dimension(position) for position in range(len(indices))]
    at = indices.index(variable)
    new[at] = by.replace_dims_and_symbols([AffineExpr.dimension(at)], ())
    starts = tuple(start.replace_dims_and_symbols(new, ()) for start in access.box.starts)
    indices[at] = variable if value is None else value
    user.retarget(number, access.memory, Box(starts, access.box.sizes), indices)


PASSES: tuple[type[ModulePass], ...] = (
    DetectPipelinesPass,
    EnlargeBuffersPass,
    ShiftCopiesPass,
    WrapIndicesPass,
    CopyFirstStagesPass,
    WaitForStagesPass,
)
"""The passes of pipelining, in order."""

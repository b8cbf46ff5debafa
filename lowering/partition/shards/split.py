"""The pass `split`: computes a result in shards, each from the parts of operands that it needs, and joins the
shards."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import ClassVar, TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from dialects.diagnostics import InputError, note
from dialects.graph import ConcatOp, ConstantOp, ElementwiseOp, FusedOp, GraphOp, shape_of
from dialects.locations import located, place_of
from interp.walk.entry import ahead_of_time, functions, is_contraction, is_graph_op
from lowering.graph.rewriting import rewriter_at
from lowering.partition.shards.parts import Box, compute, full_box, part_of, replaced, sliced, splittable_axes

Op: TypeAlias = GraphOp | FusedOp


_DEPENDENT = "its elements depend on each other along every axis"


@dataclass(frozen=True)
class SplitPass(ModulePass):
    """Computes ops in shards along an axis of their result, so that several devices can share the work.

    `op`: the ops to split: by kind (`conv`), or by their source location or a part of it; by default all contractions.
    A group (`graph.fused`) has the kind of its contraction or reduction, and is split as one. `axis`: the axis of the
    result, negative from the end; by default the first axis along which its elements are independent. `at`: the
    fraction of the first shard, or of all shards but the last, which gets the remainder. Ends are moved to positions at
    which the result can be cut (between the groups of a convolution). Element-wise ops that are the only consumers are
    computed in the same shards. Halos of windows are read by both neighbours; no result changes.

    Before:
    ```mlir
    %y = graph.conv %x, %w pads = [1, 1, 1, 1] : tensor<1x8x16x16xf32>, tensor<4x8x3x3xf32>
    %z = graph.relu %y : tensor<1x4x16x16xf32>
    ```
    After `split{axis=2 at=0.5}`:
    ```mlir
    %0 = graph.slice %x starts = [0, 0, 0, 0], ends = [1, 8, 9, 16] : tensor<1x8x16x16xf32>
    %1 = graph.conv %0, %w pads = [1, 1, 0, 1] : tensor<1x8x9x16xf32>, tensor<4x8x3x3xf32>
    %2 = graph.relu %1 : tensor<1x4x8x16xf32>
    %3 = graph.slice %x starts = [0, 0, 7, 0], ends = [1, 8, 16, 16] : tensor<1x8x16x16xf32>
    %4 = graph.conv %3, %w pads = [0, 1, 1, 1] : tensor<1x8x9x16xf32>, tensor<4x8x3x3xf32>
    %5 = graph.relu %4 : tensor<1x4x8x16xf32>
    %z = graph.concat %2, %5 axis = 2 : tensor<1x4x8x16xf32>, tensor<1x4x8x16xf32>
    ```
    """

    name = "split"
    COMPARED: ClassVar[bool] = True
    READS_MACHINE: ClassVar[bool] = False
    op: str = ""
    axis: int | None = None
    at: tuple[float, ...] = (0.5,)

    def __post_init__(self) -> None:
        if not all(isfinite(part) and 0 < part < 1 for part in self.at) or not 0 < sum(self.at) < 1:
            raise ValueError(f"split takes fractions between 0 and 1 with a sum below 1, not {list(self.at)}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        met = False
        for function in functions(op):
            for block in function.body.blocks:
                early = ahead_of_time(block)
                for found in [each for each in block.ops if is_graph_op(each) and each not in early]:
                    if found.parent is block and self._selects(found):
                        met = True
                        self._split(found)
        if not met:
            reason = f"no op has the kind or location `{self.op}`" if self.op else "the program has no contraction"
            note(f"split: {reason}; nothing is split")

    def _selects(self, op: Op) -> bool:
        if not self.op:
            return is_of_kind(op, ())
        inner = op.ops if isinstance(op, FusedOp) else ()
        places = [place_of(each) or "" for each in (op, *inner)]
        return is_of_kind(op, (self.op,)) or self.op == op.name or any(self.op in place for place in places)

    def _split(self, op: Op) -> None:
        rank = len(shape_of(op.results[0]))
        if self.axis is not None and not -rank <= self.axis < rank:
            raise InputError(f"split: {op.name} has no axis {self.axis}; its result has rank {rank}", op)
        possible = splittable_axes(op)
        axis = self.axis % rank if self.axis is not None else next(iter(possible), None)
        if axis is None:
            undefined = isinstance(op, GraphOp) and type(op).part is GraphOp.part
            why = "its class does not define the operands of a part (method `part`)" if undefined else _DEPENDENT
            note(f"{op.name} is not split: {why}", place_of(op))
            return
        extent = shape_of(op.results[0])[axis]
        wanted = cuts(extent, self.at)
        if len(wanted) < 2:
            fractions = ", ".join(f"{part:g}" for part in self.at)
            note(
                f"{op.name} is not split: at={fractions} of {extent} along axis {axis} leaves a shard empty",
                place_of(op),
            )
        elif not split_op(op, axis, possible_cuts(op, axis, wanted)):
            others = ", ".join(str(other) for other in possible if other != axis)
            way_out = f" (they are along {others})" if others else ""
            note(f"{op.name} is not split: shards along axis {axis} are not independent{way_out}", place_of(op))


def is_of_kind(op: Op, kinds: Collection[str]) -> bool:
    """True if an op has one of the given names of op classes (`conv`), or, if no names are given, if it is a
    contraction. A group has the names of its contractions; if it has none, of its reductions; if it has none of
    these either, of all its ops."""
    ops = tuple(each for each in op.ops if isinstance(each, GraphOp)) if isinstance(op, FusedOp) else (op,)
    contractions = [each for each in ops if is_contraction(each)]
    if not kinds:
        return bool(contractions)
    named = contractions or [each for each in ops if each.FUSION.reduces] or ops
    return any(each.name.partition(".")[2] in kinds for each in named)


def cuts(extent: int, fractions: Sequence[float]) -> list[range]:
    """Ranges of an extent with the given fractions, each end rounded up as in PIMFlow, and a last range for the
    remainder; empty ranges are left out."""
    sums = [round(sum(fractions[: count + 1]) * 1e6) for count in range(len(fractions))]
    ends = [min(-(-extent * part // 1_000_000), extent) for part in sums]
    starts = [0, *ends]
    return [found for found in map(range, starts, [*ends, extent]) if found]


def possible_cuts(op: Op, axis: int, parts: Sequence[range]) -> list[range]:
    """Ranges of an axis with their ends moved to the nearest positions at which an op's result can be cut: between
    groups of a convolution, or query heads that share keys; before a last part that reads padding alone. If there is
    no such position, the end is removed."""
    extent = shape_of(op.results[0])[axis]
    ends = [0]
    for part in parts[:-1]:
        near = sorted(range(ends[-1] + 1, extent), key=lambda end: (abs(end - part.stop), end))
        found = next((end for end in near if _can_be_cut(op, axis, ends[-1], end)), None)
        if found is not None:
            ends.append(found)
    return [range(begin, end) for begin, end in pairwise([*ends, extent])]


def _can_be_cut(op: Op, axis: int, begin: int, end: int) -> bool:
    box = full_box(op.results[0])
    sides = (range(begin, end), range(end, len(box[axis])))
    return all(part_of(op, replaced(box, axis, side)) is not None for side in sides)


def split_op(op: Op, axis: int, parts: Sequence[range], follow: bool = True) -> list[list[Op]] | None:
    """Compute an op's result, and (if they may `follow`) those of element-wise ops that are its only consumers, in
    shards along an axis: the ops of each shard. None if a shard can't be computed alone, or there is only one shard;
    then nothing is changed."""
    boxes = [replaced(full_box(op.results[0]), axis, indices) for indices in parts]
    if len(boxes) < 2 or any(part_of(op, box) is None for box in boxes):
        return None
    chain = [op, *(_following(op) if follow else ())]
    last = chain[-1]
    rewriter = rewriter_at(last)
    shards = [_shard(chain, box, rewriter) for box in boxes]
    joined = [
        located(ConcatOp(*(shard[-1].results[index] for shard in shards), axis=axis), *chain)
        for index in range(len(last.results))
    ]
    for each, result in zip(joined, last.results, strict=True):
        each.y.name_hint = result.name_hint
    rewriter.replace(last, joined, [each.y for each in joined])
    for each in reversed(chain[:-1]):
        rewriter.erase(each)
    return shards


def is_pointwise(op: Operation) -> bool:
    """True if an op, or all ops of a group, are element-wise; a group's constants are immediates of its kernel."""
    inner = op.ops if isinstance(op, FusedOp) else (op,)
    return all(isinstance(each, ElementwiseOp | ConstantOp) for each in inner)


def _following(op: Op) -> Iterator[Op]:
    """Element-wise ops and groups of the same shape, each the only consumer of the op before it."""
    while len(op.results) == 1:
        value = op.results[0]
        users = {use.operation for use in value.uses}
        user = users.pop() if len(users) == 1 else None
        if user is None or not is_graph_op(user) or user.parent is not op.parent or not is_pointwise(user):
            return
        if any(shape_of(result) != shape_of(value) for result in user.results):
            return
        yield user
        op = user


def _shard(chain: Sequence[Op], box: Box, rewriter: PatternRewriter) -> list[Op]:
    """The ops of a chain for one shard of its result."""
    made: dict[SSAValue, SSAValue] = {}

    def fetch(value: SSAValue, need: Box) -> SSAValue:
        if value in made:
            return made[value]
        taken = sliced(value, need)
        return value if taken is None else rewriter.insert(located(taken, chain[0])).y

    shard: list[Op] = []
    for op in chain:
        part = rewriter.insert(located(compute(op, box, fetch), op))
        made[op.results[0]] = part.results[0]
        shard.append(part)
    return shard

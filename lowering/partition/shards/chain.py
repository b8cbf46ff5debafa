"""The pass `chain`: software pipelining of dependent ops in stages: while an op processes its first part, its producer
processes the second part."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from dialects.diagnostics import note
from dialects.graph import FusedOp, GraphOp, shape_of
from dialects.graph.patterns import movement
from dialects.graph.rules import patterns
from interp.walk.entry import ahead_of_time, functions, is_graph_op
from interp.walk.views import is_view
from lowering.graph.rewriting import apply_patterns
from lowering.partition.shards.parts import Box, PartOperands, full_box, part_of, replaced
from lowering.partition.shards.split import Op, is_of_kind, is_pointwise, split_op

REACH = 64
"""Indices by which the end of a pipeline stage is moved at most, to reach a position at which the stage can be computed
alone: the end of a row of a merged axis, or of a group."""


@dataclass(frozen=True)
class ChainPass(ModulePass):
    """Computes regions of ops in stages along an axis: each op is cut at the boundaries that the parts of its consumers
    need, halos included, so that no element is computed twice and a part depends only on the elements that it reads.

    `axis`: the axis of the results, counted from the front. `stages`: the number of parts. `op`: the kinds of ops that
    form a region together with the element-wise ops between them (several: `op=conv,pool`), alone or as groups
    (`graph.fused`); by default contractions. Regions may contain views and shortcuts; an op that needs all of a value
    (the squeeze of squeeze-and-excitation) is computed unpartitioned next to the stages. A region ends before an op
    whose first part needs all of its producers.

    Before:
    ```mlir
    %y = graph.conv %x, %v : tensor<1x8x16x16xf32>, tensor<32x8x1x1xf32>
    %z = graph.conv %y, %w groups = 32, pads = [1, 1, 1, 1] : tensor<1x32x16x16xf32>, tensor<32x1x3x3xf32>
    ```
    After `chain{axis=2 stages=2}`: the second op's rows 0 to 8 need rows 0 to 9 of the first one.
    ```mlir
    %0 = graph.slice %x starts = [0, 0, 0, 0], ends = [1, 8, 9, 16] : tensor<1x8x16x16xf32>
    %1 = graph.conv %0, %v : tensor<1x8x9x16xf32>, tensor<32x8x1x1xf32>
    %2 = graph.slice %x starts = [0, 0, 9, 0], ends = [1, 8, 16, 16] : tensor<1x8x16x16xf32>
    %3 = graph.conv %2, %v : tensor<1x8x7x16xf32>, tensor<32x8x1x1xf32>
    %y = graph.concat %1, %3 axis = 2 : tensor<1x32x9x16xf32>, tensor<1x32x7x16xf32>
    %4 = graph.conv %1, %w groups = 32, pads = [1, 1, 0, 1] : tensor<1x32x9x16xf32>, tensor<32x1x3x3xf32>
    %5 = graph.slice %y starts = [0, 0, 7, 0], ends = [1, 32, 16, 16] : tensor<1x32x16x16xf32>
    %6 = graph.conv %5, %w groups = 32, pads = [0, 1, 1, 1] : tensor<1x32x9x16xf32>, tensor<32x1x3x3xf32>
    %z = graph.concat %4, %6 axis = 2 : tensor<1x32x8x16xf32>
    ```
    """

    name = "chain"
    COMPARED: ClassVar[bool] = True
    READS_MACHINE: ClassVar[bool] = False
    axis: int = 2
    stages: int = 2
    op: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.axis < 0 or self.stages < 2:
            raise ValueError(f"chain takes an axis from 0 on and 2 stages or more, not {self.axis} and {self.stages}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        made = 0
        for function in functions(op):
            for block in function.body.blocks:
                for region in list(regions(block, self.op, self.axis, self.stages)):
                    made += chain_region(region, self.axis, self.stages) is not None
        if made:
            apply_patterns(op, patterns(movement.RULES), remove_dead=True, name=self.name)
        else:
            ops_meant = f"ops of kind {' or '.join(self.op)}" if self.op else "contractions"
            note(f"chain: no dependent {ops_meant} can be pipelined along axis {self.axis}")


def regions(block: Block, kinds: Collection[str], axis: int, stages: int) -> Iterator[list[Op]]:
    """The maximal regions of a block whose ops are all computed in `stages` stages: ops of the given kinds (by default
    contractions) and element-wise ops that read them, with the views between. Each region has at least two ops, in
    program order."""
    early = ahead_of_time(block)
    place: dict[Op, int] = {}
    region_of: dict[Operation, _Region] = {}
    for op in block.ops:
        if op in early or not is_graph_op(op):
            continue
        place[op] = len(place)
        is_link = is_of_kind(op, kinds)
        if not is_link and not is_pointwise(op):
            continue
        found = _Region([op], {})
        for feeding, views in _regions_before(op, region_of):
            ops = sorted({*feeding.ops, *views, *found.ops}, key=place.__getitem__)
            before = feeding.cuts if len(found.ops) == 1 else {}
            larger = _Region(ops, _cuts(ops, axis, stages, before))
            if larger.is_staged(op, stages):
                found = larger
        if is_link or len(found.ops) > 1:
            region_of.update(dict.fromkeys(found.ops, found))
    yield from (region.ops for region in dict.fromkeys(region_of.values()) if len(region.ops) > 1)


@dataclass(frozen=True, eq=False)
class _Region:
    ops: list[Op]
    cuts: dict[Operation, _Cut]

    def is_staged(self, last: Op, stages: int) -> bool:
        """True if all ops of the region have `stages` stages, and the stages of the last op read stages of other
        ops."""
        if any(op not in self.cuts or self.cuts[op].count < stages for op in self.ops):
            return False
        return any(value.owner in self.cuts and any(_wanted(value, {last: self.cuts[last]})) for value in last.operands)


def _regions_before(op: Op, region_of: Mapping[Operation, _Region]) -> list[tuple[_Region, list[Op]]]:
    """The regions, without duplicates, whose results an op reads, and the views through which it reads them."""
    found: dict[_Region, list[Op]] = {}
    for value in op.operands:
        maker, views = _maker(value, region_of)
        if maker is not None:
            found.setdefault(region_of[maker], []).extend(views)
    return list(found.items())


def _maker(value: SSAValue, among: Container[object]) -> tuple[Operation | None, list[Op]]:
    """The op in a set of which a value is a result or a view of a result (None if there is none), and the views in
    between, the first view first."""
    views: list[Op] = []
    while (owner := value.owner) not in among:
        if not isinstance(owner, GraphOp | FusedOp) or len(owner.operands) != 1 or not is_view(owner):
            return None, []
        views.insert(0, owner)
        value = owner.operands[0]
    return (owner, views) if isinstance(owner, Operation) else (None, [])


def chain_region(region: Sequence[Op], axis: int, stages: int) -> list[list[Op]] | None:
    """Compute ops of a block, in program order, stage by stage: for each op its shards, a single one if it is computed
    unpartitioned. Ops without consumers in the region are cut evenly along the axis; the other ops, and the views
    between ops, are cut at the ends that the stages of their consumers need. None if no op would read a stage of
    another op; then nothing is changed."""
    ops = _with_views(region)
    found = _cuts(ops, axis, stages, {})
    if not any(found[op].wanted for op in region if op in found):
        return None
    shards: dict[Op, list[Op]] = {}
    for op in ops:
        cut = found.get(op)
        made = split_op(op, cut.axis, cut.ranges, follow=False) if cut is not None else None
        shards[op] = [op] if made is None else [shard for [shard] in made]
    return [shards[op] for op in region]


def _with_views(region: Sequence[Op]) -> list[Op]:
    """The region with the views through which its ops read each other."""
    ops: dict[Op, None] = {}
    for op in region:
        for value in op.operands:
            ops.update(dict.fromkeys(_maker(value, ops)[1]))
        ops[op] = None
    return list(ops)


@dataclass(frozen=True)
class _Cut:
    """The stages of an op along an axis of its result: the end of each stage (equal ends mean empty stages), and the
    parts of operands that each stage reads. `wanted`: True if the stages of a consumer require these ends."""

    axis: int
    ends: tuple[int, ...]
    parts: tuple[PartOperands | None, ...]
    wanted: bool

    @property
    def ranges(self) -> list[range]:
        """The non-empty stages."""
        return [range(begin, end) for begin, end in pairwise((0, *self.ends)) if begin < end]

    @property
    def count(self) -> int:
        """The number of non-empty stages."""
        return len({0, *self.ends}) - 1


def _cuts(region: Sequence[Op], axis: int, stages: int, before: Mapping[Operation, _Cut]) -> dict[Operation, _Cut]:
    """The cuts of each op of a region, from the last op back to the first; ops that are computed unpartitioned are left
    out, and require no cuts of their producers. `before`: cuts of a region with one op less; kept if no consumer's
    cut changes."""
    found: dict[Operation, _Cut] = {}
    changed: set[Operation] = set()
    for op in reversed(region):
        old = before.get(op)
        if old is not None and not any(use.operation in changed for value in op.results for use in value.uses):
            found[op] = old
            continue
        new = _cut_for(op, found, axis, stages)
        if new is not None:
            found[op] = new
        if old is None or new is None or (old.axis, old.ends) != (new.axis, new.ends):
            changed.add(op)
    return found


def _cut_for(op: Op, found: Mapping[Operation, _Cut], axis: int, stages: int) -> _Cut | None:
    """The cuts of an op, given those of its consumers; None if it is computed unpartitioned."""
    wanted = [each for value in op.results for each in _wanted(value, found)]
    axes = {along for along, _ in wanted} or {axis}
    if len(axes) > 1 or max(axes) >= len(shape_of(op.results[0])):
        return None
    [along] = axes
    extent = shape_of(op.results[0])[along]
    even = [extent * (stage + 1) // stages for stage in range(stages)]
    ends = [max(each) for each in zip(*(needed for _, needed in wanted), strict=True)] if wanted else even
    ends[-1] = extent  # elements that no window reads are computed, too
    return _cut(op, along, ends, bool(wanted))


def _wanted(value: SSAValue, found: Mapping[Operation, _Cut]) -> Iterator[tuple[int, list[int]]]:
    """For each use of a value by an op that is cut: the axis of the value along which successive stages need more of
    it, and for each stage the end of the part that it needs. Empty if every stage needs the same part."""
    for use in value.uses:
        if (cut := found.get(use.operation)) is None:
            continue
        needs = [None if part is None else part.needs[use.index] for part in cut.parts]
        boxes: list[Box] = [need for need in needs if need is not None]
        axes = [axis for axis in range(len(shape_of(value))) if len({box[axis].stop for box in boxes}) > 1]
        if len(axes) == 1:
            ends = [0]
            for need in needs:
                ends.append(ends[-1] if need is None else max(ends[-1], need[axes[0]].stop))
            yield axes[0], ends[1:]


def _cut(op: Op, axis: int, ends: Sequence[int], wanted: bool) -> _Cut | None:
    """A cut at the given ends, or at the nearest later ones, such that the parts can be computed alone; None if there
    is no such cut, or if it has only one part."""
    box = full_box(op.results[0])
    settled: list[int] = [0]
    parts: list[PartOperands | None] = []
    for end in ends:
        found = None
        start = settled[-1]
        for stop in range(end, min(end + REACH, len(box[axis])) + 1 if end > start else end):
            if (found := part_of(op, replaced(box, axis, range(start, stop)))) is not None:
                settled.append(stop)
                break
        if found is None:
            if end > start:
                return None
            settled.append(start)
        parts.append(found)
    cut = _Cut(axis, tuple(settled[1:]), tuple(parts), wanted)
    return cut if len(cut.ranges) > 1 else None

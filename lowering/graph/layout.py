"""The pass `layout`: selects the memory order of each value's axes, and determines which slices and concats are
views."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, ModuleOp, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from dialects.graph import (
    ConcatOp,
    ConstantOp,
    FusedOp,
    GraphOp,
    OverwritingOp,
    RepeatOp,
    SliceOp,
    TransposeOp,
    appends,
    shape_of,
)
from dialects.graph.boxes import full_box
from dialects.graph.properties import flag
from dialects.graph.roles import AnyLayout
from dialects.locations import located
from interp.walk.entry import ahead_of_time, block_of, blocks_of, changed_states, functions
from interp.walk.level import is_launch
from interp.walk.loops import fill_of
from interp.walk.unchanged import forget, unchanged
from interp.walk.views import (
    ORDER,
    Neighbours,
    Order,
    axis_of,
    cuts_only,
    is_contiguous,
    is_last_reader,
    is_reshape,
    is_view,
    order_of,
)
from lowering.graph.rewriting import apply_once, rewriter_at, set_attribute

CHANNELS_LAST: Order = (0, 2, 3, 1)
CHANNELS_FIRST: Order = (0, 3, 1, 2)
"""The permutation from channels-last to channels-first axes."""


@dataclass(frozen=True)
class LayoutPass(ModulePass):
    """Assigns each value an order of its axes in memory, and records it on each slice and concat whose operands and
    result have the same order: `order`, the outermost axis first. If the slice or concat is then contiguous in memory,
    it is a view and takes no time; for a concat, each op that computes a part must also be able to write it directly
    into its range of the result. A slice of a concat that is a view becomes a concat of only those parts that it needs.

    Images (rank 4) are channels-last between convolutions, poolings and element-wise ops, single or fused. A transpose
    that converts an image to channels-last for a launched program, or back, is then a view (its `order` is that of its
    operand). All other values are row-major: arguments and results of the function, and operands and results of other
    ops (a reshape, a matmul); the kernel that computes such an operand writes it in this order. Earlier `order`
    attributes are replaced. Results do not change.

    An update of a slice, or a scatter, is made in place (`in_place`) if the old value has no later readers and its
    memory belongs to the program: the result of an op, a value that a loop carries, or a donated argument. If the old
    value is a constant that repeats one number, a `graph.broadcast` writes it before the update, so that it does not
    occupy memory between runs. Ops that only update donated arguments take no memory, and are moved as early as
    possible, so that their operands (gradients) can be freed before the end of a step.

    Before:
    ```mlir
    %x = graph.relu %i : tensor<1x8x4x4xf32>
    %0 = graph.slice %x starts = [0, 0, 1, 0], ends = [1, 8, 4, 4] : tensor<1x8x4x4xf32>
    %y = graph.conv %0, %w pads = [0, 1, 1, 1] : tensor<1x8x3x4xf32>, tensor<4x8x3x3xf32>
    ```
    After: rows 1 to 4 of the image are contiguous.
    ```mlir
    %x = graph.relu %i : tensor<1x8x4x4xf32>
    %0 = graph.slice %x starts = [0, 0, 1, 0], ends = [1, 8, 4, 4] {order = array<i64: 0, 2, 3, 1>}
      : tensor<1x8x4x4xf32>
    %y = graph.conv %0, %w pads = [0, 1, 1, 1] : tensor<1x8x3x4xf32>, tensor<4x8x3x3xf32>
    ```
    """

    name = "layout"
    READS_MACHINE: ClassVar[bool] = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            lay_out(function)
            write_in_place(function)
            update_early(function)


def lay_out(function: FuncOp, excerpt: bool = False) -> None:
    """Record the order of operands and results on the slices and concats of a function of graph ops. An `excerpt` is a
    part of a program: its arguments and results can be channels-last like intermediate images."""
    for block in blocks_of(function):
        _lay_out(block, excerpt)


def write_in_place(function: FuncOp) -> None:
    """Set `in_place` on all scatters and slice updates that can be made in place, and remove it from all other scatters
    and slice updates."""
    donated = changed_states(function)
    for block in blocks_of(function):
        early = ahead_of_time(block)
        for op in list(block.ops):
            if isinstance(op, OverwritingOp):
                _write_constant(op)
                op.in_place = flag(_is_own(op.before, early, donated) and is_last_reader(op, op.before))


def update_early(function: FuncOp) -> None:
    """Move ops whose results all reuse the memory of donated arguments that they read, directly behind the last op that
    they depend on."""
    block, updated = block_of(function), dict[Operation, dict[SSAValue, SSAValue]]()
    assert block.last_op is not None
    for argument, number in changed_states(function).items():
        result = block.last_op.operands[number] if number is not None else argument
        op = result.owner
        if isinstance(op, GraphOp | FusedOp) and argument in op.operands:
            updated.setdefault(op, {})[result] = argument
    place = {op: Fraction(index) for index, op in enumerate(block.ops)}  # exact, however many ops move to one place
    for op, results in sorted(updated.items(), key=lambda each: place[each[0]]):
        needed = [value.owner for value in op.operands if isinstance(value.owner, Operation)]
        needed += [use.operation for argument in results.values() for use in argument.uses if use.operation is not op]
        behind = max(needed, key=place.__getitem__, default=None)
        if len(results) == len(op.results) and behind is not None and place[behind] < place[op]:
            op.detach()
            following = behind.next_op
            assert following is not None
            block.insert_op_after(op, behind)
            rewriter_at(op).notify_op_modified(op)  # it was moved
            place[op] = (place[behind] + place[following]) / 2


def _write_constant(op: OverwritingOp) -> None:
    """If an op overwrites a constant that repeats one number, insert an op that writes this constant before it."""
    constant, fill = op.before.owner, fill_of(op.before)
    if fill is None or not isinstance(constant, ConstantOp):
        return
    one = fill.operands[0].owner
    assert isinstance(one, Operation)
    rewriter = rewriter_at(op)
    rewriter.insert([one, fill])
    fill.results[0].name_hint = op.before.name_hint
    rewriter.replace_uses_with_if(op.before, fill.results[0], lambda use: use.operation is op and use.index == 0)
    if constant.y.first_use is None:
        rewriter.erase(constant)


def _is_own(value: SSAValue, early: Container[Operation], donated: Container[SSAValue]) -> bool:
    """True if the memory of a value belongs to the program, and no other value shares it."""
    owner = value.owner
    if isinstance(owner, Operation):
        return owner not in early and not (isinstance(owner, GraphOp | FusedOp) and is_view(owner, early))
    loop = owner.parent_op()
    if isinstance(loop, RepeatOp):
        return value in loop.arguments[: len(loop.outputs)]
    return value in donated


def _lay_out(block: Block, excerpt: bool) -> None:
    early = ahead_of_time(block)
    moves = [op for op in block.ops if isinstance(op, SliceOp | ConcatOp) and op not in early and not appends(op)]
    for op in moves:
        set_attribute(op, ORDER, None)
    transposes = [op for op in block.ops if isinstance(op, TransposeOp) and op not in early]
    for op in transposes:
        set_attribute(op, ORDER, None)
    images = _Images(moves, early, excerpt)
    for op in transposes:
        set_attribute(op, ORDER, images.transposed_order(op) if _takes_any_order(op) else None)
    with unchanged():
        apply_once(moves, NoteOrder(images))
    with unchanged():  # the bytes that a value consists of stay the same, and nothing else is cached
        apply_once(moves, ReadParts(early))


class NoteOrder(RewritePattern):
    """Adds the attribute `order` to slices and concats whose operands and result have the same order of axes."""

    def __init__(self, images: _Images) -> None:
        self.images = images
        self.neighbours = Neighbours()

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SliceOp | ConcatOp, rewriter: PatternRewriter) -> None:
        order = self.images.common_order(op)
        if order is None:
            return
        op.attributes[ORDER] = DenseArrayBase.from_list(i64, order)
        forget(op)  # what is known of earlier ops does not depend on it
        if (
            not isinstance(op, ConcatOp)
            or not is_contiguous(op, order)
            or is_reshape(op)
            or self.neighbours.add(op, self.images.early)
        ):
            rewriter.notify_op_modified(op)
        else:
            del op.attributes[ORDER]  # its parts are stored elsewhere
            forget(op)


class ReadParts(RewritePattern):
    """slice(concat(a, b, c)) = concat(slice(a), b), if the slice reads only parts a and b and all of these ops are
    views: the result then depends only on the parts that the slice needs, so that no other parts have to be copied
    between devices."""

    def __init__(self, early: Container[Operation]) -> None:
        """`early`: the ops that are computed ahead of time."""
        self.early = early

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SliceOp, rewriter: PatternRewriter) -> None:
        joined, early = op.x.owner, self.early
        if not isinstance(joined, ConcatOp) or not is_view(op, early) or not is_view(joined, early):
            return
        axis, order = axis_of(joined), order_of(joined)
        if order is None or order_of(op) != order or not cuts_only(op, axis):
            return
        made, parts = list[SliceOp | ConcatOp](), list[SSAValue]()
        if (read := joined.part(op.ranges())) is None:
            return
        for part, need in zip(joined.parts, read.needs, strict=True):
            if need == full_box(part):
                parts.append(part)
            elif need is not None:
                made.append(SliceOp.of(part, need))
                parts.append(made[-1].y)
        if len(parts) > 1:
            made.append(ConcatOp(*parts, axis=axis))
        for new in made:
            new.attributes[ORDER] = DenseArrayBase.from_list(i64, order)
            rewriter.insert(located(new, op))
        if all(is_view(new, early) for new in made):
            rewriter.replace_all_uses_with(op.y, shown := made[-1].y if made else parts[0])
            shown.name_hint = shown.name_hint or op.y.name_hint
            made = [joined, op]
        for old in reversed(made):
            if not old.y.uses.get_length():
                rewriter.erase(old)


class _Images:
    """The classification of values of rank 4 as row-major or channels-last."""

    def __init__(self, moves: list[SliceOp | ConcatOp], early: dict[Operation, None], excerpt: bool) -> None:
        self.early = early
        self.excerpt = excerpt
        self.row_major: set[SSAValue] = set()
        for op in moves:  # a contiguous slice of row-major values is row-major
            if all(map(self.is_row_major, op.operands)) and _is_contiguous(op):
                self.row_major.add(op.y)
        for op in reversed(moves):  # parts of a contiguous row-major concat are so, too, unless others cut them
            if self.is_row_major(op.y) and _is_contiguous(op):
                self.row_major.update(value for value in op.operands if not _is_cut(value, op))

    def is_row_major(self, value: SSAValue) -> bool:
        """True if a value is row-major: it is not an image, or an op that reads or computes it requires this order."""
        if len(shape_of(value)) != len(CHANNELS_LAST) or value in self.row_major:
            return True
        owner = value.owner
        made = _takes_any_order(owner) and owner not in self.early if isinstance(owner, Operation) else self.excerpt
        return not made or not all(self.takes_any_order(use.operation) for use in value.uses)

    def takes_any_order(self, op: Operation) -> bool:
        """True if an op accepts images in any order."""
        return _takes_any_order(op) or (self.excerpt and isinstance(op, ReturnOp))

    def order(self, value: SSAValue) -> Order:
        return tuple(range(len(shape_of(value)))) if self.is_row_major(value) else CHANNELS_LAST

    def transposed_order(self, op: TransposeOp) -> DenseArrayBase[IntegerType] | None:
        """The order of axes of a transpose's operand, if that makes the transpose a view; None if it must move
        elements."""
        operand, result = self.order(op.x), self.order(op.y)
        permutation = tuple(op.permutation.get_values())
        return (
            DenseArrayBase.from_list(i64, operand) if tuple(permutation[axis] for axis in result) == operand else None
        )

    def common_order(self, op: SliceOp | ConcatOp) -> Order | None:
        """The common layout of an op's operands and result; None if they differ. Axes of extent 1 are ignored."""
        largest = op.x if isinstance(op, SliceOp) else op.y
        order = self.order(largest)
        others = [op.y] if isinstance(op, SliceOp) else op.parts
        alike = all(_long_axes(order, value) == _long_axes(self.order(value), value) for value in others)
        return order if alike else None


def _takes_any_order(op: Operation) -> bool:
    """True if an op accepts and computes images in any order. This includes a transpose that converts images to
    channels-last for a launched program, or back from its result."""
    if isinstance(op, TransposeOp):
        transposed_order = tuple(op.permutation.get_values())
        given = transposed_order == CHANNELS_LAST and all(is_launch(use.operation) for use in op.y.uses)
        return given or (
            transposed_order == CHANNELS_FIRST and isinstance(op.x.owner, Operation) and is_launch(op.x.owner)
        )
    return all(inner.has_trait(AnyLayout) for inner in (op.ops if isinstance(op, FusedOp) else (op,)))


def _is_contiguous(op: SliceOp | ConcatOp) -> bool:
    """True if a slice or concat is contiguous when all values are row-major."""
    return is_contiguous(op, tuple(range(len(shape_of(op.y)))))


def _is_cut(value: SSAValue, but: Operation) -> bool:
    """True if a slice or concat other than `but` reads or computes a value."""
    ops = [value.owner, *(use.operation for use in value.uses)]
    return any(isinstance(op, SliceOp | ConcatOp) and op is not but for op in ops)


def _long_axes(order: Order, value: SSAValue) -> list[int]:
    return [axis for axis in order if shape_of(value)[axis] != 1]

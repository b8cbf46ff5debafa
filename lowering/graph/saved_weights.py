"""Recomputation of attention weights that a forward loop saves in each iteration for the backward loop.

JAX's scan over layers stacks the values that the backward pass reads: exponentials, weights, row sums, q, k and v.
Here, the backward loop recomputes the exponentials and weights of an iteration from the other stacked values and from
the row maxima, which the forward loop stacks instead. The stacks of weights are then unused and are removed.

    repeat i { … e = exp(s - m); p = e / z; ps[i] = p; … }          repeat i { … ms[i] = m; … }
    repeat j { p = ps[n - 1 - j]; … }                            →  repeat j { p = exp(q · kᵀ - ms[n - 1 - j]) / z; … }
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, SSAValue

from dialects import graph as g
from dialects.element_types import tensor_type
from dialects.graph.patterns.loops import RULES as LOOPS
from dialects.graph.patterns.matching import filled, made_by, splat
from dialects.graph.rules import patterns
from dialects.locations import located
from lowering.graph.attention import Parts, Scores, is_move, with_statistics
from lowering.graph.rewriting import apply_patterns, rewriter_at


def recompute_saved_weights(module: ModuleOp, blocks: Iterable[Block]) -> None:
    """Let backward loops recompute the scores and weights that forward loops save, for attentions for which a kernel
    exists. Stacks without readers are then removed."""
    changed = False
    for block in list(blocks):
        for anchor in [op for loop in block.ops if isinstance(loop, g.RepeatOp) for op in loop.ops]:
            saved = _Saved.of(anchor) if isinstance(anchor, g.SoftmaxOp | g.ExpOp) else None
            if saved is not None:
                saved.recompute()
                changed = True
    if changed:
        apply_patterns(module, patterns(LOOPS), remove_dead=True, name="fuse")


@dataclass
class _Saved:
    """The saved weights of one attention in a forward loop, and their readers in a backward loop."""

    scores: Scores
    forward: g.RepeatOp
    backward: g.RepeatOp
    at: SSAValue
    """The number of the forward iteration whose weights the backward iteration reads."""
    reads: list[tuple[g.DynamicSliceOp, SSAValue]]
    """The slices that read saved values in the backward loop, each with the value that the forward loop saved."""
    stacks: dict[SSAValue, int]
    """For each stacked value, the number of the forward loop's result that holds the stack."""
    rows: list[SSAValue] = field(default_factory=list[SSAValue])
    """Values with one element per row of scores that the forward loop must stack in addition to those that it stacks
    already."""

    @staticmethod
    def of(anchor: g.SoftmaxOp | g.ExpOp) -> _Saved | None:
        """The saved weights that depend on `anchor` in a forward loop; None if the backward loop can't recompute
        them."""
        scores, forward = Scores.around(anchor), anchor.parent_op()
        if not isinstance(forward, g.RepeatOp) or scores is None or not scores.stores or len(scores.ops[anchor]) != 1:
            return None
        parts = Parts.of(scores, scores.ops[anchor])
        if parts is None or parts.result is None or parts.gradients:
            return None
        stacks = _stacks(forward)
        reads: list[tuple[g.DynamicSliceOp, SSAValue]] = []
        for store in scores.stores:
            value = _bare(store.update)
            slices = _slices(forward.results[stacks[value]]) if value in stacks else None
            if not slices:
                return None
            reads += [(each, value) for each in slices]
        ends = {(each.parent_op(), each.starts[0]) for each, _ in reads}
        backward, at = next(iter(ends))
        if len(ends) > 1 or not isinstance(backward, g.RepeatOp) or backward.parent is not forward.parent:
            return None
        taken = Scores.around(*(each for each, _ in reads))
        if taken is None or taken.stores or Parts.of(taken, frozenset()) is None or at.type != forward.counter.type:
            return None
        if isinstance(anchor, g.SoftmaxOp):
            written = with_statistics(parts.forward)
            return _Saved.of(next(op for op in written if isinstance(op, g.ExpOp)))
        found = _Saved(scores, forward, backward, at, reads, stacks)
        return found if all(found.is_at_hand(value, set()) for _, value in reads) else None

    def is_at_hand(self, value: SSAValue, met: set[SSAValue]) -> bool:
        """True if the backward loop can read or recompute a value of the forward loop. Adds to `rows` the values with
        one element per row that the forward loop must stack for this."""
        value = _bare(value)
        if value in met:
            return True
        met.add(value)
        if self.is_stacked(value) or value is self.forward.counter or self.is_same(value):
            return True
        op = made_by(value, g.GraphOp)
        if op is None:
            return False
        if not self.scores.holds(value) and self.scores.holds_all(value) and op in self.scores.ops:
            self.rows += [] if value in self.rows else [value]
            return True
        known = op in self.scores.ops or is_move(op) or isinstance(op, g.ConstantOp)
        return known and all(self.is_at_hand(operand, met) for operand in op.operands)

    def is_stacked(self, value: SSAValue) -> bool:
        """True if the forward loop saves a value to a stack, and the value is neither a score nor a weight to
        recompute."""
        return value in self.stacks and value not in [read for _, read in self.reads]

    def is_same(self, value: SSAValue) -> bool:
        """True if a value is the same in all iterations of the forward loop."""
        return isinstance(value, BlockArgument) and value.index > len(self.forward.outputs)

    def recompute(self) -> None:
        """Replace the backward loop's reads of saved scores and weights by their recomputation."""
        self._stack_rows()
        block, same = self.backward.body.block, list[SSAValue]()
        place = {op: index for index, op in enumerate(block.ops)}
        readers = (use.operation for op, _ in self.reads for use in op.y.uses)
        first = min(readers, key=place.__getitem__)
        rewriter, copies = rewriter_at(first), dict[SSAValue, SSAValue]()

        def handed(value: SSAValue) -> SSAValue:
            inputs = [*self.backward.inputs, *same]
            if value not in inputs[len(self.backward.outputs) :]:
                same.append(value)
                inputs.append(value)
                block.insert_arg(value.type, len(block.args))
            return block.args[1 + inputs.index(value, len(self.backward.outputs))]

        def sliced(stack: SSAValue) -> SSAValue:
            near = _slices_of(stack)
            for op in near or ():
                if op.starts[0] is self.at and place.get(op, len(place)) < place[first]:
                    return op.y
            zeros = [rewriter.insert(_zero()).y for _ in g.shape_of(stack)[1:]]
            sizes = [1, *g.shape_of(stack)[1:]]
            return rewriter.insert(g.DynamicSliceOp(stack, self.at, *zeros, sizes=sizes)).y

        def recomputed(value: SSAValue) -> SSAValue:
            bare = _bare(value)
            if bare not in copies:
                copies[bare] = made(bare)
            copy = copies[bare]
            kept = copy.type == value.type
            return copy if kept else rewriter.insert(g.ReshapeOp(copy, result_type=g.tensor_of(value))).y

        def made(value: SSAValue) -> SSAValue:
            if self.is_stacked(value):
                return sliced(handed(self.forward.results[self.stacks[value]]))
            if value is self.forward.counter:
                return self.at
            if self.is_same(value):
                assert isinstance(value, BlockArgument)
                return handed(self.forward.inputs[value.index - 1])
            op = made_by(value, g.GraphOp)
            assert op is not None
            copy = located(op.clone(value_mapper={operand: recomputed(operand) for operand in op.operands}), op)
            return rewriter.insert(copy).results[0]

        for op, value in self.reads:
            copy = recomputed(value)
            if copy.type != op.y.type:
                copy = rewriter.insert(g.ReshapeOp(copy, result_type=g.tensor_of(op.y))).y
            rewriter.replace_all_uses_with(op.y, copy)
            rewriter.erase(op)
        if same:
            _rebuilt(self.backward, [*self.backward.inputs, *same])

    def _stack_rows(self) -> None:
        """Let the forward loop stack the values of `rows`, which have one element per row."""
        loop, count = self.forward, len(self.forward.outputs)
        outside, inside, starts = rewriter_at(loop), rewriter_at(loop.last), list[SSAValue]()
        kept = list(loop.last.operands)
        for index, row in enumerate(self.rows):
            tensor = g.tensor_of(row)
            stack = tensor_type((loop.iterations, *tensor.get_shape()), tensor.element_type)
            starts.append(outside.insert(filled(stack, 0.0)).y)
            argument = loop.body.block.insert_arg(stack, 1 + count + index)
            part = tensor_type((1, *tensor.get_shape()), tensor.element_type)
            update = inside.insert(g.ReshapeOp(row, result_type=part)).y
            zeros = [inside.insert(_zero()).y for _ in tensor.get_shape()]
            kept.append(inside.insert(g.DynamicUpdateSliceOp(argument, update, loop.counter, *zeros)).y)
            self.stacks[_bare(row)] = count + index
        if self.rows:
            loop.last.operands = kept
            self.forward = _rebuilt(loop, [*loop.inputs[:count], *starts, *loop.inputs[count:]])


def _rebuilt(loop: g.RepeatOp, inputs: list[SSAValue]) -> g.RepeatOp:
    """The loop rebuilt with results that match the changed arguments and yield of its body."""
    rewriter = rewriter_at(loop)
    made = located(g.RepeatOp(loop.counted, inputs, loop.detach_region(loop.body)), loop)
    made.attributes |= loop.attributes
    rewriter.insert(made)
    for old, new in zip(loop.results, made.results, strict=False):
        new.name_hint = old.name_hint
        rewriter.replace_all_uses_with(old, new)
    rewriter.erase(loop)
    return made


def _stacks(loop: g.RepeatOp) -> dict[SSAValue, int]:
    """The values that a loop saves to stacks, one slice per iteration, each with the number of the loop's result that
    is the stack."""
    found: dict[SSAValue, int] = {}
    for index, value in enumerate(loop.last.values):
        store, argument = made_by(value, g.DynamicUpdateSliceOp), loop.arguments[index]
        if store is None or store.x is not argument or not argument.has_one_use() or loop.counted.start:
            continue
        stack_shape = g.shape_of(argument)
        if (
            store.starts[0] is loop.counter
            and stack_shape[0] == loop.iterations
            and _is_iteration_slice(store.starts, store.update, stack_shape)
        ):
            found[_bare(store.update)] = index
    return found


def _is_iteration_slice(starts: Sequence[SSAValue], part: SSAValue, stack_shape: tuple[int, ...]) -> bool:
    """True if `part` is the complete slice of a stack for one iteration."""
    return g.shape_of(part) == (1, *stack_shape[1:]) and all(splat(start) == 0 for start in starts[1:])


def _slices(stack: SSAValue) -> list[g.DynamicSliceOp] | None:
    """The slices that read a stack in loops, each for one iteration; None if anything else reads the stack."""
    found: list[g.DynamicSliceOp] = []
    for use in stack.uses:
        loop = use.operation
        if not isinstance(loop, g.RepeatOp) or use.index < len(loop.outputs):
            return None
        slices = _slices_of(loop.arguments[use.index])
        if slices is None:
            return None
        found += slices
    return found


def _slices_of(stack: SSAValue) -> list[g.DynamicSliceOp] | None:
    """The slices that read a stack within one loop, each for one iteration; None if anything else reads the stack."""
    users = [use.operation for use in stack.uses]
    slices = [user for user in users if isinstance(user, g.DynamicSliceOp) and user.x is stack]
    stack_shape = g.shape_of(stack)
    return (
        slices
        if len(slices) == len(users) and all(_is_iteration_slice(op.starts, op.y, stack_shape) for op in slices)
        else None
    )


def _zero() -> g.ConstantOp:
    return g.ConstantOp(np.array(0, np.int32))


def _bare(value: SSAValue) -> SSAValue:
    """The value at the start of the chain of reshapes that ends in `value`; `value` itself if no reshape computes
    it."""
    while (op := made_by(value, g.ReshapeOp)) is not None:
        value = op.x
    return value

"""The pass `chain`: ops that follow each other are computed stage by stage, so that the next one starts on a first part
while the one before is at its second."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from dialects.diagnostics import note
from dialects.graph import ElementwiseOp, GraphOp, shape_of
from interp.program import ahead_of_time, functions
from lowering.rewriting import apply_rules, index
from lowering.rules import movement
from lowering.split import CONTRACTIONS, split_op
from lowering.tiling import part_of, replaced, whole


@dataclass(frozen=True)
class ChainPass(ModulePass):
    """Computes chains of ops in stages along an axis: each op's parts are cut where the next op's parts need them,
    halos included, so that no element is computed twice and a part waits for no more than what it reads.

    `axis`: of the results, from the front. `stages`: how many parts. `op`: the kinds that make a chain with the
    element-wise ops between them (several: `op=conv,pool`); where nothing is named, contractions. A chain ends where a
    value is used more than once, and before an op whose first part needs all of what stands before it.

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
    axis: int = 2
    stages: int = 2
    op: tuple[str, ...] = CONTRACTIONS

    def __post_init__(self) -> None:
        if self.axis < 0 or self.stages < 2:
            raise ValueError(f"chain takes an axis from 0 on and 2 stages or more, not {self.axis} and {self.stages}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        made = 0
        for function in functions(op):
            for block in function.body.blocks:
                for chain in list(chains(block, self.op, self.axis, self.stages)):
                    made += chain_ops(chain, self.axis, self.stages)
        if made:
            apply_rules(op, index(movement.RULES), remove_dead=True, name=self.name)
        else:
            note(f"chain: no two ops of kind {' or '.join(self.op)} follow each other along axis {self.axis}")


def chains(block: Block, kinds: Sequence[str], axis: int, stages: int) -> Iterator[list[GraphOp]]:
    """The longest chains of a block, each of two ops or more: an op of one of the kinds and the element-wise ops behind
    it are one link."""
    early = ahead_of_time(block)
    taken: set[Operation] = set()
    for op in block.ops:
        if op in taken or op in early or not _is_link(op, kinds):
            continue
        assert isinstance(op, GraphOp)
        found = [op]
        while (following := _next(found[-1], kinds)) is not None:
            if following in taken or boundaries([*found, following], axis, stages) is None:
                break
            found.append(following)
        if len(found) > 1:
            taken.update(found)
            yield found


def chain_ops(chain: Sequence[GraphOp], axis: int, stages: int) -> bool:
    """Compute a chain's ops in stages, each op cut where the next one needs it; whether there are such cuts."""
    found = boundaries(chain, axis, stages)
    if found is None:
        return False
    for op, ends in zip(chain, found, strict=True):
        split_op(op, axis, _ranges(ends), follow=False)
    return True


def boundaries(chain: Sequence[GraphOp], axis: int, stages: int) -> list[list[int]] | None:
    """Where each op of a chain is cut, both ends included: the last one evenly, each other one behind what the parts of
    the next one need. None where parts can't be computed alone or a stage would be empty."""
    extent = _extent(chain[-1], axis)
    ends = [extent * stage // stages for stage in range(stages + 1)]
    found = [ends]
    for op, following in zip(chain[-2::-1], chain[:0:-1], strict=True):
        operand = list(following.operands).index(op.results[0])
        needed = [0]
        for indices in _ranges(ends):
            part = part_of(following, replaced(whole(following.results[0]), axis, indices))
            need = part.needs[operand] if part is not None else None
            if need is None or axis >= len(need):
                return None
            needed.append(need[axis].stop)
        needed[-1] = _extent(op, axis)  # what no window sees is computed all the same
        found.append(needed)
        ends = needed
    alone = all(_computable(op, axis, cut) for op, cut in zip(chain, found[::-1], strict=True))
    return found[::-1] if alone else None


def _ranges(ends: Sequence[int]) -> list[range]:
    return [range(begin, end) for begin, end in pairwise(ends)]


def _computable(op: GraphOp, axis: int, ends: Sequence[int]) -> bool:
    if axis >= len(shape_of(op.results[0])) or not all(_ranges(ends)):
        return False
    return all(part_of(op, replaced(whole(op.results[0]), axis, part)) for part in _ranges(ends))


def _extent(op: GraphOp, axis: int) -> int:
    shape = shape_of(op.results[0])
    return shape[axis] if axis < len(shape) else 0


def _is_link(op: Operation, kinds: Sequence[str]) -> bool:
    return isinstance(op, GraphOp) and op.name.removeprefix("graph.") in kinds


def _next(op: GraphOp, kinds: Sequence[str]) -> GraphOp | None:
    """The op that alone uses this one's result, if it may follow in a chain."""
    users = [use.operation for use in op.results[0].uses]
    if len(users) != 1 or users[0].parent is not op.parent:
        return None
    user = users[0]
    return user if isinstance(user, GraphOp) and (isinstance(user, ElementwiseOp) or _is_link(user, kinds)) else None

"""Extraction of the contraction (the anchor) from a fused group, for a device that can run the contraction but lacks
the verbs of the group's other ops."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from dialects.element_types import tensor_type
from dialects.graph import AddOp, ConvOp, FusedOp, GraphOp, MatmulOp, ReshapeOp, YieldOp, shape_of, tensor_of
from dialects.locations import located
from interp.walk.unchanged import once_per_op


class Split(NamedTuple):
    """A fused group split into two ops: `anchor`, the contraction, and `rest`, all other ops, whose results replace
    those of the group. Neither op is in a block yet."""

    anchor: GraphOp
    rest: GraphOp | FusedOp

    def drop(self) -> None:
        """Discard both ops, removing their uses of other values."""
        self.rest.drop_all_references()
        self.anchor.drop_all_references()


def split(op: GraphOp | FusedOp, keep_bias: bool) -> Split | None:
    """Split an op into its only contraction and all other ops of its group. None if it has no contraction, has several,
    or has a contraction with an operand that is no operand of the group.

    With `keep_bias`, only a fused group can be split. Without it, the bias becomes a separate `add` after the
    contraction, so that f16 results are rounded once more.

    ```mlir
    %y = graph.fused (%a = %x, %f = %w, %c = %b) {
      %0 = graph.matmul %a, %f, %c : tensor<1x64xf16>, tensor<64x64xf16>, tensor<64xf16>
      %1 = graph.relu %0 : tensor<1x64xf16>
      graph.yield %1
    }
    // becomes
    %m = graph.matmul %x, %w : tensor<1x64xf16>, tensor<64x64xf16>
    %y = graph.fused (%a = %m, %c = %b) {
      %0 = graph.add %a, %c : tensor<1x64xf16>, tensor<64xf16>
      %1 = graph.relu %0 : tensor<1x64xf16>
      graph.yield %1
    }
    ```
    """
    old = _anchor_in(op)
    if old is None:
        return None
    bias = old.bias if isinstance(old, MatmulOp | ConvOp) and not keep_bias else None
    if bias is None and (not isinstance(op, FusedOp) or not keep_bias):
        return None
    outside = _outside(op)
    operands = [outside.get(value, value) for value in old.operands if value is not bias or bias is None]
    anchor = located(
        type(old).create(
            operands=operands if bias is None else operands[:2],
            result_types=[old.results[0].type],
            properties=dict(old.properties),
        ),
        old if isinstance(op, FusedOp) else op,
    )
    anchor.results[0].name_hint = old.results[0].name_hint
    return Split(anchor, _rest(op, old, anchor, bias))


def _outside(op: GraphOp | FusedOp) -> dict[SSAValue, SSAValue]:
    """For each argument of a group's body, the operand of the group that is passed for it."""
    return dict(zip(op.body.block.args, op.inputs, strict=True)) if isinstance(op, FusedOp) else {}


@once_per_op
def _anchor_in(op: GraphOp | FusedOp) -> GraphOp | None:
    """The only contraction of an op, if all its operands are operands of the group; otherwise None."""
    ops = op.ops if isinstance(op, FusedOp) else (op,)
    found = [inner for inner in ops if isinstance(inner, GraphOp) and inner.work().macs]
    if len(found) != 1:
        return None
    [anchor] = found
    if isinstance(op, FusedOp) and not all(isinstance(value, BlockArgument) for value in anchor.operands):
        return None
    return anchor


def _rest(op: GraphOp | FusedOp, old: GraphOp, anchor: GraphOp, bias: SSAValue | None) -> GraphOp | FusedOp:
    """A group of all ops except the anchor. If the anchor lost its bias, the group starts with the addition of that
    bias."""
    body = list(op.ops) if isinstance(op, FusedOp) else [op]
    yielded = op.yielded if isinstance(op, FusedOp) else tuple(op.results)
    outside = _outside(op)
    inputs: dict[SSAValue, SSAValue] = {}
    block = Block()
    inner: dict[SSAValue, SSAValue] = {}

    def seen(value: SSAValue) -> SSAValue:
        """The value in the new group that replaces a value of the old group; adds an operand to the new group if
        needed."""
        if value in inner:
            return inner[value]
        source = anchor.results[0] if value is old.results[0] else outside.get(value, value)
        if source not in inputs:
            inputs[source] = block.insert_arg(source.type, len(block.args))
            inputs[source].name_hint = value.name_hint
        return inputs[source]

    sum_ = None
    if bias is not None:
        sum_ = _add(block, seen(old.results[0]), seen(bias), old)
        inner[old.results[0]] = sum_.results[0]
    for each in body:
        if each is not old:
            clone = each.clone_without_regions()
            clone.operands = [seen(value) for value in each.operands]
            block.add_op(clone)
            inner |= zip(each.results, clone.results, strict=True)
    results = [seen(value) for value in yielded]
    if sum_ is not None and block.first_op is sum_ and block.last_op is sum_:  # only the addition: no group is needed
        sum_.detach()
        sum_.operands = list(inputs)
        rest: GraphOp | FusedOp = sum_
    else:
        block.add_op(YieldOp(*results))
        rest = FusedOp(list(inputs), Region(block))
    for result, value in zip(rest.results, op.results, strict=True):
        result.name_hint = value.name_hint
    return located(rest, *(rest.ops if isinstance(rest, FusedOp) else (op,)))


def _add(block: Block, value: SSAValue, bias: SSAValue, old: Operation) -> AddOp:
    if isinstance(old, ConvOp):  # [M] broadcasts over the spatial axes that follow
        shape = (shape_of(bias)[0], *(1 for _ in old.kernel))
        reshape = located(ReshapeOp(bias, result_type=tensor_type(shape, tensor_of(bias).element_type)), old)
        block.add_op(reshape)
        bias = reshape.y
    add = located(AddOp(value, bias), old)
    block.add_op(add)
    return add

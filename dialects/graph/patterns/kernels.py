"""Cleanup of fused kernels: unused operands and results are removed, and a kernel of a single op is unwrapped."""

from __future__ import annotations

from xdsl.ir import SSAValue

from dialects.graph.constant import ConstantOp
from dialects.graph.fused import FusedOp, YieldOp
from dialects.graph.rules import Replacement, RuleBuilder, Table


def _unused(op: FusedOp, new: RuleBuilder) -> Replacement:
    arguments = op.body.block.args
    inputs = [index for index, argument in enumerate(arguments) if argument.first_use is not None]
    outputs = [index for index, result in enumerate(op.results) if result.first_use is not None]
    if not outputs or (len(inputs), len(outputs)) == (len(arguments), len(op.results)):
        return None
    body = op.detach_region(op.body)
    last = body.block.last_op
    assert isinstance(last, YieldOp)
    last.operands = [last.operands[index] for index in outputs]
    for index in reversed(range(len(arguments))):
        if index not in inputs:
            body.block.erase_arg(arguments[index])
    kept = FusedOp([op.inputs[index] for index in inputs], body, op.kind)
    new(kept)
    place = dict(zip(outputs, kept.results, strict=True))
    return [place.get(index, kept.results[0]) for index in range(len(op.results))]


def _single(op: FusedOp, new: RuleBuilder) -> Replacement:
    if sum(not isinstance(inner, ConstantOp) for inner in op.ops) > 1:
        return None
    outside: dict[SSAValue, SSAValue] = dict(zip(op.body.block.args, op.inputs, strict=True))
    for inner in op.ops:
        copy = inner.clone(value_mapper=outside)
        new(copy, inner)
    return [outside.get(value, value) for value in op.yielded]


RULES: Table = (
    (FusedOp, _single),  # fused { f } (x) = f(x)
    (FusedOp, _unused),  # unused inputs and results are removed
)

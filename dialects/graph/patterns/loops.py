"""Loops kept tidy: nothing carried that is the same in all turns or that nobody needs, and no loop of one turn."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from dialects.graph.constant import ConstantOp, WeightOp
from dialects.graph.repeat import RepeatOp
from dialects.graph.rules import Replacement, RuleBuilder, Table


def _few(op: RepeatOp, new: RuleBuilder) -> Replacement:
    if op.turns > 1:
        return None
    inputs = list(op.inputs)
    if not op.turns:
        return inputs[: len(op.outputs)]
    if not op.outputs:
        return []
    count = new(ConstantOp(np.array(op.counted.start, np.int32)))
    count.name_hint = op.counter.name_hint
    outside: dict[SSAValue, SSAValue] = dict(zip(op.body.block.args, [count, *inputs], strict=True))
    for inner in op.ops:
        copy = inner.clone(value_mapper=outside)
        new.rewriter.insert(copy)
        copy.location = inner.location
    return [outside.get(value, value) for value in op.last.values]


def _unused(op: RepeatOp, new: RuleBuilder) -> Replacement:
    needed = _needed(op)
    carried = len(op.outputs)
    same = {index for index, value in enumerate(op.last.values) if value is op.arguments[index]}
    constant = {
        index
        for index, value in enumerate(op.inputs)
        if isinstance(value.owner, ConstantOp | WeightOp) and (index >= carried or index in same)
    }
    first: dict[SSAValue, int] = {}
    again = {
        index: first[value]
        for index, value in enumerate(op.inputs)
        if (index >= carried or index in same) and first.setdefault(value, index) != index
    }
    outputs = [index for index in range(carried) if index in needed and index not in same]
    others = [
        index
        for index in range(len(op.inputs))
        if index in needed and (index >= carried or index in same) and index not in constant and index not in again
    ]
    if (len(outputs), len(others)) == (carried, len(op.inputs) - carried):
        return None
    rewriter, inputs = new.rewriter, list(op.inputs)
    block, arguments, last = op.body.block, list(op.arguments), op.last
    body = op.detach_region(op.body)
    for index in sorted(constant & needed, reverse=True):
        owner = inputs[index].owner
        assert isinstance(owner, ConstantOp | WeightOp)
        copy = owner.clone()
        copy.location = owner.location
        copy.results[0].name_hint = arguments[index].name_hint
        rewriter.insert(copy, InsertPoint.at_start(block))
        rewriter.replace_all_uses_with(arguments[index], copy.results[0])
    for index, other in again.items():
        rewriter.replace_all_uses_with(arguments[index], arguments[other])
    last.operands = [last.operands[index] for index in outputs]
    kept = [*outputs, *others]
    for index in kept:  # in their new order
        argument = block.insert_arg(arguments[index].type, len(block.args))
        argument.name_hint = arguments[index].name_hint
        rewriter.replace_all_uses_with(arguments[index], argument)
    for inner in reversed(list(block.ops)):
        if inner is not last and inner.results and all(result.first_use is None for result in inner.results):
            rewriter.erase(inner)
    for argument in reversed(arguments):
        block.erase_arg(argument)
    made = RepeatOp(op.counted, [inputs[index] for index in kept], body)
    rewriter.insert(made)
    made.location = op.location
    made.attributes |= op.attributes
    place = dict(zip(outputs, made.results, strict=True))
    return [place.get(index, inputs[index]) for index in range(carried)]


def _needed(op: RepeatOp) -> Collection[int]:
    """The inputs that results depend on which somebody uses."""
    index_of = {argument: index for index, argument in enumerate(op.arguments)}
    wanted = {index for index, result in enumerate(op.outputs) if result.first_use is not None}
    needed, met, waiting = set[int](), set[SSAValue](), [op.last.values[index] for index in wanted]
    while waiting:
        value = waiting.pop()
        if value in met:
            continue
        met.add(value)
        if (index := index_of.get(value)) is not None:
            needed.add(index)
            if index < len(op.outputs):
                waiting.append(op.last.values[index])
        elif value is not op.counter:
            waiting += value.owner.operands  # pyright: ignore
    return needed | wanted


RULES: Table = (
    (RepeatOp, _few),  # repeat 0 { f } (x) = x, repeat 1 { f } (x) = f(x)
    (RepeatOp, _unused),  # an input that nothing needs goes; of those that are the same in all turns each stands once
)

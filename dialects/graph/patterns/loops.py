"""Cleanup of loops: loop-invariant and unused carried values are removed, and a loop of one iteration is unwrapped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from dialects.element_types import dtype_of
from dialects.graph.binary import AddOp, MulOp, SubOp
from dialects.graph.broadcasting import ElementwiseOp
from dialects.graph.constant import ConstantOp, WeightOp
from dialects.graph.op import GraphOp, Tensor, shape_of, tensor_of
from dialects.graph.patterns.matching import splat
from dialects.graph.repeat import RepeatOp
from dialects.graph.rules import Replacement, RuleBuilder, Table
from dialects.graph.shape import BroadcastOp
from dialects.graph.unary import CastOp
from dialects.locations import located


@dataclass(frozen=True)
class Steps:
    """An induction variable: a value that is `start` in the first iteration of a loop and grows by `step` from each
    iteration to the next."""

    start: int
    step: int

    @staticmethod
    def of(start: SSAValue, argument: SSAValue, yielded: SSAValue) -> Steps | None:
        """Start and step of a carried value that starts as a constant and grows by a constant; None for any other
        value."""
        owner, first = yielded.owner, splat(start)
        if shape_of(start) or not isinstance(first, int) or not isinstance(owner, AddOp | SubOp):
            return None
        if owner.operands[0] is argument:
            by = owner.operands[1]
        elif owner.operands[1] is argument and isinstance(owner, AddOp):
            by = owner.operands[0]
        else:
            return None
        step = splat(by)
        if shape_of(by) or not isinstance(step, int):
            return None
        return Steps(first, -step if isinstance(owner, SubOp) else step)

    def iterations(self, kind: str, limit: int) -> int | None:
        """The number of iterations, from the first, for which the comparison `kind` (`lt`, `le`, …) of the variable
        with `limit` holds; None if it holds forever."""
        start, step = self.start, self.step
        match kind:
            case "lt" | "le":
                left = limit - start + (kind == "le")
                return 0 if left <= 0 else -(-left // step) if step > 0 else None
            case "gt" | "ge":
                left = start - limit + (kind == "ge")
                return 0 if left <= 0 else -(-left // -step) if step < 0 else None
            case "ne":
                left = limit - start
                return 0 if not left else left // step if step and left % step == 0 and left // step > 0 else None
            case _:
                return 0 if start != limit else 1 if step else None


def _few(op: RepeatOp, new: RuleBuilder) -> Replacement:
    if op.iterations > 1:
        return None
    inputs = list(op.inputs)
    if not op.iterations:
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


def _counting(op: RepeatOp, new: RuleBuilder) -> Replacement:
    carried = zip(op.inputs, op.arguments, op.last.values, strict=False)
    counting = {index: steps for index, each in enumerate(carried) if (steps := Steps.of(*each)) is not None}
    if not counting:
        return None
    arguments, body = list(op.arguments), op.detach_region(op.body)
    for index, steps in counting.items():
        value = _of_counter(body.block, op.counted.start, steps, tensor_of(op.inputs[index]), new)
        new.rewriter.replace_all_uses_with(arguments[index], value)
    made = RepeatOp(op.counted, list(op.inputs), body)
    new(made)
    made.attributes |= op.attributes
    results: list[SSAValue] = list(made.results)
    for index, steps in counting.items():
        if op.outputs[index].first_use is not None:
            results[index] = new(_integer(steps.start + op.iterations * steps.step, tensor_of(op.inputs[index])))
    return results


def _integer(number: int, type_: Tensor) -> ConstantOp:
    """A scalar constant of type `type_`; `number` wraps to the range of the type."""
    return ConstantOp(np.array(number).astype(dtype_of(type_.element_type)))


def _of_counter(block: Block, first: int, steps: Steps, type_: Tensor, new: RuleBuilder) -> SSAValue:
    """The value of an induction variable, computed from the loop counter: start + (counter - first) * step."""
    value: SSAValue = block.args[0]
    made: list[GraphOp] = [CastOp(value, result_type=type_)] if value.type != type_ else []
    value = made[-1].results[0] if made else value
    for kind, number, nothing in ((MulOp, steps.step, 1), (AddOp, steps.start - first * steps.step, 0)):
        if number != nothing:
            constant = _integer(number, type_)
            made += [constant, kind(value, constant.y)]
            value = made[-1].results[0]
    for op in made:
        located(op, new.op)
    new.rewriter.insert(made, InsertPoint.at_start(block))
    return value


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


def _spread(op: RepeatOp, new: RuleBuilder) -> Replacement:
    carried, fewer = len(op.outputs), dict[int, BroadcastOp]()
    for index in range(carried, len(op.inputs)):
        owner, users = op.inputs[index].owner, [use.operation for use in op.arguments[index].uses]
        if isinstance(owner, BroadcastOp) and users and all(isinstance(user, ElementwiseOp) for user in users):
            fewer[index] = owner
    if not fewer:
        return None
    inputs, arguments, rewriter = list(op.inputs), list(op.arguments), new.rewriter
    body = op.detach_region(op.body)
    for index, spread in fewer.items():
        inputs[index] = spread.operands[0]
        argument = body.block.insert_arg(inputs[index].type, arguments[index].index)
        argument.name_hint = arguments[index].name_hint
        copy = located(BroadcastOp(argument, result_type=tensor_of(spread.results[0])), spread)
        rewriter.insert(copy, InsertPoint.at_start(body.block))
        rewriter.replace_all_uses_with(arguments[index], copy.results[0])
        body.block.erase_arg(arguments[index])
    made = RepeatOp(op.counted, inputs, body)
    new(made)
    made.attributes |= op.attributes
    return list(made.results)


def _needed(op: RepeatOp) -> set[int]:
    """The indices of the loop's inputs on which some used result depends."""
    index_of: dict[SSAValue, int] = {argument: index for index, argument in enumerate(op.arguments)}
    wanted = {index for index, result in enumerate(op.outputs) if result.first_use is not None}
    needed, met = set[int](), set[SSAValue]()
    waiting: list[SSAValue] = [op.last.values[index] for index in wanted]
    while waiting:
        value = waiting.pop()
        if value in met:
            continue
        met.add(value)
        if (index := index_of.get(value)) is not None:
            needed.add(index)
            if index < len(op.outputs):
                waiting.append(op.last.values[index])
        elif isinstance(owner := value.owner, Operation):
            waiting += owner.operands
    return needed | wanted


RULES: Table = (
    (RepeatOp, _counting),  # a value that starts as s and grows by k per iteration is s + k * (counter - first)
    (RepeatOp, _few),  # repeat 0 { f } (x) = x, repeat 1 { f } (x) = f(x)
    (RepeatOp, _spread),  # repeat (broadcast(x)) { f(a) } = repeat (x) { f(broadcast(a)) }, for f element by element
    (RepeatOp, _unused),  # unused inputs are removed, and duplicates of loop-invariant inputs are merged
)

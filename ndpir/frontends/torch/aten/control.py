"""Converters of operators of higher order: branches, loops, scans, maps and nested calls."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Block, Region, SSAValue

from dialects import graph as g
from dialects.element_types import dtype_of, element_type_named, tensor_type
from dialects.repeating import COUNTER
from ndpir.frontends.onnx.builder import BodyBuilder, known
from ndpir.frontends.torch.aten.movement import cut
from ndpir.frontends.torch.call import AtenCall, converts
from ndpir.frontends.torch.program import Argument, Ref, Subgraph

I32 = element_type_named("i32")
MOST_ITERATIONS = 1 << 14
"""The largest number of iterations of a loop that is evaluated to find its end."""


def _operands(call: AtenCall, *names: str) -> list[SSAValue]:
    """The tensors in arguments that are lists; other arguments are numbers that graphs know by name."""
    found: list[SSAValue] = []
    for name in names:
        for each in _sequence(call.get(name)):
            found.append(call.tensor(each))
    return found


def _sequence(found: Argument) -> Sequence[Argument]:
    return found if isinstance(found, Sequence) and not isinstance(found, str) else ([] if found is None else [found])


def _argument(call: AtenCall, *names: str) -> str:
    """The name under which an argument stands: by its position, or by keyword."""
    return next((name for name in names if name in call.node.inputs), names[0])


@converts("higher_order.cond")
def cond(call: AtenCall) -> list[SSAValue]:
    """The branch that is taken, if the condition is known; else both, and a choice between their results: no supported
    operator has side effects."""
    condition = call[_argument(call, "0", "pred")]
    operands = _operands(call, _argument(call, "3", "operands"))
    branches = [call.graph(_argument(call, *names)) for names in (("1", "true_fn"), ("2", "false_fn"))]
    taken = known(condition)
    if taken is not None:
        return call.values.inlined(branches[0 if bool(taken.reshape(-1)[0]) else 1], operands, call.body)
    yes, no = (call.values.inlined(branch, operands, call.body) for branch in branches)
    flag = call.reshaped(call.truth(condition), ())
    return [call.build(g.SelectOp, flag, a, b) for a, b in zip(yes, no, strict=True)]


@converts("higher_order.while_loop")
def while_loop(call: AtenCall) -> list[SSAValue]:
    """A `graph.repeat` of as many iterations as the condition allows, if those follow from known numbers."""
    carried = _operands(call, _argument(call, "2", "carried_inputs"))
    more = _operands(call, _argument(call, "3", "additional_inputs"))
    condition, body = (call.graph(_argument(call, *names)) for names in (("0", "cond_fn"), ("1", "body_fn")))
    count = _iterations(call, condition, body, [*carried, *more], len(carried))
    return repeated(call, body, carried, more, count)


def _iterations(call: AtenCall, condition: Subgraph, body: Subgraph, start: Sequence[SSAValue], carried: int) -> int:
    """The number of iterations, found by evaluating the condition and what it needs on known numbers."""
    values, scratch = list(start), Block()
    unknown = [Block(arg_types=[value.type]).args[0] if known(value) is None else value for value in values]
    for count in range(MOST_ITERATIONS):
        builder = BodyBuilder(scratch, call.body.path)
        (goes_on,) = call.values.inlined(condition, unknown, builder)
        if (found := known(goes_on)) is None:
            break
        if not found.reshape(-1)[0]:
            return count
        made = call.values.inlined(body, unknown, builder)
        unknown = [value if known(value) is not None else before for value, before in zip(made, unknown[:carried], strict=True)] + unknown[carried:]
    call.fail(
        "the number of iterations depends on data, or is beyond 16384; count up to a fixed number, or unroll the loop"
    )


def repeated(call: AtenCall, body: Subgraph, carried: Sequence[SSAValue], more: Sequence[SSAValue], count: int) -> list[SSAValue]:
    """The carried values after some iterations of a body, which reads `more` values, too."""
    inputs = [call.body.place(value) for value in (*carried, *more)]
    if not count:
        return inputs[: len(carried)]
    block = Block(arg_types=[COUNTER, *(value.type for value in inputs)])
    builder = BodyBuilder(block, call.body.path)
    made = call.values.inlined(body, list(block.args[1:]), builder)
    return _loop(call, block, builder, inputs, made, count)


def _loop(call: AtenCall, block: Block, builder: BodyBuilder, inputs: list[SSAValue], made: Sequence[SSAValue], count: int) -> list[SSAValue]:
    """The results of a counted loop with a body; values from outside that it reads become further inputs."""
    block.add_op(g.YieldOp(*(builder.place(value) for value in made)))
    for op in list(block.ops):
        for index, value in enumerate(op.operands):
            owner = value.owner
            if owner is block or (not isinstance(owner, Block) and owner.parent is block):
                continue
            if isinstance(owner, g.ConstantOp):
                copy = g.ConstantOp(owner.value)
                copy.location = owner.location
                block.insert_op_before(copy, op)
                op.operands[index] = copy.y
                continue
            place = inputs.index(value) if value in inputs else len(inputs)
            if place == len(inputs):
                inputs.append(call.body.place(value))
                block.insert_arg(value.type, len(block.args))
            op.operands[index] = block.args[1 + place]
    loop = g.RepeatOp(range(count), inputs, Region(block))
    loop.location = call.location
    call.body.block.add_op(loop)
    return list(loop.results)


@converts("higher_order.scan", "higher_order.map_impl", "higher_order.map")
def scan(call: AtenCall) -> list[SSAValue]:
    """A counted loop over slices along the first axis of the scanned tensors: carried values, and results of all
    iterations stacked. A map is a scan without carried values."""
    is_map = "map" in call.node.op
    body = call.graph(_argument(call, "0", "combine_fn", "f"))
    carried = [] if is_map else _operands(call, _argument(call, "1", "init"))
    scanned = _operands(call, _argument(call, "1", "xs") if is_map else _argument(call, "2", "xs"))
    more = _operands(call, _argument(call, "2", "pos_args") if is_map else _argument(call, "3", "additional_inputs"))
    if not scanned:
        call.fail("a scan needs a tensor to scan")
    count = g.shape_of(scanned[0])[0]
    if not count:
        call.fail("a scan over an axis without elements is not supported")
    stacked = [call.result(at) for at in range(len(carried), len(call.node.names))]
    zeros = [call.splat(0, type_) for type_ in stacked]
    inputs = [call.body.place(value) for value in (*carried, *zeros, *scanned, *more)]
    block = Block(arg_types=[COUNTER, *(value.type for value in inputs)])
    builder = BodyBuilder(block, call.body.path)
    inner = AtenCall(call.node, call.values, call.location, builder)
    arguments = list(block.args[1:])
    held, made, xs, rest = (
        arguments[: len(carried)],
        arguments[len(carried) : len(carried) + len(zeros)],
        arguments[len(carried) + len(zeros) : len(arguments) - len(more)],
        arguments[len(arguments) - len(more) :],
    )
    counter = block.args[0]
    slices = [inner.build(g.GatherOp, x, counter, axis=0) for x in xs]
    found = call.values.inlined(body, [*held, *slices, *rest], builder)
    zero = inner.constant(np.zeros((), np.int32))
    written: list[SSAValue] = []
    for whole, part in zip(made, found[len(carried) :], strict=True):
        row = inner.reshaped(part, (1, *g.shape_of(part)))
        starts = [counter, *(zero for _ in g.shape_of(part))]
        written.append(inner.build(g.DynamicUpdateSliceOp, whole, builder.place(row), *map(builder.place, starts)))
    return _loop(call, block, builder, inputs, [*found[: len(carried)], *written], count)


@converts("higher_order.associative_scan")
def associative_scan(call: AtenCall) -> list[SSAValue]:
    """Running results of an associative function along the first axis, in a logarithmic number of steps."""
    body = call.graph(_argument(call, "0", "combine_fn"))
    xs = _operands(call, _argument(call, "1", "xs"))
    more = _operands(call, _argument(call, "2", "additional_inputs"))
    n, step = g.shape_of(xs[0])[0], 1
    while step < n:
        before = [cut(call, x, 0, 0, n - step) for x in xs]
        tails = [cut(call, x, 0, step, n) for x in xs]
        made = _elementwise(call, body, before, tails, more, n - step)
        xs = [call.build(g.ConcatOp, cut(call, x, 0, 0, step), y, axis=0) for x, y in zip(xs, made, strict=True)]
        step *= 2
    return xs


def _elementwise(
    call: AtenCall, body: Subgraph, a: Sequence[SSAValue], b: Sequence[SSAValue], more: Sequence[SSAValue], count: int
) -> list[SSAValue]:
    """The function of slices, for each pair of slices along the first axis; its graph is of slices, so that a loop applies
    it."""
    stacked = [*a, *b]
    inputs = [call.body.place(value) for value in (*(call.splat(0, g.tensor_of(x)) for x in a), *stacked, *more)]
    block = Block(arg_types=[COUNTER, *(value.type for value in inputs)])
    builder = BodyBuilder(block, call.body.path)
    inner = AtenCall(call.node, call.values, call.location, builder)
    counter, arguments = block.args[0], list(block.args[1:])
    slices = [inner.build(g.GatherOp, x, counter, axis=0) for x in arguments[len(a) : len(a) + len(stacked)]]
    found = call.values.inlined(body, [*slices, *arguments[len(a) + len(stacked) :]], builder)
    zero = inner.constant(np.zeros((), np.int32))
    made: list[SSAValue] = []
    for whole, part in zip(arguments[: len(a)], found, strict=True):
        row = inner.reshaped(part, (1, *g.shape_of(part)))
        starts = [counter, *(zero for _ in g.shape_of(part))]
        made.append(inner.build(g.DynamicUpdateSliceOp, whole, builder.place(row), *map(builder.place, starts)))
    return _loop(call, block, builder, inputs, made, count)


@converts("higher_order.wrap_with_set_grad_enabled", "higher_order.wrap_with_autocast", "higher_order.invoke_subgraph",
          "higher_order.wrap", "higher_order.checkpoint", "higher_order.tag_activation_checkpoint",
          "higher_order.hints_wrapper", "higher_order.wrap_activation_checkpoint")  # fmt: skip
def nested(call: AtenCall) -> list[SSAValue]:
    """The results of a graph that is called in a mode, or twice; the mode is part of its operators' types."""
    body = next(value for value in call.node.inputs.values() if isinstance(value, Subgraph))
    after = list(call.node.inputs.values())
    given = after[after.index(body) + 1 :]
    operands: list[SSAValue] = []
    for each in given:
        for one in _sequence(each):
            if isinstance(one, Ref) and call.values.is_tensor(one.name):
                operands.append(call.tensor(one))
            elif isinstance(one, Ref):
                operands.append(call.tensor(one))
    operands = operands[: len(body.graph.inputs)]
    return call.values.inlined(body, operands, call.body)



"""Loop and Scan: counted loops if the number of iterations is known at import. A body whose shapes or indices need the
number of the iteration, or whose values change their shapes, is written once for each iteration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from onnx import GraphProto
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from dialects import graph as g
from dialects.element_types import dtype_of
from ndpir.frontends.onnx.builder import MOST_READ_AGAIN, known
from ndpir.frontends.onnx.control.bodies import LoopBody, repeat, row, with_row
from ndpir.frontends.onnx.operators import OnnxNode, Outputs, handles, rank_of
from ndpir.frontends.onnx.subgraphs import all_nodes, graphs_of, needed_names, needed_nodes
from ndpir.frontends.onnx.tensors import Array

Iteration: TypeAlias = Callable[[OnnxNode, SSAValue, Sequence[SSAValue]], list[SSAValue]]
"""The new carried values and the slices of stacked outputs of an iteration, from its number and the carried values."""


@handles("Loop", newest=25)
def loop(node: OnnxNode) -> Outputs:
    body = node.graph("body")
    carried = [node[index] for index in range(2, len(node.inputs))]
    inputs, outputs = [value.name for value in body.input], [value.name for value in body.output]
    if len(inputs) != len(carried) + 2 or len(outputs) < len(carried) + 1:
        node.fail(
            f"the body takes {len(inputs)} values and gives {len(outputs)}, but with {len(carried)} carried values it "
            f"takes {len(carried) + 2} and gives at least {len(carried) + 1}"
        )
    count, stacked = _trips(node, body, carried), len(outputs) - 1 - len(carried)

    def step(inner: OnnxNode, number: SSAValue, values: Sequence[SSAValue]) -> list[SSAValue]:
        given = dict(zip(inputs, (number, inner.constant(np.array(True)), *values), strict=True))
        return inner.inlined(body, outputs[1:], given)

    return _iterated(node, count, carried, stacked, step, body, [(0, False)] * stacked)


def _iterated(
    node: OnnxNode, count: int, carried: Sequence[SSAValue], stacked: int, step: Iteration, body: GraphProto,
    stacking: Sequence[tuple[int, bool]],
) -> list[SSAValue]:  # fmt: skip
    """The carried values after all iterations, and the stacked values of each: along an axis, from the end if reversed
    (`stacking`)."""
    nodes = _nodes(body)
    if isinstance(node.body, LoopBody):
        node.body.read_again(nodes)
    try:
        return _as_loop(node, count, carried, stacked, step, stacking)
    except VerifyException as error:
        if count * nodes > MOST_READ_AGAIN:
            node.fail(f"{error}; written once for each of {count} iterations, the loop would be too long")
        node.body.read_again(count * nodes)
        return _written(node, count, carried, stacked, step, stacking)


def _as_loop(
    node: OnnxNode,
    count: int,
    carried: Sequence[SSAValue],
    stacked: int,
    step: Iteration,
    stacking: Sequence[tuple[int, bool]],
) -> list[SSAValue]:
    shapes = _stacked_types(node, carried, stacked, step) if stacked else []
    stacks = [
        node.splat(
            g.NumbersAttr.of(np.zeros((), dtype_of(type_.element_type))), _with(node, type_.get_shape(), axis, count)
        )
        for type_, (axis, _) in zip(shapes, stacking, strict=True)
    ]

    def both(inner: OnnxNode, counter: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        number = inner.cast(counter, i64)
        made = step(inner, number, values[: len(carried)])
        new = made[: len(carried)]
        for index, (value, stack) in enumerate(zip(made[len(carried) :], values[len(carried) :], strict=True)):
            axis, backwards = stacking[index]
            at = inner.build(g.SubOp, inner.like(counter, count - 1), counter) if backwards else counter
            part = inner.reshaped(value, _with(inner, g.shape_of(value), axis, 1))
            new.append(with_row(inner, stack, part, at, inner.axis_of(axis, rank_of(stack))))
        return new

    return repeat(node, count, [*carried, *stacks], both)


def _nodes(body: GraphProto) -> int:
    """The number of nodes of a body and of the graphs inside of them, at least 1."""
    return max(sum(1 for _ in all_nodes(body)), 1)


def _with(node: OnnxNode, shape: Sequence[int], axis: int, extent: int) -> tuple[int, ...]:
    """A shape with another axis at a place."""
    at = node.axis_of(axis, len(shape) + 1)
    return (*shape[:at], extent, *shape[at:])


def _stacked_types(node: OnnxNode, carried: Sequence[SSAValue], stacked: int, step: Iteration) -> list[g.Tensor]:
    """The types of the values that an iteration gives for stacks, by importing one into a body that is dropped."""
    body = LoopBody(node.body, carried)
    trial, arguments = node.inside(body), body.block.args[1 : len(carried) + 1]
    values = [arg if known(value) is None else value for arg, value in zip(arguments, carried, strict=True)]
    made = step(trial, trial.cast(body.counter, i64), values)
    return [g.tensor_of(value) for value in made[-stacked:]]


def _written(
    node: OnnxNode,
    count: int,
    carried: Sequence[SSAValue],
    stacked: int,
    step: Iteration,
    stacking: Sequence[tuple[int, bool]],
) -> list[SSAValue]:
    """The iterations one after another, each with its number known."""
    values, rows = list(carried), [list[SSAValue]() for _ in range(stacked)]
    for number in range(count):
        made = step(node, node.constant(np.array(number, np.int64)), values)
        values = made[: len(carried)]
        for into, value in zip(rows, made[len(carried) :], strict=True):
            into.append(value)
    stacks: list[SSAValue] = []
    for each, (axis, backwards) in zip(rows, stacking, strict=True):
        if not each:
            node.fail("the loop has no iteration, so that the shapes of its stacked outputs are not known")
        ordered = each[:: -1 if backwards else 1]
        parts = [node.reshaped(value, _with(node, g.shape_of(value), axis, 1)) for value in ordered]
        at = node.axis_of(axis, rank_of(parts[0]))
        stacks.append(parts[0] if len(parts) == 1 else node.build(g.ConcatOp, *parts, axis=at))
    return [*values, *stacks]


def _trips(node: OnnxNode, body: GraphProto, carried: Sequence[SSAValue]) -> int:
    """The number of iterations: the stated one, or that until the condition, computed from known values, is false."""
    limit = None if node.get(0) is None else node.whole(0)
    if node.get(1) is not None:
        if (start := known(node[1])) is None:
            node.fail("whether the loop starts depends on data; a timeline needs a known number of iterations")
        if not _truth(node, start):
            return 0
    names, last = [value.name for value in body.input], body.output[0].name
    if last == names[1]:  # the condition is handed on
        return _limited(node, limit)
    values: list[SSAValue] = list(carried)
    wanted = _condition_inputs(body, last, names)
    outputs = [last, *(body.output[index + 1].name for index in wanted)]
    cost = sum(1 + sum(map(_nodes, graphs_of(each))) for each in needed_nodes(body, outputs))
    number = 0
    while limit is None or number < limit:
        node.body.read_again(max(cost, 1))
        given = dict(zip(names, (node.constant(np.array(number, np.int64)), node.constant(np.array(True)), *values),
                         strict=True))  # fmt: skip
        trial = node.inside(LoopBody(node.body, ()))
        made = trial.inlined(body, outputs, given)
        condition = known(made[0])
        if condition is None:
            node.fail(
                "the loop ends when a condition on data is false; a timeline needs a known number of iterations: "
                "export the model with a fixed number of them"
            )
        number += 1
        if not _truth(node, condition):
            return number
        if not wanted and _is_constant(body, last):
            break
        for index, value in zip(wanted, made[1:], strict=True):
            values[index] = value
    return _limited(node, limit)


def _truth(node: OnnxNode, condition: Array) -> bool:
    """The value of a known condition."""
    if condition.size != 1:
        node.fail(f"the condition must have one element, not {condition.size}")
    return bool(condition.reshape(())[()])


def _is_constant(body: GraphProto, name: str) -> bool:
    """True if the condition does not depend on the iteration's number."""
    return body.input[0].name not in needed_names(body, [name])


def _limited(node: OnnxNode, limit: int | None) -> int:
    if limit is None or limit > 2**31 - 1:
        node.fail("the loop has no known end; a timeline needs a known number of iterations below 2^31")
    return max(limit, 0)


def _condition_inputs(body: GraphProto, last: str, names: Sequence[str]) -> list[int]:
    """The numbers of the carried values on which the condition of this or a later iteration depends."""
    found, waiting = dict[int, None](), [last]
    for name in waiting:
        for read in needed_names(body, [name]):
            if read in names[2:] and (index := names.index(read) - 2) not in found:
                found[index] = None
                waiting.append(body.output[index + 1].name)
    return list(found)


@handles("Scan", newest=25)
def scan(node: OnnxNode) -> Outputs:
    """Each iteration reads a slice of each scanned input, and gives a slice of each scanned output."""
    body, scanned = node.graph("body"), node.integer("num_scan_inputs")
    if node.since < 9:
        node.fail(
            "Scan before opset 9 has a batch axis and lengths; convert the model to opset 9 (onnx.version_converter)"
        )
    inputs, outputs = [value.name for value in body.input], [value.name for value in body.output]
    states = len(node.inputs) - scanned
    if scanned < 1 or states < 0 or len(inputs) != len(node.inputs) or len(outputs) < states:
        node.fail(
            f"the body takes {len(inputs)} values and gives {len(outputs)}, but the node has {len(node.inputs)} "
            f"inputs, of which {scanned} are scanned"
        )
    carried, xs = [node[index] for index in range(states)], [node[states + index] for index in range(scanned)]
    axes = _each(node, "scan_input_axes", scanned)
    reads = list(zip([node.axis_of(a, rank_of(x)) for a, x in zip(axes, xs, strict=True)],
                     _each(node, "scan_input_directions", scanned), strict=True))  # fmt: skip
    counts = {g.shape_of(x)[axis] for x, (axis, _) in zip(xs, reads, strict=True)}
    if len(counts) != 1:
        node.fail(f"the scanned inputs have {sorted(counts)} slices; all must have the same number")
    (count,) = counts
    stacked = len(outputs) - states
    stacking = [
        (axis, bool(backwards))
        for axis, backwards in zip(
            _each(node, "scan_output_axes", stacked),
            _each(node, "scan_output_directions", stacked), strict=True,
        )
    ]  # fmt: skip

    def step(inner: OnnxNode, number: SSAValue, values: Sequence[SSAValue]) -> list[SSAValue]:
        slices: list[SSAValue] = []
        for x, (axis, backwards) in zip(xs, reads, strict=True):
            at = inner.build(g.SubOp, inner.like(number, count - 1), number) if backwards else number
            part = _slice(inner, x, at, axis)
            slices.append(inner.reshaped(part, [n for place, n in enumerate(g.shape_of(x)) if place != axis]))
        return inner.inlined(body, outputs, dict(zip(inputs, (*values, *slices), strict=True)))

    return _iterated(node, count, carried, stacked, step, body, stacking)


def _slice(node: OnnxNode, x: SSAValue, at: SSAValue, axis: int) -> SSAValue:
    """The slice of a value at an index along an axis; a plain slice if the index is known."""
    if (index := known(at)) is None:
        return row(node, x, at, axis)
    first = int(index.reshape(())[()])
    starts, ends = [0] * rank_of(x), list(g.shape_of(x))
    starts[axis], ends[axis] = first, first + 1
    return node.build(g.SliceOp, x, starts=starts, ends=ends)


def _each(node: OnnxNode, name: str, count: int) -> list[int]:
    """The integers of an attribute that has one for each of `count` values; 0 for each by default."""
    values = node.integer_list(name) or (0,) * count
    if len(values) != count:
        node.fail(f"attribute `{name}` must have {count} numbers, not {len(values)}")
    return list(values)

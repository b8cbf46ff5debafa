"""Converters of operators of higher order: branches, loops, scans, maps and nested calls."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, SSAValue

from dialects import graph as g
from ndpir.frontends.onnx.builder import BodyBuilder, known
from ndpir.frontends.onnx.control.bodies import repeat, row, with_row
from ndpir.frontends.torch.aten.movement import cut
from ndpir.frontends.torch.call import AtenCall, converts
from ndpir.frontends.torch.program import Argument, Ref, Subgraph

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
    return repeat(
        call, count, carried, lambda inner, _, values: call.values.inlined(body, [*values, *more], inner.body)
    )


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
        unknown = [
            value if known(value) is not None else before for value, before in zip(made, unknown[:carried], strict=True)
        ] + unknown[carried:]
    call.fail(
        "the number of iterations depends on data, or is beyond 16384; count up to a fixed number, or unroll the loop"
    )


@converts("higher_order.scan", "higher_order.map_impl", "higher_order.map")
def scan(call: AtenCall) -> list[SSAValue]:
    """A counted loop over slices along the first axis of the scanned tensors: carried values, and results of all
    iterations stacked. A map is a scan without carried values."""
    is_map = "map" in call.node.op
    body = call.graph(_argument(call, "0", "combine_fn", "f"))
    carried = [] if is_map else _operands(call, _argument(call, "1", "init"))
    scanned = _operands(call, _argument(call, "1", "xs") if is_map else _argument(call, "2", "xs"))
    more = _operands(call, _argument(call, "2", "pos_args") if is_map else _argument(call, "3", "additional_inputs"))
    if not scanned or not g.shape_of(scanned[0])[0]:
        call.fail("a scan needs a tensor whose first axis has elements")
    types = [call.result(at) for at in range(len(carried), len(call.node.names))]
    return _stacking(call, body, carried, scanned, more, types)


def _stacking(
    call: AtenCall,
    body: Subgraph,
    carried: Sequence[SSAValue],
    scanned: Sequence[SSAValue],
    more: Sequence[SSAValue],
    types: Sequence[g.Tensor],
) -> list[SSAValue]:
    """The carried values after a loop over slices, and the further results of all iterations, of `types` when
    stacked."""

    def step(inner: AtenCall, counter: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        slices = [inner.reshaped(row(inner, x, counter), g.shape_of(x)[1:]) for x in scanned]
        found = call.values.inlined(body, [*values[: len(carried)], *slices, *more], inner.body)
        made = found[: len(carried)]
        for whole, part in zip(values[len(carried) :], found[len(carried) :], strict=True):
            made.append(with_row(inner, whole, inner.reshaped(part, (1, *g.shape_of(part))), counter))
        return made

    stacks = [call.splat(0, type_) for type_ in types]
    return repeat(call, g.shape_of(scanned[0])[0], [*carried, *stacks], step)


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
        made = _stacking(call, body, [], [*before, *tails], more, [g.tensor_of(x) for x in tails])
        xs = [call.build(g.ConcatOp, cut(call, x, 0, 0, step), y, axis=0) for x, y in zip(xs, made, strict=True)]
        step *= 2
    return xs


@converts(
    "higher_order.wrap_with_set_grad_enabled",
    "higher_order.wrap_with_autocast",
    "higher_order.invoke_subgraph",
    "higher_order.wrap",
    "higher_order.checkpoint",
    "higher_order.tag_activation_checkpoint",
    "higher_order.hints_wrapper",
    "higher_order.wrap_activation_checkpoint",
)
def nested(call: AtenCall) -> list[SSAValue]:
    """The results of a graph that is called in a mode, or twice; the mode is part of its operators' types."""
    body = next(value for value in call.node.inputs.values() if isinstance(value, Subgraph))
    after = list(call.node.inputs.values())
    given = after[after.index(body) + 1 :]
    operands: list[SSAValue] = []
    for each in given:
        for one in _sequence(each):
            if (isinstance(one, Ref) and call.values.is_tensor(one.name)) or isinstance(one, Ref):
                operands.append(call.tensor(one))
    operands = operands[: len(body.graph.inputs)]
    return call.values.inlined(body, operands, call.body)

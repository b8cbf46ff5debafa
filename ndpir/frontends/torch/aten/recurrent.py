"""Converters of recurrent layers (LSTM, GRU, RNN): the products of all steps with the inputs at once, then a counted
loop over the steps for the products with the hidden state."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import tensor_type
from ndpir.frontends.onnx.control.bodies import repeat, row, with_row
from ndpir.frontends.torch.aten.movement import cut
from ndpir.frontends.torch.call import AtenCall, converts, element_of, rank_of

Cell = Callable[[AtenCall, SSAValue, SSAValue, Sequence[SSAValue]], list[SSAValue]]
"""One step: the states after it (hidden first), of the products of the inputs and of the hidden state [batch, gates *
hidden], and the states before it."""


def _gate(call: AtenCall, x: SSAValue, index: int, hidden: int) -> SSAValue:
    return cut(call, x, rank_of(x) - 1, index * hidden, (index + 1) * hidden)


def _lstm(call: AtenCall, given: SSAValue, product: SSAValue, states: Sequence[SSAValue]) -> list[SSAValue]:
    """Gates in the order i, f, g, o."""
    _, cell = states
    size = g.shape_of(cell)[-1]
    gates = call.build(g.AddOp, given, product)
    into, kept, out = (call.build(g.SigmoidOp, _gate(call, gates, at, size)) for at in (0, 1, 3))
    new = call.build(g.TanhOp, _gate(call, gates, 2, size))
    cell = call.build(g.AddOp, call.build(g.MulOp, kept, cell), call.build(g.MulOp, into, new))
    return [call.build(g.MulOp, out, call.build(g.TanhOp, cell)), cell]


def _gru(call: AtenCall, given: SSAValue, product: SSAValue, states: Sequence[SSAValue]) -> list[SSAValue]:
    """Gates in the order r, z, n; the reset gate applies to the product of the state."""
    (state,) = states
    size = g.shape_of(state)[-1]

    def gate(at: int) -> SSAValue:
        both = call.build(g.AddOp, _gate(call, given, at, size), _gate(call, product, at, size))
        return call.build(g.SigmoidOp, both)

    reset, update = gate(0), gate(1)
    last = call.build(g.MulOp, reset, _gate(call, product, 2, size))
    new = call.build(g.TanhOp, call.build(g.AddOp, _gate(call, given, 2, size), last))
    left = call.build(g.SubOp, call.number(1.0, element_of(update)), update)
    return [call.build(g.AddOp, call.build(g.MulOp, left, new), call.build(g.MulOp, update, state))]


def _rnn(op: type[g.GraphOp]) -> Cell:
    return lambda call, given, product, states: [call.build(op, call.build(g.AddOp, given, product))]


_CELLS: dict[str, Cell] = {"lstm": _lstm, "gru": _gru, "rnn_tanh": _rnn(g.TanhOp), "rnn_relu": _rnn(g.ReluOp)}


@converts("lstm.input", "gru.input", "rnn_tanh.input", "rnn_relu.input")
def recurrent(call: AtenCall) -> list[SSAValue]:
    """The outputs of the last layer, and the last states of all layers and directions."""
    name = call.node.op.removeprefix("aten.")
    x = call["input"]
    starts = call.tensors("hx") if name == "lstm" else [call["hx"]]
    parameters = call.tensors("params")
    layers, both, batch_first = call.integer("num_layers"), call.flag("bidirectional"), call.flag("batch_first")
    if call.flag("train") and call.real("dropout", 0.0) and layers > 1:
        call.fail("dropout between recurrent layers is not supported in training; write it as a module between layers")
    biased, directions = call.flag("has_biases"), 1 + both
    each = len(parameters) // (layers * directions)
    if each > (4 if biased else 2):
        call.fail("projections (proj_size) are not supported; multiply by a matrix behind the layer")
    unbatched = rank_of(x) == 2
    if unbatched:
        x = call.reshaped(x, (g.shape_of(x)[0], 1, g.shape_of(x)[1]))
        starts = [call.reshaped(start, (g.shape_of(start)[0], 1, g.shape_of(start)[1])) for start in starts]
    elif batch_first:
        x = call.transposed(x, (1, 0, 2))
    ends: list[list[SSAValue]] = []
    for layer in range(layers):
        outputs: list[SSAValue] = []
        for direction in range(directions):
            at = layer * directions + direction
            weights = parameters[at * each : (at + 1) * each]
            states = [_row(call, start, at) for start in starts]
            y, last = _direction(call, _CELLS[name], x, weights, states, reverse=bool(direction))
            outputs.append(y)
            ends.append(last)
        x = call.build(g.ConcatOp, *outputs, axis=2) if len(outputs) > 1 else outputs[0]
    found = [_stacked(call, [last[at] for last in ends]) for at in range(len(starts))]
    if unbatched:
        return [call.reshaped(each, (g.shape_of(each)[0], g.shape_of(each)[2])) for each in (x, *found)]
    return [call.transposed(x, (1, 0, 2)) if batch_first else x, *found]


def _row(call: AtenCall, x: SSAValue, at: int) -> SSAValue:
    return call.reshaped(cut(call, x, 0, at, at + 1), g.shape_of(x)[1:])


def _stacked(call: AtenCall, rows: Sequence[SSAValue]) -> SSAValue:
    apart = [call.reshaped(row, (1, *g.shape_of(row))) for row in rows]
    return call.build(g.ConcatOp, *apart, axis=0) if len(apart) > 1 else apart[0]


def _direction(
    call: AtenCall, cell: Cell, x: SSAValue, weights: Sequence[SSAValue], states: Sequence[SSAValue], reverse: bool
) -> tuple[SSAValue, list[SSAValue]]:
    """One direction of a layer over [steps, batch, features]: its outputs and its last states."""
    w_ih, w_hh, *biases = weights
    steps, batch, features = g.shape_of(x)
    hidden = g.shape_of(states[0])[-1]
    flat = call.reshaped(x, (steps * batch, features))
    given = call.build(g.MatmulOp, flat, w_ih, *biases[:1], transpose_b=True)
    given = call.reshaped(given, (steps, batch, g.shape_of(w_ih)[0]))
    made = call.splat(0, tensor_type((steps, batch, hidden), element_of(x)))

    def step(inner: AtenCall, counter: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        *before, out = values
        place = inner.build(g.SubOp, inner.number(steps - 1, i32), counter) if reverse else counter
        product = inner.build(g.MatmulOp, before[0], w_hh, *biases[1:], transpose_b=True)
        one = inner.reshaped(row(inner, given, place), g.shape_of(given)[1:])
        after = cell(inner, one, product, before)
        return [*after, with_row(inner, out, inner.reshaped(after[0], (1, batch, hidden)), place)]

    *last, y = repeat(call, steps, [*states, made], step)
    return y, last

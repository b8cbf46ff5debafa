"""Recurrent layers (LSTM, GRU, RNN): the products of all steps with the inputs at once, then a counted loop over the
steps for the products with the hidden state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import dtype_of
from ndpir.frontends.onnx.control.bodies import repeat, row, with_row
from ndpir.frontends.onnx.operators import OnnxNode, Outputs, element_of, handles, handles_foreign, rank_of
from ndpir.frontends.onnx.quantized.products import MICROSOFT, dynamic, scaled, small_product
from ndpir.frontends.onnx.quantized.scaling import columns_along

Activation = Callable[[OnnxNode, SSAValue], SSAValue]
Product = Callable[[OnnxNode, SSAValue], SSAValue]
"""A product of [batch, hidden] with recurrence weights."""


@dataclass(frozen=True)
class Direction:
    """One direction of a layer: its weights and what its steps start from. `inputs`: the products of all inputs with
    the input weights, [steps, batch, gates * hidden]; `recur`: the product of a state with the recurrence weights of
    all gates."""

    hidden: int
    inputs: SSAValue
    recur: Product
    states: tuple[SSAValue, ...]
    activations: Sequence[Activation]
    recurrence_bias: SSAValue | None
    peepholes: SSAValue | None
    weights: SSAValue | None
    """The recurrence weights of all gates, [gates * hidden, hidden]; None if they are quantized."""


Cell = Callable[[OnnxNode, Direction, SSAValue, Sequence[SSAValue]], list[SSAValue]]
"""One step: the states (hidden first) after it, from the inputs' products [batch, gates * hidden] and the states."""


def _gate(node: OnnxNode, x: SSAValue, index: int, hidden: int) -> SSAValue:
    """Columns of one gate."""
    rank = rank_of(x)
    starts, ends = [0] * rank, list(g.shape_of(x))
    starts[-1], ends[-1] = index * hidden, (index + 1) * hidden
    return node.build(g.SliceOp, x, starts=starts, ends=ends)


def _sum(node: OnnxNode, *parts: SSAValue | None) -> SSAValue:
    return reduce(lambda a, b: node.build(g.AddOp, a, b), [part for part in parts if part is not None])


def _mul(node: OnnxNode, a: SSAValue, b: SSAValue) -> SSAValue:
    return node.build(g.MulOp, a, b)


def _clipped(node: OnnxNode, x: SSAValue) -> SSAValue:
    clip = node.real("clip")
    return node.build(g.ClipOp, x, min=-clip, max=clip) if clip > 0 else x


def _lstm_cell(node: OnnxNode, of: Direction, given: SSAValue, states: Sequence[SSAValue]) -> list[SSAValue]:
    """Gates i, o, f, c, with peepholes of the cell's state to the first three."""
    f, g_, h = of.activations
    hidden, cell = states
    gates = _sum(node, given, of.recur(node, hidden))

    def gate(index: int, state: SSAValue) -> SSAValue:
        peep = None if of.peepholes is None else _mul(node, _gate(node, of.peepholes, index, of.hidden), state)
        return f(node, _clipped(node, _sum(node, _gate(node, gates, index, of.hidden), peep)))

    into, kept = gate(0, cell), gate(2, cell)
    if node.integer("input_forget"):
        kept = node.build(g.SubOp, node.like(into, 1), into)
    new = g_(node, _clipped(node, _gate(node, gates, 3, of.hidden)))
    cell = _sum(node, _mul(node, kept, cell), _mul(node, into, new))
    return [_mul(node, gate(1, cell), h(node, cell)), cell]


def _gru_cell(node: OnnxNode, of: Direction, given: SSAValue, states: Sequence[SSAValue]) -> list[SSAValue]:
    """Gates z, r, h; the reset gate applies to the state, or to its product, before it is added."""
    f, g_ = of.activations
    (state,) = states
    bias, size = of.recurrence_bias, of.hidden
    if node.integer("linear_before_reset"):
        product = _sum(node, of.recur(node, state), bias)
        update = f(node, _clipped(node, _sum(node, _gate(node, given, 0, size), _gate(node, product, 0, size))))
        reset = f(node, _clipped(node, _sum(node, _gate(node, given, 1, size), _gate(node, product, 1, size))))
        last = _mul(node, reset, _gate(node, product, 2, size))
    else:
        assert of.weights is not None
        rows = [0, 2 * size, 3 * size]
        first, second = (
            node.build(g.SliceOp, of.weights, starts=[low, 0], ends=[high, size]) for low, high in pairwise(rows)
        )
        both = node.build(g.MatmulOp, state, first, transpose_b=True)
        gates = [
            f(node, _clipped(node, _sum(
                node, _gate(node, given, index, size), _gate(node, both, index, size),
                None if bias is None else _gate(node, bias, index, size),
            )))
            for index in range(2)
        ]  # fmt: skip
        update, reset = gates
        last = node.build(g.MatmulOp, _mul(node, reset, state), second, transpose_b=True)
        last = _sum(node, last, None if bias is None else _gate(node, bias, 2, size))
    new = g_(node, _clipped(node, _sum(node, _gate(node, given, 2, size), last)))
    left = node.build(g.SubOp, node.like(update, 1), update)
    return [_sum(node, _mul(node, left, new), _mul(node, update, state))]


def _rnn_cell(node: OnnxNode, of: Direction, given: SSAValue, states: Sequence[SSAValue]) -> list[SSAValue]:
    return [of.activations[0](node, _clipped(node, _sum(node, given, of.recur(node, states[0]))))]


def _affine(node: OnnxNode, x: SSAValue, alpha: float, beta: float) -> SSAValue:
    return _sum(node, _mul(node, x, node.like(x, alpha)), node.like(x, beta))


def _where(node: OnnxNode, kind: str, x: SSAValue, limit: float, yes: SSAValue, no: SSAValue) -> SSAValue:
    return node.build(g.SelectOp, node.build(g.CompareOp, x, node.like(x, limit), kind=kind), yes, no)


ACTIVATIONS: dict[str, tuple[Callable[[OnnxNode, SSAValue, float, float], SSAValue], float, float]] = {
    "relu": (lambda node, x, a, b: node.build(g.ReluOp, x), 0, 0),
    "tanh": (lambda node, x, a, b: node.build(g.TanhOp, x), 0, 0),
    "sigmoid": (lambda node, x, a, b: node.build(g.SigmoidOp, x), 0, 0),
    "affine": (_affine, 1, 0),
    "leakyrelu": (lambda node, x, a, b: _where(node, "lt", x, 0, _mul(node, x, node.like(x, a)), x), 0.01, 0),
    "thresholdedrelu": (lambda node, x, a, b: _where(node, "gt", x, a, x, node.like(x, 0)), 1, 0),
    "scaledtanh": (
        lambda node, x, a, b: _mul(node, node.build(g.TanhOp, _mul(node, x, node.like(x, b))), node.like(x, a)), 1, 1,
    ),
    "hardsigmoid": (lambda node, x, a, b: node.build(g.ClipOp, _affine(node, x, a, b), min=0.0, max=1.0), 0.2, 0.5),
    "elu": (
        lambda node, x, a, b: _where(node, "lt", x, 0, _mul(node, node.build(g.Expm1Op, x), node.like(x, a)), x), 1, 0,
    ),
    "softsign": (
        lambda node, x, a, b: node.build(g.DivOp, x, _sum(node, node.build(g.AbsOp, x), node.like(x, 1))), 0, 0,
    ),
    "softplus": (
        lambda node, x, a, b: _sum(
            node, node.build(g.ReluOp, x),
            node.build(g.Log1pOp, node.build(g.ExpOp, node.build(g.NegOp, node.build(g.AbsOp, x)))),
        ), 0, 0,
    ),
}  # fmt: skip
"""The activations of the standard, each as a function of alpha and beta, with their defaults."""


def _activations(node: OnnxNode, usual: Sequence[str], directions: int) -> list[Activation]:
    """The activations of all directions. The lists of alpha and beta hold one entry for each activation that has it."""
    found = node.attributes.get("activations")
    names = [text.decode("utf-8", "replace") for text in found.strings] if found is not None else []
    names = names or [*usual] * directions
    if len(names) != len(usual) * directions:
        node.fail(f"`activations` must hold {len(usual) * directions} names, not {len(names)}")
    left = {key: list(getattr(node.attribute(f"activation_{key}"), "floats", ())) for key in ("alpha", "beta")}
    made: list[Activation] = []
    for name in names:
        row_ = ACTIVATIONS.get(name.lower().replace("_", ""))
        if row_ is None:
            node.fail(f"the activation {name!r} is not known; supported: {', '.join(ACTIVATIONS)}")
        function, alpha, beta = row_
        if alpha and left["alpha"]:
            alpha = left["alpha"].pop(0)
        if (beta or name.lower() == "affine") and left["beta"]:
            beta = left["beta"].pop(0)
        made.append(lambda inner, x, function=function, a=alpha, b=beta: function(inner, x, a, b))
    return made


@dataclass(frozen=True)
class Layer:
    """What the recurrent operators differ in: gates, states, usual activations, and the step of a cell."""

    gates: int
    states: int
    usual: tuple[str, ...]
    cell: Cell


_LSTM = Layer(4, 2, ("sigmoid", "tanh", "tanh"), _lstm_cell)
_GRU = Layer(3, 1, ("sigmoid", "tanh"), _gru_cell)
_RNN = Layer(1, 1, ("tanh",), _rnn_cell)

_DIRECTIONS = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}
"""The directions of a layer: True for one that starts with the last step."""


def _of_direction(node: OnnxNode, x: SSAValue, index: int) -> SSAValue:
    """The part of a tensor for one direction, without the axis of directions, which is the first."""
    shape = g.shape_of(x)
    if shape[0] > 1:
        ends = [index + 1, *shape[1:]]
        x = node.build(g.SliceOp, x, starts=[index] + [0] * (len(shape) - 1), ends=ends)
    return node.reshaped(x, shape[1:])


def layer(node: OnnxNode, of: Layer, quantized: bool = False) -> Outputs:
    """The outputs of a recurrent layer: the hidden states of all steps, [steps, directions, batch, hidden], and the
    last ones of each state."""
    x, first = node[0], node.integer("layout") == 1
    if rank_of(x) != 3 or rank_of(node[1]) != 3 or rank_of(node[2]) != 3:
        node.fail(
            "inputs and weights must have 3 axes: [steps, batch, features], [directions, gates * hidden, features]"
        )
    x = node.transposed(x, (1, 0, 2)) if first else x
    steps, batch, _ = g.shape_of(x)
    reverses = _DIRECTIONS[node.word("direction", *_DIRECTIONS)]
    hidden = g.shape_of(node[2])[1 if quantized else 2]
    expected = (len(reverses), hidden, of.gates * hidden) if quantized else (len(reverses), of.gates * hidden, hidden)
    if g.shape_of(node[2]) != expected or node.integer("hidden_size", hidden) != hidden:
        node.fail(
            f"recurrence weights of {g.tensor_of(node[2])} don't fit {len(reverses)} directions, {of.gates} gates and "
            f"a hidden size of {node.integer('hidden_size', hidden)}"
        )
    _check_others(node, of, len(reverses), batch, hidden, first, quantized)
    activations = _activations(node, of.usual, len(reverses))
    lengths = None if node.get(4) is None else node.cast(node.reshaped(node[4], (batch, 1)), i32)
    kept: list[tuple[SSAValue, list[SSAValue]]] = []
    for index, backwards in enumerate(reverses):
        own = activations[index * len(of.usual) : (index + 1) * len(of.usual)]
        direction = _direction(node, of, x, index, hidden, own, first, quantized)
        kept.append(_run(node, of, direction, steps, backwards, lengths))
    ys = [node.reshaped(y, (steps, 1, batch, hidden)) for y, _ in kept]
    y = ys[0] if len(ys) == 1 else node.build(g.ConcatOp, *ys, axis=1)
    lasts: list[SSAValue] = []
    for number in range(of.states):
        each = [node.reshaped(states[number], (1, batch, hidden)) for _, states in kept]
        last = each[0] if len(each) == 1 else node.build(g.ConcatOp, *each, axis=0)
        lasts.append(node.transposed(last, (1, 0, 2)) if first else last)
    return [node.transposed(y, (2, 0, 1, 3)) if first else y, *lasts][: len(node.wanted)]


def _check_others(
    node: OnnxNode, of: Layer, directions: int, batch: int, hidden: int, first: bool, quantized: bool
) -> None:
    """Raise VerifyException if an input behind the recurrence weights has the wrong shape."""
    width = of.gates * hidden
    state = (batch, directions, hidden) if first else (directions, batch, hidden)
    scale = ((directions,), (directions, width), (1,), ())
    expected: dict[int, tuple[tuple[int, ...], ...]] = {
        3: ((directions, 2 * width),),
        4: ((batch,),),
        **dict.fromkeys(range(5, 5 + of.states), (state,)),
        **({7: ((directions, 3 * hidden),)} if of is _LSTM else {}),
        **(dict.fromkeys(range(8, 12), scale) if quantized else {}),
    }
    for index, shapes in expected.items():
        if (value := node.get(index)) is not None and g.shape_of(value) not in shapes:
            words = " or ".join(str(list(shape)) for shape in shapes)
            node.fail(f"input {index} is {g.tensor_of(value)}, but with these weights its shape is {words}")
    if g.shape_of(node[1])[0] != directions:
        node.fail(f"input weights of {g.tensor_of(node[1])} don't fit {directions} directions")


def _direction(
    node: OnnxNode, of: Layer, x: SSAValue, index: int, hidden: int, own: Sequence[Activation], first: bool,
    quantized: bool,
) -> Direction:  # fmt: skip
    batch, width = g.shape_of(x)[1], of.gates * hidden
    bias = recurrence = None
    if (both := node.get(3)) is not None:
        both = _of_direction(node, both, index)
        bias = node.build(g.SliceOp, both, starts=[0], ends=[width])
        recurrence = node.build(g.SliceOp, both, starts=[width], ends=[2 * width])
        if of is not _GRU:  # added in any case: once, for all steps
            bias, recurrence = node.build(g.AddOp, bias, recurrence), None
    w, r = _of_direction(node, node[1], index), _of_direction(node, node[2], index)
    if quantized:
        inputs, recur = _quantized(node, index, x, w, r)
        inputs = _sum(node, inputs, bias)
    else:
        inputs = node.build(g.MatmulOp, x, w, *(() if bias is None else (bias,)), transpose_b=True)
        recur = _plain(r)
    weights = None if quantized else r
    states: list[SSAValue] = []
    for number in range(of.states):
        given = node.get(5 + number)
        if given is None:
            zero = g.NumbersAttr.of(np.zeros((), dtype_of(element_of(x))))
            states.append(node.splat(zero, (batch, hidden)))
        else:
            states.append(_of_direction(node, node.transposed(given, (1, 0, 2)) if first else given, index))
    peepholes = _of_direction(node, node[7], index) if of is _LSTM and node.get(7) is not None else None
    return Direction(hidden, inputs, recur, tuple(states), own, recurrence, peepholes, weights)


def _plain(weights: SSAValue) -> Product:
    return lambda inner, h: inner.build(g.MatmulOp, h, weights, transpose_b=True)


def _quantized(node: OnnxNode, index: int, x: SSAValue, w: SSAValue, r: SSAValue) -> tuple[SSAValue, Product]:
    """The products with quantized weights, stored as [features, gates * hidden]; the other factor is quantized by its
    own range."""

    def product(inner: OnnxNode, a: SSAValue, weights: SSAValue, at: int) -> SSAValue:
        small, scale, zero = dynamic(inner, a)
        own, own_zero = (columns_along(node, _of_scale(node, node[at + place], index)) for place in range(2))
        return scaled(inner, small_product(inner, small, weights, zero, own_zero), scale, own)

    return product(node, x, w, 8), lambda inner, h: product(inner, h, r, 10)


def _of_scale(node: OnnxNode, x: SSAValue, index: int) -> SSAValue:
    """The scale of one direction, which has one number or one for each column; or the one for all directions."""
    if rank_of(x) == 0:
        return x
    return _of_direction(node, x, index if g.shape_of(x)[0] > 1 else 0)


def _run(
    node: OnnxNode, of: Layer, direction: Direction, steps: int, backwards: bool, lengths: SSAValue | None
) -> tuple[SSAValue, list[SSAValue]]:
    """The hidden states of all steps, [steps, batch, hidden], and the last states. After the end of a sequence
    (`lengths`, [batch, 1]), states stay and the outputs are 0."""
    batch, hidden = g.shape_of(direction.inputs)[1], direction.hidden
    wanted = node.wanted[0]

    def step(inner: OnnxNode, counter: SSAValue, carried: list[SSAValue]) -> list[SSAValue]:
        *states, ys = carried if wanted else [*carried, None]
        place = inner.build(g.SubOp, inner.like(counter, steps - 1), counter) if backwards else counter
        given = inner.reshaped(row(inner, direction.inputs, place), (batch, of.gates * hidden))
        new = of.cell(inner, direction, given, [state for state in states if state is not None])
        out = new[0]
        if lengths is not None:
            alive = inner.broadcast_to(inner.build(g.CompareOp, place, lengths, kind="lt"), (batch, hidden))
            out = inner.build(g.SelectOp, alive, out, inner.like(out, 0))
            new = [inner.build(g.SelectOp, alive, a, b) for a, b in zip(new, states, strict=True) if b is not None]
        if ys is None:
            return new
        return [*new, with_row(inner, ys, inner.reshaped(out, (1, batch, hidden)), place)]

    zeros = node.splat(g.NumbersAttr.of(np.zeros((), dtype_of(element_of(direction.inputs)))), (steps, batch, hidden))
    made = repeat(node, steps, [*direction.states, *([zeros] if wanted else [])], step)
    return (made[-1] if wanted else zeros), made[: of.states]


@handles("LSTM", newest=22)
def lstm(node: OnnxNode) -> Outputs:
    return layer(node, _LSTM)


@handles("GRU", newest=22)
def gru(node: OnnxNode) -> Outputs:
    return layer(node, _GRU)


@handles("RNN", newest=22)
def rnn(node: OnnxNode) -> Outputs:
    return layer(node, _RNN)


@handles_foreign(
    MICROSOFT, "DynamicQuantizeLSTM", (12, 12), (0, 3), activation_alpha=(0.0,), activation_beta=(0.0,),
    activations=("",), clip=float, direction="forward", hidden_size=int, input_forget=0,
)  # fmt: skip
def dynamic_quantize_lstm(node: OnnxNode) -> Outputs:
    return layer(node, _LSTM, quantized=True)

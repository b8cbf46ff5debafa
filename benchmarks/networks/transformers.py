"""Graphs of the language models in NeuSight's end-to-end data set, for forward and backward passes.

Ops are those that eager PyTorch 2.1 launches for Hugging Face's models (sitar-lab/NeuSight:
scripts/asplos/data/DLmodel_configs, neusight/Tracing/trace.py).
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from benchmarks.networks.graph import Network
from benchmarks.networks.sizes import Step, Transformer
from benchmarks.networks.switch import switch, switch_gradients
from dialects.graph import (
    AddOp,
    DivOp,
    GeluOp,
    GraphOp,
    MatmulOp,
    MaxOp,
    MulOp,
    PowOp,
    ReluOp,
    SelectOp,
    TanhOp,
)
from dialects.graph.op import shape_of, tensor_of


def forward(model: Transformer, step: Step) -> Network:
    """Return the graph of the forward pass."""
    net = Network()
    if model.kind == "switch":
        return switch(net, model, step)
    x = net.embedding(model.vocabulary, model.hidden, step.tokens)
    x = net.sum(x, net.embedding(step.length, model.hidden, step.length)) if step.batch == 1 else net.scaled(x)
    x = _dropout(net, x, step)
    if model.kind == "bert":
        x = net.layer_norm(net.sum(x, x))
    with net.times(model.layers):
        _LAYERS[model.kind](net, model, step, x)
    _head(net, model, step, x)
    return net


def _head(net: Network, model: Transformer, step: Step, x: SSAValue) -> None:
    if model.kind == "bert":  # a classifier of the first token, or (to train) the two heads of pre-training
        first = net.unary(TanhOp, net.linear(net.value(step.batch, model.hidden), model.hidden))
        net.linear(first, 2)
        if step.training:
            h = net.unary(GeluOp, net.linear(x, model.hidden))
            net.linear(net.layer_norm(h), model.vocabulary)
        return
    net.linear(net.layer_norm(x), model.vocabulary, bias=False)


def _dropout(net: Network, x: SSAValue, step: Step) -> SSAValue:
    return net.masked(x) if step.training else x


def _gpt2(net: Network, model: Transformer, step: Step, x: SSAValue) -> None:
    net.keep(net.linear(net.layer_norm(x), 3 * model.hidden))  # the model returns keys and values, as a cache
    scores = _scores(net, model, step)
    if not step.fused:
        scores = net.binary(DivOp, scores)
    scores = net.masked(scores, (step.length, step.length))
    y = _weighted(net, model, step, _dropout(net, net.softmax(scores), step))
    x = net.sum(x, _dropout(net, net.linear(y, model.hidden), step))
    h = net.linear(net.layer_norm(x), model.feed_forward)
    h = net.unary(GeluOp, h) if step.fused else _gelu_ops(net, h)
    net.keep(net.sum(x, _dropout(net, net.linear(h, model.hidden), step)))


def _gelu_ops(net: Network, x: SSAValue) -> SSAValue:
    """Add 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) as separate ops."""
    inner = net.scaled(net.sum(x, net.scaled(net.binary(PowOp, x))))
    return net.binary(MulOp, net.scaled(x), net.binary(AddOp, net.unary(TanhOp, inner)))


def _bert(net: Network, model: Transformer, step: Step, x: SSAValue) -> None:
    for _ in range(3):
        y = net.linear(x, model.hidden)
        if step.batch == 1:  # attention reads it through views
            net.keep(y)
    scores = _scores(net, model, step)
    if not step.fused:
        scores = net.binary(DivOp, scores)
        scores = net.sum(scores, net.value(step.batch, 1, 1, step.length))
    y = _weighted(net, model, step, _dropout(net, net.softmax(scores), step))
    x = net.layer_norm(_residual(net, step, _dropout(net, net.linear(y, model.hidden), step), x))
    h = net.unary(GeluOp, net.linear(x, model.feed_forward))
    net.keep(net.layer_norm(_residual(net, step, _dropout(net, net.linear(h, model.hidden), step), x)))


def _residual(net: Network, step: Step, x: SSAValue, to: SSAValue) -> SSAValue:
    return x if step.fused else net.sum(x, to)


def _opt(net: Network, model: Transformer, step: Step, x: SSAValue) -> None:
    h = net.layer_norm(x)
    net.scaled(net.linear(h, model.hidden))
    for _ in range(2):
        net.linear(h, model.hidden)
    for _ in range(3):  # q, k and v are copied into a layout by heads
        _by_heads(net, model, step)
    length, depth = step.length, model.depth
    q = net.value(step.batch * model.heads, length, depth)
    scores = net.view(net.matmul(q, q, transpose_b=True), step.batch, model.heads, length, length)
    # One head's mask is added to all heads: PyTorch's kernel for broadcast operands reads it again for each head.
    scores = net.sum(scores, net.value(step.batch, model.heads, length, length))
    scores = net.softmax(net.binary(MaxOp, scores))
    y = net.matmul(net.view(scores, step.batch * model.heads, length, length), q)
    net.copied(net.view(y, step.batch, model.heads, length, depth), (0, 2, 1, 3))
    y = net.linear(net.view(y, step.tokens, model.hidden), model.hidden)
    x = net.sum(x, _dropout(net, y, step))
    h = net.unary(ReluOp, net.linear(net.layer_norm(x), model.feed_forward))
    net.keep(net.sum(x, _dropout(net, net.linear(h, model.hidden), step)))


def _by_heads(net: Network, model: Transformer, step: Step) -> SSAValue:
    x = net.value(step.batch, step.length, model.heads, model.depth)
    return net.keep(net.copied(x, (0, 2, 1, 3)))


def _scores(net: Network, model: Transformer, step: Step) -> SSAValue:
    """Add the product q k^T; PyTorch's matmul copies both operands first if their batch and head axes can't be
    merged."""
    if step.batch > 1:
        _by_heads(net, model, step)
        _by_heads(net, model, step)
    q = net.value(step.batch, model.heads, step.length, model.depth)
    return net.matmul(q, q, transpose_b=True)


def _weighted(net: Network, model: Transformer, step: Step, scores: SSAValue) -> SSAValue:
    """Add the product of scores and v, and a copy of its result into a layout in which each token's elements are
    contiguous."""
    if step.batch > 1:
        _by_heads(net, model, step)
    v = net.value(step.batch, model.heads, step.length, model.depth)
    y = net.copied(net.matmul(scores, v), (0, 2, 1, 3))
    return net.view(y, step.tokens, model.hidden)


_LAYERS: dict[str, Callable[[Network, Transformer, Step, SSAValue], None]] = {
    "gpt2": _gpt2,
    "bert": _bert,
    "opt": _opt,
}


def backward(model: Transformer, step: Step) -> Network:
    """Return the graph of the backward pass.

    It has the gradient ops of each op of the forward pass, and additions of gradients to those of the previous step.
    """
    net = Network()
    ahead = forward(model, step)
    logits = net.value(step.tokens, model.vocabulary)
    net.binary(
        AddOp, net.value(step.tokens, model.vocabulary)
    )  # the loss's gradient: zeros, with one entry set per token
    net.binary(MulOp, logits, net.value(step.tokens, model.vocabulary))  # the gradient of log softmax
    for op, count in reversed(ahead.launches):
        with net.times(count):
            _GRADIENTS.get(op.name, _pass_on)(net, op)
    if model.kind == "switch":
        switch_gradients(net, model, step)
        return net
    with net.times(model.layers):  # x is used twice at each residual connection: its gradients are added
        for _ in range(2):
            net.sum(net.value(step.tokens, model.hidden), net.value(step.tokens, model.hidden))
        for _ in range(3):  # gradients of q, k and v return to one layout, or gradients of their inputs are added
            net.copied(net.value(step.tokens, model.hidden), (0, 1))
        if model.kind == "gpt2":  # x is used three times in gelu
            for _ in range(2):
                net.sum(net.value(step.tokens, model.feed_forward), net.value(step.tokens, model.feed_forward))
    return net


def _like(net: Network, value: SSAValue) -> SSAValue:
    return net.value(*shape_of(value), element=tensor_of(value).element_type)


def _matmul_gradient(net: Network, op: MatmulOp) -> None:
    a, b, dy = op.a, op.b, _like(net, op.y)
    if op.transpose_b.value.data:
        net.matmul(dy, b)
        net.matmul(dy, a, transpose_a=True)
        return
    net.matmul(dy, b, transpose_b=True)
    net.matmul(a, dy, transpose_a=True)
    if len(shape_of(b)) == 2:  # the gradient of a weight
        net.sum(_like(net, b), _like(net, b))
        if op.bias is not None:
            net.summed(dy, 0)


def _binary_gradient(net: Network, op: GraphOp) -> None:
    """Add an element-wise op on the gradient and on a value that was kept from the forward pass."""
    y = op.results[0]
    net.binary(MulOp, _like(net, y), _like(net, y))


def _unary_gradient(net: Network, op: GraphOp) -> None:
    net.scaled(_like(net, op.results[0]))


def _maximum_gradient(net: Network, op: MaxOp) -> None:
    """Add the gradient of `torch.maximum` as separate ops: the smaller operand gets 0, and each of two equal operands
    one half."""
    x, dy = _like(net, op.a), _like(net, op.y)
    net.add(SelectOp(net.compared("eq", x), net.scaled(dy), dy))
    net.masked(dy, shape_of(net.compared("lt", x)))


def _product_gradient(net: Network, op: MulOp) -> None:
    _unary_gradient(net, op) if shape_of(op.b) == () else (_binary_gradient(net, op), _binary_gradient(net, op))


def _power_gradient(net: Network, op: PowOp) -> None:
    net.binary(PowOp, _like(net, op.y))
    _unary_gradient(net, op)
    _binary_gradient(net, op)


def _norm_gradient(net: Network, op: GraphOp) -> None:
    x = op.results[0]
    net.layer_norm(net.binary(MulOp, _like(net, x), _like(net, x)))
    net.summed(net.value(*shape_of(x)), 0)
    net.summed(net.value(*shape_of(x)), 0)


def _select_gradient(net: Network, op: GraphOp) -> None:
    condition = shape_of(op.operands[0])
    net.masked(_like(net, op.results[0]), condition)


def _table_gradient(net: Network, op: GraphOp) -> None:
    """Add the gradient of an embedding table: zeros for the whole table, a row for each token, and an addition to the
    gradient of the previous step."""
    table = _like(net, op.operands[0])
    net.scaled(table)
    net.sum(table, _like(net, table))


def _pass_on(net: Network, op: GraphOp) -> None:
    """Add no op: the gradient of a sum or of a view is the gradient of its result."""


_GRADIENTS: dict[str, Callable[..., None]] = {
    "graph.matmul": _matmul_gradient,
    "graph.mul": _product_gradient,
    "graph.div": _unary_gradient,
    "graph.pow": _power_gradient,
    "graph.tanh": _binary_gradient,
    "graph.gelu": _binary_gradient,
    "graph.relu": _binary_gradient,
    "graph.max": _maximum_gradient,
    "graph.softmax": _binary_gradient,
    "graph.layer_norm": _norm_gradient,
    "graph.select": _select_gradient,
    "graph.gather": _table_gradient,
}

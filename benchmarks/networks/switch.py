"""Switch Transformer (Fedus et al., 2021) as launched by Hugging Face's model.

It has an encoder and a decoder; every second layer has four experts with at most 64 tokens per sequence. All tokens of
NeuSight's runs are equal, so that the router sends all of them to one expert, unless dropout makes them different.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from benchmarks.networks.graph import Network
from benchmarks.networks.sizes import Step, Transformer
from dialects.graph import AddOp, MulOp, PowOp, ReluOp, RsqrtOp, SigmoidOp

_EXPERTS, _CAPACITY = 4, 64


def switch(net: Network, model: Transformer, step: Step) -> Network:
    """Add the forward pass of encoder and decoder, each with `step.length` tokens."""
    for decoder in (False, True):
        x = net.embedding(model.vocabulary, model.hidden, step.tokens)
        x = _dropout(net, x, step)
        with net.times(model.layers):
            for across in (False, True) if decoder else (False,):
                x = _attended(net, model, step, x, decoder, across)
        with net.times(model.layers // 2):
            _dense(net, model, step, x, step.tokens)
            _experts(net, model, step, x)
        _norm(net, x)
    net.linear(net.scaled(x), model.vocabulary, bias=False)
    return net


def switch_gradients(net: Network, model: Transformer, step: Step) -> None:
    """Add the backward pass's kernels that are the gradients of no single op.

    They copy the gradients of q, k, v and of the weighted values between layouts, and add the gradients of values that
    are used several times: x at each of the five residual connections of an encoder's and a decoder's layer, and the
    bias of positions in every layer."""
    with net.times(model.layers):
        for _ in range(3 * 4):
            net.copied(net.value(step.batch, step.length, model.heads, model.depth), (0, 2, 1, 3))
        for _ in range(5):
            net.sum(net.value(step.tokens, model.hidden), net.value(step.tokens, model.hidden))
        for _ in range(2):
            bias = (step.batch, model.heads, step.length, step.length)
            net.sum(net.value(*bias), net.value(*bias))


def _dropout(net: Network, x: SSAValue, step: Step) -> SSAValue:
    return net.masked(x) if step.training else x


def _norm(net: Network, x: SSAValue) -> SSAValue:
    """Add a root mean square norm as separate ops."""
    scale = net.unary(RsqrtOp, net.scaled(net.mean_of_rows(net.binary(PowOp, x))))
    return net.scaled(net.keep(net.binary(MulOp, x, scale)))


def _attended(
    net: Network, model: Transformer, step: Step, x: SSAValue, decoder: bool = False, across: bool = False
) -> SSAValue:
    """Add an attention; `across`: from the decoder to the encoder's results, without a bias of positions."""
    wide = model.heads * model.depth
    h = _norm(net, x)
    for number in range(3):
        y = net.linear(h, wide, bias=False)
        if step.batch == 1 or (decoder and number):  # views are read; a decoder returns keys and values, as a cache
            net.keep(y)
    for _ in range(3 if step.batch > 1 else 0):
        x_by_heads = net.value(step.batch, step.length, model.heads, model.depth)
        net.keep(net.copied(x_by_heads, (0, 2, 1, 3)))
    q = net.value(step.batch, model.heads, step.length, model.depth)
    scores = net.matmul(q, q, transpose_b=True)
    bias = net.value(step.batch, model.heads, step.length, step.length)
    scores = net.sum(scores, bias) if across else net.sum_across(scores, bias)  # an embedding, with heads innermost
    y = net.matmul(_dropout(net, net.softmax(scores), step), q)
    y = net.view(net.copied(y, (0, 2, 1, 3)), step.tokens, wide)
    return net.sum(x, _dropout(net, net.linear(y, model.hidden, bias=False), step))


def _dense(net: Network, model: Transformer, step: Step, x: SSAValue, tokens: int) -> None:
    h = _norm(net, x)
    h = net.unary(ReluOp, net.linear(net.value(tokens, model.hidden), model.feed_forward, bias=False))
    y = net.linear(_dropout(net, h, step), model.hidden, bias=False)
    net.sum(net.value(tokens, model.hidden), _dropout(net, y, step))


def _experts(net: Network, model: Transformer, step: Step, x: SSAValue) -> None:
    """Add the router and all experts. Each expert gathers its tokens and scatters its results."""
    h = _norm(net, x)
    router = net.softmax(net.linear(h, _EXPERTS, bias=False))
    for _ in range(8):  # maximum, one-hot, running count, comparisons and masks
        router = net.unary(SigmoidOp, router)
    net.scaled(h)
    tokens = min(step.length, _CAPACITY) * step.batch
    picked = net.value(tokens, model.hidden)
    for expert in range(_EXPERTS):
        with net.waits():  # for the number of the expert's tokens, which the host needs to gather and to scatter them
            for _ in range(6):  # mask, count, indices, gather and scatter, launched even without tokens
                net.binary(AddOp, net.value(step.tokens))
            if not expert or step.training:  # with dropout tokens differ, and all experts get some
                h = net.unary(ReluOp, net.linear(picked, model.feed_forward, bias=False))
                net.linear(_dropout(net, h, step), model.hidden, bias=False)
    net.sum(x, net.scaled(x))

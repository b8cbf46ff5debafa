"""The dense feed-forward block: two or three products and an activation."""

from __future__ import annotations

from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.configs.building import StepBuilder
from ndpir.frontends.configs.products import product


def feed_forward(b: StepBuilder, x: SSAValue, prefix: str = "", width: int = 0) -> SSAValue:
    """The block's result for the rows of `x`: down(activation(gate(x)) * up(x)), or down(activation(up(x))). `prefix`:
    that of the roles of its weights; `width`: the inner width, by default that of dense blocks."""
    config = b.config
    bias, width = config.feed_forward_bias, width or config.feed_forward
    if b.has("gate_up"):
        both = product(b, x, "gate_up", 2 * width, bias)
        gate, up = (b.sliced(both, (0, at), (g.shape_of(x)[0], at + width)) for at in (0, width))
        inner = b.build(g.MulOp, activated(b, gate), up)
    elif config.gated:
        gate = activated(b, product(b, x, f"{prefix}gate", width, bias))
        inner = b.build(g.MulOp, gate, product(b, x, f"{prefix}up", width, bias))
    else:
        inner = activated(b, product(b, x, f"{prefix}up", width, bias))
    return product(b, inner, f"{prefix}down", config.hidden, bias)


def activated(b: StepBuilder, x: SSAValue) -> SSAValue:
    """The model's activation of each element."""
    match b.config.activation:
        case "silu":
            return b.build(g.SiluOp, x)
        case "gelu":
            return b.build(g.GeluOp, x)
        case "gelu_tanh":
            return b.build(g.GeluOp, x, approximate="tanh")
        case "gelu_quick":
            return b.build(g.MulOp, x, b.build(g.SigmoidOp, b.build(g.MulOp, x, b.number(1.702, x))))
        case "relu":
            return b.build(g.ReluOp, x)

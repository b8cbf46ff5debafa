"""Norms of a model's rows: by their root mean square, or by mean and variance."""

from __future__ import annotations

from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.configs.building import StepBuilder
from ndpir.frontends.configs.weights import BIASES, SCALES


def normed(b: StepBuilder, x: SSAValue, role: str, own_scales: bool = False, epsilon: float = 0.0) -> SSAValue:
    """`x` with its last axis normed, by the weights of a role; `x` itself if the model has no such norm. `own_scales`:
    each index of the axes between the first and the last one has scales of its own. `epsilon`: default: the model's."""
    if not b.has(role):
        return x
    config, name = b.config, b.name(role)
    shape = g.shape_of(x)[-1:] if not own_scales else g.shape_of(x)[1:]
    low, high = SCALES
    scale = b.weight(name, shape, (low - config.norm_offset, high - config.norm_offset))
    if config.norm_offset:
        scale = b.build(g.AddOp, scale, b.number(config.norm_offset, scale))
    b.part(name.removesuffix(".weight"))
    if config.norm == "rms":
        return b.build(g.RmsNormOp, x, scale, epsilon=epsilon or config.epsilon)
    bias = [b.weight(name.removesuffix("weight") + "bias", shape, BIASES)] if config.norm_bias else []
    return b.build(g.LayerNormOp, x, scale, *bias, epsilon=epsilon or config.epsilon)

"""Positions as biases of attention scores that are linear in the distance (ALiBi: Press et al., 2022)."""

from __future__ import annotations

from math import floor, log2, sqrt

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import element_type_named
from ndpir.frontends.configs.building import StepBuilder


def alibi(b: StepBuilder, keys: int) -> SSAValue:
    """The numbers that are added to the scores of the first `keys` tokens, [1, heads, 1, keys]: each head's slope times
    the token's position, which differs from a bias by the distance by the same number for all tokens of a query."""
    f32, bf16 = element_type_named("f32"), element_type_named("bf16")
    slopes = b.constant(np.array(slopes_of(b.config.heads), np.float32).reshape(1, -1, 1, 1))
    positions = b.reshaped(b.counted(keys, f32), (1, 1, 1, keys))
    if b.config.scaled_alibi:
        slopes, positions = b.cast(slopes, bf16), b.cast(positions, bf16)
    bias = b.build(g.MulOp, slopes, positions)
    if b.config.scaled_alibi:
        bias = b.cast(bias, b.element)
        bias = b.build(g.MulOp, bias, b.number(b.config.scale or 1 / sqrt(b.config.head_size), bias))
    return b.cast(bias, b.element)


def slopes_of(heads: int) -> list[float]:
    """The slope of each head: powers of 2^(-8/n) for n heads if n is a power of two; else those for the next lower
    power of two, and between them every second one for twice as many heads."""
    near = 1 << floor(log2(heads))
    base = 2 ** (-(2 ** -(log2(near) - 3)))
    slopes = [base**power for power in range(1, near + 1)]
    if near < heads:
        base = 2 ** (-(2 ** -(log2(2 * near) - 3)))
        slopes += [base**power for power in range(1, 2 * (heads - near) + 1, 2)]
    return slopes

"""Rotary positions: the frequencies of a rotation, with its scaling for long contexts, and their ops."""

from __future__ import annotations

from math import ceil, floor, log, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import element_type_named
from ndpir.frontends.configs.building import StepBuilder
from ndpir.frontends.configs.config import Rotation, Scaling

F32 = NDArray[np.float32]


def frequencies(rotation: Rotation, context: int, length: int) -> F32:
    """The angle in radians by which each pair of elements turns from one position to the next, in f32: theta to the
    power of -2i/size for pair i, slowed down by the scaling. `context`: the longest context of the model; `length`:
    that of the sequence, which decides in scalings that depend on it.

    Sources: linear: kaiokendev, 2023; dynamic: bloc97 and emozilla, 2023; yarn: Peng et al., 2023; longrope: Ding et
    al., 2024; llama3: the published code of Llama 3.1.
    """
    scaling, size, theta = rotation.scaling, rotation.size, rotation.theta
    if scaling is not None and scaling.kind == "dynamic" and length > context:
        theta *= (scaling.factor * length / context - (scaling.factor - 1)) ** (size / (size - 2))
    exponents = np.arange(0, size, 2, dtype=np.float32) / np.float32(size)
    periods: F32 = np.power(np.float32(theta), exponents)
    own = (1 / periods).astype(np.float32)
    match scaling:
        case None | Scaling(kind="dynamic"):
            return own
        case Scaling(kind="linear"):
            return (own / scaling.factor).astype(np.float32)
        case Scaling(kind="longrope"):
            divisors = scaling.long if length > scaling.trained else scaling.short
            return (1.0 / (np.array(divisors, np.float32) * periods)).astype(np.float32)
        case Scaling(kind="llama3"):
            return _by_turns(own, scaling)
        case _:
            kept = _kept_by_yarn(rotation, scaling)
            return (own / np.float32(scaling.factor) * (1 - kept) + own * kept).astype(np.float32)


def _by_turns(own: F32, scaling: Scaling) -> F32:
    """Frequencies of many turns in the trained context are kept, those of few are slowed down, and between both there
    is a linear transition."""
    turns = np.float32(scaling.trained) * own / np.float32(2 * pi)
    kept = np.clip((turns - scaling.slow) / (scaling.fast - scaling.slow), 0, 1)
    return ((1 - kept) * own / scaling.factor + kept * own).astype(np.float32)


def _kept_by_yarn(rotation: Rotation, scaling: Scaling) -> F32:
    """The share of each frequency that is kept: 1 for the fastest pairs, 0 for the slowest ones, and a linear
    transition between the pairs that turn `fast` and `slow` times in the trained context."""
    size = rotation.size

    def pair(turns: float) -> float:
        return size * log(scaling.trained / (turns * 2 * pi)) / (2 * log(rotation.theta))

    first, last = pair(scaling.fast), pair(scaling.slow)
    if scaling.truncates:
        first, last = floor(first), ceil(last)
    first, last = max(first, 0), min(last, size - 1)
    last += 0.001 * (first == last)
    ramp = (np.arange(size // 2, dtype=np.float32) - np.float32(first)) / np.float32(last - first)
    return (1 - np.clip(ramp, 0, 1)).astype(np.float32)


class Turns(NamedTuple):
    """Cosine and sine of the angles by which the new tokens of a group turn, [1, 1, new, size]."""

    cosine: SSAValue
    sine: SSAValue


def turns_of(b: StepBuilder, rotation: Rotation, new: int, cached: int) -> Turns:
    """The angles of new tokens behind cached ones; sines and cosines have the step's type."""
    own = frequencies(rotation, b.config.context, new + cached)
    positions = b.along(2, (1, 1, new, 1), element_type_named("f32"))
    if cached:
        positions = b.build(g.AddOp, positions, b.number(cached, positions))
    angles = b.build(g.MulOp, positions, b.constant(own.reshape(1, 1, 1, -1)))
    if rotation.neighbours:
        apart = b.reshaped(angles, (1, 1, new, own.size, 1))
        both = b.reshaped(b.build(g.ConcatOp, apart, apart, axis=4), (1, 1, new, 2 * own.size))
    else:
        both = b.build(g.ConcatOp, angles, angles, axis=3)
    made = [b.build(cls, both) for cls in (g.CosOp, g.SinOp)]
    if rotation.scaling is not None and rotation.scaling.magnitude != 1:
        made = [b.build(g.MulOp, each, b.number(rotation.scaling.magnitude, each)) for each in made]
    return Turns(*(b.cast(each, b.element) for each in made))


def turned(b: StepBuilder, x: SSAValue, rotation: Rotation, turns: Turns) -> SSAValue:
    """Queries or keys [sequences, heads, new, elements] with the first elements of each turned: x cos + x' sin, where
    x' is x with the elements of each pair exchanged, one of them negated."""
    *outer, size = g.shape_of(x)
    none = (0,) * len(outer)
    if rotation.size < size:
        first = b.sliced(x, (*none, 0), (*outer, rotation.size))
        rest = b.sliced(x, (*none, rotation.size), (*outer, size))
        return b.build(g.ConcatOp, turned(b, first, rotation, turns), rest, axis=len(outer))
    if rotation.neighbours:
        pairs = b.reshaped(x, (*outer, size // 2, 2))
        one, two = (b.sliced(pairs, (*none, 0, at), (*outer, size // 2, at + 1)) for at in (0, 1))
        other = b.reshaped(b.build(g.ConcatOp, b.build(g.NegOp, two), one, axis=len(outer) + 1), (*outer, size))
    else:
        one, two = (b.sliced(x, (*none, at), (*outer, at + size // 2)) for at in (0, size // 2))
        other = b.build(g.ConcatOp, b.build(g.NegOp, two), one, axis=len(outer))
    return b.build(g.AddOp, b.build(g.MulOp, x, turns.cosine), b.build(g.MulOp, other, turns.sine))

"""Rotary positions: the frequencies of a rotation, with its scaling for long contexts, and their ops."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from dialects import graph as g
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
    """Cosine and sine of the angles by which the tokens of a step turn, [tokens, 1, size]."""

    cosine: SSAValue
    sine: SSAValue


def turns_of(b: StepBuilder, rotation: Rotation, groups: Sequence[tuple[SSAValue, int]]) -> Turns:
    """The angles of the tokens of some groups, given by their positions, a vector of f32, and the length of the group's
    sequences, which decides in scalings that depend on it. Sines and cosines have the step's type."""
    found: list[SSAValue] = []
    for positions, length in groups:
        own = b.constant(frequencies(rotation, b.config.context, length).reshape(1, 1, -1))
        found.append(b.build(g.MulOp, b.reshaped(positions, (g.shape_of(positions)[0], 1, 1)), own))
    angles = found[0] if len(found) == 1 else b.build(g.ConcatOp, *found, axis=0)
    tokens, _, pairs = g.shape_of(angles)
    if rotation.neighbours:
        apart = b.reshaped(angles, (tokens, 1, pairs, 1))
        both = b.reshaped(b.build(g.ConcatOp, apart, apart, axis=3), (tokens, 1, 2 * pairs))
    else:
        both = b.build(g.ConcatOp, angles, angles, axis=2)
    made = [b.build(cls, both) for cls in (g.CosOp, g.SinOp)]
    if rotation.scaling is not None and rotation.scaling.magnitude != 1:
        made = [b.build(g.MulOp, each, b.number(rotation.scaling.magnitude, each)) for each in made]
    return Turns(*(b.cast(each, b.element) for each in made))


def turned(b: StepBuilder, x: SSAValue, rotation: Rotation, turns: Turns) -> SSAValue:
    """Queries or keys [tokens, heads, elements] with the first elements of each head turned: x cos + x' sin, where x'
    is x with the elements of each pair exchanged, one of them negated."""
    tokens, heads, size = g.shape_of(x)
    if rotation.size < size:
        first = b.sliced(x, (0, 0, 0), (tokens, heads, rotation.size))
        rest = b.sliced(x, (0, 0, rotation.size), (tokens, heads, size))
        return b.build(g.ConcatOp, turned(b, first, rotation, turns), rest, axis=2)
    if rotation.neighbours:
        pairs = b.reshaped(x, (tokens, heads, size // 2, 2))
        one, two = (b.sliced(pairs, (0, 0, 0, at), (tokens, heads, size // 2, at + 1)) for at in (0, 1))
        other = b.reshaped(b.build(g.ConcatOp, b.build(g.NegOp, two), one, axis=3), (tokens, heads, size))
    else:
        one, two = (b.sliced(x, (0, 0, at), (tokens, heads, at + size // 2)) for at in (0, size // 2))
        other = b.build(g.ConcatOp, b.build(g.NegOp, two), one, axis=2)
    return b.build(g.AddOp, b.build(g.MulOp, x, turns.cosine), b.build(g.MulOp, other, turns.sine))

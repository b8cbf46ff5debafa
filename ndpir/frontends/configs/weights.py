"""Sources of a model's weights: drawn from seeds by their published names."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple, Protocol
from zlib import crc32

from dialects import graph as g
from dialects.element_types import ElementType
from dialects.graph.op import integer, real


class Stored(NamedTuple):
    """A weight as it is stored: where its numbers are, and their type."""

    source: g.WeightSource
    type: ElementType


class Weights(Protocol):
    """Where the weights of a model come from."""

    def find(self, name: str, shape: Sequence[int], usual: ElementType, bound: tuple[float, float]) -> Stored:
        """The weight with a published name. `usual`: its type, and `bound`: the least and the largest of its numbers,
        where nothing is stored. Raises InputError for a weight that is missing or has another shape."""
        ...


class Drawn:
    """Weights drawn from seeds, which are the check sums (CRC-32) of their names."""

    def find(self, name: str, shape: Sequence[int], usual: ElementType, bound: tuple[float, float]) -> Stored:
        """A weight of the usual type between the bounds."""
        low, high = bound
        return Stored(g.UniformAttr(real(low), real(high), integer(crc32(name.encode()))), usual)


SCALES = (0.75, 1.25)
"""The bounds of scales of norms; those of biases and embeddings follow."""
BIASES = (-0.1, 0.1)
EMBEDDINGS = (-0.5, 0.5)


def bounds_of(inputs: int) -> tuple[float, float]:
    """The bounds of a matrix with a number of inputs for which products of numbers of variance 1 have that variance."""
    return -sqrt(3 / inputs), sqrt(3 / inputs)

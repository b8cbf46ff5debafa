"""Sources of a model's weights, by their published names: the files of a folder, or seeds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple, Protocol
from zlib import crc32

from xdsl.dialects.builtin import StringAttr

from dialects import graph as g
from dialects.diagnostics import FileName, InputError
from dialects.element_types import ElementType, element_type_named
from dialects.files import is_file
from dialects.graph.op import integer, real
from interp.numerics.safetensors import ELEMENT_TYPES, find_tensor


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


class Published:
    """Weights in the safetensors files of a folder, as models are published: `model.safetensors`, or several files that
    `model.safetensors.index.json` names."""

    def __init__(self, path: str, config: str) -> None:
        """`path`: the file, or the index. `config`: the config file beside it."""
        self.path, self.config = path, config

    def find(self, name: str, shape: Sequence[int], usual: ElementType, bound: tuple[float, float]) -> Stored:
        """The weight in the type that the file states."""
        for each in (name, name.partition(".")[2]):  # files of a base model lack the first part of names
            if (placed := find_tensor(self.path, each, self.config)) is None:
                continue
            if placed.shape != tuple(shape):
                raise InputError(
                    f"`{each}` has the shape {list(placed.shape)}, but the config's facts make it {list(shape)}",
                    FileName(self.path),
                )
            if placed.dtype not in ELEMENT_TYPES:
                raise InputError(f"`{each}` has elements of {placed.dtype}, a type not known", FileName(self.path))
            source = g.SafetensorsAttr(StringAttr(self.path), StringAttr(each), StringAttr(self.config))
            return Stored(source, element_type_named(ELEMENT_TYPES[placed.dtype]))
        raise InputError(f"the weight `{name}` of the model is in no file", FileName(self.path))


def weights_beside(config: str) -> Weights:
    """The weights in the folder of a config file; drawn ones if it holds none."""
    for name in ("model.safetensors.index.json", "model.safetensors"):
        path = os.path.join(os.path.dirname(config), name)
        if is_file(path):
            return Published(path, config)
    return Drawn()


SCALES = (0.75, 1.25)
"""The bounds of scales of norms; those of biases and embeddings follow."""
BIASES = (-0.1, 0.1)
EMBEDDINGS = (-0.5, 0.5)


def bounds_of(inputs: int) -> tuple[float, float]:
    """The bounds of a matrix with a number of inputs for which products of numbers of variance 1 have that variance."""
    return -sqrt(3 / inputs), sqrt(3 / inputs)

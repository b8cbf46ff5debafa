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
        """The weight in the type that the file states. A name with `*` is that of a tensor for each expert; names with
        ` + ` between them are joined."""
        for cut in (False, True):  # files of a base model lack the first part of names
            parts = [each.partition(".")[2] if cut else each for each in name.split(" + ")]
            placed = [find_tensor(self.path, each.replace("*", "0"), self.config) for each in parts]
            found = [each for each in placed if each is not None]
            if len(found) < len(parts):
                continue
            first, *others = found
            joined = (sum(each.shape[0] for each in found), *first.shape[1:]) if others else first.shape
            stated = (shape[0], *joined) if "*" in name else joined
            if stated != tuple(shape) or any(each.dtype != first.dtype for each in others):
                raise InputError(
                    f"`{name}` has the shape {list(stated)}, but the config's facts make it {list(shape)}",
                    FileName(self.path),
                )
            if first.dtype not in ELEMENT_TYPES:
                raise InputError(f"`{name}` has elements of {first.dtype}, a type not known", FileName(self.path))
            text = StringAttr(" + ".join(parts))
            source = g.SafetensorsAttr(StringAttr(self.path), text, StringAttr(self.config))
            return Stored(source, element_type_named(ELEMENT_TYPES[first.dtype]))
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

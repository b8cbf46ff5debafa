"""Sources of a model's weights, by their published names: the files of a folder, or seeds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import prod, sqrt
from typing import NamedTuple, Protocol
from zlib import crc32

from xdsl.dialects.builtin import StringAttr

from dialects import graph as g
from dialects.diagnostics import FileName, InputError
from dialects.element_types import ElementType, bit_width, element_type_named
from dialects.files import is_file
from dialects.graph.op import integer, real
from interp.numerics.safetensors import ELEMENT_TYPES, SMALL_TYPES, Placed, find_tensor


class Stored(NamedTuple):
    """A weight as it is stored: where its numbers are, and their type."""

    source: g.WeightSource
    type: ElementType


class Weights(Protocol):
    """Where the weights of a model come from."""

    def find(
        self, name: str, shape: Sequence[int], usual: ElementType, bound: tuple[float, float], packed: bool
    ) -> Stored:
        """The weight with a published name. `usual`: its type, and `bound`: the least and the largest of its numbers,
        where nothing is stored. `packed`: what is stored are the bytes of elements of the type `usual`, whatever type
        the file states. Raises InputError for a weight that is missing or has another shape."""
        ...

    def holds(self, name: str) -> bool:
        """True if a weight of this name is stored."""
        ...


class Drawn:
    """Weights drawn from seeds, which are the check sums (CRC-32) of their names."""

    def find(
        self, name: str, shape: Sequence[int], usual: ElementType, bound: tuple[float, float], packed: bool
    ) -> Stored:
        """A weight of the usual type between the bounds."""
        low, high = bound
        return Stored(g.UniformAttr(real(low), real(high), integer(crc32(name.encode()))), usual)

    def holds(self, name: str) -> bool:
        """False: nothing is stored."""
        return False


class Published:
    """Weights in the safetensors files of a folder, as models are published: `model.safetensors`, or several files that
    `model.safetensors.index.json` names. A name with `*` is that of a tensor for each expert; the tensors of names with
    ` + ` between them are joined."""

    def __init__(self, path: str, config: str) -> None:
        """`path`: the file, or the index. `config`: the config file beside it."""
        self.path, self.config = path, config

    def holds(self, name: str) -> bool:
        """True if a weight of this name is stored."""
        return self._found(name) is not None

    def find(
        self, name: str, shape: Sequence[int], usual: ElementType, bound: tuple[float, float], packed: bool
    ) -> Stored:
        """The weight in the type that the file states."""
        if (found := self._found(name)) is None:
            raise InputError(f"the weight `{name}` of the model is in no file", FileName(self.path))
        parts, placed = found
        first = placed[0]
        source = g.SafetensorsAttr(StringAttr(self.path), StringAttr(" + ".join(parts)), StringAttr(self.config))
        if packed:
            held = sum(each.end - each.first for each in placed) * (shape[0] if "*" in name else 1)
            if held != -(-prod(shape) * bit_width(usual) // 8):
                raise InputError(
                    f"`{name}` has {held} bytes, but the config's facts make it {usual} of shape {list(shape)}",
                    FileName(self.path),
                )
            return Stored(source, usual)
        matrix = (
            first.shape if len(placed) == 1 else (sum((each.shape or (1,))[0] for each in placed), *first.shape[1:])
        )
        stated = (shape[0], *matrix) if "*" in name else matrix
        if _aside_ones(stated) != _aside_ones(shape) or any(each.dtype != first.dtype for each in placed):
            raise InputError(
                f"`{name}` has the shape {list(stated)}, but the config's facts make it {list(shape)}",
                FileName(self.path),
            )
        if first.dtype not in _ELEMENT_TYPES:
            raise InputError(f"`{name}` has elements of {first.dtype}, a type not known", FileName(self.path))
        return Stored(source, element_type_named(_ELEMENT_TYPES[first.dtype]))

    def _found(self, name: str) -> tuple[list[str], list[Placed]] | None:
        """The tensors of a name, and their own names; files of a base model lack the first part of names."""
        for cut in (False, True):
            parts = [each.partition(".")[2] if cut else each for each in name.split(" + ")]
            placed = [find_tensor(self.path, each.replace("*", "0"), self.config) for each in parts]
            if None not in placed:
                return parts, [each for each in placed if each is not None]
        return None


_ELEMENT_TYPES = ELEMENT_TYPES | SMALL_TYPES


def _aside_ones(shape: Sequence[int]) -> list[int]:
    """A shape without axes of extent 1."""
    return [extent for extent in shape if extent != 1]


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

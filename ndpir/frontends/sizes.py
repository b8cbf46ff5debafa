"""The sizes that a user gives to a model: extents of dimensions, shapes of inputs, the batch, a decoder's cache; and
whether operators that are not supported become opaque ops."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dialects.files import is_file
from ndpir.diagnostics.usage import UsageError


@dataclass(frozen=True)
class Sizes:
    """The sizes that a reader of a model gives to it. An empty request leaves the model as it is."""

    dims: Mapping[str, int] = field(default_factory=dict[str, int])
    """Extents of dimensions: of a symbolic one by its name, of an axis of an input as `INPUT.AXIS`, and in a model of
    fixed sizes of all axes with a role: `batch`, `sequence`, `cache`."""
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    """Complete shapes of inputs, by name."""
    batch: int | None = None
    """The number of independent samples in each input."""
    cache_length: int | None = None
    """The number of tokens in the caches of a decoder."""
    opaque: bool = False
    """True if operators that are not supported become opaque ops."""

    @staticmethod
    def of(
        dims: Mapping[str, int] | None = None,
        shapes: Mapping[str, Sequence[int]] | None = None,
        batch: int | None = None,
        cache_length: int | None = None,
        opaque: bool = False,
    ) -> Sizes:
        """The sizes in arguments of Python functions, where None means that nothing is given."""
        given = {name: tuple(map(int, shape)) for name, shape in (shapes or {}).items()}
        return Sizes(dict(dims or {}), given, batch, cache_length, opaque)

    def changed_by(self, other: Sizes) -> Sizes:
        """These sizes, with those of `other` in place of others for the same dimension, input or role."""
        return Sizes(
            {**self.dims, **other.dims},
            {**self.shapes, **other.shapes},
            self.batch if other.batch is None else other.batch,
            self.cache_length if other.cache_length is None else other.cache_length,
            self.opaque or other.opaque,
        )

    @property
    def names(self) -> list[str]:
        """The names of the given sizes, as in Python."""
        return [name for name, given in self.arguments.items() if given not in (None, {}, False)]

    @property
    def arguments(self) -> dict[str, Any]:
        """The sizes as keyword arguments of `ndpir.read`."""
        return {
            "dims": self.dims,
            "shapes": self.shapes,
            "batch": self.batch,
            "cache_length": self.cache_length,
            "opaque": self.opaque,
        }

    @property
    def flags(self) -> list[str]:
        """The flags of `ndp-opt` for these sizes."""
        words = [word for name, size in sorted(self.dims.items()) for word in ("--dim", f"{name}={size}")]
        for name, shape in sorted(self.shapes.items()):
            words += ["--shape", f"{name}={'x'.join(map(str, shape))}"]
        if self.batch is not None:
            words += ["--batch", str(self.batch)]
        if self.cache_length is not None:
            words += ["--cache-length", str(self.cache_length)]
        if self.opaque:
            words.append("--opaque")
        return words


def is_config(path: str) -> bool:
    """True for the path of a language model's config file, or of a folder that holds a `config.json`."""
    return path.endswith(".json") or is_file(Path(path) / "config.json")


def count_of(text: str, flag: str) -> int:
    """The whole number from 1 on in the value of a flag. Raises UsageError for other text."""
    if not _EXTENT.fullmatch(text):
        raise UsageError(f"argument {flag}: `{text}` is not a whole number from 1 on, as in {flag} 8")
    return int(text)


def dims_of(texts: Sequence[str]) -> dict[str, int]:
    """The sizes of dimensions, by name, in values of `--dim`. Raises UsageError for a value that is not
    NAME=N."""
    dims: dict[str, int] = {}
    for text in texts:
        name, equals, size = text.partition("=")
        if not (equals and name and _EXTENT.fullmatch(size)):
            raise UsageError(f"argument --dim: `{text}` is not NAME=N, as in --dim batch=8")
        dims[name] = int(size)
    return dims


_EXTENT = re.compile(r"0*[1-9]\d{0,17}", re.ASCII)


def shapes_of(texts: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The shapes of inputs, by name, in values of `--shape`. Raises UsageError for a value that is not INPUT=AxBx…, and
    for a repeated input."""
    shapes: dict[str, tuple[int, ...]] = {}
    for text in texts:
        name, _, shape = text.rpartition("=")
        extents = shape.split("x")
        if not name or not all(map(_EXTENT.fullmatch, extents)):
            raise UsageError(f"argument --shape: `{text}` is not INPUT=AxBx…, as in --shape image=1x3x64x64")
        if name in shapes:
            raise UsageError(f"argument --shape: `{name}` is given two shapes; keep one")
        shapes[name] = tuple(map(int, extents))
    return shapes

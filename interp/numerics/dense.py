"""The elements of MLIR's dense literals: numbers in brackets, or their bytes in hexadecimal."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np

from interp.numerics.rounding import Array, DType


def elements(text: str, shape: tuple[int, ...], dtype: DType) -> Array:
    """The text between `dense<` and `>` as an array; a single number is broadcast. Raises ValueError or OverflowError
    for invalid text."""
    if text.startswith('"'):
        return _of_bytes(bytes.fromhex(text[3 if text.startswith('"0x') else 1 : -1]), shape, dtype)
    words = text.translate(_BRACKETS).split()
    with np.errstate(over="ignore"):  # a number beyond a type's range is infinite there
        values = np.array(list(map(_element(text, dtype), words)), dtype)
    return np.broadcast_to(values.reshape(()) if values.size == 1 else values.reshape(shape), shape)


def _of_bytes(raw: bytes, shape: tuple[int, ...], dtype: DType) -> Array:
    count = prod(shape)
    if dtype.kind == "b":  # one byte each, or, as older versions of MLIR write them, one bit
        if len(raw) not in (1, count, -(-count // 8)):
            raise ValueError(f"{len(raw)} bytes are neither {count} truth values nor as many bits")
        if len(raw) != count and (len(raw) > 1 or count <= 8):
            raw = np.unpackbits(np.frombuffer(raw, np.uint8), count=count, bitorder="little").tobytes()
        raw = (np.frombuffer(raw, np.uint8) != 0).tobytes()
    found = np.frombuffer(raw, dtype.newbyteorder("<")).astype(dtype, copy=False)
    return np.broadcast_to(found, shape) if found.size == 1 else found.reshape(shape)


_BRACKETS = str.maketrans("[],", "   ")


def _element(text: str, dtype: DType) -> Callable[[str], Any]:
    """The conversion of a word to a number: a hexadecimal word gives the bits of a floating-point number."""
    if "true" in text or "false" in text or (dtype.kind not in "iu" and "x" in text):
        return partial(_any_element, dtype)
    return partial(int, base=0) if dtype.kind in "iu" else float


def _any_element(dtype: DType, word: str) -> Any:
    if word in ("true", "false"):
        return word == "true"
    if dtype.kind not in "iu" and word.startswith("0x"):
        return np.array(int(word, 16), f"u{dtype.itemsize}").view(dtype)
    return int(word, 0) if dtype.kind in "iu" else float(word)

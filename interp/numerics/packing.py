"""Elements of fewer than 8 bits as bytes: packed, the first element in the lowest bits, as tensors have them in memory;
numpy holds one element a byte."""

from __future__ import annotations

import numpy as np

from interp.numerics.rounding import Array, DType

_BITS = {"int2": 2, "uint2": 2, "int4": 4, "uint4": 4, "float4_e2m1fn": 4}


def from_bytes(data: bytes | memoryview | Array, dtype: DType, count: int) -> Array:
    """`count` elements from the bytes of a tensor in memory, [count]."""
    raw = np.frombuffer(data, np.uint8)
    if (bits := _BITS.get(dtype.name)) is None:
        return raw.view(dtype.newbyteorder("<")).astype(dtype, copy=False)
    parts = 8 // bits
    split = np.empty((raw.size, parts), np.uint8)
    for part in range(parts):
        np.bitwise_and(raw >> np.uint8(part * bits), np.uint8((1 << bits) - 1), out=split[:, part])
    kept = split.reshape(-1)[:count]
    if dtype.name.startswith("int"):  # the sign is the highest bit
        sign = np.uint8(1 << (bits - 1))
        return ((kept ^ sign).astype(np.int8) - np.int8(sign)).astype(dtype)
    return kept.astype(dtype) if dtype.name.startswith("uint") else kept.view(dtype)


def to_bytes(array: Array) -> bytes:
    """The bytes of a tensor in memory that holds the elements of `array`, row by row."""
    if (bits := _BITS.get(array.dtype.name)) is None:
        return np.ascontiguousarray(array).tobytes()
    flat = array.reshape(-1)
    values = flat.view(np.uint8) if array.dtype.name.startswith("float") else flat.astype(np.int8).view(np.uint8)
    values = values & np.uint8((1 << bits) - 1)
    parts = 8 // bits
    values = np.concatenate([values, np.zeros(-len(values) % parts, np.uint8)]).reshape(-1, parts)
    packed = np.zeros(len(values), np.uint8)
    for part in range(parts):
        packed |= values[:, part] << np.uint8(part * bits)
    return packed.tobytes()

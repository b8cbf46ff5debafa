"""Element types: the scalar types of tensor elements, with their width and numpy dtype.

numpy is imported only when a dtype is requested: reading, checking and printing programs do not need it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
    TensorType,
)
from xdsl.ir import Attribute

if TYPE_CHECKING:
    import numpy as np

SmallFloat: TypeAlias = (
    Float8E4M3FNType | Float8E4M3FNUZType | Float8E5M2Type | Float8E5M2FNUZType | Float8E8M0FNUType | Float4E2M1FNType
)
"""The floating-point types of at most 8 bits (OCP 8-bit Floating Point and Microscaling Formats specifications; FNUZ:
without negative zero and infinities)."""
ElementType: TypeAlias = Float16Type | Float32Type | Float64Type | BFloat16Type | SmallFloat | IntegerType

I1 = IntegerType(1)
I64 = IntegerType(64)

# One row per type: MLIR type, bits in memory, numpy's name (small types are those of ml_dtypes). Signless integers are
# read as signed, as ONNX and arith do; i1 is a truth value.
_TABLE: tuple[tuple[ElementType, int, str], ...] = (
    (Float32Type(), 32, "float32"),
    (Float16Type(), 16, "float16"),
    (BFloat16Type(), 16, "bfloat16"),
    (Float64Type(), 64, "float64"),
    (I1, 8, "bool"),
    (IntegerType(8), 8, "int8"),
    (IntegerType(16), 16, "int16"),
    (IntegerType(32), 32, "int32"),
    (I64, 64, "int64"),
    (IntegerType(8, Signedness.UNSIGNED), 8, "uint8"),
    (IntegerType(16, Signedness.UNSIGNED), 16, "uint16"),
    (IntegerType(32, Signedness.UNSIGNED), 32, "uint32"),
    (IntegerType(64, Signedness.UNSIGNED), 64, "uint64"),
    (IntegerType(4), 4, "int4"),
    (IntegerType(4, Signedness.UNSIGNED), 4, "uint4"),
    (IntegerType(2), 2, "int2"),
    (IntegerType(2, Signedness.UNSIGNED), 2, "uint2"),
    (Float8E4M3FNType(), 8, "float8_e4m3fn"),
    (Float8E4M3FNUZType(), 8, "float8_e4m3fnuz"),
    (Float8E5M2Type(), 8, "float8_e5m2"),
    (Float8E5M2FNUZType(), 8, "float8_e5m2fnuz"),
    (Float8E8M0FNUType(), 8, "float8_e8m0fnu"),
    (Float4E2M1FNType(), 4, "float4_e2m1fn"),
)
_BITS: dict[Attribute, int] = {type_: bits for type_, bits, _ in _TABLE}
_UNSIGNED = {type_ for type_, _, name in _TABLE if name.startswith("uint")}
_SMALL = ("int2", "int4", "uint2", "uint4", "bfloat16", "float4", "float8")
"""The beginnings of the names of types that numpy has from ml_dtypes."""

ELEMENT_TYPES_TEXT = "f16, bf16, f32, f64, i1, integers of 2, 4, 8, 16, 32 or 64 bits, or floats of 4 or 8 bits"
"""The names of all element types as text, for messages."""


def is_element_type(type_: Attribute) -> bool:
    """True if tensors of the graph level may hold `type_`."""
    return type_ in _BITS


def bit_width(type_: Attribute) -> int:
    """Bits that an element takes in memory (a truth value takes 8). Raises KeyError for a type that is no element
    type."""
    return _BITS[type_]


def byte_width(type_: Attribute) -> int:
    """Bytes of one element that stands alone: a truth value takes one byte, and so does an element of fewer than 8
    bits (`byte_count` counts whole tensors, in which such elements are packed). Raises KeyError for a type that is no
    element type."""
    return -(-_BITS[type_] // 8)


def element_type_named(name: str) -> ElementType:
    """The element type that MLIR and data sheets call `f16`, `i8`, … Raises KeyError for a name of no element type."""
    return _named()[name]


@cache
def _named() -> dict[str, ElementType]:
    return {str(type_): type_ for type_, _, _ in _TABLE}


@cache
def dtype_of(type_: Attribute) -> np.dtype[Any]:
    """The numpy dtype of an element type. Raises KeyError for a type that is no element type."""
    return _dtypes()[type_]


def element_type_of(dtype: np.dtype[Any]) -> ElementType:
    """The element type of a numpy dtype. Raises KeyError for a dtype without an element type."""
    return _types()[dtype]


@cache
def _types() -> dict[np.dtype[Any], ElementType]:
    return {dtype_of(type_): type_ for type_, _, _ in _TABLE}


@cache
def _dtypes() -> dict[Attribute, np.dtype[Any]]:
    import ml_dtypes
    import numpy as np

    return {type_: np.dtype(getattr(ml_dtypes, name) if name.startswith(_SMALL) else name) for type_, _, name in _TABLE}


def is_float(type_: Attribute) -> bool:
    """True if `type_` is a floating-point type."""
    return isinstance(type_, Float16Type | Float32Type | Float64Type | BFloat16Type | SmallFloat)


def is_small_float(type_: Attribute) -> bool:
    """True if `type_` is a floating-point type of at most 8 bits, in which values are stored but not computed."""
    return isinstance(type_, SmallFloat)


def is_small(type_: Attribute) -> bool:
    """True for an element type that quantized values are stored in: an integer or float of at most 8 bits."""
    return type_ != I1 and _BITS[type_] <= 8


def integer_limits(type_: Attribute) -> tuple[int, int]:
    """The least and the largest value of an integer type; 0 and 1 for i1."""
    bits = _BITS[type_]
    if type_ == I1:
        return 0, 1
    if type_ in _UNSIGNED:
        return 0, (1 << bits) - 1
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


@cache
def name_of(type_: Attribute) -> str:
    """An element type as text (`f16`, `ui8`); cached, since printing a type takes longer than looking it up."""
    return str(type_)


@cache
def tensor(shape: tuple[int, ...], element: ElementType) -> TensorType[ElementType]:
    """The tensor type of a static shape; interned, since building types is most of the cost of building ops."""
    return TensorType(element, shape)


def tensor_type(shape: Sequence[int], element: Attribute) -> TensorType[ElementType]:
    """The tensor type of a static shape, given as any sequence of extents."""
    return tensor(tuple(shape), element)  # pyright: ignore[reportArgumentType]


def element_count(type_: TensorType[Attribute]) -> int:
    """Number of elements of a static tensor type."""
    return prod(type_.get_shape())


def byte_count(type_: TensorType[Attribute]) -> int:
    """Bytes that a tensor of this type takes in memory: a truth value takes one byte; elements of fewer than 8 bits are
    packed, the first one in the lowest bits."""
    return -(-element_count(type_) * _BITS[type_.element_type] // 8)

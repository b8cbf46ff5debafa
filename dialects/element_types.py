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

ElementType: TypeAlias = Float16Type | Float32Type | Float64Type | BFloat16Type | IntegerType

I1 = IntegerType(1)
I64 = IntegerType(64)

# One row per type: MLIR type, bytes, numpy's name. Signless integers are read as signed, as ONNX and arith do; i1 is a
# truth value.
_TABLE: tuple[tuple[ElementType, int, str], ...] = (
    (Float32Type(), 4, "float32"),
    (Float16Type(), 2, "float16"),
    (BFloat16Type(), 2, "bfloat16"),
    (Float64Type(), 8, "float64"),
    (I1, 1, "bool"),
    (IntegerType(8), 1, "int8"),
    (IntegerType(16), 2, "int16"),
    (IntegerType(32), 4, "int32"),
    (I64, 8, "int64"),
    (IntegerType(8, Signedness.UNSIGNED), 1, "uint8"),
    (IntegerType(16, Signedness.UNSIGNED), 2, "uint16"),
    (IntegerType(32, Signedness.UNSIGNED), 4, "uint32"),
    (IntegerType(64, Signedness.UNSIGNED), 8, "uint64"),
)
_BYTES: dict[Attribute, int] = {type_: width for type_, width, _ in _TABLE}
_UNSIGNED = {type_ for type_, _, name in _TABLE if name.startswith("uint")}

ELEMENT_TYPES_TEXT = "f16, bf16, f32, f64, i1 or integers of 8, 16, 32 or 64 bits"
"""The names of all element types as text, for messages."""


def is_element_type(type_: Attribute) -> bool:
    """True if tensors of the graph level may hold `type_`."""
    return type_ in _BYTES


def byte_width(type_: Attribute) -> int:
    """Bytes of one element (a truth value takes one byte). Raises KeyError for a type that is no element type."""
    return _BYTES[type_]


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

    return {type_: np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name) for type_, _, name in _TABLE}


def is_float(type_: Attribute) -> bool:
    """True if `type_` is one of f16, bf16, f32, f64."""
    return isinstance(type_, Float16Type | Float32Type | Float64Type | BFloat16Type)


def integer_limits(type_: Attribute) -> tuple[int, int]:
    """The least and the largest value of an integer type; 0 and 1 for i1."""
    bits = 8 * byte_width(type_)
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
    """Bytes that a tensor of this type takes in memory (a truth value takes one byte)."""
    return element_count(type_) * _BYTES[type_.element_type]

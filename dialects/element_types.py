"""Element types: the scalar types a tensor may hold, with their numpy dtype and width."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import TypeAlias

import ml_dtypes
import numpy as np
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

ElementType: TypeAlias = Float16Type | Float32Type | Float64Type | BFloat16Type | IntegerType

# One row a type: MLIR type, numpy dtype. Signless integers are read as signed, as ONNX and arith do; i1 is a truth value.
_TABLE: tuple[tuple[ElementType, np.dtype[np.generic]], ...] = (
    (Float32Type(), np.dtype(np.float32)),
    (Float16Type(), np.dtype(np.float16)),
    (BFloat16Type(), np.dtype(ml_dtypes.bfloat16)),
    (Float64Type(), np.dtype(np.float64)),
    (IntegerType(1), np.dtype(np.bool_)),
    (IntegerType(8), np.dtype(np.int8)),
    (IntegerType(16), np.dtype(np.int16)),
    (IntegerType(32), np.dtype(np.int32)),
    (IntegerType(64), np.dtype(np.int64)),
    (IntegerType(8, Signedness.UNSIGNED), np.dtype(np.uint8)),
    (IntegerType(16, Signedness.UNSIGNED), np.dtype(np.uint16)),
    (IntegerType(32, Signedness.UNSIGNED), np.dtype(np.uint32)),
    (IntegerType(64, Signedness.UNSIGNED), np.dtype(np.uint64)),
)
_DTYPE = dict(_TABLE)
_TYPE = {dtype: type_ for type_, dtype in _TABLE}

I1 = IntegerType(1)
I64 = IntegerType(64)


def is_element_type(type_: Attribute) -> bool:
    """Whether tensors of the graph level may hold `type_`."""
    return type_ in _DTYPE


def dtype_of(type_: Attribute) -> np.dtype[np.generic]:
    """The numpy dtype of an element type. Raises KeyError for a type outside the table."""
    return _DTYPE[type_]  # pyright: ignore[reportArgumentType]


def element_type_of(dtype: np.dtype[np.generic]) -> ElementType:
    """The element type of a numpy dtype. Raises KeyError for a dtype outside the table."""
    return _TYPE[np.dtype(dtype)]


def is_float(type_: Attribute) -> bool:
    """Whether `type_` is one of f16, bf16, f32, f64."""
    return isinstance(type_, Float16Type | Float32Type | Float64Type | BFloat16Type)


@cache
def tensor(shape: tuple[int, ...], element: ElementType) -> TensorType[ElementType]:
    """The tensor type of a static shape; interned, since building types is most of the cost of building ops."""
    return TensorType(element, shape)


def tensor_type(shape: Sequence[int], element: Attribute) -> TensorType[ElementType]:
    """`tensor` for any sequence of extents."""
    return tensor(tuple(shape), element)  # pyright: ignore[reportArgumentType]


def element_count(type_: TensorType[Attribute]) -> int:
    """Number of elements of a static tensor type."""
    return prod(type_.get_shape())


def byte_count(type_: TensorType[Attribute]) -> int:
    """Bytes a tensor of this type takes in memory (a truth value takes one)."""
    return element_count(type_) * _DTYPE[type_.element_type].itemsize  # pyright: ignore[reportArgumentType]

"""ONNX tensors: their element types, the numbers of small tensors, and the files that hold the numbers of large
tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Final, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, TypeProto, helper
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import ElementType, byte_count, dtype_of, element_type_of, is_float, tensor_type
from dialects.files import companion_path, is_file
from dialects.graph.properties import integer, real
from interp.numerics.packing import from_bytes
from interp.numerics.rounding import SMALL_FLOATS, SMALL_INTEGERS

Array: TypeAlias = NDArray[np.generic]

INLINE_LIMIT: Final = 256
"""The largest number of elements of a constant; larger initialisers become weights, whose numbers are not read from the
file."""

ELEMENT_LIMIT: Final = 2**40
RANK_LIMIT: Final = 32
"""The largest rank of a tensor; a file with a higher rank is considered damaged. (numpy itself supports 64 axes and
2^63 elements.)"""

_NUMPY: Final[dict[int, np.dtype[np.generic]]] = {
    TensorProto.FLOAT: np.dtype(np.float32),
    TensorProto.FLOAT16: np.dtype(np.float16),
    TensorProto.BFLOAT16: np.dtype(ml_dtypes.bfloat16),
    TensorProto.DOUBLE: np.dtype(np.float64),
    TensorProto.BOOL: np.dtype(np.bool_),
    TensorProto.INT8: np.dtype(np.int8),
    TensorProto.INT16: np.dtype(np.int16),
    TensorProto.INT32: np.dtype(np.int32),
    TensorProto.INT64: np.dtype(np.int64),
    TensorProto.UINT8: np.dtype(np.uint8),
    TensorProto.UINT16: np.dtype(np.uint16),
    TensorProto.UINT32: np.dtype(np.uint32),
    TensorProto.UINT64: np.dtype(np.uint64),
    TensorProto.INT4: np.dtype(ml_dtypes.int4),
    TensorProto.UINT4: np.dtype(ml_dtypes.uint4),
    TensorProto.INT2: np.dtype(ml_dtypes.int2),
    TensorProto.UINT2: np.dtype(ml_dtypes.uint2),
    TensorProto.FLOAT8E4M3FN: np.dtype(ml_dtypes.float8_e4m3fn),
    TensorProto.FLOAT8E4M3FNUZ: np.dtype(ml_dtypes.float8_e4m3fnuz),
    TensorProto.FLOAT8E5M2: np.dtype(ml_dtypes.float8_e5m2),
    TensorProto.FLOAT8E5M2FNUZ: np.dtype(ml_dtypes.float8_e5m2fnuz),
    TensorProto.FLOAT8E8M0: np.dtype(ml_dtypes.float8_e8m0fnu),
    TensorProto.FLOAT4E2M1: np.dtype(ml_dtypes.float4_e2m1fn),
}

# The field with the numbers of a tensor without raw bytes: short integers and the bits of 16-bit floats share
# int32_data.
_TYPED: Final[dict[int, Callable[[TensorProto], Sequence[int | float]]]] = {
    TensorProto.FLOAT: lambda t: t.float_data,
    TensorProto.DOUBLE: lambda t: t.double_data,
    TensorProto.INT64: lambda t: t.int64_data,
    TensorProto.UINT32: lambda t: t.uint64_data,
    TensorProto.UINT64: lambda t: t.uint64_data,
}


class TensorError(Exception):
    """A problem with a tensor of the file. The message is the end of a sentence that begins with the tensor's name."""


def element_type(data_type: int) -> ElementType:
    """The element type of an ONNX type number. Raises TensorError for a type that the graph dialect does not have."""
    if (dtype := _NUMPY.get(data_type)) is None:
        known = data_type in TensorProto.DataType.values()
        called = TensorProto.DataType.Name(data_type) if known else f"of unknown type {data_type}"
        raise TensorError(
            f"holds {called} elements; floats of 4, 8, 16, 32 or 64 bits, bool and integers of 2 to 64 bits are "
            "supported"
        )
    return element_type_of(dtype)


def checked_shape(dims: Sequence[int]) -> tuple[int, ...]:
    """`dims` as a shape. Raises TensorError for an invalid shape."""
    shape = tuple(dims)
    if len(shape) > RANK_LIMIT:
        raise TensorError(f"has {len(shape)} axes; at most {RANK_LIMIT} are supported")
    if min(shape, default=0) < 0:
        raise TensorError(f"has a negative extent in its shape {list(shape)}")
    if prod(shape) > ELEMENT_LIMIT:
        raise TensorError(f"of shape {list(shape)} has more than 2^40 elements")
    return shape


def type_of_tensor(tensor: TensorProto) -> g.Tensor:
    """The type of an initialiser or constant. Raises TensorError for an invalid type or shape."""
    return tensor_type(checked_shape(tensor.dims), element_type(tensor.data_type))


def onnx_type(value: SSAValue | None) -> TypeProto:
    """The ONNX type of a value; an empty type for an omitted operand."""
    if value is None:
        return TypeProto()
    tensor = g.tensor_of(value)
    dtype = np.dtype(dtype_of(tensor.element_type))
    return helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(dtype), tensor.get_shape())


def is_external(tensor: TensorProto) -> bool:
    """True if the tensor's numbers are stored in another file."""
    return tensor.data_location == TensorProto.EXTERNAL


def array_of(tensor: TensorProto) -> Array:
    """The numbers of an inline tensor. Raises TensorError if they are missing, or if their count does not match the
    shape."""
    if is_external(tensor):
        raise TensorError("has its numbers in another file, but shapes depend on them; store them in the model")
    type_ = type_of_tensor(tensor)
    dtype, shape = dtype_of(type_.element_type), type_.get_shape()
    if tensor.HasField("raw_data"):
        found, needed = len(tensor.raw_data), byte_count(type_)
        if found != needed:
            raise TensorError(f"is {type_}, which needs {needed} bytes, but has {found}")
        return from_bytes(tensor.raw_data, dtype, prod(shape)).reshape(shape)
    return _typed_array(tensor, dtype, shape)


def _typed_array(tensor: TensorProto, dtype: np.dtype[np.generic], shape: tuple[int, ...]) -> Array:
    values = _TYPED.get(tensor.data_type, lambda t: t.int32_data)(tensor)
    if dtype in SMALL_FLOATS or dtype in SMALL_INTEGERS:  # each number holds the bits of a byte
        needed = byte_count(type_of_tensor(tensor))
        if len(values) != needed:
            raise TensorError(f"needs {needed} bytes of elements, but has {len(values)}")
        return from_bytes(np.array(values, np.int64).astype(np.uint8).tobytes(), dtype, prod(shape)).reshape(shape)
    if len(values) != prod(shape):
        raise TensorError(f"needs {prod(shape)} elements, but has {len(values)}")
    if tensor.data_type in (TensorProto.FLOAT16, TensorProto.BFLOAT16):
        return np.array(values, np.int64).astype(np.uint16).view(dtype).reshape(shape)
    with np.errstate(over="ignore"):
        return np.array(values, np.uint64 if dtype.kind == "u" else None).astype(dtype).reshape(shape)


def source_of(tensor: TensorProto, name: str, path: str) -> g.WeightSource:
    """The location of the numbers of tensor `name` of the model at `path`; they are not read. Raises TensorError for an
    invalid location."""
    type_ = type_of_tensor(tensor)
    if not is_external(tensor):
        return g.OnnxAttr(StringAttr(path), StringAttr(name))
    file, offset = external_place(tensor, path)
    fill = next((entry.value for entry in tensor.metadata_props if entry.key == "fill"), None)
    if fill is not None and not is_file(file):
        if not is_float(type_.element_type):
            raise TensorError(f"is {type_}, but its fill rule generates floating-point numbers")
        return _uniform(fill)
    return g.FileAttr(StringAttr(file), integer(offset), StringAttr(path))


def external_place(tensor: TensorProto, path: str) -> tuple[str, int]:
    """The file and the byte offset of the numbers of an external tensor of the model at `path`. Raises TensorError for
    an invalid location."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    try:
        file = companion_path(path, location)
    except ValueError as error:
        raise TensorError(f"has its numbers in {location!r}, which {error}") from None
    offset, length = (_count(entries, key) for key in ("offset", "length"))
    if length is not None and length != byte_count(type_of_tensor(tensor)):
        raise TensorError(f"is {type_of_tensor(tensor)}, but its external data has {length} bytes")
    return file, offset or 0


def _count(entries: Mapping[str, str], key: str) -> int | None:
    text = entries.get(key)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise TensorError(f"has external data whose {key} is {text!r}, not a number of bytes")
    return int(text)


def _uniform(rule: str) -> g.UniformAttr:
    """The attribute for a fill rule `uniform LOW HIGH seed SEED`. Raises TensorError for any other text."""
    match rule.split():
        case ["uniform", low, high, "seed", seed]:
            try:
                return g.UniformAttr(real(float(low)), real(float(high)), integer(_seed(seed)))
            except ValueError:
                pass
        case _:
            pass
    raise TensorError(f"has the fill rule {rule!r}; expected `uniform LOW HIGH seed SEED`")


def _seed(text: str) -> int:
    seed = int(text)
    if not 0 <= seed < 2**63:
        raise ValueError(text)
    return seed

"""Readers of files of arrays: numpy's `.npz` archives, and safetensors.

An entry states type and shape, which a reader compares with what it expects; only then the numbers are read, exactly as
many as these state. So a small file can't fill the memory, whatever it unpacks to.
"""

from __future__ import annotations

import ast
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import IO, Annotated, Any, NoReturn, TypeAlias, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import msgspec
import numpy as np
from numpy.typing import NDArray

from dialects.diagnostics import FileName, InputError
from dialects.element_types import dtype_of, element_type_named
from dialects.files import open_regular, reason_of
from interp.numerics.safetensors import ELEMENT_TYPES, Placed, tensors_of

Array: TypeAlias = NDArray[np.generic]
DType: TypeAlias = np.dtype[Any]
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]


@dataclass(frozen=True)
class StatedArray:
    """An array of a file: its element type and shape as the file states them, and the function that reads its numbers
    in the type's own order of bytes."""

    dtype: DType
    shape: tuple[int, ...]
    read: Callable[[], Array]


@dataclass(frozen=True)
class Entry:
    """A named entry of a file; `stated` returns the array that it states, and raises InputError, at the file, if it is
    none."""

    file: FileName
    stated: Callable[[], StatedArray]


def entries_of(path: str) -> Mapping[str, Entry]:
    """The entries of a file by name. Raises InputError, at the file, if it can't be read or is of another kind."""
    place = FileName(path)
    try:
        if path.endswith(".safetensors"):
            return _of_safetensors(path, place)
        return _of_archive(path, place)
    except FileNotFoundError:
        raise InputError("can't be read: there is no such file", place) from None
    except OSError as error:
        raise InputError(f"can't be read: {reason_of(error)}", place) from None


# ---------------------------------------------------------------------- .npz: a zip archive of arrays

_METHODS = {ZIP_STORED: "stored", ZIP_DEFLATED: "deflated"}
"""The methods of compression that numpy writes. They unpack as many bytes as are asked for; others may unpack more."""
_LONGEST_NPY_HEADER = 10_000
"""The largest size of an array's header in bytes, as in numpy."""
_NUMBER = re.compile(r"[<>|=]?(b1|[iu][1248]|f[248]|V2)", re.ASCII)
"""The element types that are read, as numpy writes them; V2 stands for bfloat16."""
_CHUNK = 1 << 20
_BROKEN = (BadZipFile, EOFError, NotImplementedError, OSError, RuntimeError, ValueError, zlib.error)
"""The exceptions of `zipfile` for broken archives. OSError: a negative offset; NotImplementedError: a newer format."""


def _broken(place: FileName, reason: object) -> InputError:
    return InputError(
        f"the file can't be read as an .npz file of arrays (numpy.savez makes one): {' '.join(str(reason).split())}",
        place,
    )


def _of_archive(path: str, place: FileName) -> Mapping[str, Entry]:
    with open_regular(path) as file:
        if file.read(6) == b"\x93NUMPY":
            raise InputError(
                "the file holds one array, but an .npz file of named arrays is expected (numpy.savez makes one)", place
            )
        try:
            with ZipFile(file) as archive:
                members = archive.infolist()
        except _BROKEN as error:
            raise _broken(place, error) from None
    found: dict[str, Entry] = {}
    for member in members:
        name = member.filename.removesuffix(".npy")
        if name in found:
            raise _broken(place, f"it has two members `{name}`")
        found[name] = Entry(place, partial(_member, path, place, name, member))
    return found


def _member(path: str, place: FileName, name: str, member: ZipInfo) -> StatedArray:
    """The array in a member of an archive."""

    def refused(reason: str) -> NoReturn:
        raise _broken(place, f"its member `{name}` {reason}")

    if member.flag_bits & 1:
        refused("is encrypted")
    if member.compress_type not in _METHODS:
        refused(f"is compressed by method {member.compress_type}, but numpy writes members stored or deflated")

    def opened(read: Callable[[IO[bytes]], Any]) -> Any:
        try:
            with open_regular(path) as file, ZipFile(file) as archive, archive.open(member) as stream:
                return read(stream)
        except _BROKEN as error:
            refused(f"is broken ({error})")

    header, dtype, is_fortran, shape = cast("_NpyHeader", opened(partial(_npy_header, refused)))
    size = prod(shape) * dtype.itemsize
    if member.file_size != header + size:
        refused(f"states {member.file_size} bytes unpacked, but its header of {header} bytes states an array of {size}")

    def numbers(stream: IO[bytes]) -> Array:
        stream.read(header)
        array = np.empty(prod(shape), dtype)
        target, filled = memoryview(cast(Any, array.view(np.uint8))), 0
        while filled < size and (chunk := stream.read(min(_CHUNK, size - filled))):
            target[filled : filled + len(chunk)] = chunk
            filled += len(chunk)
        if filled < size or stream.read(1):  # reads the end, where zipfile compares the checksum
            refused(f"unpacks to another number of bytes than the {size} that its header states")
        return array.reshape(shape[::-1]).T if is_fortran else array.reshape(shape)

    return StatedArray(dtype, shape, lambda: cast(Array, opened(numbers)))


_NpyHeader: TypeAlias = tuple[int, DType, bool, tuple[int, ...]]
"""The header of an array: its size in bytes, the element type, True if the first axis is contiguous, and the shape."""


class _Header(msgspec.Struct, forbid_unknown_fields=True):
    """The header of an array in numpy's format."""

    descr: str
    fortran_order: bool
    shape: tuple[_Count, ...]


def _npy_header(refused: Callable[[str], NoReturn], stream: IO[bytes]) -> _NpyHeader:
    """The header at the start of a member (numpy's format, versions 1 and 2): a dictionary in Python's notation."""
    start = stream.read(8)
    lengths = {b"\x01\x00": 2, b"\x02\x00": 4}
    if start[:6] != b"\x93NUMPY" or start[6:] not in lengths:
        refused("is no array: it does not begin as numpy writes one")
    width = lengths[start[6:]]
    length = int.from_bytes(stream.read(width), "little")
    if length > _LONGEST_NPY_HEADER:
        refused(f"has a header of {length} bytes, more than {_LONGEST_NPY_HEADER}")
    text = stream.read(length).decode("latin-1")
    try:
        stated: object = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        refused("has a header that can't be read")
    try:
        header = msgspec.convert(stated, _Header)
    except (msgspec.ValidationError, RecursionError):
        refused("has a header that does not state element type, order and shape")
    if _NUMBER.fullmatch(header.descr) is None:
        refused(f"holds elements of type {header.descr[:40]}, but numbers of 1 to 8 bytes are expected")
    return 8 + width + length, np.dtype(header.descr), header.fortran_order, header.shape


# ---------------------------------------------------------------------- safetensors


def _of_safetensors(path: str, place: FileName) -> Mapping[str, Entry]:
    """The tensors of a safetensors file."""

    def opened(name: str, tensor: Placed) -> StatedArray:
        if tensor.dtype not in ELEMENT_TYPES:
            raise InputError(
                f"`{name}` holds numbers of type {tensor.dtype}, which are not supported; convert them to F32 or BF16",
                place,
            )
        dtype = dtype_of(element_type_named(ELEMENT_TYPES[tensor.dtype]))
        tensor.check(8 * dtype.itemsize)
        return StatedArray(dtype, tensor.shape, lambda: tensor.bytes().view(dtype).reshape(tensor.shape))

    return {name: Entry(place, partial(opened, name, tensor)) for name, tensor in tensors_of(path).items()}

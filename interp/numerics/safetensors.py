"""Tensors of safetensors files by name, as their headers state them, in one file or in several that an index names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from math import prod
from os import fstat
from typing import Annotated, Any, NamedTuple, TypeAlias, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from dialects.diagnostics import FileName, InputError
from dialects.files import open_regular, read_regular, version_of, why_not_read
from dialects.strict_json import json_value, of_type

Bytes: TypeAlias = NDArray[np.uint8]
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
_LONGEST_HEADER = 100_000_000
"""The maximum size of a safetensors header in bytes, from the format's specification; an index is no larger."""
ELEMENT_TYPES = {"BOOL": "i1", "U8": "ui8", "U16": "ui16", "U32": "ui32", "U64": "ui64"} | {
    name: name.lower() for name in ("F16", "BF16", "F32", "F64", "I8", "I16", "I32", "I64")
}
"""Element types by their safetensors names (https://github.com/huggingface/safetensors, "Format")."""
SMALL_TYPES = {
    "F8_E4M3": "f8E4M3FN",
    "F8_E5M2": "f8E5M2",
    "F8_E8M0": "f8E8M0FNU",
    "F4": "f4E2M1FN",
}
"""The same for floating-point types of at most 8 bits, in which values are stored but not computed."""


class Placed(NamedTuple):
    """A tensor in a file: the safetensors name of its element type, its shape, and its bytes from `first` to before
    `end` of the file's data, which begin at byte `start` and are `held` bytes."""

    file: str
    name: str
    dtype: str
    shape: tuple[int, ...]
    first: int
    end: int
    start: int
    held: int

    def check(self, bits: int) -> None:
        """Raise InputError, at the file, if the header gives the tensor other bytes than elements of `bits` bits take,
        packed."""
        if not self.first <= self.end <= self.held or self.end - self.first != -(-prod(self.shape) * bits // 8):
            raise InputError(
                f"`{self.name}` is {self.dtype} of shape {list(self.shape)}, but its header gives it bytes "
                f"{self.first} to {self.end} of {self.held}; the file is cut short, or its header is wrong",
                FileName(self.file),
            )

    def bytes(self) -> Bytes:
        """The tensor's bytes. Raises InputError, at the file, if it ends inside of them; OSError if it can't be
        read."""
        with open_regular(self.file) as file:
            found = np.fromfile(file, np.uint8, self.end - self.first, offset=self.start + self.first)
        if found.size < self.end - self.first:
            raise InputError(
                f"the file ended inside of `{self.name}`; it was changed while it was read", FileName(self.file)
            )
        return found


class _Tensor(msgspec.Struct, forbid_unknown_fields=True):
    """The entry of a tensor in the header of a safetensors file."""

    dtype: str
    shape: tuple[_Count, ...]
    data_offsets: tuple[_Count, _Count]


def tensors_of(path: str) -> Mapping[str, Placed]:
    """The tensors of a safetensors file: eight bytes with the header's length, a JSON header, and the data. Raises
    InputError, at the file, for a file of another kind; OSError if it can't be read."""
    place = FileName(path)
    with open_regular(path) as file:
        size = fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, _LONGEST_HEADER):
            raise InputError(
                f"the file is not a safetensors file: its header would have {length} of the file's {size} bytes; it "
                "is cut short, or of another kind",
                place,
            )
        header = json_value(file.read(length), path, "the file's header")
    if not isinstance(header, dict):
        raise InputError("the file is not a safetensors file: its header names no tensors", place)
    stated = cast("dict[str, Any]", header)
    of_type(stated.pop("__metadata__", {}), dict[str, str], path, "`__metadata__` in the file's header")
    start, found = 8 + length, dict[str, Placed]()
    for name, each in stated.items():
        tensor = of_type(each, _Tensor, path, f"`{name}` in the file's header", "write the file again")
        found[name] = Placed(path, name, tensor.dtype, tensor.shape, *tensor.data_offsets, start, size - start)
    return found


def files_by_tensor(path: str) -> Mapping[str, str]:
    """The file of each tensor that an index names (`model.safetensors.index.json`), in the folder of the index. Raises
    InputError, at the index, for one of another form, and for a file in another folder; OSError if it can't be read."""
    place = FileName(path)
    stated = json_value(read_regular(path, "an index is smaller", _LONGEST_HEADER), path, "the index")
    files = of_type(stated, dict[str, Any], path, "the index").get("weight_map")
    names = of_type(files, dict[str, str], path, "`weight_map` in the index")
    for tensor, name in names.items():
        if name in ("", ".", "..") or os.path.basename(name) != name or "\\" in name or "\0" in name:
            raise InputError(f"the index names the file {name!r} for `{tensor}`, but files lie beside the index", place)
    return {tensor: os.path.join(os.path.dirname(path), name) for tensor, name in names.items()}


def find_tensor(path: str, name: str, text: str) -> Placed | None:
    """The tensor of a name in a file, or in the files of an index (`.json`); None if there is none. `text`: the file
    that names `path`, and so chooses what is read. Raises InputError for a file of another form, and for one that
    `text` must not choose; OSError if one can't be read."""
    file = path
    _check_choice(path, text)
    if path.endswith(".json"):
        named = _kept(files_by_tensor, path).get(name)
        if named is None:
            return None
        file = named
        _check_choice(file, text)
    return _kept(tensors_of, file).get(name)


def _check_choice(path: str, text: str) -> None:
    if why := why_not_read(path, text):
        raise InputError(f"{path} {why}", FileName(text))


def _kept(read: Any, path: str) -> Any:
    """The result of `read` for a file, which is read again after it has changed."""
    version = version_of(path)
    return read(path) if version is None else _read_once(read, path, version)


@lru_cache(maxsize=256)
def _read_once(read: Any, path: str, version: object) -> Any:
    return read(path)

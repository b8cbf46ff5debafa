"""Arrays for a program's arguments from files: numpy's `.npz` archives, and safetensors."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from os import fstat
from typing import Any, TypeAlias, cast
from zipfile import BadZipFile

import numpy as np
from numpy.lib.npyio import NpzFile
from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp

from dialects.diagnostics import FileName, InputError, note
from dialects.element_types import dtype_of, element_type_named
from dialects.files import open_regular
from dialects.suggestions import hint
from interp.program.inputs import ARGUMENT_NAME, Array, argument_types, seeded_inputs
from interp.program.level import name_of

Entries: TypeAlias = dict[str, tuple[FileName, Callable[[], Array]]]
"""The arrays in files by name; each is given by the name of its file and a function that reads it."""

_LONGEST_HEADER = 100_000_000
"""The maximum size of a safetensors header in bytes, from the format's specification."""
_TYPES = {"BOOL": "i1", "U8": "ui8", "U16": "ui16", "U32": "ui32", "U64": "ui64"} | {
    name: name.lower() for name in ("F16", "BF16", "F32", "F64", "I8", "I16", "I32", "I64")
}
"""Element types by their safetensors names (https://github.com/huggingface/safetensors, "Format")."""


def bound_inputs(function: FuncOp, paths: Sequence[str], seed: int) -> list[Array]:
    """An array for each argument of a function, from files; arguments that no file holds are drawn from the seed, with
    a note.

    An entry of a file is the argument of the same name: the name that JAX gives it (`params['w']`; `params/w` and
    `params.w` mean the same), its name in the program (`x`), or its position (`arg0`, `arr_0`). Raises InputError, at
    the file, if it can't be read, if an entry matches no argument while some arguments have no array, or if an array
    has another type than its argument.
    """
    entries: Entries = {}
    for path in paths:
        for name, held in _entries_of(path).items():
            if name in entries:
                raise InputError(f"`{name}` is also in {entries[name][0]}; keep it in one of the files", held[0])
            entries[name] = held
    types = argument_types(function)
    names = [_names(function, index) for index in range(len(types))]
    taken = _matched(names, entries)
    unbound = [given[0] for index, given in enumerate(names) if index not in taken]
    if unbound and (unknown := [name for name in entries if name not in taken.values()]):
        first, more = unknown[0], f" and {len(unbound) - 1} more" if len(unbound) > 1 else ""
        raise InputError(
            f"`{first}` names no argument of @{name_of(function)}, and `{unbound[0]}`{more} "
            f"{'have' if more else 'has'} no array{hint(first, unbound, 'rename it, or leave it out')}",
            entries[first][0],
        )
    if unbound:
        shown = ", ".join(f"`{name}`" for name in unbound[:4]) + (", …" if len(unbound) > 4 else "")
        note(f"{len(unbound)} of {len(names)} arguments are in no file and drawn from seed {seed}: {shown}", function)
    found: list[Array] = seeded_inputs(function, seed) if unbound else [np.empty(0)] * len(types)
    for index, name in taken.items():
        place, read = entries[name]
        array, type_ = read(), types[index]
        dtype, shape = dtype_of(type_.element_type), type_.get_shape()
        if (
            array.dtype == np.dtype("V2") and dtype.name == "bfloat16"
        ):  # the type under which numpy's files store bfloat16
            array = array.view(dtype)
        if (array.dtype, array.shape) != (dtype, shape):
            raise InputError(
                f"`{name}` is {array.dtype.name} of shape {list(array.shape)}, but argument `{names[index][0]}` of "
                f"@{name_of(function)} is {dtype.name} of shape {list(shape)}; "
                + ("convert its numbers" if array.shape == shape else "give it an array of that shape"),
                place,
            )
        found[index] = array
    return found


def _names(function: FuncOp, index: int) -> list[str]:
    """The names of an argument; messages print the first name."""
    note = function.arg_attrs.data[index].data.get(ARGUMENT_NAME) if function.arg_attrs is not None else None
    written = note.data if isinstance(note, StringAttr) else None
    own = function.body.block.args[index].name_hint
    return [name for name in (written, own, f"arg{index}", f"arr_{index}") if name]


def _matched(names: Sequence[Sequence[str]], entries: Mapping[str, object]) -> dict[int, str]:
    """The name of the entry for each argument that has an entry, by the argument's number. It is the entry with exactly
    one of the argument's names or, without such an entry, the only entry whose name differs from the argument's
    first name in punctuation alone."""
    taken: dict[int, str] = {}
    by_path: dict[str, list[str]] = {}
    for name in entries:
        by_path.setdefault(_path(name), []).append(name)
    for index, given in enumerate(names):
        alike = by_path.get(_path(given[0]), [])
        exact = next((name for name in given if name in entries), alike[0] if len(alike) == 1 else None)
        if exact is not None and exact not in taken.values():
            taken[index] = exact
    return taken


def _path(name: str) -> str:
    return ".".join(re.findall(r"\w+", name))


def _entries_of(path: str) -> Entries:
    place = FileName(path)
    try:
        with open_regular(path):
            pass
        return _of_safetensors(path, place) if path.endswith(".safetensors") else _of_archive(path, place)
    except FileNotFoundError:
        raise InputError("can't be read: there is no such file", place) from None
    except OSError as error:
        raise InputError(f"can't be read: {(error.strerror or str(error)).lower()}", place) from None


def _of_archive(path: str, place: FileName) -> Entries:
    """The arrays of an `.npz` file."""

    def unreadable(error: Exception) -> InputError:
        reason = " ".join(str(error).split())
        return InputError(f"the file can't be read as an .npz file of arrays (numpy.savez makes one): {reason}", place)

    def read(held: NpzFile, name: str) -> Array:
        try:
            return held[name]
        except (ValueError, EOFError, BadZipFile, KeyError) as error:
            raise unreadable(error) from None

    try:
        loaded: object = np.load(path)
    except (ValueError, EOFError, BadZipFile, KeyError) as error:
        raise unreadable(error) from None
    if not isinstance(loaded, NpzFile):
        raise InputError(
            "the file holds one array, but an .npz file of named arrays is expected (numpy.savez makes one)", place
        )
    return {name: (place, partial(read, loaded, name)) for name in loaded.files}


def _of_safetensors(path: str, place: FileName) -> Entries:
    """The tensors of a safetensors file: eight bytes with the header's length, a JSON header, and the data."""
    with open_regular(path) as file:
        size = fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, _LONGEST_HEADER):
            raise InputError(
                f"the file is not a safetensors file: its header would have {length} of the file's {size} bytes; it "
                "is cut short, or of another kind",
                place,
            )
        try:
            header: object = json.loads(file.read(length))
        except (ValueError, RecursionError) as error:
            raise InputError(f"the file is not a safetensors file: its header is not JSON ({error})", place) from None
    if not isinstance(header, dict):
        raise InputError("the file is not a safetensors file: its header names no tensors", place)
    entries = cast("dict[str, Any]", header)
    start = 8 + length
    return {
        name: (place, partial(_tensor, path, place, name, start, size, one))
        for name, one in entries.items()
        if name != "__metadata__"
    }


def _tensor(path: str, place: FileName, name: str, start: int, size: int, entry: Any) -> Array:
    match entry:
        case {"dtype": str(kind), "shape": [*shape], "data_offsets": [int(first), int(end)]} if all(
            isinstance(n, int) and n >= 0 for n in cast("list[object]", shape)
        ):
            extents = cast("list[int]", shape)
        case _:
            raise InputError(
                f"the header does not state type, shape and offsets of `{name}`; write the file again", place
            )
    if kind not in _TYPES:
        raise InputError(
            f"`{name}` holds numbers of type {kind}, which are not supported; convert them to F32 or BF16", place
        )
    dtype = dtype_of(element_type_named(_TYPES[kind]))
    if not 0 <= first <= end <= size - start or end - first != prod(extents) * dtype.itemsize:
        raise InputError(
            f"`{name}` is {kind} of shape {extents}, but its header gives it bytes {first} to {end} of "
            f"{size - start}; the file is cut short, or its header is wrong",
            place,
        )
    with open_regular(path) as file:
        return np.fromfile(file, dtype, prod(extents), offset=start + first).reshape(extents)

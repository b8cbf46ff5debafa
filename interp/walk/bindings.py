"""Arrays for a program's arguments from files: each argument takes the entry that has its name or position."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp

from dialects.diagnostics import InputError, note
from dialects.element_types import dtype_of
from dialects.text.suggestions import hint
from interp.walk.inputs import ARGUMENT_NAME, Array, argument_types, check_memory, seeded_inputs
from interp.walk.level import name_of

if TYPE_CHECKING:
    from interp.walk.array_files import Entry


def bound_inputs(function: FuncOp, paths: Sequence[str], seed: int) -> list[Array]:
    """An array for each argument of a function, from files; arguments that no file holds are drawn from the seed, with
    a note.

    An entry of a file is the argument of the same name: the name that JAX gives it (`params['w']`; `params/w` and
    `params.w` mean the same), its name in the program (`x`), or its position (`arg0`, `arr_0`). Raises InputError, at
    the file, if it can't be read, if an entry matches no argument while some arguments have no array, or if an array
    has another type than its argument.
    """
    from interp.walk.array_files import entries_of

    entries: dict[str, Entry] = {}
    for path in paths:
        for name, entry in entries_of(path).items():
            if name in entries:
                raise InputError(f"`{name}` is also in {entries[name].file}; keep it in one of the files", entry.file)
            entries[name] = entry
    types = argument_types(function)
    check_memory(function, types)
    names = [_names(function, index) for index in range(len(types))]
    taken = _matched(names, entries)
    unbound = [given[0] for index, given in enumerate(names) if index not in taken]
    if unbound and (unknown := [name for name in entries if name not in taken.values()]):
        first, more = unknown[0], f" and {len(unbound) - 1} more" if len(unbound) > 1 else ""
        raise InputError(
            f"`{first}` names no argument of @{name_of(function)}, and `{unbound[0]}`{more} "
            f"{'have' if more else 'has'} no array{hint(first, unbound, 'rename it, or leave it out')}",
            entries[first].file,
        )
    if unbound:
        shown = ", ".join(f"`{name}`" for name in unbound[:4]) + (", …" if len(unbound) > 4 else "")
        note(f"{len(unbound)} of {len(names)} arguments are in no file and drawn from seed {seed}: {shown}", function)
    found: list[Array] = seeded_inputs(function, seed) if unbound else [np.empty(0)] * len(types)
    for index, name in taken.items():
        stated, type_ = entries[name].stated(), types[index]
        dtype, shape = dtype_of(type_.element_type), tuple(type_.get_shape())
        is_bfloat16 = stated.dtype.kind == "V" and dtype.name == "bfloat16"  # so numpy's files store it
        if stated.dtype.newbyteorder("=") == dtype != stated.dtype:
            orders = ("little", "big") if sys.byteorder == "big" else ("big", "little")
            raise InputError(
                f"`{name}` is {orders[0]}-endian {dtype.name}, but this computer's numbers are {orders[1]}-endian; "
                "write it again with x.astype(x.dtype.newbyteorder('='))",
                entries[name].file,
            )
        if (stated.dtype != dtype and not is_bfloat16) or stated.shape != shape:
            raise InputError(
                f"`{name}` is {stated.dtype.name} of shape {list(stated.shape)}, but argument `{names[index][0]}` of "
                f"@{name_of(function)} is {dtype.name} of shape {list(shape)}; "
                + ("convert its numbers" if stated.shape == shape else "give it an array of that shape"),
                entries[name].file,
            )
        array = stated.read()
        found[index] = array.view(dtype) if is_bfloat16 else array
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

"""The files that the `hw` ops of a program name: the paths that a reference to a sheet or a profile may mean, and
whether a program may choose them. This file reads none of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from xdsl.dialects.builtin import DictionaryAttr, StringAttr

from dialects.diagnostics import InputError
from dialects.files import exists, is_file, why_not_read
from dialects.hw import SheetOp
from dialects.locations import place_of
from interp.machine.sheets.search import added_folders

PROFILE = "profile"
"""The name under which an `hw` op states the path of a profile; other names refer to numbers of the op's sheet."""


def check_named_files(op: SheetOp, text: str) -> None:
    """Raise InputError at an `hw` op whose sheet or profile is a file that the file `text`, which contains the op, must
    not choose: one outside of its folder, of the folders of sheets, and of those that the user granted. The op may be
    invalid."""
    folder, paths = folder_of(place_of(op)), list[Path]()
    if isinstance(sheet := op.properties.get("sheet"), StringAttr):
        paths += [path for path, _ in written_paths(sheet.data, folder)]
    changes = op.properties.get("changes")
    profile = changes.data.get(PROFILE) if isinstance(changes, DictionaryAttr) else None
    if isinstance(profile, StringAttr) and (found := find_profile(profile.data, folder)) is not None:
        paths.append(found)
    for path in paths:
        also = added_folders() if path.suffix == ".sheet" else ()
        if exists(path) and (why := why_not_read(str(path), text, also)):
            raise InputError(f"`{path}` {why}", op)


def written_paths(reference: str, search_folder: Path | None) -> Iterator[tuple[Path, str | None]]:
    """The paths that a reference may mean, in the order in which they are tried, each with the name of a block in that
    file, if the reference states one; none for a reference by name."""
    head, _, tail = reference.rpartition(":")
    for path_text, name in ((reference, None), (head, tail)):
        if path_text and ("/" in path_text or path_text.endswith(".sheet")):
            for path in (Path(path_text),) if search_folder is None else (search_folder / path_text, Path(path_text)):
                yield path, name


def find_profile(given: str, search_folder: Path | None) -> Path | None:
    """The path of a profile's file: `given` relative to `search_folder`, or else to the current folder; None if there
    is no such file."""
    for path in (Path(given),) if search_folder is None else (search_folder / given, Path(given)):
        if is_file(path):
            return path
    return None


def folder_of(place: str | None) -> Path | None:
    """The folder of the file that a place `FILE:LINE:COLUMN` names."""
    match = re.fullmatch(r"(.+):\d+:\d+", place or "")
    return Path(match.group(1)).parent if match else None

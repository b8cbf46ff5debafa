"""The folders in which sheets, machines and their companions are found by name.

A companion is a file beside a sheet with further numbers of its device, found by the device's name: the calibration of
a GPU (`NAME.calibration`), the law of near-data units (`NAME.law`). A record of a device identifies the contents of its
companions, since they determine its times as much as its sheet does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from dialects.diagnostics import FileName, InputError
from dialects.files import digest_of, is_file, is_folder, names_in, read_regular, why_not_followed

if TYPE_CHECKING:
    from interp.machine.device import Device

SHIPPED = Path(__file__).parents[2] / "devices"
COMPANIONS = "calibrations"
"""The name of the folder, within a folder of sheets, that may also hold companions."""
_CALIBRATION = ".calibration"
_LIBRARY = re.compile(rb"\s*(?:#[^\n]*\s*)*calibration[ \t]+library\s")
"""The start of a calibration of a library."""
_ADVICE = "a companion of a sheet is a short text file"
_added: list[Path] = []


def add_sheet_folder(path: str | Path) -> None:
    """Add a folder whose sheets and machines are found by name, before the shipped ones, also after the current folder
    has changed. Raises InputError if it is no folder."""
    if not is_folder(path):
        raise InputError(f"there is no folder `{path}` of sheets; give one that holds .sheet files", None)
    folder = Path(os.path.abspath(path))
    if folder not in _added:
        _added.insert(0, folder)


def added_folders() -> Sequence[Path]:
    """The folders that were added, the last one first."""
    return _added


def folders() -> list[Path]:
    """The folders in which names are looked up, in order: added folders, the current folder, the shipped sheets."""
    return [*_added, Path(), SHIPPED]


def files_in(folder: Path, suffix: str) -> Sequence[Path]:
    """The files of a folder whose names end with a suffix, in alphabetical order."""
    return _paths(folder, names_in(folder, suffix))


@lru_cache(maxsize=64)
def _paths(folder: Path, names: tuple[str, ...]) -> Sequence[Path]:
    return [folder / name for name in names]


def companions(device: Device, names: Sequence[str] | None = None) -> Iterator[Path]:
    """The companions of a device, nearest first: in the folder of its sheet, in the current folder, in added folders,
    each followed by its subfolder `calibrations`, and last the shipped ones. Files in one folder are in the order of
    `names`, by default all names of companions that the device has. Raises InputError for a link out of the folder."""
    wanted = device.companions if names is None else names
    suffixes = dict.fromkeys(os.path.splitext(name)[1] for name in wanted)
    for folder in _places(os.path.dirname(device.file), os.getcwd(), tuple(map(str, _added))):
        present = {name for suffix in suffixes for name in names_in(folder, suffix)}
        for name in wanted:
            if name in present and is_file(path := os.path.join(folder, name)):
                head, tail = os.path.split(folder)
                check_link(path, head if tail == COMPANIONS else folder)
                yield _path(path)


def check_link(path: str, folder: str, at: str | None = None) -> None:
    """Raise InputError, at `at` or else at the path, if a file that was found by its name in `folder` is a link out of
    it. The folders of users and the shipped one, which an installation may fill with links, are trusted."""
    trusted = (SHIPPED, *_added)
    if any(path.startswith(os.path.join(str(each), "")) for each in trusted):
        return
    if why := why_not_followed(path, folder, trusted):
        raise InputError(f"`{path}` {why}", at or FileName(path))


_path = lru_cache(maxsize=1024)(Path)


@lru_cache(maxsize=256)
def _places(own: str, current: str, added: tuple[str, ...]) -> list[str]:
    """The folders in which the companions of a device are searched, in order. `own`: the folder of its sheet;
    `current`: the current folder, to which paths are relative; `added`: the added folders."""
    found = dict[str, str]()
    for folder in (own, "", *added):
        found.setdefault(os.path.join(current, folder, ""), folder)
    searched = [folder for folder in found.values() if os.path.abspath(folder) != str(SHIPPED)]
    return [each for folder in (*searched, str(SHIPPED)) for each in (folder, os.path.join(folder, COMPANIONS))]


def contents_of_companions(device: Device) -> tuple[str, ...]:
    """The digests of a device's companions, nearest first."""
    if not device.companions:
        return ()
    return tuple(digest_of(path, _ADVICE) for path in companions(device))


def library_files(sheet: str = "") -> dict[str, list[Path]]:
    """The calibrations of each library by its name, nearest first: in the folder of a sheet (if its path is given), in
    the current folder, in added folders, and the shipped ones. The companions of a sheet are searched in these folders
    in the same order."""
    found = dict[str, list[Path]]()
    for folder in _places(os.path.dirname(sheet), os.getcwd(), tuple(map(str, _added))):
        for name in names_in(folder, _CALIBRATION):
            path = os.path.join(folder, name)
            if is_file(path) and _is_of_library(path, digest_of(path, _ADVICE)):
                found.setdefault(os.path.splitext(name)[0], []).append(_path(path))
    return found


def is_library(device: Device, name: str) -> bool:
    """True if a device may name a library: if there is a calibration of this library among its companions."""
    paths = companions(device, [f"{name}{_CALIBRATION}"])
    return any(_is_of_library(str(path), digest_of(path, _ADVICE)) for path in paths)


@lru_cache(maxsize=256)
def _is_of_library(path: str, digest: str) -> bool:
    """True if a file is the calibration of a library. `digest`: of its contents, so that a changed file is read
    again."""
    return _LIBRARY.match(read_regular(Path(path), _ADVICE)) is not None

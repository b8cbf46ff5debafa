"""The search for calibrations: in the folder of a GPU's sheet, in the current folder, in added folders of sheets, among
the shipped ones."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from dialects.diagnostics import InputError, note
from interp.cost.gpu.constants.calibration import Calibration, read_calibration
from interp.machine.records import ARCHITECTURES, Gpu
from interp.machine.sheets.files import SHIPPED, folders

FOLDER = "calibrations"
"""The name of the folder of calibrations within a folder of sheets."""
SUFFIX = ".calibration"

_read: dict[tuple[str, int, int], Calibration] = {}
_noted: set[str] = set()


@cache
def known_calibrations() -> Mapping[tuple[str, str], Calibration]:
    """The calibrations shipped with ndpir, by owner (`gpu` or `family`) and by the name of that GPU or family."""
    found = [read_calibration(path) for path in sorted((SHIPPED / FOLDER).glob(f"*{SUFFIX}"))]
    return {(calibration.owner, calibration.name): calibration for calibration in found}


def calibrations_for(gpu: Gpu) -> Mapping[tuple[str, str], tuple[Calibration, ...]]:
    """All calibrations that apply to a GPU: its own, those of the GPUs that it is a variant of, and those of all
    families, by owner (`gpu` or `family`) and name, nearest first. `NAME.calibration` is searched in the folder of the
    GPU's sheet, in the current folder and in added folders of sheets, each also with its subfolder `calibrations/`;
    then among the shipped ones. Files are checked at each call, and read again if they changed.

    Raises InputError for a file that can't be read, or whose content is for another GPU than its name.
    """
    found = dict[tuple[str, str], tuple[Calibration, ...]]()
    names = [gpu.name, *gpu.bases, *ARCHITECTURES]
    seen: set[tuple[int, int]] = set()
    for folder in _places(gpu):
        for name in names:
            calibration = _calibration(os.path.join(folder, name + SUFFIX), name, seen)
            if calibration is not None:
                key = (calibration.owner, name)
                _note_hidden(calibration, known_calibrations().get(key))
                found[key] = (*found.get(key, ()), calibration)
    for key, calibration in known_calibrations().items():
        if key[0] == "family" or key[1] in (gpu.name, *gpu.bases):
            found[key] = (*found.get(key, ()), calibration)
    return found


def _places(gpu: Gpu) -> Iterator[str]:
    """Paths of the folders in which calibrations for a GPU are searched, in order."""
    ours = os.path.abspath(SHIPPED)
    for folder in (os.path.dirname(gpu.file), "", *map(str, folders())):
        if os.path.abspath(folder) != ours:
            yield folder
            if os.path.isdir(inner := os.path.join(folder, FOLDER)):
                yield inner


def _calibration(path: str, name: str, seen: set[tuple[int, int]]) -> Calibration | None:
    """The calibration in a file; None if there is no file, or if `seen` shows that it was already found under another
    path. `seen`: (device, inode) of the files found so far."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    file = (status.st_dev, status.st_ino)
    if file in seen or not os.path.isfile(path):
        return None
    seen.add(file)
    key = (os.path.abspath(path), status.st_mtime_ns, status.st_size)
    if key not in _read:
        _read[key] = read_calibration(Path(path))
    found = _read[key]
    if found.name != name:
        message = f"this calibrates the {found.owner} {found.name}, but its file is called {name}{SUFFIX}; rename one"
        raise InputError(message, f"{path}:1:1")
    return found


def _note_hidden(found: Calibration, shipped: Calibration | None) -> None:
    """Prints a note if a calibration hides constants of a shipped one with the same name, which may be unintended."""
    if shipped is None or found.file in _noted:
        return
    _noted.add(found.file)
    hidden = [" ".join(key) for key in found.records if key in shipped.records]
    if hidden:
        shown = ", ".join(hidden[:4]) + (f" and {len(hidden) - 4} more" if len(hidden) > 4 else "")
        note(
            f"the constants of {found.name} for {shown} are read from this file instead of the file that ndpir ships",
            found.file,
        )

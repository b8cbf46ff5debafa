"""The calibrations of a GPU: files beside sheets (interp/machine/sheets/search.py), and the shipped ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from dialects.diagnostics import InputError, note
from dialects.files import digest_of
from interp.figures import first_of
from interp.kinds.gpu.constants.calibration import Calibration, read_calibration
from interp.machine.records import Gpu
from interp.machine.sheets.search import COMPANIONS, SHIPPED, companions, library_files

SUFFIX = ".calibration"

_read: dict[tuple[str, str], Calibration] = {}
_noted: set[str] = set()


def known_libraries() -> list[Calibration]:
    """The calibrations of libraries that GPUs may name, by name: those in the current folder, in added folders, and the
    shipped ones, several of one library as one. Raises InputError for a file that can't be read."""
    libraries: list[Calibration] = []
    for _, paths in sorted(library_files().items()):
        nearest, *others = (_calibration(path) for path in paths)
        records = {key: record for each in (*reversed(others), nearest) for key, record in each.records.items()}
        libraries.append(replace(nearest, records=records))
    return libraries


def calibrations_for(gpu: Gpu, library: str) -> Mapping[tuple[str, str], tuple[Calibration, ...]]:
    """All calibrations that apply to a GPU: its own, those of the GPUs that it is a variant of, that of a library,
    those of all libraries on average, and those of all families, by owner (`gpu`, `library` or `family`) and name,
    nearest first (see `companions`). Files are checked at each call, and read again if they changed.

    Raises InputError for a file that can't be read, or whose content is for another GPU than its name.
    """
    found = dict[tuple[str, str], tuple[Calibration, ...]]()
    names = gpu.calibrations if library == gpu.library else replace(gpu, library=library).calibrations
    for path in companions(gpu, names):
        calibration = _calibration(path)
        if calibration.name != path.stem:
            message = f"this calibrates the {calibration.owner} {calibration.name}, but its file is called {path.name}"
            raise InputError(f"{message}; rename one", f"{path}:1:1")
        key = (calibration.owner, calibration.name)
        if path.parent == SHIPPED / COMPANIONS:
            for hidden in found.get(key, ()):
                _note_hidden(hidden, calibration)
        found[key] = (*found.get(key, ()), calibration)
    return found


def _calibration(path: Path) -> Calibration:
    key = (str(path), digest_of(path, "a calibration is a short text file"))
    if key not in _read:
        _read[key] = read_calibration(path)
    return _read[key]


def _note_hidden(found: Calibration, shipped: Calibration) -> None:
    """Prints a note if a calibration hides constants of a shipped one with the same name, which may be unintended."""
    if found.file in _noted:
        return
    _noted.add(found.file)
    hidden = [" ".join(key) for key in found.records if key in shipped.records]
    if hidden:
        note(
            f"the constants of {found.name} for {first_of(hidden, 4)} are read from this file instead of the file that "
            "ndpir ships",
            found.file,
        )

"""Where calibrations are found: beside a GPU's sheet, in the current folder, in folders of sheets, among ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from dialects.diagnostics import InputError, note
from interp.gpu.calibration import Calibration, read_calibration
from interp.sheet import Gpu
from interp.sheets.files import SHIPPED, folders

FOLDER = "calibrations"
"""A folder of calibrations, in a folder of sheets."""
SUFFIX = ".calibration"

_read: dict[tuple[str, int, int], Calibration] = {}
_told: set[str] = set()


@cache
def known_calibrations() -> Mapping[tuple[str, str], Calibration]:
    """The calibrations that come with ndpir, by owner and name."""
    found = [read_calibration(path) for path in sorted((SHIPPED / FOLDER).glob(f"*{SUFFIX}"))]
    return {(calibration.owner, calibration.name): calibration for calibration in found}


def calibrations_of(gpu: Gpu, owner: str, name: str) -> Iterator[Calibration]:
    """The calibrations of a GPU or a family that hold for a sheet, the nearest first: `NAME.calibration` in the sheet's
    folder, in the current one, in added folders of sheets, each time also in `calibrations/` there; then the shipped.

    Raises InputError for a file that can't be read or that calibrates another GPU than its name says.
    """
    shipped = known_calibrations().get((owner, name))
    seen: set[Path] = set()
    for folder in _places(gpu):
        path = folder / f"{name}{SUFFIX}"
        if not path.is_file() or (whole := path.resolve()) in seen:
            continue
        seen.add(whole)
        found = _calibration(path)
        if found.owner != owner:
            continue
        if found.name != name:
            message = f"this calibrates the {found.owner} {found.name}, but its file is called {path.name}; rename one"
            raise InputError(message, f"{path}:1:1")
        _tell_of_hidden(found, shipped)
        yield found
    if shipped is not None:
        yield shipped


def _places(gpu: Gpu) -> Iterator[Path]:
    beside = Path(gpu.file).parent
    for folder in (beside, Path(), *folders()):
        if folder.resolve() != SHIPPED.resolve():
            yield from (folder, folder / FOLDER)


def _calibration(path: Path) -> Calibration:
    try:
        status = path.stat()
    except OSError as error:
        raise InputError(f"the calibration can't be read: {(error.strerror or '').lower()}", str(path)) from None
    key = (str(path.resolve()), status.st_mtime_ns, status.st_size)
    if key not in _read:
        _read[key] = read_calibration(path)
    return _read[key]


def _tell_of_hidden(found: Calibration, shipped: Calibration | None) -> None:
    """A calibration may have a shipped one's name, on purpose or not."""
    if shipped is None or found.file in _told:
        return
    _told.add(found.file)
    hidden = [" ".join(key) for key in found.records if key in shipped.records]
    if hidden:
        shown = ", ".join(hidden[:4]) + (f" and {len(hidden) - 4} more" if len(hidden) > 4 else "")
        note(f"constants of {found.name} for {shown} are taken from here, and hide the shipped ones", found.file)

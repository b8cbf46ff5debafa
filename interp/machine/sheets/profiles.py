"""Gives a device or link the profile that its `hw` op names, found beside the program or from the current folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dialects.diagnostics import InputError
from interp.cost.profile import Profile
from interp.cost.profile_file import read_profile
from interp.machine.device import Device
from interp.machine.records import Link

PROFILE = "profile"
"""The change of an `hw` op that is no number of its sheet: the file of a profile."""

_Stamp = tuple[str, int, int]
_read: dict[_Stamp, Profile] = {}
_with: dict[tuple[Device | Link, _Stamp], Device | Link] = {}


def with_profile(record: Device | Link, given: object, beside: Path | None, at: str | None) -> Device | Link:
    """A record with the profile of a file; the same one for the same file as long as that does not change.

    `beside`: a folder from which paths start first, before the current one. Raises InputError at `at` where the file is
    not there, or in the file for what is wrong with it.
    """
    if not isinstance(given, str) or not given:
        raise InputError(f'`profile` names a file (profile = "bert.json"), but {given!r} was met', at)
    path = find_profile(given, beside)
    if path is None:
        raise InputError(f"there is no profile `{given}`; ndp-profile writes one", at)
    status = path.stat()
    stamp = (str(path), status.st_mtime_ns, status.st_size)
    if stamp not in _read:
        _read[stamp] = read_profile(path)
    if (record, stamp) not in _with:
        _with[record, stamp] = replace(record, profile=_read[stamp])
    return _with[record, stamp]


def find_profile(given: str, beside: Path | None) -> Path | None:
    """The file that a path means: from a folder, or else from the current one; None where there is none."""
    for path in (Path(given),) if beside is None else (beside / given, Path(given)):
        try:
            if path.is_file():
                return path
        except (OSError, ValueError):  # no path at all
            continue
    return None

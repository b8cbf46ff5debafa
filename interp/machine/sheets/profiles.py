"""Profiles that `hw` ops name: the search for their files next to the program or in the current folder, and their
addition to the records of sheets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dialects.diagnostics import InputError
from dialects.files import digest_of
from interp.machine.profile import Profile
from interp.machine.profile_file import read_profile
from interp.machine.sheets.fields import Record
from interp.machine.sheets.named_files import find_profile

_Key = tuple[str, str]
"""The path of a profile and the digest of its contents."""
_read: dict[_Key, Profile] = {}
_with: dict[tuple[Record, _Key], Record] = {}


def with_profile(record: Record, given: object, search_folder: Path | None, at: str | None) -> Record:
    """The record with the profile in the file `given`; the same record for the same file, unless the file has changed.

    `search_folder`: the folder to which relative paths refer first, before the current folder. Raises InputError at
    `at` if the file is missing, or in the file for an error there.
    """
    if not isinstance(given, str) or not given:
        raise InputError(f'`profile` must be the name of a file (profile = "bert.json"), not {given!r}', at)
    path = find_profile(given, search_folder)
    if path is None:
        raise InputError(f"there is no file `{given}` for `profile`; ndp-profile writes one", at)
    key = (str(path), digest_of(path, "a profile has a row for each op"))
    if key not in _read:
        _read[key] = read_profile(path)
    if (record, key) not in _with:
        _with[record, key] = replace(record, profile=_read[key])
    return _with[record, key]

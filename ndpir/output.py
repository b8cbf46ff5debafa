"""The file of `-o`: tried before a long run, written only after one without errors."""

from __future__ import annotations

import os

from dialects.diagnostics import FileName, InputError
from ndpir.report import unwritable


def check_writable(path: str | None) -> None:
    """Raises InputError, at the path, for a file that can't be written; None is stdout."""
    if path is None:
        return
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise InputError("can't be written: it is a folder", FileName(path))
    if not os.path.isdir(folder):
        raise InputError(f"can't be written: there is no folder {folder}", FileName(path))
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise InputError("can't be written: permission denied", FileName(path))


def write_file(path: str, text: str) -> None:
    """Write the whole output. Raises InputError, at the path, where the disk is full or the like."""
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise InputError(unwritable(error), FileName(path)) from error

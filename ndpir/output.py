"""The file of `-o`: tried before a long run, written only after one without errors."""

from __future__ import annotations

import os
import sys

from dialects.diagnostics import FileName, InputError
from ndpir.report import unwritable


def check_writable(path: str | None) -> None:
    """Raises InputError, at the path, for a file that can't be written; None is stdout."""
    if path is None:
        return
    if not path:
        raise InputError("an output has no name; name its file")
    folder = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise InputError("can't be written: it is a folder", FileName(path))
    if not os.path.isdir(folder):
        raise InputError(f"can't be written: there is no folder {folder}", FileName(path))
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise InputError("can't be written: permission denied", FileName(path))


TEXT = "utf-8"
"""The encoding of outputs; a target of another one says so (`ENCODING`), latin-1 where its output is bytes."""


def write_file(path: str, text: str, encoding: str = TEXT) -> None:
    """Write the whole output. Raises InputError, at the path, where the disk is full or the like."""
    try:
        if encoding != TEXT:
            with open(path, "wb") as file:
                file.write(text.encode(encoding))
            return
        with open(path, "w", encoding=TEXT) as file:
            file.write(text)
    except OSError as error:
        raise InputError(unwritable(error), FileName(path)) from error


def write_stdout(text: str, encoding: str = TEXT) -> None:
    """Write to stdout, past its own encoding where the text is bytes. Raises InputError where the disk is full or the
    like, and BrokenPipeError where nobody reads on."""
    try:
        if encoding == TEXT:
            sys.stdout.write(text)
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        leave_stdout()
        raise InputError(unwritable(error), FileName("<stdout>")) from error


def leave_stdout() -> None:
    """Write nothing more: Python would complain once more when it flushes stdout at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

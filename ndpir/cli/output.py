"""Destinations of a run's outputs, and writing to stdout and stderr: only this file writes to them."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias

from dialects.diagnostics import FileName, InputError
from dialects.files import descriptor_of, unwritable
from dialects.text.printable import printable_lines

TEXT = "utf-8"
"""The encoding of text outputs. A target of binary output specifies latin-1 instead (its `ENCODING`)."""

Stream: TypeAlias = Literal["file", "stdout", "stderr"]


@dataclass(frozen=True)
class Destinations:
    """The destinations of a run's outputs; no two outputs share the file or stdout.

    `program`: the output of -t, by default the program's text; None if a report replaces it. `reports`: the streams of
    the summary and the explanation, in the order requested.
    """

    program: Stream | None
    reports: tuple[Stream, ...]

    @classmethod
    def of(cls, out: str | None, *, target_requested: bool, reports: int) -> Destinations:
        """The destinations for a command line. `out`: the value of -o, None without it; `target_requested`: True if -t
        is given; `reports`: the number of reports. A report replaces the program on stdout, unless -t or -o request the
        program as well. The first output without a file goes to stdout, others to stderr."""
        program: Stream | None = None
        if out is not None and not is_stdout(out):
            program = "file"
        elif target_requested or out is not None or not reports:
            program = "stdout"
        rest: list[Stream] = ["stderr"] * reports
        if rest and program != "stdout":
            rest[0] = "stdout"
        return cls(program, tuple(rest))


class StdoutError(InputError):
    """Raised if stdout can't be written."""


def is_stdout(path: str) -> bool:
    """True if a path is `-`, which means stdout."""
    return path == "-" or descriptor_of(path) == 1


def is_same_file_as_stdout(path: str) -> bool:
    """True if stdout leads to the regular file of that name."""
    with suppress(OSError, ValueError):
        status = os.fstat(sys.stdout.fileno())
        return stat.S_ISREG(status.st_mode) and os.path.samestat(status, os.stat(path))
    return False


def write_stderr(text: str) -> None:
    """Write text for people to stderr; hidden characters, with which names could change a terminal, are escapes."""
    sys.stderr.write(printable_lines(text))


def write_stdout(text: str) -> None:
    """Write text for people to stdout, with escapes as `write_stderr`. Raises errors as `write_data`."""
    write_data(printable_lines(text))


def write_data(text: str, encoding: str = TEXT, is_coloured: bool = False) -> None:
    """Write a program, a table or another file to stdout: unchanged to a file or a pipe, and to a terminal with hidden
    characters as escapes, unless the text has colours (`is_coloured`), and escapes already. An encoding other than
    `TEXT` is one of bytes, which bypass the encoding of stdout.

    Raises StdoutError for write errors, e.g. a full disk, and BrokenPipeError if the reader closed the pipe.
    """
    try:
        if encoding == TEXT:
            sys.stdout.write(printable_lines(text) if sys.stdout.isatty() and not is_coloured else text)
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (OSError, UnicodeError) as error:
        leave_stdout()
        is_closed = getattr(error, "errno", 0) == errno.EBADF
        message = "can't be written: it is closed; redirect it to a file or a pipe" if is_closed else unwritable(error)
        raise StdoutError(message, FileName("<stdout>")) from error


def leave_stdout() -> None:
    """Redirect stdout to /dev/null, since Python would otherwise report the error again when it flushes stdout at
    exit."""
    with suppress(OSError, ValueError):  # an in-memory stream has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

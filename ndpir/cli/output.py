"""Stdout, and which output of a run goes where."""

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

TEXT = "utf-8"
"""The encoding of outputs; a target of another one says so (`ENCODING`), latin-1 where its output is bytes."""

Stream: TypeAlias = Literal["file", "stdout", "stderr"]


@dataclass(frozen=True)
class Destinations:
    """The destinations of a run's outputs; no two outputs share the file or stdout.

    `program`: what -t asks for, the program's text by default; None where a report takes its place. `reports`: the
    streams of the summary and the explanation, in the order in which they were asked for.
    """

    program: Stream | None
    reports: tuple[Stream, ...]

    @classmethod
    def of(cls, out: str | None, *, target_asked: bool, reports: int) -> Destinations:
        """`out`: what -o names, None without it. A report alone takes the program's place on stdout; a program that -t
        or -o asks for is written as well. Stdout is for the first output that goes to no file, stderr for others."""
        program: Stream | None = None
        if out is not None and not is_stdout(out):
            program = "file"
        elif target_asked or out is not None or not reports:
            program = "stdout"
        rest: list[Stream] = ["stderr"] * reports
        if rest and program != "stdout":
            rest[0] = "stdout"
        return cls(program, tuple(rest))


class StdoutError(InputError):
    """Stdout can't be written."""


def is_stdout(path: str) -> bool:
    """True if a path means stdout, as all tools have it."""
    return path == "-" or descriptor_of(path) == 1


def is_same_file_as_stdout(path: str) -> bool:
    """True if stdout leads to the regular file of that name."""
    with suppress(OSError, ValueError):
        status = os.fstat(sys.stdout.fileno())
        return stat.S_ISREG(status.st_mode) and os.path.samestat(status, os.stat(path))
    return False


def write_stdout(text: str, encoding: str = TEXT) -> None:
    """Write to stdout, past its own encoding where the text is bytes. Raises StdoutError where the disk is full or the
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
    except (OSError, UnicodeError) as error:
        leave_stdout()
        told = "can't be written: it is closed" if getattr(error, "errno", 0) == errno.EBADF else unwritable(error)
        raise StdoutError(told, FileName("<stdout>")) from error


def leave_stdout() -> None:
    """Write nothing more: Python would complain once more when it flushes stdout at its end."""
    with suppress(OSError, ValueError):  # a stream in memory has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

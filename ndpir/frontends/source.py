"""The bytes of a program's text, from a file or stdin."""

from __future__ import annotations

import sys

from dialects.files import open_file, read_stream

LARGEST = 1 << 30
"""The largest program text in bytes, enough for ten million ops or for literals of 500 MB."""


def read_input(path: str | None, name: str) -> bytes:
    """The bytes of a program's text; from stdin if `path` is None. Raises OSError, and InputError for more than
    `LARGEST` bytes."""
    advice = "store a program's weights in separate files"
    if path is None:
        return read_stream(sys.stdin.buffer, name, LARGEST, advice)
    with open_file(path) as file:
        return read_stream(file, name, LARGEST, advice)

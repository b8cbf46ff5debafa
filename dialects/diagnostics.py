"""Errors of users' input: one sentence that says what was met, what was expected and a way out, with the place it stands at."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException

from dialects.locations import place_of


class InputError(DiagnosticException):
    """What the user gave can't be used. The driver prints `PLACE: error: MESSAGE` and exits with 1; nothing else is printed."""

    def __init__(self, message: str, at: Operation | str | None = None) -> None:
        """`at`: the op to blame, or a place as text (`FILE`, `FILE:LINE:COLUMN`), or None where there is none."""
        super().__init__(message)
        self.message = message
        self.place = place_of(at) if isinstance(at, Operation) else at

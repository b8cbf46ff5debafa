"""Messages to users: errors in their input, and notes; each is one sentence with its source location."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeAlias

from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException, VerifyException

from dialects.locations import place_of
from dialects.text.printable import printable


class FileName(str):
    """A location that denotes a whole file, existing or not."""


class InputError(DiagnosticException):
    """An error in the user's input. The driver prints `PLACE: error: MESSAGE` and no traceback, and exits with status
    1."""

    def __init__(self, message: str, at: Operation | str | None = None) -> None:
        """`at`: the op that causes the error, or a location as text (`FILE`, `FILE:LINE:COLUMN`), or None for an error
        without a location."""
        super().__init__(message)
        self.message = message
        self.place = _place(at)


class WrongInside(VerifyException):
    """A verification error caused by an op in the body of the verified op; `at` is that inner op."""

    def __init__(self, message: str, at: Operation) -> None:
        super().__init__(message)
        self.at = at


Listener: TypeAlias = Callable[[str, str | None], None]
"""A callback that takes a note's message and its location."""


def _print_note(message: str, place: str | None) -> None:
    print(printable(f"{place}: note: {message}" if place else f"note: {message}"), file=sys.stderr)


_listeners: list[Listener] = [_print_note]


def note(message: str, at: Operation | str | None = None) -> None:
    """Emit a note: a message that is no error, for example about a choice that a pass made. A listener receives the
    note, or else `PLACE: note: MESSAGE` is printed on stderr."""
    _listeners[-1](message, _place(at))


@contextmanager
def notes_to(listener: Listener) -> Generator[None]:
    """A context in which notes are passed to `listener` instead of stderr."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@contextmanager
def other_notes_to(listener: Listener) -> Generator[None]:
    """A context in which notes that no `notes_to` receives are passed to `listener` instead of stderr."""
    before, _listeners[0] = _listeners[0], listener
    try:
        yield
    finally:
        _listeners[0] = before


_watchers: list[Callable[[str], None]] = []


def working(state: str) -> None:
    """Report the progress of long-running work, as a short text, to the registered watchers (by default none)."""
    for watcher in _watchers:
        watcher(state)


@contextmanager
def watched_by(watcher: Callable[[str], None]) -> Generator[None]:
    """A context in which `watcher` receives the reports of `working`."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


def _place(at: Operation | str | None) -> str | None:
    return place_of(at) if isinstance(at, Operation) else at

"""Ctrl-C during a search: the first one lets the search end with its best plan so far, the next one ends the
command."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

from lowering.solve.stopping import ask_to_stop


@contextmanager
def stopping_searches(tool: str) -> Generator[None]:
    """A context in which the first Ctrl-C during a search ends the search and not the command `tool`; at other times
    Ctrl-C raises KeyboardInterrupt, as it does outside, and where a caller handles it in its own way."""
    usual = signal.default_int_handler
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is not usual:
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        if not ask_to_stop():
            usual(number, frame)
        message = f"{tool}: ending the search with the best plan so far; Ctrl-C again ends {tool}\n"
        os.write(2, message.encode())  # a stream may be in use when the signal arrives

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)

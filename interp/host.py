"""The process that runs ndpir: the processor cores that it may use, and Python's garbage collection."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator
from contextlib import contextmanager


def cores() -> int:
    """The number of processor cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


COLLECTED = 50_000
"""The number of new objects after which Python collects garbage. Programs are large graphs of objects that stay: with
Python's default of 700, up to a fifth of a run's time is spent on looking at them again."""


def collect_rarely() -> None:
    """Let this process collect garbage less often."""
    gc.set_threshold(COLLECTED)


@contextmanager
def without_collection() -> Generator[None]:
    """Disable Python's garbage collection, for steps that create no garbage or that are timed."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()

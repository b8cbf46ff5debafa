"""The early end of searches, each with its best result so far: at their limit in seconds, or because someone asks for
it, as Ctrl-C does in `ndp-opt` (ndpir/cli/stopping.py)."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from time import monotonic


@dataclass
class Searching:
    """The searches within one `searching` context. `asked`: someone asked them to end; `late`: one of them reached its
    limit in seconds."""

    asked: bool = False
    late: bool = False


_RUNNING: list[Searching] = []


@contextmanager
def searching() -> Generator[Searching]:
    """A context in which searches can be asked to end."""
    mine = Searching()
    _RUNNING.append(mine)
    try:
        yield mine
    finally:
        _RUNNING.remove(mine)


def ask_to_stop() -> bool:
    """Ask the running searches to end with their best results; False if none runs, or if they were asked before."""
    fresh = [each for each in _RUNNING if not each.asked]
    for each in fresh:
        each.asked = True
    return bool(fresh)


def is_asked() -> bool:
    """True if the running searches were asked to end."""
    return any(each.asked for each in _RUNNING)


def is_over(until: float = inf) -> bool:
    """True if a search must end: it was asked to, or it is later than `until`, in seconds of `monotonic`."""
    late = until < inf and monotonic() >= until
    for each in _RUNNING if late else ():
        each.late = True
    return late or is_asked()


def until_after(limit_s: float) -> float:
    """The time, in seconds of `monotonic`, at which a search with a limit in seconds ends that starts now; a limit of 0
    is none."""
    return monotonic() + limit_s if limit_s else inf

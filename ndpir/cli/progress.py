"""Display of progress on a terminal for runs longer than two seconds: current step, elapsed time, fraction done."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Self

from dialects.text.printable import printable

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

PATIENCE = 2.0
"""Seconds before the display starts."""


class Progress:
    """A progress display on stderr, only if that is a terminal: `with Progress() as progress: progress.doing("pass
    place")`. `progress.step(done, of)` is cheap enough for thousands of calls; rich is imported only if the display
    starts.
    """

    def __init__(self) -> None:
        self._label = ""
        self._done: tuple[int, int] | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def is_shown(self) -> bool:
        """True if stderr is a terminal."""
        return self._thread is not None

    def doing(self, label: str) -> None:
        """Set the current step."""
        self._label, self._done = printable(label), None

    def step(self, done: int, of: int) -> None:
        """Set the fraction done."""
        self._done = (done, of)

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._thread = threading.Thread(target=self._show, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _show(self) -> None:
        if self._stop.wait(PATIENCE):
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(self._label, total=None)
            while not self._stop.wait(0.1):
                self._update(bar, task)

    def _update(self, bar: RichProgress, task: int) -> None:
        done, of = self._done or (0, None)
        bar.update(task, description=self._label, completed=done, total=of)  # pyright: ignore[reportArgumentType]

"""The display of progress: only on a terminal, and only in long runs."""

from __future__ import annotations

import io
import sys
import time

import pytest

import ndpir.cli.progress
from ndpir.cli.progress import Progress


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def test_terminal_shows_step_and_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(ndpir.cli.progress, "PATIENCE", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    with Progress() as progress:
        progress.doing("running pass place")
        progress.step(3, 10)
        for _ in range(500):  # rich is imported first, by another thread
            if "running pass place" in terminal.getvalue():
                break
            time.sleep(0.01)
    assert "running pass place" in terminal.getvalue()


def test_a_short_run_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress() as progress:
        progress.doing("reading")
        assert progress.is_shown
    assert terminal.getvalue() == ""


def test_a_file_or_pipe_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    monkeypatch.setattr(ndpir.cli.progress, "PATIENCE", 0.0)
    with Progress() as progress:
        progress.doing("reading")
        assert not progress.is_shown
    assert pipe.getvalue() == ""

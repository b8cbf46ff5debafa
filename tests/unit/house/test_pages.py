"""Generated pages on passes and on the Python interface are current, and removed passes have no page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ndpir.registry.pages import stale

ROOT = Path(__file__).resolve().parents[3]


def test_the_pages_are_current() -> None:
    # In a new process, since plugins that other tests load would appear on the pages.
    command = [sys.executable, "-m", "ndpir.registry.pages", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_an_outdated_page_is_reported() -> None:
    assert "passes/place.md" in stale({"passes/place.md": "other words"})
    assert "passes/gone.md" in stale({"passes/gone.md": ""})

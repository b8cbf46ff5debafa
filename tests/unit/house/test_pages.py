"""Generated pages on passes, on the Python interface and on rooms are current, and removed passes have no page."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ndpir.pages import generated, rooms
from ndpir.pages.generated import outdated

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
def test_the_pages_are_current() -> None:
    # In a new process, since plugins that other tests load would appear on the pages.
    command = [sys.executable, "-m", "ndpir.pages.passes", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_list_of_rooms_is_current() -> None:
    text = (ROOT / rooms.PAGE).read_text(encoding="utf-8")
    assert text == rooms.documents()[rooms.PAGE], "the list is outdated; run `python -m ndpir.pages.rooms`"
    _, listed, _ = rooms.split(text)
    assert {"`dialects/`", "`lowering/banks/products/`"} <= set(listed.split())
    assert "(undocumented)" not in listed, "the first sentence of `__init__.py` says what a room decides"


def test_the_map_is_short() -> None:
    """All but the generated list is at most 1,500 words, so that it is read on the first day."""
    before, _, after = rooms.split((ROOT / rooms.PAGE).read_text(encoding="utf-8"))
    assert len((before + after).split()) <= 1500


def test_files_that_the_map_names_exist() -> None:
    text = (ROOT / rooms.PAGE).read_text(encoding="utf-8")
    named = re.findall(r"`((?:ndpir|lowering|interp|dialects|tests|examples|docs)/[\w./-]*)`", text)
    assert len(named) > 100
    assert not [name for name in named if not (ROOT / name).exists()]


def test_an_outdated_page_is_reported() -> None:
    found = {"docs/passes/place.md": "other words", "docs/passes/gone.md": ""}
    assert outdated(found) == ["docs/passes/gone.md", "docs/passes/place.md"]
    assert "docs/passes/fuse.md" in outdated(found, "docs/passes"), "a page that no pass has"


@pytest.mark.parametrize("words", [["--chek"], ["docs/dialects.md"]])
def test_a_word_that_is_no_option_writes_nothing(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generated, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "argv", ["reference", *words])
    with pytest.raises(SystemExit, match="2"):
        generated.run("ndpir.pages.dialects", lambda: {"docs/dialects.md": "text"})
    assert f"unrecognized arguments: {words[0]}" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_check_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(generated, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "argv", ["reference", "--check"])
    with pytest.raises(SystemExit, match=r"docs/dialects\.md is outdated; run `python -m ndpir.pages.dialects`"):
        generated.run("ndpir.pages.dialects", lambda: {"docs/dialects.md": "text"})
    assert not list((tmp_path / "docs").iterdir())
    monkeypatch.setattr(sys, "argv", ["reference"])
    generated.run("ndpir.pages.dialects", lambda: {"docs/dialects.md": "text"})
    assert (tmp_path / "docs/dialects.md").read_text() == "text"


def test_documents_need_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generated, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "argv", ["reference"])
    with pytest.raises(SystemExit, match="writes documents of a checkout, but"):
        generated.run("ndpir.pages.dialects", dict)

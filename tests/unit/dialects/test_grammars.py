"""lark's tables are kept beside the grammar, and nothing depends on whether they can be."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dialects.grammars import grammar

ABC = 'start: "a" B\nB: /b+/\n'


def _parsed(text: str, folder: Path) -> list[object]:
    parser = grammar(str(folder / "module.py"), "abc")
    return list(parser.parse(text).children)  # pyright: ignore[reportUnknownMemberType]


@pytest.mark.parametrize("kept", [None, b"", b"half of what was wri", ABC.encode()])
def test_what_was_kept_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: bytes | None) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "abc.lark").write_text(ABC)
    file = tmp_path / "__pycache__" / f"abc.{sys.implementation.cache_tag}.lark"
    if kept is not None:
        file.parent.mkdir()
        file.write_bytes(kept)
    for _ in range(2):
        assert _parsed("abbb", tmp_path) == ["bbb"]
        grammar.cache_clear()
    assert file.exists() == (kept is not None), "a folder that is not there is not made"


def test_a_changed_grammar_is_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "__pycache__").mkdir()
    for letter in "bc":
        (tmp_path / "abc.lark").write_text(ABC.replace("/b+/", f"/{letter}+/"))
        assert _parsed(f"a{letter}", tmp_path) == [letter]
        grammar.cache_clear()

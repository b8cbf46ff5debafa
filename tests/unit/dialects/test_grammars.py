"""Tests of the cache of lark's parser tables, a file next to the grammar: parsing works with and without it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dialects.grammars import grammar

ABC = 'start: "a" B\nB: /b+/\n'


def _parsed(text: str, folder: Path) -> list[object]:
    parser = grammar(str(folder / "module.py"), "abc")
    return list(parser.parse(text).children)  # pyright: ignore[reportUnknownMemberType]


@pytest.mark.parametrize("cached", [None, b"", b"half of what was wri", ABC.encode()])
def test_parsing_does_not_depend_on_the_cache_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cached: bytes | None
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "abc.lark").write_text(ABC)
    file = tmp_path / "__pycache__" / f"abc.{sys.implementation.cache_tag}.lark"
    if cached is not None:
        file.parent.mkdir()
        file.write_bytes(cached)
    for _ in range(2):
        assert _parsed("abbb", tmp_path) == ["bbb"]
        grammar.cache_clear()
    assert file.exists() == (cached is not None), "a missing folder is not created"


def test_a_changed_grammar_replaces_the_cached_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "__pycache__").mkdir()
    for letter in "bc":
        (tmp_path / "abc.lark").write_text(ABC.replace("/b+/", f"/{letter}+/"))
        assert _parsed(f"a{letter}", tmp_path) == [letter]
        grammar.cache_clear()

"""The pages on passes and on the Python interface are current, and no page is left of a pass that is gone."""

from __future__ import annotations

from pathlib import Path

from ndpir.registry.pages import pages

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_the_pages_are_current() -> None:
    found = pages()
    for name, text in found.items():
        assert (DOCS / name).read_text(encoding="utf-8") == text, f"docs/{name}: run `python -m ndpir.registry.pages`"
    assert {path.name for path in (DOCS / "passes").iterdir()} == {
        name.removeprefix("passes/") for name in found if name.startswith("passes/")
    }

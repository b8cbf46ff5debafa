"""Names in pages and drawings: whatever a program, a machine or a sweep calls its parts, it adds no tag."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dialects.text.printable import printable
from ndpir.reports.markup import NOTHING, Markup, json_data, markup, page_policy
from tests.unit.report.hostile import DRAWINGS, NAMES, PAGES

ROOT = Path(__file__).parents[3]


class Tags(HTMLParser):
    """A parser that records the tags of a page with the names of their attributes, and all texts in a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, ...]] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, *(name for name, _ in attrs)))
        self.texts += [value or "" for _, value in attrs]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.tags.append(("comment",))


@pytest.mark.slow
@pytest.mark.parametrize("page", [*PAGES, *DRAWINGS])
def test_no_name_adds_a_tag_or_an_attribute(page: str) -> None:
    write = {**PAGES, **DRAWINGS}[page]
    for name in NAMES:
        text, harmless = write(name), write("x" * len(printable(name)))
        found = Tags(text)
        assert found.tags == Tags(harmless).tags, name
        assert not [each for tag in found.tags for each in tag[1:] if each.startswith("on")]
        shown = "".join(found.texts)
        assert printable(name) in (unescape(shown) if "frame" in page else shown)


@pytest.mark.parametrize("drawing", DRAWINGS)
def test_a_drawing_is_well_formed_whatever_the_names(drawing: str) -> None:
    for name in NAMES:
        root = ElementTree.fromstring(DRAWINGS[drawing](name))
        assert printable(name) in "".join(root.itertext())


def test_templates_escape_texts_and_keep_markup() -> None:
    assert markup("<b>{}</b>{}", "<i>", markup("<i/>")) == "<b>&lt;i&gt;</b><i/>"
    assert markup('<b title="{name}">{number:.1f}', name="\"'&", number=2) == '<b title="&quot;&#x27;&amp;">2.0'
    assert markup("{}", "a\x1b\u202e\nb") == "a\\x1b\\u202e\nb"


def test_data_in_a_script_have_neither_tags_nor_comments() -> None:
    text = json_data(["<!--<script>", "</script>", "]]>", "&", "\u2028\u202e\x9b"])
    assert not re.search(r"[<>&\u2028\u202e\x9b]", text)


def test_the_policy_names_styles_and_scripts_by_their_hashes() -> None:
    policy = page_policy(Markup("a{}"), Markup("f()"))
    assert "'unsafe-inline'" not in policy
    assert "default-src 'none'" in policy
    assert re.search(r"script-src 'sha256-[\w+/]{43}='; style-src 'sha256-[\w+/]{43}='", policy)
    assert "script-src" not in page_policy(Markup("a{}"), NOTHING)


def _calls(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id
        elif isinstance(node, ast.ImportFrom):
            yield f"{node.module}.{','.join(alias.name for alias in node.names)}"


def test_text_becomes_markup_in_one_place() -> None:
    """Other files escape nothing themselves, and make `Markup` of literals only."""
    for folder in ("ndpir", "lowering", "interp", "dialects"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text("utf-8")
            if path.name == "markup.py" or not re.search(r"Markup\(|\bhtml\b", text):
                continue
            tree = ast.parse(text)
            assert not any(each.startswith("html.") for each in _calls(tree)), path
            made = [
                node
                for node in ast.walk(tree)
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Markup"
            ]
            assert all(isinstance(argument, ast.Constant) for node in made for argument in node.args), path

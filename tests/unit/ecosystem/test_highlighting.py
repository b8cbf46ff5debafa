"""Tests of the lexical rules for editors and terminals: every token of ndpir's files has a scope, and colours change no
character."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

import ndpir
from interp.machine.sheets.language import read_blocks
from ndpir.cli.highlighting.lexicon import Rule, program_rules, scanner, sheet_rules
from ndpir.cli.highlighting.terminal import coloured, is_coloured
from ndpir.pages.generated import outdated
from ndpir.pages.textmate import registered_ops, sheet_language

ROOT = Path(__file__).resolve().parents[3]
EDITOR = ROOT / "editors" / "vscode"
PROGRAMS = [*sorted((ROOT / "examples").glob("*.mlir")), *sorted((ROOT / "tests/lit/dialects").rglob("*.mlir"))[::7]]
SHEETS = sorted((ROOT / "interp/devices").glob("*.sheet"))
SGR = re.compile(r"\033\[[0-9;]*m")
OPS = registered_ops()


def tokens(text: str, rules: tuple[Rule, ...]) -> list[tuple[str, str]]:
    """The scope and text of each token, found line by line as an editor finds them."""
    lines = text.split("\n")
    return [
        (rules[int((match.lastgroup or "")[1:])].scope, match[0])
        for line in lines
        for match in scanner(rules).finditer(line)
    ]


def untold(text: str, rules: tuple[Rule, ...]) -> set[str]:
    """The characters of a text that no lexical rule matches."""
    return set("".join(scanner(rules).sub("", line) for line in text.split("\n")))


def test_the_grammars_are_current() -> None:
    # In a new process, since plugins that other tests load would appear in the grammars.
    command = [sys.executable, "-m", "ndpir.pages.textmate", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    path = "editors/vscode/syntaxes/mlir.tmLanguage.json"
    assert outdated({path: "{}"}) == [path]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_only_punctuation_of_programs_has_no_scope(path: Path) -> None:
    assert untold(path.read_text(encoding="utf-8"), program_rules(OPS)) <= set(" \t,:()[]{}<>=*+-/|?&;")


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.name)
def test_only_punctuation_of_sheets_has_no_scope(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert untold(text, sheet_rules(*sheet_language())) <= set(" \t,().\\%")
    named = [word for scope, word in tokens(text, sheet_rules(*sheet_language())) if scope == "entity.name.type"]
    assert named == [block.name for block in read_blocks(text, path.name)]


def test_tokens_of_a_program_have_the_scopes_of_their_kinds() -> None:
    text = '%0:2 = graph.matmul %x, %w {a = true} : !task.on<@gpu, tensor<?x16xbf16>> -> i32 loc("f":1:2) // %no'
    assert tokens(text, program_rules(OPS)) == [
        ("variable.other", "%0:2"),
        ("support.function.op.graph", "graph.matmul"),
        ("variable.other", "%x"),
        ("variable.other", "%w"),
        ("entity.other.attribute-name", "a"),
        ("constant.language", "true"),
        ("storage.type", "!task.on"),
        ("entity.name.function", "@gpu"),
        ("storage.type", "tensor"),
        ("constant.numeric.dimension", "?x16x"),
        ("storage.type", "bf16"),
        ("keyword.operator", "->"),
        ("storage.type", "i32"),
        ("keyword.other", "loc"),
        ("string.quoted.double", '"f"'),
        ("constant.numeric", "1"),
        ("constant.numeric", "2"),
        ("comment.line.double-slash", "// %no"),
    ]


@pytest.mark.parametrize("dialect", OPS)
def test_each_op_has_the_scope_of_its_dialect(dialect: str) -> None:
    for op in OPS[dialect]:
        assert tokens(f"{dialect}.{op} %x", program_rules(OPS))[0] == (
            f"support.function.op.{dialect}",
            f"{dialect}.{op}",
        )
    assert tokens(f"{dialect}.no_such_op", program_rules(OPS))[0][0] == "support.function.op"


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_colours_change_no_character(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert SGR.sub("", coloured(text)) == text


def test_ops_types_and_values_have_different_colours() -> None:
    codes = SGR.findall(coloured("%x = graph.relu %y : tensor<4xf32>"))
    value, op, _, type_, *_ = [code for code in codes if code != "\033[0m"]
    assert len({value, op, type_}) == 3


class _Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("variables", "stream", "requested", "expected"),
    [
        ({}, _Terminal(), False, True),
        ({}, StringIO(), False, False),
        ({}, StringIO(), True, True),
        ({}, None, False, False),
        ({}, None, True, True),
        ({"NO_COLOR": "1"}, _Terminal(), False, False),
        ({"NO_COLOR": "1"}, StringIO(), True, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, _Terminal(), True, False),
        ({"NO_COLOR": ""}, _Terminal(), False, True),
        ({"FORCE_COLOR": "1"}, StringIO(), False, True),
        ({"FORCE_COLOR": "1"}, None, False, False),
        ({"TERM": "dumb"}, _Terminal(), False, False),
    ],
)
def test_the_environment_decides_on_colours(
    variables: dict[str, str],
    stream: StringIO | None,
    requested: bool,
    expected: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert is_coloured(stream, requested) is expected


def snippets(name: str) -> dict[str, str]:
    """The texts of snippets by name, with their placeholders' default values."""
    found = json.loads((EDITOR / "snippets" / name).read_text(encoding="utf-8"))
    return {title: re.sub(r"\$\{\d+:([^}]*)\}", r"\1", "\n".join(each["body"])) + "\n" for title, each in found.items()}


@pytest.mark.parametrize("title", snippets("mlir.json"))
def test_snippets_of_programs_are_valid(title: str) -> None:
    body = snippets("mlir.json")[title]
    inside = title == "Weight"
    ndpir.parse(f"func.func @main() {{\n{body}  func.return\n}}" if inside else body)


@pytest.mark.parametrize("title", snippets("sheet.json"))
def test_snippets_of_sheets_are_valid(title: str, tmp_path: Path) -> None:
    from interp.kinds.pages import describe

    (tmp_path / "snippet.sheet").write_text(snippets("sheet.json")[title], encoding="utf-8")
    assert describe(str(tmp_path / "snippet.sheet"))


def test_the_extension_names_files_that_exist() -> None:
    package = json.loads((EDITOR / "package.json").read_text(encoding="utf-8"))["contributes"]
    named = [each["configuration"] for each in package["languages"]]
    named += [each["path"] for kind in ("grammars", "snippets") for each in package[kind]]
    for name in named:
        assert json.loads((EDITOR / name).read_text(encoding="utf-8"))
    for each in package["grammars"]:
        assert json.loads((EDITOR / each["path"]).read_text(encoding="utf-8"))["scopeName"] == each["scopeName"]

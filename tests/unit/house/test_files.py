"""Files are opened and looked up in one place, `dialects/files.py`: code that went around it would leave files out of
the records by which results are used again, and could read files that a program's text must not choose."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FLOORS = ("dialects", "interp", "lowering", "ndpir")
OPENS = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "fdopen"}
LOOKS = {
    *("exists", "is_file", "is_dir", "isfile", "isdir", "stat", "lstat", "samefile"),
    *("glob", "rglob", "iterdir", "listdir", "scandir"),
}
PASSES_BY: dict[str, str] = {
    "dialects/files.py": "the functions that all others call",
    "dialects/dependencies.py": "the states of files that these functions note",
    "interp/walk/array_files.py": "members of an archive",
    "dialects/grammars.py": "the grammar of a package's own module",
    "ndpir/cli/calibrate.py": "the output file",
    "ndpir/pages/gpu.py": "our own documents, written anew",
    "ndpir/cli/command.py": "descriptors 0 to 2, if they are closed",
    "ndpir/cli/opt.py": "the output file",
    "ndpir/cli/output.py": "stdout and the null device",
    "ndpir/diagnostics/printed.py": "whether a word in a message names a file",
    "ndpir/cli/reproducer.py": "the folder of reproducers",
    "ndpir/compiler/settings.py": "the spelling of a path",
    "ndpir/frontends/examples.py": "lists of the package's examples",
    "ndpir/traces/g10.py": "lists of a folder's cases",
    "ndpir/profile/session.py": "the name of the processor",
    "ndpir/pages/generated.py": "our own documents, written anew",
    "ndpir/pages/passes.py": "our own documents, written anew",
    "ndpir/pages/rooms.py": "our own documents, written anew, and our own sources",
    "ndpir/sweep/code.py": "the files of packages",
    "ndpir/reports/markup.py": "the package's own scripts and styles",
    "ndpir/writers/triton/compiler.py": "temporary files for a compiler",
}
"""The modules that open or look up files themselves, and which."""


def direct_uses(path: Path) -> Iterator[str]:
    """Yield a sentence for each call in a module that opens or looks up a file itself."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    ours = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in FLOORS
        for alias in node.names
    }
    ours |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in OPENS and name not in ours:
                pass
            case ast.Call(func=ast.Attribute(value=receiver, attr=name)) if name in OPENS | LOOKS and name not in ours:
                if ast.unparse(receiver).startswith("self."):  # a method of another object
                    continue
            case _:
                continue
        yield f"{path.relative_to(ROOT)}:{node.lineno} calls `{name}`; call a function of dialects/files.py"


@pytest.mark.slow
def test_files_are_opened_in_one_place() -> None:
    found = {
        name: list(direct_uses(path))
        for floor in FLOORS
        for path in sorted((ROOT / floor).rglob("*.py"))
        if (name := path.relative_to(ROOT).as_posix())
    }
    wrong = [sentence for name, sentences in found.items() if name not in PASSES_BY for sentence in sentences]
    assert not wrong, "\n".join(wrong)
    assert not [name for name in PASSES_BY if not found.get(name)], "modules that no longer pass by dialects/files.py"


def test_a_direct_use_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    (tmp_path / "x.py").write_text(
        "from dialects.files import is_file\nopen('a')\nPath('a').read_text()\nis_file('a')\nos.path.exists('a')\n"
    )
    assert [sentence.split(";")[0] for sentence in direct_uses(tmp_path / "x.py")] == [
        "x.py:2 calls `open`",
        "x.py:3 calls `read_text`",
        "x.py:5 calls `exists`",
    ]

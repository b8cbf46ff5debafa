"""Tests of every command and program in README.md and docs/: they run, and print the documented output.

Blocks: ```mlir whose first line is `// NAME.mlir` is written to a file of that name, and so are ```python with
`# NAME.py` (without a name it is run) and ```text with `# NAME.sheet` or `# NAME.calibration`; ```console has
`$ command` lines and their output, in which a line `…` matches any lines. Commands of a document run in order in one
scratch folder with a copy of the project's `examples/`. Numbers that depend on rounding are compared by magnitude
(tests/printed.py). `UPDATE_DOCUMENTS=1` rewrites the outputs.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lit.shell import run_line
from tests.printed import ELLIPSIS, difference

ROOT = Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"^```(mlir|python|console|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOCUMENTS = sorted(path for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")] if path.exists())


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block, with its expected output."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        while command.endswith("\\"):
            more, _, expected = expected.partition("\n")
            command = command[:-1] + more.strip()
        yield command, expected


@pytest.mark.slow
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_document_is_true(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "160")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    text = document.read_text()
    for kind, block in BLOCK.findall(text):
        named = re.match(r"(?://|#) (\S+\.(?:mlir|py|sheet|calibration))\n", block)
        if named:
            (tmp_path / named[1]).write_text(block)
        elif kind == "python":
            (tmp_path / "block.py").write_text(block)
            done = run_line("python block.py", in_process=False, folder=tmp_path)
            assert not done.status, done.output
        if kind != "console":
            continue
        fresh = block
        for command, expected in commands(block):
            if command.startswith(("git clone", "python3 make.py", "cd ", ". .venv")):
                continue  # set-up commands would clone the project again
            done = run_line(command, in_process=True, folder=tmp_path)
            if not (missing := difference(expected, done.output)):
                continue
            if os.environ.get("UPDATE_DOCUMENTS") and ELLIPSIS not in expected:
                fresh = fresh.replace(f"$ {command}\n{expected}", f"$ {command}\n{done.output}")
            else:
                pytest.fail(f"{document.name}: `{command}`: {missing}\nComplete output:\n{done.output}")
        text = text.replace(block, fresh)
    if os.environ.get("UPDATE_DOCUMENTS"):
        document.write_text(text)

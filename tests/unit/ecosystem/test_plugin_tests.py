"""The example plugins' own lit tests, `examples/plugin/tests`, run as part of ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.lit import shell
from tests.lit.linter import complaints

TESTS = Path(__file__).resolve().parents[3] / "examples/plugin/tests"
FILES = sorted(TESTS.glob("*.mlir"))


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_plugins_test_passes(path: Path, tmp_path: Path) -> None:
    assert not list(complaints(path))
    lines = shell.run_lines(path)
    assert lines
    for line in lines:  # in a process each, since a plugin would stay for the tests after it
        result = shell.run_line(shell.substituted(line, path, tmp_path), in_process=False)
        assert not result.status, f"{line}\n{result.output}{result.failed}"


def test_each_plugin_has_a_test() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in FILES)
    plugins = [path.name for path in TESTS.parent.glob("*.py")]
    assert plugins
    assert [name for name in plugins if f"/{name} " not in text] == []


def test_lit_finds_the_tests_from_the_plugins_folder() -> None:
    pytest.importorskip("lit", reason="lit is not installed")
    command = [sys.executable, "-c", "from lit.main import main; main()", "--show-tests", "tests"]
    done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, check=True)
    assert [line.split(" :: ")[1] for line in done.stdout.splitlines() if " :: " in line] == [f.name for f in FILES]

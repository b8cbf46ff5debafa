"""The shell of the lit tests: commands run in-process behave like in bash, and failures are detected."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lit.shell import run_line, run_lines, substituted

PROGRAM = "func.func @f() {\n  func.return\n}\n// CHECK: func.func @f()\n// WRONG: func.func @g()\n"


@pytest.fixture
def test_file(tmp_path: Path) -> Path:
    path = tmp_path / "t.mlir"
    path.write_text(PROGRAM)
    return path


LINES = [
    ("ndp-opt %s | filecheck %s", True),
    ("ndp-opt %s | FileCheck %s", True),
    ("ndp-opt %s | filecheck %s --check-prefix=WRONG", False),
    ("ndp-opt %s | filecheck %s --check-prefix=ABSENT", False),
    ("ndp-opt %s | not filecheck %s --check-prefix=WRONG", True),
    ("ndp-opt %s -p nosuch | filecheck %s --allow-empty", False),
    ("not ndp-opt %s -p nosuch", True),
    ("not ndp-opt %s", False),
    ("not ndp-opt %s -p nosuch 2>&1 | grep -q 'unknown pass'", True),
    ("cat %s | ndp-opt | filecheck %s", True),
    ("ndp-opt < %s | filecheck %s", True),
    ("ndp-opt %s > %t && filecheck %s < %t", True),
    ("ndp-opt %s -p 'cse,dce' | filecheck %s", True),
    ("ndp-opt %s -p nosuch || true", True),
    ("ndp-opt %s | filecheck %s; ndp-opt nosuch.mlir", False),
    ("false", False),
]


@pytest.mark.slow
@pytest.mark.parametrize(("line", "passes"), LINES)
def test_lines(test_file: Path, tmp_path: Path, line: str, passes: bool) -> None:
    result = run_line(substituted(line, test_file, tmp_path), in_process=True)
    assert (result.status == 0) == passes, result.output


@pytest.mark.slow
@pytest.mark.parametrize(("line", "passes"), LINES[::4])
def test_lines_in_processes(test_file: Path, tmp_path: Path, line: str, passes: bool) -> None:
    result = run_line(substituted(line, test_file, tmp_path), in_process=False)
    assert (result.status == 0) == passes, result.output


def test_continued_lines_are_joined(tmp_path: Path) -> None:
    path = tmp_path / "t.mlir"
    path.write_text("// RUN: ndp-opt %s \\\n// RUN:   | filecheck %s\n// text\n// RUN: false\n")
    assert run_lines(path) == ["ndp-opt %s | filecheck %s", "false"]

"""Independence of the output of ndp-opt from the project's folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ndpir.cli.opt import DONE, main

ROOT = Path(__file__).parents[3]
PACKAGES = ("dialects", "interp", "lowering", "ndpir")
PROGRAM = re.search(
    r"^```mlir\n(// \S+\.mlir\n.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
)
START = "import sys, ndpir; print(ndpir.__file__); from ndpir.cli.opt import main; sys.exit(main())"


@pytest.mark.slow
def test_copy_of_the_project_prints_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert PROGRAM is not None
    elsewhere = tmp_path / "else" / "where"
    for package in PACKAGES:
        shutil.copytree(ROOT / package, elsewhere / package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    Path("x.mlir").write_text(PROGRAM[1])
    arguments = ["x.mlir", "-p", "offload", "--print-debuginfo"]
    assert main(arguments) == DONE
    here = capsys.readouterr()
    there = subprocess.run(
        [sys.executable, "-c", START, *arguments],
        env=os.environ | {"PYTHONPATH": str(elsewhere), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    origin, _, program = there.stdout.partition("\n")
    assert origin == str(elsewhere / "ndpir" / "__init__.py")
    assert program == here.out
    assert str(ROOT) not in program


def test_the_constraints_are_sorted() -> None:
    """`python3 make.py lock` sorts them, so that two changes of the file conflict only where they change one line."""
    _, *lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    assert lines == sorted(lines, key=str.lower)
    assert not [line for line in lines if "==" not in line]


@pytest.mark.parametrize("name", ["dialects/__init__.py", "interp.py"])
def test_a_package_of_another_project_is_reported(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("")
    code = f"import sys; sys.path.insert(1, {str(ROOT)!r}); import ndpir"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    package = name.partition("/")[0].removesuffix(".py")
    assert done.stderr.splitlines()[-1].startswith(f"ImportError: ndpir needs its package `{package}` in {ROOT}, but")
    assert "install ndpir into an environment of its own" in done.stderr

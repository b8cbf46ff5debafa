"""Examples by name, in a checkout and in an installed wheel."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import ndpir
from ndpir.cli.opt import main
from ndpir.frontends.examples import examples, resolved

ROOT = Path(__file__).resolve().parents[3]


def test_each_program_and_model_has_a_name() -> None:
    files = {path for path in (ROOT / "examples").rglob("*") if path.suffix in (".mlir", ".onnx")}
    files -= set((ROOT / "examples/plugin").rglob("*"))
    assert set(examples().values()) == files


def test_a_path_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolved("x.mlir") == "x.mlir"
    if os.name != "nt":
        monkeypatch.chdir(tmp_path)
        (tmp_path / "example:mlp").write_text("", encoding="utf-8")
        assert resolved("example:mlp") == "example:mlp"


def test_an_unknown_name_is_reported_with_a_similar_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["example:mobilenet"]) == 2
    error = capsys.readouterr().err
    assert error == "ndp-opt: error: there is no example `mobilenet`; did you mean `mobilenet_v2`?\n"


def test_examples_are_read_from_python() -> None:
    assert str(ndpir.read("example:mlp")) == str(ndpir.read(ROOT / "examples/mlp.mlir"))


def test_the_list_names_each_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list-examples"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names == [f"example:{name}" for name in examples()]


@pytest.mark.slow
def test_a_wheel_has_the_examples(tmp_path: Path) -> None:
    # The build's backend is called in this environment, since a build elsewhere would need a network.
    pytest.importorskip("setuptools", minversion="77", reason="setuptools 77 is not installed")
    source = tmp_path / "source"
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if files.returncode:
        pytest.skip("not a git checkout")
    for name in files.stdout.split("\0"):
        if (ROOT / name).is_file() and not name.startswith(("tests/", "benchmarks/", "docs/")):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    code = f"from setuptools.build_meta import build_wheel; build_wheel({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=source, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    assert wheel.stat().st_size < 5_000_000
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    program = f"import sys; sys.path.insert(0, {str(installed)!r}); from ndpir.cli.command import opt; sys.exit(opt())"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-c", program, "example:mobilenet_v2", "-t", "timeline"]
    done = subprocess.run(command, cwd=elsewhere, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "conv" in done.stdout
    listing = subprocess.run([*command[:3], "--list-examples"], cwd=elsewhere, env=variables, capture_output=True)
    assert len(listing.stdout.splitlines()) == len(examples())

"""Examples by name, in a checkout and in an installed wheel."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

import ndpir
from ndpir.cli.opt import main
from ndpir.frontends.examples import examples, resolved

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import ndpir
print(ndpir.__file__)
ndpir.read("example:mobilenet_v2")
print(ndpir.write(ndpir.read("example:gemv.pim"), "report").splitlines()[0])
"""


def test_each_program_and_model_has_a_name() -> None:
    files = {path for path in (ROOT / "examples").rglob("*") if path.suffix in (".mlir", ".onnx")}
    files -= set((ROOT / "examples/plugin").rglob("*"))
    files |= set((ROOT / "examples/configs").glob("*.json"))
    assert set(examples().values()) == files


def test_a_path_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolved("x.mlir") == "x.mlir"
    if os.name != "nt":
        monkeypatch.chdir(tmp_path)
        (tmp_path / "example:mlp").write_text("", encoding="utf-8")
        assert resolved("example:mlp") == "example:mlp"


def test_paths_of_a_checkout_name_examples_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("examples/mlp.mlir", "examples/models/mobilenet_v2.onnx"):
        assert resolved(path) == str(ROOT / path)
        assert "there is no `examples/m" in capsys.readouterr().err
    for path in ("examples/mlp.onnx", "examples/nothing.mlir", "mlp.mlir"):
        assert resolved(path) == path
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples/mlp.mlir").write_text("", encoding="utf-8")
    assert resolved("examples/mlp.mlir") == "examples/mlp.mlir"
    assert capsys.readouterr().err == ""


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


def test_the_list_describes_an_example_by_a_complete_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list-examples"]) == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("example:lanes.tile")]
    assert line.endswith("compute a tile of 64 x 128, each of them 4 x 16 elements")


def _version(package: str) -> int:
    """The first number of an installed package's version, without importing the package; 0 if it is not installed."""
    try:
        return int(version(package).partition(".")[0])
    except PackageNotFoundError:
        return 0


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the files that git tracks."""
    # The build's backend is called in this environment, since a build elsewhere would need a network.
    if _version("setuptools") < 77:
        pytest.skip("setuptools 77 is not installed")
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if files.returncode:
        pytest.skip("not a git checkout")
    for name in files.stdout.split("\0"):
        if (ROOT / name).is_file() and not name.startswith(("tests/", "benchmarks/", "docs/")):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    code = f"from setuptools.build_meta import build_wheel; build_wheel({str(folder)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=source, check=True, capture_output=True)
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of a fresh environment in which the wheel is installed. Its dependencies are those of this
    environment, but not the checkout."""
    if not _version("pip"):
        pytest.skip("pip is not installed")
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, symlinks=os.name != "nt")
    commands = environment / ("Scripts" if os.name == "nt" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", str(commands / "python"), "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "install", "--quiet", "--no-deps", "--no-index", "--no-compile", str(wheel)],
        check=True,
        capture_output=True,
    )
    [packages] = [package.parent for package in environment.rglob("ndpir") if (package / "__init__.py").is_file()]
    others = [sysconfig.get_path(name) for name in ("purelib", "platlib")]  # an editable install there is not followed
    (packages / "dependencies.pth").write_text("".join(f"{path}\n" for path in dict.fromkeys(others)))
    return commands


@pytest.mark.slow
def test_an_installed_wheel_needs_no_checkout(wheel: Path, installed: Path, tmp_path: Path) -> None:
    assert wheel.stat().st_size < 5_000_000
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def output(tool: str, *words: str) -> str:
        done = subprocess.run(
            [installed / tool, *words], cwd=tmp_path, env=variables, capture_output=True, text=True, encoding="utf-8"
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    place, page = output("python", "-c", PROGRAM).splitlines()
    assert place.startswith(str(installed.parent))
    assert page == "<!DOCTYPE html>"
    assert len(output("ndp-opt", "--list-examples").splitlines()) == len(examples())
    rows = output("ndp-sweep", "example:gemv.pim", "--sweep", "toy_pim.tRP=2", "-p", "canonicalize", "--jobs", "1")
    assert len(rows.splitlines()) == 2

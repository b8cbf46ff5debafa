"""Names of results files are paths, never URIs, and sweeps in files run no plugins without a flag."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dialects.diagnostics import InputError
from interp.machine.sheets import search
from ndpir.cli.exploring.sweep import main
from ndpir.sweep.axes import axes_of
from ndpir.sweep.journal import read_journal
from ndpir.sweep.request import Request, read_request
from ndpir.sweep.running import sweep
from ndpir.sweep.tables import journal_of, read_rows, write_table

PROGRAM = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  func.return %x : tensor<4xf32>\n}\n"
NAMES = ["a%41.sqlite", "a#b.sqlite", "a?b.sqlite", "a?mode=memory.sqlite", "file:a.sqlite", "a b;c'\"&.sqlite", "ä.db"]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.mlir").write_text(PROGRAM)


def _swept(journal: str | None):
    return sweep(Request("m.mlir", "gpu-only", "toy", axes=axes_of(["toy_gpu.launch=1,2"])), journal, jobs=1)


@pytest.mark.parametrize("name", NAMES)
def test_a_journal_has_the_name_that_is_given(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is created, continued and read under this name, and no other file is created."""
    assert _swept(name).held == 0
    assert _swept(name).held == 2
    assert len(read_rows(name)) == 2
    assert main(["show", name]) == 0
    assert "2 points, 0 failed" in capsys.readouterr().out
    assert {file for file in os.listdir() if not file.endswith(("-wal", "-shm"))} == {"m.mlir", name}


@pytest.mark.parametrize("name", NAMES)
def test_another_file_is_not_shown(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The file that the name would mean as a URI is not opened, and none is created."""
    _swept("aA.sqlite")
    _swept("a")
    _swept("a.sqlite")
    before = sorted(os.listdir())
    assert main(["show", name]) == 1
    assert f"{name}: error: can't be read: no such file or directory" in capsys.readouterr().err
    assert sorted(os.listdir()) == before


def test_tables_are_paths_too(tmp_path: Path) -> None:
    """pyarrow takes some names for addresses of other file systems."""
    pytest.importorskip("pyarrow", reason="needs pyarrow (the extra `sweep`)")
    rows = _swept(None).rows
    Path("file:").mkdir()
    for name in (f"file:{tmp_path}/a.parquet", "s3:a.parquet", "a%41.parquet"):
        if os.path.dirname(name):
            os.makedirs(os.path.dirname(name), exist_ok=True)
        write_table(name, rows)
        assert len(read_rows(name)) == 2
    with pytest.raises(InputError, match="can't be read: no such file"):
        read_rows("s3://bucket/a.parquet")


def test_a_sweep_in_a_file_runs_its_plugins_only_with_a_flag(capsys: pytest.CaptureFixture[str]) -> None:
    Path("plugin.py").write_text("open('run', 'w').close()\nPIPELINES = {'theirs': (('canonicalize', 'why'),)}\n")
    Path("s.toml").write_text(
        'model = "m.mlir"\nmachine = "toy"\npasses = "theirs,place"\nplugins = ["plugin.py"]\n[sweep]\n'
        '"toy_gpu.launch" = [1, 2]\n'
    )
    assert main(["s.toml", "--jobs", "1"]) == 1
    assert "s.toml: error: the sweep runs the plugin plugin.py, which is Python code" in (
        err := capsys.readouterr().err
    )
    assert "add --allow-plugins" in err
    assert not Path("run").exists()
    with pytest.raises(InputError, match="add --allow-plugins"):
        read_request("s.toml")
    assert read_request("s.toml", allow_plugins=True).plugins == ("plugin.py",)


def test_a_name_with_a_zero_byte_is_an_error() -> None:
    with pytest.raises(InputError, match="can't be read: embedded null byte"):
        read_journal("a\0b.sqlite")


ODD = "m\udcff"
"""A name of a file that is no UTF-8 text."""


@pytest.mark.skipif(os.name == "nt", reason="file names are UTF-16 there")
@pytest.mark.parametrize(
    "words",
    [
        [f"{ODD}.mlir", "--sweep", "toy_gpu.launch=1,2"],
        [f"{ODD}/s.toml"],
        ["m.mlir", "--sweep", f"machine={ODD},toy"],
        ["m.mlir", "--sweep", f"toy_gpu.{ODD}=1,2"],
        ["m.mlir", "--sweep", "toy_gpu.launch=1,2", "--sheets", ODD],
        ["m.mlir", "--sweep", "toy_gpu.launch=1,2", "--allow-read", ODD],
        ["m.mlir", "--sweep", "toy_gpu.launch=1,2", "-p", ODD],
    ],
)
def test_names_that_are_no_text_are_errors(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A journal keeps the request as JSON, which can't state them."""
    Path(ODD).mkdir()
    for path in (f"{ODD}.mlir", f"{ODD}/m.mlir"):
        Path(path).write_text(PROGRAM)
    Path(f"{ODD}/s.toml").write_text('model = "m.mlir"\n[sweep]\n"toy_gpu.launch" = [1, 2]\n')
    assert main([*words, "--jobs", "1", "-o", "r.sqlite"]) == 2
    err = capsys.readouterr().err
    assert "m\\udcff" in err
    assert "is no UTF-8 text, but the journal of a sweep keeps all names and values as UTF-8; rename the file" in err
    assert not Path("r.sqlite").exists()


@pytest.mark.skipif(os.name == "nt", reason="file names are UTF-16 there")
@pytest.mark.parametrize("ending", ["sqlite", "csv"])
def test_errors_in_files_whose_names_are_no_text_are_rows(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder may have any name, and so may the results."""
    Path(ODD).mkdir()
    monkeypatch.chdir(ODD)
    monkeypatch.setattr(search, "_added", list[Path]())
    Path("m.mlir").write_text(PROGRAM)
    Path("mine.sheet").write_text('device mine = toy_gpu "mine" with nothing 3\n')
    request = Request("m.mlir", "gpu-only", "mine", sheets=(".",), axes=axes_of(["mine.launch=1,2"]))
    name = f"{ODD}.{ending}"
    write_table(name, sweep(request, journal_of(name), jobs=1).rows)
    for row in read_rows(name):
        assert f"{ODD}/mine.sheet:1:".encode("utf-8", "backslashreplace").decode() in row.error

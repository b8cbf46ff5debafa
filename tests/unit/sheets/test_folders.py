"""Folders of sheets: their lists of machines, and the effects of a sheet with an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialects.diagnostics import InputError, notes_to
from interp.machine.sheets import add_sheet_folder, files, list_devices, load_device
from ndpir.cli.opt import BAD_INPUT, main

PROGRAM = 'hw.device @gpu = "toy_gpu"\nfunc.func @f() {\n  func.return\n}\n'
BROKEN = 'device toy_gpu : gpu "never closed\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(files, "_added", list[Path]())
    monkeypatch.setattr(files, "_reported", set[str]())
    add_sheet_folder(tmp_path)
    return tmp_path


def test_only_files_of_hw_ops_are_machines(folder: Path) -> None:
    machines = {
        "described": '// A description.\nhw.device @gpu = "toy_gpu"\n',
        "undescribed": 'hw.device @gpu = "toy_gpu" {\n  units = 4\n}\n',
        "generic": 'builtin.module {\n  hw.device @gpu = "toy_gpu"\n}\n',
    }
    others = {"program": PROGRAM, "empty": "", "comment": "// hw.device\n", "values": "%0 = arith.constant 1 : i32\n"}
    for name, text in (machines | others).items():
        (folder / f"{name}.mlir").write_text(text)
    (folder / "bytes.mlir").write_bytes(b"\xff\xfe\x00")
    listed = {name: about for name, kind, about in list_devices() if kind == "machine"}
    assert listed.items() >= {"described": "A description.", "undescribed": "", "generic": ""}.items()
    assert not set(listed) & {*others, "bytes"}


def test_an_unused_sheet_with_an_error_is_ignored(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "other.sheet").write_text(BROKEN.replace("toy_gpu", "other"))
    program = folder / "x.mlir"
    program.write_text(PROGRAM)
    assert main([str(program), "-t", "timeline"]) == 0
    assert capsys.readouterr().err == ""
    assert ("other", "error") in [(name, kind) for name, kind, _ in list_devices()]


def test_a_sheet_with_an_error_is_skipped_with_a_note(folder: Path) -> None:
    (folder / "mine.sheet").write_text(BROKEN)
    notes: list[str] = []
    with notes_to(lambda message, place: notes.append(f"{place}: {message}")):
        assert load_device("toy_gpu").file == str(files.SHIPPED / "toy.sheet")
        assert load_device("toy_gpu")
    [line] = notes
    assert line.startswith(f"{folder}/mine.sheet:1:22: ")
    assert "this sheet is not used, and `toy_gpu` is read from" in line


def test_a_used_sheet_with_an_error_is_an_error(folder: Path) -> None:
    (folder / "toy_gpu.sheet").write_text(BROKEN)
    with pytest.raises(InputError, match="does not end on its line"):
        load_device("toy_gpu")
    (folder / "two.sheet").write_text(BROKEN.replace("toy_gpu", "nowhere"))
    with pytest.raises(InputError, match="does not end on its line"):
        load_device("nowhere")


def test_a_boolean_is_not_a_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.mlir"
    path.write_text('hw.device @pim = "toy_pim" {channels = true}\n')
    assert main([str(path), "-t", "timeline"]) == BAD_INPUT
    assert "x.mlir:1:1: error: `shape.channels` must be a number, not true (`yes`)" in capsys.readouterr().err

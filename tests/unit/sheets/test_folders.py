"""Folders of sheets: their lists of machines, and the effects of a sheet with an error."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from dialects.diagnostics import InputError, notes_to
from interp.machine.composition import machine_ops
from interp.machine.sheets import add_sheet_folder, files, list_devices, load_device, search
from ndpir.cli.completion.completers import completers_of
from ndpir.cli.opt import BAD_INPUT, main
from ndpir.registry.names import Registry

PROGRAM = 'hw.device @gpu = "toy_gpu"\nfunc.func @f() {\n  func.return\n}\n'
BROKEN = 'device toy_gpu : gpu "never closed\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(search, "_added", list[Path]())
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
        assert load_device("toy_gpu").file == str(search.SHIPPED / "toy.sheet")
        assert load_device("toy_gpu")
    [line] = notes
    assert line.startswith(f"{folder}/mine.sheet:1:22: ")
    assert "this sheet is not used, and `toy_gpu` is read from" in line


def test_a_sheet_with_an_unknown_base_is_listed_with_its_error(folder: Path) -> None:
    (folder / "variant.sheet").write_text("device variant = toy_gpx with launch 2 us\n")
    rows = {name: (kind, about) for name, kind, about in list_devices()}
    assert rows["variant"][0] == "error"
    assert rows["variant"][1].endswith("there is no data sheet `toy_gpx`; did you mean `toy_gpu`?")


def test_a_used_sheet_with_an_error_is_an_error(folder: Path) -> None:
    (folder / "toy_gpu.sheet").write_text(BROKEN)
    with pytest.raises(InputError, match="does not end on its line"):
        load_device("toy_gpu")
    (folder / "two.sheet").write_text(BROKEN.replace("toy_gpu", "nowhere"))
    with pytest.raises(InputError, match="does not end on its line"):
        load_device("nowhere")


@pytest.fixture
def current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a sheet, a machine, a machine that hides a shipped one, and a program."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "_reported", set[str]())
    (tmp_path / "mine.sheet").write_text('device widetoy = toy_pim "A wide toy" with lanes 16\n')
    (tmp_path / "box.mlir").write_text('// A box.\nhw.device @gpu = "toy_gpu"\nhw.device @pim = "widetoy"\n')
    (tmp_path / "toy-tiers.mlir").write_text('// My tiers.\nhw.device @gpu = "toy_gpu"\n')
    (tmp_path / "toy.mlir").write_text(PROGRAM)
    return tmp_path


def test_sheets_and_machines_in_the_current_folder_are_listed(
    current_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert {("widetoy", "pim", "A wide toy"), ("box", "machine", "A box.")} <= {*list_devices()}
    assert main(["--list-machines"]) == 0
    rows = [line.split(maxsplit=2) for line in capsys.readouterr().out.splitlines()]
    assert ["box", "machine", "A box."] in rows
    assert {kind for _, kind, _ in rows} == {"machine"}


def test_machines_in_the_current_folder_are_found_by_name(current_folder: Path) -> None:
    assert len(machine_ops("box")) == 2
    assert len(machine_ops("toy")) == 3, "the program toy.mlir is no machine"
    notes: list[str] = []
    with notes_to(lambda message, place: notes.append(f"{place}: {message}")):
        assert len(machine_ops("toy-tiers")) == 1
    assert notes == [
        "toy-tiers.mlir: `toy-tiers` is read from this file instead of the machine of the same name that ndpir ships"
    ]


def test_errors_and_completion_suggest_names_of_the_current_folder(current_folder: Path) -> None:
    with pytest.raises(InputError, match="no machine or device `boxx`; did you mean `box`"):
        machine_ops("boxx")
    with pytest.raises(InputError, match="no data sheet `widetoi`; did you mean `widetoy`"):
        load_device("widetoi")
    completers = completers_of(Registry())
    assert completers["--machine"](prefix="bo", parsed_args=Namespace()) == ["box", "box.mlir"]
    assert completers["--show-device"](prefix="wide", parsed_args=Namespace()) == ["widetoy"]


def test_errors_suggest_names_of_the_program_s_folder(
    current_folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    with pytest.raises(InputError, match="no data sheet `widetoi`; did you mean `widetoy`"):
        load_device("widetoi", at=f"{current_folder}/x.mlir:1:1")


def test_a_boolean_is_not_a_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.mlir"
    path.write_text('hw.device @pim = "toy_pim" {channels = true}\n')
    assert main([str(path), "-t", "timeline"]) == BAD_INPUT
    assert "x.mlir:1:1: error: `shape.channels` must be a number, not true (`yes`)" in capsys.readouterr().err

"""Tests of a user's sheet that has the name of a shipped one: ndpir uses the user's sheet and prints a note."""

from __future__ import annotations

from pathlib import Path

from dialects.diagnostics import notes_to
from interp.machine.records import Pim
from interp.machine.sheets import load_device


def test_a_hidden_sheet_has_one_note(tmp_path: Path) -> None:
    (tmp_path / "mine.sheet").write_text('device toy_pim = "mine.sheet:base"\ndevice base = newton with clock 1 GHz\n')
    notes: list[str] = []
    with notes_to(lambda message, place: notes.append(f"{place}: {message}")):
        for _ in range(2):
            taken = load_device("toy_pim", at=f"{tmp_path / 'x.mlir'}:1:1")
            assert isinstance(taken, Pim)
            assert taken.clock_hz == 1e9
    path = tmp_path / "mine.sheet"
    assert notes == [f"{path}: `toy_pim` is read from this file instead of the sheet of the same name that ndpir ships"]

"""Notes on statements of a sheet without effect: when it is loaded, and for each bank program."""

from __future__ import annotations

from pathlib import Path

import pytest

import ndpir
from dialects.diagnostics import notes_to
from dialects.pim import KernelOp
from interp.kinds.pim.timing.binding import unbound
from interp.kinds.pim.timing.clock import kernel_time
from interp.machine.records import Pim
from interp.machine.sheets import list_devices, load_device
from interp.machine.sheets.files import (
    _made,  # pyright: ignore[reportPrivateUsage]
    load,
)

TIED = """
device tied = toy_pim "whose limits on activates are for single banks"
  timing tRRD 20, tFAW 200, tNEVER 7
  gap channel: act bank -> act bank  tRRD
  gap channel: act bank -> act bank  tFAW  window 4
"""


def notes_of(reference: str, **changes: str) -> list[tuple[str, str]]:
    notes: list[tuple[str, str]] = []
    _made.clear()
    with notes_to(lambda message, place: notes.append((message, (place or "").rpartition("/")[2]))):
        load_device(reference, changes)
    return notes


@pytest.mark.parametrize("name", [row[0] for row in list_devices() if row[1] not in ("machine", "error")])
def test_shipped_sheets_have_no_statement_without_effect(name: str) -> None:
    notes: list[str] = []
    _made.clear()
    with notes_to(lambda message, place: notes.append(f"{place}: {message}")):
        load(name, {})
    assert not notes


def test_limits_without_a_scope_and_unused_timings_have_notes(tmp_path: Path) -> None:
    (tmp_path / "tied.sheet").write_text(TIED)
    messages = {place: message for message, place in notes_of(f"{tmp_path}/tied.sheet")}
    assert set(messages) == {"tied.sheet:3:29", "tied.sheet:4:7", "tied.sheet:5:7"}
    assert messages["tied.sheet:3:29"].startswith("`timing tNEVER` has no effect")
    assert "`gap channel: act bank -> act bank` does not limit `act all`" in messages["tied.sheet:4:7"]
    assert "or write `unlimited act all` and the reason" in messages["tied.sheet:5:7"]


def test_a_limit_for_the_scope_or_unlimited_removes_the_note(tmp_path: Path) -> None:
    text = TIED.replace(", tNEVER 7", "")
    (tmp_path / "limited_by_word.sheet").write_text(text + '  unlimited act all "an example"\n')
    assert notes_of(f"{tmp_path}/limited_by_word.sheet") == []
    (tmp_path / "limited.sheet").write_text(text.replace("act bank", "act"))
    assert notes_of(f"{tmp_path}/limited.sheet") == []


def test_an_unused_change_has_a_note() -> None:
    assert [message for message, _ in notes_of("toy_gpu", l2="80 MB")] == [
        "`l2` has no effect: it applies if kernels are timed by classes (`model kernels`), and here a roofline times "
        "them"
    ]
    assert "`timing tWPRE` has no effect" in notes_of("aim_lpddr5", tWPRE="5")[0][0]
    assert notes_of("aim", tWPRE="5") == []


def unbound_reasons(opening: str, tmp_path: Path, sheet: str = TIED) -> dict[str, str]:
    """Return the constraints that can't bind in a kernel of four rows, with reasons; `opening`: ops that open a row."""
    (tmp_path / "tied.sheet").write_text(sheet)
    text = f"""
hw.device @pim = "{tmp_path}/tied.sheet"
pim.kernel @k on @pim (%x: memref<8xf32>, %w: memref<1x4x2x8x4xf32> at row 0) -> (%y: memref<4x2xf32>) {{
  pim.load %x
  pim.for %r = 0 to 4 {{
    {opening}
    pim.mac all columns 0 to 2
    pim.drain all to %y[%r]
    pim.pre all
  }}
}}
"""
    module = ndpir.parse(text, f"{tmp_path}/kernel.mlir")
    (kernel,) = (op for op in module.walk() if isinstance(op, KernelOp))
    pim = load_device(f"{tmp_path}/tied.sheet")
    assert isinstance(pim, Pim)
    return {line.words: line.why for line in unbound(kernel_time(kernel, pim).slots, pim)}


ONE_BY_ONE = "pim.act bank 0 row %r\npim.act bank 1 row %r"


def test_constraints_that_cannot_bind_in_a_kernel_are_reported(tmp_path: Path) -> None:
    all_banks = unbound_reasons("pim.act all row %r", tmp_path)
    assert all_banks["channel: act bank -> act bank"] == "there is no `act bank`"
    assert all_banks["channel: act bank -> act bank window 4"] == "there is no `act bank`"
    assert "bank: act -> mac" not in all_banks
    single = unbound_reasons(ONE_BY_ONE, tmp_path)
    assert "channel: act bank -> act bank" not in single
    assert "channel: act bank -> act bank window 4" not in single


def test_a_window_covered_by_single_constraints_cannot_bind(tmp_path: Path) -> None:
    found = unbound_reasons(ONE_BY_ONE, tmp_path, TIED.replace("tFAW 200", "tFAW 80"))
    assert found["channel: act bank -> act bank window 4"] == "4 of them take 80 cycles anyway"

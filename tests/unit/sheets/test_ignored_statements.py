"""Statements of a sheet that its clock would ignore are errors, so that no edit is silently without effect."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialects.diagnostics import InputError
from interp.machine.records import Pim
from interp.machine.sheets import list_devices, load_device

# The base of a variant, its statement, and a part of the message.
IGNORED = [
    ("toy_managed", "end 5 cycles", "`end` applies if programs open rows"),
    ("toy_managed", "tail 5 cycles", "`tail` applies if programs open rows"),
    ("toy_managed", "refresh every 9000 after drain", "`refresh` waits for a verb"),
    ("toy_managed", "refresh every 9000 then forget", "`refresh` forgets rows"),
    ("toy_managed", "alone mac all", "`alone` applies only to the requests of a `scheduler`, which it does not state"),
    ("toy_managed", "scheduler queue 9, picks ready", "names a mode (`register`)"),
    ("toy_pim", "scheduler queue 9, picks ready", "`scheduler queue` is for controllers that open rows"),
    ("toy_pim", "decoder queue 4 waits drain", "`decoder` is for controllers that open rows"),
    ("toy_pim", "verb mac = MAC scope all | bank closes", "`verb mac` states `closes` or `rowless`"),
    (
        "attacc_ramulator",
        "scheduler ends acknowledged",
        "`scheduler ends` is for controllers that serve requests",
    ),
    ("attacc_ramulator", "scheduler mixes no", "`scheduler mixes` is for controllers that serve requests in order"),
    ("attacc_ramulator", "decoder queue 4 waits drain", "`decoder` is for controllers that serve requests in order"),
]


@pytest.mark.parametrize(
    ("base", "statement", "sentence"), IGNORED, ids=[f"{base}: {statement}" for base, statement, _ in IGNORED]
)
def test_statements_without_effect_are_errors(base: str, statement: str, sentence: str, tmp_path: Path):
    sheet = tmp_path / "it.sheet"
    sheet.write_text(f"device it = {base}\n  {statement}\n", encoding="utf-8")
    with pytest.raises(InputError) as met:
        load_device(str(sheet))
    assert sentence in met.value.message
    assert met.value.message.endswith("has no effect")


def test_shipped_sheets_have_no_statement_without_effect():
    for name, kind, _ in list_devices():
        if kind == "pim":
            load_device(name)


def test_a_verb_without_a_scope_means_all_scopes(tmp_path: Path) -> None:
    path = tmp_path / "mine.sheet"
    path.write_text('device mine = attacc_ramulator "what if nothing issued beside any precharge?"\n  alone pre\n')
    mine = load_device(f"{path}:mine")
    assert isinstance(mine, Pim)
    assert mine.scheduler is not None
    assert mine.scheduler.alone == tuple(("pre", scope) for scope in mine.verbs["pre"].scopes)
    assert len(mine.scheduler.alone) > 1

"""Tests of a sheet's statements on the order in which its controllers issue requests, and of errors for wrong
statements."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialects.diagnostics import InputError
from interp.machine.records import Pim
from interp.machine.sheets import load_device


def variant(folder: Path, statement: str) -> Pim:
    file = folder / "own.sheet"
    file.write_text(f'device own = attacc_ramulator "a variant"\n  {statement}\n', encoding="utf-8")
    record = load_device(str(file))
    assert isinstance(record, Pim)
    return record


def test_scheduler_statements_of_a_sheet_are_read(tmp_path: Path):
    pim = variant(tmp_path, "scheduler queue 9, above 7, below 2, forwards any, shares no")
    scheduler = pim.scheduler
    assert scheduler is not None
    assert (scheduler.queue, scheduler.drain_above, scheduler.drain_below) == (9, 7, 2)
    assert (scheduler.forwards, scheduler.shares, scheduler.picks) == ("any", False, "ready")
    assert scheduler.alone == (("pre", "same"), ("pre", "twin"))
    assert scheduler.reaches == {("pre", "same"): "twin"}


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("alone pre group", "`pre` has no scope `group`"),
        ("spreads drop", "has no verb `drop`"),
        ("scheduler picks last", "`scheduler.picks` must be one of head, ready, not `last`"),
        ("scheduler queue 0", "a number above 0 is expected"),
        ("scheduler lanes 4", "`scheduler.lanes`"),
    ],
)
def test_a_wrong_statement_is_an_error_at_its_line(tmp_path: Path, statement: str, expected: str):
    with pytest.raises(InputError) as error:
        variant(tmp_path, statement)
    assert expected in error.value.message
    assert "own.sheet:2:" in str(error.value.place)

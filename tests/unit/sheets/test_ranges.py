"""Ranges of assumed numbers: their syntax, their errors, and ranges of all assumed numbers in shipped sheets."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialects.diagnostics import InputError, notes_to
from interp.machine.records import Link
from interp.machine.sheets import list_devices, load_link
from interp.machine.sheets.files import load

SHIPPED = [name for name, kind, _ in list_devices() if kind not in ("machine", "error")]


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_every_assumed_number_in_shipped_sheets_has_a_valid_range(name: str) -> None:
    record = load(name, {})
    assert record.unranged == ()
    for assumption in record.assumed:
        for end in (assumption.low, assumption.high):
            load(name, dict(end))


def link(tmp_path: Path, text: str) -> Link:
    (tmp_path / "way.sheet").write_text(
        f'link way "a way"\n  source "a test"\n  duplex yes\n{text}\n', encoding="utf-8"
    )
    return load_link(str(tmp_path / "way.sheet"))


REST = "  energy byte 0 pJ/bit\n  bandwidth 1 GB/s\n"


def test_ranges_have_values_or_factors(tmp_path: Path) -> None:
    one = link(tmp_path, REST + '  latency 1 us assumed 0 to 10 us "why"').assumed
    assert [(each.name, each.stated, each.range) for each in one] == [("latency", "1 us", "0 to 10 us")]
    assert one[0].low == {"latency": "(0) us"}
    more = link(tmp_path, '  assume 0.5 to 2 times "why"\n  latency 1 us\n' + REST).assumed
    assert [(each.name, each.range) for each in more] == [("latency, energy, … (3 values)", "0.5 to 2 times")]
    assert load_link(str(tmp_path / "way.sheet"), dict(more[0].high)).latency_ns == 2000
    assert "assumed, 0.5 to 2 times: why" in load_link(str(tmp_path / "way.sheet")).sources["latency"]


def test_values_set_by_the_user_are_not_assumed(tmp_path: Path) -> None:
    link(tmp_path, REST + '  latency 1 us assumed 0 to 10 us "why"')
    assert load_link(str(tmp_path / "way.sheet"), {"latency": "2 us"}).assumed == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'latency 1 us assumed 2 us to 10 us "why"',
            "the range `2 us to 10 us` must contain the stated value (`1 us`)",
        ),
        ('latency 1 us assumed 2 to 3 times "why"', "the range `2 to 3 times` must contain the stated value"),
        (
            'latency 1 us assumed 0 GB/s to 1 GB/s "why"',
            "an end of the range is a bandwidth, but must be a time like the stated value",
        ),
        (
            'latency 1 us assumed 0 to 10 "why"',
            "an end of the range is a pure number, but must be a time like the stated value (`1 us`)",
        ),
        ('assume 1 us to 2 us "why"\n  latency 1 us\n  energy byte 0 pJ/bit', "one range applies to 2 numbers"),
        ('source 0 to 1 us "why"', "only assumed numbers have a range; write `assume` instead of `source`"),
    ],
)
def test_invalid_ranges(tmp_path: Path, text: str, message: str) -> None:
    rest = "" if "energy" in text else "  energy byte 0 pJ/bit\n"
    with pytest.raises(InputError) as error:
        link(tmp_path, f"  bandwidth 1 GB/s\n{rest}  {text}")
    assert message in error.value.message
    assert error.value.place is not None
    assert "way.sheet:" in error.value.place


def test_an_assumed_number_without_a_range_has_one_note(tmp_path: Path) -> None:
    notes: list[str] = []
    with notes_to(lambda message, place: notes.append(message)):
        link(tmp_path, REST + '  latency 1 us assumed "why"')
        load_link(str(tmp_path / "way.sheet"), {"bandwidth": "2 GB/s"})
    assert len(notes) == 1
    assert notes[0].startswith("way: `latency` is assumed without a range, so that summaries can't report the effect")

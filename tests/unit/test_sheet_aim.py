"""The sheets of GDDR6-AiM: their gaps are the simulator's, and the clean reading differs where it says so."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from interp.bank_gaps import least
from interp.bank_program import Slot
from interp.sheet import Decoder, Form, Gap, Pim, Refresh, Scope
from interp.sheets import load_device

GAPS = Path(__file__).parents[1] / "data" / "aim" / "min_gap_gddr6.csv"
WHERE = {"same bank": (0, 3), "same group": (1, 2), "another group": (4, 1)}
"""For each way in which two banks may meet: the second one's number (the first one's is 0), and at how many levels."""
LEVELS = ("channel", "bankgroup", "bank")


def pim(name: str) -> Pim:
    record = load_device(name)
    assert isinstance(record, Pim)
    return record


def commands(device: Pim) -> dict[str, tuple[str, Scope]]:
    """Verb and scope by the mnemonic of the standard."""
    return {
        form.mnemonic: (verb.name, scope)
        for verb in device.verbs.values()
        for scope, form in verb.forms.items()
        if verb.name != "refresh"
    }


@pytest.mark.parametrize("meeting", WHERE)
def test_gaps_are_those_of_the_simulator(meeting: str):
    device, (bank, levels) = pim("aim_ramulator"), WHERE[meeting]
    with GAPS.open(encoding="utf-8") as file:
        said = {
            (r["level"], r["earlier_command"], r["later_command"]): int(r["min_cycles"]) for r in csv.DictReader(file)
        }
    known = commands(device)
    assert {name for _, *names in said for name in names} == set(known)
    for earlier, (before, before_scope) in known.items():
        for later, (after, after_scope) in known.items():
            expected = max(said.get((level, earlier, later), 0) for level in LEVELS[:levels])
            second = Slot(after, after_scope, bank if after_scope == "bank" else 0)
            assert least(device, Slot(before, before_scope), second) == expected, (earlier, later)


def test_the_clean_reading_refreshes_and_checks():
    clean, simulated = pim("aim"), pim("aim_ramulator")
    assert clean.refresh == Refresh(3907, ())
    assert simulated.refresh is None
    assert (clean.checked, simulated.checked) == (True, False)
    assert (clean.decoder, simulated.decoder) == (None, Decoder(33, ("drain", "activated")))
    assert {name for name in clean.timing if clean.timing[name] != simulated.timing[name]} == {"tRRDS", "tRRDL"}
    assert (clean.buffer_columns, clean.row_bytes, clean.memory_bytes) == (64, 2048, 16 << 30)


def test_data_pins_hold_a_burst_even_where_columns_come_faster():
    fast = load_device("aim", {"tCCD": 1})
    assert isinstance(fast, Pim)
    apart = {(gap.before, gap.after): gap.cycles for gap in fast.gaps if gap.level == "channel"}
    assert (apart["mac", "mac"], apart["drain", "drain"], apart["load", "load"]) == (1, 2, 2)


def test_lpddr5_takes_the_times_of_the_units_and_not_their_cycles():
    clean, simulated = pim("aim_lpddr5"), pim("aim_lpddr5_ramulator")
    delays = ("tRCDMAC", "tRCDAF", "tMOD", "tRFC", "tREFI")
    assert [clean.timing[name] for name in delays] == [23, 35, 13, 304, 3125]
    assert [simulated.timing[name] for name in delays] == [56, 86, 32, 0, 12520]
    assert clean.verbs["write"].forms["all"] == Form("WRA16", 32, closes=True)
    assert simulated.verbs["write"].forms["all"] == Form("WRA16", 32, rowless=True)
    assert Gap("group", "mac", "pre", 4, before_scope="bank", after_scope="bank") in simulated.gaps
    assert least(simulated, Slot("preact"), Slot("mac")) == 56
    assert least(simulated, Slot("act"), Slot("mac")) == 0  # its clocks start with the first half


def test_aim_with_more_lanes_is_a_line(tmp_path: Path):
    path = tmp_path / "mine.sheet"
    path.write_text('device wide = aim with lanes 32\ndevice wider = aim with lanes = 64, tCCD = 1 "what if"\n')
    wide, wider = pim(f"{path}:wide"), pim(f"{path}:wider")
    assert (wide.lanes, wide.row_bytes, wide.timing["tCCD"]) == (32, 4096, 2)
    assert (wider.lanes, wider.timing["tCCD"], wider.sources["timing.tCCD"]) == (64, 1, "what if")

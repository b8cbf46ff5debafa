"""The sheets of GDDR6-AiM: timing constraints equal the simulator's, except for listed differences."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import pytest

from interp.kinds.pages import derived
from interp.kinds.pim.program import Slot
from interp.kinds.pim.timing.constraints import least
from interp.machine.records import Decoder, Pim, Refresh, Scope, TimingConstraint, VerbForm
from interp.machine.sheets import list_devices, load_device
from interp.machine.sheets.timing_variants import timing_variants_of

DATA = Path(__file__).parents[2] / "data" / "aim"
SAME_BANK, SAME_GROUP, OTHER_GROUP = 0, 1, 4
"""The number of a second bank if the first bank is 0: the same bank, another bank of its group, a bank of another
group."""
LEVELS = {"channel": OTHER_GROUP, "rank": OTHER_GROUP, "bankgroup": SAME_GROUP, "bank": SAME_BANK}
"""For each level, the second bank most distant from bank 0 for which the level's constraints hold."""


def pim(name: str) -> Pim:
    record = load_device(name)
    assert isinstance(record, Pim)
    return record


def commands(device: Pim) -> dict[str, tuple[str, Scope]]:
    """Return verb and scope by the mnemonic of the standard."""
    return {
        form.mnemonic: (verb.name, scope)
        for verb in device.verbs.values()
        for scope, form in verb.forms.items()
        if verb.name != "refresh" or device.refresh is not None
    }


@pytest.mark.parametrize("bank", [SAME_BANK, SAME_GROUP, OTHER_GROUP])
@pytest.mark.parametrize(("sheet", "file"), [("aim_ramulator", "gddr6"), ("aim_lpddr5_ramulator", "lpddr5")])
def test_timing_constraints_equal_the_simulators(sheet: str, file: str, bank: int):
    device, least_cycles = pim(sheet), dict[tuple[str, str], int]()
    with (DATA / f"min_gap_{file}.csv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            if LEVELS[row["level"]] >= bank:
                pair = row["earlier_command"], row["later_command"]
                least_cycles[pair] = max(least_cycles.get(pair, 0), int(row["min_cycles"]))
    known = commands(device)
    assert {name for names in least_cycles for name in names} <= set(known)
    for earlier, (before, before_scope) in known.items():
        for later, (after, after_scope) in known.items():
            second = Slot(after, after_scope, bank if after_scope == "bank" else 0)
            found = least(device, Slot(before, before_scope), second)
            bus = device.command_cycles  # one command per cycle in any case
            assert max(found, bus) == max(least_cycles.get((earlier, later), 0), bus), (earlier, later)


def test_the_clean_timing_variant_refreshes_and_checks():
    clean, simulated = pim("aim"), pim("aim_ramulator")
    assert clean.refresh == Refresh(3907, ())
    assert simulated.refresh is None
    assert (clean.checked, simulated.checked) == (True, False)
    assert (clean.decoder, simulated.decoder) == (None, Decoder(33, ("drain", "activated")))
    assert {name for name in clean.timing if clean.timing[name] != simulated.timing[name]} == {"tRRDS", "tRRDL"}
    assert (clean.buffer_columns, clean.row_bytes, clean.memory_bytes) == (64, 2048, 16 << 30)


def test_peak_rates_equal_the_papers():
    figures = {name: value for name, value, _ in derived(pim("aim"))}
    assert figures["peak operations"] == "16.384 TFLOP/s"  # 16 chips of 1 TFLOPS
    assert figures["bandwidth of all data buses"] == "1.024 TB/s"


def test_data_pins_limit_bursts_even_if_columns_are_faster():
    fast = load_device("aim", {"tCCD": 1})
    assert isinstance(fast, Pim)
    apart = {
        (constraint.before, constraint.after): constraint.cycles
        for constraint in fast.constraints
        if constraint.level == "channel"
    }
    assert (apart["mac", "mac"], apart["drain", "drain"], apart["load", "load"]) == (1, 2, 2)


def test_lpddr5_keeps_times_of_the_units_and_not_their_cycles():
    clean, simulated = pim("aim_lpddr5"), pim("aim_lpddr5_ramulator")
    delays = ("tRCDMAC", "tRCDAF", "tMOD", "tRFC", "tREFI")
    assert [clean.timing[name] for name in delays] == [23, 35, 13, 304, 3125]
    assert [simulated.timing[name] for name in delays] == [56, 86, 32, 0, 12520]
    assert clean.verbs["write"].forms["all"] == VerbForm("WRA16", 32, closes=True)
    assert simulated.verbs["write"].forms["all"] == VerbForm("WRA16", 32, rowless=True)
    assert TimingConstraint("group", "mac", "pre", 4, before_scope="bank", after_scope="bank") in simulated.constraints
    assert least(simulated, Slot("preact"), Slot("mac")) == 56
    assert least(simulated, Slot("act"), Slot("mac")) == 0  # its clocks start with the first half


def test_aim_with_more_lanes_is_a_one_line_variant(tmp_path: Path):
    path = tmp_path / "mine.sheet"
    path.write_text('device wide = aim with lanes 32\ndevice wider = aim with lanes = 64, tCCD = 1 "what if"\n')
    wide, wider = pim(f"{path}:wide"), pim(f"{path}:wider")
    assert (wide.lanes, wide.row_bytes, wide.timing["tCCD"]) == (32, 4096, 2)
    assert (wider.lanes, wider.timing["tCCD"], wider.sources["timing.tCCD"]) == (64, 1, "what if")


@pytest.mark.slow
@pytest.mark.parametrize("name", [row[0] for row in list_devices() if row[0].endswith(("_ramulator", "_pimflow"))])
def test_a_timing_variant_applied_to_its_clean_sheet_is_unchanged(name: str):
    device = pim(name)
    for variant in timing_variants_of(device.variant_of, {}):
        if variant.compatible.name == name:
            assert values(variant.compatible) == values(device)


def values(device: Pim) -> Mapping[str, object]:
    """Return the fields of a device without their sources, and with timing constraints in any order."""
    skipped = ("sources", "places", "formulas", "file", "bases", "description", "constraints")
    stated = {each.name: getattr(device, each.name) for each in fields(device) if each.name not in skipped}
    return stated | {"constraints": set(device.constraints)}

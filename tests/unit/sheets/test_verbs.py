"""Data sheets: scopes of verbs, scopes and windows of timing constraints, and a channel's controller and decoder."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialects.diagnostics import InputError
from interp.kinds.pages import describe_device
from interp.machine.records import Decoder, Pim, Refresh, Scope, TimingConstraint, Verb, VerbForm
from interp.machine.sheets import load_device

MANAGED = """
device managed : pim "a controller that does all it can"
  source "a book"
  clock 1 GHz
  shape channels 1, pseudochannels 2, ranks 2, groups 8, banks 2, rows 8, columns 4, lanes 16, element bf16
  numeric wide
  buffer 4 columns
  bus 16 GB/s
  launch 0 ns
  rows by controller
  drain keeps
  trace aim
  timing tRC 40, tFAW 20 ns, tREFI 1000
  verb preact  = ACT-1 scope bank, ACT16-1 scope all
  verb act     = ACT-2 scope bank, ACT16-2 scope all latency 1
  verb pre     = PRE scope bank | same, PREA scope all
  verb write   = WR scope bank latency 8, WRA16 scope all latency tRC closes
  verb load    = WRGB scope all latency 3 mode register  "its own book"
  verb mode    = TMOD scope all
  verb sync    = CAS scope all
  verb refresh = REFab scope all
  gap channel: preact -> act bank | act all  2
  gap bank: preact bank | act bank -> preact bank  tRC
  gap rank: act bank -> act bank  tFAW  window 4  "the power of four"
  gap bank: act -> write  10
  gap bank: act -> pre    10
  gap bank: write -> pre  10
  gap bank: pre -> act    10
  gap pseudochannel: pre -> refresh 10
  gap channel: refresh -> preact 100
  refresh every tREFI
  decoder queue 33 waits load | write
  sync load | write
  energy act 0.9 nJ/bank, write 1 nJ, bit 0.5 pJ/bit
"""


def read(tmp_path: Path, text: str = MANAGED) -> Pim:
    path = tmp_path / "managed.sheet"
    path.write_text(text)
    record = load_device(str(path))
    assert isinstance(record, Pim)
    return record


def test_a_verb_has_several_scopes(tmp_path: Path):
    pim = read(tmp_path)
    forms: dict[Scope, VerbForm] = {"bank": VerbForm("WR", 8), "all": VerbForm("WRA16", 40, closes=True)}
    assert pim.verbs["write"] == Verb("write", forms, energy_nj=1.0)
    assert pim.verbs["act"] == Verb("act", {"bank": VerbForm("ACT-2"), "all": VerbForm("ACT16-2", 1)}, bank_nj=0.9)
    assert pim.verbs["load"] == Verb("load", {"all": VerbForm("WRGB", 3)}, "register")
    assert pim.verbs["pre"].scopes == ("bank", "same", "all")
    assert pim.verbs["pre"].mnemonic == "PRE"


def test_timing_constraints_have_scopes_and_windows(tmp_path: Path):
    pim = read(tmp_path)
    assert pim.constraints[:5] == (
        TimingConstraint("channel", "preact", "act", 2, after_scope="bank"),
        TimingConstraint("channel", "preact", "act", 2, after_scope="all"),
        TimingConstraint("bank", "preact", "preact", 40, "any", "bank", "bank"),
        TimingConstraint("bank", "act", "preact", 40, "any", "bank", "bank"),
        TimingConstraint("rank", "act", "act", 20, "any", "bank", "bank", 4),
    )
    assert pim.sources["gap rank: act bank -> act bank window 4"] == "= tFAW; the power of four"
    assert [pim.banks_at(level) for level in ("channel", "pseudochannel", "rank", "group", "bank")] == [16, 8, 4, 2, 1]


def test_fields_of_the_controller(tmp_path: Path):
    pim = read(tmp_path)
    assert (pim.rows_by, pim.drain_clears, pim.trace, pim.bit_pj) == ("controller", False, "aim", 0.5)
    assert pim.refresh == Refresh(1000, (), True)
    assert pim.decoder == Decoder(33, ("load", "write"))
    assert pim.sync == ("load", "write")


def test_all_fields_are_printed(tmp_path: Path):
    lines = [" ".join(line.split()) for line in describe_device(read(tmp_path)).splitlines()]
    for expected in (
        "shape pseudochannels 2 [1]",
        "rows by controller [1]",
        "drain keeps [1]",
        "energy bit 0.5 pJ/bit [1]",
        "refresh every 1000 cycles, at once, then reopen [1]",
        "decoder queue 33, waits for load and write [1]",
        "sync before load, write [1]",
        "write WR bank latency 8, WRA16 all latency 40 closes 1 nJ [1]",
        "load WRGB all latency 3 no energy given mode register [3]",
        "act ACT-2 bank, ACT16-2 all latency 1 0.9 nJ/bank [1]",
        "rank: act bank -> act bank window 4 20 = tFAW [4]",
    ):
        assert expected in lines


def test_a_variant_can_remove_fields_of_its_base(tmp_path: Path):
    plain = "device plain = managed\n  refresh none\n  decoder none\n  sync none\n  drain clears\n"
    (tmp_path / "m.sheet").write_text(MANAGED + plain)
    pim = load_device(f"{tmp_path}/m.sheet:plain")
    assert isinstance(pim, Pim)
    assert (pim.refresh, pim.decoder, pim.sync, pim.drain_clears) == (None, None, (), True)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("verb pre     = PRE scope bank | same,", "verb pre = ", "`write` of scope bank needs `pre` of scope bank"),
        ("ACT-1 scope bank, ", "", "`preact` has no scope `bank`; it has `all`"),
        ("  gap channel: refresh -> preact 100\n", "", "states no gap `refresh -> preact`"),
        ("  gap channel: preact -> act bank | act all  2\n", "", "states no gap `preact -> act`"),
        ("groups 8", "groups 6", "6 groups per channel can't be divided among 2 pseudo-channels of 2 ranks"),
        ("  verb mode    = TMOD scope all\n", "", "mode register needs a verb `mode`"),
        ("refresh every tREFI", "refresh every 0", "0 cycles were met, but at least 1 is expected here"),
        ("refresh every tREFI", "refresh every tREFI - 2000", "-1000 cycles were met, but a time must be at least 0"),
        ("waits load", "waits lode", "managed has no verb `lode`"),
        ("sync load", "sync lode", "managed has no verb `lode`"),
        ("tFAW 20 ns", "tFAW max(20 ns, 1 nJ)", "a pure number and an energy can't be compared"),
        (
            "gap bank: act -> write  10",
            "gap bank: act -> mode  10",
            "no gap can end at `mode`, but `act -> mode` was met",
        ),
        ("  verb sync    = CAS scope all\n", "", "sync needs a verb `sync`"),
    ],
)
def test_missing_fields_of_a_controller_are_errors(tmp_path: Path, old: str, new: str, sentence: str):
    assert old in MANAGED
    with pytest.raises(InputError, match=sentence) as caught:
        read(tmp_path, MANAGED.replace(old, new))
    assert caught.value.place is not None

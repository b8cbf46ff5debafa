"""The language of data sheets: statements, variants, and the search for sheets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from dialects.diagnostics import InputError
from interp.machine.records import Gpu, Link, Pim, Refresh, TimingConstraint, Verb, VerbForm
from interp.machine.sheets import add_sheet_folder, load_device, load_link, search
from interp.machine.sheets import files as sheet_files
from interp.units import in_unit

PIM = """
device tiny : pim "two banks"
  source "a book"
  clock 2 GHz
  shape channels 1, groups 1, banks 2,   # a list continues after a comma
        rows 8, columns 4, lanes 16, element f16
  numeric wide
  buffer 4 columns
  bus 16 GB/s
  launch 1.5 us
  timing tRP 10, tRAS 12.5 ns, tRC tRAS + tRP, tX (tRP + 2) * 3 - 4 / 2
  verb act = ACT scope bank | all
  verb mac = MAC \\
      scope all | bank
  gap bank: act -> same act | mac  tRC
  gap channel: mac -> mac  2 * tRP + 0.6 ns   "another book"
  energy mac 2 * (1.5 pJ + 2 fJ * 250), act 1 nJ
"""


def pim(tmp_path: Path, text: str = PIM, changes: Mapping[str, int | float | str] | None = None) -> Pim:
    path = tmp_path / "tiny.sheet"
    path.write_text(text)
    record = load_device(str(path), changes)
    assert isinstance(record, Pim)
    return record


def test_all_fields_of_a_sheet_are_read(tmp_path: Path):
    record = pim(tmp_path)
    assert (record.name, record.kind, record.description) == ("tiny", "pim", "two banks")
    assert (record.clock_hz, record.bus_bandwidth, record.launch_ns) == (2e9, 16e9, 1500.0)
    assert (record.lanes, record.element, record.row_bytes, record.memory_bytes) == (16, "f16", 128, 2048)
    assert record.timing == {"tRP": 10, "tRAS": 25, "tRC": 35, "tX": 34}
    assert record.verbs["act"] == Verb("act", {"bank": VerbForm("ACT"), "all": VerbForm("ACT")}, energy_nj=1.0)
    assert record.verbs["mac"].energy_nj == pytest.approx(0.004)
    assert record.constraints == (
        TimingConstraint("bank", "act", "act", 35, "same"),
        TimingConstraint("bank", "act", "mac", 35, "same"),
        TimingConstraint("channel", "mac", "mac", 22),
    )
    assert record.refresh is None
    assert record.reopen is False


def test_each_number_has_its_source(tmp_path: Path):
    sources = pim(tmp_path).sources
    assert sources["clock"] == "a book"
    assert sources["gap channel: mac -> mac"] == "= 2 * tRP + 0.6 ns; another book"
    assert sources["timing.tRC"] == "= tRAS + tRP; a book"


def test_times_round_up_to_whole_cycles_exactly(tmp_path: Path):
    def cycles(time: str, clock: str) -> int:
        return pim(tmp_path, PIM.replace("tRAS 12.5 ns", f"tRAS {time}"), {"clock": clock}).timing["tRAS"]

    assert cycles("13.75 ns", "1.6 GHz") == 22  # 22.000000000000004 in floating point
    assert cycles("13.76 ns", "1.6 GHz") == 23
    assert cycles("0.01 ns", "1 GHz") == 1
    assert cycles("40 cycles", "1 GHz") == 40


def test_a_variant_adds_to_its_base(tmp_path: Path):
    text = PIM + "device fast = tiny with clock 4 GHz, tRP 11, energy.act 3 nJ\n  gap channel: mac -> mac 5\n"
    path = tmp_path / "both.sheet"
    path.write_text(text)
    record = load_device(f"{path}:fast")
    assert isinstance(record, Pim)
    assert record.clock_hz == 4e9
    assert record.timing["tRAS"] == 50  # a time is converted with the new clock, cycles do not change
    assert record.timing["tRC"] == 61
    assert record.constraints[-1] == TimingConstraint("channel", "mac", "mac", 5)
    assert record.verbs["act"].energy_nj == 3.0
    assert record.description == "two banks; a variant of tiny"
    assert record.sources["clock"].startswith("set in fast, a variant (")
    assert record.sources["numeric"] == "a book"


def test_a_users_file_can_have_a_variant_of_a_shipped_sheet(tmp_path: Path):
    path = tmp_path / "mine.sheet"
    path.write_text('device newton = newton with clock 1 GHz\ndevice wide = newton "wider" with lanes 32 "I wish"\n')
    newton, wide = load_device(f"{path}:newton"), load_device(f"{path}:wide")
    assert isinstance(newton, Pim)
    assert isinstance(wide, Pim)
    assert (newton.clock_hz, newton.channels) == (1e9, 16)
    assert (wide.clock_hz, wide.lanes, wide.description) == (1e9, 32, "wider")
    assert wide.sources["shape.lanes"] == "I wish"


def test_changes_have_the_unit_of_the_sheet_or_an_explicit_unit():
    changed = load_device("newton", {"clock": 500, "channels": 8, "tRP": "20 ns", "reopen": "no"})
    assert isinstance(changed, Pim)
    assert (changed.clock_hz, changed.channels, changed.timing["tRP"], changed.reopen) == (500e6, 8, 10, False)
    assert changed.sources["timing.tRP"] == "= 20 ns; set to 20 ns where newton is used"
    assert load_link("pcie4", {"bandwidth": 40}).bandwidth == 40e9
    assert load_link("on_board", {"bandwidth": 56}).channel_bandwidth == 56e9


def test_loading_twice_gives_the_same_record():
    assert load_device("newton") is load_device("newton")
    assert load_device("newton") is not load_device("newton", {"channels": 8})


def test_newton_closes_rows_and_keeps_their_times():
    newton = load_device("newton")
    assert isinstance(newton, Pim)
    assert newton.memory_bytes == 4 << 30
    assert (newton.end_cycles, newton.reopen, newton.checked) == (13, False, True)
    assert newton.refresh == Refresh(1900, ("drain",))
    assert newton.verbs["mac"].energy_nj == pytest.approx(3.7811, rel=1e-4)
    assert {
        (constraint.level, constraint.before, constraint.after, constraint.relation): constraint.cycles
        for constraint in newton.constraints
        if constraint.level == "bank"
    } == {
        ("bank", "act", "act", "any"): 35,
        ("bank", "act", "pre", "any"): 25,
        ("bank", "mac", "pre", "any"): 2,
        ("bank", "pre", "act", "any"): 11,
    }
    plus = load_device("newton_plus")
    assert isinstance(plus, Pim)
    assert [constraint.cycles for constraint in plus.constraints[:2]] == [64, 64]


def test_newton_pimflow_equals_pimflows_simulator():
    simulated = load_device("newton_pimflow")
    assert isinstance(simulated, Pim)
    assert (simulated.reopen, simulated.checked) == (True, False)
    assert simulated.refresh == Refresh(1900, ("drain",), reopens=False)
    assert {
        (constraint.before, constraint.after, constraint.relation): constraint.cycles
        for constraint in simulated.constraints
        if constraint.cycles
    } == {
        ("load", "load", "any"): 1,
        ("load", "act", "any"): 1,
        ("load", "mac", "any"): 51,
        ("act", "act", "next"): 17,
        ("act", "mac", "any"): 11,
        ("mac", "mac", "any"): 2,
        ("mac", "drain", "any"): 1,
        ("load", "activate", "any"): 35,
        ("act", "activate", "any"): 11,
        ("mac", "activate", "any"): 2,
        ("activate", "activate", "any"): 1,
        ("activate", "mac", "any"): 1,
        ("activate", "drain", "any"): 1,
        ("drain", "load", "any"): 6,
        ("pre", "act", "first"): 11,
        ("pre", "refresh", "any"): 11,
        ("refresh", "act", "first"): 350,
        ("refresh", "refresh", "any"): 350,
    }


def test_a100_equals_its_datasheet():
    a100 = load_device("a100")
    assert isinstance(a100, Gpu)
    assert (a100.bandwidth, a100.rates["f32"], a100.matrix_rates["f16"]) == (1555e9, 19.5e12, 312e12)
    assert a100.byte_pj == pytest.approx(28.72)


def test_every_shipped_sheet_loads():
    rows = sheet_files.list_devices()
    assert {kind for _, kind, _ in rows} >= {"machine", "gpu", "pim", "link"}
    assert [row for row in rows if row[1] == "error"] == []
    for name, kind, description in rows:
        assert description, name
        if kind not in ("machine", "link", "engine"):
            assert load_device(name).name == name
        elif kind == "link":
            assert isinstance(load_link(name), Link)


def test_user_folders_take_precedence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(search, "_added", [])
    (tmp_path / "a.sheet").write_text(
        'link thread = pcie4 "thin" with bandwidth 1 GB/s\nlink pcie4 = pcie4 with latency 9 us\n'
    )
    (tmp_path / "broken.sheet").write_text("device x")
    add_sheet_folder(str(tmp_path))
    assert load_link("thread").latency_ns == 9000.0
    assert load_link("pcie4").latency_ns == 9000.0
    assert ("thread", "link", "thin") in sheet_files.list_devices()
    assert (
        "broken",
        "error",
        f"{tmp_path}/broken.sheet:1:8: x has no kind; write `device x : pim` (gpu, cpu, pim, ndp, memory)",
    ) in (sheet_files.list_devices())
    with pytest.raises(InputError, match="no folder"):
        add_sheet_folder(str(tmp_path / "nowhere"))


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (875e6, "Hz", "875 MHz"),
        (40e9, "B", "40 GB"),
        (4 << 30, "B", "4 GiB"),
        (1024, "B", "1 KiB"),
        (392, "ns", "392 ns"),
        (1900 * 8 / 7, "ns", "2.1714 us"),
        (0, "W", "0 W"),
        (1, "cycles", "1 cycle"),
        (3.584e12, "B/s", "3.584 TB/s"),
        (16, "", "16"),
    ],
)
def test_numbers_are_printed_with_usual_units(value: float, unit: str, text: str):
    assert in_unit(value, unit) == text


FIELDS = """
device g = a100
  channels 40
  skips slice, concat,
        pad
device whole = g
  skips none
device p = newton
  programs pimflow buffers 2 * 2
device own = p with programs own
link l = on_board with arbitration partitioned
"""


def test_channels_skipped_ops_programs_and_arbitration(tmp_path: Path):
    path = tmp_path / "f.sheet"
    path.write_text(FIELDS)
    gpu, whole = load_device(f"{path}:g"), load_device(f"{path}:whole", {"channels": 8})
    pim, own = load_device(f"{path}:p"), load_device(f"{path}:own")
    assert isinstance(gpu, Gpu)
    assert isinstance(whole, Gpu)
    assert isinstance(pim, Pim)
    assert isinstance(own, Pim)
    assert (gpu.channels, gpu.skips) == (40, ("slice", "concat", "pad"))
    assert (whole.channels, whole.skips) == (8, ())
    assert (pim.programs, pim.program_buffers, own.programs) == ("pimflow", 4, "own")
    assert load_link(f"{path}:l").arbitration == "partitioned"
    assert load_link("on_board").arbitration == "separate"
    changed = load_device("newton", {"programs": "pimflow", "buffers": 1})
    skipping = load_device("a100", {"skips": "slice, pad"})
    assert isinstance(changed, Pim)
    assert isinstance(skipping, Gpu)
    assert changed.program_buffers == 1
    assert skipping.skips == ("slice", "pad")


@pytest.mark.parametrize(
    ("device", "changes", "sentence"),
    [
        ("a100", {"skips": "slicee"}, "there is no op `graph.slicee`; did you mean `slice`?"),
        ("a100", {"skips": 3}, "`skips` must list graph ops (`skips slice, concat, pad`), not numbers"),
        ("a100", {"skips": "slice,"}, "`slice,`: met the end of the text, but expected a name"),
        ("a100", {"channels": 0.5}, "`channels` (memory channels) must be a whole number, not 0.5"),
        (
            "newton",
            {"programs": "pimflow"},
            "`programs pimflow` does not state the number of global buffers; write for",
        ),
        ("attacc", {"programs": "pimflow", "buffers": 1}, "needs `act group`, which attacc does not have; remove"),
        (
            "aim",
            {"programs": "pimflow", "buffers": 1},
            "needs `act group`, rows that programs open (`rows by program`)",
        ),
        ("newton", {"programs": "mine"}, "`programs` must be one of own, pimflow, not `mine`"),
        ("newton", {"buffers": 2}, "`programs buffers` has an effect only for programs of a published generator"),
    ],
)
def test_errors_of_these_fields(device: str, changes: Mapping[str, int | float | str], sentence: str):
    with pytest.raises(InputError) as met:
        load_device(device, changes)
    assert sentence in met.value.message

"""All errors of data sheets, with their messages, lines and columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialects.diagnostics import InputError
from interp.machine.sheets import load_device, load_link
from interp.machine.sheets.files import blocks_in, load

GPU = """device g : gpu "a gpu"
  source "a book"
  clock 1 GHz
  units 4
  rate f32 1 TFLOP/s
  memory 1 GiB
  bandwidth 100 GB/s
  launch 1 us
  energy flop 1 pJ/flop, byte 1 pJ/bit
"""
PIM = """device p : pim "a pim"
  source "a book"
  clock 1 GHz
  shape channels 1, groups 1, banks 2, rows 8, columns 8, lanes 4, element f32
  numeric wide
  buffer 8 columns
  bus 16 GB/s
  launch 1 us
  timing tA 1, tB tA + 1
  verb act = ACT scope group
  verb mac = MAC scope all
  gap channel: act -> mac tA
  energy act 1 nJ
  gap channel: mac -> mac 1
"""
VERBS = PIM[PIM.index("  verb act") :]

# The replaced text, the new text, the place of the error, and a part of its message.
IN_GPU = [
    ("clock 1 GHz", "clock 1 GHzz", "3:9", "there is no unit `GHzz`; did you mean `GHz`?"),
    ("clock 1 GHz", "clock 1 ghz", "3:9", "did you mean `GHz`?"),
    ("clock 1 GHz", "clock 1 parsec", "3:9", "write for instance ns, MHz"),
    ("clock 1 GHz", "clok 1 GHz", "3:3", "there is no field `clok`; did you mean `clock`?"),
    ("  clock 1 GHz\n", "", "1:8", "g does not state `clock`; write for instance `clock 1 GHz`"),
    ("  rate f32 1 TFLOP/s\n", "", "1:8", "g does not state `rate f32`"),
    (
        "rate f32 1 TFLOP/s",
        "rate f32 1 TFLOP/s, f33 1 TFLOP/s",
        "5:23",
        "`rate` has no name `f33`; did you mean `f32`?",
    ),
    ("units 4", "units 4\n  units 5", "5:3", "g states `units` twice, first in line 4"),
    ("units 4", "units 0", "4:9", "0 was met, but a number above 0 is expected"),
    ("units 4", "units -4", "4:9", "-4 was met"),
    ("units 4", "units 4.5", "4:9", "a whole number, not 4.5"),
    ("memory 1 GiB", "memory 1 ns", "6:10", "a time was met, but an amount of memory (in B, say) is expected"),
    ("100 GB/s", "100 ns", "7:13", "a time was met, but a bandwidth (in B/s, say) is expected"),
    ("100 GB/s", "100", "7:13", "a pure number was met, but a bandwidth"),
    ("100 GB/s", "0 GB/s", "7:13", "0 B/s was met, but a number above 0"),
    ("100 GB/s", "2 B * 3 GHz * 1 s", "7:13", "an amount of memory was met, but a bandwidth"),
    ("launch 1 us", "launch -1 us", "8:10", "-1000 ns was met, but 0 or more is expected"),
    ("launch 1 us", "launch 1 us + 2", "8:17", "a time and a pure number can't be added"),
    ("launch 1 us", "launch 1 us / 0", "8:17", "a division by zero"),
    ("launch 1 us", "launch (1 us) ns", "8:10", "a unit of its own"),
    ("launch 1 us", "launch soon", "8:10", "there is no timing parameter `soon`"),
    ("launch 1 us", "launch 1e999 us", "8:10", "`1e999` has too many digits or too large an exponent"),
    ("launch 1 us", "launch 1" + "0" * 90 + " us", "8:10", "has too many digits or too large an exponent"),
    ("launch 1 us", "launch 1e60 us" + " * 1e60" * 8, "8:10", "the number is larger than any device can need"),
    ("launch 1 us", "launch " + "(" * 99 + "1" + ")" * 99 + " us", "8:23", "parentheses are nested more than 40 deep"),
    (
        "launch 1 us",
        "launch 1 us\n  gap channel: a -> b 1",
        "9:7",
        "a sheet of kind gpu can't state `gap`; only a sheet of kind pim can",
    ),
    ("launch 1 us", "lanch 1 us", "8:3", "did you mean `launch`?"),
    ('  source "a book"\n', "", "2:3", "`clock` has no source; add one in quotes behind it"),
    ('  source "a book"\n', '  source ""\n', "3:3", "`clock` has no source"),
    (": gpu", ": gpuu", "1:12", "a device is a gpu, a cpu, a pim, a ndp, a memory, not a `gpuu`"),
    (" : gpu", "", "1:8", "g has no kind; write `device g : pim`"),
    ("device g : gpu", "devcie g : gpu", "1:1", "is `devcie` meant to be `device`?"),
    ("device g : gpu", "link g : gpu", "1:10", "a link can't state a kind"),
]
IN_PIM = [
    ("act -> mac", "act -> mca", "12:23", "p has no verb `mca`; its verbs are act, mac"),
    (
        "gap channel",
        "gap row",
        "12:7",
        "the level of a gap must be `channel`, `pseudochannel`, `rank`, `group` or `bank`, not `row`",
    ),
    ("act -> mac", "act bank -> mac", "12:20", "`act` has no scope `bank`; it has `group`"),
    ("act -> mac", "act -> mac group", "12:27", "`mac` has no scope `group`; it has `all`"),
    (
        "act -> mac tA",
        "act -> mac tA window 0",
        "12:30",
        "a window must be a whole number of commands of at least 1, not 0",
    ),
    ("act -> mac tA", "act -> mac tA window 1.5", "12:30", "a whole number of commands of at least 1, not 1.5"),
    ("= MAC scope all", "= MAC", "11:17", "met the end of the line, but expected `scope`"),
    ("= MAC scope all", "= MAC scope all closes rowless", "11:35", "met `rowless`, but expected `,`, `assumed`"),
    ("scope group", "scope group | group", "10:32", "`act` has scope `group` twice"),
    ("scope group", "scope group, A scope bank | group", "10:46", "`act` has scope `group` twice"),
    ("scope group", "scope group latency -1", "10:38", "-1 cycles were met, but a time must be at least 0"),
    ("scope group", "scope group latency 1 nJ", "10:38", "an energy was met, but cycles or a time"),
    ("scope group", "scope group mode register", "10:8", "mode register needs a verb `mode`; write for instance"),
    ("shape channels", "shape ranks 2, channels", "4:30", "1 groups per channel can't be divided among 1 pseudo-ch"),
    ("buffer 8", "rows by whim\n  buffer 8", "6:11", "`rows by` must be one of program, controller, not `whim`"),
    ("buffer 8", "rows by controller\n  buffer 8", "6:3", "rows by controller needs a verb `pre`"),
    ("buffer 8", "drain sometimes\n  buffer 8", "6:9", "`drain` must be one of clears, keeps, not `sometimes`"),
    ("buffer 8", "trace vhdl\n  buffer 8", "6:9", "`trace` must be one of aim"),
    ("gap channel", "decoder queue 0 waits mac\n  gap channel", "12:17", "0 was met, but a number above 0"),
    (
        "gap channel",
        "decoder queue 3 waits drain\n  gap channel",
        "12:25",
        "p has no verb `drain`; its verbs are act, mac",
    ),
    ("gap channel", "sync mac\n  gap channel", "12:3", "sync needs a verb `sync`"),
    ("gap channel", "sync drain\n  gap channel", "12:8", "p has no verb `drain`"),
    ("gap channel", "gpa channel", "12:14", "is `gpa` meant to be `gap`?"),
    ("scope group", "scope rank", "10:24", "`all`, not `rank`"),
    ("scope group", "scope", "10:23", "met the end of the line, but expected a name"),
    ("verb act", "verb act2", "10:8", "there is no verb `act2`; did you mean `act`?"),
    (VERBS, "", "1:8", "p has no verbs"),
    ("-> mac tA", "-> mac tZ", "12:27", "there is no timing parameter `tZ`; known are tA, tB"),
    ("-> mac tA", "-> mac tA / 2", "12:27", "0.5 cycles were met, but a number of cycles must be whole"),
    ("-> mac tA", "-> mac 1 - 3", "12:27", "-2 cycles were met, but a time must be at least 0"),
    ("-> mac tA", "-> mac 1 nJ", "12:27", "an energy was met, but cycles or a time are expected"),
    ("-> mac tA", "-> mac 1 GHz", "12:27", "a frequency was met, but cycles or a time are expected"),
    ("-> mac tA", "-> first mac tA", "12:29", "needs a verb that addresses a bank or a group"),
    ("-> mac tA", "-> mac 1, 2", "12:28", "met `,`, but expected `assumed`, `window`, a quoted text, the end"),
    ("-> mac tA", "-> mac 1\n  gap channel: act -> mac 2", "13:7", "p states `gap channel: act -> mac` twice"),
    (
        "  gap channel: act -> mac tA\n",
        "",
        "11:8",
        "p states no gap `act -> mac`, so that both commands could be issued at the same time",
    ),
    ("  gap", "  verb pre = P scope all\n  gap", "10:8", "p states no gap `pre -> act`"),
    ("  gap", "  verb load = L scope all\n  gap", "11:8", "p states no gap `load -> mac`"),
    ("  gap", "  verb drain = D scope all\n  gap", "12:8", "p states no gap `mac -> drain`"),
    (
        "  gap",
        "  reopen yes\n  verb pre = P scope all\n  verb refresh = R scope all\n  refresh every 9 after act\n  gap",
        "14:8",
        "p states no gap `pre -> refresh`",
    ),
    (
        "gap channel",
        "refresh every 5 after act then hope\n  gap channel",
        "12:34",
        "`then` of `refresh` must be `reopen` or `forget`, not `hope`",
    ),
    ("tA 1", "tA tB", "9:10", "`tA` depends on itself (tA -> tB -> tA)"),
    ("tA 1", "tA 1 GB/s", "9:13", "a bandwidth was met, but cycles or a time"),
    ("energy act", "energy pre", "13:10", "`energy pre`: p has no verb `pre`"),
    ("energy act 1 nJ", "energy act -1 nJ", "13:14", "-1 nJ was met, but 0 or more"),
    ("element f32", "element f31", "4:76", "`shape.element` must be one of f64, f32"),
    ("element f32", "element 32", "4:76", "not a number"),
    ("numeric wide", "numeric exact", "5:11", "`numeric` must be one of wide, narrow, lanes, not `exact`"),
    ("buffer 8 columns", "buffer 8 ns", "6:10", "a time was met, but a pure number"),
    ("shape channels 1", "shape channel 1", "4:9", "no field `shape.channel`; did you mean `channels`?"),
    ("shape channels 1", "channels 3\n  shape channels 1", "5:9", "p states `shape.channels` twice, first in line 4"),
    ("gap channel", "refresh every 5 after act\n  gap channel", "12:3", "refresh needs a verb `pre`"),
    ("gap channel", "refresh every 5 after drain\n  gap channel", "12:25", "p has no verb `drain`"),
    ("gap channel", "refresh every 0 after act\n  gap channel", "12:3", "refresh needs a verb"),
    ("launch 1 us", 'launch 1 us "abc', "8:15", 'the quoted text "abc does not end on its line'),
    ("launch 1 us", "launch 1 \x00us", "8:12", r"met `\x00`"),
    ("energy act 1 nJ", "energy act 1 nJ/B", "13:14", "an energy a byte was met, but an energy (in nJ, say)"),
    ("energy act 1 nJ", "energy act -1 nJ/bank", "13:14", "-1 nJ/bank was met, but 0 or more"),
    ("1 nJ\n", "1\n", "13:14", "a pure number was met, but an energy (in nJ, say) is expected"),
    (PIM[PIM.index("  energy act") :], "  energy", "13:9", "met the end of the text, but expected a name"),
    ("", PIM, "15:8", "`p` appears twice in this file, first in line 1"),
    ("", "device p2 = p with clok 2 GHz\n", "1:20", "there is no field `clok`"),
    ("", "device p2 = p with tC 4\n", "1:20", "there is no field `tC`"),
    ("", "device p2 = p with clock 2 GHz\n  clock 3 GHz\n", "2:3", "p2 states `clock` twice"),
    ("", "link p2 = p\n", "1:11", "p is a pim, so its variant must be one, too; write `device p2 = p`"),
    (
        "",
        "device p2 = toy_link\n",
        "1:13",
        "toy_link is a link, so its variant must be one, too; write `link p2 = toy_link`",
    ),
    ("", "device p2 = newtn\n", "1:13", "there is no data sheet `newtn`; did you mean `newton`?"),
    ("", 'device p2 = "nowhere/x.sheet"\n', "1:13", "there is no file `nowhere/x.sheet`"),
    ("", "device p2 = p2\n", "1:13", "p2 is a variant of itself"),
    ("", "device p2 = p3\ndevice p3 = p2\n", "1:8", "is a variant of itself (p2 = p3 = p2)"),
]


def load_all(path: Path) -> None:
    for name in blocks_in(path):
        load(f"{path}:{name}", {})


def message(path: Path) -> tuple[str | None, str]:
    with pytest.raises(InputError) as caught:
        load_all(path)
    place = caught.value.place
    return place.removeprefix(f"{path}:") if place else None, caught.value.message


@pytest.mark.parametrize(
    ("sheet", "old", "new", "place", "sentence"),
    [(GPU, *case) for case in IN_GPU] + [(PIM, *case) for case in IN_PIM],
)
def test_errors_have_a_message_and_a_place(tmp_path: Path, sheet: str, old: str, new: str, place: str, sentence: str):
    assert old in sheet
    path = tmp_path / "x.sheet"
    path.write_text(sheet.replace(old, new, 1))  # an empty old text inserts the new text at the start
    found, text = message(path)
    assert sentence in text
    assert found == place


@pytest.mark.parametrize("text", ["", "# nothing\n", "\n\n"])
def test_an_empty_sheet(tmp_path: Path, text: str):
    path = tmp_path / "x.sheet"
    path.write_text(text)
    assert message(path) == ("1:1", 'the sheet holds no device, link or engine; start with `device NAME : pim "…"`')


def test_every_truncated_sheet_is_an_error(tmp_path: Path):
    for length in range(0, len(PIM) - len("  energy act 1 nJ\n"), 7):
        path = tmp_path / f"{length}.sheet"
        path.write_text(PIM[:length])
        try:
            load(str(path), {})
        except InputError as error:
            assert error.place, error.message  # noqa: PT017 (a cut at a line's end may be a whole sheet)


def test_invalid_utf8_is_an_error(tmp_path: Path):
    path = tmp_path / "x.sheet"
    path.write_bytes(b'device p : pim "a\n  clock \xff 1')
    assert message(path) == ("2:9", "met the byte 0xff, but a sheet is UTF-8 text; save it in UTF-8")


def test_a_byte_order_mark_and_carriage_returns_are_accepted(tmp_path: Path):
    path = tmp_path / "x.sheet"
    path.write_bytes(b"\xef\xbb\xbf" + GPU.replace("\n", "\r\n").encode())
    assert load_device(str(path)).description == "a gpu"


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        ("newtn", "there is no data sheet `newtn`; did you mean `newton`?"),
        ("nowhere.sheet", "there is no file `nowhere.sheet`"),
        ("./", "is not a file; a sheet is a text file"),
        ("x" * 5000, "there is no data sheet `xxx"),
        ("a\0b", "there is no data sheet"),
        ("", "there is no data sheet ``"),
        ("toy_link", "`toy_link` is a link, but a device is expected"),
    ],
)
def test_invalid_device_references(reference: str, sentence: str):
    with pytest.raises(InputError) as caught:
        load_device(reference, at="p.mlir:2:1")
    assert sentence in caught.value.message


def test_a_device_is_no_link():
    with pytest.raises(InputError, match="`newton` is a pim, but a link is expected"):
        load_link("newton")


def test_a_file_of_several_devices_needs_a_name(tmp_path: Path):
    path = tmp_path / "x.sheet"
    path.write_text(GPU + PIM)
    assert load_device(f"{path}:p").kind == "pim"
    with pytest.raises(InputError, match="holds g, p; select one"):
        load_device(str(path))
    with pytest.raises(InputError, match="holds no `q`"):
        load_device(f"{path}:q")


def test_a_large_file_is_rejected(tmp_path: Path):
    path = tmp_path / "x.sheet"
    path.write_bytes(b"#" * (1 << 21))
    with pytest.raises(InputError, match="larger than 1 MiB"):
        load_device(str(path))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"chanels": 3}, "there is no field `chanels` in newton; did you mean `channels`?"),
        ({"channels": 2.5}, "`shape.channels` (channels) must be a whole number, not 2.5"),
        ({"channels": 0}, "0 was met, but a number above 0 is expected"),
        ({"tRP": -3}, "-3 cycles were met"),
        ({"tRP": 1.5}, "1.5 cycles were met, but a number of cycles must be whole"),
        ({"tRP": float("inf")}, "`timing.tRP` must be a finite number, not inf"),
        ({"clock": "1 GHzz"}, "there is no unit `GHzz`"),
        ({"clock": "1 ns"}, "a time was met, but a frequency"),
        ({"clock": "("}, "`(`: met the end of the text, but expected"),
        ({"clock": ""}, "met the end of the text"),
        ({"element": "f17"}, "`shape.element` must be one of"),
        ({"decoder": 3}, "there is no field `decoder`"),
    ],
)
def test_invalid_changes(changes: dict[str, int | float | str], sentence: str):
    with pytest.raises(InputError) as caught:
        load_device("newton", changes, at="p.mlir:2:1")
    assert sentence in caught.value.message
    assert caught.value.place == "p.mlir:2:1"


def test_a_number_without_a_unit_is_an_error():
    with pytest.raises(InputError, match="`tdp` needs a unit; write the value as text"):
        load_device("toy_gpu", {"tdp": 3})

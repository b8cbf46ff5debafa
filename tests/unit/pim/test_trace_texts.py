"""Tests of PIMFlow's and AttAcc's traces: printing gives the same text, loops are recognized, and errors have a
location."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ndpir
from benchmarks.pim_cycles import Tally, check, main, rows_of
from dialects.diagnostics import InputError, notes_to
from dialects.pim import ChannelsOp, ForOp, LoadOp, MacOp
from interp.machine.records import Pim
from interp.machine.sheets import load_device
from ndpir.traces.reading import TITLES, read_trace, speakers, vendor_of
from tests.unit.pim.traces import trace_text

DATA = Path(__file__).parents[2] / "data"
NEWTON = sorted([*(DATA / "newton").glob("*.trace"), *(DATA / "newton").glob("*.pim")])
ATTACC = sorted((DATA / "attacc" / "traces").iterdir())


def device(name: str) -> Pim:
    sheet = load_device(name)
    assert isinstance(sheet, Pim)
    return sheet


@pytest.mark.parametrize("file", [*NEWTON, *ATTACC], ids=lambda file: file.name)
def test_a_trace_is_printed_as_it_was_read(file: Path) -> None:
    pim = device("attacc_ramulator" if file in ATTACC else "newton_pimflow")
    text = file.read_text(encoding="utf-8")
    kernel = read_trace(text, pim, file.name)
    kernel.verify()
    printed = trace_text(kernel, pim)
    if file.stem.startswith("r"):  # the addresses of these traces are not padded to eight digits
        printed, text = (re.sub("0x0*", "0x", each) for each in (printed, text))
    assert printed == text


def test_attacc_cycles_equal_published_ones() -> None:
    tally = Tally()
    for row in rows_of(DATA / "attacc"):
        check(row, tally)
    assert tally.wrong == []
    assert tally.equal == tally.rows > 0


def test_the_benchmark_counts_missing_traces_as_not_equal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "traces").mkdir()
    (tmp_path / "results.csv").write_text(
        "trace,cycles,mode,refresh\nthere.trace,20,bank,refresh\nwrong.trace,7,bank,refresh\ngone.trace,5,bg,refresh\n"
    )
    for name in ("there", "wrong"):
        (tmp_path / "traces" / f"{name}.trace").write_text("PIM_MAC_AB 0x00000000\n")
    assert main([tmp_path]) == 1
    printed = capsys.readouterr().out
    assert "no trace file: gone.trace (attacc_bg_ramulator)" in printed
    assert "worst row: wrong.trace (attacc_ramulator): 20 cycles, not 7" in printed
    assert printed.splitlines()[-1] == "attacc 1/3 equal"


def test_columns_and_loads_of_pimflow() -> None:
    """Consecutive columns become one multiply; a load keeps its text as an attribute."""
    lines = ["0x00000000 GWRITE_4 48 176 48", "0x00000000 G_ACT0"]
    lines += [f"0x{column << 6:08x} COMP" for column in range(40)]  # more than the row's 32 columns
    text = "".join(f"{line}\n" for line in lines)
    kernel = read_trace(text, device("newton_pimflow"))
    first, *_ = (op for op in kernel.walk() if isinstance(op, LoadOp))
    assert '{text = "GWRITE_4 48 176 48"}' in str(first)
    assert [op.columns.extent for op in kernel.walk() if isinstance(op, MacOp)] == [32, 1]
    assert [len(op.values) for op in kernel.walk() if isinstance(op, ForOp)] == [8]
    assert trace_text(kernel, device("newton_pimflow")) == text


def test_channels_and_columns_of_attacc() -> None:
    """Lines for consecutive channels and columns become one command in a region of channels."""
    lines = [f"PIM_MAC_AB 0x{channel << 30 | column << 5:08x}" for column in range(4) for channel in range(16)]
    text = "".join(f"{line}\n" for line in lines)
    kernel = read_trace(text, device("attacc_ramulator"))
    (region,) = kernel.body.block.ops
    assert isinstance(region, ChannelsOp)
    assert region.numbers() == list(range(16))
    assert [op.columns.extent for op in kernel.walk() if isinstance(op, MacOp)] == [4]
    assert trace_text(kernel, device("attacc_ramulator")) == text


def test_reading_for_a_specification_inserts_row_commands() -> None:
    """If the device's programs manage rows, the reader inserts a precharge before the activate of another row."""
    kernel = read_trace("PIM_MAC_AB 0x00000000\nPIM_MAC_AB 0x00000400\n", device("attacc"))
    names = [op.name for op in kernel.walk() if op.name in ("pim.act", "pim.pre", "pim.mac")]
    assert names == ["pim.act", "pim.mac", "pim.pre", "pim.act", "pim.mac"]


@pytest.mark.parametrize(
    ("text", "location", "message"),
    [
        ("PIM_MAC_AB\n", "t:1:11", "the line ends too early; PIM_MAC_AB takes address"),
        ("LD 0x0\nPIM_FOO 0x0\n", "t:2:1", "`PIM_FOO` is not known here; a line is written as in"),
        ("ST 0x0 0x1\n", "t:1:8", "`0x1` is not expected here; ST takes address"),
        ("LD 0x400000000\n", "t:1:4", "the address lies outside of attacc_ramulator"),
        ("# nothing\n", "t:1:1", "the trace holds no command; write at least one"),
    ],
)
def test_a_wrong_trace_is_an_error_with_line_and_column(text: str, location: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_trace(text, device("attacc_ramulator"), "t")
    assert message in caught.value.message
    assert caught.value.place == location


def test_a_trace_is_timed_run_and_printed_from_python(tmp_path: Path) -> None:
    """The API simulates, runs and writes a trace like any other program."""
    file = tmp_path / "tile.trace"
    file.write_text("AiM WR_BIAS 0 1\nAiM WR_GB 2 1 1\nAiM MAC_ABK 2 1 0\nAiM RD_MAC 0 1\nAiM EOC\n")
    module = ndpir.read(file, machine="aim")
    assert ndpir.simulate(module).makespan_ns > 0
    (out,) = ndpir.run(module)
    assert out.shape == (1, 16)
    assert ndpir.write(module, "pim-trace") == file.read_text()
    with pytest.raises(InputError, match="which names no device to run on"):
        ndpir.read(file)


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [  # results of akothen/PIMFlow_ramulator, commit 8dbb92f: it aborts on all texts but the last two
        ("0x00000000 GWRITE\n0x00000000 COMP\nPREA\n", 3, "aborts here, since `PREA` is no request of a trace"),
        ("0x00000000 COMP\n0x00000000 PREA\n", 2, "aborts here, since `0x00000000 PREA` is no request"),
        ("0x00000000 G_ACT\n", 1, "aborts here, since `0x00000000 G_ACT` is no request"),
        ("0x00000000 COMP \n", 1, "aborts here, since `0x00000000 COMP` is no request"),
        ("0x00000000 COMP\n\nREADRES\n", 2, "aborts here, since an empty line holds no address"),
        ("0x00000000 GWRITE\n0x00000000 COMP", 2, "ignores a last line without a line feed"),
        ("  0x0   GWRITE_2 (1,2,3)\n0x00000000 COMP\nREADRES\n", 0, ""),
    ],
)
def test_lines_that_stop_pimflow_s_simulator_get_a_note(text: str, line: int, expected: str) -> None:
    notes: list[tuple[str, str | None]] = []
    with notes_to(lambda message, location: notes.append((message, location))):
        read_trace(text.replace(" (1,2,3)", " 1 2 3"), device("newton_pimflow"), "t.trace")
    assert [location for _, location in notes] == ([f"t.trace:{line}:1"] if expected else [])
    assert all(expected in message for message, _ in notes)


TEXTS = {
    "aim": DATA / "aim" / "traces" / "x4_host.trace",
    "attacc": DATA / "attacc" / "traces" / "r3.trace",
    "pimflow": DATA / "newton" / "p06_two_tiles.trace",
}
SPEAKERS = {"aim": "aim", "attacc": "attacc", "pimflow": "newton"}


@pytest.mark.parametrize("vendor", TEXTS)
def test_the_vendor_of_a_trace_is_recognized(vendor: str) -> None:
    assert vendor_of(TEXTS[vendor].read_text(encoding="utf-8")) == vendor
    assert SPEAKERS[vendor] in speakers(vendor)


@pytest.mark.parametrize("vendor", TEXTS)
@pytest.mark.parametrize("reader", TEXTS)
def test_the_error_for_another_vendor_s_trace_names_the_vendor(vendor: str, reader: str) -> None:
    if vendor == reader:
        return
    text = TEXTS[vendor].read_text(encoding="utf-8")
    with pytest.raises(InputError, match="this is a trace of") as caught:
        read_trace(text, device(SPEAKERS[reader]), "x.trace")
    assert caught.value.message.startswith(f"this is {TITLES[vendor]}, but {SPEAKERS[reader]} reads {TITLES[reader]}; ")
    assert f"--machine {SPEAKERS[vendor]} or" in caught.value.message


@pytest.mark.parametrize("vendor", TEXTS)
def test_the_error_for_a_trace_in_place_of_a_program_names_its_format(vendor: str) -> None:
    with pytest.raises(InputError, match="not a program; name its file") as caught:
        ndpir.parse(TEXTS[vendor].read_text(encoding="utf-8"), "x.mlir")
    assert TITLES[vendor] in str(caught.value)


def test_a_program_in_place_of_a_trace_is_an_error() -> None:
    with pytest.raises(InputError, match="this is a program in MLIR's text"):
        read_trace("func.func @f() {\n  func.return\n}\n", device("aim"), "x.trace")


def test_other_texts_have_no_vendor() -> None:
    assert vendor_of("") is None
    assert vendor_of("hello\nworld\n") is None

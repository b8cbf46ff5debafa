"""Tests of the messages of the comparison with published simulators for results that it can't read."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import pytest

from benchmarks.pim_cycles import main

DATA = Path(__file__).parents[2] / "data"
HEADER = "trace,cycles,notes,config"
GOOD = "m00_eoc.trace,2,end alone,gddr6"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """The path of a results file in a folder with one trace."""
    (tmp_path / "traces").mkdir()
    copy(DATA / "aim" / "traces" / "m00_eoc.trace", tmp_path / "traces")
    return tmp_path / "results.csv"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (b"m00_eoc.trace,xx,,gddr6", "`cycles` is `xx`; a whole number of 0 or more is expected"),
        (b"m00_eoc.trace,-2,,gddr6", "`cycles` is `-2`; a whole number of 0 or more is expected"),
        (b"m00_eoc.trace,,,gddr6", "`cycles` is ``; a whole number of 0 or more is expected"),
        (b"m00_eoc.trace,2", "the row has 2 values; 4 are expected, one for each column"),
        (b"m00_eoc.trace,2,a,gddr6,b", "the row has 5 values; 4 are expected, one for each column"),
        (b"m00_eoc.trace,2,\xb5s,gddr6", "there is a byte 0xb5 that is not UTF-8; UTF-8 text is expected"),
        (b"m00_eoc.trace,2,,gddr7", "`config` is `gddr7`; `gddr6` or `lpddr5` is expected"),
        (b",2,,gddr6", "the row names no trace; the name of its file is expected"),
        (b'm00_eoc.trace,2,,"gddr6', "this is no line of comma-separated values: unexpected end of data"),
    ],
)
def test_a_wrong_row_does_not_count_as_equal(
    results: Path, capsys: pytest.CaptureFixture[str], row: bytes, message: str
) -> None:
    results.write_bytes(f"{HEADER}\n{GOOD}\n".encode() + row + b"\n")
    assert main([results.parent]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "aim: 1 of 2 rows equal",
        f"  {results}:3: {message}",
        "  worst row: none of those compared differs",
        "aim 1/2 equal",
    ]


def test_rows_with_the_same_error_share_a_message(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results.write_text("\n".join([HEADER, "a,1,,x", GOOD, "b,2,,x", "c,3,,x"]))
    assert main([results.parent]) == 1
    assert f"  {results}:2: `config` is `x`; `gddr6` or `lpddr5` is expected (also :4, :5)\n" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", ":1", "the file is empty; a header and rows are expected"),
        (HEADER, ":1", "there is a header alone; rows are expected below it"),
        ("cycles,config\n2,gddr6", ":1", "the columns are `cycles,config`; `trace` or `file` is expected"),
        ("trace,cycles\na,2", ":1", "the columns are `trace,cycles`; `config` is expected"),
        (None, "", "there is no file results.csv or golden_cycles.csv"),
    ],
)
def test_a_folder_without_rows_is_an_error(
    results: Path, capsys: pytest.CaptureFixture[str], text: str | None, place: str, message: str
) -> None:
    """After the error for a folder without rows, the other folders are still compared."""
    if text is not None:
        results.write_text(text)
    assert main([results.parent, DATA / "attacc"]) == 1
    printed = capsys.readouterr()
    assert printed.err == f"{results if place else results.parent}{place}: {message}\n"
    assert printed.out.splitlines()[-1] == "attacc 14/14 equal"
    assert main([results.parent]) == 1
    assert capsys.readouterr().out == ""


def test_a_trace_that_is_not_text_is_an_error(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results.write_text(f"{HEADER}\n{GOOD}\n")
    trace = results.parent / "traces" / "m00_eoc.trace"
    trace.write_bytes(b"AiM EOC\n\xff\n")
    assert main([results.parent]) == 1
    message = "there is a byte 0xff that is not UTF-8; UTF-8 text is expected"
    assert f"  m00_eoc.trace (aim_ramulator): {trace}:2: {message}\n" in capsys.readouterr().out


@pytest.mark.parametrize("energy", ["nan", "inf", "-1"])
def test_a_wrong_energy_is_an_error(results: Path, capsys: pytest.CaptureFixture[str], energy: str) -> None:
    results.write_text(f"trace,cycles,config,total_energy_J\nm00_eoc.trace,2,default,{energy}\n")
    assert main([results.parent]) == 1
    assert f"`total_energy_J` is `{energy}`; a number of 0 or more is expected" in capsys.readouterr().out

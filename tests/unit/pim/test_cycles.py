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
        (b"m00_eoc.trace,xx,,gddr6", "`cycles` is `xx`; expected a whole number of 0 or more"),
        (b"m00_eoc.trace,-2,,gddr6", "`cycles` is `-2`; expected a whole number of 0 or more"),
        (b"m00_eoc.trace,,,gddr6", "`cycles` is ``; expected a whole number of 0 or more"),
        (b"m00_eoc.trace,2", "met 2 values; expected 4, one for each column"),
        (b"m00_eoc.trace,2,a,gddr6,b", "met 5 values; expected 4, one for each column"),
        (b"m00_eoc.trace,2,\xb5s,gddr6", "byte 0xb5 is not UTF-8; expected UTF-8 text"),
        (b"m00_eoc.trace,2,,gddr7", "`config` is `gddr7`; expected `gddr6` or `lpddr5`"),
        (b",2,,gddr6", "this row has no trace; expected the name of the trace's file"),
        (b'm00_eoc.trace,2,,"gddr6', "expected a line of comma-separated values: unexpected end of data"),
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
    assert f"  {results}:2: `config` is `x`; expected `gddr6` or `lpddr5` (also :4, :5)\n" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", ":1", "this file is empty; expected a header and rows"),
        (HEADER, ":1", "this file has only a header; expected rows below it"),
        ("cycles,config\n2,gddr6", ":1", "met columns `cycles,config`; expected `trace` or `file`"),
        ("trace,cycles\na,2", ":1", "met columns `trace,cycles`; expected `config`"),
        (None, "", "this directory has no results; expected a file results.csv or golden_cycles.csv"),
    ],
)
def test_a_folder_without_rows_is_an_error(
    results: Path, capsys: pytest.CaptureFixture[str], text: str | None, place: str, message: str
) -> None:
    """A folder without rows is reported as an error, and all other folders are compared nevertheless."""
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
    message = "byte 0xff is not UTF-8; expected UTF-8 text"
    assert f"  m00_eoc.trace (aim_ramulator): {trace}:2: {message}\n" in capsys.readouterr().out


@pytest.mark.parametrize("energy", ["nan", "inf", "-1"])
def test_a_wrong_energy_is_an_error(results: Path, capsys: pytest.CaptureFixture[str], energy: str) -> None:
    results.write_text(f"trace,cycles,config,total_energy_J\nm00_eoc.trace,2,default,{energy}\n")
    assert main([results.parent]) == 1
    assert f"`total_energy_J` is `{energy}`; expected a number of 0 or more" in capsys.readouterr().out

"""Files of measured kernels: usable rows, and messages on unusable ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialects.diagnostics import InputError, notes_to
from ndpir.calibrate.rows import Measurement, Remarks, read_rows

HEAD = "class,element,way,rows,cols,read,written,flops,warm,lat_us,power_w\n"


def read(text: str) -> tuple[list[Measurement], list[str], int]:
    """The usable rows, the messages as `PLACE: MESSAGE`, and the number of skipped rows."""
    notes: list[str] = []
    remarks = Remarks()
    with notes_to(lambda message, place: notes.append(f"{place}: {message}")):
        rows = read_rows(text, "m.csv", remarks)
        remarks.sum_up("m.csv")
    return rows.usable, notes, remarks.left_out


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("gem,f32,graph,1,9,9,9,9,0,5,", "2:1: there is no class of kernels `gem`; did you mean `gemm`? This row"),
        (",f32,graph,1,9,9,9,9,0,5,", "2:1: the row has no class of kernels; this row is skipped"),
        ("copy,fp16,graph,1,9,9,9,9,0,5,", "2:6: there is no element type `fp16`; did you mean `f16`?"),
        ("copy,f32,grap,1,9,9,9,9,0,5,", "2:10: there is no way to submit kernels `grap`; did you mean `graph`?"),
        ("copy,f32,graph,1,,9,9,9,0,5,", "2:1: copy needs `cols` (elements per row)"),
        ("copy,f32,graph,1,nine,9,9,9,0,5,", "2:18: `cols` is `nine`, but must be a number"),
        ("copy,f32,graph,1,0,9,9,9,0,5,", "2:18: `cols` is 0, a size that no kernel has"),
        ("copy,f32,graph,1,-9,9,9,9,0,5,", "2:18: `cols` is -9, a size that no kernel has"),
        ("copy,f32,graph,1,9,9,9,9,2,5,", "2:26: `warm` is 2, but must be 1 where"),
        ("copy,f32,graph,1,9,9,9,9,0,0,", "2:28: `lat_us` is 0, but must be above 0"),
        ("copy,f32,graph,1,9,9,9,9,0,-2,", "2:28: `lat_us` is -2, but must be above 0"),
        ("copy,f32,graph,1,9,9,9,9,0,nan,", "2:28: `lat_us` is `nan`, but must be a number"),
        ("copy,f32,graph,1,9,9,9,9,0,1e999,", "2:28: `lat_us` is `1e999`, but must be a number"),
        ("copy,f32,graph,1,9,9,9,9,0,,", "2:1: `lat_us` is an empty cell, but must be a number"),
        ("copy,f32,graph,1,9,9,9,9,0,5", "2:28: the row has 10 cells, but the header has 11"),
        ("copy,f32,graph,1,9,9,9,9,0,5,,7", "2:31: the row has 12 cells, but the header has 11"),
        ('"copy,f32,graph,1,9,9,9,9,0,5,', '2:1: the quoted text "copy,f32'),
        ("gemm,f32,graph,1,9,9,9,9,0,5,", "2:16: gemm has no column `rows`, but its cell is 1"),
    ],
)
def test_unusable_rows_are_reported_with_location(row: str, expected: str) -> None:
    usable, notes, left_out = read(HEAD + row + "\n")
    assert (usable, left_out) == ([], 1)
    assert notes[0].startswith(f"m.csv:{expected}")
    assert "his row is skipped" in notes[0]


def test_copied_rows_are_skipped_but_repeated_measurements_kept() -> None:
    rows = ["copy,f32,graph,1,9,9,9,9,0,5,", "copy,f32,graph,1,9,9,9,9,0,5,", "copy,f32,graph,1,9,9,9,9,0,6,"]
    usable, notes, left_out = read(HEAD + "\n".join(rows))
    assert (len(usable), left_out) == (2, 1)
    assert notes == ["m.csv:3:28: this row repeats line 2 with the same time; this row is skipped"]


def test_number_of_skipped_rows_is_reported() -> None:
    _, notes, left_out = read(HEAD + "copy,f32,graph,1,9,9,9,9,0,0,\n" * 30)
    assert left_out == 30
    assert len(notes) == 11
    assert notes[-1] == "m.csv: 30 rows are skipped in all; only the first 10 are listed"


def test_power_column_and_its_errors() -> None:
    rows = ["copy,f32,graph,1,9,9,9,9,0,5,250", "copy,f32,graph,1,9,9,9,9,0,6,0"]
    usable, notes, _ = read(HEAD + "\n".join(rows))
    assert usable[0].power_w == 250
    assert np.isnan(usable[1].power_w)
    assert notes == ["m.csv:3:30: `power_w` is 0, but must be above 0; it is ignored"]


def test_comments_quotes_blanks_and_windows_line_ends() -> None:
    text = '\ufeff# by hand\r\n\r\n class , element,lat_us,cols,read,written\r\n"copy",f16, 5 ,9,"18",18\r\n'
    usable, notes, left_out = read(text)
    assert (len(usable), notes, left_out) == (1, [], 0)
    assert usable[0].columns["read"] == 18
    assert usable[0].columns["bytes"] == 2
    assert usable[0].place == "m.csv:4:13"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("", "m.csv:1:1: the file has no header"),
        ("class,element", "m.csv:1:1: the header lacks column `lat_us`"),
        ("class,element,lat_us,lat_us", "m.csv:1:22: column `lat_us` appears twice"),
        ("class,element,lat_s", "m.csv:1:15: there is no column `lat_s`; did you mean `lat_us`?"),
        ("class;element;lat_us", "m.csv:1:1: met ';', but columns must be separated by commas"),
        ('class,"element', 'm.csv:1:7: the quoted text "element has no closing quote in its cell'),
    ],
)
def test_unusable_headers_are_errors(head: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read(head)
    assert f"{caught.value.place}: {caught.value.message}".startswith(expected)


def test_unknown_columns_are_ignored() -> None:
    _, notes, _ = read("class,element,lat_us,zzz\n")
    assert notes == ["m.csv:1:22: column `zzz` is ignored, since no class has it (--list-classes)"]


CELLS = ["copy", "gemm", "f32", "f16", "graph", "eager", "", "0", "1", "9", "-3", "1e9", "nan", '"', "é", "#", "1,2"]


@pytest.mark.slow
@given(st.lists(st.lists(st.sampled_from(CELLS), min_size=9, max_size=12), max_size=6), st.text(max_size=30))
def test_random_rows_are_read_or_reported(rows: list[list[str]], tail: str) -> None:
    usable, notes, left_out = read(HEAD + "\n".join(",".join(row) for row in rows) + "\n" + tail)
    assert all(row.ns > 0 for row in usable)
    assert len(notes) >= min(left_out, 10)


@given(st.text(max_size=60))
def test_random_text_is_read_or_rejected(text: str) -> None:
    complaint = None
    try:
        read(text)
    except InputError as error:
        complaint = error
    if complaint is not None:
        assert complaint.message.strip()
        assert (complaint.place or "").startswith("m.csv:")

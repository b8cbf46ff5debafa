"""Tests of reading G10's traces, each of which is two tables, and of the errors for wrong tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialects.diagnostics import InputError
from ndpir.traces.g10 import G10Case, cases, read_g10, read_tables

FOLDER = Path("tests/data/g10")
KERNELS = "kernel,name,layer,ms,ms_output_faults,ms_all_faults,workspace_bytes,inputs,outputs\n"
TENSORS = "tensor,bytes,global,birth,death\n"
TWO_KERNELS = KERNELS + "0,a,0,0.5,1,2,0,0,1\n1,b,0,0.25,1,2,0,0 1,2\n"
THREE_TENSORS = TENSORS + "0,4096,1,,\n1,8192,0,0,2\n2,4096,0,1,-1\n"


def read(tmp_path: Path, kernels: str = TWO_KERNELS, tensors: str = THREE_TENSORS) -> G10Case:
    (tmp_path / "k.csv").write_text(kernels)
    (tmp_path / "t.csv").write_text(tensors)
    return read_tables(tmp_path / "k.csv", tmp_path / "t.csv")


def test_a_case_is_read_from_two_tables_of_a_folder() -> None:
    assert cases(FOLDER) == ["Small_1"]
    case = read_g10(FOLDER, "Small_1")
    assert (len(case.trace.kernels), len(case.trace.tensors)) == (16, 18)
    convolution = case.trace.kernels[3]
    assert (convolution.name, convolution.reads, convolution.writes) == ("Conv2d_Forward", (2, 5), (7, 6))
    assert case.cycles[3] == 480_000  # 0.4 ms at 1.2 GHz
    assert convolution.ns == pytest.approx(400_000)
    assert case.trace.tensors[2].persistent
    assert not case.trace.tensors[5].persistent
    assert case.trace.first[5] == 2
    assert case.trace.last[5] == 12


def test_times_are_rounded_down_to_cycles_and_are_never_shorter_with_faults(tmp_path: Path) -> None:
    rows = "0,a,0,0.0000021,0.0000012,0.000009,0,0,1\n1,b,0,0.25,0.1,0.2,0,0 1,2\n"
    case = read(tmp_path, KERNELS + rows)
    assert case.cycles == (2, 300_000)
    assert case.output_fault_cycles == (2, 300_000)
    assert case.all_fault_cycles == (10, 300_000)
    assert case.ideal_cycles == 300_002


@pytest.mark.parametrize(
    ("kernels", "tensors", "expected"),
    [
        ("", THREE_TENSORS, "k.csv: the file is empty"),
        (KERNELS, THREE_TENSORS, "k.csv: the table has no kernel"),
        (KERNELS.replace("ms,", "msec,"), THREE_TENSORS, "k.csv:1:19: there is no column `msec`"),
        (KERNELS.replace("layer", "name"), THREE_TENSORS, "k.csv:1:13: the column `name` appears twice"),
        (KERNELS.replace(",inputs", ""), THREE_TENSORS, "k.csv:1:1: a table of kernels must have a column `inputs`"),
        (KERNELS + "0,a,0,0.5,1\n", THREE_TENSORS, "k.csv:2:11: the line ends after 5 of 9 values, before ms_all"),
        (
            TWO_KERNELS.replace("0,0 1,2", "0,0 1,2,7"),
            THREE_TENSORS,
            "k.csv:3:24: the line has 10 values, but the first line names only 9 columns",
        ),
        (TWO_KERNELS.replace("1,b", "2,b"), THREE_TENSORS, "k.csv:3:1: met `2` in column `kernel`, expected 1"),
        (TWO_KERNELS.replace("0 1,2", "0 9,2"), THREE_TENSORS, "k.csv:3:20: met `9` in column `inputs`, expected the"),
        (TWO_KERNELS.replace("0 1,2", "0 1,x"), THREE_TENSORS, "k.csv:3:22: met `x` in column `outputs`"),
        (TWO_KERNELS.replace("0.25", "nan"), THREE_TENSORS, "k.csv:3:7: met `nan` in column `ms`, expected a number"),
        (TWO_KERNELS.replace("0.25", "-1"), THREE_TENSORS, "k.csv:3:7: met `-1` in column `ms`"),
        (TWO_KERNELS.replace("0.25", "1e300"), THREE_TENSORS, "k.csv:3:7: met `1e300` in column `ms`"),
        (TWO_KERNELS.replace("0.25", ""), THREE_TENSORS, "k.csv:3:7: met nothing in column `ms`"),
        (
            TWO_KERNELS.replace("2,0,0 1", "2,64,0 1"),
            THREE_TENSORS.replace("4096,0,1", "8192,0,1"),
            "k.csv:3:16: met `64`",
        ),
        (
            TWO_KERNELS,
            THREE_TENSORS.replace("8192", "0"),
            "t.csv:3:3: met `0` in column `bytes`, expected bytes fr",
        ),
        (TWO_KERNELS, THREE_TENSORS.replace("8192", "9" * 5000), "t.csv:3:3: met `999"),
        (TWO_KERNELS, THREE_TENSORS.replace("4096,1", "4096,2"), "t.csv:2:8: met `2` in column `global`"),
        (
            TWO_KERNELS,
            THREE_TENSORS.replace("0,0,2", "0,0,0"),
            "t.csv:3:12: met `0` in column `death`, exp",
        ),
        (TWO_KERNELS, THREE_TENSORS.replace("8192,0,0,2", "8192,0,1,2"), "t.csv:3:10: met `1` in column `birth`, exp"),
        (TWO_KERNELS, THREE_TENSORS.replace("8192,0,0,2", "8192,0,0,-1"), "t.csv:3:12: met `-1` in column `death`, ex"),
        (TWO_KERNELS, THREE_TENSORS.replace("4096,1,,", "4096,1,0,"), "t.csv:2:10: met `0` in column `birth`"),
        (TWO_KERNELS, TENSORS, "t.csv: the table has no tensor"),
    ],
)
def test_a_wrong_table_is_an_error_with_line_and_column(
    tmp_path: Path, kernels: str, tensors: str, expected: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, kernels, tensors)
    location = (caught.value.place or "").removeprefix(f"{tmp_path}/")
    assert f"{location}: {caught.value.message}".startswith(expected)
    assert "\n" not in caught.value.message


def test_missing_tables_and_cases_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this folder has no case `Smal_1`; did you mean `Small_1`"):
        read_g10(FOLDER, "Smal_1")
    with pytest.raises(InputError, match=r"the folder has no file whose name ends with _kernels\.csv"):
        read_g10(tmp_path, "Small_1")
    (tmp_path / "A_kernels.csv").write_text(TWO_KERNELS)
    with pytest.raises(InputError, match="can't be read: no such file or directory; expected a table of tensors"):
        read_g10(tmp_path, "A")
    with pytest.raises(InputError, match="expected a folder with traces"):
        read_g10(tmp_path / "none", "A")
    (tmp_path / "A_tensors.csv").write_bytes(b"tensor,bytes\xff")
    with pytest.raises(InputError, match="met the byte 0xff, expected UTF-8 text") as caught:
        read_g10(tmp_path, "A")
    assert caught.value.place == f"{tmp_path}/A_tensors.csv:1:13"

"""Tables of results from strangers: each that is no such table is refused with a sentence."""

from __future__ import annotations

import tracemalloc
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from dialects.diagnostics import InputError
from ndpir.sweep import tables
from ndpir.sweep.journal import Row
from ndpir.sweep.pages import sizes_of_pages
from ndpir.sweep.tables import read_rows, write_table

pyarrow: Any = pytest.importorskip("pyarrow")
parquet: Any = pytest.importorskip("pyarrow.parquet")
ROWS = [
    Row(0, {"x": 1, "m": "a"}, {"makespan_ns": 1.5, "energy_nj": 2, "none": None}, "", 0.0),
    Row(1, {"x": 2, "m": "b"}, {}, "failed, with a comma", 0.0),
]
HEAD = "x,makespan_ns,error\n"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_tables_survive_their_files(tmp_path: Path, ending: str) -> None:
    path = str(tmp_path / f"r.{ending}")
    write_table(path, ROWS)
    assert read_rows(path) == ROWS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "r.csv: the file has no columns `makespan_ns` and `error`"),
        ("a,b\n1,2\n", "r.csv: the file has no columns `makespan_ns` and `error`"),
        ("x,error\n1,\n", "r.csv: the file has no columns `makespan_ns` and `error`"),
        (f"{HEAD}1,2,,4\n", "r.csv:2:1: the line has 4 values, but the first line names 3 columns"),
        (f"{HEAD}1,2,\n\n1\n", "r.csv:4:1: the line has 1 values, but the first line names 3 columns"),
        ("x,x,makespan_ns,error\n1,2,3,\n", "r.csv: the file has two columns `x`; keep one"),
        (f'{HEAD}1,"2,\n', "r.csv: the file is not a table: unexpected end of data"),
        (f"{HEAD}{'9' * 200_000},1,\n", "r.csv: the file is not a table: field larger than field limit"),
        (f"{HEAD}\udcff,1,\n", "r.csv: the file is not a table: 'utf-8' codec can't decode byte 0xff"),
    ],
)
def test_a_csv_file_that_is_no_table(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as error:
        read_rows(str(path))
    assert expected.removeprefix("r.csv") in f"{(error.value.place or '').removeprefix(str(path))}: {error.value}"


def test_numbers_too_large_for_a_file_of_json_are_floats_or_texts(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text(f"{HEAD}{10**40},{'9' * 400},\n1e999,nan,\n-7,{'1' * 5000},\n")
    found = read_rows(str(path))
    assert [row.point["x"] for row in found] == [1e40, "1e999", -7]
    assert [row.figures["makespan_ns"] for row in found] == ["9" * 400, "nan", "1" * 5000]


def written(path: Path, **columns: Any) -> str:
    parquet.write_table(pyarrow.table(columns), path)
    return str(path)


def refused(path: str, expected: str) -> None:
    with pytest.raises(InputError) as error:
        read_rows(path)
    assert expected in error.value.message


def test_a_parquet_file_that_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    for column, kind in (([[1]], "list<element: int64>"), ([{"a": 1}], "struct<a: int64>"), ([b"a"], "binary")):
        refused(written(path, x=column, makespan_ns=[1.0], error=[None]), f"the column `x` holds values of type {kind}")
    refused(written(path, x=[1]), "the file has no columns `makespan_ns` and `error`")
    parquet.write_table(pyarrow.table([[1], [2], [None]], names=["x", "x", "error"]), path)
    refused(str(path), "the file has two columns `x`; keep one")
    path.write_text("no table")
    refused(str(path), "the file is not a Parquet table: ")
    data = Path(written(tmp_path / "s.parquet", x=[1, 2], makespan_ns=[1.0, float("inf")], error=[None, None]))
    assert [row.figures["makespan_ns"] for row in read_rows(str(data))] == [1.0, "inf"]
    whole = data.read_bytes()
    for at in range(4, len(whole) - 8, 40):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        with suppress(InputError):  # some bytes are not noticed
            read_rows(str(path))


def test_a_parquet_file_is_refused_by_its_stated_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 20_000_000
    path = written(
        tmp_path / "r.parquet", x=pyarrow.nulls(count), y=pyarrow.nulls(count), error=pyarrow.nulls(count),
        makespan_ns=pyarrow.nulls(count), z=pyarrow.nulls(count), u=pyarrow.nulls(count),
    )  # fmt: skip
    assert Path(path).stat().st_size < 1_000_000
    refused(path, "it states 20000000 rows, but at most 2097152 are read")
    monkeypatch.setattr(tables, "_MOST_ROWS", count)
    refused(path, "it states 120000000 values, but at most 33554432 are read")
    path = written(tmp_path / "s.parquet", x=["a" * 1000] * 1000, makespan_ns=[1.0] * 1000, error=[None] * 1000)
    monkeypatch.setattr(tables, "_MOST_BYTES", 1000)
    refused(path, "bytes unpacked, but at most 1000 are read")
    monkeypatch.setattr(tables, "_MOST_BYTES", 100_000)  # the dictionary of one text is small; unpacked, it is not
    refused(path, "it states 1000000 bytes unpacked")


def bomb(path: Path, texts: int, length: int, rows: int) -> str:
    """A file whose rows share a few long texts, which it holds once."""
    indices = pyarrow.array([row % texts for row in range(rows)], pyarrow.int32())
    words = pyarrow.array([chr(97 + index) * length for index in range(texts)])
    columns = {
        "m": pyarrow.DictionaryArray.from_arrays(indices, words),
        "makespan_ns": [1.0] * rows,
        "error": pyarrow.array([None] * rows, pyarrow.string()),
    }
    parquet.write_table(pyarrow.table(columns), path, compression="zstd", store_schema=False, write_statistics=False)
    return str(path)


def test_texts_that_many_rows_share_are_counted_before_they_are_unpacked(tmp_path: Path) -> None:
    """3 GB of texts in less than 2000 bytes: refused with few of them in memory."""
    path = bomb(tmp_path / "b.parquet", 1, 1_000_000, 3000)
    assert Path(path).stat().st_size < 2000
    tracemalloc.start()
    before = pyarrow.total_allocated_bytes()
    try:
        refused(path, "bytes unpacked, but at most 268435456 are read")
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert pyarrow.default_memory_pool().max_memory() - before < 100_000_000


def test_texts_that_rows_share_are_read(tmp_path: Path) -> None:
    """In several batches, with one dictionary and with none."""
    rows = read_rows(bomb(tmp_path / "b.parquet", 3, 1000, 1000))
    assert [row.point["m"] for row in rows] == [chr(97 + row % 3) * 1000 for row in range(1000)]
    assert len({id(row.point["m"]) for row in rows}) == 3
    columns = {"m": [f"a{row}" if row % 5 else None for row in range(1000)], "makespan_ns": [1.0] * 1000}
    table = pyarrow.table({**columns, "error": pyarrow.nulls(1000)})
    for kind in (pyarrow.string(), pyarrow.large_string()):
        table = table.set_column(0, "m", table["m"].cast(kind))
        parquet.write_table(table, tmp_path / "c.parquet", use_dictionary=False, row_group_size=300)
        assert [row.point.get("m") for row in read_rows(str(tmp_path / "c.parquet"))] == columns["m"]


@pytest.mark.parametrize("length", [70_000, 3_000_000])
def test_the_sizes_of_pages_count_and_not_those_of_the_footer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    """pyarrow unpacks what the header of a page states, whatever the footer says."""
    path = Path(bomb(tmp_path / "b.parquet", 1, length, 2))
    data = path.read_bytes()
    metadata = parquet.ParquetFile(path).metadata
    group = metadata.row_group(0)
    footer = data.rindex(data[-8:-4], 0, len(data)) - int.from_bytes(data[-8:-4], "little")
    head, tail = data[:footer], data[footer:]
    for size in {group.total_byte_size, group.column(0).total_uncompressed_size}:
        tail = tail.replace(_varint(size), _varint(1, len(_varint(size))))
    path.write_bytes(head + tail)
    metadata = parquet.ParquetFile(path).metadata
    assert metadata.row_group(0).total_byte_size == 1
    assert [len(str(row.point["m"])) for row in read_rows(str(path))] == [length] * 2
    monkeypatch.setattr(tables, "_MOST_BYTES", 60_000)
    refused(str(path), f"the file is too large: it states {length + 4} bytes unpacked, but at most 60000 are read")


def _varint(value: int, length: int = 0) -> bytes:
    """A number as Thrift writes it, in so many bytes."""
    value, found = value << 1, list[int]()
    while value > 127 or len(found) + 1 < length:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def test_pages_of_files_that_others_wrote(tmp_path: Path) -> None:
    """All versions, compressions and statistics have headers that are read, and all pages count."""
    columns = {"m": [f"{row}" * 300 for row in range(3000)], "makespan_ns": [float(row) for row in range(3000)]}
    table = pyarrow.table({**columns, "error": pyarrow.nulls(3000)})
    path = str(tmp_path / "r.parquet")
    for version in ("1.0", "2.0"):
        for compression in ("none", "snappy", "zstd", "gzip"):
            parquet.write_table(
                table, path, compression=compression, data_page_version=version, data_page_size=10_000,
                use_dictionary=version == "1.0", row_group_size=1000, write_page_checksum=True,
            )  # fmt: skip
            assert [row.point["m"] for row in read_rows(path)] == columns["m"]
            metadata = parquet.ParquetFile(path).metadata
            with open(path, "rb") as file:
                pages = [size for chunk in tables._chunks(metadata) for size in sizes_of_pages(file, *chunk)]  # pyright: ignore[reportPrivateUsage]
            stated = sum(metadata.row_group(index).total_byte_size for index in range(metadata.num_row_groups))
            assert 0 <= stated - sum(pages) < 5000 * len(pages), "they differ by more than headers with statistics"


@pytest.mark.parametrize("data", [b"", b"\x15", b"\xff" * 99, b"\x1c" * 99, b"\x19\xfc" + b"\xff" * 9, b"\x00" * 99])
def test_a_header_of_a_page_that_is_none(data: bytes) -> None:
    with pytest.raises(ValueError, match="page"):
        list(sizes_of_pages(BytesIO(data), 0, 99))

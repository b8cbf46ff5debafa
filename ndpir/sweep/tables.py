"""Results of sweeps as tables: CSV, Parquet, or the SQLite file of the journal, by the file's extension."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from io import BytesIO, StringIO, TextIOWrapper
from typing import Any, BinaryIO, TypeAlias

from dialects.diagnostics import FileName, InputError
from dialects.files import open_regular, reason_of, written
from dialects.text.printable import printable
from ndpir.diagnostics.usage import UsageError
from ndpir.reports.columns import Figure
from ndpir.sweep.axes import LARGEST, number
from ndpir.sweep.journal import Row, axes_in, figures_in, read_journal
from ndpir.sweep.pages import sizes_of_pages

SQLITE = (".sqlite", ".sqlite3", ".db")


def journal_of(path: str) -> str:
    """The path of the journal of a results file: the file itself if it is SQLite, otherwise a file in the same
    folder."""
    return path if path.endswith(SQLITE) else f"{path}.sqlite"


def check_format(path: str) -> None:
    """Raise UsageError if the extension of a results file is unknown, and InputError if the library for it is
    missing."""
    if path.endswith(SQLITE) or path.endswith(".csv"):
        return
    if not path.endswith(".parquet"):
        raise UsageError(
            f"-o {path}: results are written as .sqlite, .parquet or .csv; use a file name with one of these endings"
        )
    _parquet_library("pyarrow.parquet")


def _parquet_library(name: str) -> Any:
    """A module of pyarrow by name; pyarrow has no type annotations. Raises InputError if it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        raise InputError(
            "Parquet files need pyarrow; install it with pip install 'ndpir[sweep]', or write .sqlite or .csv"
        ) from None


def columns_of(rows: Sequence[Row]) -> list[str]:
    """The columns of a table: first the axes, then the figures, then the error."""
    return [*axes_in(rows), *figures_in(rows), "error"]


def lines_of(rows: Sequence[Row]) -> Iterator[list[Figure]]:
    """The values of each row by column; None for axes and figures that the row does not have."""
    axes, figures = axes_in(rows), figures_in(rows)
    for row in rows:
        yield [*map(row.point.get, axes), *map(row.figures.get, figures), row.error or None]


def csv_text(rows: Sequence[Row]) -> str:
    """The rows as CSV with a header; floats are written with all their digits, and figures that a row does not have are
    empty."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns_of(rows))
    writer.writerows(lines_of(rows))
    return text.getvalue()


def write_table(path: str, rows: Sequence[Row]) -> None:
    """Write rows to a CSV or Parquet file. For a journal, do nothing, since it has the rows already. Raises InputError
    if writing fails."""
    if path.endswith(SQLITE):
        return
    data = csv_text(rows).encode() if path.endswith(".csv") else _parquet(rows)
    with written(path) as file:
        file.write(data)


def _parquet(rows: Sequence[Row]) -> bytes:
    pyarrow, names = _parquet_library("pyarrow"), columns_of(rows)
    columns = zip(*lines_of(rows), strict=True) if rows else [()] * len(names)
    table: Mapping[str, list[Figure]] = dict(zip(names, map(_of_one_type, columns), strict=True))
    sink = BytesIO()
    _parquet_library("pyarrow.parquet").write_table(pyarrow.table(table), sink)
    return sink.getvalue()


def _of_one_type(values: Sequence[Figure]) -> list[Figure]:
    """The values of a column converted to one type: text if any value is text, otherwise floating point if any value
    is."""
    kinds = set(map(type, values)) - {type(None)}
    if len(kinds) < 2:
        return list(values)
    kind: Callable[[Any], Figure] = str if str in kinds else float if float in kinds else int
    return [None if value is None else kind(value) for value in values]


def read_rows(path: str) -> list[Row]:
    """The rows of a results file. Raises InputError, at the path, for a file that does not contain results of a
    sweep."""
    if path.endswith(SQLITE):
        return read_journal(path)
    place = FileName(path)
    try:
        with open_regular(path) as file:
            if path.endswith(".parquet"):
                names, lines = _of_parquet(file, place)
            elif path.endswith(".csv"):
                names, lines = _of_csv(file, place)
            else:
                raise InputError(
                    "the file's name must end in .sqlite, .parquet or .csv; give a file that ndp-sweep wrote", place
                )
            return _rows(names, lines, place)
    except OSError as error:
        raise InputError(f"can't be read: {reason_of(error)}", place) from None
    except (ValueError, csv.Error) as error:
        raise InputError(f"the file is not a table: {error}", place) from None


Lines: TypeAlias = Iterable[Sequence[Figure]]
"""The lines of a table, as many values in each as the table has columns."""


def _rows(names: Sequence[str], lines: Lines, place: FileName) -> list[Row]:
    """The rows of a table: the columns before `makespan_ns` (or before `error`, if all points failed) are axes."""
    if "error" not in names:
        raise _no_results(place)
    if len(set(names)) < len(names):
        twice, _ = Counter(names).most_common(1)[0]
        raise InputError(f"the file has two columns `{printable(twice)}`; keep one", place)
    first = names.index("makespan_ns") if "makespan_ns" in names else max(len(names) - 1, 0)
    rows: list[Row] = []
    for count, line in enumerate(lines):
        record = dict(zip(names, line, strict=True))
        error = "" if (found := record.pop("error", None)) is None else str(found)
        point = {name: value for name in names[:first] if (value := record.get(name)) is not None}
        figures = {} if error else {name: record[name] for name in names[first:] if name in record}
        rows.append(Row(count, point, figures, error, 0.0))
    if "makespan_ns" not in names and not all(row.error for row in rows):
        raise _no_results(place)
    return rows


def _no_results(place: FileName) -> InputError:
    message = "the file has no columns `makespan_ns` and `error`; give a file that ndp-sweep wrote"
    return InputError(message, place)


def _of_csv(file: BinaryIO, place: FileName) -> tuple[list[str], Lines]:
    """The names of a CSV file's columns, and its lines."""
    reader = csv.reader(TextIOWrapper(file, encoding="utf-8-sig", newline=""), strict=True)
    names = next(reader, list[str]())

    def lines() -> Iterator[Sequence[Figure]]:
        for line in reader:
            if not line:
                continue
            if len(line) != len(names):
                raise InputError(
                    f"the line has {len(line)} values, but the first line names {len(names)} columns; give a file that "
                    "ndp-sweep wrote",
                    f"{place}:{reader.line_num}:1",
                )
            yield [number(text) if text else None for text in line]

    return names, lines()


_MOST_ROWS = 1 << 21
_MOST_CELLS = 1 << 25
"""The largest numbers of rows and of values of a Parquet file: a small file may state any number of equal ones."""
_MOST_BYTES = 256 << 20
"""The largest number of bytes that the columns of a Parquet file may take when they are unpacked."""
_BATCH = 1 << 12
"""The number of rows that are unpacked before their bytes are counted."""


def _of_parquet(file: BinaryIO, place: FileName) -> tuple[list[str], Lines]:
    """The names of a Parquet file's columns, and its lines. The file is refused by the sizes that its pages state,
    before they are unpacked, and the bytes of its rows are counted before the rows are made.

    Texts are read as indices into a dictionary: a long text that many rows share takes few bytes in the file, and would
    take its length in each row.
    """
    pyarrow, parquet = _parquet_library("pyarrow"), _parquet_library("pyarrow.parquet")

    def broken(error: object) -> InputError:
        return InputError(f"the file is not a Parquet table: {' '.join(str(error).split())[:200]}", place)

    def checked(found: int, most: int, of: str) -> None:
        if not 0 <= found <= most:
            raise InputError(
                f"the file is too large: it states {found} {of}, but at most {most} are read; give a file that "
                "ndp-sweep wrote, or divide it",
                place,
            )

    try:
        table = parquet.ParquetFile(file)
        metadata = table.metadata
        names, types = list(map(str, table.schema_arrow.names)), list(table.schema_arrow.types)
        checked(metadata.num_rows, _MOST_ROWS, "rows")
        checked(metadata.num_rows * len(names), _MOST_CELLS, "values")
        unpacked = 0
        for chunk in _chunks(metadata):
            for size in sizes_of_pages(file, *chunk):
                unpacked += size
                checked(unpacked, _MOST_BYTES, "bytes unpacked")
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise broken(error) from None
    of = pyarrow.types
    known = (of.is_integer, of.is_floating, of.is_string, of.is_large_string, of.is_null)
    for name, kind in zip(names, types, strict=True):
        if not any(check(kind) for check in known):
            raise InputError(
                f"the column `{printable(name)}` holds values of type {printable(str(kind))}, but numbers and texts "
                "are expected; give a file that ndp-sweep wrote",
                place,
            )
    texts = [name for name, kind in zip(names, types, strict=True) if of.is_string(kind) or of.is_large_string(kind)]

    def lines() -> Iterator[Sequence[Figure]]:
        nbytes = count = 0
        words = [_Words() for _ in names]
        try:
            table = parquet.ParquetFile(file, metadata=metadata, read_dictionary=texts)
            for batch in table.iter_batches(batch_size=_BATCH):
                count += batch.num_rows
                checked(count, _MOST_ROWS, "rows")
                columns: list[Sequence[Figure]] = []
                for column, known in zip(batch.columns, words, strict=True):
                    is_text = of.is_dictionary(column.type)
                    nbytes += known.length(column) if is_text else column.nbytes
                    checked(nbytes, _MOST_BYTES, "bytes unpacked")
                    columns.append(known.values(column) if is_text else column.to_pylist())
                yield from ([*map(_finite, line)] for line in zip(*columns, strict=True))
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            raise broken(error) from None

    return names, lines()


def _chunks(metadata: Any) -> Iterator[tuple[int, int]]:
    """The first byte and the size of the pages of each column in each group of rows."""
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            first = column.dictionary_page_offset or 0
            start = first if 0 < first < column.data_page_offset else column.data_page_offset
            yield start, column.total_compressed_size


class _Words:
    """The texts of a column that is read in batches as indices into a dictionary. The rows of all batches with equal
    dictionaries share their texts."""

    def __init__(self) -> None:
        self._dictionary: Any = None
        self._texts: list[str] = []
        self._lengths: list[int] = []

    def length(self, column: Any) -> int:
        """The number of bytes of the texts of all rows of a batch together, or of the dictionary, if that has more."""
        if self._dictionary is None or not column.dictionary.equals(self._dictionary):
            self._dictionary, self._texts = column.dictionary, []
            lengths = _parquet_library("pyarrow.compute").binary_length(column.dictionary)
            self._lengths = [length or 0 for length in lengths.to_pylist()]
        indices: list[int | None] = column.indices.to_pylist()
        total = sum(self._lengths[index] for index in indices if index is not None)
        return total if self._texts else max(total, sum(self._lengths))

    def values(self, column: Any) -> list[str | None]:
        """The texts of the rows of a batch whose length was determined."""
        if not self._texts:
            self._texts = self._dictionary.to_pylist()
        return [None if index is None else self._texts[index] for index in column.indices.to_pylist()]


def _finite(value: Figure) -> Figure:
    """A value of a Parquet column, as `number` reads it in a CSV file: infinities and nan are texts."""
    return value if value is None or isinstance(value, str) or abs(value) <= LARGEST else str(value)

"""Results of sweeps as tables: CSV, Parquet, or the SQLite file of the journal, by the file's extension."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from io import BytesIO, StringIO
from typing import Any

from dialects.diagnostics import FileName, InputError
from dialects.files import written
from ndpir.cli.arguments import UsageError
from ndpir.sweep.axes import number
from ndpir.sweep.columns import Figure
from ndpir.sweep.journal import Row, read_journal
from ndpir.sweep.running import figures_in

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
    axes = dict.fromkeys(name for row in rows for name in row.point)
    return [*axes, *figures_in(rows), "error"]


def records_of(rows: Sequence[Row]) -> list[dict[str, Figure]]:
    """A dictionary for each row, with a value for each column; None for figures that the row does not have."""
    empty = dict.fromkeys(columns_of(rows))
    return [{**empty, **row.point, **row.figures, "error": row.error or None} for row in rows]


def csv_text(rows: Sequence[Row]) -> str:
    """The rows as CSV with a header; floats are written with all their digits, and figures that a row does not have are
    empty."""
    text = StringIO()
    writer = csv.DictWriter(text, columns_of(rows), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records_of(rows))
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
    pyarrow, records = _parquet_library("pyarrow"), records_of(rows)
    table: Mapping[str, list[Figure]] = {
        name: _of_one_type([record[name] for record in records]) for name in columns_of(rows)
    }
    sink = BytesIO()
    _parquet_library("pyarrow.parquet").write_table(pyarrow.table(table), sink)
    return sink.getvalue()


def _of_one_type(values: list[Figure]) -> list[Figure]:
    """The values of a column converted to one type: text if any value is text, otherwise floating point if any value
    is."""
    kinds = {type(value) for value in values if value is not None}
    kind: Callable[[Any], Figure] = str if str in kinds else float if float in kinds else int
    return [None if value is None else kind(value) for value in values]


def read_rows(path: str) -> list[Row]:
    """The rows of a results file. Raises InputError, at the path, for a file that does not contain results of a
    sweep."""
    if path.endswith(SQLITE):
        return read_journal(path)
    place = FileName(path)
    try:
        if path.endswith(".parquet"):
            records: list[dict[str, Any]] = _parquet_library("pyarrow.parquet").read_table(path).to_pylist()
        elif path.endswith(".csv"):
            with open(path, newline="", encoding="utf-8") as file:
                records = [{name: _read(text) for name, text in each.items()} for each in csv.DictReader(file)]
        else:
            raise InputError(
                "the file's name must end in .sqlite, .parquet or .csv; give a file that ndp-sweep wrote", place
            )
    except OSError as error:
        raise InputError(f"can't be read: {(error.strerror or str(error)).lower()}", place) from None
    except (ValueError, csv.Error) as error:
        raise InputError(f"the file is not a table: {error}", place) from None
    names = list(records[0]) if records else []
    has_figures = "makespan_ns" in names or all(record.get("error") for record in records)
    if records and not ("error" in names and has_figures):
        raise InputError("the file has no columns `makespan_ns` and `error`; give a file that ndp-sweep wrote", place)
    first = names.index("makespan_ns") if "makespan_ns" in names else max(len(names) - 1, 0)
    axes, figures = names[:first], [name for name in names[first:] if name != "error"]
    return [
        Row(
            count,
            {name: record[name] for name in axes if record[name] is not None},
            {} if record["error"] else {name: record[name] for name in figures},
            record["error"] or "",
            0.0,
        )
        for count, record in enumerate(records)
    ]


def _read(text: str | None) -> Figure:
    return None if not text else number(text)

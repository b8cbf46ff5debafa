"""The journal of a sweep: an SQLite file to which each result is written as soon as it is known.

A sweep that was killed can be continued. A result is kept with its question, which is what the request states about the
point, and with the record of all files that it depends on; a point is not computed again if the journal has a result
for its question whose record is up to date. The key of a result is made of both. Each result is one transaction in
write-ahead mode, so that a killed process leaves no incomplete row; a crash of the whole computer may lose the last
results, which are then computed again. Only one sweep at a time can write to a journal. The view `results` of the file
has a column for each axis and figure.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from types import TracebackType
from typing import Annotated, Self, TypeAlias

import msgspec

from dialects.dependencies import Dependencies, digest
from dialects.diagnostics import FileName, InputError
from dialects.files import check_writable, open_file, open_regular, reason_of
from dialects.text.printable import printable
from ndpir.reports.columns import Figure
from ndpir.sweep.axes import LARGEST, LARGEST_INT, Value
from ndpir.sweep.database import Database, Values
from ndpir.sweep.evaluation import Outcome, key_of
from ndpir.sweep.sampling import Point
from ndpir.sweep.structures import Table

SCHEMA = "ndpir-sweep/1"
_Value: TypeAlias = (
    Annotated[int, msgspec.Meta(ge=-LARGEST_INT, le=LARGEST_INT)]
    | Annotated[float, msgspec.Meta(ge=-LARGEST, le=LARGEST)]
    | str
)
"""The types of the values of axes and figures, as a journal may have them."""
_POINT, _FIGURES = msgspec.json.Decoder(dict[str, _Value]), msgspec.json.Decoder(dict[str, _Value | None])
_TABLES = """
create table if not exists meta (name text primary key, value text not null);
create table if not exists points (
  key text primary key, number integer not null, point text not null, figures text not null, error text not null,
  seconds real not null, final integer not null
);
create table if not exists records (digest text primary key, found text not null);
create table if not exists answers (question text primary key, key text not null, record text not null);
"""


@dataclass(frozen=True)
class Row:
    """A point with its result. `number`: the index of the point in the order of the sweep's design."""

    number: int
    point: Point
    figures: Mapping[str, Figure]
    error: str
    seconds: float


def axes_in(rows: Sequence[Row]) -> list[str]:
    """The names of the axes of some rows, in the order of their first occurrence."""
    return _distinct(tuple(row.point) for row in rows)


def figures_in(rows: Sequence[Row]) -> list[str]:
    """The names of the figures of some rows, in the order of their first occurrence."""
    return _distinct(tuple(row.figures) for row in rows)


def _distinct(names: Iterable[tuple[str, ...]]) -> list[str]:
    # The rows of a sweep have few sets of names.
    return list(dict.fromkeys(name for each in dict.fromkeys(names) for name in each))


class Journal:
    """The journal in the file `path`, as a context that locks the file for one sweep; if `path` is None, a journal in
    memory for this run only."""

    known: dict[str, Row]
    """All results by key, in the order of the design, and those that were stored since; complete in the context."""

    def __init__(self, path: str | None) -> None:
        self.path = path
        if path is not None:
            check_writable(path)

    def __enter__(self) -> Self:
        """Open the file. Raises InputError if it is not a journal, or if another sweep is writing to it."""
        self._file = Database(self.path, _TABLES)
        try:
            if (found := self.meta("schema")) not in ("", SCHEMA):
                raise self._file.wrong(
                    f"the file is a journal of version {printable(found)[:60]}, but version {SCHEMA} is expected"
                )
            self._lock()
            self.note("schema", SCHEMA)
            # All are read, so that a damaged result is refused now, and not when all others are computed.
            self.known = dict(self._rows())
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if self._locked is not None:
            self._locked.close()

    def _place(self) -> FileName | None:
        return None if self.path is None else FileName(self.path)

    def _lock(self) -> None:
        """Lock the file for this process until the journal is closed; SQLite's own locks are released after each
        result."""
        self._locked = None
        if self.path is None:
            return
        try:
            import fcntl
        except ImportError:  # on Windows
            return
        self._locked = open_file(self.path)  # closed at the end of the sweep
        try:
            fcntl.flock(self._locked, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._locked.close()
            raise InputError(
                "another sweep is writing this file; wait until it ends, or give -o another file", self._place()
            ) from None

    def meta(self, name: str) -> str:
        """The text that `note` stored under a name; empty if no text was stored under it."""
        found = self._file.execute("select value from meta where name = ?", (name,))
        return str(found[0][0]) if found else ""

    def note(self, name: str, value: str) -> None:
        """Store a text under a name."""
        self._file.execute("insert or replace into meta values (?, ?)", (name, value))

    def held(self, questions: Collection[str], known: dict[str, str]) -> dict[str, str]:
        """The keys of the final results for the given questions whose records are up to date, by question. `known`: the
        states of entries of records that were determined before (`Dependencies.outdated`)."""
        query = "select question, answers.key, record from answers join points on points.key = answers.key where final"
        asked, found = set(questions), list(self._file.execute(query))
        used = {str(record) for question, _, record in found if question in asked}
        records = self._file.execute("select digest, found from records")
        current = {str(name) for name, text in records if name in used and _is_current(text, known)}
        return {str(each): str(key) for each, key, record in found if each in asked and record in current}

    def forget(self, questions: Collection[str], points: Collection[Point]) -> None:
        """Remove the results for the given questions, and results without a record for the given points, since these
        can't be checked."""
        if not (questions or points) or not self._file.execute("select 1 from points limit 1"):
            return
        texts = set(map(_text_of, points))
        unrecorded = self._file.execute("select key, point from points where key not in (select key from answers)")
        with self._transaction():
            self._file.executemany(
                "delete from points where key in (select key from answers where question = ?1)",
                [(each,) for each in questions],
            )
            self._file.executemany("delete from answers where question = ?", [(each,) for each in questions])
            self._file.executemany(
                "delete from points where key = ?", [(key,) for key, point in unrecorded if point in texts]
            )

    def add(self, number: int, point: Point, outcome: Outcome) -> None:
        """Store the result of a point, in one transaction. A final result is never replaced."""
        self.add_all([(number, point, outcome)])

    def add_all(self, results: Sequence[tuple[int, Point, Outcome]]) -> list[str]:
        """Store the results of points, in one transaction, and return their keys. A final result is never replaced."""
        rows = [
            (
                outcome.key,
                number,
                _text_of(point),
                json.dumps(outcome.figures),
                outcome.error.encode("utf-8", "backslashreplace").decode(),  # may name a file whose name is no UTF-8
                outcome.seconds,
                outcome.is_final,
            )
            for number, point, outcome in results
        ]
        found = {id(outcome.found): outcome.found for _, _, outcome in results if outcome.found}
        texts = {at: json.dumps(dict(each), sort_keys=True) for at, each in found.items()}
        records = {at: digest(text.encode()) for at, text in texts.items()}
        answers = [(each.question, each.key, records[id(each.found)]) for _, _, each in results if each.found]
        self._store(rows, [(records[at], text) for at, text in texts.items()], answers)
        keys = [row[0] for row in rows]
        for row, (number, point, outcome) in zip(rows, results, strict=True):
            self.known[row[0]] = Row(number, point, outcome.figures, row[4], outcome.seconds)
        return keys

    def add_table(self, points: Sequence[tuple[int, str, Point]], table: Table) -> list[str]:
        """As `add_all`, for points that were timed together. `points`: their numbers and questions, too."""
        keys = [key_of(question, table.found) for _, question, _ in points]
        texts = table.texts or table.written()
        rows = [
            (key, number, _text_of(point), text, "", table.seconds, True)
            for key, (number, _, point), text in zip(keys, points, texts, strict=True)
        ]
        record = json.dumps(dict(table.found), sort_keys=True)
        name = digest(record.encode())
        answers = [(question, key, name) for key, (_, question, _) in zip(keys, points, strict=True)]
        self._store(rows, [(name, record)], answers)
        for key, (number, _, point), figures in zip(keys, points, table.rows(), strict=True):
            self.known[key] = Row(number, point, figures, "", table.seconds)
        return keys

    def _store(self, rows: Sequence[Values], records: Sequence[Values], answers: Sequence[Values]) -> None:
        """Write rows of the tables `points`, `records` and `answers`, in one transaction."""
        with self._transaction():
            self._file.executemany(
                "insert into points values (?, ?, ?, ?, ?, ?, ?) on conflict (key) do update set figures = "
                "excluded.figures, error = excluded.error, seconds = excluded.seconds, final = excluded.final "
                "where not final",
                rows,
            )
            self._file.executemany("insert or ignore into records values (?, ?)", records)
            self._file.executemany("insert or replace into answers values (?, ?, ?)", answers)

    @contextmanager
    def _transaction(self) -> Generator[None]:
        self._file.execute("begin immediate")
        try:
            yield
        except BaseException:
            self._file.execute("rollback")
            raise
        self._file.execute("commit")

    def _rows(self) -> Iterator[tuple[str, Row]]:
        """The results in the file by key, in the order of the design. Raises InputError if one has another type."""
        query = "select key, number, point, figures, error, seconds from points order by number, rowid"
        for key, *stored in self._file.execute(query):
            yield str(key), self._row(str(key), stored)

    def _row(self, key: str, stored: Sequence[object]) -> Row:
        number, point, figures, error, seconds = stored
        try:
            return Row(
                msgspec.convert(number, int),
                _POINT.decode(str(point)),
                _FIGURES.decode(str(figures)),
                msgspec.convert(error, str),
                float(msgspec.convert(seconds, float)),
            )
        except (msgspec.MsgspecError, RecursionError) as wrong:
            reason = printable(str(wrong))
            raise self._file.wrong(f"the result with key {printable(key)[:60]} is damaged ({reason})") from None

    def show_columns(self, axes: Sequence[str], figures: Sequence[str]) -> None:
        """Define the view `results`, with a column for each axis and figure."""
        columns = ["number"]
        columns += [_column("point", name) for name in axes]
        columns += [_column("figures", name) for name in figures]
        with suppress(InputError):  # too many columns for a view: the JSON is still there
            self._file.executescript(
                "begin; drop view if exists results; create view results as select "
                f"{', '.join([*columns, 'error', 'seconds'])} from points order by number; commit;"
            )


def _text_of(point: Point) -> str:
    """A point as JSON, with spaces as `json.dumps` writes them."""
    return "{" + ", ".join(map(_entry, point, point.values())) + "}"


@lru_cache(1 << 14, typed=True)
def _entry(name: str, value: Value) -> str:
    """An entry of a point as JSON; kept, since the points of a sweep share their values."""
    return f"{json.dumps(name)}: {json.dumps(value)}"


def _is_current(text: object, known: dict[str, str]) -> bool:
    """True if the record in a row of the journal is up to date."""
    try:
        found = msgspec.json.decode(str(text), type=dict[str, str])
    except (msgspec.MsgspecError, UnicodeError):
        return False
    return not Dependencies(found).outdated(known)


def _column(source: str, name: str) -> str:
    quoted = name.replace('"', '""')
    path = f'$."{name}"'.replace("'", "''")
    return f"json_extract({source}, '{path}') as \"{quoted}\""


def read_journal(path: str) -> list[Row]:
    """The rows of a journal, which a sweep may still be writing. Raises InputError, at the path, for a file that is not
    a journal."""
    place = FileName(path)
    try:
        with open_regular(path) as file:
            if file.read(16) != b"SQLite format 3\0":
                raise InputError("the file is not an SQLite file; give a file that ndp-sweep wrote", place)
    except (OSError, ValueError) as error:
        raise InputError(f"can't be read: {reason_of(error)}", place) from None
    journal = Journal.__new__(Journal)
    journal.path = path
    journal._file = file = Database(path, _TABLES, is_read=True)  # pyright: ignore[reportPrivateUsage]
    try:
        if journal.meta("schema") != SCHEMA:
            raise file.wrong("the file is not a journal of a sweep")
        return [row for _, row in journal._rows()]  # pyright: ignore[reportPrivateUsage]
    finally:
        file.close()

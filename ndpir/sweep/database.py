"""SQLite files from strangers: only tables of the expected form are read and written, and errors are sentences."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dialects.diagnostics import FileName, InputError
from dialects.text.printable import printable

Values = tuple[Any, ...]
_CACHE_KB, _LOG_PAGES = 1 << 16, 1 << 14
"""The memory for pages of a file, in KiB, and the pages of 4 KiB in the log after which they are copied to the file."""
_LITTLE = 1 << 18
"""The number of free bytes below which a disk counts as full: SQLite needs some pages for its log and its index."""


class Database:
    """An SQLite file, or a database in memory (`path` None), with the tables that `tables` creates.

    Raises InputError, at the file, for all errors of SQLite; each says what happened: no database, a damaged one, one
    with other tables, a full disk, a lock, a missing permission.
    """

    def __init__(self, path: str | None, tables: str, is_read: bool = False) -> None:
        """Open the file, which is created if it does not exist. `is_read`: only read it; it must exist. Raises
        InputError, too, for a table of another form than `tables` gives it, and for triggers, which would change what
        a statement does."""
        self.path = path
        self._is_read = is_read
        with self._named():
            if path is None:
                self._file = sqlite3.connect(":memory:", isolation_level=None)
            else:
                mode = "ro" if is_read else "rwc"
                uri = f"{Path(os.path.abspath(path)).as_uri()}?mode={mode}"
                self._file = sqlite3.connect(uri, uri=True, isolation_level=None)
        try:
            with self._named():
                self._file.execute("pragma trusted_schema = off")
                self._file.execute("pragma cell_size_check = on")
            self._check_form(tables)
            if not is_read:
                self.executescript(f"pragma journal_mode = wal; pragma synchronous = normal; {tables}")
                # Keys are in no order, so that each batch of rows changes pages of the whole index: keep these in
                # memory, and copy them from the log to the file less often than every 4 MB.
                self.executescript(f"pragma cache_size = -{_CACHE_KB}; pragma wal_autocheckpoint = {_LOG_PAGES}")
        except BaseException:
            self._file.close()
            raise

    def execute(self, statement: str, values: Values = ()) -> list[Values]:
        """Run a statement; returns all rows of its result."""
        with self._named():
            return list(self._file.execute(statement, values))

    def executemany(self, statement: str, values: Iterable[Values]) -> None:
        """Run a statement for each of several tuples of values."""
        with self._named():
            self._file.executemany(statement, values)

    def executescript(self, script: str) -> None:
        """Run several statements."""
        with self._named():
            self._file.executescript(script)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _check_form(self, tables: str) -> None:
        with sqlite3.connect(":memory:", isolation_level=None) as empty:
            empty.executescript(tables)
            expected = dict(empty.execute("select name, sql from sqlite_master where type = 'table'"))
        for kind, name, sql in self.execute("select type, name, sql from sqlite_master"):
            if kind == "trigger":
                raise self.wrong(f"the file has a trigger `{printable(str(name))[:60]}`, which would change results")
            if name in expected and sql != expected[name]:
                raise self.wrong(f"`{name}` in the file is not the table of a journal: its columns differ")

    def wrong(self, what: str) -> InputError:
        """The error for contents of the file that it should not have."""
        advice = "give a file that ndp-sweep wrote" if self._is_read else "give -o another file"
        return InputError(f"{what}; {advice}", None if self.path is None else FileName(self.path))

    @contextmanager
    def _named(self) -> Generator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # Python decodes texts, and some of SQLite's messages
            raise self._worded(error) from None

    def _worded(self, error: Exception) -> InputError:
        place = None if self.path is None else FileName(self.path)
        doing = "read" if self._is_read else "written"
        match getattr(error, "sqlite_errorcode", 0) & 0xFF:
            case sqlite3.SQLITE_FULL:
                return InputError(f"can't be {doing}: the disk is full; make room, and run this again", place)
            case sqlite3.SQLITE_IOERR if self._disk_is_full():
                return InputError(f"can't be {doing}: the disk is full; make room, and run this again", place)
            case sqlite3.SQLITE_IOERR:
                name = getattr(error, "sqlite_errorname", "SQLITE_IOERR")
                return InputError(f"can't be {doing}: the disk or the file system fails ({name})", place)
            case sqlite3.SQLITE_CANTOPEN:
                return InputError(f"can't be {doing}: SQLite can't open it, or a file beside it (-wal, -shm)", place)
            case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
                return InputError(f"can't be {doing}: permission denied", place)
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                return InputError(f"can't be {doing}: another program has locked it; wait until it ends", place)
            case sqlite3.SQLITE_NOTADB:
                return self.wrong("the file is not an SQLite file, or it is damaged at its start")
            case _:
                reason = printable(str(error))[:200]
                return self.wrong(f"the file is a damaged journal, or not a journal of a sweep ({reason})")

    def _disk_is_full(self) -> bool:
        if self.path is None or not hasattr(os, "statvfs"):
            return False
        try:
            found = os.statvfs(os.path.dirname(os.path.abspath(self.path)))
        except OSError:
            return False
        return found.f_bavail * found.f_frsize < _LITTLE

"""Journals that strangers wrote, or that a disk damaged: each is refused with a sentence that says what it is."""

from __future__ import annotations

import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from dialects.diagnostics import InputError
from ndpir.cli.exploring.sweep import main
from ndpir.sweep.database import Database
from ndpir.sweep.evaluation import Outcome
from ndpir.sweep.journal import Journal, read_journal


def journal(path: Path, rows: int = 3) -> Path:
    with Journal(str(path)) as file:
        for number in range(rows):
            figures = {"makespan_ns": 1.5 + number, "energy_nj": 2, "word": "a", "none": None}
            file.add(number, {"x": number, "y": "b"}, Outcome(f"key{number}", {**figures}, "", 0.5))
    return path


def changed(path: Path, script: str) -> Path:
    with sqlite3.connect(journal(path), isolation_level=None) as file:
        file.execute("pragma writable_schema = on")
        file.executescript(script)
    return path


def test_a_sound_journal_is_read(tmp_path: Path) -> None:
    rows = read_journal(str(journal(tmp_path / "j.sqlite")))
    assert [row.number for row in rows] == [0, 1, 2]
    assert rows[1].point == {"x": 1, "y": "b"}
    assert rows[1].figures == {"makespan_ns": 2.5, "energy_nj": 2, "word": "a", "none": None}
    assert changed(tmp_path / "k.sqlite", "create view mine as select 1; create index i on points(number)").exists()
    assert read_journal(str(tmp_path / "k.sqlite")) == rows


ROW = "update points set {} where key = 'key1'"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (ROW.format("point = '{'"), "the result with key key1 is damaged (Input data was truncated)"),
        (ROW.format("point = '[1]'"), "the result with key key1 is damaged (Expected `object`, got `array`)"),
        (ROW.format("point = '{\"x\": [1]}'"), "the result with key key1 is damaged (Expected `int | float | str`"),
        (ROW.format("point = '{\"x\": null}'"), "the result with key key1 is damaged (Expected `int | float | str`"),
        (ROW.format("figures = '{\"a\": NaN}'"), "the result with key key1 is damaged (JSON is malformed"),
        (ROW.format(f"figures = '{{\"a\": {10**400}}}'"), "the result with key key1 is damaged ("),
        (ROW.format(f"figures = '{'[' * 9000}'"), "the result with key key1 is damaged ("),
        (ROW.format("figures = x'ff'"), "the result with key key1 is damaged ("),
        (ROW.format("number = 'one'"), "the result with key key1 is damaged (Expected `int`, got `str`)"),
        (ROW.format("error = 7.5, seconds = 'x'"), "the result with key key1 is damaged (Expected `float`, got `str`)"),
        (ROW.format("key = x'ff', error = cast(x'ff' as text)"), "Could not decode to UTF-8"),
        ("alter table points rename column figures to figure", "`points` in the file is not the table of a journal"),
        ("drop table points; create view points as select 1 as key", "`points` in the file is not the table"),
        ("drop table points", "(no such table: points)"),
        ("drop table meta; create table meta (value text, name text)", "`meta` in the file is not the table of a"),
        ("create trigger t after insert on points begin delete from points; end", "the file has a trigger `t`, which"),
        ("update meta set value = 'ndpir-sweep/9'", "the file is not a journal of a sweep"),
        ("update sqlite_master set sql = 'nonsense' where name = 'points'", "malformed database schema"),
        ("update sqlite_master set rootpage = 99999 where name = 'points'", "a damaged journal"),
    ],
)
def test_a_changed_journal_is_refused(tmp_path: Path, script: str, expected: str) -> None:
    path = changed(tmp_path / "j.sqlite", script)
    with pytest.raises(InputError) as error:
        read_journal(str(path))
    assert expected in error.value.message
    assert error.value.place == str(path)


def test_a_sweep_continues_no_changed_journal(tmp_path: Path) -> None:
    path = changed(tmp_path / "j.sqlite", "create trigger t after insert on points begin delete from points; end")
    with pytest.raises(InputError, match="which would change results; give -o another file"), Journal(str(path)):
        pass
    path = changed(tmp_path / "k.sqlite", ROW.format("point = '{'"))
    with pytest.raises(InputError, match="the result with key key1 is damaged"), Journal(str(path)):
        pass


@pytest.mark.parametrize("name", ["a%41.sqlite", "#.sqlite", "?.sqlite", "a?mode=rwc.sqlite"])
def test_a_path_is_no_address(tmp_path: Path, name: str) -> None:
    assert len(read_journal(str(journal(tmp_path / name)))) == 3
    assert {path.name for path in tmp_path.iterdir()} <= {name, f"{name}-wal", f"{name}-shm"}


def test_flipped_bytes_end_in_a_sentence(tmp_path: Path) -> None:
    sound = journal(tmp_path / "j.sqlite", 40).read_bytes()
    refused = 0
    for at in [*range(0, 100, 2), *range(100, len(sound), 211)]:
        path = tmp_path / "k.sqlite"
        path.write_bytes(sound[:at] + bytes([sound[at] ^ 0xFF]) + sound[at + 1 :])
        try:
            read_journal(str(path))
        except InputError:
            refused += 1
    assert refused > 20


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    file = Database(str(tmp_path / "j.sqlite"), "create table if not exists t (x text)")
    pages = file.execute("pragma page_count")[0][0]
    file.execute(f"pragma max_page_count = {pages}")
    with pytest.raises(InputError, match="can't be written: the disk is full; make room, and run this again"):
        file.execute("insert into t values (?)", ("x" * 100_000,))
    file.close()


@pytest.mark.slow
def test_a_limit_on_the_size_of_files_is_no_other_kind_of_file(tmp_path: Path) -> None:
    """The journal is a journal, although it can't be written."""
    path = journal(tmp_path / "j.sqlite")
    code = f"from ndpir.sweep.journal import Journal\nwith Journal({str(path)!r}) as j:\n    j.note('x', 'y' * 99999)"
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000)),
        check=False,
    )
    assert "InputError: can't be written: the disk or the file system fails (SQLITE_IOERR" in run.stderr


def test_the_command_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = changed(tmp_path / "j.sqlite", ROW.format("point = '{'"))
    assert main(["show", str(path)]) == 1
    assert capsys.readouterr().err.startswith(f"{path}: error: the result with key key1 is damaged")

"""Sweeps on this computer: equal to single runs, complete after a kill, failed points as rows."""

from __future__ import annotations

import csv
import errno
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from io import StringIO
from pathlib import Path

import pytest

import ndpir
from dialects.diagnostics import InputError, notes_to
from ndpir.compiler.settings import apply, settings_of
from ndpir.frontends.machines import attach_machine
from ndpir.reports.columns import Figure, row_of
from ndpir.reports.run import Run
from ndpir.reports.summary import summary_answer
from ndpir.sweep.axes import axes_of
from ndpir.sweep.evaluation import Evaluator, Outcome
from ndpir.sweep.journal import Journal, Row, read_journal
from ndpir.sweep.request import Request, Variant, read_request, variant_of
from ndpir.sweep.running import sweep
from ndpir.sweep.tables import csv_text, read_rows, write_table

ROOT = Path(__file__).parents[3]
MLP = str(ROOT / "examples" / "mlp.mlir")
AXES = ["pim.tCCD=2..4", "machine=a100-newton,a100-aim", "passes=offload,gpu-only"]


def _request(*axes: str, model: str = MLP) -> Request:
    return Request(model, axes=axes_of(axes or AXES))


@cache
def _rows() -> Sequence[Row]:
    """Return the rows of the usual sweep, computed by one process."""
    return sweep(_request(), jobs=1).rows


def test_points_equal_single_runs() -> None:
    """Random points of a sweep have exactly the figures of single runs."""
    request, rows = _request(), _rows()
    assert len(rows) == 12
    for row in random.Random(0).sample(rows, 4):
        variant = variant_of(request, row.point)
        with notes_to(lambda message, place: None):
            module = ndpir.read(request.model)
            attach_machine(module, variant.machine, None)
            apply(module, settings_of(variant.settings))
            module = ndpir.compile(module, variant.passes)
            single = row_of(summary_answer(Run(module), depends=False))
        assert row.figures == json.loads(json.dumps(single))
        assert single["speed_up"] is not None


def test_the_default_machine_is_used(tmp_path: Path) -> None:
    """A program without a machine runs on the default one at every point, whatever the passes."""
    model = tmp_path / "m.mlir"
    model.write_text("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  func.return %x : tensor<4xf32>\n}\n")
    rows = sweep(_request("passes=canonicalize,fuse", model=str(model)), jobs=1).rows
    assert [row.error for row in rows] == ["", ""]


def test_a_failed_point_is_a_row() -> None:
    """The row of a failed point has the error as text, in one line with its location; all other points are computed."""
    rows = sweep(_request("machine=a100-newton,a100-nothing", "pim.tCCD=2,-1"), jobs=1).rows
    errors = {(row.point["machine"], row.point["pim.tCCD"]): row.error for row in rows}
    assert errors["a100-newton", 2] == ""
    assert "there is no machine or device `a100-nothing`" in errors["a100-nothing", 2]
    assert errors["a100-newton", -1].startswith("pim.tCCD=-1: -1 cycles were met")
    assert all("\n" not in error for error in errors.values())


def test_resumed_sweeps_compute_nothing_twice(tmp_path: Path) -> None:
    """Points in the journal are not computed again; new values of an axis add only their points."""
    journal = str(tmp_path / "s.sqlite")
    first = sweep(_request("pim.tCCD=2..3"), journal, jobs=1)
    again = sweep(_request("pim.tCCD=2..3"), journal, jobs=1)
    more = sweep(_request("pim.tCCD=2..4"), journal, jobs=1)
    assert (first.held, again.held, more.held) == (0, 2, 2)
    assert again.rows == first.rows
    assert [row.point["pim.tCCD"] for row in more.rows] == [2, 3, 4]


def test_results_without_a_record_are_computed_again(tmp_path: Path) -> None:
    """Those of the points that are computed; results of other points stay."""
    journal = str(tmp_path / "s.sqlite")
    with Journal(journal) as kept:
        for value in (2, 9):
            kept.add(0, {"pim.tCCD": value}, Outcome(f"lost {value}", {}, "lost", 0.0, False))
    swept = sweep(_request("pim.tCCD=2..3"), journal, jobs=1)
    assert (swept.held, swept.failed, len(swept.rows)) == (0, 0, 2)
    assert sorted(row.point["pim.tCCD"] for row in read_rows(journal)) == [2, 3, 9]


def _reworded(error: BaseException) -> InputError:
    """An error that was raised while another one was handled, as most are."""
    try:
        try:
            raise error
        except BaseException:
            raise InputError("can't be read") from None
    except InputError as found:
        return found


@pytest.mark.parametrize(
    ("error", "is_final"),
    [
        (MemoryError(), False),
        (_reworded(MemoryError()), False),
        (OSError(errno.EMFILE, "too many open files", "w.bin"), False),
        (_reworded(OSError(errno.ENOSPC, "no space left on device")), False),
        (ExceptionGroup("both", [MemoryError()]), False),
        (_reworded(OSError(errno.ENOENT, "no such file")), True),
        (InputError("no"), True),
    ],
)
def test_an_error_that_the_computer_caused_is_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, is_final: bool
) -> None:
    """The point is computed again, as it is after the loss of its process; an error in the input is its result."""
    journal, failing = str(tmp_path / "r.sqlite"), [error]
    figures = Evaluator.figures

    def failing_once(self: Evaluator, variant: Variant) -> dict[str, Figure]:
        if failing:
            raise failing.pop()
        return figures(self, variant)

    monkeypatch.setattr(Evaluator, "figures", failing_once)
    first = sweep(_request("pim.tCCD=4"), journal, jobs=1)
    assert (first.held, first.failed) == (0, 1)
    again = sweep(_request("pim.tCCD=4"), journal, jobs=1)
    assert (again.held, again.failed) == ((1, 1) if is_final else (0, 0))
    assert len(read_rows(journal)) == 1


def test_results_of_a_changed_model_are_not_reused(tmp_path: Path) -> None:
    """The key of a point covers the content of its files."""
    model = tmp_path / "m.mlir"
    model.write_text(Path(MLP).read_text())
    journal = str(tmp_path / "s.sqlite")
    sweep(_request("pim.tCCD=2", model=str(model)), journal, jobs=1)
    model.write_text(Path(MLP).read_text() + "// changed\n")
    assert not sweep(_request("pim.tCCD=2", model=str(model)), journal, jobs=1).held


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_killed_sweep_is_resumed_twice(tmp_path: Path) -> None:
    """A sweep in two processes that is killed twice has the rows of an uninterrupted sweep in one process, and computes
    no point twice."""
    out = tmp_path / "r.csv"
    words = [sys.executable, "-m", "ndpir.cli.exploring.sweep", MLP, "--sweep", "pim.tCCD=1..5", "--jobs", "2"]
    words += ["--sweep", "machine=a100-newton,a100-aim", "-o", str(out)]
    seen: list[int] = []
    for least in (1, 4):
        process = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, start_new_session=True)
        while process.poll() is None and _count(f"{out}.sqlite") < least:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert process.stderr is not None
        process.stderr.close()
        seen.append(_count(f"{out}.sqlite"))
    assert 1 <= seen[0] < seen[1] < 10, "killed too late to test anything"
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert f"10 points, 0 failed, {seen[1]} of them were there already" in done.stderr
    whole = sweep(_request("pim.tCCD=1..5", "machine=a100-newton,a100-aim"), jobs=1)
    assert csv_text(whole.rows) == out.read_text()


def _count(path: str) -> int:
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as file:
            return int(file.execute("select count(*) from points").fetchone()[0])
    except sqlite3.Error:
        return 0


def test_tables_hold_the_same_rows(tmp_path: Path) -> None:
    """Points and figures that are written to CSV, Parquet or SQLite and read again are unchanged, with all digits."""
    formats = ["csv"]
    journal = str(tmp_path / "r.sqlite")
    rows = sweep(_request("machine=a100-newton,a100-nothing", "pim.tCCD=2..3"), journal, jobs=1).rows
    try:
        import pyarrow  # noqa: F401  # pyright: ignore[reportMissingTypeStubs, reportUnusedImport]

        formats.append("parquet")
    except ImportError:
        pass
    for extension in formats:
        path = str(tmp_path / f"r.{extension}")
        write_table(path, rows)
        for ours, theirs in zip(read_rows(path), rows, strict=True):
            assert ours.point == dict(theirs.point)
            assert {name: value for name, value in ours.figures.items() if value is not None} == {
                name: value for name, value in theirs.figures.items() if value is not None
            }
            assert ours.error == theirs.error
    assert [row.point for row in read_rows(journal)] == [row.point for row in rows]
    with sqlite3.connect(journal) as file:
        found = file.execute("select \"pim.tCCD\", makespan_ns from results where error = ''").fetchall()
    assert found == [(row.point["pim.tCCD"], row.figures["makespan_ns"]) for row in rows if not row.error]
    assert len(list(csv.reader(StringIO(csv_text(rows))))) == 5


def test_one_sweep_writes_a_journal(tmp_path: Path) -> None:
    """A second sweep on the journal of a running one is an error with a message; reading that journal is possible."""
    journal = str(tmp_path / "s.sqlite")
    with Journal(journal) as first:
        first.note("request", "{}")
        assert read_journal(journal) == []
        with pytest.raises(InputError, match="another sweep is writing this file"), Journal(journal):
            pass
    with Journal(journal):
        pass


def test_other_files_are_refused(tmp_path: Path) -> None:
    """Files that are no results, and a specification with an unknown key or a wrong type, are errors that name the file
    or key."""
    (tmp_path / "x.sqlite").write_text("no database, but long enough to be read as one")
    with pytest.raises(InputError, match="not an SQLite file"):
        read_rows(str(tmp_path / "x.sqlite"))
    spec = tmp_path / "s.toml"
    for text, message in (
        ("model = 3", r"expected `str`, got `int` - at `\$.model`"),
        ('model = "m"\nmachin = "a"', "unknown field `machin`"),
        ('model = "m"\n[sweep]\nx = 1', "the axis `x` is none of"),
        ("model = ", "not valid TOML"),
        ("passes = 'offload'", "missing required field `model`"),
    ):
        spec.write_text(text)
        with pytest.raises(InputError, match=message):
            read_request(str(spec))


def test_requests_survive_their_text(tmp_path: Path) -> None:
    """A request read from a file equals the request read from its JSON, which workers get; paths are relative to the
    file."""
    spec = tmp_path / "s.toml"
    spec.write_text(
        'model = "m.onnx"\nset = ["gpu.launch=2 us"]\ndims = {b = 4}\nshapes = {x = [1, 2]}\ndesign = "random"\n'
        'samples = 5\n[sweep]\n"pim.tCCD" = "1..8"\n"gpu.launch" = "0.5..2.0"\nmachine = ["a100-aim", "./mine.mlir"]\n'
    )
    request = read_request(str(spec))
    assert Request.from_text(request.text()) == request
    assert request.model == str(tmp_path / "m.onnx")
    assert request.axes[2].values == ("a100-aim", str(tmp_path / "mine.mlir"))
    assert len(request.points()) == 5

"""A sweep uses a result again only as long as everything that the result depends on is unchanged."""

from __future__ import annotations

import importlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import PathDistribution
from pathlib import Path

import numpy as np
import pytest

import ndpir
from benchmarks.sweeps.opened import FLAGS, NAMED, PASSES, changed, write_project
from dialects import dependencies, files
from dialects.dependencies import Dependencies, Kept, hear_all_opens, recording
from dialects.diagnostics import notes_to
from interp.machine.sheets import load_device
from ndpir.sweep import code
from ndpir.sweep.axes import axes_of
from ndpir.sweep.evaluation import Evaluator
from ndpir.sweep.journal import Journal
from ndpir.sweep.request import Request, question_of, variant_of
from ndpir.sweep.running import sweep
from ndpir.sweep.tables import read_rows

ROOT = Path(__file__).parents[3]

_opened: set[str] | None = None


def _listen(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and _opened is not None and isinstance(arguments[0], str) and arguments[1] in ("r", "rb", None):
        _opened.add(arguments[0])


@pytest.fixture(name="project")
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with a program and all kinds of files that its compilation reads, but no plugin."""
    write_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    with notes_to(lambda message, place: None):
        yield tmp_path


def _request(**changes: object) -> Request:
    stated = {
        "model": "m.mlir",
        "machine": "machine.mlir",
        "passes": 'canonicalize,place{policy=gpu},prefetch{policy=replay file="moves.plan"}',
        "profiles": ("profile.json",),
        "axes": axes_of(["gpu.launch=2"]),
    }
    return Request(**{**stated, **changes})  # pyright: ignore[reportArgumentType]


def _computed(request: Request) -> int:
    """The number of points that a sweep with the journal of the current folder computes."""
    found = sweep(request, "s.sqlite", jobs=1)
    assert not found.failed, found.rows[0].error
    return len(found.rows) - found.held


def _is_covered(path: str) -> bool:
    """True for byte code, tables of parsers and code, which records identify as a whole."""
    return "__pycache__" in path or dependencies.is_installed(path) or path.endswith((".py", ".lark"))


def test_the_record_of_a_point_has_every_file_that_is_opened(project: Path) -> None:
    """The record of a point contains all files that an audit hook hears of during its evaluation."""
    global _opened
    sys.addaudithook(_listen)
    evaluator = Evaluator(_request())
    _opened = set()
    try:
        outcome = evaluator.outcome({"gpu.launch": 2})
    finally:
        heard, _opened = _opened, None
    assert outcome.is_final
    assert not outcome.error
    root = f"{ROOT}/"
    opened = {path.replace(root, "ndpir:") for path in heard if not _is_covered(path) and os.path.isfile(path)}
    assert opened <= {name.partition(" ")[2] for name in outcome.found if name.startswith("contents ")}
    assert opened >= {name for name in NAMED if not name.startswith("plugin/")}


FILES = [name for name in NAMED if not name.startswith("plugin/")]


def test_a_change_of_any_file_makes_the_point_be_computed_again(project: Path) -> None:
    """The result is held only as long as no file that the point read has changed."""
    request = _request()
    assert (_computed(request), _computed(request)) == (1, 0)
    question = question_of(request, variant_of(request, {"gpu.launch": 2}))
    for name in FILES:
        before = changed(project / name)
        with Journal("s.sqlite") as journal:
            assert not journal.held([question], dict(code.states_of_code())), name
            (project / name).write_bytes(before)
            assert journal.held([question], dict(code.states_of_code())), name
    changed(project / "moves.plan")
    assert (_computed(request), _computed(request)) == (1, 0)
    assert len(read_rows("s.sqlite")) == 1, "the earlier result is no longer shown"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("calibrations/mine.calibration", 'calibration gpu mine "nearer"\n'),
        ("ampere.calibration", 'calibration family ampere "of a user"\n'),
        ("a.sheet", 'link pcie4_copies = pcie4_copies "of a user" with latency 90 us\n'),
        ("sheets/units.law", None),
    ],
)
def test_a_file_that_is_added_or_removed_makes_the_point_be_computed_again(
    project: Path, name: str, text: str | None
) -> None:
    """A record has the places, too, where no file was found."""
    request = _request()
    assert _computed(request) == 1
    if text is None:
        (project / name).unlink()
    else:
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)
    assert (_computed(request), _computed(request)) == (1, 0)


def test_a_change_that_keeps_size_and_time_of_a_file_is_seen(project: Path) -> None:
    request = _request()
    first = sweep(request, "s.sqlite", jobs=1).rows[0].figures["makespan_ns"]
    status = os.stat("mine.sheet")
    text = Path("mine.sheet").read_text()
    Path("mine.sheet").write_text(text.replace("a100_80_sxm", "a100_40_pcie").replace("a variant", "variant"))
    os.utime("mine.sheet", ns=(status.st_atime_ns, status.st_mtime_ns))
    Path("profile.json").write_text(Path("profile.json").read_text())  # written again, unchanged
    again = sweep(request, "s.sqlite", jobs=1)
    assert not again.held
    assert again.rows[0].figures["makespan_ns"] != first


def test_the_record_of_a_point_does_not_depend_on_earlier_points(project: Path) -> None:
    """The record of each point contains the files that points share in a process."""
    axes = axes_of(["machine=machine.mlir,toy", "passes=gpu-only;canonicalize,fuse,place{policy=gpu}"])
    request = _request(profiles=(), axes=axes)
    points = request.points()
    together = Evaluator(request)
    shared = [together.outcome(point) for point in [*points, *points[::-1]]]
    alone = {outcome.question: outcome.found for outcome in (Evaluator(request).outcome(point) for point in points)}
    assert len(alone) == 4
    for outcome in shared:
        assert outcome.found == alone[outcome.question]


def test_costs_follow_a_changed_calibration(project: Path) -> None:
    """Costs that all clocks share are those of the sheet with its calibration, not of the sheet alone."""

    def ns() -> float:
        return ndpir.simulate(ndpir.compile("m.mlir", "gpu-only", machine="mine")).makespan_ns

    before, record = ns(), load_device("mine")
    assert load_device("mine") is record
    Path("mine.calibration").write_text(
        'calibration gpu mine "made up"\nclass elementwise f32 "by hand"\n start 3000 ns\n'
    )
    assert load_device("mine") is not record
    assert ns() > before


def test_a_file_that_changes_while_a_point_is_computed_makes_no_final_result(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = files.read_regular

    def edited(path: files.Path, advice: str, most: int = 1 << 26) -> bytes:
        data = read(path, advice, most)
        if str(path).endswith("moves.plan"):
            changed(project / "moves.plan")
            read(path, advice, most)
        return data

    monkeypatch.setattr("dialects.files.read_regular", edited)
    monkeypatch.setattr(code, "_heard", dict[str, str]())  # forget afterwards what this test opens
    swept = sweep(_request(), "s.sqlite", jobs=1)
    assert swept.rows[0].error == "moves.plan changed while the sweep was running; run the sweep again"
    monkeypatch.undo()
    monkeypatch.chdir(project)
    assert not sweep(_request(), "s.sqlite", jobs=1).held


def test_journals_of_earlier_versions_are_continued(project: Path) -> None:
    """Results without a record can't be checked: they are computed again, and no longer shown."""
    _computed(_request())
    with sqlite3.connect("s.sqlite") as file:
        file.executescript("drop table answers; drop table records;")
    assert _computed(_request()) == 1
    assert len(read_rows("s.sqlite")) == 1


def test_points_write_no_files(project: Path) -> None:
    """A sweep from someone else must not overwrite files by an option of a pass."""
    request = _request(passes='canonicalize,place{policy=gpu},prefetch{policy=plan save="mine.sheet"}')
    before = Path("mine.sheet").read_bytes()
    [row] = sweep(request, jobs=1).rows
    assert "the points of a sweep write no files, but a pass writes mine.sheet" in row.error
    assert Path("mine.sheet").read_bytes() == before


@pytest.mark.slow
def test_a_plugin_and_all_that_it_reads_are_in_the_record(project: Path) -> None:
    """A plugin's module, the modules that it imports, the files that these open, and its sheets."""
    sweep = [sys.executable, "-m", "ndpir.cli.exploring.sweep"]
    words = [*sweep, *FLAGS, *PASSES, "--sweep", "gpu.launch=2,3", "--jobs", "2"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def run() -> str:
        done = subprocess.run([*words, "-o", "s.sqlite"], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stderr.splitlines()[-1]

    assert "there already" not in run()
    with sqlite3.connect("s.sqlite") as file:
        records: list[Mapping[str, str]] = [json.loads(text) for (text,) in file.execute("select found from records")]
    ours = dict(code.states_of_code())
    assert records
    for found in records:
        assert not Dependencies(dict(found)).outdated(dict(ours))
        for name in NAMED:
            before = changed(project / name)
            assert Dependencies(dict(found)).outdated(dict(ours)), name
            (project / name).write_bytes(before)
    (project / "plugin" / "table.json").write_text('{"policy": "pim-first"}')
    assert "there already" not in run()


def test_files_that_other_code_opens_are_heard(tmp_path: Path) -> None:
    """A file that is opened without the functions of this compiler is noted, unless the same code wrote it before."""
    hear_all_opens()
    (tmp_path / "read.txt").write_text("a")
    with recording() as record:
        assert (tmp_path / "read.txt").read_text() == "a"
        (tmp_path / "own.txt").write_text("b")
        assert (tmp_path / "own.txt").read_text() == "b"
        with pytest.raises(FileNotFoundError):
            (tmp_path / "none.txt").read_text()
    assert record.heard == {f"contents {tmp_path}/{name}.txt" for name in ("read", "none")}
    assert not record.outdated()
    (tmp_path / "none.txt").write_text("now it is there")
    assert record.outdated() == f"{tmp_path}/none.txt"


SHARED = Path("/dev/shm" if os.path.isdir("/dev/shm") else tempfile.gettempdir(), f"ndpir-test-{os.getpid()}")


def _database(path: Path, value: int, mode: str) -> sqlite3.Connection:
    file = sqlite3.connect(path)
    file.execute(f"pragma journal_mode = {mode}")
    file.executescript(f"create table if not exists t (v); delete from t; insert into t values ({value});")
    return file


def _memmap(path: Path) -> int:
    return int(np.memmap(path, np.uint8)[0])


def _stored(address: str, is_address: bool = False) -> int:
    file = sqlite3.connect(address, uri=is_address)
    try:
        return file.execute("select v from t").fetchone()[0]
    finally:
        file.close()


def _read_from(path: str, mode: str) -> bytes:
    with open(path, mode) as file:
        return file.read()


def _listed_in_vain(folder: str) -> None:
    with pytest.raises(FileNotFoundError):
        os.listdir(folder)


def _opened_for_both(path: Path) -> bytes:
    descriptor = os.open(path, os.O_RDWR)
    try:
        return os.read(descriptor, 9)
    finally:
        os.close(descriptor)


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(lambda: _memmap(Path("a.bin")), id="memmap"),
        pytest.param(lambda: _read_from("a.bin", "r+b"), id="r+b"),
        pytest.param(lambda: _read_from("a.bin", "ab+"), id="a+b"),
        pytest.param(lambda: _opened_for_both(Path("a.bin")), id="O_RDWR"),
        pytest.param(lambda: (SHARED / "a.bin").read_bytes(), id="shared memory"),
        pytest.param(lambda: _stored("a.db"), id="database"),
        pytest.param(lambda: _stored("file:a%2Edb?mode=ro", True), id="database by address"),
        pytest.param(lambda: _stored("b.db"), id="database with changes in another file"),
        pytest.param(os.listdir, id="listdir"),
        pytest.param(lambda: [entry.name for entry in os.scandir("folder")], id="scandir"),
        pytest.param(lambda: _listed_in_vain("none"), id="no folder"),
    ],
)
def test_ways_to_read_that_other_code_has_are_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[], object]
) -> None:
    """The record is up to date after the read itself, and no longer once what was read has changed."""
    hear_all_opens()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    SHARED.mkdir()
    _database(Path("a.db"), 0, "delete").close()
    writer = _database(Path("b.db"), 0, "wal")
    try:
        for path in (Path("a.bin"), SHARED / "a.bin"):
            path.write_bytes(b"a")
        with recording() as record:
            read()
        assert not record.outdated()
        for path in (Path("a.bin"), SHARED / "a.bin", Path("new.bin"), Path("folder/new.bin")):
            path.write_bytes(b"b")
        (tmp_path / "none").mkdir()
        _database(Path("a.db"), 1, "delete").close()
        writer.executescript("update t set v = 1;")
        assert record.outdated()
    finally:
        writer.close()
        (SHARED / "a.bin").unlink()
        SHARED.rmdir()


def test_names_that_come_and_go_are_not_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Imports list folders, too; drafts, byte code and the companions of an open database depend on the moment."""
    hear_all_opens()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    (tmp_path / "swept_module").mkdir()
    (tmp_path / "swept_module" / "__init__.py").touch()
    with recording() as record:
        importlib.import_module("swept_module")
        os.listdir("/proc/self/fd")
        os.listdir(Path(os.__file__).parent)
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"a")
        assert not [name for name in record.found if name.startswith("listing ") or file.name in name]
        os.listdir(tmp_path)
    for name in ("r.sqlite-wal", "r.sqlite-shm", ".r.csv.12-0.tmp"):
        (tmp_path / name).touch()
    (tmp_path / "__pycache__").mkdir()
    assert not record.outdated()
    (tmp_path / "r.csv").touch()
    assert record.outdated() == str(tmp_path)


PLUGIN = """\
import os
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.universe import Universe

seen = len(os.listdir())

@dataclass(frozen=True)
class Swept(ModulePass):
    name = "swept-pass"

    def apply(self, ctx, op: ModuleOp) -> None:
        BODY

UNIVERSE = Universe(all_passes={"swept-pass": lambda: Swept})
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Path(f'cache{len(os.listdir())}').touch()", ["1", "1"]),
        ("Path('table').open('r+').write('b')", ["1", "1", "0"]),
    ],
)
def test_plugins_may_change_what_they_read(project: Path, body: str, expected: list[str]) -> None:
    """A result is used again if the plugin leaves what it lists and opens as it was; if not, it is computed again, but
    is no error."""
    Path("table").write_text("a")
    Path("swept.py").write_text(PLUGIN.replace("BODY", body))
    words = ["m.mlir", "--machine", "toy", "--plugin", "swept.py", "-p", "swept-pass,gpu-only", "--jobs", "1"]
    sweep = [sys.executable, "-m", "ndpir.cli.exploring.sweep"]
    command = [*sweep, *words, "--sweep", "toy_gpu.launch=2", "-o", "s.sqlite"]
    for computed in expected:
        done = subprocess.run(
            command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert ("there already" in done.stderr) == (computed == "0"), done.stderr


def test_what_is_kept_is_kept_with_its_record(tmp_path: Path) -> None:
    """It is made again when a file changed that it was made of."""
    path = tmp_path / "a.txt"
    kept: Kept[bytes] = Kept(most=1)
    made: list[str] = []

    def result(key: str) -> bytes:
        def make() -> bytes:
            made.append(key)
            return files.read_regular(path, "short")

        return kept.result(key, make)

    for text in (b"a", b"b"):
        path.write_bytes(text)
        for _ in range(2):
            with recording() as record:
                assert result("key") == text
            assert list(record.found) == [f"contents {path}"]
    assert made == ["key", "key"]
    with recording() as record:
        assert result("other") == result("key") == b"b"
        path.write_bytes(b"c")
        assert result("key") == b"c"
    assert made[2:] == ["other", "key", "key"]
    assert record.changed == str(path)


def test_a_package_that_was_changed_after_its_installation_has_another_state(tmp_path: Path) -> None:
    """Packages count by their versions, and by the contents of files that are not as they were installed."""
    info = tmp_path / "made-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: made\nVersion: 1.0\n")
    (tmp_path / "made.py").write_text("x = 1\n")
    digest = "sha256=nia_NpkRxFwkPGhBR7I_yeHc_PJX0pmhxjIBam_NM_Q"
    (info / "RECORD").write_text(f"made.py,{digest},6\nmade-1.0.dist-info/METADATA,sha256=x,1\nRECORD,,\n")
    package = PathDistribution(info)

    def state() -> dict[str, str]:
        return dict(code._changed(package))  # pyright: ignore[reportPrivateUsage]

    os.utime(tmp_path / "made.py", (0, 0))
    assert state() == {}, "a file as old as the package is not read"
    late = 4e9  # a time after the installation
    os.utime(tmp_path / "made.py", (late, late))
    found = state()
    (tmp_path / "made.py").write_text("x = 2\n")
    os.utime(tmp_path / "made.py", (late, late))
    assert list(state()) == ["made.py"]
    assert state() != found
    (tmp_path / "made.py").unlink()
    assert state() == {"made.py": "absent"}

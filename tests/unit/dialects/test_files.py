"""Tests of output files: each is written completely or not at all, and each output of a run has one destination."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from dialects.diagnostics import InputError
from dialects.files import open_regular, write_text, written
from interp.machine.profile import Profile
from interp.machine.profile_file import write_profile
from ndpir.cli.ending import BAD_INPUT, BAD_USAGE, DONE
from ndpir.cli.opt import main
from ndpir.cli.output import Destinations, Stream

ROOT = Path(__file__).parents[3]
PROGRAM = """\
func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  %y = graph.relu %x : tensor<4xf16>
  func.return %y : tensor<4xf16>
}
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "p.mlir"
    path.write_text(PROGRAM)
    return str(path)


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_an_error_while_writing_keeps_the_old_file_and_leaves_no_temporary_file(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old")

    def fail(error: BaseException) -> None:
        with written(path) as file:
            file.write(b"half")
            raise error

    for error in (ZeroDivisionError(), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            fail(error)
    with pytest.raises(InputError, match="is no character of utf-8 text"):
        write_text(path, "\ud800")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["out"]


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))


@pytest.mark.slow
@pytest.mark.parametrize(
    "flags", [[], ["-t", "onnx"], ["-t", "dot"], ["-p", "place", "-t", "perfetto"], ["--list-targets"]]
)
def test_a_full_disk_keeps_the_old_file(tmp_path: Path, program: str, flags: list[str]) -> None:
    path = tmp_path / "out"
    path.write_text("old")
    words = [*([] if "--list-targets" in flags else [program]), *flags, "-o", str(path)]
    done = subprocess.run(
        [sys.executable, "-m", "ndpir", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode")},
        capture_output=True,
        text=True,
        preexec_fn=limited,
    )
    assert done.returncode == BAD_INPUT
    cut_off = [each.name for each in (tmp_path / "bytecode").rglob("targets/*.pyc")]
    assert not cut_off, "a truncated bytecode file would break each later run"
    assert f"{path}: error: can't be written: file too large" in done.stderr
    assert path.read_text() == "old"
    assert set(names(tmp_path)) - {"bytecode"} == {"out", "p.mlir"}


def test_permissions_and_links_are_kept_and_new_files_obey_the_umask(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    path, link, new = tmp_path / "there" / "out", tmp_path / "link", tmp_path / "new"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to("there/out")
    write_text(link, "text")
    assert link.is_symlink()
    assert path.read_text() == "text"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    before = os.umask(0o027)
    try:
        write_text(new, "text")
    finally:
        os.umask(before)
    assert stat.S_IMODE(new.stat().st_mode) == 0o640
    dangling = tmp_path / "dangling"
    dangling.symlink_to("made")
    write_text(dangling, "text")
    assert (tmp_path / "made").read_text() == "text"


def test_devices_and_pipes_are_written_directly(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write_text("/dev/null", "text")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    write_text("/dev/stdout", "on stdout")
    assert capfd.readouterr().out == "on stdout"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()), daemon=True)
    reader.start()
    write_text(pipe, "through a pipe")
    reader.join(10)
    assert found == ["through a pipe"]
    assert names(tmp_path) == ["pipe"]


def test_a_pipe_in_place_of_a_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, kind in ((tmp_path / "pipe", "a pipe"), (tmp_path, "a folder"), (Path("/dev/zero"), "a device")):
        with pytest.raises(OSError, match=f"it is {kind}, not a file"):
            open_regular(path)


@pytest.mark.slow
def test_output_that_a_shell_appends_to_a_file_keeps_the_file_s_content(tmp_path: Path, program: str) -> None:
    log = tmp_path / "log"
    log.write_text("before\n")
    with log.open("a") as file:
        subprocess.run([sys.executable, "-m", "ndpir", program, "-o", "/dev/stdout"], cwd=ROOT, stdout=file, check=True)
    assert log.read_text().startswith("before\nbuiltin.module {")


def a_profile(path: Path) -> None:
    write_profile(Profile(), path)


def a_text(path: Path) -> None:
    write_text(path, "text")


@pytest.mark.parametrize("write", [a_profile, a_text])
def test_every_output_is_written_completely_or_not_at_all(
    tmp_path: Path, write: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(InputError, match="can't be written: no space left on device"):
        write(path)
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    ("out", "target_requested", "reports", "program", "goes"),
    [
        (None, False, 0, "stdout", ()),
        (None, True, 0, "stdout", ()),
        (None, False, 1, None, ("stdout",)),
        (None, True, 1, "stdout", ("stderr",)),
        (None, False, 2, None, ("stdout", "stderr")),
        (None, True, 2, "stdout", ("stderr", "stderr")),
        ("x", False, 0, "file", ()),
        ("x", False, 1, "file", ("stdout",)),
        ("x", True, 2, "file", ("stdout", "stderr")),
        ("-", False, 1, "stdout", ("stderr",)),
        ("/dev/stdout", False, 1, "stdout", ("stderr",)),
    ],
)
def test_destinations(
    out: str | None, target_requested: bool, reports: int, program: Stream | None, goes: tuple[Stream, ...]
) -> None:
    assert Destinations.of(out, target_requested=target_requested, reports=reports) == Destinations(program, goes)
    streams = [stream for stream in (program, *goes) if stream != "stderr"]
    assert len(streams) == len(set(streams))


MARKS = {"summary": "makespan ", "text": "builtin.module {", "dot": "digraph program {", "explain": "bound by launch"}


@pytest.mark.parametrize(
    ("words", "stdout", "file", "stderr"),
    [
        ("--summary", ["summary"], [], []),
        ("--summary -o OUT", ["summary"], ["text"], []),
        ("--summary -t dot", ["dot"], [], ["summary"]),
        ("--summary -t dot -o OUT", ["summary"], ["dot"], []),
        ("--summary -o -", ["text"], [], ["summary"]),
        ("--explain relu -o OUT", ["explain"], ["text"], []),
        ("--summary --explain relu", ["summary"], [], ["explain"]),
        ("--summary --explain relu -t dot", ["dot"], [], ["summary", "explain"]),
    ],
)
def test_every_output_has_its_own_destination(
    tmp_path: Path,
    program: str,
    words: str,
    stdout: list[str],
    file: list[str],
    stderr: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "out"
    assert main([program, "-p", "place", *words.replace("OUT", str(path)).split()]) == DONE
    out, err = capsys.readouterr()
    held = path.read_text() if path.exists() else ""
    for text, expected in ((out, stdout), (held, file), (err, stderr)):
        assert [name for name, mark in MARKS.items() if mark in text] == expected
    assert ("// -----// Summary //----- //" in err) == (len(stderr) > 1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ('PROGRAM -t onnx{weights="OUT"} -o OUT', "-o and -t onnx both write OUT; give them different files"),
        ("PROGRAM --show-device a100", "--show-device prints a list and reads no program; leave out PROGRAM"),
        ("--list-passes -p place", "--list-passes prints a list and reads no program; leave out -p"),
        ("--list-devices --summary", "--list-devices prints a list and reads no program; leave out --summary"),
    ],
)
def test_command_lines_that_would_lose_an_output_are_refused(
    tmp_path: Path, program: str, words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def with_paths(text: str) -> str:
        return text.replace("PROGRAM", program).replace("OUT", str(tmp_path / "out"))

    assert main(with_paths(words).split()) == BAD_USAGE
    assert capsys.readouterr().err.startswith(f"ndp-opt: error: {with_paths(message)} (")
    assert not (tmp_path / "out").exists()


def test_lists_are_written_to_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "devices"
    assert main(["--list-devices", "-o", str(path)]) == DONE
    assert capsys.readouterr().out == ""
    assert "a100" in path.read_text()

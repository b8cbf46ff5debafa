"""Tests of the driver's behaviour that RUN lines can't test: exit statuses, files, pipes, failures, and the modules
that a start imports."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ndpir.cli.ending import BAD_INPUT, BAD_USAGE, CLOSED_PIPE, DEFECT, DONE, INTERRUPTED
from ndpir.cli.opt import main

ROOT = Path(__file__).parents[3]
PROGRAM = """\
func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  %y = graph.relu %x : tensor<4xf16>
  func.return %y : tensor<4xf16>
}
"""
CULPRIT = """\
from dataclasses import dataclass
from xdsl.passes import ModulePass
from xdsl.universe import Universe

@dataclass(frozen=True)
class Fail(ModulePass):
    name = "fail"
    how: str = "bug"

    def apply(self, ctx, op):
        if self.how == "interrupt":
            raise KeyboardInterrupt
        if self.how == "wrong":
            op.ops.first.body.block.last_op.detach()
            return
        raise ZeroDivisionError("a bug")

UNIVERSE = Universe(all_passes={"fail": lambda: Fail})
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "p.mlir"
    path.write_text(PROGRAM)
    return str(path)


@pytest.fixture
def culprit(tmp_path: Path) -> str:
    path = tmp_path / "culprit.py"
    path.write_text(CULPRIT)
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["{program}"], DONE),
        (["--help"], DONE),
        (["--version"], DONE),
        (["{program}", "-p", "nosuch"], BAD_USAGE),
        (["{program}", "-p", "canonicalize{x=1}"], BAD_USAGE),
        (["{program}", "-t", "nosuch"], BAD_USAGE),
        (["{program}", "--seed", "x"], BAD_USAGE),
        (["{program}", "second.mlir"], BAD_USAGE),
        (["{program}", "--nosuch"], BAD_USAGE),
        (["{program}", "--plugin", "nosuch.py"], BAD_USAGE),
        (["{program}", "--sheets", "nosuch"], BAD_USAGE),
        (["{program}", "--dim", "b=8"], BAD_USAGE),
        (["nosuch.onnx", "--dim", "b=0"], BAD_USAGE),
        (["nosuch.onnx", "--dim", "b=1" + 5000 * "0"], BAD_USAGE),
        (["{program}", "--shape", "x=1x3"], BAD_USAGE),
        (["nosuch.onnx", "--shape", "x"], BAD_USAGE),
        (["nosuch.onnx", "--shape", "x="], BAD_USAGE),
        (["nosuch.onnx", "--shape", "x=1x0"], BAD_USAGE),
        (["nosuch.onnx", "--shape", "x=1x3", "--shape", "x=1x4"], BAD_USAGE),
        (["-f", "onnx"], BAD_USAGE),
        (["nosuch.onnx"], BAD_INPUT),
        (["nosuch.mlir"], BAD_INPUT),
        (["."], BAD_INPUT),
        (["{program}", "-o", "/nosuch/out.mlir"], BAD_INPUT),
        (["{program}", "-o", "."], BAD_INPUT),
        (["{program}", "--machine", "nosuch"], BAD_INPUT),
    ],
)
def test_exit_statuses(program: str, arguments: list[str], status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([argument.replace("{program}", program) for argument in arguments]) == status
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    assert not (status and out)
    assert bool(err) == bool(status)
    assert not status or "error: " in err.splitlines()[0]


def test_invalid_utf8(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.mlir"
    path.write_bytes(b'"test.op"() : () -> ()\n  "\xff" \n')
    assert main([str(path)]) == BAD_INPUT
    assert capsys.readouterr().err.startswith(f"{path}:2:4: error: byte 0xFF is not UTF-8 text")


def test_byte_order_mark_and_carriage_returns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.mlir"
    path.write_bytes(b"\xef\xbb\xbf" + PROGRAM.replace("\n", "\r\n").encode())
    assert main([str(path)]) == DONE
    assert "graph.relu" in capsys.readouterr().out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read all files")
def test_unreadable_file(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    os.chmod(program, 0)
    assert main([program]) == BAD_INPUT
    assert "can't be read: permission denied" in capsys.readouterr().err


def test_error_leaves_the_output_file_unchanged(tmp_path: Path, program: str) -> None:
    output = tmp_path / "out.mlir"
    assert main([program, "-o", str(output)]) == DONE
    before = output.read_text()
    wrong = tmp_path / "wrong.mlir"
    wrong.write_text("no.such")
    assert main([str(wrong), "-o", str(output)]) == BAD_INPUT
    assert output.read_text() == before


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no disk that is always full")
@pytest.mark.parametrize("flags", [[], ["-t", "onnx"]])
def test_full_disk_of_stdout_is_reported(program: str, flags: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ndpir", program, *flags], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == BAD_INPUT
    assert done.stderr == "<stdout>: error: can't be written: no space left on device\n"


@pytest.mark.parametrize("depth", [200, 5000])
def test_deep_nesting_is_reported(tmp_path: Path, depth: int, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "deep.mlir"
    path.write_text('"test.op"() ({' * depth + "}) : () -> ()" * depth)
    assert main([str(path)]) in (DONE, BAD_INPUT)
    path.write_text(f'"test.op"() {{a = {"[" * depth}{"]" * depth}}} : () -> ()')
    assert main([str(path)]) in (DONE, BAD_INPUT)
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert "nested too deeply" in err


@pytest.mark.slow
def test_internal_error_writes_a_reproducer(
    program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("lowering.graph.canonicalize.CanonicalizePass.apply", broken)
    assert main([program, "-p", "canonicalize"]) == DEFECT
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(
        "ndp-opt: error: ndp-opt failed with an internal error while running pass canonicalize "
        "(ZeroDivisionError: a bug)"
    )
    path = Path(line.rpartition(" ")[2])
    text = path.read_text()
    assert "// command: ndp-opt " in text
    assert "//     raise ZeroDivisionError" in text
    assert text.endswith(PROGRAM)
    # Equal failures share a file; at most 20 files are kept.
    assert main([program, "-p", "canonicalize"]) == DEFECT
    assert [path] == list(path.parent.iterdir())
    for seed in range(30):
        assert main([program, "-p", "canonicalize", "--seed", str(seed)]) == DEFECT
    assert len(list(path.parent.iterdir())) == 20
    # A reproducer runs without the original input file, and does not write the original output file.
    assert main([program, "-p", "canonicalize", "-o", str(tmp_path / "out")]) == DEFECT
    last = capsys.readouterr().err.splitlines()[-1].rpartition(" ")[2]
    Path(program).unlink()
    assert main(["--run-reproducer", last]) == DEFECT
    assert "failed with an internal error while running pass canonicalize" in capsys.readouterr().err
    monkeypatch.undo()
    assert main(["--run-reproducer", last, "--timing"]) == DONE
    out, err = capsys.readouterr()
    assert out.startswith("builtin.module {")
    assert "100.0%  total" in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "text", ["", PROGRAM, "// command: rm -rf\n// folder: /\n", "// command: ndp-opt 'x\n// folder: /\n"]
)
def test_invalid_reproducers(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "r.mlir"
    path.write_text(text)
    assert main(["--run-reproducer", str(path)]) == BAD_USAGE
    assert main(["--run-reproducer"]) == BAD_USAGE
    assert main(["--run-reproducer", str(tmp_path / "none")]) == BAD_USAGE
    assert main([f"--run-reproducer={path}"]) == BAD_USAGE
    assert main([f"--run-reproducer={tmp_path / 'none'}"]) == BAD_USAGE
    assert "Traceback" not in capsys.readouterr().err


def test_a_reproducer_may_be_named_after_an_equals_sign(
    program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.mlir"
    path.write_text(f"// command: ndp-opt gone.mlir\n// folder: {tmp_path}\n// the program:\n{PROGRAM}")
    assert main([f"--run-reproducer={path}"]) == DONE
    assert "func.func @f" in capsys.readouterr().out
    assert main([f"--run-reproducer={path}", "--run-reproducer", str(path)]) == BAD_USAGE
    assert "--run-reproducer takes one file, but 2 are given" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("recorded", "beside"),
    [("--run-reproducer=x", ""), ("--run-reproducer x", ""), ("--sweep=pim.tCCD=1..3", ""), ("", "--sweep=pim.tCCD=1")],
)
def test_a_repeated_run_is_neither_another_one_nor_a_sweep(
    recorded: str, beside: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.mlir"
    path.write_text(f"// command: ndp-opt gone.mlir {recorded}\n// folder: {tmp_path}\n// the program:\n{PROGRAM}")
    assert main(["--run-reproducer", str(path), *beside.split()]) == BAD_USAGE
    out, err = capsys.readouterr()
    assert not out
    flag = re.split("[= ]", recorded or beside)[0]
    assert f"a run that --run-reproducer repeats has no {flag}; leave it out" in err


def test_pass_that_breaks_the_program_is_an_internal_error(
    program: str, culprit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert main([program, "--plugin", culprit, "-p", "fail{how=wrong}"]) == DEFECT
    assert "pass fail left a program that does not verify" in capsys.readouterr().err


def test_interruption(program: str, culprit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([program, "--plugin", culprit, "-p", "fail{how=interrupt}"]) == INTERRUPTED
    assert capsys.readouterr().err == "ndp-opt: interrupted\n"


def test_disable_verify_does_not_outlive_the_run(program: str) -> None:
    from xdsl.ir import Attribute

    before = Attribute.__post_init__
    assert main([program, "--disable-verify"]) == DONE
    assert Attribute.__post_init__ is before


@pytest.mark.slow
def test_closed_pipe_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "long.mlir"
    path.write_text("".join(f'"test.op"() {{a = {i}}} : () -> ()\n' for i in range(3000)))
    script = f'{sys.executable} -m ndpir {path} | head -n 1; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.splitlines()[0] == "builtin.module {"
    assert done.stdout.splitlines()[1] in (str(CLOSED_PIPE), "0")
    assert done.stderr == ""


@pytest.mark.slow
def test_startup_imports_no_heavy_modules(tmp_path: Path) -> None:
    path = tmp_path / "empty.mlir"
    path.write_text("func.func @f() {\n  func.return\n}\n")
    code = (
        "import sys; from ndpir.cli.opt import main; main([sys.argv[1]]);"
        "heavy = {'numpy', 'ml_dtypes', 'onnx', 'lark', 'rich', 'graphviz', 'dialects.graph', 'dialects.task'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("target", "is_timed"), [("timeline", False), ("perfetto", False), ("summary", True), ("mlir", True)]
)
def test_baseline_is_timed_only_for_targets_that_show_it(
    target: str, is_timed: bool, program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([program, "--machine", "a100", "-p", "gpu-only", "-t", target, "--timing"]) == DONE
    assert ("baseline" in capsys.readouterr().err) == is_timed


def test_timing_goes_to_stderr(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([program, "--timing"]) == DONE
    out, err = capsys.readouterr()
    assert out.startswith("builtin.module {")
    assert "100.0%  total" in err

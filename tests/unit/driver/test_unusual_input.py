"""Tests of input that once caused tracebacks: numbers of thousands of digits, undeclared devices, plugins that exit."""

from __future__ import annotations

from pathlib import Path

import pytest

from interp.machine.profile import Profile
from interp.machine.profile_file import write_profile
from ndpir.cli.ending import BAD_INPUT, BAD_USAGE, DONE
from ndpir.cli.opt import main
from ndpir.registry import names

PROGRAM = """\
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.relu %x : tensor<4xf32>
  func.return %y : tensor<4xf32>
}
"""
DIGITS, HEX = 5000 * "9", "0x" + 4000 * "f"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "p.mlir").write_text(PROGRAM)
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        f'"test.op"() {{a = {HEX} : i32000}} : () -> ()',
        f'"test.op"() {{a = dense<{DIGITS}> : tensor<1xi64>}} : () -> ()',
        f'"test.op"() {{a = affine_map<(d0) -> (d0 + {DIGITS})>}} : () -> ()',
        f'"test.op"() {{a = {DIGITS}.0 : f32}} : () -> ()',
        f'"test.op"() : () -> () loc("x":{DIGITS}:1)',
        f'%w = graph.weight "a" = uniform(-1.0, 1.0, {HEX}) : tensor<32x32xf32>',
        f'%w = graph.weight "a" = file("x", {DIGITS}) : tensor<32x32xf32>',
        f"%c = graph.constant {HEX} : tensor<2xi64>",
        f'hw.device @pim = "toy_pim" {{channels = {DIGITS}}}',
        f"func.func @f(%x: tensor<{DIGITS}xf32>) {{\n  func.return\n}}",
    ],
)
def test_numbers_of_thousands_of_digits(folder: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "x.mlir").write_text(text)
    assert main(["x.mlir"]) == BAD_INPUT
    assert capsys.readouterr().err.startswith("x.mlir:1:")


@pytest.mark.parametrize(
    "words",
    [
        ["-p", f"place{{width={DIGITS}}}"],
        ["-t", f"timeline{{limit={DIGITS}}}"],
        ["--seed", DIGITS],
        ["--effort", DIGITS],
        ["--dim", f"b={DIGITS}"],
    ],
)
def test_flags_of_thousands_of_digits(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["p.mlir", *words]) == BAD_USAGE
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize("line", [f"W MEM {DIGITS} 0 0", f"AiM WR_GB {DIGITS} {HEX} 1"])
def test_traces_of_thousands_of_digits(folder: Path, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "x.trace").write_text(line + "\n")
    assert main(["x.trace", "--machine", "aim"]) == BAD_INPUT
    assert capsys.readouterr().err.startswith("x.trace:1:")


def test_profile_with_a_link_to_an_undeclared_device(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "x.mlir").write_text('hw.device @gpu = "toy_gpu"\nhw.link @gpu to @nope = "toy_link"\n')
    write_profile(Profile(), folder / "x.json")
    for flags in ([], ["--disable-verify"]):
        assert main(["x.mlir", "--profile", "x.json", *flags]) == BAD_INPUT
        assert capsys.readouterr().err.startswith("x.mlir:2:1: error: hw.link: there is no device @nope; the machine")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "status", "expected"),
    [
        (["-t", "riscv-asm"], BAD_INPUT, "p.mlir: error: xDSL's target riscv-asm can't process this program"),
        (["-t", "mps"], BAD_INPUT, "p.mlir: error: xDSL's target mps can't process this program"),
        (["-p", "apply-pdl-interp"], BAD_INPUT, "p.mlir: error: xDSL's pass apply-pdl-interp can't process"),
    ],
)
def test_xdsl_steps_for_other_dialects(
    words: list[str], status: int, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["p.mlir", *words]) == status
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(expected)
    assert len(line) < 300


def test_target_with_a_missing_package(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def missing(*_: object) -> None:
        raise ModuleNotFoundError("No module named 'llvmlite'", name="llvmlite")

    monkeypatch.setitem(names.XDSL_UNIVERSE.all_targets, "llvm", missing)
    assert main(["p.mlir", "-t", "llvm"]) == BAD_USAGE
    assert "the target `llvm` needs the package llvmlite, which is not installed" in capsys.readouterr().err


LEAVING = """\
import sys
from dataclasses import dataclass
from xdsl.passes import ModulePass
from xdsl.universe import Universe

print("a word of the plugin")

class Odd(BaseException):
    pass

@dataclass(frozen=True)
class Leave(ModulePass):
    name = "leave"
    how: str = "exit"

    def apply(self, ctx, op):
        print("a word of the pass")
        if self.how == "exit":
            sys.exit(0)
        if self.how == "odd":
            raise Odd("oddly")

UNIVERSE = Universe(all_passes={"leave": lambda: Leave})
"""


@pytest.mark.parametrize(("how", "message"), [("exit", "SystemExit: 0"), ("odd", "Odd: oddly")])
def test_plugin_pass_that_exits(folder: Path, how: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "plug.py").write_text(LEAVING)
    assert main(["p.mlir", "--plugin", "plug.py", "-p", f"leave{{how={how}}}"]) == BAD_INPUT
    out, err = capsys.readouterr()
    assert out == ""
    assert f"the plugin fails while running pass leave ({message})" in err


def test_plugin_output_is_not_part_of_the_program(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "plug.py").write_text(LEAVING)
    assert main(["p.mlir", "--plugin", "plug.py", "-p", "leave{how=not}"]) == DONE
    out, err = capsys.readouterr()
    assert out.startswith("builtin.module {")
    assert "word" not in out
    assert "a word of the plugin" in err
    assert "a word of the pass" in err


@pytest.mark.parametrize("text", ["import sys\nsys.exit(0)\n", "raise GeneratorExit\n", "def f(:\n", "\x00"])
def test_plugin_that_exits_at_import(folder: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "plug.py").write_text(text)
    assert main(["p.mlir", "--plugin", "plug.py"]) == BAD_USAGE
    assert capsys.readouterr().err.startswith("plug.py:")

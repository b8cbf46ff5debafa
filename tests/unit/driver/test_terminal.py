"""Names in files and programs write no control sequence to a terminal, reverse no text and forge no line there,
whatever file they stand in."""

from __future__ import annotations

import ast
import re
import sys
import unicodedata
from contextlib import suppress
from functools import cache
from io import StringIO
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

import ndpir
import ndpir.cli.calibrate
import ndpir.cli.exploring.sweep
import ndpir.cli.profile
from dialects.diagnostics import note
from dialects.text.printable import printable, printable_lines
from ndpir.cli.opt import main
from ndpir.cli.output import write_data
from ndpir.registry.universe import TARGETS
from ndpir.reports.columns import Figure
from ndpir.sweep.evaluation import Outcome
from ndpir.sweep.journal import Journal

ROOT = Path(__file__).parents[3]
NAME = "\x1b[31m\x9b\u202e\u2066\nFORGED\r\u2028"
IN_MLIR = "\\1B[31m\\C2\\9B\u202e\u2066\\0AFORGED\\0D\u2028"
MACHINE = f"""
hw.device @"g{IN_MLIR}" = "toy_gpu"
hw.device @"p{IN_MLIR}" = "toy_pim"
hw.link @"g{IN_MLIR}" to @"p{IN_MLIR}" = "toy_link"
"""
PROGRAM = f"""{MACHINE}
func.func @"f{IN_MLIR}"(%x: tensor<1x64xf32> {{jax.arg_name = "a{IN_MLIR}"}}) -> tensor<1x64xf32> {{
  %w = graph.weight "w{IN_MLIR}" = uniform(-0.1, 0.1, 1) : tensor<64x64xf32>
  %y = graph.matmul %x, %w : tensor<1x64xf32>, tensor<64x64xf32> loc("n{IN_MLIR}")
  func.return %y : tensor<1x64xf32>
}}
"""
PLACED = ("-p", "place{policy=pim-first}")
TEXT_TARGETS = [name for name in TARGETS if name != "onnx"]


def is_sound(text: str) -> bool:
    """True if a text has no hidden characters but ends of lines and tabs, and no line that a name forges."""
    return printable_lines(text) == text and not re.search(r"^\s*FORGED", text, re.MULTILINE)


@pytest.fixture
def program(tmp_path: Path) -> str:
    (tmp_path / "p.mlir").write_text(PROGRAM, "utf-8")
    return str(tmp_path / "p.mlir")


def test_hidden_characters_are_those_without_a_shape() -> None:
    for char in map(chr, (*range(0x3000), *range(0xD800, 0xD810), *range(0xFE00, 0x10000), *range(0xE0000, 0xE0100))):
        is_hidden = unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        turns = unicodedata.bidirectional(char) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI", "B")
        assert (printable(char) != char) == is_hidden
        assert is_hidden or not turns
    assert printable("a\x1b[0m\u202e\n é\u00a0漢") == "a\\x1b[0m\\u202e\\n é\u00a0漢"
    assert printable_lines("a\tb\r\nc") == "a\tb\\r\nc"


@cache
def compiled(passes: str) -> ModuleOp:
    return ndpir.compile(ndpir.parse(PROGRAM), passes)


@pytest.mark.slow
@pytest.mark.parametrize("target", TEXT_TARGETS)
def test_targets(target: str) -> None:
    written: list[str] = []
    for passes in ("", PLACED[1], f"{PLACED[1]},to-pim"):
        with suppress(ndpir.InputError):
            written.append(ndpir.write(compiled(passes), target))
    assert written or target in ("memory-svg", "ndp", "decisions", "triton")
    for text in written:
        assert is_sound(text)


@pytest.mark.parametrize(
    "words",
    [
        ("--summary", "--explain", "", "--timing", "--print-ir-after-all", "--check", *PLACED),
        ("--machine", f"no{NAME}", *PLACED),
        ("-p", f"no{NAME}"),
        ("-t", f"no{NAME}"),
        ("--explain", f"no{NAME}", *PLACED),
        (f"--no{NAME}",),
        ("--set", f"no{NAME}=1"),
        ("--dim", f"no{NAME}"),
        ("-o", f"no{NAME}/out"),
        ("--plugin", f"no{NAME}.py"),
        ("--sheets", f"no{NAME}"),
        ("--profile", f"no{NAME}", *PLACED),
        ("--inputs", f"no{NAME}.npz", "-t", "values"),
    ],
    ids=lambda words: words[0],
)
def test_reports_and_errors(program: str, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    assert main([program, *words]) in (0, 1, 2)
    out, err = capsys.readouterr()
    assert out + err
    assert is_sound(out)
    assert is_sound(err)


def test_a_quoted_line_and_its_caret(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.mlir").write_text("// \x1b]0;x\n%x = /* \u202e\x1b */ graph.nonsense\n", "utf-8")
    assert main([str(tmp_path / "p.mlir")]) == 1
    err = capsys.readouterr().err
    assert is_sound(err)
    assert err


def test_listings_of_sheets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.sheet").write_text('device mine = toy_gpu with launch 2 ns "\x1b[31m\u202e"\n', "utf-8")
    (tmp_path / "y.sheet").write_text('device \x1b[31m\u202e = toy_gpu "\u202e"\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    for words in (["--list-devices"], ["--list-machines"], ["--show-device", "mine"], ["--show-device", "\x1b"]):
        main([*words, "--sheets", "."])
        out, err = capsys.readouterr()
        assert is_sound(out + err)


def test_results_of_a_sweep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "r.sqlite")
    with Journal(path) as journal:
        figures: dict[str, Figure] = {"makespan_ns": 1.0, "energy_nj": 1.0, f"busy_ns.{NAME}": 2.0}
        journal.add(0, {f"x{NAME}": f"a{NAME}"}, Outcome("1", figures, "", 0.0))
        journal.add(1, {f"x{NAME}": f"b{NAME}"}, Outcome("2", {}, f"failed {NAME}", 0.0))
    assert ndpir.cli.exploring.sweep.main(["show", path]) == 0
    assert ndpir.cli.exploring.sweep.main(["show", path, "--json"]) == 0
    assert ndpir.cli.exploring.sweep.main(["show", path, "--pareto", f"no{NAME}"]) == 2
    assert ndpir.cli.exploring.sweep.main(["show", f"no{NAME}.sqlite"]) == 1
    out, err = capsys.readouterr()
    assert is_sound(out)
    assert is_sound(err)


def test_other_commands(program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.csv").write_text(f"class,element,lat_us\ngemm{NAME},f16,1\n", "utf-8")
    assert ndpir.cli.profile.main([program, "--repeats", "1", "--warmup", "0", "-o", str(tmp_path / "o")]) in (0, 1)
    ndpir.cli.calibrate.main([str(tmp_path / "m.csv"), "--device", f"a100{NAME}"])
    ndpir.cli.calibrate.main([str(tmp_path / "m.csv"), "--device", "a100_40_pcie"])
    out, err = capsys.readouterr()
    assert is_sound(out + err)


def test_notes_without_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    note(f"x {NAME}", f"p{NAME}")
    assert is_sound(capsys.readouterr().err)


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_data_are_unchanged_in_a_pipe_and_escaped_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream, expected in ((StringIO(), "a\x1b,b\n"), (Terminal(), "a\\x1b,b\n")):
        monkeypatch.setattr(sys, "stdout", stream)
        write_data("a\x1b,b\n")
        assert stream.getvalue() == expected


WRITERS = (
    *("dialects/diagnostics.py", "ndpir/cli/output.py", "ndpir/cli/command.py", "ndpir/frontends/onnx/fill.py"),
    "ndpir/frontends/bytecode.py",
)
"""The files that write to the standard streams: `fill.py` and `bytecode.py` are programs of their own."""


def test_only_two_files_write_to_the_standard_streams() -> None:
    for folder in ("ndpir", "lowering", "interp", "dialects"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text("utf-8")
            if str(path.relative_to(ROOT)) in WRITERS or not re.search(r"print\(|std(out|err)", text):
                continue
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call):
                    called = ast.unparse(node.func)
                    assert called != "print", path
                    assert not re.fullmatch(r"sys\.(stdout|stderr)(\.buffer)?\.write(lines)?", called), path

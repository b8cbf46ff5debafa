"""Tests of a summary's lines `depends on`: the results for both ends of an assumption equal a compilation of the same
plan for a machine with these numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.diagnostics import notes_to
from interp.simulate.simulation import simulate
from interp.walk.entry import entry_of
from lowering.alone.baseline import read_baseline
from lowering.alone.sensitivity import Headline, Swing, stated, swings
from lowering.banks.templates import clock_for
from lowering.machine.sheet_ops import changed, machine_ops_of
from ndpir.cli.opt import main

PROGRAM = """
hw.device @gpu = "a100"
hw.device @pim = "newton" {channels = 4}
hw.link @gpu to @pim = "LINK"
func.func @main(%x: tensor<1x256xf16>) -> tensor<1x256xf16> {
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<256x1024xf16>
  %v = graph.weight "v" = uniform(-0.1, 0.1, 2) : tensor<1024x256xf16>
  %0 = graph.matmul %x, %w : tensor<1x256xf16>, tensor<256x1024xf16>
  %1 = graph.exp %0 : tensor<1x1024xf16>
  %y = graph.matmul %1, %v : tensor<1x1024xf16>, tensor<1024x256xf16>
  func.return %y : tensor<1x256xf16>
}
"""
SHARED = 'on_board" {arbitration = "shared"}'


def compiled(program: ModuleOp) -> ModuleOp:
    with notes_to(lambda message, place: None):
        return ndpir.compile(program, "place{policy=pim-first},to-pim")


def answer(module: ModuleOp) -> Headline:
    clock = clock_for(module)
    baseline = read_baseline(entry_of(module), clock)
    assert baseline is not None
    return stated(simulate(module, clock), baseline)


def found(module: ModuleOp) -> list[Swing]:
    clock = clock_for(module)
    baseline = read_baseline(entry_of(module), clock)
    assert baseline is not None
    return swings(module, simulate(module, clock), clock, baseline)


@pytest.mark.slow
@pytest.mark.parametrize("link", ['on_board"', SHARED, 'pimflow_channels"'], ids=["separate", "shared", "partitioned"])
def test_both_ends_of_a_swing_equal_the_same_plan_on_the_changed_machine(link: str) -> None:
    text = PROGRAM.replace('LINK"', link)
    if "partitioned" in link or "pimflow" in link:
        text = text.replace('"a100"', '"a100" {channels = 32}')
    all_swings = found(compiled(ndpir.parse(text)))
    assert {each.name for each in all_swings} >= {"newton.launch", "a100.launch", "a100.idle"}
    for swing in all_swings:
        for end, numbers in ((swing.low, swing.assumption.low), (swing.high, swing.assumption.high)):
            module = ndpir.parse(text)
            with changed(machine_ops_of(module), swing.places, numbers):
                again = answer(compiled(module))
            assert end is not None
            for figure in ("ns", "speed_up", "energy", "board"):
                assert getattr(end, figure) == pytest.approx(getattr(again, figure), rel=1e-6), (swing.name, figure)


def test_assumptions_about_unused_devices_and_links_are_not_listed() -> None:
    with notes_to(lambda message, place: None):
        module = ndpir.compile(ndpir.parse(PROGRAM.replace('LINK"', 'on_board"')), "gpu-only")
    names = {each.name for each in found(module)}
    assert "newton.launch" not in names
    assert "on_board.latency" not in names


@pytest.mark.slow
def test_a_summary_lists_swings_and_can_replan_for_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.mlir"
    file.write_text(PROGRAM.replace('LINK"', 'on_board"'), encoding="utf-8")
    assert main([str(file), "-p", "place{policy=pim-first},to-pim", "--summary", "--replan"]) == 0
    lines = capsys.readouterr().out.splitlines()
    label = "depends on newton.launch, assumed 0 ns; with this plan at 0 us: speed-up "
    swing_lines = [line for line in lines if line.startswith(label)]
    assert len(swing_lines) == 1
    assert "; at 10 us: speed-up " in swing_lines[0]
    replanned = next(line for line in lines if line.startswith("replanned  newton.launch; "))
    assert "; at the middle of its range: speed-up " in replanned  # the plan is always the same, so the result is, too
    assert replanned.rpartition("; ")[2] == swing_lines[0].rpartition("; ")[2]
    for label in ("energy", "board", "rel energy", "rel board", "speed-up"):
        assert sum(line.startswith(f"{label} ") for line in lines) == 1, label


def test_replanning_without_a_summary_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples/mlp.mlir", "-p", "offload", "--replan"]) == 2
    assert "--replan needs passes and a summary" in capsys.readouterr().err


def test_a_value_with_which_the_plan_cant_run_has_a_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet, file = tmp_path / "small.sheet", tmp_path / "x.mlir"
    sheet.write_text('device small = toy_gpu "x"\n  memory 1 MB   assumed 1 kB to 2 MB "an invented number"\n')
    file.write_text(
        f'hw.device @gpu = "{sheet}"\nhw.device @pim = "toy_pim"\n'
        'hw.link @gpu to @pim = "toy_link" {arbitration = "shared"}\n'
        "func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {\n"
        "  %y = graph.relu %x : tensor<64x64xf32>\n  func.return %y : tensor<64x64xf32>\n}\n"
    )
    assert main([str(file), "-p", "place", "--summary", "--replan"]) == 0
    lines = capsys.readouterr().out.splitlines()
    needs = "at 1 kB: can't run (@main needs 32.768 kB on @gpu (0 B of weights and constants, 32.768 kB of live values)"
    assert [line.partition(" small.memory")[0] for line in lines if needs in line] == ["depends on", "replanned "]

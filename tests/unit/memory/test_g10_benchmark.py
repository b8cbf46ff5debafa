"""Tests of the benchmark `oversubscription g10`: cycles compared with published ones, the largest errors, and errors
for wrong files."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.memory.compatible import Place, Settings, Step, replay_plan, replay_uvm, steps_of
from benchmarks.memory.g10 import main
from benchmarks.memory.our_plans import planned_steps
from dialects.diagnostics import InputError
from interp.simulate.memory.problem import Move
from lowering.memory.plan_file import read_plan
from ndpir.traces.g10 import PAGE, read_g10

FOLDER = "tests/data/g10"
HEAD = "experiment,model,batch,parameter,value,policy,cycles_at_1.2GHz\n"


def last_line(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.rstrip("\n").rpartition("\n")[2]


def test_the_last_line_has_the_largest_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "batch,Small,1,,,ideal,2767200\nbatch,Small,1,,,uvm_lru,2766000\nvariation,Small,1,,,g10,0.99\n"
    (tmp_path / "rows.csv").write_text(HEAD + rows + "overall,Small,1,,,g10,fail\n")
    assert main([FOLDER, "--results", f"{tmp_path}/rows.csv"]) == 0
    assert last_line(capsys) == "g10 worst: ideal 0.00 % uvm 0.04 %"
    (tmp_path / "rows.csv").write_text(HEAD + "overall,Small,1,,,uvm_lru,2000000\n")
    assert main([FOLDER, "--results", f"{tmp_path}/rows.csv", "--cases", "Small_1"]) == 1
    assert last_line(capsys) == "g10 worst: uvm 38.36 %"


def test_published_cycles_and_plans_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "batch,Small,1,,,deepum_like,2767200\nssd_bandwidth,Small,1,s,6.4,uvm_lru,2767200\n"
    (tmp_path / "rows.csv").write_text(HEAD + rows + "host_memory,Small,1,host_GiB,0,deepum_like,2767200\n")
    (tmp_path / "empty.plan").write_text("// nothing moves\n")
    words = [FOLDER, "--results", f"{tmp_path}/rows.csv", "--aims", "--plan", f"{tmp_path}/empty.plan"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert "deepum_like, host_memory 0" in printed
    assert "uvm_lru, ssd_bandwidth 6.4" in printed
    assert "this plan" in printed


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["none"], "none: error: can't be read: no such file or directory; expected a folder with traces of G10"),
        ([FOLDER, "--cases", "Smal_1"], "this folder has no case `Smal_1`; did you mean `Small_1`?"),
        ([FOLDER, "--results", "none.csv"], "none.csv: error: can't be read"),
        ([FOLDER, "--cases", "Small_1", "--plan", "none.txt"], "none.txt: error: can't be read"),
        (
            [FOLDER, "--cases", "Small_1,Small_1", "--plan", "a.txt"],
            "error: --plan FILE needs exactly one case; name it",
        ),
    ],
)
def test_unreadable_files_are_errors(words: list[str], expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 1
    assert expected in capsys.readouterr().err


def test_moves_are_converted_to_steps_of_g10() -> None:
    case = read_g10(FOLDER, "Small_1")
    moves = [
        Move("prefetch", 5, 3),
        Move("evict", 5, 4, 0, 2 * PAGE, "ssd", after=6),
        Move("evict", 4, 4, tier="host"),
        Move("discard", 4, 5),
    ]
    assert steps_of(moves, case.trace) == [
        Step(3, 5, Place.GPU),
        Step(7, 5, Place.SSD, 2),
        Step(4, 4, Place.HOST),
        Step(5, 4, Place.NOWHERE),
    ]
    with pytest.raises(InputError, match=r"move 0 .* is not possible in G10's accounting"):
        steps_of([Move("write_back", 4, 5, tier="host")], case.trace)
    given = steps_of(read_plan(f"{FOLDER}/Small_1_g10_plan.csv", case.trace), case.trace)
    assert replay_plan(case, given).iterations[1] > case.ideal_cycles  # evicted tensors must be fetched again


def test_plans_of_ndpir_run_in_g10_s_accounting() -> None:
    case = read_g10(FOLDER, "Small_1")
    settings = Settings(gpu_gib=500 * PAGE / 1024**3)
    planned = replay_plan(case, planned_steps(case.trace, settings), settings).cycles
    assert case.ideal_cycles <= planned < replay_uvm(case, settings).cycles

"""Tests of the placement benchmark: its transformers equal exported ones, its generated programs have the requested
size, and its tables report results that contradict a bound or a policy's guarantee."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import ndpir
from benchmarks import placement
from benchmarks.placements.rows import Case, CaseOutcome, Row, evaluated, prepared, problem_for, transformer_cases
from benchmarks.placements.scale import DEVICES, FAMILIES, Grown, command, growth, profile_of, verdict
from benchmarks.placements.tables import better, compared, placements_table, serial, side_by_side, violations, write_csv
from dialects.diagnostics import InputError, notes_to
from dialects.graph import FusedOp
from interp.machine.profile_file import write_profile
from interp.walk.work_key import key_of
from lowering.optimise.quick.heuristics import gpu

ROW = Row(
    Case("bert", "cpu-pim", 32),
    187,
    (
        CaseOutcome("alone gpu", 90.0, 90.0, 0.0),
        CaseOutcome("list gpu,pim", 90.0, 90.0, 0.0),
        CaseOutcome("list pim,gpu", 80.0, 85.0, 0.0),
        CaseOutcome("greedy", 70.0, 84.0, 0.0),
        CaseOutcome("effort 1", 64.0, 82.0, 0.0),
        CaseOutcome("path", 75.0, 80.0, 0.0),
        CaseOutcome("optimal", 60.0, 90.0, 0.0),
    ),
    bound_ns=60.0,
    serial_bound_ns=80.0,
    exact=True,
    runs=("3", "1"),
    together="3",
)


@pytest.mark.slow
@pytest.mark.parametrize(("exported", "generated"), [("bert_base", "bert"), ("gpt2", "gpt2")])
def test_generated_transformers_equal_those_that_pytorch_exports(exported: str, generated: str) -> None:
    def taken(case: Case) -> tuple[int, float]:
        problem = problem_for(prepared(case))
        return len(problem.nodes), problem.makespan(gpu(problem))

    with notes_to(lambda message, place: None):
        reference, result = taken(Case(exported, "a100-newton")), taken(Case(generated, "a100-newton", 128))
    assert result[0] == pytest.approx(reference[0], abs=3)  # the mask and the embeddings are computed with other ops
    assert result[1] == pytest.approx(reference[1], rel=0.01)


@pytest.mark.slow
def test_plans_of_all_policies_end_at_the_predicted_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with notes_to(lambda message, place: None):
        row = evaluated(Case("mobilenet_v2", "toy"), limit_s=1.0, replay=True)
    assert row.replayed
    assert not violations([row])
    placements_table("title", [row], serial)
    compared([row], side_by_side)
    assert "held in 1 program" in capsys.readouterr().out
    compared([row, replace(row, exact=False)], serial)
    assert f"path is proven optimal in {int(row.exact)} of 2\n" in capsys.readouterr().out


def test_tables_compare_policies_case_by_case(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    placements_table("title", [ROW], side_by_side)
    shown = capsys.readouterr().out
    assert "3 + 1, or 3" in shown
    assert "25.0 %" in shown  # the gap of `path` to the bound
    comparison = better([ROW, replace(ROW, outcomes=ROW.outcomes[:-1])], "optimal", "path", side_by_side)
    assert comparison == "optimal beats path in 1 of 1, by 25.0 % on average and 25.0 % at most; worse in 0\n"
    assert "path beats the best list of devices in 1 of 1, by 6.2 %" in better([ROW], "path", "list", serial)
    file = tmp_path / "rows.csv"
    write_csv(file, [ROW])
    assert len(file.read_text().splitlines()) == 1 + len(ROW.outcomes)


@pytest.mark.parametrize(
    ("policy", "changed", "expected"),
    [
        ("path", CaseOutcome("path", 75.0, 84.5, 0.0), "greedy is better than path"),
        ("optimal", CaseOutcome("optimal", 65.0, 90.0, 0.0), "effort 1 is better than optimal"),
        ("greedy", CaseOutcome("greedy", 59.0, 84.0, 0.0), "before the lower bound"),
        ("greedy", CaseOutcome("greedy", 70.0, 79.0, 0.0), "below the bound on serial plans"),
    ],
)
def test_results_that_contradict_a_guarantee_are_reported(policy: str, changed: CaseOutcome, expected: str) -> None:
    assert not violations([ROW])
    worse = [changed if each.policy == policy else each for each in ROW.outcomes]
    assert any(expected in sentence for sentence in violations([replace(ROW, outcomes=tuple(worse))]))
    assert not violations([replace(ROW, outcomes=())])  # no plan fits into memory
    assert "at the predicted time" in violations([replace(ROW, replayed=False)])[0]


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_generated_programs_have_the_requested_size_and_times_on_all_devices(family: str) -> None:
    text = FAMILIES[family](100)
    assert text == FAMILIES[family](100)
    kernels = [op for op in ndpir.parse(text).walk() if isinstance(op, FusedOp)]
    assert len(kernels) == pytest.approx(100, abs=6)
    timed = {(row.key, row.device) for row in profile_of(text).rows}
    assert timed == {(key_of(op), device) for op in kernels for device in DEVICES}


@pytest.mark.slow
def test_the_time_of_a_command_is_measured(tmp_path: Path) -> None:
    text = FAMILIES["random, narrow"](12)
    (tmp_path / "program.mlir").write_text(text)
    write_profile(profile_of(text), tmp_path / "times.json")
    seconds, wall, gap = command(tmp_path, "path", 1.0)
    assert seconds > 0 < wall
    assert 0 <= gap < 0.01


def test_growth_of_time_and_verdicts_on_limits() -> None:
    small, large = Grown("f", 250, "path", 0.1, 0.1, 0.0), Grown("f", 2500, "path", 10.0, 10.0, 0.0)
    assert growth(small, large) == pytest.approx(2.0)
    assert verdict(large) == "10 s: met"
    assert verdict(replace(large, seconds=10.1)).endswith("missed")
    assert verdict(Grown("f", 2500, "optimal", 60.0, 60.0, 0.06)) == "60 s, 5.0 %: missed"
    assert verdict(small) == ""


def test_names_of_sections_and_cases() -> None:
    with pytest.raises(InputError, match="unknown section `scael`; expected one or more of transformers"):
        placement.main(["scael"])
    assert [case.name for case in transformer_cases([32, 64], ())][:3] == ["bert 32", "bert 64", "roberta 32"]

"""The comparison of two records by `benchmarks/golden.py`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.golden import compare, is_search

PLAN = {
    "makespan ns": 10.0,
    "bound ns": 8.0,
    "plan": "old",
    "busy ns gpu": 9.0,
    "memory bytes gpu": 100,
    "seconds": 1.0,
}


def found(tmp_path: Path, capsys: pytest.CaptureFixture[str], case: str, renames: str = "", **changes: object) -> str:
    """Return the output of a comparison of two records of one case. `changes`: new values of fields of the second
    record, with `_` for a space in a field's name."""
    before, after, table = tmp_path / "before.json", tmp_path / "after.json", tmp_path / "renames"
    before.write_text(json.dumps({case: PLAN}))
    after.write_text(json.dumps({case: PLAN | {key.replace("_", " "): value for key, value in changes.items()}}))
    table.write_text(renames)
    compare(before, after, table)
    return capsys.readouterr().out


def test_results_of_rules_must_be_equal_to_the_last_digit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = "plan/mobilenet_v2/pimflow/cost"
    assert not is_search(case)
    assert "1 cases: 0 fields differ" in found(tmp_path, capsys, case, seconds=9.0)
    assert "differs: " in found(tmp_path, capsys, case, makespan_ns=9.9999999999)
    assert "better: " in found(tmp_path, capsys, case, memory_bytes_gpu=99)
    assert "differs: " in found(tmp_path, capsys, case, memory_bytes_gpu=101)


def test_searches_may_end_earlier_with_another_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = "plan/mobilenet_v2/pimflow/best"
    text = found(tmp_path, capsys, case, makespan_ns=9.0, plan="b", busy_ns_gpu=1.0)
    assert "better: " in text
    assert "0 fields differ or are worse" in text
    assert "worse: " in found(tmp_path, capsys, case, makespan_ns=11.0, plan="b")
    assert "worse: " in found(tmp_path, capsys, case, bound_ns=7.0)
    assert "differs: " in found(tmp_path, capsys, case, busy_ns_gpu=1.0)  # with the same plan


def test_renames_are_applied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = "plan/mobilenet_v2/pimflow/cost"
    assert "0 fields differ" in found(tmp_path, capsys, case, renames="old -> new", plan="new")

"""Tests of results of the Python interface as plain data: rows, data frames, dictionaries, comparisons. Calls must
print nothing."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

import ndpir
from ndpir.cli.opt import main

ROOT = Path(__file__).parents[3]
MLP = ROOT / "examples" / "mlp.mlir"


@pytest.fixture(scope="module")
def placed() -> ModuleOp:
    return ndpir.compile(ndpir.read(MLP))


def test_rows_are_those_of_the_answer(placed: ModuleOp) -> None:
    timeline = ndpir.simulate(placed)
    for order in ("start", "time"):
        answer = ndpir.answer(placed, f"timeline{{sort={order}}}")
        assert timeline.rows(order) == [asdict(row) for row in answer.rows]
    assert max(row["end_ns"] for row in timeline.rows()) == timeline.makespan_ns
    assert sum(row["bytes"] for row in timeline.rows() if row["kind"] == "copy") == timeline.bytes_copied


def test_asdict_copies_no_ops(placed: ModuleOp) -> None:
    timeline = ndpir.simulate(placed)
    text = json.dumps(asdict(timeline), allow_nan=False)
    assert json.loads(text)["makespan_ns"] == timeline.makespan_ns
    assert [event["name"] for event in asdict(timeline)["events"]] == [event.name for event in timeline.events]
    assert all(event.op.parent is not None for event in timeline.events)
    assert json.loads(json.dumps(asdict(timeline.events[0])))["cost"] == json.loads(
        json.dumps(asdict(timeline.events[0].cost))
    )


@pytest.mark.parametrize("name", ["residency.mlir", "models/scan_step.mlir"])
def test_asdict_of_loops_and_of_memory_behind_a_device(name: str) -> None:
    timeline = ndpir.simulate(ndpir.read(ROOT / "examples" / name), machine=None if "res" in name else "toy")
    text = json.dumps(asdict(timeline), allow_nan=False)
    assert json.loads(text)["events"][0]["end_ns"] == timeline.events[0].end_ns


@pytest.mark.parametrize("target", ["summary", "timeline"])
def test_answers_are_those_of_the_command(placed: ModuleOp, target: str, tmp_path: Path) -> None:
    program, out = tmp_path / "placed.mlir", tmp_path / "answer.json"
    program.write_text(ndpir.write(placed))
    assert main([str(program), "-t", f"{target}{{json}}", "-o", str(out)]) == 0
    answer = ndpir.answer(ndpir.read(program), target)
    assert json.loads(out.read_text())["answer"] == json.loads(json.dumps(asdict(answer)))


def test_a_target_without_an_answer(placed: ModuleOp) -> None:
    with pytest.raises(ndpir.InputError, match=r"the target perfetto writes a file, and no answer; use ndpir\.write"):
        ndpir.answer(placed, "perfetto")


def test_a_frame_has_a_column_per_field(placed: ModuleOp) -> None:
    timeline = ndpir.simulate(placed)
    if find_spec("pandas") is None:
        with pytest.raises(ndpir.InputError, match="needs the package pandas"):
            timeline.frame()
        pytest.skip("pandas is not installed")
    frame: Any = timeline.frame()
    assert frame.to_dict("records") == timeline.rows()
    assert frame["bytes"].dtype.kind == "i"


@pytest.mark.slow
def test_compared_rows_equal_single_runs(tmp_path: Path) -> None:
    machines, pipelines = ["a100-newton", "toy"], ["offload", "gpu-only", "canonicalize"]
    rows = ndpir.compare(MLP, machines, pipelines)
    assert [(row.machine, row.pipeline) for row in rows] == [(m, p) for m in machines for p in pipelines]
    for row in rows:
        out = tmp_path / "summary.json"
        assert (
            main([str(MLP), "--machine", str(row.machine), "-p", row.pipeline, "-t", "summary{json}", "-o", str(out)])
            == 0
        )
        answer = json.loads(out.read_text())["answer"]
        assert row.makespan_ns == answer["totals"]["makespan_ns"]
        assert (row.bound_ns, row.bound_by, row.gap) == tuple(
            answer["totals"][key] for key in ("bound_ns", "bound_by", "gap")
        )
        assert row.energy_nj == answer["totals"]["energy_nj"]
        assert (row.speed_up, row.rel_energy) == (answer["comparison"]["speed_up"], answer["comparison"]["rel_energy"])
        assert row.error is None


def test_a_failing_pair_is_a_row_with_its_error() -> None:
    good, bad = ndpir.compare(MLP, ["a100-newton", "nosuch"])
    assert good.error is None
    assert bad.makespan_ns is None
    assert "nosuch" in (bad.error or "")
    assert list(json.loads(json.dumps([asdict(good), asdict(bad)]))[0]) == list(asdict(bad))


def test_pairs_with_objects_are_named_by_their_text() -> None:
    from lowering.place.place import PlacePass

    [row] = ndpir.compare(MLP, pipelines=[["canonicalize", PlacePass(policy="greedy")]])
    assert row.pipeline == 'canonicalize,place{policy="greedy"}'
    assert row.machine is None


def test_a_program_without_a_machine_is_compared_on_the_default_one() -> None:
    program = ndpir.parse("func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> { func.return %x : tensor<4xf16> }")
    rows = ndpir.compare(program, [None, "toy", None], ["canonicalize"])
    assert [row.error for row in rows] == [None] * 3
    assert rows[0] == rows[2]


def test_notes_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "ndpir"):
        ndpir.compile(
            ndpir.parse("func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {\n  func.return %x : tensor<4xf16>\n}")
        )
    assert any("a100-newton is used" in record.getMessage() for record in caplog.records)


@pytest.mark.slow
def test_calls_print_nothing() -> None:
    code = f"""
import dataclasses, ndpir
model = ndpir.read({str(MLP)!r})
placed = ndpir.compile(model)
timeline = ndpir.simulate(placed)
timeline.rows(), dataclasses.asdict(timeline), ndpir.answer(placed), ndpir.run(placed), ndpir.write(placed, "summary")
ndpir.compare(model, ["a100-newton", "a100-aim", "nosuch"], ["offload", "gpu-only"])
assert ndpir.__version__.count(".") == 2
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")

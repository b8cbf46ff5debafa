"""The pass `recompute` beside moves: a training step that ends earlier with both."""

from __future__ import annotations

from pathlib import Path

import pytest

import ndpir

STEP = Path(__file__).parents[3] / "examples/models/bert_step.mlir"
MACHINE = """
hw.device @gpu = "a100" {memory = "150 MB"}
hw.device @host = "host_managed"
hw.link @gpu to @host = "pcie4_copies"
"""


@pytest.mark.slow
def test_a_step_ends_earlier_where_ops_run_again_beside_moves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = tmp_path / "small.mlir"
    machine.write_text(MACHINE)
    model = ndpir.compile(ndpir.read(STEP), "canonicalize,fuse", machine=str(machine))
    moves = "place{policy=gpu},prefetch{policy=plan}"
    alone = ndpir.simulate(ndpir.compile(model, moves))
    both = ndpir.simulate(ndpir.compile(model, f"recompute,{moves}"))
    assert both.makespan_ns < 0.9 * alone.makespan_ns
    assert "run again beside moves (mode copy)" in capsys.readouterr().err

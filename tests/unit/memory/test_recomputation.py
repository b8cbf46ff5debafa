"""Test of the pass `recompute` together with moves of tensors: a training step ends earlier with recomputation and
moves than with moves alone."""

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
@pytest.mark.usefixtures("uncompared")
def test_a_step_ends_earlier_with_recomputation_and_moves_than_with_moves_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "ndpir")
    machine = tmp_path / "small.mlir"
    machine.write_text(MACHINE)
    model = ndpir.compile(ndpir.read(STEP), "canonicalize,fuse", machine=str(machine))
    moves = "place{policy=gpu},prefetch{policy=plan}"
    moves_only = ndpir.simulate(ndpir.compile(model, moves))
    both = ndpir.simulate(ndpir.compile(model, f"recompute,{moves}"))
    assert both.makespan_ns < 0.9 * moves_only.makespan_ns
    assert "recomputed in addition to moves (mode copy)" in caplog.text

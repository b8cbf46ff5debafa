"""Tests of recomputation: of any function of a program, and together with moves of tensors."""

from __future__ import annotations

from pathlib import Path

import pytest

import ndpir
from interp.walk.entry import block_of, entry_of
from lowering.memory.rerunning import recompute
from tests.programs import parse
from tests.table_clock import TableClock, machine

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
    path = tmp_path / "small.mlir"
    path.write_text(MACHINE)
    model = ndpir.compile(ndpir.read(STEP), "canonicalize,fuse", machine=str(path))
    moves = "place{policy=gpu},prefetch{policy=plan}"
    moves_only = ndpir.simulate(ndpir.compile(model, moves))
    both = ndpir.simulate(ndpir.compile(model, f"recompute,{moves}"))
    assert both.makespan_ns < 0.9 * moves_only.makespan_ns
    assert "recomputed in addition to moves (mode copy)" in caplog.text


def test_a_function_that_is_not_the_entry_is_recomputed() -> None:
    module = parse(
        """
        func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
          %a = graph.relu %x : tensor<4xf32>
          func.return %a : tensor<4xf32>
        }
        func.func @other(%x: tensor<4x4xf32> {task.state = "read"}) -> tensor<4x4xf32> {
          %a = graph.relu %x : tensor<4x4xf32>
          %b = graph.relu %a : tensor<4x4xf32>
          %c = graph.relu %b : tensor<4x4xf32>
          %d = graph.add %b, %c : tensor<4x4xf32>
          %e = graph.add %d, %a : tensor<4x4xf32>
          func.return %e : tensor<4x4xf32>
        }
        """
    )
    clock = TableClock(machine("gpu", memory_bytes={"gpu": 256}), {"add": {"gpu": 7.0}, "relu": {"gpu": 3.0}})
    main, other = entry_of(module), entry_of(module, "other")
    found = recompute(module, other, clock)
    assert found is not None
    assert sum(found.again) == 1
    assert [op.name for op in block_of(other).ops].count("graph.relu") == 4
    assert [op.name for op in block_of(main).ops] == ["graph.relu", "func.return"]

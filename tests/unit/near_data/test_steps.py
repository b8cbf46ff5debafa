"""Small training steps of JAX (examples/models/steps): read, placed on near-data units, lowered to programs, and
run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ndpir
from dialects import graph as g
from dialects.ndp import ProgramOp
from interp.walk.entry import entry_of
from lowering.banks.templates import clock_for
from lowering.tasks.prediction import read_prediction

pytestmark = pytest.mark.usefixtures("uncompared")

LOWERED = "place{policy=pim-first},to-ndp,forward-stores,number-values"
STEPS = sorted(Path("examples/models/steps").glob("*.mlir"))
SAME_FUNCTIONS = ("bert_base", "bert_large", "resnet50", "mobilenetv2")
"""Steps of which the units run kernels that differ from those of other steps (gpt2, resnet18) in little but sizes, and
that are therefore not run here; `python -m benchmarks xla_ndp --verify` runs them."""


@pytest.mark.slow
def test_there_are_nine_steps() -> None:
    assert len(STEPS) == 9
    for name in SAME_FUNCTIONS:
        assert ndpir.read(f"examples/models/steps/{name}.mlir").ops


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [each for each in STEPS if each.stem not in SAME_FUNCTIONS], ids=lambda path: path.stem
)
def test_near_data_programs_keep_the_results_of_steps(path: Path) -> None:
    fused = ndpir.compile(ndpir.read(path), "inline,canonicalize,fuse,layout")
    products = [op for op in fused.walk() if isinstance(op, g.MatmulOp | g.ConvOp)]
    assert products
    assert {g.tensor_of(op.results[0]).element_type.name for op in products} == {"f16"}
    placed = ndpir.compile(fused, LOWERED, machine="v100-ndpx")
    assert sum(isinstance(op, ProgramOp) for op in placed.walk()) > 5
    for ours, theirs in zip(ndpir.run(placed), ndpir.run(fused), strict=True):
        assert np.isfinite(theirs).all()
        apart = np.abs(np.asarray(ours, np.float64) - np.asarray(theirs, np.float64)).max(initial=0.0)
        assert apart <= 1e-3 * np.abs(theirs).max(initial=0.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ncf", "dlrm"])
def test_steps_that_update_tables_in_place_take_the_planned_time(name: str) -> None:
    """An op that reads a buffer after several in-place updates waits for the update whose result it reads; planning and
    timeline agree on this."""
    path = Path(f"examples/models/steps/{name}.mlir")
    placed = ndpir.compile(
        ndpir.read(path), "inline,canonicalize,fuse,layout,place{policy=overlap}", machine="v100-ndpx"
    )
    assert any(isinstance(op, g.OverwritingOp) and op.in_place.value.data for op in placed.walk())
    prediction = read_prediction(entry_of(placed), clock_for(placed))
    assert prediction is not None
    assert prediction.ns == pytest.approx(ndpir.simulate(placed).makespan_ns, rel=0, abs=5e-4)  # stated to 1e-3 ns

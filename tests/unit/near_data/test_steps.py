"""Small training steps of JAX (examples/models/steps): read, placed on near-data units, lowered to programs, run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import ndpir
from dialects import graph as g
from dialects.ndp import ProgramOp
from interp.program.entry import entry_of
from lowering.banks.templates import clock_for
from lowering.placement.prediction import read_prediction
from lowering.placement.primary_alone import COMPARING

LOWERED = "place{policy=pim-first},to-ndp,forward-stores,number-values"
STEPS = sorted(Path("examples/models/steps").glob("*.mlir"))
ALIKE = ("bert_large", "resnet50")
"""Steps of the same functions as others, in other sizes; `python -m benchmarks xla_ndp --verify` runs these too."""


def test_there_are_nine() -> None:
    assert len(STEPS) == 9
    for name in ALIKE:
        assert ndpir.read(f"examples/models/steps/{name}.mlir").ops


@pytest.fixture(autouse=True)
def _nobody_compares() -> Iterator[None]:
    """Nobody asks what the GPU alone takes, which is half of the work."""
    token = COMPARING.set(False)
    yield
    COMPARING.reset(token)


@pytest.mark.slow
@pytest.mark.parametrize("path", [each for each in STEPS if each.stem not in ALIKE], ids=lambda path: path.stem)
def test_programs_of_all_that_units_can_run_give_the_numbers_of_the_step(path: Path) -> None:
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


@pytest.mark.parametrize("name", ["ncf", "dlrm"])
def test_steps_that_overwrite_tables_end_when_their_plan_says(name: str) -> None:
    """A reader of what an op writes in place waits for that op, not for the op that wrote first into that memory."""
    path = Path(f"examples/models/steps/{name}.mlir")
    placed = ndpir.compile(
        ndpir.read(path), "inline,canonicalize,fuse,layout,place{policy=overlap}", machine="v100-ndpx"
    )
    assert any(isinstance(op, g.OverwritingOp) and op.in_place.value.data for op in placed.walk())
    prediction = read_prediction(entry_of(placed), clock_for(placed))
    assert prediction is not None
    assert prediction.ns == pytest.approx(ndpir.simulate(placed).makespan_ns, rel=1e-9)

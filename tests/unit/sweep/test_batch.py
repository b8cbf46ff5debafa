"""Points of a fixed program that differ in timing parameters are timed together, with the figures of each alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from ndpir.sweep.axes import axes_of
from ndpir.sweep.evaluation import Evaluator, may_batch
from ndpir.sweep.request import Request, variant_of
from ndpir.sweep.running import Swept, sweep

EXAMPLE = "examples/gemv.pim.mlir"
CONTROLLED = """\
hw.device @pim = "aim"
pim.kernel @k on @pim (%x: memref<1024xbf16>, %b: memref<16xbf16>, %w: memref<1x60x16x64x16xbf16> at row 0)
    -> (%y: memref<16xf32>) {
  pim.load %x
  pim.for %r = 0 to 60 {
    pim.act all row %r
    pim.bias all from %b
    pim.mac all columns 0 to 64
    pim.drain all add to %y
  }
}
"""


def swept_alone(request: Request, swept: Swept) -> None:
    """Compare the figures of a sweep with those of each point alone."""
    evaluator = Evaluator(request)
    for row in swept.rows:
        assert dict(row.figures) == evaluator.figures(variant_of(request, row.point))


def test_figures_equal_those_of_each_point_alone() -> None:
    request = Request(EXAMPLE, passes="canonicalize", axes=axes_of(["pim.tRP=8..11", "pim.tRAS=90..100+2"]))
    swept = sweep(request, jobs=1)
    assert (len(swept.rows), swept.failed, swept.shared) == (24, 0, 22)  # two are timed alone, too
    swept_alone(request, swept)


def test_kernels_behind_controllers_with_refreshes(tmp_path: Path) -> None:
    path = tmp_path / "k.mlir"
    path.write_text(CONTROLLED)
    axes = axes_of(["pim.tCCD=2..6", "pim.tREFI=900 cycles,1900 cycles,2900 cycles,3900 cycles"])
    request = Request(str(path), passes="canonicalize", axes=axes)
    swept = sweep(request, jobs=1)
    assert (len(swept.rows), swept.failed, swept.shared) == (20, 0, 18), swept.rows[0].error
    swept_alone(request, swept)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_point_that_fails_is_a_row_with_its_reason(jobs: int) -> None:
    """An interval that leaves no time for a refresh, and a value that is no number of cycles, fail alone."""
    values = ",".join(map(str, (0, 0.5, *range(1, 40))))
    request = Request(EXAMPLE, passes="canonicalize", axes=axes_of([f"pim.tRP={values}"]))
    swept = sweep(request, jobs=jobs)
    failed = {row.point["pim.tRP"]: row.error for row in swept.rows if row.error}
    assert list(failed) == [0.5]
    assert "cycles" in failed[0.5]
    assert swept.shared >= 30


def test_points_whose_programs_depend_on_the_machine_stay_apart() -> None:
    axes = axes_of(["pim.tCCD=1..20"])
    assert may_batch(Request(EXAMPLE, passes="canonicalize", axes=axes))
    assert not may_batch(Request("examples/mlp.mlir", passes="place{policy=pim-first},to-pim", axes=axes))
    assert not may_batch(Request(EXAMPLE, passes="no-such-pass", axes=axes))

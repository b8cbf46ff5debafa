"""Periods of loops and blocks are passed at once, and times are those of a simulation that does each of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialects.tile import KernelOp, MmaOp
from interp.tile import events
from interp.tile.events import BlocksOnUnit, Rates
from interp.tile.work import Loop, Step, Steps, ahead
from ndpir import parse
from tests.unit.tile.programs import steps

RATES = st.builds(Rates, st.integers(1, 60).map(float), st.sampled_from((16.0, 64.0)), st.sampled_from((0.0, 3.0)))


@given(steps(), st.integers(1, 6), st.integers(1, 30), st.integers(1, 3), RATES)
def test_periods_are_passed_to_the_tick(program: Steps, warps: int, blocks: int, places: int, rates: Rates) -> None:
    each = [BlocksOnUnit(program, warps, blocks, places, rates, leaps).run() for leaps in (True, False)]
    assert each[0] == each[1]


def test_blocks_that_drift_apart_take_their_mean_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three blocks at a time, whose begins drift apart by some ticks a block: no period is found in 300 blocks."""
    monkeypatch.setattr(events, "PATIENCE", 24)
    body = (
        *(Step("prefetch", 2048.0), Step("prefetch", 2048.0), Step("commit"), Step("wait", 2), Step("barrier")),
        Loop(4, (Step("shared", 20.0), Step("multiply", 63.97, 4))),
        Step("barrier"),
    )
    program: Steps = (Step("lanes", 32.0), Loop(27, body), Step("wait", 0), Step("store", 2048.0))
    rates = Rates(317.3, 10.2)
    passed = BlocksOnUnit(program, 4, 300, 3, rates)
    cycles, through = passed.run(), BlocksOnUnit(program, 4, 300, 3, rates, leaps=False)
    assert abs(cycles / through.run() - 1) < 0.01
    assert passed.sequence < through.sequence / 2


TWO_LEVELS = """
tile.kernel @gemm on @gpu (%a: memref<64x128xf16>, %b: memref<128x64xf16>) -> (%c: memref<64x64xf32>) {
  tile.blocks %i = 0 to 1 warps 2, 1 {
    %as = tile.buffer shared : memref<64x128xf16>
    %bs = tile.buffer shared : memref<128x64xf16>
    %af = tile.buffer register : memref<3x64x16xf16>
    %bf = tile.buffer register : memref<3x16x64xf16>
    %sum = tile.buffer register : memref<64x64xf32>
    tile.fill %sum with 0.0
    tile.for %k = 0 to 8 {
      tile.copy %as[0 : 64, ((%k + 2) mod 8) * 16 : 16] to %af[(%k + 2) mod 3]
      tile.copy %bs[((%k + 2) mod 8) * 16 : 16, 0 : 64] to %bf[(%k + 2) mod 3]
      tile.mma %af[%k mod 3], %bf[%k mod 3] into %sum
    }
    tile.copy %sum to %c
  }
}
"""


def product_in(text: str) -> MmaOp:
    kernel = next(op for op in parse(text).ops if isinstance(op, KernelOp))
    return next(op for op in kernel.walk() if isinstance(op, MmaOp))


def test_products_do_not_wait_for_the_fragments_of_later_ones() -> None:
    assert ahead(product_in(TWO_LEVELS)) == 4
    assert ahead(product_in(TWO_LEVELS.replace("+ 2", "+ 0"))) == 0
    request, both = Step("shared", 20.0), (Step("multiply", 20.0, 1, 0), Step("multiply", 20.0, 1, 1))
    late, early = (BlocksOnUnit((Loop(50, (request, each)),), 1, 1, 1, Rates(9.0, 9.0)).run() for each in both)
    assert late == 50 * (20 + 30 + 20)
    assert early < 50 * (30 + 20) + 21

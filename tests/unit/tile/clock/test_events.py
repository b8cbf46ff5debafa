"""A simulation that skips repeated periods of loops gives the times of a simulation that executes each period."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from xdsl.ir.affine import AffineExpr

from dialects.programs.index import value_of
from dialects.tile import KernelOp, MmaOp
from interp.tile.events import BlocksOnUnit, Nest, Rates
from interp.tile.work import Loop, Step, Steps, ahead
from ndpir import parse
from tests.unit.tile.clock.programs import steps

RATES = st.builds(Rates, st.integers(1, 60).map(float), st.sampled_from((1.0, 2.5)))


@given(steps(), st.integers(1, 6), st.integers(1, 3), RATES)
def test_periods_are_passed_to_the_tick(program: Steps, warps: int, blocks: int, rates: Rates) -> None:
    each = [BlocksOnUnit(program, warps, blocks, rates, skipping).run() for skipping in (True, False)]
    assert each[0] == each[1]


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
    late, early = (BlocksOnUnit((Loop(50, (request, each)),), 1, 1, Rates(9.0)).run() for each in both)
    assert late == 50 * (20 + 30 + 20)
    assert early < 50 * (30 + 20) + 21


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> AffineExpr:
    """Index expressions of two variables, with divisions that contain others."""
    if not depth or draw(st.booleans()):
        return draw(st.sampled_from((AffineExpr.dimension(0), AffineExpr.dimension(1), AffineExpr.constant(1))))
    inner, number = draw(expressions(depth - 1)), draw(st.integers(2, 4))
    match draw(st.sampled_from("+*%/")):
        case "+":
            return inner + draw(expressions(depth - 1))
        case "*":
            return inner * number
        case "%":
            return inner % number
        case _:
            return inner // number


@given(expressions(), st.integers(0, 3), st.integers(2, 30), st.integers(2, 12))
def test_conditions_repeat_after_the_period_of_a_nest(
    expression: AffineExpr, start: int, outer: int, inner: int
) -> None:
    """Divisions that contain others, as in (i floordiv 2) mod 2, repeat after the product of their divisors, and
    expressions that grow do not repeat within the nest."""
    nest = Nest(outer * inner, ((start, inner, outer), (0, 1, inner)))
    period = nest.period(expression, 0)
    values = [value_of(expression, nest.values(done)) for done in range(nest.iterations)]
    assert values[period:] == values[: len(values) - period if period < len(values) else 0]


def test_a_division_in_a_remainder_repeats_after_both() -> None:
    expression = AffineExpr.dimension(0) // 2 % 2
    assert Nest(64, ((0, 1, 64),)).period(expression, 0) == 4
    assert Nest(64, ((0, 1, 64),)).period(AffineExpr.dimension(0), 0) == 64

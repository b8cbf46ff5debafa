"""Loops whose turns can be counted are written out; of a branch all sides are computed, for nothing that is read here
has side effects."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.stablehlo.building import Building, converts
from ndpir.frontends.stablehlo.movement import known_number

MOST_OPS = 200_000
"""Ops of all turns of a loop."""


@converts("while")
def loop(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """Turn by turn, as long as the condition follows from constants (a counter's)."""
    condition, body = b.op.regions
    values, count = list(xs), 0
    while True:
        goes_on = known_number(b.inlined(condition, values)[0])
        if goes_on is None:
            b.fail("how often a loop turns does not follow from the program; give it a bound that is a constant")
        if not goes_on:
            return values
        count += 1 + len(body.ops)
        if count > MOST_OPS:
            b.fail(f"its turns come to more than {MOST_OPS} ops; take a loop that turns less often")
        values = b.inlined(body, values)


@converts("case", "if")
def case(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """An index that names no branch takes the last one (specification, case)."""
    found = [b.inlined(region, ()) for region in b.op.regions]
    if b.op.name == "if":
        return [b.add(g.SelectOp, xs[0], yes, no) for yes, no in zip(*found, strict=True)]
    chosen = found[-1]
    for number, outcome in reversed(list(enumerate(found[:-1]))):
        hit = b.add(g.CompareOp, xs[0], b.constant(np.array(number, np.int32)), kind="eq")
        chosen = [b.add(g.SelectOp, hit, one, other) for one, other in zip(outcome, chosen, strict=True)]
    return chosen

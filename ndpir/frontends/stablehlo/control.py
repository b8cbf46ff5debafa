"""Branches: all sides are computed, for nothing that is read here has side effects."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.stablehlo.building import Building, converts


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

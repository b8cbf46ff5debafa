"""Rewrite patterns that depend only on the program: algebra of graph ops, as tables, one file per subject.

They are the canonicalization patterns of the ops (xDSL's trait): `xdsl-opt -p canonicalize` applies them.
"""

from __future__ import annotations

from functools import cache

from xdsl.ir import Operation

from dialects.graph.patterns import (
    algebra,
    broadcasting,
    channels,
    contraction,
    experts,
    kernels,
    loops,
    movement,
    quantized,
)
from dialects.graph.rules import RulePattern, by_class, patterns

CANONICAL: tuple[RulePattern, ...] = patterns(
    algebra.RULES,
    broadcasting.RULES,
    movement.RULES,
    quantized.RULES,
    experts.RULES,
    contraction.RULES,
    channels.RULES,
    kernels.RULES,
    loops.RULES,
)


@cache
def canonical_patterns(op_class: type[Operation]) -> tuple[RulePattern, ...]:
    """The canonicalization patterns of an op class, in the order in which they are tried."""
    return tuple(by_class(CANONICAL).get(op_class, ()))

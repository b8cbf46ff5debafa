"""The worklist driver and xDSL's own walker reach the same program with the same patterns."""

from __future__ import annotations

from hypothesis import given
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker

from dialects.graph.patterns import CANONICAL
from lowering.graph.rewriting import apply_patterns
from tests.laws.programs import programs


@given(programs())
def test_both_drivers_reach_the_same_program(ours: ModuleOp) -> None:
    theirs = ours.clone()
    apply_patterns(ours, CANONICAL, remove_dead=True)
    walker = PatternRewriteWalker(GreedyRewritePatternApplier(list(CANONICAL), ctx=Context(), dce_enabled=True))
    walker.rewrite_module(theirs)
    assert ours.is_structurally_equivalent(theirs)

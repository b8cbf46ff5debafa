"""xDSL's own pass `canonicalize` finds ndpir's rewrite patterns by the ops' trait, and gives the same program as
ndpir's pass."""

from __future__ import annotations

from hypothesis import given
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.transforms.canonicalize import CanonicalizePass as XdslCanonicalizePass

from lowering.graph.canonicalize import CanonicalizePass
from tests.laws.graph.programs import programs


@given(programs())
def test_plain_xdsl_canonicalizes_our_ops(ours: ModuleOp) -> None:
    theirs = ours.clone()
    CanonicalizePass(fold=False, cse=False).apply(Context(), ours)
    XdslCanonicalizePass().apply(Context(), theirs)
    assert ours.is_structurally_equivalent(theirs)

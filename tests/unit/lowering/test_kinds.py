"""Checks that docs/jax.md describes every word that `fuse{without=…}` accepts."""

from __future__ import annotations

import re
from pathlib import Path

from lowering.graph.fuse import RULES
from lowering.graph.kinds import KINDS

DOCS = Path(__file__).parents[3] / "docs" / "jax.md"


def test_the_document_describes_all_rules_and_kinds() -> None:
    rows = [line for line in DOCS.read_text("utf-8").splitlines() if line.startswith("| `")]
    documented = {word for row in rows for word in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert {*RULES, *KINDS} <= documented

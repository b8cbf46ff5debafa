"""Every word that `fuse{without=…}` knows is told, with what stands before and after."""

from __future__ import annotations

import re
from pathlib import Path

from lowering.graph.fuse import RULES
from lowering.graph.kinds import KINDS

DOCS = Path(__file__).parents[3] / "docs" / "jax.md"


def test_all_words_stand_in_the_document() -> None:
    rows = [line for line in DOCS.read_text("utf-8").splitlines() if line.startswith("| `")]
    told = {word for row in rows for word in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert {*RULES, *KINDS} <= told

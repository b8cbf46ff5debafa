"""Applies rewrite patterns until none fits, by xDSL's walker: an op meets only patterns of its class, and patterns that
undo each other are stopped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from itertools import chain

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.traits import Pure

from dialects.diagnostics import note
from dialects.graph.patterns.pattern import Pattern, by_class

FIRED: ContextVar[Counter[str] | None] = ContextVar("FIRED", default=None)
"""Where somebody counts which patterns fire how often (`--timing`, `--print-ir-after-all`)."""

ADDED: dict[str, dict[str, Sequence[RewritePattern]]] = {"canonicalize": {}, "fuse": {}}
"""Patterns that plugins add to a pass, by its name and by the plugin."""


def apply_patterns(
    module: Operation,
    patterns: Iterable[RewritePattern],
    *,
    remove_dead: bool = False,
    name: str = "canonicalize",
) -> int:
    """Apply patterns to all ops in `module` (or a function) until none fits; the number of rewrites. Patterns that a
    plugin has added to the pass `name` come last.

    With `remove_dead`, unused pure ops go too. More than ten rewrites an op can only be patterns that undo each other:
    then no more is rewritten, a note says so, and the program is valid.
    """
    given = (*patterns, *chain.from_iterable(ADDED.get(name, {}).values()))
    limited = _Limited(given, remove_dead, 10 * sum(1 for _ in module.walk()) + 100, name)
    walker = PatternRewriteWalker(limited)
    for region in module.regions:
        walker.rewrite_region(region)
    return limited.count


def is_dead(op: Operation) -> bool:
    """Whether nobody uses what a pure op computes."""
    return all(result.first_use is None for result in op.results) and op.has_trait(Pure) and op.next_op is not None


class _Limited(RewritePattern):
    """The first of some patterns that fits an op, until `limit` have."""

    def __init__(self, patterns: Sequence[RewritePattern], remove_dead: bool, limit: int, name: str) -> None:
        self.by_class = by_class(pattern for pattern in patterns if isinstance(pattern, Pattern))
        self.others = tuple(pattern for pattern in patterns if not isinstance(pattern, Pattern))
        self.remove_dead, self.limit, self.name = remove_dead, limit, name
        self.fired = FIRED.get()
        self.count = 0

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op.parent is None or self.count > self.limit:
            return
        if self.remove_dead and is_dead(op):
            rewriter.erase(op)
            return
        for pattern in (*self.by_class.get(type(op), ()), *self.others):
            pattern.match_and_rewrite(op, rewriter)
            if not rewriter.has_done_action:
                continue
            self.count += 1
            if self.fired is not None:
                self.fired[pattern.name if isinstance(pattern, Pattern) else type(pattern).__name__] += 1
            if self.count > self.limit:
                note(f"{self.name} stopped after {self.count} rewrites; some patterns undo each other", at=op)
            return

"""Application of passes: by rewrite patterns, until none fits (xDSL's walker) or once an op, and by rewriters.
Whoever listens to a program hears all of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain

from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, PatternRewriteWalker, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.traits import Pure

from dialects.diagnostics import note
from dialects.graph.rules import RulePattern, by_class

ADDED: dict[str, dict[str, Sequence[RewritePattern]]] = {"canonicalize": {}, "fuse": {}}
"""Patterns that plugins add to a pass, by its name and by the plugin."""


class Changes(PatternRewriterListener):
    """Counts what passes change: how often each pattern fires, and ops that are inserted, replaced and erased."""

    def __init__(self) -> None:
        self.fired = Counter[str]()
        """By the pattern's name."""
        self.ops = Counter[str]()
        """By what happened to them."""
        super().__init__(
            operation_insertion_handler=[lambda op: self.ops.update(["inserted"])],
            operation_removal_handler=[lambda op: self.ops.update(["erased"])],
            operation_replacement_handler=[lambda op, results: self.ops.update(["replaced"])],
        )


LISTENING: ContextVar[tuple[Operation, PatternRewriterListener] | None] = ContextVar("LISTENING", default=None)
"""A program, and who hears what passes change in it; what they try on copies of it stays unheard."""


@contextmanager
def listening(program: Operation, listener: PatternRewriterListener) -> Generator[None]:
    """Let `listener` hear which ops passes insert, replace, modify and erase in `program`."""
    token = LISTENING.set((program, listener))
    try:
        yield
    finally:
        LISTENING.reset(token)


def rewriter_at(place: Operation | InsertPoint) -> PatternRewriter:
    """A rewriter that inserts before an op, or at a point of a block, and is heard by whoever listens."""
    rewriter = PatternRewriter(place)
    if LISTENING.get() is not None:
        rewriter.extend_from_listener(_listener_of(place if isinstance(place, Operation) else place.block.parent_op()))
    return rewriter


def set_attribute(op: Operation, name: str, value: Attribute | None) -> None:
    """Give an attribute to an op of a program, or take it off it (None); whoever listens hears of the change."""
    if value == op.attributes.get(name):
        return
    if value is None:
        del op.attributes[name]
    else:
        op.attributes[name] = value
    _listener_of(op).handle_operation_modification(op)


def _listener_of(op: Operation | None) -> PatternRewriterListener:
    """Who listens to the program that an op stands in; one that does nothing where nobody does."""
    if (found := LISTENING.get()) is not None and op is not None and op.get_toplevel_object() is found[0]:
        return found[1]
    return PatternRewriterListener()


def _count(listener: PatternRewriterListener, pattern: RewritePattern) -> None:
    """Note that a pattern has fired."""
    if isinstance(listener, Changes):
        listener.fired[pattern.name if isinstance(pattern, RulePattern) else type(pattern).__name__] += 1


def apply_once(ops: Iterable[Operation], *patterns: RewritePattern) -> int:
    """Let each of some ops of a program meet patterns once, in order, until one has fitted; the number of rewrites."""
    count, listener = 0, PatternRewriterListener()
    rewriter: PatternRewriter | None = None
    for op in ops:
        if op.parent is None:
            continue
        if rewriter is None:
            rewriter, listener = rewriter_at(op), _listener_of(op)
        else:  # making one takes longer than most patterns
            rewriter.insertion_point, rewriter.has_done_action = InsertPoint(op.parent, op), False
        for pattern in patterns:
            pattern.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                count += 1
                _count(listener, pattern)
                break
    return count


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
    listener = _listener_of(module)
    limited = _Limited(given, remove_dead, 10 * sum(1 for _ in module.walk()) + 100, name, listener)
    walker = PatternRewriteWalker(limited, listener=listener)
    for region in module.regions:
        walker.rewrite_region(region)
    return limited.count


def is_dead(op: Operation) -> bool:
    """True if nobody uses what a pure op computes."""
    return all(result.first_use is None for result in op.results) and op.has_trait(Pure) and op.next_op is not None


class _Limited(RewritePattern):
    """The first of some patterns that fits an op, until `limit` have."""

    def __init__(
        self,
        patterns: Sequence[RewritePattern],
        remove_dead: bool,
        limit: int,
        name: str,
        listener: PatternRewriterListener,
    ) -> None:
        self.by_class = by_class(pattern for pattern in patterns if isinstance(pattern, RulePattern))
        self.others = tuple(pattern for pattern in patterns if not isinstance(pattern, RulePattern))
        self.remove_dead, self.limit, self.name = remove_dead, limit, name
        self.listener = listener
        self.count = 0

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op.parent is None or self.count > self.limit:
            return
        if self.remove_dead and is_dead(op):
            rewriter.erase(op)
            return
        for pattern in self.by_class.get(type(op), ()):
            pattern.rewrite(op, rewriter)
            if rewriter.has_done_action:
                return self._has_fired(pattern, op)
        for pattern in self.others:
            pattern.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                return self._has_fired(pattern, op)

    def _has_fired(self, pattern: RewritePattern, op: Operation) -> None:
        self.count += 1
        _count(self.listener, pattern)
        if self.count > self.limit:
            note(f"{self.name} stopped after {self.count} rewrites; some patterns undo each other", at=op)

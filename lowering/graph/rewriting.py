"""Application of rewrite patterns, until none matches (by xDSL's walker) or once per op, and functions for rewriting
or reordering ops without a pattern. A registered listener is notified of all changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain

from xdsl.ir import Attribute, Block, Operation
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, PatternRewriteWalker, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.traits import Pure

from dialects.diagnostics import note
from dialects.graph.rules import RulePattern, by_class

ADDED: dict[str, dict[str, Sequence[RewritePattern]]] = {"canonicalize": {}, "fuse": {}}
"""Patterns that plugins add to a pass, by the name of the pass and the name of the plugin."""


class Changes(PatternRewriterListener):
    """Counters of changes by passes: how often each pattern fires, and the numbers of inserted, replaced and erased
    ops."""

    def __init__(self) -> None:
        self.fired = Counter[str]()
        """Numbers of rewrites, by the pattern's name."""
        self.ops = Counter[str]()
        """Numbers of ops, by the kind of change: inserted, replaced, erased."""
        super().__init__(
            operation_insertion_handler=[lambda op: self.ops.update(["inserted"])],
            operation_removal_handler=[lambda op: self.ops.update(["erased"])],
            operation_replacement_handler=[lambda op, results: self.ops.update(["replaced"])],
        )


LISTENING: ContextVar[tuple[Operation, PatternRewriterListener] | None] = ContextVar("LISTENING", default=None)
"""The program in which changes are reported, and the listener to which they are reported. Changes to copies of the
program are not reported."""


@contextmanager
def listening(program: Operation, listener: PatternRewriterListener) -> Generator[None]:
    """Notify `listener` of all ops that passes insert, replace, modify and erase in `program`, inside the context."""
    token = LISTENING.set((program, listener))
    try:
        yield
    finally:
        LISTENING.reset(token)


def rewriter_at(place: Operation | InsertPoint) -> PatternRewriter:
    """A rewriter that inserts before an op, or at a point of a block, and notifies the registered listener."""
    rewriter = PatternRewriter(place)
    if LISTENING.get() is not None:
        rewriter.extend_from_listener(_listener_of(place if isinstance(place, Operation) else place.block.parent_op()))
    return rewriter


def set_attribute(op: Operation, name: str, value: Attribute | None) -> None:
    """Set an attribute of an op, or remove it (None), and notify the registered listener of the change."""
    if value == op.attributes.get(name):
        return
    if value is None:
        del op.attributes[name]
    else:
        op.attributes[name] = value
    _listener_of(op).handle_operation_modification(op)


def _listener_of(op: Operation | None) -> PatternRewriterListener:
    """The listener of the program that contains an op; a listener that does nothing if there is none."""
    if (found := LISTENING.get()) is not None and op is not None and op.get_toplevel_object() is found[0]:
        return found[1]
    return PatternRewriterListener()


def _count(listener: PatternRewriterListener, pattern: RewritePattern) -> None:
    """Count one application of a pattern, if the listener counts changes."""
    if isinstance(listener, Changes):
        listener.fired[pattern.name if isinstance(pattern, RulePattern) else type(pattern).__name__] += 1


def apply_once(ops: Iterable[Operation], *patterns: RewritePattern) -> int:
    """Apply to each op, once, the first of `patterns` that matches it. Returns the number of rewrites."""
    count, listener = 0, PatternRewriterListener()
    rewriter: PatternRewriter | None = None
    for op in ops:
        if op.parent is None:
            continue
        if rewriter is None:
            rewriter, listener = rewriter_at(op), _listener_of(op)
        else:  # constructing a rewriter takes longer than most patterns
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
    """Apply patterns to all ops in `module` (or a function) until none matches. Returns the number of rewrites.
    Patterns that a plugin has added to the pass `name` are tried last.

    With `remove_dead`, unused pure ops are removed too. More than ten rewrites per op mean that patterns undo each
    other: rewriting then stops with a note; the program is valid nevertheless.
    """
    given = (*patterns, *chain.from_iterable(ADDED.get(name, {}).values()))
    listener = _listener_of(module)
    limited = _Limited(given, remove_dead, 10 * sum(1 for _ in module.walk()) + 100, name, listener)
    walker = PatternRewriteWalker(limited, listener=listener)
    for region in module.regions:
        walker.rewrite_region(region)
    return limited.count


def is_dead(op: Operation) -> bool:
    """True if an op is pure and its results are unused."""
    return all(result.first_use is None for result in op.results) and op.has_trait(Pure) and op.next_op is not None


class _Limited(RewritePattern):
    """A pattern that applies the first of some patterns that matches an op, until the number of rewrites exceeds
    `limit`."""

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
            note(
                f"{self.name} stopped after {self.count} rewrites, since some of its patterns undo each other; "
                "remove one of these patterns",
                at=op,
            )


def arrange(block: Block, timed: Sequence[Operation]) -> None:
    """Order the ops of a block that take time as in `timed`, and keep definitions before uses. Ops before the first
    timed op are not moved; any other op is moved to just before its first user."""
    old = list(block.ops)
    position = {op: index for index, op in enumerate(old)}
    first = min((position[op] for op in timed), default=0)
    new, done = old[:first], set(old[:first])
    for op in (*timed, *old):
        waiting, needed = [op], list[Operation]()
        while waiting:
            each = waiting.pop()
            if each not in done:
                done.add(each)
                needed.append(each)
                waiting += [
                    value.owner
                    for value in each.operands
                    if isinstance(value.owner, Operation) and value.owner in position
                ]
        new += sorted(needed, key=lambda each: position[each])
    put(block, new)


def put(block: Block, ops: Sequence[Operation]) -> None:
    """Put all ops of a block in the given order."""
    for op in ops:
        op.detach()
        block.add_op(op)

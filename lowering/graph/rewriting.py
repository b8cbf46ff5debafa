"""The rewriting driver: xDSL patterns, indexed by op class, applied along a worklist until none fits, up to a limit.

It reaches what xDSL's `PatternRewriteWalker` reaches with the same patterns, in less time
(`tests/laws/test_rewriting.py`, `benchmarks/rewriting.py`): an op meets only patterns of its class, and is looked at
again only when something next to it has changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import chain

from xdsl.ir import Block, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import Pure

from dialects.diagnostics import note
from dialects.graph.patterns.pattern import Pattern, by_class

FIRED: ContextVar[Counter[str] | None] = ContextVar("FIRED", default=None)
"""Where somebody counts which patterns fire how often (`--timing`, `--print-ir-after-all`)."""

ADDED: dict[str, dict[str, Sequence[RewritePattern]]] = {"canonicalize": {}, "fuse": {}}
"""Patterns that plugins add to a pass, by its name and by the plugin."""


def is_dead(op: Operation) -> bool:
    """Whether nobody uses what a pure op computes."""
    return all(result.first_use is None for result in op.results) and op.has_trait(Pure) and op.next_op is not None


def name_of(pattern: RewritePattern) -> str:
    """What a pattern is called in counts."""
    return pattern.name if isinstance(pattern, Pattern) else type(pattern).__name__


def apply_patterns(
    module: Operation,
    patterns: Iterable[RewritePattern],
    *,
    remove_dead: bool = False,
    name: str = "canonicalize",
) -> int:
    """Apply patterns to all ops in `module` (or a function) until none fits; the number of rewrites. Patterns that a
    plugin has added to the pass `name` come last.

    With `remove_dead`, unused pure ops go too. Each op is looked at once, in program order, and again only when
    something next to it has changed. More than ten rewrites an op can only be patterns that undo each other: the driver
    then stops, says so in a note, and leaves a valid program.
    """
    given = (*patterns, *chain.from_iterable(ADDED.get(name, {}).values()))
    ours = by_class(pattern for pattern in given if isinstance(pattern, Pattern))
    others = tuple(pattern for pattern in given if not isinstance(pattern, Pattern))
    work = _Worklist(module)
    limit = 10 * len(work) + 100
    fired = FIRED.get()
    count = 0
    while (op := work.pop()) is not None:
        if op.parent is None:
            continue
        changes = _Changes()
        if remove_dead and is_dead(op):
            changes.rewriter(op).erase(op)
            work.heed(changes)
            continue
        for pattern in (*ours.get(type(op), ()), *others):
            rewriter = changes.rewriter(op)
            pattern.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                work.heed(changes)
                count += 1
                if fired is not None:
                    fired[name_of(pattern)] += 1
                break
        if count > limit:
            note(f"{name} stopped after {count} rewrites; some patterns undo each other", at=op)
            break
    return count


@dataclass
class _Changes:
    """What a pattern has done, told by its rewriter."""

    made: list[Operation] = field(default_factory=list[Operation])
    modified: list[Operation] = field(default_factory=list[Operation])
    around: list[Operation | Block] = field(default_factory=list["Operation | Block"])
    """Makers of the operands of erased ops, which may be dead now or have one use only, and ops around these."""

    def rewriter(self, op: Operation) -> PatternRewriter:
        """A rewriter in front of an op that tells what is done with it."""
        rewriter = PatternRewriter(op)
        rewriter.operation_insertion_handler = [self.made.append]
        rewriter.operation_modification_handler = [self.modified.append]
        rewriter.operation_removal_handler = [self._removed]
        return rewriter

    def _removed(self, op: Operation) -> None:
        if (around := op.parent_op()) is not None:
            self.around.append(around)  # a kernel may have become a single op
        self.around += [operand.owner for operand in op.operands]


class _Worklist:
    """Ops to look at: a stack, each op at most once on it; ops that were erased meanwhile have no parent."""

    def __init__(self, module: Operation) -> None:
        self.stack = list(module.walk())[:0:-1]
        self.known = set(self.stack)

    def __len__(self) -> int:
        return len(self.stack)

    def pop(self) -> Operation | None:
        if not self.stack:
            return None
        op = self.stack.pop()
        self.known.discard(op)
        return op

    def push(self, op: Operation | Block) -> None:
        if isinstance(op, Operation) and op not in self.known:
            self.known.add(op)
            self.stack.append(op)

    def heed(self, changes: _Changes) -> None:
        """Look again at what a pattern has touched, at what it has made first."""
        for op in (*changes.modified, *reversed(changes.made), *changes.around):
            self.push(op)

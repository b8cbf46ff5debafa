"""Algebraic rules as xDSL rewrite patterns.

A rule is a function `rule(op, new)` of an op class. It returns None if it does not match, and otherwise the values
that replace the op's results; `new(op, *sources)` inserts a new op before the matched one, with the locations of the
matched op and of `sources`. A rule changes the program only through `new`, and preserves the numbers up to the rounding
of one op.

    RULES: Table = ((NegOp, _twice_undone),)  # -(-x) = x
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import Rewriter

from dialects.graph.fused import is_prepared
from dialects.graph.op import PLACED, GraphOp
from dialects.graph.roles import FusionRole
from dialects.locations import located

Replacement: TypeAlias = SSAValue | Sequence[SSAValue] | None
Rule: TypeAlias = Callable[[Any, "RuleBuilder"], Replacement]
Table: TypeAlias = Iterable[tuple[type[Operation] | tuple[type[Operation], ...], Rule]]
"""A table of rules: (op classes, rule)."""


class RuleBuilder:
    """Inserts the new ops of a rule before the matched op. The rewriter is notified of them when the op is replaced; if
    it is not replaced, they are removed again."""

    def __init__(self, op: Operation, rewriter: PatternRewriter) -> None:
        self.op = op
        self.rewriter = rewriter
        self.made: list[Operation] = []

    def __call__(self, op: Operation, *sources: Operation) -> SSAValue:
        """Insert `op` before the matched one, with the locations of the matched op and `sources`; returns its first
        result."""
        located(op, self.op, *sources)
        assert self.op.parent is not None
        self.op.parent.insert_op_before(op, self.op)
        self.made.append(op)
        return op.results[0]

    def moves_marked_work(self) -> bool:
        """True if, after the replacement, the new ops would do the work of an op that is assigned to a device: the
        matched op was its only reader."""
        if not self.made:
            return False  # the work is not done at all
        unused = {self.op}
        pending = [self.op]
        for reader in pending:
            for value in reader.operands:
                op = value.owner
                if not isinstance(op, GraphOp) or op in unused:
                    continue
                if any(use.operation not in unused for result in op.results for use in result.uses):
                    continue
                if PLACED in op.attributes and op.FUSION is not FusionRole.VIEW and not is_prepared(value, most=64):
                    return True  # views, and ops that are computed ahead of time, run on no device
                unused.add(op)
                pending.append(op)
        return False

    def undo(self) -> None:
        """Remove the new ops."""
        for op in reversed(self.made):
            Rewriter.erase_op(op)
        self.made.clear()

    def report(self) -> None:
        """Notify the rewriter of the new ops."""
        for op in self.made:
            self.rewriter.has_done_action = True
            self.rewriter.handle_operation_insertion(op)


@dataclass(frozen=True)
class RulePattern(RewritePattern):
    """A rewrite pattern that applies a rule to ops of some classes. An op that is assigned to a device is not
    rewritten, and no other op is rewritten in such a way that new ops would do the work of one that is."""

    classes: tuple[type[Operation], ...]
    rule: Rule

    @property
    def name(self) -> str:
        """The rule's name: its module and function."""
        return f"{self.rule.__module__.rpartition('.')[2]}.{self.rule.__name__.strip('_')}"

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if type(op) in self.classes:
            self.rewrite(op, rewriter)

    def rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        """Rewrite an op of one of the classes, if the rule matches."""
        if PLACED in op.attributes:
            return
        builder = RuleBuilder(op, rewriter)
        found = self.rule(op, builder)
        if found is None:
            changed = builder.made or rewriter.has_done_action
            assert not changed, f"{self.name} made an op but does not fit"
            return
        if not op.regions and builder.moves_marked_work():  # rules of loops move the ops of a body as they are
            builder.undo()
            return
        builder.report()
        values = [found] if isinstance(found, SSAValue) else found
        for result, value in zip(op.results, values, strict=True):
            fits = result.first_use is None or result.type == value.type
            assert fits, f"{op.name}: {self.name} changes {result.type} to {value.type}"
        rewriter.replace(op, (), values)


def patterns(*tables: Table) -> tuple[RulePattern, ...]:
    """The patterns of several tables, in order."""
    rows = (row for table in tables for row in table)
    return tuple(RulePattern(classes if isinstance(classes, tuple) else (classes,), rule) for classes, rule in rows)


def by_class(rules: Iterable[RulePattern]) -> Mapping[type[Operation], Sequence[RulePattern]]:
    """Patterns by the op classes they apply to."""
    found: dict[type[Operation], list[RulePattern]] = {}
    for rule in rules:
        for op_class in rule.classes:
            found.setdefault(op_class, []).append(rule)
    return found

"""The rewriting driver: rules indexed by op class, applied along a worklist until none fits, up to a limit.

A rule is a function `rule(op, new)` of an op class. It returns None where it does not fit, and otherwise the values
that take the place of the op's results; `new(op, *sources)` puts a new op before the matched one and gives it the
places of the matched op and of `sources`. A rule changes nothing but through `new`, and computes the same numbers,
within the rounding of one op.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import Pure

from dialects.diagnostics import note
from dialects.locations import located
from lowering.placement.marks import ATTRIBUTE

Replacement: TypeAlias = SSAValue | Sequence[SSAValue] | None
Rule: TypeAlias = Callable[[Any, "Maker"], Replacement]
Table: TypeAlias = Iterable[tuple[type[Operation] | tuple[type[Operation], ...], Rule]]
"""Rules as they are written: what they are for, and what they do."""

Rules: TypeAlias = Mapping[type[Operation], Sequence[Rule]]


class Maker:
    """What a rule makes new ops with; it stands before the op that the rule looks at."""

    def __init__(self, op: Operation) -> None:
        self.op = op
        self.made: list[Operation] = []

    def __call__(self, op: Operation, *sources: Operation) -> SSAValue:
        """Put `op` before the matched one, with the places of that and of `sources`; its first result."""
        located(op, self.op, *sources)
        block = self.op.parent
        assert block is not None
        block.insert_op_before(op, self.op)
        self.made.append(op)
        return op.results[0]


def index(*tables: Table) -> Rules:
    """Rules by op class, in the order of the tables."""
    by_class: dict[type[Operation], list[Rule]] = {}
    for classes, rule in chain(*tables):
        for op_class in classes if isinstance(classes, tuple) else (classes,):
            by_class.setdefault(op_class, []).append(rule)
    return by_class


def is_dead(op: Operation) -> bool:
    """Whether nobody uses what a pure op computes."""
    return all(result.first_use is None for result in op.results) and op.has_trait(Pure) and op.next_op is not None


def apply_rules(module: Operation, rules: Rules, *, remove_dead: bool = False, name: str = "canonicalize") -> int:
    """Apply `rules` to all ops in `module` (or a function) until none fits; the number of rewrites.

    With `remove_dead`, unused pure ops go too. Each op is looked at once, in program order, and again only when
    something next to it has changed. More than ten rewrites an op can only be rules that undo each other: the driver
    then stops, says so in a note, and leaves a valid program.
    """
    work = _Worklist(module)
    limit = 10 * len(work) + 100
    count = 0
    while (op := work.pop()) is not None:
        if op.parent is None:
            continue
        if remove_dead and is_dead(op):
            work.erase(op)
            continue
        for rule in rules.get(type(op), ()) if ATTRIBUTE not in op.attributes else ():  # its device is said
            maker = Maker(op)
            if (replacement := rule(op, maker)) is None:
                assert not maker.made, f"{rule} made an op but does not fit"
                continue
            work.replace(op, maker.made, [replacement] if isinstance(replacement, SSAValue) else replacement)
            count += 1
            break
        if count > limit:
            note(f"{name} stopped after {count} rewrites; some rules undo each other", at=op)
            break
    return count


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

    def replace(self, op: Operation, made: Sequence[Operation], values: Sequence[SSAValue]) -> None:
        for result, value in zip(op.results, values, strict=True):
            if result.first_use is None:
                continue
            assert result.type == value.type, f"{op.name}: a rule changes {result.type} to {value.type}"
            for use in result.uses:
                self.push(use.operation)
            result.replace_all_uses_with(value)
        for new in reversed(made):
            self.push(new)
        self.erase(op)

    def erase(self, op: Operation) -> None:
        """Take an unused op out; its operands' makers may be dead now, or have one use only."""
        operands = tuple(op.operands)
        block, around = op.parent, op.parent_op()
        assert block is not None
        block.erase_op(op)
        if around is not None:
            self.push(around)  # a kernel may have become a single op
        for operand in operands:
            self.push(operand.owner)

"""Placement problems in which some nodes run again: their results are freed after some uses, and computed anew for the
later ones.

    … U x→t   A t→…   …   B t→…             t is in memory from U to B
    … U x→t   A t→…   …   U x→t'  B t'→…    t ends with A; x must be in memory when U runs again

`repeated` builds the problem with the repeated runs as further nodes; `node_trace` is the order of all nodes as a
trace, in which lowering/memory/recompute.py finds what is worth running again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from interp.simulate.memory.problem import Kernel, KernelTrace, Tensor
from lowering.instance.choice import Choice, ChoicePart, Placement
from lowering.instance.problem import Problem

Again: TypeAlias = tuple[int, int]
"""A node that runs again, and the node before which it does."""


class Repeated(NamedTuple):
    """A problem with repeated runs. `base`: the problem without them; `origin`: for each node, the node of `base`."""

    problem: Problem
    base: Problem
    placement: Sequence[Choice]
    origin: Sequence[int]


def repeated(problem: Problem, placement: Placement, again: Collection[Again]) -> Repeated | None:
    """The problem in which nodes of `problem` run again as `again` says, with a placement in which they do so where
    they first ran. None if a repeated run reads a value whose memory was overwritten in the meantime."""
    if not again:
        return Repeated(problem, problem, placement, range(len(placement)))
    copying = _Copying(problem, placement)
    due: dict[int, list[int]] = defaultdict(list)
    for node, before in sorted(again):
        due[before].append(node)
    for index in range(len(problem.nodes)):
        if not all(copying.rerun(node) for node in due[index]):
            return None
        copying.run(index)
    return copying.repeated()


class _Copying:
    """Copies of a problem's nodes in order, in which values that were computed again replace the former ones."""

    def __init__(self, problem: Problem, placement: Placement) -> None:
        self.problem, self.placement = problem, placement
        self.sizes = list(problem.sizes)
        self.now: dict[int, int] = {}
        """Values that were computed again, each with its present copy."""
        self.views: set[int] = set()
        """Values in `now` that are views of such values."""
        self.lost: set[int] = set()
        """Values whose memory was overwritten."""
        self.steps: list[tuple[int, Choice, tuple[int, ...], tuple[int, ...]]] = []
        """The nodes of the new problem: origin, choice, values read and written."""

    def run(self, node: int) -> None:
        """Let a node run for the first time."""
        self._add(node, {})
        for part in self.placement[node].parts:
            self.lost.update(part.over.values())

    def rerun(self, node: int) -> bool:
        """Let a node run again; False if it can't, since an operand was overwritten."""
        written = self.problem.nodes[node].writes
        if any(self._seen(value) in self.lost for value in self.problem.nodes[node].reads):
            return False
        self._add(node, self._fresh(written))
        for value in self.views:
            del self.now[value]
        self.views.clear()
        return True

    def _fresh(self, values: Sequence[int]) -> dict[int, int]:
        fresh = {value: len(self.sizes) + place for place, value in enumerate(values)}
        self.sizes += [self.problem.sizes[value] for value in values]
        return fresh

    def _add(self, node: int, fresh: Mapping[int, int]) -> None:
        """Append a copy of a node that reads present values; `fresh`: new numbers of its results."""
        mine, choice = self.problem.nodes[node], self.placement[node]
        within = dict.fromkeys(value for part in choice.parts for value in part.writes if value not in mine.writes)
        changed = {value: seen for value in mine.reads if (seen := self._seen(value)) != value}
        changed |= {**fresh, **(self._fresh(tuple(within)) if fresh else {})}
        if changed:
            choice = _renamed(choice, changed)
        reads = tuple(changed.get(value, value) for value in mine.reads)
        self.steps.append((node, choice, reads, tuple(fresh.get(value, value) for value in mine.writes)))
        self.now |= fresh

    def _seen(self, value: int) -> int:
        """The value to read in place of a value of the original problem. A view of values that were computed again is
        made anew."""
        if not self.now or value in self.now:
            return self.now.get(value, value)
        maker = self.problem.producer.get(value)
        if maker is None or not self.problem.nodes[maker].view:
            return value
        if all(self._seen(read) == read for read in self.problem.nodes[maker].reads):
            return value
        fresh = self._fresh(self.problem.nodes[maker].writes)
        self._add(maker, fresh)
        self.views |= fresh.keys()
        return self.now[value]

    def repeated(self) -> Repeated:
        """The new problem."""
        problem, last = self.problem, {value: self._seen(value) for value in self.problem.outputs}
        made = problem.part(self.sizes)
        made.outputs = tuple(last[value] for value in problem.outputs)
        made.kept, made.left = problem.kept, problem.left
        made.donated = tuple((given, last.get(taken, taken)) for given, taken in problem.donated)
        made.movable = {given: last.get(taken, taken) for given, taken in problem.movable.items()}
        made.staying = {last.get(value, value): device for value, device in problem.staying.items()}
        for node, choice, reads, writes in self.steps:
            made.node(problem.nodes[node].op, (choice,), reads, writes)
        return Repeated(made, problem, [choice for _, choice, _, _ in self.steps], [node for node, *_ in self.steps])


def _renamed(choice: Choice, names: Mapping[int, int]) -> Choice:
    """A choice with other values."""

    def of(value: int) -> int:
        return names.get(value, value)

    def part(old: ChoicePart) -> ChoicePart:
        return replace(
            old,
            reads=tuple(map(of, old.reads)),
            writes=tuple(map(of, old.writes)),
            over={of(value): of(source) for value, source in old.over.items()},
            grown={of(value): of(source) for value, source in old.grown.items()},
            own={of(value): nbytes for value, nbytes in old.own.items()},
        )

    needs = tuple((of(value), device) for value, device in choice.needs)
    return replace(choice, parts=tuple(map(part, choice.parts)), needs=needs)


def may_repeat(problem: Problem, choice: Choice) -> bool:
    """True if a node with this choice may run again: it is a task of the primary device that changes nothing in place,
    and its results do not outlive the program."""
    part, *others = choice.parts
    if others or part.view or part.device != problem.primary or part.over or part.grown or part.own or part.states:
        return False
    leaving = {*problem.outputs, *problem.left, *(taken for _, taken in problem.donated)}
    return leaving.isdisjoint(part.writes)


def node_trace(problem: Problem, placement: Placement) -> KernelTrace:
    """The nodes of a problem in program order, as the kernels of a trace whose tensors are the problem's values; a
    kernel of another device takes no time. Arguments persist."""
    shown: dict[int, tuple[int, ...]] = {}
    kernels: list[Kernel] = []
    given = {*problem.inputs}
    for node, choice in zip(problem.nodes, placement, strict=True):
        reads = tuple(dict.fromkeys(base for value in node.reads for base in shown.get(value, (value,))))
        if node.view:
            shown |= dict.fromkeys(node.writes, reads)
            kernels.append(Kernel("", 0.0, (), ()))
            continue
        over = [base for part in choice.parts for value in part.over.values() for base in shown.get(value, (value,))]
        ns = sum(part.cost.ns for part in choice.parts if part.device == problem.primary)
        kernels.append(Kernel("", ns, reads, (*node.writes, *dict.fromkeys(over))))
    tensors = [Tensor("", nbytes, value in given) for value, nbytes in enumerate(problem.sizes)]
    return KernelTrace(tuple(kernels), tuple(tensors))

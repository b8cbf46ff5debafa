"""Shards and pipeline stages of ops as regions of a placement problem: their tasks on each device and the values that
they read and write are described like those of a node's choice, so that one search decides over choices and regions.

A step is carried out on an excerpt of the ops (lowering/partition/plans/regions.py) and placed there; its tasks then
represent the ops in the problem of the whole program. Steps of equal ops are carried out and placed only once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from xdsl.dialects.func import ReturnOp
from xdsl.ir import SSAValue

from dialects.diagnostics import InputError
from interp.kinds.clock import shape_key
from interp.machine.cost import NOTHING
from interp.walk.caches import cache_rows
from interp.walk.entry import block_of
from lowering.instance.choice import Choice, ChoicePart, Placement
from lowering.instance.of_program import PlacementProblem
from lowering.instance.problem import Region
from lowering.optimise.quick.heuristics import descend
from lowering.partition.plans.part_costs import linked_devices
from lowering.partition.plans.plan import Op, PlanStep, carry_out
from lowering.partition.plans.regions import Excerpt, excerpt
from lowering.partition.plans.simulated import Simulated, StepForm, settled
from lowering.partition.search.outcome import node_key

SWEEPS = 3
"""Sweeps over all nodes of a region to find better devices for them."""


@dataclass(frozen=True, eq=False)
class RegionCandidate:
    """A step of a plan as a region of a problem. `keyed`: the nodes that the step makes when it is carried out, each
    with its key and its choice."""

    step: PlanStep
    region: Region
    keyed: tuple[tuple[Hashable, str], ...]


@dataclass(frozen=True, eq=False)
class _Carried:
    """A step carried out on an excerpt. `ways`: placements of the excerpt, each with its makespan, one for each
    combination of devices of its inputs and results. `makes`: the value numbers of the excerpt's results."""

    excerpt: Excerpt
    problem: PlacementProblem
    makes: tuple[int, ...]
    ways: tuple[tuple[Placement, float], ...]


class RegionSpace:
    """The candidate regions of a function, and the placement problem with these regions."""

    def __init__(self, problem: PlacementProblem, times: Simulated) -> None:
        """`times`: the times of ops of the problem's own function."""
        self.problem = problem
        self.times = times
        self.candidates: list[RegionCandidate] = []
        self.of: dict[Choice, RegionCandidate] = {}
        """The candidate that a choice belongs to."""
        self._node = {node.op: node for node in problem.nodes}
        self._carried: dict[Hashable, _Carried | None] = {}
        self._met: set[Hashable] = set()

    def add(self, ops: Sequence[Op], forms: Iterable[StepForm]) -> None:
        """Add regions for some ops, in program order, in the given forms: for each form a region for each placement of
        its nodes that may be best together with the remaining program. Forms that can't be carried out, or whose ops
        are not nodes of the problem, are skipped."""
        nodes = self._nodes(ops)
        if nodes is None or any(self._is_state(value) for op in ops for value in op.operands):
            return  # a state lies on one device
        taken = excerpt(ops, self.times.early)
        number = self.problem.number_of
        inputs, outputs = [number(value) for value in taken.takes], [number(value) for value in taken.makes]
        for form in forms:
            if (nodes, form) in self._met:
                continue
            self._met.add((nodes, form))
            carried = self._carry(taken, ops, form)
            if carried is None or len(set(carried.makes)) < len(outputs):
                continue
            known = dict(zip(carried.problem.inputs, inputs, strict=True))
            known |= zip(carried.makes, outputs, strict=True)
            step = form.step(ops, carried.ways[0][1])
            for placement, ns in carried.ways:
                self._region(replace(step, ns=ns), nodes, carried, placement, dict(known))

    def _is_state(self, value: SSAValue) -> bool:
        return value in self.problem.shown or cache_rows(value) is not None

    def _nodes(self, ops: Sequence[Op]) -> tuple[int, ...] | None:
        """The nodes of ops, and of the views that only these ops use; None if another node between them reads their
        results."""
        problem = self.problem
        mine = {self._node[op].index for op in ops}
        first, last = min(mine), max(mine)
        for node in reversed(problem.nodes[first : last + 1]):
            readers = [reader for value in node.writes for reader in problem.consumers[value]]
            if node.view and readers and mine.issuperset(readers) and not set(node.writes) & set(problem.outputs):
                mine.add(node.index)
        made = {value for index in mine for value in problem.nodes[index].writes}
        between = [node for node in problem.nodes[first:last] if node.index not in mine]
        return None if any(made.intersection(node.reads) for node in between) else tuple(sorted(mine))

    def _carry(self, taken: Excerpt, ops: Sequence[Op], form: StepForm) -> _Carried | None:
        key = (_text(taken), form)
        if key not in self._carried:
            fresh = excerpt(ops, self.times.early)
            self._carried[key] = self._carried_out(fresh, [form.step([fresh.twins[op] for op in ops], 0.0)])
        return self._carried[key]

    def _carried_out(self, taken: Excerpt, steps: Sequence[PlanStep]) -> _Carried | None:
        if not carry_out(taken.function, steps, excerpt=True):
            return None
        try:
            problem = PlacementProblem(taken.function, self.problem.clock)
        except InputError:  # a shard that its device can't run
            return None
        end = block_of(taken.function).last_op
        assert isinstance(end, ReturnOp)
        if any(problem.is_constant(value) for value in end.operands):
            return None
        makes = tuple(problem.number_of(value) for value in end.operands)
        if not set(makes).isdisjoint(problem.inputs):
            return None
        return _Carried(taken, problem, makes, _ways(problem))

    def _region(
        self, step: PlanStep, nodes: tuple[int, ...], carried: _Carried, placement: Placement, known: dict[int, int]
    ) -> None:
        own: dict[Hashable, Hashable] = {value: key for key, value in carried.excerpt.known.items()}
        serial = len(self.candidates)

        def numbers(values: Iterable[int]) -> tuple[int, ...]:
            for value in values:
                if value not in known:
                    known[value] = self.problem.value(carried.problem.sizes[value])
            return tuple(known[value] for value in values)

        def held(weight: Hashable) -> Hashable:
            """The key of a weight: an excerpt's copy of a weight has the key of the program's weight, so that both are
            counted once."""
            if isinstance(weight, tuple):
                return tuple(held(each) for each in cast("tuple[Hashable, ...]", weight))
            if weight in own or not isinstance(weight, SSAValue):
                return own.get(weight, weight)
            return serial, cast(Hashable, weight)

        parts: list[ChoicePart] = []
        for choice in placement:
            for part in choice.parts:
                residents = tuple((held(weight), nbytes) for weight, nbytes in part.residents)
                reads, writes = numbers(part.reads), numbers(part.writes)
                over = dict(zip(numbers(tuple(part.over)), numbers(tuple(part.over.values())), strict=True))
                parts.append(replace(part, reads=reads, residents=residents, writes=writes, over=over))
        keyed = tuple(
            (node_key(node), choice.label) for node, choice in zip(carried.problem.nodes, placement, strict=True)
        )
        region = Region(nodes, _choice(f"{step.kind} {serial}", parts))
        self.problem.regions.append(region)
        self.candidates.append(RegionCandidate(step, region, keyed))
        self.of[region.choice] = self.candidates[-1]


def _choice(label: str, parts: Sequence[ChoicePart]) -> Choice:
    made = {value for part in parts for value in part.writes}
    needs = dict.fromkeys((value, part.device) for part in parts for value in part.reads if value not in made)
    cost = sum((part.cost for part in parts), NOTHING)
    return Choice(label, tuple(parts), tuple(needs), parts[-1].device, cost)


def _text(taken: Excerpt) -> Hashable:
    """The key of an excerpt for carrying out a step: equal keys imply equal results."""
    numbers: dict[SSAValue, int] = {}
    for argument in taken.function.body.block.args:
        numbers[argument] = len(numbers)
    keys: list[Hashable] = [tuple(argument.type for argument in numbers)]
    for op in taken.function.body.block.ops:
        shape = shape_key(op) if not isinstance(op, ReturnOp) else "return"  # pyright: ignore[reportArgumentType]
        keys.append((shape, tuple(numbers[value] for value in op.operands)))
        for result in op.results:
            numbers[result] = len(numbers)
    return tuple(keys)


def _ways(problem: PlacementProblem) -> tuple[tuple[Placement, float], ...]:
    """Placements of the nodes without marks, without duplicates, each with its makespan. Each placement is the best
    that local search finds for one combination of a device on which the inputs are at the start and a device on
    which the results must be at the end; both are the primary device or devices linked with it."""
    start, outputs, primary = settled(problem), problem.outputs, problem.primary
    found: dict[tuple[int, ...], tuple[Placement, float]] = {}
    devices = (primary, *linked_devices(problem.clock))
    for at in devices:
        for to in devices:
            problem.present_at = dict.fromkeys(problem.inputs, (at,)) if at != primary else {}
            problem.outputs = outputs if to == primary else ()
            wanted = {} if to == primary else dict.fromkeys(outputs, to)

            def ends(placement: Placement, wanted: Mapping[int, str] = wanted) -> float:
                ways = ((problem.sizes[value], problem.lands(value, placement), wanted[value]) for value in wanted)
                return problem.makespan(placement) + sum(problem.copy(*way).ns for way in ways)

            placement, ns = descend(problem.nodes, start, ends, SWEEPS)
            key = tuple(node.choices.index(choice) for node, choice in zip(problem.nodes, placement, strict=True))
            found.setdefault(key, (placement, ns))
    problem.present_at, problem.outputs = {}, outputs
    return tuple(found.values())


def expected(space: RegionSpace, placement: Placement) -> list[tuple[Hashable, str]]:
    """The nodes of the program after a placement's regions are carried out, in program order: the key of each, and the
    label of its choice."""
    found: list[tuple[Hashable, str]] = []
    for index, choice in enumerate(placement):
        candidate = space.of.get(choice)
        if candidate is None:
            found.append((node_key(space.problem.nodes[index]), choice.label))
        elif index == max(candidate.region.nodes):
            found += candidate.keyed
    return found


def chosen(space: RegionSpace, placement: Placement) -> list[RegionCandidate]:
    """The candidates that a placement uses, in program order."""
    taken = dict.fromkeys(choice for choice in placement if choice in space.of)
    return sorted((space.of[choice] for choice in taken), key=lambda each: each.region.nodes)


def expected_ranks(space: RegionSpace, placement: Placement, ranks: Sequence[int]) -> list[float]:
    """For each entry of `expected` the rank of its node, or of the last node of its region."""
    found: list[float] = []
    for index, choice in enumerate(placement):
        candidate = space.of.get(choice)
        if candidate is None:
            found.append(float(ranks[index]))
        elif index == max(candidate.region.nodes):
            found += [float(ranks[index])] * len(candidate.keyed)
    return found

"""The kernels of a placement problem on the primary device, those of them that another device may take, and which may
run beside which."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from dialects.diagnostics import InputError
from interp.program.entry import is_graph_op
from lowering.placement.choice import Choice, Node, Placement
from lowering.placement.problem import Problem


@dataclass(frozen=True)
class Candidate:
    """A kernel that a device besides the primary device may take, in one form. `away`: its choice there; `primary`: the
    one on the primary device, None where the op is marked for the other device. `writes`, `reads`: whether its first
    phase may run while what it takes is written on the primary device, and its last one while what it makes is read
    there."""

    node: int
    away: Choice
    primary: Choice | None
    writes: bool
    reads: bool

    @property
    def ns(self) -> float:
        """Its time away from the primary device."""
        return self.away.cost.ns

    @property
    def primary_ns(self) -> float:
        """Its time on the primary device; 0 where it can't run there."""
        return self.primary.cost.ns if self.primary is not None else 0.0

    @property
    def first_ns(self) -> float:
        """The time of its first phase away from the primary device, 0 where that is not done on the fly."""
        return self.phases[0] if self.writes else 0.0

    @property
    def last_ns(self) -> float:
        """The time of its last phase away from the primary device, 0 where that is not done on the fly."""
        return self.phases[-1] if self.reads else 0.0

    @property
    def phases(self) -> tuple[float, ...]:
        """The times of its phases away from the primary device, ns; of a single one alone."""
        return self.away.cost.phases or (self.away.cost.ns,)


def works_beside(problem: Problem) -> bool:
    """True if a device besides the primary device may take some kernel."""
    records = problem.clock.machine.devices.values()
    others = [record for record in records if not record.runs_all and not record.runs_nothing]
    return bool(others) and bool(Kernels.of(problem).candidates)


def fastest(forms: Sequence[Candidate]) -> Candidate:
    """The form of a candidate that takes least."""
    return min(forms, key=lambda form: form.ns)


def usual(forms: Sequence[Candidate]) -> Candidate:
    """The form of a candidate that it has where `split` allows no other one: of each device the last, the fastest of
    these."""
    return fastest(list({form.away.device: form for form in forms}.values()))


class Kernels:
    """The kernels of a problem, by the numbers of their nodes. Views are none: they take no time, and who reads a view
    reads what it shows."""

    def __init__(self, problem: Problem, pick: Callable[[Sequence[Candidate]], Candidate] = fastest) -> None:
        """`pick`: which form each candidate has. Raises InputError where no device works besides the primary device for
        it."""
        self.problem = problem
        devices = problem.clock.machine.devices
        others = [name for name, record in devices.items() if not record.runs_all and not record.runs_nothing]
        if not others:
            at = problem.nodes[0].op if problem.nodes else None
            raise InputError(
                f"nothing works beside @{problem.primary} ({devices[problem.primary].name}): policies pattern, xla-ndp "
                "and overlap are for a GPU with near-data units; name a machine that has such (--machine v100-ndpx)",
                at,
            )
        self.ns: dict[int, float] = {}
        """The times of kernels on the primary device."""
        self.forms: dict[int, list[Candidate]] = {}
        """Of each candidate the forms that it may have: devices, and ways to run there."""
        self.candidates: dict[int, Candidate] = {}
        """Each in the form that was picked."""
        for node in problem.nodes:
            primary = node.on(problem.primary)
            if primary is not None and primary.cost.ns > 0:
                self.ns[node.index] = primary.cost.ns
            if not node.view and (forms := self._forms(node, primary, others)):
                self.forms[node.index], self.candidates[node.index] = forms, pick(forms)
        self.makers: list[tuple[int, ...]] = []
        """For each node the kernels whose results it reads."""
        self.readers: list[list[int]] = [[] for _ in problem.nodes]
        """For each node the kernels that read its results."""
        for node in problem.nodes:
            made: dict[int, None] = {}
            for value in node.reads:
                if (maker := problem.producer.get(value)) is not None:
                    made |= dict.fromkeys(self.makers[maker] if problem.nodes[maker].view else (maker,))
            self.makers.append(tuple(made))
            for maker in made if not node.view else ():
                self.readers[maker].append(node.index)

    @staticmethod
    def of(problem: Problem) -> Kernels:
        """The kernels of a problem, worked out once. Raises InputError where no device works besides the primary device
        for it."""
        return problem.once("kernels beside each other", lambda: Kernels(problem))

    def _forms(self, node: Node, primary: Choice | None, others: Sequence[str]) -> list[Candidate]:
        away = [choice for choice in node.choices if choice.device in others and len(choice.parts) == 1]
        if not away or not is_graph_op(node.op) or node.op.work().macs:
            return []
        records = [self.problem.clock.machine.devices[choice.device] for choice in away]
        return [
            Candidate(node.index, choice, primary, record.flies_on("writes"), record.flies_on("reads"))
            for choice, record in zip(away, records, strict=True)
        ]

    @cached_property
    def alone_ns(self) -> float:
        """All kernels on the primary device, one after the other."""
        return sum(self.ns.values())

    @cached_property
    def related(self) -> list[int]:
        """For each node a number whose bit i is set where node i must come before it or after it, or is it."""
        nodes = self.problem.nodes
        before = [1 << index for index in range(len(nodes))]
        for index in range(len(nodes)):
            for maker in self._direct(index):
                before[index] |= before[maker]
        after = [1 << index for index in range(len(nodes))]
        for index in range(len(nodes) - 1, -1, -1):
            for maker in self._direct(index):
                after[maker] |= after[index]
        return [a | b for a, b in zip(before, after, strict=True)]

    def _direct(self, index: int) -> Iterator[int]:
        producer = self.problem.producer
        return (producer[value] for value in self.problem.nodes[index].reads if value in producer)

    def beside(self, one: int, other: int) -> bool:
        """True if neither of two kernels must wait for the other."""
        return not self.related[one] >> other & 1

    def written_by(self, candidate: Candidate) -> list[int]:
        """The kernels on the primary device that write what it may take on the fly."""
        return [maker for maker in self.makers[candidate.node] if maker in self.ns] if candidate.writes else []

    def read_by(self, candidate: Candidate) -> list[int]:
        """The kernels on the primary device that read what it may make on the fly."""
        return [reader for reader in self.readers[candidate.node] if reader in self.ns] if candidate.reads else []

    def flying(self, candidate: Candidate) -> list[tuple[float, list[int]]]:
        """The part of a candidate that may be done on the fly, ns, and the kernels beside which it may: its first phase
        beside those that write for it, its last one beside those that read it; no longer than these take."""
        both = (candidate.first_ns, self.written_by(candidate)), (candidate.last_ns, self.read_by(candidate))
        return [(min(phase, sum(self.ns[host] for host in hosts)), hosts) for phase, hosts in both]

    def placement(self, away: Collection[int]) -> Placement:
        """Some candidates away from the primary device and all else on the primary device, or where it is marked; a
        view stays where the first thing that it shows is made."""
        problem = self.problem
        placement: list[Choice] = []
        for node in problem.nodes:
            if node.index in away:
                placement.append(self.candidates[node.index].away)
                continue
            there = node.on(problem.lands(node.reads[0], placement)) if node.view and node.reads else None
            placement.append(there or node.on(problem.primary) or node.choices[0])
        return placement

    @cached_property
    def forced(self) -> frozenset[int]:
        """Candidates that can't stay on the primary device."""
        return frozenset(node for node, candidate in self.candidates.items() if candidate.primary is None)

"""The kernels of a placement problem on the primary device, the candidates for offloading among them, and the pairs of
kernels that may overlap. A phase of an offloaded kernel runs *on the fly* if it computes on data while a kernel on
the primary device writes them (a producer) or reads them (a consumer)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from dialects.diagnostics import InputError
from interp.walk.entry import is_graph_op
from lowering.instance.choice import Choice, Node, Placement
from lowering.instance.problem import Problem


@dataclass(frozen=True)
class Candidate:
    """A kernel that may be offloaded from the primary device, in one form. `offloaded`: its choice on the other device;
    `primary`: its choice on the primary device, None if the op is marked for the other device. `writes`: True if its
    first phase may overlap kernels on the primary device that produce its inputs; `reads`: True if its last phase
    may overlap kernels on the primary device that consume its results."""

    node: int
    offloaded: Choice
    primary: Choice | None
    writes: bool
    reads: bool

    @property
    def ns(self) -> float:
        """The kernel's time when offloaded, in ns."""
        return self.offloaded.cost.ns

    @property
    def primary_ns(self) -> float:
        """The kernel's time on the primary device, in ns; 0 if it can't run there."""
        return self.primary.cost.ns if self.primary is not None else 0.0

    @property
    def first_ns(self) -> float:
        """The offloaded time of the kernel's first phase in ns; 0 if this phase can't run on the fly."""
        return self.phases[0] if self.writes else 0.0

    @property
    def last_ns(self) -> float:
        """The offloaded time of the kernel's last phase in ns; 0 if this phase can't run on the fly."""
        return self.phases[-1] if self.reads else 0.0

    @property
    def phases(self) -> tuple[float, ...]:
        """The offloaded times of the kernel's phases, in ns; a kernel without phases is a single phase."""
        return self.offloaded.cost.phases or (self.offloaded.cost.ns,)


def can_offload(problem: Problem) -> bool:
    """True if a device other than the primary one can run some kernel."""
    records = problem.clock.machine.devices.values()
    others = [record for record in records if not record.runs_all and not record.runs_nothing]
    return bool(others) and bool(Kernels.of(problem).candidates)


def fastest(forms: Sequence[Candidate]) -> Candidate:
    """The form of a candidate with the least time."""
    return min(forms, key=lambda form: form.ns)


def usual(forms: Sequence[Candidate]) -> Candidate:
    """The default form of a candidate, used without the option `split`: for each device the last form in `forms` is
    taken, and of these the fastest."""
    return fastest(list({form.offloaded.device: form for form in forms}.values()))


class Kernels:
    """The kernels of a problem, by the numbers of their nodes. Views are not kernels: they take no time, and a consumer
    of a view counts as a consumer of the viewed value."""

    def __init__(self, problem: Problem, pick: Callable[[Sequence[Candidate]], Candidate] = fastest) -> None:
        """`pick`: selects the form of each candidate. Raises InputError if no other device works concurrently with the
        primary one."""
        self.problem = problem
        devices = problem.clock.machine.devices
        others = [name for name, record in devices.items() if not record.runs_all and not record.runs_nothing]
        if not others:
            at = problem.nodes[0].op if problem.nodes else None
            raise InputError(
                f"no other device works concurrently with @{problem.primary} ({devices[problem.primary].name}): "
                "policies pattern, xla-ndp and "
                "overlap need a GPU with near-data units; select such a machine (--machine v100-ndpx)",
                at,
            )
        self.ns: dict[int, float] = {}
        """The times of kernels on the primary device, in ns."""
        self.forms: dict[int, list[Candidate]] = {}
        """For each candidate its forms: one for each device, and for each implementation on that device."""
        self.candidates: dict[int, Candidate] = {}
        """Each candidate in the selected form."""
        for node in problem.nodes:
            primary = node.on(problem.primary)
            if primary is not None and primary.cost.ns > 0:
                self.ns[node.index] = primary.cost.ns
            if not node.view and (forms := self._forms(node, primary, others)):
                self.forms[node.index], self.candidates[node.index] = forms, pick(forms)
        self.makers: list[tuple[int, ...]] = []
        """For each node the kernels that produce its operands."""
        self.readers: list[list[int]] = [[] for _ in problem.nodes]
        """For each node the kernels that consume its results."""
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
        """The kernels of a problem, cached. Raises InputError if no other device works concurrently with the primary
        one."""
        return problem.once("kernels that may overlap", lambda: Kernels(problem))

    def _forms(self, node: Node, primary: Choice | None, others: Sequence[str]) -> list[Candidate]:
        offloaded = [choice for choice in node.choices if choice.device in others and len(choice.parts) == 1]
        if not offloaded or not is_graph_op(node.op) or node.op.work().macs:
            return []
        records = [self.problem.clock.machine.devices[choice.device] for choice in offloaded]
        return [
            Candidate(node.index, choice, primary, record.flies_on("writes"), record.flies_on("reads"))
            for choice, record in zip(offloaded, records, strict=True)
        ]

    @cached_property
    def alone_ns(self) -> float:
        """The serial time of all kernels on the primary device, in ns."""
        return sum(self.ns.values())

    @cached_property
    def related(self) -> list[int]:
        """For each node a bit mask; bit i is set if node i is an ancestor or descendant of it, or the node itself."""
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
        """True if two kernels are independent."""
        return not self.related[one] >> other & 1

    def written_by(self, candidate: Candidate) -> list[int]:
        """The producers on the primary device of inputs that a candidate may take on the fly."""
        return [maker for maker in self.makers[candidate.node] if maker in self.ns] if candidate.writes else []

    def read_by(self, candidate: Candidate) -> list[int]:
        """The consumers on the primary device of results that a candidate may produce on the fly."""
        return [reader for reader in self.readers[candidate.node] if reader in self.ns] if candidate.reads else []

    def streamed_phases(self, candidate: Candidate) -> list[tuple[float, list[int]]]:
        """For the first and the last phase of a candidate, the maximum time in ns that it may run on the fly, and the
        kernels that it may then overlap: producers for the first phase, consumers for the last one. The time is limited
        by the phase's own time and by the sum of these kernels' times; it is 0 if the phase can't run on the fly."""
        both = (candidate.first_ns, self.written_by(candidate)), (candidate.last_ns, self.read_by(candidate))
        return [(min(phase, sum(self.ns[host] for host in hosts)), hosts) for phase, hosts in both]

    def placement(self, offloaded: Collection[int]) -> Placement:
        """The placement with some candidates offloaded and all other nodes on the primary device, or on the device that
        they are marked with; a view is placed with the producer of the first value that it shows."""
        problem = self.problem
        placement: list[Choice] = []
        for node in problem.nodes:
            if node.index in offloaded:
                placement.append(self.candidates[node.index].offloaded)
                continue
            there = node.on(problem.lands(node.reads[0], placement)) if node.view and node.reads else None
            placement.append(there or node.on(problem.primary) or node.choices[0])
        return placement

    @cached_property
    def forced(self) -> frozenset[int]:
        """Candidates that can't run on the primary device."""
        return frozenset(node for node, candidate in self.candidates.items() if candidate.primary is None)

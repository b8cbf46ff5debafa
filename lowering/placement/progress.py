"""What a placement comes to: when each task and copy runs, and what must be held, as the timeline will have it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Protocol, TypeAlias

from dialects.graph import FusedOp, GraphOp
from interp.cost.clock import Clock
from interp.cost.record import Cost
from interp.schedule.arbitration import Draws
from interp.schedule.events import spans
from interp.schedule.jobs import Job
from interp.schedule.residency import Hold, Need, Residency
from lowering.placement.choice import Choice, Part

Copying: TypeAlias = tuple[int, str, str, str]
"""A copy: value, from, to, link."""
Present: TypeAlias = dict[int, dict[str, None]]
"""The devices that each value has reached, its source first."""


class Moves(Protocol):
    """What is asked of a placement problem (lowering/placement/problem.py): its values, and what must move for a
    choice."""

    clock: Clock
    home: str
    devices: tuple[str, ...]
    sizes: list[int]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    returned_residents: tuple[tuple[Hashable, int], ...]
    draws: Draws

    def start(self) -> Present: ...
    def copy(self, nbytes: int, source: str, target: str) -> Cost: ...
    def draw(self, resource: str, cost: Cost, op: GraphOp | FusedOp | None) -> float: ...
    def steps(self, choice: Choice, present: Present) -> Iterable[Copying | Part]: ...
    def arrivals(self, value: int, device: str, present: Present) -> Iterable[Copying]: ...


class Progress:
    """How far devices and links have come while nodes are given their places one after another: one queue each, in
    order, as if each device had memory of its own."""

    def __init__(self, problem: Moves) -> None:
        self.problem = problem
        self.free: dict[str, float] = {}
        self.present: Present = problem.start()
        self.ready: dict[tuple[int, str], float] = {
            (value, device): 0.0 for value, devices in self.present.items() for device in devices
        }

    def run(self, choice: Choice) -> float:
        """Give the next node this choice; when its last task ends."""
        end = 0.0
        for step in self.problem.steps(choice, self.present):
            end = self._task(step) if isinstance(step, Part) else self._copy(*step)
        return end

    def finish(self) -> float:
        """Bring the results home; when everything has ended."""
        for value in self.problem.outputs:
            for step in self.problem.arrivals(value, self.problem.home, self.present):
                self._copy(*step)
        return max(self.free.values(), default=0.0)

    def trial(self, choice: Choice) -> float:
        """When the next node's last task would end with this choice."""
        free = dict(self.free)
        present = {value: dict(self.present[value]) for value, _ in choice.needs}
        end = self.run(choice)
        # What `ready` says of copies and results that are not present is not read, and is written anew when they are.
        self.free = free
        self.present |= present
        return end

    def _task(self, part: Part) -> float:
        start = 0.0 if part.view else self.free.get(part.device, 0.0)
        for value in part.reads:
            start = max(start, self.ready[value, part.device])
        end = start + part.cost.ns
        if not part.view:
            self.free[part.device] = end
        for value in part.writes:
            self.ready[value, part.device] = end
        return end

    def _copy(self, value: int, source: str, target: str, link: str) -> float:
        start = max(self.free.get(link, 0.0), self.ready[value, source])
        end = start + self.problem.copy(self.problem.sizes[value], source, target).ns
        self.free[link] = self.ready[value, target] = end
        return end


class Account:
    """What a placement does as jobs, and what these put into memory: the same jobs and holds as a timeline's."""

    def __init__(self, problem: Moves) -> None:
        self.problem = problem
        self.jobs: list[Job] = []
        self.residency = Residency()
        self.present: Present = problem.start()
        self.held: dict[tuple[int, str], tuple[Hold, ...]] = {}
        """The memory of each value on a device it has reached; a view's is that of what it shows."""
        for value, devices in self.present.items():
            for device in devices:
                self.hold(value, device)

    def step(self, step: Copying | Part) -> None:
        """A task, or a copy (value, from, to, link)."""
        if isinstance(step, Part) and step.view:
            shown = [hold for value in step.reads for hold in self.held[value, step.device]]
            for value in step.writes:
                self.held[value, step.device] = tuple({id(hold): hold for hold in shown}.values())
        elif isinstance(step, Part):
            for what, nbytes in step.residents:
                self.residency.resident(step.device, what, nbytes)
            self.job(step.device, step.cost, [(value, step.device) for value in step.reads], step.op)
            for value in step.writes:
                self.hold(value, step.device, len(self.jobs) - 1)
        else:
            value, source, target, link = step
            self.job(link, self.problem.copy(self.problem.sizes[value], source, target), [(value, source)])
            self.hold(value, target, len(self.jobs) - 1)

    def job(
        self, resource: str, cost: Cost, reads: Sequence[tuple[int, str]], op: GraphOp | FusedOp | None = None
    ) -> None:
        holds = [hold for read in reads for hold in self.held[read]]
        for hold in holds:
            hold.readers.append(len(self.jobs))
        after = tuple(hold.maker for hold in holds if hold.maker is not None)
        self.jobs.append(Job(resource, cost.ns, after, 0, self.problem.draw(resource, cost, op)))

    def hold(self, value: int, device: str, maker: int | None = None) -> None:
        self.held[value, device] = (self.residency.hold(device, self.problem.sizes[value], maker),)

    def finish(self) -> None:
        """Bring the results home, and keep them there."""
        problem, home = self.problem, self.problem.home
        for value in problem.outputs:
            for step in problem.arrivals(value, home, self.present):
                self.step(step)
            for hold in self.held[value, home]:
                hold.kept = True
        for what, nbytes in problem.returned_residents:
            self.residency.resident(home, what, nbytes)

    def needs(self) -> dict[str, Need]:
        """What each device must hold."""
        return self.residency.needs(self.problem.devices, *spans(self.jobs, self.problem.draws.rules))

"""A record of a schedule under construction (interp/simulate/schedule/state.py): the jobs that its moves created, and
the contents of memories."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Protocol

from xdsl.ir import Operation

from interp.machine.cost import Cost
from interp.simulate.events.jobs import Job
from interp.simulate.schedule.memory import Hold, Residency
from interp.simulate.schedule.routes import Copy, Hop, Routes


class AccountedTask(Protocol):
    """A task on one device. `reads`, `writes`: the values that the task reads and writes, by their numbers;
    `residents`: the weights that it keeps in the device's memory from the start of the program, as (name, bytes). A
    `view` renames data in place and costs the device no work. `over`: for each value that the task writes in place,
    the value that it reads and whose memory it reuses."""

    @property
    def op(self) -> Operation: ...
    @property
    def device(self) -> str: ...
    @property
    def cost(self) -> Cost: ...
    @property
    def reads(self) -> tuple[int, ...]: ...
    @property
    def writes(self) -> tuple[int, ...]: ...
    @property
    def residents(self) -> tuple[tuple[Hashable, int], ...]: ...
    @property
    def view(self) -> bool: ...
    @property
    def over(self) -> Mapping[int, int]: ...


class Ledger:
    """The jobs of a schedule in program order, and the memory that their values and weights occupy."""

    def __init__(self, routes: Routes) -> None:
        self.routes = routes
        self.jobs: list[Job] = []
        self.residency = Residency()

    def job(
        self,
        resource: str,
        cost: Cost,
        reads: Iterable[Hold],
        after: Iterable[int],
        queue: int = 0,
        op: Operation | None = None,
        streams: tuple[int, ...] = (),
    ) -> int:
        """Record a task (`op`) or copy as a job and return the job's number. `reads`: the values in memory that it
        reads; `after`: earlier jobs whose end it waits for; `streams`: earlier jobs whose results it consumes while
        they are produced."""
        for hold in reads:
            hold.readers.append(len(self.jobs))
        draw, contracts = self.routes.draw(resource, cost, op), self.routes.draws.contracts(resource, op)
        phases = cost.lead_ns, cost.rest_ns
        self.jobs.append(Job(resource, cost.ns, tuple(after), queue, draw, streams, *phases, contracts))
        return len(self.jobs) - 1


class Account(Ledger):
    """Jobs in the order of the moves, with their start and end times, and the contents of memories. No move is refused
    because of a memory's capacity."""

    def __init__(self, routes: Routes, sizes: Sequence[int]) -> None:
        super().__init__(routes)
        self.sizes = sizes
        self.steps: list[tuple[int, AccountedTask | Copy]] = []
        """The log of a schedule, in order, as pairs of (number of the node, move). Moves are tasks, including views,
        and copies; all except views are jobs.
        """
        self.node = 0
        """The number of the node that the following moves belong to."""
        self.begins: list[float] = []
        self.ends: list[float] = []
        self.held: dict[tuple[int, str], tuple[Hold, ...]] = {}
        """The holds of each value on each of its devices. A view has the holds of the value that it views; a value
        written in place has those of the value that it overwrote.
        """
        self.made: dict[tuple[int, str], tuple[int, ...]] = {}
        """The jobs after which each value is available on a device: those that wrote this value, not the ones that
        first wrote its memory.
        """

    def keep(self, value: int, device: str) -> None:
        """Hold a value on a device until the program ends."""
        for hold in self.held[value, device]:
            hold.kept = True

    def reserve(self, device: str, what: Hashable, nbytes: int) -> None:
        """Reserve memory on a device for a weight, a constant, or rows that programs write, from the start of the
        program; each name `what` counts once."""
        self.residency.resident(device, what, nbytes)

    def placed(self, value: int, device: str) -> None:
        """Record a value that a device holds from the start."""
        self._hold(value, device, None)

    def ran(self, task: AccountedTask, begin: float) -> None:
        """Record a task that began at `begin`, and the weights that it reads."""
        device = task.device
        for what, nbytes in task.residents:
            self.reserve(device, what, nbytes)
        self._timed(device, task.cost, [(value, device) for value in task.reads], begin, task.op)
        self.steps.append((self.node, task))
        maker = len(self.jobs) - 1
        for value in task.writes:
            if (source := task.over.get(value)) is not None:
                self.held[value, device] = self.held[source, device]
                self.made[value, device] = (maker,)
            else:
                self._hold(value, device, maker)

    def carried(self, value: int, hop: Hop, begin: float) -> None:
        """Record a copy of a value over one link (`hop`) that began at `begin`."""
        source, target, link = hop
        self._timed(link, self.routes.copy(self.sizes[value], source, target), [(value, source)], begin)
        self.steps.append((self.node, Copy(value, source, target, link)))
        self._hold(value, target, len(self.jobs) - 1)

    def shown(self, task: AccountedTask) -> None:
        """Record a view: its results share the memory of the values that it reads."""
        self.steps.append((self.node, task))
        holds = dict.fromkeys(hold for value in task.reads for hold in self.held[value, task.device])
        makers = dict.fromkeys(maker for value in task.reads for maker in self.made[value, task.device])
        for value in task.writes:
            self.held[value, task.device] = tuple(holds)
            self.made[value, task.device] = tuple(makers)

    def _timed(
        self, resource: str, cost: Cost, reads: Sequence[tuple[int, str]], begin: float, op: Operation | None = None
    ) -> None:
        """Record a job that began at `begin` and reads values, each given with the device that holds it."""
        after = [maker for read in reads for maker in self.made[read]]
        self.job(resource, cost, [hold for read in reads for hold in self.held[read]], after, 0, op)
        self.begins.append(begin)
        self.ends.append(begin + cost.ns)

    def _hold(self, value: int, device: str, maker: int | None) -> None:
        self.held[value, device] = (self.residency.hold(device, self.sizes[value], maker),)
        self.made[value, device] = () if maker is None else (maker,)

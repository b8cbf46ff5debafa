"""The jobs of a schedule in program order, and the memory that they use."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation

from interp.machine.cost import Cost
from interp.simulate.events.jobs import Job
from interp.simulate.schedule.memory import Hold, Residency
from interp.simulate.schedule.routes import Routes


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

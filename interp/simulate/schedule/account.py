"""A record of a schedule under construction (interp/simulate/schedule/state.py): the jobs that its moves created, and
the contents of memories."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Protocol

from xdsl.ir import Operation

from dialects.diagnostics import InputError
from interp.figures import size
from interp.machine.cost import Cost
from interp.simulate.events.jobs import Job
from interp.simulate.events.loop import spans
from interp.simulate.schedule.memory import DeviceMemory, Hold, Need, Residency
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
    """Jobs in the order of the moves, with their start and end times, and the contents of memories.

    Without `capacities` no move is refused, and `needs` reports the memory that each device needs. With `capacities`
    (bytes by device) each memory is limited to its capacity: values occupy it until they are discarded, work waits
    until enough memory has been freed, and InputError reports values that never fit.
    """

    def __init__(self, routes: Routes, sizes: Sequence[int], capacities: Mapping[str, float] | None = None) -> None:
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
        self.memories = {device: DeviceMemory(nbytes) for device, nbytes in (capacities or {}).items()}
        self._shown: dict[Hold, int] = {}
        """The number of values that use each hold; only where memories are limited to their capacities."""
        self._reserved: dict[tuple[str, Hashable], int] = {}

    def needs(self, begins: Sequence[float] | None = None, ends: Sequence[float] | None = None) -> dict[str, Need]:
        """The memory that each device needs if it holds each value only while jobs use the value there. `begins` and
        `ends`: the times of the jobs; without them, the times at which the event loop runs the jobs."""
        if begins is None or ends is None:
            begins, ends = spans(self.jobs, self.routes.draws.rules)
        return self.residency.needs(self.routes.machine.devices, begins, ends)

    def keep(self, value: int, device: str) -> None:
        """Hold a value on a device until the program ends."""
        for hold in self.held[value, device]:
            hold.kept = True

    def reserve(self, device: str, what: Hashable, nbytes: int) -> None:
        """Reserve memory on a device for a weight, a constant, or rows that programs write, from the start of the
        program; each name `what` counts once. Raises InputError if `nbytes` do not fit in addition to the memory's
        peak use so far."""
        self.residency.resident(device, what, nbytes)
        if (memory := self.memories.get(device)) is not None:
            more = max(0, nbytes - self._reserved.get((device, what), 0))
            self._reserved[device, what] = nbytes if more else self._reserved[device, what]
            memory.resident += more
            if memory.need.total > memory.capacity:
                raise InputError(self._refusal(device, memory.need, more))

    def fits(self, device: str, nbytes: int) -> bool:
        """True if a memory has `nbytes` free at some time, after all moves so far have taken effect."""
        memory = self.memories.get(device)
        return memory is None or memory.room(nbytes, 0.0) is not None

    def room(self, task: AccountedTask, ready: float) -> float:
        """The earliest time, not before `ready`, from which the device's memory has enough free bytes for a task's
        results and weights. Raises InputError if there is no such time."""
        for what, nbytes in task.residents:
            self.reserve(task.device, what, nbytes)
        if task.device not in self.memories:
            return ready
        return self.room_for(task.device, sum(self.sizes[value] for value in task.writes), ready, task.op)

    def room_for(self, device: str, nbytes: int, ready: float, op: Operation | None = None) -> float:
        """The earliest time, not before `ready`, from which a memory has `nbytes` free. Raises InputError, at `op`, if
        there is no such time."""
        memory = self.memories.get(device)
        if memory is None or not nbytes:
            return ready
        since = memory.room(nbytes, ready)
        if since is None:
            need = Need(memory.resident, memory.levels[-1] + nbytes)
            raise InputError(self._refusal(device, need, nbytes), op)
        return since

    def placed(self, value: int, device: str) -> None:
        """Record a value that a device holds from the start. Raises InputError if the value does not fit in the
        device's memory."""
        self.room_for(device, self.sizes[value], 0.0)
        self._hold(value, device, None)

    def ran(self, task: AccountedTask, ready: float, begin: float) -> None:
        """Record a task that was ready at `ready` and began at `begin`."""
        device = task.device
        self._timed(device, task.cost, [(value, device) for value in task.reads], (device, ready, begin), task.op)
        self.steps.append((self.node, task))
        maker = len(self.jobs) - 1
        for value in task.writes:
            if (source := task.over.get(value)) is not None:
                self._share(value, self.held[source, device], device)
                self.made[value, device] = (maker,)
            else:
                self._hold(value, device, maker)

    def carried(self, value: int, hop: Hop, ready: float, begin: float) -> None:
        """Record a copy of a value over one link (`hop`) that was ready at `ready` and began at `begin`."""
        source, target, link = hop
        cost = self.routes.copy(self.sizes[value], source, target)
        self._timed(link, cost, [(value, source)], (target, ready, begin))
        self.steps.append((self.node, Copy(value, source, target, link)))
        self._hold(value, target, len(self.jobs) - 1)

    def shown(self, task: AccountedTask) -> None:
        """Record a view: its results share the memory of the values that it reads."""
        self.steps.append((self.node, task))
        holds = dict.fromkeys(hold for value in task.reads for hold in self.held[value, task.device])
        makers = dict.fromkeys(maker for value in task.reads for maker in self.made[value, task.device])
        for value in task.writes:
            self._share(value, tuple(holds), task.device)
            self.made[value, task.device] = tuple(makers)

    def _share(self, value: int, holds: tuple[Hold, ...], device: str) -> None:
        """Record that a value on a device occupies memory that other values (`holds`) already occupy there."""
        self.held[value, device] = holds
        for hold in holds if device in self.memories else ():
            self._shown[hold] += 1

    def dropped(self, value: int, device: str) -> None:
        """Record that a value was discarded from a device's memory. The memory is free once the value's last reader has
        ended, if no other value shares it."""
        self.made.pop((value, device))
        for hold in self.held.pop((value, device)):
            if (memory := self.memories.get(device)) is not None:
                self._shown[hold] -= 1
                if not self._shown[hold] and not hold.kept:
                    since = 0.0 if hold.maker is None else self.begins[hold.maker]
                    last = max((self.ends[user] for user in hold.users), default=0.0)
                    memory.give_back(hold.nbytes, since, last, [user for user in hold.users if self.ends[user] == last])

    def _timed(
        self,
        resource: str,
        cost: Cost,
        reads: Sequence[tuple[int, str]],
        times: tuple[str, float, float],
        op: Operation | None = None,
    ) -> None:
        """Record a job that reads values, each given with the device that holds it. `times`: the device to whose memory
        the job writes, the time at which the job was ready, and the time at which it began. The job also waits for
        all jobs that freed memory of that device between these two times."""
        target, ready, begin = times
        after: Iterable[int] = [maker for read in reads for maker in self.made[read]]
        if target in self.memories:
            after = dict.fromkeys((*after, *self.memories[target].before(ready, begin)))
        self.job(resource, cost, [hold for read in reads for hold in self.held[read]], after, 0, op)
        self.begins.append(begin)
        self.ends.append(begin + cost.ns)

    def _hold(self, value: int, device: str, maker: int | None) -> None:
        hold = self.residency.hold(device, self.sizes[value], maker)
        self.held[value, device] = (hold,)
        self.made[value, device] = () if maker is None else (maker,)
        if device in self.memories:
            self.memories[device].take(hold.nbytes, 0.0 if maker is None else self.begins[maker])
            self._shown[hold] = 1

    def _refusal(self, device: str, need: Need, nbytes: int) -> str:
        return (
            f"{size(nbytes)} more on @{device} do not fit: with the values already there they take {size(need.total)} "
            f"({size(need.resident)} of weights and constants, {size(need.live)} of live values) of "
            f"{size(self.memories[device].capacity)}; evict or discard some of those values before"
        )

"""The account of a schedule in the making (interp/schedule/state.py): the jobs that its moves came to, and what these
put into memory."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Protocol

from xdsl.ir import Operation

from dialects.diagnostics import InputError
from interp.cost.record import Cost
from interp.figures import size
from interp.schedule.events import spans
from interp.schedule.jobs import Job
from interp.schedule.memory import DeviceMemory, Hold, Need, Residency
from interp.schedule.routes import Copy, Hop, Routes


class AccountedTask(Protocol):
    """Work on one device. `reads` and `writes` are numbers of values, `residents` what its weights take there from the
    start, as (what, bytes). A `view` only shows what lies there: it is no work for the device. `over`: values that it
    writes into the memory of what it reads, each with that."""

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
    """Jobs in program order, and what they put into memory."""

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
        """Note a task (`op`) or copy that reads what is held, waits for earlier jobs and takes what others make as a
        stream; its number."""
        for hold in reads:
            hold.readers.append(len(self.jobs))
        draw, contracts = self.routes.draw(resource, cost, op), self.routes.draws.contracts(resource, op)
        phases = cost.lead_ns, cost.rest_ns
        self.jobs.append(Job(resource, cost.ns, tuple(after), queue, draw, streams, *phases, contracts))
        return len(self.jobs) - 1


class Account(Ledger):
    """Jobs in the order of the moves, with the times that these had there, and memory.

    Without `capacities` nothing is refused, and `needs` says afterwards what memories must hold. With them (bytes by
    device) each memory is held to its own: values lie there until they are discarded, work waits for room that was made
    before it, and InputError says what never fits.
    """

    def __init__(self, routes: Routes, sizes: Sequence[int], capacities: Mapping[str, float] | None = None) -> None:
        super().__init__(routes)
        self.sizes = sizes
        self.steps: list[tuple[int, AccountedTask | Copy]] = []
        """The log of a schedule, in order, each entry with the number of its subject: tasks, views among them, and
        copies. All but views are jobs."""
        self.node = 0
        """The number of what the moves that follow are for."""
        self.begins: list[float] = []
        self.ends: list[float] = []
        self.held: dict[tuple[int, str], tuple[Hold, ...]] = {}
        """Holds of each value on a device that it lies on; those of a view are those of the value that it shows, and
        those of a value written into memory are those of the value that lay there."""
        self.made: dict[tuple[int, str], tuple[int, ...]] = {}
        """The jobs after which each value is there on a device: who wrote it, not who wrote first where it lies."""
        self.memories = {device: DeviceMemory(nbytes) for device, nbytes in (capacities or {}).items()}
        self._shown: dict[Hold, int] = {}
        """Number of values that each hold shows; where memories are held to their capacities."""
        self._reserved: dict[tuple[str, Hashable], int] = {}

    def needs(self, begins: Sequence[float] | None = None, ends: Sequence[float] | None = None) -> dict[str, Need]:
        """The memory that each device needs, with each value held no longer than it is used there: if the jobs start
        and end at those times, or as they do by themselves."""
        if begins is None or ends is None:
            begins, ends = spans(self.jobs, self.routes.draws.rules)
        return self.residency.needs(self.routes.machine.devices, begins, ends)

    def keep(self, value: int, device: str) -> None:
        """Hold a value that lies on a device until the end of everything."""
        for hold in self.held[value, device]:
            hold.kept = True

    def reserve(self, device: str, what: Hashable, nbytes: int) -> None:
        """A weight or constant, or rows that programs write: they lie on a device from the start on, each once. Raises
        InputError where memory has no room for that beside what lay there at any time."""
        self.residency.resident(device, what, nbytes)
        if (memory := self.memories.get(device)) is not None:
            more = max(0, nbytes - self._reserved.get((device, what), 0))
            self._reserved[device, what] = nbytes if more else self._reserved[device, what]
            memory.resident += more
            if memory.need.total > memory.capacity:
                raise InputError(self._refusal(device, memory.need, more))

    def fits(self, device: str, nbytes: int) -> bool:
        """True if a memory will have room for so many bytes more, as far as is known now."""
        memory = self.memories.get(device)
        return memory is None or memory.room(nbytes, 0.0) is not None

    def room(self, task: AccountedTask, ready: float) -> float:
        """From when on there is room for what a task makes and for its weights. Raises InputError if never."""
        for what, nbytes in task.residents:
            self.reserve(task.device, what, nbytes)
        if task.device not in self.memories:
            return ready
        return self.room_for(task.device, sum(self.sizes[value] for value in task.writes), ready, task.op)

    def room_for(self, device: str, nbytes: int, ready: float, op: Operation | None = None) -> float:
        """From when on a memory has room for so many bytes more. Raises InputError, at `op`, if never."""
        memory = self.memories.get(device)
        if memory is None or not nbytes:
            return ready
        since = memory.room(nbytes, ready)
        if since is None:
            need = Need(memory.resident, memory.levels[-1] + nbytes)
            raise InputError(self._refusal(device, need, nbytes), op)
        return since

    def placed(self, value: int, device: str) -> None:
        """A value that lies on a device from the start on. Raises InputError where there is no room."""
        self.room_for(device, self.sizes[value], 0.0)
        self._hold(value, device, None)

    def ran(self, task: AccountedTask, ready: float, begin: float) -> None:
        """A task that was ready and began at these times."""
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
        """A copy that was ready and began at these times."""
        source, target, link = hop
        cost = self.routes.copy(self.sizes[value], source, target)
        self._timed(link, cost, [(value, source)], (target, ready, begin))
        self.steps.append((self.node, Copy(value, source, target, link)))
        self._hold(value, target, len(self.jobs) - 1)

    def shown(self, task: AccountedTask) -> None:
        """A view: what it makes lies where what it reads does."""
        self.steps.append((self.node, task))
        holds = dict.fromkeys(hold for value in task.reads for hold in self.held[value, task.device])
        makers = dict.fromkeys(maker for value in task.reads for maker in self.made[value, task.device])
        for value in task.writes:
            self._share(value, tuple(holds), task.device)
            self.made[value, task.device] = tuple(makers)

    def _share(self, value: int, holds: tuple[Hold, ...], device: str) -> None:
        """Note that a value lies where others do."""
        self.held[value, device] = holds
        for hold in holds if device in self.memories else ():
            self._shown[hold] += 1

    def dropped(self, value: int, device: str) -> None:
        """A value that was discarded: its memory is free once nothing else shows it and its last use has ended."""
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
        """Note a job that reads values on devices. `times`: the memory that it writes, when it was ready and when it
        began. It waits for what made room for it in between, too."""
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
            f"{size(nbytes)} more on @{device} do not fit: together with what lies there they take {size(need.total)} "
            f"({size(need.resident)} of weights and constants, {size(need.live)} of live values) of "
            f"{size(self.memories[device].capacity)}; evict or discard some of that before"
        )

"""The state of a schedule under construction, and the moves that extend it.

A state records the time at which each device, link and lock becomes free, and for each value the devices that hold it,
with the time from which they do. Its account, if it keeps one (lowering/instance/account.py), records the jobs
of the moves and the contents of memories. Each move comes after all earlier moves on its device or link (one queue
each). The event loop (interp/simulate/events/loop.py), which runs the jobs of an account, may use another order.

    issue   run a task, once its operands have been copied to its device
    copy    bring a value to a memory; before its reader is issued, that is a prefetch

Values are numbered and immutable: all copies of a value are equal. interp/simulate/schedule/routes.py alone decides
which copies move a value to a device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from interp.simulate.schedule.routes import Hop, Routes
from lowering.instance.account import Account
from lowering.instance.choice import ChoicePart

Places: TypeAlias = "dict[str, float]"
"""The devices that hold a value, each with the time from which it holds the value; the device that produced the value
comes first."""


class ScheduleState:
    """The state of a schedule: the times at which resources become free, and the devices that hold each value. `fork`
    copies just these two tables."""

    def __init__(
        self,
        routes: Routes,
        sizes: Sequence[int],
        start: Mapping[int, Iterable[str]],
        locks: Mapping[str, tuple[str, ...]] | None = None,
        account: Account | None = None,
    ) -> None:
        """`sizes`: the bytes of each value; `start`: for each value that exists from the start, the devices that hold
        it, its source first. `locks`: by resource, the locks that only one resource may hold at a time; without
        them, no device or link excludes another."""
        self.routes, self.sizes = routes, sizes
        self.locks = locks or {}
        self.account = account
        self.free: dict[str, float] = {}
        """The times at which resources and locks become free; 0 where none is noted."""
        self.places: dict[int, Places] = {value: dict.fromkeys(devices, 0.0) for value, devices in start.items()}
        """The places of each value; replaced, never modified, so that forks can share them."""
        if account is not None:
            for value, devices in self.places.items():
                for device in devices:
                    account.placed(value, device)

    def fork(self) -> ScheduleState:
        """A copy of the state, without an account, from which a search can try further moves."""
        other = ScheduleState(self.routes, self.sizes, {}, self.locks)
        other.free, other.places = dict(self.free), dict(self.places)
        return other

    @property
    def end(self) -> float:
        """The time at which the last task or copy issued so far ends, in ns."""
        return max(self.free.values(), default=0.0)

    def issue(self, task: ChoicePart) -> float:
        """Run a task and return its end in ns. Raises KeyError if a value that the task reads was not produced yet."""
        device, ready = task.device, 0.0
        for value in task.reads:
            since = self.places[value].get(device)
            if since is None:
                since = self.copy(value, device)
            if since > ready:
                ready = since
        account, ns = self.account, task.cost.ns
        if task.view:
            end = ready
            if account is not None:
                account.shown(task)
        else:
            begin = self._occupy(device, ready, ns)
            end = begin + ns
            if account is not None:
                account.ran(task, begin)
        for value in task.writes:
            self.places[value] = {device: end}
        return end

    def copy(self, value: int, target: str) -> float:
        """Bring a value to the memory of `target`, unless it is there already, and return the time from which it is
        there."""
        places = self.places[value]
        missing = self.routes.missing(places, target)
        if missing:
            places = dict(places)
            for hop in missing:
                places[hop.target] = self._carry(value, hop, places[hop.source])
                self.places[value] = places
        return places[target]

    def trial(self, tasks: Sequence[ChoicePart]) -> float:
        """The time at which the last task of `tasks` would end if they were issued now; the state is not changed."""
        return self._aside([value for task in tasks for value in task.reads], lambda: [*map(self.issue, tasks)][-1])

    def arrival(self, value: int, target: str) -> float:
        """The time from which a device would hold a value if the value were copied there now."""
        since = self.places[value].get(target)
        return self._aside([value], lambda: self.copy(value, target)) if since is None else since

    def _aside(self, values: Sequence[int], moves: Callable[[], float]) -> float:
        """The result of calling `moves`, which tentatively moves `values`; the state is restored afterwards."""
        free, places, account = self.free, self.places, self.account
        self.free, self.account = free.copy(), None
        self.places = {value: places[value] for value in values if value in places}
        try:
            return moves()
        finally:
            self.free, self.places, self.account = free, places, account

    def _carry(self, value: int, hop: Hop, ready: float) -> float:
        """The end of a copy of a value over one link (`hop`) that is ready at `ready`; marks the link as occupied until
        then."""
        ns = self.routes.copy(self.sizes[value], hop.source, hop.target).ns
        begin = self._occupy(hop.link, ready, ns)
        if self.account is not None:
            self.account.carried(value, hop, begin)
        return begin + ns

    def _occupy(self, resource: str, ready: float, ns: float) -> float:
        """The start of a task or copy of `ns` that is ready at `ready`; marks its resource and locks as occupied until
        its end. A task or copy of zero duration waits for no lock."""
        free = self.free
        begin = free.get(resource, 0.0)
        if ready > begin:
            begin = ready
        locks = self.locks.get(resource, ()) if ns else ()
        for lock in locks:
            begin = max(begin, free.get(lock, 0.0))
        free[resource] = begin + ns
        for lock in locks:
            free[lock] = begin + ns
        return begin

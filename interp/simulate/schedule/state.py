"""The state of a schedule under construction, and the moves that extend it.

A state records the time at which each device, link and lock becomes free, and for each value the devices that hold it,
with the time from which they do. Its account, if it keeps one (interp/simulate/schedule/account.py), records the jobs
of the moves and the contents of memories. Each move comes after all earlier moves on its device or link (one queue
each). The event loop (interp/simulate/events/loop.py), which runs the jobs of an account, may use another order.

    issue       run a task, once its operands have been copied to its device
    copy        bring a value to a memory; before its reader is issued, that is a prefetch
    discard     drop a value from a memory: its bytes are free once the last use of the value there has ended
    write_back  copy a value to another memory, then discard it
    evict       discard a value that another memory also holds; otherwise write it back

Values are numbered and immutable: all copies of a value are equal, and a value that another memory also holds need not
be written back. interp/simulate/schedule/routes.py alone decides which copies move a value to a device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from dialects.diagnostics import InputError
from interp.figures import size
from interp.simulate.schedule.account import Account, AccountedTask
from interp.simulate.schedule.routes import Hop, Routes

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
        them, no device or link excludes another. Raises InputError if memories that `account` limits to their
        capacities have no room for these values."""
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

    def issue(self, task: AccountedTask) -> float:
        """Run a task and return its end in ns. Raises KeyError if a value that the task reads was not produced yet,
        InputError if memory will not have enough free bytes for its operands or results; operands copied before the
        error stay copied."""
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
        elif account is None:
            end = self._occupy(device, ready, ns) + ns
        else:
            begin = self._occupy(device, account.room(task, ready), ns)
            account.ran(task, ready, begin)
            end = begin + ns
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

    def discard(self, value: int, device: str) -> None:
        """Drop a value from a memory. If no other memory held it, nothing can read the value any longer."""
        places = self.places[value]
        if device not in places:
            raise ValueError(f"value {value} does not lie on @{device}, so it can't be discarded there")
        self.places[value] = {other: since for other, since in places.items() if other != device}
        if self.account is not None:
            self.account.dropped(value, device)

    def write_back(self, value: int, device: str, to: str | None = None) -> None:
        """Copy a value from a memory to another one, then discard it. `to`: the target; None: the memory, among those
        with enough free bytes, to which the copy would end first."""
        nbytes = self.sizes[value]
        others = [other for other in self.routes.machine.devices if other != device]
        able = [each for each in others if self.routes.reaches(device, each)]
        if self.account is not None:
            able = [each for each in able if self.account.fits(each, nbytes)]
        to = to or min(able, key=lambda other: self.routes.copy(nbytes, device, other).ns, default=None)
        if to is None:
            raise InputError(
                f"no memory has room for {size(nbytes)} that must leave @{device}; discard values "
                "that are not read again"
            )
        self.copy(value, to)
        self.discard(value, device)

    def evict(self, value: int, device: str, to: str | None = None) -> None:
        """Free the memory of a value that will be read again later: discard the value if another memory also holds it,
        otherwise write it back (to `to`, if given)."""
        if len(self.places[value]) == 1:
            self.write_back(value, device, to)
        else:
            self.discard(value, device)

    def trial(self, tasks: Sequence[AccountedTask]) -> float:
        """The time at which the last task of `tasks` would end if they were issued now, ignoring memory capacities; the
        state is not changed."""
        return self._aside([value for task in tasks for value in task.reads], lambda: [*map(self.issue, tasks)][-1])

    def arrival(self, value: int, target: str) -> float:
        """The time from which a device would hold a value if the value were copied there now, ignoring memory
        capacities."""
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
        if self.account is None:
            return self._occupy(hop.link, ready, ns) + ns
        begin = self._occupy(hop.link, self.account.room_for(hop.target, self.sizes[value], ready), ns)
        self.account.carried(value, hop, ready, begin)
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

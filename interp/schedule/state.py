"""The state of a schedule in the making, and the moves on it.

A state says when each device, link and turn is free, and where each value lies and since when; its account, where it
keeps one (interp/schedule/account.py), which jobs that took and what each memory holds. A move comes after all moves
before it: work goes behind what its device or link was given last, one queue each. What may go in another order is the
event loop's (interp/schedule/events.py), which runs the jobs of an account.

    issue       run a task, once what it reads has been copied to its device
    copy        bring a value to a memory; before its reader is issued, that is a prefetch
    discard     drop a value from a memory: it is free once the last use of the value there has ended
    write_back  copy a value to another memory, then discard it
    evict       discard a value that lies elsewhere, too; else write it back

Values are numbered and never change, so that all copies of one are alike, and what lies elsewhere need not be written
back. Which copies a value needs to get somewhere, interp/schedule/routes.py alone says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from dialects.diagnostics import InputError
from interp.figures import size
from interp.schedule.account import Account, AccountedTask
from interp.schedule.routes import Hop, Routes

Places: TypeAlias = "dict[str, float]"
"""The devices that a value lies on, where it was made first, and since when."""


class ScheduleState:
    """The state of a schedule: the times at which resources are free, and the places of values. A fork costs no more
    than its two tables."""

    def __init__(
        self,
        routes: Routes,
        sizes: Sequence[int],
        start: Mapping[int, Iterable[str]],
        turns: Mapping[str, tuple[str, ...]] | None = None,
        account: Account | None = None,
    ) -> None:
        """`sizes` of the values in bytes; `start`: where values lie from the start on, each at its source first.
        `turns`: what only one resource may use at a time; without, each device has memory of its own. Raises
        InputError where memories that `account` holds to their capacities have no room for these values."""
        self.routes, self.sizes = routes, sizes
        self.turns = turns or {}
        self.account = account
        self.free: dict[str, float] = {}
        """The times at which resources and turns are free; 0 where none is noted."""
        self.places: dict[int, Places] = {value: dict.fromkeys(devices, 0.0) for value, devices in start.items()}
        """Of each value; never changed in place, so that forks share it."""
        if account is not None:
            for value, devices in self.places.items():
                for device in devices:
                    account.placed(value, device)

    def fork(self) -> ScheduleState:
        """A state to go on with beside this one; it keeps no account."""
        other = ScheduleState(self.routes, self.sizes, {}, self.turns)
        other.free, other.places = dict(self.free), dict(self.places)
        return other

    @property
    def end(self) -> float:
        """The end of all work."""
        return max(self.free.values(), default=0.0)

    def issue(self, task: AccountedTask) -> float:
        """Run a task; when it ends. Raises KeyError where it reads what was not made yet, InputError where memory will
        not have room for what it reads or makes; what was copied for it until then stays."""
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
        """Bring a value to a memory, unless it lies there; since when it does."""
        places = self.places[value]
        missing = self.routes.missing(places, target)
        if missing:
            places = dict(places)
            for hop in missing:
                places[hop.target] = self._carry(value, hop, places[hop.source])
                self.places[value] = places
        return places[target]

    def discard(self, value: int, device: str) -> None:
        """Drop a value from a memory. Where it lay nowhere else, nothing can read it any longer."""
        places = self.places[value]
        if device not in places:
            raise ValueError(f"value {value} does not lie on @{device}, so it can't be discarded there")
        self.places[value] = {other: since for other, since in places.items() if other != device}
        if self.account is not None:
            self.account.dropped(value, device)

    def write_back(self, value: int, device: str, to: str | None = None) -> None:
        """Copy a value from a memory to another one, then discard it: `to`, or where it gets soonest of those that have
        room for it."""
        nbytes = self.sizes[value]
        others = [other for other in self.routes.machine.devices if other != device]
        able = [each for each in others if self.routes.reaches(device, each)]
        if self.account is not None:
            able = [each for each in able if self.account.fits(each, nbytes)]
        to = to or min(able, key=lambda other: self.routes.copy(nbytes, device, other).ns, default=None)
        if to is None:
            raise InputError(f"no memory has room for {size(nbytes)} from @{device}; discard what nothing reads again")
        self.copy(value, to)
        self.discard(value, device)

    def evict(self, value: int, device: str, to: str | None = None) -> None:
        """Make a memory free of a value that is read again later."""
        if len(self.places[value]) == 1:
            self.write_back(value, device, to)
        else:
            self.discard(value, device)

    def trial(self, tasks: Sequence[AccountedTask]) -> float:
        """The end of the last of some tasks if they were issued now, whether memory has room or not."""
        return self._aside([value for task in tasks for value in task.reads], lambda: [*map(self.issue, tasks)][-1])

    def arrival(self, value: int, target: str) -> float:
        """Since when a value would lie on a device if it were copied there now, whether memory has room or not."""
        since = self.places[value].get(target)
        return self._aside([value], lambda: self.copy(value, target)) if since is None else since

    def _aside(self, values: Sequence[int], moves: Callable[[], float]) -> float:
        """The result of trial moves on some values, which are undone afterwards."""
        free, places, account = self.free, self.places, self.account
        self.free, self.account = free.copy(), None
        self.places = {value: places[value] for value in values if value in places}
        try:
            return moves()
        finally:
            self.free, self.places, self.account = free, places, account

    def _carry(self, value: int, hop: Hop, ready: float) -> float:
        """The end of a copy that could start at `ready`."""
        ns = self.routes.copy(self.sizes[value], hop.source, hop.target).ns
        if self.account is None:
            return self._occupy(hop.link, ready, ns) + ns
        begin = self._occupy(hop.link, self.account.room_for(hop.target, self.sizes[value], ready), ns)
        self.account.carried(value, hop, ready, begin)
        return begin + ns

    def _occupy(self, resource: str, ready: float, ns: float) -> float:
        """The start of work that is ready at a time; its resource and turns are taken until its end. Work of no time
        waits for no turn."""
        free = self.free
        begin = free.get(resource, 0.0)
        if ready > begin:
            begin = ready
        turns = self.turns.get(resource, ()) if ns else ()
        for turn in turns:
            begin = max(begin, free.get(turn, 0.0))
        free[resource] = begin + ns
        for turn in turns:
            free[turn] = begin + ns
        return begin

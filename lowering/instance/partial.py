"""Partial schedules, and the rule by which values are copied: when a copy starts, and when the value arrives.

A partial schedule records, for each value, the devices that hold it, with the time from which they do, and for each
device and link (or the lock that several of these share) when it is free. Two moves extend it:

    issue   run a task, once its operands have been copied to its device
    copy    bring a value to a device, unless it is there; before its reader is issued, that is a prefetch

`Partial` is one schedule, `Partials` are many at once, as arrays, for beam search; both make the same copies
(lowering/instance/copies.py), each as soon as the value is at its source and the link is free. They differ in which
idle time a task or copy may use: in `Partial` it follows all earlier ones on its device or link, as in a timeline with
one queue for each; in `Partials` it may take the largest of the recent idle intervals. Values are numbered and
immutable: all copies of a value are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np

from interp.simulate.schedule.routes import Copy
from lowering.instance.account import Account
from lowering.instance.choice import ChoicePart
from lowering.instance.copies import Copies, Floats, Ints

IDLE_RATIO = 2.0
"""Ratio of lengths: an idle interval is remembered instead of a later one if it is longer by this factor."""

Places: TypeAlias = "dict[str, float]"
"""The devices that hold a value, each with the time from which it holds the value; the device that produced the value
comes first."""

Name: TypeAlias = "tuple[ChoicePart, int] | tuple[int, str, str]"
"""A task: its part, and the node that it belongs to; or a copy: value, source, target."""


class Begins:
    """A record of the start of each task and copy, where an account is not needed."""

    def __init__(self) -> None:
        self.of: dict[Name, float] = {}
        """The starts in ns, in the order in which tasks and copies were issued."""
        self.node = 0
        """The number of the node that the following moves belong to."""

    def placed(self, value: int, device: str) -> None:
        """Values take no time."""

    def shown(self, task: ChoicePart) -> None:
        """Views take no time."""

    def ran(self, task: ChoicePart, begin: float) -> None:
        """Record a task that began at `begin`."""
        self.of.setdefault((task, self.node), begin)

    def carried(self, copy: Copy, begin: float) -> None:
        """Record a copy that began at `begin`."""
        self.of.setdefault(copy[:3], begin)


class Partial:
    """One partial schedule, in which each task or copy follows all earlier ones on its device or link. Times are in
    ns. `fork` copies just the two tables `free` and `places`."""

    def __init__(
        self,
        copies: Copies,
        start: Mapping[int, Iterable[str]],
        locks: Mapping[str, tuple[str, ...]] | None = None,
        account: Account | Begins | None = None,
    ) -> None:
        """`start`: for each value that exists from the start, the devices that hold it, its source first. `locks`: by
        resource, the locks that only one resource may hold at a time; without them, no device or link excludes
        another. `account`: the record of all moves, if there is one."""
        self.copies = copies
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

    def fork(self) -> Self:
        """A copy of the schedule, without an account, from which a search can try further moves."""
        other = self.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.free, other.places, other.account = dict(self.free), dict(self.places), None
        return other

    @property
    def end(self) -> float:
        """The time at which the last task or copy issued so far ends."""
        return max(self.free.values(), default=0.0)

    def issue(self, task: ChoicePart) -> float:
        """Run a task and return its end. Raises KeyError if a value that the task reads was not produced yet."""
        device, ready = task.device, 0.0
        for value in task.reads:
            since = self.places[value].get(device)
            if since is None:
                since = self.copy(value, device)
            if since > ready:
                ready = since
        if task.view:
            end = ready
            if self.account is not None:
                self.account.shown(task)
        else:
            end = self.run(task, ready)
        for value in task.writes:
            self.places[value] = {device: end}
        return end

    def copy(self, value: int, target: str) -> float:
        """Bring a value to the memory of `target`, unless it is there already, and return the time from which it is
        there."""
        places = self.places[value]
        missing = self.copies.way(value, places, target)
        if missing:
            places = dict(places)
            for copy in missing:
                places[copy.target] = self.carry(copy, places[copy.source])
            self.places[value] = places
        return places[target]

    def run(self, task: ChoicePart, ready: float) -> float:
        """The end of a task whose operands are there at `ready`."""
        begin = self._occupy(task.device, ready, task.cost.ns)
        if self.account is not None:
            self.account.ran(task, begin)
        return begin + task.cost.ns

    def carry(self, copy: Copy, ready: float) -> float:
        """The end of a copy whose value is at its source at `ready`."""
        begin = self._occupy(copy.link, ready, copy.ns)
        if self.account is not None:
            self.account.carried(copy, begin)
        return begin + copy.ns

    def trial(self, tasks: Sequence[ChoicePart]) -> float:
        """The time at which the last task of `tasks` would end if they were issued now; nothing is changed."""
        return self._aside([value for task in tasks for value in task.reads], lambda: [*map(self.issue, tasks)][-1])

    def arrival(self, value: int, target: str) -> float:
        """The time from which a device would hold a value if the value were copied there now."""
        since = self.places[value].get(target)
        return self._aside([value], lambda: self.copy(value, target)) if since is None else since

    def _aside(self, values: Sequence[int], moves: Callable[[], float]) -> float:
        """The result of calling `moves`, which tentatively moves `values`; the schedule is restored afterwards."""
        free, places, account = self.free, self.places, self.account
        self.free, self.account = free.copy(), None
        self.places = {value: places[value] for value in values if value in places}
        try:
            return moves()
        finally:
            self.free, self.places, self.account = free, places, account

    def _occupy(self, resource: str, ready: float, ns: float) -> float:
        """The start of a task or copy of `ns` that is ready at `ready`; marks its resource and locks as occupied until
        its end. A task or copy of zero duration waits for no lock."""
        free = self.free
        begin = free.get(resource, 0.0)
        if ready > begin:
            begin = ready
        if self.locks and ns:
            locks = self.locks.get(resource, ())
            begin = max([begin, *(free.get(lock, 0.0) for lock in locks)])
            free.update(dict.fromkeys(locks, begin + ns))
        free[resource] = begin + ns
        return begin


@dataclass
class Partials:
    """Partial schedules, as arrays whose first axis numbers them. Values have places in the axis of values.

    `lanes`: for each device and link, or the lock that it shares, the time from which it is free, and the start and end
    of its last idle interval. `ready`: the arrival time of each value on each device, infinite if it is not there;
    `source`: the device that made each value.
    """

    copies: Copies
    lanes: Floats
    ready: Floats
    source: Ints

    @classmethod
    def one(cls, copies: Copies, values: int) -> Partials:
        """A single partial schedule, which is empty, with places for some values."""
        network = copies.network
        ready = np.full((1, values, len(network.device)), np.inf)
        return cls(copies, np.zeros((1, 3 * network.lanes)), ready, np.zeros((1, values), np.intp))

    @property
    def free(self) -> Floats:
        """The time from which each device and link is free."""
        return self.lanes[:, : self.copies.network.lanes]

    def only(self, where: Sequence[int], more: int = 0) -> Partials:
        """The same schedules with some of the values, and with places for `more` values."""
        count, _, devices = self.ready.shape
        ready = np.concatenate((self.ready[:, where], np.full((count, more, devices), np.inf)), axis=1)
        source = np.concatenate((self.source[:, where], np.zeros((count, more), np.intp)), axis=1)
        return Partials(self.copies, self.lanes.copy(), ready, source)

    def chosen(self, grown: Sequence[Partials], where: Sequence[int], parents: Ints, choices: Ints) -> Partials:
        """Extended schedules. `grown`: these schedules extended in several ways, each with only the values `where`;
        `parents` and `choices`: for each schedule of the result, the schedule that is extended, and the way."""
        kept = Partials(
            self.copies,
            np.stack([each.lanes for each in grown])[choices, parents],
            self.ready[parents],
            self.source[parents],
        )
        count = len(where)
        kept.ready[:, where] = np.stack([each.ready[:, :count] for each in grown])[choices, parents]
        kept.source[:, where] = np.stack([each.source[:, :count] for each in grown])[choices, parents]
        return kept

    def place(self, where: int, devices: Sequence[int]) -> None:
        """Add a value that some devices hold from the start, its source first."""
        self.ready[:, where, devices] = 0.0
        self.source[:, where] = devices[0]

    def issue(self, task: ChoicePart, where: Mapping[int, int], begins: Begins | None = None) -> None:
        """Run a task, once its operands have been copied to its device. `where`: the places of values; `begins`: where
        the starts in the first of the schedules are recorded."""
        network = self.copies.network
        on = network.device[task.device]
        ready = np.zeros(len(self.lanes))
        for value in task.reads:
            self.copy(value, where[value], on, begins)
            ready = np.maximum(ready, self.ready[:, where[value], on])
        if not task.view:
            rows = np.arange(len(ready))
            begin = self._occupy(rows, np.full(len(ready), network.on[on]), ready, task.cost.ns)
            ready = begin + task.cost.ns
            if begins is not None:
                begins.ran(task, float(begin[0]))
        for value in task.writes:
            self.ready[:, where[value]] = np.inf
            self.ready[:, where[value], on] = ready
            self.source[:, where[value]] = on

    def copy(self, value: int, where: int, target: int, begins: Begins | None = None) -> None:
        """Bring a value to a device in those schedules in which it is not there yet, directly or by way of another
        device."""
        rows = np.flatnonzero(np.isinf(self.ready[:, where, target]))
        if not len(rows):
            return
        network, times = self.copies.network, self.copies.times(value)
        origin = self.source[rows, where]
        by = network.by[origin, target]
        for source, goal in ((origin, by), (by, np.full(len(rows), target))):
            lacking = np.isinf(self.ready[rows, where, goal])
            if not lacking.any():
                continue
            mine, a, b = rows[lacking], source[lacking], goal[lacking]
            begin = self._occupy(mine, network.over[a, b], self.ready[mine, where, a], times[a, b])
            self.ready[mine, where, b] = begin + times[a, b]
            if begins is not None:
                names = tuple(network.device)
                begins.carried(self.copies.way(value, (names[int(a[0])],), names[int(b[0])])[0], float(begin[0]))

    def _occupy(self, rows: Ints, lane: Ints, ready: Floats, ns: Floats | float) -> Floats:
        """The starts of tasks or copies of `ns` that are ready at `ready`, in the schedules `rows`; marks their
        devices or links as occupied. Of two idle intervals the later one is remembered, unless the earlier one is much
        longer."""
        lanes, count = self.lanes, self.copies.network.lanes
        idle, until = lane + count, lane + 2 * count
        free, since, till = lanes[rows, lane], lanes[rows, idle], lanes[rows, until]
        early, late = np.maximum(ready, since), np.maximum(ready, free)
        fits = early + ns <= till
        before = early - since > till - early - ns
        recent = (late - free) * IDLE_RATIO > till - since
        lanes[rows, lane] = np.where(fits, free, late + ns)
        lanes[rows, idle] = np.where(fits, np.where(before, since, early + ns), np.where(recent, free, since))
        lanes[rows, until] = np.where(fits, np.where(before, early, till), np.where(recent, late, till))
        return np.where(fits, early, late)

"""A lower bound on the time of any plan of moves: a linear program over evicted bytes, transfers on links, and waits of
kernels.

Any plan is repeated in each iteration of the program, so the states of bytes are periodic. Per tier, each evicted byte
of an idle interval passes through

    released ── out ──> absent ── in ──> early ── due
             (pending)          (in a tier)      (back before its next use)

Between the starts of two kernels, the bytes in each direction of a bus are limited by its rate times the duration of
the first kernel plus the wait before the second, and the bytes of each tier by the tier's own rate. (Copies of the
program over the same link, which delay moves, are ignored: without them the bound is lower.) At the start of each
kernel, the live bytes that are not absent fit the device, and the absent bytes fit their tier. The sum of waits is
minimised over fractional amounts, so it is a lower bound for all plans.

Two more sets of rows model the waits: at the end of a kernel, live bytes still fit, and bytes that it releases can be
written out only during the wait (`waits=False` omits these rows, as in the coarser program in the literature of this
method).

In mode `copy` a segment of contents has one copy for all of its idle intervals. Bytes are *dirty* when they are dropped
for the first time, and *clean* afterwards, as far as their copy was kept. Dirty bytes may be written ahead of time:

    written by the program ── out ──> ahead ── drop ──> absent

Weights, updated contents and other contents have separate variables for this, since otherwise copies of weights could
count as copies of activations. Copies occupy their tier as long as they are kept.

If other devices and links run concurrently with the kernels, a kernel takes at least the time of its job alone, and
those in which the device waits for other jobs take no time of their own: the jobs' begins are variables, which
precedences (precedence.py) tie to each other and to the begins of kernels. Kernels that may take longer than their
least time have a variable for the rest, during which bytes are moved as in a wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dialects.diagnostics import InputError
from interp.machine.memory_system import MemorySystem
from interp.simulate.events.jobs import lower_bound
from interp.simulate.memory.problem import NEVER, Concurrency, KernelTrace
from lowering.memory.intervals import DIRECT, Groups, Mode, groups_of, idle_bytes, overwritten, too_small
from lowering.memory.precedence import FINISH, START, Moment, may_last_longer, precedences
from lowering.solve.rows import Floats, Indices, Method, Rows

NS = 1e9
ROUNDED_OFF = 1 / 16
"""The fraction of a page below which a number of bytes is rounded down to whole pages instead of up: such a remainder
may be an error within the solver's tolerance."""
THRIFT = 1e-5
"""The cost of moving bytes in the objective, as a fraction of their time on their bus: small enough that waits
dominate, and large enough that no bytes are moved needlessly, nor over a slow bus if a fast one will do."""


@dataclass(frozen=True)
class Relaxation:
    """The optimal solution of the linear program, in which fractions of tensors may be moved, and the lower bound for
    all plans. Arrays by group or by kernel have one row per tier."""

    mode: Mode
    ideal_ns: float
    """The time of an iteration in which no kernel waits for memory."""
    least_ns: float
    """The sum of the least times of all kernels."""
    stall_ns: float
    """A lower bound on the rest of an iteration's time in any plan, proven by the dual solution: the waits of kernels
    for memory, and for other devices and links."""
    groups: Groups
    dirty: Floats
    """Bytes of each group that are written out before they are dropped, since they have no earlier copy."""
    clean: Floats
    """Bytes of each group that are dropped without a transfer, since a copy of them was kept."""
    carried: Floats
    """Bytes of each group that have a copy in the tier which was kept from an earlier interval."""
    written: dict[int, Floats]
    """For each stream and each kernel, the bytes that are written out between the kernel's start and the next kernel's
    start."""
    arrivals: Floats
    """For each kernel, the bytes that are transferred back to the device between the kernel's start and the next
    kernel's start."""
    absent: Floats
    """Bytes that are evicted and not yet back at each kernel's start."""
    early: Floats
    """Bytes that are back on the device at each kernel's start, before their next use."""
    prices: Floats
    """For each kernel, the time in ns that an iteration would save if one byte less were live while it runs: the dual
    values."""

    @cached_property
    def bound_ns(self) -> float:
        """The lower bound on the time of an iteration, in ns."""
        return self.least_ns + self.stall_ns

    @cached_property
    def bound(self) -> float:
        """The upper bound on the score of any plan (ideal time divided by time)."""
        return self.ideal_ns / self.bound_ns if self.bound_ns else 1.0


def relax(
    trace: KernelTrace,
    system: MemorySystem,
    mode: Mode = "move",
    waits: bool = True,
    method: Method = "interior",
) -> Relaxation:
    """The relaxation for a trace on a memory system. `waits`: model the transfers within a wait; `method`: that of the
    solver.

    Raises InputError if no plan exists: a kernel's operands exceed the device's memory, or live bytes exceed all
    memories together.
    """
    check_fits(trace, system)
    if trace.peak_live <= system.capacity:
        return _without_moves(trace, system, mode)
    for careful in (True, False):
        found = _Builder(trace, system, mode, waits, careful).solved(method)
        if found is not None:
            return found
    raise InputError(
        f"no plan of moves was found for @{system.device}: the tiers behind it may be too small or too slow"
    )


def check_fits(trace: KernelTrace, system: MemorySystem) -> None:
    """Raise InputError for the first kernel that no plan can run, because its bytes exceed the memories."""
    needs, live, capacity = trace.working_sets, needed_bytes(trace), system.capacity
    tiers = sum(tier.capacity for tier in system.tiers)
    for number in np.flatnonzero((needs > capacity) | (live > capacity + tiers)).tolist()[:1]:
        name = f"kernel {number} ({trace.kernels[number].name})"
        if needs[number] > capacity:
            raise InputError(
                f"{name} needs {needs[number]} bytes at one time, but @{system.device} holds only {capacity}; use a "
                "device with more memory, or split the kernel"
            )
        behind = f"and the tiers behind it {tiers}" if system.tiers else "and no tier is behind it"
        raise InputError(
            f"{live[number]} bytes are live in {name}, but @{system.device} holds only {capacity} {behind}; use "
            "larger memory behind the device"
        )


def needed_bytes(trace: KernelTrace) -> Indices:
    """The bytes that need memory in each kernel: all live bytes, except contents that are overwritten before they are
    read, and persistent tensors that are never used, which can stay in a tier."""
    unused = trace.persistent & (trace.first == NEVER)
    return trace.live - np.int64(trace.nbytes[unused].sum()) - idle_bytes(trace, overwritten(trace))


def _without_moves(trace: KernelTrace, system: MemorySystem, mode: Mode) -> Relaxation:
    groups = groups_of(trace, mode, np.zeros(len(trace.idle), bool))
    tiers, kernels = len(system.tiers), len(trace.kernels)
    none, still = np.zeros((tiers, 0)), np.zeros((tiers, kernels))
    beside = trace.concurrency
    return Relaxation(
        mode,
        trace.ideal_ns,
        trace.ideal_ns if beside is None else lower_bound(beside.jobs, beside.rules).ns,
        0.0,
        groups,
        none,
        none,
        none,
        {},
        still,
        still,
        still,
        np.zeros(kernels),
    )


class _Builder:
    """The linear program of a trace. Bytes are in units of 1/40 of the device's memory, times in units of the bus time
    for such a unit of bytes."""

    def __init__(self, trace: KernelTrace, system: MemorySystem, mode: Mode, waits: bool, careful: bool) -> None:
        """`careful`: leave a margin in full memories for rounding to pages."""
        capacity = system.capacity
        dead = overwritten(trace)
        small = too_small(trace, capacity) & ~dead
        self.trace, self.system = trace, system
        self.mode: Mode = mode
        self.groups = groups = groups_of(trace, mode, ~(small | dead))
        self.unit = unit = capacity / 40
        self.second = max(system.in_rate, system.out_rate) / unit
        self.tiers = range(len(system.tiers))
        rates = [max(bus.in_rate, bus.out_rate) for bus in system.buses]
        self.costs = [max(rates) / rate for rate in rates]
        """The time of a byte on each bus, divided by that on the fastest one."""
        self.program = Rows()
        self.count = count = len(trace.kernels)
        self.kernel = np.arange(count)
        self.next = (self.kernel + 1) % count
        self.times = trace.least_ns / NS * self.second
        self.nbytes = groups.nbytes / unit
        needed, spared = needed_bytes(trace) - capacity, idle_bytes(trace, small)
        self.surely_needed = (needed - spared) / unit
        margin = system.page * (1 + ROUNDED_OFF * len(groups))
        self.needed = (needed + margin) / unit if careful else self.surely_needed
        self.rounding = 2 * len(groups) * system.page / unit if careful else 0.0
        self.total = float(self.nbytes.sum()) + 1.0
        slowest = min((min(tier.in_rate, tier.out_rate) for tier in system.tiers), default=system.in_rate)
        self.patience = trace.ideal_ns / NS * self.second + 2 * self.total * unit / slowest * self.second
        self.wait = self.program.columns(count, self.patience, 1.0, tight=False)
        self.longer = np.array([] if trace.concurrency is None else may_last_longer(trace.concurrency), bool)
        self.rest = self.program.columns(int(self.longer.sum()), self.patience, 1.0, tight=False)
        """For each kernel that may last longer than its least time: by how much it does."""
        self.tail = self.program.columns(int(trace.concurrency is not None), self.patience, 1.0, tight=False)
        """The time from the end of the last kernel to the end of the iteration, if other jobs may end later."""
        self._evicted_bytes()
        self._inventories()
        self._links()
        self._room(waits)
        self._tier_room()
        if trace.concurrency is not None:
            self._precedences(trace.concurrency)

    def solved(self, method: Method) -> Relaxation | None:
        """The solution of the linear program; None if the solver finds none."""
        found = self.program.solve(method)
        if found is None:
            return None
        scale, take = self.unit, found.values
        used = sum((bus.in_rate + bus.out_rate) * each for bus, each in zip(self.system.buses, self.costs, strict=True))
        thrift = THRIFT * used / self.unit / self.second
        # evicted bytes use their bus: the thrift term of any plan is at most that of buses that are always busy
        least = (found.lower_bound - thrift * float(self.times.sum())) / (1 + thrift)
        least = min(max(least, 0.0), self.patience)
        carrying = np.flatnonzero(self.groups.carries)
        clean, carried = np.zeros((2, len(self.tiers), len(self.groups)))
        clean[:, carrying], carried[:, carrying] = take[self.clean] * scale, take[self.carried] * scale
        return Relaxation(
            self.mode,
            self.trace.ideal_ns,
            float(self.trace.least_ns.sum()),
            least / self.second * NS,
            self.groups,
            take[self.dirty] * scale,
            clean,
            carried,
            {stream: take[flows] * scale for stream, flows in self.outs.items()},
            take[self.ins] * scale,
            take[self.absent] * scale,
            take[self.early] * scale,
            found.duals[self.rooms].reshape(-1, self.count).sum(0).clip(0.0) / self.second * NS / scale,
        )

    def _block(self, upper: Floats, cost: float = 0.0) -> Indices:
        """Add `upper`-bounded columns for each tier; returns their numbers as an array with one row per tier. `cost`:
        their cost for a tier behind the fastest bus."""
        costs = [cost * self.costs[tier.bus] for tier in self.system.tiers]
        columns = [self.program.columns(len(upper), upper, each) for each in costs]
        return np.array(columns, np.int64).reshape(len(self.tiers), len(upper))

    def _counters(self) -> Indices:
        return np.array([self._counter() for _ in self.tiers], np.int64).reshape(len(self.tiers), self.count)

    def _counter(self) -> Indices:
        return self.program.columns(self.count, self.total, tight=False)

    def _evicted_bytes(self) -> None:
        """Add variables for the bytes of each group that are evicted to each tier. No byte is in two tiers at once,
        clean bytes need kept copies, and kept copies must have been made."""
        groups, program = self.groups, self.program
        self.carrying = carrying = np.flatnonzero(groups.carries)
        self.dirty = self._block(self.nbytes, 2 * THRIFT)
        self.clean, self.carried = self._block(self.nbytes[carrying], THRIFT), self._block(self.nbytes[carrying])
        self.place = place = np.full(len(groups), NEVER)
        place[carrying] = np.arange(len(carrying))
        self.held = held = np.flatnonzero(groups.following != NEVER)
        sums = program.rows(len(groups), upper=self.nbytes)
        again = held[groups.carries[held]]
        for tier in self.tiers:
            program.add(sums, self.dirty[tier])
            program.add(sums[carrying], self.clean[tier])
            rows = program.rows(len(carrying), lower=0.0)
            program.add(rows, self.carried[tier])
            program.add(rows, self.clean[tier], -1.0)
            rows = program.rows(len(groups), lower=0.0)[held]
            program.add(rows, self.dirty[tier][held])
            program.add(rows[groups.carries[held]], self.carried[tier][place[again]])
            program.add(rows, self.carried[tier][place[groups.following[held]]], -1.0)

    def _changes(self, level: Indices) -> Indices:
        """Add a row for each kernel: the change of `level`, a number of bytes, between the kernel's start and the next
        kernel's start. Terms of transfers are added to these rows later."""
        rows = self.program.rows(self.count, 0.0, 0.0)
        self.program.add(rows, level[self.next])
        self.program.add(rows, level, -1.0)
        return rows

    def _inventories(self) -> None:
        """Add variables for the bytes that are pending, ahead, absent and early in each tier at each kernel's start."""
        groups, program, carrying = self.groups, self.program, self.carrying
        self.absent, self.early, self.ins = self._counters(), self._counters(), self._counters()
        streams = np.unique(groups.stream).tolist()
        self.outs: dict[int, Indices] = {stream: self._counters() for stream in streams}
        self.ahead: list[list[Indices]] = [[] for _ in self.tiers]
        self.direct: list[Indices] = []
        self.due = (groups.before - 1) % self.count
        wraps = groups.before > self.count
        for tier in self.tiers:
            absent = self._changes(self.absent[tier])
            program.add(absent, self.ins[tier])
            program.add(absent[groups.after[carrying]], self.clean[tier], -1.0)
            start = program.rows(1, 0.0, 0.0)
            for stream in streams:
                part = np.flatnonzero(groups.stream == stream)
                flow = (
                    self._direct(tier, part, absent) if stream == DIRECT else self._written_ahead(tier, stream, absent)
                )
                program.add(start, flow[:1])
            early = self._changes(self.early[tier])
            program.add(early, self.ins[tier], -1.0)
            program.add(early[self.due], self.dirty[tier])
            program.add(early[self.due[carrying]], self.clean[tier])
            program.add(start, np.array([self.absent[tier][0], self.early[tier][0]]))
            program.add(start, self.dirty[tier][wraps], -1.0)
            program.add(start, self.clean[tier][wraps[carrying]], -1.0)

    def _direct(self, tier: int, part: Indices, absent: Indices) -> Indices:
        """Add the bytes that are dropped as they are written out. Returns the level of pending bytes at each kernel's
        start."""
        pending, out = self._counter(), self.outs[DIRECT][tier]
        rows = self._changes(pending)
        self.program.add(rows, out)
        self.program.add(rows[self.groups.after[part]], self.dirty[tier][part], -1.0)
        self.program.add(absent, out, -1.0)
        self.direct.append(pending)
        return pending

    def _written_ahead(self, tier: int, stream: int, absent: Indices) -> Indices:
        """Add the bytes that may be written out before they are released. Returns the level of released bytes that are
        not yet dropped at each kernel's start."""
        program, groups, out = self.program, self.groups, self.outs[stream][tier]
        part = np.flatnonzero(groups.stream == stream)
        amounts = self.dirty[tier][part]
        waiting, ahead, pending, drop = (self._counter() for _ in range(4))
        rows = self._changes(waiting)
        program.add(rows, out)
        program.add(rows[groups.since[part] % self.count], amounts, -1.0)
        rows = self._changes(ahead)
        program.add(rows, out, -1.0)
        program.add(rows, drop)
        rows = self._changes(pending)
        program.add(rows, drop)
        program.add(rows[groups.after[part]], amounts, -1.0)
        start = program.rows(1, 0.0, 0.0)
        program.add(start, np.array([waiting[0], ahead[0], pending[0]]), np.array([1.0, 1.0, -1.0]))
        program.add(start, amounts[groups.since[part] < 0], -1.0)
        program.add(absent, drop, -1.0)
        self.ahead[tier].append(ahead)
        return pending

    def _links(self) -> None:
        """Limit the bytes of all tiers of a bus together in each direction by its rate, and those of each tier by its
        own rate."""
        leaving = [[flows[tier] for flows in self.outs.values()] for tier in self.tiers]
        for way, name in ((leaving, "out_rate"), ([[each] for each in self.ins], "in_rate")):
            for number, bus in enumerate(self.system.buses):
                rate: float = getattr(bus, name)
                mine = [each for each in self.tiers if self.system.tiers[each].bus == number]
                self._limit([flow for each in mine for flow in way[each]], rate)
                for each in mine:
                    if getattr(self.system.tiers[each], name) < rate:
                        self._limit(way[each], getattr(self.system.tiers[each], name))

    def _limit(self, flows: list[Indices], rate: float) -> None:
        fraction = rate / self.unit / self.second
        rows = self.program.rows(self.count, upper=self.times * fraction)
        for flow in flows:
            self.program.add(rows, flow)
        if len(self.rest):
            self.program.add(rows[self.longer], self.rest, -fraction)
        self._wait_behind(rows, -fraction)

    def _wait_behind(self, rows: Indices, factor: float) -> None:
        """Add to a row for each kernel the wait between its end and the start of the next kernel."""
        self.program.add(rows, self.wait[self.next], factor)
        self.program.add(rows[self.count - len(self.tail) :], self.tail, factor)

    def _room(self, waits: bool) -> None:
        """Require that the live bytes that are not absent fit the device's memory at each kernel's start and, with
        `waits`, at each kernel's end, too: then bytes that a kernel releases can be written out over their bus, and
        bytes that the next kernel needs can arrive in their place, over any bus, only during the wait between both."""
        program, groups = self.program, self.groups
        self.rooms = rows = program.rows(self.count, self.needed, surely=(self.surely_needed, np.inf))
        for tier in self.tiers:
            program.add(rows, self.absent[tier])
        if not waits:
            return
        rows = program.rows(self.count, self.needed, surely=(self.surely_needed, np.inf))
        self.rooms = np.concatenate([self.rooms, rows])
        self._wait_behind(rows, self.system.in_rate / self.unit / self.second)
        for tier in self.tiers:
            program.add(rows, self.absent[tier][self.next])
            program.add(rows[groups.after[self.carrying]], self.clean[tier], -1.0)
        direct = np.flatnonzero(groups.stream == DIRECT)
        for number, bus in enumerate(self.system.buses):
            rows = program.rows(self.count, lower=0.0)
            self._wait_behind(rows, bus.out_rate / self.unit / self.second)
            for tier in (each for each in self.tiers if self.system.tiers[each].bus == number):
                if self.direct:
                    program.add(rows, self.direct[tier][self.next])
                program.add(rows[groups.after[direct]], self.dirty[tier][direct], -1.0)

    def _tier_room(self) -> None:
        """Require that each tier holds its absent bytes and all copies of present bytes: those written ahead and those
        kept."""
        program, carrying, held = self.program, self.carrying, self.held
        groups, place = self.groups, self.place
        crossing = carrying[groups.before[carrying] > self.count]
        following = groups.following[held]
        back = groups.before[held] % self.count
        kept = following[(back == 0) | (groups.after[following] < back)]
        for number, tier in enumerate(self.system.tiers):
            if tier.capacity >= (1 + 2 * bool(len(carrying))) * self.total * self.unit:
                continue
            room = tier.capacity / self.unit
            rows = program.rows(self.count, upper=max(room - self.rounding, room / 2), surely=(-np.inf, room))
            program.add(rows, self.absent[number])
            for ahead in self.ahead[number]:
                program.add(rows, ahead)
            if not len(carrying):
                continue
            present = self._counter()
            program.add(rows, present)
            changes = self._changes(present)
            program.add(changes[groups.after[carrying]], self.clean[number])
            program.add(changes[self.due[carrying]], self.carried[number])
            program.add(changes[self.due[carrying]], self.clean[number], -1.0)
            program.add(changes[self.due[held]], self.carried[number][place[following]], -1.0)
            start = program.rows(1, 0.0, 0.0)
            program.add(start, present[:1])
            program.add(start, self.carried[number][place[crossing]], -1.0)
            program.add(start, self.clean[number][place[crossing]])
            program.add(start, self.carried[number][place[kept]], -1.0)

    def _precedences(self, concurrency: Concurrency) -> None:
        """Add the begins of kernels and of other jobs, and the precedences between these."""
        program, count = self.program, self.count
        latest = 2 * self.patience
        begins = program.columns(count, latest, tight=False)
        rest, place = np.full(count, NEVER), np.flatnonzero(self.longer)
        rest[place] = self.rest
        rows = program.rows(count, np.append(0.0, self.times[:-1]), np.append(0.0, self.times[:-1]))
        program.add(rows, begins)
        program.add(rows, self.wait, -1.0)
        program.add(rows[1:], begins[:-1], -1.0)
        stretched = place[place < count - 1]
        program.add(rows[stretched + 1], rest[stretched], -1.0)
        jobs: dict[Moment, int] = {}

        def terms(moment: Moment) -> tuple[list[int], float]:
            """A moment as a sum of columns and a constant."""
            if moment == START:
                return [], 0.0
            if moment.job:
                if moment not in jobs:
                    jobs[moment] = int(program.columns(1, latest, tight=False)[0])
                return [jobs[moment]], 0.0
            kernel = count - 1 if moment == FINISH else moment.number
            if not moment.ends:
                return [int(begins[kernel])], 0.0
            found = [int(begins[kernel]), *rest[[kernel]][self.longer[[kernel]]].tolist()]
            return found + (self.tail.tolist() if moment == FINISH else []), float(self.times[kernel])

        least: list[float] = []
        entries: list[tuple[int, int, float]] = []
        for earlier, later, ns in precedences(concurrency):
            (less, since), (more, until) = terms(earlier), terms(later)
            entries += ((len(least), column, 1.0) for column in more)
            entries += ((len(least), column, -1.0) for column in less)
            least.append(ns / NS * self.second + since - until)
        rows = program.rows(len(least), lower=least)
        places, columns, signs = np.array(entries, float).reshape(len(entries), 3).T
        program.add(rows[places.astype(int)], columns.astype(int), signs)

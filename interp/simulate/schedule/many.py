"""The totals of a timeline whose tasks take other times and energies in many variants of its machine."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from interp.kinds.clock import Clock
from interp.simulate.events.jobs import lower_bound
from interp.simulate.events.many import has_fixed_order, heads_of_many, spans_of_many
from interp.simulate.schedule.arbitration import rules_of
from interp.simulate.schedule.timeline import Timeline

Reals = NDArray[np.float64]
TOGETHER = 4096
"""The largest number of variants that are timed at once: the arrays of the times of a thousand tasks then take 100 MB.
"""


@dataclass(frozen=True)
class ManyTotals:
    """The totals of a timeline in all variants, as in `Timeline`; (variants) each. `serial_ns`: the sum of the times of
    all tasks and copies."""

    makespan_ns: Reals
    bound_ns: Reals
    serial_ns: Reals
    busy_ns: Mapping[str, Reals]
    energy_nj: Reals
    board_nj: Reals

    @property
    def gap(self) -> Reals:
        """As `Timeline.gap`."""
        bound = self.bound_ns
        return np.where(bound > 0, self.makespan_ns / np.where(bound > 0, bound, 1.0) - 1, 0.0)


def is_plain(timeline: Timeline, clock: Clock) -> bool:
    """True if `totals_of_many` can compute a timeline's totals: without loops, moves between memories and streams, on
    devices and links that share nothing and run in program order."""
    rules = rules_of(clock.machine)
    return (
        bool(timeline.events)
        and timeline.residence is None
        and all(event.body is None for event in timeline.events)
        and has_fixed_order([event.job for event in timeline.events], rules)
        and rules.separate
    )


def totals_of_many(
    timeline: Timeline, clock: Clock, ns: Reals, nj: Reals, board_nj: Reals, idle_w: Mapping[str, Reals]
) -> ManyTotals:
    """The totals of a timeline that `is_plain`, to the last digit as in the timeline of each variant.

    `ns`, `nj`, `board_nj`: (events, variants), the time, the energy by component and the energy by boards of each task
    and copy; `idle_w`: (variants), the idle power of each device that differs between variants, W.
    """
    parts = [
        _totals(timeline, clock, ns[:, some], nj[:, some], board_nj[:, some], {k: w[some] for k, w in idle_w.items()})
        for start in range(0, ns.shape[1], TOGETHER)
        for some in [slice(start, start + TOGETHER)]
    ]
    if len(parts) == 1:
        return parts[0]
    return ManyTotals(
        np.concatenate([part.makespan_ns for part in parts]),
        np.concatenate([part.bound_ns for part in parts]),
        np.concatenate([part.serial_ns for part in parts]),
        {name: np.concatenate([part.busy_ns[name] for part in parts]) for name in parts[0].busy_ns},
        np.concatenate([part.energy_nj for part in parts]),
        np.concatenate([part.board_nj for part in parts]),
    )


def _totals(
    timeline: Timeline, clock: Clock, ns: Reals, nj: Reals, board_nj: Reals, idle_w: Mapping[str, Reals]
) -> ManyTotals:
    events, count = timeline.events, ns.shape[1]
    jobs = [event.job for event in events]
    makespan = spans_of_many(jobs, ns)[1].max(axis=0)
    busy = {name: np.zeros(count) for name in timeline.busy_ns}
    energy = {name: np.zeros(count) for name in timeline.energy_nj}
    for index, event in enumerate(events):
        busy[event.resource] = busy[event.resource] + ns[index]
        energy[event.resource] = energy[event.resource] + nj[index]
    idle: list[Reals] = []
    boards: list[Reals] = []
    for name, device in clock.machine.devices.items():
        power: Reals | float = idle_w.get(name, device.idle_w)
        idle.append(power * makespan)
        board_w = clock.board_idle_w(name)
        boards.append(power * makespan if board_w is None else board_w * np.maximum(makespan - busy[name], 0.0))
    return ManyTotals(
        makespan,
        _bounds(timeline, ns, makespan),
        sum_of(ns, count),
        busy,
        sum_of(energy.values(), count) + sum_of(idle, count),
        sum_of(board_nj, count) + sum_of(boards, count),
    )


def _bounds(timeline: Timeline, ns: Reals, makespan: Reals) -> Reals:
    """(variants) The lower bound on every schedule, ns. It is the longest chain, if no schedule is longer."""
    jobs = [event.job for event in timeline.events]
    bound = makespan.copy()
    for at in np.flatnonzero(heads_of_many(jobs, ns).max(axis=0) < makespan):
        mine = [job._replace(ns=float(lasts)) for job, lasts in zip(jobs, ns[:, at], strict=True)]
        bound[at] = lower_bound(mine).below(float(makespan[at])).ns
    return bound


def sum_of(numbers: Iterable[Reals], count: int) -> Reals:
    """(variants) The sum of numbers, rounded as by Python's `sum`, which since version 3.12 adds up the errors of
    rounding, too (Neumaier, 1974)."""
    total, lost = np.zeros(count), np.zeros(count)
    for each in numbers:
        added = total + each
        if sys.version_info >= (3, 12):
            lost = lost + np.where(np.abs(total) >= np.abs(each), (total - added) + each, (each - added) + total)
        total = added
    return total + lost

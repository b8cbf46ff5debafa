"""The condition that determines the start of each task and copy of a timeline, and the chain of tasks and copies that
sets the makespan.

An event starts as soon as everything that it waits for has happened: its data have been computed, its device or link is
free, no resource runs that must not run at the same time, and its bytes are in memory. The last of these conditions to
be met is its reason, the event that met it its cause. The chain from the last event over its cause, the cause's cause
and so on to the start has no gaps, and the durations of its parts add up to the makespan.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from interp.simulate.events.jobs import SEPARATE, SharingRules
from interp.simulate.schedule.timeline import Event, Timeline

Reason: TypeAlias = Literal["start", "data", "device", "exclusion", "queue", "memory"]
"""The kind of condition that an event waited for last. `start`: no condition, the event starts with the program (or
with its loop's iteration); `data`: results of another event; `device`: its device or link was occupied; `exclusion`:
a device or link ran that must not run at the same time; `queue`: an earlier task of its queue had not started;
`memory`: a transfer between memories."""

EXACT = 1e-9
"""The relative difference below which two times are equal."""


@dataclass(frozen=True)
class Wait:
    """The last condition that an event waited for: the kind of condition, and the event that met it."""

    reason: Reason
    cause: int | None
    """The number, among the timeline's events, of the event that met the condition; None if no event did."""
    idle_ns: float
    """The time for which the event's device or link was idle just before the event."""


class Part(NamedTuple):
    """A part of the chain that sets the makespan: its duration, its device or link, and the component that limits it
    (as `Row.bound`)."""

    resource: str
    bound: str
    ns: float


def waits(timeline: Timeline, rules: SharingRules = SEPARATE) -> list[Wait]:
    """For each event of a timeline, in program order, the last condition that it waited for; a loop is one event."""
    events = timeline.events
    stalls = {stall.event: stall for stall in timeline.residence.stalls} if timeline.residence is not None else {}
    before = _before(events, [(event.resource,) for event in events])
    excluding = _before(events, [rules.locks.get(event.resource, ()) for event in events])
    found: list[Wait] = []
    for index, event in enumerate(events):
        last = before[index]
        idle = max(event.start_ns - (events[last].end_ns if last is not None else 0.0), 0.0)
        if (stall := stalls.get(index)) is not None and _is_at(stall.end_ns, event.start_ns):
            found.append(Wait("memory", None, idle))
            continue
        found.append(_wait(event, events, last, excluding[index], idle))
    return found


def chain(timeline: Timeline, rules: SharingRules = SEPARATE) -> Iterator[tuple[int | None, Part]]:
    """The chain that sets the makespan, from its last event to its first: pairs (event number, part), where the part
    lasts from the end of the event's cause to the event's own end. The number is None for a wait for memory, and for
    a transfer after the last event. The durations add up to the makespan."""
    events, found = timeline.events, waits(timeline, rules)
    if not events:
        return
    stalls = {stall.event: stall for stall in timeline.residence.stalls} if timeline.residence is not None else {}
    by_end = sorted(range(len(events)), key=lambda each: (events[each].end_ns, each))
    index: int | None = by_end[-1]
    now = timeline.makespan_ns
    if events[index].end_ns < now:
        yield None, Part(_behind(timeline), "memory", now - events[index].end_ns)
        now = events[index].end_ns
    while index is not None:
        event, wait = events[index], found[index]
        since, cause = event.start_ns, wait.cause
        if wait.reason == "memory":
            stalled = stalls[index].start_ns
            yield index, Part(event.resource, event.cost.bound, now - since)
            yield None, Part(_behind(timeline), "memory", since - stalled)
            now, cause = stalled, _ended_last(events, by_end, index, stalled)
        elif cause is not None:
            since = min(events[cause].end_ns, now)  # earlier than the end of a producer whose stream it consumes
            yield index, Part(event.resource, event.cost.bound, now - since)
            now = since
        else:
            yield index, Part(event.resource, event.cost.bound, now)
            now = 0.0
        if cause is None and now > 0.0:
            yield None, Part(_behind(timeline), "memory", now)
        index = cause


def chain_parts(timeline: Timeline, rules: SharingRules = SEPARATE) -> dict[tuple[str, str], float]:
    """The share of the makespan in ns, by (resource, bound) of the parts of its chain, largest first. The share of a
    loop is divided by the chain of its body."""
    sums: dict[tuple[str, str], float] = {}
    for index, part in chain(timeline, rules):
        event = timeline.events[index] if index is not None else None
        if event is not None and event.body is not None:
            for key, ns in chain_parts(event.body, rules).items():
                sums[key] = sums.get(key, 0.0) + ns * event.iterations
            continue
        key = part.resource, part.bound
        sums[key] = sums.get(key, 0.0) + part.ns
    return dict(sorted(sums.items(), key=lambda item: -item[1]))


def _wait(event: Event, events: Sequence[Event], before: int | None, excluding: int | None, idle: float) -> Wait:
    """The last condition that an event without a stall for memory waited for. `before`: the previous event on its
    device or link; `excluding`: the last event of a resource that must not run at the same time; `idle`: the time in
    ns for which its device or link was idle. If several conditions were met at the same time, the result is that of
    the device if the device was not idle, that of the data otherwise."""
    candidates: list[tuple[float, Reason, int]] = [(events[other].end_ns, "data", other) for other in event.job.after]
    for other in event.job.streams:
        maker = events[other]
        candidates.append((maker.job.flows(maker.start_ns, maker.end_ns), "data", other))
    if excluding is not None:
        candidates.append((events[excluding].end_ns, "exclusion", excluding))
    if before is not None:
        candidates.append((events[before].end_ns, "device", before))
    if not candidates:
        return Wait("start", None, idle) if _is_at(0.0, event.start_ns) else Wait("queue", None, idle)
    at, reason, cause = max(candidates, key=lambda each: (each[0], _PREFERENCE[each[1]]))
    if not _is_at(at, event.start_ns):  # what it waited for is the start of another task in its queue
        return Wait("queue", cause, idle) if at <= event.start_ns else Wait("data", cause, idle)
    if idle <= EXACT * event.start_ns and before is not None and _is_at(events[before].end_ns, event.start_ns):
        late = [other for end, why, other in candidates if why == "data" and _is_at(end, event.start_ns)]
        return Wait("data", late[0], idle) if before in late else Wait("device", before, idle)
    return Wait(reason, cause, idle)


_PREFERENCE: Mapping[Reason, int] = {"data": 2, "device": 1, "exclusion": 0}


def _is_at(end: float, start: float) -> bool:
    return abs(end - start) <= EXACT * max(end, start, 1.0)


def _before(events: Sequence[Event], groups: Sequence[tuple[str, ...]]) -> list[int | None]:
    """For each event, the number of the event that ends last among those that started before it and share a name of
    `groups` with it. `groups`: for each event, the names of its device or link and of its locks."""
    order = sorted(range(len(events)), key=lambda index: (events[index].start_ns, events[index].end_ns, index))
    last: dict[str, int] = {}
    found: list[int | None] = [None] * len(events)
    for index in order:
        earlier = [last[name] for name in groups[index] if name in last]
        found[index] = max(earlier, key=lambda other: events[other].end_ns, default=None)
        for name in groups[index]:
            if name not in last or events[last[name]].end_ns <= events[index].end_ns:
                last[name] = index
    return found


def _ended_last(events: Sequence[Event], by_end: Sequence[int], index: int, by_ns: float) -> int | None:
    """The event, other than event `index`, with the latest end not after `by_ns`. `by_end`: the numbers of all events,
    sorted by end."""
    place = bisect_right(by_end, by_ns * (1 + EXACT), key=lambda other: events[other].end_ns)
    return next((other for other in (by_end[at] for at in range(place - 1, -1, -1)) if other != index), None)


def _behind(timeline: Timeline) -> str:
    """The resource of the last transfer between memories; `memory` if there is none."""
    residence = timeline.residence
    return residence.transfers[-1].resource if residence is not None and residence.transfers else "memory"

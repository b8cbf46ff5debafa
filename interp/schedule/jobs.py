"""Jobs on resources, and a lower bound on every schedule of them.

interp/schedule/events.py says when they run. With one queue a resource, a longer job or one more dependency never ends
a schedule earlier. With several queues it may, as in any schedule that never leaves a resource idle (Graham, "Bounds on
multiprocessing timing anomalies", 1969). What links say of memory (`SharingRules`) only ever lets jobs start later or
take longer, so that the bound holds there too.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from interp.schedule.stretches import stretches, within


class Job(NamedTuple):
    """Something that occupies `resource` for `ns` once the earlier jobs `after` (by their index in the program) have
    ended. `draw`: the share of a bandwidth that it takes while it runs alone, where its resource shares one."""

    resource: str
    ns: float
    after: tuple[int, ...] = ()
    queue: int = 0
    draw: float = 0.0


@dataclass(frozen=True)
class SharingRules:
    """How jobs on several resources get on with each other, by resource. `turns`: what only one resource may use at a
    time, any of those that name it; `bandwidths`: the one that its jobs draw on."""

    turns: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    bandwidths: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def separate(self) -> bool:
        """Whether no resource minds another."""
        return not self.turns and not self.bandwidths


SEPARATE = SharingRules()


def arranged(jobs: Sequence[Job], order: Sequence[int], waits: Iterable[tuple[int, int]] = ()) -> list[Job]:
    """Jobs in another order, in which each stands behind what it waits for. `waits`: pairs (job, other) of jobs, by
    their numbers among `jobs`, of which the first waits for the second, too."""
    at = {job: position for position, job in enumerate(order)}
    more: dict[int, tuple[int, ...]] = {}
    for job, other in waits:
        more[job] = (*more.get(job, ()), other)
    return [
        jobs[job]._replace(after=tuple([at[other] for other in (*jobs[job].after, *more.get(job, ()))]))
        for job in order
    ]


def tails(jobs: Sequence[Job]) -> list[float]:
    """The longest chain that follows each job, in ns."""
    found = [0.0] * len(jobs)
    for index in range(len(jobs) - 1, -1, -1):
        through = found[index] + jobs[index].ns
        for other in jobs[index].after:
            found[other] = max(found[other], through)
    return found


@dataclass(frozen=True)
class Bound:
    """No schedule of these jobs on these resources ends before `ns`; `because` says what sets it."""

    ns: float
    because: str


CHAIN = "longest chain of dependencies"
IN_TURN = "stretches that follow each other, mostly "


def in_sequence(parts: Iterable[Bound]) -> Bound:
    """A bound on parts that follow each other in every schedule, by bounds on each."""
    reasons: dict[str, float] = defaultdict(float)
    for part in parts:
        reasons[part.because.removeprefix(IN_TURN)] += part.ns
    because = max(reasons, key=lambda because: reasons[because], default=CHAIN)
    return Bound(sum(reasons.values()), IN_TURN + because if len(reasons) > 1 else because)


def lower_bound(jobs: Sequence[Job], rules: SharingRules = SEPARATE) -> Bound:
    """The larger of a bound on the whole, and of those on stretches that follow each other in every schedule (as layers
    do), which add up."""
    whole = bound_at_once(jobs, rules)
    after = [job.after for job in jobs]
    bounds: list[Bound] = []
    for part in stretches(after, [job.ns for job in jobs]):
        inner = [jobs[index]._replace(after=waits) for index, waits in zip(part, within(part, after), strict=True)]
        bounds.append(bound_at_once(inner, rules))
    in_turn = in_sequence(bounds)
    return whole if in_turn.ns <= whole.ns * (1 + 1e-12) else in_turn


def bound_at_once(jobs: Sequence[Job], rules: SharingRules = SEPARATE) -> Bound:
    """The larger of the longest chain of dependencies and, for each resource, of what it must still do.

    Let a job's head be the longest chain before it and its tail the longest chain after it. Whatever set S of a
    resource's jobs we look at: none starts before the smallest head in S, they run one after another, and after the
    last one its tail follows, so that every schedule takes at least min head + sum + min tail. The largest such value
    over all S is the end of the preemptive schedule that always runs the released job of the longest tail (Jackson;
    Carlier 1982). Order within queues is left open: reordering can't beat the bound either. Resources that take turns
    are one in this; and so is a bandwidth, for which a job is as long as what it draws at least takes.
    """
    heads = [0.0] * len(jobs)
    for index, job in enumerate(jobs):
        heads[index] = max((heads[other] + jobs[other].ns for other in job.after), default=0.0)
    longest = max((head + job.ns for head, job in zip(heads, jobs, strict=True)), default=0.0)
    best = Bound(longest, CHAIN)
    members: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for head, tail, job in zip(heads, tails(jobs), jobs, strict=True):
        for because, ns in loads(job, rules):
            members[because].append((head, ns, tail))
    for because, mine in members.items():
        end = preemptive_end(mine)
        if end > best.ns * (1 + 1e-12):
            best = Bound(end, because)
    return best


def loads(job: Job, rules: SharingRules) -> Iterable[tuple[str, float]]:
    """What a job keeps busy, and for how long at least."""
    yield f"load of {job.resource}", job.ns
    for turn in rules.turns.get(job.resource, ()):
        yield f"load of {turn}, which take turns", job.ns
    if job.draw and job.resource in rules.bandwidths:
        yield f"memory bandwidth of {rules.bandwidths[job.resource]}", job.ns * job.draw


def preemptive_end(jobs: list[tuple[float, float, float]]) -> float:
    """When the last tail ends if one resource runs jobs (head, ns, tail), always the released one of the longest
    tail."""
    jobs = sorted(jobs)
    released: list[tuple[float, float]] = []  # (-tail, ns that are left)
    now = end = 0.0
    following = 0
    while released or following < len(jobs):
        if not released:
            now = max(now, jobs[following][0])
        while following < len(jobs) and jobs[following][0] <= now:
            _, ns, tail = jobs[following]
            heapq.heappush(released, (-tail, ns))
            following += 1
        negative_tail, left = heapq.heappop(released)
        until = jobs[following][0] if following < len(jobs) else float("inf")
        if now + left > until:
            heapq.heappush(released, (negative_tail, left - (until - now)))
            now = until
        else:
            now += left
            end = max(end, now - negative_tail)
    return end

"""Jobs on resources, and a lower bound on every schedule of them.

interp/simulate/events/loop.py runs jobs. With one queue per resource, a longer job or an additional dependency never
makes a schedule end earlier. With several queues it may, as in any schedule that never leaves a resource idle (Graham,
"Bounds on multiprocessing timing anomalies", 1969). Sharing rules (`SharingRules`) only delay or lengthen jobs, so that
the bound is valid with them too.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from interp.figures import time
from interp.simulate.events.orders import followers_of
from interp.simulate.events.segments import segments, within


class Job(NamedTuple):
    """A job that occupies `resource` for `ns` once the earlier jobs `after` (by their index in the program) have ended.
    `draw`: the rate in bytes/ns at which it accesses memory when it runs alone, if its resource draws on a shared
    bandwidth.

    `streams`: earlier jobs (producers) whose results this job consumes while they are produced
    (interp/simulate/events/loop.py defines the times of such jobs). For a job with phases, `lead` is the time in ns
    before its last phase, the only phase that produces a stream for other jobs, and `rest` the time in ns after its
    first phase, the only phase that consumes streams. `contraction`: True for a matrix product or convolution, which
    work on some devices slows down.
    """

    resource: str
    ns: float
    after: tuple[int, ...] = ()
    queue: int = 0
    draw: float = 0.0
    streams: tuple[int, ...] = ()
    lead: float = 0.0
    rest: float = 0.0
    contraction: bool = False

    def flows(self, begin: float, end: float) -> float:
        """The earliest start, in ns, of jobs that consume this job's results as a stream, if this job starts at `begin`
        and ends at `end`."""
        return end - (self.ns - self.lead) if self.lead else begin


@dataclass(frozen=True)
class SharingRules:
    """The sharing rules between resources, by resource. `locks`: names of locks, each of which only one resource may
    hold at a time; `bandwidths`: the memories on whose bandwidths the resource's jobs draw, by name, each with its
    bandwidth in bytes/ns; `interference`: the factor, above 1, by which the resource's jobs, while they run, slow down
    contractions on all other resources."""

    locks: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    bandwidths: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, "Mapping[str, float]"])
    interference: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def separate(self) -> bool:
        """True if no two resources share a lock or bandwidth, and no resource slows down contractions on others."""
        return not self.locks and not self.bandwidths and not self.interference

    def among(self, jobs: Sequence[Job]) -> SharingRules:
        """The rules for a set of jobs: without interference if none of these jobs is a contraction."""
        if self.interference and not any(job.contraction for job in jobs):
            return SharingRules(self.locks, self.bandwidths)
        return self

    def shares(self, job: Job) -> Sequence[tuple[str, float]]:
        """The memories on whose bandwidths a job draws, each with the share of the bandwidth that the job draws when it
        runs alone. It is at most 1: a processor may read bytes from caches that its cost counts as memory traffic."""
        if not job.draw:
            return ()
        memories = self.bandwidths.get(job.resource, {})
        return [(memory, min(1.0, job.draw / bandwidth)) for memory, bandwidth in memories.items()]

    def changes_pace(self, job: Job) -> bool:
        """True if other jobs may slow a job down."""
        return job.resource in self.bandwidths or (job.contraction and bool(self.interference))


SEPARATE = SharingRules()


def arranged(
    jobs: Sequence[Job],
    order: Sequence[int],
    waits: Iterable[tuple[int, int]] = (),
    streams: Iterable[tuple[int, int]] = (),
) -> list[Job]:
    """Jobs in the order `order`, in which each job comes after all jobs that it waits for. `waits`: pairs of numbers
    among `jobs`; the first job of a pair additionally waits for the second. `streams`: pairs of which the first job
    consumes the results of the second as a stream, and no longer waits for the second job's end."""
    at = {job: position for position, job in enumerate(order)}
    more: dict[int, tuple[int, ...]] = {}
    for job, other in waits:
        more[job] = (*more.get(job, ()), other)
    taken: dict[int, tuple[int, ...]] = {}
    for job, other in streams:
        taken[job] = (*taken.get(job, ()), other)
    found: list[Job] = []
    for number in order:
        job, flowing = jobs[number], taken.get(number, ())
        after = [at[other] for other in job.after if other not in flowing]
        after += [at[other] for other in more.get(number, ())]
        found.append(job._replace(after=tuple(after), streams=tuple([at[other] for other in (*job.streams, *flowing)])))
    return found


def reverse(jobs: Sequence[Job]) -> list[Job]:
    """The same jobs from the last to the first, with all dependencies reversed. Consumers of a stream become its
    producers, and their phases are reversed, too.
    """
    last = len(jobs) - 1
    later, taking = followers_of([job.after for job in jobs]), takers_of(jobs)
    found: list[Job] = []
    for index in range(last, -1, -1):
        resource, ns, _, queue, draw, _, lead, rest, contraction = jobs[index]
        after = tuple([last - other for other in reversed(later[index])])
        streams = tuple([last - other for other in reversed(taking.get(index, ()))])
        found.append(Job(resource, ns, after, queue, draw, streams, rest, lead, contraction))
    return found


def takers_of(jobs: Sequence[Job]) -> dict[int, list[int]]:
    """For each job with consumers of its stream, the numbers of these consumers."""
    takers: dict[int, list[int]] = {}
    for index, job in enumerate(jobs):
        for other in job.streams:
            takers.setdefault(other, []).append(index)
    return takers


def heads(jobs: Sequence[Job]) -> tuple[list[float], list[float]]:
    """The length in ns of the longest chain up to each job's start, and up to its end: the times at which the job would
    start and end if every job had a resource of its own."""
    begins: list[float] = []
    ends: list[float] = []
    for _, ns, after, _, _, streams, _, rest, _ in jobs:
        begin = 0.0
        for other in after:
            if ends[other] > begin:
                begin = ends[other]
        for other in streams:
            begin = max(begin, jobs[other].flows(begins[other], ends[other]))
        end = begin + ns
        for other in streams:
            end = max(end, ends[other] + rest)
        begins.append(begin)
        ends.append(end)
    return begins, ends


def tails(jobs: Sequence[Job]) -> tuple[list[float], list[float]]:
    """The length in ns of the longest chain that begins at each job's end, and of the longest chain that begins at its
    start and so includes the job itself."""
    after, through = heads(reverse(jobs))
    return after[::-1], through[::-1]


@dataclass(frozen=True)
class Bound:
    """A lower bound: no schedule of these jobs on these resources ends before `ns`; `because` names the limiting chain
    or resource.
    """

    ns: float
    because: str

    def below(self, ns: float, what: str = "") -> Bound:
        """This bound, at most `ns`: a time that it is a bound on, from which rounding may make it differ. Raises
        BoundError if it exceeds that time otherwise. `what`: of which times it is a bound, for that error."""
        above(ns, self.ns, what)
        return Bound(min(self.ns, ns), self.because)


ROUNDED = 1e-8
"""The relative difference up to which two times may differ by rounding: recorded times have nine digits."""


class BoundError(Exception):
    """The internal error of a lower bound that is no bound."""


def above(ns: float, bound_ns: float, what: str = "", rounded: float = ROUNDED) -> float:
    """The fraction by which a time is above a lower bound on it; 0 if the two differ by rounding, by at most `rounded`.
    Raises BoundError if the time is below the bound. `what`: of which times it is a bound, for that error."""
    if ns < bound_ns * (1 - rounded):
        raise BoundError(
            f"the lower bound {time(bound_ns)} on the time of {what or 'any schedule'} exceeds the time {time(ns)} of "
            "one of them"
        )
    return ns / bound_ns - 1 if ns > bound_ns > 0 else 0.0


CHAIN = "longest chain"
SERIAL = "serial segments, mostly "


def in_sequence(parts: Iterable[Bound]) -> Bound:
    """A bound on parts of a program that follow each other in every schedule: the sum of the bounds on the parts."""
    reasons: dict[str, float] = defaultdict(float)
    for part in parts:
        reasons[part.because.removeprefix(SERIAL)] += part.ns
    because = max(reasons, key=lambda because: reasons[because], default=CHAIN)
    return Bound(sum(reasons.values()), SERIAL + because if len(reasons) > 1 else because)


def lower_bound(jobs: Sequence[Job], rules: SharingRules = SEPARATE) -> Bound:
    """The larger of two bounds: `bound_at_once` of all jobs, and the sum of `bound_at_once` of each segment (segments
    follow each other in every schedule, as layers do)."""
    at_once = bound_at_once(jobs, rules)
    after, streams = _surely_over(jobs), [job.streams for job in jobs]
    bounds: list[Bound] = []
    for part in segments(after, [job.ns for job in jobs]):
        inner = [
            jobs[index]._replace(after=waits, streams=taken)
            for index, waits, taken in zip(part, within(part, after), within(part, streams), strict=True)
        ]
        bounds.append(bound_at_once(inner, rules))
    serial = in_sequence(bounds)
    return at_once if serial.ns <= at_once.ns * (1 + 1e-12) else serial


FOLLOWED = 16
"""The maximum number of producers, direct or indirect, that bounds consider for each job; few programs have longer
chains of streams."""


def _surely_over(jobs: Sequence[Job]) -> list[tuple[int, ...]]:
    """For each job, earlier jobs that have ended in every schedule when the job starts: the jobs that it waits for, the
    producers whose streams these jobs consumed, and the jobs that had ended before its own producers started. For
    each job that it waits for, and for each of its producers, at most `FOLLOWED` further jobs are listed; a shorter
    list gives a weaker bound, but never a wrong one."""
    if not any(job.streams for job in jobs):
        return [job.after for job in jobs]
    sources: list[dict[int, None]] = []
    found: list[tuple[int, ...]] = []
    for job in jobs:
        upstream = (each for other in job.streams for each in (other, *sources[other]))
        sources.append(dict.fromkeys(islice(upstream, FOLLOWED)))
        over = [each for other in job.after for each in (other, *sources[other])]
        over += [each for other in job.streams for each in found[other][:FOLLOWED]]
        found.append(tuple(dict.fromkeys(over)))
    return found


def bound_at_once(jobs: Sequence[Job], rules: SharingRules = SEPARATE) -> Bound:
    """The larger of two bounds: the longest chain of dependencies, and the largest bound by the load of a resource.

    Let a job's head be the longest chain before it and its tail the longest chain after it. Consider any set S of a
    resource's jobs: none starts before the smallest head in S, they run serially, and after the last of them its tail
    follows, so that every schedule takes at least min head + sum + min tail. The largest such value over all S is the
    end of the preemptive schedule that, at any time, runs the job of the longest tail among those whose head is over
    (Jackson; Carlier 1982). The order within queues is ignored, so that the bound is valid for reordered queues too.
    Resources that share a lock count as one resource; so does a bandwidth, on which a job takes at least its draw times
    its duration. Chains may go through streams (`heads`).
    """
    begins, ends = heads(jobs)
    best = Bound(max(ends, default=0.0), CHAIN)
    members: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for head, tail, job in zip(begins, tails(jobs)[0], jobs, strict=True):
        for because, ns in loads(job, rules):
            members[because].append((head, ns, tail))
    for because, mine in members.items():
        end = preemptive_end(mine)
        if end > best.ns * (1 + 1e-12):
            best = Bound(end, because)
    return best


def loads(job: Job, rules: SharingRules) -> Iterable[tuple[str, float]]:
    """The resource, the locks and the bandwidths that a job occupies, each as (a description such as `load of gpu`, the
    least time in ns for which the job occupies it)."""
    yield f"load of {job.resource}", job.ns
    for lock in rules.locks.get(job.resource, ()):
        yield f"load of {lock}, serialized", job.ns
    for memory, share in rules.shares(job):
        yield f"memory bandwidth of {memory}", job.ns * share


def preemptive_end(jobs: list[tuple[float, float, float]]) -> float:
    """The end of a preemptive schedule of jobs (head, ns, tail) on one resource: the latest sum of a job's end and its
    tail. A job may run from time `head` on; at any time, of the jobs that may run, the one with the longest tail
    runs."""
    jobs = sorted(jobs)
    released: list[tuple[float, float]] = []  # (-tail, remaining ns)
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

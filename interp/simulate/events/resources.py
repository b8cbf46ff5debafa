"""The protocol of what jobs need in order to run (`Resource`), and its plain kinds: one job at a time (a device, one
direction of a link), a lock, and bandwidths that jobs share. A memory with tiers is one, too
(interp/simulate/memory/tiered.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import inf

from interp.simulate.events.jobs import Job, SharingRules

EXACT = 1e-12
"""The amount by which a sum of shares may exceed 1 because of rounding."""


class Resource:
    """A resource that jobs need while they run. The event loop (interp/simulate/events/loop.py) asks and informs the
    resources of each job. A resource without a rule of its own, as defined here, holds no job back and slows none down.

    At each event the loop calls, in this order: `advance`; `ended` for each job that ends; `ready` for each job that
    from then on waits for no other job; `may_start` for each ready job whose device is free, and `started` if all of
    its resources let it start; at last `share`.
    """

    has_events = False
    """True for a resource with events of its own besides the starts and ends of jobs: the loop calls `ready`, `advance`
    and `next_event` of no other resource."""
    sets_pace = False
    """True for a resource that slows running jobs down: the loop calls `share` and `pace` of no other resource."""

    def ready(self, job: int, now: float) -> None:
        """Note that a job no longer waits for any other job."""

    def may_start(self, job: int, now: float) -> bool:
        """True if the resource permits a ready job to start now."""
        return True

    def started(self, job: int, now: float) -> None:
        """Note that a job has started."""

    def ended(self, job: int, now: float) -> None:
        """Note that a job has ended."""

    def next_event(self, until: float) -> float:
        """The time, in ns, of the resource's next event at which a ready job that it held back may start, if that is
        before `until`; otherwise any later time. It may process the events before, since no job depends on them."""
        return inf

    def advance(self, now: float) -> None:
        """Process the resource's own events up to `now`."""

    def share(self, working: Sequence[int]) -> bool:
        """Divide what the running jobs share among those that now make progress, ascending; True if that may change the
        pace of a job."""
        return False

    def pace(self, job: int) -> float:
        """The factor by which a running job is slowed down now."""
        return 1.0


class Turns(Resource):
    """A device, or one direction of a link: one job runs at a time."""

    def __init__(self) -> None:
        self.taken = False

    def may_start(self, job: int, now: float) -> bool:
        return not self.taken

    def started(self, job: int, now: float) -> None:
        self.taken = True

    def ended(self, job: int, now: float) -> None:
        self.taken = False


class Lock(Turns):
    """A lock that several devices and links share: one of them runs at a time. Jobs of zero duration wait for no
    lock."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        super().__init__()
        self.jobs = jobs

    def may_start(self, job: int, now: float) -> bool:
        return not (self.taken and self.jobs[job].ns)

    def started(self, job: int, now: float) -> None:
        self.taken = self.taken or self.jobs[job].ns > 0

    def ended(self, job: int, now: float) -> None:
        self.taken = self.taken and not self.jobs[job].ns


class Bandwidths(Resource):
    """The bandwidths of memories that jobs share, and the interference of jobs with contractions on other devices.

    Each job draws a share of the bandwidth of each memory that its device accesses. While the shares of concurrent jobs
    add up to more than 1, all jobs that draw on this bandwidth are slowed down by that sum; a job that draws on several
    is slowed down by the largest of these sums. While a job of a device with interference f works, contractions on all
    other devices take f times as long.
    """

    sets_pace = True

    def __init__(self, jobs: Sequence[Job], rules: SharingRules) -> None:
        self.jobs, self.interference = jobs, rules.interference
        self.shares = [rules.shares(job) for job in jobs] if rules.bandwidths else []
        """For each job, its shares of bandwidths by memory; empty if no resources share any."""
        self.slowed: Mapping[str, float] = {}
        """The factor by which jobs that draw on a bandwidth are slowed down, by bandwidth."""
        self.disturbing: Mapping[str, float] = {}
        """The factor by which work on a device now slows contractions down, by device."""

    def share(self, working: Sequence[int]) -> bool:
        demand: dict[str, float] = defaultdict(float)
        disturbing: dict[str, float] = {}
        for job in working:
            for memory, share in self.shares[job] if self.shares else ():
                demand[memory] += share
            if (slower := self.interference.get(self.jobs[job].resource)) is not None:
                disturbing[self.jobs[job].resource] = slower
        slowed = {memory: total for memory, total in demand.items() if total > 1 + EXACT}
        before = self.slowed, self.disturbing
        self.slowed, self.disturbing = slowed, disturbing
        return before != (slowed, disturbing)

    def pace(self, job: int) -> float:
        resource, *_, contraction = self.jobs[job]
        factor = 1.0
        if self.slowed and (drawn := self.shares[job]):
            factor = max(self.slowed.get(memory, 1.0) for memory, _ in drawn)
        for other, slower in self.disturbing.items() if contraction else ():
            if other != resource:
                factor *= slower
        return factor


def resources_of(jobs: Sequence[Job], rules: SharingRules) -> dict[str, tuple[Resource, ...]]:
    """The resources that jobs need in addition to their own device or link, by device or link."""
    locks = {lock: Lock(jobs) for names in rules.locks.values() for lock in names}
    paced = (Bandwidths(jobs, rules),) if rules.bandwidths or rules.interference else ()
    names = dict.fromkeys(job.resource for job in jobs)
    return {name: (*(locks[lock] for lock in rules.locks.get(name, ())), *paced) for name in names}

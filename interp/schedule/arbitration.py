"""When jobs run that mind each other: in turns or on one bandwidth, where links say that devices use one memory; one by
one, where the runtime at home executes a program so.

- `exclusive`: of the two devices and the copies between them, one runs at a time. What was ready first goes first, and
  of what was ready at once the earlier one in the program.
- `executor sequential`, of the device at home: of all devices and links one runs at a time, so that a program takes the
  sum of its tasks and copies.
- `shared`: each job draws a share of the GPU's bandwidth, namely what passes the bus over what could pass in its time:
  of a task on a PIM the commands' data, of any other job all of its bytes. While jobs that run at the same time ask for
  more than there is, all that draw on it are slowed down alike, by that ratio.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence

from xdsl.ir import Operation

from interp.cost.clock import Clock
from interp.cost.record import Cost
from interp.machine.composition import Machine
from interp.schedule.jobs import SEPARATE, Job, Rules, starts

EXACT = 1e-12
"""What a sum of shares may be above 1 by rounding alone."""


EVERYTHING = "all devices and links"
"""The turn that all wait for where the runtime at home is a sequential executor."""


def rules_of(machine: Machine) -> Rules:
    """What the links of a machine and the runtime at home say."""
    turns: dict[str, tuple[str, ...]] = defaultdict(tuple)
    bandwidths: dict[str, str] = {}
    for (a, b), link in machine.links.items():
        users = dict.fromkeys((a, b, machine.way(a, b), machine.way(b, a)))
        if link.arbitration == "exclusive":
            for user in users:
                turns[user] += (f"{a} and {b}",)
        elif link.arbitration == "shared":
            bandwidths |= dict.fromkeys(users, a if machine.devices[a].memory_bandwidth else b)
    home = machine.devices[machine.home]
    if home.executor == "sequential":
        ways = (machine.way(*way) for a, b in machine.links for way in ((a, b), (b, a)))
        for user in dict.fromkeys((*machine.devices, *ways)):
            turns[user] += (EVERYTHING,)
    return Rules(dict(turns), bandwidths) if turns or bandwidths else SEPARATE


class Draws:
    """Which share of a shared bandwidth the jobs of a machine draw."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.rules = rules_of(clock.machine)

    def of(self, resource: str, cost: Cost, op: Operation | None = None) -> float:
        """The share of a task (`op`) or copy, at most 1; 0 where nothing is shared."""
        memory = self.rules.bandwidths.get(resource)
        if memory is None or not cost.ns:
            return 0.0
        devices = self.clock.machine.devices
        moved = self.clock.bus_bytes(op, resource) if op is not None and resource in devices else None
        bandwidth = devices[memory].memory_bandwidth
        return min(1.0, (cost.bytes if moved is None else moved) / (cost.ns * bandwidth) * 1e9)


def spans(jobs: Sequence[Job], rules: Rules = SEPARATE) -> tuple[list[float], list[float]]:
    """The start and the end of each job in ns. `after` names earlier jobs only."""
    if rules.separate:
        begins = starts(jobs)
        return begins, [begin + job.ns for begin, job in zip(begins, jobs, strict=True)]
    simulation = _Simulation(jobs, rules)
    simulation.run()
    return simulation.begins, simulation.ends


class _Simulation:
    """From one end of a job to the next: what may start does, and what is slowed down by it ends later."""

    def __init__(self, jobs: Sequence[Job], rules: Rules) -> None:
        self.jobs, self.rules = jobs, rules
        self.waiting = [len(job.after) for job in jobs]
        self.followers: list[list[int]] = [[] for _ in jobs]
        self.queues: dict[tuple[str, int], deque[int]] = defaultdict(deque)
        for index, job in enumerate(jobs):
            self.queues[job.resource, job.queue].append(index)
            for other in job.after:
                self.followers[other].append(index)
        self.ready = [0.0] * len(jobs)
        self.begins = [0.0] * len(jobs)
        self.ends = [0.0] * len(jobs)
        """When a job ends, or will if nothing changes."""
        self.running: dict[int, tuple[float, float]] = {}
        """Of each running job the time that it would still take alone, and since when that is so."""
        self.taken: set[str] = set()
        """Resources and turns that are in use."""
        self.slowed: Mapping[str, float] = {}
        """By which factor the jobs that draw on a bandwidth are slowed down, where they are."""

    def run(self) -> None:
        self.dispatch(0.0)
        while self.running:
            now = min(self.ends[job] for job in self.running)
            for job in [job for job in self.running if self.ends[job] == now]:
                self.complete(job, now)
            self.dispatch(now)

    def dispatch(self, now: float) -> None:
        heads = [queue[0] for queue in self.queues.values() if queue and not self.waiting[queue[0]]]
        for job in sorted(heads, key=lambda index: (self.ready[index], index)):
            if self.taken.isdisjoint(wanted := self.uses(job)):
                self.taken.update(wanted)
                resource, ns, _, queue, _ = self.jobs[job]
                self.queues[resource, queue].popleft()
                self.running[job] = ns, now
                self.begins[job] = now
                self.ends[job] = now + ns * self.factor(job)
        if self.rules.bandwidths:
            self.share_out(now)

    def complete(self, job: int, now: float) -> None:
        del self.running[job]
        self.taken.difference_update(self.uses(job))
        for follower in self.followers[job]:
            self.waiting[follower] -= 1
            self.ready[follower] = now

    def uses(self, job: int) -> Iterable[str]:
        """What a job has for itself; what takes no time waits for no turn."""
        resource, ns, _, _, _ = self.jobs[job]
        return (resource, *(self.rules.turns.get(resource, ()) if ns else ()))

    def factor(self, job: int) -> float:
        resource, _, _, _, draw = self.jobs[job]
        return self.slowed.get(self.rules.bandwidths.get(resource, ""), 1.0) if draw else 1.0

    def share_out(self, now: float) -> None:
        """Slow down, from now on, what asks for more bandwidth than there is."""
        asked: dict[str, float] = defaultdict(float)
        for job in sorted(self.running):
            if (memory := self.rules.bandwidths.get(self.jobs[job].resource)) is not None:
                asked[memory] += self.jobs[job].draw
        slowed = {memory: total for memory, total in asked.items() if total > 1 + EXACT}
        if slowed == self.slowed:
            return
        before = {job: self.factor(job) for job in self.running}
        self.slowed = slowed
        for job, (left, since) in self.running.items():
            if (factor := self.factor(job)) != before[job]:
                left = max(0.0, left - (now - since) / before[job])
                self.running[job] = left, now
                self.ends[job] = now + left * factor

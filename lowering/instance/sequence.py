"""Names of the jobs of a placement, which identify them independently of order, and orders of jobs by rank."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from interp.simulate.events.jobs import Job, arranged
from interp.simulate.events.orders import in_rank_order
from interp.simulate.schedule.routes import Copy
from lowering.instance.choice import Choice, ChoicePart, Placement
from lowering.instance.orders import orders
from lowering.instance.partial import Name
from lowering.instance.problem import Problem, Schedule
from lowering.limits import LIMITS


def names(problem: Problem, placement: Placement) -> list[Name]:
    """The names of `problem.jobs(placement)`, in that order."""
    return [name_of(node, step) for node, step in problem.walk(placement)]


def name_of(node: int, step: ChoicePart | Copy) -> Name:
    """The name of a task of a node, or of a copy."""
    return step[:3] if isinstance(step, Copy) else (step, node)


def scheduled(problem: Problem, placement: Placement, ranks: Mapping[Name, tuple[float, ...]]) -> Schedule:
    """A placement with its jobs in the order of their ranks, as far as dependences permit. A copy without a rank
    is scheduled as early as possible, a task without a rank after the tasks that precede it in the program."""
    jobs = problem.jobs(placement)
    keys: list[tuple[float, ...]] = []
    reached: tuple[float, ...] = ()
    for name in names(problem, placement):
        if (rank := ranks.get(name)) is not None:
            keys.append(rank)
            reached = max(reached, rank)
        else:
            keys.append(reached if len(name) == 2 else ())
    return Schedule(placement, tuple(in_rank_order([job.after for job in jobs], keys)))


def reordered(problem: Problem, schedule: Schedule, more: Iterable[Sequence[int]] = ()) -> Schedule:
    """A schedule with its jobs reordered as by the pass `order`, or in one of the orders `more`: the shortest of these
    schedules that fits memory; the schedule itself if none is shorter."""
    jobs, order = problem.jobs(schedule.placement, schedule.input_devices), schedule.order
    order = order or tuple(range(len(jobs)))
    best = replace(schedule, ns=problem.ends(schedule))
    moved = arranged(jobs, order, schedule.waits, schedule.streams)
    theirs = (tuple([order[place] for place in places]) for _, places in orders(moved))
    for each in dict.fromkeys((*theirs, *map(tuple, more))):
        trial = replace(schedule, order=each)
        ns = problem.ends(trial)
        if ns < best.ns * (1 - LIMITS.rounding) and problem.fits(trial):
            best = replace(trial, ns=ns)
    return best


def listed(problem: Problem, placement: Placement) -> Iterator[Schedule]:
    """A placement in the orders that list scheduling finds for its jobs (lowering/instance/orders.py). Resources that
    exclude each other are scheduled as one resource, and waits fix the order of their jobs, which would otherwise
    start as soon as they are ready."""
    jobs, locks = problem.jobs(placement), problem.draws.rules.locks
    if not locks:
        yield from (Schedule(placement, tuple(order)) for _, order in orders(jobs))
        return
    taking = [job._replace(resource=locks[job.resource][0]) if job.resource in locks else job for job in jobs]
    for _, order in orders(taking):
        yield Schedule(placement, tuple(order))
        yield Schedule(placement, tuple(order), tuple(waits_for_locks(jobs, order, locks)))


def waits_for_locks(
    jobs: Sequence[Job], order: Iterable[int], locks: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[int, int]]:
    """Waits that make serialised resources follow a given order of jobs."""
    last: dict[str, int] = {}
    for index in order:
        for lock in locks.get(jobs[index].resource, ()) if jobs[index].ns else ():
            if lock in last and jobs[last[lock]].resource != jobs[index].resource:
                yield index, last[lock]
            last[lock] = index


def started(problem: Problem, schedule: Schedule) -> list[int]:
    """The nodes of a problem in the order in which a schedule starts them; producers precede consumers."""
    begins, _ = problem.spans(schedule)
    first: dict[Choice, float] = {}
    for (node, step), begin in zip(problem.walk(schedule.placement, schedule.input_devices), begins, strict=True):
        if isinstance(step, ChoicePart):
            first.setdefault(schedule.placement[node], begin)
    until = {region.choice: max(region.nodes) for region in problem.regions}
    keys: list[tuple[float, int]] = []
    for node, choice in zip(problem.nodes, schedule.placement, strict=True):
        makers = [problem.producer[value] for value in node.reads if value in problem.producer]
        begin = max([first.get(choice, 0.0), *(keys[maker][0] for maker in makers)])
        keys.append((begin, until.get(choice, node.index)))
    return sorted(range(len(keys)), key=lambda index: (*keys[index], index))


def positions(sequence: Sequence[int]) -> list[int]:
    """The position of each node in a permutation of all nodes."""
    found = [0] * len(sequence)
    for position, node in enumerate(sequence):
        found[node] = position
    return found


def program_ranks(problem: Problem, jobs: Sequence[Job]) -> list[int]:
    """The priority of ready jobs on each resource: kernels on the primary device have the priority of program order;
    any other job has the highest priority of the jobs that wait for it."""
    found = list(range(len(jobs)))
    for number in reversed(found):
        for other in jobs[number].after:
            if jobs[other].resource != problem.primary:
                found[other] = min(found[other], found[number])
    return found


def stream_pairs(problem: Problem, schedule: Schedule, flows: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The pairs of jobs (later, earlier) that are connected by streams, given the pairs of nodes (maker, taker) between
    which values flow: the maker, a copy of its result, and the taker. The number of nodes in place of a taker stands
    for the end of the program: results flow to the primary device."""
    if not (flows := list(flows)):
        return
    tasks: dict[int, int] = {}
    copies: dict[tuple[int, str], list[int]] = defaultdict(list)
    for number, (node, step) in enumerate(problem.walk(schedule.placement, schedule.input_devices)):
        if isinstance(step, ChoicePart):
            tasks[node] = number
        else:
            copies[step.value, step.target].append(number)
    waits = [frozenset(job.after) for job in problem.jobs(schedule.placement, schedule.input_devices)]
    machine, end = problem.clock.machine, len(problem.nodes)
    for maker, taker in flows:
        source = schedule.placement[maker].device
        target = problem.primary if taker == end else schedule.placement[taker].device
        if maker not in tasks or (taker not in tasks and taker != end) or not machine.streams(source, target):
            continue
        read = problem.outputs if taker == end else problem.nodes[taker].reads
        for value in problem.nodes[maker].writes:
            moved = [tasks[maker], *copies[value, target][:1], *([] if taker == end else [tasks[taker]])]
            pairs = [(later, earlier) for earlier, later in pairwise(moved)]
            if value in read and all(earlier in waits[later] for later, earlier in pairs):
                yield from pairs

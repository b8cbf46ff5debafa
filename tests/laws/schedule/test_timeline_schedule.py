"""Laws of the schedule: it equals a plain simulation, jobs of a resource do not overlap, and no schedule beats the
bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise, permutations

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite

from interp.simulate.events.jobs import Job, bound_at_once, lower_bound
from interp.simulate.events.loop import simulate, starts
from interp.simulate.events.resources import Resource

RESOURCES = ("gpu", "pim", "gpu->pim")


@composite
def programs(draw: DrawFn, most: int = 12, queues: int = 1) -> list[Job]:
    """Jobs in program order with integer times, so that sums are exact. Some take no time."""
    jobs: list[Job] = []
    for index in range(draw(st.integers(0, most))):
        after = draw(st.sets(st.integers(0, index - 1), max_size=3)) if index else set[int]()
        resource = draw(st.sampled_from(RESOURCES))
        queue = draw(st.integers(0, queues - 1))
        jobs.append(Job(resource, float(draw(st.integers(0, 9))), tuple(sorted(after)), queue))
    return jobs


def ends(jobs: Sequence[Job], begins: Sequence[float]) -> list[float]:
    return [begin + job.ns for job, begin in zip(jobs, begins, strict=True)]


def makespan(jobs: Sequence[Job], schedule: Callable[[Sequence[Job]], list[float]] = starts) -> float:
    return max(ends(jobs, schedule(jobs)), default=0.0)


def plain(jobs: Sequence[Job]) -> list[float]:
    """The ends of jobs by a simulation tick by tick, with one queue per resource: each resource starts its next job as
    soon as all its predecessors have ended."""
    begin: dict[int, float] = {}
    now = 0.0
    while len(begin) < len(jobs):
        for index, job in enumerate(jobs):
            mine = [other for other in range(index) if jobs[other].resource == job.resource]
            over = all(other in begin and begin[other] + jobs[other].ns <= now for other in (*mine, *job.after))
            if index not in begin and over:
                begin[index] = now
        now += 1.0
    return [begin[index] for index in range(len(jobs))]


@given(programs())
def test_one_queue_each_is_a_plain_simulation(jobs: list[Job]) -> None:
    assert starts(jobs) == plain(jobs)


@given(programs())
def test_both_ways_to_find_the_starts_agree_for_one_queue_each(jobs: list[Job]) -> None:
    assert simulate(jobs, {}).begins == starts(jobs)


class Window(Resource):
    """A resource with events of its own: it lets jobs start only in the first ns of every ten."""

    has_events = True

    def __init__(self, jobs: int) -> None:
        self.jobs, self.now = jobs, 0.0
        self.began: list[float] = []

    def may_start(self, job: int, now: float) -> bool:
        self.now = now
        return now % 10 < 1

    def started(self, job: int, now: float) -> None:
        self.began.append(now)

    def next_event(self, until: float) -> float:
        return (self.now // 10 + 1) * 10 if len(self.began) < self.jobs else float("inf")


@given(programs(queues=2))
def test_a_resource_with_events_of_its_own_holds_jobs_back(jobs: list[Job]) -> None:
    window = Window(len(jobs))
    loop = simulate(jobs, dict.fromkeys(RESOURCES, (window,)))
    assert sorted(loop.order) == list(range(len(jobs)))
    assert [loop.begins[job] for job in loop.order] == window.began
    assert all(begin % 10 < 1 for begin in loop.begins)
    for job, begin in zip(jobs, loop.begins, strict=True):
        assert all(loop.ends[other] <= begin for other in job.after)


def test_jobs_that_a_resource_never_lets_start_are_missing_from_the_order() -> None:
    class Never(Resource):
        def may_start(self, job: int, now: float) -> bool:
            return job != 1

    loop = simulate([Job("gpu", 1.0), Job("pim", 1.0), Job("gpu", 1.0)], {"gpu": (), "pim": (Never(),)})
    assert loop.order == [0, 2]


@given(programs(most=25, queues=3))
def test_a_resource_runs_one_job_at_a_time_and_a_queue_in_order(jobs: list[Job]) -> None:
    begins = starts(jobs)
    for resource in RESOURCES:
        spans = sorted(
            (begins[i], begins[i] + job.ns) for i, job in enumerate(jobs) if job.resource == resource and job.ns
        )
        assert all(end <= begin for (_, end), (begin, _) in pairwise(spans))
        for queue in range(3):
            mine = [begins[i] for i, job in enumerate(jobs) if (job.resource, job.queue) == (resource, queue)]
            assert mine == sorted(mine)


@given(programs(most=25, queues=3))
def test_no_job_starts_before_its_predecessors_end(jobs: list[Job]) -> None:
    begins = starts(jobs)
    for job, begin in zip(jobs, begins, strict=True):
        assert all(begins[other] + jobs[other].ns <= begin for other in job.after)


@given(programs(most=25, queues=3))
def test_no_schedule_ends_before_the_bound(jobs: list[Job]) -> None:
    assert makespan(jobs) >= lower_bound(jobs).ns


@given(programs(most=5))
def test_the_bound_is_at_most_the_best_order(jobs: list[Job]) -> None:
    def in_order(order: Sequence[int]) -> float:
        at = {index: position for position, index in enumerate(order)}
        return makespan([jobs[i]._replace(after=tuple(at[other] for other in jobs[i].after)) for i in order])

    legal = [
        order
        for order in permutations(range(len(jobs)))
        if all(order.index(other) < order.index(i) for i in order for other in jobs[i].after)
    ]
    assert lower_bound(jobs).ns <= min(map(in_order, legal))


@given(programs(most=7))
def test_the_bound_is_the_best_of_all_sets_of_a_resource_s_jobs(jobs: list[Job]) -> None:
    heads = [0.0] * len(jobs)
    tails = [0.0] * len(jobs)
    for i, job in enumerate(jobs):
        heads[i] = max((heads[other] + jobs[other].ns for other in job.after), default=0.0)
    for i in reversed(range(len(jobs))):
        tails[i] = max((tails[j] + jobs[j].ns for j in range(len(jobs)) if i in jobs[j].after), default=0.0)
    sets = [
        [i for i in range(len(jobs)) if mask >> i & 1 and jobs[i].resource == resource]
        for resource in RESOURCES
        for mask in range(1 << len(jobs))
    ]
    best = max((head + job.ns for head, job in zip(heads, jobs, strict=True)), default=0.0)
    for chosen in filter(None, sets):
        through = min(heads[i] for i in chosen) + sum(jobs[i].ns for i in chosen) + min(tails[i] for i in chosen)
        best = max(best, through)
    assert bound_at_once(jobs).ns == best
    assert lower_bound(jobs).ns >= best


def test_layers_that_follow_each_other_add_up() -> None:
    """A layer is a job of 3 ns, then two jobs of 4 ns each on another device. Two layers, and 3 ns at the end, take 3 +
    8 + 3 + 8 + 3 ns. Without layers, the bound would be 3 + 16 + 3 ns: all work of the other device between the
    first and the last job."""
    layer = [(("pim", 3.0),), (("gpu", 4.0), ("gpu", 4.0))]
    jobs: list[Job] = []
    before: tuple[int, ...] = ()
    for step in (*layer, *layer, layer[0]):
        jobs += [Job(resource, ns, before) for resource, ns in step]
        before = tuple(range(len(jobs) - len(step), len(jobs)))
    assert makespan(jobs) == lower_bound(jobs).ns == 25.0
    assert lower_bound(jobs).because == "serial segments, mostly load of gpu"
    assert bound_at_once(jobs).ns == 22.0


@given(programs(), st.data())
def test_one_more_dependency_never_ends_earlier(jobs: list[Job], data: st.DataObject) -> None:
    if len(jobs) < 2:
        return
    index = data.draw(st.integers(1, len(jobs) - 1))
    other = data.draw(st.integers(0, index - 1))
    more = list(jobs)
    more[index] = jobs[index]._replace(after=tuple({*jobs[index].after, other}))
    assert makespan(more) >= makespan(jobs)


@given(programs(), st.data())
def test_a_longer_job_never_ends_earlier(jobs: list[Job], data: st.DataObject) -> None:
    if jobs:
        index = data.draw(st.integers(0, len(jobs) - 1))
        more = list(jobs)
        more[index] = jobs[index]._replace(ns=jobs[index].ns + 3)
        assert makespan(more) >= makespan(jobs)


def test_three_thousand_jobs_in_several_queues_are_scheduled() -> None:
    jobs = [Job(RESOURCES[i % 3], float(i % 7), tuple({i // 2, i - 1} if i > 1 else ()), i % 4) for i in range(3000)]
    assert makespan(jobs) >= lower_bound(jobs).ns > 0

"""Laws of streams and interference: the schedule equals a simulation tick by tick, and no schedule beats the bound."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite

from interp.simulate.events.jobs import (
    SEPARATE,
    Job,
    SharingRules,
    arranged,
    bound_at_once,
    lower_bound,
    reverse,
    tails,
)
from interp.simulate.events.loop import by_rank, simulate, spans
from interp.simulate.events.resources import resources_of
from lowering.instance.orders import makespan, orders

RESOURCES = ("gpu", "ndp", "gpu->ndp")
DISTURBED = SharingRules(interference={"ndp": 2.0})
SHARED = SharingRules(bandwidths={each: {"gpu": 1.0} for each in RESOURCES})
EXCLUSIVE_RULES = SharingRules(locks={"gpu": ("memory",), "ndp": ("memory",)})
BOTH = SharingRules(bandwidths=SHARED.bandwidths, interference=DISTURBED.interference)
RULES = pytest.mark.parametrize("rules", [SEPARATE, DISTURBED, SHARED, EXCLUSIVE_RULES, BOTH])


@composite
def programs(draw: DrawFn, most: int = 10, queues: int = 1, streams: bool = True) -> list[Job]:
    """Jobs in program order, of one to three phases, with integer times, so that sums are exact."""
    jobs: list[Job] = []
    for index in range(draw(st.integers(0, most))):
        needed = sorted(draw(st.sets(st.integers(0, index - 1), max_size=3))) if index else []
        taken = [other for other in needed if streams and draw(st.booleans())]
        phases = [float(ns) for ns in draw(st.lists(st.integers(0, 5), min_size=1, max_size=3))]
        resource = draw(st.sampled_from(RESOURCES))
        jobs.append(
            Job(
                resource,
                sum(phases),
                tuple(other for other in needed if other not in taken),
                draw(st.integers(0, queues - 1)),
                draw(st.integers(0, 8)) / 8,
                tuple(taken),
                sum(phases[:-1]),
                sum(phases[1:]),
                draw(st.booleans()),
            )
        )
    return jobs


def plain(jobs: Sequence[Job]) -> tuple[list[float], list[float]]:
    """Starts and ends of jobs by a simulation tick by tick, with one queue per resource: a job does not get beyond its
    first phase before its streamed operands are complete, nor does it end before that."""
    begin: dict[int, float] = {}
    end: dict[int, float] = {}
    done: dict[int, float] = {}
    now = 0.0

    def made(job: Job) -> bool:
        return all(other in end for other in job.streams)

    def flows(index: int) -> bool:
        job = jobs[index]
        return index in begin and done[index] >= job.lead and (not job.lead or made(job))

    while len(end) < len(jobs):
        for index, job in enumerate(jobs):
            mine = [other for other in range(index) if jobs[other].resource == job.resource]
            over = all(other in end for other in (*mine, *job.after))
            if index not in begin and over and all(map(flows, job.streams)):
                begin[index], done[index] = now, 0.0
            if index in begin and index not in end and done[index] == job.ns and made(job):
                end[index] = now
        for index in begin.keys() - end.keys():
            if done[index] < (jobs[index].ns if made(jobs[index]) else jobs[index].ns - jobs[index].rest):
                done[index] += 1.0
        now += 1.0
    return [begin[index] for index in range(len(jobs))], [end[index] for index in range(len(jobs))]


@given(programs())
def test_one_queue_each_is_a_plain_simulation(jobs: list[Job]) -> None:
    assert spans(jobs) == plain(jobs)


@given(programs())
def test_all_ways_to_find_the_times_agree_for_one_queue_each(jobs: list[Job]) -> None:
    alone = [job._replace(draw=0.0, contraction=False) for job in jobs]
    for rules in (SEPARATE, BOTH):  # nothing to share out: the loop that could slow jobs down slows none
        loop = simulate(alone, resources_of(alone, rules))
        assert (loop.begins, loop.ends) == spans(alone)


@RULES
@given(programs(queues=3))
def test_a_stream_is_taken_while_it_is_made(rules: SharingRules, jobs: list[Job]) -> None:
    begins, ends = spans(jobs, rules)
    for job, begin, end in zip(jobs, begins, ends, strict=True):
        assert all(ends[other] <= begin for other in job.after)
        assert all(begins[other] + jobs[other].lead <= begin + 1e-9 for other in job.streams)
        assert end >= max([begin + job.ns, *(ends[other] + job.rest for other in job.streams)]) - 1e-9


@RULES
@given(programs(queues=3))
def test_no_schedule_ends_before_the_bound(rules: SharingRules, jobs: list[Job]) -> None:
    assert max(spans(jobs, rules)[1], default=0.0) >= lower_bound(jobs, rules).ns - 1e-9
    assert lower_bound(jobs, rules).ns >= bound_at_once(jobs, rules).ns


@given(programs(most=5))
def test_the_bound_is_at_most_the_best_order(jobs: list[Job]) -> None:
    legal = [
        order
        for order in permutations(range(len(jobs)))
        if all(order.index(other) < order.index(i) for i in order for other in (*jobs[i].after, *jobs[i].streams))
    ]
    assert lower_bound(jobs).ns <= min(max(spans(arranged(jobs, order))[1], default=0.0) for order in legal)


@given(programs())
def test_a_stream_never_ends_later_than_waiting_for_its_end(jobs: list[Job]) -> None:
    waiting = [job._replace(after=(*job.after, *job.streams), streams=()) for job in jobs]
    streams = [(index, other) for index, job in enumerate(jobs) for other in job.streams]
    again = arranged(waiting, range(len(jobs)), streams=streams)
    assert [job._replace(after=()) for job in again] == [job._replace(after=()) for job in jobs]
    assert spans(again) == spans(jobs)
    assert all(flowing <= later for flowing, later in zip(spans(jobs)[1], spans(waiting)[1], strict=True))


@given(programs(most=12), st.data())
def test_orders_keep_streams_behind_their_producers(jobs: list[Job], data: st.DataObject) -> None:
    drawn = by_rank(jobs, [data.draw(st.integers(0, 5)) for _ in jobs])
    for end, order in [*orders(jobs), (makespan(jobs, drawn), drawn)]:
        at = {index: position for position, index in enumerate(order)}
        assert all(at[other] < at[index] for index, job in enumerate(jobs) for other in (*job.after, *job.streams))
        assert lower_bound(jobs).ns <= end == makespan(jobs, order)


@given(programs(most=12))
def test_a_program_reversed_twice_is_itself(jobs: list[Job]) -> None:
    twice = reverse(reverse(jobs))
    assert [(*job, sorted(job.after)) for job in twice] == [(*job, sorted(job.after)) for job in jobs]
    assert max(tails(jobs)[1], default=0.0) == max(tails(reverse(jobs))[1], default=0.0)


@given(programs(queues=2, streams=False))
def test_a_contraction_loses_half_of_the_time_during_disturbing_work(jobs: list[Job]) -> None:
    begins, ends = spans(jobs, DISTURBED)
    beside = [(begins[index], ends[index]) for index, job in enumerate(jobs) if job.resource == "ndp"]
    for job, begin, end in zip(jobs, begins, ends, strict=True):
        slowed = job.contraction and job.resource != "ndp"
        overlap = sum(max(0.0, min(end, until) - max(begin, since)) for since, until in beside) if slowed else 0.0
        assert end - begin == pytest.approx(job.ns + overlap / 2)


def test_a_copy_streams_a_result_to_a_kernel() -> None:
    """A copy streams the result of a product to a kernel, so that the copy ends with the product at 10 ns, and the
    kernel, with 2 ns of work behind its stream, at 12 ns. A copy of the kernel's result and an op that reads this
    copy both run from 10 to 14 ns."""
    jobs = [
        Job("gpu", 10.0),
        Job("gpu->ndp", 4.0, streams=(0,)),
        Job("ndp", 5.0, streams=(1,), lead=3.0, rest=2.0),
        Job("ndp->gpu", 4.0, streams=(2,)),
        Job("gpu", 1.0, streams=(3,)),
    ]
    assert spans(jobs) == ([0.0, 0.0, 0.0, 10.0, 10.0], [10.0, 10.0, 12.0, 14.0, 14.0])
    assert lower_bound(jobs).ns == 14.0


def test_a_kernel_that_waits_for_a_stream_disturbs_no_other_job() -> None:
    """A kernel that works halves the speed of a product, but not while it waits for the product's result. The kernel
    works until 3 ns, in which the product does 1.5 ns of its 10 ns of work; the product ends 8.5 ns later, and the
    kernel's last 2 ns of work follow."""
    product = Job("gpu", 10.0, contraction=True)
    jobs = [product, Job("ndp", 5.0, streams=(0,), lead=3.0, rest=2.0)]
    assert spans(jobs, DISTURBED) == ([0.0, 0.0], [11.5, 13.5])

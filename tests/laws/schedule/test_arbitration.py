"""Laws of devices that share a memory: jobs that wait or are slowed down never take less time, and all work is done."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite

from interp.simulate.events.jobs import Job, SharingRules, lower_bound
from interp.simulate.events.loop import spans, starts

SHARING = ("gpu", "pim", "gpu->pim")
RESOURCES = (*SHARING, "cpu")
EXCLUSIVE = SharingRules(locks=dict.fromkeys(SHARING, ("gpu and pim",)))
SHARED = SharingRules(bandwidths={each: {"gpu": 1.0} for each in SHARING})
BOTH = SharingRules({"cpu": ("cpu and pim",), "pim": ("cpu and pim",)}, SHARED.bandwidths)


@composite
def programs(draw: DrawFn, resources: Sequence[str] = RESOURCES, queues: int = 1, most: int = 12) -> list[Job]:
    """Jobs in program order, with times and bandwidths whose sums are exact. Some take no time, some use no
    bandwidth."""
    jobs: list[Job] = []
    for index in range(draw(st.integers(0, most))):
        after = draw(st.sets(st.integers(0, index - 1), max_size=3)) if index else set[int]()
        resource, queue = draw(st.sampled_from(resources)), draw(st.integers(0, queues - 1))
        share = draw(st.integers(0, 8)) / 8 if resource in SHARING else 0.0
        jobs.append(Job(resource, float(draw(st.integers(0, 9))), tuple(sorted(after)), queue, share))
    return jobs


def makespan(jobs: Sequence[Job], rules: SharingRules) -> float:
    return max(spans(jobs, rules)[1], default=0.0)


TWO = SharingRules(bandwidths={"gpu": {"gpu": 1.0}, "pim": {"pim": 0.5}, "gpu->pim": {"gpu": 1.0, "pim": 0.5}})
"""Two memories of different bandwidths; a copy draws on both."""
RULES = pytest.mark.parametrize("rules", [EXCLUSIVE, SHARED, BOTH, TWO], ids=["exclusive", "shared", "both", "two"])


@RULES
@given(programs())
def test_never_faster_than_memories_of_their_own(rules: SharingRules, jobs: list[Job]) -> None:
    begins, ends = spans(jobs, rules)
    for begin, end, alone, job in zip(begins, ends, starts(jobs), jobs, strict=True):
        assert begin >= alone - 1e-9
        assert end >= alone + job.ns - 1e-9


@RULES
@given(programs(queues=3))
def test_no_schedule_ends_before_the_bound(rules: SharingRules, jobs: list[Job]) -> None:
    assert makespan(jobs, rules) >= lower_bound(jobs, rules).ns - 1e-9
    assert lower_bound(jobs, rules).ns >= lower_bound(jobs).ns


@RULES
@given(programs(queues=3))
def test_order_dependencies_and_resources_are_respected(rules: SharingRules, jobs: list[Job]) -> None:
    begins, ends = spans(jobs, rules)
    for job, begin, end in zip(jobs, begins, ends, strict=True):
        assert all(ends[other] <= begin for other in job.after)
        assert end >= begin + job.ns - 1e-9
    for resource in RESOURCES:
        mine = [(begins[i], ends[i]) for i, job in enumerate(jobs) if job.resource == resource and job.ns]
        assert all(end <= begin for (_, end), (begin, _) in pairwise(sorted(mine)))
        for queue in range(3):
            firsts = [begins[i] for i, job in enumerate(jobs) if (job.resource, job.queue) == (resource, queue)]
            assert firsts == sorted(firsts)


@given(programs(SHARING, queues=2))
def test_exclusive_jobs_take_the_sum_of_their_times(jobs: list[Job]) -> None:
    assert makespan(jobs, EXCLUSIVE) == sum(job.ns for job in jobs) == lower_bound(jobs, EXCLUSIVE).ns


@given(programs(queues=3))
def test_no_two_exclusive_jobs_overlap(jobs: list[Job]) -> None:
    begins, ends = spans(jobs, EXCLUSIVE)
    sharing = sorted((begins[i], ends[i]) for i, job in enumerate(jobs) if job.resource in SHARING and job.ns)
    assert all(end <= begin for (_, end), (begin, _) in pairwise(sharing))


@given(programs(queues=2))
def test_jobs_within_the_bandwidth_are_not_slowed_down(jobs: list[Job]) -> None:
    modest = [job._replace(draw=job.draw / 4) for job in jobs]
    begins, ends = spans(modest, SHARED)
    assert begins == starts(modest)
    assert ends == [begin + job.ns for begin, job in zip(begins, modest, strict=True)]


@given(programs(SHARING))
def test_jobs_that_need_the_full_bandwidth_behave_like_exclusive_jobs(jobs: list[Job]) -> None:
    greedy = [job._replace(draw=1.0) for job in jobs]
    assert makespan(greedy, SHARED) == pytest.approx(sum(job.ns for job in jobs))
    assert lower_bound(greedy, SHARED).ns == pytest.approx(sum(job.ns for job in jobs))


@pytest.mark.parametrize("rules", [SHARED, TWO], ids=["shared", "two"])
@given(programs(queues=2))
def test_the_bandwidth_is_never_exceeded(rules: SharingRules, jobs: list[Job]) -> None:
    """The bandwidth of a memory that all jobs use together between any two events is at most that of the memory."""
    begins, ends = spans(jobs, rules)
    moments = sorted({*begins, *ends})
    shares = [dict(rules.shares(job)) for job in jobs]
    for index, until in enumerate(moments):
        for since in moments[:index]:
            inside = [i for i in range(len(jobs)) if begins[i] >= since and ends[i] <= until]
            for memory in ("gpu", "pim"):
                used = sum(jobs[i].ns * shares[i].get(memory, 0.0) for i in inside)
                assert used <= (until - since) * (1 + 1e-9) + 1e-9


def test_two_that_ask_for_three_quarters_each_take_half_as_long_again() -> None:
    jobs = [Job("gpu", 8.0, draw=0.75), Job("pim", 4.0, draw=0.75), Job("gpu->pim", 1.0, (1,), draw=0.25)]
    # Both run at 2/3 until 6; the GPU has 4 left, and the copy's quarter is there besides.
    assert spans(jobs, SHARED) == ([0.0, 0.0, 6.0], [10.0, 6.0, 7.0])


def test_a_copy_between_two_memories_is_slowed_down_by_the_one_in_more_demand() -> None:
    jobs = [Job("gpu", 8.0, draw=0.5), Job("pim", 8.0, draw=0.5), Job("gpu->pim", 2.0, draw=0.25)]
    # The copy draws a quarter of the GPU's memory, with 3/4 in all, and half of the PIM's, with 3/2 in all, until 3.
    assert spans(jobs, TWO) == ([0.0, 0.0, 0.0], [8.0, 9.0, 3.0])


def test_one_that_draws_nothing_is_not_slowed_down() -> None:
    jobs = [Job("gpu", 8.0, draw=1.0), Job("pim", 8.0), Job("gpu->pim", 1.0, draw=1.0)]
    assert spans(jobs, SHARED) == ([0.0, 0.0, 0.0], [9.0, 8.0, 2.0])

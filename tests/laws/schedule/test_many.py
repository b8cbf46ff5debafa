"""The schedules of jobs in many variants equal those of each variant alone."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from interp.simulate.events.jobs import Job
from interp.simulate.events.loop import spans
from interp.simulate.events.many import spans_of_many


@st.composite
def jobs(draw: st.DrawFn) -> list[Job]:
    """Jobs on up to three resources of one or two queues, some of which consume streams."""
    found: list[Job] = []
    queues, streaming = draw(st.integers(1, 2)), draw(st.booleans())
    for index in range(draw(st.integers(1, 12))):
        others = draw(st.sets(st.integers(0, index - 1), max_size=3)) if index else set[int]()
        streams = set[int]()
        if streaming and others and draw(st.booleans()):
            streams = {draw(st.sampled_from(sorted(others)))}
        resource, queue = draw(st.sampled_from("abc")), draw(st.integers(0, queues - 1))
        found.append(Job(resource, 1.0, tuple(sorted(others - streams)), queue, streams=tuple(streams)))
    return found


@given(jobs(), st.integers(0, 1 << 20))
def test_schedules_of_many_variants(drawn: list[Job], seed: int) -> None:
    ns = np.random.default_rng(seed).uniform(0.1, 9.0, (len(drawn), 5))
    begins, ends = spans_of_many(drawn, ns)
    for at in range(5):
        mine = [job._replace(ns=float(each)) for job, each in zip(drawn, ns[:, at], strict=True)]
        assert (begins[:, at].tolist(), ends[:, at].tolist()) == spans(mine)

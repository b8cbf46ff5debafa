"""Laws of waits: an event starts when the last event that it waits for has ended, and the chain of these causes adds up
to the makespan; the maximum of memory over time is the peak that the timeline states."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite
from xdsl.dialects.builtin import ModuleOp

from interp.machine.cost import Cost
from interp.simulate.events.jobs import SEPARATE, Job, SharingRules
from interp.simulate.events.loop import spans
from interp.simulate.schedule.memory import Residency
from interp.simulate.schedule.timeline import Event, Timeline
from interp.simulate.schedule.waits import chain, chain_parts, waits
from tests.laws.schedule.test_streams import BOTH, EXCLUSIVE_RULES, SHARED, programs

RULES = pytest.mark.parametrize("rules", [SEPARATE, EXCLUSIVE_RULES, SHARED, BOTH])


def timeline(jobs: Sequence[Job], rules: SharingRules) -> Timeline:
    """The timeline of jobs, without the fields that waits do not depend on."""
    begins, ends = spans(jobs, rules)
    events = tuple(
        Event(f"job {index}", "", job, begin, end, Cost(job.ns, 0.0, 0, 0, "compute"), ModuleOp([]))
        for index, (job, begin, end) in enumerate(zip(jobs, begins, ends, strict=True))
    )
    return Timeline(events, max(ends, default=0.0), 0.0, "", {}, {}, {}, {}, ())


@RULES
@given(jobs=programs(queues=2))
def test_the_chain_adds_up_to_the_makespan(rules: SharingRules, jobs: list[Job]) -> None:
    made = timeline(jobs, rules)
    parts = [part for _, part in chain(made, rules)]
    assert sum(part.ns for part in parts) == pytest.approx(made.makespan_ns)
    assert all(part.ns >= 0.0 for part in parts)
    assert sum(chain_parts(made, rules).values()) == pytest.approx(made.makespan_ns)


@RULES
@given(jobs=programs(queues=2))
def test_causes_are_never_later_than_their_events(rules: SharingRules, jobs: list[Job]) -> None:
    made = timeline(jobs, rules)
    numbers = [index for index, _ in chain(made, rules) if index is not None]
    assert len(set(numbers)) == len(numbers)
    assert all(made.events[a].end_ns >= made.events[b].start_ns for a, b in pairwise(numbers))


@given(programs(streams=False))
def test_a_cause_ends_when_the_event_starts(jobs: list[Job]) -> None:
    """Without shared memory and streams, and with one queue per device, no other reason can delay an event."""
    made = timeline(jobs, SEPARATE)
    for event, wait in zip(made.events, waits(made), strict=True):
        if wait.reason == "start":
            assert event.start_ns == 0.0
        else:
            assert wait.cause is not None
            cause = made.events[wait.cause]
            assert wait.reason in ("data", "device")
            assert cause.end_ns == event.start_ns
            assert (wait.cause in event.job.after) if wait.reason == "data" else cause.resource == event.resource


@given(programs(streams=False))
def test_idle_times_and_work_fill_each_device(jobs: list[Job]) -> None:
    made = timeline(jobs, SEPARATE)
    found = waits(made)
    for resource in {event.resource for event in made.events}:
        mine = [(event, wait) for event, wait in zip(made.events, found, strict=True) if event.resource == resource]
        filled = sum(event.cost.ns + wait.idle_ns for event, wait in mine)
        assert filled == max(event.end_ns for event, _ in mine)


@composite
def residencies(draw: DrawFn) -> tuple[Residency, list[float], list[float]]:
    """A record of random values on one device, each with its maker and its readers, and the starts and the ends of
    these jobs."""
    begins = [float(draw(st.integers(0, 9))) for _ in range(draw(st.integers(1, 6)))]
    ends = [begin + draw(st.integers(0, 5)) for begin in begins]
    residency = Residency()
    for _ in range(draw(st.integers(0, 6))):
        maker = draw(st.none() | st.integers(0, len(begins) - 1))
        hold = residency.hold("gpu", draw(st.integers(1, 100)), maker)
        hold.kept = draw(st.booleans())
        earliest = 0.0 if maker is None else begins[maker]
        hold.readers = [job for job in range(len(begins)) if begins[job] >= earliest and draw(st.booleans())]
    return residency, begins, ends


@given(residencies())
def test_memory_over_time_has_the_stated_peak(drawn: tuple[Residency, list[float], list[float]]) -> None:
    residency, begins, ends = drawn
    steps = residency.steps(["gpu"], begins, ends)["gpu"]
    assert max((level for _, level in steps), default=0) == residency.needs(["gpu"], begins, ends)["gpu"].live
    assert all(a <= b for (a, _), (b, _) in pairwise(steps))
    kept = sum(hold.nbytes for hold in residency.holds if hold.kept)
    assert not steps or steps[-1][1] == kept

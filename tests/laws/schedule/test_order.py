"""Laws of the pass `order`: it changes no result, no program ends later or exceeds the memory's capacity, and tasks
keep the order of their dependencies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interp.simulate.events.jobs import Job, lower_bound, reverse
from interp.simulate.events.loop import by_rank, starts
from interp.simulate.simulation import simulate
from interp.walk.entry import block_of
from interp.walk.run import run_module
from lowering.graph.rewriting import arrange
from lowering.instance.orders import makespan, orders, urgency
from lowering.place.order import order_function
from tests.amount import cases
from tests.laws.placement.test_policies import THREE, function_of, graphs, placed
from tests.laws.schedule.test_timeline_schedule import programs
from tests.table_clock import TableClock, machine

POLICY = st.sampled_from(["gpu", "pim-first", "optimal"])


@pytest.mark.slow
@given(graphs(most=12), THREE, POLICY)
def test_no_program_ends_later_and_the_bound_stays(text: str, clock: TableClock, policy: str) -> None:
    module = placed(text, clock, policy)
    old = simulate(module, clock)
    order_function(module, function_of(module), clock)
    module.verify()
    new = simulate(module, clock)
    assert new.bound_ns <= new.makespan_ns <= old.makespan_ns
    assert new.bound_ns == pytest.approx(old.bound_ns)
    assert sorted(event.name for event in new.events) == sorted(event.name for event in old.events)


@pytest.mark.slow
@given(graphs(most=12), THREE)
def test_no_program_on_exclusive_devices_ends_later(text: str, clock: TableClock) -> None:
    links = {ends: replace(link, arbitration="exclusive") for ends, link in clock.machine.links.items()}
    clock = TableClock(replace(clock.machine, links=links), clock.times)
    module = placed(text, clock, "pim-first")
    old = simulate(module, clock)
    order_function(module, function_of(module), clock)
    assert simulate(module, clock).makespan_ns <= old.makespan_ns


@pytest.mark.slow
@given(graphs(), THREE, POLICY)
@settings(max_examples=cases(30))
def test_numbers_stay(text: str, clock: TableClock, policy: str) -> None:
    module = placed(text, clock, policy)
    before = run_module(module)
    order_function(module, function_of(module), clock)
    for old, new in zip(before, run_module(module), strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.slow
@given(graphs(most=12), THREE, POLICY)
def test_a_program_that_fits_still_fits(text: str, clock: TableClock, policy: str) -> None:
    clock = TableClock(machine("gpu", "left", "right"), clock.times)
    module = placed(text, clock, policy)
    exactly = {name: need.total for name, need in simulate(module, clock).memory.items()}
    narrow = TableClock(machine("gpu", "left", "right", memory_bytes=exactly), clock.times)
    order_function(module, function_of(module), narrow)
    assert all(need.total <= exactly[name] for name, need in simulate(module, narrow).memory.items())


@pytest.mark.slow
@given(graphs(most=12), THREE, st.data())
def test_any_order_of_tasks_and_copies_becomes_a_program(text: str, clock: TableClock, data: st.DataObject) -> None:
    module = placed(text, clock, "optimal")
    block, timeline = block_of(function_of(module)), simulate(module, clock)
    jobs = [Job(event.resource, event.cost.ns, event.job.after) for event in timeline.events]
    wanted = [timeline.events[index].op for index in by_rank(jobs, [data.draw(st.integers(0, 5)) for _ in jobs])]
    before = set(block.ops)
    arrange(block, wanted)
    module.verify()
    assert [op for op in block.ops if op in wanted] == wanted
    assert set(block.ops) == before


@given(programs(most=25))
def test_orders_keep_dependencies_and_have_the_predicted_makespan(jobs: list[Job]) -> None:
    found = orders(jobs)
    for end, order in found:
        assert sorted(order) == list(range(len(jobs)))
        at = {index: position for position, index in enumerate(order)}
        assert all(at[other] < at[index] for index, job in enumerate(jobs) for other in job.after)
        assert lower_bound(jobs).ns <= end == makespan(jobs, order)
    assert [end for end, _ in found] == sorted(end for end, _ in found)


@given(programs(most=25), st.data())
def test_no_resource_waits_while_something_is_ready(jobs: list[Job], data: st.DataObject) -> None:
    order = by_rank(jobs, [data.draw(st.integers(0, 5)) for _ in jobs])
    at = {index: position for position, index in enumerate(order)}
    moved = [jobs[index]._replace(after=tuple(at[other] for other in jobs[index].after)) for index in order]
    begins = starts(moved)
    ends = [begin + job.ns for begin, job in zip(begins, moved, strict=True)]
    for begin, job in zip(begins, moved, strict=True):
        ready = max((ends[other] for other in job.after), default=0.0)
        mine = [(a, b) for a, b, other in zip(begins, ends, moved, strict=True) if other.resource == job.resource]
        busy = sum(max(0.0, min(b, begin) - max(a, ready)) for a, b in mine)
        assert busy == begin - ready  # from when it was ready until it began, its resource was at work


@given(programs(most=12))
def test_a_program_reversed_twice_is_itself(jobs: list[Job]) -> None:
    twice = reverse(reverse(jobs))
    assert [job._replace(after=tuple(sorted(job.after))) for job in twice] == jobs
    assert min(urgency(jobs), default=0.0) == min(urgency(reverse(jobs)), default=0.0)

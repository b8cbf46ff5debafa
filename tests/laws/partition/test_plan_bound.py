"""Laws of the bound on plans: no split, order or pipeline on any number of devices ends before it, and it equals the
least possible load. Laws of the segments whose bounds are added up."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite
from scipy.optimize import linprog

from interp.simulate.events.jobs import Bound, Job
from interp.simulate.events.loop import by_rank, starts
from interp.simulate.events.segments import segments, within
from lowering.partition.certificate import plan_bound

Row = list[dict[str, float]]
"""The time of an op on each device that can run it, by device."""

TIMES = st.integers(0, 9).map(float)


@composite
def rows(draw: DrawFn, most: int = 7) -> list[Row]:
    """Ops in program order on up to four devices; each can run on at least one."""
    devices = ["gpu", "pim", "npu", "cpu"][: draw(st.integers(1, 4))]
    able = st.sets(st.sampled_from(devices), min_size=1).map(sorted)
    return [[{name: draw(TIMES)} for name in draw(able)] for _ in range(draw(st.integers(1, most)))]


@composite
def waits(draw: DrawFn, nodes: int) -> list[tuple[int, ...]]:
    """For each node the earlier nodes that it reads."""
    return [
        tuple(sorted(draw(st.sets(st.integers(0, index - 1), max_size=2)))) if index else () for index in range(nodes)
    ]


def cut(row: Row, data: st.DataObject) -> list[tuple[str, float]]:
    """Random parts of an op as (device, ns), several per device; a part takes at least its fraction of the op's time on
    its device."""
    parts = [data.draw(st.integers(0, 4)) for _ in range(data.draw(st.integers(1, 4)))]
    parts[0] += not sum(parts)
    found: list[tuple[str, float]] = []
    for part in parts:
        ((device, whole),) = data.draw(st.sampled_from(row)).items()
        found.append((device, whole * part / sum(parts) + data.draw(st.sampled_from([0.0, 0.0, 1.0]))))
    return found


def ended(jobs: Sequence[Job], data: st.DataObject) -> float:
    """The makespan of jobs in a random order."""
    order = by_rank(jobs, [data.draw(st.integers(0, 3)) for _ in jobs])
    at = {index: position for position, index in enumerate(order)}
    moved = [jobs[index]._replace(after=tuple(at[other] for other in jobs[index].after)) for index in order]
    return max(begin + job.ns for begin, job in zip(starts(moved), moved, strict=True))


@given(rows(most=5), st.integers(1, 4), st.data())
def test_no_pipeline_ends_before_the_bound(ops: list[Row], stages: int, data: st.DataObject) -> None:
    after = data.draw(waits(len(ops)))
    jobs: list[Job] = []
    parts: list[list[int]] = []
    for _, (index, row) in product(range(stages), enumerate(ops)):
        follows = tuple(part for other in after[index] for part in parts[len(parts) - index + other])
        mine = [Job(device, ns / stages, follows) for device, ns in cut(row, data)]
        parts.append(list(range(len(jobs), len(jobs) + len(mine))))
        jobs += mine
    assert ended(jobs, data) >= plan_bound(ops).ns * (1 - 1e-9)


@given(rows())
def test_the_load_is_the_least_of_all_splits(ops: list[Row]) -> None:
    """The least load equals that found by another solver over all splits."""
    ways = [(number, *each) for number, row in enumerate(ops) for busy in row for each in busy.items()]
    devices = sorted({name for _, name, _ in ways})
    loads = np.array([[ns if name == device else 0.0 for _, name, ns in ways] + [-1.0] for device in devices])
    taken = np.array([[1.0 if number == op else 0.0 for op, _, _ in ways] + [0.0] for number in range(len(ops))])
    costs = np.array([0.0] * len(ways) + [1.0])
    best = linprog(costs, A_ub=loads, b_ub=np.zeros(len(devices)), A_eq=taken, b_eq=np.ones(len(ops)))
    assert plan_bound(ops).ns == pytest.approx(best.fun, abs=1e-9)


@given(rows(most=12), st.data())
def test_segments_follow_each_other(ops: list[Row], data: st.DataObject) -> None:
    after = data.draw(waits(len(ops)))
    earlier: list[set[int]] = []
    for each in after:
        earlier.append(set(each).union(*(earlier[other] for other in each)))
    found = segments(after, [min(ns for busy in row for ns in busy.values()) for row in ops])
    for one, other in pairwise(found):
        assert all(a in earlier[b] for a in one for b in other)
    for one in found:
        assert one == sorted(one)
        assert [tuple(one[place] for place in places) for places in within(one, after)] == [
            tuple(other for other in after[job] if other in one) for job in one
        ]


def test_segments_of_a_residual_block() -> None:
    """Nodes 1 and 2 read node 0, node 3 reads 1 and 2, nodes 4, 5 and 6 read 3, and node 7 reads 4 and 6. No node reads
    node 5, so it belongs to no segment."""
    after = [(), (0,), (0,), (1, 2), (3,), (3,), (3,), (4, 6)]
    assert segments(after, [1.0] * 8) == [[0], [1, 2], [3], [4, 6], [7]]
    assert segments([], []) == []


def test_a_bound_states_its_cause() -> None:
    both: list[Row] = [[{"gpu": 12.0}, {"pim": 6.0}], [{"gpu": 12.0}, {"pim": 12.0}], [{"gpu": 3.0}]]
    # The first 12 go to the PIM (6), the others are cut where 3 + 12 x = 6 + 12 (1 - x): x = 5/8, both end at 10.5.
    assert plan_bound(both) == Bound(10.5, "load of both devices, for any splits and pipelines")
    three: list[Row] = [[{"gpu": 6.0}, {"pim": 6.0}, {"cpu": 6.0}]]
    found = plan_bound(three)
    assert (found.ns, found.because) == (pytest.approx(2.0), "load of all devices, for any splits and pipelines")
    assert plan_bound([]).ns == 0.0

"""Laws of the bound on plans: no split, order or pipeline ends before it, and its parts are the least there are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite

from interp.schedule.events import by_rank, starts
from interp.schedule.jobs import Bound, Job
from interp.schedule.stretches import stretches, within
from lowering.partition.bound import PlanCost, plan_bound

TIMES = st.integers(0, 9).map(float)


@composite
def costs(draw: DrawFn, most: int = 7, everywhere: bool = False) -> list[PlanCost]:
    """Nodes in program order; each runs on one device at least."""
    nodes: list[PlanCost] = []
    for index in range(draw(st.integers(1, most))):
        after = draw(st.sets(st.integers(0, index - 1), max_size=2)) if index else set[int]()
        gpu, pim = draw(TIMES), draw(TIMES)
        where = "both" if everywhere else draw(st.sampled_from(["gpu", "pim", "both", "both"]))
        nodes.append(PlanCost(None if where == "pim" else gpu, None if where == "gpu" else pim, tuple(sorted(after))))
    return nodes


def cut(node: PlanCost, data: st.DataObject) -> list[tuple[str, float]]:
    """A node in parts (device, ns): at any ratio, several a device, each at least its share."""
    parts = [data.draw(st.integers(0, 4)) for _ in range(data.draw(st.integers(1, 3)))]
    parts[0] += not sum(parts)
    found: list[tuple[str, float]] = []
    for part in parts:
        able = [name for name, ns in (("gpu", node.gpu_ns), ("pim", node.pim_ns)) if ns is not None]
        device = data.draw(st.sampled_from(able))
        whole = node.gpu_ns if device == "gpu" else node.pim_ns
        assert whole is not None
        found.append((device, whole * part / sum(parts) + data.draw(st.sampled_from([0.0, 0.0, 1.0]))))
    return found


def ended(jobs: Sequence[Job], data: st.DataObject) -> float:
    """When jobs end in some order."""
    order = by_rank(jobs, [data.draw(st.integers(0, 3)) for _ in jobs])
    at = {index: position for position, index in enumerate(order)}
    moved = [jobs[index]._replace(after=tuple(at[other] for other in jobs[index].after)) for index in order]
    return max(begin + job.ns for begin, job in zip(starts(moved), moved, strict=True))


@given(costs(), st.data())
def test_no_plan_without_pipelines_ends_before_the_bound(nodes: list[PlanCost], data: st.DataObject) -> None:
    jobs: list[Job] = []
    parts: list[list[int]] = []
    for node in nodes:
        after = tuple(part for other in node.after for part in parts[other])
        mine = [Job(device, ns, after) for device, ns in cut(node, data)]
        parts.append(list(range(len(jobs), len(jobs) + len(mine))))
        jobs += mine
    assert ended(jobs, data) >= plan_bound(nodes, pipelined=False).ns * (1 - 1e-9)


@given(costs(most=5), st.integers(1, 4), st.data())
def test_no_pipeline_ends_before_the_bound(nodes: list[PlanCost], stages: int, data: st.DataObject) -> None:
    jobs: list[Job] = []
    parts: list[list[int]] = []
    for _, (index, node) in product(range(stages), enumerate(nodes)):
        after = tuple(part for other in node.after for part in parts[len(parts) - index + other])
        mine = [Job(device, ns / stages, after) for device, ns in cut(node, data)]
        parts.append(list(range(len(jobs), len(jobs) + len(mine))))
        jobs += mine
    assert ended(jobs, data) >= plan_bound(nodes, pipelined=True).ns * (1 - 1e-9)


@given(costs(most=6))
def test_the_load_is_the_least_of_all_splits(nodes: list[PlanCost]) -> None:
    """A vertex of the linear program cuts one node at most; with the others given, the best cut makes both loads
    equal."""
    best = float("inf")
    sides = [[x for x, ns in ((1, node.gpu_ns), (0, node.pim_ns)) if ns is not None] for node in nodes]
    for split in product(*sides):
        for free in range(len(nodes)):
            rest = [(x, node) for i, (x, node) in enumerate(zip(split, nodes, strict=True)) if i != free]
            gpu = sum(node.gpu_ns or 0.0 for x, node in rest if x)
            pim = sum(node.pim_ns or 0.0 for x, node in rest if not x)
            there, here = nodes[free].gpu_ns, nodes[free].pim_ns
            if there is None or here is None:
                best = min(best, max(gpu + (there or 0.0), pim + (here or 0.0)))
            else:
                x = min(1.0, max(0.0, (pim + here - gpu) / (there + here))) if there + here else 0.0
                best = min(best, max(gpu + x * there, pim + (1 - x) * here))
    assert plan_bound(nodes, pipelined=True).ns == pytest.approx(best)


@given(costs())
def test_pipelines_are_bounded_by_less(nodes: list[PlanCost]) -> None:
    assert plan_bound(nodes, pipelined=True).ns <= plan_bound(nodes, pipelined=False).ns * (1 + 1e-9)


@given(costs(everywhere=True))
def test_a_chain_is_bounded_by_what_splitting_each_node_takes(nodes: list[PlanCost]) -> None:
    chain = [node._replace(after=(index - 1,) if index else ()) for index, node in enumerate(nodes)]
    jobs: list[Job] = []
    for index, (gpu, pim, _) in enumerate(chain):
        assert gpu is not None
        assert pim is not None
        share = pim / (gpu + pim) if gpu + pim else 0.0
        after = (2 * index - 2, 2 * index - 1) if index else ()
        jobs += [Job("gpu", share * gpu, after), Job("pim", (1 - share) * pim, after)]
    reached = max(begin + job.ns for begin, job in zip(starts(jobs), jobs, strict=True))
    assert reached == pytest.approx(plan_bound(chain, pipelined=False).ns)


@given(costs(most=12))
def test_stretches_follow_each_other(nodes: list[PlanCost]) -> None:
    after = [node.after for node in nodes]
    earlier: list[set[int]] = []
    for waits in after:
        earlier.append(set(waits).union(*(earlier[other] for other in waits)))
    found = stretches(after, [node.fastest for node in nodes])
    for one, other in pairwise(found):
        assert all(a in earlier[b] for a in one for b in other)
    for one in found:
        assert one == sorted(one)
        assert [tuple(one[place] for place in places) for places in within(one, after)] == [
            tuple(other for other in after[job] if other in one) for job in one
        ]


def test_stretches_of_a_residual_block() -> None:
    """0 -> 1 -> 2 -> 3 -> 4 with a way past 1 to 3 and two ways from 3; 5 lies beside."""
    after = [(), (0,), (0,), (1, 2), (3,), (3,), (3,), (4, 6)]
    assert stretches(after, [1.0] * 8) == [[0], [1, 2], [3], [4, 6], [7]]
    assert stretches([], []) == []


def test_a_bound_says_what_sets_it() -> None:
    chain = [PlanCost(10.0, None), PlanCost(None, 10.0, (0,))]
    assert plan_bound(chain, pipelined=False) == Bound(20.0, "longest chain of nodes, each split perfectly")
    assert plan_bound(chain, pipelined=True) == Bound(10.0, "load of both devices, whatever is split or pipelined")
    apart = [PlanCost(12.0, 6.0), PlanCost(12.0, 12.0), PlanCost(3.0, None)]
    # 12 goes to the PIM (6), the other 12 is cut where 3 + 12 x = 6 + 12 (1 - x): x = 5/8, both end at 10.5.
    assert plan_bound(apart, pipelined=False) == Bound(10.5, "load of both devices, whatever is split")
    diamonds = [PlanCost(4.0, None), PlanCost(4.0, None, (0,)), PlanCost(4.0, None, (0,)), PlanCost(4.0, None, (1, 2))]
    diamonds += [PlanCost(None, 3.0, (3,)), PlanCost(None, 3.0, (3,)), PlanCost(1.0, None, (4, 5))]
    bound = plan_bound(diamonds, pipelined=False)
    assert bound.ns == 4 + 8 + 4 + 6 + 1
    assert bound.because.startswith("stretches of nodes")
    assert plan_bound([PlanCost(None, None)], pipelined=False).ns == float("inf")
    assert plan_bound([], pipelined=False).ns == 0.0

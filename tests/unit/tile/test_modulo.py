"""Modulo schedules of loops of products: they satisfy all rules, their bound holds in the simulation, and small ones
are optimal.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from interp.kinds.gpu.multiprocessor import PARTITIONS, Multiprocessor
from interp.machine.sheets import load_device
from interp.tile.events import MEETING, READ, TICKS, BlocksOnUnit, Rates
from interp.tile.outline import Outline, outline_of
from interp.tile.work import Loop
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.search.modulo import Interval, Iteration, Stages, least_interval
from lowering.tile.templates import pipelined_kernel
from tests.amount import cases

UNIT = Multiprocessor.of(load_device("a100", {}, None), ModuleOp([]))
RATES = Rates(500.0)


def outline(schedule: Schedule) -> Outline:
    (grid,) = pipelined_kernel(Problem(4096, 4096, 4096), schedule).grids
    return outline_of(grid, UNIT)


def simulated_interval(found: Outline, places: int) -> float:
    """Return the steady-state cycles between the starts of two iterations, in a simulation of `places` thread blocks on
    one multiprocessor."""
    main = max((each for each in found.steps if isinstance(each, Loop)), key=lambda each: each.iterations)

    def cycles(iterations: int) -> float:
        steps = tuple(replace(each, iterations=iterations) if each is main else each for each in found.steps)
        return BlocksOnUnit(steps, found.warps, places, RATES).run()

    return (cycles(240) - cycles(120)) / 120


def check(iteration: Iteration, warps: int, stages: Stages, found: Interval) -> None:
    """Assert that a modulo schedule satisfies the rules, iteration by iteration."""
    ticks, copies = round(found.cycles * TICKS), 2
    count, barrier, read = len(iteration.fragments), MEETING * TICKS, READ * TICKS
    kept: dict[str, list[tuple[int, int]]] = {}
    assert len(found.starts) == warps * stages.places
    for place in range(stages.places):
        block = [found.starts[place, warp] for warp in range(warps)]
        over = max(each[copies + 2 * n] + iteration.fragments[n][0] + read for each in block for n in range(count))
        first = min(each[copies] for each in block)
        assert first >= max(each[1] for each in block) + iteration.port + barrier
        for warp, starts in enumerate(block):
            assert starts[0] + stages.shared * ticks >= over + barrier
            assert starts[1] + stages.shared * ticks >= over + barrier + iteration.lines + iteration.latency
            kept.setdefault("shared", []).append((starts[0], iteration.lines))
            kept.setdefault("port", []).append((starts[1], iteration.port))
            for n, (length, ticks_of_product, early) in enumerate(iteration.fragments):
                reads, multiplies = starts[copies + 2 * n], starts[copies + 2 * n + 1]
                assert multiplies >= reads + length + read - early
                taken, later = divmod(n + stages.register, count)
                assert starts[copies + 2 * later] + taken * ticks >= multiplies + ticks_of_product
                kept.setdefault("shared", []).append((reads, length))
                kept.setdefault(f"matrix {(place * warps + warp) % PARTITIONS}", []).append(
                    (multiplies, ticks_of_product)
                )
    for uses in kept.values():
        for (one, length), (two, other) in product(uses, repeat=2):
            if (one, length) is not (two, other) and one != two:
                assert (two - one) % ticks >= length or not other
        assert sum(length for _, length in uses) <= ticks


TURNS = st.builds(
    Iteration,
    st.integers(0, 40),
    st.integers(1, 40),
    st.lists(st.tuples(st.integers(1, 60), st.integers(1, 300), st.just(0)), min_size=1, max_size=3).map(tuple),
    st.integers(0, 9000),
)


@given(TURNS, st.integers(1, 5), st.builds(Stages, st.integers(1, 4), st.integers(1, 2), st.integers(1, 2)))
@settings(max_examples=cases(75), deadline=None)
def test_schedules_keep_the_rules(iteration: Iteration, warps: int, stages: Stages) -> None:
    found = least_interval(iteration, warps, stages, effort=0.02)
    assert found.bound <= found.cycles
    check(iteration, warps, stages, found)


@given(
    st.sampled_from(((64, 64, 32), (32, 64, 16), (128, 32, 64))),
    st.sampled_from(((1, 1), (2, 1), (2, 2))),
    st.integers(1, 5),
    st.sampled_from((1, 2)),
    st.integers(1, 2),
)
@settings(max_examples=cases(75), deadline=None)
def test_the_clock_is_not_below_the_bound(
    block: tuple[int, int, int], warps: tuple[int, int], shared: int, register: int, places: int
) -> None:
    iteration = Iteration.of(outline(Schedule(block, warps, pad=8)).steps, RATES)
    assert iteration is not None
    schedule = Schedule(block, warps, pad=8, stages=shared, register_stages=register)
    clock = simulated_interval(outline(schedule), places)
    found = least_interval(iteration, warps[0] * warps[1], Stages(shared, register, places), known=clock, effort=0.02)
    assert found.bound <= clock + 1e-9
    assert found.cycles <= clock + 1 / TICKS


@pytest.mark.parametrize("shared", [1, 2, 3])
def test_a_warp_is_bound_by_latency_and_then_by_products(shared: int) -> None:
    # A read of 7 cycles and a product of 256, on a copy that arrives 550 cycles behind its issue: one stage waits in
    # each turn for two barriers, the copy, the read and its fragments; three stages wait for products alone.
    iteration = Iteration(0, 10 * TICKS, ((7 * TICKS, 256 * TICKS, 206 * TICKS),), 540 * TICKS)
    found = least_interval(iteration, 1, Stages(shared, 2))
    assert found.exact
    assert found.cycles == max((550 + 2 * MEETING + 7 + READ) / shared, 256)


def test_on_the_clock_blocks_reach_the_best_interval() -> None:
    schedule = Schedule((128, 128, 32), (2, 2), pad=8)
    iteration = Iteration.of(outline(schedule).steps, RATES)
    assert iteration is not None
    found = least_interval(iteration, 4, Stages(3, 1, 2))
    assert found.exact
    assert simulated_interval(outline(replace(schedule, stages=3)), 2) == pytest.approx(found.cycles)  # pyright: ignore

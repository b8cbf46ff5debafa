"""Products on ordinary lanes: requests by addresses, values, times, and measured kernels."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from benchmarks.thread_blocks.lanes import best_of, measured_tables, predicted_ms, rank
from dialects.diagnostics import InputError
from interp.kinds.gpu.multiprocessor import SHEET, Multiprocessor
from interp.machine.sheets import load_device
from interp.tile.clock import time_of
from interp.tile.lanes import Part, Speed, factor_requests, spill_cycles, staging_requests
from interp.tile.outline import outline_of
from interp.tile.races import check_races
from interp.tile.values import run_kernel
from interp.tile.work import Loop, Step, Steps
from lowering.tile.lanes import LaneSchedule, outline_of_lanes
from tests.amount import cases
from tests.unit.tile.lanes_kernels import lanes_kernel

SLOW, FAST = Speed(2, 2), Speed(2, 1)
"""The speeds of shared memory on Turing and on GA10x: both take two cycles per request; per wave of a request, Turing
takes two cycles and GA10x one."""


def unit(name: str) -> Multiprocessor:
    return Multiprocessor.of(load_device(name, {}, None), ModuleOp([]))


@pytest.mark.parametrize(
    ("part", "shared", "loaded"),
    [
        (Part((32, 4), 0, 1, 4, 4, 1), 2, 2),  # neighbours read neighbours: one wave
        (Part((32, 4), 1, 1, 4, 4, 1), 2, 2),  # all read the same: one wave
        (Part((16, 8), 0, 8, 4, 4, 1), 8 * 4, 8 * 4),  # every eighth word: four in a bank
        (Part((16, 8), 0, 8, 4, 4, 4), 2 * 8, 2 * 8),  # quarters of a warp, in each of which two meet
        (Part((16, 8), 1, 16, 4, 4, 4), 4 * 2, 4 * 4),  # halves read the same, but from global memory each has its own
        (Part((32, 4), 0, 2, 4, 256, 1), 2 * 32, 2 * 32),  # along K: one bank, and a line a thread
    ],
)
def test_requests_of_reads(part: Part, shared: float, loaded: float) -> None:
    found = factor_requests(part, FAST)
    assert (found.shared, found.loaded) == (shared, loaded)


def test_a_narrow_shared_memory_takes_twice_as_long_for_a_wave():
    part = Part((16, 8), 0, 8, 4, 4, 4)
    assert factor_requests(part, SLOW).shared == 2 * factor_requests(part, FAST).shared


def test_threads_side_by_side_share_a_row_without_conflicts():
    narrow = staging_requests((32, 64), 4, (8, 1), 128, (16384, 256), FAST)
    wide = staging_requests((32, 64), 4, (16, 4), 128, (16384, 256), FAST)
    assert (narrow.number, wide.number) == (16, 4)
    assert wide.shared == 4 * 4  # 512 bytes each
    assert narrow.shared == 16 * 8  # every eighth word of rows in the same banks


@given(st.lists(st.integers(0, 1023), min_size=32, max_size=32), st.sampled_from((4, 8, 16)))
def test_waves_are_between_those_of_distinct_words_and_those_of_all_threads(places: list[int], nbytes: int) -> None:
    from interp.tile.lanes import _waves  # pyright: ignore[reportPrivateUsage]

    found = _waves([place * nbytes for place in places], nbytes)
    words = {place * nbytes + at for place in places for at in range(0, nbytes, 4)}
    assert -(-len(words) // 32) <= found <= 32


TILES = [
    LaneSchedule((m, n, 8), threads, loads, vectors, staged, rows)
    for (m, n, threads, loads), vectors, staged, rows in product(
        [
            (128, 128, (8, 8), (16, 32)),
            (32, 32, (8, 8), (8, 16)),
            (64, 32, (16, 8), (32, 16)),
            (16, 64, (8, 8), (16, 32)),
        ],
        [(1, 1), (2, 1), (1, 2), (2, 4)],
        [(True, True), (True, False), (False, True), (False, False)],
        (2, 4),
    )
    if not n % (threads[1] * vectors[1])
    and not m % (threads[0] * vectors[0])
    and not m % (loads[0] * vectors[0])
    and not n % (loads[1] * vectors[1])
]


@settings(max_examples=cases(50), deadline=None)
@given(st.sampled_from(TILES), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
def test_values_are_those_of_the_product(schedule: LaneSchedule, down: int, right: int, deep: int) -> None:
    (bm, bn, bk), random = schedule.tile, np.random.default_rng(7)
    m, n, k = bm * down, bn * right, bk * deep
    kernel = lanes_kernel("product", "gpu", (m, n, k), schedule)
    kernel.verify()
    check_races(kernel)
    a, b = (random.integers(-4, 5, (k, each)).astype(np.float32) for each in (m, n))
    assert np.array_equal(run_kernel(kernel, [a, b])[0], a.T @ b)


@settings(max_examples=cases(50), deadline=None)
@given(st.sampled_from(TILES), st.sampled_from(("rtx3090", "rtx2080ti")))
def test_an_outline_is_that_of_the_kernel(schedule: LaneSchedule, name: str) -> None:
    shape = schedule.tile[0] * 3, schedule.tile[1] * 2, schedule.tile[2] * 5
    ours = outline_of_lanes(shape, schedule, unit(name))
    grid = outline_of(lanes_kernel("product", "gpu", shape, schedule).grids[0], unit(name))
    for field in ("warps", "count", "shared_bytes", "registers", "flops", "written"):
        assert getattr(ours, field) == getattr(grid, field), field
    assert flat(ours.steps) == flat(grid.steps)
    streams = [sorted((each.nbytes, each.tiles.each().tolist()) for each in found.streams) for found in (ours, grid)]
    assert streams[0] == streams[1]


def flat(steps: Steps) -> Sequence[object]:
    return [
        (each.kind, round(each.amount, 6), round(each.stored, 6), round(each.parts, 6))
        if isinstance(each, Step)
        else (each.iterations, flat(each.body))
        for each in steps
        if isinstance(each, Step | Loop)
    ]


SHAPE = (1024, 1024, 1024)


def test_bank_conflicts_cost_additional_waves():
    device = unit("rtx3090")
    far, near = (
        time_of(outline_of_lanes(SHAPE, LaneSchedule((128, 128, 32), (16, 32), (32, 32), vectors), device), device)
        for vectors in ((1, 4), (4, 4))
    )
    assert far is not None
    assert near is not None
    assert far.ns > 1.5 * near.ns


MEASURED = Path(__file__).parents[2] / "data" / "tile" / "gemm_f32_4096.csv"


@pytest.mark.slow
@pytest.mark.parametrize("gpu", ["rtx3090", "rtx2080ti"])
def test_measured_products_are_ranked_and_timed_from_sheets_alone(gpu: str) -> None:
    found = measured_tables(MEASURED)
    schedules, measured = found.schedules[::5], found.ms[gpu][::5]
    predicted = predicted_ms(schedules, gpu, SHEET, processes=1)
    assert rank(measured, predicted) > 0.9
    assert np.mean(np.abs(predicted / measured - 1)) < 0.18
    assert best_of(measured, predicted, 5) > 0.95


def test_a_file_of_another_form_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("tile_m,rtx3090_ms\n16,1.0\n")
    with pytest.raises(InputError, match="numbers in columns tile_m, tile_n"):
        measured_tables(path)


def test_registers_beyond_the_most_are_kept_in_memory():
    device = unit("rtx3090")
    assert spill_cycles(255, 64, 4, device) == 0
    assert spill_cycles(260, 64, 4, device) == 2 * 4 * 5 * 2  # read and written, for 4 rows, in two cycles each
    assert spill_cycles(80, 1024, 1, device) == 2 * 16 * 2  # 64 registers are left to each of 1,024 threads


def test_places_of_equal_values_are_shared():
    assert rank(np.array([1.0, 2.0, 2.0, 3.0]), np.array([1.0, 5.0, 5.0, 9.0])) == pytest.approx(1)
    assert rank(np.array([1.0, 2.0, 3.0]), np.array([7.0, 7.0, 7.0])) == 0

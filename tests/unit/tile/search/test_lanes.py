"""Analytical models that rank products on CUDA cores, and searches that use trials and predictions."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from interp.kinds.gpu.multiprocessor import Multiprocessor
from lowering.tile.search.lanes import FITTED, KNOBS, lanes_ns
from lowering.tile.search.learned import drawn, learned

DATA = Path(__file__).parents[3] / "data" / "tile" / "gemm_f32_4096.csv"
SHAPE = (4096, 4096, 4096)
RTX_3090 = Multiprocessor("rtx3090", 82, 1.695e9, 100 << 10, 65536, 1536, 6 << 20, 6.7, 200, 500, lanes={"f32": 256.0})
RTX_2080_TI = Multiprocessor(
    "rtx2080ti", 68, 1.545e9, 64 << 10, 65536, 1024, 11 << 19, 5.9, 200, 500, lanes={"f32": 128.0}
)


def measured() -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    with DATA.open(newline="") as file:
        rows = list(csv.DictReader(file))
    knobs = {name: np.array([int(row[name]) for row in rows]) for name in KNOBS}
    return knobs, {name: np.array([float(row[name]) for row in rows]) for name in ("rtx3090_ms", "rtx2080ti_ms")}


def rank(one: np.ndarray, two: np.ndarray) -> float:
    return float(np.corrcoef(one.argsort().argsort(), two.argsort().argsort())[0, 1])


@pytest.mark.parametrize(
    ("unit", "column", "other"), [(RTX_3090, "rtx3090_ms", "turing"), (RTX_2080_TI, "rtx2080ti_ms", "ampere")]
)
def test_measured_tiles_are_ranked_with_the_other_gpus_constants(unit: Multiprocessor, column: str, other: str) -> None:
    knobs, times = measured()
    found = lanes_ns(SHAPE, knobs, unit, FITTED[other])
    assert rank(found, times[column]) > 0.85


def one(**changed: int) -> dict[str, np.ndarray]:
    """Options of a 64 x 64 tile computed by 64 threads, with both factors read from shared memory; `changed` overrides
    options."""
    tile = {"tile_m": 64, "tile_n": 64, "tile_k": 32, "threads_m": 8, "threads_n": 8}
    rest = {"load_m": 8, "load_n": 8, "vec_m": 4, "vec_n": 4, "smem_a": 1, "smem_b": 1}
    return {name: np.array([value]) for name, value in {**tile, **rest, **changed}.items()}


def test_more_work_takes_longer_in_proportion() -> None:
    constants = FITTED["ampere"]
    single, double = (lanes_ns((4096, 4096, k), one(), RTX_3090, constants)[0] for k in (4096, 8192))
    assert double == pytest.approx(2 * single)


def test_words_in_the_same_bank_are_read_one_after_another() -> None:
    constants = FITTED["ampere"]
    narrow, wide = (lanes_ns(SHAPE, one(vec_m=width, vec_n=width), RTX_3090, constants)[0] for width in (1, 4))
    assert narrow > wide  # threads read with a stride of eight words: four times as many requests, each in eight banks


def test_a_search_by_trials_tries_each_schedule_once_and_finds_better_ones_than_predictions() -> None:
    generator = np.random.default_rng(3)
    features = generator.integers(0, 4, (400, 4)).astype(np.float64)
    times = np.exp(features @ np.array([0.5, 0.3, -0.4, 0.2]) + 1.0)
    predicted = np.exp(features @ np.array([0.5, 0.3, 0.0, 0.2]))  # does not depend on the third feature
    predicted[7] = np.inf
    for likely in (None, predicted):
        tried = learned(features, lambda place: float(times[place]), 25, seed=1, predicted=likely)
        assert len(set(tried)) == len(tried) == 25
        assert tried[:10] == learned(features, lambda place: float(times[place]), 10, seed=1, predicted=likely)
        assert times.min() / times[tried].min() > 0.9
    assert 7 not in learned(features, lambda place: float(times[place]), 400, seed=1, predicted=predicted, batch=200)
    alone = np.mean([times.min() / times[drawn(400, 10, seed)].min() for seed in range(20)])
    both = times.min() / times[learned(features, lambda place: float(times[place]), 10, 0, predicted)].min()
    assert both > alone


def test_a_schedule_that_cannot_run_is_only_slow() -> None:
    features = np.arange(30.0)[:, None]
    tried = learned(features, lambda place: np.inf if place < 10 else 1.0 + place, 30, seed=0, batch=10)
    assert sorted(tried) == list(range(30))

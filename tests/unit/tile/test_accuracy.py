"""Accuracy of the thread-block model on measured products of the L20."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from benchmarks.thread_blocks import tile_accuracy
from benchmarks.thread_blocks.fitting import START, Response
from benchmarks.thread_blocks.products import (
    Row,
    folds_of,
    from_constants,
    from_efficiency,
    from_sheet,
    mape,
    pairs,
    rank,
    ranks,
    rows_of,
)
from dialects.diagnostics import InputError

FILE = Path(__file__).resolve().parents[2] / "data" / "tile" / "hgemm_l20.csv"


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return list(rows_of(FILE, Counter()))


def test_products_on_the_l20_are_timed(rows: list[Row]) -> None:
    clock, efficiency = from_constants(rows), from_efficiency(rows, by_kind=False)
    assert mape(rows, clock) < 0.04 < 0.15 < mape(rows, efficiency)
    assert mape(rows, from_sheet(rows)) < 0.13
    assert rank(rows, clock) > 0.8
    large = [index for index, row in enumerate(rows) if row.problem.k > 1024]
    right, every = pairs([rows[index] for index in large], clock[large])
    assert right == every > 10


def test_steps_between_schedules_gain_the_measured_times(rows: list[Row], capsys: pytest.CaptureFixture[str]) -> None:
    last = tile_accuracy.judge("L20", rows, fit=False)
    printed = capsys.readouterr().out
    assert last.startswith(f"tile L20 {len(rows)} rows: MAPE ")
    gains = {
        line.rsplit("  ", 4)[0].strip(): [float(word) for word in line.split()[-3:]]
        for line in printed.splitlines()
        if line.lstrip().startswith(("no padding", "1 to 2", "2 to 3", "synchronous"))
    }
    assert len(gains) == 6
    for measured, _, clock in gains.values():
        assert abs(clock - measured) < 0.07


def test_constants_are_found_again_where_the_clock_made_the_times(rows: list[Row]) -> None:
    response = Response.of(rows)
    values = np.array([0.94, 0.97, 2.0, 0.8, 0.4, 4000.0])
    made = Response(response.units, response.exponents, response.memory, response.launch, response.predicted(values))
    found = made.fit(np.full(len(rows), True))
    assert np.abs(made.predicted(found) / made.ms - 1).mean() < 0.002
    assert found[0] == pytest.approx(0.94, abs=0.01)
    assert START.matrix != 0.94


def test_shapes_are_left_out_with_all_of_their_rows(rows: list[Row]) -> None:
    folds = folds_of(rows)
    assert len(set(zip((row.shape for row in rows), folds.tolist(), strict=True))) == len({row.shape for row in rows})
    seen = from_efficiency(rows, True), from_efficiency(rows, True, folds)
    assert mape(rows, seen[0]) <= mape(rows, seen[1])


def test_equal_values_share_a_rank() -> None:
    assert ranks(np.array([3.0, 1.0, 3.0, 2.0])).tolist() == [3.5, 1.0, 3.5, 2.0]


def test_a_row_with_missing_fields_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("gpu,m,n,k,block_m,block_n,block_k,warps,stages,ms\nL20,64,64,,64,64,16,4,2,0.1\n")
    with pytest.raises(InputError, match="a measured product is expected here") as raised:
        list(rows_of(file, Counter()))
    assert raised.value.place == f"{file}:2"

"""The script that measures tiles on a GPU, tested without one: its plan, and the file that it writes."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from benchmarks.thread_blocks import products, tile_accuracy
from dialects.diagnostics import InputError
from lowering.tile.search.trials import simulated_ns

EXAMPLES = Path(__file__).parents[3] / "examples"
WORDS = ["--machine", "a100", "--shape", "256x192x128", "--shape", "64x64x64", "--top", "2", "--tried", "3"]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    yield import_module("measure_tiles")
    sys.modules.pop("measure_tiles", None)


class SlowerGpu:
    """A GPU that takes twice the predicted time and refuses one of the schedules."""

    def __init__(self) -> None:
        self.asked = 0

    def ms(self, planned: Any) -> float:
        self.asked += 1
        if self.asked == 3:
            raise RuntimeError("out of resources\nof something")
        return 0.5 if planned.predicted_ms is None else 2 * planned.predicted_ms


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_plan_names_the_best_schedules_first(script: Any, tmp_path: Path) -> None:
    path = tmp_path / "tiles.csv"
    script.main([str(path), "--plan", *WORDS])
    rows = rows_of(path)
    assert [row["kind"] for row in rows] == ["library", "tensor", "tensor"] * 2
    assert all(row["ms"] == "" for row in rows)
    for number in (1, 4):
        assert float(rows[number]["predicted_ms"]) <= float(rows[number + 1]["predicted_ms"])


def test_measured_times_are_written_and_reported(
    script: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(script, "GpuTimer", lambda folder: SlowerGpu())  # pyright: ignore
    path = tmp_path / "tiles.csv"
    script.main([str(path), *WORDS])
    rows = rows_of(path)
    assert len(rows) == 5  # one schedule was refused
    for row in rows:
        if row["kind"] == "tensor":
            assert float(row["ms"]) == pytest.approx(2 * float(row["predicted_ms"]), rel=1e-3)  # pyright: ignore
            assert int(row["warps"]) == int(row["warps_m"]) * int(row["warps_n"])
    said = capsys.readouterr().out
    assert "skipped: Schedule(" in said
    assert "out of resources\n" in said
    assert "256x192x128: predicted best " in said
    assert "torch 0.5000 ms" in said


def test_written_measurements_can_be_evaluated(
    script: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(script, "GpuTimer", lambda folder: SlowerGpu())  # pyright: ignore
    path = tmp_path / "tiles.csv"
    script.main([str(path), *WORDS])
    read = list(products.rows_of(path, left_out := Counter[str]()))
    assert left_out == {"rows of kind library": 2}
    unit = products.unit_of("a100")
    for row in read:  # the schedule that was measured, so that it takes what was predicted of it
        assert simulated_ns(row.problem, row.schedule, unit) / 1e6 == pytest.approx(row.ms / 2, rel=1e-3)  # pyright: ignore
    monkeypatch.setattr(sys, "argv", ["tile_accuracy", "--on", str(path)])
    tile_accuracy.main()
    assert "\ntile a100 3 rows: MAPE " in capsys.readouterr().out


def test_a_plan_is_not_judged(script: Any, tmp_path: Path) -> None:
    path = tmp_path / "tiles.csv"
    script.main([str(path), "--plan", *WORDS])
    with pytest.raises(InputError, match="a measured product is expected here"):
        list(products.rows_of(path, Counter()))


def test_without_a_gpu_it_ends_with_a_message(script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(SystemExit, match=r"no kernel can be measured here: .*--plan only prints the planned rows"):
        script.main(WORDS)


def test_a_machine_that_is_no_gpu_is_refused(script: Any) -> None:
    with pytest.raises(SystemExit, match="error: aim has no multiprocessors"):
        script.main(["--plan", "--machine", "aim", "--shape", "64x64x64"])

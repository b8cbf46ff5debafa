"""The benchmark of boards' energy, on small samples of public power measurements (tests/data/gpu)."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.gpu.bars import Score
from benchmarks.gpu_energy import MEASURED, energy_rows, main, metered_groups, run_s, write_power
from interp.kinds.gpu.constants.calibration import read_calibration

DATA = Path(__file__).resolve().parents[2] / "data" / "gpu"


@pytest.fixture(scope="module")
def scores() -> list[Score]:
    pytest.importorskip("scipy")
    return energy_rows(DATA, DATA)


def test_only_kernels_with_measured_power_are_evaluated():
    groups = metered_groups(DATA)
    assert {group.gpu for group in groups} == {"h200_sxm", "b200_sxm"}
    assert all(group.power_w is not None and (group.power_w > 0).all() for group in groups)


def test_short_kernels_are_repeated_three_thousand_times():
    for group in metered_groups(DATA):
        times = run_s(group) / (group.ns * 1e-9)
        short = run_s(group) < 3
        assert times[short] == pytest.approx(3000 * (6 if group.kernel_class == "gemm" else 1))


@pytest.mark.slow
def test_energies_are_nearer_than_a_power_limit_or_a_mean_power(scores: list[Score]):
    energies = [score for score in scores if score.kernel_class.startswith("energy")]
    assert {score.gpu for score in energies} == {"h200_sxm", "b200_sxm"}
    for score in energies:
        simple = min(score.errors[name].mape for name in ("roofline", "two constants"))
        assert score.errors[MEASURED].mape < simple, score.name
        assert score.model.mape < simple, score.name


@pytest.mark.slow
def test_constants_are_added_to_calibrations(scores: list[Score], tmp_path: Path):
    (tmp_path / "hopper.calibration").write_text('calibration family hopper "ours"\n  class gemm bf16 "another fit"\n')
    written = write_power(DATA, scores, tmp_path)
    assert {path.stem for path in written} == {"h200_sxm", "hopper", "b200_sxm", "blackwell"}
    hopper = read_calibration(tmp_path / "hopper.calibration")
    assert hopper.description == "ours"
    assert set(hopper.records) == {("gemm", "bf16"), ("power", "board")}
    assert "power readings of h200_sxm; off on others, with measured times" in hopper.records["power", "board"].origin


def test_a_directory_without_measurements_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["--fit", str(tmp_path), "--on", str(tmp_path)]) == 1
    assert "error:" in capsys.readouterr().err

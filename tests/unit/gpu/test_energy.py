"""The benchmark of boards' energy, on small samples of public power measurements (tests/data/gpu)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.gpu.bars import Score
from benchmarks.gpu.sweeps import kernels_before
from benchmarks.gpu_energy import (
    MEASURED,
    energy_rows,
    is_long,
    is_run_known,
    main,
    metered_groups,
    run_s,
    write_power,
)
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


def test_kernels_are_repeated_three_thousand_times_or_for_a_second():
    for group in metered_groups(DATA):
        copies = 6 if group.kernel_class == "gemm" else 1
        seconds, each = run_s(group, group.ns), copies * group.ns * 1e-9
        assert (seconds <= np.maximum(1, 6 * each)).all()
        assert (seconds <= 3000 * each).all()
        assert seconds[each < 1e-4] == pytest.approx(3000 * each[each < 1e-4])
        assert (is_long(group) <= (seconds > 0.7)).all()


def test_heads_without_a_compiled_kernel_are_repeated_an_unknown_number_of_times():
    for group in metered_groups(DATA):
        if group.kernel_class != "gemm":
            longer = group.columns["head"] > 256
            assert (is_run_known(group) == ~(longer & (group.gpu == "h200_sxm"))).all()


def test_a_product_is_measured_after_the_one_with_the_next_larger_sum():
    group = next(each for each in metered_groups(DATA) if each.kernel_class == "gemm")
    sizes = np.array([[64, 512, 1024], [64, 512, 65536], [64, 65536, 51200], [32768, 65536, 51200], [63, 512, 1024]])
    before = kernels_before(replace(group, columns=dict(zip("mnk", sizes.T.astype(float), strict=True))))
    rows = np.stack([before[name] for name in "mnk"], axis=1).astype(int).tolist()
    assert rows == [[64, 512, 1536], [64, 768, 32], [65, 32, 32], [32768, 65536, 51200], [63, 512, 1024]]


def test_the_first_cases_of_a_form_of_attention_follow_a_single_query():
    group = next(each for each in metered_groups(DATA) if each.kernel_class == "prefill" and each.gpu == "h200_sxm")
    names = ("batch", "queries", "keys", "heads", "kv_heads", "head")
    sizes = np.array([[8, 16384, 16384, 8, 1, 128], [8, 12288, 12288, 8, 1, 128], [3, 77, 77, 8, 1, 128]], float)
    before = kernels_before(replace(group, columns=dict(zip(names, sizes.T, strict=True))))
    assert before["batch"].tolist() == [1, 8, 3]
    assert before["queries"].tolist() == before["keys"].tolist() == [1, 16384, 77]


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
    assert "power readings of h200_sxm (decode bf16, gemm bf16" in hopper.records["power", "board"].origin
    own = read_calibration(tmp_path / "h200_sxm.calibration")
    assert set(own.records) == {
        ("power", "board"),
        *((f"power.{name}", "bf16") for name in ("decode", "gemm", "prefill")),
    }
    assert "% off on 3 others" in own.records["power.gemm", "bf16"].origin


def test_folds_predict_each_kernel_once(capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("scipy")
    assert main(["--fit", str(DATA), "--folds", "2"]) == 0
    counts = {f"{group.gpu} {group.label}": len(group.ns) for group in metered_groups(DATA)}
    shown = {
        f"{line.split()[1]} {line.split()[3]}": line
        for line in capsys.readouterr().out.splitlines()
        if " energy  " in line
    }
    assert {name: int(line.split()[6]) for name, line in shown.items()} == counts


def test_a_directory_without_measurements_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["--fit", str(tmp_path), "--on", str(tmp_path)]) == 1
    assert "error:" in capsys.readouterr().err

"""Samples of public measurements (tests/data/gpu): all rows are read, and the model's errors on them are small."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from benchmarks.gpu.measurements import read_groups
from benchmarks.gpu_accuracy import main
from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.known import constants_for
from interp.kinds.gpu.constants.measurement import FitErrors, MeasuredGroup, Submission
from interp.machine.records import Gpu
from interp.machine.sheets import load_device

SAMPLES = Path(__file__).parents[2] / "data" / "gpu"
GROUPS = read_groups(SAMPLES)
ELSEWHERE = ("neusight_e2e", "timm_e2e")
"""Data sets of complete networks; they have no single kernels, and tests of networks read them."""
NEAR = {
    "gemm": 10,
    "conv": 25,
    "prefill": 12,
    "bidirectional": 12,
    "decode": 15,
    "elementwise": 7,
    "norm": 9,
    "softmax": 10,
    "gather": 10,
}
"""The largest allowed median error in percent on the complete data sets, by the first letters of the kernel class's
name."""


def gpu_of(group: MeasuredGroup) -> Gpu:
    found = load_device(group.gpu)
    assert isinstance(found, Gpu)
    return found


def test_all_sets_are_read() -> None:
    stems = {path.stem for path in SAMPLES.glob("*.csv")} - set(ELSEWHERE)
    assert {group.source for group in GROUPS} == stems
    rows = sum(len((SAMPLES / f"{stem}.csv").read_text().splitlines()) - 1 for stem in stems)
    assert sum(len(group.ns) for group in GROUPS) == rows


def test_the_samples_are_small() -> None:
    assert sum(path.stat().st_size for path in SAMPLES.iterdir()) < 100_000


@pytest.mark.slow
def test_no_measured_kernel_is_much_faster_than_the_peaks() -> None:
    """No measured time is below 1 / 4.1 of the time at the peak rate; wrong units or columns in the reader would
    violate this.

    The factor allows for Winograd's algorithm, which needs a quarter of the operations.
    """
    for group in GROUPS:
        chip = Chip.of(gpu_of(group), group.element)
        flops = CLASSES[group.kernel_class].estimate(group.columns, chip).flops
        least = flops / np.maximum(chip.matrix_rate, chip.rate) * 1e9
        assert np.all(group.ns > least / 4.1), group.key


@pytest.mark.slow
def test_the_benchmark_of_errors_runs_on_them(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--fit", str(SAMPLES), "--on", str(SAMPLES), "--only", "llmcompass"]
    assert main(arguments) in (0, None)
    out = capsys.readouterr().out
    for name in ("gemm", "softmax", "layernorm", "gelu"):
        assert name in out


@pytest.mark.slow
def test_shipped_calibrations_are_near_them() -> None:
    """The median error of each group is at most four times its limit in NEAR, since a group has few rows; in each
    class, the median group keeps its limit."""
    medians: dict[str, list[float]] = {}
    far: list[str] = []
    for group in GROUPS:
        known = constants_for(gpu_of(group), group.kernel_class, group.element, group.library)
        if known.transferred:
            continue
        name, bar = next(pair for pair in NEAR.items() if group.kernel_class.startswith(pair[0]))
        error = FitErrors.of(_predicted(group, known.constants), group.ns).median
        medians.setdefault(name, []).append(error / bar)
        if error > 4 * bar:
            far.append(f"{' '.join(group.key)}: {error:.0f} %")
    assert medians
    assert not far
    assert {name: np.median(each) < 1 for name, each in medians.items()} == dict.fromkeys(medians, True)


def _predicted(group: MeasuredGroup, constants: Mapping[str, float]) -> Floats:
    """The times in ns that the model predicts for a group's kernels. The host time per launch is the one that fits the
    sample best, since it depends on how the kernels were measured."""
    chip = Chip.of(gpu_of(group), group.element)
    ns = CLASSES[group.kernel_class].estimate(group.columns, chip, constants).ns + chip.launch_ns * group.launched
    if group.way in ("graph", "profiler"):
        return ns
    times = [Submission(float(dispatch), 3.0).time(ns) for dispatch in (0, *np.geomspace(1e3, 1e6, 31))]
    return min(times, key=lambda each: float(np.mean(np.abs(np.log(each / group.ns)))))

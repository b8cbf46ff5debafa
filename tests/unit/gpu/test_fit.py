"""Fits of kernel models: constants are recovered from times that the model computed with them, on one GPU or several.

A GPU without measurements uses constants of the most similar GPUs, and its datasheet's power limit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from interp.kinds.gpu.chip import Chip
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.calibration import Calibration, Record, calibration_text
from interp.kinds.gpu.constants.families import near_architectures, submission_like
from interp.kinds.gpu.constants.fit import fit
from interp.kinds.gpu.constants.known import constants_for
from interp.kinds.gpu.constants.measurement import MeasuredGroup, Submission
from interp.kinds.gpu.kernel_class import Columns
from interp.kinds.gpu.sustained import POWER_CONSTANTS, slowdown
from interp.machine.records import Gpu
from interp.machine.sheets.files import load_device

ELEMENTWISE = CLASSES["elementwise"]
TRUE = {"dram": 0.7, "l2_bytes_per_clock": 20.0, "start": 4000.0}
POWER = {constant.name: constant.start for constant in POWER_CONSTANTS}


def sheet(name: str) -> Gpu:
    found = load_device(name)
    assert isinstance(found, Gpu)
    return found


def streams(count: int = 60, seed: int = 0) -> Columns:
    """Draw element-wise kernels with two operands, 10 KB to 300 MB."""
    cols = np.round(10 ** np.random.default_rng(seed).uniform(3.4, 7.9, count))
    numbers = {"cols": cols, "rows": cols * 0 + 1, "read": 8 * cols, "written": 4 * cols, "flops": cols}
    return {**numbers, "warm": cols * 0, "bytes": cols * 0 + 4}


def made(gpu: str, way: str = "profiler", submission: Submission | None = None, seed: int = 0) -> MeasuredGroup:
    """Return the times in ns that the model computes on a GPU with the constants `TRUE`, as a group of measurements.
    `way`: the method of measurement; with any method but `profiler`, times include the host's time for submitting a
    kernel (`submission`)."""
    columns, chip = streams(seed=seed), Chip.of(sheet(gpu), "f32")
    ns = ELEMENTWISE.estimate(columns, chip, TRUE).ns
    if way != "profiler":
        ns = (submission or Submission()).time(ns + chip.launch_ns)
    return MeasuredGroup("made", gpu, "elementwise", "f32", "add", way, columns, ns)


def off(predicted: np.ndarray[tuple[int], np.dtype[np.float64]], group: MeasuredGroup) -> float:
    return float(np.max(np.abs(predicted / group.ns - 1)))


def test_a_fit_reproduces_times() -> None:
    group, chip = made("v100_pcie"), Chip.of(sheet("v100_pcie"), "f32")
    found = fit(ELEMENTWISE, [group], {"v100_pcie": chip})
    other = made("v100_pcie", seed=1)
    assert off(found.predict(other, chip), other) < 0.03


def test_a_fit_separates_host_time_from_kernel_time() -> None:
    host = Submission(30_000.0, 4.0)
    group, chip = made("v100_pcie", "eager", host), Chip.of(sheet("v100_pcie"), "f32")
    found = fit(ELEMENTWISE, [group], {"v100_pcie": chip})
    assert off(found.predict(group, chip), group) < 0.03
    assert found.submissions[group.key].dispatch_ns == pytest.approx(30_000, rel=0.1)


def test_one_fit_applies_to_several_gpus() -> None:
    """Constants are ratios to datasheet numbers, so that constants of two GPUs apply to a third one."""
    names = ("v100_pcie", "a100_80_pcie")
    found = fit(ELEMENTWISE, [made(name) for name in names], {name: Chip.of(sheet(name), "f32") for name in names})
    unseen, chip = made("t4", seed=2), Chip.of(sheet("t4"), "f32")
    assert off(found.predict(unseen, chip), unseen) < 0.03


def test_columns_with_a_default_may_be_missing() -> None:
    complete, chip = made("t4"), Chip.of(sheet("t4"), "f32")
    less = replace(
        complete, label="less", columns={name: complete.columns[name] for name in complete.columns if name != "warm"}
    )
    found = fit(ELEMENTWISE, [complete, less], {"t4": chip}, most=20)
    assert off(found.predict(complete, chip), complete) < 0.05


def test_constants_may_be_held_at_their_starts() -> None:
    group, chip = made("t4"), Chip.of(sheet("t4"), "f32")
    start = {**ELEMENTWISE.defaults(), **TRUE, "dram": 0.5, "start": 2000.0}
    free = ("dram", "l2_bytes_per_clock", "kept")
    held = [constant.name for constant in ELEMENTWISE.constants if constant.name not in free]
    found = fit(ELEMENTWISE, [group], {"t4": chip}, start=start, held=held)
    assert {name: found.constants[name] for name in held} == {name: start[name] for name in held}
    assert found.constants["dram"] == pytest.approx(0.7, rel=0.1)


def test_constants_that_few_measurements_leave_open_stay_near_their_starts() -> None:
    group, chip = made("t4").part(np.arange(3)), Chip.of(sheet("t4"), "f32")
    start = {**ELEMENTWISE.defaults(), **TRUE, "row": 300.0}
    known = fit(ELEMENTWISE, [group], {"t4": chip}, start=start, sizes=dict.fromkeys(start, 0.3))
    assert known.constants == pytest.approx(start, rel=0.05)


def test_near_architectures_are_near_in_years() -> None:
    assert near_architectures("ampere")[:3] == ["turing", "ada", "hopper"]


def test_an_unfitted_group_has_the_submission_of_its_data_set() -> None:
    other, unseen = made("t4", "eager"), made("l4", "eager")
    elsewhere = replace(other, source="another")
    ways = {other.key: Submission(2e4, 2.0), elsewhere.key: Submission(5e3, 8.0)}
    assert submission_like(unseen, ways, [elsewhere, other]).dispatch_ns == pytest.approx(2e4)
    assert submission_like(made("l4"), {}, []).dispatch_ns == 0
    assert submission_like(unseen, {}, []).dispatch_ns > 1e4


def limited(flops: float, ns: float, gpu: str, **changes: float) -> float:
    chip, column = Chip.of(sheet(gpu), "f32"), np.array([1.0])
    return float(slowdown(ns * column, flops * column, 0 * column, chip, {**POWER, **changes})[0])


def test_the_power_limit_slows_a_small_board_and_hardly_a_large_one() -> None:
    """On an unlimited board the kernels take 1 ms, at the peak rate of f32."""
    small, large = (float(Chip.of(sheet(name), "f32").rate) for name in ("t4", "v100_pcie"))
    assert limited(small * 1e-3, 1e6, "t4") == pytest.approx(1.63, abs=0.1)
    assert limited(large * 1e-3, 1e6, "v100_pcie") < 1.15
    assert limited(small * 1e-5, 1e6, "t4") == 1  # little arithmetic


def test_time_under_the_power_limit_grows_with_work_and_with_time() -> None:
    times = [ns * limited(1e10, ns, "l4") for ns in (1e5, 3e5, 1e6, 3e6)]
    assert times == sorted(times)
    assert limited(2e10, 1e6, "l4") >= limited(1e10, 1e6, "l4") >= 1


def own_sheet(folder: Path, text: str, *calibrations: Calibration) -> Gpu:
    path = folder / "mine.sheet"
    path.write_text(text)
    for calibration in calibrations:
        (folder / f"{calibration.name}.calibration").write_text(calibration_text(calibration))
    found = load_device(str(path))
    assert isinstance(found, Gpu)
    return found


def record(kernel_class: str, element: str, origin: str = "fitted on 9 kernels", **constants: float) -> Record:
    return Record(kernel_class, element, constants, origin)


def by_key(*records: Record) -> dict[tuple[str, str], Record]:
    return {(found.kernel_class, found.element): found for found in records}


def test_the_most_similar_constants_are_used(tmp_path: Path) -> None:
    own = Calibration("gpu", "mine", by_key(record("elementwise", "f16", tail=0.25), record("gemm", "bf16", tail=0.6)))
    family = Calibration(
        "family", "turing", by_key(record("gemm", "bf16", tail=0.4), record("attention_backward", "bf16", tail=0.3))
    )
    gpu = own_sheet(tmp_path, "device mine = t4\n", own, family)

    def found(kernel_class: str, element: str) -> tuple[float, str, bool]:
        known = constants_for(gpu, kernel_class, element)
        return known.constants["tail"], known.origin, known.transferred

    assert found("gemm", "bf16") == (0.6, "fitted on 9 kernels", False)
    assert found("gemm", "f16") == (0.6, "transferred from bf16 of mine: fitted on 9 kernels", True)
    assert found("attention_backward", "bf16") == (
        0.3,
        "transferred from the turing family: fitted on 9 kernels",
        True,
    )
    assert found("elementwise", "f32") == (0.25, "transferred from f16 of mine: fitted on 9 kernels", True)


def test_a_class_without_measurements_uses_constants_of_a_similar_class(tmp_path: Path) -> None:
    own = Calibration("gpu", "mine", by_key(record("elementwise", "f32", dram=0.5, start=1234.0)))
    known = constants_for(own_sheet(tmp_path, "device mine = t4\n", own), "copy", "f32")
    assert (known.constants["dram"], known.constants["start"], known.transferred) == (0.5, 1234.0, True)
    assert known.origin == "transferred from elementwise of mine: fitted on 9 kernels"

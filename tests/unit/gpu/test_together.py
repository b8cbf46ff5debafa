"""Fits of many GPUs and libraries at once: times that were computed with known constants of two chips and two libraries
are predicted again, as are those of a library on a chip on which only the other one was measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.measurement import MeasuredGroup, Submission
from interp.kinds.gpu.constants.together import Together, fit_together, subject_of
from interp.machine.records import Gpu
from interp.machine.sheets.files import load_device

pytest.importorskip("scipy")

ELEMENTWISE = CLASSES["elementwise"]
CHIPS = {"a100_80_sxm": {"dram": 0.9, "kept": 0.5}, "h100_sxm": {"dram": 0.65, "kept": 0.9}}
"""The properties of each chip with which times are computed."""
LIBRARIES = {"quick": {"start": 900.0, "row": 600.0}, "slow": {"start": 6000.0, "row": 1500.0}}
"""The properties of each library's kernels."""


def sheet(gpu: str) -> Gpu:
    found = load_device(gpu)
    assert isinstance(found, Gpu)
    return found


def made(gpu: str, library: str, seed: int = 0, way: str = "profiler", host: Submission | None = None) -> MeasuredGroup:
    """Element-wise kernels of 10 KB to 300 MB with the times that the model computes for a library on a chip; `host`:
    its submission, if times include it."""
    cols = np.round(10 ** np.random.default_rng(seed).uniform(3.4, 7.9, 60))
    columns = {"cols": cols, "rows": cols * 0 + 1, "read": 8 * cols, "written": 4 * cols, "flops": cols}
    columns |= {"warm": cols * 0, "bytes": cols * 0 + 4}
    chip = Chip.of(sheet(gpu), "f32")
    ns = ELEMENTWISE.estimate(columns, chip, {**CHIPS[gpu], **LIBRARIES[library]}).ns
    ns = ns if host is None else host.time(ns + chip.launch_ns)
    return MeasuredGroup("made", gpu, "elementwise", "f32", f"add {library}", way, columns, ns, library=library)


def fitted(*groups: MeasuredGroup, steps: int = 12, starts: int = 1) -> Together:
    given = [(group, Chip.of(sheet(group.gpu), "f32"), sheet(group.gpu).capability) for group in groups]
    return fit_together(ELEMENTWISE, given, steps, starts)


def predicted(fit: Together, group: MeasuredGroup) -> Floats:
    return fit.predict(group, Chip.of(sheet(group.gpu), "f32"), sheet(group.gpu).capability)


def off(times: Floats, group: MeasuredGroup) -> float:
    return float(np.mean(np.abs(times / group.ns - 1)))


@pytest.fixture(scope="module")
def everywhere() -> Together:
    return fitted(*(made(gpu, library) for gpu in CHIPS for library in LIBRARIES), steps=20, starts=0)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("gpu", CHIPS)
def test_other_kernels_of_the_fitted_chips_and_libraries_are_predicted(
    everywhere: Together, gpu: str, library: str
) -> None:
    other = made(gpu, library, seed=1)
    assert off(predicted(everywhere, other), other) < 0.03


def test_a_property_of_a_chip_is_the_same_for_all_libraries_and_one_of_a_library_differs(everywhere: Together) -> None:
    constants = {
        (gpu, library): everywhere.constants(subject_of(made(gpu, library), sheet(gpu).capability))
        for gpu in CHIPS
        for library in LIBRARIES
    }
    for gpu, true in CHIPS.items():
        quick, slow = constants[gpu, "quick"], constants[gpu, "slow"]
        assert quick["dram"] == slow["dram"] == pytest.approx(true["dram"], rel=0.1)
        assert quick["start"] < 0.5 * slow["start"]


def test_a_library_on_a_chip_without_it_is_predicted_better_than_by_the_mean_of_both() -> None:
    """The chip's properties are known from the other library, a part of those of the library from the other chip."""
    without = fitted(made("a100_80_sxm", "quick"), made("a100_80_sxm", "slow"), made("h100_sxm", "quick"))
    target = made("h100_sxm", "slow", seed=1)
    mean = replace(target, library="neither")
    assert off(predicted(without, target), target) < off(predicted(without, mean), target)


def test_constants_stay_within_their_bounds_and_leave_them_again() -> None:
    """Times above the bandwidth of the data sheet would need a share of more than 1; together with plausible times of
    many other kernels of the same chip, the share is below the bound."""
    group = made("h100_sxm", "quick")
    subject = subject_of(group, sheet("h100_sxm").capability)
    impossible = replace(group, ns=group.ns / 2)
    constant = next(each for each in ELEMENTWISE.constants if each.name == "dram")
    assert fitted(impossible).constants(subject)["dram"] == pytest.approx(constant.high, rel=1e-6)
    few = impossible.part(np.arange(5))
    assert fitted(few, made("h100_sxm", "quick", seed=2)).constants(subject)["dram"] < 0.9 * constant.high


def test_the_host_of_a_group_is_separated_from_its_kernels() -> None:
    host = Submission(30_000.0, 3.0)
    groups = [made("h100_sxm", "quick"), made("h100_sxm", "slow", way="eager", host=host)]
    fit = fitted(*groups)
    assert fit.submission(groups[0]) == Submission()
    assert fit.submission(groups[1]).dispatch_ns == pytest.approx(30_000, rel=0.15)
    other = made("h100_sxm", "slow", seed=1, way="eager", host=host)
    assert off(predicted(fit, other), other) < 0.05


def test_searches_of_single_libraries_never_make_a_fit_worse() -> None:
    groups = [made("h100_sxm", library) for library in LIBRARIES]
    assert fitted(*groups, steps=3, starts=2).loss <= fitted(*groups, steps=3, starts=0).loss


def test_equal_measurements_give_equal_fits() -> None:
    groups = [made(gpu, "quick") for gpu in CHIPS]
    first, second = (fitted(*groups, steps=4) for _ in range(2))
    assert first.effects == second.effects
    assert first.loss == second.loss

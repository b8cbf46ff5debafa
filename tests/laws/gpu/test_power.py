"""Laws of a GPU's energy: more work never takes less power or energy, power is at most the board's limit, and the
components add up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.meter import Meter, Run
from interp.kinds.gpu.power import BOARD_CONSTANTS, Activity, board_power, component_energy
from interp.machine.records import Gpu
from interp.machine.sheets.files import load_device

NAMES = ["p4", "v100_sxm2", "a100_40_sxm", "l4", "h200_sxm", "b200_sxm"]


def gpu(name: str) -> Gpu:
    record = load_device(name)
    assert isinstance(record, Gpu)
    return record


GPUS = {name: gpu(name) for name in NAMES}
devices = st.sampled_from(NAMES)
elements = st.sampled_from(["f32", "f16", "bf16", "i8"])
amounts = st.floats(0, 1e15)
times = st.floats(500, 1e9)
constants = st.fixed_dictionaries(
    {constant.name: st.floats(constant.low, constant.high) for constant in BOARD_CONSTANTS}
)
activities = st.tuples(amounts, amounts, amounts, times)


def row(numbers: Sequence[float]) -> Activity:
    flops, dram, l2, ns = (np.array([number]) for number in numbers)
    return Activity(flops, dram, l2, ns)


def one(values: Floats) -> float:
    return float(values[0])


def soft_least(exponent: float, first: float, second: float) -> float:
    """A smooth minimum, which is up to `2^(-1/exponent)` below the smaller number."""
    least = min(first, second)
    return float(least * ((least / first) ** exponent + (least / second) ** exponent) ** (-1 / exponent))


@settings(deadline=None)
@given(devices, elements, constants, activities)
def test_power_is_between_idle_power_and_the_limit(
    name: str, element: str, held: dict[str, float], does: tuple[float, float, float, float]
):
    chip = Chip.of(GPUS[name], element)
    power = board_power(row(does), chip, held)
    limit, idle = held["cap"] * float(chip.tdp_w), one(power.idle_w)
    assert 0 < one(power.watts) <= limit * (1 + 1e-12)
    assert one(power.watts) >= soft_least(held["sharpness"], idle, limit) * (1 - 1e-12)


@settings(deadline=None)
@given(devices, elements, constants, activities, st.integers(0, 2), st.floats(1, 10))
def test_more_work_in_the_same_time_never_takes_less_power(
    name: str, element: str, held: dict[str, float], does: tuple[float, ...], which: int, times_more: float
):
    chip = Chip.of(GPUS[name], element)
    more = [number * (times_more if place == which else 1) for place, number in enumerate(does)]
    less_w, more_w = (one(board_power(row(numbers), chip, held).watts) for numbers in (does, more))
    assert more_w >= less_w * (1 - 1e-12)


@settings(deadline=None)
@given(devices, elements, constants, activities, st.floats(1, 10))
def test_the_same_work_in_more_time_never_takes_less_energy(
    name: str, element: str, held: dict[str, float], does: tuple[float, float, float, float], times_longer: float
):
    chip = Chip.of(GPUS[name], element)
    quick, slow = row(does), row((*does[:3], does[3] * times_longer))
    energies = [one(board_power(act, chip, held).energy_nj(act.ns)) for act in (quick, slow)]
    assert energies[1] >= energies[0] * (1 - 1e-9)


@settings(deadline=None)
@given(devices, elements, activities)
def test_energy_by_component_is_linear_and_independent_of_time(
    name: str, element: str, does: tuple[float, float, float, float]
):
    once = component_energy(row(does), GPUS[name], element)
    twice = component_energy(row((2 * does[0], 2 * does[1], 2 * does[2], 3 * does[3])), GPUS[name], element)
    for part in once:
        assert one(twice[part]) == pytest.approx(2 * one(once[part]))


seconds = st.floats(1e-3, 10)
meters = st.builds(Meter, st.floats(0, 3), st.floats(0, 1), st.floats(0, 1e-2), st.floats(50, 500))


def run_of(run_s: float, before: Activity, before_s: float, gb: float = 0, sequences: float = 0) -> Run:
    return Run(np.array([run_s]), before, *(np.array([number]) for number in (before_s, gb, sequences)))


@settings(deadline=None)
@given(devices, constants, activities, activities, meters, seconds, seconds, st.floats(0, 10), st.floats(0, 2048))
def test_a_meter_shows_a_mean_of_the_kernel_the_pause_and_the_kernel_before(
    name: str,
    held: dict[str, float],
    does: tuple[float, ...],
    earlier: tuple[float, ...],
    meter: Meter,
    run_s: float,
    before_s: float,
    gb: float,
    sequences: float,
):
    chip = Chip.of(GPUS[name], "f16")
    power, before = (board_power(row(numbers), chip, held) for numbers in (does, earlier))
    shown = one(meter.reading(power, before, run_of(run_s, row(earlier), before_s, gb, sequences)))
    levels = (one(power.watts), one(before.watts), meter.set_up_w)
    assert min(levels) * (1 - 1e-9) <= shown <= max(levels) * (1 + 1e-9)


@settings(deadline=None)
@given(devices, constants, activities, meters, seconds, st.floats(1, 10))
def test_a_meter_shows_more_of_longer_runs(
    name: str, held: dict[str, float], does: tuple[float, ...], meter: Meter, run_s: float, times_longer: float
):
    power = board_power(row(does), Chip.of(GPUS[name], "f16"), held)
    away = [
        abs(one(meter.reading(power, power, run_of(length, row(does), 1e-9))) - one(power.watts))
        for length in (run_s, run_s * times_longer)
    ]
    assert away[1] <= away[0] * (1 + 1e-6) + 1e-6


def test_rows_are_independent_of_each_other():
    draw = np.random.default_rng(0)
    flops, dram, l2 = draw.uniform(1, 1e12, (3, 50))
    many = Activity(flops, dram, l2, draw.uniform(1e3, 1e6, 50))
    chip = Chip.of(GPUS["h200_sxm"], "bf16")
    together = board_power(many, chip).watts
    for place in range(50):
        alone = row([float(getattr(many, name)[place]) for name in ("flops", "dram_bytes", "l2_bytes", "ns")])
        assert one(board_power(alone, chip).watts) == pytest.approx(float(together[place]))

"""A GPU's energy in round numbers, and fits of a board's constants to power values computed from known constants."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from dialects.diagnostics import InputError
from interp.kinds.gpu.chip import Chip
from interp.kinds.gpu.constants.calibration import Calibration, Record, calibration_of, calibration_text
from interp.kinds.gpu.constants.known import constants_for
from interp.kinds.gpu.constants.power_fit import Metered, fit_board
from interp.kinds.gpu.power import BOARD, Activity, Meter, board_power, component_energy
from interp.machine.records import Gpu
from interp.machine.sheets.files import load_device

HELD = {"idle": 0.2, "active": 0.1, "arithmetic": 0.5, "dram": 0.3, "l2": 0.1, "cap": 0.9, "sharpness": 40.0}


def gpu(name: str) -> Gpu:
    record = load_device(name)
    assert isinstance(record, Gpu)
    return record


def at(chip: Chip, flops: float = 0, dram: float = 0) -> Activity:
    """Return the activity of a kernel of 1 ms that computes at the fraction `flops` of the peak rate and moves data at
    the fraction `dram` of the DRAM bandwidth."""
    ns = np.array([1e6])
    return Activity(flops * chip.matrix_rate * ns / 1e9, dram * chip.bandwidth * ns / 1e9, 0 * ns, ns)


def test_a_board_of_1000_watts():
    chip = Chip.of(gpu("b200_sxm"), "bf16")
    watts = [float(board_power(at(chip, flops, dram), chip, HELD).watts[0]) for flops, dram in ((0, 0), (0.4, 0.5))]
    assert watts == pytest.approx([300, 650], rel=1e-3)
    assert float(board_power(at(chip, 1, 1), chip, HELD).watts[0]) == pytest.approx(900, rel=0.01)


def test_an_operation_of_twice_the_rate_takes_half_the_energy():
    record = gpu("h200_sxm")
    halves = [Chip.of(record, element) for element in ("f16", "f8")]
    done = at(halves[0], flops=0.2)
    nothing = board_power(at(halves[0]), halves[0], HELD).watts
    parts = [float((board_power(done, chip, HELD).watts - nothing)[0]) for chip in halves]
    assert parts[0] / parts[1] == pytest.approx(2, rel=1e-3)


def test_energy_is_power_over_time():
    chip = Chip.of(gpu("b200_sxm"), "bf16")
    power = board_power(at(chip), chip, HELD)
    assert float(power.energy_nj(np.array([1e6]))[0]) == pytest.approx(300e6)  # 300 W for a millisecond: 0.3 J


def test_energy_by_component_of_an_a100():
    done = Activity(*(np.array([number]) for number in (1e6, 1e6, 1e6, 1e3)))
    half, single = (component_energy(done, gpu("a100_40_sxm"), element) for element in ("f16", "f32"))
    assert {name: float(nj[0]) for name, nj in half.items()} == pytest.approx(
        {"arithmetic": 160, "dram": 28720, "l2": 2400}
    )
    assert float(single["arithmetic"][0]) == pytest.approx(160 * 4.6 / 1.5)


def test_a_pause_as_long_as_the_run_halves_the_measured_power():
    chip = Chip.of(gpu("b200_sxm"), "bf16")
    power = board_power(at(chip, 0.4, 0.5), chip, HELD)
    assert float(Meter(0.5).reading(power, np.array([0.5]))[0]) == pytest.approx((200 + 650) / 2, rel=1e-3)


def test_constants_are_recovered_from_measured_power():
    pytest.importorskip("scipy")
    draw = np.random.default_rng(3)
    chip = Chip.of(gpu("h200_sxm"), "bf16")
    known = {"idle": 0.19, "active": 0.2, "arithmetic": 0.7, "dram": 0.35, "l2": 0.2, "cap": 0.97, "sharpness": 12.0}
    kinds: list[Metered] = []
    for pause in (0.1, 0.02):
        ns = 10 ** draw.uniform(3, 6.5, 300)
        flops, dram, l2 = (
            draw.uniform(0, 1, 300) ** 2 * peak * ns / 1e9
            for peak in (chip.matrix_rate, chip.bandwidth, 64 * chip.sms * chip.clock_hz)
        )
        done, run_s = Activity(flops, dram, l2, ns), np.minimum(3000 * ns * 1e-9, 3)
        kinds.append(Metered(done, chip, Meter(pause).reading(board_power(done, chip, known), run_s), run_s))
    found = fit_board(kinds)
    for name, tolerance in (("idle", 0.15), ("active", 0.3), ("arithmetic", 0.1), ("dram", 0.1), ("cap", 0.03)):
        assert found.constants[name] == pytest.approx(known[name], rel=tolerance), name
    for kind, meter in zip(kinds, found.meters, strict=True):
        shown = meter.reading(board_power(kind.activity, chip, found.constants), kind.run_s)
        assert float(np.mean(np.abs(shown / kind.watts - 1))) < 0.05


def test_a_calibration_stores_the_constants_of_power():
    text = calibration_text(Calibration("gpu", "mine", {("power", "board"): Record("power", "board", HELD, "a meter")}))
    assert "class power board" in text
    read = calibration_of(text, "mine.calibration").records["power", "board"]
    assert dict(read.constants) == pytest.approx(HELD)


def test_a_board_without_measurements_uses_constants_of_the_nearest_family(monkeypatch: pytest.MonkeyPatch):
    known = {
        ("family", name): (Calibration("family", name, {("power", "board"): Record("power", "board", HELD, "read")}),)
        for name in ("hopper", "blackwell")
    }

    def found_for(_: Gpu) -> Mapping[tuple[str, str], tuple[Calibration, ...]]:
        return known

    monkeypatch.setattr("interp.kinds.gpu.constants.known.calibrations_for", found_for)
    found = {name: constants_for(gpu(name), "power", "board") for name in ("h100_sxm", "l4", "a100_40_sxm", "b200_sxm")}
    families = {name: each.origin.removesuffix(": read").split()[-2] for name, each in found.items()}
    assert families == {"h100_sxm": "hopper", "l4": "hopper", "a100_40_sxm": "hopper", "b200_sxm": "blackwell"}
    assert all(each.transferred for each in found.values())


def test_only_power_of_the_board_is_accepted():
    with pytest.raises(InputError, match="write `class power board`") as caught:
        calibration_of("calibration gpu mine\n  class power bf16\n    idle 0.2\n", "mine.calibration")
    assert caught.value.place == "mine.calibration:2:15"
    assert BOARD.element == "board"

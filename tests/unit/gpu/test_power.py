"""A GPU's energy in round numbers, and fits of a board's constants to power values computed from known constants."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from dialects.diagnostics import InputError
from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.constants.calibration import Calibration, Record, calibration_of, calibration_text
from interp.kinds.gpu.constants.known import constants_for, power_in_words
from interp.kinds.gpu.constants.power_fit import Metered, fit_board
from interp.kinds.gpu.meter import Meter, Run
from interp.kinds.gpu.power import BOARD, Activity, board_power, component_energy
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


def run_of(activity: Activity, run_s: Floats, before_s: Floats) -> Run:
    """Return runs of kernels, each after a run of the kernel itself, without anything to set up."""
    return Run(run_s, activity, before_s, 0 * run_s, 0 * run_s)


def test_half_of_the_readings_of_a_run_of_one_second_is_older():
    """Readings are means over the second before: in a run of 1 s they rise from none to all of the kernel's power, and
    in one of 2 s, the last half of the readings shows it alone."""
    chip = Chip.of(gpu("b200_sxm"), "bf16")
    activity = at(chip, 0.4, 0.5)
    power, ended = board_power(activity, chip, HELD), np.array([0.0])
    for run_s, share in ((0.5, 0.25), (1, 0.5), (2, 0.75)):
        shown = Meter(0, 0, 0, 250).reading(power, power, run_of(activity, np.array([run_s]), ended))
        assert float(shown[0]) == pytest.approx(250 + share * (650 - 250), rel=1e-3)


def test_readings_contain_the_kernel_before_unless_the_pause_is_long():
    chip = Chip.of(gpu("b200_sxm"), "bf16")
    activity, second = at(chip, 0.4, 0.5), np.array([1.0])
    power = board_power(activity, chip, HELD)
    run = run_of(activity, second, second)
    shown = [float(Meter(pause, 0, 0, 250).reading(power, power, run)[0]) for pause in (0, 0.5, 1, 5)]
    assert shown == pytest.approx([650, 500, 450, 450], rel=1e-3)
    assert shown[1] == pytest.approx(650 - (650 - 250) * 3 / 8, rel=1e-3)  # the mean of min(0.5, 1 - t) is 3/8


def test_constants_are_recovered_from_measured_power():
    pytest.importorskip("scipy")
    draw = np.random.default_rng(3)
    chip = Chip.of(gpu("h200_sxm"), "bf16")
    known = {"idle": 0.19, "active": 0.2, "arithmetic": 1.1, "dram": 0.35, "l2": 0.15, "cap": 0.97, "sharpness": 12.0}
    kinds: list[Metered] = []
    for pause in (0.1, 0.02):
        ns = 10 ** draw.uniform(3, 6.5, 300)
        flops, dram, l2 = (
            draw.uniform(0, 1, 300) ** 2 * peak * ns / 1e9
            for peak in (chip.matrix_rate, chip.bandwidth, 64 * chip.sms * chip.clock_hz)
        )
        done, run_s = Activity(flops, dram, l2, ns), np.minimum(3000 * ns * 1e-9, 1)
        run, power = run_of(done, run_s, run_s), board_power(done, chip, known)
        kinds.append(Metered(done, chip, Meter(pause, 0, 0, 133).reading(power, power, run), run))
    found = fit_board(kinds)
    for name, tolerance in (("idle", 0.15), ("active", 0.3), ("arithmetic", 0.1), ("dram", 0.1), ("cap", 0.03)):
        assert found.constants[name] == pytest.approx(known[name], rel=tolerance), name
    for kind, meter in zip(kinds, found.meters, strict=True):
        assert float(np.mean(np.abs(kind.shown(found.constants, meter) / kind.watts - 1))) < 0.05


def test_readings_of_long_runs_need_no_meter():
    pytest.importorskip("scipy")
    chip = Chip.of(gpu("h200_sxm"), "bf16")
    parts = [at(chip, flops, dram) for flops in (0, 0.1, 0.2, 0.3) for dram in (0, 0.2, 0.4, 0.6, 0.8)]
    done = Activity(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("flops", "dram_bytes", "l2_bytes", "ns"))
    )
    known = {**HELD, "arithmetic": 1.2}
    found = fit_board([Metered(done, chip, board_power(done, chip, known).watts)])
    assert found.meters == [None]
    shown = board_power(done, chip, found.constants).watts
    assert shown == pytest.approx(board_power(done, chip, known).watts, rel=0.15)


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

    def found_for(_: Gpu, library: str) -> Mapping[tuple[str, str], tuple[Calibration, ...]]:
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


def test_a_calibration_states_the_error_of_each_class(monkeypatch: pytest.MonkeyPatch):
    text = """calibration gpu h200_sxm
      class power board "fitted on 100 readings (prefill bf16)"
        idle 0.2
      class power.prefill bf16 "fitted on 80 kernels; energy 14 % off on 20 others"
    """
    mine = calibration_of(text, "mine.calibration")
    assert calibration_of(calibration_text(mine), "mine.calibration").records == mine.records

    def found_for(_: Gpu, library: str) -> Mapping[tuple[str, str], tuple[Calibration, ...]]:
        hopper = Calibration("family", "hopper", {("power", "board"): mine.records["power", "board"]})
        return {("gpu", "h200_sxm"): (mine,), ("family", "hopper"): (hopper,)}

    monkeypatch.setattr("interp.kinds.gpu.constants.known.calibrations_for", found_for)
    own, other = gpu("h200_sxm"), gpu("h100_sxm")
    assert power_in_words(own, "prefill", "bf16") == "fitted on 80 kernels; energy 14 % off on 20 others"
    assert power_in_words(own, "prefill", "f16").startswith("error unknown for prefill f16; fitted on 100 readings")
    assert power_in_words(own, "softmax", "bf16").startswith("error unknown for softmax bf16; ")
    transferred = (
        "error unknown for this GPU; transferred from the hopper family: fitted on 100 readings (prefill bf16)"
    )
    assert power_in_words(other, "prefill", "bf16") == transferred


def test_an_error_of_energy_has_no_constants():
    with pytest.raises(InputError, match=r"power\.gemm has no constant `idle`"):
        calibration_of("calibration gpu mine\n  class power.gemm bf16\n    idle 0.2\n", "mine.calibration")

"""Sheets of GPUs: each number has a source, and derived numbers are consistent."""

from __future__ import annotations

import pytest

from interp.kinds.gpu.chip import Chip
from interp.machine.records import Gpu, Link
from interp.machine.sheets.files import list_devices, load_device, load_link

GPUS = sorted(
    name for name, kind, _ in list_devices() if kind == "gpu" and load_device(name).file.endswith("nvidia.sheet")
)
LANES = {"p100": 64, "v100_sxm2": 64, "v100_pcie": 64, "t4": 64, "rtx2060": 64, "rtx2080ti": 64} | dict.fromkeys(
    ("a100_40_sxm", "a100_80_sxm", "a100_40_pcie", "a100_80_pcie"), 64
)
"""The f32 lanes per multiprocessor of GPUs with other numbers than 128."""


def gpu(name: str) -> Gpu:
    record = load_device(name)
    assert isinstance(record, Gpu)
    return record


def test_the_number_of_gpu_sheets():
    assert len(GPUS) == 25


@pytest.mark.parametrize("name", GPUS)
def test_every_number_has_a_source(name: str):
    record = gpu(name)
    for path in ("clock", "units", "memory", "bandwidth", "l2", "shared", "threads", "tdp", "idle", "launch"):
        source = record.sources[path]
        assert len(source) > 8, (path, source)
        assert "set in" not in source, (path, source)
    for section, rates in (("rate", record.rates), ("matrix", record.matrix_rates), ("energy", record.flop_pjs)):
        assert all(record.sources[f"{section}.{element}"] for element in rates)


@pytest.mark.parametrize("name", GPUS)
def test_the_f32_rate_is_two_operations_per_lane_and_cycle(name: str):
    record = gpu(name)
    peak = 2 * LANES.get(name, 128) * record.units * record.clock_hz
    assert record.rates["f32"] == pytest.approx(peak, rel=0.02)


@pytest.mark.parametrize("name", GPUS)
def test_narrower_types_are_no_slower_and_take_no_more_energy(name: str):
    record = gpu(name)
    matrix = record.matrix_rates
    for wide, narrow in (("tf32", "f16"), ("f16", "f8"), ("f16", "i8")):
        if wide in matrix and narrow in matrix:
            assert matrix[narrow] >= matrix[wide]
    assert record.flop_pj_of("i8") <= record.flop_pj_of("f16") <= record.flop_pj_of("f32")


@pytest.mark.parametrize("name", GPUS)
def test_powers_and_clocks_are_in_order(name: str):
    record = gpu(name)
    assert 0 < record.idle_w < 0.3 * record.tdp_w
    assert record.base_hz <= record.clock_hz
    assert 0 < record.dispatch_ns["stream"] < record.dispatch_ns["eager"]


def test_multiprocessors_of_boards_with_wrong_published_tables():
    assert (gpu("l4").units, gpu("p4").units) == (58, 20)


def test_the_a100_sheet_is_the_40_gb_board():
    short, full = gpu("a100"), gpu("a100_40_sxm")
    assert (short.rates, short.matrix_rates, short.bandwidth) == (full.rates, full.matrix_rates, full.bandwidth)


def test_links_of_boards():
    rates = {name: load_link(name).bandwidth / 1e9 for name in ("pcie3", "pcie4", "pcie5", "nvlink2", "nvlink4")}
    assert rates == {"pcie3": 15.75, "pcie4": 31.5, "pcie5": 63, "nvlink2": 150, "nvlink4": 450}
    assert all(isinstance(load_link(name), Link) for name in rates)


def test_narrow_floats_are_never_slower_than_f32():
    """A P4 (Pascal) computes f16 at 1/64 of the rate of f32. Libraries therefore convert f16 operands to f32, so f16
    takes the rate of f32."""
    p4, p100 = gpu("p4"), gpu("p100")
    assert p4.rates["f16"] < p4.rates["f32"]
    assert Chip.of(p4, "f16").matrix_rate == Chip.of(p4, "f16").rate == p4.rates["f32"]
    assert Chip.of(p100, "f16").rate == p100.rates["f16"]
    assert Chip.of(p4, "f64").rate == p4.rates["f64"]

"""Tests of the components of a bank program's time, limit and energy, against calculations by hand and PIMFlow's
energies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dialects.pim import KernelOp
from interp.kinds.pim.timing.clock import kernel_time
from interp.kinds.pim.timing.requests.channel import Issued
from interp.kinds.pim.timing.waits import waits_of
from interp.machine.records import Pim, TimingConstraint, Verb
from interp.machine.sheets import load_device
from tests.pim_sheets import small_pim, verb_of
from tests.programs import parse


def kernel(text: str) -> KernelOp:
    return next(op for op in parse(text).walk() if isinstance(op, KernelOp))


TILES = """
pim.kernel @tiles on @pim (%x: memref<512xf16>) -> (%y: memref<2x16xf32>) {
  pim.load %x
  pim.for %r = 0 to 2 {
    pim.for %g = 0 to 4 { pim.act group %g row %r }
    pim.mac all columns 0 to 32
    pim.drain all to %y[%r]
  }
}
"""


def test_energy_equals_the_simulator_s() -> None:
    """PIMFlow_ramulator (commit 8dbb92f, MIT licence) prints 266 cycles and 2.42526e-07 J for these two tiles."""
    pim = load_device("newton_pimflow")
    assert isinstance(pim, Pim)
    time = kernel_time(kernel(TILES), pim)
    assert (time.cycles, time.counts) == (266, {"load": 1, "act": 8, "mac": 64, "drain": 2})
    assert sum(time.energy_nj.values()) == pytest.approx(242.526, rel=5e-6)


TWICE = """
pim.kernel @twice on @pim (%x: memref<2x16xf32>) -> (%y: memref<2x4xf32>) {
  pim.channels %c = 0 to 2 {
    pim.load %x[%c]
    pim.act group 0 row 0
    pim.act bank 3 row 0
    pim.mac all columns 0 to 4
    pim.mac bank 1 columns 0 to 2
    pim.drain all to %y[%c]
  }
}
"""


def device() -> Pim:
    """A device with 4 channels of 4 banks; a multiply takes 3 cycles if it uses all banks, otherwise 2."""
    pim = small_pim(channels=4, checked=False, bit_pj=0.5)
    energies = {"act": (1.0, 10.0), "mac": (0.0, 2.0), "drain": (7.0, 0.0)}
    verbs = {name: Verb(name, verb.forms, "", *energies.get(name, (0.0, 0.0))) for name, verb in pim.verbs.items()}
    constraints = (
        TimingConstraint("channel", "mac", "mac", 3, before_scope="all"),
        TimingConstraint("channel", "mac", "mac", 2),
    )
    return replace(pim, verbs=verbs, constraints=constraints)


def test_energy_is_reported_by_cause() -> None:
    """Each of two channels activates a group (two banks) and a bank, and multiplies columns of all four banks and of
    one."""
    time = kernel_time(kernel(TWICE), device())
    found = {cause: nj for cause, nj in time.energy_nj.items() if nj}
    bits = 2 * (16 + 4) * 4 * 8
    assert found == {
        "act": 2 * (1 + 2 * 10 + 1 + 10),
        "mac": 2 * (4 * 4 * 2 + 2 * 2),
        "drain": 2 * 7,
        "data bus": pytest.approx(bits * 0.5 / 1e3),
    }


def test_the_limit_is_the_time_with_all_banks_busy() -> None:
    """The limit is the time of the program's 36 column multiplies if each of the 4 channels multiplies 4 columns every
    3 cycles, all banks at once: a single bank multiplies only 1 column every 2 cycles."""
    time = kernel_time(kernel(TWICE), device())
    assert time.channels == 2
    assert time.limit_ns == pytest.approx(2 * (4 * 4 + 2) / (4 / 3) / 4)
    assert time.limit_ns <= time.ns


def test_waiting_cycles_are_reported_by_cause() -> None:
    time = kernel_time(kernel(TWICE), device())
    assert time.causes == {"mac cadence": 15, "buffer fill": 4, "row cycles": 2, "drains": 1}
    assert sum(time.causes.values()) == time.cycles
    assert time.bound == "mac cadence"


def test_a_slow_data_bus_is_reported_as_the_bound() -> None:
    time = kernel_time(kernel(TWICE), replace(device(), bus_bandwidth=1e9))
    assert (time.ns, time.bound) == (80.0, "data bus")


def test_waiting_cycles_are_found_from_a_log() -> None:
    """Timing constraints explain the wait of a multiply 10 cycles after its activate, and of one 2 cycles after the
    previous multiply. No constraint explains that the last multiply is issued 7 cycles after the one before it."""
    constraints = (TimingConstraint("bank", "act", "mac", 10), TimingConstraint("channel", "mac", "mac", 2))
    verbs = {verb: verb_of(verb, "bank") for verb in ("act", "mac")}
    log = [Issued(cycle, mnemonic, 1, 0) for cycle, mnemonic in ((1, "ACT"), (11, "MAC"), (13, "MAC"), (20, "MAC"))]
    assert waits_of(log, small_pim(constraints=constraints, verbs=verbs)) == {"act": 1 + 10, "mac": 2 + 7}

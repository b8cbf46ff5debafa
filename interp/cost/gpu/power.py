"""Power and energy of GPU kernels in two accountings: by component, as papers on PIM count, and of the whole board with
its idle power and its power limit, as a meter shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from interp.cost.gpu.chip import Chip, Floats
from interp.cost.gpu.kernel_class import Constant, Constants, Estimate
from interp.machine.records import Gpu


@dataclass(frozen=True, slots=True)
class Activity:
    """The activity of kernels while they run; all arrays have one entry a kernel."""

    flops: Floats
    """Operations that are executed."""
    dram_bytes: Floats
    l2_bytes: Floats
    """Bytes between L2 and the multiprocessors."""
    ns: Floats
    """The time of each kernel, predicted or measured."""

    @staticmethod
    def of(estimate: Estimate, chip: Chip, ns: Floats | None = None) -> Activity:
        """The activity of estimated kernels, over `ns` where their time is known otherwise."""
        return Activity(estimate.flops, estimate.dram_bytes, estimate.l2_bytes, estimate.ns if ns is None else ns)


@dataclass(frozen=True, slots=True)
class Power:
    """Power of a board while each kernel runs, W. `terms` add up to what it would be without the power limit."""

    watts: Floats
    idle_w: Floats
    """Power of the board while no kernel runs."""
    terms: Mapping[str, Floats]

    def energy_nj(self, ns: Floats) -> Floats:
        """Energy of each kernel over its time, static power included; 1 W for 1 ns is 1 nJ."""
        return self.watts * ns


BOARD_CONSTANTS = (
    Constant("idle", "", 0.22, 0.01, 0.6, "power without kernels, as a share of the power limit"),
    Constant("active", "", 0.3, 0.001, 0.8, "power of clocks and schedulers while any kernel runs, likewise"),
    Constant("arithmetic", "", 0.85, 0.05, 5, "power of contractions at the peak rate of their type, likewise"),
    Constant("dram", "", 0.23, 0.02, 3, "power of traffic at the DRAM's peak bandwidth, likewise"),
    Constant("l2", "", 0.19, 0.002, 3, "power of traffic of 64 bytes a clock to every multiprocessor, likewise"),
    Constant("cap", "", 1.0, 0.4, 1.05, "sustained share of the power limit at which the board slows down"),
    Constant("sharpness", "", 10, 2, 40, "how abruptly it does: 2 early and softly, large only at the limit"),
)
"""All ratios to datasheet numbers, so that they hold, as far as they do, on another GPU of the family: a newer process
shows in its rates and its power limit."""


@dataclass(frozen=True, slots=True)
class BoardModel:
    """The name in calibrations of the model of a board's power, beside those of kernel classes."""

    name: str
    element: str
    constants: tuple[Constant, ...]


BOARD = BoardModel("power", "board", BOARD_CONSTANTS)

L2_BYTES_A_CLOCK = 64.0
"""The traffic to one multiprocessor that the constant `l2` refers to."""


def board_power(activity: Activity, chip: Chip, constants: Constants | None = None) -> Power:
    """Power of the whole board while kernels run: idle power, that of clocks, and the energy of arithmetic and traffic
    over the kernel's time, up to the board's power limit. Never falls with any activity."""
    held = {**{constant.name: constant.start for constant in BOARD_CONSTANTS}, **(constants or {})}
    seconds = activity.ns * 1e-9
    l2_peak = L2_BYTES_A_CLOCK * chip.sms * chip.clock_hz
    terms = {
        "idle": held["idle"] * chip.tdp_w * np.ones_like(seconds),
        "active": held["active"] * chip.tdp_w * np.ones_like(seconds),
        "arithmetic": held["arithmetic"] * chip.tdp_w * activity.flops / (chip.matrix_rate * seconds),
        "dram": held["dram"] * chip.tdp_w * activity.dram_bytes / (chip.bandwidth * seconds),
        "l2": held["l2"] * chip.tdp_w * activity.l2_bytes / (l2_peak * seconds),
    }
    wanted = np.sum([*terms.values()], axis=0)
    limit = held["cap"] * chip.tdp_w
    return Power(_soft_min(held["sharpness"], wanted, limit), terms["idle"], terms)


def component_energy(activity: Activity, gpu: Gpu, element: str) -> Mapping[str, Floats]:
    """Energy of kernels by component, nJ: operations of an element type, bytes from and to DRAM, bytes between L2 and
    the multiprocessors. No static power, no clocks, no losses of the board: what papers on PIM charge a GPU."""
    return {
        "arithmetic": activity.flops * gpu.flop_pj_of(element) / 1e3,
        "dram": activity.dram_bytes * gpu.byte_pj / 1e3,
        "l2": activity.l2_bytes * gpu.l2_byte_pj / 1e3,
    }


@dataclass(frozen=True, slots=True)
class Meter:
    """The reading of a slow power meter for kernels that are repeated for a while: its window sees the pauses before
    and between such runs too, so that its mean reading lies at `run / (run + pause)` of the way from idle power to the
    kernel's. A pause is longer where more operands are set up."""

    pause_s: float
    pause_s_a_gb: float = 0.0

    def reading(self, power: Power, run_s: Floats, set_up_bytes: Floats | float = 0.0) -> Floats:
        """Mean reading over runs of `run_s` seconds, W."""
        pause = self.pause_s + self.pause_s_a_gb * set_up_bytes / 1e9
        return power.idle_w + (power.watts - power.idle_w) * run_s / (run_s + pause)


def _soft_min(exponent: float, first: Floats, second: Floats) -> Floats:
    """A minimum with a rounded corner: `(a^-p + b^-p)^(-1/p)`."""
    least = np.minimum(first, second)
    return least * ((least / first) ** exponent + (least / second) ** exponent) ** (-1 / exponent)

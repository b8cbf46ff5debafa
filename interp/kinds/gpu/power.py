"""Power and energy of GPU kernels in two accountings: by component, as in papers on PIM, and of the whole board with
idle power and power limit, as a meter measures it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.kernel_class import Constant, Constants, Estimate, GpuModel
from interp.machine.records import Gpu


@dataclass(frozen=True, slots=True)
class Activity:
    """The work of kernels by which their power is computed; all arrays have one entry per kernel."""

    flops: Floats
    """Operations that each kernel executes."""
    dram_bytes: Floats
    l2_bytes: Floats
    """Bytes that each kernel moves between L2 and the multiprocessors."""
    ns: Floats
    """The time of each kernel in ns, predicted or measured."""

    @staticmethod
    def of(estimate: Estimate, ns: Floats) -> Activity:
        """The activity of kernels by their estimates, over the times `ns`."""
        return Activity(estimate.flops, estimate.dram_bytes, estimate.l2_bytes, ns)


@dataclass(frozen=True, slots=True)
class Power:
    """Power of a board while each kernel runs, W."""

    watts: Floats
    idle_w: Floats
    """Power of the board while no kernel runs, W."""

    def energy_nj(self, ns: Floats) -> Floats:
        """Energy of each kernel over its time, static power included; 1 W for 1 ns is 1 nJ."""
        return self.watts * ns


BOARD_CONSTANTS = (
    Constant("idle", "", 0.22, 0.01, 0.6, "idle power, as a share of the power limit"),
    Constant(
        "active",
        "",
        0.3,
        0.001,
        0.8,
        "power of clocks and schedulers while any kernel runs, as a share of the power limit",
    ),
    Constant(
        "arithmetic",
        "",
        1.3,
        0.05,
        5,
        "power of contractions at the peak rate of their type, as a share of the power limit",
    ),
    Constant("dram", "", 0.35, 0.02, 3, "power of traffic at the DRAM's peak bandwidth, as a share of the power limit"),
    Constant(
        "l2", "", 0.15, 0.002, 3, "power of L2 traffic of 64 B/clock per multiprocessor, as a share of the power limit"
    ),
    Constant("cap", "", 1.0, 0.4, 1.05, "sustained share of the power limit at which the board slows down"),
    Constant("sharpness", "", 8, 2, 40, "abruptness of the slowdown: 2 early and softly, large only at the limit"),
)
"""The constants of the model of board power. All are ratios to data sheet numbers, so that they transfer approximately
to other GPUs of the family: a newer process is reflected in its rates and its power limit."""


BOARD = GpuModel("power", "board", "The power of the whole board, for kernels of all classes.", BOARD_CONSTANTS)

L2_BYTES_PER_CLOCK = 64.0
"""The traffic between L2 and one multiprocessor, in bytes per clock, for which the constant `l2` states the power."""


def board_power(activity: Activity, chip: Chip, constants: Constants | None = None) -> Power:
    """Power of the whole board while kernels run: idle power, power of the clocks, and energy of arithmetic and traffic
    divided by the kernel's time, up to the board's power limit. Monotone in every activity."""
    held = {**{constant.name: constant.start for constant in BOARD_CONSTANTS}, **(constants or {})}
    seconds = activity.ns * 1e-9
    l2_peak = L2_BYTES_PER_CLOCK * chip.sms * chip.clock_hz
    idle_w = held["idle"] * chip.tdp_w * np.ones_like(seconds)
    parts = (
        idle_w,
        held["active"] * chip.tdp_w * np.ones_like(seconds),
        held["arithmetic"] * chip.tdp_w * activity.flops / (chip.matrix_rate * seconds),
        held["dram"] * chip.tdp_w * activity.dram_bytes / (chip.bandwidth * seconds),
        held["l2"] * chip.tdp_w * activity.l2_bytes / (l2_peak * seconds),
    )
    wanted = np.sum(parts, axis=0)
    limit = held["cap"] * chip.tdp_w
    return Power(_soft_min(held["sharpness"], wanted, limit), idle_w)


def component_energy(activity: Activity, gpu: Gpu, element: str) -> Mapping[str, Floats]:
    """Energy of kernels by component, nJ: operations of an element type, bytes from and to DRAM, bytes between L2 and
    the multiprocessors. Static power, clocks and losses of the board are excluded, as in papers on PIM."""
    return {
        "arithmetic": activity.flops * gpu.flop_pj_of(element) / 1e3,
        "dram": activity.dram_bytes * gpu.byte_pj / 1e3,
        "l2": activity.l2_bytes * gpu.l2_byte_pj / 1e3,
    }


def _soft_min(exponent: float, first: Floats, second: Floats) -> Floats:
    """A smooth minimum: `(a^-p + b^-p)^(-1/p)`."""
    least = np.minimum(first, second)
    return least * ((least / first) ** exponent + (least / second) ** exponent) ** (-1 / exponent)

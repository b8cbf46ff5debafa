"""A model of the readings of a power meter that averages over a window, for kernels that are measured one after another
and repeated for about as long as the window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interp.kinds.gpu.chip import Floats
from interp.kinds.gpu.power import Activity, Power

WINDOW_S = 1.0
"""The time over which a reading averages, s. Source: NVML's documentation of `nvmlDeviceGetPowerUsage`, for GPUs since
Ampere except the A100; Yang et al., "Part-time Power Measurements", arXiv:2312.02741, measured it on an H100."""


@dataclass(frozen=True, slots=True)
class Run:
    """The repetition of kernels while a meter is read, from the first to the last repetition; one entry per kernel."""

    seconds: Floats
    before: Activity
    """The kernel that was measured before each kernel."""
    before_s: Floats
    """The time for which that kernel was repeated, s."""
    set_up_gb: Floats
    """The memory that is set up between the two, GB."""
    sequences: Floats
    """The parts of it that are set up one after another."""


@dataclass(frozen=True, slots=True)
class Meter:
    """The pause between two runs of kernels of one kind, in which operands are set up, and the board's power in it: a
    meter's readings contain both."""

    pause_s: float
    pause_s_a_gb: float
    pause_s_a_sequence: float
    set_up_w: float
    """Power of the board in pauses, W."""

    def reading(self, power: Power, before: Power, run: Run) -> Floats:
        """The mean of the readings during a run, W; `before`: the power of the kernels `run.before`.

        Each reading is the mean power over the window that ends then, so that it contains the pause, and the kernel
        before it, until the run lasts as long as the window.
        """
        pause = self.pause_s + self.pause_s_a_gb * run.set_up_gb + self.pause_s_a_sequence * run.sequences
        own = 1 - _older(run.seconds, 0 * pause)
        earlier = _older(run.seconds, pause) - _older(run.seconds, pause + run.before_s)
        return self.set_up_w + (power.watts - self.set_up_w) * own + (before.watts - self.set_up_w) * earlier


def _older(run_s: Floats, age_s: Floats) -> Floats:
    """The part of the window that is more than `age_s` before the run's start, as the mean over the run."""
    reach = np.maximum(WINDOW_S - age_s, 0)
    until = np.minimum(run_s, reach)
    return (reach * until - until**2 / 2) / (WINDOW_S * run_s)

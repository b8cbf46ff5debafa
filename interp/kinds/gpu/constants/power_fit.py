"""Fits the constants of a board's power to meter readings taken while kernels were repeated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.kernel_class import Constants
from interp.kinds.gpu.meter import WINDOW_S, Meter, Run
from interp.kinds.gpu.power import BOARD_CONSTANTS, Activity, board_power

_METER = ((0.1, 1e-3, 3.0), (0.02, 1e-3, 2.0), (1e-4, 1e-6, 3e-3), (0.28, 0.05, 0.6))
"""Start value and bounds of each number of a meter: seconds of a pause, seconds per GB that is set up, seconds per
sequence, and the power meanwhile, as a share of the power limit."""
_LEAST = 0.02
"""The weight of a reading during the shortest runs, relative to runs of the meter's window and more. The weight grows
with the run's length, because the reading of a short run tells most about what happened before it."""
_DOUBT = 0.02
"""The weight of deviations from plausible values: a constant that is off by a factor of two costs about as much as this
relative error in all readings. Few readings separate arithmetic, L2 and DRAM traffic, which occur together."""


@dataclass(frozen=True)
class Metered:
    """Measured kernels of one source, each with the mean power in W that a meter showed while the kernel was
    repeated."""

    activity: Activity
    chip: Chip
    watts: Floats
    run: Run | None = None
    """The repetition of the kernels; None: so long that the meter shows their own power."""

    def shown(self, constants: Constants, meter: Meter | None) -> Floats:
        """The readings by constants of the board, W."""
        power = board_power(self.activity, self.chip, constants)
        if self.run is None or meter is None:
            return power.watts
        return meter.reading(power, board_power(self.run.before, self.chip, constants), self.run)


@dataclass(frozen=True)
class FittedBoard:
    """Fitted constants of a board's power, and for each source of measured kernels (`Metered`) its meter; None for
    kernels that were repeated for long."""

    constants: Mapping[str, float]
    meters: Sequence[Meter | None]


def fit_board(kinds: Sequence[Metered]) -> FittedBoard:
    """The constants that minimise the relative error of all readings, with equal weight for each `Metered` of `kinds`.
    Idle power is the lowest reading (the 1 % quantile). Needs scipy."""
    from scipy.optimize import least_squares

    idle = min(float(np.quantile(kind.watts, 0.01) / kind.chip.tdp_w) for kind in kinds)
    free = [constant for constant in BOARD_CONSTANTS if constant.name != "idle"]
    observed = sum(kind.run is not None for kind in kinds)
    starts, lows, highs = zip(*((one.start, one.low, one.high) for one in free), *(_METER * observed), strict=True)
    first, low, high = (np.log(values) for values in (starts, lows, highs))

    def unpack(values: Floats) -> tuple[dict[str, float], list[Meter | None]]:
        numbers = np.exp(values)
        constants = {one.name: float(number) for one, number in zip(free, numbers, strict=False)}
        each = iter(numbers[len(free) :].reshape(-1, len(_METER)))
        meters = [None if kind.run is None else _meter(next(each), kind.chip) for kind in kinds]
        return {"idle": idle, **constants}, meters

    def residuals(values: Floats) -> Floats:
        constants, meters = unpack(values)
        parts = [
            _robust(kind.shown(constants, meter) / kind.watts - 1) * _weight(kind)
            for kind, meter in zip(kinds, meters, strict=True)
        ]
        return np.concatenate([*parts, _DOUBT * (values - first)[: len(free)]])

    found = least_squares(residuals, first, bounds=(low - 1e-9, high + 1e-9))
    constants, meters = unpack(found.x)
    bounds = {one.name: (one.low, one.high) for one in BOARD_CONSTANTS}
    inside = {name: float(np.clip(value, *bounds[name])) for name, value in constants.items()}
    return FittedBoard(inside, meters)


def _meter(numbers: Floats, chip: Chip) -> Meter:
    pause_s, pause_s_a_gb, pause_s_a_sequence, set_up = (float(number) for number in numbers)
    return Meter(pause_s, pause_s_a_gb, pause_s_a_sequence, set_up * float(chip.tdp_w))


def _weight(kind: Metered) -> Floats:
    """The weights of a source's readings; their squares add up to 1."""
    if kind.run is None:
        return np.full(len(kind.watts), len(kind.watts) ** -0.5)
    weight = _LEAST + np.minimum(kind.run.seconds / WINDOW_S, 1)
    return weight / np.sqrt(np.sum(weight**2))


def _robust(errors: Floats, scale: float = 0.1) -> Floats:
    """Errors, damped so that their squares grow at most linearly beyond `scale`."""
    return np.sign(errors) * scale * np.sqrt(2 * (np.sqrt(1 + (errors / scale) ** 2) - 1))

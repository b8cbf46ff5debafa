"""Fits the constants of a board's power to meter readings taken while kernels were repeated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.power import BOARD_CONSTANTS, Activity, Meter, board_power

_PAUSES = ((0.1, 1e-3, 5.0), (1e-2, 1e-5, 5.0))
"""Start value and bounds for the two numbers of the meter's pause: seconds, and seconds per GB of operands that are
created before a run."""
_STEADY_S = 0.15
"""The run length, in seconds, from which a meter reading is dominated by the run itself and gets full weight."""
_DOUBT = 0.03
"""The weight of deviations from plausible values: a constant that is off by a factor of two costs about as much as this
relative error in all readings. Few readings separate arithmetic, L2 and DRAM traffic, which occur together."""


@dataclass(frozen=True)
class Metered:
    """Measured kernels of one source, each with the mean power in W that the meter showed while the kernel was repeated
    for `run_s` seconds."""

    activity: Activity
    chip: Chip
    watts: Floats
    run_s: Floats
    set_up_bytes: Floats | float = 0.0
    """Bytes of operands created before the run."""


@dataclass(frozen=True)
class FittedBoard:
    """Fitted constants of a board's power, and for each source of measured kernels (`Metered`) the pause that the
    meter's window includes."""

    constants: Mapping[str, float]
    meters: Sequence[Meter]


def fit_board(kinds: Sequence[Metered]) -> FittedBoard:
    """The constants that minimise the error of all readings, with equal weight for each `Metered` of `kinds`. Idle
    power is the lowest reading (the 1 % quantile). Needs scipy."""
    from scipy.optimize import least_squares

    idle = min(float(np.quantile(kind.watts, 0.01) / kind.chip.tdp_w) for kind in kinds)
    free = [constant for constant in BOARD_CONSTANTS if constant.name != "idle"]
    plausible = np.log([constant.start for constant in free])
    starts, lows, highs = ([pause[place] for pause in _PAUSES] * len(kinds) for place in range(3))
    first = np.concatenate([plausible, np.log(starts)])
    low = np.log([constant.low for constant in free] + lows)
    high = np.log([constant.high for constant in free] + highs)

    def unpack(values: Floats) -> tuple[dict[str, float], list[Meter]]:
        numbers = [float(number) for number in np.exp(values)]
        constants = {constant.name: number for constant, number in zip(free, numbers, strict=False)}
        pauses = numbers[len(free) :]
        return {"idle": idle, **constants}, [Meter(*pair) for pair in zip(pauses[::2], pauses[1::2], strict=True)]

    def residuals(values: Floats) -> Floats:
        constants, meters = unpack(values)
        parts: list[Floats] = []
        for kind, meter in zip(kinds, meters, strict=True):
            power = board_power(kind.activity, kind.chip, constants)
            shown = meter.reading(power, kind.run_s, kind.set_up_bytes)
            weight = (_STEADY_S + kind.run_s / (kind.run_s + _STEADY_S)) / np.sqrt(len(kind.watts) * len(kinds))
            parts.append(_robust(np.log(shown / kind.watts)) * weight)
        return np.concatenate([*parts, _DOUBT * (values[: len(free)] - plausible)])

    found = least_squares(residuals, np.clip(first, low, high), bounds=(low - 1e-9, high + 1e-9))
    constants, meters = unpack(found.x)
    bounds = {constant.name: (constant.low, constant.high) for constant in free}
    inside = {name: float(np.clip(value, *bounds.get(name, (0, 1)))) for name, value in constants.items()}
    return FittedBoard(inside, meters)


def _robust(log_ratios: Floats, scale: float = 0.1) -> Floats:
    """Log ratios, damped so that their squares grow at most linearly beyond `scale`."""
    return np.sign(log_ratios) * scale * np.sqrt(2 * (np.sqrt(1 + (log_ratios / scale) ** 2) - 1))

"""Loads of experts as aiconfigurator draws them for its measurements: balanced, or by a power law
(collector/helper.py, `balanced_logits` and `power_law_logits_v3`)."""

from __future__ import annotations

from functools import cache
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_DRAWS = 5
"""Numbers of draws of a power law over which a measurement is the mean."""


class Load(NamedTuple):
    """The choices of tokens on one device: `rows` choices, of `touched` distinct experts; means over draws."""

    rows: float
    touched: float


@cache
def load_of(routing: str, tokens: int, choices: int, experts: int, devices: int) -> Load:
    """The load of the measured device, one of `devices` among which `experts` are divided: the first one, or, of a
    power law, the one with most rows. `routing`: `balanced`, or `power_law_A` with the exponent A."""
    if routing == "balanced":
        draws = [np.bincount(_balanced(tokens, choices, experts).ravel(), minlength=experts)[: experts // devices]]
    else:
        exponent = float(routing.rpartition("_")[2])
        draw = np.random.default_rng([tokens, choices, experts, devices, round(100 * exponent)])
        draws = [_power_law(tokens, choices, experts, devices, exponent, draw) for _ in range(_DRAWS)]
    return Load(float(np.mean([each.sum() for each in draws])), float(np.mean([(each > 0).sum() for each in draws])))


def _balanced(tokens: int, choices: int, experts: int) -> NDArray[np.intp]:
    """The experts that tokens choose in turn: [tokens, choices]."""
    stride = ceil(experts / choices)
    step = 1 if tokens >= stride else stride / tokens
    places = np.arange(tokens)[:, None] * step + np.arange(choices) * stride
    return np.floor(places % experts).astype(np.intp)


def _power_law(
    tokens: int, choices: int, experts: int, devices: int, exponent: float, draw: np.random.Generator
) -> NDArray[np.intp]:
    """The numbers of rows of the experts on the device with most rows: shares drawn from a density x^-exponent, rounded
    to numbers of at most `tokens`, which are then changed one by one, device by device, until they add up."""
    low, high = (1, 0.8 * tokens) if tokens * choices > experts else (0.01, 2)
    ends = low ** (1 - exponent), high ** (1 - exponent)
    drawn = (ends[0] + (ends[1] - ends[0]) * draw.random(experts)) ** (1 / (1 - exponent))
    counts = np.minimum(np.rint(drawn / drawn.sum() * tokens * choices), tokens).astype(np.intp)
    parts = counts.reshape(devices, -1)
    missing = tokens * choices - int(counts.sum())
    step = 1 if missing > 0 else -1
    device = 0
    while missing:
        mine = parts[device]
        free = np.flatnonzero(mine < tokens if step > 0 else mine > 0)
        if len(free):
            mine[free[np.argmin(step * mine[free])]] += step
            missing -= step
        device = (device + 1) % devices
    return parts[int(parts.sum(1).argmax())]

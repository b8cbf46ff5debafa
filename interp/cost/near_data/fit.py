"""Fits the law of near-data kernels to measured cycles: least squares of log ratios, robust against outliers, and then
a factor for each signature."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from interp.cost.gpu.constants.fit import check_fitter
from interp.cost.near_data.law import Floats, Kernels, Law, Signature

CLOSE = 0.02
"""The log ratio from which on an error counts as an outlier, of which the square root's growth is spared."""
WIDEST = 5.0
"""The factor by which a constant may grow from its start."""
CALLS = 60
"""The number of evaluations of all errors in a fit, without those for derivatives."""
DRAWN = 1.0
"""Kernels at factor 1 that each signature's own are weighed against."""


class Rows(NamedTuple):
    """Measured rows as columns; several rows may be of one kernel."""

    kernels: Kernels
    cycles: Floats

    def pick(self, which: NDArray[np.bool_]) -> Rows:
        """The rows that a mask picks."""
        return Rows(Kernels(*(column[which] for column in self.kernels)), self.cycles[which])

    def identities(self) -> list[tuple[float, ...]]:
        """The kernel that each row is of: its elements, inputs, outputs and ops."""
        return list(zip(*(column.tolist() for column in self.kernels), strict=True))


def by_kernel(rows: Rows) -> tuple[Rows, Floats]:
    """Each distinct kernel once, at the cycles from which its rows are least off on average, and how many rows it
    has."""
    found = defaultdict[tuple[float, ...], list[float]](list)
    for key, cycles in zip(rows.identities(), rows.cycles.tolist(), strict=True):
        found[key].append(cycles)
    kernels = Kernels(*np.array(list(found), dtype=float).T)
    middles = [middle(np.array(each)) for each in found.values()]
    return Rows(kernels, np.array(middles)), np.array([float(len(each)) for each in found.values()])


def middle(values: Floats) -> float:
    """The value p with the least mean of |p - v| / v over positive values v: their median, each weighed by 1 / v."""
    ordered = np.sort(values)
    weights = np.cumsum(1 / ordered)
    return float(ordered[np.searchsorted(weights, weights[-1] / 2)])


def fit(rows: Rows, origin: str = "") -> Law:
    """The law that is nearest to measured rows. Needs scipy; raises InputError where it is missing."""
    check_fitter()
    from scipy.optimize import least_squares

    measured, counts = by_kernel(rows)
    weight = np.sqrt(counts)
    start = np.array([each.default for each in Law.told_by_rows()])

    def off(scales: Floats) -> Floats:
        return weight * np.log(np.maximum(Law.of(scales * start).cycles(measured.kernels), 1.0) / measured.cycles)

    found = least_squares(off, np.ones(len(start)), bounds=(0, WIDEST), loss="soft_l1", f_scale=CLOSE, max_nfev=CALLS)
    law = Law.of((float(f"{each:.5g}") for each in found.x * start), origin)
    return replace(law, factors=_factors(law, measured))


def _factors(law: Law, measured: Rows) -> dict[Signature, float]:
    """By signature: the middle of its kernels' ratios to the law, to the power n / (n + DRAWN) for n kernels."""
    ratios = defaultdict[Signature, list[float]](list)
    over = measured.cycles / law.cycles(measured.kernels)
    for signature, ratio in zip(measured.kernels.signatures(), over.tolist(), strict=True):
        ratios[signature].append(ratio)
    powers = {each: middle(np.array(found)) ** (len(found) / (len(found) + DRAWN)) for each, found in ratios.items()}
    return {each: float(f"{power:.4g}") for each, power in sorted(powers.items())}

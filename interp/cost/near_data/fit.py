"""Fits the law of near-data kernels to measured cycles: least squares of log ratios, robust against outliers, followed
by a factor for each signature."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from interp.cost.gpu.constants.fit import check_fitter
from interp.cost.near_data.law import Floats, Kernels, Law, Signature

CLOSE = 0.02
"""The log ratio beyond which an error counts as an outlier, with a loss that grows linearly."""
WIDEST = 5.0
"""The maximum factor between a fitted constant and its start value, in either direction."""
CALLS = 60
"""The maximum number of times that a fit computes the errors of all rows, without those for derivatives."""
PRIOR = 1.0
"""The number of assumed kernels of factor 1 that count in the average of each signature's factor."""


class Rows(NamedTuple):
    """Measurements as columns; several rows may belong to the same kernel."""

    kernels: Kernels
    cycles: Floats

    def pick(self, which: NDArray[np.bool_]) -> Rows:
        """The rows for which the mask `which` is True."""
        return Rows(Kernels(*(column[which] for column in self.kernels)), self.cycles[which])

    def identities(self) -> list[tuple[float, ...]]:
        """For each row, the numbers that identify its kernel: elements, inputs, outputs and ops."""
        return list(zip(*(column.tolist() for column in self.kernels), strict=True))


def by_kernel(rows: Rows) -> tuple[Rows, Floats]:
    """Each distinct kernel once, with the cycles that minimise the mean relative error over its rows; and, for each
    kernel, the number of its rows."""
    found = defaultdict[tuple[float, ...], list[float]](list)
    for key, cycles in zip(rows.identities(), rows.cycles.tolist(), strict=True):
        found[key].append(cycles)
    kernels = Kernels(*np.array(list(found), dtype=float).T)
    middles = [middle(np.array(each)) for each in found.values()]
    return Rows(kernels, np.array(middles)), np.array([float(len(each)) for each in found.values()])


def middle(values: Floats) -> float:
    """The value p that minimises the mean of |p - v| / v over positive values v: their median with weights 1 / v."""
    ordered = np.sort(values)
    weights = np.cumsum(1 / ordered)
    return float(ordered[np.searchsorted(weights, weights[-1] / 2)])


def fit(rows: Rows, origin: str = "") -> Law:
    """The law that fits measured rows best. Raises InputError if scipy is missing."""
    check_fitter()
    from scipy.optimize import least_squares

    measured, counts = by_kernel(rows)
    weight = np.sqrt(counts)
    start = np.array([each.default for each in Law.measured_constants()])

    def off(scales: Floats) -> Floats:
        return weight * np.log(np.maximum(Law.of(scales * start).cycles(measured.kernels), 1.0) / measured.cycles)

    found = least_squares(off, np.ones(len(start)), bounds=(0, WIDEST), loss="soft_l1", f_scale=CLOSE, max_nfev=CALLS)
    law = Law.of((float(f"{each:.5g}") for each in found.x * start), origin)
    return replace(law, factors=_factors(law, measured))


def _factors(law: Law, measured: Rows) -> dict[Signature, float]:
    """A factor for each signature of kernels: the `middle`, over the n kernels with this signature, of the ratios of
    measured cycles to the law's cycles, raised to the power n / (n + PRIOR), which brings it closer to 1 if n is
    small."""
    ratios = defaultdict[Signature, list[float]](list)
    over = measured.cycles / law.cycles(measured.kernels)
    for signature, ratio in zip(measured.kernels.signatures(), over.tolist(), strict=True):
        ratios[signature].append(ratio)
    powers = {each: middle(np.array(found)) ** (len(found) / (len(found) + PRIOR)) for each, found in ratios.items()}
    return {each: float(f"{power:.4g}") for each, power in sorted(powers.items())}

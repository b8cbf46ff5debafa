"""Fits the law of near-data kernels to measured cycles: least squares of log ratios, robust against outliers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from interp.cost.fitting import check_fitter
from interp.kinds.ndp.law import Floats, Kernels, Law

CLOSE = 0.02
"""The log ratio beyond which an error counts as an outlier, with a loss that grows linearly."""
WIDEST = 5.0
"""The maximum factor between a fitted constant and its start value, in either direction."""
CALLS = 60
"""The maximum number of times that a fit computes the errors of all rows, without those for derivatives."""
ROUNDS = 7
"""The maximum number of times that numbers of reductions are inferred and the constants fitted again."""
PRICES = [step * 0.00025 for step in range(1, 121)]
"""The costs of an access to a unit's own memory that are tried, in cycles per element."""

Identity = tuple[float, ...]


class Rows(NamedTuple):
    """Measurements as columns; several rows may belong to the same kernel."""

    kernels: Kernels
    cycles: Floats

    def pick(self, which: NDArray[np.bool_]) -> Rows:
        """The rows for which the mask `which` is True."""
        return Rows(Kernels(*(column[which] for column in self.columns)), self.cycles[which])

    @property
    def columns(self) -> list[Floats]:
        """The columns of the kernels, each as an array."""
        return [np.broadcast_to(column, self.cycles.shape) for column in self.kernels]

    def identities(self) -> list[Identity]:
        """For each row, the numbers that identify its kernel: elements, inputs, outputs, ops and, if they are stated,
        reductions and scratch accesses."""
        columns = [np.nan_to_num(column, nan=-1.0).tolist() for column in self.columns]
        return list(zip(*columns, strict=True))


def by_kernel(rows: Rows) -> tuple[Rows, Floats]:
    """Each distinct kernel once, with the cycles that minimise the mean relative error over its rows; and, for each
    kernel, the number of its rows."""
    found = defaultdict[Identity, list[int]](list)
    for row, key in enumerate(rows.identities()):
        found[key].append(row)
    first = np.array([each[0] for each in found.values()])
    middles = [middle(rows.cycles[each]) for each in found.values()]
    kernels = Kernels(*(column[first] for column in rows.columns))
    return Rows(kernels, np.array(middles)), np.array([float(len(each)) for each in found.values()])


def middle(values: Floats) -> float:
    """The value p that minimises the mean of |p - v| / v over positive values v: their median with weights 1 / v."""
    ordered = np.sort(values)
    weights = np.cumsum(1 / ordered)
    return float(ordered[np.searchsorted(weights, weights[-1] / 2)])


def fit(rows: Rows, origin: str = "") -> Law:
    """The law that fits measured rows best. A number of reductions that rows do not state is inferred: for each kernel,
    it is the number with which the law errs least, with its start values at first and then with fitted constants,
    until no number changes. Raises InputError if scipy is missing."""
    check_fitter()
    measured, counts = by_kernel(rows)
    law, before = Law(), np.full(len(counts), np.nan)
    for _ in range(ROUNDS):
        kernels = with_reductions(measured.kernels, inferred_reductions(law, measured))
        if (kernels.reductions == before).all():
            break
        law, before = _fitted(law, Rows(kernels, measured.cycles), counts), kernels.reductions
    return replace(law, origin=origin)


def _fitted(law: Law, rows: Rows, counts: Floats) -> Law:
    """The law with constants fitted to kernels with known numbers of reductions, each with a number of rows `counts`,
    beginning with the constants of `law`."""
    from scipy.optimize import least_squares

    weight = np.sqrt(counts)
    usual = np.array([each.default for each in Law.measured_constants()])
    start = np.array([getattr(law, each.name) for each in Law.measured_constants()])

    def off(scales: Floats) -> Floats:
        return weight * np.log(np.maximum(Law.of(scales * usual).cycles(rows.kernels), 1.0) / rows.cycles)

    found = least_squares(off, start / usual, bounds=(0, WIDEST), loss="soft_l1", f_scale=CLOSE, max_nfev=CALLS)
    return Law.of(float(f"{each:.5g}") for each in found.x * usual)


def with_reductions(kernels: Kernels, reductions: Floats) -> Kernels:
    """Kernels with the given numbers of reductions where they are not stated."""
    unknown = np.isnan(kernels.reductions)
    return kernels._replace(reductions=np.where(unknown, reductions, kernels.reductions))


def inferred_reductions(law: Law, rows: Rows) -> Floats:
    """For each kernel, the number of reductions, from 0 to that of its outputs, for which the law errs least."""
    outputs = rows.kernels.outputs
    tried: Floats = np.arange(float(outputs.max()) + 1)
    errors = [
        np.abs(np.log(law.cycles(rows.kernels._replace(reductions=each + 0 * outputs)) / rows.cycles)) for each in tried
    ]
    possible = np.where(tried[:, None] <= outputs, np.array(errors), np.inf)
    return tried[possible.argmin(axis=0)]


def with_scratch_price(law: Law, rows: Rows, weights: Floats) -> Law:
    """The law with the cost of an access to a unit's own memory, of those in `PRICES`, that has the least weighted mean
    of |log(predicted / measured)| over kernels with such accesses."""

    def error(price: float) -> float:
        cycles = replace(law, scratch=price).cycles(rows.kernels)
        return float(np.average(np.abs(np.log(cycles / rows.cycles)), weights=weights))

    return replace(law, scratch=min(PRICES, key=error))

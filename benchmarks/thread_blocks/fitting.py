"""Fit of the constants of the clock of thread blocks to measured products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.thread_blocks.products import Floats, Row, time_of_row, unit_of
from interp.kinds.gpu.multiprocessor import Constants

START = Constants(matrix=0.96, shared=0.98, store=2.5, dram=0.8, contention=0.4)
STEPS = {"matrix": 1.02, "shared": 1.02, "store": 1.2}
"""Factors by which the constants of multiprocessors are varied to compute the response of times."""
NAMES = (*STEPS, "dram", "contention", "between")
LEAST, MOST = np.array([0.7, 0.7, 0.5, 0.4, 0.0, 0.0]), np.array([1.0, 1.0, 6.0, 1.0, 1.0, 20_000.0])
"""The least and the greatest allowed values of the fitted constants; `between` is the time between kernels in ns, in
addition to the launch time in the sheet."""


@dataclass(frozen=True)
class Response:
    """The times of measured rows as a function of the clock's constants. The time on multiprocessors is modelled as a
    power law around the constants `START`, whose exponent for each constant is computed from two simulations; the
    constants of memory and launches are applied as in the clock."""

    units: Floats
    """The times on multiprocessors with the constants `START`, in ns."""
    exponents: Floats
    """For each row, the exponents of the constants `matrix`, `shared` and `store`."""
    memory: Floats
    """The times of memory accesses at the memory's peak bandwidth, in ns."""
    launch: Floats
    ms: Floats

    @staticmethod
    def of(rows: Sequence[Row]) -> Response:
        """Return the response of rows. Each row is simulated with the constants `START`, and once more for each
        constant, which is then varied."""

        def units(constants: Constants) -> Floats:
            found = [time_of_row(row.gpu, row.problem, row.schedule, constants).units_ns for row in rows]
            return np.array(found)

        at_start = units(START)
        exponents = [
            np.log(units(replace(START, **{name: getattr(START, name) * by})) / at_start) / np.log(by)
            for name, by in STEPS.items()
        ]
        memory = [time_of_row(row.gpu, row.problem, row.schedule, START).memory_ns * START.dram for row in rows]
        launch = [unit_of(row.gpu).launch_ns for row in rows]
        return Response(
            at_start, np.stack(exponents, 1), np.array(memory), np.array(launch), np.array([row.ms for row in rows])
        )

    def predicted(self, values: Floats) -> Floats:
        """Return the times in ms of all rows with the constants `values` (in the order of `NAMES`)."""
        start = np.array([getattr(START, name) for name in STEPS])
        units = self.units * np.exp(self.exponents @ np.log(values[:3] / start))
        times = np.stack((units, self.memory / values[3]))
        longest = times.max(0)
        order = max(values[4], 1e-3)
        both = longest * ((times / longest) ** (1 / order)).sum(0) ** order
        return (both + self.launch + values[5]) / 1e6

    def fit(self, mine: NDArray[np.bool_]) -> Floats:
        """Return the constants with the least mean error on the rows selected by the mask `mine`. Needs scipy."""
        from scipy.optimize import minimize

        def off(values: Floats) -> float:
            inside = np.clip(values * scale, LEAST, MOST)
            beyond = np.abs(values * scale - inside).sum()
            return float(np.mean(np.abs(self.predicted(inside) / self.ms - 1)[mine])) + 10 * float(beyond)

        first = np.array([START.matrix, START.shared, START.store, START.dram, START.contention, 5000.0])
        scale = first
        best = np.ones_like(first)
        for _ in range(3):
            best = minimize(off, best, method="Nelder-Mead", options={"maxiter": 4000, "xatol": 1e-4, "fatol": 1e-6}).x
        return np.clip(best * scale, LEAST, MOST)

    def left_out(self, folds: NDArray[np.int64]) -> Floats:
        """Return the predicted times of each fold's rows, with constants fitted on the rows of all other folds."""
        found = np.empty_like(self.ms)
        for fold in sorted(set(folds.tolist())):
            found[folds == fold] = self.predicted(self.fit(folds != fold))[folds == fold]
        return found

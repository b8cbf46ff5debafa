"""Time model of a network by three totals: its numbers of multiply-accumulates, activations and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from interp.kinds.gpu.chip import Chip, Floats

_NAMES = ("issue", "ridge", "passes", "overlap")
_FIRST, _LOW, _HIGH = (0.7, 20.0, 6.0, 1.5), (0.1, 0.1, 1.0, 1.0), (1.0, 1e4, 40.0, 12.0)


@dataclass(frozen=True)
class Totals:
    """Totals per image of a network, from published tables of models, and a batch size."""

    flops: float
    activations: float
    """The number of elements of the results of convolutions and products."""
    parameters: float
    batch: int
    inputs: float

    def same(self, flops: float, activations: float, parameters: float) -> bool:
        """Return True if the given totals of a graph equal these totals, within 2 % or the precision of two digits in
        the tables.

        Operations of norms, which some tables count, may differ.
        """
        return (
            abs(flops - self.flops) <= max(0.02 * self.flops, 12e6) + 4 * activations
            and abs(activations - self.activations) <= max(0.02 * self.activations, 6e3)
            and abs(parameters - self.parameters) <= max(0.02 * self.parameters, 6e3)
        )

    def roofline_ns(self, chip: Chip) -> float:
        """Return the roofline time, ns: each activation is written and read once, weights are read once."""
        moved = self.batch * (2 * self.activations + self.inputs) * 2 + self.parameters * 2
        return max(self.batch * self.flops / float(chip.matrix_rate), moved / float(chip.bandwidth)) * 1e9


@dataclass(frozen=True)
class TotalsModel:
    """A time model of a network: operations are executed at a rate that grows with the number of operations per
    activation, and each activation is accessed in DRAM several times."""

    issue: float
    """The fraction of the peak rate that networks with many operations per activation sustain."""
    ridge: float
    """The number of operations per activation at which a network reaches half of the sustained rate."""
    passes: float
    """The number of DRAM accesses to each activation: a write by its convolution, reads and writes by its norm, its
    activation function, and so on."""
    overlap: float
    """The exponent of the overlap of arithmetic and traffic; 1: arithmetic-bound and memory-bound layers are executed
    one after another."""

    def ns(self, totals: Totals, chip: Chip) -> float:
        return float(_times(_table([totals]), chip, np.array([getattr(self, name) for name in _NAMES]))[0])


def fit_totals(networks: Sequence[Totals], measured_ns: Floats, chip: Chip) -> TotalsModel:
    """Fit the model to measured times of networks, ns; return a plausible model if there are no networks. Needs
    scipy."""
    from scipy.optimize import least_squares

    if not networks:
        return TotalsModel(*_FIRST)
    table, bounds = _table(networks), (np.log(_LOW) - 1e-9, np.log(_HIGH) + 1e-9)

    def residuals(logs: Floats) -> Floats:
        return np.log(_times(table, chip, np.exp(logs)) / measured_ns)

    found = least_squares(residuals, np.log(_FIRST), bounds=bounds, loss="soft_l1", f_scale=0.1)
    return TotalsModel(*(float(value) for value in np.exp(found.x)))


def _table(networks: Sequence[Totals]) -> Floats:
    return np.array([(t.flops, t.activations, t.parameters, t.batch) for t in networks]).T


def _times(table: Floats, chip: Chip, values: Floats) -> Floats:
    flops, activations, parameters, batch = table
    issue, ridge, passes, overlap = values
    intensity = flops / activations
    compute = batch * flops / (chip.matrix_rate * issue * intensity / (intensity + ridge))
    memory = (batch * activations * 2 * passes + parameters * 6) / chip.bandwidth
    return (compute**overlap + memory**overlap) ** (1 / overlap) * 1e9

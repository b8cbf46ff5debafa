"""Measured kernel times as the input of a fit, and the model of how the host's submission of kernels affects a
measurement."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.kernel_class import Columns


@dataclass(frozen=True)
class Submission:
    """A model of the time that a measurement reports when the host also takes time: `(dispatch^p + kernel^p)^(1/p)`,
    with `dispatch` the host's time and `kernel` the device's time for one kernel. The exponent p, `overlap`, is 1 if
    the device waits for each submission (events around one eager call), and large if the host submits kernels in
    advance (a stream)."""

    dispatch_ns: float = 0.0
    overlap: float = 8.0

    def time(self, kernel_ns: Floats, calls: Floats | float = 1.0) -> Floats:
        """The time in ns that a measurement of kernels reports; `kernel_ns` includes the device's launch. `calls`: the
        host's time for the call of each kernel, as a multiple of the time for a usual call."""
        if self.dispatch_ns <= 0:
            return kernel_ns
        dispatch_ns = self.dispatch_ns * calls
        scale = np.maximum(kernel_ns, dispatch_ns)
        parts = (kernel_ns / scale) ** self.overlap + (dispatch_ns / scale) ** self.overlap
        return scale * parts ** (1 / self.overlap)


@dataclass(frozen=True)
class MeasuredGroup:
    """Measurements of one kernel class and element type on one GPU, all submitted in the same mode."""

    source: str
    """The name of the data set."""
    gpu: str
    """The name of the GPU's sheet."""
    kernel_class: str
    element: str
    label: str
    """The group's label in tables of errors: the op's name in the data set."""
    way: str
    """The way in which the host submitted the kernels: `graph`, `stream`, `eager`, or `profiler` (the kernel's own
    time)."""
    columns: Columns
    ns: Floats
    power_w: Floats | None = None
    """Mean board power, nan where it was not measured."""
    ids: NDArray[np.intp] | None = None
    """Row numbers of the measurements in the data set; None if its rows have none."""
    library: str = ""
    """The name of the library whose kernels were measured; empty if unknown."""

    @property
    def launched(self) -> bool:
        """True if measurements include the device's launch; False for kernel times from a profiler."""
        return self.way != "profiler"

    @property
    def calls(self) -> Floats | float:
        """The host's time for the call of each kernel, as a multiple of the time for a usual call: the column `host` of
        a data set whose ops differ in this time, otherwise 1."""
        return self.columns.get("host", 1.0)

    @property
    def key(self) -> tuple[str, ...]:
        return (self.source, self.gpu, self.element, self.label, self.library)

    def part(self, which: np.ndarray) -> MeasuredGroup:  # pyright: ignore[reportMissingTypeArgument, reportUnknownParameterType]
        """The measurements of the group that `which` selects (a mask or indices)."""
        columns = {name: values[which] for name, values in self.columns.items()}
        power = self.power_w[which] if self.power_w is not None else None
        ids = self.ids[which] if self.ids is not None else None
        return replace(self, columns=columns, ns=self.ns[which], power_w=power, ids=ids)


@dataclass(frozen=True)
class FitErrors:
    """Errors of predictions against measurements: MAPE and median in %, bias (mean log ratio, predicted to measured) in
    %, Spearman's rank correlation."""

    count: int
    mape: float
    median: float
    bias: float
    rank: float

    @staticmethod
    def of(predicted: Floats, measured: Floats) -> FitErrors:
        deviations = np.abs(predicted / measured - 1) * 100
        bias = float(np.mean(np.log(predicted / measured))) * 100
        return FitErrors(
            len(measured),
            float(deviations.mean()),
            float(np.median(deviations)),
            bias,
            rank_correlation(predicted, measured),
        )


def rank_correlation(first: Floats, second: Floats) -> float:
    """Spearman's rank correlation; equal values share their mean rank; 1 if all values of one side are equal."""
    if len(first) < 2:
        return 1.0
    a, b = _ranks(first), _ranks(second)
    if a.std() == 0 or b.std() == 0:
        return 1.0
    return float(np.corrcoef(a, b)[0, 1])


def _ranks(values: Floats) -> Floats:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return ((ends - counts + ends - 1) / 2)[inverse]


def chips(gpu: Chip, count: int) -> Chip:
    """One GPU's numbers, repeated `count` times, for use in `Chip.rows`."""
    return Chip.rows([gpu], np.zeros(count, np.intp))

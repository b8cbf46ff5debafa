"""Fit of kernel classes' constants to times of complete networks, for classes without measured single kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.networks.launches import Constants, Launches
from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.kernel_class import Columns, KernelClass
from interp.machine.records import Gpu

Key = tuple[str, str]
"""The kernel class and the element type for which constants are fitted."""


@dataclass(frozen=True)
class Members:
    """The kernels of one class and element type in several networks: the columns that describe each kernel, and the
    number of launches of each."""

    kernel_class: KernelClass
    chip: Chip
    columns: Columns
    counts: Floats
    network: np.ndarray[tuple[int], np.dtype[np.intp]]
    """The index of the network that launches each kernel."""

    def ns(self, constants: Mapping[str, float], networks: int) -> Floats:
        """Return the total time of the kernels in each of the networks, for given constants, ns."""
        kernels = self.kernel_class.estimate(self.columns, self.chip, constants).ns + self.chip.launch_ns
        return np.bincount(self.network, kernels * self.counts, networks).astype(float)


def members(
    networks: Sequence[Launches], gpu: Gpu, more: Mapping[str, float], classes: Mapping[str, KernelClass] = CLASSES
) -> dict[Key, Members]:
    """Return the kernels of networks on a GPU by class and element type; a kernel that a network launches several times
    is one entry.

    `more`: values of columns that are the same for all kernels.
    """
    found: dict[Key, dict[tuple[int, tuple[tuple[str, float], ...]], float]] = {}
    for index, launches in enumerate(networks):
        for kernel, count in zip(launches.kernels, launches.counts, strict=True):
            numbers = {**launches.numbers(kernel), **more}
            same = found.setdefault((kernel.kernel_class, kernel.element), {})
            key = (index, tuple(sorted(numbers.items())))
            same[key] = same.get(key, 0.0) + float(count)
    result: dict[Key, Members] = {}
    for (name, element), kernels in found.items():
        rows = [dict(numbers) for _, numbers in kernels]
        columns = {
            column.name: np.array([row.get(column.name, column.default) for row in rows], float)
            for column in classes[name].columns
        }
        columns["bytes"] = np.array([row["bytes"] for row in rows], float)
        which = np.array([index for index, _ in kernels], np.intp)
        counts = np.array(list(kernels.values()))
        result[name, element] = Members(classes[name], Chip.of(gpu, element), columns, counts, which)
    return result


@dataclass(frozen=True)
class Free:
    """A constant to fit: its kernel class and its name. All element types share one fitted value; the constant is
    ignored if the class does not have it."""

    kernel_class: str
    name: str


def fit_networks(
    parts: Mapping[Key, Members], measured_ns: Floats, start: Constants, free: Sequence[Free], spread: float = 1.0
) -> dict[Key, dict[str, float]]:
    """Fit constants to measured times of networks, ns, from `start`.

    The loss is least squares of log ratios, robust against outliers, with a penalty on changes from `start`: a change
    by a factor of e costs as much as errors of 0.1 / `spread` in all networks. Without networks the constants do not
    change. Needs scipy."""
    from scipy.optimize import least_squares

    networks = len(measured_ns)
    fitted = {(name, found.name) for (name, _), part in parts.items() for found in part.kernel_class.constants}
    free = [each for each in free if (each.kernel_class, each.name) in fitted]
    constants = {key: {**part.kernel_class.defaults(), **start.get(key, {})} for key, part in parts.items()}
    if not networks or not free:
        return constants
    limits = [_limits(parts, each) for each in free]
    low, high = np.log([a for a, _ in limits]), np.log([b for _, b in limits])
    first = np.clip(np.log([_first(constants, each) for each in free]), low + 1e-6, high - 1e-6)
    weight, pull = networks**-0.5, 0.1 / spread * len(free) ** -0.5

    def with_values(values: Floats, only: str = "") -> dict[Key, dict[str, float]]:
        result = {key: dict(found) for key, found in constants.items() if not only or key[0] == only}
        for each, value in zip(free, values, strict=True):
            for key in result:
                if key[0] == each.kernel_class:
                    result[key][each.name] = float(np.exp(value))
        return result

    def times(values: Floats, only: str = "") -> Floats:
        found = with_values(values, only)
        return np.sum([parts[key].ns(numbers, networks) for key, numbers in found.items()], axis=0)

    def residuals(values: Floats) -> Floats:
        return np.concatenate([(np.log(times(values)) - np.log(measured_ns)) * weight, (values - first) * pull])

    def slopes(values: Floats) -> Floats:
        total = times(values)
        result = np.zeros((networks + len(free), len(free)))
        for index, each in enumerate(free):
            step = np.zeros(len(free))
            step[index] = 1e-3 if values[index] + 1e-3 < high[index] else -1e-3
            change = times(values + step, each.kernel_class) - times(values, each.kernel_class)
            result[:networks, index] = change / total / step[index] * weight
            result[networks + index, index] = pull
        return result

    found = least_squares(
        residuals, first, jac=slopes, bounds=(low, high), loss="soft_l1", f_scale=0.05 * weight, max_nfev=40
    )
    return with_values(found.x)


def network_ns(parts: Mapping[Key, Members], constants: Constants, networks: int) -> Floats:
    """Return the device's total kernel time for each network, ns."""
    return np.sum([part.ns(constants.get(key, {}), networks) for key, part in parts.items()], axis=0)


def _limits(parts: Mapping[Key, Members], free: Free) -> tuple[float, float]:
    part = next(part for (name, _), part in parts.items() if name == free.kernel_class)
    found = next(constant for constant in part.kernel_class.constants if constant.name == free.name)
    return max(found.low, 1e-6), found.high


def _first(constants: Constants, free: Free) -> float:
    return next(found[free.name] for (name, _), found in constants.items() if name == free.kernel_class)

"""Fits the constants of a kernel class to measurements of many GPUs and libraries at once: hierarchical least squares.

The logarithm of a constant is a sum of effects: of all GPUs and libraries; of the element type; for a property of
kernels, of the library, of the compute capability, and of the library's kernels for this capability and type; for a
property of the chip, of the capability and of the chip. An effect that the measurements do not need stays near zero (a
ridge penalty, by `SPREADS`), so that libraries inform each other where one has few measurements, and a chip's
properties are the same for all libraries. What nobody measured (a library on a capability, a chip) is predicted by the
effects that are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.constants.fit import HIDDEN_WAYS, drawn, usual
from interp.kinds.gpu.constants.measurement import MeasuredGroup, Submission
from interp.kinds.gpu.kernel_class import Constant, KernelClass, Model


class Spreads(NamedTuple):
    """The expected size of effects by level, as standard deviations of logarithms."""

    element: float = 0.4
    library: float = 0.3
    capability: float = 0.3
    kernels: float = 0.6
    """Of a library's kernels for one compute capability and element type."""
    chip: float = 0.3
    host: float = 0.3
    """Of the host's time in one data set, for one op, or in one group."""


SPREADS = Spreads()
"""For constants that are used where they were fitted."""
POOLED = Spreads(library=0.2, capability=0.05, kernels=0.05, chip=0.1)
"""For constants that are used on chips without measurements: nearly all measurements are explained by the same
constants, since a mean over constants of single chips, few of which their measurements determine, predicts worse."""
_WIDEST = 2.0
"""The expected size of the common effect; less for a class with a smaller `spread`."""
_ERROR = 0.1
"""The relative error of a measurement that weighs as much as an effect of its expected size."""
MOST = 300
"""The maximum number of measurements of a group."""
_STEP = 1e-3
_TINY = 1e-9
_LIKE = {"f16": "bf16"}
"""Element types that the same units compute at the same rate, by the one under which they are fitted."""

Effect = tuple[object, ...]
"""The name of an effect: its level, the subject, and the name of the constant."""


@dataclass(frozen=True)
class Subject:
    """The chip, library and kind of kernel on which the constants of a group of measurements depend."""

    gpu: str
    capability: float
    library: str
    element: str
    kernel_class: str

    @property
    def kind(self) -> str:
        """The element type under which the kernels are fitted, and their class if the fit includes several."""
        return f"{_LIKE.get(self.element, self.element)} {self.kernel_class}"

    def effects(
        self, constant: Constant, spread: float, spreads: Spreads = SPREADS, way: str = ""
    ) -> Iterator[tuple[Effect, float]]:
        """The effects of which a constant's logarithm is the sum, with the expected size of each. `spread`: that of the
        common effect. `way`: the submission of measured kernels. If each call waits for the host, its time can't be
        separated from a kernel's fixed time, which then is that of other kernels."""
        name = constant.name
        yield ("all", name), min(_WIDEST, spread)
        if way == "eager" and name in _HIDDEN:
            return
        yield ("element", self.kind, name), spreads.element
        yield ("capability", self.capability, name), spreads.capability
        if constant.of_chip:
            yield ("chip", self.gpu, name), spreads.chip
        else:
            yield ("library", self.library.partition("_")[0], name), spreads.library
            yield ("kernels", self.library, self.capability, self.kind, name), spreads.kernels


def subject_of(group: MeasuredGroup, capability: float) -> Subject:
    """The subject of a group of measurements."""
    return Subject(group.gpu, capability, group.library, group.element, group.kernel_class)


def _host_effects(group: MeasuredGroup, name: str, spreads: Spreads = SPREADS) -> Iterator[tuple[Effect, float]]:
    """The effects of which the logarithm of a parameter of the host's submission is the sum."""
    yield ("way", group.way, name), _WIDEST
    yield ("set", group.source, name), spreads.host
    yield ("op", group.source, group.label, name), spreads.host
    yield ("group", group.key, name), spreads.host


_HIDDEN = ("start", "alone")
"""The constants that can't be separated from the host's time if each call waits for the host. If this holds for all
measurements, these constants keep their plausible values."""
_HOST = ("dispatch", "overlap")
_HOST_BOUNDS = np.log([[10.0, 1e6], [1.0, 12.0]])


@dataclass
class Together:
    """The fitted effects of a family of kernel classes."""

    kernel_class: KernelClass
    effects: dict[Effect, float] = field(default_factory=dict[Effect, float])
    loss: float = 0.0

    def constants(self, subject: Subject, levels: Sequence[str] = ()) -> dict[str, float]:
        """The constants for a subject, from the effects that are known; `levels`: of these levels alone, if any are
        given."""
        spread = _spread(self.kernel_class)
        values: dict[str, float] = {}
        for constant in self.kernel_class.constants:
            if constant.fixed:
                values[constant.name] = constant.start
                continue
            total = np.log(max(constant.start, _TINY))
            for effect, _ in subject.effects(constant, spread):
                if not levels or effect[0] in levels:
                    total += self.effects.get(effect, 0.0)
            values[constant.name] = float(np.clip(np.exp(total), constant.low, constant.high))
        return values

    def submission(self, group: MeasuredGroup) -> Submission:
        """The submission of a group's kernels, from the effects that are known."""
        if group.way in HIDDEN_WAYS:
            return Submission()
        usually = usual(group.way)
        logs = [
            np.log(start) + sum(self.effects.get(effect, 0.0) for effect, _ in _host_effects(group, name))
            for name, start in zip(_HOST, (usually.dispatch_ns, usually.overlap), strict=True)
        ]
        dispatch, overlap = np.exp(np.clip(logs, _HOST_BOUNDS[:, 0], _HOST_BOUNDS[:, 1]))
        return Submission(float(dispatch), float(overlap))

    def predict(self, group: MeasuredGroup, chip: Chip, capability: float) -> Floats:
        """Predicted times of a group's kernels, ns."""
        constants = self.constants(subject_of(group, capability))
        kernel = self.kernel_class.estimate(group.columns, chip, constants).ns + chip.launch_ns * group.launched
        return self.submission(group).time(kernel, group.calls)


def _spread(kernel_class: KernelClass) -> float:
    return float(np.log(kernel_class.spread)) if kernel_class.spread > 1 else _WIDEST


@dataclass(frozen=True)
class _Part:
    """A group of measurements in a fit. `rows[k]`: the indices of the effects whose sum is the logarithm of parameter
    k (the free constants, and then those of the host, if it shows), beside `base[k]`."""

    group: MeasuredGroup
    chip: Chip
    rows: list[list[int]]
    base: Floats
    measured: Floats
    weight: float


class _Fit:
    """The state of a fit: the effects by index, their penalties, and the groups."""

    def __init__(
        self,
        kernel_class: KernelClass,
        groups: Sequence[tuple[MeasuredGroup, Chip, float]],
        most: int,
        seed: int,
        spreads: Spreads,
    ) -> None:
        draw = np.random.default_rng(seed)
        self.kernel_class = kernel_class
        self.free = [constant for constant in kernel_class.constants if not constant.fixed]
        self.fixed = {constant.name: constant.start for constant in kernel_class.constants if constant.fixed}
        self.low = np.log([max(constant.low, _TINY) for constant in self.free])
        self.high = np.log([max(constant.high, _TINY) for constant in self.free])
        self.index: dict[Effect, int] = {}
        self.sizes: list[float] = []
        starts = np.log([max(constant.start, _TINY) for constant in self.free])
        spread = _spread(kernel_class)
        self.parts: list[_Part] = []
        covered = all(group.way == "eager" for group, _, _ in groups)
        for group, chip, capability in groups:
            group = drawn(group, most, draw)
            subject = subject_of(group, capability)
            rows = [
                []
                if covered and constant.name in _HIDDEN
                else self._indices(subject.effects(constant, spread, spreads, group.way))
                for constant in self.free
            ]
            base = starts
            if group.way not in HIDDEN_WAYS:
                rows += [self._indices(_host_effects(group, name, spreads)) for name in _HOST]
                usually = usual(group.way)
                base = np.append(starts, np.log([usually.dispatch_ns, usually.overlap]))
            weight = float(np.sqrt(min(1.0, MOST / len(group.ns))))
            self.parts.append(_Part(group, chip, rows, base, np.log(group.ns), weight))
        self.pull = 1 / np.array(self.sizes)
        self.values = np.zeros(len(self.sizes))

    def _indices(self, effects: Iterator[tuple[Effect, float]]) -> list[int]:
        found: list[int] = []
        for effect, size in effects:
            if effect not in self.index:
                self.index[effect] = len(self.sizes)
                self.sizes.append(size)
            found.append(self.index[effect])
        return found

    def parameters(self, part: _Part, values: Floats) -> Floats:
        """The logarithms of a group's parameters."""
        return part.base + np.array([sum(values[index] for index in row) for row in part.rows])

    def _constants(self, logs: Floats) -> dict[str, float]:
        numbers = np.exp(np.clip(logs[: len(self.free)], self.low, self.high))
        named = {constant.name: float(number) for constant, number in zip(self.free, numbers, strict=True)}
        return {**named, **self.fixed}

    def nearest(self, part: _Part, logs: Floats) -> Model:
        """The model, restricted to the ways that are the fastest near these parameters if it has many."""
        nearest = self.kernel_class.nearest
        return nearest(part.group.columns, part.chip, self._constants(logs)) if nearest else self.kernel_class.model

    def residuals(self, part: _Part, logs: Floats, model: Model | None = None) -> Floats:
        """The logarithm of the ratio of predicted to measured times, in units of `_ERROR`."""
        estimate = (model or self.kernel_class.model)(part.group.columns, part.chip, self._constants(logs))
        kernel = estimate.ns + part.chip.launch_ns * part.group.launched
        if len(logs) > len(self.free):
            host = np.exp(np.clip(logs[-2:], _HOST_BOUNDS[:, 0], _HOST_BOUNDS[:, 1]))
            kernel = Submission(float(host[0]), float(host[1])).time(kernel, part.group.calls)
        return (np.log(kernel) - part.measured) / _ERROR

    def slopes(self, part: _Part, logs: Floats) -> tuple[Floats, Floats]:
        """The residuals [kernels] and their derivatives [kernels, parameters], by finite differences. A constant at or
        beyond a bound has the derivative inside of it, or none if it would move further out."""
        model = self.nearest(part, logs)
        base = self.residuals(part, logs, model)
        found = np.empty((len(base), len(logs)))
        for number in range(len(logs)):
            moved, step, outward = logs.copy(), _STEP, 0.0
            if number < len(self.free):
                moved[number] = np.clip(logs[number], self.low[number], self.high[number])
                above = moved[number] + _STEP > self.high[number]
                step = -_STEP if above else _STEP
                outward = 1.0 if above else -1.0 if logs[number] <= self.low[number] else 0.0
            moved[number] += step
            slope = (self.residuals(part, moved, model) - base) / step
            leaves = outward * float(np.sum(slope * base / np.sqrt(1 + base * base))) < 0
            found[:, number] = 0.0 if outward and leaves else slope
        return base, found

    def loss(self, values: Floats) -> float:
        """Robust squares of residuals (soft L1), and squares of effects relative to their expected sizes."""
        total = float(np.sum((values * self.pull) ** 2))
        for part in self.parts:
            total += part.weight**2 * _soft(self.residuals(part, self.parameters(part, values)))
        return total

    def system(self, values: Floats) -> tuple[Floats, Floats]:
        """The matrix and the gradient of a Gauss-Newton step."""
        matrix, gradient = np.zeros((len(values), len(values))), np.zeros(len(values))
        for part in self.parts:
            base, slopes = self.slopes(part, self.parameters(part, values))
            weighted = slopes * (part.weight**2 / np.sqrt(1 + base * base))[:, None]
            square, downhill = weighted.T @ slopes, weighted.T @ base
            for first in _columns(part.rows):
                gradient[first[1]] += downhill[first[0]]
                for second in _columns(part.rows):
                    matrix[np.ix_(first[1], second[1])] += square[np.ix_(first[0], second[0])]
        return matrix + np.diag(self.pull**2), gradient + self.pull**2 * values

    def descend(self, steps: int) -> None:
        """Levenberg-Marquardt steps for all effects at once."""
        values, loss, damping = self.values, self.loss(self.values), 1e-2
        for _ in range(steps):
            matrix, gradient = self.system(values)
            for _ in range(6):
                damped = matrix + damping * np.diag(np.diag(matrix))
                step = np.clip(-np.linalg.solve(damped, gradient), -1.0, 1.0)
                after = self.loss(values + step)
                if after < loss:
                    break
                damping *= 4
            else:
                break
            values, before, loss, damping = values + step, loss, after, max(damping / 3, 1e-4)
            if before - loss < 1e-3 * before:
                break
        self.values = values

    def refine(self, starts: int, draw: np.random.Generator) -> None:
        """Searches for better effects of each library's kernels for a capability and element type, one after another
        and from several starts: their constants have many local optima."""
        from scipy.optimize import least_squares

        cells: dict[Effect, list[_Part]] = {}
        names = {index: effect for effect, index in self.index.items()}
        for part in self.parts:
            own = next((names[row[-1]][:-1] for row in part.rows if row and names[row[-1]][0] == "kernels"), None)
            if own is not None:
                cells.setdefault(own, []).append(part)
        for own, parts in cells.items():
            moved = [
                index
                for effect, index in self.index.items()
                if effect[:-1] == own or (effect[0] == "group" and any(effect[1] == each.group.key for each in parts))
            ]
            cell = _Cell(self, parts, moved)
            best = least_squares(cell.residuals, cell.start, cell.slopes, max_nfev=25, ftol=1e-4)
            for _ in range(starts - 1):
                begin = cell.start + draw.normal(size=len(moved)) * 0.5 * np.minimum(1, 1 / cell.pull)
                found = least_squares(cell.residuals, begin, cell.slopes, max_nfev=8, ftol=1e-4)
                if found.cost < 1.3 * best.cost:
                    found = least_squares(cell.residuals, found.x, cell.slopes, max_nfev=25, ftol=1e-4)
                best = min(best, found, key=lambda each: each.cost)
            self.values[moved] = best.x


class _Cell:
    """The part of a fit in which only some effects are free."""

    def __init__(self, fit: _Fit, parts: Sequence[_Part], moved: Sequence[int]) -> None:
        self.fit, self.parts = fit, parts
        place = {index: number for number, index in enumerate(moved)}
        self.pull = fit.pull[list(moved)]
        self.start = fit.values[list(moved)]
        self.logs = [fit.parameters(part, fit.values) for part in parts]
        self.which: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
        for part in parts:
            pairs = [(number, place[index]) for number, row in enumerate(part.rows) for index in row if index in place]
            found = np.array(pairs, np.intp).reshape(-1, 2)
            self.which.append((found[:, 0], found[:, 1]))

    def _parameters(self, number: int, values: Floats) -> Floats:
        logs = self.logs[number].copy()
        parameters, places = self.which[number]
        logs[parameters] += (values - self.start)[places]
        return logs

    def residuals(self, values: Floats) -> Floats:
        found = [
            part.weight * _soft_root(self.fit.residuals(part, self._parameters(number, values)))
            for number, part in enumerate(self.parts)
        ]
        return np.concatenate([*found, values * self.pull])

    def slopes(self, values: Floats) -> Floats:
        blocks: list[Floats] = []
        for number, part in enumerate(self.parts):
            base, slopes = self.fit.slopes(part, self._parameters(number, values))
            scaled = slopes * (part.weight * _soft_slope(base))[:, None]
            parameters, places = self.which[number]
            block = np.zeros((len(base), len(values)))
            block[:, places] = scaled[:, parameters]  # each parameter has one effect of the cell
            blocks.append(block)
        return np.concatenate([*blocks, np.diag(self.pull)])


def _columns(rows: list[list[int]]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """For each position in the lists of effects: the parameters that have an effect there, and the effects."""
    longest = max(map(len, rows))
    found: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
    for place in range(longest):
        pairs = np.array([(number, row[place]) for number, row in enumerate(rows) if len(row) > place], np.intp)
        found.append((pairs[:, 0], pairs[:, 1]))
    return found


def _soft(residuals: Floats) -> float:
    return float(np.sum(2 * (np.sqrt(1 + residuals * residuals) - 1)))


def _soft_root(residuals: Floats) -> Floats:
    """Values whose squares are the robust squares of residuals."""
    return np.sign(residuals) * np.sqrt(2 * (np.sqrt(1 + residuals * residuals) - 1))


def _soft_slope(residuals: Floats) -> Floats:
    """The derivative of `_soft_root`."""
    root = np.sqrt(1 + residuals * residuals)
    return np.where(
        np.abs(residuals) < 1e-6, 1.0, np.abs(residuals) / (root * np.maximum(np.abs(_soft_root(residuals)), 1e-12))
    )


def fit_together(
    kernel_class: KernelClass,
    groups: Sequence[tuple[MeasuredGroup, Chip, float]],
    steps: int = 12,
    starts: int = 2,
    most: int = MOST,
    spreads: Spreads = SPREADS,
    seed: int = 0,
) -> Together:
    """The effects that minimise the model's error on groups of measurements of one family of classes, each given with
    its chip's data sheet numbers and its compute capability. `steps`: of all effects at once, at most; `starts`: of
    each library's kernels, 0 for none; `spreads`: the expected sizes of effects. Needs scipy."""
    fit = _Fit(kernel_class, groups, most, seed, spreads)
    draw = np.random.default_rng(seed)
    with np.errstate(all="ignore"):
        fit.descend(steps)
        for _ in range(2 if starts else 0):
            fit.refine(starts, draw)
            fit.descend(max(steps // 2, 1))
        loss = fit.loss(fit.values)
    return Together(kernel_class, {effect: float(fit.values[index]) for effect, index in fit.index.items()}, loss)

"""Fits the constants of a kernel class to measurements: least squares of log ratios, robust against outliers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.constants.measurement import MeasuredGroup, Submission
from interp.kinds.gpu.kernel_class import Columns, KernelClass, Model

_SUBMISSIONS = {"graph": None, "profiler": None, "stream": (5e3, 8.0), "eager": (2.5e4, 3.0)}
"""Start values of a fit by submission mode: the host's time per kernel in ns, and its overlap exponent; None for a mode
whose measured times exclude the host's time."""
HIDDEN_WAYS = tuple(way for way, found in _SUBMISSIONS.items() if found is None)
"""Submission modes in which measured times exclude the host's time per kernel."""

MOST = 600
"""The maximum number of measurements of a group in a fit."""
_HIDDEN = ("start", "alone")
"""Constants that can't be separated from the host's time if each call waits for the host. They keep their start values
in that case, so that submission overhead is not attributed to small kernels."""
_ENOUGH = 1e-5
"""The relative improvement of the loss below which a fit stops."""
_STEP = 1e-3
"""The relative step of a constant for a finite-difference derivative."""


def usual(way: str) -> Submission:
    """The default host time per kernel and overlap exponent for kernels that the host submits in the mode `way`."""
    return Submission(*(_SUBMISSIONS[way] or (0.0, 8.0)))


@dataclass(frozen=True)
class Fitted:
    """Constants of one class and element type, and the parameters of the host's kernel submission in each group."""

    kernel_class: KernelClass
    constants: Mapping[str, float]
    submissions: Mapping[tuple[str, ...], Submission]
    """The host time per kernel and the overlap exponent of each group, by `MeasuredGroup.key`."""
    loss: float

    def predict(self, group: MeasuredGroup, chip: Chip) -> Floats:
        """Predicted times of a group's kernels, ns."""
        kernel = self.kernel_class.estimate(group.columns, chip, self.constants).ns + chip.launch_ns * group.launched
        return self.submissions.get(group.key, Submission()).time(kernel, group.calls)


def fit(
    kernel_class: KernelClass,
    groups: Sequence[MeasuredGroup],
    chips: Mapping[str, Chip] | Sequence[Chip],
    start: Mapping[str, float] | None = None,
    most: int = MOST,
    seed: int = 0,
    held: Collection[str] = (),
    sizes: Mapping[str, float] | None = None,
) -> Fitted:
    """The constants that minimise the model's error on measured groups, of one GPU or of several (`chips`: by GPU, or
    one per group if groups differ in element type).

    At most `most` measurements of each group are used, drawn at random with `seed`. Groups have equal weight.

    `start`: constants that are known from other measurements; the fit starts from them, and penalises deviations from
    them instead of from the plausible values. `held`: the names of constants that keep their start values. `sizes`: the
    expected deviation of each constant from its start, as a standard deviation of its logarithm; by default the class's
    `spread`. Needs scipy.
    """
    from scipy.optimize import least_squares

    draw = np.random.default_rng(seed)
    parts = [drawn(group, most, draw) for group in groups]
    each = [chips[part.gpu] for part in parts] if isinstance(chips, Mapping) else list(chips)
    columns = _joined(kernel_class, parts)
    rows = Chip.rows(each, np.repeat(np.arange(len(parts)), [len(part.ns) for part in parts]))
    launch = rows.launch_ns * np.concatenate([np.full(len(part.ns), float(part.launched)) for part in parts])
    measured = np.log(np.concatenate([part.ns for part in parts]))
    weight = np.concatenate([np.full(len(part.ns), (len(parts) * len(part.ns)) ** -0.5) for part in parts])
    covered = all(part.way == "eager" for part in parts)
    kept = {*held, *(_HIDDEN if covered else ())}
    free = [constant for constant in kernel_class.constants if not constant.fixed and constant.name not in kept]
    begin = {**kernel_class.defaults(), **(start or {})}
    fixed = {constant.name: begin[constant.name] for constant in kernel_class.constants if constant not in free}
    shown = [index for index, part in enumerate(parts) if _SUBMISSIONS[part.way] is not None]
    first = [begin[constant.name] for constant in free]
    low, high = [constant.low for constant in free], [constant.high for constant in free]
    for index in shown:
        dispatch, overlap = _SUBMISSIONS[parts[index].way] or (0.0, 8.0)
        first += [dispatch, overlap]
        low += [10.0, 1.0]
        high += [1e6, 12.0]
    tiny = 1e-9
    to = np.log(np.maximum(np.clip(first, low, high), tiny))
    bounds = np.log(np.maximum(low, tiny)) - 1e-9, np.log(np.maximum(high, tiny)) + 1e-9
    ends = np.cumsum([len(part.ns) for part in parts])

    def unpack(values: Floats) -> tuple[dict[str, float], dict[tuple[str, ...], Submission]]:
        numbers = np.exp(values)
        constants = {constant.name: float(number) for constant, number in zip(free, numbers, strict=False)}
        rest = numbers[len(free) :].reshape(-1, 2)
        ways = {parts[index].key: Submission(float(a), float(b)) for index, (a, b) in zip(shown, rest, strict=True)}
        return {**constants, **fixed}, ways

    def residuals(values: Floats, model: Model = kernel_class.model) -> Floats:
        constants, ways = unpack(values)
        kernel = model(columns, rows, constants).ns + launch
        for part, end in zip(parts, ends, strict=True):
            if part.key in ways:
                span = slice(end - len(part.ns), end)
                kernel[span] = ways[part.key].time(kernel[span], part.calls)
        return np.concatenate([(np.log(kernel) - measured) * weight, (values - to) * pull])

    def slopes(values: Floats) -> Floats:
        """Finite-difference derivatives of the residuals with respect to the constants. For classes with many ways
        (tiles and splits), each kernel is modelled only by the ways that are fastest near `values`."""
        model = kernel_class.nearest(columns, rows, unpack(values)[0]) if kernel_class.nearest else kernel_class.model
        base = residuals(values, model)
        found = np.empty((len(base), len(values)))
        for index in range(len(values)):
            moved = values.copy()
            moved[index] += _STEP if values[index] + _STEP < bounds[1][index] else -_STEP
            found[:, index] = (residuals(moved, model) - base) / (moved[index] - values[index])
        return found

    scale = 0.1 * float(np.median(weight))
    spread = float(np.log(kernel_class.spread))
    one = (
        scale / spread if spread > 0 else 0.0
    )  # a deviation of a constant by its spread is penalised like an error of 10 % for one kernel
    pull = np.full(len(to), one)
    if sizes is not None:
        pull[: len(free)] = [max(scale / sizes[constant.name], one) for constant in free]

    def search(begin: Floats, calls: int) -> Any:
        return least_squares(
            residuals, begin, slopes, bounds=bounds, loss="soft_l1", f_scale=scale, max_nfev=calls, ftol=_ENOUGH
        )

    others = [_near(to, spread / 3, bounds, draw) for _ in range(kernel_class.tries - 1)]
    promising = sorted((search(other, 8) for other in others), key=_cost)[:1]
    found = min((search(begin, 60) for begin in (to, *(other.x for other in promising))), key=_cost)
    constants, ways = unpack(found.x)
    return Fitted(kernel_class, constants, ways, float(found.cost))


def _cost(found: Any) -> float:
    return float(found.cost)


def _near(values: Floats, spread: float, bounds: tuple[Floats, Floats], draw: np.random.Generator) -> Floats:
    """A random start of a fit: `values` plus normal deviates of standard deviation `spread`, limited to the bounds."""
    return np.clip(values + draw.normal(size=len(values)) * spread, bounds[0] + 1e-6, bounds[1] - 1e-6)


def _joined(kernel_class: KernelClass, parts: Sequence[MeasuredGroup]) -> Columns:
    """The columns of all groups, joined into one array per name; for a group without a column, the column's default is
    used."""
    defaults = {column.name: column.default or 0.0 for column in kernel_class.columns}
    names = list(dict.fromkeys(name for part in parts for name in part.columns))
    return {
        name: np.concatenate([part.columns.get(name, np.full(len(part.ns), defaults.get(name, 0.0))) for part in parts])
        for name in names
    }


def drawn(group: MeasuredGroup, most: int, draw: np.random.Generator) -> MeasuredGroup:
    """At most `most` measurements of a group, drawn at random."""
    if len(group.ns) <= most:
        return group
    return group.part(np.sort(draw.choice(len(group.ns), most, replace=False)))

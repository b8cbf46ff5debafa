"""Fitting of kernel models to measurements of each class on a subset of shapes, with errors on held-out shapes.

A fit starts from the present constants and penalises deviations from them, so that few measurements suffice. It adjusts
the constants of the chip, those of the library's kernels, or both; the others keep their present values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from dialects.diagnostics import InputError
from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.calibration import Record
from interp.kinds.gpu.constants.fit import Fitted, fit
from interp.kinds.gpu.constants.known import KnownConstants, constants_for
from interp.kinds.gpu.constants.measurement import FitErrors, MeasuredGroup, Submission
from interp.kinds.gpu.kernel_class import Constant, KernelClass
from interp.machine.records import Gpu
from interp.units import in_unit
from ndpir.calibrate.rows import Measurement, Remarks

_ABOVE_PEAK, _ABSURD = 1.1, 5.0
"""Speed-ups over the datasheet's peaks above which a measurement is reported (`_ABOVE_PEAK`) and excluded (`_ABSURD`).
Algorithms with less work than the class counts (Winograd and FFT convolutions) may be up to four times as fast."""
_OTHER_UNIT = (1 / 30, 100.0)
"""The range of median ratios of measured to estimated times; outside of it, the unit is probably not microseconds."""
_MOST = 1000
"""The largest number of fitted rows per class, element type and way; more rows hardly change the constants."""
_LEAST = 10
"""The number of shapes that a fit needs at least."""
_COMFORT = 3
"""The number of shapes per fitted constant below which a fit is reported as imprecise."""
_EXPECTED = 0.3
"""The expected deviation of a constant from the present one, as a standard deviation of its logarithm. With 0.6, a fit
of 10 shapes may be worse than the present constants; with 0.15, a fit of 80 shapes gains less
(`benchmarks/calibration/calibrate_few.py`)."""
_UNEXPLAINED = 50.0
"""The error on held-out shapes in % above which the model does not describe the kernels, so that nothing is
written."""

Scope: TypeAlias = Literal["both", "chip", "kernels"]
"""The constants that a fit adjusts: those of the chip and of the kernels together, or only one of them."""


@dataclass(frozen=True)
class FitOptions:
    """The settings of a fit from the command line."""

    holdout: float = 0.2
    seed: int = 0
    only: tuple[str, ...] = ()
    scope: Scope = "both"
    library: str | None = None
    """The library whose present constants the fit starts from; None: that of the GPU's sheet."""

    def adjusts(self, constant: Constant) -> bool:
        """True if the fit adjusts a constant of a kernel class."""
        return not constant.fixed and (self.scope == "both" or constant.of_chip == (self.scope == "chip"))


@dataclass(frozen=True)
class WayErrors:
    """The errors of one class and element type, for kernels submitted in one way."""

    way: str
    held: FitErrors
    """Errors of the fit on held-out shapes (on all shapes if none was held out)."""
    before: FitErrors
    """Errors of the previous constants on the same shapes."""
    submission: Submission
    worst: float
    """The largest ratio between measured and predicted time, in either direction."""
    worst_place: str
    """The location of the measurement with this ratio."""


@dataclass(frozen=True)
class ClassFit:
    """The fit of one class and element type."""

    kernel_class: str
    element: str
    fitted: Sequence[Measurement]
    held: Sequence[Measurement]
    """The measurements that were not fitted, by which errors are computed."""
    before: str
    """The source of the previous constants."""
    ways: tuple[WayErrors, ...]
    record: Record | None
    """The calibration's record of the fit; None if the fit predicts no better than the previous constants, or not well
    at all."""
    times: Fitted | None = None
    """The fitted model, which predicts times; None for the fit of power."""
    errors: tuple[Record, ...] = ()
    """Of the fit of power: records of the errors for each class, if `record` is not None."""


def fit_all(
    rows: Sequence[Measurement],
    gpu: Gpu,
    source: str,
    choice: FitOptions,
    remarks: Remarks,
    step: Callable[[str, int, int], None],
) -> Iterator[ClassFit]:
    """The fits of all classes and element types with enough shapes in a file. `step` reports progress."""
    found: dict[tuple[str, str], list[Measurement]] = {}
    for row in rows:
        if not choice.only or row.kernel_class in choice.only:
            found.setdefault((row.kernel_class, row.element), []).append(row)
    order = list(CLASSES)
    keys = sorted(found, key=lambda key: (order.index(key[0]), key[1]))
    for done, (name, element) in enumerate(keys):
        step(f"fitting {name} {element}", done, len(keys))
        fitted = _fit_one(CLASSES[name], element, found[name, element], gpu, source, choice, remarks)
        if fitted is not None:
            yield fitted


def chip_of(gpu: Gpu, element: str) -> Chip:
    """The parameters of a GPU that kernel models need. Raises InputError if its sheet lacks one."""
    needed = {"l2": gpu.l2_bytes, "threads": gpu.threads, "tdp": gpu.tdp_w}
    missing = [name for name, value in needed.items() if not value]
    if missing:
        message = f"the sheet of {gpu.name} lacks {', '.join(missing)}, which kernel models need; add"
        raise InputError(f"{message} `{missing[0]} …` (docs/sheets.md)", gpu.file or None)
    return Chip.of(gpu, element)


def split(rows: Sequence[Measurement], holdout: float, seed: int) -> tuple[list[Measurement], list[Measurement]]:
    """The rows to fit, and the held-out rows; all rows of a shape are in the same part. The result does not depend on
    the order of rows, except in the order within each part."""
    shapes = sorted({row.shape for row in rows}, key=lambda shape: _draw(seed, shape))
    held = set(shapes[: round(holdout * len(shapes))])
    return [row for row in rows if row.shape not in held], [row for row in rows if row.shape in held]


def _draw(seed: int, shape: tuple[tuple[str, float], ...]) -> bytes:
    text = f"{seed} " + " ".join(f"{name}={value:g}" for name, value in shape)
    return blake2b(text.encode(), digest_size=8).digest()


def _fit_one(
    kernel_class: KernelClass,
    element: str,
    rows: list[Measurement],
    gpu: Gpu,
    source: str,
    choice: FitOptions,
    remarks: Remarks,
) -> ClassFit | None:
    chip, kind = chip_of(gpu, element), f"{kernel_class.name} {element}"
    known = constants_for(gpu, kernel_class.name, element, choice.library)
    adjusted = {constant.name: constant for constant in kernel_class.constants if choice.adjusts(constant)}
    if not adjusted:
        remarks.report(f"{kernel_class.name} has no constants of the chip, so it is not fitted", rows[0].place)
        return None
    if choice.scope == "chip" and known.substitute:
        message = f"the library is not measured for {kind}, so the constants of {known.substitute} are held instead"
        remarks.report(message, rows[0].place)
    if element not in gpu.rates and element not in gpu.matrix_rates:
        message = f"the sheet of {gpu.name} has no rate of {element}; the rate of f32 is used instead"
        remarks.report(message, rows[0].place)
    rows = _possible(kernel_class, rows, chip, known, remarks)
    fitted_rows, held = split(rows, choice.holdout, choice.seed)
    free = len(adjusted) + 2 * len({row.way for row in rows} & {"stream", "eager"})
    shapes = len({row.shape for row in fitted_rows})
    if shapes < _LEAST:
        remarks.report(_too_few(kind, shapes, choice.holdout), rows[0].place if rows else source)
        return None
    if shapes < _COMFORT * free:
        message = f"{kind} has only {shapes} shapes to fit {free} constants, so most of them stay near the present ones"
        remarks.report(f"{message}; measure more shapes", rows[0].place)
    groups = [group_of(each, gpu, source) for each in _by_way(fitted_rows)]
    _remark_on_ways(kind, groups, rows[0].place, remarks)
    unseen = [row for row in held if row.way not in {group.way for group in groups}]
    if unseen:
        message = f"{len(unseen)} held-out rows of {kind} are of way {unseen[0].way}, but no fitted row is"
        remarks.report(f"{message}; they are left out of the errors", unseen[0].place)
        held = [row for row in held if row not in unseen]
    with np.errstate(all="ignore"):
        found = fit_from(kernel_class, groups, chip, known.constants, choice)
        ways = tuple(_errors(way, found, known, chip, gpu, source) for way in _by_way(held or rows))
    record: Record | None = Record(
        kernel_class.name,
        element,
        {name: value for name, value in found.constants.items() if name in adjusted},
        _origin(ways, fitted_rows, held, source, gpu.name if choice.scope == "kernels" else ""),
        library=(choice.library or "") if choice.scope == "both" else "",
        capability=gpu.capability if choice.scope == "kernels" else 0.0,
    )
    error = _mean(ways, lambda way: way.held.mape)
    if error > _UNEXPLAINED:
        message = (
            f"the fit of {kind} is {error:.0f} % off, so the model does not describe these kernels; it is discarded"
        )
        remarks.report(message, rows[0].place)
        record = None
    elif held and _mean(ways, lambda way: way.held.mape) > _mean(ways, lambda way: way.before.mape):
        message = f"the fit of {kind} predicts no better than the present constants ({known.origin}); it is discarded"
        remarks.report(message, rows[0].place)
        record = None
    return ClassFit(kernel_class.name, element, fitted_rows, held, known.origin, ways, record, found)


def fit_from(
    kernel_class: KernelClass,
    groups: Sequence[MeasuredGroup],
    chip: Chip,
    present: Mapping[str, float],
    choice: FitOptions,
) -> Fitted:
    """The fit of one class to measurements of one chip, from the present constants; those that the scope of the choice
    leaves out are held."""
    adjusted = [constant.name for constant in kernel_class.constants if choice.adjusts(constant)]
    return fit(
        kernel_class,
        groups,
        [chip] * len(groups),
        start=present,
        most=_MOST,
        seed=choice.seed,
        held=[constant.name for constant in kernel_class.constants if constant.name not in adjusted],
        sizes=dict.fromkeys(adjusted, _EXPECTED),
    )


def _remark_on_ways(kind: str, groups: Sequence[MeasuredGroup], place: str, remarks: Remarks) -> None:
    """Report problems with the ways in which the kernels of a class were submitted: kernels measured only by single
    calls, or more rows of one way than a fit uses."""
    if {group.way for group in groups} == {"eager"}:
        message = f"{kind} was measured only by single calls, whose time on the host hides the time of short kernels"
        remarks.report(f"{message}; measure some in a replayed graph, or with a profiler", place)
    for group in groups:
        if len(group.ns) > _MOST:
            message = f"{kind} has {len(group.ns)} rows of way {group.way} to fit; a random choice of {_MOST} is used"
            remarks.report(message, place)


def _too_few(kind: str, shapes: int, holdout: float) -> str:
    more = f", or hold out less than {holdout:.0%}" if holdout else ""
    return f"{kind} has only {shapes} shapes to fit, so it is not fitted; measure {_LEAST} or more{more}"


def _possible(
    kernel_class: KernelClass, rows: list[Measurement], chip: Chip, known: KnownConstants, remarks: Remarks
) -> list[Measurement]:
    """The rows with physically possible times that the model can predict; remarks report the other rows."""
    columns = _columns(rows)
    with np.errstate(all="ignore"):
        estimate = kernel_class.estimate(columns, chip, known.constants)
    measured = np.array([row.ns for row in rows])
    rate = np.maximum(chip.matrix_rate, chip.rate)
    limit = np.maximum(estimate.flops / rate, estimate.dram_bytes / chip.bandwidth) * 1e9
    predictable = np.isfinite(estimate.ns) & (estimate.ns > 0)
    for row in (row for row, fine in zip(rows, predictable, strict=True) if not fine):
        remarks.leave_out(f"the model of {kernel_class.name} predicts no time for a kernel of this size", row.place)
    with np.errstate(over="ignore"):  # a time near zero gives an infinite ratio
        above = np.where(predictable, limit / measured, 0)
    for row, ratio in zip(rows, above, strict=True):
        if ratio > _ABSURD:
            faster = f"{ratio:.3g} times as fast as the datasheet's peaks allow for {kernel_class.name}"
            remarks.leave_out(f"{in_unit(row.ns, 'ns')} is {faster} (is it in us?)", row.place)
    near = [(ratio, row) for ratio, row in zip(above, rows, strict=True) if _ABOVE_PEAK < ratio <= _ABSURD]
    if near:
        ratio, row = max(near, key=lambda pair: pair[0])
        message = f"{len(near)} rows of {kernel_class.name} {row.element} are faster than the datasheet's peaks allow"
        remarks.report(f"{message}, this one {ratio:.2f} times; they are kept", row.place)
    kept = predictable & (above <= _ABSURD)
    if kept.any():
        middle = float(np.median(measured[kept] / estimate.ns[kept]))
        if not _OTHER_UNIT[0] < middle < _OTHER_UNIT[1]:
            message = f"the median time of {kernel_class.name} {rows[0].element} is {middle:.3g} times the estimate"
            remarks.report(f"{message} by the present constants; are times in us, and of this GPU?", rows[0].place)
    return [row for row, fine in zip(rows, kept, strict=True) if fine]


def _columns(rows: Sequence[Measurement]) -> dict[str, Floats]:
    return {name: np.array([row.columns[name] for row in rows], float) for name in rows[0].columns}


def _by_way(rows: Sequence[Measurement]) -> list[list[Measurement]]:
    ways: dict[str, list[Measurement]] = {}
    for row in rows:
        ways.setdefault(row.way, []).append(row)
    return list(ways.values())


def group_of(rows: Sequence[Measurement], gpu: Gpu, source: str) -> MeasuredGroup:
    """The rows of one class, element type and way as arrays of columns, times and power readings."""
    first = rows[0]
    power = np.array([row.power_w for row in rows])
    times = np.array([row.ns for row in rows])
    measured = None if np.isnan(power).all() else power
    return MeasuredGroup(
        source, gpu.name, first.kernel_class, first.element, first.way, first.way, _columns(rows), times, measured
    )


def _errors(
    rows: Sequence[Measurement], found: Fitted, known: KnownConstants, chip: Chip, gpu: Gpu, source: str
) -> WayErrors:
    group = group_of(rows, gpu, source)
    earlier = Fitted(found.kernel_class, known.constants, found.submissions, 0.0)
    predicted, before = found.predict(group, chip), earlier.predict(group, chip)
    apart = np.maximum(predicted / group.ns, group.ns / predicted)
    worst = int(np.argmax(apart))
    submission = found.submissions.get(group.key, Submission())
    held, previous = FitErrors.of(predicted, group.ns), FitErrors.of(before, group.ns)
    return WayErrors(group.way, held, previous, submission, float(apart[worst]), rows[worst].place)


def _mean(ways: Sequence[WayErrors], of: Callable[[WayErrors], float]) -> float:
    return sum(of(way) * way.held.count for way in ways) / sum(way.held.count for way in ways)


def _origin(
    ways: Sequence[WayErrors], fitted: Sequence[Measurement], held: Sequence[Measurement], source: str, gpu: str
) -> str:
    """The measurements of a fit and its error, in words. `gpu`: the GPU that was measured, for the calibration of a
    library; empty for the GPU's own calibration."""
    source_text = f"fitted on {len(fitted)} kernels of {f'{gpu} in ' if gpu else ''}{Path(source).name}"
    error = f"{_mean(ways, lambda way: way.held.mape):.1f} %"
    return f"{source_text}; {error} off on {len(held)} others" if held else f"{source_text}; {error} off on the same"

"""Fitting of the whole board's power to power readings of measured kernels, with energy errors on held-out shapes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from interp.kinds.gpu.chip import Floats
from interp.kinds.gpu.constants.calibration import Record, power_of
from interp.kinds.gpu.constants.known import constants_for
from interp.kinds.gpu.constants.measurement import FitErrors, Submission
from interp.kinds.gpu.constants.power_fit import Metered, fit_board
from interp.kinds.gpu.kernel_class import Constants
from interp.kinds.gpu.power import BOARD, Activity, board_power
from interp.machine.records import Gpu
from ndpir.calibrate.fit import ClassFit, WayErrors, chip_of, group_of
from ndpir.calibrate.rows import Measurement, Remarks

_LEAST = 3
"""The required number of power readings per fitted constant."""


def fit_power(fits: Sequence[ClassFit], gpu: Gpu, source: str, remarks: Remarks) -> ClassFit | None:
    """The fit of the board's power to the readings of all classes; None if there are too few readings. The fit uses
    measured times; the errors use predicted times, as energy estimates do."""
    fitted = [(found, _read(found.fitted)) for found in fits]
    held = [(found, _read(found.held or found.fitted)) for found in fits]
    count = sum(len(rows) for _, rows in fitted)
    if not count:
        return None
    least = _LEAST * len(BOARD.constants)
    if count < least or not any(rows for _, rows in held):
        place = next(rows[0].place for _, rows in fitted if rows)
        remarks.report(
            f"{count} power readings are too few to fit {BOARD.name}, which needs {least}; measure more", place
        )
        return None
    known = constants_for(gpu, BOARD.name, BOARD.element)
    kinds = [_metered(found, rows, gpu, source) for found, rows in fitted if rows]
    with np.errstate(all="ignore"):
        constants = fit_board(kinds).constants
        ways = (_errors(held, gpu, source, constants, known.constants),)
    error = f"energy {ways[0].held.mape:.1f} % off on {ways[0].held.count} others"
    origin = f"fitted on {count} readings of {Path(source).name}; {error}"
    record: Record | None = Record(BOARD.name, BOARD.element, constants, origin)
    if ways[0].held.mape > ways[0].before.mape:
        place = ways[0].worst_place
        message = f"the fit of power predicts energy no better than the present constants ({known.origin})"
        remarks.report(f"{message}; it is discarded", place)
        record = None
    held_rows = [row for found, rows in held for row in rows if found.held]
    errors: list[Record] = []
    for (found, rows), (_, others) in zip(fitted, held, strict=True):
        if rows and others and record is not None:
            off = _errors([(found, others)], gpu, source, constants, known.constants).held
            text = f"fitted on {len(rows)} readings of {Path(source).name}; energy {off.mape:.1f} % off on {off.count}"
            text += " others" if found.held else " of them"
            errors.append(Record(power_of(found.kernel_class), found.element, {}, text))
    return ClassFit(
        BOARD.name,
        BOARD.element,
        [row for _, rows in fitted for row in rows],
        held_rows,
        known.origin,
        ways,
        record,
        errors=tuple(errors),
    )


def _read(rows: Sequence[Measurement]) -> list[Measurement]:
    """The rows with a power reading."""
    return [row for row in rows if not np.isnan(row.power_w)]


def _watts(rows: Sequence[Measurement]) -> Floats:
    return np.array([row.power_w for row in rows])


def _metered(found: ClassFit, rows: Sequence[Measurement], gpu: Gpu, source: str) -> Metered:
    activity = _activity(found, rows, gpu, source, np.array([row.ns for row in rows]))
    return Metered(activity, chip_of(gpu, found.element), _watts(rows))


def _activity(found: ClassFit, rows: Sequence[Measurement], gpu: Gpu, source: str, ns: Floats) -> Activity:
    assert found.times is not None
    chip, columns = chip_of(gpu, found.element), group_of(rows, gpu, source).columns
    return Activity.of(found.times.kernel_class.estimate(columns, chip, found.times.constants), ns)


def _errors(
    held: Sequence[tuple[ClassFit, list[Measurement]]],
    gpu: Gpu,
    source: str,
    constants: Constants,
    before: Constants,
) -> WayErrors:
    """Errors of predicted energies (predicted power times predicted time) on held-out rows."""
    predicted, earlier, measured, places = list[Floats](), list[Floats](), list[Floats](), list[str]()
    for found, rows in held:
        if not rows or found.times is None:
            continue
        chip = chip_of(gpu, found.element)
        ns = found.times.predict(group_of(rows, gpu, source), chip)
        activity = _activity(found, rows, gpu, source, ns)
        predicted.append(board_power(activity, chip, constants).energy_nj(ns))
        earlier.append(board_power(activity, chip, before).energy_nj(ns))
        measured.append(_watts(rows) * np.array([row.ns for row in rows]))
        places += [row.place for row in rows]
    ours, previous, real = (np.concatenate(parts) for parts in (predicted, earlier, measured))
    apart = np.maximum(ours / real, real / ours)
    worst = int(np.argmax(apart))
    return WayErrors(
        "energy",
        FitErrors.of(ours, real),
        FitErrors.of(previous, real),
        Submission(),
        float(apart[worst]),
        places[worst],
    )

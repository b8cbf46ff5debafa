"""Writer of the calibrations of all measured GPUs and libraries.

The constants are fitted to all measurements together. The errors that the records state are those of refits without the
predicted rows (benchmarks/gpu/errors.csv): of folds of shapes for a library on a measured chip, of a library that was
left out on a chip, and of a chip that was left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from benchmarks.gpu.baselines import fitted_two_constants
from benchmarks.gpu.measurements import LIBRARIES
from benchmarks.gpu.record import Row
from benchmarks.gpu.refit import CHIPS, RefitTask, capability_of, chip_of, sheet
from dialects.diagnostics import InputError
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.calibration import (
    GENERIC,
    Calibration,
    Record,
    RecordKey,
    calibration_text,
    read_calibration,
)
from interp.kinds.gpu.constants.files import SUFFIX
from interp.kinds.gpu.constants.fit import HIDDEN_WAYS
from interp.kinds.gpu.constants.measurement import MeasuredGroup, Submission
from interp.kinds.gpu.constants.together import Effect, Subject, Together, subject_of

Owner = tuple[str, str]
"""The subject of a calibration: the word `gpu`, `library` or `family`, and its name."""


def fit_all(
    tasks: Sequence[RefitTask], jobs: int, report: Callable[[RefitTask], None]
) -> list[tuple[RefitTask, Together]]:
    """Return each task with its fitted effects."""
    if jobs == 1:
        found: list[tuple[RefitTask, Together]] = []
        for task in tasks:
            found.append((task, task.fitted()))
            report(task)
        return found
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        largest = sorted(tasks, key=lambda task: -task.size)
        waiting = {task.name: pool.submit(_effects, task) for task in largest}
        done: list[tuple[RefitTask, Together]] = []
        for task in tasks:
            done.append((task, Together(task.kernel_class, waiting[task.name].result())))
            report(task)
        return done


def _effects(task: RefitTask) -> dict[Effect, float]:
    """Return a fit's effects alone: the model of a kernel class can't be sent from one process to another."""
    return task.fitted().effects


def submissions_of(fits: Sequence[tuple[RefitTask, Together]]) -> dict[tuple[str, ...], Submission]:
    """Return the submission of each group whose measured times include the host's."""
    return {
        group.key: fitted.submission(group)
        for task, fitted in fits
        for group in task.train
        if group.way not in HIDDEN_WAYS
    }


def baselines_of(groups: Sequence[MeasuredGroup]) -> dict[tuple[str, ...], tuple[float, float]]:
    """Return the launch time and the efficiency of a roofline that is fitted to each group."""
    return {group.key: fitted_two_constants([(group, chip_of(group))]) for group in groups if len(group.ns) > 1}


def records_of(
    fits: Sequence[tuple[RefitTask, Together]], pooled: Sequence[tuple[RefitTask, Together]], errors: Sequence[Row]
) -> dict[Owner, dict[RecordKey, Record]]:
    """Return the records of all calibrations. `pooled`: fits for chips without measurements, of the same tasks."""
    found: dict[Owner, dict[RecordKey, Record]] = {}
    for (task, fitted), (_, of_all) in zip(fits, pooled, strict=True):
        for owner, record in _records(task.train, fitted, of_all, errors):
            found.setdefault(owner, {})[record.key] = record
    _add_siblings(found)
    return found


def _add_siblings(found: dict[Owner, dict[RecordKey, Record]]) -> None:
    """Add to each board the chip's constants of the board with the same chip and the nearest bandwidth for which they
    were fitted."""
    own = {gpu: dict(found.get(("gpu", gpu), {})) for gpu in CHIPS}
    for gpu, records in own.items():
        siblings = [other for other in own if CHIPS[other] == CHIPS[gpu] and other != gpu]
        siblings.sort(key=lambda other: abs(np.log(sheet(other).bandwidth / sheet(gpu).bandwidth)))
        for key in dict.fromkeys(key for other in siblings for key in own[other] if key not in records):
            other = next(other for other in siblings if key in own[other])
            record = own[other][key]
            origin = f"as {other}, with the same chip: {record.origin}"
            found.setdefault(("gpu", gpu), {})[key] = replace(record, origin=origin)


def _records(
    groups: Sequence[MeasuredGroup], fitted: Together, pooled: Together, errors: Sequence[Row]
) -> Iterator[tuple[Owner, Record]]:
    of_chip = {constant.name for constant in fitted.kernel_class.constants if constant.of_chip}
    free = {constant.name for constant in fitted.kernel_class.constants if not constant.fixed}
    by_subject: dict[Subject, list[MeasuredGroup]] = {}
    for group in groups:
        by_subject.setdefault(subject_of(group, capability_of(group)), []).append(group)

    def chosen(name: str, chip: bool) -> bool:
        return name in free and (name in of_chip) == chip

    def some(constants: Mapping[str, float], chip: bool) -> dict[str, float]:
        return {name: value for name, value in constants.items() if chosen(name, chip)}

    for subject in by_subject:
        kind, constants = (subject.kernel_class, subject.element), fitted.constants(subject)
        if of_chip:
            its = _of(by_subject, lambda other, it=subject: (other.gpu, other.kind) == (it.gpu, it.kind))
            origin = f"{_rows(its)} of {_libraries(its)}; {_error('folds', errors, its)}"
            yield ("gpu", subject.gpu), Record(*kind, some(constants, True), origin)
        its = _of(by_subject, lambda other, it=subject: _kernels(other) == _kernels(it))
        origin = f"{_rows(its)} of {_gpus(its)}; {_error('folds', errors, its)}"
        record = Record(*kind, some(constants, False), origin, capability=subject.capability)
        yield ("library", subject.library), record
    for kernel_class, element in sorted({_kind(subject) for subject in by_subject}):
        same = [subject for subject in by_subject if _kind(subject) == (kernel_class, element)]
        for capability in sorted({subject.capability for subject in same}):
            here = {_kernels(subject): subject for subject in same if subject.capability == capability}
            logs = [np.log(list(fitted.constants(each, ()).values())) for each in here.values()]
            means = dict(zip(fitted.constants(same[0]), np.exp(np.mean(logs, axis=0)), strict=True))
            levels = ("all", "element", "capability")
            chips = fitted.constants(next(iter(here.values())), levels)
            its = _of(by_subject, lambda other, its=here: _kernels(other) in its)
            constants = {name: float(means[name]) for name in means if chosen(name, False)} | some(chips, True)
            origin = f"mean of {_libraries(its)}; {_error('library left out', errors, _all(groups, kernel_class))}"
            yield ("library", GENERIC), Record(kernel_class, element, constants, origin, capability=capability)
        for library in sorted({subject.library for subject in same} | {GENERIC}):
            its = [subject for subject in same if library in (GENERIC, subject.library)]
            levels = ("all", "element") if library == GENERIC else ("all", "element", "library")
            constants = pooled.constants(its[0], levels)
            measured = _of(by_subject, lambda other, its=its: other in its)
            origin = f"{_rows(measured)} of {len({group.gpu for group in measured})} GPUs; "
            origin += _error("left out", errors, _all(groups, kernel_class))
            free_ones = {name: value for name, value in constants.items() if name in free}
            yield ("library", library), Record(kernel_class, element, free_ones, origin)


def _kind(subject: Subject) -> tuple[str, str]:
    return subject.kernel_class, subject.element


def _kernels(subject: Subject) -> tuple[str, float, str]:
    return subject.library, subject.capability, subject.kind


def _of(by_subject: Mapping[Subject, Sequence[MeasuredGroup]], holds: Callable[[Subject], bool]) -> list[MeasuredGroup]:
    return [group for subject, groups in by_subject.items() if holds(subject) for group in groups]


def _all(groups: Sequence[MeasuredGroup], kernel_class: str) -> list[MeasuredGroup]:
    return [group for group in groups if group.kernel_class == kernel_class]


def _rows(groups: Sequence[MeasuredGroup]) -> str:
    return f"{sum(len(group.ns) for group in groups):,} kernels"


def _gpus(groups: Sequence[MeasuredGroup]) -> str:
    return ", ".join(sorted({group.gpu for group in groups}))


def _libraries(groups: Sequence[MeasuredGroup]) -> str:
    return ", ".join(sorted({group.library for group in groups}))


_WORDS = {
    "folds": "in folds of shapes",
    "library left out": "where a library was left out on a chip",
    "left out": "where a chip was left out with its siblings",
}


def _error(kind: str, errors: Sequence[Row], groups: Sequence[MeasuredGroup]) -> str:
    """Return the words for the error of a kind of refit on groups."""
    keys = {(group.source, group.gpu, group.element, group.label, group.library) for group in groups}
    rows = [row for row in errors if row.kind == kind and (row.set, row.gpu, row.element, row.op, row.library) in keys]
    count = sum(row.rows for row in rows)
    if not count:
        return f"the error {_WORDS[kind]} is unknown"
    error = sum(row.model * row.rows for row in rows) / count
    return f"{error:.1f} % off on {count:,} {_WORDS[kind]}"


def merged(folder: Path, owner: str, name: str, records: Mapping[RecordKey, Record], anew: bool = False) -> Path:
    """Write records into the calibration of a GPU, library or family in a folder; return the file's path. The other
    records of its file are kept, those of kernel classes only if not all are fitted anew."""
    path = folder / f"{name}{SUFFIX}"
    if owner == "gpu":
        whose = f"{sheet(name).description}: public measurements"
    else:
        whose = LIBRARIES.get(name, f"GPUs of the {name} architecture: public measurements")
    before = read_calibration(path) if path.exists() else Calibration(owner, name, {}, whose)
    kept = {key: record for key, record in before.records.items() if not (anew and key[0] in CLASSES)}
    both = dict(sorted({**kept, **records}.items(), key=lambda item: _order(item[1])))
    text = calibration_text(replace(before, records=both, description=whose if anew else before.description))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    except OSError as error:
        raise InputError(
            f"the calibration can't be written: {(error.strerror or str(error)).lower()}", str(path)
        ) from None
    return path


def _order(record: Record) -> tuple[str, str, float, str]:
    return record.kernel_class, record.element, record.capability, record.library

"""Cross-validation by shape: each measurement is predicted by a fit to the measurements of other shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.gpu.bars import Score
from benchmarks.gpu.measurements import row_number, rows_of
from benchmarks.gpu.refit import FOLD, Prediction, RefitTask, by_family, run
from benchmarks.gpu.split import place_of
from dialects.diagnostics import InputError
from interp.kinds.gpu.constants.measurement import MeasuredGroup


def fold_tasks(groups: Sequence[MeasuredGroup], folders: Sequence[Path], count: int) -> list[RefitTask]:
    """Return `count` fits for each family of classes: each to the shapes of all folds but one, evaluated on the shapes
    of that fold. Raises InputError if a row has no id, by which its shape is found."""
    folds = {source: _folds_of(source, folders, count) for source in {group.source for group in groups}}
    tasks: list[RefitTask] = []
    for family, members in by_family(groups).items():
        of_rows = [_of_rows(group, folds[group.source]) for group in members]
        for fold in range(count):
            train = [group.part(of_row != fold) for group, of_row in zip(members, of_rows, strict=True)]
            evaluated = [group.part(of_row == fold) for group, of_row in zip(members, of_rows, strict=True)]
            parts = (tuple(each for each in part if len(each.ns)) for part in (train, evaluated))
            tasks.append(RefitTask(f"{family} fold {fold}", *parts, effort=FOLD))
    return [task for task in tasks if task.train and task.evaluated]


def _folds_of(source: str, folders: Iterable[Path], count: int) -> dict[int, int]:
    """Return the fold of each row of a set, by the row's number; the rows may be divided among the folders."""
    paths = [path for folder in folders if (path := folder / f"{source}.csv").exists()]
    return {row_number(row): int(place_of(source, row) * count) for path in paths for _, row in rows_of(path)}


def _of_rows(group: MeasuredGroup, folds: dict[int, int]) -> NDArray[np.intp]:
    if group.ids is None or (group.ids < 0).any():
        raise InputError(f"rows of {group.source} have no `id` that ends with a number, so they can't be divided")
    return np.array([folds[int(number)] for number in group.ids], np.intp)


def fold_scores(tasks: Sequence[RefitTask], jobs: int, report: Callable[[RefitTask], None]) -> list[Score]:
    """Return the errors of each group over all of its rows."""
    found: dict[tuple[str, ...], list[Prediction]] = {}
    for _, predictions in run(tasks, jobs, report):
        for each in predictions:
            found.setdefault(each.group.key, []).append(each)
    return [_joined(each).score() for each in found.values()]


def _joined(parts: Sequence[Prediction]) -> Prediction:
    """Return the predictions of all folds of a group as one."""
    first = parts[0].group
    columns = {name: np.concatenate([each.group.columns[name] for each in parts]) for name in first.columns}
    whole = MeasuredGroup(
        *(first.source, first.gpu, first.kernel_class, first.element, first.label, first.way),
        columns,
        np.concatenate([each.group.ns for each in parts]),
        library=first.library,
    )
    times = {name: np.concatenate([each.times[name] for each in parts]) for name in parts[0].times}
    return Prediction(whole, times, f"the other shapes of {len(parts)} folds", {})

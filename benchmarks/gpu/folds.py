"""Cross-validation by shape: each measurement is predicted by a fit to the measurements of other shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.gpu.bars import Score
from benchmarks.gpu.measurements import row_number, rows_of
from benchmarks.gpu.refit import Prediction, RefitTask, run
from benchmarks.gpu.split import place_of
from dialects.diagnostics import InputError
from interp.kinds.gpu.constants.measurement import MeasuredGroup


def fold_tasks(groups: Sequence[MeasuredGroup], folder: Path, count: int) -> list[RefitTask]:
    """Return `count` fits for each group of a folder's measurements: each to the shapes of all folds but one, evaluated
    on the shapes of that fold. Raises InputError if a row has no id, by which its shape is found."""
    tasks: list[RefitTask] = []
    folds: dict[str, dict[int, int]] = {}
    for group in groups:
        if group.source not in folds:
            rows = rows_of(folder / f"{group.source}.csv")
            folds[group.source] = {row_number(row): int(place_of(group.source, row) * count) for _, row in rows}
        if group.ids is None or (group.ids < 0).any():
            raise InputError(f"rows of {group.source} have no `id` that ends with a number, so they can't be divided")
        of_row: NDArray[np.intp] = np.array([folds[group.source][int(number)] for number in group.ids])
        for fold in range(count):
            train, evaluated = group.part(of_row != fold), group.part(of_row == fold)
            if len(train.ns) and len(evaluated.ns):
                tasks.append(RefitTask(f"{' '.join(group.key)} {fold}", (train,), (evaluated,)))
    return tasks


def fold_scores(tasks: Sequence[RefitTask], jobs: int, report: Callable[[RefitTask], None]) -> list[Score]:
    """Return the errors of each group over all of its rows."""
    found: dict[tuple[str, ...], list[Prediction]] = {}
    for _, predictions in run(tasks, jobs, report):
        for each in predictions:
            found.setdefault(each.group.key, []).append(each)
    return [_joined(each).score() for each in found.values()]


def _joined(parts: Sequence[Prediction]) -> Prediction:
    """Return the predictions of all folds of a group as one."""
    groups = [each.group for each in parts]
    columns = {name: np.concatenate([each.columns[name] for each in groups]) for name in groups[0].columns}
    whole = MeasuredGroup(
        *(groups[0].source, groups[0].gpu, groups[0].kernel_class, groups[0].element, groups[0].label, groups[0].way),
        columns,
        np.concatenate([each.ns for each in groups]),
    )
    times = {name: np.concatenate([each.times[name] for each in parts]) for name in parts[0].times}
    return Prediction(whole, times, f"the other shapes of {len(parts)} folds", {})

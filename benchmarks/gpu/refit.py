"""Refits of the GPU kernel models in parallel, and the refitted models' errors on measurements that were not fitted."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context

from benchmarks.gpu.bars import Score
from benchmarks.gpu.baselines import roofline, two_constants
from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.families import MeasuredGpu, equivalent_elements, submission_like, transferred
from interp.kinds.gpu.constants.fit import Fitted, fit
from interp.kinds.gpu.constants.measurement import FitErrors, MeasuredGroup
from interp.kinds.gpu.kernel_class import KernelClass
from interp.machine.records import Gpu
from interp.machine.sheets.files import load_device

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Environment variables for the thread counts of numerical libraries: 1 each, because there is one process per core."""


@dataclass(frozen=True)
class RefitTask:
    """A fit of constants to the groups `train`, which is evaluated on the groups `evaluated`."""

    name: str
    train: tuple[MeasuredGroup, ...]
    evaluated: tuple[MeasuredGroup, ...]
    family: str = ""
    """The GPU family whose constants are fitted, to measurements of its own GPUs and of other families; empty:
    constants of one GPU."""

    @property
    def kernel_class(self) -> KernelClass:
        return CLASSES[self.train[0].kernel_class]

    @property
    def size(self) -> int:
        return sum(min(len(group.ns), 600) for group in self.train)


@cache
def sheet(name: str) -> Gpu:
    """Return the sheet of a GPU."""
    record = load_device(name)
    assert isinstance(record, Gpu)
    return record


def chip_of(group: MeasuredGroup) -> Chip:
    """Return the datasheet numbers of a group's GPU for its element type."""
    return Chip.of(sheet(group.gpu), group.element)


def group_tasks(train: Sequence[MeasuredGroup], on: Sequence[MeasuredGroup], joint: bool = False) -> list[RefitTask]:
    """Return a fit for each group of `on`, to the rows of `train` with the same key; if `joint`, a fit for each GPU,
    class and element type."""
    by_key = {group.key: group for group in train}
    evaluated = [group for group in on if group.key in by_key]
    if not joint:
        return [RefitTask(" ".join(group.key), (by_key[group.key],), (group,)) for group in evaluated]
    similar: dict[tuple[str, str, str], list[MeasuredGroup]] = {}
    for group in evaluated:
        similar.setdefault((group.gpu, group.kernel_class, group.element), []).append(group)
    return [
        RefitTask(" ".join(key), tuple(group for group in train if _kind(group) == key), tuple(groups))
        for key, groups in similar.items()
    ]


def transfer_tasks(train: Sequence[MeasuredGroup], on: Sequence[MeasuredGroup], target: str) -> list[RefitTask]:
    """Return a fit for each class and element type of the GPU `target` (`all`: of each GPU), to the measurements of all
    other GPUs."""
    similar: dict[tuple[str, str, str], list[MeasuredGroup]] = {}
    for group in on:
        if target in ("all", group.gpu):
            similar.setdefault(_kind(group), []).append(group)
    tasks: list[RefitTask] = []
    for (gpu, kernel_class, element), groups in similar.items():
        sources = tuple(
            group
            for group in train
            if group.gpu != gpu and group.kernel_class == kernel_class and group.element in equivalent_elements(element)
        )
        if sources:
            name = f"{gpu} {kernel_class} {element}"
            tasks.append(RefitTask(name, sources, tuple(groups), sheet(gpu).architecture))
    return tasks


def _kind(group: MeasuredGroup) -> tuple[str, str, str]:
    return group.gpu, group.kernel_class, group.element


@dataclass(frozen=True)
class Prediction:
    """The times of a group's kernels by each method, in ns; the origin of the model's constants, and the constants."""

    group: MeasuredGroup
    times: Mapping[str, Floats]
    origin: str
    constants: Mapping[str, float]

    def score(self) -> Score:
        group = self.group
        errors = {name: FitErrors.of(values, group.ns) for name, values in self.times.items()}
        key = (group.source, group.gpu, group.element, group.label, group.kernel_class)
        return Score(*key, errors, self.origin, self.constants)


def run(
    tasks: Sequence[RefitTask], jobs: int, report: Callable[[RefitTask], None]
) -> Iterator[tuple[RefitTask, list[Prediction]]]:
    """Yield each task with its predictions, in the order of the tasks; call `report` with each task when it is
    finished."""
    if jobs == 1:
        for task in tasks:
            predicted = predictions(task)
            report(task)
            yield task, predicted
        return
    for name in _THREADS:
        os.environ.setdefault(name, "1")
    found: dict[int, list[Prediction]] = {}
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        largest = sorted(range(len(tasks)), key=lambda number: -tasks[number].size)
        waiting = {pool.submit(predictions, tasks[number]): number for number in largest}
        for done in as_completed(waiting):
            found[waiting[done]] = done.result()
            report(tasks[waiting[done]])
    for number in range(len(tasks)):
        yield tasks[number], found[number]


def predictions(task: RefitTask) -> list[Prediction]:
    """Fit a task's constants to its training groups; return predictions for its evaluation groups."""
    fitted, origin = _transferred(task) if task.family else _own(task)
    found: list[Prediction] = []
    for group in task.evaluated:
        chip = chip_of(group)
        if group.key not in fitted.submissions and task.family:
            way = submission_like(group, fitted.submissions, task.train)
            fitted_here = Fitted(fitted.kernel_class, fitted.constants, {group.key: way}, fitted.loss)
        else:
            fitted_here = fitted
        same = [other for other in task.train if other.key == group.key] or _same_set(group, task.train)
        times = {
            "roofline": roofline(group, chip),
            "two constants": two_constants([(other, chip_of(other)) for other in same], group, chip),
            "model": fitted_here.predict(group, chip),
        }
        found.append(Prediction(group, times, origin, {**fitted.constants, **_submission(fitted_here, group)}))
    return found


def _own(task: RefitTask) -> tuple[Fitted, str]:
    chips = {group.gpu: chip_of(group) for group in task.train}
    fitted = fit(task.kernel_class, task.train, chips)
    return fitted, f"{sum(len(group.ns) for group in task.train)} of its own kernels"


def _transferred(task: RefitTask) -> tuple[Fitted, str]:
    sources = [MeasuredGpu(group, sheet(group.gpu).architecture, chip_of(group)) for group in task.train]
    fitted = transferred(task.kernel_class, task.family, sources)
    return fitted, "kernels of " + ", ".join(sorted({group.gpu for group in task.train}))


def _same_set(group: MeasuredGroup, train: Sequence[MeasuredGroup]) -> list[MeasuredGroup]:
    similar = [other for other in train if (other.source, other.label) == (group.source, group.label)]
    return similar or list(train)


def _submission(fitted: Fitted, group: MeasuredGroup) -> Mapping[str, float]:
    way = fitted.submissions.get(group.key)
    return {"dispatch_ns": way.dispatch_ns, "dispatch_overlap": way.overlap} if way else {}

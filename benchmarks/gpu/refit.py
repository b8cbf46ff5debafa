"""Refits of the GPU kernel models in parallel, and the refitted models' errors on measurements that were not fitted.

A task fits one family of kernel classes to measurements of all GPUs and libraries together, and predicts groups of
other measurements. What is left out of a fit tells the error of what: shapes (folds), a library on a chip, or a chip
with all boards that have the same chip.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context

import numpy as np

from benchmarks.gpu.bars import Score
from benchmarks.gpu.baselines import roofline, two_constants
from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.measurement import FitErrors, MeasuredGroup
from interp.kinds.gpu.constants.together import POOLED, SPREADS, Spreads, Together, fit_together
from interp.kinds.gpu.kernel_class import KernelClass
from interp.machine.records import Gpu
from interp.machine.sheets.files import load_device

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Environment variables for the thread counts of numerical libraries: 1 each, because there is one process per core."""

CHIPS = {
    "a100_40_pcie": "GA100",
    "a100_40_sxm": "GA100",
    "a100_80_pcie": "GA100",
    "a100_80_sxm": "GA100",
    "a40": "GA102",
    "b200_sxm": "GB100",
    "gb200": "GB100",
    "h100_sxm": "GH100",
    "h200_sxm": "GH100",
    "l40s": "AD102",
    "rtx3090": "GA102",
    "rtx4090": "AD102",
    "rtx_a6000": "GA102",
    "v100_pcie": "GV100",
    "v100_sxm2": "GV100",
}
"""The chip of each board that shares it with other boards, its siblings."""


@dataclass(frozen=True)
class Effort:
    """The effort of a fit: steps of all effects at once, starts of each library's kernels, measurements per group."""

    steps: int
    starts: int
    most: int
    spreads: Spreads = SPREADS


FULL = Effort(25, 2, 300)
"""For constants that are used where they were fitted."""
FOLD = Effort(12, 1, 300)
"""For folds of shapes."""
LIBRARY = Effort(10, 0, 100)
"""For a library on a chip on which only others were measured."""
POOLED_FAMILIES = ("gemm", "prefill", "norm")
"""Families of classes whose constants for chips without measurements are pooled: there they predict better than sums of
the effects that are known, by the errors on chips that were left out."""


def transfer_effort(family: str) -> Effort:
    """Return the effort of a fit for constants of a family that are used on chips without measurements."""
    return Effort(10, 0, 60, POOLED) if family in POOLED_FAMILIES else LIBRARY


@dataclass(frozen=True)
class RefitTask:
    """A fit to the groups `train`, of one family of kernel classes, which is evaluated on the groups `evaluated`."""

    name: str
    train: tuple[MeasuredGroup, ...]
    evaluated: tuple[MeasuredGroup, ...]
    effort: Effort = FULL

    @property
    def size(self) -> int:
        return sum(min(len(group.ns), self.effort.most) for group in self.train)

    @property
    def kernel_class(self) -> KernelClass:
        """The class after which the family is named."""
        return CLASSES[CLASSES[self.train[0].kernel_class].kin]

    def fitted(self) -> Together:
        """Return the fitted effects."""
        kernel_class = self.kernel_class
        groups = [(group, chip_of(group), capability_of(group)) for group in self.train]
        effort = self.effort
        return fit_together(kernel_class, groups, effort.steps, effort.starts, effort.most, effort.spreads)


@cache
def sheet(name: str) -> Gpu:
    """Return the sheet of a GPU."""
    record = load_device(name)
    assert isinstance(record, Gpu)
    return record


def chip_of(group: MeasuredGroup) -> Chip:
    """Return the datasheet numbers of a group's GPU for its element type."""
    return Chip.of(sheet(group.gpu), group.element)


def capability_of(group: MeasuredGroup) -> float:
    """Return the compute capability of a group's GPU."""
    return sheet(group.gpu).capability


def die_of(gpu: str) -> str:
    """Return the name of a GPU's chip, or the GPU's own name if it has no siblings."""
    return CHIPS.get(gpu, gpu)


def by_family(groups: Sequence[MeasuredGroup]) -> Mapping[str, list[MeasuredGroup]]:
    """Return the groups by their family of kernel classes, those with a single row left out."""
    found: dict[str, list[MeasuredGroup]] = {}
    for group in groups:
        if len(group.ns) > 1:
            found.setdefault(CLASSES[group.kernel_class].kin, []).append(group)
    return found


def all_tasks(train: Sequence[MeasuredGroup], on: Sequence[MeasuredGroup]) -> list[RefitTask]:
    """Return a fit for each family of classes, to all measurements of one selection, evaluated on another one."""
    others = by_family(on)
    return [
        RefitTask(family, tuple(groups), tuple(others[family]))
        for family, groups in by_family(train).items()
        if family in others
    ]


def transfer_tasks(groups: Sequence[MeasuredGroup], target: str) -> list[RefitTask]:
    """Return fits that leave out the GPU `target` (`all`: each GPU) with its siblings, evaluated on what they leave
    out."""
    wanted = {die_of(group.gpu) for group in groups if target in ("all", group.gpu)}
    return _leaving_out(groups, lambda group: die_of(group.gpu), wanted, transfer_effort)


def library_tasks(groups: Sequence[MeasuredGroup]) -> list[RefitTask]:
    """Return fits that leave out a library on a chip and its siblings, evaluated on what they leave out; only where
    other libraries were measured on the chip, and the library on other chips."""

    def key(group: MeasuredGroup) -> str:
        return f"{group.library.partition('_')[0]} on {die_of(group.gpu)}"

    tasks: list[RefitTask] = []
    for task in _leaving_out(groups, key, {key(group) for group in groups}, lambda _: LIBRARY):
        first = task.evaluated[0]
        chips = {die_of(group.gpu) for group in task.train}
        libraries = {group.library.partition("_")[0] for group in task.train}
        if die_of(first.gpu) in chips and first.library.partition("_")[0] in libraries:
            tasks.append(task)
    return tasks


def _leaving_out(
    groups: Sequence[MeasuredGroup],
    key: Callable[[MeasuredGroup], str],
    wanted: set[str],
    effort: Callable[[str], Effort],
) -> list[RefitTask]:
    tasks: list[RefitTask] = []
    for family, members in by_family(groups).items():
        for name in sorted(wanted & {key(group) for group in members}):
            train = tuple(group for group in members if key(group) != name)
            evaluated = tuple(group for group in members if key(group) == name)
            if train:
                tasks.append(RefitTask(f"{family} without {name}", train, evaluated, effort(family)))
    return tasks


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
        return Score(*key, errors, self.origin, self.constants, library=group.library)


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
    fitted = task.fitted()
    origin = f"{sum(len(group.ns) for group in task.train)} kernels: {task.name}"
    return [_prediction(group, fitted, task.train, origin) for group in task.evaluated]


def _prediction(group: MeasuredGroup, fitted: Together, train: Sequence[MeasuredGroup], origin: str) -> Prediction:
    chip, capability = chip_of(group), capability_of(group)
    same = [other for other in train if other.key == group.key] or _same_set(group, train)
    with np.errstate(all="ignore"):
        times = {
            "roofline": roofline(group, chip),
            "two constants": two_constants([(other, chip_of(other)) for other in same], group, chip),
            "model": fitted.predict(group, chip, capability),
        }
    return Prediction(group, times, origin, {})


def _same_set(group: MeasuredGroup, train: Sequence[MeasuredGroup]) -> list[MeasuredGroup]:
    similar = [other for other in train if (other.source, other.label) == (group.source, group.label)]
    return similar or list(train)

"""Writer of calibrations of all measured GPUs and GPU families.

Their constants are fitted to the measurements of one directory; their errors are evaluated on those of another
directory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.gpu.bars import Score
from benchmarks.gpu.refit import RefitTask, group_tasks, run, sheet
from dialects.diagnostics import InputError
from interp.kinds.gpu.constants.calibration import Calibration, Record, calibration_text, read_calibration
from interp.kinds.gpu.constants.families import MOST_EACH, equivalent_elements
from interp.kinds.gpu.constants.files import SUFFIX
from interp.kinds.gpu.constants.fit import MOST
from interp.kinds.gpu.constants.measurement import MeasuredGroup

Key = tuple[str, str]
"""The subject of a calibration: the word `gpu` or `family`, and the name of the GPU or family."""


def write_tasks(train: Sequence[MeasuredGroup], on: Sequence[MeasuredGroup]) -> list[RefitTask]:
    """Return a fit for each class and element type of each GPU and of each family.

    Fits for a family use the measurements of all GPUs, weighted by the GPUs' similarity to the family. Fits with fewer
    kernels than constants are skipped.
    """
    tasks = group_tasks(train, on, joint=True)
    families = sorted({(sheet(group.gpu).architecture, group.kernel_class, group.element) for group in on})
    for family, kernel_class, element in families:
        kind = [group for group in train if group.kernel_class == kernel_class]
        sources = [group for group in kind if group.element in equivalent_elements(element)]
        own = [
            group
            for group in on
            if (sheet(group.gpu).architecture, group.kernel_class) == (family, kernel_class)
            and group.element in equivalent_elements(element)
        ]
        if any(sheet(group.gpu).architecture == family for group in sources):
            tasks.append(RefitTask(f"{family} {kernel_class} {element}", tuple(sources), tuple(own), family=family))
    return [task for task in tasks if _enough(task)]


def _enough(task: RefitTask) -> bool:
    free = sum(not constant.fixed for constant in task.kernel_class.constants)
    return sum(len(group.ns) for group in task.train) >= free


def write(
    tasks: Sequence[RefitTask],
    left_out: Sequence[RefitTask],
    folder: Path,
    jobs: int,
    report: Callable[[RefitTask], None],
) -> tuple[list[Path], list[Score]]:
    """Refit all tasks and write a file for each GPU and family; return the paths of the files and the scores of all
    tasks.

    `left_out`: fits without any measurement of the GPU that they predict; the error that a family's record states is
    theirs, since a family's constants are for GPUs that were not measured. Scores of fits on the same GPU come last.
    Records of other classes in an existing file are kept.
    """
    all_scores: list[Score] = []
    found: dict[Key, dict[tuple[str, str], Record]] = {}
    of_others = [each.score() for _, predicted in run(left_out, jobs, report) for each in predicted]
    for task, predicted in run(tasks, jobs, report):
        scores = [each.score() for each in predicted]
        record = _record(task, scores, of_others)
        all_scores = [*scores, *all_scores] if task.family else [*all_scores, *scores]
        owner = ("family", task.family) if task.family else ("gpu", task.evaluated[0].gpu)
        found.setdefault(owner, {})[record.kernel_class, record.element] = record
    written = [merged(folder, owner, name, records) for (owner, name), records in sorted(found.items())]
    return written, all_scores


def _record(task: RefitTask, scores: Sequence[Score], of_others: Sequence[Score]) -> Record:
    most = MOST_EACH if task.family else MOST
    rows = sum(min(len(group.ns), most) for group in task.train)
    sets = ", ".join(sorted({group.source for group in task.train}))
    gpus = sorted({group.gpu for group in task.train})
    of = f" of {', '.join(gpus)}" if task.family else ""
    judged = family_error(task.family, scores, of_others) if task.family else own_error(scores)
    origin = f"fitted on {rows} kernels{of} ({sets}); {judged}"
    kernel_class, element = task.name.split()[1:]
    names = {constant.name for constant in task.kernel_class.constants}
    constants = {name: value for name, value in scores[0].constants.items() if name in names}
    return Record(kernel_class, element, constants, origin)


def own_error(scores: Sequence[Score]) -> str:
    """Return the words for the error of a GPU's own constants."""
    held = sum(score.model.count for score in scores)
    error = sum(score.model.mape * score.model.count for score in scores) / held
    return f"{error:.1f} % off on {held} others that were not fitted"


def family_error(family: str, scores: Sequence[Score], of_others: Sequence[Score]) -> str:
    """Return the words for the error of a family's constants: that of fits without the GPU that is predicted, for the
    groups in `scores`."""
    keys = {(score.source, score.gpu, score.element, score.label) for score in scores}
    found = [each for each in of_others if (each.source, each.gpu, each.element, each.label) in keys]
    if not found:
        return "its error is unknown, since no other GPU was measured"
    held = sum(score.model.count for score in found)
    error = sum(score.model.mape * score.model.count for score in found) / held
    worst = max(found, key=lambda score: score.model.mape)
    return (
        f"without the predicted GPU's own rows, {error:.1f} % off on {held} kernels of {family} GPUs "
        f"({worst.gpu} {worst.model.mape:.0f} %)"
    )


def merged(folder: Path, owner: str, name: str, records: Mapping[tuple[str, str], Record]) -> Path:
    """Write records into the calibration of a GPU or family in a folder, and keep the other records of its file; return
    the file's path."""
    path = folder / f"{name}{SUFFIX}"
    whose = sheet(name).description if owner == "gpu" else f"GPUs of the {name} architecture"
    fresh = Calibration(owner, name, {}, f"{whose}: public measurements")
    before = read_calibration(path) if path.exists() else fresh
    text = calibration_text(replace(before, records=dict(sorted({**before.records, **records}.items()))))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    except OSError as error:
        raise InputError(
            f"the calibration can't be written: {(error.strerror or str(error)).lower()}", str(path)
        ) from None
    return path

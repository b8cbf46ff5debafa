"""Accuracy of `ndp-calibrate` with few measurements, on GPUs that the constants were not fitted to.

    python benchmarks/calibration/calibrate_few.py DIR GPU [GPU …] [--class CLASS]

`DIR` is a folder of the public measurements (`tests/data/gpu/README.md`). For each GPU, constants are fitted to all
other chips; these are the present constants of a GPU that nobody has measured. Half of each group's rows, drawn at
random, are for testing. Of the other half, 10, 20, 40 and 80 rows are fitted as `ndp-calibrate` does: the chip alone,
and chip and kernels together. The table shows mean absolute errors in % on the rows for testing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another installed package may be called benchmarks

from benchmarks.gpu.measurements import read_groups
from benchmarks.gpu.refit import RefitTask, capability_of, chip_of, transfer_tasks
from dialects.text.columns import table
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.measurement import FitErrors, MeasuredGroup
from interp.kinds.gpu.constants.together import Together, subject_of
from ndpir.calibrate.fit import FitOptions, fit_from

COUNTS = (10, 20, 40, 80)
LEAST = 2 * COUNTS[-1]
"""The number of rows that a group needs."""
HEAD = ("kernels", "GPU", "library", "rows", "not measured", *(f"{count} rows" for count in COUNTS))


def rows_of(task: RefitTask, gpu: str) -> Iterator[tuple[str, ...]]:
    """Yield a row of the table for each group of a GPU that a fit leaves out."""
    groups = [group for group in task.evaluated if group.gpu == gpu and len(group.ns) >= LEAST]
    if not groups:
        return
    fitted = task.fitted()
    for group in groups:
        yield _row(group, fitted)


def _row(group: MeasuredGroup, others: Together) -> tuple[str, ...]:
    chip, kernel_class = chip_of(group), CLASSES[group.kernel_class]
    order = np.random.default_rng(0).permutation(len(group.ns))
    half = len(order) // 2
    test, pool = group.part(np.sort(order[:half])), order[half:]
    before = FitErrors.of(others.predict(test, chip, capability_of(group)), test.ns).mape
    present = others.constants(subject_of(group, capability_of(group)))
    found: list[str] = []
    for count in COUNTS:
        errors: list[str] = []
        for scope in ("chip", "both"):
            part = group.part(np.sort(pool[:count]))
            with np.errstate(all="ignore"):
                fitted = fit_from(kernel_class, [part], chip, present, FitOptions(scope=scope))
            errors.append(f"{FitErrors.of(fitted.predict(test, chip), test.ns).mape:.1f}")
        found.append(" / ".join(errors))
    kernels = f"{group.kernel_class} {group.element}, {group.label}"
    return kernels, group.gpu, group.library, f"{len(test.ns):,}", f"{before:.1f}", *found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("gpus", nargs="+", metavar="GPU")
    parser.add_argument("--class", dest="family", default="", help="only this family of classes")
    args = parser.parse_args()
    groups = read_groups(args.folder)
    rows = [
        row
        for gpu in args.gpus
        for task in transfer_tasks(groups, gpu)
        if args.family in ("", task.kernel_class.name)
        for row in rows_of(task, gpu)
    ]
    print("errors in % on rows for testing; of the chip alone / of chip and kernels together")
    print(table(HEAD, rows, left=(0, 1, 2)), end="")


if __name__ == "__main__":
    main()

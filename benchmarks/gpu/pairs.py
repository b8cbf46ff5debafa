"""Ratios of the times of two boards with the same chip, at equal shapes and with the same library: predicted against
measured.

    python -m benchmarks pairs --on DIR      # DIR has gemm.csv and attention.csv, as tests/data/gpu/README.md

The shipped constants are used, also for rows that they were fitted to: the ratio tells whether differences of memory,
clock and power between boards are the chip's, and whether constants of one board have absorbed another library.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another installed package may be called benchmarks

from benchmarks.gpu.fitted import Fitted as FittedRows
from benchmarks.gpu.fitted import read as read_fitted
from benchmarks.gpu.measurements import read_groups
from benchmarks.gpu.refit import chip_of, sheet
from benchmarks.gpu.shipped import submission_of
from dialects.diagnostics import InputError
from dialects.text.columns import table
from interp.kinds.gpu.chip import Floats
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.fit import Fitted
from interp.kinds.gpu.constants.known import constants_for
from interp.kinds.gpu.constants.measurement import MeasuredGroup

PAIRS = (("h100_sxm", "h200_sxm"), ("b200_sxm", "gb200"))
"""Boards with the same chip whose sets have equal shapes."""
_HEADS = ("pair", "library", "class", "type", "shapes", "measured", "predicted", "median error, %", "mean error, %")


def predicted(group: MeasuredGroup, rows: FittedRows) -> Floats:
    """Return the times of a group's kernels by the shipped constants, ns."""
    known = constants_for(sheet(group.gpu), group.kernel_class, group.element, group.library)
    ways = {group.key: submission_of(group, rows)}
    return Fitted(CLASSES[group.kernel_class], known.constants, ways, 0.0).predict(group, chip_of(group))


def ratios(groups: Sequence[MeasuredGroup]) -> Iterator[tuple[str, ...]]:
    """Yield a line of the table for each pair of boards, library, class and element type: medians of the measured and
    of the predicted ratios of times, and errors of the predicted ratios relative to the measured ones."""
    rows = read_fitted()
    by_kind = {(each.gpu, each.library, each.kernel_class, each.element, each.label): each for each in groups}
    for first, second in PAIRS:
        for (gpu, library, kernel_class, element, label), one in sorted(by_kind.items()):
            other = by_kind.get((second, library, kernel_class, element, label))
            if gpu != first or other is None:
                continue
            places = {shape: number for number, shape in enumerate(_shapes(other))}
            both = [(number, places[shape]) for number, shape in enumerate(_shapes(one)) if shape in places]
            if not both:
                continue
            here, there = np.array(both).T
            measured = other.ns[there] / one.ns[here]
            model = predicted(other, rows)[there] / predicted(one, rows)[here]
            error = 100 * np.abs(model / measured - 1)
            medians = (f"{np.median(values):.3f}" for values in (measured, model))
            errors = f"{np.median(error):.1f}", f"{np.mean(error):.1f}"
            yield f"{second} / {first}", library, kernel_class, element, f"{len(both)}", *medians, *errors


def _shapes(group: MeasuredGroup) -> list[tuple[float, ...]]:
    names = [name for name in group.columns if name != "copies"]  # depends on the size of L2
    return [tuple(float(value) for value in row) for row in zip(*(group.columns[name] for name in names), strict=True)]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--on", type=Path, required=True, metavar="DIR", help="directory of measurements")
    options = parser.parse_args(arguments)
    try:
        lines = list(ratios(read_groups(options.on)))
    except InputError as error:
        print(f"{error.place}: error: {error.message}" if error.place else f"error: {error.message}", file=sys.stderr)
        return 1
    print(table(_HEADS, lines, left=(0, 1, 2, 3)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

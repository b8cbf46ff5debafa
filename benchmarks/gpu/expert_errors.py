"""Errors of routed experts on GPUs by library, precision and number of tokens, each row predicted by a fit to other
shapes: the model, a roofline, and a roofline with a launch time and one efficiency.

    python -m benchmarks expert_errors DIR [--folds 5] [--most 8192]

`DIR` holds `moe.csv`, whose form is that of NVIDIA's aiconfigurator (tests/data/gpu/README.md). Errors are means of
absolute errors in %. Experts with and without gates are taken together, as a user has both.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.gpu.folds import fold_tasks
from benchmarks.gpu.measurements import read_groups
from benchmarks.gpu.refit import Prediction, run
from dialects.diagnostics import InputError
from dialects.text.columns import table

_SET = "moe"
_SPANS = ((1, 1), (2, 8), (9, 64), (65, 512), (513, 4096), (4097, 8192))
"""Spans of numbers of tokens, a column each."""
_METHODS = ("roofline", "two constants", "model")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--folds", type=int, default=5, help="number of parts into which shapes are divided (default 5)"
    )
    parser.add_argument("--most", type=int, default=8192, help="rows of more tokens are left out (default 8192)")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes (default 1)")
    options = parser.parse_args(arguments)
    try:
        groups = read_groups(options.folder, _SET)
        tasks = fold_tasks([group for group in groups if group.source == _SET], [options.folder], options.folds)
    except InputError as error:
        print(f"{error.place}: error: {error.message}" if error.place else f"error: {error.message}", file=sys.stderr)
        return 1
    found = [each for _, predictions in run(tasks, options.jobs, lambda _: None) for each in predictions]
    head, *rows = _table(found, options.most)
    print(table(head, rows, left=(0, 1, 2)), end="")
    return 0


def _table(found: Iterable[Prediction], most: int) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table: library, precision, method, rows, the error over all of them, and in each span."""
    spans = [span for span in _SPANS if span[0] <= most]
    heads = (f"{first:,}" if first == last else f"{first:,} to {last:,}" for first, last in spans)
    yield ("library", "precision", "method", "rows", "error", *heads)
    parts: dict[tuple[str, str], list[Prediction]] = {}
    for each in found:
        scaled = "f8 in blocks" if each.group.kernel_class.endswith("blocks") else each.group.element
        parts.setdefault((each.group.library, scaled), []).append(each)
    for (library, precision), each in sorted(parts.items()):
        tokens = np.concatenate([part.group.columns["tokens"] for part in each])
        measured = np.concatenate([part.group.ns for part in each])
        for method in _METHODS:
            off = 100 * np.abs(np.concatenate([part.times[method] for part in each]) / measured - 1)
            cells = [off[(tokens >= first) & (tokens <= min(last, most))] for first, last in spans]
            errors = [f"{cell.mean():.1f}" if len(cell) else "" for cell in (off[tokens <= most], *cells)]
            yield (library, precision, method, f"{int((tokens <= most).sum()):,}", *errors)


if __name__ == "__main__":
    sys.exit(main())

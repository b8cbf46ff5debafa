"""How far kernel times of GPUs lie from measured ones, on shapes that were not fitted: the model, beside plain roofline and
a baseline of two constants.

    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER           # refit all on DIR, table on OTHER
    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER --only aic_gemm
    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER --transfer h200_sxm     # constants of other GPUs

Both directories hold CSV files of the form that tests/data/gpu/README.md describes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.gpu_measurements import read_groups
from interp.gpu.chip import Chip, Floats
from interp.gpu.classes import CLASSES
from interp.gpu.fit import Fitted, fit
from interp.gpu.measurement import Errors, Group
from interp.sheet import Gpu
from interp.sheets.files import load_device


def chip_of(group: Group) -> Chip:
    """The datasheet numbers of a group's GPU for its element type."""
    record = load_device(group.gpu)
    assert isinstance(record, Gpu)
    return Chip.of(record, group.element)


def roofline(group: Group, chip: Chip) -> Floats:
    """Datasheet peaks, no launch."""
    ideal = CLASSES[group.kernel_class].estimate(group.columns | {"warm": np.zeros(len(group.ns))}, chip)
    rate = chip.matrix_rate if "k" in group.columns or "keys" in group.columns else chip.rate
    return np.maximum(ideal.flops / rate, ideal.dram_bytes / chip.bandwidth) * 1e9


def two_constants(fitted_on: Group, on: Group, chip: Chip) -> Floats:
    """A launch time and one efficiency of the roofline, fitted."""
    from scipy.optimize import least_squares

    base, measured = roofline(fitted_on, chip), np.log(fitted_on.ns)
    start = np.log([float(fitted_on.ns.min()), 0.7])
    found = least_squares(
        lambda x: np.log(np.exp(x[0]) + base / np.exp(x[1])) - measured, start, loss="soft_l1", f_scale=0.1
    ).x
    return np.exp(found[0]) + roofline(on, chip) / np.exp(found[1])


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--fit", type=Path, required=True, help="directory of measurements to fit on")
    parser.add_argument("--on", type=Path, required=True, help="directory of other measurements, to report on")
    parser.add_argument("--only", default="", help="the sets whose file name begins so")
    parser.add_argument("--class", dest="kernel_class", default="", help="the classes whose name begins so")
    said = parser.parse_args(words)
    train = {group.key: group for group in _groups(said.fit, said)}
    rows: list[tuple[Group, dict[str, Errors]]] = []
    for group in _groups(said.on, said):
        if group.key not in train:
            continue
        chip, base = chip_of(group), train[group.key]
        fitted = fit(CLASSES[group.kernel_class], [base], {group.gpu: chip})
        predicted = {"roofline": roofline(group, chip), "two": two_constants(base, group, chip)}
        predicted["model"] = fitted.predict(group, chip)
        rows.append((group, {name: Errors.of(values, group.ns) for name, values in predicted.items()}))
        print(f"fitted {' '.join(group.key)}: {_constants(fitted)}", file=sys.stderr)
    Console(width=160).print(_table(rows))
    return 0


def _groups(folder: Path, said: argparse.Namespace) -> list[Group]:
    return [group for group in read_groups(folder, said.only) if group.kernel_class.startswith(said.kernel_class)]


def _constants(fitted: Fitted) -> str:
    ways = [f"dispatch {way.dispatch_ns:.4g} overlap {way.overlap:.2g}" for way in fitted.submissions.values()]
    return ", ".join([f"{name} {value:.3g}" for name, value in fitted.constants.items()] + ways)


def _table(rows: Sequence[tuple[Group, Mapping[str, Errors]]]) -> Table:
    table = Table("set", "GPU", "type", "op", "rows", "roofline", "two constants", "model", "median", "bias", "rank")
    for group, errors in rows:
        model = errors["model"]
        table.add_row(
            *group.key,
            str(model.count),
            *(f"{errors[name].mape:.1f}" for name in ("roofline", "two", "model")),
            f"{model.median:.1f}",
            f"{model.bias:+.1f}",
            f"{model.rank:.4f}",
        )
    return table


if __name__ == "__main__":
    sys.exit(main())

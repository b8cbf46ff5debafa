"""Numbers of a folder of ONNX and StableHLO models against its table of expected results.

    python -m benchmarks zoo FOLDER [NAME …]

`FOLDER/expected.csv` has one row for each output of each file: shape, type, mean, standard deviation, largest absolute
value and the first eight elements, under filled weights and seeded inputs, and the `spread` between two ways of
computing it. The error is the largest difference of these numbers, relative to the largest absolute value; at most 1e-5
in f32, 2e-2 in f16, bf16 and 2e-2 in quantized models (a step of a scale and more), or four spreads if that is more.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

import ndpir
from dialects.diagnostics import InputError
from dialects.element_types import I1, is_float
from interp.walk.entry import entry_of
from interp.walk.inputs import Fill, argument_types, drawn
from interp.walk.run import run_module

Row = dict[str, str]
QUANTIZED = ("qdq", "qdqpc", "wqdq", "qop", "dyn", "nbits", "int4")


def rows_of(folder: Path) -> dict[str, list[Row]]:
    """The rows of `expected.csv` by file, in the order of outputs."""
    found: dict[str, list[Row]] = defaultdict(list)
    with (folder / "expected.csv").open() as file:
        for row in csv.DictReader(file):
            found[row["file"]].append(row)
    return found


def checked(path: Path, rows: Sequence[Row]) -> tuple[float, float]:
    """The largest error of a model's outputs, and the bound of that output. Raises InputError for a refused model."""
    module = ndpir.read(str(path))
    function = entry_of(module)
    types = argument_types(function)
    fills: list[Fill | None] = [_narrow(type_) if "narrow" in rows[0]["note"] else None for type_ in types]
    inputs = drawn(types, int(rows[0]["seed"]), fills)
    with np.errstate(all="ignore"):
        results = run_module(module, inputs)
    worst = (0.0, 1.0)
    is_quantized = path.stem.rsplit("_", 1)[-1] in QUANTIZED
    for result, row in zip(results, rows, strict=True):
        error, bound = error_of(result, row), bound_of(row, is_quantized)
        if not error / bound <= worst[0] / worst[1]:
            worst = error, bound
    return worst


def _narrow(type_: TensorType[Attribute]) -> Fill | None:
    """The interval from which the rows noted as `narrow inputs` draw an input."""
    if type_.element_type == I1:
        return None
    return (0.0, 1.0) if is_float(type_.element_type) else (0, 2)


def bound_of(row: Row, is_quantized: bool) -> float:
    """The largest permitted error of an output."""
    wide = row["type"] in ("float32", "float64") and not is_quantized
    return max(1e-5 if wide else 2e-2, 4 * float(row["spread"] or 0))


def error_of(result: NDArray[Any], row: Row) -> float:
    """The error of an output; infinite if its type or shape is another."""
    if "x".join(map(str, result.shape)) != row["shape"] or str(result.dtype) != row["type"]:
        return float("inf")
    wide = result.astype(np.float64)
    found = [wide.mean(), wide.std(), np.abs(wide).max(initial=0.0), *wide.ravel()[:8]]
    stated = [row["mean"], row["std"], row["max_abs"], *(row[f"v{index}"] for index in range(8))]
    pairs = [(a, float(b)) for a, b in zip(found, stated, strict=False) if b != ""]
    scale = max(float(row["max_abs"]), 1e-30)
    return float(np.max([abs(a - b) / scale for a, b in pairs]))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="parts of names of files (default: all files)")
    options = parser.parse_args(arguments)
    right, total, bad = 0, 0, 0
    for name, rows in rows_of(options.folder).items():
        if options.names and not any(part in name for part in options.names):
            continue
        total += 1
        start = time.perf_counter()
        try:
            error, bound = checked(options.folder / name, rows)
        except InputError as refused:
            print(f"{name:44} refused: {refused.message[:400]}", flush=True)
            continue
        except Exception as failure:
            bad += 1
            print(f"{name:44} FAILED: {type(failure).__name__}: {failure}", flush=True)
            continue
        fits = error <= bound
        right, bad = right + fits, bad + (not fits)
        seconds, word = time.perf_counter() - start, "right" if fits else "WRONG"
        print(f"{name:44} {word} {error:8.1e} of {bound:7.1e} {seconds:6.1f} s", flush=True)
    print(f"{right} of {total} right, {bad} wrong, {total - right - bad} refused")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

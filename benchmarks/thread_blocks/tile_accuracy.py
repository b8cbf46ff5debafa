"""Errors of the clock of thread blocks on measured products, beside one efficiency for all of them.

    python -m benchmarks tile_accuracy --on FILE.csv [--on FILE.csv …]

Files are CSV with the columns gpu, m, n, k, block_m, block_n, block_k, warps, stages, async_copy and ms, and either
padded or, where it is missing, rows padded from two stages on; block_swizzle where blocks go in groups of 16 columns.
Factors and sums are in f16. Rows whose `kind` is not `tensor` are left out, and so are GPUs without a sheet; lines say
so. An error is |predicted - measured| / measured; a rank is Spearman's within one shape, averaged over shapes. The
efficiency is that of each GPU's rows themselves (their median), so it has seen what it is judged on.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another package is called benchmarks too

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import Float16Type, ModuleOp

from dialects.diagnostics import InputError
from interp.figures import table
from interp.machine.multiprocessor import Multiprocessor
from interp.machine.sheets import load_device
from interp.tile.clock import constants_of, kernel_time
from lowering.tile.matmul import matmul
from lowering.tile.schedule import Schedule
from ndpir.registry.pipelines import PIPELINES
from ndpir.registry.universe import load_pass

SHEETS = {"L20": "l20"}
"""The sheets of GPUs, by the names that they have in files."""
WARPS = {4: (2, 2), 8: (4, 2), 16: (4, 4)}
"""Rows and columns of so many warps (DefTruth/CUDA-Learn-Notes, hgemm: four rows of warps)."""
GROUPED = 16
"""Columns of blocks in a group, where blocks are put in order."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """One measured product."""

    gpu: str
    shape: tuple[int, int, int]
    schedule: Schedule
    ms: float

    @property
    def flops(self) -> int:
        m, n, k = self.shape
        return 2 * m * n * k


def rows_of(path: Path, left_out: Counter[str]) -> Iterator[Row]:
    """The rows of a file; those of other kinds are counted. Raises InputError for a file of another form."""
    with path.open(newline="") as file:
        for line, each in enumerate(csv.DictReader(file), 2):
            try:
                if each.get("kind", "tensor") != "tensor":
                    left_out[f"rows of kind {each['kind']}"] += 1
                elif each["gpu"] not in SHEETS:
                    left_out[f"rows of {each['gpu']}, which has no sheet"] += 1
                else:
                    yield _row(each)
            except (KeyError, ValueError) as error:
                raise InputError(
                    f"a measured product is expected here, but {error} is wrong or missing", f"{path}:{line}"
                ) from None


def _row(each: Mapping[str, str]) -> Row:
    stages, warps = int(each["stages"]), int(each["warps"])
    padded = bool(int(each["padded"])) if "padded" in each else stages > 1
    bk = int(each["block_k"])
    schedule = Schedule(
        (int(each["block_m"]), int(each["block_n"]), bk),
        WARPS[warps],
        instruction=bk,
        stages=stages,
        asynchronous=bool(int(each["async_copy"])),
        pad=8 if padded else 0,
        order=GROUPED if int(each.get("block_swizzle") or 0) else 1,
    )
    return Row(each["gpu"], (int(each["m"]), int(each["n"]), int(each["k"])), schedule, float(each["ms"]))


def predicted_ms(row: Row) -> float:
    """The time of a row's kernel from its GPU's sheet."""
    f16 = Float16Type()
    kernel = matmul("product", "gpu", row.shape, (f16, f16), row.schedule, accumulator=f16)
    module = ModuleOp([kernel])
    for name, _ in PIPELINES["pipeline-buffers"]:
        load_pass(name)().apply(Context(), module)
    unit = Multiprocessor.of(load_device(SHEETS[row.gpu], {}, None), module)
    return kernel_time(kernel, unit, constants_of(unit))[0] / 1e6


def rank(rows: Sequence[Row], predicted: Floats) -> float:
    """Spearman's rank correlation within each shape, averaged over shapes of three rows or more."""
    found: list[float] = []
    for shape in dict.fromkeys(row.shape for row in rows):
        mine = [index for index, row in enumerate(rows) if row.shape == shape]
        if len(mine) > 2:
            measured = np.argsort(np.argsort([rows[index].ms for index in mine]))
            ours = np.argsort(np.argsort(predicted[mine]))
            found.append(float(np.corrcoef(measured, ours)[0, 1]))
    return float(np.mean(found)) if found else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks tile_accuracy", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--on", action="append", required=True, type=Path, help="a file of measured products")
    arguments = parser.parse_args()
    left_out, last = Counter[str](), list[str]()
    try:
        every = [row for path in arguments.on for row in rows_of(path, left_out)]
    except (InputError, OSError) as error:
        sys.exit(f"error: {error}")
    for what, count in left_out.items():
        print(f"left out: {count} {what}")
    for gpu in dict.fromkeys(row.gpu for row in every):
        rows = [row for row in every if row.gpu == gpu]
        measured = np.array([row.ms for row in rows])
        rates = np.array([row.flops for row in rows]) / measured
        ours = np.array([predicted_ms(row) for row in rows])
        one = np.array([row.flops for row in rows]) / np.median(rates)
        kinds = dict.fromkeys(row.schedule for row in rows)
        lines: list[tuple[str, ...]] = []
        for kind in kinds:
            mine = [index for index, row in enumerate(rows) if row.schedule == kind]
            errors = (np.abs(each[mine] / measured[mine] - 1) for each in (ours, one))
            bias = float(np.mean(ours[mine] / measured[mine] - 1))
            words = (
                "x".join(map(str, kind.block)),
                str(kind.stages),
                "async" if kind.asynchronous else "sync",
                str(kind.pad),
                str(kind.order),
            )
            lines.append((*words, str(len(mine)), f"{bias:+.1%}", *(f"{np.mean(each):.1%}" for each in errors)))
        head = ("block", "stages", "copies", "pad", "order", "rows", "bias", "this clock", "one efficiency")
        print(f"\n{gpu}\n{table(head, lines)}", end="")
        error = float(np.mean(np.abs(ours / measured - 1)))
        baseline = float(np.mean(np.abs(one / measured - 1)))
        print(f"one efficiency, fitted on these rows: MAPE {baseline:.1%} rank {rank(rows, one):.2f}")
        last.append(f"tile {gpu} {len(rows)} rows: MAPE {error:.1%} rank {rank(rows, ours):.2f} best-of-50 n/a")
    print("\n".join(last))


if __name__ == "__main__":
    main()

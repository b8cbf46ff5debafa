"""Speed of the GPU kernel models: kernels that are timed per second on one core, with all variants of each.

The second figure is the model's computing time divided by that of a roofline, which consists of two divisions.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import time
from collections.abc import Callable

import numpy as np

from dialects.text.columns import table
from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.kernel_class import KernelClass
from interp.machine.records import Gpu
from interp.machine.sheets.files import load_device

GPU, ELEMENT, WIDTH = "h100_sxm", "f16", 2.0
COUNT, ROUNDS = 20_000, 9
BAR = 200_000


def drawn(found: KernelClass) -> dict[str, Floats]:
    """Draw the columns of random kernels of a class; sizes are log-uniform from 1 to 1000."""
    draw = np.random.default_rng(0)
    sizes = {
        column.name: np.floor(np.exp(draw.uniform(0, np.log(1000), COUNT)))
        if column.default is None
        else np.full(COUNT, float(column.default))
        for column in found.columns
    }
    return {**sizes, "bytes": np.full(COUNT, WIDTH)}


def seconds(call: Callable[[], object]) -> float:
    """Return the least processor time of several executions of `call`, s."""
    spans: list[float] = []
    for _ in range(ROUNDS):
        start = time.process_time()
        call()
        spans.append(time.process_time() - start)
    return min(spans)


def main() -> None:
    gpu = load_device(GPU)
    assert isinstance(gpu, Gpu)
    chip = Chip.of(gpu, ELEMENT)
    work = np.random.default_rng(1).uniform(1e6, 1e9, (2, COUNT))
    peer = seconds(lambda: np.maximum(work[0] / chip.matrix_rate, work[1] / chip.bandwidth))
    rows: list[tuple[str, str, str, str]] = []
    for found in CLASSES.values():
        columns = drawn(found)
        taken = seconds(lambda found=found, columns=columns: found.estimate(columns, chip))
        rate = COUNT / taken
        rows.append((found.name, f"{rate:,.0f}", f"{taken / peer:,.0f}x", "" if rate >= BAR else f"below {BAR:,}"))
    print(table(("class", "kernels/s", "a roofline's time", ""), rows, left=(0, 3)), end="")


if __name__ == "__main__":
    main()

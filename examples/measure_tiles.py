"""Measurement of the predicted fastest schedules of matrix products, and of torch's product, on your NVIDIA GPU.

    python measure_tiles.py tiles.csv --machine a100 --shape 4096x4096x4096 --shape 512x768x3072 --top 10
    python measure_tiles.py --plan --machine a100 --shape 4096x4096x4096      # print the plan; needs no GPU

Schedules are ranked by the clock of thread blocks and printed as Triton kernels (`-t triton`), so that Triton decides
the arrangement of warps and the layout of shared memory. Each kernel's results are compared with torch's before it is
timed. The file can be read by `python -m benchmarks tile_accuracy --on tiles.csv`; torch's rows have kind `library`.
Needs ndpir, PyTorch with CUDA and Triton. Other programs on the GPU make the results wrong.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError
from interp.kinds.gpu.multiprocessor import Multiprocessor
from interp.machine.sheets import load_device
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.search.ranking import analytical_ns
from lowering.tile.search.spaces import Space, published
from lowering.tile.search.trials import simulated_ns
from lowering.tile.templates import kernel_of
from ndpir.writers.triton.compiler import loaded
from ndpir.writers.triton.emit import text_of

COLUMNS = (
    *("gpu", "m", "n", "k", "block_m", "block_n", "block_k", "warps", "warps_m", "warps_n", "stages", "async_copy"),
    *("padded", "accumulator", "kind", "predicted_ms", "ms"),
)
REPEATS, WARM = 20, 5
"""The number of timed launches between two events, and the number of untimed launches before them."""
TOLERANCE = 2e-2
"""The largest allowed difference from torch's product, relative to its largest element; the kernels sum in different
orders."""


@dataclass(frozen=True)
class Planned:
    """A schedule of a matrix product with extents M, N and K (None: the library's kernel), and its predicted time
    without launch in ms."""

    shape: tuple[int, int, int]
    schedule: Schedule | None
    predicted_ms: float | None

    @property
    def problem(self) -> Problem:
        return Problem(*self.shape)

    def row(self, gpu: str, ms: float | None) -> list[object]:
        """Return a line of the file; `ms`: the measured time (None: not measured)."""
        found = self.schedule
        tile = ["", "", "", "", "", "", "", ""]
        if found is not None:
            tile = [*found.block, found.warp_count, *found.warps, found.stages, int(found.asynchronous)]
        predicted = "" if self.predicted_ms is None else f"{self.predicted_ms:.5g}"
        kind = "library" if found is None else "tensor"
        measured = "" if ms is None else f"{ms:.5g}"
        return [gpu, *self.shape, *tile, 0, "f32", kind, predicted, measured]


def plan(shape: tuple[int, int, int], unit: Multiprocessor, top: int, tried: int) -> Iterator[Planned]:
    """Yield the library's product, and the `top` schedules by simulated time, among the `tried` best schedules by an
    analytical model."""
    yield Planned(shape, None, None)
    problem, space = Problem(*shape), published("dense")
    plain = space["register_stages"] == 1  # Triton has no register stages
    space = Space({name: values[plain] for name, values in space.knobs.items()})
    first = analytical_ns(problem, space, unit).argsort(kind="stable")[:tried]
    found = [(simulated_ns(problem, schedule, unit), schedule) for schedule in map(space.schedule, first.tolist())]
    for ns, schedule in sorted(found, key=lambda each: each[0])[:top]:
        yield Planned(shape, schedule, ns / 1e6)


class Timer(Protocol):
    """Interface of objects that measure the times of matrix products."""

    def ms(self, planned: Planned) -> float:
        """Return the time of one launch in ms. Raises RuntimeError if the GPU rejects the kernel, or if its results are
        wrong."""
        ...


class GpuTimer:
    """A timer of kernels with CUDA events, on random factors that are shared by all schedules of a shape."""

    def __init__(self, folder: Path) -> None:
        self.torch: Any = importlib.import_module("torch")
        if not self.torch.cuda.is_available():
            raise RuntimeError("torch finds no NVIDIA GPU")
        self.folder, self.shape, self.factors = folder, (0, 0, 0), (None, None)

    def ms(self, planned: Planned) -> float:
        torch = self.torch
        if planned.shape != self.shape:
            m, n, k = planned.shape
            torch.manual_seed(0)
            options = {"device": "cuda", "dtype": torch.float16}
            self.shape, self.factors = planned.shape, (torch.randn(m, k, **options), torch.randn(k, n, **options))
        a, b = self.factors
        if planned.schedule is None:
            return self._timed(lambda: torch.matmul(a, b))
        kernel = kernel_of(planned.problem, planned.schedule)
        ModuleOp([kernel])
        product = loaded(text_of([kernel]), self.folder).product
        expected = torch.matmul(a, b).float()
        difference = (product(a, b).float() - expected).abs().max() / expected.abs().max()
        if not difference.item() <= TOLERANCE:
            raise RuntimeError(f"its results differ from torch's by {difference.item():.2%} of the largest element")
        return self._timed(lambda: product(a, b))

    def _timed(self, call: Callable[[], object]) -> float:
        times: list[float] = []
        for _ in range(WARM):
            call()
        for _ in range(7):
            start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            for _ in range(REPEATS):
                call()
            end.record()
            end.synchronize()
            times.append(start.elapsed_time(end) / REPEATS)
        return statistics.median(times)


def measure(
    planned: Sequence[Planned], gpu: str, timer: Timer | None, output: Any, report: Callable[[str], None]
) -> None:
    """Write a row for each planned kernel, with its time if there is a timer; report the best times of each shape."""
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(COLUMNS)
    times: dict[tuple[int, int, int], list[tuple[float, Planned]]] = {}
    for each in planned:
        ms: float | None = None
        if timer is not None:
            try:
                ms = timer.ms(each)
            except RuntimeError as error:
                report(f"skipped: {each.schedule}: {str(error).splitlines()[0]}")
                continue
            times.setdefault(each.shape, []).append((ms, each))
        writer.writerow(each.row(gpu, ms))
        output.flush()
    for shape, found in times.items():
        ours = [(ms, each) for ms, each in found if each.schedule is not None]
        library = [ms for ms, each in found if each.schedule is None]
        if ours and library:
            best = min(ms for ms, _ in ours)
            report(
                f"{'x'.join(map(str, shape))}: predicted best {ours[0][0]:.4f} ms, best of {len(ours)} {best:.4f} ms "
                f"({best / ours[0][0]:.2f} of the prediction), torch {library[0]:.4f} ms"
            )


def _shape(text: str) -> tuple[int, int, int]:
    m, n, k = (int(each) for each in text.split("x"))
    if min(m, n, k) < 1:
        raise ValueError(text)
    return m, n, k


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, help="the file to write (default: standard output)")
    parser.add_argument("--machine", required=True, help="the sheet of the GPU, by name or path")
    parser.add_argument("--shape", action="append", required=True, type=_shape, help="MxNxK of a product in f16")
    parser.add_argument("--top", type=int, default=10, help="number of schedules per shape (default 10)")
    parser.add_argument("--tried", type=int, default=50, help="number of simulated schedules per shape (default 50)")
    parser.add_argument("--plan", action="store_true", help="write the planned rows, without times")
    options = parser.parse_args(arguments)
    try:
        unit = Multiprocessor.of(load_device(options.machine), ModuleOp([]))
    except InputError as error:
        sys.exit(f"error: {error}")
    planned = [
        each for shape in options.shape for each in plan(shape, unit, options.top, max(options.top, options.tried))
    ]
    with tempfile.TemporaryDirectory() as folder:
        timer: Timer | None = None
        if not options.plan:
            try:
                timer = GpuTimer(Path(folder))
            except (ImportError, RuntimeError) as error:
                sys.exit(f"error: no kernel can be measured here: {error}; --plan only prints the planned rows")
        if options.file is None:
            measure(planned, options.machine, timer, sys.stdout, lambda line: print(line, file=sys.stderr))
        else:
            with options.file.open("w", newline="") as output:
                measure(planned, options.machine, timer, output, print)


if __name__ == "__main__":
    main()

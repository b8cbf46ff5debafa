"""Rate of a sweep in variants a minute on all cores, compared with a shell loop of `ndp-opt` that uses all cores, too.

    python -m benchmarks.sweeps.rate mobilenet_v2             8 x 3 x 2 points: tCCD, channels, machines
    python -m benchmarks.sweeps.rate llama2_7b_decode_kv511_f16
    python -m benchmarks.sweeps.rate --kernels                a bank program on each PIM that executes commands in order

The loop's rate is measured on a sample of the same points, each in a new process with `-t summary`, as many at a time
as there are cores. Bars (required rates): 600 variants a minute on two cores for MobileNetV2, 5 times the loop's rate
for Llama-2-7B. The sweep's figures for the sampled points are compared with the loop's, digit by digit.

With `--kernels`, the program of a matrix-vector product is timed for random values of four timing parameters of each
device; 64 points are then retimed alone, and all their figures compared. Bars: 1,000,000 variants a minute for Newton,
100,000 for the others.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import ndpir
from dialects.pim import KernelOp
from interp.host import cores
from interp.machine.records import Pim
from interp.machine.sheets.files import load_device
from lowering.banks.templates import clock_for
from ndpir.sweep.axes import axes_of
from ndpir.sweep.evaluation import Evaluator
from ndpir.sweep.request import Request, variant_of
from ndpir.sweep.running import sweep

MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"
MACHINES = "a100-newton,a100-aim"


def single(request: Request, words: Sequence[str]) -> tuple[float, float | None]:
    """Return the makespan and the speed-up that one `ndp-opt` process prints."""
    tool = [sys.executable, "-m", "ndpir", request.model, *words, "-t", "summary{json}"]
    done = subprocess.run(tool, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)["answer"]
    comparison = found["comparison"]
    return found["totals"]["makespan_ns"], comparison and comparison["speed_up"]


KERNELS = {
    "newton": ("a100-newton", "f16", ("tCCD", "tRCD", "tRP", "tRAS"), 1_000_000),
    "aim": ("a100-aim", "bf16", ("tCCD", "tRCDMAC", "tRP", "tMOD"), 100_000),
    "hbm_pim": ("a100-hbm_pim", "f16", ("tRCD", "tRP", "tRAS", "tMODE"), 100_000),
    "attacc": ("a100-attacc", "f16", ("tRCD", "tRP", "tRAS", "tFAW"), 100_000),
}
"""For each device a machine with it, the type of its elements, timing parameters, and the required rate, in variants a
minute."""
PRODUCT = """\
func.func @gemv(%x: tensor<1x{size}x{type}>) -> tensor<1x{size}x{type}> {{
  %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<{size}x{size}x{type}>
  %y = graph.matmul %x, %w : tensor<1x{size}x{type}>, tensor<{size}x{size}x{type}>
  func.return %y : tensor<1x{size}x{type}>
}}
"""


def write_kernel(folder: Path, name: str, size: int) -> Path:
    """Write the bank program of a product on a device to a file of its own; returns the file's path."""
    machine, element, _, _ = KERNELS[name]
    graph, path = folder / f"{name}-graph.mlir", folder / f"{name}.mlir"
    graph.write_text(PRODUCT.format(size=size, type=element))
    module = ndpir.compile(ndpir.read(str(graph)), machine=machine, passes="place{policy=pim-first},to-pim")
    pim = clock_for(module).machine.devices["pim"]
    kernels = [str(op) for op in module.walk() if isinstance(op, KernelOp)]
    path.write_text("\n".join([f'hw.device @pim = "{name}" {{channels = {pim.channels}}}', *kernels, ""]))
    return path


def kernel_rates(points: int, size: int, sampled: int) -> None:
    """Sweep the bank program of a product on each device, and print the rates."""
    draw = random.Random()
    with tempfile.TemporaryDirectory() as folder:
        for name, (_, _, fields, bar) in KERNELS.items():
            path, device = write_kernel(Path(folder), name, size), load_device(name)
            assert isinstance(device, Pim)
            count = round(points ** (1 / len(fields))) + 1
            axes: list[str] = []
            for field in fields:
                most = max(2 * device.timing[field], 2 * count)
                values = sorted(draw.sample(range(1, most + 1), count))
                axes.append(f"pim.{field}={','.join(f'{value} cycles' for value in values)}")
            request = Request(str(path), passes="canonicalize", axes=axes_of(axes))
            start = time.perf_counter()
            swept = sweep(request, str(Path(folder) / f"{name}.sqlite"))
            seconds = time.perf_counter() - start
            rows = draw.sample([row for row in swept.rows if not row.error], sampled)
            evaluator = Evaluator(request)
            equal = sum(dict(row.figures) == evaluator.figures(variant_of(request, row.point)) for row in rows)
            rate, alone = 60 * len(swept.rows) / seconds, len(swept.rows) - swept.shared
            print(
                f"{name:8} {len(swept.rows):7,} variants in {seconds:6.1f} s on {cores()} cores: {rate:9,.0f}/min "
                f"(bar {bar:,}), {alone} timed alone, {swept.failed} failed; equal to the last digit: {equal} of "
                f"{len(rows)}",
                flush=True,
            )
            assert equal == len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("model", nargs="?", default="mobilenet_v2", help="a model in examples/models, without .onnx")
    parser.add_argument("--machines", default=MACHINES, help="machines, separated by commas")
    parser.add_argument("--tccd", default="1..8", help="values of pim.tCCD")
    parser.add_argument("--channels", default="8,16,32", help="values of pim.channels")
    parser.add_argument("--passes", default="offload")
    parser.add_argument("--sampled", type=int, default=6, help="points that the loop runs")
    parser.add_argument("--kernels", action="store_true", help="sweep bank programs instead of a model")
    parser.add_argument("--points", type=int, default=20000, help="variants of each bank program, at least")
    parser.add_argument("--size", type=int, default=4096, help="size of the square matrix")
    args = parser.parse_args()
    if args.kernels:
        kernel_rates(args.points, args.size, 64)
        return
    axes = [f"pim.tCCD={args.tccd}", f"pim.channels={args.channels}", f"machine={args.machines}"]
    request = Request(str(MODELS / f"{args.model}.onnx"), passes=args.passes, axes=axes_of(axes))
    start = time.perf_counter()
    swept = sweep(request)
    ours = time.perf_counter() - start
    rate = 60 * len(swept.rows) / ours
    print(
        f"sweep: {len(swept.rows)} variants ({swept.failed} failed) in {ours:.1f} s on {cores()} cores, {rate:.0f}/min"
    )
    rows = random.Random(0).sample([row for row in swept.rows if not row.error], args.sampled)
    start = time.perf_counter()
    with ThreadPoolExecutor(cores()) as pool:
        commands = [variant_of(request, row.point).command for row in rows]
        figures = list(pool.map(partial(single, request), commands))
    theirs = 60 * len(rows) / (time.perf_counter() - start)
    equal = sum(
        (row.figures["makespan_ns"], row.figures["speed_up"]) == found for row, found in zip(rows, figures, strict=True)
    )
    print(f"loop: {len(rows)} of them, {theirs:.1f}/min; the sweep is {rate / theirs:.1f}x as fast")
    print(f"equal to the last digit: {equal} of {len(rows)}")
    assert equal == len(rows)


if __name__ == "__main__":
    main()

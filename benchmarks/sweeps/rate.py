"""Rate of a sweep in variants a minute on all cores, compared with a shell loop of `ndp-opt` that uses all cores, too.

    python -m benchmarks.sweeps.rate mobilenet_v2             8 x 3 x 2 points: tCCD, channels, machines
    python -m benchmarks.sweeps.rate llama2_7b_decode_kv511_f16
    python -m benchmarks.sweeps.rate --kernels                a bank program on each PIM that executes commands in order

The loop's rate is measured on a sample of the same points, each in a new process with `-t summary`, as many at a time
as there are cores. Bars (required rates): 600 variants a minute on two cores for MobileNetV2, 5 times the loop's rate
for Llama-2-7B. The sweep's figures for the sampled points are compared with the loop's, digit by digit.

With `--replanned`, points that differ in four timing parameters of the PIM and in its number of channels are planned
and timed together, on Newton and AiM. The grid is drawn at run time. At sampled points the plan is written as a program
and timed alone, and its figures are compared digit by digit; a few points are planned alone, which must not be better.
Bars for structures of at least 1,000 points: MobileNetV2 10,000 (Newton) and 3,000 (AiM), Llama-2-7B decode 1,000.

With `--kernels`, the program of a matrix-vector product is timed for random values of four timing parameters of each
device; 64 points are then retimed alone, and all their figures compared. Bars: 1,000,000 variants a minute for Newton,
100,000 for the others.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import ndpir
from dialects.pim import KernelOp
from interp.host import cores
from interp.machine.records import Pim
from interp.machine.sheets.files import load_device
from lowering.banks.templates import clock_for
from ndpir.reports.columns import Figure, row_of
from ndpir.reports.run import Run
from ndpir.reports.summary import summary_answer
from ndpir.sweep.axes import axes_of
from ndpir.sweep.evaluation import Evaluator
from ndpir.sweep.journal import Row
from ndpir.sweep.request import Request, variant_of
from ndpir.sweep.running import sweep
from ndpir.sweep.structures import structures_of

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


def replanned_rates(model: str, devices: Sequence[str], points: int, sampled: int, singles: int) -> None:
    """Sweep a model on each device, replanned at each point, and print the rates."""
    draw = random.Random()
    for name in devices:
        machine, _, fields, _ = KERNELS[name]
        device = load_device(name)
        assert isinstance(device, Pim)
        count = math.ceil((points / STRUCTURES) ** (1 / len(fields)))
        axes = [f"pim.channels={','.join(map(str, draw.sample((8, 16, 32), STRUCTURES)))}"]
        for field in fields:
            most = max(2 * device.timing[field], 2 * count)
            values = sorted(draw.sample(range(1, most + 1), count))
            axes.append(f"pim.{field}={','.join(f'{value} cycles' for value in values)}")
        request = Request(str(MODELS / f"{model}.onnx"), passes="offload", machine=machine, axes=axes_of(axes))
        start = time.perf_counter()
        swept = sweep(request)
        seconds = time.perf_counter() - start
        rate, alone = 60 * len(swept.rows) / seconds, len(swept.rows) - swept.shared
        print(
            f"{model} on {name}: {len(swept.rows):,} variants in {STRUCTURES} structures, {seconds:.1f} s on {cores()} "
            f"cores: {rate:,.0f}/min, {alone} planned alone, {swept.failed} failed",
            flush=True,
        )
        _compared(request, swept.rows, draw, sampled, singles)


STRUCTURES = 2
"""The numbers of channels of a replanned sweep."""


def _compared(request: Request, rows: Sequence[Row], draw: random.Random, sampled: int, singles: int) -> None:
    """Compare rows with the programs of their plans, and with points planned alone, and print the result."""
    evaluator, equal, single, excess = Evaluator(request), 0, 0, -math.inf
    structures = structures_of(request, request.points())
    for structure in structures:
        planned = evaluator.planned_together(structure)
        plans = {int(lane): group.plan for group in planned.groups for lane in group.lanes}
        for at in draw.sample(range(len(structure.points)), sampled // len(structures)):
            figures = dict(rows[structure.places[at]].figures)
            written = row_of(summary_answer(Run(planned.written(plans[at], at)), depends=False))
            bound = "placement_bound_ns"
            equal += {**written, bound: None} == {**figures, bound: None}
            if single < singles:
                alone = evaluator.figures(variant_of(request, structure.points[at]))
                excess = max(excess, 1 - _makespan(alone) / _makespan(figures))
                single += 1
        print(f"  {planned.costs.alone} times of bank programs were computed one by one, {len(planned.groups)} plans")
    print(f"  plans written and timed alone, equal to the last digit: {equal} of {sampled}; planned alone: {single},")
    print(f"  the makespan of one is shorter by {excess:.3%} than in its row, of the others by less", flush=True)
    assert equal == sampled // len(structures) * len(structures)
    assert excess < 1e-9


def _makespan(figures: Mapping[str, Figure]) -> float:
    makespan = figures["makespan_ns"]
    assert isinstance(makespan, float)
    return makespan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("model", nargs="?", default="mobilenet_v2", help="a model in examples/models, without .onnx")
    parser.add_argument("--machines", default=MACHINES, help="machines, separated by commas")
    parser.add_argument("--tccd", default="1..8", help="values of pim.tCCD")
    parser.add_argument("--channels", default="8,16,32", help="values of pim.channels")
    parser.add_argument("--passes", default="offload")
    parser.add_argument("--sampled", type=int, default=6, help="points that the loop runs")
    parser.add_argument("--kernels", action="store_true", help="sweep bank programs instead of a model")
    parser.add_argument("--replanned", action="store_true", help="sweep timings of a model, planned together")
    parser.add_argument("--devices", default="newton,aim", help="PIMs of --replanned, separated by commas")
    parser.add_argument("--singles", type=int, default=8, help="points of --replanned that are planned alone")
    parser.add_argument("--points", type=int, default=20000, help="variants of each bank program, at least")
    parser.add_argument("--size", type=int, default=4096, help="size of the square matrix")
    args = parser.parse_args()
    if args.kernels:
        kernel_rates(args.points, args.size, 64)
        return
    if args.replanned:
        replanned_rates(args.model, args.devices.split(","), args.points, args.sampled, args.singles)
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

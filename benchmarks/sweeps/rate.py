"""Rate of a sweep in variants a minute on all cores, compared with a shell loop of `ndp-opt` that uses all cores, too.

    python -m benchmarks.sweeps.rate mobilenet_v2             8 x 3 x 2 points: tCCD, channels, machines
    python -m benchmarks.sweeps.rate llama2_7b_decode_kv511_f16

The loop's rate is measured on a sample of the same points, each in a new process with `-t summary`, as many at a time
as there are cores. Bars (required rates): 600 variants a minute on two cores for MobileNetV2, 5 times the loop's rate
for Llama-2-7B. The sweep's figures for the sampled points are compared with the loop's, digit by digit.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from interp.host import cores
from ndpir.sweep.axes import axes_of
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("model", nargs="?", default="mobilenet_v2", help="a model in examples/models, without .onnx")
    parser.add_argument("--machines", default=MACHINES, help="machines, separated by commas")
    parser.add_argument("--tccd", default="1..8", help="values of pim.tCCD")
    parser.add_argument("--channels", default="8,16,32", help="values of pim.channels")
    parser.add_argument("--passes", default="offload")
    parser.add_argument("--sampled", type=int, default=6, help="points that the loop runs")
    args = parser.parse_args()
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

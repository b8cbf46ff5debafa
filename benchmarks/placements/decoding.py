"""Decoding: one step of language models on GPUs with and without memory that computes, over batches and contexts.

    python -m benchmarks decoding [--models NAME …] [--machines NAME …] [--batches N …] [--contexts N …]
    python -m benchmarks decoding --parts [--models NAME …] [--machines NAME …] [--batches N …] [--contexts N …]

For each case: the time of a step under the pipeline `offload`, tokens per second of the whole batch, how far the plan
is above the lower bound of all placements, the speed-up over the GPU alone where its memory holds the program, and the
bytes of the caches that rest on each device. A context of N tokens includes the new one. `--parts`: what the time and
the bytes of a step are spent on.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another installed package may be called benchmarks

import ndpir
from dialects.element_types import byte_count
from dialects.task import OnType, RunOp
from interp.figures import size, time
from interp.simulate.schedule.timeline import Event
from interp.walk.caches import cache_rows
from interp.walk.entry import entry_of, states_of

ROOT = Path(__file__).resolve().parents[2]
MODELS = {"llama2_7b": "llama2_7b_decode_kv511_f16", "llama3_8b": "llama3_8b_decode_kv511_f16"}
MACHINES = ("h100-newton", "h100-aim", "h100-hbm_pim", "h100-attacc")


def cases(options: argparse.Namespace) -> Iterator[tuple[str, str, int, int]]:
    """The cases: model, machine, batch, context."""
    for model in options.models:
        for batch in options.batches:
            for context in options.contexts:
                for machine in options.machines:
                    yield model, machine, batch, context


def main() -> None:
    """Print the table of all cases, or of their parts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks decoding", description="Decoding")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=[*MODELS])
    parser.add_argument("--machines", nargs="+", default=[*MACHINES])
    parser.add_argument("--batches", nargs="+", type=int, default=[1, 16, 64])
    parser.add_argument("--contexts", nargs="+", type=int, default=[2048, 8192])
    parser.add_argument("--parts", action="store_true", help="what a step's time and bytes are spent on")
    options = parser.parse_args()
    if options.parts:
        print("| model | batch | context | machine | part | on | busy | bytes |\n|---|---|---|---|---|---|---|---|")
    else:
        print("| model | batch | context | machine | step | tokens/s | above bound | speed-up | caches |")
        print("|---|---|---|---|---|---|---|---|---|")
    for case in cases(options):
        print("\n".join(_parts(*case) if options.parts else [_row(*case)]), flush=True)


def _row(name: str, machine: str, batch: int, context: int) -> str:
    """A row of the table; a sentence if no memory of the machine holds the program."""
    head = f"| {name} | {batch} | {context:,} | {machine} |"
    try:
        placed = _placed(name, machine, batch, context)
    except ndpir.InputError as error:
        return f"{head} does not fit: {str(error).partition(': error: ')[2] or error} |  |  |  |  |"
    summary = ndpir.answer(placed, "summary")
    ns, against, plan = summary.totals.makespan_ns, summary.comparison, summary.plan
    above = f"{plan.above:.1%}" if plan is not None and plan.above is not None else "-"
    gain = f"{against.speed_up:.2f}x" if against.fits else "the GPU alone does not hold it"
    function, held = entry_of(placed), defaultdict[str, int](int)
    for state in states_of(function):
        if isinstance(state.type, OnType):
            held[state.type.place] += byte_count(state.type.tensor)
    rest = ", ".join(f"{size(nbytes)} on {place}" for place, nbytes in sorted(held.items()))
    return f"{head} {time(ns)} | {batch / ns * 1e9:,.0f} | {above} | {gain} | {rest} |"


def _parts(name: str, machine: str, batch: int, context: int) -> list[str]:
    """The rows of one case by parts, the longest first."""
    timeline = ndpir.simulate(_placed(name, machine, batch, context))
    spent: dict[tuple[str, str], list[float]] = {}
    for event in timeline.events:
        entry = spent.setdefault((_part(event), event.resource), [0.0, 0.0])
        entry[0] += event.end_ns - event.start_ns
        entry[1] += event.cost.bytes
    return [
        f"| {name} | {batch} | {context:,} | {machine} | {part} | {on} | {time(ns)} | {size(int(nbytes))} |"
        for (part, on), (ns, nbytes) in sorted(spent.items(), key=lambda each: -each[1][0])
    ]


def _part(event: Event) -> str:
    """The part of a step to which an event belongs: attention is what reads a cache, or computes a softmax."""
    if "->" in event.resource:
        return "copies over the link"
    reads = event.op.inputs if isinstance(event.op, RunOp) else ()
    if "softmax" in event.name or any(cache_rows(value) is not None for value in reads):
        return "attention"
    return "products by weights" if "matmul" in event.name else "other kernels"


def _placed(name: str, machine: str, batch: int, context: int) -> ndpir.ModuleOp:
    model = ndpir.read(ROOT / "examples" / "models" / f"{MODELS[name]}.onnx", batch=batch, cache_length=context - 1)
    return ndpir.compile(model, "offload", machine=machine)


if __name__ == "__main__":
    main()

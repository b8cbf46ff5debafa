"""Scores on G10's traces of plans that only recompute tensors, only move them, or do both.

    python -m benchmarks oversubscription recompute DIR [--cases VIT_1280,BERT_Base_512] [--mode move]

A score is the sum of all kernel times, without recomputation, divided by the time of an iteration, which includes
recomputation and waits. The machine is `a100-g10` with the latencies of its sheets. A recomputed batch normalisation
does not update its running means.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.memory.plans import a100
from dialects.text.columns import table
from interp.simulate.memory.problem import KernelTrace
from lowering.memory.bound import relax
from lowering.memory.intervals import Mode
from lowering.memory.planning import plan
from lowering.memory.recompute import Priced, Reruns, combined_with_moves, fitting
from ndpir.traces.g10 import cases, read_g10


def row(name: str, trace: KernelTrace, mode: Mode) -> list[str]:
    """Return a row with a case's scores and the upper bounds on them, in per cent."""
    system = a100(latencies=True)
    trace = trace.in_pages(system.page)
    reruns = Reruns(trace, stateless=lambda kernel: "BatchNorm" in trace.kernels[kernel].name)

    def priced(other: KernelTrace) -> Priced:
        found = relax(other, system, mode)
        return Priced(found.bound_ns, found.prices)

    alone, moved = fitting(reruns, system.capacity), plan(trace, system, mode)
    both, best = combined_with_moves(reruns, priced)
    ends = plan(both.trace, system, mode)
    bound = best.bound_ns if best is not None else trace.ideal_ns
    return [
        name,
        "-" if alone is None else _percent(trace.ideal_ns / alone.trace.ideal_ns),
        f"{_percent(moved.score)} ({_percent(moved.bound)})",
        f"{_percent(ends.score * trace.ideal_ns / both.trace.ideal_ns)} ({_percent(trace.ideal_ns / bound)})",
        _percent(both.more_ns / trace.ideal_ns),
    ]


def _percent(part: float) -> str:
    return f"{100 * part:.2f}"


def main(arguments: Sequence[str]) -> int:
    """Print a table with a row per case; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks oversubscription recompute")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", default="")
    parser.add_argument("--mode", choices=("move", "copy"), default="move")
    options = parser.parse_args(arguments)
    names = options.cases.split(",") if options.cases else cases(options.folder)
    head = ["case", "recomputing", "moving (bound)", "both (bound)", "run again"]
    print(table(head, [row(name, read_g10(options.folder, name).trace, options.mode) for name in names], left=(0,)))
    return 0

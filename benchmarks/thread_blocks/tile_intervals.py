"""Initiation intervals of the loop over K of a matrix product: simulated, of modulo schedules, and a lower bound.

    python -m benchmarks tile_intervals [--machine SHEET] [--latency CYCLES]

The output has a line for each tile, with its stages of shared memory and of registers, and the number of thread blocks
that a multiprocessor holds at a time. Intervals are in cycles per iteration of all of these blocks. `clock`: the
interval of the event simulation, with steps in the order of the kernel that the passes write; `modulo`: the shortest
interval that the search for modulo schedules finds, or that of `clock` if it is shorter; `bound`: a lower bound on all
intervals; `gap`: `clock` divided by `bound`, minus 1.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another package is called benchmarks too

from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError
from dialects.text.columns import table
from interp.kinds.gpu.multiprocessor import Multiprocessor
from interp.machine.sheets import load_device
from interp.tile.clock import wave_cycles
from interp.tile.events import Rates
from interp.tile.outline import Outline, outline_of
from interp.tile.work import Loop
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.search.modulo import Iteration, Stages, least_interval
from lowering.tile.templates import pipelined_kernel

TILES = (
    ((128, 128, 32), (2, 2)),
    ((128, 64, 32), (2, 2)),
    ((64, 64, 64), (2, 2)),
    ((64, 64, 32), (2, 2)),
    ((64, 32, 16), (2, 1)),
    ((32, 32, 16), (1, 1)),
)
STAGES = ((1, 1), (2, 1), (3, 1), (4, 1), (2, 2), (3, 2))
PLACES = (1, 2)
DEEP = Problem(4096, 4096, 1 << 16)
"""The extents M, N and K of a product whose loop over K has many iterations."""
TURNS = 240
"""The number of iterations that are skipped before an interval is measured, and also the number of iterations over
which it is measured."""


def interval_on_clock(outline: Outline, places: int, rates: Rates) -> float:
    """Return the cycles between two iterations in steady state, in the simulation of `places` thread blocks on a
    multiprocessor."""
    main = max((each for each in outline.steps if isinstance(each, Loop)), key=lambda each: each.iterations)

    def cycles(iterations: int) -> float:
        steps = tuple(replace(each, iterations=iterations) if each is main else each for each in outline.steps)
        return wave_cycles(steps, outline.warps, places, rates)

    return (cycles(2 * TURNS) - cycles(TURNS)) / TURNS


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks tile_intervals", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--machine", default="a100", help="the sheet of the GPU (default a100)")
    parser.add_argument("--latency", type=float, default=500.0, help="cycles until a copy is there (default 500)")
    arguments = parser.parse_args()
    try:
        unit = Multiprocessor.of(load_device(arguments.machine), ModuleOp([]))
    except InputError as error:
        sys.exit(f"error: {error}")
    rates, lines, exact, reached, above = Rates(arguments.latency, 1.0), list[tuple[str, ...]](), 0, 0, 0
    for block, warps in TILES:
        plain = Schedule(block, warps, swizzled=True)
        iteration = Iteration.of(outline_of(pipelined_kernel(DEEP, plain).grids[0], unit).steps, rates)
        if iteration is None:
            sys.exit(f"error: the kernel of {plain} has no loop of asynchronous copies")
        for shared, register in STAGES:
            schedule = replace(plain, stages=shared, register_stages=register)
            outline = outline_of(pipelined_kernel(DEEP, schedule).grids[0], unit)
            for places in PLACES:
                clock = interval_on_clock(outline, places, rates)
                found = least_interval(iteration, plain.warp_count, Stages(shared, register, places), known=clock)
                exact += found.exact
                reached += clock <= found.bound * 1.005
                above += clock < found.bound - 1e-6
                words = ("x".join(map(str, block)), str(plain.warp_count), str(shared), str(register), str(places))
                cycles = (f"{each:.1f}" for each in (clock, found.cycles, found.bound))
                lines.append((*words, *cycles, f"{clock / found.bound - 1:.1%}"))
    head = ("tile", "warps", "stages", "of registers", "blocks", "clock", "modulo", "bound", "gap")
    print(table(head, lines), end="")
    print(f"{len(lines)} loops: {exact} intervals are exact, the clock is within 0.5 % of the bound in {reached}")
    print(f"bounds above the clock: {above}")


if __name__ == "__main__":
    main()

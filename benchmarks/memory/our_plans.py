"""Our plans as steps of G10's accounting, which has tables by kernel where ours has moves that wait for room.

A plan of ours is made for a little less memory than there is and for the link as G10 counts it, and run in our own
accounting until it is steady. What a transfer of that run moves while kernel k runs or is waited for is a step at the
start of kernel k there, in pages. Outputs are allocated at their kernel's start, and dead data is freed at the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from benchmarks.memory.compatible import Place, Settings, Step
from interp.machine.memory_system import MemorySystem, Tier
from interp.memory.log import Act
from interp.memory.problem import KernelTrace
from interp.memory.replay import Run
from lowering.memory.planning import plan
from ndpir.frontends.traces.g10 import CLOCK_GHZ, PAGE

SPARE = 0.01
"""The part of both memories that plans leave, for what comes while something else is on its way out."""
_SSD_BYTES = 1 << 50
_PLACES = {"host": Place.HOST, "ssd": Place.SSD}


def system_of(settings: Settings, spare: float = SPARE) -> MemorySystem:
    """G10's machine as ours are described, its link and SSD with as many pages a tick as there."""

    def rate(pages: int) -> float:
        return pages * PAGE / (settings.tick / (CLOCK_GHZ * 1e9))

    link, ssd = rate(settings.batch), rate(settings.ssd_batch)
    host = int(settings.host_pages * (1 - spare)) * PAGE
    return MemorySystem(
        "gpu",
        int(settings.gpu_pages * (1 - spare)) * PAGE,
        (Tier("host", host, link, link), Tier("ssd", _SSD_BYTES, ssd, ssd)),
        link,
        link,
        page=PAGE,
    )


def planned_steps(trace: KernelTrace, settings: Settings) -> list[Step]:
    """The steps of our plan for a trace, each evicted byte paid out and in."""
    system = system_of(settings)
    return steps_of_run(plan(trace.in_pages(PAGE), system, "move").run, system)


def steps_of_run(run: Run, system: MemorySystem) -> list[Step]:
    """The steps that the last iteration of a run is."""
    trace = run.trace
    steps = [*_allocated(trace), *_freed(trace), *_moved(run, system)]
    order = {Place.NOWHERE: 0, Place.SSD: 1, Place.HOST: 1, Place.GPU: 2}
    return sorted(steps, key=lambda step: (step.at, order[step.to], step.pages is None))


def _allocated(trace: KernelTrace) -> Iterator[Step]:
    first, persistent = trace.first.tolist(), trace.persistent.tolist()
    for kernel, operands in enumerate(trace.operands):
        for tensor in operands:
            if first[tensor] == kernel and not persistent[tensor]:
                yield Step(kernel, tensor, Place.GPU)


def _freed(trace: KernelTrace) -> Iterator[Step]:
    last, persistent = trace.last.tolist(), trace.persistent.tolist()
    for kernel, operands in enumerate(trace.operands):
        for tensor in operands:
            if last[tensor] == kernel and not persistent[tensor]:
                yield Step(kernel + 1, tensor, Place.NOWHERE)


def _moved(run: Run, system: MemorySystem) -> Iterator[Step]:
    """Moves of the last iteration to and from the GPU, in whole pages, by the kernel that runs or is waited for."""
    edges = np.array([run.last_start, *run.ends[-1]], float)
    log = run.log
    for line, act in enumerate(log.act):
        if act not in (Act.IN, Act.OUT) or log.until[line] <= edges[0]:
            continue
        tensor, place = log.tensor[line], _PLACES[system.tiers[log.tier[line]].name]
        times, bytes_there = (log.since[line], log.until[line]), (log.first[line], log.last[line])
        spots = np.interp(edges, times, bytes_there) / PAGE
        pages: list[int] = np.rint(spots).astype(np.int64).tolist()
        for kernel, (low, high) in enumerate(pairwise(pages)):
            if low < high and act == Act.IN:
                yield Step(kernel, tensor, Place.GPU, high - low, place)
            elif low < high:
                yield Step(kernel, tensor, place, high - low)

"""Conversion of ndpir's plans to steps of G10's accounting.

ndpir's plans have moves that wait for free memory; G10's accounting has steps at kernels. A plan is made for a little
less memory than the machine has, with the link as G10 counts it, and is simulated in ndpir's accounting until an
iteration equals the previous one. The pages that a transfer moves while kernel k runs or waits become a step at the
start of kernel k. Outputs are allocated at their kernel's start, and dead data is freed at the start of the next
kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from benchmarks.memory.compatible import Place, Settings, Step
from interp.machine.memory_system import Bus, MemorySystem, Tier
from interp.simulate.memory.log import Act
from interp.simulate.memory.problem import KernelTrace
from interp.simulate.memory.replay import Run
from lowering.memory.planning import plan
from ndpir.traces.g10 import CLOCK_GHZ, PAGE

SPARE = 0.01
"""The fraction of GPU memory and of host memory that plans do not use; it holds pages that arrive while other pages are
still being evicted."""
_SSD_BYTES = 1 << 50
_PLACES = {"host": Place.HOST, "ssd": Place.SSD}


def system_of(settings: Settings, spare: float = SPARE) -> MemorySystem:
    """Return G10's machine as a memory system whose link and SSD move as many pages per tick as in G10's accounting."""

    def rate(pages: int) -> float:
        return pages * PAGE / (settings.tick / (CLOCK_GHZ * 1e9))

    link, ssd = rate(settings.batch), rate(settings.ssd_batch)
    host = int(settings.host_pages * (1 - spare)) * PAGE
    return MemorySystem(
        "gpu",
        int(settings.gpu_pages * (1 - spare)) * PAGE,
        (Tier("host", host, link, link), Tier("ssd", _SSD_BYTES, ssd, ssd)),
        (Bus(link, link),),
        page=PAGE,
    )


def planned_steps(trace: KernelTrace, settings: Settings) -> list[Step]:
    """Return the steps of ndpir's plan for a trace, in which each evicted byte is transferred out and in again."""
    system = system_of(settings)
    return steps_of_run(plan(trace.in_pages(PAGE), system, "move").run, system)


def steps_of_run(run: Run, system: MemorySystem) -> list[Step]:
    """Convert the allocations, discards and transfers in a run's last iteration to steps, in the order in which G10's
    accounting executes them."""
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
    """Yield a step for each transfer of the last iteration and each kernel during which it moves pages, while the
    kernel runs or waits; the step has these pages."""
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

"""The least number of bytes that an iteration of a trace must fetch (Belady's rule)."""

from __future__ import annotations

from heapq import heappop, heappush

from interp.simulate.memory.problem import KernelTrace


def fetched_bytes(trace: KernelTrace, capacity: int, iterations: int = 3) -> int:
    """Return the bytes that the last of `iterations` iterations fetches into a memory of `capacity` bytes.

    Bytes are evicted in the order of their next use, latest first (Belady's rule, which is optimal if all bytes cost
    the same). Dead data takes no memory.
    """
    kernels = len(trace.kernels)
    uses = [trace.uses(tensor).tolist() for tensor in range(len(trace.tensors))]
    uses_passed = [0] * len(uses)
    nbytes, last = trace.nbytes.tolist(), trace.last.tolist()
    persistent = trace.persistent.tolist()
    here = [0] * len(uses)
    """The number of bytes of each tensor that are in memory."""
    alive = list(persistent)
    next_use = [0] * len(uses)
    farthest: list[tuple[int, int]] = []
    """A heap of (negative next use, tensor) for each tensor in memory; some entries are outdated."""
    used = fetched = 0
    for now in range(kernels * iterations):
        kernel = now % kernels
        if kernel == 0:
            fetched = 0
        operands = trace.operands[kernel]
        workspace = trace.kernels[kernel].workspace
        for tensor in operands:
            missing = nbytes[tensor] - here[tensor]
            fetched += missing if alive[tensor] else 0
            used += missing
            here[tensor], alive[tensor] = nbytes[tensor], True
            uses_passed[tensor] += 1
            round_, place = divmod(uses_passed[tensor], len(uses[tensor]))
            next_use[tensor] = round_ * kernels + uses[tensor][place]
        kept: list[tuple[int, int]] = []
        while used + workspace > capacity and farthest:
            use, tensor = heappop(farthest)
            if not here[tensor] or -use != next_use[tensor] or tensor in operands:
                continue
            gone = min(here[tensor], used + workspace - capacity)
            here[tensor] -= gone
            used -= gone
            if here[tensor]:
                kept.append((use, tensor))
        for each in kept:
            heappush(farthest, each)
        for tensor in operands:
            if not persistent[tensor] and last[tensor] == kernel:
                used -= here[tensor]
                here[tensor], alive[tensor] = 0, False
            else:
                heappush(farthest, (-next_use[tensor], tensor))
    return fetched

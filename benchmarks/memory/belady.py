"""The fewest bytes that an iteration of a trace must fetch: those that go are the ones that are needed again last."""

from __future__ import annotations

from heapq import heappop, heappush

from interp.memory.problem import KernelTrace


def fetched_bytes(trace: KernelTrace, capacity: int, iterations: int = 3) -> int:
    """The bytes that come to a memory of `capacity` in the last of some iterations, where room is always that of the
    bytes whose next use lies farthest ahead (Belady's rule, which is optimal for bytes that cost the same), and dead
    data needs none."""
    kernels = len(trace.kernels)
    uses = [trace.uses(tensor).tolist() for tensor in range(len(trace.tensors))]
    turn = [0] * len(uses)
    nbytes, last = trace.nbytes.tolist(), trace.last.tolist()
    persistent = trace.persistent.tolist()
    here = [0] * len(uses)
    """The bytes of each tensor that are in memory."""
    alive = list(persistent)
    next_use = [0] * len(uses)
    farthest: list[tuple[int, int]] = []
    """The negative next use of each tensor in memory, and the tensor, with some that do not hold any more."""
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
            turn[tensor] += 1
            round_, place = divmod(turn[tensor], len(uses[tensor]))
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

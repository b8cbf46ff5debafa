"""PUMP: a prefetcher for programs larger than GPU memory, which finds tensors in the parameters of each launch, without
profiling.

The mechanism is that of "PUMP: Profiling-free Unified Memory Prefetcher for Large DNN Model Support" (ASP-DAC 2022, doi
10.1109/ASP-DAC52403.2022.9712507), as implemented in its program (github.com/ailabstw/PUMP: prefetch.cpp, fromCuda.cpp,
global.h):

- Before each launch, its blocks are prefetched, one prefetch per block, on a separate stream, in the order of launches.
  The kernel waits for its prefetches on this stream. Resident blocks are prefetched, too; blocks larger than the GPU's
  memory are not.
- The tensors of a cuDNN or cuBLAS call are known from its arguments. For any other kernel, the first eight parameters
  are scanned; operands in further parameters are not found, and are fetched by page faults.
- Throttle: launches are queued, with the distinct bytes of their blocks. As long as these and the new blocks exceed a
  budget, the stream waits for the end of the oldest launch, which is then removed from the queue. So prefetches run
  ahead by as many kernels as fit the budget: a *window*. The budget is a factor times the memory: 60 % without further
  information, 100 % after a library call, 80 % with a hook in the framework's allocator, 100 % with a hook that reports
  active tensors.
- PUMP evicts nothing itself: the driver evicts the least recently used data.

The number of kernels by which the CPU's launches are ahead of the GPU depends on program and framework: `run_ahead`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from interp.simulate.memory.problem import Kernel, KernelTrace, Move

SCANNED = 8
"""The number of kernel parameters that are scanned (KERNEL_PARAMETER_SCAN_RANGE in fromCuda.cpp)."""

FACTORS = {"nothing": 60, "calls": 100, "allocations": 80, "tensors": 100}
"""Per cent of memory that the window may take, by the information that PUMP has in addition to launches: nothing, sizes
from library calls, a framework's allocations, its active tensors (gpuMemoryFactor in global.h and where it is set)."""

LIBRARY_WORDS = re.compile(r"conv|matmul|linear|gemm|dot_general|batch_?norm", re.IGNORECASE)
"""Words in the names of kernels that frameworks implement by cuDNN or cuBLAS."""


def library_call(kernel: Kernel) -> bool:
    """True if a kernel is a call of cuDNN or cuBLAS, judged by its name."""
    return LIBRARY_WORDS.search(kernel.name) is not None


@dataclass(frozen=True)
class Pump:
    """PUMP with its parameters: `factor`, the window in per cent of memory; `run_ahead`, the number of kernels by which
    the CPU is ahead of the GPU (None: it never waits)."""

    factor: int = FACTORS["allocations"]
    run_ahead: int | None = 64

    def blocks(self, trace: KernelTrace) -> list[tuple[int, ...]]:
        """The tensors that PUMP finds for each launch."""
        return [
            operands if library_call(kernel) else operands[:SCANNED]
            for kernel, operands in zip(trace.kernels, trace.operands, strict=True)
        ]

    def moves(self, trace: KernelTrace, capacity: int) -> list[Move]:
        """The prefetches of an iteration in the order of the stream, on a device with `capacity` bytes of memory."""
        blocks, count = self.blocks(trace), len(trace.kernels)
        nbytes = [tensor.nbytes for tensor in trace.tensors]
        oldest = window(blocks, nbytes, capacity * self.factor // 100)
        own: list[Move] = []
        ahead: list[Move] = []
        for kernel, seen in enumerate(blocks):
            issued = oldest[kernel] if self.run_ahead is None else max(oldest[kernel], kernel - self.run_ahead)
            issued = max(issued, kernel - count + 1)
            chosen = own if issued >= 0 else ahead
            chosen += [
                Move("prefetch", tensor, issued % count, before=kernel) for tensor in seen if nbytes[tensor] <= capacity
            ]
        return sorted(
            own + ahead, key=lambda move: move.at
        )  # if issued at the same time, this iteration's prefetches come before the next one's


def window(blocks: Sequence[Sequence[int]], nbytes: Sequence[int], budget: int) -> list[int]:
    """For each launch of an iteration, the number of the oldest launch that is still queued when the prefetches for the
    launch are issued (the launch itself if none is queued); negative numbers count back into the previous iteration.

    The queue holds at most `budget` bytes of distinct blocks, or a single launch. The result does not depend on times,
    and is the same in each iteration from the second on.
    """
    count = len(blocks)
    queued: dict[int, int] = defaultdict(int)
    total = oldest = 0
    found: list[int] = []
    for launch in range(2 * count):
        new = blocks[launch % count]
        more = sum(nbytes[block] for block in new if not queued[block])
        while oldest < launch and total + more > budget:
            for block in blocks[oldest % count]:
                queued[block] -= 1
                if not queued[block]:
                    total -= nbytes[block]
                    more += nbytes[block] if block in new else 0
            oldest += 1
        for block in new:
            queued[block] += 1
        total += more
        found.append(oldest)
    return [each - count for each in found[count:]]

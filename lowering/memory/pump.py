"""PUMP: prefetching for programs larger than GPU memory, of what each launch is seen to touch, without profiling.

The mechanism is that of "PUMP: Profiling-free Unified Memory Prefetcher for Large DNN Model Support" (ASP-DAC 2022,
doi 10.1109/ASP-DAC52403.2022.9712507), as its program has it (github.com/ailabstw/PUMP: prefetch.cpp, fromCuda.cpp,
global.h):

- Before a launch its blocks go, one prefetch each, on a stream of their own, in order of launches; the kernel waits
  until the stream has got that far. Blocks that are resident go again. A block larger than the GPU's memory does not.
- A call of cuDNN or cuBLAS says which tensors it reads and writes. Of any other kernel the first eight parameters are
  looked at: operands beyond them are not seen, and are left to faults.
- Throttle: launches queue, and with them the distinct bytes of their blocks. While those and the new ones are more
  than a budget, the stream waits for the oldest launch to end, which leaves the queue. So the look-ahead is as many
  kernels as fit: a *window*. The budget is a factor times the memory: 60 % where nothing is known, 100 % once a
  library call was seen, 80 % with a hook in the framework's allocator, 100 % with one that says which tensors are
  active.
- It evicts nothing itself: the driver does, whatever was used longest ago.

How far the CPU, which launches, is ahead of the GPU is a property of program and framework: `run_ahead` kernels.

"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from interp.memory.problem import Kernel, KernelTrace, Move

SCANNED = 8
"""The parameters of a kernel that are looked at (KERNEL_PARAMETER_SCAN_RANGE in fromCuda.cpp)."""

FACTORS = {"nothing": 60, "calls": 100, "allocations": 80, "tensors": 100}
"""Per cent of memory that the window may take, by what is known besides launches: nothing, sizes from library calls, a
framework's allocations, its active tensors (gpuMemoryFactor in global.h and where it is set)."""

LIBRARY_WORDS = re.compile(r"conv|matmul|linear|gemm|dot_general|batch_?norm", re.IGNORECASE)
"""Words in the names of kernels that frameworks hand to cuDNN or cuBLAS."""


def library_call(kernel: Kernel) -> bool:
    """True if a kernel is, by its name, a call of cuDNN or cuBLAS."""
    return LIBRARY_WORDS.search(kernel.name) is not None


@dataclass(frozen=True)
class Pump:
    """PUMP with its parameters: `factor`, the window's per cent of memory; `run_ahead`, the kernels by which the CPU is
    ahead of the GPU (None: it never waits)."""

    factor: int = FACTORS["allocations"]
    run_ahead: int | None = 64
    is_call: Callable[[Kernel], bool] = library_call

    def blocks(self, trace: KernelTrace) -> list[tuple[int, ...]]:
        """The tensors that PUMP sees each launch touch."""
        return [
            operands if self.is_call(kernel) else operands[:SCANNED]
            for kernel, operands in zip(trace.kernels, trace.operands, strict=True)
        ]

    def moves(self, trace: KernelTrace, capacity: int) -> list[Move]:
        """The prefetches of an iteration in the order of the stream, on a device with so many bytes of memory."""
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
        )  # at one moment this iteration's come before the next one's


def window(blocks: Sequence[Sequence[int]], nbytes: Sequence[int], budget: int) -> list[int]:
    """For each launch of an iteration the oldest one that is still queued when its prefetches go (itself, where none
    is); negative numbers count back into the iteration before.

    The queue holds at most `budget` bytes of distinct blocks, or one launch. It does not depend on time, and is the
    same in each iteration from the second on.

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

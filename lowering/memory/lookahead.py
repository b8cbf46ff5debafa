"""Prefetching by a fixed number of kernels ahead: DeepUM, as modelled by G10.

DeepUM ("DeepUM: Tensor Migration and Prefetching in Unified Memory", ASPLOS 2023, doi 10.1145/3575693.3575736) learns
the sequence of kernels and the memory that each accesses. In steady state, this is a table of the iteration, so G10
(github.com/platformxlab/G10, `prefetch_degree 8`) models it as prefetching the operands of kernel i + 8 when kernel i
starts.
"""

from __future__ import annotations

from interp.simulate.memory.problem import KernelTrace, Move

DEGREE = 8
"""The number of kernels between a kernel and its prefetches (`prefetch_degree` in G10's configurations)."""


def lookahead_moves(trace: KernelTrace, degree: int = DEGREE) -> list[Move]:
    """The prefetches of an iteration: before each kernel i, the operands of kernel i + `degree` are prefetched."""
    count = len(trace.kernels)
    return [
        Move("prefetch", tensor, kernel)
        for kernel in range(count)
        for tensor in trace.operands[(kernel + degree) % count]
    ]

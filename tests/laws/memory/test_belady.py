"""Belady's rule applied to runs of bytes fetches the same bytes as applied page by page."""

from __future__ import annotations

import random

import pytest

from benchmarks.memory.belady import fetched_bytes
from interp.simulate.memory.problem import Kernel, KernelTrace, Tensor


def page_by_page(trace: KernelTrace, capacity: int) -> int:
    """The bytes fetched in the last of three iterations, with pages of one byte; the evicted page is always the one
    whose next use is latest."""
    kernels = len(trace.kernels)
    here: set[tuple[int, int]] = set()
    alive = {number for number, tensor in enumerate(trace.tensors) if tensor.persistent}
    fetched = 0
    for now in range(3 * kernels):
        kernel = now % kernels
        fetched = 0 if kernel == 0 else fetched
        needed = {(one, page) for one in trace.operands[kernel] for page in range(trace.tensors[one].nbytes)}
        fetched += sum(page not in here and page[0] in alive for page in needed)
        here |= needed
        alive |= set(trace.operands[kernel])

        def next_use(page: tuple[int, int], now: int = now) -> int:
            later = (use + iteration * kernels for iteration in range(5) for use in trace.uses(page[0]).tolist())
            return min(use for use in later if use > now)

        over = len(here) - capacity
        others = sorted(here - needed, key=next_use, reverse=True)
        here -= set(others[: max(0, over)])
        dead = {one for one in alive if not trace.tensors[one].persistent and trace.last[one] == kernel}
        here = {page for page in here if page[0] not in dead}
        alive -= dead
    return fetched


@pytest.mark.parametrize("seed", range(30))
def test_runs_of_bytes_fetch_as_much_as_single_pages(seed: int) -> None:
    draw = random.Random(seed)
    tensors = tuple(Tensor(f"t{number}", draw.randint(1, 5), draw.random() < 0.4) for number in range(8))
    kernels = tuple(
        Kernel(f"k{number}", 1.0, tuple(draw.sample(range(8), draw.randint(1, 3))), ()) for number in range(9)
    )
    trace = KernelTrace(kernels, tensors)
    capacity = trace.largest_working_set + draw.randint(0, 4)
    assert fetched_bytes(trace, capacity) == page_by_page(trace, capacity)
    assert fetched_bytes(trace, sum(tensor.nbytes for tensor in tensors)) == 0

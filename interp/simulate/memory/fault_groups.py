"""Groups of page faults, which the driver of a unified memory serves serially.

A chunk (2 MB) of the address space has a binary tree over its blocks (64 KB). A kernel that accesses its bytes in order
faults at the first page that is missing. The driver fetches all missing pages of that page's block. If more than
`density` per cent of the bytes below some tree node above that block are then resident or being fetched, it also
fetches all missing bytes below the topmost such node. The bytes fetched for one fault are one *group*: one latency, one
transfer. So a chunk with no resident bytes is fetched in 6 groups, of 1, 1, 2, 4, 8 and 16 blocks (each consists of the
touched block and the missing remainder of its node).

Rule and threshold (51, strictly more) as in the driver: github.com/NVIDIA/open-gpu-kernel-modules,
kernel-open/nvidia-uvm/uvm_perf_prefetch.c (compute_prefetch_region, UVM_PREFETCH_THRESHOLD_DEFAULT). A tree whose
number of blocks is no power of two has nodes that end with the chunk. Faults of several chunks that the driver finds in
its buffer at the same time are served serially by chunk, so that they are separate groups here.

Without a prefetcher, a group does not depend on earlier groups: the faults of a touch are one group, as in G10's
simulator.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

from interp.machine.memory_system import Faults
from interp.ranges import joined

Groups: TypeAlias = "Counter[int]"
"""For each size of groups, in bytes, the number of groups of this size."""


def fault_groups(missing: Iterable[tuple[int, int]], nbytes: int, faults: Faults) -> Groups:
    """The groups that bring the missing bytes of a tensor of `nbytes` when a kernel touches it from its first byte to
    its last. `missing`: byte ranges [first, last), ascending. The tensor begins with a chunk. Sizes are in whole
    pages."""
    page, chunk = faults.page, faults.chunk
    tensor_end = -(-nbytes // page) * page
    ranges = _in_pages(missing, page, tensor_end)
    if faults.prefetcher == "none":
        total = sum(last - first for first, last in ranges)
        return Counter({total: 1} if total else {})
    groups: Groups = Counter()
    parts: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for first, last in ranges:
        begin, end = -(-first // chunk), last // chunk
        if begin > end:
            parts[end].append((first, last))
            continue
        if begin < end:
            full = _blocks(0, chunk, faults.block)
            for size in chunk_groups(full, full, faults.density):
                groups[size] += end - begin
        if first < begin * chunk:
            parts[begin - 1].append((first, begin * chunk))
        if end * chunk < last:
            parts[end].append((end * chunk, last))
    for number, in_chunk in parts.items():
        start, stop = number * chunk, min((number + 1) * chunk, tensor_end)
        sizes = _blocks(start, stop, faults.block)
        lacking = [0] * len(sizes)
        for first, last in in_chunk:
            for block in range((first - start) // faults.block, -(-(last - start) // faults.block)):
                begin = start + block * faults.block
                lacking[block] += min(last, begin + faults.block) - max(first, begin)
        groups.update(chunk_groups(tuple(lacking), sizes, faults.density))
    return groups


def _in_pages(missing: Iterable[tuple[int, int]], page: int, tensor_end: int) -> list[tuple[int, int]]:
    """Ranges of the pages that lack a byte; adjacent ranges are merged."""
    return joined((first // page * page, min(-(-last // page) * page, tensor_end)) for first, last in missing)


@lru_cache(maxsize=1 << 12)
def _blocks(start: int, stop: int, block: int) -> tuple[int, ...]:
    """The bytes of each block of a chunk; the last block of a tensor may be shorter."""
    return tuple(min(block, stop - begin) for begin in range(start, stop, block))


@lru_cache(maxsize=1 << 14)
def chunk_groups(missing: tuple[int, ...], sizes: tuple[int, ...], density: int) -> tuple[int, ...]:
    """The groups of a chunk in the order of their service, in bytes. `missing`: the missing bytes of each block;
    `sizes`: the bytes of each block."""
    lacking, groups = list(missing), list[int]()
    for block in range(len(sizes)):
        if not lacking[block]:
            continue
        brought, lacking[block] = lacking[block], 0
        first, last = _topmost(block, lacking, sizes, density)
        groups.append(brought + sum(lacking[first:last]))
        lacking[first:last] = [0] * (last - first)
    return tuple(groups)


def _topmost(block: int, lacking: list[int], sizes: tuple[int, ...], density: int) -> tuple[int, int]:
    """The range [first, last) of blocks below the topmost tree node that contains `block` and has more than `density`
    per cent of its bytes resident or being fetched; the block alone if no node has."""
    found, width = (block, block + 1), 2
    while width < 2 * len(sizes):
        first = block // width * width
        last = min(first + width, len(sizes))
        total = sum(sizes[first:last])
        if (total - sum(lacking[first:last])) * 100 > total * density:
            found = first, last
        width *= 2
    return found

"""Unified memory page by page: groups of faults and the order of evictions, compared with simulations that store each
page and each chunk."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from interp.machine.memory_system import Faults
from interp.simulate.memory.fault_groups import chunk_groups, fault_groups
from interp.simulate.memory.recency import Recency

PAGE, BLOCK, CHUNK = 4, 16, 128
"""Sizes in bytes: a chunk has 8 blocks of 4 pages."""


def page_by_page(missing: set[int], pages: int, faults: Faults) -> list[int]:
    """The sizes in pages of the fault groups that touching pages 0, 1, … causes, computed with one bit per page as in
    the driver."""
    per_block, per_chunk = faults.block // faults.page, faults.chunk // faults.page
    resident = [page not in missing for page in range(pages)]
    groups: list[int] = []
    for page in range(pages):
        if resident[page]:
            continue
        start = page // per_chunk * per_chunk
        stop = min(start + per_chunk, pages)
        begin = page // per_block * per_block
        coming = {other for other in range(begin, min(begin + per_block, stop)) if not resident[other]}
        counted = [resident[other] or other in coming for other in range(pages)]
        region, width = (begin, begin), per_block
        while width < per_chunk:
            width *= 2
            first = start + (page - start) // width * width
            last = min(first + width, stop)
            if sum(counted[first:last]) * 100 > (last - first) * faults.density:
                region = first, last
        coming |= {other for other in range(*region) if not resident[other]}
        for other in coming:
            resident[other] = True
        groups.append(len(coming))
    return groups


@given(st.integers(1, 100), st.integers(0, 99), st.sets(st.integers(0, 99)))
def test_fault_groups_are_those_of_a_driver_with_a_bit_for_each_page(
    pages: int, density: int, missing: set[int]
) -> None:
    faults = Faults(PAGE, BLOCK, CHUNK, 1.0, 1.0, "tree", "lru", density)
    missing = {page for page in missing if page < pages}
    ranges = [(page * PAGE, (page + 1) * PAGE) for page in sorted(missing)]
    found = fault_groups(ranges, pages * PAGE, faults)
    assert found == Counter(count * PAGE for count in page_by_page(missing, pages, faults))
    assert sum(size * count for size, count in found.items()) == len(missing) * PAGE


def test_a_chunk_without_resident_pages_is_migrated_in_six_groups() -> None:
    faults = Faults(4 << 10, 64 << 10, 2 << 20, 45_000.0, 5e9, "tree", "migrated", 51)
    block = faults.block
    full = (block,) * 32
    assert chunk_groups(full, full, 51) == tuple(block * count for count in (1, 1, 2, 4, 8, 16))
    assert chunk_groups(full, full, 49) == tuple(block * count for count in (2, 2, 4, 8, 16))  # half is enough
    gigabyte = fault_groups([(0, 1 << 30)], 1 << 30, faults)
    assert gigabyte == {block: 1024, 2 * block: 512, 4 * block: 512, 8 * block: 512, 16 * block: 512}


def test_faults_that_no_prefetcher_follows_are_served_together() -> None:
    faults = Faults(4 << 10, 4 << 10, 4 << 10, 45_000.0, 1.0, "none")
    assert fault_groups([(0, 1), (10_000, 20_001)], 1 << 20, faults) == {4 * 4096: 1}
    assert fault_groups([], 1 << 20, faults) == {}


USES = st.lists(
    st.tuples(st.sampled_from(["touch", "touch", "forget"]), st.integers(0, 2), st.integers(0, 11), st.integers(0, 6))
)


@given(USES)
def test_runs_of_chunks_are_in_the_order_of_a_list_of_chunks(uses: list[tuple[str, int, int, int]]) -> None:
    order: list[tuple[int, int]] = []
    runs = Recency()
    for what, tensor, first, count in uses:
        chunks = [(tensor, chunk) for chunk in range(first, first + count)]
        order = [each for each in order if each not in chunks]
        if what == "touch":
            runs.touch(tensor, first, first + count)
            order += chunks
        else:
            runs.forget(tensor, first, first + count)
        found = [(each, chunk) for each, begin, end in runs.oldest() for chunk in range(begin, end)]
        assert found == order

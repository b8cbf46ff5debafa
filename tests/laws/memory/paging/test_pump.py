"""The prefetches that PUMP issues: its window, compared with a queue as in the published program, and the time of each
prefetch."""

from __future__ import annotations

from collections import deque

from hypothesis import given
from hypothesis import strategies as st

from interp.simulate.memory.problem import Kernel, KernelTrace, Tensor
from lowering.memory.pump import Pump, library_call, window

SIZES = (3, 5, 8, 1, 13)


@st.composite
def launches(draw: st.DrawFn) -> list[tuple[int, ...]]:
    """The blocks that each launch of an iteration uses."""
    blocks = st.lists(st.integers(0, len(SIZES) - 1), min_size=1, max_size=4, unique=True)
    return [tuple(each) for each in draw(st.lists(blocks, min_size=1, max_size=8))]


def queue(blocks: list[tuple[int, ...]], budget: int, iterations: int) -> list[int]:
    """For each launch, the index of the oldest launch in the queue when the prefetches of this launch are issued.
    Launches are removed from the queue, oldest first, until the blocks of the launches in it and of the new one take
    at most `budget` bytes."""
    queued: deque[int] = deque()
    found: list[int] = []
    for launch in range(iterations * len(blocks)):
        while queued:
            held = {block for other in queued for block in blocks[other % len(blocks)]}
            if sum(SIZES[block] for block in held | set(blocks[launch % len(blocks)])) <= budget:
                break
            queued.popleft()
        found.append(queued[0] if queued else launch)
        queued.append(launch)
    return found


@given(launches(), st.integers(1, 40))
def test_the_window_is_that_of_a_queue_from_the_second_iteration_on(blocks: list[tuple[int, ...]], budget: int) -> None:
    count = len(blocks)
    found = window(blocks, SIZES, budget)
    long = queue(blocks, budget, 4)
    if sum(SIZES[block] for block in {block for each in blocks for block in each}) > budget:
        assert found == [each - 3 * count for each in long[3 * count :]]
    for launch, oldest in enumerate(found):
        held = {block for other in range(oldest, launch + 1) for block in blocks[other % count]}
        assert oldest == launch or sum(SIZES[block] for block in held) <= budget


@given(launches(), st.integers(1, 40), st.sampled_from([60, 80, 100]), st.none() | st.integers(0, 9))
def test_prefetches_are_issued_in_the_order_of_launches_and_never_too_early(
    blocks: list[tuple[int, ...]], capacity: int, factor: int, run_ahead: int | None
) -> None:
    count = len(blocks)
    trace = KernelTrace(
        tuple(Kernel("k", 1.0, each, ()) for each in blocks),
        tuple(Tensor(f"t{number}", nbytes) for number, nbytes in enumerate(SIZES)),
    )
    moves = Pump(factor, run_ahead).moves(trace, capacity)
    oldest = window(blocks, SIZES, capacity * factor // 100)
    absolute = [(move.at, move.before if move.at <= move.before else move.before + count) for move in moves
                if move.before is not None]  # fmt: skip
    assert absolute == sorted(absolute)
    for at, before in absolute:
        kernel = before % count
        waits = oldest[kernel] if run_ahead is None else max(oldest[kernel], kernel - run_ahead)
        assert at == max(waits, kernel - count + 1) + (before - kernel)
    assert {(move.tensor, move.before) for move in moves} == {
        (block, kernel) for kernel, each in enumerate(blocks) for block in each if SIZES[block] <= capacity
    }


def test_operands_beyond_the_eighth_are_seen_in_library_calls_alone() -> None:
    reads = tuple(range(10))
    trace = KernelTrace(
        (Kernel("BatchNorm2d_Forward", 1.0, reads, (10,)), Kernel("Concat_Forward", 1.0, reads, (10,))),
        tuple(Tensor(f"t{number}", 1) for number in range(11)),
    )
    seen = Pump().blocks(trace)
    assert seen == [trace.operands[0], trace.operands[1][:8]]
    assert [library_call(kernel) for kernel in trace.kernels] == [True, False]


def test_a_block_larger_than_memory_is_not_prefetched_and_counts() -> None:
    trace = KernelTrace(
        (Kernel("a", 1.0, (0,), ()), Kernel("b", 1.0, (1,), (2,))),
        (Tensor("small", 10), Tensor("large", 200), Tensor("other", 10)),
    )
    moves = Pump(80, None).moves(trace, 100)
    assert [(move.tensor, move.at, move.before) for move in moves] == [(0, 0, 0), (2, 1, 1)]

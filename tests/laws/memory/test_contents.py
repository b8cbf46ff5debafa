"""The record of the byte ranges of a tensor in each memory, compared with a record that has a state for each byte."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from interp.simulate.memory.contents import FULL, HERE, NOWHERE, Contents, copy_in, tier_of

STATES = [NOWHERE, HERE, HERE | FULL, FULL | copy_in(0), HERE | FULL | copy_in(0), FULL | copy_in(1)]

_changes = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 12), st.integers(0, 12), st.sampled_from(STATES)), max_size=12
)


@given(_changes)
def test_pieces_are_the_states_of_their_bytes(changes: list[tuple[int, int, int, int]]) -> None:
    sizes = [12, 7]
    contents = Contents(sizes, 2)
    naive = [[NOWHERE] * size for size in sizes]
    for tensor, first, last, state in changes:
        last = min(last, sizes[tensor])
        contents.put(tensor, first, last, state)
        naive[tensor][first:last] = [state] * max(0, last - first)
        for number, states in enumerate(naive):
            pieces = contents.ranges(number)
            assert [state for first, last, state in pieces for _ in range(first, last)] == states
            assert all(before[2] != after[2] for before, after in pairwise(pieces))
            assert contents.absent[number] == sum(state & 3 == FULL for state in states)
            assert contents.vacant[number] == states.count(NOWHERE)
            assert contents.uniform_state(number) == (states[0] if len(pieces) == 1 else None)
            middle = contents.ranges(number, 2, 6)
            assert [state for first, last, state in middle for _ in range(first, last)] == states[2:6]
        every = [state for states in naive for state in states]
        assert contents.device == sum(state & HERE for state in every)
        assert contents.tiers == [sum(tier_of(state) == tier for state in every) for tier in range(2)]

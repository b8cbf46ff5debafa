"""The time of a loop nest from `channel_time`, which skips over repeated iterations, equals the time from a plain
interpreter that executes every cycle."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from interp.kinds.pim.program import Issue, Repeat, Slot, Step
from interp.kinds.pim.timing.clock import channel_time
from interp.machine.records import Pim
from tests.laws.banks.naive_banks import cycle_by_cycle, flat
from tests.pim_sheets import VERBS, by_verb, scopes, timings


@st.composite
def issues(draw: st.DrawFn) -> Step:
    verb = draw(st.sampled_from((*VERBS, "act", "mac", "mac")))
    return Issue(Slot(verb, *draw(scopes())), draw(st.integers(1, 6)))


@st.composite
def loops(draw: st.DrawFn, inner: st.SearchStrategy[Step]) -> Step:
    return Repeat(draw(st.integers(1, 9)), tuple(draw(st.lists(inner, min_size=1, max_size=4))))


@st.composite
def programs(draw: st.DrawFn, most: int) -> tuple[Step, ...]:
    """Nested loops of at most `most` commands when unrolled."""
    steps = tuple(draw(st.lists(st.recursive(issues(), loops, max_leaves=5), min_size=1, max_size=4)))
    while len(flat(steps)) > most:
        steps = steps[1:] or (Issue(Slot("mac"), 3),)
    return steps


def same_as_cycle_by_cycle(steps: tuple[Step, ...], pim: Pim) -> None:
    cycles, counts = cycle_by_cycle(flat(steps), pim)
    time = channel_time(steps, pim)
    assert (time.cycles, by_verb(time.slots)) == (cycles, counts)
    assert sum(time.waits.values()) <= cycles  # the rest passes behind the last command


@given(programs(1500), timings())
def test_skipping_iterations_is_exact(steps: tuple[Step, ...], pim: Pim) -> None:
    same_as_cycle_by_cycle(steps, pim)


@given(programs(60), programs(60), st.integers(1, 12), timings(refreshed=True))
def test_rows_are_opened_again_after_a_refresh(
    opening: tuple[Step, ...], body: tuple[Step, ...], times: int, pim: Pim
) -> None:
    """All banks are opened first. A refresh closes them; on devices whose refresh `reopens` rows, a bank is opened
    again before the next command that uses its row."""
    all_open = Issue(Slot("act"))
    same_as_cycle_by_cycle((all_open, *opening, Repeat(times, (*body, Issue(Slot("mac"), 2)))), pim)


@given(programs(200), timings(), st.integers(20, 60))
def test_a_loop_takes_as_long_as_its_unrolled_body(body: tuple[Step, ...], pim: Pim, times: int) -> None:
    """A long loop with many refreshes takes the same number of cycles as the loop unrolled."""
    assert channel_time((Repeat(times, body),), pim).cycles == channel_time(body * times, pim).cycles

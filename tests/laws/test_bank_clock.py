"""The time of a loop nest, found by jumping, equals that of a plain interpreter which goes cycle by cycle."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from interp.bank_clock import channel_time
from interp.bank_program import Issue, Repeat, Slot, Step
from interp.sheet import Gap, Pim
from tests.pim_sheets import VERBS, scopes, timings


def flat(steps: tuple[Step, ...]) -> list[Slot]:
    """A program with all loops unrolled."""
    commands: list[Slot] = []
    for step in steps:
        inner = [step.slot] if isinstance(step, Issue) else flat(step.body)
        commands += inner * step.times
    return commands


def banks(slot: Slot, pim: Pim) -> set[int]:
    if slot.scope == "all":
        return set(range(pim.groups * pim.banks))
    if slot.scope == "group":
        return {bank for bank in range(pim.groups * pim.banks) if bank // pim.banks == slot.unit}
    return {slot.unit}


def meet(gap: Gap, before: Slot, after: Slot, pim: Pim) -> bool:
    """Whether a gap holds between two commands, word by word as the record says it."""
    if before.verb != gap.before or after.verb != gap.after:
        return False
    a, b = banks(before, pim), banks(after, pim)
    if gap.level == "bank" and not a & b:
        return False
    if gap.level == "group" and not {bank // pim.banks for bank in a} & {bank // pim.banks for bank in b}:
        return False
    if gap.relation == "same":
        return before.scope == after.scope and before.unit == after.unit
    if gap.relation == "next":
        return before.scope == after.scope and before.unit + 1 == after.unit
    return gap.relation == "any" or after.unit == 0


def opening_again(command: Slot, lost: dict[int, Slot], pim: Pim) -> Slot | None:
    """The activate that must come before a command, since a refresh closed a row that it reaches; the first of them."""
    if command.verb != "mac":
        return None
    acts: list[Slot] = []
    for bank in banks(command, pim) & set(lost):
        whole = all(lost.get(other) == lost[bank] for other in banks(lost[bank], pim))
        acts.append(lost[bank] if whole else Slot("act", "bank", bank))
    return min(acts, key=lambda act: min(banks(act, pim)), default=None)


def cycle_by_cycle(commands: list[Slot], pim: Pim) -> tuple[int, dict[str, int]]:
    """Cycles of one channel, and how many commands its controller added."""
    issued: list[tuple[int, Slot]] = []
    opened: dict[int, Slot] = {}  # by which activate
    lost: dict[int, Slot] = {}
    cycle = at = waiting = 0
    added = {"act": 0, "pre": 0, "refresh": 0}
    due = pim.refresh.interval if pim.refresh else 0
    refreshing = False
    longest = (
        max((gap.cycles for gap in pim.gaps), default=0) + 1
    )  # at most one command a cycle: older ones are too old
    while True:
        cycle += 1
        if pim.refresh and cycle >= due:
            waiting += 1
            due += pim.refresh.interval
        busy = bool(issued) and cycle < issued[-1][0] + pim.command_cycles
        if not busy:
            if not waiting:
                refreshing = False
            elif at == len(commands):
                refreshing = True
            if refreshing:
                command = Slot("pre") if opened else Slot("refresh")
            else:
                command = commands[at] if at < len(commands) else None
            again = opening_again(command, lost, pim) if command is not None else None
            command = again or command
            ready = command is not None and all(
                cycle >= time + gap.cycles
                for time, earlier in issued[-longest:]
                for gap in pim.gaps
                if meet(gap, earlier, command, pim)
            )
            if command is not None and ready:
                issued.append((cycle, command))
                if command.verb == "pre" and refreshing and pim.refresh and pim.refresh.reopens:
                    lost |= opened
                elif command.verb in ("act", "pre"):
                    lost = {bank: act for bank, act in lost.items() if bank not in banks(command, pim)}
                if command.verb == "act":
                    opened |= dict.fromkeys(banks(command, pim), command)
                if command.verb == "pre":
                    opened = {bank: act for bank, act in opened.items() if bank not in banks(command, pim)}
                if command.verb == "refresh":
                    waiting -= 1
                if refreshing or again:
                    added[command.verb] += 1
                else:
                    at += 1
                    refreshing = pim.refresh is not None and command.verb in pim.refresh.served_after
        drained = max((time + pim.end_cycles for time, slot in issued if slot.verb == "drain"), default=0)
        last = issued[-1][0] + pim.command_cycles - 1 if issued else 0
        if at == len(commands) and not waiting and cycle >= max(last, drained):
            return cycle, added


@st.composite
def issues(draw: st.DrawFn) -> Step:
    verb = draw(st.sampled_from((*VERBS, "act", "mac", "mac")))
    return Issue(Slot(verb, *draw(scopes())), draw(st.integers(1, 6)))


@st.composite
def loops(draw: st.DrawFn, inner: st.SearchStrategy[Step]) -> Step:
    return Repeat(draw(st.integers(1, 9)), tuple(draw(st.lists(inner, min_size=1, max_size=4))))


@st.composite
def programs(draw: st.DrawFn, most: int) -> tuple[Step, ...]:
    """Loops in loops, of at most so many commands when unrolled."""
    steps = tuple(draw(st.lists(st.recursive(issues(), loops, max_leaves=5), min_size=1, max_size=4)))
    while len(flat(steps)) > most:
        steps = steps[1:] or (Issue(Slot("mac"), 3),)
    return steps


def same_as_cycle_by_cycle(steps: tuple[Step, ...], pim: Pim) -> None:
    unrolled = flat(steps)
    cycles, added = cycle_by_cycle(unrolled, pim)
    time = channel_time(steps, pim)
    assert time.cycles == cycles
    counts = {verb: added.get(verb, 0) + sum(slot.verb == verb for slot in unrolled) for verb in (*VERBS, "refresh")}
    assert time.counts == {verb: count for verb, count in counts.items() if count}


@given(programs(1500), timings())
def test_jumping_is_exact(steps: tuple[Step, ...], pim: Pim) -> None:
    same_as_cycle_by_cycle(steps, pim)


@given(programs(60), programs(60), st.integers(1, 12), timings(refreshed=True))
def test_rows_are_opened_again_after_a_refresh(
    opening: tuple[Step, ...], body: tuple[Step, ...], times: int, pim: Pim
) -> None:
    """Rows that stay open over refreshes, in part closed or opened anew."""
    all_open = Issue(Slot("act"))
    same_as_cycle_by_cycle((all_open, *opening, Repeat(times, (*body, Issue(Slot("mac"), 2)))), pim)


@given(programs(200), timings(), st.integers(20, 60))
def test_a_loop_is_its_body_over_and_over(body: tuple[Step, ...], pim: Pim, times: int) -> None:
    """Long loops, refreshed many times: jumped over at once, or written out."""
    assert channel_time((Repeat(times, body),), pim).cycles == channel_time(body * times, pim).cycles

"""What the gaps of a sheet make of a channel's time: steps as functions of a small state, and loops as orbits of it.

Every rule says "not before t + d", so what the past means for the future is how long ago each kind of command was last
issued, cut off at the longest gap. No refresh happens here (see interp/bank_clock.py).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import add
from typing import NamedTuple, TypeAlias

from dialects.diagnostics import InputError
from dialects.pim import PreOp
from interp.bank_program import Issue, Repeat, Slot, Step
from interp.bank_rows import RowRules, Rows
from interp.sheet import Gap, Pim


class State(NamedTuple):
    """What the past means for the future."""

    ages: tuple[int, ...]
    """Cycles since each slot's last issue, cut off where no gap reaches."""
    rows: Rows


class Passed(NamedTuple):
    """What a step does to time: the state after it and the cycles until its last issue."""

    state: State
    cycles: int
    tally: tuple[int, ...]
    """The cycles by the verb that was waited for; and behind these, how often the controller opened rows again."""


class Orbit:
    """A loop's states from one entry state on, as far as they were asked for; they end in a cycle."""

    def __init__(self, state: State, width: int) -> None:
        self.states = [state]
        self.ends = [0]
        self.tallies = [(0,) * width]
        self.first: int | None = None
        self._known = {state: 0}

    def append(self, passed: Passed) -> None:
        self.states.append(passed.state)
        self.ends.append(self.ends[-1] + passed.cycles)
        self.tallies.append(tuple(map(add, self.tallies[-1], passed.tally)))
        self.first = self._known.setdefault(passed.state, len(self.states) - 1)
        if self.first == len(self.states) - 1:
            self.first = None

    def after(self, times: int) -> Passed:
        """What that many rounds do; they must be known or lie in the cycle."""
        last = len(self.ends) - 1
        if times <= last:
            return Passed(self.states[times], self.ends[times], self.tallies[times])
        assert self.first is not None
        rounds, at = divmod(times - self.first, last - self.first)
        at += self.first
        tally = (
            w + rounds * (b - a)
            for w, a, b in zip(self.tallies[at], self.tallies[self.first], self.tallies[last], strict=True)
        )
        return Passed(self.states[at], self.ends[at] + rounds * (self.ends[last] - self.ends[self.first]), tuple(tally))

    def within(self, cycles: int) -> int:
        """The most rounds that end within so many cycles; the cycle must be known."""
        last = len(self.ends) - 1
        if cycles < self.ends[last] or self.first is None:
            return max(bisect_right(self.ends, cycles) - 1, 0)
        length = self.ends[last] - self.ends[self.first]
        rounds, rest = divmod(cycles - self.ends[self.first], length)
        at = bisect_right(self.ends, self.ends[self.first] + rest, self.first) - 1
        return at + rounds * (last - self.first)


class Single:
    """A command of one slot, `times` times in a row."""

    def __init__(self, slot: int, times: int, serves: bool) -> None:
        self.slot, self.times, self.serves = slot, times, serves
        self.ends_serving = serves
        self.memo: dict[State, Passed] = {}


class Series:
    """Steps one after another."""

    def __init__(self, parts: tuple[Node, ...]) -> None:
        self.parts = parts
        self.serves: bool = any(part.serves for part in parts)
        self.ends_serving: bool = bool(parts) and parts[-1].ends_serving
        self.memo: dict[State, Passed] = {}


class Loop:
    """A body, `times` times."""

    def __init__(self, times: int, body: Series) -> None:
        self.times, self.body, self.serves = times, body, body.serves
        self.ends_serving = body.ends_serving
        self.orbits: dict[State, Orbit] = {}


Node: TypeAlias = "Single | Series | Loop"

CLOSE, REFRESH = Slot(PreOp.COMMAND.verb), Slot("refresh")


class Channel:
    """The gaps of a sheet between the slots that a program uses, and what steps do to time where no refresh falls."""

    def __init__(self, pim: Pim, steps: tuple[Step, ...]) -> None:
        self.pim = pim
        self.refresh = pim.refresh
        slots = dict.fromkeys(_slots(steps))
        self.rows = RowRules(pim, list(slots))
        if pim.refresh is not None:
            slots |= dict.fromkeys((*self.rows.acts, CLOSE, REFRESH))
        self.slots = list(slots)
        self.index = {slot: at for at, slot in enumerate(self.slots)}
        self.verbs = list(dict.fromkeys(slot.verb for slot in self.slots))
        self.verb_of = [self.verbs.index(slot.verb) for slot in self.slots]
        if pim.refresh is not None and pim.refresh.interval <= max(pim.command_cycles, least(pim, REFRESH, REFRESH)):
            raise InputError(
                f"{pim.name}: a refresh every {pim.refresh.interval} cycles leaves no time for another command"
            )
        gaps = {
            (b, a): gap
            for b, before in enumerate(self.slots)
            for a, after in enumerate(self.slots)
            if (gap := least(pim, before, after))
        }
        self.rules = [tuple((b, gap) for (b, x), gap in gaps.items() if x == a) for a in range(len(self.slots))]
        self.cadence = [max(pim.command_cycles, gaps.get((at, at), 0)) for at in range(len(self.slots))]
        self.reach = tuple(
            max([gap for (b, _), gap in gaps.items() if b == at] + [pim.end_cycles if slot.command.delivers else 0, 1])
            for at, slot in enumerate(self.slots)
        )
        self.width = len(self.verbs) + 1
        self._sequences: dict[tuple[Step, ...], Series] = {}

    @property
    def start(self) -> State:
        return State(self.reach, self.rows.start)

    def sequence(self, steps: tuple[Step, ...]) -> Series:
        """Steps as nodes; equal ones are one node, and share what is known about them."""
        if (known := self._sequences.get(steps)) is None:
            known = self._sequences[steps] = Series(tuple(map(self._node, steps)))
        return known

    def _node(self, step: Step) -> Node:
        if isinstance(step, Repeat):
            return Loop(step.times, self.sequence(step.body))
        serves = self.refresh is not None and step.slot.verb in self.refresh.served_after
        if serves and step.times > 1:
            return Loop(step.times, self.sequence((Issue(step.slot),)))
        return Single(self.index[step.slot], step.times, serves)

    def issue(self, state: State, slot: int, times: int = 1, idle: int = 0) -> Passed:
        """One slot's command `times` times as early as the gaps allow, the first not before `idle` cycles have
        passed; before it, the rows that it misses since a refresh are opened again."""
        if any(state.rows.owed) and (acts := self.rows.missing(state.rows, self.slots[slot])):
            steps = [(self.index[act], 1) for act in acts]
            tally, cycles = [0] * self.width, 0
            for step, count in (*steps, (slot, times)):
                passed = self.issue(state, step, count)
                state, cycles = passed.state, cycles + passed.cycles
                tally = list(map(add, tally, passed.tally))
            tally[-1] += len(acts)
            return Passed(state, cycles, tuple(tally))
        ages = state.ages
        wait, cause = max(self.pim.command_cycles, idle), self.verb_of[slot]
        for before, gap in self.rules[slot]:
            if gap - ages[before] > wait:
                wait, cause = gap - ages[before], self.verb_of[before]
        cadence = (times - 1) * self.cadence[slot]
        total = wait + cadence
        now = [min(age + total, reach) for age, reach in zip(ages, self.reach, strict=True)]
        now[slot] = 0
        tally = [0] * self.width
        tally[cause] += wait
        tally[self.verb_of[slot]] += cadence
        rows = self.rows.after(state.rows, self.slots[slot])
        return Passed(State(tuple(now), rows), total, tuple(tally))

    def control(self, state: State, slot: Slot, idle: int) -> Passed:
        """A refresh, or the precharge of all banks that the controller issues before it."""
        passed = self.issue(state, self.index[slot], idle=idle)
        return passed._replace(state=State(passed.state.ages, self.rows.refreshed(state.rows)))

    def through(self, node: Node, state: State) -> Passed:
        """What a step does to time if no refresh falls into it."""
        if isinstance(node, Loop):
            return self.orbit(node, state, node.times).after(node.times)
        if (passed := node.memo.get(state)) is None:
            if isinstance(node, Single):
                passed = self.issue(state, node.slot, node.times)
            else:
                passed = self._in_turn(node.parts, state)
            node.memo[state] = passed
        return passed

    def _in_turn(self, parts: Sequence[Node], state: State) -> Passed:
        cycles, tally = 0, [0] * self.width
        for part in parts:
            passed = self.through(part, state)
            state = passed.state
            cycles += passed.cycles
            tally = list(map(add, tally, passed.tally))
        return Passed(state, cycles, tuple(tally))

    def orbit(self, loop: Loop, state: State, times: int, cycles: int | None = None) -> Orbit:
        """A loop's orbit, known for `times` rounds, or until `cycles` have passed, or all of it."""
        if (orbit := loop.orbits.get(state)) is None:
            orbit = loop.orbits[state] = Orbit(state, self.width)
        while orbit.first is None and len(orbit.ends) <= times and (cycles is None or orbit.ends[-1] <= cycles):
            orbit.append(self.through(loop.body, orbit.states[-1]))
        return orbit


def _slots(steps: Iterable[Step]) -> Iterable[Slot]:
    for step in steps:
        if isinstance(step, Issue):
            yield step.slot
        else:
            yield from _slots(step.body)


@lru_cache(maxsize=1 << 14)
def least(pim: Pim, before: Slot, after: Slot) -> int:
    """The least number of cycles from one command to another, by the sheet's gaps; 0 where none ties them."""
    return max((gap.cycles for gap in pim.gaps if _ties(gap, before, after, pim)), default=0)


def _ties(gap: Gap, before: Slot, after: Slot, pim: Pim) -> bool:
    if (gap.before, gap.after) != (before.verb, after.verb):
        return False
    if gap.before_scope not in (None, before.scope) or gap.after_scope not in (None, after.scope):
        return False
    size = pim.banks_at(gap.level)
    if not {bank // size for bank in before.banks(pim)} & {bank // size for bank in after.banks(pim)}:
        return False
    match gap.relation:
        case "any":
            return True
        case "same":
            return (before.scope, before.unit) == (after.scope, after.unit)
        case "next":
            return before.scope == after.scope and after.unit == before.unit + 1
        case "first":
            return after.unit == 0

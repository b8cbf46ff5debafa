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
from interp.bank_program import Issue, Repeat, Slot, Step
from interp.sheet import Gap, Pim

State: TypeAlias = "tuple[tuple[int, ...], int]"
"""Cycles since each slot's last issue, cut off where no gap reaches; a bit for each bank with an open row."""


class Passed(NamedTuple):
    """What a step does to time: the state after it, the cycles until its last issue, and these by the verb waited
    for."""

    state: State
    cycles: int
    waits: tuple[int, ...]


class Orbit:
    """A loop's states from one entry state on, as far as they were asked for; they end in a cycle."""

    def __init__(self, state: State, width: int) -> None:
        self.states = [state]
        self.ends = [0]
        self.waits = [(0,) * width]
        self.first: int | None = None
        self._known = {state: 0}

    def append(self, passed: Passed) -> None:
        self.states.append(passed.state)
        self.ends.append(self.ends[-1] + passed.cycles)
        self.waits.append(tuple(map(add, self.waits[-1], passed.waits)))
        self.first = self._known.setdefault(passed.state, len(self.states) - 1)
        if self.first == len(self.states) - 1:
            self.first = None

    def after(self, times: int) -> Passed:
        """What that many rounds do; they must be known or lie in the cycle."""
        last = len(self.ends) - 1
        if times <= last:
            return Passed(self.states[times], self.ends[times], self.waits[times])
        assert self.first is not None
        rounds, at = divmod(times - self.first, last - self.first)
        at += self.first
        waits = (
            w + rounds * (b - a)
            for w, a, b in zip(self.waits[at], self.waits[self.first], self.waits[last], strict=True)
        )
        return Passed(self.states[at], self.ends[at] + rounds * (self.ends[last] - self.ends[self.first]), tuple(waits))

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

CLOSE, REFRESH = Slot("pre"), Slot("refresh")


class Channel:
    """The gaps of a sheet between the slots that a program uses, and what steps do to time where no refresh falls."""

    def __init__(self, pim: Pim, steps: tuple[Step, ...]) -> None:
        self.pim = pim
        self.refresh = pim.refresh
        slots = dict.fromkeys(_slots(steps))
        if pim.refresh is not None:
            slots |= dict.fromkeys((CLOSE, REFRESH))
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
            max([gap for (b, _), gap in gaps.items() if b == at] + [pim.end_cycles if slot.verb == "drain" else 0, 1])
            for at, slot in enumerate(self.slots)
        )
        self.masks = [sum(1 << bank for bank in slot.banks(pim)) for slot in self.slots]
        self._sequences: dict[tuple[Step, ...], Series] = {}

    @property
    def start(self) -> State:
        return self.reach, 0

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
        passed."""
        ages, opened = state
        wait, cause = max(self.pim.command_cycles, idle), self.verb_of[slot]
        for before, gap in self.rules[slot]:
            if gap - ages[before] > wait:
                wait, cause = gap - ages[before], self.verb_of[before]
        cadence = (times - 1) * self.cadence[slot]
        total = wait + cadence
        now = [min(age + total, reach) for age, reach in zip(ages, self.reach, strict=True)]
        now[slot] = 0
        verb = self.slots[slot].verb
        if verb == "act":
            opened |= self.masks[slot]
        elif verb == "pre":
            opened &= ~self.masks[slot]
        waits = [0] * len(self.verbs)
        waits[cause] += wait
        waits[self.verb_of[slot]] += cadence
        return Passed((tuple(now), opened), total, tuple(waits))

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
        cycles, waits = 0, [0] * len(self.verbs)
        for part in parts:
            passed = self.through(part, state)
            state = passed.state
            cycles += passed.cycles
            waits = list(map(add, waits, passed.waits))
        return Passed(state, cycles, tuple(waits))

    def orbit(self, loop: Loop, state: State, times: int, cycles: int | None = None) -> Orbit:
        """A loop's orbit, known for `times` rounds, or until `cycles` have passed, or all of it."""
        if (orbit := loop.orbits.get(state)) is None:
            orbit = loop.orbits[state] = Orbit(state, len(self.verbs))
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
    size = {"channel": pim.banks_per_channel, "group": pim.banks, "bank": 1}[gap.level]
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

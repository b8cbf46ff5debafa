"""How long a bank program takes: the sheet's gaps between commands, exactly, without unrolling a loop.

Every rule says "not before t + d", so what the past means for the future is how long ago each kind of command was
last issued, cut off at the longest gap: a small state. A loop's state repeats soon, and from then on its time is a
multiplication. Refresh comes at its own times: loops jump as far as the next one, pass it command by command, and
jump over whole rounds of refreshes once these repeat too. So the cost grows with a program's text and not with its
trip counts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import add
from typing import NamedTuple, TypeAlias

from dialects.diagnostics import InputError
from dialects.pim import KernelOp
from interp.bank_program import ChannelProgram, Issue, Repeat, Slot, Step, programs_of
from interp.sheet import Gap, Pim

BOUNDS = {
    "act": "row cycles",
    "pre": "row cycles",
    "mac": "mac cadence",
    "load": "buffer fill",
    "drain": "drains",
    "refresh": "refresh",
}
"""What limits a program whose cycles mostly pass waiting for a verb; another verb stands for itself."""


@dataclass(frozen=True)
class BankTime:
    """Time and energy of a kernel, without its launch.

    `ns`: the slowest channel's, by commands or by its data bus. `cycles`: the slowest channel's commands, from the
    first one (cycle 1) to the moment when all its data is there. `counts` and `energy_nj` (by cause, i.e. verb):
    all channels together. `bound`: what the slowest channel mostly waits for. `waits`: its cycles by the verb that
    was waited for.
    """

    ns: float
    cycles: int
    counts: dict[str, int]
    energy_nj: dict[str, float]
    bound: str
    waits: dict[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True)
class ChannelTime:
    """One channel's cycles, commands by verb (refreshes and their precharges included) and cycles by the verb that
    was waited for."""

    cycles: int
    counts: dict[str, int]
    waits: dict[str, int]


def kernel_time(kernel: KernelOp, pim: Pim) -> BankTime:
    """Time and energy of a kernel. Raises InputError, at the op, for what the device can't do."""
    programs = programs_of(kernel, pim)
    times = [channel_time(program.steps, pim) for program in programs]
    counts: dict[str, int] = {}
    for program, time in zip(programs, times, strict=True):
        for verb, count in time.counts.items():
            counts[verb] = counts.get(verb, 0) + count * len(program.channels)
    slowest = max(range(len(times)), key=lambda i: _channel_ns(programs[i], times[i], pim))
    time, ns = times[slowest], _channel_ns(programs[slowest], times[slowest], pim)
    return BankTime(
        ns=ns,
        cycles=time.cycles,
        counts=counts,
        energy_nj={verb: count * pim.verbs[verb].energy_nj for verb, count in counts.items() if verb in pim.verbs},
        bound="data bus" if ns > time.cycles * pim.cycle_ns else _bound(time),
        waits=time.waits,
    )


def _channel_ns(program: ChannelProgram, time: ChannelTime, pim: Pim) -> float:
    return max(time.cycles * pim.cycle_ns, program.bus_bytes / pim.bus_bandwidth * 1e9)


def _bound(time: ChannelTime) -> str:
    by_word: dict[str, int] = {}
    for verb, cycles in time.waits.items():
        word = BOUNDS.get(verb, verb)
        by_word[word] = by_word.get(word, 0) + cycles
    return max(by_word, key=by_word.__getitem__, default="nothing")


@lru_cache(maxsize=4096)
def channel_time(steps: tuple[Step, ...], pim: Pim) -> ChannelTime:
    """One channel's time for a program."""
    channel = _Channel(pim, steps)
    run = _Run(channel)
    run.walk(channel.sequence(steps))
    cycles = run.finish()
    counts = _counts(steps)
    for verb, count in (("pre", run.precharges), ("refresh", run.refreshes)):
        if count:
            counts[verb] = counts.get(verb, 0) + count
    return ChannelTime(
        cycles, counts, {verb: wait for verb, wait in zip(channel.verbs, run.waits, strict=True) if wait}
    )


def _counts(steps: Iterable[Step]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for step in steps:
        inner = {step.slot.verb: step.times} if isinstance(step, Issue) else _counts(step.body)
        times = 1 if isinstance(step, Issue) else step.times
        for verb, count in inner.items():
            counts[verb] = counts.get(verb, 0) + count * times
    return counts


State: TypeAlias = "tuple[tuple[int, ...], int]"
"""Cycles since each slot's last issue, cut off where no gap reaches; a bit for each bank with an open row."""


class Passed(NamedTuple):
    """What a step does to time: the state after it, the cycles until its last issue, and these by the verb waited
    for."""

    state: State
    cycles: int
    waits: tuple[int, ...]


class _Orbit:
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


class _Single:
    """A command of one slot, `times` times in a row."""

    def __init__(self, slot: int, times: int, serves: bool) -> None:
        self.slot, self.times, self.serves = slot, times, serves
        self.ends_serving = serves
        self.memo: dict[State, Passed] = {}


class _Sequence:
    """Steps one after another."""

    def __init__(self, parts: tuple[_Node, ...]) -> None:
        self.parts = parts
        self.serves: bool = any(part.serves for part in parts)
        self.ends_serving: bool = bool(parts) and parts[-1].ends_serving
        self.memo: dict[State, Passed] = {}


class _Loop:
    """A body, `times` times."""

    def __init__(self, times: int, body: _Sequence) -> None:
        self.times, self.body, self.serves = times, body, body.serves
        self.ends_serving = body.ends_serving
        self.orbits: dict[State, _Orbit] = {}


_Node: TypeAlias = "_Single | _Sequence | _Loop"

_CLOSE, _REFRESH = Slot("pre"), Slot("refresh")


class _Channel:
    """The gaps of a sheet between the slots that a program uses, and what steps do to time where no refresh falls."""

    def __init__(self, pim: Pim, steps: tuple[Step, ...]) -> None:
        self.pim = pim
        self.refresh = pim.refresh
        slots = dict.fromkeys(_slots(steps))
        if pim.refresh is not None:
            slots |= dict.fromkeys((_CLOSE, _REFRESH))
        self.slots = list(slots)
        self.index = {slot: at for at, slot in enumerate(self.slots)}
        self.verbs = list(dict.fromkeys(slot.verb for slot in self.slots))
        self.verb_of = [self.verbs.index(slot.verb) for slot in self.slots]
        if pim.refresh is not None and pim.refresh.interval <= max(pim.command_cycles, least(pim, _REFRESH, _REFRESH)):
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
        self._sequences: dict[tuple[Step, ...], _Sequence] = {}

    @property
    def start(self) -> State:
        return self.reach, 0

    def sequence(self, steps: tuple[Step, ...]) -> _Sequence:
        """Steps as nodes; equal ones are one node, and share what is known about them."""
        if (known := self._sequences.get(steps)) is None:
            known = self._sequences[steps] = _Sequence(tuple(map(self._node, steps)))
        return known

    def _node(self, step: Step) -> _Node:
        if isinstance(step, Repeat):
            return _Loop(step.times, self.sequence(step.body))
        serves = self.refresh is not None and step.slot.verb in self.refresh.served_after
        if serves and step.times > 1:
            return _Loop(step.times, self.sequence((Issue(step.slot),)))
        return _Single(self.index[step.slot], step.times, serves)

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

    def through(self, node: _Node, state: State) -> Passed:
        """What a step does to time if no refresh falls into it."""
        if isinstance(node, _Loop):
            return self.orbit(node, state, node.times).after(node.times)
        if (passed := node.memo.get(state)) is None:
            if isinstance(node, _Single):
                passed = self.issue(state, node.slot, node.times)
            else:
                passed = self._in_turn(node.parts, state)
            node.memo[state] = passed
        return passed

    def _in_turn(self, parts: Sequence[_Node], state: State) -> Passed:
        cycles, waits = 0, [0] * len(self.verbs)
        for part in parts:
            passed = self.through(part, state)
            state = passed.state
            cycles += passed.cycles
            waits = list(map(add, waits, passed.waits))
        return Passed(state, cycles, tuple(waits))

    def orbit(self, loop: _Loop, state: State, times: int, cycles: int | None = None) -> _Orbit:
        """A loop's orbit, known for `times` rounds, or until `cycles` have passed, or all of it."""
        if (orbit := loop.orbits.get(state)) is None:
            orbit = loop.orbits[state] = _Orbit(state, len(self.verbs))
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


class _Run:
    """A channel on its way through a program, refreshes included. The first command issues in cycle 1."""

    def __init__(self, channel: _Channel) -> None:
        self.channel = channel
        self.bus = channel.pim.command_cycles
        self.now = 1 - self.bus
        self.state = channel.start
        self.due = channel.refresh.interval if channel.refresh is not None else None
        self.waits = [0] * len(channel.verbs)
        self.refreshes = self.precharges = 0
        self.serving = False
        """Whether the last command lets a refresh in before the next one."""

    def _advance(self, passed: Passed) -> None:
        self.state = passed.state
        self.now += passed.cycles
        self.waits = list(map(add, self.waits, passed.waits))

    def walk(self, node: _Node) -> None:
        """Pass a step, and serve the refreshes that fall into it."""
        if self.due is not None and self.serving:
            while self.due <= self.now + self.bus:
                self._refresh()
            self.serving = False
        if self.due is None or not node.serves or isinstance(node, _Single):
            self._advance(self.channel.through(node, self.state))
        elif isinstance(node, _Loop):
            self._loop(node)
        elif (passed := self.channel.through(node, self.state)).cycles <= self._room():
            self._advance(passed)
        else:
            for part in node.parts:
                self.walk(part)
        self.serving = node.ends_serving

    def _room(self) -> int:
        """Cycles in which no command is followed by a refresh."""
        assert self.due is not None
        return self.due - self.now - self.bus - 1

    def _loop(self, loop: _Loop) -> None:
        left = loop.times
        seen: dict[tuple[State, int, bool], tuple[int, int, int, int, list[int]]] = {}
        while left:
            room = self._room()
            orbit = self.channel.orbit(loop, self.state, left, room)
            if rounds := min(left, orbit.within(room)):
                self._advance(orbit.after(rounds))
                self.serving = loop.ends_serving
                left -= rounds
                continue
            key = self.state, room, self.serving
            if key in seen and (again := left // (seen[key][0] - left)):
                left -= again * (seen[key][0] - left)
                self._repeat(again, *seen[key][1:])
                seen = {}
            else:
                seen[key] = left, self.now, self.refreshes, self.precharges, self.waits
                self.walk(loop.body)
                left -= 1

    def _repeat(self, times: int, now: int, refreshes: int, precharges: int, waits: list[int]) -> None:
        """What happened since that moment, so many times again; nothing but time tells it apart."""
        assert self.due is not None
        self.due += times * (self.now - now)
        self.now += times * (self.now - now)
        self.refreshes += times * (self.refreshes - refreshes)
        self.precharges += times * (self.precharges - precharges)
        self.waits = [new + times * (new - old) for new, old in zip(self.waits, waits, strict=True)]

    def _refresh(self) -> None:
        assert self.due is not None
        assert self.channel.refresh is not None
        if self.state[1]:
            self._advance(self.channel.issue(self.state, self.channel.index[_CLOSE], idle=self.due - self.now))
            self.precharges += 1
        self._advance(self.channel.issue(self.state, self.channel.index[_REFRESH], idle=self.due - self.now))
        self.refreshes += 1
        self.due += self.channel.refresh.interval

    def finish(self) -> int:
        """The cycle in which all data is there and no refresh is due."""
        end = self._end()
        while self.due is not None and self.due <= end:
            self._refresh()
            end = max(end, self._end())
        return end

    def _end(self) -> int:
        drained = [
            self.now - age + self.channel.pim.end_cycles
            for age, slot in zip(self.state[0], self.channel.slots, strict=True)
            if slot.verb == "drain"
        ]
        return max([self.now + self.bus - 1, *drained])

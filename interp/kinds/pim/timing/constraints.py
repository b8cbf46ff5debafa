"""The timing constraints of a sheet as transitions of a channel's state: each command maps a small state to the next
one.

Every constraint has the form "not before t + d". The past therefore affects the future only through the cycles since
the last issue of each slot (verb, scope and unit), capped at the longest constraint; for n-th-last constraints, through
the cycles since the last few issues. Refreshes are handled elsewhere (interp/kinds/pim/timing/clock.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import add
from typing import NamedTuple

from dialects.diagnostics import InputError
from dialects.pim import REFRESH as REFRESH_VERB
from dialects.pim import PreOp
from interp.kinds.pim.program import Issue, Slot
from interp.kinds.pim.timing.periods import Bodies, Repeat
from interp.kinds.pim.timing.rows import OpenRows, RowRules
from interp.machine.records import Level, Pim, Scope, TimingConstraint


class TimingState(NamedTuple):
    """The part of a channel's past on which the times of its future commands depend."""

    ages: tuple[int, ...]
    """Cycles since each slot's last issue, capped at the longest constraint that counts from it."""
    rows: OpenRows
    past: tuple[tuple[int, ...], ...] = ()
    """For each slot from which an n-th-last constraint counts: the cycles since its last issues, newest first, as far
    back as the constraint needs."""


class Passed(NamedTuple):
    """The effect of a step on a channel: the state after it, and the cycles until the last command of the step
    issues."""

    state: TimingState
    cycles: int
    tally: tuple[int, ...]
    """For each verb the cycles waited for it; then, for each scope of activates, the number of times that the
    controller reopened rows."""


class Held(NamedTuple):
    """The constraint that keeps a command from issuing earlier: `cycles` after the `nth`-last issue of the slot
    `before` (an index). `before` is -1 if no constraint does, but only the command bus or the program."""

    before: int
    cycles: int = 0
    nth: int = 1


UNHELD = Held(-1)

PATIENCE = 1000
"""The number of refreshes after which a command that they put off is checked (`never_issues`)."""


def never_issues(refreshes: int, delay: int, interval: int) -> bool:
    """True if a command that `refreshes` refreshes have put off by `delay` cycles is considered never to issue: if they
    delay it by more than half a refresh interval each, on average."""
    return refreshes % PATIENCE == 0 and delay > refreshes * interval // 2


def too_often(pim: Pim, interval: int, command: str) -> InputError:
    """The error for refreshes that leave no time for a command."""
    return InputError(
        f"{pim.name}: a refresh every {interval} cycles leaves no time for {command}; choose a longer interval",
        pim.file or None,
    )


class NthLastConstraint(NamedTuple):
    """An n-th-last constraint: each of the slots `afters` issues no earlier than `cycles` after the `nth`-last issue
    among those of the slots `befores`, which all reach the same unit of a level."""

    befores: tuple[int, ...]
    afters: frozenset[int]
    nth: int
    cycles: int


class TimingConstraints:
    """The timing constraints between the slots of a program. For each slot: `rules`, the slots whose last issue it
    waits for, each with the least distance in cycles; `cadence`, the least distance in cycles between two of its own
    issues; `reach`, the number of cycles for which its last issue may delay another slot."""

    def __init__(self, pim: Pim, slots: Iterable[Slot]) -> None:
        self.pim = pim
        self.slots = list(slots)
        self.index = {slot: at for at, slot in enumerate(self.slots)}
        self.verbs = list(dict.fromkeys(slot.verb for slot in self.slots))
        self.verb_of = [self.verbs.index(slot.verb) for slot in self.slots]
        self.rules: list[list[tuple[int, int]]] = [[] for _ in self.slots]
        self.cadence = [pim.command_cycles] * len(self.slots)
        self.reach = [1] * len(self.slots)
        for b, before in enumerate(self.slots):
            for a, after in enumerate(self.slots):
                if distance := least(pim, before, after):
                    self.rules[a].append((b, distance))
                    self.reach[b] = max(self.reach[b], distance)
                    if a == b:
                        self.cadence[a] = max(distance, pim.command_cycles)
        self.nth_last = self._nth_last_constraints()

    def _nth_last_constraints(self) -> list[NthLastConstraint]:
        """The timing constraints between a command and the n-th last command before it (n > 1), e.g. tFAW: one for each
        unit of the constraint's level."""
        found: dict[tuple[tuple[int, ...], int, int], set[int]] = {}
        for at, befores, after in counted_pairs(self.pim, self.slots):
            constraint = self.pim.constraints[at]
            if constraint.cycles:
                found.setdefault((befores, constraint.nth, constraint.cycles), set()).add(after)
        return [
            NthLastConstraint(befores, frozenset(afters), nth, cycles)
            for (befores, nth, cycles), afters in found.items()
        ]


def counted_pairs(pim: Pim, slots: Sequence[Slot]) -> Iterator[tuple[int, tuple[int, ...], int]]:
    """For each n-th-last constraint of a device (n > 1), by its index, and each unit of its level: the slots whose
    issues it counts, and each slot that waits for them. Slots are indices in `slots`."""
    for at, constraint in enumerate(pim.constraints):
        if constraint.nth == 1:
            continue
        for after, slot in enumerate(slots):
            tied = [before for before, other in enumerate(slots) if ties(constraint, other, slot, pim)]
            for unit in sorted(_places(slot, constraint.level, pim)):
                befores = tuple(before for before in tied if unit in _places(slots[before], constraint.level, pim))
                if befores:
                    yield at, befores, after


class Single:
    """A command of one slot, repeated `times` times."""

    def __init__(self, slot: int, times: int, serves: bool) -> None:
        """`serves`: True if a refresh may be served at this command."""
        self.slot, self.times, self.serves = slot, times, serves
        self.memo: dict[TimingState, Passed] = {}
        self.firsts: dict[TimingState, tuple[Passed, int]] = {}


CLOSE, REFRESH = Slot(PreOp.COMMAND.verb), Slot(REFRESH_VERB)


class Counted(NamedTuple):
    """An n-th-last constraint as it is applied to a channel's state: `befores` are the indices, in the state's `past`,
    of the slots whose issues it counts; `first` is the slot at the first of these indices."""

    befores: tuple[int, ...]
    nth: int
    cycles: int
    first: int


class ConstrainedChannel(TimingConstraints):
    """The timing constraints between the slots of a program, and the transitions of steps during which no refresh falls
    due."""

    def __init__(self, pim: Pim, used: Iterable[Slot]) -> None:
        """`used`: the slots of a program, in the order of their first issue."""
        self.refresh = pim.refresh
        self.at_once = pim.refresh is not None and not pim.refresh.served_after
        """True if a refresh that is due precedes every other command."""
        slots = dict.fromkeys(used)
        self.rows = RowRules(pim, list(slots))
        if pim.refresh is not None:
            slots |= dict.fromkeys((*self.rows.acts, CLOSE, REFRESH))
        super().__init__(pim, slots)
        if pim.refresh is not None and pim.refresh.interval <= max(pim.command_cycles, least(pim, REFRESH, REFRESH)):
            raise too_often(pim, pim.refresh.interval, "another command")
        ends = [pim.end_cycles if slot.command.delivers else 0 for slot in self.slots]
        self.reach = list(map(max, self.reach, ends))
        self.scopes: list[Scope] = list(dict.fromkeys(act.scope for act in self.rows.acts))
        self.width = len(self.verbs) + len(self.scopes)
        self._count()
        self.bodies = Bodies(self._leaf, lambda single: single.serves)
        """Programs converted to the steps that this channel's clock walks."""
        self._singles: dict[Issue, Single] = {}
        self._controls: dict[tuple[Slot, TimingState], Passed] = {}

    def _count(self) -> None:
        """Determines the past issues that the state stores for n-th-last constraints, and converts each such constraint
        to a `Counted`, which refers to these issues by index."""
        spans: dict[int, tuple[int, int]] = {}
        for constraint in self.nth_last:
            for at in constraint.befores:
                cycles, count = spans.get(at, (0, 0))
                spans[at] = max(cycles, constraint.cycles), max(count, constraint.nth)
        self.spans = tuple((at, *span) for at, span in spans.items())
        """For each slot from which an n-th-last constraint counts: its index, the number of cycles for which its issues
        are kept, and the number of its latest issues that are kept."""
        place = {at: index for index, at in enumerate(spans)}
        self.counted: list[list[Counted]] = [[] for _ in self.slots]
        for constraint in self.nth_last:
            befores = tuple(place[at] for at in constraint.befores)
            for after in constraint.afters:
                self.counted[after].append(Counted(befores, constraint.nth, constraint.cycles, constraint.befores[0]))
        self.chained = {
            after for constraint in self.nth_last for after in constraint.afters if after in constraint.befores
        }
        """Slots with an n-th-last constraint on their own earlier issues. Repeated issues of these are not evenly
        spaced."""

    @property
    def start(self) -> TimingState:
        return TimingState(tuple(self.reach), self.rows.start, ((),) * len(self.spans))

    def _leaf(self, issue: Issue) -> Single | Repeat:
        slot = self.index[issue.slot]
        serves = self.refresh is not None and (self.at_once or issue.slot.verb in self.refresh.served_after)
        if (serves or slot in self.chained) and issue.times > 1:
            return Repeat(issue.times, (Issue(issue.slot),))
        if (known := self._singles.get(issue)) is None:
            known = self._singles[issue] = Single(slot, issue.times, serves)
        return known

    def reopening(self, state: TimingState, slot: int) -> list[int]:
        """The activates that must precede a command because a refresh closed rows that it uses."""
        if not any(state.rows.owed):
            return []
        return [self.index[act] for act in self.rows.missing(state.rows, self.slots[slot])]

    def reopened(self, act: int) -> int:
        """The index, in `Passed.tally`, of the count of activates `act` that reopened rows after a refresh."""
        return len(self.verbs) + self.scopes.index(self.slots[act].scope)

    def issue(self, state: TimingState, slot: int, times: int = 1, idle: int = 0) -> Passed:
        """Issues one slot's command `times` times as early as the timing constraints permit, but no earlier than after
        `idle` cycles. Rows that a refresh closed and the command needs are reopened first."""
        if acts := self.reopening(state, slot):
            tally, cycles = [0] * self.width, 0
            for step, count in (*((act, 1) for act in acts), (slot, times)):
                passed = self.issue(state, step, count)
                state, cycles = passed.state, cycles + passed.cycles
                tally = list(map(add, tally, passed.tally))
            for act in acts:
                tally[self.reopened(act)] += 1
            return Passed(state, cycles, tuple(tally))
        return self._alone(state, slot, times, idle)

    def _alone(self, state: TimingState, slot: int, times: int = 1, idle: int = 0) -> Passed:
        """Issues a slot's command as `issue` does, for a slot that needs no row reopened."""
        ages = state.ages
        wait, (before, _, _) = self.wait(state, slot, idle)
        cause = self.verb_of[slot if before < 0 else before]
        cadence = (times - 1) * self.cadence[slot]
        total = wait + cadence
        now = [min(age + total, reach) for age, reach in zip(ages, self.reach, strict=True)]
        now[slot] = 0
        tally = [0] * self.width
        tally[cause] += wait
        tally[self.verb_of[slot]] += cadence
        rows = self.rows.after(state.rows, self.slots[slot])
        return Passed(TimingState(tuple(now), rows, self._past(state, slot, times, total)), total, tuple(tally))

    def wait(self, state: TimingState, slot: int, idle: int = 0) -> tuple[int, tuple[int, int, int]]:
        """The cycles until a slot that needs no row reopened may issue, at least `idle`, and the constraint that delays
        the slot until then, as the fields of `Held`."""
        ages = state.ages
        wait, cause, least_cycles, nth = max(self.pim.command_cycles, idle), -1, 0, 1
        for before, distance in self.rules[slot]:
            if distance - ages[before] > wait:
                wait, cause, least_cycles = distance - ages[before], before, distance
        for constraint in self.counted[slot]:
            recent = sorted(age for before in constraint.befores for age in state.past[before])
            if len(recent) >= constraint.nth and constraint.cycles - recent[constraint.nth - 1] > wait:
                wait = constraint.cycles - recent[constraint.nth - 1]
                cause, least_cycles, nth = constraint.first, constraint.cycles, constraint.nth
        return wait, (cause, least_cycles, nth)

    def _past(self, state: TimingState, slot: int, times: int, cycles: int) -> tuple[tuple[int, ...], ...]:
        """The issues that n-th-last constraints count from, after `cycles` more cycles and `times` more issues of a
        slot."""
        if not self.spans:
            return ()
        past: list[tuple[int, ...]] = []
        for (at, span, count), ages in zip(self.spans, state.past, strict=True):
            own = [back * self.cadence[slot] for back in range(min(times, count))] if at == slot else []
            known = [age for age in (*own, *(age + cycles for age in ages)) if age < span]
            past.append(tuple(known[:count]))
        return tuple(past)

    def control(self, state: TimingState, slot: Slot, idle: int) -> Passed:
        """Issues a refresh, or the controller's precharge of all banks before it, no earlier than after `idle` cycles
        from now."""
        if (early := self._controls.get((slot, state))) is None:
            early = self._controls[slot, state] = self._control(state, slot, 0)
        return early if early.cycles >= idle else self._control(state, slot, idle)

    def _control(self, state: TimingState, slot: Slot, idle: int) -> Passed:
        passed = self.issue(state, self.index[slot], idle=idle)
        return passed._replace(state=passed.state._replace(rows=self.rows.refreshed(state.rows)))

    def first(self, single: Single, state: TimingState) -> tuple[Passed, int]:
        """The first command issued for a step if no refresh falls due, and its slot: an activate that reopens a row, or
        the command itself."""
        if (known := single.firsts.get(state)) is None:
            if acts := self.reopening(state, single.slot):
                known = self._alone(state, acts[0]), acts[0]
            else:
                known = self._alone(state, single.slot, single.times), single.slot
            single.firsts[state] = known
        return known

    def through(self, single: Single, state: TimingState) -> Passed:
        """The effect of a step, with all its commands, if no refresh falls due before the last of them has issued."""
        if (passed := single.memo.get(state)) is None:
            passed = single.memo[state] = self.issue(state, single.slot, single.times)
        return passed


@lru_cache(maxsize=1 << 14)
def least(pim: Pim, before: Slot, after: Slot) -> int:
    """The minimum distance in cycles between two commands by the sheet's timing constraints; 0 if none applies."""
    return max((pim.constraints[at].cycles for at in tying(pim, before, after)), default=0)


def tying(pim: Pim, before: Slot, after: Slot) -> Iterator[int]:
    """The timing constraints between two commands, by their indices, without n-th-last constraints."""
    for at in _constraints_of(pim).get((before.verb, after.verb), ()):
        if ties(pim.constraints[at], before, after, pim):
            yield at


@lru_cache(maxsize=256)
def _constraints_of(pim: Pim) -> Mapping[tuple[str, str], Sequence[int]]:
    """The timing constraints by pair of verbs (before, after), as indices, without n-th-last constraints."""
    found: dict[tuple[str, str], list[int]] = {}
    for at, constraint in enumerate(pim.constraints):
        if constraint.nth == 1:
            found.setdefault((constraint.before, constraint.after), []).append(at)
    return found


@lru_cache(maxsize=1 << 12)
def _places(slot: Slot, level: Level, pim: Pim) -> frozenset[int]:
    """The numbers of the units of a level (banks, groups, …) that contain a bank addressed by a slot."""
    size = pim.banks_at(level)
    return frozenset(bank // size for bank in slot.banks(pim))


def ties(constraint: TimingConstraint, before: Slot, after: Slot, pim: Pim) -> bool:
    """True if a timing constraint applies between two commands: it names their verbs and scopes, some unit of its level
    (for example a bank group) has a bank of both commands, and its condition on same or different units is true."""
    if (constraint.before, constraint.after) != (before.verb, after.verb):
        return False
    if constraint.before_scope not in (None, before.scope) or constraint.after_scope not in (None, after.scope):
        return False
    if not _places(before, constraint.level, pim) & _places(after, constraint.level, pim):
        return False
    match constraint.relation:
        case "any":
            return True
        case "same":
            return (before.scope, before.unit) == (after.scope, after.unit)
        case "next":
            return before.scope == after.scope and after.unit == before.unit + 1
        case "first":
            return after.unit == 0

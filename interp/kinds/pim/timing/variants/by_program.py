"""Variants of a channel whose program opens its rows itself (interp/kinds/pim/timing/clock.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from dialects.pim import ActOp
from interp.kinds.pim.program import Issue, Slot, Step, counts_of
from interp.kinds.pim.timing.constraints import CLOSE, REFRESH, Single
from interp.kinds.pim.timing.periods import Bodies, Repeat
from interp.kinds.pim.timing.rows import OpenRows, RowRules
from interp.kinds.pim.timing.variants.constraints import (
    CHUNK,
    NEVER,
    PATIENCE,
    ConstrainedGroup,
    Table,
    VariedConstraints,
    ages,
    distinct,
)
from interp.kinds.pim.timing.variants.loops import Mask
from interp.machine.records import Scope
from interp.machine.variants import Cycles, PimVariants


class ChannelTimes(NamedTuple):
    """The times of one channel in all variants: `cycles`, (variants); the number of its commands by slot, an array
    where it differs; its cycles by the verb waited for, (variants) each, empty if they were not asked for; and the
    variants that the clock for one device must time."""

    cycles: Cycles
    slots: dict[Slot, Cycles | int]
    waits: dict[str, Cycles]
    left: Mask


class RowStates:
    """The rows that may be open in a channel, numbered in the order in which they are met, and the effects of commands
    on them."""

    def __init__(self, rules: RowRules, slots: list[Slot], index: Mapping[Slot, int]) -> None:
        self.rules, self.slots, self.index = rules, slots, index
        self.states: list[OpenRows] = [rules.start]
        self.number = {rules.start: 0}
        self.after = [Table(lambda at, slot=slot: self._of(rules.after(self.states[at], slot))) for slot in slots]
        self.first = [Table(lambda at, slot=slot: self._first(at, slot)) for slot in slots]
        """For each slot, the command that its variants issue next: an activate that reopens a row, or the slot's."""
        self.refreshed = Table(lambda at: self._of(rules.refreshed(self.states[at])))
        self.opened = Table(lambda at: int(any(self.states[at].opened)))

    def _of(self, rows: OpenRows) -> int:
        if rows not in self.number:
            self.number[rows] = len(self.states)
            self.states.append(rows)
        return self.number[rows]

    def _first(self, at: int, slot: Slot) -> int:
        acts = self.rules.missing(self.states[at], slot)
        return self.index[acts[0] if acts else slot]


class ProgramRules(VariedConstraints):
    """The timing constraints between the slots of a program that opens rows, and their effects on rows."""

    def __init__(self, variants: PimVariants, used: Mapping[Slot, int]) -> None:
        pim = variants.pim
        self.refresh = pim.refresh
        self.at_once = pim.refresh is not None and not pim.refresh.served_after
        slots = dict.fromkeys(used)
        row_rules = RowRules(pim, list(slots))
        if pim.refresh is not None:
            slots |= dict.fromkeys((*row_rules.acts, CLOSE, REFRESH))
        super().__init__(variants, slots)
        for at, slot in enumerate(self.slots):
            if slot.command.delivers:
                self.reaches[at] = np.maximum(self.reaches[at], variants.end_cycles)
        self.reach = [self.row(each) for each in self.reaches]
        self.end = self.row(variants.end_cycles)
        self.interval = -1 if variants.interval is None else self.row(variants.interval)
        self.rows = RowStates(row_rules, self.slots, self.index)
        self.scopes: list[Scope] = list(dict.fromkeys(act.scope for act in row_rules.acts))
        self.changes_rows = [bool(row_rules.acts) and slot.command.row in ("opens", "closes") for slot in self.slots]
        self.bodies = Bodies(self._leaf, lambda single: single.serves)

    def _leaf(self, issue: Issue) -> Single | Repeat:
        """A step as variants execute it: refreshes that are served at once may fall between its commands, others only
        after a command alone."""
        slot = self.index[issue.slot]
        serves = self.refresh is not None and (self.at_once or issue.slot.verb in self.refresh.served_after)
        if issue.times > 1 and (slot in self.chained or (serves and not self.at_once)):
            return Repeat(issue.times, (Issue(issue.slot),))
        return Single(slot, issue.times, serves)

    @property
    def refused(self) -> Mask:
        """(variants) True where refreshes leave no time for another command."""
        variants = self.variants
        if variants.interval is None:
            return np.zeros(variants.count, np.bool_)
        own = np.zeros(variants.count, np.int64)
        for before, gap in self.rules[self.index[REFRESH]]:
            if before == self.index[REFRESH]:
                own = self._rows[gap]
        return variants.interval <= np.maximum(variants.command_cycles, own)


class ProgramGroup(ConstrainedGroup[ProgramRules]):
    """Variants that execute a program that opens its rows itself. The first command issues in cycle 1."""

    def __init__(self, rules: ProgramRules, gaps: Cycles, explains: bool) -> None:
        """`gaps`: the rows of `rules.gaps()` for the variants of the batch."""
        count, slots = gaps.shape[1], len(rules.slots)
        self.rules, self.explains, self.size = rules, explains, count
        self.numbers, self.known, self.given_up = np.arange(count), {}, np.zeros(count, np.bool_)
        self.gaps = gaps
        self.times = np.full((slots + rules.width + 1, count), NEVER, np.int64)
        self.times[-1] = 1 - gaps[rules.bus]
        self.marks = np.zeros((1, count), np.int64)
        self.due = np.zeros((0, count), np.int64)
        if rules.interval >= 0:
            self.due = self.gaps[rules.interval : rules.interval + 1].copy()
        self.counts = np.zeros((2 + len(rules.scopes) + len(rules.verbs) * explains, count), np.int64)
        self.bind()

    def bind(self) -> None:
        slots = len(self.rules.slots)
        self.last, self.history, self.bus = self.times[:slots], self.times[slots:-1], self.times[-1]
        self.rows = self.marks[0]
        self.waits = self.counts[2 + len(self.rules.scopes) :]

    def now(self) -> Cycles:
        return self.bus

    def over(self) -> Cycles:
        return self.bus if self.rules.at_once else self.bus + self.gaps[self.rules.bus]

    def key(self) -> Cycles:
        rules = self.rules
        reach = self.gaps[rules.reach]
        past = [ages(self.bus, self.history[each.first : each.last], self.gaps[each.gap]) for each in rules.histories]
        return np.concatenate([ages(self.bus, self.last, reach), *past, self.marks])

    def step(self, leaf: Single) -> None:
        if not len(self.due):
            self._issue(leaf.slot, leaf.times)
        elif self.rules.at_once:
            self._between_refreshes(leaf.slot, np.full(self.count, leaf.times, np.int64))
        else:
            self.settle()
            self._issue(leaf.slot, leaf.times)
            self.serving = leaf.serves

    def settle(self) -> None:
        while self.serving and len(self.due):
            late = self.due[0] <= self.bus + self.gaps[self.rules.bus]
            if not late.any():
                break
            for is_late, part, _ in self.parts(late):
                if is_late:
                    part.refresh()
        self.serving = False

    def _issue(self, slot: int, times: int) -> None:
        """Issues a slot's command `times` times, after the activates that reopen its rows; no refresh falls between."""
        for command, part, _ in self.parts(self.rules.rows.first[slot](self.rows)):
            part.commit(command, part.ready(command), None if command != slot or times == 1 else times - 1)
            if command != slot:
                part.reopened(command)
                part._issue(slot, times)

    def _between_refreshes(self, slot: int, left: Cycles) -> None:
        """Issues a slot's command `left` times, after all refreshes that are due before each of them, and after the
        activates that reopen rows that these closed."""
        rules = self.rules
        put_off = np.zeros(self.count, np.int64)
        left[self.given_up[self.numbers]] = 0
        while len(todo := np.flatnonzero(left)):
            whole = len(todo) == self.count
            here = self if whole else self.take(todo)
            mine, refreshes = left[todo], put_off[todo]
            for command, part, at in here.parts(rules.rows.first[slot](here.rows)):
                when, ours, delays = part.ready(command), mine[at], refreshes[at]
                for is_late, some, which in part.parts(part.due[0] <= when):
                    if is_late:
                        some.refresh()
                        delays[which] += 1
                        continue
                    moment, more = when[which], None
                    if command == slot:
                        ours[which] -= 1
                        delays[which] = 0
                        if slot not in rules.chained and ours[which].any():
                            more = (some.due[0] - 1 - moment) // some.gaps[rules.cadence[slot]]
                            more = np.minimum(more, ours[which])
                            ours[which] -= more
                    some.commit(command, moment, more)
                    if command != slot:
                        some.reopened(command)
                mine[at], refreshes[at] = ours, delays
            if len(hopeless := np.flatnonzero(refreshes > PATIENCE)):
                self.given_up[here.numbers[hopeless]] = True
                mine[hopeless] = 0
            left[todo], put_off[todo] = mine, refreshes
            if not whole:
                self.put(todo, here)

    def commit(self, slot: int, when: Cycles, more: Cycles | int | None, floor: Cycles | None = None) -> None:
        """Issues a slot in cycle `when` and, `more` times, at its cadence."""
        rules = self.rules
        self.attribute(slot, when, floor, when - self.bus)
        end = when
        if more is not None:
            paced = more * self.gaps[rules.cadence[slot]]
            end = when + paced
            more = np.broadcast_to(np.asarray(more, np.int64), when.shape)
            if self.explains:
                self.waits[rules.verb_of[slot]] += paced
        if rules.histories:
            self.remember(slot, when, more, end)
        self.last[slot] = self.bus[:] = end
        if rules.changes_rows[slot]:
            self.rows[:] = rules.rows.after[slot](self.rows)

    def reopened(self, act: int) -> None:
        self.counts[2 + self.rules.scopes.index(self.rules.slots[act].scope)] += 1

    def refresh(self) -> None:
        rules = self.rules
        for is_open, part, _ in self.parts(rules.rows.opened(self.rows)):
            if is_open:
                part.control(CLOSE)
                part.counts[1] += 1
        self.control(REFRESH)
        self.counts[0] += 1
        self.due[0] += self.gaps[rules.interval]

    def control(self, slot: Slot) -> None:
        """Issues a refresh, or a precharge that prepares it, no earlier than the cycle in which the refresh falls
        due."""
        rules, rows = self.rules, self.rules.rows.refreshed(self.rows)
        at = rules.index[slot]
        early = self.ready(at)
        self.commit(at, np.maximum(early, self.due[0]), None, np.where(early < self.due[0], self.due[0], NEVER))
        self.rows[:] = rows

    def finish(self) -> Cycles:
        """(variants) The cycle in which all data has arrived and no refresh is due."""
        end = self._end()
        while len(self.due) and (late := self.due[0] <= end).any():
            for is_late, part, _ in self.parts(late):
                if is_late:
                    part.refresh()
            end = np.where(late, np.maximum(end, self._end()), end)
        return end

    def _end(self) -> Cycles:
        rules = self.rules
        end = self.bus + self.gaps[rules.bus] - 1
        for at, slot in enumerate(rules.slots):
            if slot.command.delivers:
                age = ages(self.bus, self.last[at], self.gaps[rules.reach[at]])
                end = np.maximum(end, self.bus - age + self.gaps[rules.end])
        return end


def channel_times(steps: tuple[Step, ...], variants: PimVariants, explains: bool) -> ChannelTimes:
    """The times of a program on one channel, for all variants. `explains`: True if waits are attributed to verbs."""
    used = counts_of(steps)
    rules = ProgramRules(variants, used)
    body, refused, gaps = rules.bodies.body(steps), rules.refused, rules.gaps()
    usable = gaps[:, ~refused]
    first, position = distinct(usable)
    ends: list[Cycles] = [np.zeros(0, np.int64)]
    counts: list[Cycles] = [np.zeros((2 + len(rules.scopes) + len(rules.verbs) * explains, 0), np.int64)]
    given_up: list[Mask] = [np.zeros(0, np.bool_)]
    for start in range(0, len(first), CHUNK):
        group = ProgramGroup(rules, usable[:, first[start : start + CHUNK]], explains)
        group.walk(body)
        ends.append(group.finish())
        counts.append(group.counts)
        given_up.append(group.given_up)
    place = np.zeros(variants.count, np.int64)
    place[~refused] = position
    if not len(first):
        none = np.zeros(variants.count, np.int64)
        return ChannelTimes(none, dict(used), dict.fromkeys(rules.verbs, none) if explains else {}, refused)
    cycles, counted = np.concatenate(ends)[place], np.concatenate(counts, axis=1)[:, place]
    if variants.pim.tail_cycles:
        cycles = np.maximum(cycles, sum(used.values()) + variants.pim.tail_cycles)
    slots: dict[Slot, Cycles | int] = dict(used)
    scopes = zip((Slot(ActOp.COMMAND.verb, scope) for scope in rules.scopes), counted[2:], strict=False)
    for slot, count in (*scopes, (CLOSE, counted[1]), (REFRESH, counted[0])):
        if count.any():
            slots[slot] = slots.get(slot, 0) + count
    waits = dict(zip(rules.verbs, counted[2 + len(rules.scopes) :], strict=True)) if explains else {}
    return ChannelTimes(cycles, slots, waits, refused | np.concatenate(given_up)[place])

"""Variants of channels whose controllers open rows, switch modes and refresh on their own
(interp/kinds/pim/timing/controller_managed/), without a decoder."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from interp.kinds.pim.program import Slot
from interp.kinds.pim.timing.controller_managed.channel import ManagedRules
from interp.kinds.pim.timing.controller_managed.run import slots_of
from interp.kinds.pim.timing.periods import Bodies
from interp.kinds.pim.timing.streams import Do, Pause, Stream
from interp.kinds.pim.timing.variants.constraints import (
    CHUNK,
    NEVER,
    PATIENCE,
    ConstrainedGroup,
    Table,
    VariedConstraints,
    distinct,
)
from interp.kinds.pim.timing.variants.loops import Mask
from interp.machine.records import Scope
from interp.machine.variants import Cycles, PimVariants


class Control(NamedTuple):
    """The part of a channel's state that decides on its next command: banks whose row is open, banks between the two
    steps of an activate, and, while a command is prepared, banks that used no other row since they used its row, all as
    bits; and the mode."""

    opened: int = 0
    half: int = 0
    met: int = 0
    mode: str = ""


class ControllerRules(VariedConstraints):
    """The timing constraints between the slots of a program and of its channels' controllers; and for each slot, what
    the controllers do for it, in any state."""

    def __init__(self, variants: PimVariants, used: Iterable[Slot]) -> None:
        self.managed = managed = ManagedRules(variants.widest, used)
        super().__init__(variants, managed.slots)
        self.reach = [self.row(each) for each in self.reaches]
        forms: list[tuple[str, Scope]] = [(slot.verb, slot.scope) for slot in self.slots]
        latency: list[Cycles] = []
        for form, cycles in zip(forms, managed.latency, strict=True):
            found = variants.latency.get(form)
            latency.append(np.full(variants.count, cycles, np.int64) if found is None else found)
        self.latency = [self.row(each) for each in latency]
        self.interval = -1 if variants.interval is None else self.row(variants.interval)
        follows = [each >= self._rows[row] for each, row in zip(latency, self.cadence, strict=True)]
        self.paced = [managed.is_plain(at, bool(each.all())) for at, each in enumerate(follows)]
        """True for slots that continue, in all variants, at their cadence after the first of several equal commands."""
        self.states = [Control()]
        self.number = {Control(): 0}
        slots = range(len(self.slots))
        self.mode = Table(lambda at: self.modes.index(self.states[at].mode))
        self.modes = ["", *dict.fromkeys(mode for mode in managed.mode if mode)]
        self.is_open = Table(lambda at: int(bool(self.states[at].opened or self.states[at].half)))
        self.needed = [Table(lambda at, slot=slot: self._needed(self.states[at], slot)) for slot in slots]
        """For each slot, the one that is issued next for it."""
        self.done = [Table(lambda at, slot=slot: self._done(self.states[at], slot)) for slot in slots]
        """For each slot of the program, the state after its command."""
        self.prepared: dict[tuple[int, int], Table] = {}
        self.meeting: dict[int, Table] = {}
        self.switched: dict[str, Table] = {}
        self.closed = Table(lambda at: self.of(self.states[at]._replace(opened=0, half=0)))

    def cause_of_counted(self, first: int, after: int) -> int:
        return after

    def of(self, state: Control) -> int:
        if state not in self.number:
            self.number[state] = len(self.states)
            self.states.append(state)
        return self.number[state]

    def _needed(self, state: Control, slot: int) -> int:
        managed = self.managed
        return managed.needed(slot, state.opened, state.half, state.met) if managed.needs_row[slot] else slot

    def _done(self, state: Control, slot: int) -> int:
        opened = state.opened & ~self.managed.banks[slot] if self.managed.closes[slot] else state.opened
        return self.of(state._replace(opened=opened, met=0))

    def after(self, step: int, slot: int) -> Table:
        """The state after one of the controller's own commands for a slot."""
        if (step, slot) not in self.prepared:

            def prepared(at: int) -> int:
                state = self.states[at]
                opened, half, opens = self.managed.effect(step, slot, state.opened, state.half)
                return self.of(state._replace(opened=opened, half=half, met=state.met | opens))

            self.prepared[step, slot] = Table(prepared)
        return self.prepared[step, slot]

    def met(self, banks: int) -> Table:
        """The state in which a command is prepared whose row some banks used last."""
        if banks not in self.meeting:
            self.meeting[banks] = Table(lambda at: self.of(self.states[at]._replace(met=banks)))
        return self.meeting[banks]

    def switch(self, mode: str) -> Table:
        """The state after a switch to a mode."""
        if mode not in self.switched:
            self.switched[mode] = Table(lambda at: self.of(self.states[at]._replace(mode=mode)))
        return self.switched[mode]

    @property
    def refused(self) -> Mask:
        """(variants) True where refreshes leave no time for any command, or have none, and where a command occupies the
        bus for several cycles, during which a refresh may fall due."""
        refresher, refused = self.managed.refresher, self.variants.command_cycles > 1
        if self.interval < 0:
            return refused
        return refused | (refresher < 0) | (self._rows[self.interval] <= self._rows[self.cadence[refresher]])


class ControllerGroup(ConstrainedGroup[ControllerRules]):
    """Variants of one channel of each class of channels. `at`: the class whose channel the names of parts of the arrays
    refer to."""

    def __init__(self, rules: ControllerRules, gaps: Cycles, explains: bool, classes: int) -> None:
        """`gaps`: the rows of `rules.gaps()` for the variants of the batch; `classes`: the number of classes."""
        count, slots = gaps.shape[1], len(rules.slots)
        self.rules, self.explains, self.size, self.classes = rules, explains, count, classes
        self.numbers, self.known, self.given_up = np.arange(count), {}, np.zeros(count, np.bool_)
        self.gaps = gaps
        self.rows_of_class = slots + rules.width + 4
        self.times = np.full((self.rows_of_class * classes, count), NEVER, np.int64)
        self.marks = np.zeros((classes, count), np.int64)
        self.due = np.zeros((0, count), np.int64)
        if rules.interval >= 0:
            self.due = np.repeat(self.gaps[rules.interval : rules.interval + 1], classes, axis=0)
        self.counts = np.zeros(((slots + len(rules.verbs) * explains) * classes, count), np.int64)
        self.at = -1
        for at in range(classes):
            self.select(at)
            self.bus[:], self.floor[:], self.done[:] = 1 - gaps[rules.bus], 1, 0

    def select(self, at: int) -> None:
        """Lets the names of parts of the arrays refer to a class's channel."""
        if at != self.at:
            self.at = at
            self.bind()

    def bind(self) -> None:
        at, slots, rows = self.at, len(self.rules.slots), self.rows_of_class
        mine = self.times[at * rows : (at + 1) * rows]
        self.last, self.history = mine[:slots], mine[slots:-4]
        self.bus, self.floor, self.synced, self.done = mine[-4:]
        self.state = self.marks[at]
        width = len(self.counts) // self.classes
        mine = self.counts[at * width : (at + 1) * width]
        self.issued, self.waits = mine[:slots], mine[slots:]

    # One instruction.

    def step(self, leaf: Do | Pause) -> None:
        if isinstance(leaf, Do):
            slot = self.rules.index[leaf.slot]
            for at, met in zip(leaf.classes, leaf.met, strict=True):
                self.select(at)
                self._run(slot, leaf.times, met)
        elif leaf.barrier:
            self._barrier()
            self.settle()

    def _run(self, slot: int, times: int, met: int) -> None:
        """Issues `times` commands of one slot. `met`: the banks, as bits, that used no other row since they used the
        first command's row."""
        rules, left = self.rules, np.full(self.count, times, np.int64)
        while len(todo := np.flatnonzero(left)):
            whole = len(todo) == self.count
            here = self if whole else self.take(todo)
            here._one(slot, met)
            met = _ALL
            more = left[todo] - 1
            if rules.paced[slot] and more.any():
                cadence, when = here.gaps[rules.cadence[slot]], here.bus.copy()
                again = more
                if len(here.due):
                    again = np.minimum(more, np.maximum(0, (here.due[here.at] - 1 - when) // cadence))
                here._again(slot, when, cadence, again)
                more = more - again
            more[self.given_up[here.numbers]] = 0
            left[todo] = more
            if not whole:
                self.put(todo, here)

    def _again(self, slot: int, when: Cycles, cadence: Cycles, more: Cycles) -> None:
        rules = self.rules
        end = when + more * cadence
        if self.explains:
            self.waits[rules.verb_of[slot]] += end - when
        self.issued[slot] += more
        if rules.histories:
            self.remember(slot, when + cadence, np.maximum(more - 1, 0), end, more > 0)
        self.last[slot] = self.bus[:] = end
        complete = end + self.gaps[rules.latency[slot]]
        np.copyto(self.done, np.maximum(self.done, complete), where=more > 0)
        if rules.managed.synced[slot]:
            np.copyto(self.synced, complete, where=more > 0)

    def _one(self, slot: int, met: int) -> None:
        """Issues a command of the program, after all commands of the controller that it needs."""
        rules, managed = self.rules, self.rules.managed
        if managed.needs_row[slot]:
            self.state[:] = rules.met(met)(self.state)
        mode = managed.mode[slot]
        wanted = rules.modes.index(mode)
        pending = ~self.given_up[self.numbers]
        put_off = np.zeros(self.count, np.int64)
        rounds = 0
        while len(todo := np.flatnonzero(pending)):
            whole = len(todo) == self.count
            here = self if whole else self.take(todo)
            rounds += 1
            ended, delays = np.zeros(here.count, np.bool_), put_off[todo]
            steps, floor = rules.needed[slot](here.state), here.floor.copy()
            if managed.synced[slot]:
                late = (steps == slot) & (here.ready(slot, here.floor) > here.synced)
                steps = np.where(late, managed.sync, steps)
                np.copyto(floor, np.maximum(floor, here.synced + 1), where=late)
            for step, part, at in here.parts(steps):
                since = floor[at]
                when = part.ready(step, since)
                ends, waited = ended[at], delays[at]
                action = np.where(rules.mode(part.state) != wanted, _SWITCH, _ISSUE)
                if len(part.due):
                    action = np.where(part.due[part.at] <= when, _REFRESH, action)
                for what, some, which in part.parts(action):
                    if what == _REFRESH:
                        waited[which] += 1
                        some.refresh()
                        continue
                    moment, earliest = when[which], since[which]
                    if what == _SWITCH and managed.switcher < 0:  # the clock for one device says what is missing
                        waited[which] = PATIENCE + 1
                    elif what == _SWITCH:
                        some._issue(managed.switcher, moment, some.floor, earliest, step)
                        some.state[:] = rules.switch(mode)(some.state)
                    if what == _SWITCH:
                        continue
                    some._issue(step, moment, some.floor, earliest, step)
                    if step == slot:
                        some.state[:] = rules.done[slot](some.state)
                        if managed.synced[slot]:
                            some.synced[:] = moment + some.gaps[rules.latency[slot]]
                        ends[which] = True
                        continue
                    if step == managed.sync:
                        some.synced[:] = moment + some.gaps[rules.latency[slot]] + 1
                    some.state[:] = rules.after(step, slot)(some.state)
                ended[at], delays[at] = ends, waited
            if len(hopeless := np.flatnonzero((delays > PATIENCE) | (rounds > _MOST_ROUNDS))):
                self.given_up[here.numbers[hopeless]] = True
                ended[hopeless] = True
            pending[todo], put_off[todo] = ~ended, delays
            if not whole:
                self.put(todo, here)

    def _issue(self, slot: int, when: Cycles, since: Cycles, floor: Cycles, instead_of: int) -> None:
        """Issues a slot in cycle `when`. The cycles from `since` on are attributed to the constraint on the slot
        `instead_of` that ends in this cycle. `floor`: the first cycle in which the slot could issue without it."""
        rules = self.rules
        if self.explains:
            start = np.maximum(self.bus, since - self.gaps[rules.bus])
            self.attribute(instead_of, when, floor, when - start)
        self.issued[slot] += 1
        if rules.histories:
            self.remember(slot, when, None, when)
        self.last[slot] = self.bus[:] = when
        np.maximum(self.done, when + self.gaps[rules.latency[slot]], out=self.done)

    # Refreshes.

    def refresh(self) -> None:
        """Serves a refresh that is due, before all other commands."""
        rules, managed = self.rules, self.rules.managed
        requested, due = self.bus.copy(), self.due[self.at].copy()
        for is_open, part, at in self.parts(rules.is_open(self.state)):
            since, floor = requested[at], due[at]
            if is_open:
                part._control(managed.close_all, since, floor)
                part.state[:] = rules.closed(part.state)
            part._control(managed.refresher, since, floor)
        self.due[self.at] += self.gaps[rules.interval]

    def _control(self, step: int, since: Cycles, floor: Cycles) -> None:
        """Issues one of the controller's commands for a refresh, after a switch to the mode in which it issues."""
        rules = self.rules
        for mode, part, at in self.parts(rules.mode(self.state)):
            if mode:
                part._issue(rules.managed.switcher, part.ready(step, floor[at]), since[at], floor[at], step)
                part.state[:] = rules.switch("")(part.state)
        self._issue(step, self.ready(step, floor), since, floor, step)

    def settle(self) -> None:
        """Serves the refreshes that fall due while channels wait for each other."""
        if not len(self.due):
            return
        for at in range(self.classes):
            self.select(at)
            while (late := self.due[at] < self.floor).any():
                for is_late, part, _ in self.parts(late):
                    if is_late:
                        part.refresh()
            np.maximum(self.bus, self.floor - self.gaps[self.rules.bus], out=self.bus)

    def _barrier(self) -> None:
        """Lets all channels wait until all commands are complete."""
        rules = self.rules
        complete = np.full(self.count, NEVER, np.int64)
        for at in range(self.classes):
            self.select(at)
            while True:
                when = np.maximum(self.floor, self.bus + self.gaps[rules.bus])
                if not len(self.due) or not (late := self.due[at] <= when).any():
                    break
                for is_late, part, _ in self.parts(late):
                    if is_late:
                        part.refresh()
            np.maximum(complete, np.maximum(when, self.done) + 1, out=complete)
            self.bus[:] = when
        for at in range(self.classes):
            self.select(at)
            self.floor[:], self.done[:] = complete + 1, complete

    # The state on which the future depends.

    def now(self) -> Cycles:
        rows = self.rows_of_class
        return self.times[rows - 4 :: rows].max(axis=0)

    def over(self) -> Cycles:
        rows = self.rows_of_class
        return np.maximum(self.now(), self.times[rows - 3 :: rows].max(axis=0) - 1)

    def key(self) -> Cycles:
        rules, now, bus = self.rules, self.now(), self.gaps[self.rules.bus]
        found: list[Cycles] = []
        for at in range(self.classes):
            self.select(at)
            start = np.maximum(self.floor, self.bus + bus)
            command = np.maximum(self.bus, start - bus)
            found.append(np.maximum(self.last, start - self.gaps[rules.reach]) - now)
            found += [
                np.maximum(self.history[each.first : each.last], start - self.gaps[each.gap]) - now
                for each in rules.histories
            ]
            others = command, start, np.maximum(self.synced, start - 1), np.maximum(self.done, command)
            found.append(np.array(others) - now)
        return np.concatenate([*found, self.marks])

    def finish(self) -> Cycles:
        """(variants) The cycle in which all commands are complete."""
        end = np.full(self.count, NEVER, np.int64)
        for at in range(self.classes):
            self.select(at)
            end = np.maximum(end, np.maximum(self.done, self.bus))
        return end


_ALL = -1
"""A mask with all bits set: every bank that a command addresses."""
_ISSUE, _SWITCH, _REFRESH = range(3)
_MOST_ROUNDS = 8 * PATIENCE
"""The number of a controller's own commands after which a command is left to the clock for one device."""


class ClassTimes(NamedTuple):
    """The commands issued to one channel of a class in all variants, counted by slot, and that channel's cycles by the
    verb waited for, both (variants) each; no cycles if these were not asked for."""

    counts: dict[Slot, Cycles]
    waits: dict[str, Cycles]


class StreamTimes(NamedTuple):
    """The times of an instruction stream in all variants, (variants), in cycles; the counts for each class of channels;
    and the variants that the clock for one device must time."""

    cycles: Cycles
    classes: tuple[ClassTimes, ...]
    left: Mask


def stream_times(stream: Stream, variants: PimVariants, explains: bool) -> StreamTimes:
    """The times of a stream for all variants of a device without a decoder. `explains`: True if waits are attributed to
    verbs."""
    rules = ControllerRules(variants, dict.fromkeys(slots_of(stream.items)))
    body, refused, gaps = Bodies(_itself, _always).body(stream.items), rules.refused, rules.gaps()
    classes = max(1, len(stream.classes))
    usable = gaps[:, ~refused]
    first, position = distinct(usable)
    width = (len(rules.slots) + len(rules.verbs) * explains) * classes
    ends: list[Cycles] = [np.zeros(0, np.int64)]
    counts: list[Cycles] = [np.zeros((width, 0), np.int64)]
    given_up: list[Mask] = [np.zeros(0, np.bool_)]
    for start in range(0, len(first), CHUNK):
        group = ControllerGroup(rules, usable[:, first[start : start + CHUNK]], explains, classes)
        group.walk(body)
        ends.append(group.finish())
        counts.append(group.counts)
        given_up.append(group.given_up)
    if not len(first):
        none = np.zeros(variants.count, np.int64)
        return StreamTimes(none, (ClassTimes({}, {}),) * len(stream.classes), refused)
    place = np.zeros(variants.count, np.int64)
    place[~refused] = position
    counted = np.concatenate(counts, axis=1)[:, place].reshape(classes, -1, variants.count)
    found: list[ClassTimes] = []
    for each in counted[: len(stream.classes)]:
        issued, waits = each[: len(rules.slots)], each[len(rules.slots) :]
        slots = {slot: count for slot, count in zip(rules.slots, issued, strict=True) if count.any()}
        found.append(ClassTimes(slots, dict(zip(rules.verbs, waits, strict=True)) if explains else {}))
    return StreamTimes(np.concatenate(ends)[place], tuple(found), refused | np.concatenate(given_up)[place])


def _itself(item: Do | Pause) -> Do | Pause:
    return item


def _always(item: Do | Pause) -> bool:
    return True

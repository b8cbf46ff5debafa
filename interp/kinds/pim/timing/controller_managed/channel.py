"""One channel whose controller opens rows, switches modes, synchronises and refreshes on its own: the sequence of
commands that it issues for a program, with their cycles.

In each cycle, the oldest command of the program determines the next command that it needs: a precharge if another row
is open, an activate (in one or two steps) if none is open, a synchronisation, or the command itself. If the timing
constraints permit that command but the channel is in another mode, a mode switch is issued instead. From the cycle in
which a refresh falls due, no other command issues until the refresh has issued. A slot is a command's verb, scope and
unit (interp/kinds/pim/program.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from dialects.diagnostics import InputError
from dialects.pim import MODE, PREACT, REFRESH, SYNC, ActOp, PreOp
from interp.kinds.pim.program import Slot
from interp.kinds.pim.timing.constraints import UNHELD, Held, TimingConstraints, never_issues, too_often
from interp.kinds.pim.timing.periods import Walker
from interp.machine.records import Pim, Scope

NEVER = -(1 << 40)
ACT, PRE = ActOp.COMMAND.verb, PreOp.COMMAND.verb


class ChannelKey(NamedTuple):
    """The part of a channel's past on which its future times depend; times are relative to a reference cycle."""

    last: tuple[int, ...]
    history: tuple[tuple[int, ...], ...]
    bus: int
    floor: int
    opened: int
    half: int
    mode: str
    synced: int
    queued: tuple[tuple[int, int, int], ...]
    done: int


class Issues(NamedTuple):
    """`times` issues of a slot, `cadence` cycles apart, the first in cycle `when`.

    `served`: the slot of the program's command that they are issued for. `wait`: the cycles before each of them that
    are attributed to the slot `cause`. `held`: the constraint that keeps the first of them from issuing earlier.
    """

    when: int
    slot: int
    served: int
    wait: int
    cause: int
    held: Held
    times: int = 1
    cadence: int = 0


class ManagedRules(TimingConstraints):
    """The timing constraints between the program's slots and the slots that the controller adds; and for each slot, the
    slot's effect on rows and the mode in which it can issue."""

    def __init__(self, pim: Pim, slots: Iterable[Slot]) -> None:
        self.pim = pim
        used = dict.fromkeys(slots)
        of_program = set(used)
        for slot in [slot for slot in used if slot.command.needs_row]:
            for verb in (PREACT, ACT, PRE):
                if verb in pim.verbs:
                    used[self._own(verb, slot)] = None
        all_banks = Slot("", "all")
        used |= dict.fromkeys(
            self._own(verb, all_banks) for verb in (PRE, REFRESH) if pim.refresh is not None and verb in pim.verbs
        )
        used |= dict.fromkeys(Slot(verb) for verb in (MODE, SYNC) if verb in pim.verbs)
        super().__init__(pim, used)
        count = len(self.slots)
        self.of_program = [slot in of_program for slot in self.slots]
        """True for slots of the program, which the controller never issues on its own."""
        self.longest = max((constraint.nth for constraint in self.nth_last), default=0)
        forms = [pim.verbs[slot.verb].forms.get(slot.scope) for slot in self.slots]
        self.latency = [form.latency if form else 0 for form in forms]
        self.closes = [bool(form and form.closes) for form in forms]
        self.mode = [pim.verbs[slot.verb].mode for slot in self.slots]
        self.synced = [slot.verb in pim.sync for slot in self.slots]
        self.banks = [sum(1 << bank for bank in slot.banks(pim)) for slot in self.slots]
        self.needs_row = [
            slot.command.needs_row and not (form and form.rowless) for slot, form in zip(self.slots, forms, strict=True)
        ]
        self.opener = [self._find(ACT, slot) for slot in self.slots]
        self.halver = [self._find(PREACT, slot) for slot in self.slots]
        self.closer = [self._find(PRE, slot) for slot in self.slots]
        self.close_all, self.refresher = self._find(PRE, all_banks), self._find(REFRESH, all_banks)
        self.switcher, self.sync = self.index.get(Slot(MODE), -1), self.index.get(Slot(SYNC), -1)
        self.plain = [self.is_plain(s, self.latency[s] >= self.cadence[s]) for s in range(count)]
        """Slots that continue at their cadence after the first command of a run of equal commands."""

        self.interval = pim.refresh.interval if pim.refresh is not None else 0
        if self.refresher >= 0 and self.interval <= self.cadence[self.refresher]:
            raise too_often(pim, self.interval, "any command")

    def _own(self, verb: str, slot: Slot) -> Slot:
        """The slot of one of the controller's own row commands (`verb`) for the banks that a slot addresses: in the
        widest scope whose units contain no other bank."""
        scopes = self.pim.verbs[verb].forms
        scope: Scope = slot.scope if slot.scope in scopes else "all"
        if scope not in scopes:
            raise InputError(
                f"{self.pim.name}: its controller needs a `{verb}` of scope {slot.scope} or all, but the sheet "
                "states neither; add one"
            )
        return Slot(verb, scope, slot.unit if scope == slot.scope else 0)

    def _find(self, verb: str, slot: Slot) -> int:
        if verb not in self.pim.verbs:
            return -1
        try:
            return self.index.get(self._own(verb, slot), -1)
        except InputError:
            return -1

    def out_of_sync(self, slot: int) -> InputError:
        """The error for a command that can't issue before the data clock's synchronisation expires."""
        verb = self.slots[slot].verb
        return InputError(
            f"{self.pim.name}: the data clock is no longer synchronised when `{verb}` may issue after `{SYNC}`; state "
            f"a longer latency of `{verb}`, or shorter gaps from `{SYNC}`",
            self.pim.file or None,
        )

    def is_plain(self, slot: int, in_sync: bool) -> bool:
        """True for a slot that continues at its cadence after the first command of a run of equal commands. `in_sync`:
        True if one command keeps the data clock synchronised until the next."""
        counted = any(slot in each.afters for each in self.nth_last)
        if self.needs_row[slot]:
            return (not self.closes[slot] and not counted) or (self.synced[slot] and in_sync)
        return not (self.closes[slot] or self.synced[slot] or counted) or (self.synced[slot] and in_sync)

    def needed(self, slot: int, opened: int, half: int, met: int) -> int:
        """The slot to issue next so that the command of `slot`, which needs a row, can issue: one of the controller's
        own commands, or `slot` itself. `opened`, `half`: banks whose row is open, and banks between the two steps of an
        activate, as bits; `met`: the banks that used no other row since they used the command's row."""
        banks = self.banks[slot]
        if opened & banks & ~met:
            return self.closer[slot]
        if half & banks and not banks & ~(opened | half):
            return self.opener[slot]
        if banks & ~opened:
            return self.halver[slot] if self.halver[slot] >= 0 else self.opener[slot]
        return slot

    def effect(self, step: int, slot: int, opened: int, half: int) -> tuple[int, int, int]:
        """The open and half-open banks, as bits, after one of the controller's own row commands (`step`) for a slot;
        and the banks whose row the command opens, by a whole activate or by the first of its two steps."""
        banks = self.banks[step]
        if step == self.sync:
            return opened, half, 0
        if step == self.closer[slot]:
            return opened & ~banks, half & ~banks, 0
        if step == self.opener[slot]:
            return opened | banks, half & ~banks, banks
        return opened & ~banks, half | banks, banks


class ManagedChannel:
    """A channel's state during its run. Times are absolute cycles; the first cycle is 1."""

    def __init__(self, rules: ManagedRules) -> None:
        self.rules = rules
        self.log: Callable[[Issues], None] | None = None
        """A callback that receives each command before the channel's state is updated."""
        self.walker: Walker | None = None
        """The walker that records by how much refreshes may shift without changing any decision, if there is one."""
        count = len(rules.slots)
        self.last = [NEVER] * count
        self.history: list[list[int]] = [[] for _ in rules.nth_last]
        self.bus = 1 - rules.pim.command_cycles
        """The cycle of the last issue."""
        self.floor = 1
        """The earliest cycle for the next command of the program."""
        self.opened = self.half = 0
        """Banks whose row is open, and banks between the two steps of an activate, as bits."""
        self.mode = ""
        self.synced = NEVER
        """The last cycle in which the data clock is synchronised."""
        self.queued: list[tuple[int, int, int]] = []
        """The times at which commands of the decoder's last instructions leave the queue, as (first, step, count)."""
        self.done = 0
        """The time at which all issued commands are complete."""
        refresh = rules.pim.refresh
        self.due = refresh.interval if refresh is not None else None
        self.counts = [0] * count
        self.waits = [0] * len(rules.verbs)

    def ready(self, slot: int, floor: int) -> tuple[int, int]:
        """The first cycle in which the timing constraints and the bus permit a slot to issue, and the slot of the
        earlier command that determines this cycle."""
        when, cause = self.bus + self.rules.pim.command_cycles, slot
        if floor > when:
            when = floor
        last = self.last
        for before, distance in self.rules.rules[slot]:
            if last[before] + distance > when:
                when, cause = last[before] + distance, before
        if self.rules.nth_last:
            for constraint, history in zip(self.rules.nth_last, self.history, strict=True):
                if (
                    slot in constraint.afters
                    and len(history) >= constraint.nth
                    and history[0] + constraint.cycles > when
                ):
                    when, cause = history[0] + constraint.cycles, slot
        return when, cause

    def held(self, slot: int, when: int, cause: int) -> Held:
        """The timing constraint of a slot, counted from the last issues of the slot `cause`, that permits the slot to
        issue in cycle `when` but not earlier."""
        for before, distance in self.rules.rules[slot]:
            if before == cause and self.last[before] + distance == when:
                return Held(before, distance)
        for constraint, history in zip(self.rules.nth_last, self.history, strict=True):
            if slot in constraint.afters and len(history) >= constraint.nth and history[0] + constraint.cycles == when:
                return Held(constraint.befores[0], constraint.cycles, constraint.nth)
        return UNHELD

    def put(self, slot: int, when: int, cause: int, for_slot: int, floor: int, instead_of: int = -1) -> None:
        """Issues a slot in cycle `when`, for the program's slot `for_slot`. The cycles from `floor`, in which the slot
        was requested, to `when` are attributed to the slot `cause`. `instead_of`: the slot whose constraints
        determined the cycle, if that is not the issued slot itself; else -1."""
        rules = self.rules
        since = max(self.bus, floor - rules.pim.command_cycles)
        if self.log is not None:
            held = self.held(slot if instead_of < 0 else instead_of, when, cause)
            self.log(Issues(when, slot, for_slot, when - since, cause, held))
        self.waits[rules.verb_of[cause]] += when - since
        self.counts[slot] += 1
        self.last[slot] = self.bus = when
        if rules.nth_last:
            self._remember(slot, [when])
        if when + rules.latency[slot] > self.done:
            self.done = when + rules.latency[slot]

    def run(self, slot: int, times: int, met: int) -> None:
        """Issues `times` commands of one slot serially. `met`: the banks, as bits, that used no other row since they
        used the first command's row."""
        rules = self.rules
        while times:
            when = self.one(slot, met)
            met = -1
            times -= 1
            more = times
            if not more or not rules.plain[slot]:
                self._queue(when, 1, 1)
                continue
            cadence = rules.cadence[slot]
            if self.due is not None:
                more = min(more, max(0, (self.due - 1 - when) // cadence))
                self.is_due_before(when + more * cadence + 1)
            self._queue(when, cadence, 1 + more)
            if more:
                self._again(slot, when, cadence, more)
                times -= more

    def _again(self, slot: int, when: int, cadence: int, more: int) -> None:
        rules = self.rules
        if self.log is not None:
            held = Held(slot, cadence) if cadence > rules.pim.command_cycles else UNHELD
            self.log(Issues(when + cadence, slot, slot, cadence, slot, held, more, cadence))
        end = when + more * cadence
        self.waits[rules.verb_of[slot]] += end - when
        self.counts[slot] += more
        self.last[slot] = self.bus = end
        if rules.nth_last:
            self._remember(slot, [when + at * cadence for at in range(max(1, more - rules.longest), more + 1)])
        self.done = max(self.done, end + rules.latency[slot])
        if rules.synced[slot]:
            self.synced = end + rules.latency[slot]

    def _remember(self, slot: int, times: Sequence[int]) -> None:
        """Records the cycles `times` of a slot's latest issues, from which n-th-last constraints count."""
        for constraint, history in zip(self.rules.nth_last, self.history, strict=True):
            if slot in constraint.befores:
                history += times
                del history[: -constraint.nth]

    def _queue(self, when: int, step: int, count: int) -> None:
        if self.rules.pim.decoder is not None:
            self.queued.append((when, step, count))

    def one(self, slot: int, met: int) -> int:
        """Issues a command of the program, after all commands of the controller that it needs, and returns its cycle.
        `met`: the banks, as bits, that used no other row since they used the command's row."""
        rules = self.rules
        first, put_off, before = self.bus, 0, 0
        needs_row, synced, mode = rules.needs_row[slot], rules.synced[slot], rules.mode[slot]
        while True:
            step = rules.needed(slot, self.opened, self.half, met) if needs_row else slot
            when, cause = self.ready(step, self.floor)
            if synced and step == slot and when > self.synced:
                if self.last[rules.sync] == self.bus:  # just synchronised: if nothing moves, it never is in time
                    if before == when - self.bus:
                        raise rules.out_of_sync(slot)
                    before = when - self.bus
                step = rules.sync
                when, cause = self.ready(step, max(self.floor, self.synced + 1))
            if self.is_due_before(when + 1):
                put_off += 1
                if never_issues(put_off, when - first, rules.interval):
                    raise too_often(rules.pim, rules.interval, rules.slots[slot].verb)
                self.refresh(slot)
                before = 0
                continue
            if self.mode != mode:
                self.switch(when, cause, mode, slot, self.floor, step)
                before = 0
                continue
            self.put(step, when, cause, slot, self.floor)
            if step == slot:
                if rules.closes[slot]:
                    self.opened &= ~rules.banks[slot]
                if synced:
                    self.synced = when + rules.latency[slot]
                return when
            if step == rules.sync:
                self.synced = when + rules.latency[slot] + 1
            self.opened, self.half, opens = rules.effect(step, slot, self.opened, self.half)
            met |= opens

    def is_due_before(self, moment: int) -> bool:
        """True if a refresh falls due before a cycle."""
        if self.due is None:
            return False
        return self.due < moment if self.walker is None else self.walker.before(self.due, moment)

    def switch(self, when: int, cause: int, mode: str, for_slot: int, floor: int, instead_of: int) -> None:
        if self.rules.switcher < 0:
            raise InputError(
                f"{self.rules.pim.name} needs a verb `{MODE}`, with which the controller switches a channel "
                "to another mode; state one in its sheet"
            )
        self.put(self.rules.switcher, when, cause, for_slot, floor, instead_of)
        self.mode = mode

    def refresh(self, for_slot: int, until: int | None = None) -> bool:
        """Serves a refresh that is due, before all other commands. With `until`: stops before the first command that
        would issue after that cycle, and returns True if all commands issued by then."""
        rules, refresh = self.rules, self.rules.pim.refresh
        assert self.due is not None
        assert refresh is not None
        # Without a decoder, a channel always has a command to issue, so that all cycles since its last command are
        # attributed to the refresh.
        requested = self.bus if rules.pim.decoder is None else self.due
        while True:
            step = rules.close_all if self.opened or self.half else rules.refresher
            when, cause = self.ready(step, self.due)
            if until is not None and when > until:
                return False
            if self.walker is not None:
                self.walker.serves(self.due, when)
            if self.mode:
                self.switch(when, cause, "", rules.refresher, requested, step)
                continue
            self.put(step, when, cause, rules.refresher, requested)
            if step == rules.refresher:
                break
            self.opened = self.half = 0
        self.due += refresh.interval
        return True

    def caught_up(self, now: int) -> None:
        """Serves all refreshes that fall due by `now`; the program has no command to issue before `now`."""
        while self.is_due_before(now + 1):
            self.refresh(self.rules.refresher)

    def rest(self, end: int) -> None:
        """Serves the refreshes that issue by cycle `end`, after the channel's own program has ended and while other
        channels are still running."""
        while self.due is not None and self.due <= end and self.refresh(self.rules.refresher, end):
            pass

    def pause(self) -> int:
        """Waits until all issued commands are complete, like a command without effect. Returns the cycle of
        completion."""
        while True:
            when = max(self.floor, self.bus + self.rules.pim.command_cycles)
            if not self.is_due_before(when + 1):
                break
            self.refresh(self.rules.refresher)
        complete = max(when + 1, self.done + 1)
        self.bus = when
        return complete

    # The state on which the future depends.

    def key(self, origin: int, start: int) -> ChannelKey:
        """The state with times relative to `origin`. No command of the program issues before `start`."""
        rules = self.rules
        start = max(start, self.floor, self.bus + rules.pim.command_cycles)
        bus = max(self.bus, start - rules.pim.command_cycles)
        return ChannelKey(
            tuple(
                [
                    (at if at > start - reach else start - reach) - origin
                    for at, reach in zip(self.last, rules.reach, strict=True)
                ]
            ),
            tuple(
                tuple(max(at, start - constraint.cycles) - origin for at in history)
                for constraint, history in zip(rules.nth_last, self.history, strict=True)
            ),
            bus - origin,
            max(self.floor, start) - origin,
            self.opened,
            self.half,
            self.mode,
            max(self.synced, start - 1) - origin,
            tuple((first - origin, step, count) for first, step, count in self.queued),
            max(self.done, bus) - origin,
        )

    def restore(self, key: ChannelKey, origin: int) -> None:
        self.last = [at + origin for at in key.last]
        self.history = [[at + origin for at in history] for history in key.history]
        self.bus, self.floor = key.bus + origin, key.floor + origin
        self.opened, self.half, self.mode = key.opened, key.half, key.mode
        self.synced, self.done = key.synced + origin, key.done + origin
        self.queued = [(first + origin, step, count) for first, step, count in key.queued]

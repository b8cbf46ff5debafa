"""The commands on a channel's bus while it executes a kernel: cycle, address, and the timing constraint that each
command waited for.

For a window late in a long program, loops are skipped up to the first cycle of the window
(interp/kinds/pim/timing/periods.py), and operands are computed from a command's number
(interp/kinds/pim/timing/operands.py). Controllers that reorder requests are simulated request by request from the
start. A slot is a command's verb, scope and unit (interp/kinds/pim/program.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from dialects.pim import MODE, REFRESH, SYNC, BarrierOp, KernelOp
from interp.kinds.pim.program import Slot, check_kernel, counts_of, programs_of
from interp.kinds.pim.timing.clock import ProgramRun
from interp.kinds.pim.timing.constraints import UNHELD, ConstrainedChannel, Held, Passed, Single, TimingState, ties
from interp.kinds.pim.timing.controller_managed.channel import Issues, ManagedChannel
from interp.kinds.pim.timing.controller_managed.clock import log_stream
from interp.kinds.pim.timing.operands import Operands, ProgramOrder
from interp.kinds.pim.timing.periods import FAR, Position
from interp.kinds.pim.timing.requests.kernel import is_reordered, requests_of
from interp.kinds.pim.timing.streams import stream_of
from interp.kinds.pim.timing.waits import Explained, busiest, explained, request_log
from interp.machine.records import Pim, TimingConstraint


class LoggedCommand(NamedTuple):
    """One command on a channel's bus.

    `served`: the slot of the program's command that it is issued for: its own slot, unless the channel's controller
    added it; `refresh` for refreshes. `mnemonic`: its name in a simulator's log. `own`: True for a command of the
    program, False for one that the controller added. `wait`: the cycles since the previous command on the bus or, if
    the program's next command for the channel became available later, since that moment. `cause`: the verb that `wait`
    is attributed to. `constraint`: the timing constraint of the sheet that permits the command from exactly this cycle
    on, if there is one.
    """

    cycle: int
    slot: Slot
    served: Slot
    mnemonic: str
    own: bool
    operands: Operands
    wait: int
    cause: str
    constraint: TimingConstraint | None

    @property
    def bank(self) -> int:
        """The bank in the command's address, as simulators log it: the bank of the program's command for which it is
        issued; -1 if that addresses several banks."""
        return self.served.unit if self.served.scope == "bank" else -1


REFRESHES = Slot(REFRESH)
"""The slot that the log states as `served` for refreshes and for the controller's commands that prepare them."""
ADDED = (REFRESH, MODE, SYNC)
"""Verbs that only controllers issue, and that open or close no row."""
Sink = Callable[[LoggedCommand], None]


class _Ended(Exception):
    """Raised at the first command after a window."""


def log_commands(
    kernel: KernelOp, pim: Pim, channel: int, sink: Sink, first: int = 1, end: int = FAR, limit: int | None = None
) -> bool:
    """Passes the commands of a channel in the cycles `first` to `end` - 1 to `sink`, in order, but at most `limit`
    commands.

    Returns False if these cycles have more than `limit` commands. Raises InputError, at the op, for a command that the
    device does not have.
    """
    check_kernel(kernel, pim)
    log = _Log(kernel, pim, channel, sink, first, end, limit)
    try:
        if is_reordered(kernel, pim):
            for each in explained(request_log(requests_of(kernel, pim), pim, channel), pim):
                log.explained(each)
        elif pim.rows_by == "controller":
            log_stream(stream_of(kernel, pim), pim, channel, first, log.managed)
        else:
            for program in programs_of(kernel, pim):
                if channel in program.channels:
                    run = _LoggedRun(ConstrainedChannel(pim, counts_of(program.steps)), log)
                    run.walk(run.channel.bodies.body(program.steps))
                    run.finish()
    except _Ended:
        pass
    return not log.is_cut


def busiest_channel(kernel: KernelOp, pim: Pim) -> int:
    """The channel on whose bus the most commands issue, on a device whose controllers reorder commands."""
    return busiest(requests_of(kernel, pim), pim)


class Constraint(NamedTuple):
    """A timing constraint as a clock applies it: a command issues no earlier than `cycles` after the `nth`-last issue
    of the command `before`."""

    before: Slot
    cycles: int
    nth: int

    @classmethod
    def of(cls, held: Held, slots: Sequence[Slot]) -> Constraint | None:
        return None if held.before < 0 else cls(slots[held.before], held.cycles, held.nth)


class Placed(NamedTuple):
    """Equal commands, `cadence` cycles apart, the first in cycle `when`. `number`: the number, in program order, of the
    first command if it is the program's own, otherwise of the program's command for which the controller added it;
    the other fields are those of `LoggedCommand`."""

    when: int
    slot: Slot
    served: Slot
    number: int
    wait: int
    cause: str
    held: Constraint | None
    times: int = 1
    cadence: int = 0


@dataclass
class _Log:
    """Passes commands within a window to a sink, with their operands and constraints."""

    kernel: KernelOp
    pim: Pim
    channel: int
    sink: Sink
    first: int
    end: int
    limit: int | None
    count: int = 0
    is_cut: bool = False
    constraints: dict[tuple[Constraint, Slot], TimingConstraint | None] = field(
        default_factory=dict[tuple[Constraint, Slot], "TimingConstraint | None"]
    )

    def __post_init__(self) -> None:
        self.order = ProgramOrder(self.kernel, self.pim, self.channel)

    # Commands of the three clocks.

    def placed(self, placed: Placed) -> None:
        """Logs equal commands from a clock that issues commands in program order."""
        when, slot, served, number, wait, cause, held, times, cadence = placed
        if when + (times - 1) * cadence < self.first:
            return
        own = slot == served != REFRESHES
        constraint = None if held is None else self.constraint(held, slot)
        mnemonic = self._mnemonic(slot, served)
        skipped = max(0, -(-(self.first - when) // cadence)) if cadence else 0
        for turn in range(skipped, times):
            operands = self.order.operands(number + turn) if own else self._added(slot, served, number)
            cycle = when + turn * cadence
            self.put(LoggedCommand(cycle, slot, served, mnemonic, own, operands, wait, cause, constraint))

    def managed(self, channel: ManagedChannel, issues: Issues) -> None:
        """Logs commands of a channel whose controller opens and closes rows by itself."""
        rules, slots = channel.rules, channel.rules.slots
        number = sum(count for count, is_own in zip(channel.counts, rules.of_program, strict=True) if is_own)
        when, at, served, wait, cause, held, times, cadence = issues
        named = Constraint.of(held, slots)
        self.placed(Placed(when, slots[at], slots[served], number, wait, slots[cause].verb, named, times, cadence))

    def explained(self, each: Explained) -> None:
        """Logs a command of a controller that reorders requests."""
        cycle, mnemonic, bank, row = each.issued
        if cycle < self.first:
            return
        slot, constraint = each.slot or Slot(BarrierOp.COMMAND.verb), None
        if each.before is not None:
            constraint = self.constraint(Constraint(each.before, each.cycles, 1), slot)
        served = slot if bank < 0 else Slot(slot.verb, "bank", bank)
        own = slot.command.row in ("leaves", "uses", "table") and slot.verb not in ADDED
        cause = (each.before or slot).verb
        self.put(LoggedCommand(cycle, slot, served, mnemonic, own, Operands(row), each.wait, cause, constraint))

    def put(self, command: LoggedCommand) -> None:
        """Passes a command that issues in the window's first cycle or later to the sink. Raises _Ended for the first
        command after the window."""
        if command.cycle >= self.end:
            raise _Ended
        if self.limit is not None and self.count >= self.limit:
            self.is_cut = True
            raise _Ended
        self.count += 1
        self.sink(command)

    # Facts about a command.

    def _added(self, slot: Slot, served: Slot, number: int) -> Operands:
        """The operands of a command that the controller adds for the program's command with a given number."""
        if served == REFRESHES:
            return Operands()
        operands = self.order.operands(number)
        if self.pim.rows_by == "program":  # it reopens a row that a refresh closed
            return Operands(self.order.named_row(slot.banks(self.pim)[0], number), place=operands.place)
        return Operands(operands.row, place=operands.place)

    def _mnemonic(self, slot: Slot, served: Slot) -> str:
        name = self.pim.verbs[slot.verb].forms[slot.scope].mnemonic
        if slot.verb == SYNC:
            return name + self.pim.verbs[served.verb].forms[served.scope].mnemonic
        return f"{name}{slot.unit}" if slot.scope == "group" else name

    def constraint(self, held: Constraint, after: Slot) -> TimingConstraint | None:
        """The sheet's timing constraint that keeps a command from issuing earlier."""
        if (held, after) not in self.constraints:
            tied = (
                each
                for each in self.pim.constraints
                if (each.cycles, each.nth) == (held.cycles, held.nth) and ties(each, held.before, after, self.pim)
            )
            self.constraints[held, after] = next(tied, None)
        return self.constraints[held, after]


class _LoggedRun(ProgramRun):
    """A run of a program that opens its rows itself, which logs its commands from the window's first cycle on."""

    def __init__(self, channel: ConstrainedChannel, log: _Log) -> None:
        super().__init__(channel)
        self.log, self.walked_from = log, log.first
        self.issued = 0
        """The number of the program's commands issued so far."""

    def step(self, leaf: Single) -> None:
        super().step(leaf)
        self.issued += leaf.times

    def position(self) -> Position:
        position = super().position()
        return position._replace(counts=(self.issued, *position.counts))

    def restore(self, position: Position) -> Position:
        self.issued = position.counts[0]
        super().restore(position._replace(counts=position.counts[1:]))
        return position

    def advance(self, passed: Passed, slot: int, serves: int, times: int = 1, idle: int = 0) -> None:
        state, now = self.state, self.now
        super().advance(passed, slot, serves, times, idle)
        if self.now < self.log.first:
            return
        for act in self.channel.reopening(state, slot):
            state, now = self._one(state, now, act, serves)
        state, now = self._one(state, now, slot, serves, idle)
        if times > 1:
            cadence, name = self.channel.cadence[slot], self.channel.slots[slot]
            held = Held(slot, cadence) if cadence > self.bus else UNHELD
            self._log(now + cadence, name, name, self.issued + 1, cadence, held, times - 1, cadence)

    def _one(self, state: TimingState, now: int, slot: int, serves: int, idle: int = 0) -> tuple[TimingState, int]:
        """Logs one command. Returns the state after it, and its cycle."""
        wait, constraint = self.channel.wait(state, slot)
        held = Held(*constraint)
        if wait < idle:
            wait, held = idle, UNHELD
        slots = self.channel.slots
        self._log(now + wait, slots[slot], slots[serves] if serves >= 0 else REFRESHES, self.issued, wait, held)
        return self.channel.issue(state, slot, idle=idle).state, now + wait

    def _log(
        self, when: int, slot: Slot, served: Slot, number: int, wait: int, held: Held, times: int = 1, cadence: int = 0
    ) -> None:
        named = Constraint.of(held, self.channel.slots)
        cause = slot if named is None else named.before
        self.log.placed(Placed(when, slot, served, number, wait, cause.verb, named, times, cadence))

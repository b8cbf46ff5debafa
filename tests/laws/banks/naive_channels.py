"""Plain interpreter, cycle by cycle, of bank programs with controller-managed rows, in all channels of a device, with
the decoder that distributes instructions if the device has one."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from interp.kinds.pim.program import Slot
from interp.machine.records import Pim
from tests.laws.banks.naive_constraints import History, banks

Row: TypeAlias = int | str
"""A row's number, or the name of the table that is stored in a row of its own."""


@dataclass(frozen=True)
class Instruction:
    """One instruction of a device's decoder, which takes one cycle of it and sends a command `times` times to some
    channels. An instruction without a command sends nothing; a barrier is for all channels of the device."""

    channels: Sequence[int] = ()
    command: Slot | None = None
    rows: Mapping[int, Mapping[int, Row]] = field(default_factory=dict[int, Mapping[int, Row]])
    """For each channel, the row that the command uses in each bank that it addresses."""
    times: int = 1
    barrier: bool = False

    def request(self, number: int, channel: int) -> Request:
        """The instruction's commands to a channel, as a request of instruction `number`."""
        return Request(number, self.command, self.rows.get(channel, {}))


@dataclass(frozen=True)
class Request:
    """One command in a channel's queue; a barrier has no command."""

    number: int
    """The number of the instruction that contains the request."""
    command: Slot | None
    rows: Mapping[int, Row]


class NaiveChannel:
    """A channel: its queue, the commands issued so far, and the state of its controller."""

    def __init__(self, pim: Pim) -> None:
        self.pim = pim
        self.queue: deque[Request] = deque()
        self.spilled: deque[Request] = deque()
        self.history = History(pim)
        self.open: dict[int, Row] = {}
        self.half_open: set[int] = set()
        self.mode = ""
        self.synced_until = 0
        self.refreshes_due = 0
        self.completing: list[tuple[int, int]] = []
        """Completion times of issued commands, with their instructions."""
        self.barrier: tuple[int, int] | None = None
        """The issue time of the incomplete barrier, and its number."""
        self.passed = 0
        """Barriers that are complete."""
        self.log: list[tuple[int, Slot]] = []

    def needed(self, request: Request, cycle: int) -> Slot:
        """The next command to issue for a request: an activate or precharge if its rows require one, else the command
        itself."""
        command = request.command
        assert command is not None
        rowless = self.pim.verbs[command.verb].forms[command.scope].rowless
        if command.command.row in ("uses", "table") and not rowless:
            reached = banks(command.scope, command.unit, self.pim)
            if any(bank in self.open and self.open[bank] != request.rows[bank] for bank in reached):
                return Slot("pre", command.scope, command.unit)
            if any(bank not in self.open and bank not in self.half_open for bank in reached):
                verb = "preact" if "preact" in self.pim.verbs else "act"
                return Slot(verb, command.scope, command.unit)
            if any(bank in self.half_open for bank in reached):
                return Slot("act", command.scope, command.unit)
        if command.verb in self.pim.sync and self.synced_until < cycle:
            return Slot("sync")
        return command

    def tick(self, cycle: int, held: bool = False) -> None:
        """Issue at most one command; no command of the program while the channel is held back (`held`)."""
        self.completing = [(end, of) for end, of in self.completing if end >= cycle]
        if self.pim.refresh is not None and cycle % self.pim.refresh.interval == 0:
            self.refreshes_due += 1
        request: Request | None = None
        if self.refreshes_due:
            closed = not self.open and not self.half_open
            command, mode = Slot("refresh" if closed else "pre"), self.pim.verbs["refresh"].mode
        elif self.queue and self.barrier is None and not held:
            request = self.queue[0]
            if request.command is None:
                self.queue.popleft()
                self.barrier = cycle, request.number
                return
            command, mode = self.needed(request, cycle), self.pim.verbs[request.command.verb].mode
        else:
            return
        if not self.history.allows(cycle, command):
            return
        if self.mode != mode:
            self.mode = mode
            command = Slot("mode")
        self.history.add(cycle, command)
        self.log.append((cycle, command))
        self.take_effect(command, request, cycle)

    def take_effect(self, command: Slot, request: Request | None, cycle: int) -> None:
        form = self.pim.verbs[command.verb].forms[command.scope]
        reached = banks(command.scope, command.unit, self.pim)
        if command.verb == "pre" or form.closes:
            self.open = {bank: row for bank, row in self.open.items() if bank not in reached}
            self.half_open -= reached
        if command.verb == "preact":
            self.open = {bank: row for bank, row in self.open.items() if bank not in reached}
            self.half_open |= reached
        if command.verb == "act" and request is not None:
            self.half_open -= reached
            self.open |= {bank: request.rows[bank] for bank in reached}
        if command.verb == "sync" and request is not None and request.command is not None:
            self.synced_until = cycle + self.latency(request.command) + 1
        if command.verb in self.pim.sync:
            self.synced_until = cycle + form.latency
        if command.verb == "refresh":
            self.refreshes_due -= 1
            self.completing.append((cycle + form.latency, -1))
        if request is not None and command == request.command:
            self.queue.popleft()
            self.completing.append((cycle + form.latency, request.number))

    def latency(self, command: Slot) -> int:
        return self.pim.verbs[command.verb].forms[command.scope].latency

    def busy_with(self, number: int, cycle: int) -> bool:
        """True if an instruction is not complete after this cycle."""
        if self.barrier is not None and self.barrier[1] == number:
            return True
        waiting = [request for request in (*self.queue, *self.spilled) if request.number == number]
        return bool(waiting) or any(end > cycle and of == number for end, of in self.completing)

    def pass_barrier(self, cycle: int) -> None:
        """Complete a barrier one cycle after all commands before it are complete."""
        complete = all(end < cycle for end, _ in self.completing)
        if self.barrier is not None and self.barrier[0] < cycle and complete:
            self.barrier = None
            self.passed += 1


@dataclass(frozen=True)
class Ran:
    """The cycles until all commands are complete, and each channel's commands with their cycles."""

    cycles: int
    logs: Sequence[Sequence[tuple[int, Slot]]]


def run_channels(program: Sequence[Instruction], pim: Pim) -> Ran:
    """The cycles and commands of a program, simulated cycle by cycle in all channels of the device."""
    channels = [NaiveChannel(pim) for _ in range(pim.channels)]
    cycles = _decoded(program, channels, pim) if pim.decoder is not None else _at_hand(program, channels)
    return Ran(cycles, [channel.log for channel in channels])


def _at_hand(program: Sequence[Instruction], channels: Sequence[NaiveChannel]) -> int:
    """Run a program all of whose commands are in the channels' queues in cycle 1; channels wait for each other only at
    barriers. Returns the last cycle."""
    for number, instruction in enumerate(program):
        if instruction.barrier or instruction.command is not None:
            for at in range(len(channels)) if instruction.barrier else instruction.channels:
                channels[at].queue.extend([instruction.request(number, at)] * instruction.times)
    cycle = complete = 0
    while any(channel.queue or channel.barrier is not None for channel in channels):
        cycle += 1
        slowest = min(channel.passed for channel in channels)
        for channel in channels:
            channel.pass_barrier(cycle)
        for channel in channels:
            if channel.queue or channel.barrier is not None:
                channel.tick(cycle, held=channel.passed > slowest)
            complete = max([complete, *(end for end, _ in channel.completing)])
    return complete


def _decoded(program: Sequence[Instruction], channels: Sequence[NaiveChannel], pim: Pim) -> int:
    """Run a program whose decoder distributes one instruction per cycle, and a barrier after the last one. Returns the
    last cycle."""
    assert pim.decoder is not None
    everyone = range(len(channels))
    instructions = [*program, Instruction(everyone, barrier=True)]
    cycle = following = 0
    waited: int | None = None
    while True:
        cycle += 1
        spilled = any(channel.spilled for channel in channels)
        for channel in channels:
            while channel.spilled and len(channel.queue) < pim.decoder.queue:
                channel.queue.append(channel.spilled.popleft())
        if not spilled and waited is None and following < len(instructions):
            instruction = instructions[following]
            receivers = everyone if instruction.barrier else instruction.channels
            if instruction.barrier or instruction.command is not None:
                for number in receivers:
                    for _ in range(instruction.times):
                        request, channel = instruction.request(following, number), channels[number]
                        full = len(channel.queue) >= pim.decoder.queue or channel.spilled
                        (channel.spilled if full else channel.queue).append(request)
                verb = instruction.command.verb if instruction.command is not None else ""
                if instruction.barrier or verb in pim.decoder.waits:
                    waited = following
            following += 1
        for channel in channels:
            channel.pass_barrier(cycle)
            channel.tick(cycle)
        if waited is not None and not any(channel.busy_with(waited, cycle) for channel in channels):
            waited = None
            if following == len(instructions):
                return cycle

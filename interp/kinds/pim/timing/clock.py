"""The time of a bank program under the sheet's timing constraints, exact to the cycle and without unrolling loops.

The state of a loop soon repeats (interp/kinds/pim/timing/constraints.py); the time of all further iterations is found
by multiplication. The phase of refreshes repeats too, with a period of its own (interp/kinds/pim/timing/periods.py). A
slot is a command's verb, scope and unit (interp/kinds/pim/program.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import add, mul
from typing import Any, cast

from dialects.element_types import byte_count
from dialects.pim import COMMANDS, ActOp, KernelOp
from dialects.pim import REFRESH as REFRESH_VERB
from interp.kinds.pim.checks.accesses import check_accesses
from interp.kinds.pim.checks.hazards import check_hazards
from interp.kinds.pim.program import (
    ChannelProgram,
    Slot,
    Step,
    bus_bytes_of,
    check_kernel,
    classes_of,
    counts_of,
    programs_of,
)
from interp.kinds.pim.timing.constraints import (
    CLOSE,
    REFRESH,
    ConstrainedChannel,
    Passed,
    Single,
    TimingState,
    never_issues,
    too_often,
)
from interp.kinds.pim.timing.controller_managed.clock import stream_time
from interp.kinds.pim.timing.limit import limit_cycles
from interp.kinds.pim.timing.periods import REMEMBERED, Position, Walker
from interp.kinds.pim.timing.requests.kernel import Item, is_reordered, stream_of_requests
from interp.kinds.pim.timing.requests.run import run_requests
from interp.kinds.pim.timing.streams import Stream, stream_of
from interp.machine.cost import Cost
from interp.machine.records import Pim

CONTROLLER = "controller"
"""The pseudo-verb for all waits of a channel whose controller reorders commands: such waits overlap, so that none can
be attributed to one verb."""


@dataclass(frozen=True)
class BankTime:
    """Time and energy of a kernel, without its launch.

    `ns`: time of the slowest channel, by commands or by its data bus, whichever is longer. `cycles`: of the slowest
    channel, from its first command (cycle 1) until all of its data has arrived. `counts` and `energy_nj` (by cause,
    i.e. verb): sums over all channels. `bound`: the cause of most of the slowest channel's waits. `waits`: the slowest
    channel's cycles by the verb waited for. `channels`: the number of channels used. `limit_ns`: a lower bound, the
    time if only the column cadence limited it and all banks of all channels of the device shared the work
    (interp/kinds/pim/timing/limit.py). `flops`: operations in the lanes of the addressed banks, over all channels.
    """

    ns: float
    cycles: int
    counts: dict[str, int]
    energy_nj: dict[str, float]
    bound: str
    waits: dict[str, int] = field(default_factory=dict[str, int])
    channels: int = 1
    limit_ns: float = 0.0
    flops: int = 0
    slots: dict[Slot, int] = field(default_factory=dict[Slot, int])
    """`counts`, split by the banks that each command addresses."""
    channel: int = 0
    """The slowest channel."""

    @property
    def causes(self) -> dict[str, int]:
        """Cycles of the slowest channel by cause of the wait, in words (row cycles, mac cadence, buffer fill, …),
        largest first. The remainder of `cycles` passes between the last command and the arrival of all data."""
        by_word: dict[str, int] = {}
        for verb, cycles in self.waits.items():
            word = COMMANDS[verb].limit if verb in COMMANDS else verb
            by_word[word] = by_word.get(word, 0) + cycles
        return dict(sorted(by_word.items(), key=lambda item: -item[1]))


@dataclass(frozen=True)
class ChannelTime:
    """The time of one channel in cycles; the number of its commands by slot, including refreshes and the precharges and
    activates that they require; and its cycles by the verb waited for. Cycles in which no decoded command is
    available count for the pseudo-verb `decoder`."""

    cycles: int
    slots: dict[Slot, int]
    waits: dict[str, int]


def kernel_time(kernel: KernelOp, pim: Pim) -> BankTime:
    """Time and energy of a kernel. Raises InputError, at the op, for a command that the device does not have and for a
    hazard."""
    check_kernel(kernel, pim)
    if pim.checked:
        check_hazards(kernel, pim)
        check_accesses(kernel)
    return sound_time(kernel, pim)


def sound_time(kernel: KernelOp, pim: Pim, stream: Stream | None = None) -> BankTime:
    """Time and energy of a kernel that passed the checks. `stream`: the result of `stream_of`, if already computed; it
    does not depend on refreshes."""
    if pim.rows_by == "program":
        return programs_time(programs_of(kernel, pim), pim)
    if is_reordered(kernel, pim):
        return _reordered_time(kernel, pim)
    return total_of_stream(stream or stream_of(kernel, pim), pim)


def total_of_stream(stream: Stream, pim: Pim) -> BankTime:
    """Time and energy of an instruction stream, on a device whose controllers manage rows in order."""
    time = stream_time(stream, pim)
    return _total_time(
        [
            _Class(channels, ChannelTime(time.cycles, one.counts, one.waits), moved)
            for channels, one, moved in zip(stream.classes, time.classes, stream.bus_bytes, strict=True)
        ],
        pim,
    )


def memref_bytes(kernel: KernelOp) -> int:
    """Total bytes of a kernel's memrefs."""
    return sum(byte_count(value.type) for value in kernel.body.block.args)  # pyright: ignore[reportArgumentType]


def launch_cost(time: BankTime, moved_bytes: int, pim: Pim) -> Cost:
    """The cost of one launch of a bank program: the time of the launch and of the program, the program's energy without
    that of refreshes (which belongs to idle power), and `moved_bytes` bytes of traffic."""
    bound = "launch" if pim.launch_ns > time.ns else time.bound
    energy_nj = sum(
        nj for verb, nj in time.energy_nj.items() if verb != REFRESH_VERB
    )  # the energy of refreshes is part of idle power
    return Cost(pim.launch_ns + time.ns, energy_nj, moved_bytes, time.flops, bound)


def programs_time(programs: Sequence[ChannelProgram], pim: Pim) -> BankTime:
    """Time and energy of checked channel programs, on a device where the program opens rows itself."""
    assert pim.rows_by == "program"
    return _total_time([_class_of(program, pim) for program in programs], pim)


def _reordered_time(kernel: KernelOp, pim: Pim) -> BankTime:
    """Time and energy of a kernel on a device whose controllers reorder commands."""
    channel_counts = [len(channels) for channels in classes_of(kernel)]
    return total_of_requests(stream_of_requests(kernel, pim), channel_counts, bus_bytes_of(kernel, pim), pim)


def total_of_requests(
    items: Iterable[Item], channel_counts: Sequence[int], bus_bytes: Sequence[int], pim: Pim
) -> BankTime:
    """Time and energy of a stream of requests, on a device whose controllers reorder commands: all channels are
    simulated together, and their commands are counted for the first of them. For each class of channels:
    `channel_counts`, the number of its channels; `bus_bytes`, the bytes transferred between one of them and the
    host."""
    found = run_requests(items, pim)
    slots = {Slot(verb, scope): count for (verb, scope), count in found.counts.items()}
    together = _Class((0,), ChannelTime(found.cycles, slots, {CONTROLLER: found.cycles}), max(bus_bytes))
    return _total_time([together], pim, (sum(map(mul, bus_bytes, channel_counts)), sum(channel_counts)))


def _total_time(classes: Sequence[_Class], pim: Pim, traffic: tuple[int, int] | None = None) -> BankTime:
    """The time and energy of all channels together. `traffic`: the bytes transferred between all channels and the
    host, and the number of channels, if `classes` does not contain all channels."""
    moved_bytes, channels = traffic or (
        sum(one.bus_bytes * len(one.channels) for one in classes),
        sum(len(one.channels) for one in classes),
    )
    slots: dict[Slot, int] = {}
    for one in classes:
        for slot, count in one.time.slots.items():
            slots[slot] = slots.get(slot, 0) + count * len(one.channels)
    slowest = max(classes, key=lambda one: (one.ns(pim), sum(one.time.waits.values())))
    time, ns = slowest.time, slowest.ns(pim)
    found = BankTime(
        ns=ns,
        cycles=time.cycles,
        counts=_by_verb(slots),
        energy_nj=energy_of(slots, moved_bytes, pim),
        bound="data bus",
        waits=time.waits,
        channels=channels,
        # In a short program, the cadence after the last column may extend beyond the program's end.
        limit_ns=min(ns, limit_cycles(slots, pim) * pim.cycle_ns),
        flops=sum(_flops(slot, pim) * count for slot, count in slots.items() if slot.command.flops),
        slots=slots,
        channel=slowest.channels[0],
    )
    if ns > time.cycles * pim.cycle_ns:
        return found
    return replace(found, bound=next(iter(found.causes), "nothing"))


@dataclass(frozen=True)
class _Class:
    """Channels that receive the same commands; for one of these channels, its time with the number of its commands, and
    the bytes transferred between it and the host."""

    channels: tuple[int, ...]
    time: ChannelTime
    bus_bytes: int

    def ns(self, pim: Pim) -> float:
        return max(self.time.cycles * pim.cycle_ns, self.bus_bytes / pim.bus_bandwidth * 1e9)


def _class_of(program: ChannelProgram, pim: Pim) -> _Class:
    return _Class(program.channels, channel_time(program.steps, pim.one_channel), program.bus_bytes)


def energy_of(slots: Mapping[Slot, Any], moved_bytes: int, pim: Pim) -> dict[str, Any]:
    """Energy by cause, in nJ: verbs (each command's fixed energy, plus its energy for each addressed bank), and the
    data bus. Numbers of commands, and the energies, may be arrays."""
    energy: dict[str, Any] = {}
    for slot, count in slots.items():
        verb = pim.verbs.get(slot.verb)
        if verb is not None:
            each = verb.energy_nj + verb.bank_nj * len(slot.banks(pim))
            energy[slot.verb] = energy.get(slot.verb, 0.0) + count * each
    if pim.bit_pj:
        energy["data bus"] = 8 * moved_bytes * pim.bit_pj / 1e3
    return energy


def _flops(slot: Slot, pim: Pim) -> int:
    return slot.command.flops * pim.lanes * len(slot.banks(pim))


def _by_verb(slots: Mapping[Slot, int]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for slot, count in slots.items():
        counts[slot.verb] = counts.get(slot.verb, 0) + count
    return counts


@lru_cache(maxsize=4096)
def channel_time(steps: tuple[Step, ...], pim: Pim) -> ChannelTime:
    """The time of a program on one channel."""
    slots = counts_of(steps)
    channel = _channel(pim, tuple(slots))
    if len(channel.bodies.known) > REMEMBERED:
        _channel.cache_clear()
        channel = _channel(pim, tuple(slots))
    run = ProgramRun(channel)
    run.walk(channel.bodies.body(steps))
    cycles, verbs = run.finish(), channel.verbs
    if pim.tail_cycles:
        cycles = max(cycles, sum(slots.values()) + pim.tail_cycles)
    waits, reopened = run.tally[: len(verbs)], run.tally[len(verbs) :]
    again = zip((Slot(ActOp.COMMAND.verb, scope) for scope in channel.scopes), reopened, strict=True)
    own = (*again, (CLOSE, run.precharges), (REFRESH, run.refreshes))
    for slot, count in own:
        if count:
            slots[slot] = slots.get(slot, 0) + count
    return ChannelTime(cycles, slots, {verb: wait for verb, wait in zip(verbs, waits, strict=True) if wait})


def forget() -> None:
    """Empties the cache of times. For measurements of the simulator's own run time."""
    channel_time.cache_clear()
    _channel.cache_clear()


@lru_cache(maxsize=64)
def _channel(pim: Pim, slots: tuple[Slot, ...]) -> ConstrainedChannel:
    """The timing model of the commands `slots`; it is shared by all programs with the same commands, so that loops
    whose time is known already are not timed again."""
    return ConstrainedChannel(pim, slots)


class ProgramRun(Walker):
    """Walks one channel through a program, refreshes included. The first command issues in cycle 1."""

    tells_spans = True

    def __init__(self, channel: ConstrainedChannel) -> None:
        self.channel = channel
        self.bus = channel.pim.command_cycles
        self.now = 1 - self.bus
        self.state = channel.start
        self.due = channel.refresh.interval if channel.refresh is not None else None
        self.tally = (0,) * channel.width
        self.refreshes = self.precharges = 0
        self.serving = False
        """True if a refresh may be served between the last command and the next one."""

    def advance(self, passed: Passed, slot: int, serves: int, times: int = 1, idle: int = 0) -> None:
        """Issues `times` commands of a slot, after the activates that reopen its rows. `serves`: the slot of the
        program's command that these commands belong to, -1 for a refresh; `idle`: as in `ConstrainedChannel.issue`."""
        self.state = passed.state
        self.now += passed.cycles
        self.tally = tuple(map(add, self.tally, passed.tally))

    def settle(self) -> None:
        while self.serving and self.due is not None and self.before(self.due - 1, self.now + self.bus):
            self._refresh()
        self.serving = False

    def step(self, leaf: Single) -> None:
        if self.due is None:
            self.advance(self.channel.through(leaf, self.state), leaf.slot, leaf.slot, leaf.times)
        elif self.channel.at_once:
            self._between_refreshes(leaf)
        else:
            if self.serving:
                self.settle()
            self.advance(self.channel.through(leaf, self.state), leaf.slot, leaf.slot, leaf.times)
            self.serving = leaf.serves

    def _between_refreshes(self, leaf: Single) -> None:
        """Issues one command, after all refreshes that are due before it; rows that the refreshes closed are reopened
        if the command uses them."""
        first, put_off = self.now, 0
        while True:
            passed, slot = self.channel.first(leaf, self.state)
            if self.due is not None and self.before(self.due - 1, self.now + passed.cycles):
                put_off += 1
                assert self.channel.refresh is not None
                if never_issues(put_off, self.now + passed.cycles - first, self.channel.refresh.interval):
                    raise too_often(self.channel.pim, self.channel.refresh.interval, self.channel.slots[leaf.slot].verb)
                self._refresh()
                continue
            self.advance(passed, slot, leaf.slot)
            if slot == leaf.slot:
                return
            self._count(self.channel.reopened(slot))

    def _count(self, place: int) -> None:
        self.tally = (*self.tally[:place], self.tally[place] + 1, *self.tally[place + 1 :])

    def position(self) -> Position:
        due = () if self.due is None else (self.due,)
        return Position((self.state, self.serving), self.now, due, (self.refreshes, self.precharges, *self.tally))

    def restore(self, position: Position) -> Position:
        self.state, self.serving = cast("tuple[TimingState, bool]", position.state)
        self.now, (self.due, *_) = position.now, (*position.due, None)
        (self.refreshes, self.precharges), self.tally = position.counts[:2], position.counts[2:]
        return position

    def over(self) -> int:
        return self.now if self.channel.at_once else self.now + self.bus

    def _refresh(self) -> None:
        assert self.due is not None
        assert self.channel.refresh is not None
        if any(self.state.rows.opened):
            self._control(CLOSE)
            self.precharges += 1
        self._control(REFRESH)
        self.refreshes += 1
        self.due += self.channel.refresh.interval

    def _control(self, slot: Slot) -> None:
        """Issues a refresh, or a precharge that prepares it, no earlier than the cycle in which the refresh falls
        due."""
        assert self.due is not None
        idle = self.due - self.now
        passed = self.channel.control(self.state, slot, idle)
        self.serves(self.due, self.now + passed.cycles)
        self.advance(passed, self.channel.index[slot], -1, idle=idle)

    def finish(self) -> int:
        """The cycle in which all data has arrived and no refresh is due."""
        end = self._end()
        while self.due is not None and self.due <= end:
            self._refresh()
            end = max(end, self._end())
        return end

    def _end(self) -> int:
        drained = [
            self.now - age + self.channel.pim.end_cycles
            for age, slot in zip(self.state.ages, self.channel.slots, strict=True)
            if slot.command.delivers
        ]
        return max([self.now + self.bus - 1, *drained])

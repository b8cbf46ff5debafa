"""Runs all channels through an instruction stream: instruction by instruction through the decoder of a published
simulator, where the sheet has one; repeating iterations of loops are skipped.

Skipping uses interp/kinds/pim/timing/periods.py; the state that must repeat is that of all channels and the decoder.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias, cast

from dialects.diagnostics import InputError
from interp.kinds.pim.program import Slot
from interp.kinds.pim.timing.controller_managed.channel import ChannelKey, ManagedChannel, ManagedRules
from interp.kinds.pim.timing.periods import REMEMBERED, Bodies, Position, Walker
from interp.kinds.pim.timing.streams import Do, Item, Pause, Stream
from interp.machine.records import Pim

StreamState: TypeAlias = tuple[ChannelKey, ...]
"""The part of the past of all channel classes on which the times of future commands depend."""


class StreamRun(Walker):
    """Walks all classes of channels through a stream."""

    def __init__(self, pim: Pim, stream: Stream) -> None:
        self.pim, self.decoder = pim, pim.decoder
        slots = tuple(dict.fromkeys(slots_of(stream.items)))
        self.rules, self.bodies = _remembered(pim.one_channel, slots, len(stream.classes))
        self.channels = [ManagedChannel(self.rules) for _ in stream.classes or ((),)]
        self.tells_spans = self.decoder is None and len(self.channels) == 1 and pim.refresh is not None
        if self.tells_spans:
            self.channels[0].walker = self
        self.decoded = 1
        """With a decoder: the cycle in which the next instruction's commands reach the channels."""
        if self.channels and pim.refresh is not None and self.rules.refresher < 0:
            raise InputError(
                f"{pim.name} states a refresh, but no verb `refresh`; write for instance `verb refresh = REF scope all`"
            )

    # Executing one instruction.

    def step(self, leaf: Do | Pause) -> None:
        if isinstance(leaf, Do):
            self.do(leaf)
        elif leaf.barrier:
            self.barrier()
            self.settle()
        else:
            self.decoded += 1

    def do(self, item: Do) -> None:
        slot = self.rules.index[item.slot]
        if self.decoder is None:
            for at, met in zip(item.classes, item.met, strict=True):
                self.channels[at].run(slot, item.times, met)
            return
        decoded, room = self.decoded, self.decoder.queue
        following = decoded + 1
        for at, met in zip(item.classes, item.met, strict=True):
            channel = self.channels[at]
            channel.floor = decoded
            channel.queued = _left(channel.queued, decoded)
            held = sum(count for _, _, count in channel.queued)
            channel.run(slot, item.times, met)
            if (over := held + item.times - room) > 0:
                # The last command entered the queue when the command `room` places before it had left; during that
                # cycle nothing is decoded.
                following = max(following, _at(channel.queued, over - 1) + 2)
            if item.slot.verb in self.decoder.waits:
                following = max(following, channel.bus + self.rules.latency[slot] + 1)
        self.decoded = following

    def barrier(self) -> int:
        """Lets all channels wait until all commands are complete, and returns the cycle in which they are."""
        if self.decoder is not None:
            for channel in self.channels:
                channel.floor = self.decoded
        complete = max(channel.pause() for channel in self.channels)
        for channel in self.channels:
            channel.floor, channel.done = complete + 1, complete
            channel.queued = []
        self.decoded = complete + 1
        return complete

    def finish(self) -> int:
        """The cycle in which all commands are complete."""
        if self.decoder is not None:
            complete = self.barrier()
            for channel in self.channels:
                channel.rest(complete)
            return complete
        return max(max(channel.done, channel.bus) for channel in self.channels)

    # Saving and restoring the position of all channels.

    def settle(self) -> None:
        """Serves refreshes that fall due while channels wait for the decoder or for each other."""
        if self.pim.refresh is not None:
            for channel in self.channels:
                channel.caught_up(channel.floor - 1 if self.decoder is None else self.decoded)
                if self.decoder is None:  # waits after a barrier begin with it, as after skipped iterations
                    channel.bus = max(channel.bus, channel.floor - self.pim.command_cycles)

    def position(self) -> Position:
        self.settle()
        if self.decoder is None:
            now, low = max(channel.bus for channel in self.channels), 0
        else:
            now = low = self.decoded
            for channel in self.channels:
                channel.queued = _left(channel.queued, low)
        return Position(
            tuple([channel.key(now, low) for channel in self.channels]),
            now,
            tuple([channel.due for channel in self.channels if channel.due is not None]),
            tuple([count for channel in self.channels for count in (*channel.counts, *channel.waits)]),
        )

    def restore(self, position: Position) -> Position:
        slots, width = len(self.rules.slots), len(self.rules.slots) + len(self.rules.verbs)
        for at, (channel, key) in enumerate(zip(self.channels, cast(StreamState, position.state), strict=True)):
            channel.restore(key, position.now)
            counts = list(position.counts[at * width : (at + 1) * width])
            channel.counts, channel.waits = counts[:slots], counts[slots:]
        for channel, moment in zip(self.channels, position.due, strict=False):
            channel.due = moment
        if self.decoder is not None:
            self.decoded = position.now
        return self.position()

    def over(self) -> int:
        """The last cycle in which, so far, a channel issues a command or waits for one."""
        if self.decoder is None:
            return max(max(channel.bus, channel.floor - 1) for channel in self.channels)
        return max(self.decoded, *(channel.bus for channel in self.channels))


def _remembered(pim: Pim, slots: tuple[Slot, ...], classes: int) -> tuple[ManagedRules, Bodies]:
    """The timing constraints of the commands `slots`, and the known iterations of loops. All streams of these commands
    for the same number of channel classes share both, so that no loop body is timed twice."""
    rules, bodies = _shared(pim, slots, classes)
    if len(bodies.known) > REMEMBERED:
        _shared.cache_clear()
        rules, bodies = _shared(pim, slots, classes)
    return rules, bodies


@lru_cache(maxsize=64)
def _shared(pim: Pim, slots: tuple[Slot, ...], classes: int) -> tuple[ManagedRules, Bodies]:
    return ManagedRules(pim, slots), Bodies(lambda item: item, lambda item: True)


def slots_of(items: Iterable[Item]) -> Iterable[Slot]:
    """The slots of the commands in a stream, in order and repeated."""
    for item in items:
        if isinstance(item, Do):
            yield item.slot
        elif not isinstance(item, Pause):
            yield from slots_of(item.body)


Segment: TypeAlias = tuple[int, int, int]


def _left(queued: Sequence[Segment], now: int) -> list[Segment]:
    """The commands that are still in a queue at the start of a cycle."""
    found: list[Segment] = []
    for first, step, count in queued:
        elapsed = 0 if first >= now else min(count, -((first - now) // step))
        if elapsed < count:
            found.append((first + elapsed * step, step, count - elapsed) if elapsed else (first, step, count))
    return found


def _at(queued: Sequence[Segment], index: int) -> int:
    """The cycle in which the command with a given index leaves the queue."""
    for first, step, count in queued:
        if index < count:
            return first + index * step
        index -= count
    raise IndexError(index)

"""The way of all channels through a stream of instructions: one by one through a published simulator's decoder, where
the sheet has one, and in jumps through loops.

Loops are passed as interp/banks/timing/periods.py says: the state of all channels repeats, with the decoder's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias, cast

from dialects.diagnostics import InputError
from interp.banks.program import Slot
from interp.banks.timing.managed.channel import ChannelKey, ManagedChannel, ManagedRules
from interp.banks.timing.periods import Bodies, Position, Walker
from interp.banks.timing.streams import Do, Item, Pause, Stream
from interp.machine.records import Pim

StreamState: TypeAlias = tuple[ChannelKey, ...]
"""The part of the past of all classes on which their future times depend."""


class StreamRun(Walker):
    """All classes of channels on their way through a stream."""

    def __init__(self, pim: Pim, stream: Stream) -> None:
        self.pim, self.decoder = pim, pim.decoder
        self.rules = ManagedRules(pim, _slots(stream.items))
        self.channels = [ManagedChannel(self.rules) for _ in stream.classes or ((),)]
        self.decoded = 1
        """The cycle in which the next instruction's commands reach the channels, where there is a decoder."""
        self.bodies = Bodies(lambda item: item, lambda item: True)
        if self.channels and pim.refresh is not None and self.rules.refresher < 0:
            raise InputError(f"{pim.name} refreshes, but has no verb `refresh`")

    # One instruction.

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
                self.channels[at].row = item.row
                self.channels[at].run(slot, item.times, met)
            return
        decoded, room = self.decoded, self.decoder.queue
        following = decoded + 1
        for at, met in zip(item.classes, item.met, strict=True):
            channel = self.channels[at]
            channel.floor = decoded
            channel.queued = _left(channel.queued, decoded)
            held = sum(count for _, _, count in channel.queued)
            channel.row = item.row
            channel.run(slot, item.times, met)
            if (over := held + item.times - room) > 0:
                # The last command found its place when the one `room` before it had left: then nothing is decoded.
                following = max(following, _at(channel.queued, over - 1) + 2)
            if item.slot.verb in self.decoder.waits:
                following = max(following, channel.bus + self.rules.latency[slot] + 1)
        self.decoded = following

    def barrier(self) -> int:
        """All channels wait until all is complete; gives the cycle in which it is."""
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
        """The cycle in which all is complete."""
        if self.decoder is not None:
            complete = self.barrier()
            for channel in self.channels:
                channel.rest(complete)
            return complete
        return max(max(channel.done, channel.bus) for channel in self.channels)

    # Where all channels stand.

    def settle(self) -> None:
        """Serve refreshes of channels that wait for the decoder, or for each other, anyway."""
        if self.pim.refresh is not None:
            for channel in self.channels:
                channel.caught_up(channel.floor - 1 if self.decoder is None else self.decoded)

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
        """Until then the channels issue, or wait."""
        if self.decoder is None:
            return max(max(channel.bus, channel.floor - 1) for channel in self.channels)
        return max(self.decoded, *(channel.bus for channel in self.channels))


def _slots(items: Iterable[Item]) -> Iterable[Slot]:
    for item in items:
        if isinstance(item, Do):
            yield item.slot
        elif not isinstance(item, Pause):
            yield from _slots(item.body)


Segment: TypeAlias = tuple[int, int, int]


def _left(queued: Sequence[Segment], now: int) -> list[Segment]:
    """The commands that stand in a queue at the start of a cycle: those that were not issued before."""
    found: list[Segment] = []
    for first, step, count in queued:
        gone = 0 if first >= now else min(count, -((first - now) // step))
        if gone < count:
            found.append((first + gone * step, step, count - gone) if gone else (first, step, count))
    return found


def _at(queued: Sequence[Segment], index: int) -> int:
    """The time at which the command of a number leaves its queue."""
    for first, step, count in queued:
        if index < count:
            return first + index * step
        index -= count
    raise IndexError(index)

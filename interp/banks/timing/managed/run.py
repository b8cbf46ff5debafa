"""The way of all channels through a stream of instructions: one by one through a published simulator's decoder, where
the sheet has one, and in jumps through loops.

A loop's rounds are functions of the state that they meet; once states repeat, the rest of the loop is a multiplication,
as far as the next refresh, and over whole rounds of refreshes once these repeat too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import add, sub
from typing import NamedTuple, TypeAlias

from dialects.diagnostics import InputError
from interp.banks.program import Slot
from interp.banks.timing.managed.channel import Channel, Key, Rules
from interp.banks.timing.streams import Do, Item, Pause, Stream
from interp.machine.records import Pim


class Series:
    """Items one after another."""

    def __init__(self, parts: tuple[Node, ...]) -> None:
        self.parts = parts


class Loop:
    """A body, `times` times, and what is known of its rounds."""

    def __init__(self, times: int, body: Series) -> None:
        self.times, self.body = times, body
        self.known: dict[State, Passed] = {}
        self.latest = 0
        """How long after its start a round is over, and has issued its last command, at the most."""


Node: TypeAlias = "Series | Loop | Do | Pause"
State: TypeAlias = tuple[Key, ...]
"""What the past of all classes means for their future."""


class Passed(NamedTuple):
    """A round of a loop into which no refresh falls: the state after it, the cycles by which its time counts on, all
    counters' increments, and how long after its start it is over and has issued its last command: a refresh that falls
    due before that comes while the channels wait."""

    state: State
    cycles: int
    tally: tuple[int, ...]
    latest: int


class Mark(NamedTuple):
    """How far a loop had come: rounds left, the time, and the counters."""

    left: int
    now: int
    tally: tuple[int, ...]


class Run:
    """All classes of channels on their way through a stream."""

    def __init__(self, pim: Pim, stream: Stream) -> None:
        self.pim, self.decoder = pim, pim.decoder
        self.rules = Rules(pim, _slots(stream.items))
        self.channels = [Channel(self.rules) for _ in stream.classes or ((),)]
        self.decoded = 1
        """The cycle in which the next instruction's commands reach the channels, where there is a decoder."""
        self._series: dict[tuple[Item, ...], Series] = {}
        if self.channels and pim.refresh is not None and self.rules.refresher < 0:
            raise InputError(f"{pim.name} refreshes, but has no verb `refresh`")

    def series(self, items: tuple[Item, ...]) -> Series:
        if items not in self._series:
            self._series[items] = Series(
                tuple(
                    item if isinstance(item, Do | Pause) else Loop(item.times, self.series(item.body)) for item in items
                )
            )
        return self._series[items]

    # One instruction.

    def walk(self, node: Node) -> None:
        """Pass a step."""
        if isinstance(node, Do):
            self.do(node)
        elif isinstance(node, Loop):
            self.loop(node)
        elif isinstance(node, Series):
            for part in node.parts:
                self.walk(part)
        elif node.barrier:
            self.barrier()
            self.catch_up()
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

    # Loops.

    def start(self) -> int:
        """The time that the next instruction's is counted from."""
        return self.decoded if self.decoder is not None else max(channel.bus for channel in self.channels)

    def state(self, now: int) -> State:
        low = self.decoded if self.decoder is not None else 0
        if self.decoder is not None:
            for channel in self.channels:
                channel.queued = _left(channel.queued, low)
        return tuple([channel.key(now, low) for channel in self.channels])

    def tally(self) -> tuple[int, ...]:
        return tuple([count for channel in self.channels for count in (*channel.counts, *channel.waits)])

    def catch_up(self) -> None:
        """Serve refreshes of channels that wait for the decoder, or for each other, anyway."""
        if self.pim.refresh is not None:
            for channel in self.channels:
                channel.caught_up(channel.floor - 1 if self.decoder is None else self.decoded)

    def over(self) -> int:
        """The cycle up to which refreshes belong to what has run: until then the channels issue, or wait."""
        if self.decoder is None:
            return max(max(channel.bus, channel.floor - 1) for channel in self.channels)
        return max(self.decoded, *(channel.bus for channel in self.channels))

    def due(self) -> tuple[int, ...]:
        return tuple([channel.due for channel in self.channels if channel.due is not None])

    def loop(self, loop: Loop) -> None:
        rounds = Rounds(self, loop)
        while rounds.left:
            if not rounds.skip():
                rounds.walk()
        rounds.settle()

    def restore(self, state: State, now: int, tally: Sequence[int], due: Sequence[int]) -> None:
        counts, waits = len(self.rules.slots), len(self.rules.verbs)
        for at, (channel, key) in enumerate(zip(self.channels, state, strict=True)):
            channel.restore(key, now)
            first = at * (counts + waits)
            channel.counts = list(tally[first : first + counts])
            channel.waits = list(tally[first + counts : first + counts + waits])
        for channel, moment in zip(self.channels, due, strict=False):
            channel.due = moment
        if self.decoder is not None:
            self.decoded = now


class Rounds:
    """A run's way through the rounds of a loop. What stands here is ahead of the run's channels after a skip."""

    def __init__(self, run: Run, loop: Loop) -> None:
        self.run, self.loop, self.left = run, loop, loop.times
        self.seen: dict[State, Mark] = {}
        """Where rounds without refresh began."""
        self.served: dict[tuple[State, tuple[int, ...]], Mark] = {}
        """Where rounds after a refresh began, with the times until the next ones."""
        self.ahead = False
        self._look()

    def _look(self) -> None:
        run = self.run
        run.catch_up()
        self.now = run.start()
        self.state, self.tally, self.due = run.state(self.now), run.tally(), run.due()

    @property
    def room(self) -> int | None:
        """The first cycle in which a refresh is due."""
        return min(self.due) if self.due else None

    def mark(self) -> Mark:
        return Mark(self.left, self.now, self.tally)

    def skip(self) -> bool:
        """Pass a known round, or as many as are known to follow, if no refresh falls into them."""
        passed, room = self.loop.known.get(self.state), self.room
        if passed is None or (room is not None and self.now + passed.latest >= room):
            return False
        self.ahead = True
        if (mark := self.seen.get(self.state)) is not None:
            again = self.left // (mark.left - self.left)
            if room is not None and self.now > mark.now:
                again = min(again, max(0, room - 1 - self.now - self.loop.latest) // (self.now - mark.now))
            self.seen = {}
            if again:
                self.repeat(again, mark)
                return True
        self.seen[self.state] = self.mark()
        self.state, self.tally = passed.state, tuple(map(add, self.tally, passed.tally))
        self.now, self.left = self.now + passed.cycles, self.left - 1
        return True

    def repeat(self, again: int, mark: Mark) -> None:
        """What has happened since a mark, so many times more."""
        self.tally = tuple(new + again * (new - old) for new, old in zip(self.tally, mark.tally, strict=True))
        self.left -= again * (mark.left - self.left)
        self.now += again * (self.now - mark.now)

    def walk(self) -> None:
        """Pass a round step by step."""
        if self.ahead:
            self.settle()
            due = self.due
            self._look()
            if self.due != due:  # a refresh was served while the channels waited for the decoder
                self.seen = {}
                return
        state, now, tally, due = self.state, self.now, self.tally, self.due
        self.run.walk(self.loop.body)
        latest = self.run.over() - now
        self._look()
        self.left -= 1
        if self.due == due:
            increments = tuple(map(sub, self.tally, tally))
            self.loop.known[state] = Passed(self.state, self.now - now, increments, latest)
            self.loop.latest = max(self.loop.latest, latest)
        else:
            self.seen = {}
            self._after_refresh()

    def _after_refresh(self) -> None:
        key = self.state, tuple([moment - self.now for moment in self.due])
        if (mark := self.served.pop(key, None)) is None:
            self.served[key] = self.mark()
        elif again := self.left // (mark.left - self.left):
            before = self.now
            self.repeat(again, mark)
            self.due = tuple([moment + self.now - before for moment in self.due])
            self.ahead, self.served = True, {}

    def settle(self) -> None:
        """Bring the run's channels to where the rounds have come."""
        if self.ahead:
            self.run.restore(self.state, self.now, self.tally, self.due)
            self.ahead = False


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
    """When the command of a number leaves its queue."""
    for first, step, count in queued:
        if index < count:
            return first + index * step
        index -= count
    raise IndexError(index)

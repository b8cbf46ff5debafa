"""Simulates a stream of requests on the channels of a device, event by event."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from dialects.diagnostics import InputError
from interp.banks.timing.requests.channel import Issued, RequestChannel
from interp.banks.timing.requests.decoder import Feed
from interp.banks.timing.requests.in_order import InOrder
from interp.banks.timing.requests.layout import BARRIER, MomentLayout, scheduler_of
from interp.banks.timing.requests.queues import FAR, Want
from interp.banks.timing.requests.reordering import Reordering
from interp.banks.timing.requests.request import Request
from interp.machine.records import Pim, Scope


@dataclass(frozen=True)
class RequestTime:
    """The time of a stream of requests, and its commands. `cycles`: from start to end. `counts`: the number of commands
    by verb and scope, over all channels that receive any command; `mnemonics`: these numbers by the commands' names
    in the DRAM standard. `channels`: for each class of channels, the number of commands of one of its channels, by
    name."""

    cycles: int
    counts: dict[tuple[str, Scope], int]
    mnemonics: dict[str, int]
    channels: dict[tuple[int, ...], dict[str, int]] = field(default_factory=dict[tuple[int, ...], dict[str, int]])


def run_requests(
    requests: Iterable[Request], pim: Pim, log: list[Issued] | None = None, logged: int = 0
) -> RequestTime:
    """The time of a stream of requests. The commands of channel `logged` are appended to `log`. Raises InputError for
    commands that the device lacks, and for a stream that the controller never finishes."""
    stream = list(requests)
    kind = _Stream if scheduler_of(pim).picks == "ready" else _Decoded
    return kind(stream, pim, log, logged).run()


@lru_cache(maxsize=64)
def layout_of(pim: Pim) -> MomentLayout:
    return MomentLayout(pim)


def classes_of(requests: Sequence[Request], channels: int) -> list[tuple[int, ...]]:
    """The channels of a device, grouped into classes whose channels receive the same requests. Channels that receive
    the same requests are in separate classes if a request's list of channels has another channel between them.
    Channels without requests form the last class."""
    sets = dict.fromkeys(request.channels for request in requests)
    members: dict[tuple[int, ...], list[int]] = {}
    signs: dict[int, list[int]] = {channel: [] for channel in range(channels)}
    for number, addressed in enumerate(sets):
        for channel in addressed:
            signs[channel].append(number)
    for channel, sign in signs.items():
        members.setdefault(tuple(sign), []).append(channel)
    idle = members.pop((), [])
    classes: list[tuple[int, ...]] = []
    for group in members.values():
        is_adjacent = all(_adjacent(group, addressed) for addressed in sets if group[0] in addressed)
        classes += [tuple(group)] if is_adjacent else [(channel,) for channel in group]
    return classes + ([tuple(idle)] if idle else [])


def _adjacent(group: Sequence[int], addressed: Sequence[int]) -> bool:
    places = sorted(addressed.index(channel) for channel in group)
    return places[-1] - places[0] == len(places) - 1


PATIENCE = 20_000
"""The number of events without a served request after which the controller is assumed to be in a livelock."""


class _Stream:
    """Requests in program order, sent to their channels as long as the queues have room."""

    def __init__(self, requests: list[Request], pim: Pim, log: list[Issued] | None, logged: int) -> None:
        self.pim = pim
        layout = layout_of(pim)
        self.classes, self.busy = classes_of(requests, pim.channels), _busy(requests)
        self.channels = [Reordering(layout, log if logged in numbers else None) for numbers in self.classes]
        of = {number: index for index, numbers in enumerate(self.classes) for number in numbers}
        self.sends: list[tuple[Reordering, Want, bool, int]] = []
        known: dict[Request, list[tuple[Reordering, Want, bool, int]]] = {}
        for request in requests:
            if (sends := known.get(request)) is None:
                chosen = dict.fromkeys(of[number] for number in request.channels)
                sends = known[request] = [
                    (self.channels[index], self.channels[index].want(request), request.host, request.tag)
                    for index in chosen
                ] * request.times
            self.sends += sends
        for channel in self.channels:
            channel.grow()
        self.at = 0

    def feed(self, now: int) -> None:
        """Sends requests until a queue refuses one."""
        sends, at, end = self.sends, self.at, len(self.sends)
        while at < end:
            channel, want, host, tag = sends[at]
            if not channel.send(want, host, tag, now):
                break
            at += 1
        self.at = at

    def run(self) -> RequestTime:
        now, events, before, served = 1, 0, -1, 0
        while True:
            if self.at < len(self.sends):
                self.feed(now)
            for channel in self.channels:
                if channel.wake <= now:
                    channel.tick(now)
            if self.at >= len(self.sends) and not any(channel.pending(now) for channel in self.channels):
                return _time(self.classes, self.channels, now, self.busy)
            now, events = self.next(now), events + 1
            if events % PATIENCE == 0:
                before, served = served, self.at + sum(channel.served for channel in self.channels)
            if now >= FAR or served == before:
                raise InputError(
                    f"{self.pim.name}: the controller never finishes this program, because its commands close each "
                    "other's rows again and again; let each part of the program use commands of one scope, or run "
                    "it on another sheet",
                    self.pim.file,
                )

    def next(self, now: int) -> int:
        """The next cycle in which the state can change."""
        if self.at < len(self.sends):
            channel, want, host, _ = self.sends[self.at]
            if channel.room(want, host):
                return now + 1
        soonest = FAR
        for channel in self.channels:
            if channel.wake < soonest:
                soonest = channel.wake
            if now < channel.returned < soonest:
                soonest = channel.returned
        return max(soonest, now + 1)


class _Decoded:
    """Instructions that a decoder distributes to the channels, one per cycle."""

    def __init__(self, requests: list[Request], pim: Pim, log: list[Issued] | None, logged: int) -> None:
        self.pim = pim
        self.marked = scheduler_of(pim).ends == "acknowledged"
        if self.marked:
            requests = [*requests, Request(BARRIER, channels=tuple(range(pim.channels)))]
        layout = layout_of(pim)
        self.classes, self.busy = classes_of(requests, pim.channels), _busy(requests)
        self.channels = [InOrder(layout, log if logged in numbers else None) for numbers in self.classes]
        of = {number: index for index, numbers in enumerate(self.classes) for number in numbers}
        self.feed = Feed(requests, self.channels, of, pim.decoder.waits if pim.decoder is not None else ())
        for channel in self.channels:
            channel.grow()

    def run(self) -> RequestTime:
        now, events, before, served, feed = 1, 0, -1, 0, self.feed
        while True:
            while feed.step(now) and self.pim.decoder is None:
                pass
            for channel in self.channels:
                if channel.wake <= now:
                    channel.tick(now)
                    if channel.answered:
                        feed.answer(channel.answered)
            if feed.ended and (self.marked or all(channel.finished(now) for channel in self.channels)):
                return _time(self.classes, self.channels, now, self.busy)
            now = now + 1 if feed.next(now) else self._next(now)
            events += 1
            if events % PATIENCE == 0:
                before, served = served, feed.at + sum(channel.served for channel in self.channels)
            if now >= FAR or served == before:
                raise InputError(
                    f"{self.pim.name}: the controllers never finish this program, since no further command is "
                    "served; check the gaps and the scheduler in the sheet",
                    self.pim.file,
                )

    def _next(self, now: int) -> int:
        soonest = min(channel.wake for channel in self.channels)
        if self.feed.ended:
            done = [channel.written for channel in self.channels if channel.written > now]
            soonest = min(soonest, min(done, default=FAR))
        return max(soonest, now + 1)


def _busy(requests: Iterable[Request]) -> set[int]:
    """The channels that receive any command. The others refresh as well, but these refreshes are not counted for the
    program."""
    return {
        channel
        for channels in {request.channels for request in requests if request.verb != BARRIER}
        for channel in channels
    }


def _time(
    classes: Sequence[tuple[int, ...]], channels: Sequence[RequestChannel], now: int, busy: set[int]
) -> RequestTime:
    counts: dict[tuple[str, Scope], int] = {}
    mnemonics: dict[str, int] = {}
    each: dict[tuple[int, ...], dict[str, int]] = {}
    for numbers, channel in zip(classes, channels, strict=True):
        if numbers[0] not in busy:
            continue
        mine = each[numbers] = {}
        for move, count in channel.counts.items():
            key: tuple[str, Scope] = (move.verb, move.scope)
            name = move.mnemonic
            mine[name] = mine.get(name, 0) + count
            counts[key] = counts.get(key, 0) + count * len(numbers)
            mnemonics[name] = mnemonics.get(name, 0) + count * len(numbers)
    return RequestTime(now, counts, mnemonics, each)

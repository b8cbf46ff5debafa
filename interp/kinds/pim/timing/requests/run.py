"""Simulates a stream of requests on the channels of a device, event by event."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from operator import sub
from typing import Any, NoReturn

from dialects.diagnostics import InputError
from interp.kinds.pim.timing.periods import Bodies, Passage, Position, Repeat, Walker
from interp.kinds.pim.timing.requests.accesses import access_time, is_fast
from interp.kinds.pim.timing.requests.channel import Issued, RequestChannel
from interp.kinds.pim.timing.requests.decoder import Feed
from interp.kinds.pim.timing.requests.in_order import InOrder
from interp.kinds.pim.timing.requests.kernel import Item, Shift, requests_in
from interp.kinds.pim.timing.requests.layout import BARRIER, layout_of, scheduler_of
from interp.kinds.pim.timing.requests.open_rows import Window, window
from interp.kinds.pim.timing.requests.queues import FAR, Want
from interp.kinds.pim.timing.requests.reordering import Reordering
from interp.kinds.pim.timing.requests.request import Request
from interp.machine.records import Pim, Scope


@dataclass(frozen=True)
class RequestTime:
    """The time of a stream of requests, and its commands. `cycles`: from start to end. `counts`: the number of commands
    by verb and scope, over all channels that receive any command. `channels`: for each class of channels, the number of
    commands of one of its channels, by name in the DRAM standard."""

    cycles: int
    counts: dict[tuple[str, Scope], int]
    channels: dict[tuple[int, ...], dict[str, int]] = field(default_factory=dict[tuple[int, ...], dict[str, int]])


def run_requests(items: Iterable[Item], pim: Pim, log: list[Issued] | None = None, logged: int = 0) -> RequestTime:
    """The time of a stream of requests, which may have loops if the controllers reorder requests. The commands of
    channel `logged` are appended to `log`; such a stream must not have loops. Raises InputError for commands that the
    device lacks, and for a stream that the controller never finishes."""
    if scheduler_of(pim).picks != "ready":
        return _Decoded([*requests_in(items)], pim, log, logged).run()
    items = tuple(items)
    if log is None and (found := _of_accesses(items, pim)) is not None:
        return found
    return _Reordered(items, pim, log, logged).run()


def _of_accesses(items: Sequence[Item], pim: Pim) -> RequestTime | None:
    """The time of a stream of ordinary accesses without loops by compiled code; None if there is none for it."""
    requests = [item for item in items if isinstance(item, Request)]
    if len(requests) < len(items) or not is_fast(requests):
        return None
    return compiled_time(requests, pim)


def compiled_time(requests: Sequence[Request], pim: Pim) -> RequestTime | None:
    """The time of ordinary accesses as compiled code computes it; None for other requests."""
    layout = layout_of(pim)
    classes = classes_of(list(dict.fromkeys(requests)), pim.channels)
    found = access_time(requests, classes, Reordering(layout, None), PATIENCE)
    if found is None:
        return None
    channels = [Reordering(layout, None) for _ in classes]
    for channel, counts in zip(channels, found.counts, strict=True):
        channel.counts = counts
    return _time(classes, channels, found.cycles, _busy(requests))


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


REMEMBERED_SENDS = 24
"""The number of equal requests from which on their effect is remembered: comparing states takes as long as simulating
some commands."""
PATIENCE = 20_000
"""The number of events without a served request after which the controller is assumed to be in a livelock. They are
counted from the last request that was sent or served, and not over a whole run, so that a stream is refused no matter
which of its iterations are skipped."""


class _Sends:
    """A request, `times` times, to one channel of each class that receives it. `origins`: for each of these channels,
    the origin from which the request's row counts, -1 for none."""

    __slots__ = ("channels", "known", "origins", "passages", "request")

    def __init__(self, request: Request, channels: Sequence[Reordering], origins: tuple[int, ...]) -> None:
        self.request, self.channels, self.origins = request, channels, origins
        self.known: dict[tuple[int, ...], list[tuple[Reordering, Want]]] = {}
        self.passages: dict[Hashable, Passage] = {}
        """Known effects of sending the requests without a refresh that falls due, by the state before."""

    def to(self, rows: Sequence[int]) -> list[tuple[Reordering, Want]]:
        """The channels with the commands that each needs; `rows`: the current row of each origin."""
        by = tuple([rows[origin] if origin >= 0 else 0 for origin in self.origins])
        if (found := self.known.get(by)) is None:
            moved = (self.request._replace(row=self.request.row + more) if more else self.request for more in by)
            found = [(channel, channel.want(request)) for channel, request in zip(self.channels, moved, strict=True)]
            self.known[by] = found
        return found


class _Moves:
    """A change of the rows of later requests: for each origin that moves, its number and the additional rows."""

    def __init__(self, by: Sequence[tuple[int, int]]) -> None:
        self.by = by


class _Reordered(Walker):
    """Walks the channels through requests in program order, which are sent as long as the queues have room.

    Between two steps, the last request has just been sent, and the controllers have not yet acted in that cycle. The
    rows of requests, queues and banks are relative to origins that move with the loops (`Shift`), so that the state of
    a loop over rows becomes periodic, too. The banks of all channels whose origins always move together have one
    origin.
    """

    tells_spans = True

    def __init__(self, items: Sequence[Item], pim: Pim, log: list[Issued] | None = None, logged: int = 0) -> None:
        self.pim, layout = pim, layout_of(pim)
        requests = list(dict.fromkeys(requests_in(items)))
        self.classes, self.busy = classes_of(requests, pim.channels), _busy(requests)
        self.channels = [Reordering(layout, log if logged in numbers else None) for numbers in self.classes]
        self.at = {number: index for index, numbers in enumerate(self.classes) for number in numbers}
        self.shift_of, self.moves = self._shifts(items)
        self.rows = [0] * (1 + max(self.shift_of.values(), default=-1))
        """The current row of each origin."""
        bodies = Bodies(self._leaf, lambda _: True)
        self.body = bodies.body(tuple(items))
        windows = self._windows(items, requests)
        for index, channel in enumerate(self.channels):
            channel.prepare()
            for bank in range(pim.banks_per_channel):
                if (origin := self.shift_of.get((index, bank))) is not None:
                    channel.windows[bank] = windows[origin]
            channel.tells_ignored = pim.refresh is not None and not any(request.host for request in requests)
        self.origins = [[0] * pim.banks_per_channel for _ in self.channels]
        """The current row of the origin of each bank, for each class of channels."""
        self.now = 1
        self.firm = 0
        """The last cycle whose effect would be another one if a refresh waited, or the cycle before the last
        position."""
        self.ahead: Position | None = None
        """The position, if it was reached without walking: `now` and the channels are then at an earlier one."""
        self.has_loops = any(isinstance(item, Repeat) for item in items)

    def _shifts(self, items: Sequence[Item]) -> tuple[dict[tuple[int, int], int], dict[Shift, _Moves]]:
        """The number of the origin of each bank of each class of channels, if it ever moves; and the effect of each
        shift."""
        shifts = list(dict.fromkeys(_shifts_in(items)))
        moved: dict[tuple[int, int], tuple[tuple[int, int], ...]] = {}
        for number, shift in enumerate(shifts):
            for index in dict.fromkeys(self.at[channel] for channel in shift.channels):
                for bank in shift.banks:
                    moved[index, bank] = (*moved.get((index, bank), ()), (number, shift.rows))
        origins = list(dict.fromkeys(moved.values()))
        of = {bank: origins.index(by) for bank, by in moved.items()}
        effects = {
            shift: _Moves([(origin, shift.rows) for origin, by in enumerate(origins) if (number, shift.rows) in by])
            for number, shift in enumerate(shifts)
        }
        return of, effects

    def _windows(self, items: Sequence[Item], requests: Iterable[Request]) -> list[Window]:
        """The window of the banks of each origin."""
        places = {origin: (self.classes[index][0], bank) for (index, bank), origin in self.shift_of.items()}
        rows: dict[int, set[int]] = {origin: set() for origin in places}
        for request in requests:
            for index in dict.fromkeys(self.at[number] for number in request.channels):
                if (origin := self._origin(request, index)) >= 0:
                    rows[origin].add(request.row)
        return [window(items, *places[origin], rows[origin]) for origin in sorted(places)]

    def _leaf(self, item: Request | Shift) -> _Sends | _Moves:
        if isinstance(item, Shift):
            return self.moves[item]
        indices = list(dict.fromkeys(self.at[number] for number in item.channels))
        origins = tuple([self._origin(item, index) for index in indices])
        sends = _Sends(item, [self.channels[index] for index in indices], origins)
        sends.to(self.rows)
        return sends

    def _origin(self, request: Request, index: int) -> int:
        """The number of the origin from which the row of a request to a class of channels counts, -1 for none."""
        if request.row < 0 or not self.shift_of:
            return -1
        (origin,) = {self.shift_of.get((index, bank), -1) for bank in layout_of(self.pim).reached(request)}
        return origin

    # Executing a step.

    def step(self, leaf: _Sends | _Moves) -> None:
        if isinstance(leaf, _Moves):
            self._walk_on()
            moved = list(self.rows)
            for origin, rows in leaf.by:
                moved[origin] += rows
            self._move_to(moved)
            return
        if not self.has_loops or leaf.request.times < REMEMBERED_SENDS:
            self._walk_on()
            self._send(leaf)
            return
        before = self.position()
        passage = leaf.passages.get(before.state)
        if passage is not None and before.now + passage.cycles < min(before.due, default=FAR):
            self.ahead = before.after(passage, passage.key, before.due)
            return
        self._walk_on()
        self._send(leaf)
        after = self.position()
        if after.due == before.due:
            counts = tuple(map(sub, after.counts, before.counts))
            leaf.passages[before.state] = Passage(after.state, 1, after.now - before.now, counts)

    def _send(self, leaf: _Sends) -> None:
        host, tag, sends = leaf.request.host, leaf.request.tag, leaf.to(self.rows)
        for channel, want in sends * leaf.request.times:
            waited = 0
            while not channel.send(want, host, tag, self.now):
                self._act()
                self.now = self.now + 1 if channel.room(want, host) else self._soonest()
                waited += 1
                if waited > PATIENCE:
                    self._refuse()

    def _walk_on(self) -> None:
        """Bring the channels to the position that was reached without walking."""
        if self.ahead is not None:
            self.restore(self.ahead)

    def run(self) -> RequestTime:
        """Simulate the whole stream, and return its time."""
        self.walk(self.body)
        return self.finish()

    def finish(self) -> RequestTime:
        """Executes all requests that wait, and returns the time."""
        self._walk_on()
        waited = served = 0
        while True:
            self._act()
            if not any(channel.pending(self.now) for channel in self.channels):
                return _time(self.classes, self.channels, self.now, self.busy)
            self.now = self._soonest()
            before, served = served, sum(channel.served for channel in self.channels)
            waited = waited + 1 if served == before else 0
            if waited > PATIENCE:
                self._refuse()

    def _act(self) -> None:
        """Simulates a cycle of all controllers."""
        for channel in self.channels:
            if channel.wake <= self.now:
                if channel.due < FAR:
                    self._tick(channel)
                else:
                    channel.tick(self.now)

    def _tick(self, channel: Reordering) -> None:
        """Simulate a cycle of a channel that refreshes, and record by how much the next refresh, or the one that waits,
        may shift without an effect: as far as the cycles between are the same whether a refresh waits or not."""
        now, due, waited = self.now, channel.due, bool(channel.urgent)
        if due <= now:
            if waited:
                self.sooner = self.later = 0
            else:
                self.sooner, channel.since = min(self.sooner, due - self.firm - 1), now
        elif not waited:
            channel.since = None
        channel.tick(now)
        if channel.has_ignored:
            return
        if channel.since is not None:
            self._fix(channel, now)
        if due > now:
            self.firm = now

    def _fix(self, channel: Reordering, moment: int) -> None:
        """Record that a refresh that waits had to fall due by `moment`."""
        assert channel.since is not None
        self.serves(channel.since, moment)
        channel.since = None

    def _soonest(self) -> int:
        """The next cycle in which the state can change, if no queue has room for the next request."""
        soonest = FAR
        for channel in self.channels:
            soonest = min(soonest, channel.wake)
            if self.now < channel.returned < soonest:
                soonest = channel.returned
        if soonest >= FAR:
            self._refuse()
        return max(soonest, self.now + 1)

    def _refuse(self) -> NoReturn:
        raise InputError(
            f"{self.pim.name}: the controller never finishes this program, because its commands close each "
            "other's rows again and again; let each part of the program use commands of one scope, or run "
            "it on another sheet",
            self.pim.file,
        )

    # Saving and restoring the position.

    def settle(self) -> None:
        """Nothing precedes the next request: the state contains refreshes that wait."""

    def position(self) -> Position:
        if self.ahead is not None:
            return self.ahead
        for channel in self.channels:
            if channel.since is not None:
                self._fix(channel, self.now - 1)
        self.firm = self.now - 1
        counts = chain.from_iterable(map(each.counts.get, each.moves, repeat(0)) for each in self.channels)
        due = self.channels[0].due
        return Position(
            tuple(
                [channel.state(self.now, origins) for channel, origins in zip(self.channels, self.origins, strict=True)]
            ),
            self.now,
            (due,) if due < FAR else (),
            (*self.rows, *counts),
        )

    def restore(self, position: Position) -> Position:
        self.ahead, self.now, counts = None, position.now, list(position.counts)
        self._move_to(counts[: len(self.rows)])
        counts = counts[len(self.rows) :]
        states: Any = position.state
        for at, (channel, state) in enumerate(zip(self.channels, states, strict=True)):
            own, counts = counts[: len(channel.moves)], counts[len(channel.moves) :]
            channel.counts = {move: count for move, count in zip(channel.moves, own, strict=True) if count}
            channel.resume(state, self.now, position.due[0] if position.due else FAR, self.origins[at])
        self.firm = self.now - 1
        return position

    def _move_to(self, rows: Sequence[int]) -> None:
        """Set the current row of each origin."""
        if rows != self.rows:
            self.rows = list(rows)
            for (at, bank), origin in self.shift_of.items():
                self.origins[at][bank] = rows[origin]

    def over(self) -> int:
        return self.now if self.ahead is None else self.ahead.now


def _shifts_in(items: Iterable[Item]) -> Iterator[Shift]:
    for item in items:
        if isinstance(item, Repeat):
            yield from _shifts_in(item.body)
        elif isinstance(item, Shift):
            yield item


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
    each: dict[tuple[int, ...], dict[str, int]] = {}
    for numbers, channel in zip(classes, channels, strict=True):
        if numbers[0] not in busy:
            continue
        mine = each[numbers] = {}
        for move, count in channel.counts.items():
            key: tuple[str, Scope] = (move.verb, move.scope)
            mine[move.mnemonic] = mine.get(move.mnemonic, 0) + count
            counts[key] = counts.get(key, 0) + count * len(numbers)
    return RequestTime(now, counts, each)

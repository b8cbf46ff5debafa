"""An engine that times loops: iterations are walked until their effect repeats, and the time of all further iterations
is computed by multiplication.

A channel model (`Walker`) walks one instruction at a time and reports its position: a state, which contains everything
about its past that affects its future (times relative to now), and the times at which refreshes fall due. An iteration
during which no refresh falls due depends on the state alone (`Body.quiet`); an iteration with a refresh also depends on
the time until that refresh (`Body.served`). Both kinds of iterations are stored as chains with prefix sums; a search in
a chain finds the number of iterations that end before a given cycle. Where a chain reaches one of its own entries
again, whole periods are skipped. The cost therefore grows with the length of a program's text, not with its trip
counts.

A walker that logs its commands skips only iterations that end before the first logged cycle (`walked_from`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Hashable
from operator import add, sub
from typing import Any, NamedTuple, TypeAlias

FAR = 1 << 60
"""A number of cycles larger than that of any program; used as infinity."""

REMEMBERED = 4096
"""The largest number of step sequences that programs share (`Bodies.known`); a cache that holds more is emptied."""

Counts: TypeAlias = tuple[int, ...]


class Repeat(NamedTuple):
    """A loop of a program. Its body is a sequence of hashable instructions and of loops."""

    times: int
    body: tuple[Any, ...]


class Position(NamedTuple):
    """The position of a walker: its state, with times relative to `now`; the times at which refreshes fall due; and its
    counters."""

    state: Hashable
    now: int
    due: tuple[int, ...]
    counts: Counts

    def ahead(self) -> tuple[int, ...]:
        """The cycles from now until each refresh falls due."""
        return tuple([moment - self.now for moment in self.due])

    def after(self, passage: Passage, state: Hashable, due: tuple[int, ...]) -> Position:
        """The position after a passage, with a new state and new due times of refreshes."""
        return Position(state, self.now + passage.cycles, due, tuple(map(add, self.counts, passage.counts)))


class Moment(NamedTuple):
    """Everything that affects the part of a walk not done yet: a state, and for each series of refreshes the cycles
    until the next refresh falls due (`ahead`)."""

    state: Hashable
    ahead: tuple[int, ...]


class Passage(NamedTuple):
    """Some consecutive iterations of a loop: the key of the position after them, their number (`rounds`), their cycles,
    by how much they increase each counter, and the cycles of the next iteration, FAR if unknown (`following`)."""

    key: Hashable
    rounds: int
    cycles: int
    counts: Counts
    following: int = FAR


class _Chain:
    """Known positions between consecutive iterations of a loop; for each, the iterations, cycles and counters summed
    from the first position on."""

    def __init__(self, key: Hashable, width: int) -> None:
        self.keys = [key]
        self.rounds: list[int] = [0]
        self.cycles: list[int] = [0]
        self.counts: list[Counts] = [(0,) * width]
        self.link: tuple[_Chain, int, Passage] | None = None
        """The successor of the last position, if it is a known position: its chain, its index in that chain, and the
        passage to it.
        """

    def within(self, at: int, rounds: int, cycles: int) -> int:
        """The index of the last position that is at most `rounds` iterations and `cycles` cycles after the position
        with index `at`."""
        last = len(self.keys) - 1
        if self.rounds[last] - self.rounds[at] > rounds:
            last = bisect_right(self.rounds, self.rounds[at] + rounds, at, last) - 1
        if self.cycles[last] - self.cycles[at] > cycles:
            last = bisect_right(self.cycles, self.cycles[at] + cycles, at, last) - 1
        return last


class Chains:
    """All known iterations of a loop body: for the key of each visited position, the position after the iteration."""

    def __init__(self) -> None:
        self.places: dict[Hashable, tuple[_Chain, int]] = {}

    def add(self, key: Hashable, passage: Passage) -> None:
        """Records the iterations `passage` that begin at the position with this key."""
        chain, at = self.places.get(key) or (_Chain(key, len(passage.counts)), 0)
        self.places.setdefault(key, (chain, at))
        if at != len(chain.keys) - 1 or chain.link is not None:
            return
        if (known := self.places.get(passage.key)) is not None:
            chain.link = known[0], known[1], passage
            return
        chain.keys.append(passage.key)
        chain.rounds.append(chain.rounds[-1] + passage.rounds)
        chain.cycles.append(chain.cycles[-1] + passage.cycles)
        chain.counts.append(tuple(map(add, chain.counts[-1], passage.counts)))
        self.places[passage.key] = chain, at + 1

    def passed(self, key: Hashable, left: int, room: int = FAR) -> Passage | None:
        """The longest known passage from the position with this key within `left` iterations and `room` cycles. It may
        have no iterations (and then zero counters); None if the position is unknown."""
        place = self.places.get(key)
        if place is None:
            return None
        chain, at = place
        rounds = cycles = 0
        counts: Counts = ()
        entered: dict[tuple[_Chain, int], Passage] = {}
        while True:
            last = chain.within(at, left - rounds, room - cycles)
            if last > at:
                rounds += chain.rounds[last] - chain.rounds[at]
                cycles += chain.cycles[last] - chain.cycles[at]
                counts = _sum(counts, tuple(map(sub, chain.counts[last], chain.counts[at])))
                at = last
            if at < len(chain.keys) - 1:
                following = chain.cycles[at + 1] - chain.cycles[at]
                break
            if chain.link is None:
                following = FAR
                break
            target, entry, step = chain.link
            following = step.cycles
            if step.rounds > left - rounds or following > room - cycles:
                break
            chain, at = target, entry
            rounds += step.rounds
            cycles += following
            counts = _sum(counts, step.counts)
            before = entered.get((chain, at))
            entered[chain, at] = Passage(None, rounds, cycles, counts)
            if before is not None:
                lap: int = rounds - before.rounds
                length: int = cycles - before.cycles
                laps = (left - rounds) // lap
                if room < FAR and length:
                    laps = min(laps, (room - cycles) // length)
                rounds, cycles = rounds + laps * lap, cycles + laps * length
                counts = tuple([n + laps * (n - m) for n, m in zip(counts, before.counts, strict=True)])
        return Passage(chain.keys[at], rounds, cycles, counts, following)


def _sum(counts: Counts, more: Counts) -> Counts:
    return tuple(map(add, counts, more)) if counts else more


class Span(NamedTuple):
    """The effect of an iteration from a given state, valid if the first refresh falls due at least `low` and at most
    `high` cycles after its start. `due`: the number of cycles by which the iteration moves that due time; `over`: the
    cycles from its end to its last cycle (`Walker.over`); `passage`: the state after the iteration, and the increments
    of the counters."""

    low: int
    high: int
    due: int
    over: int
    passage: Passage


class Body:
    """A sequence of steps, with everything known about its iterations in loops of any trip count."""

    def __init__(self, parts: tuple[Any, ...], serves: bool) -> None:
        """`parts`: instructions in the walker's own form, and loops. `serves`: True if a refresh may be served among
        them."""
        self.parts, self.serves = parts, serves
        self.quiet, self.served = Chains(), Chains()
        """Iterations without refresh, by state; iterations with a refresh, by state and the cycles until refreshes fall
        due."""
        self.slack = 0
        """The largest number of cycles after its end during which an iteration without refresh still admits a refresh.
        """
        self.overrun = 0
        """The largest number of cycles by which a command of an iteration issues after the iteration's end."""
        self.spans: dict[Hashable, list[Span]] = {}
        """Iterations with a refresh, by state, for walkers that report by how much refreshes may shift (`tells_spans`).
        """


class BodyLoop:
    """A loop: a body and its trip count."""

    def __init__(self, times: int, body: Body) -> None:
        self.times, self.body = times, body


class Bodies:
    """A conversion of programs to bodies. Equal step sequences share one body, so that iterations known from one
    program are also known for others."""

    def __init__(self, leaf: Callable[[Any], Any], serves: Callable[[Any], bool]) -> None:
        """`leaf`: converts a step to the walker's own form, which may be a loop. `serves`: True if a refresh may be
        served at a step."""
        self._leaf, self._serves = leaf, serves
        self.known: dict[tuple[Any, ...], Body] = {}

    def body(self, steps: tuple[Any, ...]) -> Body:
        if (body := self.known.get(steps)) is None:
            parts = tuple(map(self._part, steps))
            serves = any(part.body.serves if isinstance(part, BodyLoop) else self._serves(part) for part in parts)
            body = self.known[steps] = Body(parts, serves)
        return body

    def _part(self, step: Any) -> Any:
        one = step if isinstance(step, Repeat) else self._leaf(step)
        return BodyLoop(one.times, self.body(one.body)) if isinstance(one, Repeat) else one


class Walker(ABC):
    """A channel model that walks through a program, refreshes included."""

    tells_spans: bool = False
    """True if the walker has one series of refreshes and calls `before` at every decision that depends on when they
    fall due."""
    sooner = later = FAR
    """The number of cycles by which refreshes could fall due earlier (`sooner`) or later (`later`) without changing any
    decision since both numbers were last reset."""
    walked_from: int = FAR
    """The first cycle whose commands are needed one by one: no iteration with a command in this cycle or a later one is
    skipped."""

    def before(self, due: int, moment: int) -> bool:
        """True if `due`, a time that shifts with the next refresh's due time, is before `moment`, a time that does not
        shift with it. Records by how much refreshes may shift without changing the answer."""
        if due < moment:
            self.later = min(self.later, moment - due - 1)
            return True
        self.sooner = min(self.sooner, due - moment)
        return False

    def serves(self, due: int, moment: int) -> None:
        """Records that the first command of a refresh that falls due at `due` issues at `moment`, which is then either
        the due time itself, or a time that does not shift with it. Which of the two it waits for is a decision, too."""
        if moment == due:
            self.sooner = self.later = 0
        else:
            self.later = min(self.later, moment - due - 1)

    @abstractmethod
    def step(self, leaf: Any) -> None:
        """Executes one instruction, and the refreshes served with it."""

    @abstractmethod
    def settle(self) -> None:
        """Serves the refreshes that precede all other commands."""

    @abstractmethod
    def position(self) -> Position:
        """The walker's position."""

    @abstractmethod
    def restore(self, position: Position) -> Position:
        """Sets the walker to a position, then serves the refreshes that precede all other commands (`settle`). Returns
        the resulting position."""

    @abstractmethod
    def over(self) -> int:
        """The last cycle of the commands executed so far: a refresh that falls due by then is served with them."""

    def walk(self, body: Body) -> None:
        """Executes the steps of a body serially."""
        for part in body.parts:
            if isinstance(part, BodyLoop):
                self.settle()
                self._loop(part.body, part.times)
            else:
                self.step(part)

    def _loop(self, body: Body, left: int) -> None:
        here, jumped = self.position(), False
        latest: tuple[Moment, int, Position] | None = None
        """The last iteration with a refresh: its start, the number of iterations left, and the position."""
        while left:
            room = min(here.due) - here.now - 1 - body.slack if here.due and body.serves else FAR
            if (passage := body.quiet.passed(here.state, left, min(room, self._unlogged(here, body)))) is not None:
                if room < FAR and self.tells_spans:
                    self._limit(passage, room, left)
                if passage.rounds:
                    here, left, jumped = here.after(passage, passage.key, here.due), left - passage.rounds, True
                    if not left:
                        break
            if here.due and body.served.places:
                start = Moment(here.state, here.ahead())
                passage = body.served.passed(start, left, self._unlogged(here, body))
                if passage is not None and passage.rounds:
                    _follow(body, latest, start, left, here)
                    latest, end = None, passage.key
                    assert isinstance(end, Moment)
                    now = here.now + passage.cycles
                    here = here.after(passage, end.state, tuple([now + cycles for cycles in end.ahead]))
                    left, jumped = left - passage.rounds, True
                    self.sooner = self.later = 0
                    continue
            span = self._span(body, here)
            if span is None and jumped:
                jumped, settled = False, self.restore(here)
                if settled.due != here.due:  # a refresh was served here
                    here, latest = settled, None
                    continue
            before = here
            if span is None:
                here, over = self._round(body, here)
            else:
                here, jumped = here.after(span.passage, span.passage.key, (here.due[0] + span.due,)), True
                over = here.now + span.over
            body.overrun = max(body.overrun, over - here.now)
            if here.due == before.due:
                counts = tuple(map(sub, here.counts, before.counts))
                body.quiet.add(before.state, Passage(here.state, 1, here.now - before.now, counts))
                body.slack = max(body.slack, over - here.now)
            else:
                start = Moment(before.state, before.ahead())
                _follow(body, latest, start, left, before)
                latest = start, left, before
            left -= 1
        if jumped:
            self.restore(here)

    def _unlogged(self, here: Position, body: Body) -> int:
        """The number of cycles after a position in which iterations may end without a command in a logged cycle."""
        return self.walked_from - here.now - 1 - body.overrun

    def _span(self, body: Body, here: Position) -> Span | None:
        """The known effect of an iteration with a refresh that begins at a position; None if it is unknown, or if its
        commands are logged."""
        if not (self.tells_spans and here.due):
            return None
        ahead = here.due[0] - here.now
        for span in body.spans.get(here.state, ()):
            if span.low <= ahead <= span.high and here.now + span.passage.cycles + body.overrun < self.walked_from:
                self.sooner, self.later = min(self.sooner, ahead - span.low), min(self.later, span.high - ahead)
                return span
        return None

    def _round(self, body: Body, before: Position) -> tuple[Position, int]:
        """Executes one iteration. Returns the position after it, and its last cycle (`over`). The effect of an
        iteration with a refresh is recorded, with the interval of due times for which it is the same."""
        around = self.sooner, self.later
        self.sooner = self.later = FAR
        self.walk(body)
        here, over = self.position(), self.over()
        if self.tells_spans and here.due and here.due != before.due:
            counts = tuple(map(sub, here.counts, before.counts))
            passage = Passage(here.state, 1, here.now - before.now, counts)
            ahead = before.due[0] - before.now
            span = Span(ahead - self.sooner, ahead + self.later, here.due[0] - before.due[0], over - here.now, passage)
            body.spans.setdefault(before.state, []).append(span)
        self.sooner, self.later = min(self.sooner, around[0]), min(self.later, around[1])
        return here, over

    def _limit(self, passage: Passage, room: int, left: int) -> None:
        """Narrows `sooner` and `later` after skipping iterations without refresh: refreshes that fell due earlier or
        later by more than these would have changed the number of skipped iterations."""
        if passage.rounds:
            self.sooner = min(self.sooner, room - passage.cycles)
        if passage.rounds < left:
            self.later = min(self.later, passage.cycles + passage.following - room - 1)


def _follow(body: Body, latest: tuple[Moment, int, Position] | None, start: Moment, left: int, here: Position) -> None:
    """Records, as one passage, the iterations of a loop between two iterations in which a refresh falls due."""
    if latest is not None:
        from_, before, there = latest
        counts = tuple(map(sub, here.counts, there.counts))
        body.served.add(from_, Passage(start, before - left, here.now - there.now, counts))

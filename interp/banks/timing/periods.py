"""One engine for loops in time: rounds are walked until what they do repeats, and the rest is passed by multiplication.

A channel model (`Walker`) walks one instruction at a time and says where it stands: a state, which is all that its past
means for its future with times counted from now, and when refreshes fall due. A round into which no refresh falls
depends on the state alone (`Body.quiet`); one with a refresh depends on the time until then, too (`Body.served`). Both
are kept as chains of rounds with running sums, in which a search finds how far a loop comes; where a chain comes back
to a place of its own, whole periods are jumped. So the cost grows with a program's text, not with its trip counts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Hashable
from operator import add, sub
from typing import Any, ClassVar, NamedTuple, TypeAlias

FAR = 1 << 60
"""More cycles than any program takes."""

Counts: TypeAlias = tuple[int, ...]


class Repeat(NamedTuple):
    """A loop as a program states it: of instructions, each of which is hashable, and other loops."""

    times: int
    body: tuple[Any, ...]


class Position(NamedTuple):
    """The position of a walker: its state, with times counted from `now`; the moments at which refreshes fall due; and
    whatever it counts."""

    state: Hashable
    now: int
    due: tuple[int, ...]
    counts: Counts

    def ahead(self) -> tuple[int, ...]:
        """The cycles until refreshes fall due."""
        return tuple([moment - self.now for moment in self.due])

    def after(self, passage: Passage, state: Hashable, due: tuple[int, ...]) -> Position:
        """The place after a passage, in this state and with refreshes due at these moments."""
        return Position(state, self.now + passage.cycles, due, tuple(map(add, self.counts, passage.counts)))


class Moment(NamedTuple):
    """All that the rest of a walk depends on: a state, and the cycles until refreshes fall due."""

    state: Hashable
    ahead: tuple[int, ...]


class Passage(NamedTuple):
    """Rounds of a loop: the key of the place where they end, how many, the cycles that they take, by how much all
    counters grow, and the cycles of the round after them, where that is known."""

    key: Hashable
    rounds: int
    cycles: int
    counts: Counts
    following: int = FAR


class _Chain:
    """Places that follow each other, with the sums of rounds, cycles and counters up to each."""

    def __init__(self, key: Hashable, width: int) -> None:
        self.keys = [key]
        self.rounds: list[int] = [0]
        self.cycles: list[int] = [0]
        self.counts: list[Counts] = [(0,) * width]
        self.link: tuple[_Chain, int, Passage] | None = None
        """The successor of the last place, if that is no new one: a chain, a place in it, and the passage to there."""

    def within(self, at: int, rounds: int, cycles: int) -> int:
        """The last place that is at most so many rounds and cycles behind another one."""
        last = len(self.keys) - 1
        if self.rounds[last] - self.rounds[at] > rounds:
            last = bisect_right(self.rounds, self.rounds[at] + rounds, at, last) - 1
        if self.cycles[last] - self.cycles[at] > cycles:
            last = bisect_right(self.cycles, self.cycles[at] + cycles, at, last) - 1
        return last


class Chains:
    """All that is known of a loop body's rounds: from each place that was met, the next one."""

    def __init__(self) -> None:
        self.places: dict[Hashable, tuple[_Chain, int]] = {}

    def add(self, key: Hashable, passage: Passage) -> None:
        """Remember what follows a place."""
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
        """As far as is known from a place on, within so many rounds and cycles, which may be no round (and then
        counts nothing); None where the place is unknown."""
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
    """The effect of an iteration from a state on, if the first refresh falls due within `low` and `high` cycles. `due`:
    by how much that moves; `passage`: the state after it, and the rest."""

    low: int
    high: int
    due: int
    passage: Passage


class Body:
    """Steps one after another, and what is known of them as the rounds of a loop, however often that runs."""

    def __init__(self, parts: tuple[Any, ...], serves: bool) -> None:
        """`parts`: instructions as a walker takes them, and loops. `serves`: whether a refresh may come among them."""
        self.parts, self.serves = parts, serves
        self.quiet, self.served = Chains(), Chains()
        """Rounds without refresh, by state; rounds with one, by state and the times until refreshes fall due."""
        self.slack = 0
        """The most cycles after its end for which an iteration without refresh still admits one."""
        self.spans: dict[Hashable, list[Span]] = {}
        """Rounds with a refresh, by state, for walkers that tell how far refreshes may be moved."""


class BodyLoop:
    """A body, `times` times."""

    def __init__(self, times: int, body: Body) -> None:
        self.times, self.body = times, body


class Bodies:
    """Programs as bodies; equal steps are one body, and share what is known about them."""

    def __init__(self, leaf: Callable[[Any], Any], serves: Callable[[Any], bool]) -> None:
        """`leaf`: a step as a walker takes it, which may be a loop. `serves`: whether a refresh may come at one."""
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
    """A channel model on its way through a program, refreshes included."""

    TELLS_SPANS: ClassVar[bool] = False
    """True if it has one series of refreshes, and asks `before` wherever its way hangs on when they fall due."""
    sooner = later = FAR
    """By how many cycles refreshes could fall due sooner or later, and all would have gone as it did since these were
    set."""

    def before(self, due: int, moment: int) -> bool:
        """True if something that hangs on the next refresh comes before a moment that does not."""
        if due < moment:
            self.later = min(self.later, moment - due - 1)
            return True
        self.sooner = min(self.sooner, due - moment)
        return False

    @abstractmethod
    def step(self, leaf: Any) -> None:
        """Pass one instruction, and the refreshes that come with it."""

    @abstractmethod
    def settle(self) -> None:
        """Serve the refreshes that come before anything else does."""

    @abstractmethod
    def position(self) -> Position:
        """Its position."""

    @abstractmethod
    def restore(self, position: Position) -> Position:
        """Stand where it stood, or would stand; gives that place, with what is settled there."""

    @abstractmethod
    def over(self) -> int:
        """The last cycle that belongs to what has run: a refresh that falls due until then comes with it."""

    def walk(self, body: Body) -> None:
        """Pass steps, one after another."""
        for part in body.parts:
            if isinstance(part, BodyLoop):
                self.settle()
                self._loop(part.body, part.times)
            else:
                self.step(part)

    def _loop(self, body: Body, left: int) -> None:
        here, jumped = self.position(), False
        latest: tuple[Moment, int, Position] | None = None
        """The last round with a refresh: its start, how many rounds were left, and the place."""
        while left:
            room = min(here.due) - here.now - 1 - body.slack if here.due and body.serves else FAR
            if (passage := body.quiet.passed(here.state, left, room)) is not None:
                if room < FAR and self.TELLS_SPANS:
                    self._limit(passage, room, left)
                if passage.rounds:
                    here, left, jumped = here.after(passage, passage.key, here.due), left - passage.rounds, True
                    if not left:
                        break
            if here.due and body.served.places:
                start = Moment(here.state, here.ahead())
                if (passage := body.served.passed(start, left)) is not None and passage.rounds:
                    _follow(body, latest, start, left, here)
                    latest, end = None, passage.key
                    assert isinstance(end, Moment)
                    now = here.now + passage.cycles
                    here = here.after(passage, end.state, tuple([now + cycles for cycles in end.ahead]))
                    left, jumped = left - passage.rounds, True
                    self.sooner = self.later = 0
                    continue
            if jumped:
                jumped, settled = False, self.restore(here)
                if settled.due != here.due:  # a refresh came in between
                    here, latest = settled, None
                    continue
            before = here
            here, over = self._round(body, here)
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

    def _round(self, body: Body, here: Position) -> tuple[Position, int]:
        """Pass one round; gives the place after it, and its last cycle (`over`). Rounds with refreshes are passed but
        once for each state, and for each span of times until the refresh in which all goes alike."""
        if not (self.TELLS_SPANS and here.due):
            self.walk(body)
            over = self.over()
            return self.position(), over
        ahead, spans = here.due[0] - here.now, body.spans.get(here.state)
        span = next((one for one in spans if one.low <= ahead <= one.high), None) if spans else None
        if span is not None:
            here = self.restore(here.after(span.passage, span.passage.key, (here.due[0] + span.due,)))
        else:
            around, before = (self.sooner, self.later), here
            self.sooner = self.later = FAR
            self.walk(body)
            here = self.position()
            if (moved := here.due[0] - before.due[0]) != 0:
                counts = tuple(map(sub, here.counts, before.counts))
                passage = Passage(here.state, 1, here.now - before.now, counts)
                span = Span(ahead - self.sooner, ahead + self.later, moved, passage)
                body.spans.setdefault(before.state, []).append(span)
            self.sooner, self.later = min(self.sooner, around[0]), min(self.later, around[1])
            return here, self.over()
        self.sooner, self.later = min(self.sooner, ahead - span.low), min(self.later, span.high - ahead)
        return here, self.over()

    def _limit(self, passage: Passage, room: int, left: int) -> None:
        """Note by how much a jump over rounds without refresh hangs on when the next one falls due."""
        if passage.rounds:
            self.sooner = min(self.sooner, room - passage.cycles)
        if passage.rounds < left:
            self.later = min(self.later, passage.cycles + passage.following - room - 1)


def _follow(body: Body, latest: tuple[Moment, int, Position] | None, start: Moment, left: int, here: Position) -> None:
    """Remember how a loop came from one round with a refresh to the next."""
    if latest is not None:
        from_, before, there = latest
        counts = tuple(map(sub, here.counts, there.counts))
        body.served.add(from_, Passage(start, before - left, here.now - there.now, counts))

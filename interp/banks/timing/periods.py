"""Where a loop goes from one refresh to the next: rounds into which a refresh falls, each with all that passes until
the next such round, as trails that are walked once and then passed by a search in their sums."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable
from operator import add, sub
from typing import Generic, NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)
Counts = tuple[int, ...]


class Passage(NamedTuple, Generic[Key]):
    """What a loop has passed: where it stands now, how many rounds it took, and by how much all counters grew."""

    key: Key
    rounds: int
    counts: Counts


class _Trail(Generic[Key]):
    """Keys that follow each other, with the sums of rounds and counters up to each."""

    def __init__(self, key: Key, width: int) -> None:
        self.keys = [key]
        self.rounds = [0]
        self.counts: list[Counts] = [(0,) * width]
        self.link: tuple[_Trail[Key], int, int, Counts] | None = None
        """Where the last key leads to, if not to a new one: trail and place there, rounds and counters until then."""

    def between(self, first: int, last: int) -> tuple[int, Counts]:
        return self.rounds[last] - self.rounds[first], tuple(map(sub, self.counts[last], self.counts[first]))


class Trails(Generic[Key]):
    """All trails of a loop. A key tells a round's start and how long it is until the refresh that falls into it."""

    def __init__(self) -> None:
        self.places: dict[Key, tuple[_Trail[Key], int]] = {}

    def add(self, key: Key, passage: Passage[Key]) -> None:
        """From one key on, the next one is that of a passage."""
        place = self.places.get(key)
        if place is None:
            place = self.places[key] = _Trail(key, len(passage.counts)), 0
        trail, at = place
        if at != len(trail.keys) - 1 or trail.link is not None:
            return
        if (known := self.places.get(passage.key)) is not None:
            trail.link = *known, passage.rounds, passage.counts
            return
        trail.keys.append(passage.key)
        trail.rounds.append(trail.rounds[-1] + passage.rounds)
        trail.counts.append(tuple(map(add, trail.counts[-1], passage.counts)))
        self.places[passage.key] = trail, at + 1

    def passed(self, key: Key, left: int) -> Passage[Key] | None:
        """As far as the trails go from a key on within so many rounds; None if that is no step."""
        place = self.places.get(key)
        if place is None:
            return None
        (trail, at), rounds = place, 0
        counts: Counts = (0,) * len(trail.counts[0])
        while True:
            last = bisect_right(trail.rounds, trail.rounds[at] + left - rounds) - 1
            more, grown = trail.between(at, last)
            rounds, counts, at = rounds + more, tuple(map(add, counts, grown)), last
            if last < len(trail.keys) - 1 or trail.link is None or trail.link[2] > left - rounds:
                break
            target, entry, steps, grown = trail.link
            if target is trail:
                lap, each = trail.between(entry, last)
                laps = (left - rounds) // (lap + steps)
                rounds += laps * (lap + steps)
                counts = tuple(c + laps * (a + b) for c, a, b in zip(counts, each, grown, strict=True))
                if steps > left - rounds:
                    break
            rounds, counts = rounds + steps, tuple(map(add, counts, grown))
            trail, at = target, entry
        return Passage(trail.keys[at], rounds, counts) if rounds else None

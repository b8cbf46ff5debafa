"""Bytes held in memories, and bytes moved, over time: for summaries, plots and traces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from interp.machine.memory_system import MemorySystem
from interp.ranges import inside, joined
from interp.simulate.memory.residence import Residence, TransferKind

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Curve:
    """A piecewise linear function of time: `values` at `times` (ns, ascending; a jump is two points at one time)."""

    times: Floats
    values: Floats

    def at(self, times: Floats, side: Literal["left", "right"] = "right") -> Floats:
        """The curve's values at `times`, which are ascending. At a jump the result is the value after the jump, or
        before it if `side` is left; before the curve's first point it is the first value, after the last point the
        last value."""
        if not len(self.times):
            return np.zeros(len(times))
        place = np.searchsorted(self.times, times, side=side)
        before, after = np.maximum(place - 1, 0), np.minimum(place, len(self.times) - 1)
        width = self.times[after] - self.times[before]
        part = np.divide(times - self.times[before], width, out=np.zeros(len(times)), where=width > 0)
        return self.values[before] + np.clip(part, 0, 1) * (self.values[after] - self.values[before])

    @classmethod
    def of_amounts(cls, begins: Floats, ends: Floats, amounts: Floats) -> Curve:
        """The cumulative sum of amounts over time, each added at a constant rate from its begin to its end (ns), or at
        once if begin and end are equal."""
        at_once = ends <= begins
        times, place = np.unique(np.concatenate((begins, ends)), return_inverse=True)
        slopes, jumps = np.zeros(len(times)), np.zeros(len(times))
        rates = np.divide(amounts, ends - begins, out=np.zeros(len(amounts)), where=~at_once)
        np.add.at(slopes, place[: len(begins)], rates)
        np.add.at(slopes, place[len(begins) :], -rates)
        np.add.at(jumps, place[: len(begins)], np.where(at_once, amounts, 0.0))
        grown = np.concatenate(([0.0], np.cumsum(np.cumsum(slopes)[:-1] * np.diff(times)))) if len(times) else times
        behind = grown + np.cumsum(jumps)
        return cls(np.repeat(times, 2), np.stack((behind - jumps, behind), axis=1).ravel())

    @property
    def peak(self) -> float:
        """The largest value; 0 for a curve without points."""
        return float(self.values.max(initial=0.0))

    @property
    def end(self) -> float:
        """The last value; 0 for a curve without points."""
        return float(self.values[-1]) if len(self.values) else 0.0

    def most_in(self, edges: Floats) -> Floats:
        """The curve's largest value between each two consecutive times of `edges` (ascending)."""
        ends = self.at(edges)
        found = np.maximum(ends[:-1], ends[1:])
        place = np.searchsorted(edges, self.times, side="right") - 1
        inside = (place >= 0) & (place < len(found))
        np.maximum.at(found, place[inside], self.values[inside])
        return found

    def between(self, since: float, until: float) -> Curve:
        """The part of the curve from time `since` to time `until`, with times shifted to begin at 0 ns."""
        inner = (self.times > since) & (self.times < until)
        first = self.at(np.array([since]))
        last = self.at(np.array([until]), "left"), self.at(np.array([until]))
        times = np.concatenate(([since], self.times[inner], [until, until])) - since
        return Curve(times, np.concatenate((first, self.values[inner], *last)))


@dataclass(frozen=True, eq=False)
class Level:
    """The number of bytes held over time in a memory of `capacity` bytes."""

    name: str
    capacity: int
    held: Curve


@dataclass(frozen=True, eq=False)
class History:
    """Bytes held in memories, and bytes moved, until `end_ns`: the levels of the device's memory and of its tiers,
    cumulative bytes moved by cause (`prefetched`, `faulted`, `evicted`), and the times for which the device's next task
    waited for bytes or room."""

    levels: tuple[Level, ...]
    moved: Mapping[str, Curve]
    stalls: tuple[tuple[float, float], ...]
    """Begin and end of each stall, in ns, ascending; adjacent stalls are merged."""
    end_ns: float

    @property
    def stalled_ns(self) -> float:
        """The total time of all stalls."""
        return sum(end - begin for begin, end in self.stalls)

    @property
    def stalled(self) -> Curve:
        """The cumulative time stalled, ns."""
        times, values, total = [0.0], [0.0], 0.0
        for begin, end in self.stalls:
            times += [begin, end]
            values += [total, total + end - begin]
            total += end - begin
        return Curve(np.array([*times, self.end_ns]), np.array([*values, total]))

    def between(self, since: float, until: float) -> History:
        """The part of the history from time `since` to time `until`, with times shifted to begin at 0 ns; cumulative
        bytes moved begin at 0 as well."""

        def fresh(curve: Curve) -> Curve:
            part = curve.between(since, until)
            return Curve(part.times, part.values - part.values[0])

        return History(
            tuple(Level(each.name, each.capacity, each.held.between(since, until)) for each in self.levels),
            {word: fresh(curve) for word, curve in self.moved.items()},
            tuple((begin - since, end - since) for begin, end in inside(self.stalls, since, until)),
            until - since,
        )


class Moved(NamedTuple):
    """Bytes moved between two times, with the cause of the move."""

    word: str
    since: float
    until: float
    nbytes: float


def history_of(
    memories: Sequence[tuple[str, int]],
    samples: Sequence[tuple[float, float, Sequence[float]]],
    moved: Iterable[Moved],
    stalls: Iterable[tuple[float, float]],
    end_ns: float,
) -> History:
    """A history from an engine's records. `memories`: names and capacities, the device's own memory first; `samples`:
    time, bytes in the device's memory, and bytes in each tier."""
    times = np.array([time for time, _, _ in samples], float)
    held = np.array([(used, *tiers) for _, used, tiers in samples], float).reshape(len(samples), len(memories))
    levels = tuple(
        Level(name, capacity, Curve(times, held[:, place])) for place, (name, capacity) in enumerate(memories)
    )
    of_word: dict[str, list[Moved]] = {}
    for each in moved:
        of_word.setdefault(each.word, []).append(each)
    curves = {word: _summed(of_word[word]) for word in WORDS if word in of_word}
    return History(levels, curves, tuple(joined(stalls)), end_ns)


WORDS = ("prefetched", "faulted", "evicted", "written back")
"""The causes of moves, in the order of tables and plots."""


def _summed(moved: Sequence[Moved]) -> Curve:
    columns = np.array([each[1:] for each in moved], float).reshape(-1, 3)
    return Curve.of_amounts(columns[:, 0], columns[:, 1], columns[:, 2])


def _memories(system: MemorySystem) -> list[tuple[str, int]]:
    return [(system.device, system.capacity), *((tier.name, tier.capacity) for tier in system.tiers)]


def history_of_program(residence: Residence) -> History:
    """The history of a program's run on a device whose data exceed its own memory and occupy further tiers."""
    moved = (
        Moved(_WORD_OF[transfer.kind], transfer.start_ns, transfer.end_ns, transfer.nbytes)
        for transfer in residence.transfers
    )
    stalls = ((stall.start_ns, stall.end_ns) for stall in residence.stalls)
    return history_of(_memories(residence.system), residence.samples, moved, stalls, residence.makespan_ns)


_WORD_OF: Mapping[TransferKind, str] = {
    "prefetch": "prefetched",
    "fault": "faulted",
    "evict": "evicted",
    "write back": "written back",
}

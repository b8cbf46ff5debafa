"""The contents of memories over time: weights and constants from the start on, values while they are live."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from math import inf
from operator import itemgetter
from typing import NamedTuple


@dataclass(frozen=True)
class Need:
    """Bytes that a device's memory must hold: residents (weights and constants, from start to end) and, in addition,
    the peak of live values."""

    resident: int = 0
    live: int = 0

    @property
    def total(self) -> int:
        return self.resident + self.live


@dataclass(eq=False, slots=True)
class Hold:
    """A value in a device's memory. Job `maker` writes it (None: it is in memory from the start), jobs `readers` read
    it; if `kept`, it stays until the program ends.

    It is live from its maker's start to its last reader's end, or until its heir begins; without readers, as long as
    its maker runs.
    """

    device: str
    nbytes: int
    maker: int | None = None
    readers: list[int] = field(default_factory=list[int])
    kept: bool = False
    heir: int | None = None
    """A job that takes over the hold's memory when the job begins (a loop, whose carried values reuse it)."""
    takes: tuple[Hold, ...] = ()
    """The holds whose memory this hold's maker takes over (the maker is their heir)."""
    writers: tuple[int, ...] = ()
    """The jobs, among the hold's readers, that write the value in place."""
    piece: int | None = None
    """The number of the slice of a stack (interp/walk/stacks.py) that the hold is; None for a whole value."""

    @property
    def users(self) -> list[int]:
        """The jobs that write or read the value in this memory, its maker first."""
        return self.readers if self.maker is None else [self.maker, *self.readers]


def paired(given: Sequence[Hold], taken: Sequence[Hold]) -> list[tuple[Hold, Hold]]:
    """The memory of an argument and that of the result that takes it over, piece by piece; empty if the pieces
    differ."""
    same = [hold.nbytes for hold in given] == [hold.nbytes for hold in taken]
    return list(zip(given, taken, strict=True)) if same or len(given) == len(taken) == 1 else []


def inherit(given: Sequence[Hold], taken: Sequence[Hold]) -> None:
    """Let a result, with the holds `taken`, reuse the memory of an argument, with the holds `given`, if no job reads
    the argument, or if the job that makes the result is its last reader: this job then reads and writes in place. A
    result reuses the memory of one argument only, and a loop's result that of the loop's initial value."""
    for before, after in paired(given, taken):
        maker = after.maker
        if before is after or after.takes or maker is None:
            continue
        if maker == (before.readers or [maker])[-1]:
            before.readers = [reader for reader in before.readers if reader != maker]
            before.heir = maker
            after.takes = (before,)


class Span(NamedTuple):
    """The times in ns between which a value is in a memory, and its bytes. `given`: it is there when the program
    starts; `unread`: and no task reads it."""

    start: float
    end: float
    nbytes: int
    given: bool
    unread: bool


class Residency:
    """The values and weights that a program holds in its devices' memories."""

    def __init__(self) -> None:
        self.holds: list[Hold] = []
        """All holds of values, in the order of their creation."""
        self.residents: dict[tuple[str, Hashable], Hold] = {}
        """Values that lie on devices from the start to the end, by device and by the key that names the value."""

    def resident(self, device: str, what: Hashable, nbytes: int) -> Hold:
        """Record a weight, a constant, or rows that programs write, as resident on a device from start to end. Records
        of the same name `what` count once, with the largest of their sizes."""
        found = self.residents.get((device, what))
        if found is None:
            found = self.residents[device, what] = Hold(device, nbytes, kept=True)
        elif nbytes > found.nbytes:
            found.nbytes = nbytes
        return found

    def include(self, other: Residency, job: int) -> None:
        """Add the residents of another part of the program, all of whose jobs are represented here by the single job
        `job`. They count as resident for the whole program."""
        for (device, what), hold in other.residents.items():
            found = self.resident(device, what, hold.nbytes)
            if hold.readers:
                found.readers.append(job)

    def hold(self, device: str, nbytes: int, maker: int | None = None) -> Hold:
        """Record a value in a device's memory, written by job `maker` (None: in memory from the start)."""
        self.holds.append(Hold(device, nbytes, maker))
        return self.holds[-1]

    def needs(
        self, devices: Iterable[str], begins: Sequence[float] = (), ends: Sequence[float] = ()
    ) -> dict[str, Need]:
        """The memory that each device needs if the jobs start and end at these times."""
        resident: dict[str, int] = defaultdict(int)
        for hold in self.residents.values():
            resident[hold.device] += hold.nbytes
        spans = self._spans(begins, ends)
        return {device: Need(resident[device], _peak(spans[device])) for device in devices}

    def steps(
        self, devices: Iterable[str], begins: Sequence[float], ends: Sequence[float]
    ) -> dict[str, list[tuple[float, int]]]:
        """For each device, the bytes of its live values over time, if the jobs start and end at these times: pairs
        (time, bytes), ascending, each valid until the time of the next pair. Of two pairs with the same time, the
        first counts only for the peak. The largest number of bytes is the peak that `needs` reports."""
        spans = self._spans(begins, ends)
        return {device: _steps(spans[device]) for device in devices}

    def _spans(self, begins: Sequence[float], ends: Sequence[float]) -> dict[str, list[Span]]:
        """For each device, the span of each value in its memory."""
        spans: dict[str, list[Span]] = defaultdict(list)
        for hold in self.holds:
            start = 0.0 if hold.maker is None else begins[hold.maker]
            end = inf if hold.kept else max((ends[user] for user in hold.users), default=0.0)
            end = end if hold.heir is None else max(end, begins[hold.heir])
            if hold.heir is None or end > start:  # otherwise its heir has the memory from that moment on
                given = hold.maker is None
                spans[hold.device].append(Span(start, end, hold.nbytes, given, given and not hold.users))
        return spans


def _changes(spans: Iterable[Span]) -> list[tuple[float, int, int]]:
    """The changes of the bytes held, sorted, as (time, rank, change in bytes). At equal times, ends of values (rank 1)
    precede starts (rank 2), since a result may reuse the memory of a value that the previous task read. The end of a
    value of zero duration follows its start (rank 3), so that the value counts at that time. Values that the program is
    given (rank 0) are all there before it starts; those that nothing reads are gone when it has."""
    changes: list[tuple[float, int, int]] = []
    for start, end, nbytes, given, unread in spans:
        changes.append((start, 0 if given else 2, nbytes))
        changes.append((end, 1 if unread or end > start else 3, -nbytes))
    changes.sort()
    return changes


def _peak(spans: Iterable[Span]) -> int:
    """The peak of the bytes held."""
    return max(accumulate([change for _, _, change in _changes(spans)]), default=0)


def _steps(spans: Iterable[Span]) -> list[tuple[float, int]]:
    """Pairs (time, bytes held from then on), from (start, end, bytes) of each value; see `Residency.steps`."""
    found: list[tuple[float, int]] = []
    level = 0
    for at, same in groupby(_changes(spans), key=itemgetter(0)):
        if at == inf:  # values that are kept
            break
        levels = list(accumulate([change for _, _, change in same], initial=level))[1:]
        level = levels[-1]
        if max(levels) > level:
            found.append((at, max(levels)))
        found.append((at, level))
    return found

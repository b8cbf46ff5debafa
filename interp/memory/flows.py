"""Bytes under way between a device's memory and the tiers behind it, and how they share links and room."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

EXACT = 0.25
"""Bytes that rounding of times may leave over."""


class Entry:
    """A move that has been issued: what is left of it, and what it waits for."""

    __slots__ = (
        "after", "asked", "behind", "cumulative", "inward", "issued", "kind", "latency", "number", "ranges", "rate",
        "ready", "step", "tensor", "tier",
    )  # fmt: skip

    def __init__(
        self, number: int, kind: str, tensor: int, ranges: list[tuple[int, int]], tier: int, issued: int
    ) -> None:
        """`number`: the move's in its plan, -1 for what a pager decides; `issued` counts what is issued."""
        self.number, self.kind, self.tensor, self.ranges, self.tier = number, kind, tensor, ranges, tier
        self.issued = issued
        self.inward = kind in ("prefetch", "fault")
        self.ready = 0.0
        """Time, in ns, at which its first byte may go; below 0 until a fault is served."""
        self.after = -1
        """The step that must have ended before."""
        self.behind: int | None = None
        """The move that must have been done before, by its number in the plan."""
        self.step = -1
        """The step that waits for it, whatever is there; -1 where none does."""
        self.asked: list[tuple[int, int]] | None = None
        """Bytes of which those that are missing are to be found when its turn comes."""
        self.latency = 0.0
        """For faults: what passes from the end of the one before to the first byte, ns."""
        self.rate = 0.0
        """For faults: bytes/ns at most; 0 where links alone limit it."""
        self.cumulative = 0
        """The bytes that its queue was ever given, up to its end."""

    @property
    def left(self) -> int:
        """The bytes that have not been handled."""
        if len(self.ranges) == 1:
            return self.ranges[0][1] - self.ranges[0][0]
        return sum(last - first for first, last in self.ranges)

    def subtract(self, ranges: Sequence[tuple[int, int]]) -> None:
        """Leave out bytes."""
        for out_first, out_last in ranges:
            kept: list[tuple[int, int]] = []
            for first, last in self.ranges:
                if first < min(last, out_first):
                    kept.append((first, min(last, out_first)))
                if max(first, out_last) < last:
                    kept.append((max(first, out_last), last))
            self.ranges = kept


class Flow:
    """Bytes [first, last) of a tensor on their way, of which `moved` have arrived."""

    __slots__ = (
        "entry", "first", "frees", "inward", "last", "limit", "logged", "moved", "rate", "since", "tensor", "tier",
        "urgent",
    )  # fmt: skip

    def __init__(
        self, entry: Entry, first: int, last: int, tier: int, limit: float, frees: bool, now: tuple[float, int]
    ) -> None:
        self.entry, self.first, self.last, self.tier = entry, first, last, tier
        self.tensor, self.inward = entry.tensor, entry.inward
        self.limit = limit
        """Bytes/ns that it could take alone."""
        self.frees = frees
        """True if the memory that its bytes leave is freed as they leave."""
        self.moved = 0.0
        self.logged = 0
        """The whole bytes that the log knows of."""
        self.rate = 0.0
        self.since = now
        """Moment at which it had moved `logged` bytes: time in ns, and number of starts and ends of kernels before."""
        self.urgent = False
        """True if the next kernel waits for it."""


class Queue:
    """The moves of one direction and tier, in the order of their issue, and the one that is under way."""

    __slots__ = ("busy_until", "entries", "flow", "inward", "issued", "tier", "urgent", "wants")

    def __init__(self, inward: bool, tier: int) -> None:
        self.inward, self.tier = inward, tier
        self.entries: deque[Entry] = deque()
        self.flow: Flow | None = None
        self.issued = 0
        """The bytes that it was ever given."""
        self.urgent = -1
        """The number of the last move that the next kernel waits for."""
        self.wants = 0
        """Bytes of room that its first move waits for, to take them at once."""
        self.busy_until = 0.0

    def add(self, entry: Entry) -> None:
        """Put a move at the end."""
        self.issued += entry.left
        entry.cumulative = self.issued
        self.entries.append(entry)

    @property
    def waiting(self) -> int:
        """The bytes of all moves that have not been handled, at most."""
        return self.issued - self.entries[0].cumulative + self.entries[0].left if self.entries else 0

    def left_up_to(self, entry: Entry) -> float:
        """The bytes that are still to come up to the end of a move of its own, at most."""
        front = self.entries[0]
        return entry.cumulative - front.cumulative + front.left - (self.flow.moved if self.flow is not None else 0.0)


def share(
    flows: Sequence[Flow], in_rate: float, out_rate: float, in_rates: Sequence[float], out_rates: Sequence[float]
) -> None:
    """Give each flow its rate where there is room for all: those that the next kernel waits for first, and equal shares
    of what is left of a direction to as many as can use them. Rates in bytes/ns: the bus's, and each tier's."""
    for inward, bus, tiers in ((True, in_rate, in_rates), (False, out_rate, out_rates)):
        way = [flow for flow in flows if flow.inward is inward]
        if len(way) == 1:
            way[0].rate = min(way[0].limit, bus, tiers[way[0].tier])
            continue
        left = bus
        of_tiers = list(tiers)
        for urgent in (True, False):
            chosen = sorted((flow for flow in way if flow.urgent is urgent), key=_limit)
            for place, flow in enumerate(chosen):
                flow.rate = min(flow.limit, left / (len(chosen) - place), of_tiers[flow.tier])
                left -= flow.rate
                of_tiers[flow.tier] -= flow.rate


def _limit(flow: Flow) -> float:
    return flow.limit


def hold_back(flows: Sequence[Flow], free: float, slack: float, rooms: Sequence[float]) -> None:
    """Lower the rates to what there is room for: where a memory is full, only as much arrives as leaves at the same
    time.

    `free`: room in the device's memory; `slack`: what of it the next kernel leaves to others; `rooms`: room in each
    tier. Memories that are both full exchange bytes.
    """
    full = [tier for tier, room in enumerate(rooms) if room <= EXACT]
    if slack <= EXACT:
        _hold_back_inward(flows, free, slack, full)
    for tier in full:
        coming = [flow for flow in flows if not flow.inward and flow.tier == tier]
        _lower(coming, sum(flow.rate for flow in flows if flow.inward and flow.frees and flow.tier == tier))


def _hold_back_inward(flows: Sequence[Flow], free: float, slack: float, full: Sequence[int]) -> None:
    exchanged: dict[Flow, float] = {}
    for tier in full:
        coming = [flow for flow in flows if flow.inward and flow.frees and flow.tier == tier]
        total = sum(flow.rate for flow in coming)
        leaving = sum(flow.rate for flow in flows if not flow.inward and flow.frees and flow.tier == tier)
        for flow in coming:
            exchanged[flow] = flow.rate * min(1.0, leaving / total) if total else 0.0
    spare = sum(flow.rate for flow in flows if not flow.inward and flow.frees and flow.tier not in full)
    for urgent in (True, False):
        if urgent and free > EXACT:
            continue
        chosen = [flow for flow in flows if flow.inward and flow.urgent is urgent]
        more = [flow.rate - exchanged.get(flow, 0.0) for flow in chosen]
        allowed = spare if urgent or slack >= -EXACT else 0.0
        factor = min(1.0, allowed / sum(more)) if sum(more) else 0.0
        for flow, rest in zip(chosen, more, strict=True):
            flow.rate = exchanged.get(flow, 0.0) + factor * rest
        spare -= factor * sum(more)


def _lower(flows: Sequence[Flow], most: float) -> None:
    """Scale rates down so that they sum up to no more."""
    total = sum(flow.rate for flow in flows)
    if total > most:
        for flow in flows:
            flow.rate *= most / total

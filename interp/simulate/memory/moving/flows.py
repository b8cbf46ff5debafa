"""Transfers under way between a device's memory and the tiers behind it, and the rates that they get from shared links
and limited room."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

EXACT = 0.25
"""The number of bytes by which amounts may differ because times are rounded."""


SOON = 1e-3
"""The difference, in ns, up to which two times count as equal."""


class Entry:
    """A move that has been issued: its remaining bytes, and the conditions under which it may start."""

    __slots__ = (
        "behind",
        "cumulative",
        "inward",
        "issued",
        "kind",
        "latency",
        "number",
        "ranges",
        "rate",
        "ready",
        "requested",
        "step",
        "tensor",
        "tier",
    )  # fmt: skip

    def __init__(
        self, number: int, kind: str, tensor: int, ranges: list[tuple[int, int]], tier: int, issued: int
    ) -> None:
        """`number`: the move's number in its plan, -1 for moves of a pager; `issued`: a serial number over all moves,
        in the order of their issue."""
        self.number, self.kind, self.tensor, self.ranges, self.tier = number, kind, tensor, ranges, tier
        self.issued = issued
        self.inward = kind in ("prefetch", "fault")
        self.ready = 0.0
        """Time, in ns, at which its first byte may move; below 0 until a fault is served."""
        self.behind: int | None = None
        """The move, by its number in the plan, that must be done before it starts."""
        self.step = -1
        """The step that waits for it, even if no byte is missing; -1 for none."""
        self.requested: list[tuple[int, int]] | None = None
        """The requested bytes; the missing ones among them are determined when it is next in its queue."""
        self.latency = 0.0
        """For faults: the time from the end of the fault before to the first byte, ns."""
        self.rate = 0.0
        """For faults: the maximum rate, bytes/ns; 0 if only links limit it."""
        self.cumulative = 0
        """The bytes ever added to its queue, up to and including this entry."""

    @property
    def left(self) -> int:
        """The bytes that remain to be moved."""
        if len(self.ranges) == 1:
            return self.ranges[0][1] - self.ranges[0][0]
        return sum(last - first for first, last in self.ranges)

    def subtract(self, ranges: Sequence[tuple[int, int]]) -> None:
        """Remove bytes from the entry."""
        for out_first, out_last in ranges:
            kept: list[tuple[int, int]] = []
            for first, last in self.ranges:
                if first < min(last, out_first):
                    kept.append((first, min(last, out_first)))
                if max(first, out_last) < last:
                    kept.append((max(first, out_last), last))
            self.ranges = kept


class Flow:
    """A transfer of bytes [first, last) of a tensor, of which `moved` have arrived."""

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
        """The rate, bytes/ns, that it reaches if no other transfer shares the link."""
        self.frees = frees
        """True if the source memory is freed as the bytes leave."""
        self.moved = 0.0
        self.logged = 0
        """The whole bytes that are in the log."""
        self.rate = 0.0
        self.since = now
        """The point at which it had moved `logged` bytes: time in ns, and number of starts and ends of kernels
        before."""
        self.urgent = False
        """True if the next kernel waits for it."""


class Queue:
    """The moves of one direction and tier, in the order of their issue, and the transfer under way."""

    __slots__ = ("busy_until", "entries", "flow", "inward", "issued", "tier", "urgent", "wants")

    def __init__(self, inward: bool, tier: int) -> None:
        self.inward, self.tier = inward, tier
        self.entries: deque[Entry] = deque()
        self.flow: Flow | None = None
        self.issued = 0
        """The bytes ever added to it."""
        self.urgent = -1
        """The number of the last move that the next kernel waits for."""
        self.wants = 0
        """Bytes of room that its first move waits for, to allocate them at once."""
        self.busy_until = 0.0

    def add(self, entry: Entry) -> None:
        """Append a move."""
        self.issued += entry.left
        entry.cumulative = self.issued
        self.entries.append(entry)

    @property
    def waiting(self) -> int:
        """An upper bound on the bytes that all moves in the queue still have to move."""
        return self.issued - self.entries[0].cumulative + self.entries[0].left if self.entries else 0

    def left_up_to(self, entry: Entry) -> float:
        """An upper bound on the bytes that the queue still has to move until the move `entry`, which is in the queue,
        is done."""
        front = self.entries[0]
        return entry.cumulative - front.cumulative + front.left - (self.flow.moved if self.flow is not None else 0.0)


def share(flows: Sequence[Flow], rate: float, tiers: Sequence[float]) -> None:
    """Set the rate of each flow of one direction of a bus, in bytes/ns, without regard to room. The flows that the next
    kernel waits for first share the bus's rate (`rate`) equally (a flow that can't use its full part leaves it to the
    others); then all other flows share the remaining rate in the same way. `tiers`: the rate of each tier, which its
    flows can't exceed together."""
    if len(flows) == 1:
        flows[0].rate = min(flows[0].limit, rate, tiers[flows[0].tier])
        return
    left = rate
    of_tiers = list(tiers)
    for urgent in (True, False):
        chosen = sorted((flow for flow in flows if flow.urgent is urgent), key=_limit)
        for place, flow in enumerate(chosen):
            flow.rate = min(flow.limit, left / (len(chosen) - place), of_tiers[flow.tier])
            left -= flow.rate
            of_tiers[flow.tier] -= flow.rate


def _limit(flow: Flow) -> float:
    return flow.limit


def hold_back(flows: Sequence[Flow], free: float, slack: float, rooms: Sequence[float]) -> None:
    """Reduce the rates of transfers to the available room: into a full memory, bytes arrive only as fast as other bytes
    leave it.

    `free`: unallocated bytes of the device's memory; `slack`: the part of them that the next kernel does not need;
    `rooms`: unallocated bytes of each tier. Two memories that are both full exchange bytes at equal rates.
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
    """Scale the rates of some transfers down so that their sum is at most `most`, in bytes/ns."""
    total = sum(flow.rate for flow in flows)
    if total > most:
        for flow in flows:
            flow.rate *= most / total

"""Profiles: measured times of ops on a device and of copies between two devices, which replace the times computed from
sheets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2s
from statistics import median, quantiles
from typing import Literal, TypeAlias

FORMAT = "ndpir-profile-1"
"""The format name in the header of a profile's file."""

Kind: TypeAlias = Literal["measured", "simulated"]
"""The origin of times: a wall clock, or a simulation."""


@dataclass(frozen=True, kw_only=True)
class MeasuredTimes:
    """The times in ns of repeated runs of one op or copy. Costs use the median, which a few disturbed runs do not
    change."""

    times_ns: tuple[float, ...]
    kind: Kind = "measured"

    @property
    def median_ns(self) -> float:
        return median(self.times_ns)

    @property
    def spread_ns(self) -> float:
        """The width of the middle half of the times (the interquartile range); 0 for a single time."""
        if len(self.times_ns) < 2:
            return 0.0
        low, _, high = quantiles(self.times_ns, n=4, method="inclusive")
        return high - low


@dataclass(frozen=True, kw_only=True)
class ProfileRow(MeasuredTimes):
    """The time of an op or fused group on a device. `device`: its name in the machine, or the name of its sheet. `key`:
    identifies the work (interp/walk/work_key.py); `op` and `shapes` describe it for readers."""

    device: str
    key: str
    op: str = ""
    shapes: str = ""


@dataclass(frozen=True, kw_only=True)
class CopyRow(MeasuredTimes):
    """The time of copying a number of bytes from one device to another."""

    source: str
    target: str
    bytes: int


Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"
"""The values that a header may contain."""


@dataclass(frozen=True, eq=False)
class Profile:
    """Rows, copies and a header about their origin: for instance `host` (processor, cores, memory), `tools` (versions),
    `run` (the command), `date`. The header is only for human readers. `file`: the path from which it was read."""

    rows: tuple[ProfileRow, ...] = ()
    copies: tuple[CopyRow, ...] = ()
    header: Mapping[str, Json] = field(default_factory=dict[str, Json])
    file: str = ""

    @cached_property
    def devices(self) -> tuple[str, ...]:
        """The devices that have rows, in order of appearance."""
        return tuple(dict.fromkeys(row.device for row in self.rows))

    @cached_property
    def ways(self) -> tuple[tuple[str, str], ...]:
        """The (source, target) pairs that have copies, in order of appearance."""
        return tuple(dict.fromkeys((copy.source, copy.target) for copy in self.copies))

    def row(self, names: Iterable[str], key: str) -> ProfileRow | None:
        """The row with a work key on a device; `names` are the device's names, of which the first with a row counts.
        None if there is no row."""
        return next((found for name in names if (found := self._rows.get((name, key))) is not None), None)

    def copy(self, sources: Sequence[str], targets: Sequence[str], nbytes: int) -> CopyRow | None:
        """The row of a copy of exactly `nbytes` bytes between two devices, by any of their names."""
        pairs = ((source, target) for source in sources for target in targets)
        return next((found for a, b in pairs if (found := self._copies.get((a, b, nbytes))) is not None), None)

    @cached_property
    def digest(self) -> str:
        """An eight-digit hash of everything in a profile that affects times."""
        ops = sorted(f"{row.device} {row.key} {float(row.median_ns)!r} {row.kind}" for row in self.rows)
        moved = sorted(f"{c.source} {c.target} {c.bytes} {float(c.median_ns)!r} {c.kind}" for c in self.copies)
        return blake2s("\n".join([*ops, "", *moved]).encode(), digest_size=4).hexdigest()

    @cached_property
    def _rows(self) -> dict[tuple[str, str], ProfileRow]:
        return {(row.device, row.key): row for row in self.rows}

    @cached_property
    def _copies(self) -> dict[tuple[str, str, int], CopyRow]:
        return {(copy.source, copy.target, copy.bytes): copy for copy in self.copies}

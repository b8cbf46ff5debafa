"""What devices must hold while a program runs: weights from the start on, values while they are used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from interp.schedule import Job


@dataclass(frozen=True)
class Need:
    """Bytes that a device must hold: what is resident from the start, and the most that live values take at one
    time."""

    resident: int = 0
    live: int = 0

    @property
    def total(self) -> int:
        return self.resident + self.live


@dataclass
class Hold:
    """A value in a device's memory: made by a job (None: there from the start), read by jobs; `kept` until the end."""

    device: str
    nbytes: int
    maker: int | None = None
    readers: list[int] = field(default_factory=list[int])
    kept: bool = False


class Residency:
    """Collects what a program puts into its devices' memories."""

    def __init__(self) -> None:
        self.holds: list[Hold] = []
        self._resident: dict[tuple[str, Hashable], int] = {}

    def resident(self, device: str, what: Hashable, nbytes: int) -> None:
        """A weight or constant on a device; it counts once, however often it is named."""
        self._resident[device, what] = nbytes

    def hold(self, device: str, nbytes: int, maker: int | None = None) -> Hold:
        """A value on a device."""
        self.holds.append(Hold(device, nbytes, maker))
        return self.holds[-1]

    def needs(self, devices: Iterable[str], jobs: Sequence[Job], begins: Sequence[float]) -> dict[str, Need]:
        """What each device needs if the jobs start at those times."""
        resident: dict[str, int] = defaultdict(int)
        for (device, _), nbytes in self._resident.items():
            resident[device] += nbytes
        # At one moment values are forgotten first: a result may take the place of what the task before it read.
        changes: dict[str, list[tuple[float, int]]] = defaultdict(list)
        for hold in self.holds:
            start = 0.0 if hold.maker is None else begins[hold.maker]
            users = hold.readers if hold.maker is None else [hold.maker, *hold.readers]
            changes[hold.device].append((start, hold.nbytes))
            if not hold.kept:
                changes[hold.device].append((max((begins[u] + jobs[u].ns for u in users), default=0.0), -hold.nbytes))
        return {device: Need(resident[device], _peak(changes[device])) for device in devices}


def _peak(changes: list[tuple[float, int]]) -> int:
    level = peak = 0
    for _, change in sorted(changes):
        level += change
        peak = max(peak, level)
    return peak

"""The record of the run of a program whose data exceed its primary device's memory and occupy further tiers: transfers,
stalls, and bytes held in each memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass
from typing import Literal, TypeAlias

from xdsl.ir import Operation

from dialects.task.memory import MemoryAttr
from interp.machine.memory_system import MemorySystem
from interp.simulate.memory.regime import Regime

TransferKind: TypeAlias = Literal["prefetch", "evict", "write back", "fault"]


@dataclass(frozen=True)
class Transfer:
    """Bytes of a tensor that moved over a link, to the device's memory or to a tier."""

    kind: TransferKind
    name: str
    resource: str
    """The link's direction (`host->gpu`)."""
    tier: str
    start_ns: float
    end_ns: float
    nbytes: float
    energy_nj: float
    source: InitVar[Operation]

    def __post_init__(self, source: Operation) -> None:
        object.__setattr__(self, "_op", source)

    @property
    def op(self) -> Operation:
        """The move in the program, or the task whose faults caused the transfer; no field of the dataclass, so that
        `asdict` does not copy it."""
        return vars(self)["_op"]


@dataclass(frozen=True)
class Stall:
    """A time span in which a task of the device waited only for memory. `event`: the number of the task; None if an
    argument waited for room, or a result for its bytes."""

    event: int | None
    name: str
    start_ns: float
    end_ns: float


@dataclass(frozen=True)
class Residence:
    """One run of a program on a device whose data exceed its own memory and occupy further tiers. Times in ns from the
    run's start.

    If the program does not state which memory holds its values at the start, this run is the last of `runs` serial
    runs, each of which starts with the device's memory as the run before left it.
    """

    device: str
    system: MemorySystem
    regime: Regime
    noted: InitVar[MemoryAttr | None]
    runs: int
    steady: bool
    """True if the last run took as long as the previous one, within 0.1 %."""
    makespan_ns: float
    ideal_ns: float
    """The time, in ns, of the run if the device's memory were large enough for everything."""
    transfers: tuple[Transfer, ...]
    stalls: tuple[Stall, ...]
    samples: tuple[tuple[float, float, tuple[float, ...]], ...]
    """For each change of the bytes in memories: its time, the bytes in the device's memory, and the bytes in each
    tier."""
    peak_live: int
    """The bytes that the device's memory needs for a run without any move."""

    def __post_init__(self, noted: MemoryAttr | None) -> None:
        object.__setattr__(self, "_note", noted)

    @property
    def note(self) -> MemoryAttr | None:
        """The function's note on the rules of its memory, if it has a note; this is no field of the dataclass."""
        return vars(self)["_note"]

    def moved(self, *kinds: TransferKind) -> float:
        """Bytes of all transfers of these kinds."""
        return sum(transfer.nbytes for transfer in self.transfers if transfer.kind in kinds)

    @property
    def stalled_ns(self) -> float:
        """The total time for which tasks waited for memory."""
        return sum(stall.end_ns - stall.start_ns for stall in self.stalls)

    @property
    def peak(self) -> float:
        """The largest number of bytes in the device's memory at any time of the run."""
        return max((used for _, used, _ in self.samples), default=0.0)


def busy_ns(transfers: Sequence[Transfer]) -> dict[str, float]:
    """The time, in ns, for which each direction of a link moves bytes."""
    spans: dict[str, list[tuple[float, float]]] = {}
    for transfer in transfers:
        spans.setdefault(transfer.resource, []).append((transfer.start_ns, transfer.end_ns))
    busy: dict[str, float] = {}
    for resource, each in spans.items():
        total, until = 0.0, float("-inf")
        for start, end in sorted(each):
            total += max(0.0, end - max(start, until))
            until = max(until, end)
        busy[resource] = total
    return busy

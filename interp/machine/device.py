"""The interface of every kind of device: its memory, its idle power, and the element type in which it computes.

A kind is a subclass of `Device` with the fields of its sheet, registered in `interp.machine.sheets.fields.KINDS`, and a
cost model, registered in interp/cost/models.py; a plugin adds its own. Placement, timeline, energy and reports ask what
stands here and never which kind a device is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from xdsl.ir import Operation

    from interp.cost.profile import Profile


@dataclass(frozen=True)
class Assumption:
    """Numbers of a sheet that nobody published and that stand or fall together: their fields, what is stated where it
    is one, the range as it is written, and each field's value at both ends, as a sheet would write it."""

    fields: tuple[str, ...]
    stated: str
    range: str
    low: Mapping[str, str]
    high: Mapping[str, str]
    factor: bool = False
    """True if the range is of factors."""
    at_low: bool = False
    at_high: bool = False
    """True if what is stated is an end of the range."""

    @property
    def name(self) -> str:
        """`launch`, or `energy (12 values)`."""
        if len(self.fields) == 1:
            return self.fields[0].removeprefix("timing.")
        heads = list(dict.fromkeys(field.partition(".")[0] for field in self.fields))
        return f"{', '.join(heads[:2])}{', …' if heads[2:] else ''} ({len(self.fields)} values)"


@dataclass(frozen=True, kw_only=True, eq=False)
class Sheet:
    """Common to all sheets, which are compared by identity: loading a sheet twice gives the same record. `sources` maps
    a number's path in the sheet (`timing.tRP`) to where it comes from."""

    name: str
    kind: str
    description: str
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    file: str = ""
    """The sheet's file."""
    assumed: tuple[Assumption, ...] = ()
    """The statements that are assumed, with a range."""
    unranged: tuple[str, ...] = ()
    """The statements that are assumed, without a range."""
    places: Mapping[str, str] = field(default_factory=dict[str, str])
    """The place of each statement (`aim.sheet:40`), by its path as in `sources`."""
    bases: tuple[str, ...] = ()
    """The devices of which it is a variant, the nearest first."""
    profile: Profile | None = None
    """Measured times of ops or copies on it; the clock prefers these to the sheet's."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Device(Sheet, ABC):
    """A device that runs tasks. Subclasses define what is abstract here, and override defaults."""

    clock_hz: float
    launch_ns: float
    """Time from one kernel's end to the next one's start at the least, or to start a kernel from the host."""

    granule: ClassVar[tuple[str, str]] = ("", "")
    """The name of a granule of its memory, for counts of them (`row`), and the words behind it (`of each bank`);
    empty where a granule is a byte."""

    channels: int = 0
    """Memory channels; 0 where a sheet does not say."""

    runs_all: ClassVar[bool] = False
    """True for a processor, which runs any graph op; False for a device that runs only ops its cost model has a cost
    for."""

    runs_nothing: ClassVar[bool] = False
    """True for memory that holds values alone: no task runs there, and no work is cut for it."""

    trace: str = ""
    """The vendor text of its programs (`aim`); empty where there is none."""
    measures: str = ""
    """The runtime that measures it on this computer (`onnxruntime`); empty where it is only simulated."""
    threads_used: int = 0
    """Threads that real times are taken with; 0 for one for each core."""
    executor: str = "parallel"
    """Of a machine whose primary device it is: whether tasks and copies that need nothing of each other run side by
    side (`parallel`), or the runtime starts each when the one before has ended, wherever it runs (`sequential`)."""

    flies: Literal["none", "reads", "writes", "both"] = "none"
    """The ops that it computes on the fly, while other ops read or write it."""
    interference: float = 1.0
    """The factor by which a matrix product or convolution on a processor slows down beside this device's work."""

    def flies_on(self, way: Literal["reads", "writes"]) -> bool:
        """True if it computes on the fly what others read, or what they write."""
        return self.flies in (way, "both")

    @property
    @abstractmethod
    def memory_bytes(self) -> int:
        """Capacity of its memory."""

    @property
    @abstractmethod
    def idle_w(self) -> float:
        """Power at all times, besides the energy of its work, W."""

    @property
    def memory_bandwidth(self) -> float:
        """Bytes/s of a memory of its own that others may draw on (`arbitration shared`); 0 where it has none."""
        return 0.0

    def with_channels(self, channels: int) -> Self:
        """This device with so many of its memory channels; a kind whose fields belong to all channels scales them."""
        return replace(self, channels=channels)

    @property
    def contracts_in(self) -> str:
        """The element type of the contractions that it runs; empty where it takes any."""
        return ""

    @property
    def granule_bytes(self) -> int:
        """Weights take its memory in multiples of so many bytes."""
        return 1

    def values(self, op: Operation, operands: Sequence[NDArray[np.generic]]) -> list[NDArray[np.generic]] | None:
        """The results of a graph op or fused group in a task on it, where its arithmetic differs from the op's meaning
        at graph level; None where it does not."""
        return None

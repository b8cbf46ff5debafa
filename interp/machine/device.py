"""The interface of every kind of device: its memory, its idle power, and the element type in which it computes.

A kind is a subclass of `Device` with the fields of its sheet, registered in `interp.machine.sheets.fields.KINDS`, and a
cost model, registered in interp/cost/models.py; a plugin adds its own. Placement, timeline, energy and reports use this
interface and never test for a kind.
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
    """Assumed numbers of a sheet that share one range: their fields, the stated value if it is a single number, the
    range as written, and each field's value at both ends, as a sheet would write it."""

    fields: tuple[str, ...]
    stated: str
    range: str
    low: Mapping[str, str]
    high: Mapping[str, str]
    factor: bool = False
    """True if the range is of factors."""
    at_low: bool = False
    at_high: bool = False
    """True, for `at_low` and `at_high`, if the stated value equals the lower or the upper end of the range."""

    @property
    def name(self) -> str:
        """`launch`, or `energy (12 values)`."""
        if len(self.fields) == 1:
            return self.fields[0].removeprefix("timing.")
        heads = list(dict.fromkeys(field.partition(".")[0] for field in self.fields))
        return f"{', '.join(heads[:2])}{', …' if heads[2:] else ''} ({len(self.fields)} values)"


@dataclass(frozen=True, kw_only=True, eq=False)
class Sheet:
    """The common part of all sheets, which are compared by identity: loading a sheet twice gives the same record.
    `sources` maps a number's path in the sheet (`timing.tRP`) to its source."""

    name: str
    kind: str
    description: str
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    file: str = ""
    """The sheet's file."""
    assumed: tuple[Assumption, ...] = ()
    """Assumed statements with a range."""
    unranged: tuple[str, ...] = ()
    """Assumed statements without a range."""
    places: Mapping[str, str] = field(default_factory=dict[str, str])
    """The place of each statement (`aim.sheet:40`), by its path as in `sources`."""
    bases: tuple[str, ...] = ()
    """The devices of which it is a variant, the nearest first."""
    profile: Profile | None = None
    """Measured times of ops on the device, or of copies over the link; the clock prefers them to the sheet's times."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Device(Sheet, ABC):
    """A device that runs tasks. Subclasses define the abstract members, and override defaults."""

    clock_hz: float
    launch_ns: float
    """The minimum time from one kernel's end to the next one's start, or to start a kernel from the host, ns."""

    granule: ClassVar[tuple[str, str]] = ("", "")
    """The name of a granule of its memory, for counts (`row`), and a qualifier (`of each bank`); empty if a granule is
    a byte."""

    channels: int = 0
    """Memory channels; 0 if the sheet does not state them."""

    runs_all: ClassVar[bool] = False
    """True for a processor, which runs any graph op; False for a device that runs only ops for which its cost model has
    a cost."""

    runs_nothing: ClassVar[bool] = False
    """True for memory that only holds values: no task runs there, and no op is split for it."""

    trace: str = ""
    """The vendor's text format for its programs (`aim`); empty if there is none."""
    measures: str = ""
    """The runtime that measures times of this device on this computer (`onnxruntime`); empty if it is only
    simulated."""
    threads_used: int = 0
    """The number of threads for measured times; 0 for one per core."""
    executor: str = "parallel"
    """The executor of a machine whose primary device it is: independent tasks and copies run concurrently (`parallel`),
    or the runtime starts each when the previous one has ended, on any device (`sequential`)."""

    flies: Literal["none", "reads", "writes", "both"] = "none"
    """The accesses of other devices (`reads`, `writes`) during which this device can compute on the accessed data."""
    interference: float = 1.0
    """The factor by which a matrix product or convolution on a processor slows down while this device works."""

    def flies_on(self, way: Literal["reads", "writes"]) -> bool:
        """True if this device computes on data while other devices read them (`way` = `reads`) or write them
        (`writes`)."""
        return self.flies in (way, "both")

    @property
    @abstractmethod
    def memory_bytes(self) -> int:
        """Capacity of its memory."""

    @property
    @abstractmethod
    def idle_w(self) -> float:
        """Static power at all times, excluding the energy of its work, W."""

    @property
    def memory_bandwidth(self) -> float:
        """Bytes/s of its own memory that others may share (`arbitration shared`); 0 without such memory."""
        return 0.0

    def peak_rates(self, elements: Sequence[str]) -> Mapping[str, float]:
        """The peak flop/s for these element types, by a name of the units that reach it; empty if its sheet states
        none."""
        return {}

    def with_channels(self, channels: int) -> Self:
        """This device with `channels` of its memory channels; a kind scales the fields that belong to all channels."""
        return replace(self, channels=channels)

    @property
    def contracts_in(self) -> str:
        """The element type of the contractions that it runs; empty if it runs all types."""
        return ""

    @property
    def granule_bytes(self) -> int:
        """The granule of its memory in bytes: weights take multiples of it."""
        return 1

    def values(self, op: Operation, operands: Sequence[NDArray[np.generic]]) -> list[NDArray[np.generic]] | None:
        """The results of a graph op or fused group in a task on it, if its arithmetic differs from the op's meaning at
        graph level; None otherwise."""
        return None

"""The interface of every kind of device: its memory, its idle power, and the element type in which it computes.

A kind is a subclass of `Device` with the fields of its sheet, registered in `interp.machine.sheets.fields.KINDS`, and a
cost model, registered in interp/kinds/models.py; a plugin adds its own. Placement, timeline, energy and reports use
this interface and never test for a kind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from xdsl.ir import Operation

    from interp.machine.profile import Profile


@dataclass(frozen=True)
class Assumption:
    """Assumed numbers of a sheet that share one range. `fields`: their paths; `stated`: the stated value, if it is a
    single number; `range`: the range as written; `low`, `high`: the value of each field at the lower and the upper
    end of the range, as a sheet would write it."""

    fields: tuple[str, ...]
    stated: str
    range: str
    low: Mapping[str, str]
    high: Mapping[str, str]
    factor: bool = False
    """True if the range states factors of the stated values (`0.5 to 2 times`), False if it states values."""
    at_low: bool = False
    at_high: bool = False
    """True, for `at_low` and `at_high`, if the stated value equals the lower or the upper end of the range."""

    @property
    def name(self) -> str:
        """A short name for reports: the field's, such as `launch`, or for several numbers `energy (12 values)`."""
        if len(self.fields) == 1:
            return self.fields[0].removeprefix("timing.")
        heads = list(dict.fromkeys(field.partition(".")[0] for field in self.fields))
        return f"{', '.join(heads[:2])}{', …' if heads[2:] else ''} ({len(self.fields)} values)"


@dataclass(frozen=True, kw_only=True, eq=False)
class Sheet:
    """The common part of the records of all sheets. Records are compared by identity: loading a sheet twice gives the
    same record. `sources` maps a number's path in the sheet (`timing.tRP`) to its source."""

    name: str
    kind: str
    description: str
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    file: str = ""
    """The sheet's file."""
    assumed: tuple[Assumption, ...] = ()
    """Assumptions of the sheet for which it states a range."""
    unranged: tuple[str, ...] = ()
    """Keys of assumed numbers for which the sheet states no usable range."""
    places: Mapping[str, str] = field(default_factory=dict[str, str])
    """The place of each statement (`aim.sheet:40`), by the path that also identifies its source in `sources`."""
    formulas: Mapping[str, str] = field(default_factory=dict[str, str])
    """The expression that states the cycles of each timing constraint (`tCCDL`, `max(tBL, tCCDS)`), by the path that
    also identifies the constraint's source in `sources`."""
    bases: tuple[str, ...] = ()
    """Names of the sheets of which this sheet is a variant, the nearest first."""
    profile: Profile | None = None
    """Measured times of ops on the device, or of copies over the link; the clock prefers them to the sheet's times."""
    beside: tuple[str, ...] = ()
    """The digests of the device's companions (interp/machine/sheets/search.py): a record with other ones is another
    device."""


class Storage(NamedTuple):
    """The rates and latencies of a device's memory for data of another device. `read`, `write`: bytes/s, inf if only
    links limit them; `read_ns`, `write_ns`: the latency of a read or write before its first byte, ns."""

    read: float = inf
    write: float = inf
    read_ns: float = 0.0
    write_ns: float = 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Device(Sheet, ABC):
    """A device that runs tasks. Each kind of device is a subclass, which defines the abstract members and may override
    others of this class."""

    clock_hz: float
    launch_ns: float
    """The minimum time from one kernel's end to the next one's start, or to start a kernel from the host, ns."""

    granule: ClassVar[tuple[str, str]] = ("", "")
    """The name of the device's unit of memory allocation, for messages that count such units (`row`), and a qualifier
    (`of each bank`); empty if the unit is a byte."""

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
    """The number of CPU threads with which times are measured; 0 for one thread per core."""
    executor: str = "parallel"
    """The executor of a machine whose primary device is this device: `parallel` runs independent tasks and copies
    concurrently, `sequential` starts each task or copy of any device when the previous one has ended."""

    flies: Literal["none", "reads", "writes", "both"] = "none"
    """The accesses of other devices (`reads`, `writes`) during which this device can compute on the accessed data."""
    interference: float = 1.0
    """The factor by which a matrix product or convolution on a processor takes longer while this device works."""

    @property
    def runs_library(self) -> bool:
        """True if the device is timed by models of the kernels of a library, which its sheet or `--library` names."""
        return False

    @property
    def companions(self) -> Sequence[str]:
        """The names of the files that may hold further numbers of this device, such as `a100.calibration`, nearest
        first (interp/machine/sheets/search.py)."""
        return ()

    def flies_on(self, way: Literal["reads", "writes"]) -> bool:
        """True if this device can compute on data while other devices read them (`way` = `reads`) or write them
        (`writes`)."""
        return self.flies in (way, "both")

    @property
    @abstractmethod
    def memory_bytes(self) -> int:
        """Capacity of the device's memory in bytes."""

    @property
    @abstractmethod
    def idle_w(self) -> float:
        """Static power of the device at all times, W, excluding the energy of tasks."""

    @property
    def memory_bandwidth(self) -> float:
        """Bandwidth in bytes/s of the device's own memory that other devices may share (`arbitration shared`); 0 if it
        has no such memory."""
        return 0.0

    @property
    def copied_bandwidth(self) -> float:
        """Bandwidth in bytes/s of the device's own memory, as far as its work shares it with copies from and to this
        memory; 0 if copies and the device's work do not limit each other."""
        return 0.0

    @property
    def storage(self) -> Storage | None:
        """The device's memory as a store for data that exceed the memory of another device, as far as it is free; None
        if it can't be used so."""
        rate = self.copied_bandwidth or inf
        return Storage(rate, rate)

    def peak_rates(self, elements: Sequence[str]) -> Mapping[str, float]:
        """The peak flop/s of the device for these element types, each under a name for reports such as `f16, matrix
        units`; empty if its sheet states none."""
        return {}

    def with_channels(self, channels: int) -> Self:
        """The device reduced to `channels` of its memory channels: fields that state a total over all channels are
        scaled."""
        return replace(self, channels=channels)

    @property
    def contracts_in(self) -> str:
        """The element type of the contractions that the device runs; empty if it runs contractions of all types."""
        return ""

    def contracts_as(self, element: str) -> str:
        """The arithmetic of contractions of an element type, in words for tables: the type, unless the device computes
        in another one."""
        return element

    @property
    def granule_bytes(self) -> int:
        """The size in bytes of the device's unit of memory allocation: a weight takes a multiple of it."""
        return 1

    def values(self, op: Operation, operands: Sequence[NDArray[np.generic]]) -> list[NDArray[np.generic]] | None:
        """The results of a graph op or fused group in a task on this device, given its operands; None if the device's
        arithmetic agrees with the op's definition at graph level."""
        return None

"""Timelines: the tasks and copies of a program with their times, energy, and a lower bound on every schedule.

interp/simulate/simulation.py computes timelines. The fields of an event are plain data, which `dataclasses.asdict`
copies; the op of an event is no field, so that `asdict` does not copy it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import InitVar, dataclass, field, fields
from importlib import import_module
from typing import Any

from xdsl.ir import Operation

from dialects.diagnostics import InputError
from dialects.locations import place_of
from dialects.task import CopyOp
from interp.machine.cost import Cost
from interp.simulate.events.jobs import Job
from interp.simulate.memory.residence import Residence
from interp.simulate.schedule.memory import Need
from interp.simulate.schedule.rows import Order, Row, RowKind, rows

LOOPS = "loops"
"""The resource of a loop, which occupies all devices and links."""


@dataclass(frozen=True)
class Event:
    """One task or copy: its name, device, resource, times and cost. `job`: its job in the event loop; jobs that it
    waits for, and whose streams it consumes, are given by their index among the timeline's events. The `bytes` of
    its cost are those read and written by a task, or moved by a copy."""

    name: str
    place: str
    job: Job
    start_ns: float
    end_ns: float
    cost: Cost
    source: InitVar[Operation]
    body: Timeline | None = None
    """For a loop, the timeline of one iteration; the event's cost covers all iterations."""
    iterations: int = 1

    def __post_init__(self, source: Operation) -> None:
        object.__setattr__(self, "_op", source)

    @property
    def op(self) -> Operation:
        """The op of the program that the event executes; not a field of the dataclass, so that `asdict` does not copy
        it."""
        return vars(self)["_op"]

    @property
    def resource(self) -> str:
        """A device's name, or `a->b` for a link's direction (`a<->b` if it is not duplex); LOOPS for a loop."""
        return self.job.resource

    @property
    def queue(self) -> int:
        """The number of the queue, on its device or link, in which the event runs."""
        return self.job.queue

    @property
    def is_copy(self) -> bool:
        return isinstance(self.op, CopyOp)


@dataclass(frozen=True)
class Timeline:
    """A program's events in program order, and their totals; a loop is one event.

    `bound_ns`: no schedule of the same tasks and copies on the same devices ends before it; `bound_by` is the reason.
    `busy_ns`: the time for which each device and link is occupied. `energy_nj`: energy of the work on each of them;
    `idle_nj`: in addition, energy of each device's idle power over the whole makespan. `board_nj`: all energy, with the
    measured power of whole boards, idle or busy, for devices whose boards are calibrated. `memory`: the memory that
    each device needs.
    """

    events: tuple[Event, ...]
    makespan_ns: float
    bound_ns: float
    bound_by: str
    busy_ns: dict[str, float]
    energy_nj: dict[str, float]
    idle_nj: dict[str, float]
    memory: dict[str, Need]
    devices: tuple[str, ...]
    board_nj: float = 0.0
    metered: bool = False
    """True if at least one device has a calibrated board; otherwise both energy totals are equal."""
    residence: Residence | None = None
    """The record of transfers and stalls, for a program that needs further memory tiers besides its primary device's
    memory; None otherwise."""
    worked_ns: Mapping[str, float] = field(default_factory=dict[str, float])
    """The sum, on each device and link, of the durations of its tasks and copies without slowdown; less than `busy_ns`
    if jobs slow each other down or wait for streams."""

    @property
    def gap(self) -> float:
        """Makespan divided by the bound, minus 1."""
        return self.makespan_ns / self.bound_ns - 1 if self.bound_ns else 0.0

    @property
    def total_energy_nj(self) -> float:
        """The total energy by component: of the work, plus idle power over the makespan."""
        return sum(self.energy_nj.values()) + sum(self.idle_nj.values())

    def rows(self, order: Order = "start") -> list[dict[str, Any]]:
        """A row for each task, copy, loop, transfer between memories and wait for memory, as in `-t timeline`.

        Each is a dict of numbers and text, with the fields of `interp.simulate.schedule.rows.Row`. `order`: `start`,
        `time`, `energy`, `bytes` or `program`; the rows of a loop's body follow the loop's row.
        """
        return [{**vars(row)} for row in rows(self, order)]

    def frame(self, order: Order = "start") -> Any:
        """`rows` as a pandas DataFrame. Raises InputError if pandas is not installed."""
        try:
            pandas: Any = import_module("pandas")
        except ImportError:
            raise InputError(
                "a DataFrame needs the package pandas, which is not installed; install ndpir[frames], or use rows()"
            ) from None
        return pandas.DataFrame(self.rows(order), columns=[each.name for each in fields(Row)])

    def entries(self) -> Iterator[tuple[Row, Timeline | None, int]]:
        """Rows outside of loops, each as (row, timeline, count). For a loop: the timeline of one iteration and the
        number of iterations; for any other row: None and the number of its runs. Times count from the timeline's
        start."""
        for event in self.events:
            kind: RowKind = "loop" if event.body is not None else "copy" if event.is_copy else "task"
            on, cost = event.resource + (f".{event.queue}" if event.queue else ""), event.cost
            work = cost.ns, cost.bound, cost.bytes, cost.energy_nj, cost.flops, event.place
            yield Row(kind, event.name, on, event.start_ns, event.end_ns, *work), event.body, event.iterations
        if (residence := self.residence) is None:
            return
        for stall in residence.stalls:
            event, lasted = None if stall.event is None else self.events[stall.event], stall.end_ns - stall.start_ns
            name, on, place = (event.name, event.resource, event.place) if event else (stall.name, residence.device, "")
            named = f"wait for memory ({name})"
            yield Row("wait", named, on, stall.start_ns, stall.end_ns, lasted, "", 0, 0.0, 0, place), None, 1
        for each in residence.transfers:
            ends, moved = (each.start_ns, each.end_ns), (round(each.nbytes), each.energy_nj, 0, place_of(each.op) or "")
            yield Row("transfer", each.name, each.resource, *ends, ends[1] - ends[0], each.tier, *moved), None, 1

    def tasks(self, begin_ns: float = 0.0) -> Iterator[tuple[Event, int, float]]:
        """All tasks and copies, including those in bodies of loops, each with the number of times it runs and its first
        start in ns if the timeline begins at `begin_ns`.
        """
        for event in self.events:
            start = begin_ns + event.start_ns
            if event.body is None:
                yield event, 1, start
            else:
                for inner, iterations, first in event.body.tasks(start):
                    yield inner, iterations * event.iterations, first

    @property
    def bytes_copied(self) -> int:
        """Bytes moved over links."""
        return sum(event.cost.bytes * iterations for event, iterations, _ in self.tasks() if event.is_copy)

    @property
    def resources(self) -> tuple[str, ...]:
        """The devices in the machine's order, then the links in order of first use."""
        return tuple(self.busy_ns)

    def utilisation(self, resource: str) -> float:
        """The fraction of the makespan for which a device or link is occupied."""
        return self.busy_ns[resource] / self.makespan_ns if self.makespan_ns else 0.0

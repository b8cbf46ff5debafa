"""The answer of `-t report`: the command and program, the summary, each task with the reason why it starts no earlier,
and the numbers that the report's charts draw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation

from dialects.task import OnType
from interp.simulate.events.jobs import SharingRules
from interp.simulate.schedule.arbitration import rules_of
from interp.simulate.schedule.rows import Row, rows
from interp.simulate.schedule.timeline import Timeline
from interp.simulate.schedule.waits import Reason, chain, chain_parts, waits
from ndpir.reports.answers.graphs.graph import GraphAnswer, graph_answer
from ndpir.reports.banks.kernels import BankKernel, Launched, bank_kernel, launched
from ndpir.reports.residency import OccupancyAnswer, occupancy_answer
from ndpir.reports.run import Run
from ndpir.reports.summary import SummaryAnswer, summary_answer


@dataclass(frozen=True)
class Peak:
    """A peak rate of a device, which its tasks can't exceed."""

    name: str
    flops_per_s: float


@dataclass(frozen=True)
class Point:
    """All tasks of one name on a device that do the same work in the same time."""

    name: str
    tasks: int
    bound: str
    flops: int
    """The flops of one task."""
    bytes: int
    """The bytes of one task, each operand and each result counted once."""
    ns: float
    """The time of one task."""

    @property
    def flops_per_byte(self) -> float:
        """The arithmetic intensity; 0 for a task that moves no bytes."""
        return self.flops / self.bytes if self.bytes else 0.0

    @property
    def flops_per_s(self) -> float:
        return self.flops / self.ns * 1e9 if self.ns else 0.0


@dataclass(frozen=True)
class Roofline:
    """The roofline of one device."""

    device: str
    sheet: str
    peaks: tuple[Peak, ...]
    """The device's peak rates for the element types of its tasks; for a PIM, the rate at which all banks multiply
    without a pause. Empty if the sheet states none."""
    bytes_per_s: float
    """The bandwidth of the device's memory; 0 if its sheet states none."""
    points: tuple[Point, ...]
    """The tasks that compute, grouped as in `Point`; the group with the longest total time first."""


def rooflines(run: Run, kernels: tuple[Launched, ...] = ()) -> tuple[Roofline, ...]:
    """The roofline of each device that runs tasks. `kernels`: the program's bank programs."""
    found = [_roofline(run, name, kernels) for name in run.timeline.devices]
    return tuple(each for each in found if each.points)


def _roofline(run: Run, name: str, kernels: tuple[Launched, ...]) -> Roofline:
    device = run.clock.machine.devices[name]
    peaks = dict(device.peak_rates(sorted(_elements(run.timeline, name))))
    limits = [one.time.flops / one.time.limit_ns * 1e9 for one in kernels if one.device == name and one.time.limit_ns]
    if limits:
        peaks["all banks multiply"] = max(limits)
    sums: dict[tuple[str, str, int, int, float], int] = {}
    for event, times, _ in run.timeline.tasks():
        if event.resource == name and event.cost.flops and event.cost.ns:
            cost = event.cost
            key = event.name, cost.bound, cost.flops, cost.bytes, cost.ns
            sums[key] = sums.get(key, 0) + times
    points = [Point(word, times, bound, flops, size, ns) for (word, bound, flops, size, ns), times in sums.items()]
    points.sort(key=lambda point: -point.ns * point.tasks)
    named = tuple(Peak(word, rate) for word, rate in peaks.items())
    return Roofline(name, device.name, named, device.memory_bandwidth, tuple(points))


def _elements(timeline: Timeline, device: str) -> set[str]:
    """The element types of the results of a device's tasks."""
    return {
        element
        for event, _, _ in timeline.tasks()
        if event.resource == device and not event.is_copy
        for element in _of_results(event.op)
    }


def _of_results(op: Operation) -> Iterator[str]:
    for result in op.results:
        given: Attribute = result.type
        tensor = given.tensor if isinstance(given, OnType) else given  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if isinstance(tensor, TensorType):
            yield str(tensor.element_type)  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]


@dataclass(frozen=True)
class Question:
    """The command, the program and the versions that a report is for."""

    command: str
    """The command line; empty for a report from Python."""
    program: str
    """The file or the function that was compiled."""
    ndpir: str
    """The version of ndpir."""
    xdsl: str
    """The version of xDSL."""


@dataclass(frozen=True)
class RowWait:
    """The event that a row of the timeline waited for and that ended last."""

    reason: Reason | None
    """The reason for the wait; null for a transfer between memories, and for a wait for such a transfer."""
    cause: int | None
    """The number of the row that this row waited for."""
    idle_ns: float
    """The time for which the row's device or link was idle before the row started."""


@dataclass(frozen=True)
class ChainShare:
    """The part of the makespan that the critical path spends on one device or link with one bound."""

    on: str
    bound: str
    ns: float
    share: float
    """The time of this part divided by the makespan; the shares of all parts add up to 1."""


@dataclass(frozen=True)
class Moved:
    """The sum of all copies of one name in one direction of a link."""

    on: str
    name: str
    copies: int
    bytes: int
    ns: float
    energy_nj: float


@dataclass(frozen=True)
class ReportAnswer:
    """A run, as its report shows it."""

    question: Question
    summary: SummaryAnswer
    rows: tuple[Row, ...]
    """The rows of the timeline, in program order."""
    waits: tuple[RowWait, ...]
    """The wait of each row of `rows`."""
    chain: tuple[int, ...]
    """The numbers of the rows on the critical path, outside of loops."""
    graph: GraphAnswer
    """The program's graph, with equal layers folded."""
    chain_shares: tuple[ChainShare, ...]
    """The parts of the makespan by device or link and bound, the largest first."""
    rooflines: tuple[Roofline, ...]
    occupancy: OccupancyAnswer
    kernels: tuple[BankKernel, ...]
    """The bank programs, the one with the longest total time first."""
    moved: tuple[Moved, ...]
    """The copies by name and direction, the one with the most bytes first."""


def report_answer(run: Run, command: str = "", program: str = "") -> ReportAnswer:
    """The report of a run."""
    timeline, rules = run.timeline, rules_of(run.clock.machine)
    kernels = tuple(launched(run))
    numbers = dict[int, int]()
    found = tuple(_row_waits(timeline, rules, numbers))
    parts = chain_parts(timeline, rules)
    whole = timeline.makespan_ns or 1.0
    name = f"@{run.function.sym_name.data}" if run.function is not None else "kernels"
    return ReportAnswer(
        Question(command, program or name, version("ndpir"), version("xdsl")),
        summary_answer(run),
        tuple(rows(timeline, "program")),
        found,
        tuple(sorted({numbers[index] for index, _ in chain(timeline, rules) if index is not None})),
        graph_answer(run),
        tuple(ChainShare(on, bound, ns, ns / whole) for (on, bound), ns in parts.items()),
        rooflines(run, kernels),
        occupancy_answer(run),
        tuple(sorted(map(bank_kernel, kernels), key=lambda kernel: -kernel.launches_ns)),
        tuple(_moved(timeline)),
    )


def _row_waits(timeline: Timeline, rules: SharingRules, numbers: dict[int, int], first: int = 0) -> Iterator[RowWait]:
    """A wait for each row of `rows(timeline, "program")`. `numbers`: receives the row number of each event by the
    event's index in the timeline; `first`: the row number of the timeline's first event."""
    inner: list[tuple[RowWait, ...]] = []
    row = first
    for index, event in enumerate(timeline.events):
        numbers[index] = row
        within = tuple(_row_waits(event.body, rules, {}, row + 1)) if event.body is not None else ()
        inner.append(within)
        row += 1 + len(within)
    for wait, within in zip(waits(timeline, rules), inner, strict=True):
        yield RowWait(wait.reason, None if wait.cause is None else numbers[wait.cause], wait.idle_ns)
        yield from within
    if (residence := timeline.residence) is not None:
        for _ in range(len(residence.stalls) + len(residence.transfers)):
            yield RowWait(None, None, 0.0)


def _moved(timeline: Timeline) -> list[Moved]:
    sums: dict[tuple[str, str], Moved] = {}
    for event, times, _ in timeline.tasks():
        if event.is_copy:
            key, cost = (event.resource, event.name), event.cost
            old = sums.get(key, Moved(*key, 0, 0, 0.0, 0.0))
            sums[key] = Moved(
                *key,
                old.copies + times,
                old.bytes + cost.bytes * times,
                old.ns + cost.ns * times,
                old.energy_nj + cost.energy_nj * times,
            )
    return sorted(sums.values(), key=lambda each: -each.bytes)

"""The answer of `-t report`: the command and program, the summary, each task with the reason why it starts no earlier,
and the numbers that the report's charts draw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version

from interp.simulate.events.jobs import SharingRules
from interp.simulate.schedule.arbitration import rules_of
from interp.simulate.schedule.rows import Row, rows
from interp.simulate.schedule.timeline import Timeline
from interp.simulate.schedule.waits import Reason, chain, chain_parts, waits
from ndpir.reports.answers.graphs.graph import GraphAnswer, graph_answer
from ndpir.reports.answers.occupancy import OccupancyAnswer, occupancy_answer
from ndpir.reports.answers.roofline import Roofline, rooflines
from ndpir.reports.answers.summary import SummaryAnswer, summary_answer
from ndpir.reports.banks.kernels import BankKernel, bank_kernel, launched
from ndpir.reports.run import Run


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

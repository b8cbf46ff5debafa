"""`-t decisions`: placement decisions for kernels that near-data units can run, with times, reasons and overlapping
kernels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, get_args

from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError
from dialects.task import DecisionAttr
from dialects.task.decision import DECISION, Word
from dialects.text.columns import table
from interp.figures import count, first_of, percent, time
from interp.simulate.events.jobs import above
from interp.walk.entry import entry_of
from lowering.alone.baseline import read_baseline
from ndpir.reports.run import Run
from ndpir.reports.summary import above_recorded
from ndpir.reports.target import AnswerTarget

RANDOM = "threefry"
"""The name of kernels that draw random numbers; they are also summed up separately."""


@dataclass(frozen=True)
class Decision:
    """The placement decision on one kernel that near-data units can run. Times are those of one execution."""

    decision: str
    """The decision. On near-data units: `parallel` (overlaps independent kernels), `fly-write` (runs while its operands
    are written), `fly-read` (runs while its results are read), `sequential` (overlaps no kernel); on the primary
    device: `gpu`."""
    name: str
    place: str
    """The line of the program from which the kernel was compiled."""
    times: int
    """The number of executions of the kernel."""
    primary_ns: float
    """The kernel's time on the primary device; 0 if it can't run on that device."""
    near_data_ns: float
    """The kernel's time on the near-data units."""
    hidden_ns: float
    """The part of `near_data_ns` that overlaps kernels on the primary device."""
    exposed_ns: float
    """The part of `near_data_ns` that overlaps no kernel on the primary device; 0 for a kernel that runs on the primary
    device."""
    overlaps_ns: Mapping[str, float]
    """The time for which the kernel overlaps each kernel on the primary device, by the name and source line of the
    latter."""
    reason: str


@dataclass(frozen=True)
class DecisionSum:
    """The totals of several kernels, each counted once for each execution."""

    decision: str
    """The decision that was made for these kernels; `all` for the sum of all kernels."""
    kind: str
    """The name that the kernels have in common; empty for all kernels."""
    kernels: int
    primary_ns: float
    near_data_ns: float
    """The time on the near-data units, without kernels that run on the primary device."""
    hidden_ns: float
    exposed_ns: float


PICOSECONDS = 1e-6
"""The relative difference below which two times in the published accounting count as equal: hidden times are exact to a
picosecond for each kernel."""


@dataclass(frozen=True)
class Accounting:
    """The program's time according to one accounting (method of adding up times), and the time of the GPU alone, which
    is the same in both accountings if pass `place` recorded it."""

    name: str
    """`published`: the sum of the times of kernels on the primary device and of the exposed times of kernels on
    near-data units; `full`: the simulated timeline."""
    alone_ns: float
    ns: float
    bound_ns: float | None
    """A lower bound on the time of any placement of these kernels; null if pass `place` recorded none."""
    above: float | None
    """The fraction by which the time is above the bound; null if no bound is known, or if later passes made the program
    faster than any placement of the kernels as they were placed."""


@dataclass(frozen=True)
class DecisionsAnswer:
    """The decisions of a placement policy that overlaps kernels on near-data units with kernels on the primary
    device."""

    total: DecisionSum
    random: DecisionSum | None
    """The totals of the kernels that draw random numbers; null if there are no such kernels."""
    without_random: DecisionSum | None
    """The totals of the kernels that draw no random numbers; null if no kernel draws random numbers."""
    kinds: tuple[DecisionSum, ...]
    """The totals of the kernels of the same decision and name, in order of the time on the primary device, longest
    first."""
    kernels: tuple[Decision, ...]
    """The decision on each kernel, in order of the kernels' times, longest first."""
    accountings: tuple[Accounting, ...]


def decisions_answer(run: Run) -> DecisionsAnswer:
    """The answer of `-t decisions` for a run. Raises InputError if the program has no such decisions."""
    decided = list(_decided(run))
    if not decided:
        raise InputError(
            "decisions: the program has no placement decisions; place it by a policy that overlaps kernels with "
            "those of the GPU (-p 'place{policy=overlap}'), on a machine with near-data units",
            run.module,
        )
    by: dict[tuple[str, str], list[Decision]] = {}
    for each in decided:
        by.setdefault((each.decision, each.name), []).append(each)
    kinds = [_summed(*key, found) for key, found in by.items()]
    drawn = [each for each in decided if each.name == RANDOM]
    return DecisionsAnswer(
        _summed("all", "", decided),
        _summed("all", RANDOM, drawn) if drawn else None,
        _summed("all", f"all but {RANDOM}", (each for each in decided if each.name != RANDOM)) if drawn else None,
        tuple(sorted(kinds, key=lambda kind: -kind.primary_ns)),
        tuple(sorted(decided, key=lambda each: -max(each.primary_ns, _away(each)))),
        tuple(_accountings(run)),
    )


def _decided(run: Run) -> Iterator[Decision]:
    for event, times, _ in run.timeline.tasks():
        decision = event.op.attributes.get(DECISION)
        if isinstance(decision, DecisionAttr):
            yield Decision(
                decision.word.data,
                event.name,
                event.place,
                times,
                decision.primary.value.data,
                decision.away.value.data,
                decision.hidden_ns,
                decision.exposed_ns,
                decision.shares,
                decision.why.data,
            )


def _away(one: Decision) -> float:
    """The time that a kernel spends on the near-data units; 0 if it runs on the GPU."""
    return one.near_data_ns if one.decision != "gpu" else 0.0


def _summed(decision: str, kind: str, several: Iterable[Decision]) -> DecisionSum:
    rows = list(several)
    return DecisionSum(
        decision,
        kind,
        sum(each.times for each in rows),
        sum(each.primary_ns * each.times for each in rows),
        sum(_away(each) * each.times for each in rows),
        sum(each.hidden_ns * each.times for each in rows),
        sum(each.exposed_ns * each.times for each in rows),
    )


def _accountings(run: Run) -> Iterator[Accounting]:
    function, noted = entry_of(run.module, run.entry), run.prediction
    baseline = read_baseline(function, run.clock)
    if noted is not None and (published := noted.published) is not None:
        part = above(published.ns, published.bound, "any plan in the published accounting", PICOSECONDS)
        known = published.bound or None
        alone = baseline.ns if baseline is not None else published.alone
        yield Accounting("published", alone, published.ns, known, None if known is None else part)
    if baseline is not None:
        bound = noted.bound.ns if noted is not None and noted.bound is not None else None
        part = above_recorded(run.timeline, bound, noted, "any placement") if bound else None
        yield Accounting("full", baseline.ns, run.timeline.makespan_ns, bound or None, part)


NAMED = 2
"""The largest number of overlapping kernels that a row names; for all further kernels, it shows their number."""


@dataclass(frozen=True)
class DecisionsTarget(AnswerTarget[DecisionsAnswer]):
    """The decisions of the policies pattern, xla-ndp and overlap for each kernel that near-data units can run.

    The first table adds up kernels of the same decision and kind (the kernels' name); the `limit` kinds with the
    longest times on the primary device have separate rows. The second table lists the `limit` longest kernels: their
    times on the primary device and on near-data units, the hidden and exposed parts of the time on near-data units, the
    kernels that they overlap with, and the reason for the decision. The last table compares the program's time in two
    accountings. The published accounting adds up the times of the kernels on the primary device and the exposed times
    of all other kernels. The full accounting is the simulated timeline. Both are compared with the best time of the GPU
    alone. Kernels that draw random numbers are also added up separately. Kernels in loops count once for each
    execution. `limit`: 0 shows all. `json`: the answer as JSON, with all kinds and kernels.
    """

    name: ClassVar[str] = "decisions"
    limit: int = 10
    entry: str | None = None

    def __post_init__(self) -> None:
        if self.limit < 0:
            raise ValueError(f"decisions: `limit` must be at least 0 (0: all), not {self.limit}")

    def answer(self, module: ModuleOp) -> DecisionsAnswer:
        return decisions_answer(Run.of(module, self.entry))

    def text(self, answer: DecisionsAnswer) -> str:
        parts = kinds_table(answer, self.limit), kernels_table(answer.kernels, self.limit)
        return "\n".join((*parts, accountings_table(answer.accountings)))


def kinds_table(answer: DecisionsAnswer, limit: int) -> str:
    """The table of kernels by decision and kind (the kernels' name); the `limit` kinds with the longest times on the
    primary device have separate rows (0: all)."""
    shown = set(answer.kinds[: limit or None])
    rows: list[tuple[str, ...]] = []
    for word in get_args(Word):
        kinds = [kind for kind in answer.kinds if kind.decision == word]
        rows += [_sum_cells(kind.decision, kind.kind, [kind]) for kind in kinds if kind in shown]
        if more := [kind for kind in kinds if kind not in shown]:
            rows.append(_sum_cells(word, count(len(more), "more kind"), more))
    rows.append(_sum_cells("all", "", [answer.total]))
    if answer.random is not None and answer.without_random is not None:
        rows.append(_sum_cells("", "without random numbers", [answer.without_random]))
        rows.append(_sum_cells("", "random numbers", [answer.random]))
    return table(("decision", "kind", "kernels", "on primary", "near data", "hidden", "exposed"), rows, left=(0, 1))


def _sum_cells(decision: str, kind: str, sums: Sequence[DecisionSum]) -> tuple[str, ...]:
    times = [(each.primary_ns, each.near_data_ns, each.hidden_ns, each.exposed_ns) for each in sums]
    kernels = str(sum(each.kernels for each in sums))
    return decision, kind, kernels, *(time(sum(column)) for column in zip(*times, strict=True))


def kernels_table(kernels: Sequence[Decision], limit: int) -> str:
    """The table of the `limit` longest kernels (0: all)."""
    rows = [
        (
            each.decision,
            each.name,
            time(each.primary_ns),
            time(each.near_data_ns),
            time(each.hidden_ns),
            time(each.exposed_ns),
            _overlapping(each),
            each.reason,
            each.place,
        )
        for each in kernels[: limit or None]
    ]
    header = ("decision", "kernel", "on primary", "near data", "hidden", "exposed", "overlaps", "reason", "source")
    more = len(kernels) - len(rows)
    left_out = f"... {more} more (decisions{{limit=0}} shows all)\n" if more else ""
    return table(header, rows, left=(0, 1, 6, 7, 8)) + left_out


def _overlapping(one: Decision) -> str:
    """The names of the kernels that overlap a kernel longest, without their source lines."""
    most = sorted(one.overlaps_ns.items(), key=lambda item: -item[1])
    return first_of([name.partition(" ")[0] for name, _ in most], NAMED)


def accountings_table(accountings: Sequence[Accounting]) -> str:
    """The table of the program's time in each accounting, and of the time of the GPU alone."""
    rows = [_accounting_cells(each) for each in accountings]
    return table(("accounting", "GPU alone", "this plan", "speed-up", "bound", "gap"), rows, left=(0,))


def _accounting_cells(one: Accounting) -> tuple[str, ...]:
    speed_up = f"{one.alone_ns / one.ns:.3f}x" if one.ns else ""
    if one.bound_ns is None or one.above is None:
        return one.name, time(one.alone_ns), time(one.ns), speed_up, "", ""
    gap = percent(one.above)
    return one.name, time(one.alone_ns), time(one.ns), speed_up, time(one.bound_ns), gap

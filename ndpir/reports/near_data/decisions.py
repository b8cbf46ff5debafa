"""`-t decisions`: placement decisions for kernels that near-data units can run, with times, reasons and overlapping
kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, get_args

from xdsl.dialects.builtin import ModuleOp

from dialects.task.decision import Word
from dialects.text.columns import table
from interp.figures import count, first_of, percent, time
from ndpir.reports.near_data.answers import Accounting, Decision, DecisionsAnswer, DecisionSum, decisions_answer
from ndpir.reports.run import Run
from ndpir.reports.target import AnswerTarget

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

"""`-t timeline`: a table of tasks and copies with start, end and costs, followed by totals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from xdsl.dialects.builtin import ModuleOp

from dialects.text.columns import table
from interp.figures import BY_COMPONENT, OF_BOARDS, energy, percent, size, time
from interp.simulate.schedule.rows import Order, Row
from ndpir.reports.answers.timeline import Kind, Moves, Resource, TimelineAnswer, timeline_answer
from ndpir.reports.run import Run
from ndpir.reports.target import AnswerTarget


@dataclass(frozen=True)
class TimelineTarget(AnswerTarget[TimelineAnswer]):
    """A table of tasks and copies: start, end, device or link, source, bound, bytes and energy; then the totals. For a
    program that exceeds the primary device's memory, also transfers to and from the memory behind it, and the tasks'
    waits for these transfers.

    `limit`: the number of rows to show (0: all). `sort`: by start, time, energy, bytes (largest first), or program
    order. `by`: `task` for one row per task, or `kind` for one row per name and device, longest total first. `entry`:
    the function; default: `main`, or else the first function. `json`: the answer as JSON, with all rows of both tables.
    """

    name: ClassVar[str] = "timeline"
    BASELINE: ClassVar[bool] = False
    limit: int = 0
    sort: Order = "start"
    by: Literal["task", "kind"] = "task"
    entry: str | None = None

    def __post_init__(self) -> None:
        if self.limit < 0:
            raise ValueError(f"`limit` of timeline is a number of rows from 0 (all) on, not {self.limit}")

    def answer(self, module: ModuleOp) -> TimelineAnswer:
        return timeline_answer(Run.of(module, self.entry), self.sort)

    def text(self, answer: TimelineAnswer) -> str:
        rows = kinds_table(answer.kinds, self.limit) if self.by == "kind" else rows_table(answer.rows, self.limit)
        return f"{rows}\n{totals_text(answer)}"


def rows_table(rows: Sequence[Row], limit: int = 0) -> str:
    """The table of events, with one row per task, copy, transfer and wait."""
    header = ("start", "end", "time", "on", "task", "bound", "bytes", "energy", "source")
    shown = rows[:limit] if limit > 0 else rows
    text = table(header, [_cells(row) for row in shown], left=(3, 4, 5, 8))
    if len(shown) < len(rows):
        text += f"... {len(rows) - len(shown)} more (timeline{{limit=0}} shows all)\n"
    return text


def _cells(row: Row) -> tuple[str, ...]:
    return (
        time(row.start_ns),
        time(row.end_ns),
        time(row.ns),
        row.on,
        "  " * row.depth + row.name,
        row.bound,
        size(row.bytes),
        energy(row.energy_nj),
        row.place,
    )


def kinds_table(kinds: Sequence[Kind], limit: int = 0) -> str:
    """The table with one row for all tasks or copies of the same name on the same device or link, with their totals."""
    rows = [
        (
            time(kind.ns),
            percent(kind.share),
            str(kind.tasks),
            kind.on,
            kind.name,
            size(kind.bytes),
            energy(kind.energy_nj),
        )
        for kind in kinds[: limit or None]
    ]
    text = table(("time", "of all", "tasks", "on", "task", "bytes", "energy"), rows, left=(3, 4))
    return text + (f"... {len(kinds) - limit} more (timeline{{limit=0}} shows all)\n" if 0 < limit < len(kinds) else "")


def totals_text(answer: TimelineAnswer) -> str:
    """Lines on makespan, bound, gap and energy; then a table of devices and links: busy time, energy, and memory
    needed."""
    totals = answer.totals
    lines = [
        f"makespan  {time(totals.makespan_ns)}",
        f"bound     {time(totals.bound_ns)}, on any schedule of these tasks and copies ({totals.bound_by}"
        f"{_unmoved(answer)})",
        *([f"gap       {percent(totals.gap)}"] if answer.moves is None else []),
        f"energy    {energy(totals.energy_nj)} {BY_COMPONENT}",
        *([f"board     {energy(totals.board_nj)} {OF_BOARDS}"] if totals.board_nj is not None else []),
        f"copied    {size(totals.bytes_copied)}",
        *([_moved(answer.moves)] if answer.moves is not None else []),
        *([f"costs     {answer.costs}"] if answer.costs is not None else []),
    ]
    rows = [
        (one.name, time(one.busy_ns), percent(one.utilisation), energy(one.energy_nj), *_device_cells(one))
        for one in answer.resources
    ]
    header = ("on", "busy", "of makespan", "energy", "idle energy", "memory", "of capacity")
    return "\n".join(lines) + "\n\n" + table(header, rows, left=(0,))


def _unmoved(answer: TimelineAnswer) -> str:
    return "" if answer.moves is None else "; not counting moves between memories"


def _moved(moves: Moves) -> str:
    """A line on the bytes moved into and out of the primary device's memory, and on the time that tasks wait for these
    transfers."""
    run = f" (run {moves.runs} of the program)" if moves.runs > 1 else ""
    return (
        f"memory    {size(moves.in_bytes)} into and {size(moves.out_bytes)} out of @{moves.device}; tasks wait "
        f"{time(moves.stalled_ns)} for these transfers{run}"
    )


def _device_cells(one: Resource) -> tuple[str, str, str]:
    """The cells of a device's idle energy, and of its used memory in bytes and as a fraction of the capacity; empty for
    a link."""
    if one.idle_nj is None or one.memory_bytes is None or one.capacity_bytes is None:
        return "", "", ""
    return energy(one.idle_nj), size(one.memory_bytes), percent(one.memory_bytes / one.capacity_bytes)

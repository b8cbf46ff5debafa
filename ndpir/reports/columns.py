"""The columns of sweeps and comparisons: figures from the answer of target `summary`, under names with their units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from ndpir.reports.summary import SummaryAnswer

Figure: TypeAlias = float | int | str | None

FIGURES: Mapping[str, Callable[[SummaryAnswer], Figure]] = {
    "makespan_ns": lambda answer: answer.totals.makespan_ns,
    "speed_up": lambda answer: answer.comparison and answer.comparison.speed_up,
    "energy_nj": lambda answer: answer.totals.energy_nj,
    "rel_energy": lambda answer: answer.comparison and answer.comparison.rel_energy,
    "board_nj": lambda answer: answer.totals.board_nj,
    "rel_board": lambda answer: answer.comparison and answer.comparison.rel_board,
    "alone_ns": lambda answer: answer.comparison and answer.comparison.ns,
    "alone_nj": lambda answer: answer.comparison and answer.comparison.energy_nj,
    "bound_ns": lambda answer: answer.totals.bound_ns,
    "gap": lambda answer: answer.totals.gap,
    "placement_bound_ns": lambda answer: answer.plan and answer.plan.bound_ns,
    "tasks": lambda answer: answer.tasks,
    "copies": lambda answer: answer.copies,
    "bytes_copied": lambda answer: answer.totals.bytes_copied,
    "serial_ns": lambda answer: answer.serial_ns,
    "contention_ns": lambda answer: answer.contention and answer.contention.ns,
    "held_bytes": lambda answer: answer.memory and answer.memory.held_bytes,
    "stalled_ns": lambda answer: answer.memory and answer.memory.stalled_ns,
    "opaque_share": lambda answer: sum(use.share for use in answer.opaque),
    "types": lambda answer: answer.types,
    "alone_form": lambda answer: answer.comparison and (answer.comparison.form or "as read"),
}
"""The figures of each run, by column; null for a figure that does not apply to the run."""


def row_of(answer: SummaryAnswer) -> dict[str, Figure]:
    """The figures of a run by column, and the busy time of each device and link."""
    row = {name: figure(answer) for name, figure in FIGURES.items()}
    return row | {f"busy_ns.{each.name}": each.busy_ns for each in answer.resources}

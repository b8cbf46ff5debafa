"""`-t summary` and `--summary`: the gain from using all devices instead of the primary device alone (speed-up), energy,
bytes moved, and each device's work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from dialects.text.columns import table
from interp.figures import BY_COMPONENT, OF_BOARDS, count, energy, multiple, percent, size, time
from interp.simulate.events.jobs import ROUNDED
from lowering.alone.sensitivity import ASSUMPTION_EVENTS, NOTICED
from ndpir.reports.answers.summary import DeviceName, End, SummaryAnswer, summary_answer
from ndpir.reports.memory_lines import memory_lines
from ndpir.reports.run import How, Run
from ndpir.reports.target import AnswerTarget


@dataclass(frozen=True)
class SummaryTarget(AnswerTarget[SummaryAnswer]):
    """A few lines on a program: makespan, bound and gap; speed-up and energy relative to the same program on the
    primary device alone; bytes over links; and each device's fraction of the work.

    Pass `place` records the time of the program on the primary device alone; without that record, the speed-up is shown
    as unknown. `entry`: the function; default: `main`, or else the first function. `json`: the answer as JSON.
    """

    name: ClassVar[str] = "summary"
    entry: str | None = None

    def answer(self, module: ModuleOp) -> SummaryAnswer:
        return summary_answer(Run.of(module, self.entry))

    def text(self, answer: SummaryAnswer) -> str:
        return summary_text(answer)


def summary_text(answer: SummaryAnswer) -> str:
    """The lines of the summary, and its table of devices and links."""
    totals, devices = answer.totals, ", ".join(f"@{device.name} = {_called(device)}" for device in answer.machine)
    moved = f"{count(answer.copies, 'copy')} over links, {size(totals.bytes_copied)} in total"
    lines = [
        f"machine    {devices}",
        f"tasks      {answer.tasks}, and {moved}",
        *([f"costs      {answer.costs}"] if answer.costs is not None else []),
        f"makespan   {time(totals.makespan_ns)}",
        f"bound      {time(totals.bound_ns)} ({totals.bound_by}{_gap(answer)})",
        f"energy     {energy(totals.energy_nj)} {BY_COMPONENT}",
        *([f"board      {energy(totals.board_nj)} {OF_BOARDS}"] if totals.board_nj is not None else []),
        *(memory_lines(answer.memory, totals.makespan_ns) if answer.memory is not None else []),
        *_random(answer),
        *_planned(answer),
        *_compared(answer),
        *(_depends(answer) if answer.assumptions is not None else []),
    ]
    return "\n".join(lines) + "\n\n" + _shares(answer)


def _gap(answer: SummaryAnswer) -> str:
    """The gap to the bound on schedules; in its place a remark if the program waits for moves between memories, which
    that bound does not count: `at least` states the bound on them."""
    return _UNMOVED if answer.memory is not None else f"; gap {percent(answer.totals.gap)}"


_UNMOVED = "; not counting moves between memories"


def _random(answer: SummaryAnswer) -> Iterator[str]:
    """A line on the time of tasks that draw random numbers; none if there are no such tasks."""
    if answer.random_ns:
        part = percent(answer.random_ns / answer.serial_ns)
        yield f"random     {time(answer.random_ns)} ({part} of all tasks) draw random numbers (threefry)"


def _planned(answer: SummaryAnswer) -> Iterator[str]:
    """Lines on the lower bound of all placements and the policy's prediction, if `place` recorded them, and on the time
    that contention between devices adds."""
    plan, makespan, contention = answer.plan, answer.totals.makespan_ns, answer.contention
    if plan is not None and plan.bound_ns is not None:
        bound = f"{time(plan.bound_ns)} at least, for any placement and order ({plan.bound_by}"
        yield (
            f"placement  {bound}); {_above(plan.above)}" if answer.memory is None else f"placement  {bound}{_UNMOVED})"
        )
    if plan is not None:
        less = plan.predicted_ns - makespan
        changed = f"; later passes {'save' if less > 0 else 'add'} {time(abs(less))}"
        compared = ", equal to the simulation" if abs(less) <= makespan * ROUNDED else changed
        yield (
            f'predicted  {time(plan.predicted_ns)} by placement policy "{plan.policy}"{compared}'
            f"{_overlap(answer.serial_ns, makespan)}"
        )
    if contention is not None:
        yield (
            f"contention {time(contention.ns)} of the makespan, because devices {' and '.join(contention.causes)} "
            f"({time(contention.without_ns)} without)"
        )


def _above(part: float | None) -> str:
    """The distance of a program's time from a recorded bound, in words."""
    return "later passes made kernels faster" if part is None else f"this one {percent(part)} above"


def _overlap(serial_ns: float, makespan_ns: float) -> str:
    """The serial time of all tasks and copies, and the time that overlap saves; empty if nothing overlaps."""
    saved = serial_ns - makespan_ns
    if saved <= serial_ns * ROUNDED:
        return ""
    return f"; without overlap {time(serial_ns)} (overlap saves {time(saved)})"


_HOW: dict[How, str] = {
    "alone at its best": " alone at its best",
    "its tasks run serially": ", its tasks run serially",
}


def _compared(answer: SummaryAnswer) -> Iterator[str]:
    """Lines on the speed-up and the energy relative to the primary device alone."""
    found, first = answer.comparison, answer.machine[0]
    all_channels = f" with all {first.all_channels} channels" if first.channels != first.all_channels else ""
    primary = f"@{first.name}{all_channels}"
    if found is None:
        yield (
            f"speed-up   unknown: the program has no recorded time with everything on {primary}; run pass `place` for "
            "this machine"
        )
        return
    primary += _HOW[found.how]
    if _is_unknown(answer):
        yield (
            f"speed-up   unknown: @{first.name} alone can't hold the program; with enough memory it would take "
            f"{time(found.ns)}"
        )
        return
    form = f", in {found.form}" if found.form else ""
    lacking = "" if found.fits else ", with more memory than it has"
    if found.splits_bound_ns is not None:
        yield f"splits     {time(found.splits_bound_ns)} lower bound with splits; {_above(found.above_splits)}"
    yield f"speed-up   {_times(found.speed_up)} over {primary} ({time(found.ns)}{form}{lacking})"
    yield f"rel energy {multiple(found.rel_energy)} of {primary} ({energy(found.energy_nj)}), by component"
    if found.rel_board is not None and found.board_nj is not None:
        yield f"rel board  {multiple(found.rel_board)} of {primary} ({energy(found.board_nj)}), whole boards"


def _is_unknown(answer: SummaryAnswer) -> bool:
    """True if the primary device alone can't hold the program, whose data are moved between memories, so that there is
    no speed-up."""
    return answer.memory is not None and answer.comparison is not None and not answer.comparison.fits


def _depends(answer: SummaryAnswer) -> list[str]:
    """Lines on each assumed number of the machine that changes the summary's results: the results at both ends of the
    number's range, and with `--replan` also the results of plans made for these values."""
    assumptions = answer.assumptions
    if assumptions is None:
        return []
    if assumptions.skipped:
        return [f"depends on (not evaluated: the program has more than {ASSUMPTION_EVENTS} tasks and copies)"]
    if not assumptions.found:
        return []
    lines: list[str] = []
    for one in assumptions.found:
        if not one.figures:
            continue
        figures = [_WITHOUT_ALONE[figure] for figure in one.figures] if _is_unknown(answer) else one.figures
        ends = "; ".join(_end(end, figures) for end in one.ends)
        lines.append(f"depends on {one.name}, assumed {one.assumed}; with this plan {ends}")
        if one.replanned:
            lines.append(f"replanned  {one.name}; {'; '.join(_end(end, figures) for end in one.replanned)}")
    number = count(len(assumptions.found), "assumption")
    return lines or [f"depends on none of {number} by more than {percent(NOTICED)}"]


def _end(end: End, figures: Sequence[str]) -> str:
    if end.why_not:
        return f"{end.where}: can't run ({end.why_not})"
    values = {"speed-up": end.speed_up, "rel energy": end.rel_energy, "rel board": end.rel_board}
    shown = {label: _times(value) for label, value in values.items() if value is not None}
    shown |= {"makespan": time(end.makespan_ns or 0.0), "energy": energy(end.energy_nj or 0.0)}
    return f"{end.where}: " + ", ".join(f"{label} {shown[label]}" for label in dict.fromkeys(figures) if label in shown)


_WITHOUT_ALONE = {"speed-up": "makespan", "rel energy": "energy", "rel board": "energy"}
"""The figures to show if there is no time on the primary device alone, in place of those relative to it."""


def _times(ratio: float) -> str:
    """A ratio as text: `3.00x`, or `0.0054x` below 0.1."""
    return multiple(ratio) if ratio >= 0.1 else f"{ratio:.2g}x"


def _called(device: DeviceName) -> str:
    """The name of a device's sheet, and the number of its memory channels if some of them belong to a PIM."""
    if device.channels == device.all_channels:
        return device.sheet
    return f"{device.sheet} ({device.channels} of its {device.all_channels} channels)"


def _shares(answer: SummaryAnswer) -> str:
    """A table with one row per device and link."""
    total = sum(answer.flops.values())
    rows: list[tuple[str, ...]] = []
    for one in answer.resources:
        part = answer.flops.get(one.name, 0) / total if total else 0.0
        work = percent(part) if one.kind == "device" else ""
        rows.append((one.name, str(one.tasks), work, time(one.busy_ns), percent(one.utilisation)))
    return table(("on", "tasks", "of all flops", "busy", "of makespan"), rows, left=(0,))

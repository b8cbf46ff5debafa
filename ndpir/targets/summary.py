"""`-t summary` and `--summary`: the gain from offloading: speed-up over the primary device alone, energy, bytes moved,
and each device's work."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.utils.target import Target

from dialects.task import RunOp, YieldOp
from interp.cost.clock import Clock
from interp.cost.coverage import costs_line
from interp.figures import BY_COMPONENT, OF_BOARDS, count, energy, percent, size, table, time
from interp.memory.residence import Residence
from interp.program.entry import entry_of, functions, is_graph_op
from interp.schedule.arbitration import rules_of
from interp.schedule.events import spans
from interp.schedule.jobs import SharingRules
from interp.schedule.simulation import simulate
from interp.schedule.timeline import Timeline, idle_energy
from lowering.banks.templates import clock_for
from lowering.limits import LIMITS
from lowering.memory.worth import parameter_effects
from lowering.placement.baseline import Baseline, read_baseline, unpartitioned_clock
from lowering.placement.prediction import read_prediction
from lowering.placement.primary_alone import is_graph_level, note_baselines
from lowering.placement.sensitivity import (
    REPLAN,
    Headline,
    ends_in_words,
    replanned,
    stated,
    swings,
)
from ndpir.targets.memory_lines import memory_lines, worth_lines

ROUNDING = 1e-8
"""The relative rounding error of recorded times, which have nine digits."""


@dataclass(frozen=True)
class SummaryTarget(Target):
    """A few lines on a program: makespan, bound and gap; speed-up and energy relative to the same program on the
    primary device alone; bytes over links; and each device's fraction of the work.

    Pass `place` records the time of the program on the primary device alone; without that record, the speed-up is shown
    as unknown.
    """

    name: ClassVar[str] = "summary"
    NEEDS_MACHINE: ClassVar[bool] = True
    entry: str | None = None

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        clock = clock_for(module)
        timeline = simulate(module, clock, self.entry)
        function = entry_of(module, self.entry) if functions(module) else None
        if function is not None and is_graph_level(function):
            note_baselines(module, clock)
        output.write(summary_text(timeline, clock, function, module))


def summary_text(timeline: Timeline, clock: Clock, function: FuncOp | None, module: ModuleOp | None = None) -> str:
    """The summary of a program's timeline; with the module, also lines on assumed numbers of its machine that change
    the result."""
    baseline, how = baseline_for(timeline, clock, function)
    primary, copies = (
        clock.machine.primary,
        sum(iterations for event, iterations, _ in timeline.tasks() if event.is_copy),
    )
    tasks = sum(iterations for event, iterations, _ in timeline.tasks() if not event.is_copy)
    devices = ", ".join(f"@{name} = {_called(name, clock)}" for name in clock.machine.devices)
    moved = f"{count(copies, 'copy')} over links, {size(timeline.bytes_copied)} in total"
    costs = costs_line(timeline, clock)
    reason = f"{timeline.bound_by}; gap {percent(timeline.gap)}"
    lines = [
        f"machine    {devices}",
        f"tasks      {tasks}, and {moved}",
        *([f"costs      {costs}"] if costs is not None else []),
        f"makespan   {time(timeline.makespan_ns)}",
        f"bound      {time(timeline.bound_ns)} ({reason})",
        f"energy     {energy(timeline.total_energy_nj)} {BY_COMPONENT}",
        *([f"board      {energy(timeline.board_nj)} {OF_BOARDS}"] if timeline.metered else []),
        *(_memory(timeline.residence, clock, module) if timeline.residence is not None else []),
        *_random(timeline),
        *_planned(timeline, clock, function),
        *_compared(timeline, f"@{primary}{_with_all(primary, clock)}{how}", baseline),
        *(_sensitivity(module, timeline, clock, baseline) if module is not None and baseline is not None else []),
    ]
    return "\n".join(lines) + "\n\n" + _shares(timeline, baseline.flops if baseline else {})


def _memory(residence: Residence, clock: Clock, module: ModuleOp | None) -> list[str]:
    """Lines on the cost of moves between device memory and the memory behind it, and on parameters that would lower
    it."""
    lines = memory_lines(residence, clock)
    if module is not None and residence.stalls:
        lines += worth_lines(parameter_effects(module, residence, clock), residence)
    return lines


def _random(timeline: Timeline) -> list[str]:
    """A line on the time of tasks that draw random numbers; none if there are no such tasks."""
    drawn = [event.cost.ns * iterations for event, iterations, _ in timeline.tasks() if event.name == "threefry"]
    total = sum(event.cost.ns * iterations for event, iterations, _ in timeline.tasks())
    if not drawn:
        return []
    return [
        f"random     {time(sum(drawn))} ({percent(sum(drawn) / total)} of all tasks) draw random numbers (threefry)"
    ]


def _planned(timeline: Timeline, clock: Clock, function: FuncOp | None) -> list[str]:
    """Lines on the lower bound of all placements and the policy's prediction, if `place` recorded them, and on the time
    that contention between devices adds."""
    noted = read_prediction(function, clock) if function is not None else None
    lines: list[str] = []
    makespan = timeline.makespan_ns
    if noted is not None and noted.bound is not None and noted.bound.ns <= makespan * (1 + ROUNDING):
        above = percent(max(makespan / noted.bound.ns - 1, 0.0))
        lines.append(
            f"placement  {time(noted.bound.ns)} at least, for any placement and order "
            f"({noted.bound.because}); this one {above} above"
        )
    if noted is not None:
        less = noted.ns - makespan
        changed = f"; later passes {'save' if less > 0 else 'add'} {time(abs(less))}"
        compared = ", equal to the simulation" if abs(less) <= makespan * ROUNDING else changed
        lines.append(f'predicted  {time(noted.ns)} by placement policy "{noted.policy}"{compared}{_overlap(timeline)}')
    return [*lines, *_contention(timeline, rules_of(clock.machine))]


def _overlap(timeline: Timeline) -> str:
    """The serial time of all tasks and copies, and the time that overlap saves of it; empty without overlap."""
    serial = sum(event.cost.ns * iterations for event, iterations, _ in timeline.tasks())
    saved = serial - timeline.makespan_ns
    if saved <= serial * ROUNDING:
        return ""
    return f"; without overlap {time(serial)} (overlap saves {time(saved)})"


def _contention(timeline: Timeline, rules: SharingRules) -> list[str]:
    """A line on the part of the makespan due to contention: devices that take turns, share bandwidth or slow each other
    down. None if contention adds no time."""
    uncontended_ns = _without_rules(timeline) if not rules.separate else timeline.makespan_ns
    waited = timeline.makespan_ns - uncontended_ns
    if waited <= timeline.makespan_ns * ROUNDING:
        return []
    words = {"take turns": rules.locks, "share bandwidth": rules.bandwidths, "slow contractions": rules.interference}
    causes = " and ".join(word for word, applies in words.items() if applies)
    return [f"contention {time(waited)} of the makespan, because devices {causes} ({time(uncontended_ns)} without)"]


def _without_rules(timeline: Timeline) -> float:
    """The makespan in ns of a timeline without contention between devices."""
    lasted = [
        event.cost.ns if event.body is None else _without_rules(event.body) * event.iterations
        for event in timeline.events
    ]
    events = zip(timeline.events, lasted, strict=True)
    return max(spans([event.job._replace(ns=ns) for event, ns in events])[1], default=0.0)


def baseline_for(timeline: Timeline, clock: Clock, function: FuncOp | None) -> tuple[Baseline | None, str]:
    """The baseline, and its description, which follows the primary device's name in messages. The baseline is the
    recorded best plan on the primary device alone; without a record, the serial time of the tasks' ops on that device;
    None if the program is lowered to bank commands already, so that neither is known."""
    if function is None:
        return None, ""
    if (noted := read_baseline(function, clock)) is not None:
        return noted, " alone at its best"
    clock, primary = unpartitioned_clock(clock), clock.machine.primary
    tasks = [(event.op, iterations) for event, iterations, _ in timeline.tasks() if not event.is_copy]
    ops = [(op, n) for task, n in tasks for op in (task.body.block.ops if isinstance(task, RunOp) else (task,))]
    work = [(op, iterations) for op, iterations in ops if is_graph_op(op)]
    known = all(is_graph_op(op) or isinstance(op, YieldOp) for op, _ in ops)
    if not known or not all(clock.supports(op, primary) for op, _ in work):
        return None, ""
    costs = [
        cost if iterations == 1 else cost.times(iterations, "")
        for op, iterations in work
        if (cost := clock.op_cost(op, primary))
    ]
    ns = sum(cost.ns for cost in costs)
    idle = sum(device.idle_w for device in clock.machine.devices.values()) * ns  # 1 W for 1 ns is 1 nJ
    board = sum(cost.board_nj for cost in costs)
    board += sum(idle_energy(clock, name, ns, ns if name == primary else 0.0) for name in clock.machine.devices)
    return Baseline(ns, sum(cost.energy_nj for cost in costs) + idle, board), ", its tasks run serially"


def _compared(timeline: Timeline, primary: str, baseline: Baseline | None) -> list[str]:
    if baseline is None:
        return [
            f"speed-up   unknown: the program has no recorded time with everything on {primary}; run pass `place` for "
            "this machine"
        ]
    faster = baseline.ns / timeline.makespan_ns if timeline.makespan_ns else 1.0
    ratio = timeline.total_energy_nj / baseline.nj if baseline.nj else 1.0
    above = timeline.makespan_ns / baseline.bound_ns - 1 if baseline.bound_ns else 0.0
    types = f", in {baseline.element}" if baseline.element else ""
    lacking = "" if baseline.fits else ", with more memory than it has"
    lines = [
        *(
            [f"splits     {time(baseline.bound_ns)} lower bound with splits; this one {percent(above)} above"]
            if baseline.bound_ns
            else []
        ),
        f"speed-up   {_times(faster)} over {primary} ({time(baseline.ns)}{types}{lacking})",
        f"rel energy {ratio:.2f}x of {primary} ({energy(baseline.nj)}), by component",
    ]
    if timeline.metered and baseline.board_nj:
        ratio = timeline.board_nj / baseline.board_nj
        lines.append(f"rel board  {ratio:.2f}x of {primary} ({energy(baseline.board_nj)}), whole boards")
    return lines


def _sensitivity(module: ModuleOp, timeline: Timeline, clock: Clock, baseline: Baseline) -> list[str]:
    """Lines on each assumed number of the machine that changes the result: results at both ends of its range, and with
    `--replan` also the results of plans made for these values."""
    if sum(1 for _ in timeline.tasks()) > LIMITS.assumption_events:
        return [f"depends on (not evaluated: the program has more than {LIMITS.assumption_events} tasks and copies)"]
    met = swings(module, timeline, clock, baseline)
    if not met:
        return []
    here = stated(timeline, baseline)
    lines: list[str] = []
    recompiled = REPLAN.get()
    for swing in met:
        figures = [label for label, figure in FIGURES.items() if figure(here) and swing.differs(here, figure)]
        if not figures:
            continue
        values = ends_in_words(swing.assumption)
        ends = "; ".join(_answer(end, at, figures) for end, at in zip((swing.low, swing.high), values, strict=True))
        lines.append(
            f"depends on {swing.name}, assumed {swing.assumption.stated or 'as in the sheet'}; with this plan {ends}"
        )
        if recompiled is not None:
            outcomes = "; ".join(_answer(found, where, figures) for where, found in replanned(swing, recompiled))
            lines.append(f"replanned  {swing.name}; {outcomes}")
    return lines or [
        f"depends on none of {count(len(met), 'assumption')} by more than {percent(LIMITS.assumption_noticed)}"
    ]


FIGURES: dict[str, Callable[[Headline], float]] = {
    "speed-up": lambda answer: answer.speed_up,
    "rel energy": lambda answer: answer.energy,
    "rel board": lambda answer: answer.board,
}
"""The compared results, by label."""


def _answer(answer: Headline | None, where: str, figures: Sequence[str]) -> str:
    if answer is None:
        return f"{where}: can't run"
    return f"{where}: " + ", ".join(f"{label} {_times(FIGURES[label](answer))}" for label in figures)


def _times(factor: float) -> str:
    """A factor as text: `3.00x`, or `0.0054x` below 0.1."""
    return f"{factor:.2f}x" if factor >= 0.1 else f"{factor:.2g}x"


def _called(name: str, clock: Clock) -> str:
    """The name of a device's sheet, and its number of memory channels if a PIM has taken some."""
    record, full = clock.machine.devices[name], clock.machine.unpartitioned.devices[name]
    left = f" ({record.channels} of its {full.channels} channels)" if record.channels != full.channels else ""
    return record.name + left


def _with_all(name: str, clock: Clock) -> str:
    record, full = clock.machine.devices[name], clock.machine.unpartitioned.devices[name]
    return f" with all {full.channels} channels" if record.channels != full.channels else ""


def _shares(timeline: Timeline, noted: Mapping[str, int]) -> str:
    """A table with one row per device and link. `noted`: recorded flops by device, used instead of the tasks' sums."""
    flops = dict(noted) or {
        name: sum(event.cost.flops * iterations for event, iterations, _ in timeline.tasks() if event.resource == name)
        for name in timeline.devices
    }
    total = sum(flops.values())
    rows: list[tuple[str, ...]] = []
    for name in timeline.resources:
        tasks = sum(iterations for event, iterations, _ in timeline.tasks() if event.resource == name)
        work = percent(flops.get(name, 0) / total if total else 0.0) if name in timeline.devices else ""
        rows.append((name, str(tasks), work, time(timeline.busy_ns[name]), percent(timeline.utilisation(name))))
    return table(("on", "tasks", "of all flops", "busy", "of makespan"), rows, left=(0,))

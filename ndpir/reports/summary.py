"""`-t summary` and `--summary`: the gain from using all devices instead of the primary device alone (speed-up), energy,
bytes moved, and each device's work."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dialects.graph import FusedOp, GraphOp, tensor_of
from dialects.launching import LaunchingOp
from dialects.task import RunOp
from dialects.text.columns import table
from interp.figures import BY_COMPONENT, OF_BOARDS, count, energy, multiple, percent, size, time
from interp.kinds.clock import Clock
from interp.simulate.events.jobs import ROUNDED, SharingRules, above
from interp.simulate.events.loop import spans
from interp.simulate.schedule.arbitration import rules_of
from interp.simulate.schedule.coverage import costs_line
from interp.simulate.schedule.timeline import Timeline
from interp.walk.entry import is_contraction
from lowering.alone.baseline import Baseline
from lowering.alone.sensitivity import (
    ASSUMPTION_EVENTS,
    NOTICED,
    REPLAN,
    Headline,
    Swing,
    ends_in_words,
    replanned,
    stated,
    swings,
)
from lowering.tasks.prediction import Prediction
from ndpir.reports.answers.opaque import OpaqueUse, opaque_uses, opaque_words
from ndpir.reports.answers.worth import Worth, worth_of, worth_text
from ndpir.reports.libraries import LibraryUse, library_lines, library_uses
from ndpir.reports.memory import MemoryUse, memory_lines, memory_use
from ndpir.reports.run import How, Run
from ndpir.reports.target import AnswerTarget
from ndpir.reports.timeline import Resource, Totals, resources_of

LEAST = 0.01
"""The part of all multiplications below which a type is left out."""


def types_of(timeline: Timeline, clock: Clock) -> str:
    """The types of a run's contractions, those with the most multiplications first: `f16`, `f32 without TF32 and i8`.
    For a run without contractions, the types of its other ops, by flops."""
    multiplied, others = defaultdict[str, int](int), defaultdict[str, int](int)
    for event, times, _ in timeline.tasks():
        if event.is_copy:
            continue
        device = clock.machine.devices[event.resource]
        for op in _kernels(event.op):
            element = str(tensor_of(op.operands[0]).element_type) if op.operands else ""
            if isinstance(op, LaunchingOp) and element:
                multiplied[device.contracts_as(element)] += event.cost.flops * times
            elif isinstance(op, GraphOp) and is_contraction(op):
                multiplied[device.contracts_as(element)] += 2 * op.work().macs * times
            elif isinstance(op, GraphOp) and element:
                others[element] += op.work().flops * times
    found = multiplied if sum(multiplied.values()) else others
    ordered = sorted(found, key=lambda name: -found[name])
    return " and ".join(name for name in ordered if found[name] >= LEAST * sum(found.values()))


def _kernels(op: Operation) -> Iterator[Operation]:
    """The graph ops and launches of a task, of a group, or the op itself."""
    match op:
        case RunOp():
            for inner in op.body.block.ops:
                yield from _kernels(inner)
        case FusedOp():
            yield from op.ops
        case _:
            yield op


@dataclass(frozen=True)
class DeviceName:
    """A device of the machine."""

    name: str
    sheet: str
    channels: int
    """The number of memory channels that the program can use."""
    all_channels: int
    """The number of the device's memory channels; larger than `channels` if a PIM uses some of them."""


@dataclass(frozen=True)
class Plan:
    """The plan that pass `place` recorded."""

    policy: str
    predicted_ns: float
    bound_ns: float | None
    """A lower bound on the makespan of any placement and order of the kernels as they were placed; null if none is
    known."""
    bound_by: str
    above: float | None
    """The fraction by which the makespan is above the bound; null if no bound is known, or if later passes made the
    program faster than any placement of those kernels."""
    moves: bool
    """True if the bound is on any plan of devices, repeated runs and moves between memories."""


@dataclass(frozen=True)
class Contention:
    """The part of the makespan that is due to devices that wait for each other or share a bandwidth."""

    ns: float
    without_ns: float
    """The makespan without contention."""
    causes: tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
    """The time and energy of the program on the primary device alone, and the speed-up and relative energy of the
    run."""

    primary: str
    how: How
    """The method of the time on the primary device alone: the best plan for it, as a pass recorded it; or the sum over
    the ops of all tasks, executed one after another on that device."""
    ns: float
    energy_nj: float
    board_nj: float | None
    fits: bool
    """False if the program exceeds the primary device's memory."""
    form: str
    """The form of the program on the primary device: its element types, if the program was converted, and attention,
    if it was fused; empty for the form that was read."""
    splits_bound_ns: float | None
    """A lower bound on the makespan of any plan, including those that split ops."""
    above_splits: float | None
    """The fraction by which the makespan is above that bound; null if none is known, or if later passes made the
    program faster than any plan for the kernels as they were placed."""
    speed_up: float
    rel_energy: float
    """Energy of the run divided by that on the primary device alone; both are sums over components, as in `Totals`."""
    rel_board: float | None
    """Energy of whole boards in the run divided by that on the primary device alone; null if no board is calibrated."""


@dataclass(frozen=True)
class End:
    """Time, energy, speed-up and relative energies if one assumed number has another value; null if no plan runs with
    that value."""

    where: str
    makespan_ns: float | None
    energy_nj: float | None
    speed_up: float | None
    rel_energy: float | None
    rel_board: float | None
    why_not: str = ""
    """The reason why the plan can't run with that value; empty if it can."""

    @classmethod
    def of(cls, where: str, found: Headline | str) -> End:
        """The speed-up and relative energies `found` at the value described by `where`, or the reason why there are
        none."""
        if isinstance(found, str):
            return cls(where, None, None, None, None, None, found)
        return cls(where, found.ns, found.nj, found.speed_up, found.energy, found.board)


@dataclass(frozen=True)
class Dependence:
    """An assumed number of a sheet, and the speed-up and relative energies at both ends of its range."""

    name: str
    assumed: str
    figures: tuple[str, ...]
    """The figures that change noticeably between the ends; empty if none does."""
    ends: tuple[End, ...]
    """The figures at each end of the range, for the plan of this run."""
    replanned: tuple[End, ...]
    """The figures at each end of the range, for a plan made with that value; empty without `--replan`."""


@dataclass(frozen=True)
class Assumptions:
    """The assumed numbers of the machine's sheets that could change the summary's figures."""

    skipped: bool
    """True if the assumed numbers were not examined, since the program has too many tasks."""
    found: tuple[Dependence, ...]


@dataclass(frozen=True)
class SummaryAnswer:
    """The main figures of a run: time, energy, bytes moved, and their comparison with the primary device alone."""

    machine: tuple[DeviceName, ...]
    tasks: int
    copies: int
    costs: str | None
    types: str
    """The element types of the run's contractions, those with the most multiplications first."""
    totals: Totals
    serial_ns: float
    """The sum of the times of all tasks and copies."""
    random_ns: float
    """The time of tasks that draw random numbers."""
    opaque: tuple[OpaqueUse, ...]
    """The operators of which only the bytes are known (`--opaque`), the longest total time first."""
    memory: MemoryUse | None
    plan: Plan | None
    contention: Contention | None
    comparison: Comparison | None
    """The comparison with the primary device alone; null if the time on that device is unknown."""
    assumptions: Assumptions | None
    flops: Mapping[str, int]
    """The number of flops of each device."""
    resources: tuple[Resource, ...]
    libraries: tuple[LibraryUse, ...]
    """The libraries of the GPUs that are timed by models of kernels."""
    worth: Worth | None = None
    """What the plan's decisions are worth; null without `--summary=why`."""


@dataclass(frozen=True)
class ClosestBound:
    """The lower bound that says most about a run: of all plans of moves if memory is short, of all placements if one is
    known, otherwise of all schedules of the same tasks and copies."""

    of: str
    """The plans that the bound holds for, in words."""
    ns: float
    by: str
    above: float
    """Makespan divided by the bound, minus 1."""


def closest_bound(answer: SummaryAnswer) -> ClosestBound | None:
    """The bound to compare a run with; None if its program exceeds a memory and no bound on moves is known."""
    totals, plan = answer.totals, answer.plan
    if answer.memory is not None:
        moves = answer.memory.bound
        return None if moves is None else ClosestBound("any plan of moves", moves.ns, moves.by, moves.above)
    if plan is not None and plan.bound_ns and plan.above is not None:
        return ClosestBound("any placement", plan.bound_ns, plan.bound_by, plan.above)
    if not totals.bound_ns:
        return None
    return ClosestBound("any schedule of these tasks and copies", totals.bound_ns, totals.bound_by, totals.gap)


def summary_answer(run: Run, *, depends: bool = True) -> SummaryAnswer:
    """The summary of a run. `depends`: say what the times depend on, too: the assumed numbers, for each of which the
    plan is timed twice, and the libraries of kernels."""
    timeline, clock = run.timeline, run.clock
    baseline, how = run.baseline
    work = [(event, times) for event, times, _ in timeline.tasks()]
    examined = depends and baseline is not None
    return SummaryAnswer(
        tuple(_devices(clock)),
        sum(times for event, times in work if not event.is_copy),
        sum(times for event, times in work if event.is_copy),
        costs_line(timeline, clock),
        types_of(timeline, clock),
        Totals.of(timeline),
        sum(event.cost.ns * times for event, times in work),
        sum(event.cost.ns * times for event, times in work if event.name == "threefry"),
        opaque_uses(timeline, clock),
        None if timeline.residence is None else memory_use(run, timeline.residence),
        None if run.prediction is None else _plan(run.prediction, timeline),
        _contention(timeline, rules_of(clock.machine)),
        None
        if baseline is None or how is None
        else _comparison(timeline, clock.machine.primary, how, baseline, run.prediction),
        _assumptions(run, baseline) if examined and baseline is not None else None,
        _flops(timeline, baseline),
        resources_of(timeline, clock),
        library_uses(timeline, clock) if depends else (),
        worth_of(run),
    )


def _devices(clock: Clock) -> Iterator[DeviceName]:
    whole = clock.machine.unpartitioned.devices
    for name, record in clock.machine.devices.items():
        yield DeviceName(name, record.name, record.channels, whole[name].channels)


def _plan(noted: Prediction, timeline: Timeline) -> Plan:
    if (bound := noted.bound) is None:
        return Plan(noted.policy, noted.ns, None, "", None, noted.moves)
    part = above_recorded(timeline, bound.ns, noted, "any placement")
    return Plan(noted.policy, noted.ns, bound.ns, bound.because, part, noted.moves)


def above_recorded(timeline: Timeline, bound_ns: float, noted: Prediction | None, what: str) -> float | None:
    """The fraction by which a program's time is above a lower bound that `place` recorded for its kernels; None if
    later passes made the program faster than the bound, or may have done so. Raises BoundError if the program takes the
    time that was predicted with the bound, but less than the bound. `what`: of which times it is a bound."""
    ns = timeline.makespan_ns
    unchanged = noted is not None and abs(noted.ns - ns) <= ns * ROUNDED
    return None if ns < bound_ns and not unchanged else above(ns, bound_ns, what)


def _contention(timeline: Timeline, rules: SharingRules) -> Contention | None:
    alone = timeline.makespan_ns if rules.separate else _without_rules(timeline)
    waited = timeline.makespan_ns - alone
    if waited <= timeline.makespan_ns * ROUNDED:
        return None
    causes = {"take turns": rules.locks, "share bandwidth": rules.bandwidths, "slow contractions": rules.interference}
    return Contention(waited, alone, tuple(cause for cause, applies in causes.items() if applies))


def _without_rules(timeline: Timeline) -> float:
    """The makespan in ns if devices did not wait for each other or share bandwidths."""
    lasted = [
        event.cost.ns if event.body is None else _without_rules(event.body) * event.iterations
        for event in timeline.events
    ]
    events = zip(timeline.events, lasted, strict=True)
    return max(spans([event.job._replace(ns=ns) for event, ns in events])[1], default=0.0)


def _comparison(timeline: Timeline, primary: str, how: How, baseline: Baseline, noted: Prediction | None) -> Comparison:
    metered = timeline.metered and baseline.board_nj > 0
    return Comparison(
        primary,
        how,
        baseline.ns,
        baseline.nj,
        baseline.board_nj if metered else None,
        baseline.fits,
        baseline.form,
        baseline.bound_ns or None,
        above_recorded(timeline, baseline.bound_ns, noted, "any plan") if baseline.bound_ns else None,
        baseline.ns / timeline.makespan_ns if timeline.makespan_ns else 1.0,
        timeline.total_energy_nj / baseline.nj if baseline.nj else 1.0,
        timeline.board_nj / baseline.board_nj if metered else None,
    )


FIGURES: dict[str, Callable[[Headline], float]] = {
    "speed-up": lambda answer: answer.speed_up,
    "rel energy": lambda answer: answer.energy,
    "rel board": lambda answer: answer.board,
}
"""The figures that are compared at both ends of an assumed number's range, by label."""


def _assumptions(run: Run, baseline: Baseline) -> Assumptions:
    if sum(1 for _ in run.timeline.tasks()) > ASSUMPTION_EVENTS:
        return Assumptions(True, ())
    here = stated(run.timeline, baseline)
    met = swings(run.module, run.timeline, run.clock, baseline)
    return Assumptions(False, tuple(_dependence(swing, here) for swing in met))


def _dependence(swing: Swing, here: Headline) -> Dependence:
    changing = tuple(label for label, figure in FIGURES.items() if figure(here) and swing.differs(here, figure))
    where = ends_in_words(swing.assumption)
    ends = tuple(End.of(at, found) for at, found in zip(where, (swing.low, swing.high), strict=True))
    recompiled = REPLAN.get()
    again = replanned(swing, recompiled) if changing and recompiled is not None else ()
    return Dependence(
        swing.name,
        swing.assumption.stated or "as in the sheet",
        changing,
        ends,
        tuple(End.of(at, found) for at, found in again),
    )


def _flops(timeline: Timeline, baseline: Baseline | None) -> dict[str, int]:
    """Flops by device: those recorded with the plan, or else those of the timeline's tasks."""
    if baseline is not None and baseline.flops:
        return dict(baseline.flops)
    return {
        name: sum(event.cost.flops * times for event, times, _ in timeline.tasks() if event.resource == name)
        for name in timeline.devices
    }


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
        *library_lines(answer.libraries),
        f"makespan   {time(totals.makespan_ns)}",
        f"bound      {time(totals.bound_ns)} ({totals.bound_by}{_gap(answer)})",
        f"energy     {energy(totals.energy_nj)} {BY_COMPONENT}",
        *([f"board      {energy(totals.board_nj)} {OF_BOARDS}"] if totals.board_nj is not None else []),
        *(memory_lines(answer.memory, totals.makespan_ns) if answer.memory is not None else []),
        *_random(answer),
        *(f"opaque     {words}" for words in opaque_words(answer.opaque)),
        *_planned(answer),
        *_compared(answer),
        *(_depends(answer) if answer.assumptions is not None else []),
    ]
    worth = "" if answer.worth is None else f"\n{worth_text(answer.worth)}"
    return "\n".join(lines) + "\n\n" + _shares(answer) + worth


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
        any_plan = "plan of devices, repeated runs and moves" if plan.moves else "placement and order"
        bound = f"{time(plan.bound_ns)} at least, for any {any_plan} ({plan.bound_by}"
        counted = plan.moves or answer.memory is None
        yield f"placement  {bound}); {_above(plan.above)}" if counted else f"placement  {bound}{_UNMOVED})"
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

"""The answer of `-t summary`: the gain from offloading, the use of each device, and the assumptions that the result
depends on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from interp.kinds.clock import Clock
from interp.simulate.events.jobs import ROUNDED, SharingRules, above
from interp.simulate.events.loop import spans
from interp.simulate.schedule.arbitration import rules_of
from interp.simulate.schedule.coverage import costs_line
from interp.simulate.schedule.timeline import Timeline
from lowering.alone.baseline import Baseline
from lowering.alone.sensitivity import (
    ASSUMPTION_EVENTS,
    REPLAN,
    Headline,
    Swing,
    ends_in_words,
    replanned,
    stated,
    swings,
)
from lowering.tasks.prediction import Prediction
from ndpir.reports.answers.memory import MemoryUse, memory_use
from ndpir.reports.answers.timeline import Resource, Totals, resources_of
from ndpir.reports.answers.types import types_of
from ndpir.reports.run import How, Run


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
    memory: MemoryUse | None
    plan: Plan | None
    contention: Contention | None
    comparison: Comparison | None
    """The comparison with the primary device alone; null if the time on that device is unknown."""
    assumptions: Assumptions | None
    flops: Mapping[str, int]
    """The number of flops of each device."""
    resources: tuple[Resource, ...]


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
    """The summary of a run. `depends`: examine the assumed numbers, for each of which the plan is timed twice."""
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
        None if timeline.residence is None else memory_use(run, timeline.residence),
        None if run.prediction is None else _plan(run.prediction, timeline),
        _contention(timeline, rules_of(clock.machine)),
        None
        if baseline is None or how is None
        else _comparison(timeline, clock.machine.primary, how, baseline, run.prediction),
        _assumptions(run, baseline) if examined and baseline is not None else None,
        _flops(timeline, baseline),
        resources_of(timeline, clock),
    )


def _devices(clock: Clock) -> Iterator[DeviceName]:
    whole = clock.machine.unpartitioned.devices
    for name, record in clock.machine.devices.items():
        yield DeviceName(name, record.name, record.channels, whole[name].channels)


def _plan(noted: Prediction, timeline: Timeline) -> Plan:
    if (bound := noted.bound) is None:
        return Plan(noted.policy, noted.ns, None, "", None)
    part = above_recorded(timeline, bound.ns, noted, "any placement")
    return Plan(noted.policy, noted.ns, bound.ns, bound.because, part)


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

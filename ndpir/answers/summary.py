"""The answer of `-t summary`: the gain from offloading, where the time goes, and the assumptions that it depends on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from interp.cost.clock import Clock
from interp.cost.coverage import costs_line
from interp.schedule.arbitration import rules_of
from interp.schedule.events import spans
from interp.schedule.jobs import SharingRules
from interp.schedule.timeline import Timeline
from lowering.limits import LIMITS
from lowering.placement.baseline import Baseline
from lowering.placement.prediction import Prediction
from lowering.placement.sensitivity import REPLAN, Headline, Swing, ends_in_words, replanned, stated, swings
from ndpir.answers.memory import MemoryUse, memory_use
from ndpir.answers.run import How, Run
from ndpir.answers.timeline import Resource, Totals, resources_of

ROUNDING = 1e-8
"""The relative difference below which two times are equal: noted times have nine digits."""


@dataclass(frozen=True)
class DeviceName:
    """A device of the machine."""

    name: str
    sheet: str
    channels: int
    """Memory channels that the program can use."""
    all_channels: int
    """Memory channels of the device; more than `channels` if a PIM device occupies the others."""


@dataclass(frozen=True)
class Plan:
    """The plan that `place` noted."""

    policy: str
    predicted_ns: float
    bound_ns: float | None
    """A lower bound on the makespan of any placement and order; null if none is known."""
    bound_by: str


@dataclass(frozen=True)
class Contention:
    """The makespan's part that is due to devices that wait for each other or share a bandwidth."""

    ns: float
    without_ns: float
    """The makespan without it."""
    causes: tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
    """The same program with everything on the primary device, and the run compared with it."""

    primary: str
    how: How
    """The plan of the primary device alone: its best one, which was noted, or the plan's tasks one after another."""
    ns: float
    energy_nj: float
    board_nj: float | None
    fits: bool
    """False if the program exceeds the primary device's memory."""
    element: str
    """The element type that the primary device computes in, if the program was converted; otherwise empty."""
    splits_bound_ns: float | None
    """A lower bound on the makespan of any plan, including those that split ops."""
    speed_up: float
    rel_energy: float
    """Energy divided by the primary device's, by component."""
    rel_board: float | None
    """The same with whole boards; null if no board is calibrated."""


@dataclass(frozen=True)
class End:
    """The answer with an assumed number at another value; null figures if the plan can't run there."""

    where: str
    speed_up: float | None
    rel_energy: float | None
    rel_board: float | None

    @classmethod
    def of(cls, where: str, found: Headline | None) -> End:
        """The answer at one value."""
        if found is None:
            return cls(where, None, None, None)
        return cls(where, found.speed_up, found.energy, found.board)


@dataclass(frozen=True)
class Dependence:
    """An assumed number of a sheet, and the answer at both ends of its range."""

    name: str
    assumed: str
    figures: tuple[str, ...]
    """The figures that change noticeably between the ends; empty if none does."""
    ends: tuple[End, ...]
    """With this plan."""
    replanned: tuple[End, ...]
    """With a plan made for each value; empty without `--replan`."""


@dataclass(frozen=True)
class Assumptions:
    """The assumed numbers that the answer could depend on."""

    skipped: bool
    """True if they were not examined, since the program has too many tasks."""
    found: tuple[Dependence, ...]


@dataclass(frozen=True)
class SummaryAnswer:
    """The answer of a run in a few numbers."""

    machine: tuple[DeviceName, ...]
    tasks: int
    copies: int
    costs: str | None
    totals: Totals
    serial_ns: float
    """The time of all tasks and copies, one after another."""
    random_ns: float
    """The time that drawing random numbers takes."""
    memory: MemoryUse | None
    plan: Plan | None
    contention: Contention | None
    comparison: Comparison | None
    """Null if the time on the primary device alone is unknown."""
    assumptions: Assumptions | None
    flops: Mapping[str, int]
    """By device."""
    resources: tuple[Resource, ...]


def summary_answer(run: Run, *, depends: bool = True) -> SummaryAnswer:
    """The summary of a run. `depends`: examine the assumptions, which times the plan twice for each."""
    timeline, clock = run.timeline, run.clock
    baseline, how = run.baseline
    work = [(event, times) for event, times, _ in timeline.tasks()]
    examined = depends and baseline is not None
    return SummaryAnswer(
        tuple(_devices(clock)),
        sum(times for event, times in work if not event.is_copy),
        sum(times for event, times in work if event.is_copy),
        costs_line(timeline, clock),
        Totals.of(timeline),
        sum(event.cost.ns * times for event, times in work),
        sum(event.cost.ns * times for event, times in work if event.name == "threefry"),
        None if timeline.residence is None else memory_use(run, timeline.residence),
        None if run.prediction is None else _plan(run.prediction, timeline),
        _contention(timeline, rules_of(clock.machine)),
        None if baseline is None or how is None else _comparison(timeline, clock.machine.primary, how, baseline),
        _assumptions(run, baseline) if examined and baseline is not None else None,
        _flops(timeline, baseline),
        resources_of(timeline, clock),
    )


def _devices(clock: Clock) -> Iterator[DeviceName]:
    whole = clock.machine.unpartitioned.devices
    for name, record in clock.machine.devices.items():
        yield DeviceName(name, record.name, record.channels, whole[name].channels)


def _plan(noted: Prediction, timeline: Timeline) -> Plan:
    bound = noted.bound
    holds = bound is not None and bound.ns <= timeline.makespan_ns * (1 + ROUNDING)
    return Plan(noted.policy, noted.ns, bound.ns if bound and holds else None, bound.because if bound and holds else "")


def _contention(timeline: Timeline, rules: SharingRules) -> Contention | None:
    alone = timeline.makespan_ns if rules.separate else _without_rules(timeline)
    waited = timeline.makespan_ns - alone
    if waited <= timeline.makespan_ns * ROUNDING:
        return None
    causes = {"take turns": rules.locks, "share bandwidth": rules.bandwidths, "slow contractions": rules.interference}
    return Contention(waited, alone, tuple(cause for cause, applies in causes.items() if applies))


def _without_rules(timeline: Timeline) -> float:
    """The makespan if no device waited for another, in ns."""
    lasted = [
        event.cost.ns if event.body is None else _without_rules(event.body) * event.iterations
        for event in timeline.events
    ]
    events = zip(timeline.events, lasted, strict=True)
    return max(spans([event.job._replace(ns=ns) for event, ns in events])[1], default=0.0)


def _comparison(timeline: Timeline, primary: str, how: How, baseline: Baseline) -> Comparison:
    metered = timeline.metered and baseline.board_nj > 0
    return Comparison(
        primary,
        how,
        baseline.ns,
        baseline.nj,
        baseline.board_nj if metered else None,
        baseline.fits,
        baseline.element,
        baseline.bound_ns or None,
        baseline.ns / timeline.makespan_ns if timeline.makespan_ns else 1.0,
        timeline.total_energy_nj / baseline.nj if baseline.nj else 1.0,
        timeline.board_nj / baseline.board_nj if metered else None,
    )


FIGURES: dict[str, Callable[[Headline], float]] = {
    "speed-up": lambda answer: answer.speed_up,
    "rel energy": lambda answer: answer.energy,
    "rel board": lambda answer: answer.board,
}
"""The figures that are compared, by label."""


def _assumptions(run: Run, baseline: Baseline) -> Assumptions:
    if sum(1 for _ in run.timeline.tasks()) > LIMITS.assumption_events:
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
    """Flops by device: those noted with the plan, or else those of the tasks."""
    if baseline is not None and baseline.flops:
        return dict(baseline.flops)
    return {
        name: sum(event.cost.flops * times for event, times, _ in timeline.tasks() if event.resource == name)
        for name in timeline.devices
    }

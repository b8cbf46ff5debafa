"""Sensitivity of a plan's speed-up and energy to assumed numbers of its machine: the same plan at both ends of each
range.

The plan is not recomputed: tasks, copies, devices and order are kept, and only tasks and copies on a device or link
with changed numbers are timed again (interp/simulate/schedule/what_if.py). The time of the primary device alone at the
ends of its own assumptions is noted with the baseline, since the ops that a bank program implements can't be derived
from its commands.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, cast

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr

from dialects.diagnostics import InputError, notes_to, working
from dialects.hw import DeviceOp, LinkOp, SheetOp
from dialects.task import RunOp
from interp.kinds.clock import Clock
from interp.machine.composition import record_of
from interp.machine.device import Assumption, Device
from interp.simulate.schedule.arbitration import rules_of
from interp.simulate.schedule.timeline import Timeline
from interp.simulate.schedule.what_if import Outcome, outcome_of, retimed
from interp.simulate.simulation import simulate
from interp.walk.entry import entry_of
from interp.walk.unchanged import unchanged
from lowering.alone.baseline import Baseline, read_baseline
from lowering.banks.templates import clock_for
from lowering.machine.sheet_ops import changed, machine_ops_of, resources

ASSUMPTION_EVENTS = 50_000
"""Tasks and copies of a program up to which its sensitivity to assumptions is computed."""
NOTICED = 0.05
"""Fraction by which a figure must change for an assumption to be reported."""

Recompiled: TypeAlias = Callable[[Callable[[ModuleOp], None]], ModuleOp]
"""A function that compiles the program as read, by the same passes, after its machine was edited by the function that
is passed as its argument."""


@dataclass(frozen=True)
class Headline:
    """The headline of a summary: time, speed-up over the primary device alone, and energy as a fraction of the primary
    device's: `energy` of chip components, `board` of whole boards (0 if no board is calibrated). `nj`: the energy of
    chip components, nJ."""

    ns: float
    nj: float
    speed_up: float
    energy: float
    board: float


@dataclass(frozen=True)
class Swing:
    """An assumption, and the headlines at both ends of its range; for an end at which this plan can't run, the reason.

    `name`: as in `--set`; `places`: the indices of the `hw` ops whose sheet states it.
    """

    name: str
    assumption: Assumption
    places: tuple[int, ...]
    low: Headline | str
    high: Headline | str

    def differs(self, stated: Headline, figure: Callable[[Headline], float]) -> bool:
        """True if `figure` of the headline at either end differs from that of `stated` by more than
        `NOTICED`."""
        return any(
            isinstance(end, str) or abs(figure(end) - figure(stated)) > NOTICED * figure(stated)
            for end in (self.low, self.high)
        )


def swings(module: ModuleOp, timeline: Timeline, clock: Clock, baseline: Baseline) -> list[Swing]:
    """The headlines of a timeline at both ends of each assumption that it could depend on."""
    ops = machine_ops_of(module)
    with _settled(module, clock), unchanged():
        return [
            Swing(name, assumption, places, *_ends(ops, places, name, assumption, module, timeline, clock, baseline))
            for name, assumption, places in assumptions(module, timeline)
        ]


@contextmanager
def _settled(module: ModuleOp, clock: Clock) -> Generator[None]:
    """Within the context, each task, including tasks written by a user, records the implementation by which its device
    runs it, so that the same implementations are used when numbers of the machine change."""
    noted = [(op, dict(op.attributes)) for op in module.walk() if isinstance(op, RunOp)]
    try:
        for run, _ in noted:
            clock.note_plan(run)
        yield
    finally:
        for run, before in noted:
            run.attributes = before


def assumptions(module: ModuleOp, timeline: Timeline) -> Iterator[tuple[str, Assumption, tuple[int, ...]]]:
    """The assumptions of a machine's sheets that a timeline could depend on, without duplicates: those of the primary
    device, those of the devices and links in use, and all those about idle power. Each with its name and the indices
    of the `hw` ops whose sheets state it."""
    used = {event.resource for event, _, _ in timeline.tasks()}
    if (residence := timeline.residence) is not None:
        used |= {tier.name for tier in residence.system.tiers} | {each.resource for each in residence.transfers}
    found: dict[str, tuple[Assumption, list[int]]] = {}
    ops = machine_ops_of(module)
    primary = _primary(ops)
    for index, op in enumerate(ops):
        record = record_of(op)
        for assumption in record.assumed:
            if index != primary and used.isdisjoint(resources(op)) and "idle" not in assumption.fields:
                continue
            found.setdefault(f"{record.name}.{assumption.name}", (assumption, []))[1].append(index)
    return ((name, assumption, tuple(places)) for name, (assumption, places) in found.items())


class Ends(NamedTuple):
    """The clocks at both ends of an assumption's range, and the devices and links that differ there."""

    touched: frozenset[str]
    low: Clock
    high: Clock


def clocks_at_ends(module: ModuleOp, behind: bool) -> dict[str, Ends]:
    """The ends of each assumption of the primary device's sheet, by the assumption's name; empty for a program that
    names no machine. `behind`: also of the sheets of memory behind that device and of the links to it."""
    ops = machine_ops_of(module)
    if not ops:
        return {}
    primary = _primary(ops)
    places: dict[str, tuple[Assumption, list[int]]] = {}
    for index, op in enumerate(ops):
        record = record_of(op)
        if index == primary or (behind and _is_behind(op, ops)):
            for assumption in record.assumed:
                places.setdefault(f"{record.name}.{assumption.name}", (assumption, []))[1].append(index)
    found: dict[str, Ends] = {}
    for name, (assumption, where) in places.items():
        clocks: list[Clock] = []
        for numbers in (assumption.low, assumption.high):
            with changed(ops, where, numbers):
                clocks.append(clock_for(module))
        found[name] = Ends(frozenset(each for index in where for each in resources(ops[index])), *clocks)
    return found


def _is_behind(op: SheetOp, ops: Sequence[SheetOp]) -> bool:
    """True for a device that only holds data, and for a link to one."""
    devices = [each for each in ops if isinstance(each, DeviceOp)]
    holders = {each.sym_name.data for each in devices if cast(Device, record_of(each)).runs_nothing}
    return not holders.isdisjoint(resources(op) if isinstance(op, DeviceOp) else cast(LinkOp, op).ends)


def _primary(ops: Sequence[SheetOp]) -> int:
    """The index of the `hw` op of the primary device."""
    return next(index for index, op in enumerate(ops) if isinstance(op, DeviceOp))


def answer(outcome: Outcome, baseline: Outcome | Baseline) -> Headline:
    """The headline of an outcome compared with the outcome of the primary device alone."""
    return Headline(
        outcome.ns,
        outcome.nj,
        baseline.ns / outcome.ns if outcome.ns else 1.0,
        outcome.nj / baseline.nj if baseline.nj else 1.0,
        outcome.board_nj / baseline.board_nj if baseline.board_nj else 0.0,
    )


def stated(timeline: Timeline, baseline: Baseline) -> Headline:
    """The headline at the numbers stated in the sheets."""
    return answer(outcome_of(timeline), baseline)


def _ends(
    ops: Sequence[SheetOp],
    places: tuple[int, ...],
    name: str,
    assumption: Assumption,
    module: ModuleOp,
    timeline: Timeline,
    clock: Clock,
    baseline: Baseline,
) -> tuple[Headline | str, Headline | str]:
    """The headlines at the low and at the high end of an assumption's range; for an end at which the plan can't run,
    the reason."""
    found: list[Headline | str] = []
    touched = {resource for place in places for resource in resources(ops[place])}
    for end, numbers in enumerate((assumption.low, assumption.high)):
        working(f"sensitivity to {assumption.name}")
        try:
            with changed(ops, places, numbers):
                other = clock_for(module)
                # Shares of a bandwidth, and waits for memory, are computed together with the program.
                if rules_of(other.machine).bandwidths or timeline.residence is not None:
                    outcome = outcome_of(simulate(module, other))
                else:
                    outcome = retimed(timeline, other, touched)
        except InputError as error:
            found.append(error.message)
            continue
        if name in baseline.ends:
            alone = baseline.ends[name][end]
        else:  # only the idle power of the other devices differs while the primary device works alone
            more = (_idle_w(other) - _idle_w(clock)) * baseline.ns
            alone = Outcome(baseline.ns, baseline.nj + more, baseline.board_nj + more)
        found.append(answer(outcome, alone))
    return found[0], found[1]


def _idle_w(clock: Clock) -> float:
    machine = clock.machine
    return sum(device.idle_w for name, device in machine.devices.items() if name != machine.primary)


REPLAN: ContextVar[Recompiled | None] = ContextVar("REPLAN", default=None)
"""The function that recompiles a program on another machine, if the driver is run with `--replan`."""


def replanned(swing: Swing, recompiled: Recompiled) -> Iterator[tuple[str, Headline | str]]:
    """The headlines of the program replanned at the low end, the middle and the high end of an assumption's range, each
    with the value in words; for a value with which no plan can run, the reason. The value that the sheet states is left
    out, since its headline is known; the middle is evaluated only if the stated value is an end."""
    for words, numbers in _points(swing.assumption):
        working(f"planning for {swing.name} {words}")

        def edit(module: ModuleOp, numbers: Mapping[str, str] = numbers) -> None:
            ops = machine_ops_of(module)
            for place in swing.places:
                values = {key: StringAttr(text) for key, text in numbers.items()}
                ops[place].changes = DictionaryAttr({**ops[place].changes.data, **values})

        try:
            with notes_to(lambda message, place: None):
                module = recompiled(edit)
                clock = clock_for(module)
                baseline = read_baseline(entry_of(module), clock)
                missing = f"@{clock.machine.primary} alone can't run the program"
                found = stated(simulate(module, clock), baseline) if baseline is not None else missing
        except InputError as error:
            found = error.message
        yield words, found


def _points(assumption: Assumption) -> Iterator[tuple[str, Mapping[str, str]]]:
    low, high = ends_in_words(assumption)
    if not assumption.at_low:
        yield low, assumption.low
    if assumption.at_low or assumption.at_high:
        middle = {key: f"(({assumption.low[key]}) + ({assumption.high[key]})) / 2" for key in assumption.low}
        yield "at the middle of its range", middle
    if not assumption.at_high:
        yield high, assumption.high


def ends_in_words(assumption: Assumption) -> tuple[str, str]:
    """The two ends in words: `at 0 us` and `at 10 us`, or `at 0.5 times the stated value` and `at 2 times` it."""
    low, _, high = assumption.range.removesuffix(" times").partition(" to ")
    unit = " times the stated value" if assumption.factor else ""
    if not unit and low.replace(".", "").isdigit():
        unit_of_high = high.lstrip("0123456789.eE+- ")
        return f"at {low} {unit_of_high}".rstrip(), f"at {high}"
    return f"at {low}{unit}", f"at {high}{unit}"

"""The part of the summary on a program that exceeds its device's memory: bytes held and moved, waits, a lower bound,
and the parameters of the memory system on which the time depends; as data and as lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from interp.figures import count, multiple, percent, size, time
from interp.simulate.events.jobs import ROUNDED, above
from interp.simulate.memory.history import history_of_program
from interp.simulate.memory.replay import STEADY
from interp.simulate.memory.residence import Residence
from lowering.alone.baseline import unpartitioned_clock
from lowering.machine.digest import digest
from lowering.memory.worth import ParameterEffect, parameter_effects
from ndpir.reports.run import Run


@dataclass(frozen=True)
class MovesBound:
    """A lower bound on the makespan of any plan of moves between memories."""

    ns: float
    by: str
    """The rule that gives the bound; empty if the program records none."""
    above: float
    """The fraction by which the makespan is above the bound; 0 if they differ by less than two runs may that count as
    equally long."""


@dataclass(frozen=True)
class MemoryUse:
    """A program larger than its device's memory: bytes held, moved and waited for."""

    device: str
    capacity_bytes: int
    held_bytes: int
    """The most bytes in the device's memory at any time."""
    live_bytes: int
    """The most bytes live at any time, which is the memory that a run without moves between memories needs."""
    policy: str
    """The origin of the moves: a policy of pass `prefetch`, the driver, or the program's text."""
    mode: str
    """`move` if exactly one memory holds each byte; `copy` if a tier keeps its copy of a tensor until the tensor is
    overwritten."""
    reuses: bool
    """True if memory of dead values is assigned to new values."""
    faults: bool
    """True if pages move to the device when a task touches them and faults."""
    tasks_ahead: int | None
    """The number of tasks that the host launches ahead of the running one; null if the program records none."""
    runs: int
    """The number of runs: the program is run repeatedly until the memory's state repeats, and the last run is shown."""
    steady: bool
    """True if the last run took as long as the run before it, within 0.1 %."""
    moved_bytes: Mapping[str, int]
    """Bytes moved between memories, by cause: prefetched, faulted, evicted, written back."""
    stalled_ns: float
    ideal_ns: float
    """The makespan with unlimited memory."""
    bound: MovesBound | None
    """The lower bound; null if the program records none for this machine, if passes changed the tasks for which it was
    computed, or if the times of repeated runs don't settle."""
    effects: tuple[ParameterEffect, ...] | None
    """For each parameter of the memory system, the makespan with the parameter changed by a factor of two, the shortest
    makespan first; null if the program never waits."""


def memory_use(run: Run, residence: Residence) -> MemoryUse:
    """The use of memory of a run on a device whose memory is extended by memory tiers."""
    history, regime, note = history_of_program(residence), residence.regime, residence.note
    effects = parameter_effects(run.module, residence, run.clock, run.entry) if residence.stalls else None
    return MemoryUse(
        residence.device,
        residence.system.capacity,
        round(residence.peak),
        residence.peak_live,
        policy_of(residence),
        regime.mode,
        regime.reuse,
        regime.faults,
        None if note is None else note.runahead,
        residence.runs,
        residence.steady,
        {word: round(curve.end) for word, curve in history.moved.items()},
        history.stalled_ns,
        residence.ideal_ns,
        moves_bound(run, residence),
        None if effects is None else tuple(effects),
    )


def policy_of(residence: Residence) -> str:
    """The origin of a program's moves between memories, in words: the policy recorded in the program; the program
    itself, if it contains moves without a recorded policy; or the driver."""
    if residence.note is not None:
        return f"policy {residence.note.policy.data}"
    return "the driver alone (uvm)" if residence.regime.faults else "moves written in the program"


def moves_bound(run: Run, residence: Residence) -> MovesBound | None:
    """The lower bound that a program records for plans of its moves; None if it is not known for this machine and these
    tasks, or if the times of repeated runs don't settle: it holds for their mean. Raises BoundError for a bound that
    exceeds the makespan."""
    note = residence.note
    if not residence.steady:
        return None
    machine = unpartitioned_clock(run.clock).machine
    if note is None or note.bound_ns is None or note.machine not in ("", digest(machine)):
        return None
    if note.ideal_ns is None or abs(note.ideal_ns - residence.ideal_ns) > ROUNDED * residence.ideal_ns:
        return None
    rounded = STEADY if residence.runs > 1 else ROUNDED
    part = above(residence.makespan_ns, note.bound_ns, "any plan of moves", rounded)
    return MovesBound(note.bound_ns, note.because.data, part)


NOTICED = 1.01
"""The least speedup by doubling a hardware parameter at which the summary names the parameter."""


def memory_lines(use: MemoryUse, makespan_ns: float) -> list[str]:
    """Lines of the summary on the use of memory.

    They state the bytes in the device's memory, the policy that manages it, the bytes moved, and the time that tasks
    wait for transfers; the lower bound of all plans, if one is known for this machine; and the parameters of the memory
    system that would make the program faster.
    """
    ratio = use.live_bytes / use.capacity_bytes
    moved = ", ".join(f"{size(nbytes)} {word}" for word, nbytes in use.moved_bytes.items())
    waited = use.stalled_ns / makespan_ns if makespan_ns else 0.0
    score = use.ideal_ns / makespan_ns if makespan_ns else 1.0
    return [
        f"memory     @{use.device} has {size(use.capacity_bytes)} and holds up to {size(use.held_bytes)}; "
        f"all values live at one time take up to {size(use.live_bytes)} ({multiple(ratio)})",
        f"kept by    {_kept(use)}",
        f"moved      {moved or 'nothing'}",
        f"waits      {time(use.stalled_ns)} for memory ({percent(waited)} of makespan); "
        f"ideal {time(use.ideal_ns)} with unlimited memory, {percent(score)} of makespan",
        *_at_least(use),
        *([] if use.effects is None else effects_lines(use.effects, makespan_ns, planned=_is_planned(use))),
    ]


def effects_lines(effects: Sequence[ParameterEffect], makespan_ns: float, *, planned: bool) -> list[str]:
    """Lines on the parameters of the memory system that would make the program faster if doubled, in order of the
    speedup, largest first. `planned`: true if the program contains the moves between memories, false if the driver
    decides them."""
    otherwise = "with the same moves" if planned else "managed by the driver"
    helpful = [effect for effect in effects if effect.ns and makespan_ns / effect.ns >= NOTICED]
    if not helpful:
        return [f"helps      none of {', '.join(effect.name for effect in effects)}, even if doubled"]
    return [
        f"{'helps most' if not place else 'helps':10} {effect.name} of {effect.other} instead of {effect.stated}: "
        f"{time(effect.ns or 0.0)}, {multiple(makespan_ns / (effect.ns or 1.0))} as fast, "
        f"{'with a new plan' if effect.replanned else otherwise}"
        for place, effect in enumerate(helpful)
    ]


def _is_planned(use: MemoryUse) -> bool:
    """True if the program contains the moves between memories, false if the driver decides them."""
    return use.policy.startswith("policy ") or not use.faults


def _kept(use: MemoryUse) -> str:
    reuse = "memory of dead values is used again" if use.reuses else "dead values keep their memory"
    faults = "pages come on demand" if use.faults else "no faults"
    ahead = f", {count(use.tasks_ahead, 'task')} launched ahead" if use.tasks_ahead is not None else ""
    settled = ""
    if use.runs > 1:
        like = "as the one before" if use.steady else "which differs from the one before"
        settled = f"; run {use.runs} of the program, {like}"
    return f"{use.policy}: mode {use.mode}, {reuse}, {faults}{ahead}{settled}"


def _at_least(use: MemoryUse) -> list[str]:
    if use.bound is None:
        return []
    because = f" ({use.bound.by})" if use.bound.by else ""
    return [
        f"at least   {time(use.bound.ns)}, for any plan of moves{because}; this one {percent(use.bound.above)} above"
    ]

"""The part of the summary on a program that exceeds its device's memory: bytes held and moved, waits, a lower bound,
and the parameters of the memory system that would help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from interp.memory.history import history_of_program
from interp.memory.residence import Residence
from lowering.memory.worth import ParameterEffect, parameter_effects
from lowering.placement.baseline import digest, unpartitioned_clock
from ndpir.answers.run import Run


@dataclass(frozen=True)
class MovesBound:
    """A lower bound on the makespan of any plan of moves between memories."""

    ns: float
    by: str
    """The reason; empty if none was noted."""


@dataclass(frozen=True)
class MemoryUse:
    """A program larger than its device's memory: bytes held, moved and waited for."""

    device: str
    capacity_bytes: int
    held_bytes: int
    """The most bytes in the device's memory at any time."""
    live_bytes: int
    """The most bytes live at any time: the memory that a run without moves needs."""
    policy: str
    """The origin of the moves: a policy of pass `prefetch`, the driver, or the program's text."""
    mode: str
    """The mode of the memory's regime."""
    reuses: bool
    """True if the memory of dead values is used again."""
    faults: bool
    """True if pages come on demand."""
    tasks_ahead: int | None
    """The number of tasks that are launched ahead of the running one; null if none was noted."""
    runs: int
    """The run of the program that is shown: serial runs are repeated until the memory's state repeats."""
    steady: bool
    """True if that run took as long as the one before, within 0.1 %."""
    moved_bytes: Mapping[str, int]
    """By kind: prefetched, faulted, evicted, written back."""
    stalled_ns: float
    ideal_ns: float
    """The makespan with unlimited memory."""
    bound: MovesBound | None
    """Null if no bound was noted for this machine."""
    effects: tuple[ParameterEffect, ...] | None
    """The makespan with each parameter of the memory system changed by a factor of two, the shortest first; null if the
    program never waits."""


def memory_use(run: Run, residence: Residence) -> MemoryUse:
    """The use of memory of a run on a device with memory behind its own."""
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
        _bound(run, residence),
        None if effects is None else tuple(effects),
    )


def policy_of(residence: Residence) -> str:
    """The origin of a program's moves, in words: the policy recorded in the program, moves in the program without a
    recorded policy, or the driver."""
    if residence.note is not None:
        return f"policy {residence.note.policy.data}"
    return "the driver alone (uvm)" if residence.regime.faults else "moves written in the program"


def _bound(run: Run, residence: Residence) -> MovesBound | None:
    note = residence.note
    machine = unpartitioned_clock(run.clock).machine
    if note is None or note.bound_ns is None or note.machine not in ("", digest(machine)):
        return None
    return MovesBound(note.bound_ns, note.because.data)

"""Lines of the summary on memory, for a program that exceeds its device's memory: bytes held and moved, waits, and
hardware parameters that would help."""

from __future__ import annotations

from collections.abc import Sequence

from interp.cost.clock import Clock
from interp.figures import count, percent, size, time
from interp.memory.history import history_of_program
from interp.memory.residence import Residence
from lowering.memory.worth import ParameterEffect
from lowering.placement.baseline import digest, unpartitioned_clock


def memory_lines(residence: Residence, clock: Clock) -> list[str]:
    """Lines on the bytes that the device's memory holds, the policy that manages it, the bytes moved, and the time that
    tasks wait for transfers; and on the lower bound of all plans, if the program has one for this machine."""
    history, system, makespan_ns = history_of_program(residence), residence.system, residence.makespan_ns
    ratio = residence.peak_live / system.capacity
    moved = ", ".join(f"{size(curve.end)} {word}" for word, curve in history.moved.items())
    waited = history.stalled_ns / makespan_ns if makespan_ns else 0.0
    score = residence.ideal_ns / makespan_ns if makespan_ns else 1.0
    return [
        f"memory     @{residence.device} has {size(system.capacity)} and holds up to {size(residence.peak)}; "
        f"all values live at one time take up to {size(residence.peak_live)} ({ratio:.2f}x)",
        f"kept by    {_kept(residence)}",
        f"moved      {moved or 'nothing'}",
        f"waits      {time(history.stalled_ns)} for memory ({percent(waited)} of makespan); "
        f"ideal {time(residence.ideal_ns)} with unlimited memory, {percent(score)} of makespan",
        *_at_least(residence, clock),
    ]


NOTICED = 1.01
"""The least speedup of a program at which the summary names a hardware parameter."""


def worth_lines(found: Sequence[ParameterEffect], residence: Residence) -> list[str]:
    """Lines on the parameters of the memory system that would make the program faster if doubled, best first."""
    makespan_ns, moves = residence.makespan_ns, residence.note is not None or not residence.regime.faults
    helpful = [worth for worth in found if worth.ns and makespan_ns / worth.ns >= NOTICED]
    if not helpful:
        return [f"helps      none of {', '.join(worth.name for worth in found)}, even if doubled"]
    return [
        f"{'helps most' if not place else 'helps':10} {worth.name} of {worth.other} instead of {worth.stated}: "
        f"{time(worth.ns or 0.0)}, {makespan_ns / (worth.ns or 1.0):.2f}x as fast, "
        f"{'with a new plan' if worth.replanned else 'with the same moves' if moves else 'managed by the driver'}"
        for place, worth in enumerate(helpful)
    ]


def policy_of(residence: Residence) -> str:
    """The origin of a program's moves, in words: the policy recorded in the program, moves in the program without a
    recorded policy, or the driver."""
    if residence.note is not None:
        return f"policy {residence.note.policy.data}"
    return "the driver alone (uvm)" if residence.regime.faults else "moves written in the program"


def _kept(residence: Residence) -> str:
    regime, note = residence.regime, residence.note
    reuse = "memory of dead values is used again" if regime.reuse else "dead values keep their memory"
    faults = "pages come on demand" if regime.faults else "no faults"
    ahead = f", {count(note.runahead, 'task')} launched ahead" if note is not None and note.runahead is not None else ""
    settled = (
        ""
        if residence.runs < 2
        else f"; run {residence.runs} of the program, "
        + ("as the one before" if residence.steady else "which differs from the one before")
    )
    return f"{policy_of(residence)}: mode {regime.mode}, {reuse}, {faults}{ahead}{settled}"


def _at_least(residence: Residence, clock: Clock) -> list[str]:
    note = residence.note
    if note is None or note.bound_ns is None or note.machine not in ("", digest(unpartitioned_clock(clock).machine)):
        return []
    above = residence.makespan_ns / note.bound_ns - 1 if note.bound_ns else 0.0
    because = f" ({note.because.data})" if note.because.data else ""
    return [
        f"at least   {time(note.bound_ns)}, for any plan of moves{because}; this one {percent(max(above, 0.0))} above"
    ]

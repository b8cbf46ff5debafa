"""Lines of the summary on memory, for a program that exceeds its device's memory: bytes in the device's memory, bytes
moved, waits, and hardware parameters that would make the program faster."""

from __future__ import annotations

from collections.abc import Sequence

from interp.figures import count, multiple, percent, size, time
from lowering.memory.worth import ParameterEffect
from ndpir.reports.answers.memory import MemoryUse

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

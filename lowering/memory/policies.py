"""Policies for memory behind a device, by name: each says of a trace of kernels what moves when.

A plugin adds one with `POLICIES["mine"] = my_policy`, where `my_policy` is a function from a trace, the memory behind
its device and options to a `MemoryPlan`; `prefetch{policy=mine}` then uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from typing import TypeAlias

from dialects.diagnostics import InputError
from dialects.task.memory import Mode
from interp.figures import count, percent, size, time
from interp.machine.memory_system import Faults, MemorySystem
from interp.memory.engine import Regime
from interp.memory.paging import UnifiedMemory
from interp.memory.problem import KernelTrace, Move
from interp.memory.reading import in_tiers
from interp.memory.replay import replay as run_moves
from lowering.memory.lookahead import DEGREE, lookahead_moves
from lowering.memory.plan_file import read_plan
from lowering.memory.pump import FACTORS, SCANNED, Pump


@dataclass(frozen=True)
class MemoryOptions:
    """Options of a policy. `mode`: None takes the one that is usual for the policy. `factor`: per cent of memory that
    PUMP's window may take; `runahead`: launches that the CPU is ahead of the device (None: it never waits); `degree`:
    kernels that `lookahead` prefetches ahead; `reuse`: whether the memory of dead tensors is used again; `file`: the
    plan that `replay` takes."""

    mode: Mode | None = None
    factor: int = FACTORS["allocations"]
    runahead: int | None = 64
    degree: int = DEGREE
    reuse: bool = True
    file: str = ""
    compare: bool = True
    """True if `pump` and `lookahead` report their gain or loss over demand paging."""


@dataclass(frozen=True)
class MemoryPlan:
    """Moves of a policy, their regime, and an account of them in sentences. `bound_ns`: a lower bound on the time of an
    iteration under any plan of this regime, where one is known; `because`: the reason for it."""

    moves: list[Move]
    regime: Regime
    told: tuple[str, ...]
    bound_ns: float | None = None
    because: str = ""
    runahead: int | None = None


MemoryPolicy: TypeAlias = Callable[[KernelTrace, MemorySystem, MemoryOptions], MemoryPlan]


def uvm(trace: KernelTrace, system: MemorySystem, options: MemoryOptions) -> MemoryPlan:
    """Demand paging alone: what a kernel lacks comes by faults, and what was used longest ago leaves for it."""
    faults = _faults(system)
    rate = "as fast as links go" if faults.service == inf else f"at {faults.service / 1e9:.3g} GB/s at most"
    told = (
        f"nothing is prefetched: what a task lacks comes by faults, {time(faults.latency_ns)} a group of them and "
        f"{rate}; chunks of {size(faults.chunk)} leave for it, {_ORDERS[faults.evicts]} first; {_reuse(options)}"
    )
    return MemoryPlan([], _demand(options), (told,))


def pump(trace: KernelTrace, system: MemorySystem, options: MemoryOptions) -> MemoryPlan:
    """PUMP (ASP-DAC 2022): one stream prefetches what each launch's parameters show (lowering/memory/pump.py)."""
    _faults(system)
    program = Pump(options.factor, options.runahead)
    moves = program.moves(trace, system.capacity)
    ahead = "however far the CPU is ahead" if options.runahead is None else f"at most {options.runahead} launches ahead"
    larger = sum(tensor.nbytes > system.capacity for tensor in trace.tensors)
    told = [
        f"one stream prefetches the operands of each launch, {ahead}, as many as fit {options.factor} % of memory "
        f"({size(system.capacity * options.factor // 100)}); a task waits for its own; what leaves for them is the "
        f"driver's choice; {_reuse(options)}"
    ]
    if unseen := sum(len(all_) - len(seen) for all_, seen in zip(trace.operands, program.blocks(trace), strict=True)):
        told.append(f"{count(unseen, 'operand')} behind the {SCANNED}th of their launches come by faults")
    if larger:
        told.append(f"{count(larger, 'tensor')} larger than memory are not prefetched")
    told += _beside_demand(trace, system, moves, options)
    return MemoryPlan(moves, _demand(options), tuple(told), runahead=options.runahead)


def lookahead(trace: KernelTrace, system: MemorySystem, options: MemoryOptions) -> MemoryPlan:
    """DeepUM (ASPLOS 2023) as G10 models it: the operands of the kernel some way ahead
    (lowering/memory/lookahead.py)."""
    _faults(system)
    moves = lookahead_moves(trace, options.degree)
    told = (
        f"as a task starts, what the one {options.degree} tasks ahead uses is prefetched; what leaves for it is the "
        f"driver's choice; {_reuse(options)}"
    )
    return MemoryPlan(moves, _demand(options), (told, *_beside_demand(trace, system, moves, options)))


def replay(trace: KernelTrace, system: MemorySystem, options: MemoryOptions) -> MemoryPlan:
    """The moves of a file (lowering/memory/plan_file.py)."""
    if not options.file:
        raise InputError("prefetch: policy replay wants the file of a plan: prefetch{policy=replay file=plan.txt}")
    moves = read_plan(options.file, trace)
    regime = Regime(system.faults is not None, options.reuse, options.mode or "move")
    lacking = "what they leave out comes by faults" if regime.faults else "nothing else moves"
    return MemoryPlan(moves, regime, (f"moves from {options.file}; {lacking}; {_reuse(options)}",))


def plan(trace: KernelTrace, system: MemorySystem, options: MemoryOptions) -> MemoryPlan:
    """Ours: moves from a linear program over the times in which tensors are idle, with a bound on any plan
    (lowering/memory/planning.py)."""
    from lowering.memory.planning import plan as planned

    mode = options.mode or "copy"
    found = planned(trace, system, mode)
    ways = {"copy": "what has a copy behind the device leaves free", "move": "each byte goes out and comes back"}
    told = (
        f"moves from a linear program over the times in which tensors are idle ({ways[mode]}): {percent(found.score)} "
        f"of the time is work, and no plan reaches more than {percent(found.bound)}",
    )
    return MemoryPlan(found.moves, found.regime, told, found.relaxation.bound_ns, "idle tensors, links and tiers")


POLICIES: dict[str, MemoryPolicy] = {
    "uvm": uvm,
    "pump": pump,
    "lookahead": lookahead,
    "replay": replay,
    "plan": plan,
}


def _faults(system: MemorySystem) -> Faults:
    """The page-fault service of a memory system. Raises InputError where it serves no page faults."""
    if system.faults is None:
        raise InputError(
            f"the memory behind @{system.device} serves no page faults, on which this policy relies; take a machine "
            "with unified memory (v100-uvm, a100-uvm), or prefetch{policy=plan}"
        )
    return system.faults


def _demand(options: MemoryOptions) -> Regime:
    return Regime(faults=True, reuse=options.reuse, mode=options.mode or "move")


_ORDERS = {"lru": "those used longest ago", "migrated": "those that a fault or prefetch asked for longest ago"}


def _beside_demand(
    trace: KernelTrace, system: MemorySystem, moves: list[Move], options: MemoryOptions
) -> Iterator[str]:
    """A sentence on the gain of prefetches over demand paging, one task after the other; it may be a loss."""
    if not options.compare or trace.largest_working_set > system.capacity:
        return
    regime, start = _demand(options), in_tiers(trace, system)
    alone, ours = (
        run_moves(trace, system, each, regime, start=start, pager=UnifiedMemory(trace, system)).spans[-1]
        for each in ((), moves)
    )
    if ours > alone * 1.001:
        why = "what comes too early leaves again before its task, or what is needed has to wait its turn"
        yield f"that takes {ours / alone:.2f} times as long as demand paging alone: {why}"
    else:
        yield f"that is {alone / ours:.2f}x as fast as demand paging alone"


def _reuse(options: MemoryOptions) -> str:
    """Always said, since it changes what is gained from twice to five times as fast."""
    return (
        "the memory of dead tensors is used again" if options.reuse else "dead tensors keep their memory, and are moved"
    )

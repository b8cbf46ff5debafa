"""Policies that plan moves between a device's memory and the tiers behind it, by name: each plans the moves for a trace
of kernels.

A plugin adds a policy with `POLICIES["mine"] = my_policy`, where `my_policy` is a function from a trace, the memory
behind its device and options to a `MemoryPlan`; `prefetch{policy=mine}` then uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import TypeAlias

from dialects.diagnostics import InputError
from dialects.task.memory import Mode
from interp.figures import count, multiple, size, time
from interp.machine.memory_system import Faults, MemorySystem
from interp.simulate.memory.engine import Regime
from interp.simulate.memory.paging import UnifiedMemory
from interp.simulate.memory.problem import KernelTrace, Move
from interp.simulate.memory.replay import replay as run_moves
from interp.simulate.program_moves import in_tiers
from lowering.memory.lookahead import DEGREE, lookahead_moves
from lowering.memory.plan_file import read_plan
from lowering.memory.pump import FACTORS, SCANNED, Pump


@dataclass(frozen=True)
class MemoryOptions:
    """Options of the policies. `mode`: the bytes that an eviction transfers (`Mode`), None for the policy's default.
    `reuse`: True if the memory of dead tensors is reused.

    Policy `pump` (PUMP, a prefetcher published at ASP-DAC 2022) prefetches operands of queued launches. `factor`: the
    most that these operands may take of the device's memory, in per cent; `runahead`: the number of launches by which
    the CPU is ahead of the device (None: it never waits).

    Policy `lookahead`: `degree`, the number of kernels that it prefetches ahead. Policy `replay`: `file`, the file with
    the plan."""

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
    """The moves planned by a policy, the rules of memory management under which they run, and a description in
    sentences (`sentences`). `bound_ns`: a lower bound on the time of an iteration under any plan with these rules,
    if known; `because`: the reason for this bound."""

    moves: list[Move]
    regime: Regime
    sentences: tuple[str, ...]
    bound_ns: float | None = None
    because: str = ""
    runahead: int | None = None


MemoryPolicy: TypeAlias = Callable[[KernelTrace, MemorySystem, MemoryOptions], MemoryPlan]


def uvm(trace: KernelTrace, system: MemorySystem, options: MemoryOptions) -> MemoryPlan:
    """Demand paging only: missing chunks are fetched by page faults, and the least recently used chunks are evicted for
    them."""
    _, faults = _paging(system)
    rate = "at the rate of links" if faults.service == inf else f"at {faults.service / 1e9:.3g} GB/s at most"
    sentences = (
        f"nothing is prefetched: missing data are fetched by page faults, {time(faults.latency_ns)} per group and "
        f"{rate}; chunks of {size(faults.chunk)} are evicted, {_ORDERS[faults.evicts]} first; {_reuse(options)}"
    )
    return MemoryPlan([], _demand(options), (sentences,))


def pump(trace: KernelTrace, system: MemorySystem, options: MemoryOptions) -> MemoryPlan:
    """PUMP (ASP-DAC 2022): one stream prefetches the tensors found in each launch's parameters
    (lowering/memory/pump.py)."""
    system, _ = _paging(system)
    program = Pump(options.factor, options.runahead)
    moves = program.moves(trace, system.capacity)
    ahead = "any number of launches ahead" if options.runahead is None else f"at most {options.runahead} launches ahead"
    larger = sum(tensor.nbytes > system.capacity for tensor in trace.tensors)
    sentences = [
        f"one stream prefetches the operands of each launch, {ahead}, as many as fit {options.factor} % of memory "
        f"({size(system.capacity * options.factor // 100)}); a task waits for the prefetches of its operands; the "
        f"driver selects what is evicted for them; {_reuse(options)}"
    ]
    if unseen := sum(len(all_) - len(seen) for all_, seen in zip(trace.operands, program.blocks(trace), strict=True)):
        sentences.append(
            f"{count(unseen, 'operand')} after the {SCANNED}th of their launches are fetched by page faults"
        )
    if larger:
        sentences.append(f"{count(larger, 'tensor')} larger than memory are not prefetched")
    sentences += _against_demand_paging(trace, system, moves, options)
    return MemoryPlan(moves, _demand(options), tuple(sentences), runahead=options.runahead)


def lookahead(trace: KernelTrace, system: MemorySystem, options: MemoryOptions) -> MemoryPlan:
    """DeepUM (ASPLOS 2023) as modelled by G10: prefetch the operands of the kernel `degree` kernels ahead
    (lowering/memory/lookahead.py)."""
    system, _ = _paging(system)
    moves = lookahead_moves(trace, options.degree)
    sentences = (
        f"when a task starts, the operands of the task {options.degree} tasks ahead are prefetched; the driver selects "
        f"what is evicted for them; {_reuse(options)}"
    )
    return MemoryPlan(moves, _demand(options), (sentences, *_against_demand_paging(trace, system, moves, options)))


def replay(trace: KernelTrace, system: MemorySystem, options: MemoryOptions) -> MemoryPlan:
    """The moves in the file `options.file` (lowering/memory/plan_file.py), as a plan."""
    if not options.file:
        raise InputError("prefetch: policy replay needs the file of a plan: prefetch{policy=replay file=plan.txt}")
    moves = read_plan(options.file, trace)
    lent = {tier.name for tier in system.tiers if tier.lent}
    faults = system.faults is not None and not any(move.tier in lent for move in moves)
    regime = Regime(faults, options.reuse, options.mode or "move")
    lacking = "other missing data are fetched by page faults" if regime.faults else "nothing else is moved"
    return MemoryPlan(moves, regime, (f"moves from {options.file}; {lacking}; {_reuse(options)}",))


def plan(trace: KernelTrace, system: MemorySystem, options: MemoryOptions) -> MemoryPlan:
    """This compiler's own policy: moves from a linear program over the idle intervals of tensors, with a lower bound on
    the time of any plan (lowering/memory/planning.py). Unless the options name a mode, the shorter of the plans of both
    modes; the bound then holds for either mode. A plan that moves nothing to memory of devices that run tasks is tried,
    too, if that with such memory does not reach the bound."""
    from lowering.memory.bound import Relaxation, relax
    from lowering.memory.planning import ENOUGH, Plan, plan_from

    plans: list[tuple[Plan, str]] = []
    relaxations: list[Relaxation] = []  # also of modes in which no plan that was tried can be carried out
    refusals: list[InputError] = []
    for behind, words in _choices(system):
        for mode in (options.mode,) if options.mode else MODES:
            try:
                relaxation = relax(trace, behind, mode)
                relaxations += [relaxation] if behind is system else []
                if any(each.run.steady and each.run.spans[-1] <= relaxation.bound_ns for each, _ in plans):
                    continue  # none of this kind is shorter
                found = plan_from(relaxation, trace, behind)
                if behind is not system:  # with more tiers, moves may be served in another order
                    found = replace(found, run=run_moves(trace, system, found.moves, found.regime))
                plans.append((found, f"in mode {mode}{words}"))
            except InputError as error:
                refusals.append(error)
        if any(found.run.steady and found.score > (1 - ENOUGH) * found.bound for found, _ in plans):
            break
    if not plans:
        raise refusals[0]
    best, how = min(plans, key=lambda each: (not each[0].run.steady, each[0].run.spans[-1]))
    bound = min(relaxations, key=lambda each: each.bound_ns)
    sentences = [
        f"moves from a linear program over the idle intervals of tensors: {time(best.run.spans[-1])} {how} "
        f"({MODES[best.regime.mode]})"
    ]
    sentences += [f"{time(other.run.spans[-1])} {words}" for other, words in plans if other is not best]
    sentences.append(f"any plan takes at least {time(bound.bound_ns)}")
    because = "bytes of idle tensors, link bandwidth, tier capacity"
    return MemoryPlan(best.moves, best.regime, tuple(sentences), bound.bound_ns, because)


def _choices(system: MemorySystem) -> Iterator[tuple[MemorySystem, str]]:
    """A memory system and, if it has lent tiers and others, the system without the lent ones, each with words for
    messages."""
    yield system, ""
    lent = [f"@{tier.name}" for tier in system.tiers if tier.lent]
    if lent and system.dedicated is not None:
        yield system.dedicated, f" without {' and '.join(lent)}"


MODES: dict[Mode, str] = {
    "copy": "bytes with a copy behind the device are dropped free",
    "move": "each byte is moved out and in",
}
"""The modes that `plan` tries, each with its meaning; of equally long plans the first is taken."""


POLICIES: dict[str, MemoryPolicy] = {
    "uvm": uvm,
    "pump": pump,
    "lookahead": lookahead,
    "replay": replay,
    "plan": plan,
}


def _paging(system: MemorySystem) -> tuple[MemorySystem, Faults]:
    """The part of a memory system that serves page faults, and its parameters. Raises InputError if there is none."""
    paged = system.dedicated
    if paged is None or paged.faults is None:
        raise InputError(
            f"the memory behind @{system.device} serves no page faults, but this policy needs them; use a machine "
            "with unified memory (v100-uvm, a100-uvm), or prefetch{policy=plan}"
        )
    return paged, paged.faults


def _demand(options: MemoryOptions) -> Regime:
    return Regime(faults=True, reuse=options.reuse, mode=options.mode or "move")


_ORDERS = {"lru": "the least recently used", "migrated": "those that were fetched or prefetched longest ago"}


def _against_demand_paging(
    trace: KernelTrace, system: MemorySystem, moves: list[Move], options: MemoryOptions
) -> Iterator[str]:
    """A sentence on the gain or loss of prefetches over demand paging, for serially executed tasks."""
    if not options.compare or trace.largest_working_set > system.capacity:
        return
    regime, start = _demand(options), in_tiers(trace, system)
    alone, ours = (
        run_moves(trace, system, each, regime, start=start, pager=UnifiedMemory(trace, system)).spans[-1]
        for each in ((), moves)
    )
    if ours > alone * 1.001:
        why = "prefetched data are evicted before their task runs, or needed data wait behind other transfers"
        yield f"the plan takes {ours / alone:.2f} times as long as demand paging without prefetches: {why}"
    else:
        yield f"the plan is {multiple(alone / ours)} as fast as demand paging without prefetches"


def _reuse(options: MemoryOptions) -> str:
    """The sentence that states whether the memory of dead tensors is reused. It is always reported, since reuse changes
    speedups by factors of 2 to 5."""
    return "the memory of dead tensors is reused" if options.reuse else "dead tensors keep their memory, and are moved"

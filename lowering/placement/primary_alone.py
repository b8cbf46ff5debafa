"""The primary device alone with its best plan: the one baseline of every speed-up.

A pipeline must not choose its own baseline. So the baseline is that of the program as it was read, whatever is
done to it later: groups and marks are undone, then the passes that help a host alone are run (canonicalize, fuse,
layout), once in the program's own element types and, unless that is forbidden, once in the type that `reduce-precision`
gives it on this machine. The one that ends first counts, on a the primary device with all of its memory channels. Where
times of primary device were measured, the program as it was read counts if more of its kernels were measured than of
these. Programs that differ by these passes and `inline` alone have the same baseline, so it does not matter whether a
file lies between them; and where a pipeline begins with these passes, they run once, for the baseline and for the
pipeline (`shared`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from dialects.diagnostics import InputError, notes_to, working
from dialects.graph import ATTENTIONS, FusedOp, GraphOp
from dialects.graph.op import PLACED
from dialects.task import OnType
from interp.cost.clock import Clock
from interp.machine.composition import Machine
from interp.program.effort import calls_in
from interp.program.entry import functions, is_graph_op
from interp.program.unchanged import unchanged
from interp.program.views import is_part
from interp.program.work_key import shape_key
from interp.schedule.what_if import Outcome
from lowering.banks.templates import PimTemplates, clock_for
from lowering.graph.canonicalize import CanonicalizePass
from lowering.graph.fuse import FusePass
from lowering.graph.grouping import take_apart
from lowering.graph.inline import InlinePass, inline_calls
from lowering.graph.layout import LayoutPass
from lowering.graph.precision import AUTO, KEEP, Narrowing, ReducePrecisionPass, other_types, pim_type
from lowering.graph.rewriting import rewriter_at
from lowering.placement.baseline import (
    Baseline,
    baseline_of,
    one_after_another,
    read_baseline,
    summed,
    unpartitioned_clock,
    write_baseline,
)
from lowering.placement.marks import unmark
from lowering.placement.of_program import PlacementProblem
from lowering.placement.sensitivity import clocks_at_ends
from lowering.placement.straight import subproblems_of

Counted: TypeAlias = "list[tuple[Operation, int]]"
"""Ops, each with how often it is run."""
Timed: TypeAlias = dict[str, tuple[Baseline, Counted]]
"""Functions by name: their baselines, and what the primary device runs there."""

COMPARING: ContextVar[bool] = ContextVar("comparing", default=True)
"""True if anybody will read the time that the host alone takes; if not, it is not worked out."""


ALIKE: tuple[ModulePass, ...] = (CanonicalizePass(),)
"""The passes that a program goes through first, whatever type it is computed in then."""
BEST: tuple[ModulePass, ...] = (FusePass(), LayoutPass())
"""The passes that help a host alone."""


def shared(module: ModuleOp, steps: Sequence[ModulePass], keep_types: bool = False) -> list[ModulePass]:
    """The first of a pipeline's passes that do to a program as it was read nothing but what the host alone does with
    it: behind them its baseline can be told as well, and with less work, as of the program before them."""
    found: list[ModulePass] = []
    if not any(map(is_graph_level, functions(module))) or not any(step in ALIKE for step in steps):
        return found
    ops = [op for function in functions(module) for op in function.walk()]
    if any(isinstance(op, FusedOp) or PLACED in op.attributes for op in ops):
        return found  # groups and marks are undone first
    machine = clock_for(module).machine
    if machine.devices[machine.primary].profile is not None:
        return found  # the program as it was read counts, too
    converts = pim_type(machine)[0] is not None
    waiting = [InlinePass(), *ALIKE, *(() if converts and not keep_types else BEST)]
    if not any(map(calls_in, functions(module))):
        del waiting[0]
    for step in steps:
        idle = isinstance(step, ReducePrecisionPass) and (step.to == KEEP or (step.to == AUTO and not converts))
        idle = idle or (step == InlinePass() and step not in waiting)
        if not idle and (not waiting or step != waiting.pop(0)):
            break
        found.append(step)
    return found if any(step in ALIKE for step in found) else []


def note_baselines(
    module: ModuleOp, clock: Clock | None = None, keep_types: bool = False, done: Sequence[ModulePass] = ()
) -> None:
    """Note on each function of graph level what the host alone takes for it, where that was not noted for this machine
    before. `keep_types`: whether its own element types are the only ones that count. `done`: passes that are `shared`
    and were run on the program that was read. A program that can't be timed is left without: who places it says why. So
    is any program where nobody is `COMPARING`."""
    if not COMPARING.get():
        return
    clock = clock or clock_for(module)
    fresh = [each for each in functions(module) if is_graph_level(each) and read_baseline(each, clock) is None]
    if not fresh:
        return
    working("the host alone")
    try:
        with notes_to(lambda message, place: None):
            found = primary_alone(module, clock, keep_types, done)
    except InputError:
        return
    for function in fresh:
        if (baseline := found.get(function.sym_name.data)) is not None:
            write_baseline(function, clock, baseline)


def primary_alone(
    module: ModuleOp, clock: Clock, keep_types: bool = False, done: Sequence[ModulePass] = ()
) -> dict[str, Baseline]:
    """The baseline of each function of graph level that the primary device can run, by name; `done` as of
    `note_baselines`. Raises InputError for a program that makes no sense."""
    own = _as_read(module, done)
    element = None if keep_types else pim_type(clock.machine)[0]
    converted = own.clone() if element and any(other_types(each, element) for each in functions(own)) else None
    _apply(BEST, own, done)
    if converted is not None and element is not None:
        for function in functions(converted):
            if wide := other_types(function, element):
                Narrowing(element, wide).function(function)
        _apply((*ALIKE, *BEST), converted)
    as_read = module.clone() if clock.machine.devices[clock.machine.primary].profile is not None else None
    if as_read is not None:
        inline_calls(as_read)
    with unchanged():
        found = _timed(own, clock)
        for name, (baseline, ops) in _timed(converted, clock).items() if converted is not None else ():
            if name not in found or baseline.ns < found[name][0].ns:
                found[name] = replace(baseline, element=str(element)), ops
        if as_read is not None:
            found |= _better_measured(_timed(as_read, clock), found, _alone(clock, as_read))
        clocks = {name: [(_alone(at, own), at) for at in both] for name, both in clocks_at_ends(module).items()}
        ends = {name: {end: _both(ops, both) for end, both in clocks.items()} for name, (_, ops) in found.items()}
    return {name: replace(baseline, ends=ends[name]) for name, (baseline, _) in found.items()}


def _as_read(module: ModuleOp, done: Sequence[ModulePass]) -> ModuleOp:
    """A copy of a program without its groups and marks, canonicalized; of its functions on graph level."""
    own = module.clone()
    inline_calls(own)
    for function in functions(own):
        if not is_graph_level(function):
            function.detach()
            function.erase()
    if not done:
        for function in functions(own):
            _undo(function)
    _apply(ALIKE, own, done)
    return own


def _apply(passes: Sequence[ModulePass], module: ModuleOp, done: Sequence[ModulePass] = ()) -> None:
    """Run passes that have not been run yet."""
    for each in passes:
        if each not in done:
            each.apply(Context(), module)


def _both(ops: Counted, clocks: Sequence[tuple[Clock, Clock]]) -> tuple[Outcome, Outcome]:
    """Time and energy of the primary device for some ops on two clocks of it alone, each with that of the machine
    around it."""
    equal: dict[Hashable, tuple[GraphOp | FusedOp, int]] = {}
    for op, turns in ops:
        if is_graph_op(op) and not is_part(op):
            key = shape_key(op)
            equal[key] = op, equal.get(key, (op, 0))[1] + turns
    distinct, counts = [op for op, _ in equal.values()], [count for _, count in equal.values()]
    low, high = (one_after_another(distinct, alone, unpartitioned_clock(around), counts) for alone, around in clocks)
    return low, high


def _better_measured(ours: Timed, others: Timed, alone: Clock) -> Timed:
    """Functions of which more kernels were measured than in other forms of them."""

    def share(ops: Counted) -> float:
        told = [alone.op_cost(op, alone.machine.primary).bound in ("measured", "simulated") for op, _ in ops]
        return sum(told) / max(1, len(ops))

    return {name: each for name, each in ours.items() if name not in others or share(each[1]) > share(others[name][1])}


def _timed(module: ModuleOp, clock: Clock) -> Timed:
    """The baseline of each function as it is, with what the primary device runs."""
    alone = _alone(clock, module)
    found: Timed = {}
    for function in functions(module):
        baselines: list[tuple[Baseline | None, int]] = []
        ops: Counted = []
        for subproblem, turns in subproblems_of(function):
            try:
                problem = PlacementProblem(subproblem, alone)
            except InputError:  # what the primary device can't run
                baselines.append((None, turns))
                continue
            baselines.append((baseline_of(problem, clock), turns))
            ops += [(node.op, turns) for node in problem.nodes]
            problem.drop()
        once = [turns for _, turns in baselines] == [1]
        baseline = baselines[0][0] if once else summed(baselines)
        if baseline is not None:
            found[function.sym_name.data] = baseline, ops
    return found


def _alone(clock: Clock, module: ModuleOp) -> Clock:
    """The clock of a machine's primary device by itself, with all of its memory channels."""
    whole = clock.machine.unpartitioned
    return Clock(Machine({whole.primary: whole.devices[whole.primary]}, {}), PimTemplates.of(module))


def is_graph_level(function: FuncOp) -> bool:
    """True if a function is one block, of which no argument or result is placed."""
    return len(function.body.blocks) == 1 and not any(
        isinstance(type_, OnType) for type_ in (*function.function_type.inputs, *function.function_type.outputs)
    )


def _undo(function: FuncOp) -> None:
    """Take groups apart and marks off. Attentions stay: apart, they would compute again what a host alone stores."""
    for op in list(function.walk()):
        if isinstance(op, FusedOp) and (op.kind is None or op.kind.data not in ATTENTIONS):
            take_apart(op, rewriter_at(op))
    unmark(op for op in function.walk() if is_graph_op(op))

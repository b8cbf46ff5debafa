"""The primary device alone with its best plan: the common baseline of all speed-ups.

A pipeline must not choose its own baseline. So the baseline is computed from the program as read, independently of the
passes that follow: groups and marks are removed, then the passes that help a primary device alone are run
(canonicalize, fuse, layout), once in the program's own element types and, unless the user forbids conversion, once in
the type to which `reduce-precision` converts it on this machine. The baseline is the faster of these two variants, on a
primary device with all of its memory channels. If a profile has measured times of the primary device, and has them for
a larger fraction of the kernels of the program as read than of the variants' kernels, the program as read is used
instead. Programs that differ only by these passes and `inline` have the same baseline, so it does not change if the
program is saved to a file in between. If a pipeline begins with these passes, they run once, for both the baseline and
the pipeline (`shared`).
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Sequence
from contextlib import contextmanager
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
from lowering.graph.grouping import dissolve
from lowering.graph.inline import InlinePass, inline_calls
from lowering.graph.layout import LayoutPass
from lowering.graph.precision import AUTO, KEEP, Conversion, ReducePrecisionPass, other_types, pim_type
from lowering.graph.rewriting import rewriter_at
from lowering.placement.baseline import (
    Baseline,
    baseline_of,
    read_baseline,
    serial_outcome,
    summed,
    unpartitioned_clock,
    write_baseline,
)
from lowering.placement.marks import unmark, unmark_arguments
from lowering.placement.of_program import PlacementProblem
from lowering.placement.sensitivity import clocks_at_ends
from lowering.placement.straight import subproblems_of

Counted: TypeAlias = "list[tuple[Operation, int]]"
"""Ops, each with its execution count."""
Timed: TypeAlias = dict[str, tuple[Baseline, Counted]]
"""Functions by name: their baselines, and the ops that the primary device runs in them."""

COMPARING: ContextVar[bool] = ContextVar("comparing", default=True)
"""True if the time of the primary device alone will be read; otherwise it is not computed."""


@contextmanager
def baselines_unread() -> Generator[None]:
    """Leave out baselines within the context, for tools that never read them."""
    token = COMPARING.set(False)
    try:
        yield
    finally:
        COMPARING.reset(token)


ALIKE: tuple[ModulePass, ...] = (CanonicalizePass(),)
"""The passes that the baseline runs first, for either element type."""
BEST: tuple[ModulePass, ...] = (FusePass(), LayoutPass())
"""The passes that help a primary device alone."""


def shared(module: ModuleOp, steps: Sequence[ModulePass], keep_types: bool = False) -> list[ModulePass]:
    """The longest prefix of a pipeline that consists of passes which the baseline of the program runs as well: the
    baseline can be computed from the program after them, with less work."""
    found: list[ModulePass] = []
    if not any(map(is_graph_level, functions(module))) or not any(step in ALIKE for step in steps):
        return found
    ops = [op for function in functions(module) for op in function.walk()]
    if any(isinstance(op, FusedOp) or PLACED in op.attributes for op in ops):
        return found  # groups and marks are removed first
    machine = clock_for(module).machine
    if machine.devices[machine.primary].profile is not None:
        return found  # the program as read is a candidate, too
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
    """Note on each graph-level function its time on the primary device alone, unless it was noted for this machine
    before. `keep_types`: use only the program's own element types. `done`: passes that are `shared` and were already
    run on the program as read. A program that can't be timed gets no note; the placement reports why. Nothing is noted
    unless `COMPARING`."""
    if not COMPARING.get():
        return
    clock = clock or clock_for(module)
    fresh = [each for each in functions(module) if is_graph_level(each) and read_baseline(each, clock) is None]
    if not fresh:
        return
    found = alone_or_nothing(module, clock, keep_types, done)
    for function in fresh:
        if (baseline := found.get(function.sym_name.data)) is not None:
            write_baseline(function, clock, baseline)


def alone_or_nothing(
    module: ModuleOp, clock: Clock, keep_types: bool, done: Sequence[ModulePass]
) -> dict[str, Baseline]:
    """The result of `primary_alone` without notes; empty for a program that can't be timed."""
    working("the primary device alone")
    try:
        with notes_to(lambda message, place: None):
            return primary_alone(module, clock, keep_types, done)
    except InputError:
        return {}


def facts_read(clock: Clock) -> Hashable:
    """All facts that `primary_alone` reads of a machine: the primary device, the element type to convert to, and the
    idle power of the other devices. Machines with equal facts have equal baselines."""
    whole = unpartitioned_clock(clock)
    idle = tuple((name, device.idle_w, whole.board_idle_w(name)) for name, device in whole.machine.devices.items())
    return whole.machine.devices[whole.machine.primary], pim_type(clock.machine)[0], idle


def primary_alone(
    module: ModuleOp, clock: Clock, keep_types: bool = False, done: Sequence[ModulePass] = ()
) -> dict[str, Baseline]:
    """The baseline of each graph-level function that the primary device can run, by name; `done` as in
    `note_baselines`. Raises InputError for an invalid program."""
    own = _as_read(module, done)
    element = None if keep_types else pim_type(clock.machine)[0]
    converted = own.clone() if element and any(other_types(each, element) for each in functions(own)) else None
    _apply(BEST, own, done)
    if converted is not None and element is not None:
        for function in functions(converted):
            if wide := other_types(function, element):
                Conversion(element, wide).function(function)
        _apply((*ALIKE, *BEST), converted)
    as_read = module.clone() if clock.machine.devices[clock.machine.primary].profile is not None else None
    if as_read is not None:
        inline_calls(as_read)
        for function in functions(as_read):
            unmark(op for op in function.walk() if is_graph_op(op))
            unmark_arguments(function)
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
    """A copy of a program's graph-level functions without groups and marks, canonicalized."""
    own = module.clone()
    inline_calls(own)
    for function in functions(own):
        if not is_graph_level(function):
            function.detach()
            function.erase()
        unmark_arguments(function)
    if not done:
        for function in functions(own):
            _undo(function)
    _apply(ALIKE, own, done)
    return own


def _apply(passes: Sequence[ModulePass], module: ModuleOp, done: Sequence[ModulePass] = ()) -> None:
    """Run the passes that have not been run yet."""
    for each in passes:
        if each not in done:
            each.apply(Context(), module)


def _both(ops: Counted, clocks: Sequence[tuple[Clock, Clock]]) -> tuple[Outcome, Outcome]:
    """Time and energy of the primary device for some ops, computed with each of two pairs of clocks. A pair has the
    clock of the primary device alone and the clock of the whole machine."""
    equal: dict[Hashable, tuple[GraphOp | FusedOp, int]] = {}
    for op, iterations in ops:
        if is_graph_op(op) and not is_part(op):
            key = shape_key(op)
            equal[key] = op, equal.get(key, (op, 0))[1] + iterations
    distinct, counts = [op for op, _ in equal.values()], [count for _, count in equal.values()]
    low, high = (serial_outcome(distinct, alone, unpartitioned_clock(around), counts) for alone, around in clocks)
    return low, high


def _better_measured(ours: Timed, others: Timed, alone: Clock) -> Timed:
    """Those functions of `ours` that `others` lacks, or of which the fraction of kernels with measured times is larger
    in `ours` than in `others`."""

    def measured(ops: Counted) -> float:
        is_measured = [alone.op_cost(op, alone.machine.primary).bound in ("measured", "simulated") for op, _ in ops]
        return sum(is_measured) / max(1, len(ops))

    return {
        name: each for name, each in ours.items() if name not in others or measured(each[1]) > measured(others[name][1])
    }


def _timed(module: ModuleOp, clock: Clock) -> Timed:
    """The baseline of each function in its current form, with the ops that the primary device runs."""
    alone = _alone(clock, module)
    found: Timed = {}
    for function in functions(module):
        baselines: list[tuple[Baseline | None, int]] = []
        ops: Counted = []
        for subproblem, iterations in subproblems_of(function):
            try:
                problem = PlacementProblem(subproblem, alone)
            except InputError:  # the primary device can't run it
                baselines.append((None, iterations))
                continue
            baselines.append((baseline_of(problem, clock), iterations))
            ops += [(node.op, iterations) for node in problem.nodes]
            problem.drop()
        once = [iterations for _, iterations in baselines] == [1]
        baseline = baselines[0][0] if once else summed(baselines)
        if baseline is not None:
            found[function.sym_name.data] = baseline, ops
    return found


def _alone(clock: Clock, module: ModuleOp) -> Clock:
    """The clock of a machine's primary device alone, with all of its memory channels."""
    machine = clock.machine.unpartitioned
    return Clock(Machine({machine.primary: machine.devices[machine.primary]}, {}), PimTemplates.of(module))


def is_graph_level(function: FuncOp) -> bool:
    """True if a function is one block and none of its arguments and results is placed."""
    return len(function.body.blocks) == 1 and not any(
        isinstance(type_, OnType) for type_ in (*function.function_type.inputs, *function.function_type.outputs)
    )


def _undo(function: FuncOp) -> None:
    """Dissolve groups and remove marks. Attention groups are kept: their ops recompute values that a primary device
    alone would store."""
    for op in list(function.walk()):
        if isinstance(op, FusedOp) and (op.kind is None or op.kind.data not in ATTENTIONS):
            dissolve(op, rewriter_at(op))
    unmark(op for op in function.walk() if is_graph_op(op))

"""The primary device alone with its best plan: the common baseline of all speed-ups.

A pipeline must not choose its own baseline. So the baseline is computed from the program as read, independently of the
passes that follow: groups and marks are removed, and the program is canonicalized, fused and laid out in each of its
forms (forms.py): in all element types that the user allows for the plan, with attention as one kernel or as several.
The baseline is the fastest of these forms on a primary device with all of its memory channels, among those that fit its
memory. If a profile has measured times of the primary device, and has them for a larger fraction of the kernels of the
program as read than of the forms' kernels, the program as read is used instead. Programs that differ only by these
passes and `inline` have the same baseline, so it does not change if the program is saved to a file in between. If a
pipeline begins with `inline` and `canonicalize`, these run once, for both the baseline and the pipeline (`shared`).

Kernels of thread blocks that `to-tile` writes are no further form: their times are scaled so that the fastest schedule
of a product takes as long as the kernel of the GPU's library (lowering/tile/to_tile.py).
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from dialects.diagnostics import InputError, notes_to, working
from dialects.graph import ATTENTIONS, FusedOp
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
from lowering.graph.grouping import dissolve
from lowering.graph.inline import InlinePass, inline_calls
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
from lowering.placement.choice import Placeable
from lowering.placement.forms import ALLOWED, OWN, Form, forms
from lowering.placement.marks import unmark
from lowering.placement.of_program import PlacementProblem
from lowering.placement.sensitivity import clocks_at_ends
from lowering.placement.straight import has_loops, subproblems_of

Counted: TypeAlias = "list[tuple[Placeable, int]]"
"""Ops, each with its execution count."""


@dataclass(frozen=True)
class Alone:
    """A function in one form on the primary device alone: its time and energy, and the ops that the device runs."""

    baseline: Baseline
    ops: Counted

    def outcome(self, alone: Clock, around: Clock) -> Outcome:
        """Time and energy by the clock `alone` of the primary device, with idle power by the clock `around` of the
        whole machine."""
        equal: dict[Hashable, tuple[Placeable, int]] = {}
        for op, iterations in self.ops:
            if not is_part(op):
                key = shape_key(op) if is_graph_op(op) else op
                equal[key] = op, equal.get(key, (op, 0))[1] + iterations
        return serial_outcome(
            [op for op, _ in equal.values()], alone, around, counts=[count for _, count in equal.values()]
        )


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
"""The passes that the baseline runs on a program without calls, groups and marks, before it builds the forms."""


def shared(module: ModuleOp, steps: Sequence[ModulePass]) -> list[ModulePass]:
    """The longest prefix of a pipeline that consists of passes which the baseline of the program runs as well: the
    baseline can be computed from the program after them, with less work."""
    if not any(map(is_graph_level, functions(module))) or not any(step in ALIKE for step in steps):
        return []
    ops = [op for function in functions(module) for op in function.walk()]
    if any(isinstance(op, FusedOp) or PLACED in op.attributes for op in ops):
        return []  # groups and marks are removed first
    machine = clock_for(module).machine
    if machine.devices[machine.primary].profile is not None:
        return []  # the program as read is a candidate, too
    waiting = [*([InlinePass()] if any(map(calls_in, functions(module))) else []), *ALIKE]
    found: list[ModulePass] = []
    for step in steps:
        if waiting and step == waiting[0]:
            waiting.pop(0)
        elif step != InlinePass() or step in waiting:
            break
        found.append(step)
    return found if any(step in ALIKE for step in found) else []


def note_baselines(module: ModuleOp, clock: Clock | None = None, done: Sequence[ModulePass] = ()) -> None:
    """Note on each graph-level function its time on the primary device alone, unless it was noted for this machine
    before. `done`: passes that are `shared` and were already run on the program as read. A program that can't be timed
    gets no note; the placement reports why. Nothing is noted unless `COMPARING`."""
    if not COMPARING.get():
        return
    clock = clock or clock_for(module)
    fresh = [each for each in functions(module) if is_graph_level(each) and read_baseline(each, clock) is None]
    if not fresh:
        return
    found = alone_or_nothing(module, clock, done)
    for function in fresh:
        if (baseline := found.get(function.sym_name.data)) is not None:
            write_baseline(function, clock, baseline)


def alone_or_nothing(module: ModuleOp, clock: Clock, done: Sequence[ModulePass]) -> dict[str, Baseline]:
    """The result of `primary_alone` without notes; empty for a program that can't be timed."""
    working("the primary device alone")
    try:
        with notes_to(lambda message, place: None):
            return primary_alone(module, clock, done)
    except InputError:
        return {}


def facts_read(clock: Clock) -> Hashable:
    """All facts that `primary_alone` reads of a machine: the primary device and the idle power of the other devices.
    Machines with equal facts have equal baselines for equal programs and types."""
    whole = unpartitioned_clock(clock)
    idle = tuple((name, device.idle_w, whole.board_idle_w(name)) for name, device in whole.machine.devices.items())
    return whole.machine.devices[whole.machine.primary], idle


def primary_alone(module: ModuleOp, clock: Clock, done: Sequence[ModulePass] = ()) -> dict[str, Baseline]:
    """The baseline of each graph-level function that the primary device can run, by name, in the types that are
    `ALLOWED`; `done` as in `note_baselines`. Raises InputError for an invalid program."""
    own = _as_read(module, done)
    with unchanged():
        found = [_timed(form, clock) for form in forms(own, ALLOWED.get(), reuse=bool(done))]
        names = dict.fromkeys(name for timed in found for name in timed)
        candidates = {name: _candidates([timed[name] for timed in found if name in timed]) for name in names}
        if clock.machine.devices[clock.machine.primary].profile is not None:
            as_read = module.clone()
            inline_calls(as_read)
            measured = _timed(Form(OWN, "as written", as_read), clock)
            candidates |= _better_measured(measured, candidates, _alone(clock, as_read))
        ends = {
            name: [(_alone(at, module), unpartitioned_clock(at)) for at in both]
            for name, both in clocks_at_ends(module).items()
        }
        return {
            name: replace(theirs[0].baseline, ends={each: _at_ends(theirs, both) for each, both in ends.items()})
            for name, theirs in candidates.items()
        }


def _candidates(found: Sequence[Alone]) -> list[Alone]:
    """The forms among which the baseline is chosen, the fastest first: those that fit the primary device's memory, if
    any does."""
    fitting = [each for each in found if each.baseline.fits]
    return sorted(fitting or found, key=lambda each: each.baseline.ns)


def _at_ends(candidates: Sequence[Alone], clocks: Sequence[tuple[Clock, Clock]]) -> tuple[Outcome, Outcome]:
    """The time and energy of the fastest form at both ends of an assumption's range. `clocks`: for each end, the clock
    of the primary device alone, and the clock of the whole machine."""
    low, high = (
        min((each.outcome(alone, around) for each in candidates), key=lambda outcome: outcome.ns)
        for alone, around in clocks
    )
    return low, high


def _as_read(module: ModuleOp, done: Sequence[ModulePass]) -> ModuleOp:
    """A copy of a program's graph-level functions without groups and marks, canonicalized."""
    own = module.clone()
    inline_calls(own)
    for function in functions(own):
        if not is_graph_level(function):
            function.detach()
            function.erase()
    if not done:
        for function in functions(own):
            _undo(function)
        for each in ALIKE:
            each.apply(Context(), own)
    return own


def _better_measured(
    ours: Mapping[str, Alone], others: Mapping[str, Sequence[Alone]], alone: Clock
) -> dict[str, list[Alone]]:
    """Those functions of `ours` that `others` lacks, or of which the fraction of kernels with measured times is larger
    in `ours` than in the fastest of `others`."""

    def measured(ops: Counted) -> float:
        is_measured = [alone.op_cost(op, alone.machine.primary).bound in ("measured", "simulated") for op, _ in ops]
        return sum(is_measured) / max(1, len(ops))

    return {
        name: [each]
        for name, each in ours.items()
        if name not in others or measured(each.ops) > measured(others[name][0].ops)
    }


def _timed(form: Form, clock: Clock) -> dict[str, Alone]:
    """The functions of a form that the primary device alone can run, by name."""
    alone = _alone(clock, form.module)
    found: dict[str, Alone] = {}
    for function in functions(form.module):
        baselines: list[tuple[Baseline | None, int]] = []
        ops: Counted = []
        for subproblem, iterations in subproblems_of(function.clone() if has_loops(function) else function):
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
            found[function.sym_name.data] = Alone(replace(baseline, form=form.named), ops)
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

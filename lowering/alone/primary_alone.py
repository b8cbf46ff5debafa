"""The primary device alone with its best plan: the common baseline of all speed-ups.

A pipeline must not choose its own baseline. So the baseline is computed from the program as read, independently of the
passes that follow: groups and marks are removed, and the program is canonicalized, fused and laid out in each of its
forms (forms.py): in all element types that the user allows for the plan, with attention as one kernel or as several.
The baseline is the fastest of these forms on a primary device with all of its memory channels, within its memory: if a
form exceeds that and further memory is behind it, moves between the memories are planned as by `prefetch`: for the
groups of each form and for a kernel of each op, in the program's order and another one, with and without `recompute`
(short.py). If a profile has measured times of the primary device, and has them for a larger fraction of the
kernels of the program as read than of the forms' kernels, the program as read is used instead. Programs that differ
only by these passes and `inline` have the same baseline, so it does not change if the program is saved to a file in
between. If a pipeline begins with `inline` and `canonicalize`, these run once, for both the baseline and the pipeline
(`shared`).

Kernels of thread blocks that `to-tile` writes are no further form: their times are scaled so that the fastest schedule
of a product takes as long as the kernel of the GPU's library (lowering/tile/to_tile.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Literal, TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from dialects.diagnostics import InputError, notes_to, working
from dialects.graph import ATTENTIONS, FusedOp
from dialects.graph.op import PLACED
from dialects.task import OnType
from interp.kinds.clock import Clock
from interp.machine.memory_system import MemorySystem
from interp.simulate.schedule.timeline import Timeline
from interp.simulate.schedule.what_if import Outcome, outcome_of, retimed
from interp.simulate.simulation import simulate, simulate_unlimited
from interp.walk.effort import calls_in
from interp.walk.entry import entry_of, functions, is_graph_op
from interp.walk.unchanged import unchanged
from lowering.alone.baseline import Baseline, read_baseline, unpartitioned_clock, write_baseline
from lowering.alone.forms import Form, apart, forms
from lowering.alone.moved import moved_alone
from lowering.alone.sensitivity import Ends, clocks_at_ends
from lowering.banks.templates import clock_for
from lowering.graph.allowed_types import ALLOWED, OWN
from lowering.graph.canonicalize import CanonicalizePass
from lowering.graph.grouping import dissolve
from lowering.graph.inline import InlinePass, inline_calls
from lowering.graph.marks import marked_arguments, unmark, unmark_arguments
from lowering.graph.rewriting import rewriter_at
from lowering.graph.state import StatePass
from lowering.tasks.short import has_few_ops

OutcomeAtEnds: TypeAlias = tuple["Outcome | None", "Outcome | None"]
"""The outcomes at both ends of an assumption's range; None for an end at which the program can't run."""


@dataclass(frozen=True)
class Alone:
    """A function in one form on the primary device alone. `fits`: False if it exceeds the device's memory, and the
    timeline is the one with unlimited memory. `at_ends`: time and energy at the ends of assumptions, by their names.
    `moves`: planned moves between memories, in words; empty if nothing is moved."""

    form: Form
    timeline: Timeline
    fits: bool
    at_ends: Mapping[str, OutcomeAtEnds]
    moves: str = ""

    @staticmethod
    def of(form: Form, name: str, clock: Clock, ends: Mapping[str, Ends]) -> Alone | None:
        """The function of this name; None if the primary device can't run it."""
        clock = unpartitioned_clock(clock)
        try:
            timeline = simulate_unlimited(form.module, clock, name)
        except InputError:
            return None
        primary = clock.machine.primary
        fits = timeline.memory[primary].total <= clock.machine.devices[primary].memory_bytes
        return Alone(form, timeline, fits, _at_ends(ends, lambda other, touched: retimed(timeline, other, touched)))

    def with_moves(self, name: str, clock: Clock, ends: Mapping[str, Ends], below_ns: float) -> Iterator[Alone]:
        """The function with planned moves between memories, if such moves are possible, and if it might take less than
        `below_ns`."""
        for found in moved_alone(self.form, name, clock, below_ns):
            at_ends = _at_ends(ends, partial(_simulated, found.program))
            moves = f"{'recomputed values and ' if found.way.recomputing is not None else ''}planned moves"
            moves += " in another order" if found.way.reordered else ""
            yield Alone(self.form, found.timeline, True, at_ends, moves)

    def at_end(self, name: str, end: Literal[0, 1]) -> Outcome | None:
        """The outcome at the low or high end of an assumption's range, by its name: that of the timeline if it does not
        depend on the assumption."""
        return self.at_ends[name][end] if name in self.at_ends else outcome_of(self.timeline)

    @property
    def named(self) -> str:
        """The form in words; empty for the form that was read, without moves."""
        return f"{self.form} with {self.moves}" if self.moves else self.form.named

    @property
    def measured(self) -> float:
        """The fraction of tasks whose times come from a profile."""
        known = [event.cost.bound in ("measured", "simulated") for event, _, _ in self.timeline.tasks()]
        return sum(known) / max(1, len(known))


def _at_ends(
    ends: Mapping[str, Ends], outcome: Callable[[Clock, Collection[str]], Outcome]
) -> dict[str, OutcomeAtEnds]:
    def at(clock: Clock, touched: Collection[str]) -> Outcome | None:
        try:
            return outcome(unpartitioned_clock(clock), touched)
        except InputError:
            return None

    return {name: (at(low, touched), at(high, touched)) for name, (touched, low, high) in ends.items()}


def _simulated(module: ModuleOp, clock: Clock, touched: Collection[str]) -> Outcome:
    return outcome_of(simulate(module, clock))


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


ALIKE: tuple[ModulePass, ...] = (CanonicalizePass(), StatePass())
"""The passes that the baseline runs on a program without calls, groups and marks, before it builds the forms."""


def shared(module: ModuleOp, steps: Sequence[ModulePass]) -> list[ModulePass]:
    """The longest prefix of a pipeline that consists of passes which the baseline of the program runs as well: the
    baseline can be computed from the program after them, with less work."""
    if not any(map(is_graph_level, functions(module))) or not any(step in ALIKE for step in steps):
        return []
    ops = [op for function in functions(module) for op in function.walk()]
    marks = any(map(marked_arguments, functions(module)))
    if marks or any(isinstance(op, FusedOp) or PLACED in op.attributes for op in ops):
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
    """Note on each graph-level function its time on the primary device alone, unless it was noted before for this
    machine and these types. `done`: passes that are `shared` and were already run on the program as read. A program
    that can't be timed gets no note; the placement reports why. Nothing is noted unless `COMPARING`."""
    if not COMPARING.get():
        return
    clock = clock or clock_for(module)
    if any(is_graph_level(each) and not is_noted(each, clock) for each in functions(module)):
        note_found(module, clock, alone_or_nothing(module, clock, done))


def note_found(module: ModuleOp, clock: Clock, found: Mapping[str, Baseline]) -> None:
    """Note the baselines `found` for the types that are `ALLOWED` on the functions of these names. A baseline that was
    noted for other types stays if it is the shorter one."""
    for function in functions(module):
        baseline = found.get(function.sym_name.data)
        if baseline is None or not is_graph_level(function) or is_noted(function, clock):
            continue
        if (before := read_baseline(function, clock)) is not None:
            types = tuple(dict.fromkeys((*before.types, *baseline.types)))
            baseline = replace(min(before, baseline, key=lambda each: (not each.fits, each.ns)), types=types)
        write_baseline(function, clock, baseline)


def is_noted(function: FuncOp, clock: Clock) -> bool:
    """True if a function has a baseline for this machine that could be in any of the types that are `ALLOWED`."""
    noted = read_baseline(function, clock)
    return noted is not None and set(_conversions()) <= {*noted.types}


def _conversions() -> tuple[str, ...]:
    """The element types that are `ALLOWED` besides the program's own, in words."""
    return tuple(str(types) for types in ALLOWED.get() if types != OWN)


def alone_or_nothing(module: ModuleOp, clock: Clock, done: Sequence[ModulePass]) -> dict[str, Baseline]:
    """The result of `primary_alone` without notes; empty for a program that can't be timed."""
    working("the primary device alone")
    try:
        with notes_to(lambda message, place: None):
            return primary_alone(module, clock, done)
    except InputError:
        return {}


def primary_alone(module: ModuleOp, clock: Clock, done: Sequence[ModulePass] = ()) -> dict[str, Baseline]:
    """The baseline of each graph-level function that the primary device can run, by name, in the types that are
    `ALLOWED`; `done` as in `note_baselines`. Raises InputError for an invalid program."""
    own = _as_read(module, done)
    found = forms(own, ALLOWED.get(), unpartitioned_clock(clock), reuse=bool(done))
    as_read = _with_groups(module) if clock.machine.devices[clock.machine.primary].profile is not None else None
    names = [function.sym_name.data for function in functions(own)]
    ends = clocks_at_ends(module, behind=False)
    with unchanged():
        timed = {name: [Alone.of(form, name, clock, ends) for form in found] for name in names}
        read = {name: Alone.of(as_read, name, clock, ends) for name in names} if as_read is not None else {}
    baselines: dict[str, Baseline] = {}
    for name in names:
        candidates = _candidates(name, list(filter(None, timed[name])), own, clock, ends, bool(done))
        measured = read.get(name)
        if measured is not None and (not candidates or measured.measured > candidates[0].measured):
            candidates = [measured]
        if candidates:
            baselines[name] = best_of(candidates)
    return baselines


def _candidates(
    name: str, timed: Sequence[Alone], own: ModuleOp, clock: Clock, ends: Mapping[str, Ends], reuse: bool
) -> list[Alone]:
    """The forms of a function among which the baseline is chosen, the fastest first: those that can run within the
    primary device's memory, with planned moves if memory is behind it; if none can, all forms. `own`: the program of
    which these are forms."""
    known = sorted(timed, key=lambda each: each.timeline.makespan_ns)
    if not all(each.fits for each in known) and MemorySystem.of(unpartitioned_clock(clock).machine) is not None:
        known = _with_moves(name, known, own, clock, ends, reuse)
    fitting = [each for each in known if each.fits]
    return sorted(fitting or known, key=lambda each: each.timeline.makespan_ns)


def _with_moves(
    name: str, known: Sequence[Alone], own: ModuleOp, clock: Clock, ends: Mapping[str, Ends], reuse: bool
) -> list[Alone]:
    """Forms of a function, and those of them that run with planned moves in less time than all others before; if it
    has few ops, also in the form with a kernel for each op."""
    found = list(known)
    behind = clocks_at_ends(own, behind=True)
    few = has_few_ops(entry_of(own, name))
    with unchanged():
        single = [Alone.of(form, name, clock, ends) for form in (apart(own, ALLOWED.get(), reuse=reuse) if few else ())]
    for each in (*known, *filter(None, single)):
        least = min((one.timeline.makespan_ns for one in found if one.fits), default=inf)
        if each.timeline.makespan_ns >= least:
            continue
        found += [each] if each.fits else each.with_moves(name, clock, behind, least)
    return found


def best_of(candidates: Sequence[Alone]) -> Baseline:
    """The baseline: the fastest form, also at both ends of each assumption's range."""
    best = candidates[0]
    outcome = outcome_of(best.timeline)
    ends: dict[str, tuple[Outcome, Outcome]] = {}
    for name in dict.fromkeys(name for each in candidates for name in each.at_ends):
        low, high = (_least([each.at_end(name, end) for each in candidates]) for end in (0, 1))
        if low is not None and high is not None:
            ends[name] = low, high
    return Baseline(outcome.ns, outcome.nj, outcome.board_nj, best.fits, best.named, types=_conversions(), ends=ends)


def _least(outcomes: Sequence[Outcome | None]) -> Outcome | None:
    return min(filter(None, outcomes), key=lambda outcome: outcome.ns, default=None)


def _with_groups(module: ModuleOp) -> Form:
    """A program as read, without calls and marks; its graph-level functions may be candidates."""
    as_read = module.clone()
    inline_calls(as_read)
    for function in functions(as_read):
        unmark(op for op in function.walk() if is_graph_op(op))
        unmark_arguments(function)
    return Form(OWN, "as written", as_read)


def _as_read(module: ModuleOp, done: Sequence[ModulePass]) -> ModuleOp:
    """A copy of a program's graph-level functions without groups and marks, canonicalized."""
    own = module.clone()
    inline_calls(own)
    for function in functions(own):
        if not is_graph_level(function):
            function.detach()
            function.erase()
        else:
            unmark_arguments(function)
    if not done:
        for function in functions(own):
            _undo(function)
        for each in ALIKE:
            each.apply(Context(), own)
    return own


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

"""The worth of each decision of a plan: the makespans of plans that leave it out (`--summary=why`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError, notes_to, working
from dialects.text.columns import table
from interp.figures import count, multiple, size, time
from interp.simulate.schedule.timeline import Timeline
from interp.simulate.simulation import simulate
from lowering.banks.templates import clock_for
from lowering.graph.unquantize import UNQUANTIZED, is_quantized
from lowering.instance.options import WITHOUT
from lowering.tile.stages import NoKernelError, slowdowns
from ndpir.reports.run import Run

Restricted: TypeAlias = Callable[[tuple[str, ...]], ModuleOp]
"""A function that compiles a program with plans that do without some of what `place{without=…}` names."""
RESTRICTED: ContextVar[Restricted | None] = ContextVar("RESTRICTED", default=None)
"""The function that compiles the program again with restricted plans; None if no summary asks for it."""
SHOWN: Mapping[str, str] = {
    "devices": "other devices",
    "moves": "moves and repeated runs",
    "stages": "pipelined kernels",
    UNQUANTIZED: "quantized numbers",
}
"""What a plan may leave out, in words."""
UNUSED: Mapping[str, str] = {
    "devices": "runs all on @{}",
    "moves": "moves and repeats nothing",
    "stages": "multiplies nothing",
}
"""A clause on a plan that makes no use of a decision anyway, by decision."""
ALL = frozenset(WITHOUT)


@dataclass(frozen=True)
class Lacking:
    """The plan that does without some decisions."""

    without: tuple[str, ...]
    """The decisions that the plan leaves out: `devices` other than the primary one, `moves` between memories and
    repeated runs, `stages` of the buffers of kernels; or `quantized` numbers, which the model has."""
    makespan_ns: float | None
    """Null if nothing runs so, or if there is no such plan."""
    factor: float | None
    """The makespan, divided by that of the plan."""
    because: str
    """The difference of that plan, in a clause."""


@dataclass(frozen=True)
class Worth:
    """The worth of the decisions of a plan."""

    makespan_ns: float
    """The makespan of the plan."""
    lacking: tuple[Lacking, ...]
    """The plans that do without one decision, and without any two."""


_KNOWN: WeakKeyDictionary[Run, Worth] = WeakKeyDictionary()
"""The answers for runs that several outputs share."""


def worth_of(run: Run) -> Worth | None:
    """The worth of the decisions of a run's plan, by plans made anew; None if no summary asks for it."""
    if (restricted := RESTRICTED.get()) is None:
        return None
    if run not in _KNOWN:
        _KNOWN[run] = Worth(run.timeline.makespan_ns, tuple(_Restrictions(run, restricted).lacking()))
    return _KNOWN[run]


class _Made(NamedTuple):
    """A plan that was made, and the decisions of which it makes use."""

    plan: Lacking
    uses: frozenset[str]


class _Restrictions:
    """The plans of one program that do without some decisions, each made once."""

    def __init__(self, run: Run, restricted: Restricted) -> None:
        self.run, self.restricted, self.ns = run, restricted, run.timeline.makespan_ns
        self.primary = run.clock.machine.primary
        self.known = {frozenset[str](): _Made(Lacking((), self.ns, 1.0, ""), self._uses(run.timeline))}

    def lacking(self) -> Iterator[Lacking]:
        for number in (1, 2):
            for without in combinations(WITHOUT, number):
                made = self._made(frozenset(without))
                unused = ", ".join(UNUSED[word].format(self.primary) for word in without)
                yield replace(made.plan, without=without, because=made.plan.because or f"the plan {unused}")
        if is_quantized(self.run.module):
            yield self._unquantized()

    def _unquantized(self) -> Lacking:
        """The plan of the program without quantized numbers."""
        working(f"a plan without {SHOWN[UNQUANTIZED]}")
        try:
            with notes_to(lambda message, place: None):
                module = self.restricted((UNQUANTIZED,))
                timeline = simulate(module, clock_for(module), self.run.entry)
        except InputError as error:
            return Lacking((UNQUANTIZED,), None, None, f"nothing runs: {error.message.partition('; ')[0]}")
        factor = timeline.makespan_ns / self.ns if self.ns else 1.0
        return Lacking((UNQUANTIZED,), timeline.makespan_ns, factor, "the model as it was before it was quantized")

    def _made(self, without: frozenset[str]) -> _Made:
        """The plan that does without some decisions: it is one that does without fewer of them, if that makes no use of
        the others."""
        for fewer in sorted(self.known, key=len):
            if fewer < without and self.known[fewer].uses.isdisjoint(without - fewer):
                return self.known[fewer]
        if without not in self.known:
            self.known[without] = self._planned(without)
        return self.known[without]

    def _uses(self, timeline: Timeline) -> frozenset[str]:
        """The decisions of which a plan makes use. Each may have products, and so kernels with stages."""
        machine, residence = self.run.clock.machine, timeline.residence
        lent = set[str]() if residence is None else {each.tier for each in residence.transfers}
        others = any(event.resource != self.primary for event, _, _ in timeline.tasks()) or any(
            not machine.devices[name].runs_nothing for name in lent if name in machine.devices
        )
        found = {"devices": others, "moves": residence is not None, "stages": True}
        return frozenset(word for word, used in found.items() if used)

    def _planned(self, without: frozenset[str]) -> _Made:
        words = tuple(word for word in WITHOUT if word in without)
        working(f"a plan without {in_words(words)}")
        try:
            with notes_to(lambda message, place: None):
                module = self.restricted(words)
                timeline = simulate(module, clock_for(module), self.run.entry)
        except NoKernelError:
            return _Made(
                Lacking(words, None, None, f"no product has a kernel of thread blocks on @{self.primary}"), ALL
            )
        except InputError as error:
            return _Made(Lacking(words, None, None, f"nothing runs: {error.message.partition('; ')[0]}"), ALL)
        because = ", ".join(self._clauses(without, module, timeline))
        factor = timeline.makespan_ns / self.ns if self.ns else 1.0
        return _Made(Lacking(words, timeline.makespan_ns, factor, because), self._uses(timeline) - without)

    def _clauses(self, without: frozenset[str], module: ModuleOp, timeline: Timeline) -> Iterator[str]:
        """A clause on a plan that leaves out some decisions."""
        others = {event.resource for event, _, _ in timeline.tasks() if not event.is_copy} - {self.primary}
        if not others:
            yield f"all runs on @{self.primary}"
        elif "moves" in without:
            yield f"what @{self.primary} can't hold runs on {' and '.join(f'@{name}' for name in sorted(others))}"
        if timeline.residence is not None:
            yield f"{size(sum(each.nbytes for each in timeline.residence.transfers))} move between memories"
        if "stages" in without and (slowed := slowdowns(module)):
            yield f"{count(len(slowed), 'product')} take up to {multiple(max(slowed))} as long"
        elif "stages" in without:
            yield f"no product runs on @{self.primary}"


def in_words(without: Sequence[str]) -> str:
    """The decisions that a plan leaves out, in words."""
    return ", ".join(SHOWN[word] for word in without)


HEADS = ("without", "makespan", "factor", "because")
"""The columns of the table of a `Worth`."""


def worth_rows(worth: Worth) -> list[tuple[str, str, str, str]]:
    """The rows of the table of a `Worth`."""
    rows = [("nothing: the plan", time(worth.makespan_ns), multiple(1.0), "")]
    for each in worth.lacking:
        made = "-" if each.makespan_ns is None else time(each.makespan_ns)
        rows.append((in_words(each.without), made, "-" if each.factor is None else multiple(each.factor), each.because))
    return rows


def worth_text(worth: Worth) -> str:
    """The table of a `Worth`."""
    return table(HEADS, worth_rows(worth), left=(0, 3))

"""Plans of the policy `optimal` and forms of `choose-form`, noted while a program is compiled (`noting`), so that the
same program can be compiled again with one of them (`given`), for a machine with other numbers, for instance, instead
of with a new search."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from lowering.instance.choice import Choice
from lowering.instance.of_program import PlacementProblem
from lowering.instance.problem import Schedule
from lowering.partition.plans.plan import Plan
from lowering.partition.search.outcome import Outcome, Subject


class Way(NamedTuple):
    """One way to run a task on its device: the time in ns, and the attributes that select this way on a task."""

    ns: float
    notes: Mapping[str, Attribute]


@dataclass(frozen=True)
class Tried:
    """Plans of a function that were timed, the shortest one first. `function`: a copy of the function before it was
    placed; `laid`: as in `Subject`. The steps of the plans refer to the ops of these. `ways`: how devices run some
    tasks of the first plan, each by the numbers of its node and of its part of the node's choice."""

    function: FuncOp
    laid: FuncOp
    outcomes: tuple[Outcome, ...]
    ways: Mapping[tuple[int, int], Way] = field(default_factory=dict[tuple[int, int], Way])

    def carried_out(self, problem: PlacementProblem) -> tuple[PlacementProblem, Schedule]:
        """The first plan, carried out on an equal function; returns the placement problem of the function, which may
        be rewritten, and the schedule."""
        outcome, subject = self.outcomes[0], Subject(problem.function, problem.clock, problem.options)
        if outcome.plan is None:
            schedule = outcome.on(problem)
        else:
            problem.drop()
            source, target = (self.laid, subject.laid) if outcome.laid else (self.function, subject.function)
            plan = Plan(outcome.plan.name, tuple(outcome.plan.on(source, target)))
            problem, schedule = subject.carry_out(replace(outcome, plan=plan))
        placement = [self._in_ways(problem, node, choice) for node, choice in enumerate(schedule.placement)]
        return problem, replace(schedule, placement=placement)

    def _in_ways(self, problem: PlacementProblem, number: int, choice: Choice) -> Choice:
        """A choice of a node whose tasks run in the `ways` that are given for them; it replaces the choice among those
        of the node."""
        parts = list(choice.parts)
        for place, part in enumerate(parts):
            if (way := self.ways.get((number, place))) is not None:
                cost = part.cost.took(way.ns, part.cost.bound)
                parts[place] = replace(part, cost=cost, notes={**part.notes, **way.notes})
        if parts == list(choice.parts):
            return choice
        other, node = replace(choice, parts=tuple(parts)), problem.nodes[number]
        choices = tuple(other if each is choice else each for each in node.choices)
        problem.nodes[number] = replace(node, choices=choices)
        return other


@dataclass
class Decisions:
    """The decisions on a program: `form`, the name of its form, empty if there was no choice, None if it is one that
    was made because memory is short, and can't be given; `tried`, the plans of each function, by name; `several`:
    functions that were placed more than once, in parts or on several machines, for which no single plan decides."""

    form: str | None = ""
    tried: dict[str, Tried] = field(default_factory=dict[str, Tried])
    several: set[str] = field(default_factory=set[str])


_NOTED: ContextVar[Decisions | None] = ContextVar("_NOTED", default=None)
_GIVEN: ContextVar[Decisions | None] = ContextVar("_GIVEN", default=None)


@contextmanager
def noting() -> Generator[Decisions]:
    """A context in which decisions are noted."""
    token = _NOTED.set(found := Decisions())
    try:
        yield found
    finally:
        _NOTED.reset(token)


@contextmanager
def given(form: str, tried: Mapping[str, Tried]) -> Generator[None]:
    """A context in which programs are compiled in a form and with plans that were noted for them."""
    token = _GIVEN.set(Decisions(form, dict(tried)))
    try:
        yield
    finally:
        _GIVEN.reset(token)


def note_form(form: str | None) -> None:
    """Note the form of a program, None for one that can't be given."""
    if (found := _NOTED.get()) is not None:
        found.form = form


def note_tried(subject: Subject, outcomes: Iterable[Outcome]) -> None:
    """Note the plans of a function that was not yet rewritten."""
    if (found := _NOTED.get()) is None:
        return
    function = subject.function
    name, copy = function.sym_name.data, function.clone()
    if name in found.tried:
        found.several.add(name)
    ranked = sorted(outcomes, key=lambda outcome: outcome.ns)
    laid = subject.laid if any(outcome.laid for outcome in ranked) else function

    def moved(outcome: Outcome) -> Outcome:
        if outcome.plan is None or (outcome.laid and laid is not function):
            return outcome
        return replace(outcome, plan=Plan(outcome.plan.name, tuple(outcome.plan.on(function, copy))))

    found.tried[name] = Tried(copy, copy if laid is function else laid, tuple(map(moved, ranked)))


def given_form() -> str | None:
    """The name of the form in which the program is to be compiled; None if none is given."""
    found = _GIVEN.get()
    return None if found is None else found.form


def given_for(function: FuncOp) -> Tried | None:
    """The plans with which a function is to be compiled; None if none is given."""
    found = _GIVEN.get()
    return None if found is None else found.tried.get(function.sym_name.data)

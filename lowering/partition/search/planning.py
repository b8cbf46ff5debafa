"""The search of the policy `optimal` for the plan of least makespan: devices, order, splits and pipeline stages.

1. Starts: the best placement and order of unpartitioned ops (lowering/optimise/search/optimal.py; with the least
   effort small.py), and the plans of all rules, among them those of plugins and PIMFlow's in each mode. With the least
   effort the best of these is the result, and PIMFlow's plan is carried out only if its lower bound is below the best
   plan (lowering/partition/pimflow/bound.py).
2. Improvement: to the best plan with splits, and to the best one without, equal splits and pipelines are added that
   take the least time by themselves (lowering/partition/search/parts.py), or are taken back; other ops are moved.
3. With the most effort, splits and pipelines become alternatives in the placement problem, and one search decides on
   all of them together with devices and order (lowering/partition/search/together.py); its best plan is improved, too.

Each plan is carried out on a copy of the program, and timed as a whole, in program order and in the orders of the pass
`order`. The shortest one is kept, so none of the starts ends earlier than the result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from math import factorial, inf
from typing import Literal, NamedTuple, TypeAlias

from dialects.diagnostics import InputError, note, notes_to, working
from dialects.launching import LaunchingOp
from interp.figures import time
from interp.simulate.events.jobs import Bound
from lowering.instance.of_program import PlacementProblem
from lowering.instance.options import MODES, PimflowOptions
from lowering.instance.problem import Schedule
from lowering.limits import LIMITS
from lowering.optimise.overlap.kernels import can_offload
from lowering.optimise.policies import BESIDE, POLICIES, checked
from lowering.optimise.quick.heuristics import quick
from lowering.optimise.search.optimal import optimise
from lowering.optimise.search.small import place_small
from lowering.partition.certificate import certificate
from lowering.partition.pimflow.bound import least_makespan
from lowering.partition.plans.part_costs import linked_pims, plans_for
from lowering.partition.plans.plan import Plan, PlanStep
from lowering.partition.plans.simulated import as_marked
from lowering.partition.search.decided import given_for, note_tried
from lowering.partition.search.outcome import Outcome, Subject, improved_by_moves, outcome_of
from lowering.partition.search.parts import parts_of
from lowering.partition.search.together import together
from lowering.solve.climbing import Budget, improve
from lowering.solve.stopping import is_asked, is_over, until_after

PRIORITY_LISTS = 720
"""Priority lists of devices that are tried: all lists of up to six devices; of more devices, one list for each
device in the first place."""

Group: TypeAlias = "tuple[PlanStep, ...]"
"""Splits, or pipelines, of equal ops in equal form."""
Move: TypeAlias = 'Group | Literal["move ops"]'


class Planned(NamedTuple):
    """A decision: the placement problem of the function, which may have been rewritten, and the schedule.
    `split_bound`: a lower bound on the makespan of every plan, with splits; None if none is known."""

    problem: PlacementProblem
    schedule: Schedule
    split_bound: Bound | None = None


def place_optimal(problem: PlacementProblem) -> Planned:
    """The plan of least makespan that the effort of the problem's options finds; its function is rewritten by the
    plan's splits and pipelines. If a plan is given (decided.py), that plan."""
    if (given := given_for(problem.function)) is not None:
        return Planned(*given.carried_out(problem))
    if problem.options.effort == 1 and not can_offload(problem):
        schedule = place_small(problem)
        found = outcome_of("rules and moves", problem, schedule)
        note_tried(Subject(problem.function, problem.clock, problem.options), filter(None, [found]))
        return Planned(problem, schedule)
    search = PlanSearch(problem)
    search.run()
    note_tried(search.subject, search.found)
    return search.decision()


class PlanSearch:
    """The complete plans of one function that were tried so far."""

    def __init__(self, problem: PlacementProblem) -> None:
        self.problem, self.options = problem, problem.options
        self.subject = Subject(problem.function, problem.clock, problem.options)
        self.budget = Budget(LIMITS.plans * self.options.long, until_after(self.options.limit))
        self.found: list[Outcome] = []
        self.tried: dict[frozenset[PlanStep], Outcome | None] = {}
        """The sets of splits and pipelines that `improve` tried, each with its plan."""
        self.launched = any(isinstance(node.op, LaunchingOp) for node in problem.nodes)
        self.can_split = not self.launched and plans_for(problem.clock)
        proves = self.can_split and self.options.effort > 1
        self.split_bound = certificate(problem.function, problem.clock) if proves else None
        self.bound: Bound | None = None
        """A lower bound on the makespan of all placements of unpartitioned ops."""

    def run(self) -> None:
        """Find plans."""
        self.keep(self.unpartitioned())  # first: of equal plans, it may have another order than that of the program
        for outcome in self.rules() if not self.proved else ():
            self.keep(outcome)
            if self.found and is_asked():
                break
        if self.options.effort > 1:
            self.search_splits()

    def search_splits(self) -> None:
        """Try plans with splits and pipelines, from the best plans so far."""
        if not self.launched and self.subject.laid is not self.subject.function and not is_over(self.budget.until):
            self.keep(self.subject.outcome("whole ops", Plan("whole ops", ()), False, optimise))
        if self.can_split and not self.done:
            parts = Plan("parts", parts_of(self.subject.times(self.subject.function)))
            for start in self.finalists():
                self.improve(start, parts)
            if self.options.effort > 2 and not self.done:
                for outcome in together(self.subject, lambda: self.done):
                    self.keep(outcome)
                for start in filter(lambda outcome: outcome.laid, self.finalists()):  # of `together`
                    self.improve(start, parts)

    def decision(self) -> Planned:
        """The shortest plan that is found, carried out on the function. If none fits memory, unpartitioned ops are
        placed by rules."""
        if not self.found:
            return Planned(self.problem, Schedule(quick(self.problem)), self.split_bound)
        best = self.best
        if best.plan is None:
            plain = not best.schedule.streams and not best.schedule.input_devices
            return Planned(self.problem, best.on(self.problem, self.bound if plain else None), self.split_bound)
        self.problem.drop()
        return Planned(*self.subject.carry_out(best), self.split_bound)

    @property
    def best(self) -> Outcome:
        """The shortest plan so far; the first of equal ones."""
        return min(self.found, key=lambda outcome: outcome.ns)

    @property
    def proved(self) -> bool:
        """True if no plan can be shorter."""
        bound = self.split_bound if self.can_split else self.bound
        return bool(self.found) and bound is not None and self.best.ns <= bound.ns * (1 + LIMITS.rounding)

    @property
    def done(self) -> bool:
        """True if no time or work is left, or if no plan can be shorter by more than the gap that the options allow."""
        if self.budget.spent:
            return True
        bound = self.split_bound if self.can_split else self.bound
        return bool(self.found) and bound is not None and self.best.ns <= bound.ns * (1 + self.options.gap)

    def keep(self, outcome: Outcome | None) -> None:
        """Keep a plan that fits memory; None for one that does not or that can't be made. Each is counted."""
        self.budget.spend()
        if outcome is not None:
            if not self.found or outcome.ns < self.best.ns:
                working(f"best so far {time(outcome.ns)}, by {outcome.name}")
            self.found.append(outcome)

    def rules(self) -> Iterator[Outcome | None]:
        """The plans of all rules for the unmodified program: those of each registered policy, of `priority` for each
        list of devices, and of PIMFlow in each mode; with the least effort in its default mode, which takes seconds.
        Of equal schedules one is timed."""
        problem = self.problem
        met: set[Hashable] = set()
        for name in POLICIES:
            if name in BESIDE and not can_offload(problem):
                continue
            for devices in _lists(problem) if name == "priority" else ((),):
                schedule = self._decided(name, devices)
                if schedule is None:
                    continue
                key = (*schedule.placement, schedule.order, schedule.waits, schedule.streams, *schedule.input_devices)
                if key not in met:
                    met.add(key)
                    yield self.subject.as_is(name, problem, schedule)
        if linked_pims(problem.clock) and self.can_split:
            for mode in MODES if self.options.effort > 1 else (PimflowOptions.mode,):
                working(f"PIMFlow's plan, mode {mode}")
                if self.options.effort == 1 and self._is_longer(mode):
                    yield None
                    continue
                tried = (self.subject.outcome(mode, plan, False, as_marked) for plan in self.subject.pimflow(mode))
                yield next((outcome for outcome in tried if outcome is not None), None)

    def _is_longer(self, mode: str) -> bool:
        """True if PIMFlow's plan in a mode is certain to be no shorter than the best plan, so that it is not needed
        as a result."""
        function, clock = self.subject.function, self.subject.clock
        plan = next(self.subject.pimflow(mode))
        return bool(self.found) and least_makespan(function, clock, plan, self.problem.room) >= self.best.ns

    def _decided(self, name: str, devices: tuple[str, ...]) -> Schedule | None:
        """The schedule that a rule decides on; None, with a note, if it raises an error: the user did not name it."""
        working(f"policy {name}")
        problem = self.problem
        problem.options = replace(self.options, devices=devices)
        try:
            with notes_to(lambda message, place: None):
                return checked(problem, problem.decided(name, POLICIES[name]), name, problem.function)
        except InputError as error:
            note(f"policy {name} is skipped: {error}", problem.function)
            return None
        except Exception as error:
            note(f"policy {name} is skipped: it fails ({type(error).__name__}: {error})", problem.function)
            return None
        finally:
            problem.options = self.options

    def unpartitioned(self) -> Outcome | None:
        """The best placement and order of unpartitioned ops. If ops can be split, half of a limit in seconds is left
        for that."""
        working("placements of unpartitioned ops")
        if self.options.effort == 1:
            schedule = self.problem.decided("small", place_small)
            self.bound = schedule.bound
            return self.subject.as_is("rules and moves", self.problem, schedule)
        self.problem.options = replace(self.options, limit=self.options.limit / (2 if self.can_split else 1))
        schedule = optimise(self.problem)
        self.problem.options = self.options
        self.bound = schedule.bound
        return self.subject.as_is("search", self.problem, schedule)

    def finalists(self) -> list[Outcome]:
        """The best plan with splits and the best one without, the shorter one first."""
        kinds: dict[bool, Outcome] = {}
        for outcome in sorted(self.found, key=lambda outcome: outcome.ns):
            kinds.setdefault(outcome.cut, outcome)
        return list(kinds.values())

    def improve(self, start: Outcome, parts: Plan) -> Outcome:
        """The plan after groups of equal splits or pipelines of `parts` are added or taken back, those that save the
        most time first; with the most effort also after moves of ops; as long as that shortens the program."""
        groups = self._groups(parts)

        def moves(outcome: Outcome) -> Iterator[Move]:
            if self.options.effort > 2:
                yield "move ops"
            yield from groups if not outcome.laid else ()

        def better(outcome: Outcome, move: Move) -> Outcome | None:
            if self.done:
                return None
            if move == "move ops":
                trial = self.subject.again(outcome.name, outcome, improved_by_moves, LIMITS.whole_effort)
                self.keep(trial)
            else:
                plan = toggled(outcome.plan or Plan("", ()), move)
                steps = frozenset(plan.steps)
                if steps not in self.tried:
                    working(f"{outcome.name}, with {len(plan.steps)} splits and pipelines")
                    trial = self.subject.outcome("splits and pipelines added or removed", plan, False, _improved)
                    self.tried[steps] = trial
                    self.keep(trial)
                trial = self.tried[steps]
            return trial if trial is not None and trial.ns < outcome.ns * (1 - LIMITS.rounding) else None

        return improve(start, moves, better, self.budget, passes=1 if self.options.effort < 3 else inf)

    def _groups(self, parts: Plan) -> list[Group]:
        """The splits and pipelines of a plan in groups of equal ones, those that save the most time first."""
        groups: dict[Hashable, list[PlanStep]] = defaultdict(list)
        clock, times = self.subject.clock, self.subject.times(self.subject.function)
        for step in parts.cuts.steps:
            groups[times.signature(step.ops)].append(step)
        here = clock.machine.primary
        saved = {
            key: sum(clock.op_cost(op, here).ns for step in steps for op in step.ops) - sum(step.ns for step in steps)
            for key, steps in groups.items()
        }
        return [tuple(groups[key]) for key in sorted(groups, key=lambda key: -saved[key])]


def toggled(plan: Plan, group: Sequence[PlanStep]) -> Plan:
    """The splits and pipelines of a plan without those of a group, if it has all of them; otherwise with them, in place
    of those that share an op with them."""
    steps, mine = plan.cuts.steps, {op for step in group for op in step.ops}
    kept = tuple(step for step in steps if mine.isdisjoint(step.ops))
    return Plan(plan.name, kept if set(group) <= set(steps) else (*kept, *group))


def _improved(problem: PlacementProblem) -> Schedule:
    """The schedule after moving ops that no split or pipeline places, as long as that shortens the makespan."""
    return improved_by_moves(problem, as_marked(problem))


def _lists(problem: PlacementProblem) -> Iterator[tuple[str, ...]]:
    """Lists of devices for `priority`: all of them or, if these are too many, one for each device."""
    devices = problem.workers
    if factorial(len(devices)) <= PRIORITY_LISTS:
        yield from permutations(devices)
    else:
        yield from ((device,) for device in devices)

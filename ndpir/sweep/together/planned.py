"""Points of a sweep that differ only in timing parameters of PIMs, planned and timed together.

Some points are planned alone, by all rules. Their plans, and those that local search finds for some more points, are
timed for all points, with the fastest bank program of each task at each point; then they are changed wherever that is
better for some point (lowering/many/closure.py). Each point gets the plan that is the best one there.

A program is written for each plan, for the first of its points, and all figures of this program must equal those that
are computed for all points together; otherwise the points of this plan are left to be planned alone. `Planned.written`
writes the program of any point.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dialects.task.entries import figure_attr
from interp.kinds.clock import Clock
from interp.machine.composition import Machine
from interp.machine.device import Device
from interp.simulate.events.jobs import Job
from interp.simulate.schedule.many import is_plain, totals_of_many
from interp.simulate.schedule.routes import Copy
from interp.walk.unchanged import unchanged
from lowering.banks.templates import PimTemplates
from lowering.instance.of_program import PlacementProblem
from lowering.limits import LIMITS
from lowering.many.bound import bounds_below
from lowering.many.closure import Closure
from lowering.many.space import Lanes, Plan, Space, VariedCosts
from lowering.partition.search.decided import Tried, given, noting
from ndpir.reports.columns import Figure, row_of
from ndpir.reports.run import Run
from ndpir.reports.summary import summary_answer
from ndpir.sweep.structures import Structure, Table
from ndpir.sweep.together.batch import Apart, columns_of, varied_devices

FEWEST = 64
"""The number of points below which each is planned alone."""
SAMPLED = 2
"""The number of points that are planned alone, by all rules."""
ROUND = 8
"""The number of points for which local search finds further plans at once; there is a further round as long as the last
one found a better plan for some point."""
MACHINE_READERS = {"choose-form", "order", "prefetch", "to-pim", "to-ndp", "forward-stores", "number-values"}
"""Passes besides `place` that may read the machine if points are planned together: the form of the program is part of a
plan, and the others carry it out."""
BOUND = "placement_bound_ns"


def plans_together(steps: Sequence[ModulePass]) -> bool:
    """True if the points of a sweep with these passes can be planned together: if the passes plan once, with the policy
    `optimal` and the least effort, and no other pass decides by the machine's numbers."""
    from lowering.place.place import PlacePass

    readers = [step for step in steps if getattr(step, "NEEDS_MACHINE", False)]
    places = [step for step in readers if isinstance(step, PlacePass)]
    others = {step.name for step in readers if step not in places}
    return places == [PlacePass(policy="optimal", effort=1)] and others <= MACHINE_READERS


class Sample(NamedTuple):
    """A point that is planned alone: the name of its form, the plans that were timed, and its makespan in ns."""

    form: str
    tried: Tried
    makespan: float


@dataclass(frozen=True)
class Group:
    """Points with the same plan, and with devices of equal idle power, on which the baseline's energy depends. `lanes`:
    their positions."""

    plan: Plan
    lanes: Lanes


class Planned:
    """The points of a structure, planned together.

    `figures`: the figures of the point at a position, planned alone, None if it fails; `compiled`: its program. Both
    plan as `given`, in that context.
    """

    def __init__(
        self,
        structure: Structure,
        figures: Callable[[int], Mapping[str, Figure] | None],
        compiled: Callable[[int], ModuleOp],
    ) -> None:
        """Plan the points. Raises Apart if they must be planned alone."""
        self.structure, self.figures, self.compiled = structure, figures, compiled
        last = len(structure.points) - 1
        found = ((at, self._sampled(at)) for at in dict.fromkeys((last, 0, last // 2)))
        base, sample = next(((at, sample) for at, sample in found if sample is not None), (0, None))
        if sample is None:
            raise Apart
        self.name = sample.tried.function.sym_name.data
        with given(sample.form, {self.name: sample.tried}):
            run = Run(compiled(base))
        clock = run.clock
        if clock.machine.guests or not is_plain(run.timeline, clock):
            raise Apart
        self.devices, self.usable = varied_devices(run.module, clock.machine, *structure.settings())
        if not self.devices:
            raise Apart
        self.makespans = {base: sample.makespan}
        """The makespan in ns of each point that was planned alone, by its position."""
        self._plan(sample, clock)

    def _sampled(self, at: int) -> Sample | None:
        """A point, planned alone; None if it fails. Raises Apart if no single form and plan decide on it."""
        with noting() as found:
            figures = self.figures(at)
        if figures is None:
            return None
        if found.form is None or found.several or len(found.tried) != 1:
            raise Apart
        makespan = figures["makespan_ns"]
        assert isinstance(makespan, float)
        [tried] = found.tried.values()
        return Sample(found.form, tried, makespan)

    def _plan(self, first: Sample, clock: Clock) -> None:
        templates = PimTemplates.of(ModuleOp([first.tried.function.clone()]))
        least = {name: self._least(name, device) for name, device in clock.machine.devices.items()}
        self.clock = Clock(Machine(least, clock.machine.links, {}), templates)
        self.costs = VariedCosts([self.clock, Clock(clock.machine, templates)], self.devices)
        looked = [number for number, at in enumerate(self.costs.looked.tolist()) if self.usable[at]]
        self.spaces: dict[tuple[str, object], Space] = {}
        self.forms: dict[Space, str] = {}
        starts = self._starts(first)
        others = [at for at in self.costs.looked[looked].tolist() if at not in self.makespans]
        for at in others[: SAMPLED - 1]:
            if (sample := self._sampled(at)) is not None:
                self.makespans[at] = sample.makespan
                starts += self._starts(sample)
        if not any(space.tried.outcomes[0].plan is None for space in self.spaces.values()):
            raise Apart
        self.closure = Closure(len(self.usable))
        with unchanged():  # from here on: samples are compiled, and plans carried out, before
            self._close(starts, looked)
        self.usable &= np.isfinite(self.closure.ns)
        if any(self.closure.ns[at] > ns * (1 + LIMITS.rounding) for at, ns in self.makespans.items()):
            raise Apart

    def _close(self, starts: Sequence[Plan], looked: Sequence[int]) -> None:
        """Find the best plan of each point. `looked`: the positions in `VariedCosts.looked` of valid points."""
        whole = [space for space in self.spaces.values() if space.tried.outcomes[0].plan is None]
        for start in range(0, len(looked), ROUND):
            before = self.closure.ns.copy()
            found = [space.searched(at) for space in whole for at in looked[start : start + ROUND]]
            self.closure.close((*starts, *found) if not start else found)
            if start and not (self.closure.ns < before).any():
                break
        self.closure.replace(lambda plan, lane: plan.space.with_states(plan, lane))

    def _least(self, name: str, device: Device) -> Device:
        return self.devices[name].fastest if name in self.devices else device

    def _starts(self, sample: Sample) -> list[Plan]:
        """The plans that were timed for a point that was planned alone. Raises Apart if the best of them can't be
        timed for many points at once."""
        found: list[Plan] = []
        tried = sample.tried
        for number, outcome in enumerate(tried.outcomes):
            schedule = outcome.schedule
            if schedule.streams or schedule.waits or schedule.input_devices:
                if not number:
                    raise Apart
                continue
            key = sample.form, None if outcome.plan is None else id(outcome)
            if key not in self.spaces:
                alone = replace(tried, outcomes=(outcome,))
                problem, _ = alone.carried_out(PlacementProblem(tried.function.clone(), self.clock))
                self.spaces[key] = Space(alone, problem, self.costs)
                self.forms[self.spaces[key]] = sample.form
            space = self.spaces[key]
            found.append(space.plan(outcome.on(space.problem)))
        return found

    @cached_property
    def groups(self) -> list[Group]:
        """The points by plan."""
        idle = np.array([each.idle_w for each in self.devices.values()])
        found: list[Group] = []
        for plan, lanes in self.closure.groups():
            lanes = lanes[self.usable[lanes]]
            if len(lanes):
                number = np.unique(idle[:, lanes], axis=1, return_inverse=True)[1].reshape(-1)
                found += [Group(plan, lanes[number == each]) for each in np.unique(number)]
        return found

    def written(self, plan: Plan, at: int) -> ModuleOp:
        """The program of a point after all passes, with a plan."""
        with self._given(plan, at):
            return self.compiled(at)

    @contextmanager
    def _given(self, plan: Plan, at: int) -> Generator[None]:
        with given(self.forms[plan.space], {self.name: plan.at(at)}):
            yield

    def tables(self) -> Iterator[tuple[Table, Lanes]]:
        """The figures of points with equal plans, and the positions of these points."""
        for group in self.groups:
            if (table := self._table(group)) is not None:
                yield table, group.lanes

    def _table(self, group: Group) -> Table | None:
        """The figures of a group; None if they differ from those of the program of its first point."""
        plan, lanes = group.plan, group.lanes
        run = Run(self.written(plan, int(lanes[0])))
        shared = row_of(summary_answer(run, depends=False))
        timeline, clock = run.timeline, run.clock
        numbers = _numbers([event.job for event in timeline.events], plan.jobs)
        if numbers is None or not is_plain(timeline, clock):
            return None
        if shared["contention_ns"] is not None or shared["opaque_share"]:
            return None
        ns, nj, board = (np.empty((len(numbers), len(lanes))) for _ in range(3))
        for number, event in enumerate(timeline.events):
            step = plan.steps[numbers[number]]
            ns[number], nj[number], board[number] = event.cost.ns, event.cost.energy_nj, event.cost.board_nj
            if not isinstance(step, Copy) and (found := plan.space.fastest(step)) is not None:
                ns[number], nj[number], board[number] = found.ns[lanes], found.energy_nj[lanes], found.energy_nj[lanes]
        idle_w = {name: each.idle_w[lanes] for name, each in self.devices.items()}
        totals = totals_of_many(timeline, clock, ns, nj, board, idle_w)
        columns = columns_of(totals)
        baseline = run.baseline[0]
        if baseline is not None:
            columns["speed_up"] = baseline.ns / totals.makespan_ns
            columns["rel_energy"] = totals.energy_nj / baseline.nj
        if timeline.metered:
            columns["board_nj"] = totals.board_nj
            if baseline is not None and baseline.board_nj > 0:
                columns["rel_board"] = totals.board_nj / baseline.board_nj
        if any(shared[name] != float(each[0]) for name, each in columns.items()):
            return None
        if shared[BOUND] is not None:
            bound = bounds_below(plan.space, lanes, totals.makespan_ns)
            columns[BOUND] = np.array([figure_attr(each).value.data for each in bound.tolist()])  # as programs state it
        return Table(dict(shared), columns)


def _numbers(jobs: Sequence[Job], planned: Sequence[Job]) -> list[int] | None:
    """For each job of a timeline the number of the planned job that it is. The two sequences may differ in the order of
    jobs on different devices and links, which run at the same time; None if they differ in anything else."""
    places: dict[str, list[int]] = {}
    for number, job in enumerate(planned):
        places.setdefault(job.resource, []).append(number)
    waiting = {name: iter(numbers) for name, numbers in places.items()}
    found = [next(waiting.get(job.resource, iter(())), -1) for job in jobs]
    if sorted(found) != list(range(len(planned))):
        return None
    for job, number in zip(jobs, found, strict=True):
        other = planned[number]
        if {found[each] for each in job.after} != {*other.after} or job.streams or other.streams:
            return None
    return found

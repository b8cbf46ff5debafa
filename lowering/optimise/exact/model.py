"""A placement problem as a model of CP-SAT: variables for the runs of choices that are taken, each node being covered
by one of these runs, and for the start of each task and copy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from interp.simulate.events.jobs import Job
from interp.simulate.schedule.routes import Copy
from lowering.optimise.exact.space import ChoiceRun, ExactSpace, RunTask, Work
from lowering.solve.integer import Domain, Integer, Interval, Linear, Literal, Relation, weighted
from lowering.solve.integer import Model as IntegerModel

Time = Linear


class Model:
    """A model of all schedules of a space that end by `most` units, with the makespan as the objective.

    Tasks and copies are optional intervals; those of one device, of one direction of a link and of one exclusive
    resource don't overlap. A node each of whose choices is a single task has one start variable for all choices. Tasks
    start when their operands are made and, if on another device, have been copied; a copy is present if and only if
    some consumer needs it.
    """

    def __init__(self, space: ExactSpace, most: int) -> None:
        self.space, self.most = space, most
        self.model = model = IntegerModel()
        self.makespan = model.new_int_var(0, most, "makespan")
        self.taken: list[Literal] = [self._may(run) for run in space.runs]
        for runs in space.covers:
            model.add_exactly_one(self.taken[run] for run in runs)
        self.begin: dict[Work, Integer] = {}
        self.end: dict[Work, Time] = {}
        self.present: dict[Copy, Literal] = {}
        self.made: dict[int, Time] = {}
        self.shared: set[int] = set()
        """Nodes with one start for all of their choices."""
        self.lanes: dict[str, list[tuple[Work, Interval]]] = defaultdict(list)
        """The intervals of each device and direction of a link."""
        self._where: dict[tuple[int, str], Literal] = {}
        self._wanted: dict[tuple[int, str], Literal] = {}
        self._tasks()
        for value in space.values():
            self._make(value)
        for hop in space.copies:
            self._copy(hop)
        for hop in space.copies:
            self._relayed(hop)
        for run in space.runs:
            for task in space.tasks(run.index):
                self._read(run, task)
        self._rest()
        model.minimize(self.makespan)

    def when(self, literals: Sequence[Literal], relation: Relation | bool) -> None:
        """Add a relation as a constraint that applies if all the literals are true."""
        self.model.add(relation).only_enforce_if(*literals)  # pyright: ignore[reportUnknownMemberType]

    def _may(self, run: ChoiceRun) -> Literal:
        """A new literal that is true if a run is part of the schedule; fixed to false if the run can't end in time."""
        space = self.space
        least = max(
            (space.heads[task] + space.units[task] + space.tails[task] for task in space.tasks(run.index)),
            default=0,
        )
        taken = self.model.new_bool_var("")
        if least > self.most:
            self.model.add(taken == 0)
        return taken

    def _tasks(self) -> None:
        for node, runs in enumerate(self.space.covers):
            alone = [self.space.runs[run] for run in runs]
            if all(len(run.nodes) == 1 and len(run.choice.parts) == 1 for run in alone):
                self.shared.add(node)
                self._node([RunTask(run, 0) for run in runs])
        for task in self.space.parts:
            if task not in self.begin:
                self._task(task)

    def _node(self, tasks: list[RunTask]) -> None:
        """Add a node of which each choice is one task: one start variable and one end variable for all choices."""
        model, space, most = self.model, self.space, self.most
        heads = [min(space.heads[task], most) for task in tasks]
        tails = [min(space.tails[task], most) for task in tasks]
        units = [min(space.units[task], most) for task in tasks]
        literals = [self.taken[task.run] for task in tasks]
        begin = end = model.new_int_var(min(heads), most, "")
        model.add(begin >= weighted(literals, heads))
        if any(units):
            end = model.new_int_var(min(min(heads) + min(units), most), most, "")
            model.add(end == begin + weighted(literals, units))
        model.add(self.makespan >= end + weighted(literals, tails))
        for task, ns in zip(tasks, units, strict=True):
            self.begin[task], self.end[task] = begin, end
            if not space.parts[task].view:
                interval = model.new_optional_interval_var(begin, ns, end, self.taken[task.run], "")
                self.lanes[space.parts[task].device].append((task, interval))

    def _task(self, task: RunTask) -> None:
        """Add a task that has its own start variable."""
        model, space, literal, most = self.model, self.space, self.taken[task.run], self.most
        head, tail, ns = (min(each[task], most) for each in (space.heads, space.tails, space.units))
        begin = model.new_int_var(0, most, "")
        self.begin[task], self.end[task] = begin, begin + ns
        self.when([literal], begin >= head)
        self.when([literal], self.makespan >= begin + ns + tail)
        if not space.parts[task].view:
            interval = model.new_optional_fixed_size_interval_var(begin, ns, literal, "")
            self.lanes[space.parts[task].device].append((task, interval))

    def _make(self, value: int) -> None:
        """Add the variable of the time at which a value is made."""
        writers = self.space.writers.get(value, ())
        if not writers:
            self.made[value] = 0
        elif len({id(self.end[task]) for task in writers}) == 1:
            self.made[value] = self.end[writers[0]]
        else:
            made = self.made[value] = self.model.new_int_var(0, self.most, "")
            for task in writers:
                self.when([self.taken[task.run]], made >= self.end[task])

    def any(self, literals: list[Literal]) -> Literal:
        """A literal that is true if and only if at least one of `literals` is."""
        distinct = list({literal.index: literal for literal in literals}.values())
        if len(distinct) == 1:
            return distinct[0]
        some = self.model.new_bool_var("")
        self.model.add_bool_or([*distinct, some.negated()])
        for literal in distinct:
            self.model.add_implication(literal, some)
        return some

    def source(self, value: int, device: str) -> Literal:
        """A literal that is true if a value is made on a device, or is an input there."""
        key = (value, device)
        if key not in self._where:
            if value in self.space.reached:
                self._where[key] = self.model.new_constant(1)
            else:
                tasks = [task for task in self.space.writers[value] if self.space.parts[task].device == device]
                self._where[key] = self.any([self.taken[task.run] for task in tasks])
        return self._where[key]

    def wanted(self, value: int, device: str) -> Literal:
        """A literal that is true if a value is read on a device, or is a result there."""
        key, space = (value, device), self.space
        if key not in self._wanted:
            if device == space.problem.exit_of(value) and value in space.outputs:
                self._wanted[key] = self.model.new_constant(1)
            else:
                self._wanted[key] = self.any([self.taken[reader.run] for reader in space.readers[value][device]])
        return self._wanted[key]

    def _copy(self, hop: Copy) -> None:
        """Add a copy: present if its value is made on a device from which this copy is taken, and is read on a device
        that it serves."""
        model, space = self.model, self.space
        value = hop.value
        sources, targets = space.copies[hop]
        head, tail, ns = space.copy_head(hop), space.copy_tail(hop), space.units[hop]
        entry_values = self.any([self.source(value, device) for device in sources])
        read_there = self.any([self.wanted(value, device) for device in targets])
        if value in space.reached:
            there = read_there
        elif targets.keys() == {space.problem.exit_of(value)} and value in space.outputs:
            there = entry_values
        else:
            there = model.new_bool_var("")
            model.add_bool_or([entry_values.negated(), read_there.negated(), there])
            model.add_implication(there, entry_values)
            model.add_implication(there, read_there)
        self.present[hop] = there
        if head + ns + tail > self.most:
            model.add(there == 0)
        head, tail = min(head, self.most), min(tail, self.most)
        begin = model.new_int_var(head, self.most, "")
        self.begin[hop], self.end[hop] = begin, begin + ns
        if not isinstance(self.made[value], int):
            model.add(begin >= self.made[value])
        self.when([there], self.makespan >= begin + ns + tail)
        interval = model.new_optional_fixed_size_interval_var(begin, ns, there, "")
        self.lanes[hop.link].append((hop, interval))

    def _relayed(self, hop: Copy) -> None:
        """Add the constraint that the second copy of a value by way of a third memory starts after the first copy."""
        for origin in self.space.copies[hop][0]:
            for before in self.space.problem.copies.way(hop.value, (origin,), hop.source):
                if before in self.space.copies:
                    there = self.present[hop], self.present[before]
                    self.when(there, self.begin[hop] >= self.end[before])

    def _read(self, run: ChoiceRun, task: RunTask) -> None:
        """Add the constraint that a task starts after all its operands are available."""
        space, literal, begin, part = self.space, self.taken[run.index], self.begin[task], self.space.parts[task]
        choices = space.covers[run.position]
        for value in dict.fromkeys(part.reads):
            made = self.made[value]
            if isinstance(made, int):
                pass
            elif run.position in self.shared and all(
                value in space.runs[other].choice.parts[0].reads for other in choices
            ):
                if run.index == choices[0]:
                    self.model.add(begin >= made)
            else:
                self.when([literal], begin >= made)
            for hop in space.arriving[value, part.device]:
                self.when([literal, self.present[hop]], begin >= self.end[hop])
            for writer in space.writers.get(value, ()):
                if space.runs[writer.run].position > run.position:
                    self.model.add_bool_or([literal.negated(), self.taken[writer.run].negated()])

    def _rest(self) -> None:
        """Add the constraints on resources: jobs of one device, one direction of a link or one exclusive resource do
        not overlap, and loads and bandwidths bound the makespan from below."""
        model, space, rules = self.model, self.space, self.space.problem.draws.rules
        locks: dict[str, list[tuple[Work, Interval]]] = defaultdict(list)
        for resource, lane in self.lanes.items():
            for lock in rules.locks.get(resource, ()):
                locks[lock] += [(key, interval) for key, interval in lane if space.ns(key) > 0]
        for lane in (*self.lanes.values(), *locks.values()):
            if len(lane) > 1:
                model.add_no_overlap(interval for _, interval in lane)
        drawn: dict[str, list[tuple[float, Work]]] = defaultdict(list)
        for resource, lane in self.lanes.items():
            for key, _ in lane if resource in rules.bandwidths else ():
                for memory, share in rules.shares(Job(resource, 0.0, draw=self._draw(resource, key))):
                    drawn[memory].append((share, key))
        for lane in (*self.lanes.values(), *locks.values()):
            self._load([(space.units[key], key) for key, _ in lane])
        for lane in drawn.values():
            self._load([(int(share * space.units[key]), key) for share, key in lane])

    def _load(self, lane: list[tuple[int, Work]]) -> None:
        lane = [(units, key) for units, key in lane if units]
        literals = [self.literal(key) for _, key in lane]
        if len(lane) > 1:
            self.model.add(self.makespan >= weighted(literals, [units for units, _ in lane]))

    def _draw(self, resource: str, key: Work) -> float:
        problem = self.space.problem
        if isinstance(key, RunTask):
            return problem.draw(resource, self.space.parts[key].cost, self.space.parts[key].op)
        return problem.copies.draw(key)

    def not_at_once(self, work: Work) -> None:
        """Add the constraint that a task or copy either starts at 0, or starts no earlier than the end of the shortest
        task or copy, since it then waits for another task or copy to end."""
        shortest = min((units for units in self.space.units.values() if units), default=0)
        starts = [[0, 0], [shortest, self.most]] if shortest <= self.most else [[0, 0]]
        if self.space.fine:
            self.model.add_linear_expression_in_domain(self.begin[work], Domain.from_intervals(starts))

    def literal(self, key: Work) -> Literal:
        """The literal that is true if a task or copy is present."""
        return self.taken[key.run] if isinstance(key, RunTask) else self.present[key]

"""The least load of devices and links over all choices of each node: the linear programming relaxation of a placement.

    minimise makespan
    taken    the fractions of each node's choices sum to 1; a choice of several nodes counts for each of them
    copied   a value that a selected choice reads on a device on which it is not made is copied there, over each
             link on the way, once for all consumers on that device
    loads    of each device, link, exclusive resource and bandwidth: at most the makespan
    memory   of each device that is too small: weights of the selected choices, each once: at most its capacity
    chains   if memory is short: times and copies along a long chain of nodes: at most the makespan

The bound is proved from the dual values of its solution (lowering/solve/rows.py).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from interp.machine.memory_system import MemorySystem
from interp.simulate.events.jobs import Bound
from interp.simulate.schedule.routes import Copy
from lowering.bounds.subproblem import NEVER, Subproblem, rows_of, whole_subproblem
from lowering.instance.choice import Alternative, Choice
from lowering.instance.problem import Problem
from lowering.solve.rows import Indices, Rows

SAMPLED = 5000
"""Nodes in the sample on which the multipliers of loads are optimised; the bound is summed up over all nodes."""
COPIES_NODES = 400
"""Nodes of a subproblem up to which its bound includes the load of copies over links."""

Busy: TypeAlias = Mapping[str, float]
"""Resource -> time for which a choice occupies it, in ns."""

Terms: TypeAlias = "list[tuple[int, float]]"
"""Variables of a row, each with its coefficient."""

Needed: TypeAlias = "tuple[int, str, dict[int, list[int]], dict[Copy, None]]"
"""A value, a device on which it may be read, the variables of each consumer's choices that read it there, and the
copies that may bring it there."""


@dataclass
class LoadProgram:
    """The program of loads: minimise `makespan` over variables from 0 to 1, subject to rows `sum of terms <= most`; in
    the rows `loads`, the right side is the makespan. `groups`: sets of variables with sum 1; a variable in several
    groups is listed in `joint` instead, with the numbers of its groups."""

    variables: int = 0
    groups: list[list[int]] = field(default_factory=list[list[int]])
    joint: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    loads: dict[str, Terms] = field(default_factory=lambda: defaultdict[str, Terms](list))
    rows: list[tuple[str, float, Terms]] = field(default_factory=list[tuple[str, float, Terms]])

    def new(self) -> int:
        """Add a variable; returns its number."""
        self.variables += 1
        return self.variables - 1

    def busy(self, variable: int, busy: Iterable[tuple[str, float]]) -> None:
        """Add a variable to rows of `loads`: `busy` has each resource that is occupied if the variable is 1, with the
        time in ns."""
        for name, ns in busy:
            if ns:
                self.loads[name].append((variable, ns))

    def least(self) -> tuple[float, dict[str, float]]:
        """A lower bound on the makespan, in ns, and the multiplier of each load and row with which it is proved."""
        if not self.loads:
            return 0.0, {name: 0.0 for name, _, _ in self.rows if name}
        program, count, unit = self._rows(), len(self.loads), self._unit
        some = self._sampled()
        solved = (program if some is self else some._rows()).solve("vertex")
        duals = np.append(np.full(count, -1.0), np.zeros(program.row_count - count))
        if solved is not None and (solved.duals[:count] < 0).any():
            known = program.row_count if some is self else count
            duals[:known] = solved.duals[:known]
        prices = np.maximum(0.0, -duals) / -duals[:count].clip(max=0.0).sum()
        rows = {
            name: float(price) * unit / _scale(most, terms)
            for price, (name, most, terms) in zip(prices[count:], self.rows, strict=False)
            if name
        }
        weights = dict(zip(self.loads, prices[:count].tolist(), strict=True))
        return program.proven(duals) * unit, weights | rows

    def _sampled(self) -> LoadProgram:
        """This program or, if it has very many groups without common rows, a sample of them: multipliers that are
        optimal for the sample are nearly optimal for all, and any multipliers prove a bound."""
        every = -(-len(self.groups) // SAMPLED)
        if every < 2 or self.rows or self.joint:
            return self
        some = LoadProgram(self.variables, self.groups[::every])
        kept = {variable for group in some.groups for variable in group}
        for name, terms in self.loads.items():
            some.loads[name] = [term for term in terms if term[0] in kept]
        return some

    @property
    def _unit(self) -> float:
        """The solver's unit of times: the longest time of a load, rounded to a power of 2, by which no number is
        rounded."""
        return _power(max((factor for terms in self.loads.values() for _, factor in terms), default=1.0))

    def _rows(self) -> Rows:
        """The program of the solver. Its rows: the loads, then `rows`, then the groups."""
        program = Rows()
        [makespan] = program.columns(1, np.inf, 1.0)
        variables = program.columns(self.variables, 1.0, tight=False)

        def add(rows: Indices, terms: Sequence[Terms], scales: Sequence[float]) -> None:
            numbers = np.repeat(rows, [len(each) for each in terms])
            pairs = np.array([term for each in terms for term in each]).reshape(-1, 2)
            scale = np.repeat(np.array(scales), [len(each) for each in terms])
            program.add(numbers, variables[pairs[:, 0].astype(int)], pairs[:, 1] / scale)

        loads = program.rows(len(self.loads), upper=0.0)
        add(loads, list(self.loads.values()), [self._unit] * len(loads))
        program.add(loads, makespan, -1.0)
        scales = [_scale(most, terms) for _, most, terms in self.rows]
        limits = program.rows(
            len(scales), upper=[most / scale for scale, (_, most, _) in zip(scales, self.rows, strict=True)]
        )
        add(limits, [terms for _, _, terms in self.rows], scales)
        groups = program.choices(len(self.groups))
        members: list[Terms] = [[(variable, 1.0) for variable in group] for group in self.groups]
        for variable, numbers in self.joint.items():
            for number in numbers:
                members[number].append((variable, 1.0))
        add(groups, members, [1.0] * len(groups))
        return program


def _scale(most: float, terms: Terms) -> float:
    """The number by which a row is divided for the solver: about its largest number."""
    return _power(max([abs(most), *(abs(factor) for _, factor in terms)], default=1.0))


def _power(number: float) -> float:
    """The largest power of 2 that is at most as large as a number; 1 for the number 0."""
    return math.ldexp(0.5, math.frexp(number)[1]) if number else 1.0


class Loads(NamedTuple):
    """A lower bound on the makespan in ns, and the multiplier of each resource's load with which the bound is
    proved."""

    ns: float
    weights: dict[str, float]

    @property
    def names(self) -> tuple[str, ...]:
        """The resources whose loads have multipliers above 0.05."""
        return tuple(name for name, weight in self.weights.items() if weight > 0.05)


def least_load(rows: Sequence[Sequence[Busy]]) -> Loads:
    """A lower bound on the load of the busiest resource over all selections of one choice per node."""
    program = LoadProgram()
    for row in rows:
        program.groups.append([program.new() for _ in row])
        for variable, busy in zip(program.groups[-1], row, strict=True):
            program.busy(variable, busy.items())
    return Loads(*program.least()) if program.loads else Loads(0.0, {})


def least_load_of(subproblem: Subproblem, floor: float = 0.0) -> Loads:
    """The least load of a subproblem between its first and last moment. It includes copies if these change it. 0,
    without multipliers, if it can't exceed `floor`."""
    relaxed = Relaxed(subproblem)
    at_once = relaxed.program.loads
    if not relaxed.exceeds(floor):
        return Loads(0.0, {})
    return Loads(*relaxed.program.least()) if at_once else Loads(0.0, {})


class Relaxed:
    """The relaxation of a subproblem as a linear program, with a variable for each choice and each copy."""

    def __init__(self, subproblem: Subproblem) -> None:
        self.subproblem, self.problem = subproblem, subproblem.problem
        self.copies = self.problem.copies
        self.program = LoadProgram()
        self.taken: list[list[int]] = []
        """For each node the variables of its own choices."""
        self.made: dict[int, dict[str, Terms]] = {}
        """For each value and device: the variables of choices that make it, or read it, there; the constant 1 is a
        variable of number -1."""
        self.read: dict[tuple[int, str], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        """For each value and device of consumption, for each consuming node: its variables."""
        self.late: set[int] = set()
        """Values that may have been copied before the first moment."""
        self.hops: dict[str, float] = defaultdict(float)
        """The load of all possible copies."""
        known: dict[int, tuple[str, ...]] = {value: (device,) for value, device in subproblem.entry_values.items()}
        if not subproblem.since:
            known |= {value: (*devices,) for value, devices in self.problem.start().items()}
        for value, devices in known.items():
            self.made[value] = {device: [(-1, 1.0)] for device in devices}
        for place, ways, own in rows_of(subproblem):
            mine: list[int] = []
            members = (*((place,) for _ in range(own)), *subproblem.members.get(place, ()))
            for way, nodes, head, tail in zip(
                ways, members, subproblem.heads[place], subproblem.tails[place], strict=True
            ):
                variable = self.program.new()
                self._way(variable, way, nodes, head, tail)
                if len(mine) < own:
                    mine.append(variable)
                else:
                    self.program.joint[variable] = nodes
            self.taken.append(mine)
        self.program.groups += self.taken
        if subproblem.until is None:
            for value in subproblem.outputs:
                self.read[value, self.problem.exit_of(value)][-1] = [-1]
        self.fastest = self._fastest()

    def _way(
        self, variable: int, way: Alternative, nodes: Sequence[int], heads: Sequence[float], tails: Sequence[float]
    ) -> None:
        inner: dict[int, str] = {}
        brought = set[tuple[int, str]]()  # several tasks of a choice read one copy
        for task, head, tail in zip(way, heads, tails, strict=True):
            counts = head > NEVER and tail > NEVER
            self.program.busy(variable, task.busy if counts else ())
            for value in task.reads:
                if value not in inner:
                    for node in nodes if tail > NEVER else ():
                        readers = self.read[value, task.on][node]
                        if variable not in readers[-1:]:
                            readers.append(variable)
                elif inner[value] != task.on and (value, task.on) not in brought:
                    brought.add((value, task.on))
                    self.made[value].setdefault(task.on, []).append((variable, 1.0))
                    counts = counts and value not in self.late
                    for copy in self.copies.way(value, (inner[value],), task.on) if counts else ():
                        self.program.busy(variable, self.copies.busy(copy))
            for value in task.writes:
                inner[value] = task.on
                self.made.setdefault(value, {}).setdefault(task.on, []).append((variable, 1.0))
                if head == NEVER:
                    self.late.add(value)

    def _fastest(self) -> dict[str, float]:
        """The load of each resource if each node takes its choice with the least time. Without copies, the least load
        is at most the largest of these loads."""
        total: dict[int, float] = defaultdict(float)
        busy: dict[int, list[tuple[str, float]]] = defaultdict(list)
        for name, terms in self.program.loads.items():
            for variable, ns in terms:
                total[variable] += ns
                busy[variable].append((name, ns))
        found: dict[str, float] = defaultdict(float)
        for number, group in enumerate(self.taken):
            able = group or [variable for variable, nodes in self.program.joint.items() if number in nodes]
            for name, ns in busy[min(able, key=lambda variable: total[variable])] if able else ():
                found[name] += ns
        return found

    def exceeds(self, floor: float) -> bool:
        """True if the least load may exceed `floor`; then variables for the copies that affect the load have been added
        to the program."""
        ways = list(self._copies())
        for _, _, _, hops in ways:
            for copy in hops:
                for name, ns in self.copies.busy(copy):
                    self.hops[name] += ns
        most = {name: sum(ns for _, ns in terms) for name, terms in self.program.loads.items()}
        links = {name for name, ns in self.hops.items() if ns + most.get(name, 0.0) > floor}
        if not links and max(self.fastest.values(), default=0.0) <= floor:
            return False
        if len(self.subproblem.ways) <= COPIES_NODES:
            self._add(ways, links)
        return True

    def _copies(self) -> Iterator[Needed]:
        """The values and devices between which copies may be needed."""
        for (value, target), readers in self.read.items():
            if value in self.made and value not in self.late:
                ways = (self.copies.way(value, (source,), target) for source in self.made[value])
                yield value, target, readers, dict.fromkeys(copy for way in ways for copy in way)

    def _add(self, ways: Iterable[Needed], links: set[str]) -> None:
        """Add variables for the copies over some links, and the rows by which a choice that needs a copy sets its
        variable."""
        copied: dict[Copy, int] = {}
        into: dict[tuple[int, str], list[int]] = defaultdict(list)
        for value, target, readers, hops in ways:
            if not any(name in links for copy in hops for name, _ in self.copies.busy(copy)):
                continue
            for copy in hops:
                if copy not in copied:
                    copied[copy] = self.program.new()
                    self.program.busy(copied[copy], self.copies.busy(copy))
                    into[value, copy.target].append(copied[copy])
            there = self.made[value].get(target, [])
            for variables in readers.values():
                self._row(
                    [*((each, 1.0) for each in variables), *((each, -1.0) for each, _ in there)],
                    [(copied[copy], -1.0) for copy in hops if copy.target == target],
                )
        for (value, source, *_), variable in copied.items():  # a copy starts at a device that has its value
            self._row(
                [(variable, 1.0), *((each, -1.0) for each, _ in self.made[value].get(source, []))],
                [(other, -1.0) for other in into[value, source]],
            )

    def _row(self, known: Terms, copies: Terms) -> None:
        """Add a row `known + copies <= 0`. In `known` and `copies`, variable -1 stands for the constant 1."""
        constant = sum(factor for variable, factor in known if variable < 0)
        self.program.rows.append(("", -constant, [*((v, f) for v, f in known if v >= 0), *copies]))


def bound_of_memory(problem: Problem) -> Bound | None:
    """A lower bound on the makespan of placements that fit memory: the least load, together with the least time along
    long chains; None if each device can hold, at once, all values that could be resident there.

    A weight of several nodes is stored once. The chains are the longest chain with each node on its fastest device, and
    the longest chain with each node on its second fastest device; there are none if nodes may run together.
    """
    short = _short(problem)
    if not short:
        return None
    relaxed = Relaxed(whole_subproblem(problem))
    relaxed.exceeds(0.0)
    for name, mine in short.items():
        _hold(relaxed, name, mine)
    chains = dict.fromkeys(tuple(chain) for name in short for chain in _chains(problem, name))
    for number, chain in enumerate(() if problem.regions else chains):
        _follow(relaxed, chain, f"{CHAIN} {number}")
    ns, weights = relaxed.program.least()
    memories = " and of ".join(name for name in short if weights[name] > 0)
    matter = [name.removeprefix("load of ") for name, weight in weights.items() if name not in short and weight > 0.05]
    along = any(name.startswith(CHAIN) for name in matter)
    because = CHAIN if along else "load of " + " and of ".join(matter)
    return Bound(ns, f"{because}, limited by memory of {memories}") if memories else None


def is_short_of_memory(problem: Problem) -> bool:
    """True if some device can't hold, at once, all values that could be resident there."""
    return bool(_short(problem))


def _short(problem: Problem) -> dict[str, Held]:
    """The devices that can't hold, at once, all values that could be resident there; for each device these values."""
    system = MemorySystem.of(problem.clock.machine)
    behind = system and system.dedicated  # overflow of this device's memory is stored there
    devices = [name for name in problem.clock.machine.devices if behind is None or name != behind.device]
    held = {name: _held(problem, name) for name in devices}
    return {name: mine for name, mine in held.items() if sum(size for size, _ in mine.values()) > problem.room[name]}


CHAIN = "longest chain"

Held: TypeAlias = "dict[Hashable, tuple[int, dict[int, list[int]]]]"
"""A value that may be resident on a device: its size in bytes, and for each node the choices that use it there. Regions
count as nodes, with negative numbers."""


def _held(problem: Problem, device: str) -> Held:
    found: Held = {}
    choices = [(node.index, number, choice) for node in problem.nodes for number, choice in enumerate(node.choices)]
    choices += [(~number, 0, region.choice) for number, region in enumerate(problem.regions)]
    for node, number, choice in choices:
        for part in choice.parts if choice else ():
            for resident, nbytes in part.residents if part.device == device else ():
                size, users = found.get(resident, (0, {}))
                mine = users.setdefault(node, [])
                if number not in mine:
                    mine.append(number)
                found[resident] = max(size, nbytes), users
    return found


def _hold(relaxed: Relaxed, device: str, held: Held) -> None:
    """Add the row of a device's memory: the bytes of the resident values of the selected choices, each value counted
    once."""
    program, capacity = relaxed.program, relaxed.problem.room[device]
    regions = relaxed.problem.regions
    ended = sorted(range(len(regions)), key=lambda number: max(regions[number].nodes))
    joint = dict(zip(ended, program.joint, strict=True))
    terms: Terms = []
    for nbytes, users in held.values():
        variables = [
            [relaxed.taken[node][number] for number in numbers] if node >= 0 else [joint[~node]]
            for node, numbers in users.items()
        ]
        if len(variables) > 1:
            there = program.new()
            program.rows += [("", 0.0, [*((each, 1.0) for each in mine), (there, -1.0)]) for mine in variables]
            variables = [[there]]
        terms += [(each, float(nbytes)) for each in variables[0]]
    program.rows.append((device, float(capacity), terms))


def _follow(relaxed: Relaxed, chain: Sequence[ChainNode], name: str) -> None:
    """Add the row of a chain: the sum of the times of its nodes and of the copies between them."""
    problem, program = relaxed.problem, relaxed.program
    terms = program.loads[name]
    before: list[tuple[int, str]] = []
    for place, (index, value) in enumerate(chain):
        node, mine = problem.nodes[index], list[tuple[int, str]]()
        leaves = chain[place + 1].value if place + 1 < len(chain) else None
        into: list[Terms] = [[] for _ in node.choices]
        out: list[Terms] = [[] for _ in before]
        for number, (variable, choice) in enumerate(zip(relaxed.taken[index], node.choices, strict=True)):
            times = _through(problem, choice, value, node.writes)
            assert times is not None, "each node of a chain depends on the previous one"
            terms.append((variable, times[leaves] if leaves is not None else max(times.values())))
            mine.append((variable, _lands(choice, leaves)))
            for source, (_, source_device) in enumerate(before):
                assert value is not None
                targets = {part.device for part in choice.parts if value in part.reads}
                moved = program.new()
                terms.append((moved, min(problem.copies.ns(value, source_device, each) for each in targets)))
                out[source].append((moved, 1.0))
                into[number].append((moved, -1.0))
        for (variable, _), moved in zip(before, out, strict=True):
            program.rows.append(("", 0.0, [*moved, (variable, -1.0)]))
        for (variable, _), moved in zip(mine, into, strict=True):
            if before:
                program.rows.append(("", 0.0, [(variable, 1.0), *moved]))
        before = mine


class ChainNode(NamedTuple):
    """A node of a chain, and the value by which it depends on the previous node; None for the first node."""

    node: int
    value: int | None


def _chains(problem: Problem, device: str) -> list[list[ChainNode]]:
    """The longest chain of nodes if each runs on its fastest device, and the longest chain if each runs on its fastest
    device other than `device`."""
    anywhere = [min(choice.cost.ns for choice in node.choices) for node in problem.nodes]
    elsewhere = [
        min((choice.cost.ns for choice in node.choices if choice.device != device), default=anywhere[node.index])
        for node in problem.nodes
    ]
    return [_longest(problem, anywhere), _longest(problem, elsewhere)]


def _longest(problem: Problem, ns: Sequence[float]) -> list[ChainNode]:
    ends: list[float] = []
    before: list[tuple[int, int] | None] = []
    for node in problem.nodes:
        ways = [(ends[problem.producer[value]], value) for value in node.reads if value in problem.producer]
        ways = [way for way in ways if all(_through(problem, choice, way[1], node.writes) for choice in node.choices)]
        latest, value = max(ways, default=(0.0, -1))
        ends.append(latest + ns[node.index])
        before.append((problem.producer[value], value) if value >= 0 else None)
    chain: list[ChainNode] = []
    at: int | None = max(range(len(ends)), key=lambda node: ends[node], default=None)
    while at is not None:
        entry_values = before[at]
        chain.append(ChainNode(at, entry_values[1] if entry_values else None))
        at = entry_values[0] if entry_values else None
    return chain[::-1]


def _through(problem: Problem, choice: Choice, value: int | None, writes: Sequence[int]) -> dict[int, float] | None:
    """For each value of `writes` that a choice makes, the least time from the arrival of `value` (None: from the start
    of the choice) to its completion; None if some value of `writes` does not depend on `value`."""
    known: dict[int, tuple[float, str]] = {}
    for part in choice.parts:
        waits = [
            known[read][0] + problem.copies.ns(read, known[read][1], part.device)
            for read in part.reads
            if read in known
        ]
        if value is None or value in part.reads:
            waits.append(0.0)
        if waits:
            took = max(waits) + (0.0 if part.view else part.cost.ns)
            known |= dict.fromkeys(part.writes, (took, part.device))
    found = {result: known[result][0] for result in writes if result in known}
    return found if len(found) == len(writes) and writes else None


def _lands(choice: Choice, value: int | None) -> str:
    """The device on which a choice makes a value."""
    return next((part.device for part in choice.parts if value in part.writes), choice.lands)

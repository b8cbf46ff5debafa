"""The search over placements and regions at once, in program order: states of devices, links and values, of which those
are kept that no other beats.

A state after the first n nodes says when each device and link is free, and where and from when on each value lies that
is still read. One with all times no later, and the same values on the same devices, leads to no later end whatever
follows, so the other can go. A node leads on by each of its choices, and to behind a region by each region that begins
with it. With all states kept the search is exact for tasks in program order; where there are more than `WIDTH` at one
node, those are kept that look furthest ahead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from operator import le
from typing import TypeAlias

from lowering.limits import LIMITS
from lowering.placement.choice import Choice, Part
from lowering.placement.problem import Problem, Schedule

Places: TypeAlias = tuple[tuple[int, float], ...]
"""Where a value lies, its source first: (device, from when on)."""


@dataclass(frozen=True, eq=False, slots=True)
class _State:
    """`free`: of each device, link and turn; `values`: those that are still read; `held`: bytes of weights on each
    device; `before` and `took`: how it was reached, with the nodes of the last move."""

    free: tuple[float, ...]
    values: dict[int, Places]
    held: tuple[int, ...]
    before: _State | None = None
    took: tuple[tuple[int, Choice], ...] = ()


@dataclass(frozen=True)
class _Move:
    """What may follow at a node: choices for it or for the nodes of a region, up to before node `end`."""

    nodes: tuple[int, ...]
    choice: Choice
    end: int
    views: tuple[int, ...] = ()
    """Nodes between those of a region that only show something: they stay wherever that lies."""


@dataclass
class JointSearch:
    """Over the placements of one problem, and its regions. `sequence`: the nodes in the order in which they run, if
    that is not the program's."""

    problem: Problem
    width: int = LIMITS.joint_states
    sequence: Sequence[int] = ()
    exact: bool = True
    """Whether no state had to go that another one does not beat."""
    _resource: dict[str, int] = field(default_factory=dict[str, int])
    _routes: dict[tuple[int, int], tuple[tuple[int, int, tuple[int, ...]], ...]] = field(
        default_factory=dict[tuple[int, int], tuple[tuple[int, int, "tuple[int, ...]"], ...]]
    )
    _copies: dict[tuple[int, int, int], float] = field(default_factory=dict["tuple[int, int, int]", float])

    def __post_init__(self) -> None:
        problem = self.problem
        self.devices = problem.devices
        self.home = problem.devices.index(problem.home)
        for device in problem.devices:
            self._number(device)
        self._uses = {device: self._taking(device) for device in problem.devices}
        for a in problem.devices:
            for b in problem.devices:
                if a != b and (a == problem.home or b == problem.home):
                    self._route(self._resource[a], self._resource[b])
        links = problem.clock.machine.links
        for a, b in links:
            self._route(self._resource[a], self._resource[b])
            self._route(self._resource[b], self._resource[a])
        linked = {problem.home}.union(*(link for link in links if problem.home in link))
        self._reached = [self._resource[device] for device in problem.devices if device in linked]
        self.sequence = self.sequence or range(len(problem.nodes))
        self.position = positions(self.sequence)
        self.memory = [record.memory_bytes for record in problem.clock.machine.devices.values()]
        self.last = self._last_reads()

    def placements(self) -> list[tuple[float, list[Choice]]]:
        """The placements that end first, as far as found, each with its end in program order."""
        count, outputs = len(self.problem.nodes), self.problem.outputs
        start = self.problem.start()
        values = {value: tuple((self._resource[device], 0.0) for device in devices) for value, devices in start.items()}
        first = _State((0.0,) * len(self._resource), values, (0,) * len(self.devices))
        reached: list[list[_State]] = [[] for _ in range(count + 1)]
        reached[0] = [first]
        moves = self._moves()
        for index in range(count):
            states, reached[index] = self._kept(reached[index]), []
            for move in moves[index]:
                for state in states:
                    if (following := self._after(state, move)) is not None:
                        reached[move.end].append(following)
        ended = [(self._end(state, outputs), number, state) for number, state in enumerate(reached[-1])]
        ended.sort(key=lambda entry: entry[:2])
        return [(ns, self._placement(state)) for ns, _, state in ended[: LIMITS.joint_ends]]

    def _number(self, resource: str) -> int:
        return self._resource.setdefault(resource, len(self._resource))

    def _taking(self, resource: str) -> tuple[int, ...]:
        """What a job on a resource has for itself."""
        turns = self.problem.draws.rules.turns.get(resource, ())
        return tuple(self._number(each) for each in (resource, *(f"turn {turn}" for turn in turns)))

    def _route(self, source: int, target: int) -> tuple[tuple[int, int, tuple[int, ...]], ...]:
        if (source, target) not in self._routes:
            names = self.devices[source], self.devices[target]
            machine = self.problem.clock.machine
            if self.problem.home in names and names not in machine.links and names[::-1] not in machine.links:
                return ()
            self._routes[source, target] = tuple(
                (self._resource[a], self._resource[b], self._taking(link)) for a, b, link in self.problem.route(*names)
            )
        return self._routes[source, target]

    def _last_reads(self) -> dict[int, int]:
        """The last position in the sequence at which each value is read; a region reads with its last node."""
        until = [self.position[node] for node in range(len(self.sequence))]
        for region in self.problem.regions:
            end = max(self.position[node] for node in region.nodes)
            for node in region.nodes:
                until[node] = max(until[node], end)
        last = {
            value: max(until[node] for node in readers) for value, readers in self.problem.consumers.items() if readers
        }
        return last | dict.fromkeys(self.problem.outputs, len(until))

    def _moves(self) -> list[list[_Move]]:
        """What may be done at each position: the choices of its node, and the regions that begin with it and take all
        nodes up to their last, but for views of other things."""
        nodes = self.problem.nodes
        moves = [
            [_Move((index,), choice, position + 1) for choice in nodes[index].choices]
            for position, index in enumerate(self.sequence)
        ]
        for region in self.problem.regions:
            mine, places = set(region.nodes), [self.position[node] for node in region.nodes]
            made = {value for node in mine for value in nodes[node].writes}
            first, last = min(places), max(places)
            between = tuple(node for node in self.sequence[first : last + 1] if node not in mine)
            if all(nodes[node].view and made.isdisjoint(nodes[node].reads) for node in between):
                moves[first].append(_Move(region.nodes, region.choice, last + 1, between))
        return moves

    def _after(self, state: _State, move: _Move) -> _State | None:
        """What a move leads to; None where its weights do not fit."""
        free, values = list(state.free), dict(state.values)
        took = [(node, move.choice) for node in move.nodes]
        held = list(state.held)
        for index in move.views:
            node = self.problem.nodes[index]
            there = self.devices[values[node.reads[0]][0][0]]
            choice = node.on(there) or node.choices[0]
            took.append((index, choice))
            self._run(choice, free, values, held)
        self._run(move.choice, free, values, held)
        if any(each > most for each, most in zip(held, self.memory, strict=True)):
            return None
        last = self.last
        alive = {value: places for value, places in values.items() if last.get(value, -1) >= move.end}
        return _State(tuple(free), alive, tuple(held), state, tuple(took))

    def _run(self, choice: Choice, free: list[float], values: dict[int, Places], held: list[int]) -> None:
        for part in choice.parts:
            self._task(part, free, values)
            for _, nbytes in part.residents:
                held[self._resource[part.device]] += nbytes

    def _task(self, part: Part, free: list[float], values: dict[int, Places]) -> None:
        device, start = self._resource[part.device], 0.0
        for value in part.reads:
            ready = next((since for there, since in values[value] if there == device), None)
            start = max(start, self._bring(value, device, free, values) if ready is None else ready)
        if part.view:
            end = start
        else:
            uses = self._uses[part.device] if part.cost.ns else self._uses[part.device][:1]
            end = max(start, *(free[each] for each in uses)) + part.cost.ns
            for each in uses:
                free[each] = end
        for value in part.writes:
            values[value] = ((device, end),)

    def _bring(self, value: int, device: int, free: list[float], values: dict[int, Places]) -> float:
        places = dict(values[value])
        source = values[value][0][0]
        ready = places[source]
        for a, b, uses in self._route(source, device):
            if b not in places:
                key = (self.problem.sizes[value], a, b)
                if key not in self._copies:
                    self._copies[key] = self.problem.copy(key[0], self.devices[a], self.devices[b]).ns
                end = max(places[a], *(free[each] for each in uses)) + self._copies[key]
                for each in uses:
                    free[each] = end
                places[b] = end
            ready = places[b]
        values[value] = tuple(places.items())
        return ready

    def _kept(self, states: list[_State]) -> list[_State]:
        """Those that no other beats; of too many, those with the least time at home, or where their values are."""
        apart: dict[Hashable, list[tuple[float, ...]]] = defaultdict(list)
        kept: list[_State] = []
        for state in sorted(states, key=lambda state: (sum(state.free), state.free)):
            where = sorted(state.values.items())
            key = tuple((value, tuple([at for at, _ in places])) for value, places in where)
            times = (*state.free, *[time for _, places in where for _, time in places], *state.held)
            if not any(all(map(le, other, times)) for other in apart[key]):
                apart[key].append(times)
                kept.append(state)
        if len(kept) <= self.width:
            return kept
        self.exact = False
        ahead = [(self._ahead(state), number) for number, state in enumerate(kept)]
        first = [number for _, number in sorted(ahead)[: self.width // 2]]
        rest = [number for _, number in sorted(ahead, key=lambda entry: (entry[0][::-1], entry[1]))]
        return [kept[number] for number in list(dict.fromkeys([*first, *rest]))[: self.width]]

    def _ahead(self, state: _State) -> tuple[float, float]:
        """From when on all that is still read lies at home, and home is free; and the least of that on any device that
        home reaches."""
        found: dict[int, float] = {}
        for device in self._reached:
            ready = state.free[device]
            for value, places in state.values.items():
                at = dict(places)
                if device in at:
                    ready = max(ready, at[device])
                else:
                    free = list(state.free)
                    ready = max(ready, self._bring(value, device, free, {value: places}))
            found[device] = ready
        return found[self.home], min(found.values())

    def _end(self, state: _State, outputs: Sequence[int]) -> float:
        free, values = list(state.free), dict(state.values)
        for value in outputs:
            if all(at != self.home for at, _ in values[value]):
                self._bring(value, self.home, free, values)
        return max(free, default=0.0)

    def _placement(self, state: _State) -> list[Choice]:
        found: dict[int, Choice] = {}
        now: _State | None = state
        while now is not None:
            found |= now.took
            now = now.before
        return [found[index] for index in range(len(self.problem.nodes))]


def started(problem: Problem, schedule: Schedule) -> list[int]:
    """The nodes of a problem in the order in which a schedule starts them; what reads stands behind what makes."""
    begins, _ = problem.spans(schedule)
    first: dict[Choice, float] = {}
    for (node, step), begin in zip(problem.walk(schedule.placement), begins, strict=True):
        if isinstance(step, Part):
            first.setdefault(schedule.placement[node], begin)
    until = {region.choice: max(region.nodes) for region in problem.regions}
    keys: list[tuple[float, int]] = []
    for node, choice in zip(problem.nodes, schedule.placement, strict=True):
        makers = [problem.producer[value] for value in node.reads if value in problem.producer]
        begin = max([first.get(choice, 0.0), *(keys[maker][0] for maker in makers)])
        keys.append((begin, until.get(choice, node.index)))
    return sorted(range(len(keys)), key=lambda index: (*keys[index], index))


def positions(sequence: Sequence[int]) -> list[int]:
    """Where each node stands in a sequence of all of them."""
    found = [0] * len(sequence)
    for position, node in enumerate(sequence):
        found[node] = position
    return found

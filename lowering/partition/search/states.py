"""The joint search over placements and regions, in program order: dynamic programming over states of devices, links and
values, with dominated states pruned.

A state after the first n nodes records the time from which each device and link is free, and the locations and arrival
times of all values with remaining consumers. A state dominates another one if it has the same values on the same
devices and none of its times is later: it leads to no later end, so the other state is pruned. A state is extended by
each choice of the next node, and by each region that begins with that node, up to the region's end. If all other states
are kept, the search is exact for tasks in program order; if there are more than `width` at one
node, the most promising ones are kept.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from operator import le

from lowering.instance.choice import Choice
from lowering.instance.partial import Partial
from lowering.instance.problem import Problem
from lowering.instance.sequence import positions

STATES = 32
"""States of the search of policy `optimal` that are kept at one node."""
ENDS = 8
"""Placements that one search of policy `optimal` returns."""


@dataclass(frozen=True, eq=False, slots=True)
class _Reached:
    """A state of the search: the schedule so far, with only the values that have remaining consumers; `held`: bytes of
    weights on each device; `before` and `choices_made`: the previous state and the choices that led from it to this
    one, for backtracking."""

    now: Partial
    held: Counter[str]
    before: _Reached | None = None
    choices_made: tuple[tuple[int, Choice], ...] = ()


@dataclass(frozen=True)
class _Move:
    """An extension of a state by one choice, for the next node or for all nodes of a region; `end` is the position in
    the sequence of the first node after the move."""

    nodes: tuple[int, ...]
    choice: Choice
    end: int
    views: tuple[int, ...] = ()
    """Views between the nodes of a region: they stay on the device of the value that they show."""


@dataclass
class StateSearch:
    """The search over the placements and regions of one problem. `sequence`: the nodes in execution order; by default
    program order."""

    problem: Problem
    width: int = STATES
    sequence: Sequence[int] = ()
    exact: bool = True
    """True if no state was pruned except dominated ones."""

    def __post_init__(self) -> None:
        problem = self.problem
        self.primary_reaches = [device for device in problem.devices if problem.routes.reaches(problem.primary, device)]
        self.sequence = self.sequence or range(len(problem.nodes))
        self.position = positions(self.sequence)
        self.memory = dict(problem.room)
        self.last = self._last_reads()

    def placements(self) -> list[tuple[float, list[Choice]]]:
        """The placements with the shortest makespans that the search finds, each with its makespan in the order of the
        search."""
        count = len(self.problem.nodes)
        reached: list[list[_Reached]] = [[] for _ in range(count + 1)]
        reached[0] = [_Reached(self._begin(), Counter())]
        moves = self._moves()
        for index in range(count):
            states, reached[index] = self._kept(reached[index]), []
            for move in moves[index]:
                for state in states:
                    if (following := self._after(state, move)) is not None:
                        reached[move.end].append(following)
        ended = [(self.problem.finish(state.now.fork()).end, number, state) for number, state in enumerate(reached[-1])]
        ended.sort(key=lambda entry: entry[:2])
        return [(ns, self._placement(state)) for ns, _, state in ended[:ENDS]]

    def _begin(self) -> Partial:
        """The initial state, with an entry for every resource, so that the entries have the same order in all
        states."""
        state, machine = self.problem.partial(locks=True), self.problem.clock.machine
        links = sorted(machine.links, key=lambda ends: self.problem.primary not in ends)
        names = [*self.problem.devices, *(machine.way(*way) for ends in links for way in (ends, ends[::-1]))]
        locks = (lock for name in names for lock in state.locks.get(name, ()))
        state.free = dict.fromkeys((*names, *locks), 0.0)
        return state

    def _last_reads(self) -> dict[int, int]:
        """The last position in the sequence at which each value is read; a region reads all its operands at the
        position of its last node."""
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
        """The moves at each position of the sequence: one for each choice of the node there, and one for each region
        that begins with that node and contains all nodes up to its last node, except for views between them."""
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

    def _after(self, state: _Reached, move: _Move) -> _Reached | None:
        """The state after a move; None if the weights of the move do not fit memory."""
        now, held = state.now.fork(), state.held.copy()
        choices_made = [(node, move.choice) for node in move.nodes]
        for index in move.views:
            node = self.problem.nodes[index]
            there = next(iter(now.places[node.reads[0]]))
            choices_made.append((index, node.on(there) or node.choices[0]))
            for part in choices_made[-1][1].parts:
                now.issue(part)
        for part in move.choice.parts:
            now.issue(part)
            for _, nbytes in part.residents:
                held[part.device] += nbytes
        if any(nbytes > self.memory[device] for device, nbytes in held.items()):
            return None
        last = self.last
        now.places = {value: places for value, places in now.places.items() if last.get(value, -1) >= move.end}
        return _Reached(now, held, state, tuple(choices_made))

    def _kept(self, states: list[_Reached]) -> list[_Reached]:
        """The states that are not dominated. If these are more than the limit allows, half of the kept states are those
        with the earliest first time of `_ahead`, and the remaining ones are those with the earliest second time."""
        apart: dict[Hashable, list[tuple[float, ...]]] = defaultdict(list)
        kept: list[_Reached] = []
        lanes = [(tuple(state.now.free.values()), state) for state in states]
        for free, state in sorted(lanes, key=lambda each: (sum(each[0]), each[0])):
            where = sorted(state.now.places.items())
            key = tuple([(value, *places) for value, places in where])
            times = (*free, *[time for _, places in where for time in places.values()])
            times += tuple([state.held[device] for device in self.problem.devices])
            if not any(all(map(le, other, times)) for other in apart[key]):
                apart[key].append(times)
                kept.append(state)
        if len(kept) <= self.width:
            return kept
        self.exact = False
        ahead = [(self._ahead(state.now), number) for number, state in enumerate(kept)]
        first = [number for _, number in sorted(ahead)[: self.width // 2]]
        rest = [number for _, number in sorted(ahead, key=lambda entry: (entry[0][::-1], entry[1]))]
        return [kept[number] for number in list(dict.fromkeys([*first, *rest]))[: self.width]]

    def _ahead(self, state: Partial) -> tuple[float, float]:
        """Two times: the earliest time at which all live values are on the primary device and that device is free; and
        the minimum of such times over the primary device and all devices that it is linked with."""
        found: dict[str, float] = {}
        for device in self.primary_reaches:
            arrivals = (state.arrival(value, device) for value in state.places)
            found[device] = max(state.free[device], max(arrivals, default=0.0))
        return found[self.problem.primary], min(found.values())

    def _placement(self, state: _Reached) -> list[Choice]:
        found: dict[int, Choice] = {}
        now: _Reached | None = state
        while now is not None:
            found |= now.choices_made
            now = now.before
        return [found[index] for index in range(len(self.problem.nodes))]

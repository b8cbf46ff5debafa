"""Makespans of the neighbours of a placement: placements that differ from it in a few nodes. Only the part of the
program is simulated in which the two schedules differ."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Mapping, Sequence
from math import inf
from typing import TypeAlias

from lowering.instance.choice import Choice, Placement
from lowering.instance.partial import Partial, Places
from lowering.instance.problem import Problem


class Neighbours:
    """A placement with its makespan, and the makespans of its neighbours.

    A neighbour's schedule equals that of the placement up to the first changed node. After the last changed node, if no
    device, link or value is available earlier than in the placement's schedule, the neighbour does not end earlier
    either: all later times are maxima and sums of these. Problems whose resources exclude each other or share
    bandwidths, and problems with regions, are simulated as a whole.
    """

    def __init__(self, problem: Problem, placement: Placement) -> None:
        self.problem, self.placement = problem, list(placement)
        self._held = problem.resident(placement)
        self._users: dict[_Held, dict[int, int]] = {}
        """For each device and each weight that it holds, the nodes that use the weight there, with the bytes that each
        needs; returned constants are used by node -1."""
        for what, nbytes in problem.returned_residents:
            self._users.setdefault((problem.primary, what), {})[-1] = nbytes
        for node, choice in enumerate(self.placement):
            _use(self._users, node, choice)
        self.is_incremental = problem.draws.rules.separate and not problem.regions
        if not self.is_incremental:
            self.makespan = problem.makespan(placement)
            return
        state = problem.partial()
        self._places = state.places = _History(state.places)
        self._free: list[Mapping[str, float]] = []
        """For each node, the times from which resources are free before the node; last, those after all nodes."""
        for node, choice in enumerate(self.placement):
            self._places.node = node
            self._free.append(state.free.copy())
            for part in choice.parts:
                state.issue(part)
        self._places.node = len(self.placement)
        self._free.append(state.free.copy())
        self.makespan = problem.finish(state).end
        self._last_reader = {value: max(readers, default=-1) for value, readers in problem.consumers.items()}
        self._outputs = frozenset(problem.outputs)

    def ends(self, neighbour: Placement, changed: Sequence[int]) -> float:
        """The makespan of a neighbour, in ns, if it is shorter than that of the placement; otherwise a number that is
        at least as large as that of the placement. `changed`: the nodes in which the two differ."""
        problem = self.problem
        if not self.is_incremental:
            return problem.makespan(neighbour)
        first, last = min(changed), max(changed)
        state = problem.partial()
        state.free, state.places = dict(self._free[first]), _Continued(self._places, first)
        for node in range(first, len(neighbour)):
            if node > last and self._is_no_earlier(state, node):
                return inf
            for part in neighbour[node].parts:
                state.issue(part)
        return problem.finish(state).end

    def has_room(self, neighbour: Placement, changed: Sequence[int]) -> bool:
        """True if all devices have enough memory for the weights and constants of a neighbour, which is necessary for
        `Problem.fits`. `changed`: the nodes in which the neighbour and the placement differ."""
        if self.problem.regions:
            return True
        users: dict[_Held, dict[int, int]] = {}
        for node in changed:
            for choice in (self.placement[node], neighbour[node]):
                for part in choice.parts:
                    for what, _ in part.residents:
                        held = part.device, what
                        if held not in users:
                            users[held] = dict(self._users.get(held, {}))
                        users[held].pop(node, None)
        for node in changed:
            _use(users, node, neighbour[node])
        total = dict(self._held)
        for held, needs in users.items():
            before = self._users.get(held, {})
            total[held[0]] += max(needs.values(), default=0) - max(before.values(), default=0)
        return all(nbytes <= self.problem.room[device] for device, nbytes in total.items())

    def _is_no_earlier(self, state: Partial, node: int) -> bool:
        """True if, before a node, no resource is free earlier and no value that is still read is present earlier, or on
        another device, than in the schedule of the placement."""
        free = state.free
        if any(free.get(name, 0.0) < at for name, at in self._free[node].items()):
            return False
        for value, places in state.places.items():
            is_read = self._last_reader.get(value, -1) >= node
            if not is_read and value not in self._outputs:
                continue
            known = self._places.before(value, node)
            if not is_read and (final := self.problem.exit_of(value)) in places and final in known:
                continue  # a result that is in its final place
            if tuple(places) != tuple(known) or any(places[device] < at for device, at in known.items()):
                return False
        return True


_Held: TypeAlias = "tuple[str, Hashable]"
"""A device, and a weight or constant that it holds from the start of the program to its end."""


def _use(users: dict[_Held, dict[int, int]], node: int, choice: Choice) -> None:
    """Record the weights that a choice of a node uses, with their bytes."""
    for part in choice.parts:
        for what, nbytes in part.residents:
            needs = users.setdefault((part.device, what), {})
            needs[node] = max(nbytes, needs.get(node, 0))


class _History(dict[int, Places]):
    """The places of values, with all earlier ones: those that a value had before each node."""

    def __init__(self, start: Mapping[int, Places]) -> None:
        super().__init__(start)
        self.node = 0
        """The node that is being executed."""
        self._nodes: dict[int, list[int]] = {value: [-1] for value in start}
        self._known: dict[int, list[Places]] = {value: [places] for value, places in start.items()}

    def __setitem__(self, value: int, places: Places) -> None:
        super().__setitem__(value, places)
        self._nodes.setdefault(value, []).append(self.node)
        self._known.setdefault(value, []).append(places)

    def before(self, value: int, node: int) -> Places:
        """The places of a value before a node is executed. Raises KeyError if the value does not exist yet."""
        if (at := bisect_left(self._nodes[value], node)) == 0:
            raise KeyError(value)
        return self._known[value][at - 1]


class _Continued(dict[int, Places]):
    """The places of values that a schedule changes from a node on; those of all other values are read from the history
    of another schedule."""

    def __init__(self, history: _History, node: int) -> None:
        super().__init__()
        self._history, self._node = history, node

    def __missing__(self, value: int) -> Places:
        return self._history.before(value, self._node)

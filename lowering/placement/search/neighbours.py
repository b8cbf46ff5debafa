"""Makespans of the neighbours of a placement: placements that differ from it in a few nodes. Only the part of the
program is simulated in which the two schedules differ."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from math import inf

from interp.schedule.state import Places, ScheduleState
from lowering.placement.choice import Placement
from lowering.placement.problem import Problem


class Neighbours:
    """A placement with its makespan, and the makespans of its neighbours.

    A neighbour's schedule equals that of the placement up to the first changed node. After the last changed node, if no
    device, link or value is available earlier than in the placement's schedule, the neighbour does not end earlier
    either: all later times are maxima and sums of these. Problems whose resources exclude each other or share
    bandwidths, and problems with regions, are simulated as a whole.
    """

    def __init__(self, problem: Problem, placement: Placement) -> None:
        self.problem, self.placement = problem, list(placement)
        self.is_incremental = problem.draws.rules.separate and not problem.regions
        if not self.is_incremental:
            self.makespan = problem.makespan(placement)
            return
        state = problem.state()
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
        self._last_reader |= dict.fromkeys(problem.outputs, len(self.placement))

    def ends(self, neighbour: Placement, changed: Iterable[int]) -> float:
        """The makespan of a neighbour, in ns, if it is shorter than that of the placement; otherwise a number that is
        at least as large as that of the placement. `changed`: the nodes in which the two differ."""
        problem, nodes = self.problem, list(changed)
        if not self.is_incremental:
            return problem.makespan(neighbour)
        first, last = min(nodes), max(nodes)
        state = problem.state()
        state.free, state.places = dict(self._free[first]), _Continued(self._places, first)
        for node in range(first, len(neighbour)):
            if node > last and self._is_no_earlier(state, node):
                return inf
            for part in neighbour[node].parts:
                state.issue(part)
        return problem.finish(state).end

    def _is_no_earlier(self, state: ScheduleState, node: int) -> bool:
        """True if, before a node, no resource is free earlier and no value that is still read is present earlier, or on
        another device, than in the schedule of the placement."""
        free = state.free
        if any(free.get(name, 0.0) < at for name, at in self._free[node].items()):
            return False
        for value, places in state.places.items():
            if self._last_reader.get(value, -1) < node:
                continue
            known = self._places.before(value, node)
            if tuple(places) != tuple(known) or any(places[device] < at for device, at in known.items()):
                return False
        return True


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

"""Beam search over placements: nodes are placed in a given order, and the most promising partial schedules are extended
in lockstep.

A partial schedule records the times of the nodes placed so far and the times at which each device and link is free.
Each is extended by every choice of the next node; the `width` most promising extensions are kept. All are computed at
once, as arrays whose first axis is the partial schedule.

- Each task or copy is inserted into the first idle interval that is long enough, or appended; only the latest large
  idle interval of each device and link is remembered.
- A partial schedule is ranked by the earliest end of the program that its live values allow: the arrival of each value
  plus the least time from there to the end (lowering/optimise/search/lookahead.py), combined by a soft maximum over
  all values with remaining consumers: the largest dominates, and of two equal ones the schedule with fewer other values
  close to it is better.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lowering.instance.choice import Choice, ChoicePart, Node, Placement
from lowering.instance.problem import Problem, Schedule
from lowering.instance.sequence import Name, scheduled
from lowering.limits import LIMITS
from lowering.optimise.search.lookahead import optimistic

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Record = list[tuple[float, Name]]
"""The start time in ns of each task and copy, by its name."""


class Ways:
    """A problem as arrays: devices, links, copy times, and the remaining time after each value."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        names = problem.devices
        self.device = {name: place for place, name in enumerate(names)}
        locks, lanes = problem.draws.rules.locks, dict[str, int]()

        def lane(resource: str) -> int:
            return lanes.setdefault(locks.get(resource, (resource,))[0], len(lanes))

        self.on = [lane(name) for name in names]
        """For each device the index of its lane: its queue, or the exclusive resource that it uses."""
        shape = (len(names), len(names))
        self.by = np.zeros(shape, np.intp)
        """The target of the first hop of a copy: the final target, or the memory in between."""
        self.lane = np.zeros(shape, np.intp)
        """The index of the link between two devices."""
        for source in names:
            for target in names:
                route = problem.route(source, target)
                self.by[self.device[source], self.device[target]] = self.device[route[0][1] if route else target]
                for a, b, link in route:
                    self.lane[self.device[a], self.device[b]] = lane(link)
        self.lanes = len(lanes)
        self.outputs = {value: self.device[problem.exit_of(value)] for value in problem.outputs}
        """For each result the index of the device on which it must be at the end."""
        self._times: dict[int, Floats] = {}
        self.leaving: dict[int, Floats] = {}
        """For each value the copy time from each device to the device on which it must be at the end, if it is a
        result."""
        self.onward: dict[int, list[tuple[int, Floats]]] = {}
        """For each value and each consumer, the least time from each device to the end of the program by way of that
        consumer."""
        left = optimistic(problem)
        for value in range(len(problem.sizes)):
            final = problem.exit_of(value)
            leaving = [self._copy(value, each, final) if value in self.outputs else 0.0 for each in names]
            self.leaving[value] = np.array(leaving)
            readers = dict.fromkeys(problem.consumers.get(value, ()))
            self.onward[value] = [(reader, self._onward(value, reader, left)) for reader in readers]
        took = [choice.cost.ns for node in problem.nodes for choice in node.choices if choice.cost.ns]
        self.soft = 2 * sum(took) / len(took) if took else 1.0
        """The lag behind the latest value, in ns, at which a value's weight in the soft maximum is a third."""

    def _copy(self, value: int, source: str, target: str) -> float:
        return self.problem.copy(self.problem.sizes[value], source, target).ns

    def _onward(self, value: int, reader: int, left: dict[Choice, float]) -> Floats:
        rows = [np.full(len(self.device), np.inf)]
        for choice in self.problem.nodes[reader].choices:
            there = next((device for read, device in choice.needs if read == value), choice.device)
            after = choice.cost.ns + left[choice]
            rows.append(np.array([self._copy(value, each, there) + after for each in self.device]))
        return np.minimum.reduce(rows)

    def times(self, value: int) -> Floats:
        """The time in ns of copying a value from each device (rows) to each other device (columns); 0 between devices
        that no single link joins."""
        size, names = self.problem.sizes[value], self.problem.devices
        if size not in self._times:
            self._times[size] = np.array(
                [
                    [self.problem.copy(size, a, b).ns if len(self.problem.route(a, b)) == 1 else 0.0 for b in names]
                    for a in names
                ]
            )
        return self._times[size]


@dataclass
class Starts:
    """Partial schedules, as arrays whose first axis numbers them. A value has an index in the axis of values, which it
    keeps after its last consumer until another value reuses the index.

    `lanes`: for each device and link, or the exclusive resource that it uses, the time from which it is free, and the
    start and end of its last idle interval. `ready`: the arrival time of each value on each device, infinite if it is
    not there; `source`: the device that made each value; `ends`: for each value the earliest end of the program that
    follows from its arrival; `done`: the latest end that no further node can change.
    """

    lanes: Floats
    ready: Floats
    source: Ints
    ends: Floats
    done: Floats

    @staticmethod
    def at_once(lanes: int, values: int, devices: int) -> Starts:
        """The initial partial schedules: a single one, which is empty."""
        return Starts(
            np.zeros((1, 3 * lanes)),
            np.full((1, values, devices), np.inf),
            np.zeros((1, values), np.intp),
            np.full((1, values), -np.inf),
            np.zeros(1),
        )


@dataclass
class Slots:
    """The index of each live value in the arrays (`of`), and the unused indices."""

    of: dict[int, int]
    unused: list[int]


class Beam:
    """Beam search in one topological order of the nodes."""

    def __init__(self, ways: Ways, order: Sequence[int]) -> None:
        self.ways, self.order = ways, order
        self.problem = problem = ways.problem
        at = {node: place for place, node in enumerate(order)}
        self.last: dict[int, int] = {}
        """The position of the last consumer of a value; -1 if there is none."""
        self.following: dict[int, tuple[list[int], list[Floats]]] = {}
        """For each value the positions of its consumers, and the least time from each to the end."""
        for value, readers in ways.onward.items():
            later, places, times = ways.leaving[value], list[int](), list[Floats]()
            for place, onward in sorted(((at[node], onward) for node, onward in readers), key=lambda each: -each[0]):
                later = np.maximum(later, onward)
                places.append(place)
                times.append(later)
            self.last[value] = places[0] if places else -1
            self.following[value] = places[::-1], times[::-1]
        live = most = len(problem.inputs)
        ending = dict.fromkeys(range(-1, len(order)), 0)
        for last in self.last.values():
            ending[last] += 1
        for place, node in enumerate(order):
            live += len(problem.nodes[node].writes)
            most = max(most, live)
            live -= ending[place] + sum(self.last[value] < 0 for value in problem.nodes[node].writes)
        self.values = max(most, 1)

    def search(self, width: int, spent: Callable[[], bool] = lambda: False) -> list[Choice] | None:
        """The best placement found with at most `width` partial schedules per node; None if the time is spent."""
        width = max(2, min(width, LIMITS.beam_entries // (self.values * len(self.ways.device))))
        came: list[tuple[Ints, Ints]] = []
        states, slots = self._begin()
        for place, index in enumerate(self.order):
            if spent():
                return None
            node = self.problem.nodes[index]
            touched = self._enter(node, slots)
            grown = [self._grow(states, place, node, choice, touched, slots) for choice in node.choices]
            where = [slots.of[value] for value in touched]
            parents, choices = self._select(states, grown, where, width)
            came.append((parents, choices))
            states = _keep(states, grown, where, parents, choices)
            self._leave(states, place, touched, slots)
        final = np.maximum(states.done, states.lanes[:, : self.ways.lanes].max(axis=1, initial=0.0))
        state = int(np.argmin(final))
        placement = [node.choices[0] for node in self.problem.nodes]
        for index, (parents, choices) in zip(reversed(self.order), reversed(came), strict=True):
            placement[index] = self.problem.nodes[index].choices[int(choices[state])]
            state = int(parents[state])
        return placement

    def schedule(self, placement: Placement) -> Schedule:
        """The schedule of a placement in the order of the search."""
        ranks: dict[Name, tuple[float, ...]] = {}
        for number, (begin, name) in enumerate(self.record(placement)):
            ranks.setdefault(name, (begin, float(number)))
        return scheduled(self.problem, placement, ranks)

    def record(self, placement: Placement) -> Record:
        """The start time of each task and copy of a placement, as the search computes them."""
        record: Record = []
        states, slots = self._begin(record)
        for place, index in enumerate(self.order):
            node = self.problem.nodes[index]
            touched = self._enter(node, slots)
            grown = self._grow(states, place, node, placement[index], touched, slots, record)
            alone = np.zeros(1, np.intp)
            states = _keep(states, [grown], [slots.of[value] for value in touched], alone, alone)
            self._leave(states, place, touched, slots)
        return record

    def _begin(self, record: Record | None = None) -> tuple[Starts, Slots]:
        """The initial partial schedule, which has only copies of inputs that are also results; and the array indices of
        the inputs."""
        states = Starts.at_once(self.ways.lanes, self.values, len(self.ways.device))
        slots = Slots({}, list(range(self.values)))
        for value, devices in self.problem.start().items():
            slot = slots.of[value] = slots.unused.pop()
            for device in devices:
                states.ready[0, slot, self.ways.device[device]] = 0.0
            states.source[0, slot] = self.ways.device[devices[0]]
            if value in self.ways.outputs:
                self._bring(states, value, slot, self.ways.outputs[value], record)
        return states, slots

    @staticmethod
    def _enter(node: Node, slots: Slots) -> list[int]:
        """Assign indices to a node's results; returns the values that it reads or makes."""
        for value in node.writes:
            slots.of[value] = slots.unused.pop()
        return list(dict.fromkeys((*node.reads, *node.writes)))

    def _leave(self, states: Starts, place: int, touched: Sequence[int], slots: Slots) -> None:
        """Release the indices of those values in `touched` that no node after position `place` reads."""
        for value in touched:
            if self.last[value] <= place:
                slot = slots.of.pop(value)
                if value in self.ways.outputs:
                    states.done = np.maximum(states.done, states.ends[:, slot])
                states.ends[:, slot] = -np.inf
                states.ready[:, slot] = np.inf
                slots.unused.append(slot)

    def _grow(
        self,
        states: Starts,
        place: int,
        node: Node,
        choice: Choice,
        touched: Sequence[int],
        slots: Slots,
        record: Record | None = None,
    ) -> Starts:
        """All partial schedules extended by `choice`, a choice of the next node `node`; each extension has only the
        entries of the values that the node reads or makes."""
        ways, where = self.ways, [slots.of[value] for value in touched]
        inside = [value for part in choice.parts for value in part.writes if value not in node.writes]
        column = {value: number for number, value in enumerate((*touched, *inside))}
        count = len(states.lanes)
        extra = np.full((count, len(inside), len(ways.device)), np.inf)
        ready = np.concatenate((states.ready[:, where], extra), axis=1)
        source = np.concatenate((states.source[:, where], np.zeros((count, len(inside)), np.intp)), axis=1)
        grown = Starts(states.lanes.copy(), ready, source, states.ends[:, where], states.done)
        for part in choice.parts:
            self._task(grown, node.index, part, column, record)
        for value in node.writes:
            if value in ways.outputs:
                self._bring(grown, value, column[value], ways.outputs[value], record)
        for value in touched:
            grown.ends[:, column[value]] = self._ends(value, place, ready[:, column[value]])
        return grown

    def _ends(self, value: int, place: int, ready: Floats) -> Floats | float:
        """The earliest end of the program that is possible with a value that is `ready` on each device at these times,
        once the nodes up to position `place` are placed; minus infinity if no later node reads the value."""
        places, times = self.following[value]
        later = bisect_right(places, place)
        if later == len(places) and value not in self.ways.outputs:
            return -np.inf
        left = times[later] if later < len(places) else self.ways.leaving[value]
        return (ready + left).min(axis=1)

    def _task(self, grown: Starts, node: int, part: ChoicePart, column: dict[int, int], record: Record | None) -> None:
        on = self.ways.device[part.device]
        begin = np.zeros(len(grown.lanes))
        for value in part.reads:
            self._bring(grown, value, column[value], on, record)
            begin = np.maximum(begin, grown.ready[:, column[value], on])
        if not part.view:
            rows = np.arange(len(begin))
            begin = self._reserve(grown.lanes, rows, np.full(len(begin), self.ways.on[on]), begin, part.cost.ns)
            if record is not None:
                record.append((float(begin[0]), (part, node)))
        for value in part.writes:
            grown.ready[:, column[value]] = np.inf
            grown.ready[:, column[value], on] = begin + (0.0 if part.view else part.cost.ns)
            grown.source[:, column[value]] = on

    def _bring(self, grown: Starts, value: int, column: int, target: int, record: Record | None) -> None:
        """Copy a value to a device in those partial schedules in which it is not there yet, directly or by way of
        another device."""
        rows = np.flatnonzero(np.isinf(grown.ready[:, column, target]))
        if not len(rows):
            return
        ways, times = self.ways, self.ways.times(value)
        origin = grown.source[rows, column]
        by = ways.by[origin, target]
        for source, goal in ((origin, by), (by, np.full(len(rows), target))):
            lacking = np.isinf(grown.ready[rows, column, goal])
            if not lacking.any():
                continue
            mine, a, b = rows[lacking], source[lacking], goal[lacking]
            ns = times[a, b]
            begin = self._reserve(grown.lanes, mine, ways.lane[a, b], grown.ready[mine, column, a], ns)
            grown.ready[mine, column, b] = begin + ns
            if record is not None:
                names = self.problem.devices
                record.append((float(begin[0]), (value, names[int(a[0])], names[int(b[0])])))

    def _reserve(self, lanes: Floats, rows: Ints, lane: Ints, ready: Floats, ns: Floats | float) -> Floats:
        """Reserve a device or link for work of `ns` that is ready at the time `ready`, in each partial schedule;
        returns the starts of the work."""
        idle, until = lane + self.ways.lanes, lane + 2 * self.ways.lanes
        free, since, till = lanes[rows, lane], lanes[rows, idle], lanes[rows, until]
        early, late = np.maximum(ready, since), np.maximum(ready, free)
        fits = early + ns <= till
        before = early - since > till - early - ns
        recent = (late - free) * LIMITS.beam_idle_ratio > till - since
        lanes[rows, lane] = np.where(fits, free, late + ns)
        lanes[rows, idle] = np.where(fits, np.where(before, since, early + ns), np.where(recent, free, since))
        lanes[rows, until] = np.where(fits, np.where(before, early, till), np.where(recent, late, till))
        return np.where(fits, early, late)

    def _select(self, states: Starts, grown: Sequence[Starts], where: Sequence[int], width: int) -> tuple[Ints, Ints]:
        """The most promising extensions of all partial schedules: for each, the index of the partial schedule that it
        extends, and the index of its choice."""
        states.ends[:, where] = -np.inf
        worst = states.ends.max(axis=1)
        top = np.where(np.isfinite(worst), worst, 0.0)
        others = np.exp((states.ends - top[:, None]) / self.ways.soft).sum(axis=1)
        scores: list[Floats] = []
        for each in grown:
            most = np.maximum(np.maximum(worst, each.done), each.ends.max(axis=1))
            mine = np.exp((each.ends - most[:, None]) / self.ways.soft).sum(axis=1)
            weight = mine + others * np.exp((top - most) / self.ways.soft) + np.exp((each.done - most) / self.ways.soft)
            scores.append(most + self.ways.soft * np.log(weight))
        score = np.concatenate(scores)
        kept = np.arange(len(score))
        if len(score) > width:
            busy = np.concatenate([each.lanes[:, : self.ways.lanes].sum(axis=1) for each in grown])
            ranked = np.lexsort((busy, score))
            distinct = np.ones(len(ranked), bool)
            for key in (score, busy):
                near = np.abs(np.diff(key[ranked])) <= 1e-9 * np.abs(key[ranked][1:])
                distinct[1:] = ~near if key is score else distinct[1:] | ~near
            kept = ranked[distinct][:width]
        return kept % len(worst), kept // len(worst)


def _keep(states: Starts, grown: Sequence[Starts], where: Sequence[int], parents: Ints, choices: Ints) -> Starts:
    """The selected partial schedules, each extended by the selected choice."""
    kept = Starts(
        np.stack([each.lanes for each in grown])[choices, parents],
        states.ready[parents],
        states.source[parents],
        states.ends[parents],
        np.stack([each.done for each in grown])[choices, parents],
    )
    count = len(where)
    kept.ready[:, where] = np.stack([each.ready[:, :count] for each in grown])[choices, parents]
    kept.source[:, where] = np.stack([each.source[:, :count] for each in grown])[choices, parents]
    kept.ends[:, where] = np.stack([each.ends for each in grown])[choices, parents]
    return kept

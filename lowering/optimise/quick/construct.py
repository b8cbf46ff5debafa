"""Construction of schedules: nodes are placed in a given order, each by the choice that looks best, as a single list or
as a beam of many partial schedules.

A partial schedule of a beam is extended by every choice of the next node; the `width` most promising extensions are
kept. All are computed at once, as arrays whose first axis is the partial schedule. It is ranked by the earliest end of
the program that its live values allow: the arrival of each value plus the least time from there to the end, combined
by a soft maximum over all values with remaining consumers: the largest dominates, and of two equal ones the schedule
with fewer other values close to it is better.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lowering.instance.choice import Choice, Node
from lowering.instance.copies import Floats, Ints
from lowering.instance.partial import Begins, Partial, Partials
from lowering.instance.problem import Problem, Schedule
from lowering.instance.sequence import scheduled
from lowering.limits import LIMITS


class OutOfTime(Exception):
    """Raised when the time of a construction is spent."""


class Constructed(NamedTuple):
    """A constructed schedule: the choice of each node, the end of each node in ns (none if it was one of many), the end
    of the program in ns, and the start of each task and copy."""

    placement: list[Choice]
    ended: list[float]
    ns: float
    begins: Begins

    def schedule(self, problem: Problem) -> Schedule:
        """The placement, with its tasks and copies in the order of their starts."""
        ranks = {name: (begin, float(number)) for number, (name, begin) in enumerate(self.begins.of.items())}
        return scheduled(problem, self.placement, ranks)


def construct(
    problem: Problem,
    order: Iterable[int],
    left: Mapping[Choice, float],
    width: int = 1,
    partial: Partial | None = None,
    spent: Callable[[], bool] = lambda: False,
) -> Constructed:
    """A schedule of a problem without regions, whose nodes are placed in the topological order `order`.

    `left`: the time in ns that must follow the end of a choice. If `width` is 1, each node gets the choice for which
    its end plus that time is least; the schedule is `partial`, empty at first, by default one in which tasks and copies
    follow the order on each device and link. Otherwise at most `width` partial schedules are kept. Starts are recorded
    unless `partial` has no account. Raises OutOfTime if a beam's time is `spent`.
    """
    if width > 1:
        return _Beam(problem, tuple(order), left).search(width, spent)
    partial = problem.partial(account=Begins()) if partial is None else partial
    begins = partial.account if isinstance(partial.account, Begins) else Begins()
    placement = [node.choices[0] for node in problem.nodes]
    ended = [0.0] * len(placement)
    for index in order:
        choices = problem.nodes[index].choices
        best = choices[0]
        if len(choices) > 1:
            best = min(choices, key=lambda choice: partial.trial(choice.parts) + left[choice])
        placement[index], begins.node = best, index
        ended[index] = max(map(partial.issue, best.parts))
    arrivals = [partial.copy(value, problem.exit_of(value)) for value in problem.outputs]
    return Constructed(placement, ended, max([*ended, *arrivals], default=0.0), begins)


class _Slots(NamedTuple):
    """The place of each live value in the arrays (`of`), and the unused places; a value keeps its place after its last
    consumer until another value takes it."""

    of: dict[int, int]
    unused: list[int]


@dataclass
class _States:
    """The partial schedules of a beam. `ends`: for each value the earliest end of the program that follows from its
    arrival; `done`: the latest end that no further node can change."""

    partials: Partials
    ends: Floats
    done: Floats


class _Beam:
    """Beam search in one topological order of the nodes."""

    def __init__(self, problem: Problem, order: Sequence[int], left: Mapping[Choice, float]) -> None:
        self.problem, self.order, copies = problem, order, problem.copies
        self.device = copies.network.device
        self.outputs = {value: self.device[problem.exit_of(value)] for value in problem.outputs}
        """For each result the number of the device on which it must be at the end."""
        took = [choice.cost.ns for node in problem.nodes for choice in node.choices if choice.cost.ns]
        self.soft = 2 * sum(took) / len(took) if took else 1.0
        """The lag behind the latest value, in ns, at which a value's weight in the soft maximum is a third."""
        at = {node: place for place, node in enumerate(order)}
        self.last: list[int] = []
        """The position of the last consumer of each value; -1 if there is none."""
        self.leaving: list[Floats] = []
        """For each value the copy time from each device to the device on which it must be at the end, if it is a
        result."""
        self.following: list[tuple[list[int], list[Floats]]] = []
        """For each value the positions of its consumers, and the least time from each device to the end of the program
        by way of that consumer or later ones."""
        for value in range(len(problem.sizes)):
            final, is_output = problem.exit_of(value), value in self.outputs
            later = np.array([copies.ns(value, each, final) if is_output else 0.0 for each in problem.devices])
            self.leaving.append(later)
            places, times = list[int](), list[Floats]()
            for node in sorted(dict.fromkeys(problem.consumers.get(value, ())), key=lambda node: -at[node]):
                later = np.maximum(later, self._onward(value, node, left))
                places.append(at[node])
                times.append(later)
            self.last.append(places[0] if places else -1)
            self.following.append((places[::-1], times[::-1]))
        live = most = len(problem.inputs)
        ending = dict.fromkeys(range(-1, len(order)), 0)
        for last in self.last:
            ending[last] += 1
        for place, node in enumerate(order):
            live += len(problem.nodes[node].writes)
            most = max(most, live)
            live -= ending[place] + sum(self.last[value] < 0 for value in problem.nodes[node].writes)
        self.values = max(most, 1)

    def _onward(self, value: int, reader: int, left: Mapping[Choice, float]) -> Floats:
        """The least time from the arrival of a value on each device to the end of the program by way of a consumer."""
        ns, ways = self.problem.copies.ns, list[tuple[str, float]]()
        for choice in self.problem.nodes[reader].choices:
            there = next((device for read, device in choice.needs if read == value), choice.device)
            ways.append((there, choice.cost.ns + left[choice]))
        return np.array([min(ns(value, each, there) + after for there, after in ways) for each in self.device])

    def search(self, width: int, spent: Callable[[], bool]) -> Constructed:
        """The best placement found with at most `width` partial schedules per node."""
        width = max(2, min(width, LIMITS.beam_entries // (self.values * len(self.device))))
        came: list[tuple[Ints, Ints]] = []
        states, slots = self._begin()
        for place, index in enumerate(self.order):
            if spent():
                raise OutOfTime
            node = self.problem.nodes[index]
            touched = self._enter(node, slots)
            grown = [self._grow(states, place, node, choice, touched, slots) for choice in node.choices]
            where = [slots.of[value] for value in touched]
            parents, choices = self._select(states, grown, where, width)
            came.append((parents, choices))
            states = _keep(states, grown, where, parents, choices)
            self._leave(states, place, touched, slots)
        final = np.maximum(states.done, states.partials.free.max(axis=1, initial=0.0))
        state = int(np.argmin(final))
        placement = [node.choices[0] for node in self.problem.nodes]
        for index, (parents, choices) in zip(reversed(self.order), reversed(came), strict=True):
            placement[index] = self.problem.nodes[index].choices[int(choices[state])]
            state = int(parents[state])
        return Constructed(placement, [], float(final.min()), self.replay(placement))

    def replay(self, placement: Sequence[Choice]) -> Begins:
        """The start of each task and copy of a placement, as the search computes them."""
        begins = Begins()
        states, slots = self._begin(begins)
        for place, index in enumerate(self.order):
            node = self.problem.nodes[index]
            touched = self._enter(node, slots)
            begins.node = index
            grown = self._grow(states, place, node, placement[index], touched, slots, begins)
            alone = np.zeros(1, np.intp)
            states = _keep(states, [grown], [slots.of[value] for value in touched], alone, alone)
            self._leave(states, place, touched, slots)
        return begins

    def _begin(self, begins: Begins | None = None) -> tuple[_States, _Slots]:
        """The initial partial schedule, which has only copies of inputs that are also results; and the places of the
        inputs."""
        partials = Partials.one(self.problem.copies, self.values)
        slots = _Slots({}, list(range(self.values)))
        for value, devices in self.problem.start().items():
            slot = slots.of[value] = slots.unused.pop()
            partials.place(slot, [self.device[device] for device in devices])
            if value in self.outputs:
                partials.copy(value, slot, self.outputs[value], begins)
        return _States(partials, np.full((1, self.values), -np.inf), np.zeros(1)), slots

    @staticmethod
    def _enter(node: Node, slots: _Slots) -> list[int]:
        """Assign places to a node's results; returns the values that it reads or makes."""
        for value in node.writes:
            slots.of[value] = slots.unused.pop()
        return list(dict.fromkeys((*node.reads, *node.writes)))

    def _leave(self, states: _States, place: int, touched: Sequence[int], slots: _Slots) -> None:
        """Release the places of those values in `touched` that no node after position `place` reads."""
        for value in touched:
            if self.last[value] <= place:
                slot = slots.of.pop(value)
                if value in self.outputs:
                    states.done = np.maximum(states.done, states.ends[:, slot])
                states.ends[:, slot] = -np.inf
                states.partials.ready[:, slot] = np.inf
                slots.unused.append(slot)

    def _grow(
        self,
        states: _States,
        place: int,
        node: Node,
        choice: Choice,
        touched: Sequence[int],
        slots: _Slots,
        begins: Begins | None = None,
    ) -> _States:
        """All partial schedules extended by `choice`, a choice of the next node `node`; each extension has only the
        entries of the values that the node reads or makes."""
        where = [slots.of[value] for value in touched]
        inside = [value for part in choice.parts for value in part.writes if value not in node.writes]
        column = {value: number for number, value in enumerate((*touched, *inside))}
        partials = states.partials.only(where, len(inside))
        for part in choice.parts:
            partials.issue(part, column, begins)
        for value in node.writes:
            if value in self.outputs:
                partials.copy(value, column[value], self.outputs[value], begins)
        ends = states.ends[:, where]
        for value in touched:
            ends[:, column[value]] = self._ends(value, place, partials.ready[:, column[value]])
        return _States(partials, ends, states.done)

    def _ends(self, value: int, place: int, ready: Floats) -> Floats | float:
        """The earliest end of the program that is possible with a value that is `ready` on each device at these times,
        once the nodes up to position `place` are placed; minus infinity if no later node reads the value."""
        places, times = self.following[value]
        later = bisect_right(places, place)
        if later == len(places) and value not in self.outputs:
            return -np.inf
        left = times[later] if later < len(places) else self.leaving[value]
        return (ready + left).min(axis=1)

    def _select(self, states: _States, grown: Sequence[_States], where: Sequence[int], width: int) -> tuple[Ints, Ints]:
        """The most promising extensions of all partial schedules: for each, the index of the partial schedule that it
        extends, and the index of its choice."""
        states.ends[:, where] = -np.inf
        worst = states.ends.max(axis=1)
        top = np.where(np.isfinite(worst), worst, 0.0)
        others = np.exp((states.ends - top[:, None]) / self.soft).sum(axis=1)
        scores: list[Floats] = []
        for each in grown:
            most = np.maximum(np.maximum(worst, each.done), each.ends.max(axis=1))
            mine = np.exp((each.ends - most[:, None]) / self.soft).sum(axis=1)
            weight = mine + others * np.exp((top - most) / self.soft) + np.exp((each.done - most) / self.soft)
            scores.append(most + self.soft * np.log(weight))
        score = np.concatenate(scores)
        kept = np.arange(len(score))
        if len(score) > width:
            busy = np.concatenate([each.partials.free.sum(axis=1) for each in grown])
            ranked = np.lexsort((busy, score))
            distinct = np.ones(len(ranked), bool)
            for key in (score, busy):
                near = np.abs(np.diff(key[ranked])) <= 1e-9 * np.abs(key[ranked][1:])
                distinct[1:] = ~near if key is score else distinct[1:] | ~near
            kept = ranked[distinct][:width]
        return kept % len(worst), kept // len(worst)


def _keep(states: _States, grown: Sequence[_States], where: Sequence[int], parents: Ints, choices: Ints) -> _States:
    """The selected partial schedules, each extended by the selected choice."""
    partials = states.partials.chosen([each.partials for each in grown], where, parents, choices)
    kept = _States(partials, states.ends[parents], np.stack([each.done for each in grown])[choices, parents])
    kept.ends[:, where] = np.stack([each.ends for each in grown])[choices, parents]
    return kept

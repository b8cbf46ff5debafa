"""The serial time of all placements of a problem as a sum of tables: all tasks and copies, with each value copied once
to each device that reads it.

There is one variable per node, whose values are its choices. A value with one consumer gives a table over its producer
and that consumer. A value with several consumers gets a variable of its own, the set of devices to which it is copied.
One table has the cost of the copies to each set, for each choice of the producer. A table for each consumer has an
upper bound of the cost of a copy if the consumer's device is not in the set, so that a minimum exists in which the set
contains all devices of consumers. So every table has at most two variables, however many consumers a value has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from lowering.instance.choice import Choice, ChoicePart, Placement
from lowering.instance.problem import Problem
from lowering.optimise.serial.elimination import Factors, Table

SETS = 128
"""Sets of devices of a value that one variable distinguishes; a value with more sets has one variable per device."""

Devices: TypeAlias = frozenset[str]
Reached: TypeAlias = tuple[str, ...]
"""Devices that a value is on when its producer has ended, its source first."""


@dataclass(frozen=True)
class SerialChoice:
    """A choice reduced to numbers: the time of its tasks and of the copies between them, the devices on which it needs
    values, and the devices of its results."""

    ns: float
    needs: dict[int, Devices]
    makes: dict[int, Reached]


def way_of(problem: Problem, parts: Sequence[ChoicePart]) -> SerialChoice:
    """The times and devices of the parts of a choice."""
    if len(parts) == 1:
        (part,) = parts
        here = frozenset((part.device,))
        return SerialChoice(_ns(part), dict.fromkeys(part.reads, here), dict.fromkeys(part.writes, (part.device,)))
    ns, made = 0.0, dict[int, Reached]()
    needs: dict[int, Devices] = {}
    for part in parts:
        for value in part.reads:
            if value in made:
                for copy in problem.copies.way(value, made[value], part.device):
                    ns += copy.ns
                    made[value] = (*made[value], copy.target)
            else:
                needs[value] = needs.get(value, frozenset[str]()) | {part.device}
        ns += _ns(part)
        made |= dict.fromkeys(part.writes, (part.device,))
    return SerialChoice(ns, needs, made)


def _ns(part: ChoicePart) -> float:
    return 0.0 if part.view else part.cost.ns


class SerialFactors:
    """The tables of a problem, and their variables; the first variables are the problem's nodes."""

    def __init__(self, problem: Problem, most_sets: int = SETS) -> None:
        self.problem = problem
        self.most_sets = most_sets
        self.factors = Factors()
        self.places: list[int] = []
        """For each variable the node at which errors and notes about it are reported."""
        self.ways: list[tuple[SerialChoice, ...]] = []
        """The accounts of the choices of each node."""
        self._copies: dict[tuple[int, Reached, Devices], float] = {}
        self._tables: dict[object, Table] = {}
        self._outputs = frozenset(problem.outputs)
        self._readers: dict[int, list[tuple[int, tuple[Devices, ...]]]] = defaultdict(list)
        """For each value its consumers, and the devices on which each choice of them needs it."""
        self._makers: dict[int, tuple[int, tuple[Reached, ...]]] = {}
        for node in problem.nodes:
            ways = tuple(way_of(problem, choice.parts) for choice in node.choices)
            self.ways.append(ways)
            self._variable(len(ways), node.index, node.index)
            self.factors.add((node.index,), np.array([way.ns for way in ways]))
            for value in node.writes:
                self._makers[value] = (node.index, tuple(way.makes[value] for way in ways))
            for value in dict.fromkeys(value for way in ways for value in way.needs):
                needs = tuple(way.needs.get(value, frozenset[str]()) for way in ways)
                self._readers[value].append((node.index, needs))
        start = problem.start()
        for value in range(len(problem.sizes)):
            if value in self._makers:
                self._value(value, *self._makers[value])
            elif value in start:
                self._value(value, None, (start[value],))

    def placement(self, values: Sequence[int]) -> list[Choice]:
        """The placement given by an assignment of the variables."""
        return [node.choices[values[node.index]] for node in self.problem.nodes]

    def numbers(self, placement: Placement) -> list[int]:
        """The index of the choice that a placement takes for each node."""
        return [node.choices.index(choice) for node, choice in zip(self.problem.nodes, placement, strict=True)]

    def _variable(self, size: int, rank: float, place: int) -> int:
        self.places.append(place)
        return self.factors.variable(size, rank)

    def _value(self, value: int, maker: int | None, made: tuple[Reached, ...]) -> None:
        """Add the tables of one value: the cost of its copies, given the device of its producer and those of its
        consumers."""
        base = frozenset((self.problem.exit_of(value),)) if value in self._outputs else frozenset[str]()
        open_readers: list[tuple[int, tuple[Devices, ...]]] = []
        for reader, needs in self._readers.get(value, ()):
            if len(set(needs)) == 1:
                base |= needs[0]
            else:
                open_readers.append((reader, needs))
        if len(open_readers) <= 1:
            for reader, needs in open_readers or [(None, (frozenset[str](),))]:
                sets = tuple(need | base for need in needs)
                self._add((maker, reader), self._copying(value, made, sets))
            return
        sets = _unions(base, (needs for _, needs in open_readers), self.most_sets)
        if sets is None:
            self._by_device(value, maker, made, base, open_readers)
            return
        last = open_readers[-1][0]
        reached = self._variable(len(sets), last + 0.5, last if maker is None else maker)
        self._add((maker, reached), self._copying(value, made, sets))
        for reader, needs in open_readers:
            self._add((reader, reached), self._missing(value, made, needs, sets))

    def _by_device(
        self,
        value: int,
        maker: int | None,
        made: tuple[Reached, ...],
        base: Devices,
        readers: list[tuple[int, tuple[Devices, ...]]],
    ) -> None:
        """Add the tables of one value with one boolean variable per device instead of one variable for the set of
        devices, if there are too many sets. A copy by way of a third device requires the value there, too."""
        last = readers[-1][0]
        place = last if maker is None else maker
        needed_on = base.union(*(need for _, needs in readers for need in needs))
        way = self.problem.copies.way
        relays = {hop.target for reached in made for device in needed_on for hop in way(value, reached, device)[:-1]}
        primary = self.problem.primary
        ordered = (*([primary] if primary in needed_on | relays else ()), *sorted((needed_on | relays) - {primary}))
        there = {device: self._variable(2, last + 0.5, place) for device in ordered}
        for device, here in there.items():
            ways = [way(value, reached, device) for reached in made]
            alone = [[hop.ns for hop in hops] for hops in ways]
            self._add((maker, here), np.array([[0.0, times[-1] if times else 0.0] for times in alone]))
            for relay in dict.fromkeys(hop.target for hops in ways for hop in hops[:-1]):
                owed = [
                    ns[0] if len(ns) > 1 and hops[0].target == relay else 0.0
                    for hops, ns in zip(ways, alone, strict=True)
                ]
                self._add_wide(maker, here, there[relay], np.array([[[0.0, 0.0], [ns, 0.0]] for ns in owed]))
            most = max(sum(times) for times in alone)
            if device in base:
                self.factors.add((here,), np.array([most, 0.0]))
            for reader, needs in readers:
                if any(device in need for need in needs):
                    self._add((reader, here), np.array([[most if device in need else 0.0, 0.0] for need in needs]))

    def _add(self, scope: tuple[int | None, int | None], table: Table) -> None:
        """Add a table over two variables; None for an axis that is no variable."""
        known = tuple(x for x in scope if x is not None)
        self.factors.add(known, table.reshape([self.factors.sizes[x] for x in known]))

    def _add_wide(self, maker: int | None, here: int, relay: int, table: Table) -> None:
        if maker is None:
            self.factors.add((here, relay), table[0])
        else:
            self.factors.add((maker, here, relay), table)

    def _copying(self, value: int, made: tuple[Reached, ...], sets: tuple[Devices, ...]) -> Table:
        """The copy time of a value from the device of its producer (rows) to sets of devices (columns)."""
        key = (self.problem.sizes[value], made, sets)
        if key not in self._tables:
            self._tables[key] = np.array([[self.copies_to(value, reached, each) for each in sets] for reached in made])
        return self._tables[key]

    def _missing(
        self, value: int, made: tuple[Reached, ...], needs: tuple[Devices, ...], sets: tuple[Devices, ...]
    ) -> Table:
        """The cost of consumers that need a value on some devices (rows) if it is copied to a set of devices (columns)
        that lacks some of them: never less than the cost of copying it to the missing devices."""
        key = (self.problem.sizes[value], made, needs, sets)
        if key not in self._tables:
            most = {
                device: max(self.copies_to(value, reached, frozenset((device,))) for reached in made)
                for device in sorted(frozenset[str]().union(*needs))
            }
            rows = [[sum(most[device] for device in sorted(need - each)) for each in sets] for need in needs]
            self._tables[key] = np.array(rows, dtype=np.float64)
        return self._tables[key]

    def copies_to(self, value: int, reached: Reached, devices: Devices) -> float:
        """The time of all copies that bring a value to some devices, in ns."""
        key = (self.problem.sizes[value], reached, devices)
        if key not in self._copies:
            total, there = 0.0, reached
            for device in sorted(devices):
                for copy in self.problem.copies.way(value, there, device):
                    total += copy.ns
                    there = (*there, copy.target)
            self._copies[key] = total
        return self._copies[key]


def _unions(base: Devices, readers: Iterable[tuple[Devices, ...]], most: int) -> tuple[Devices, ...] | None:
    """All sets of devices on which consumers may need a value, each united with `base`; None if there are more than
    `most`."""
    sets = {base: None}
    for needs in readers:
        sets = dict.fromkeys(one | need for one in sets for need in needs)
        if len(sets) > most:
            return None
    return tuple(sorted(sets, key=sorted))

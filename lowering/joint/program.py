"""A lower bound on the time of any plan that decides together where ops run, where values rest, and what runs again: a
linear program in which all three may be fractions.

Kernels of the primary device start in the order of the nodes. A *slot* lies between the starts of two of them, so that
a node that runs elsewhere has a slot of any length, 0 included; a first slot precedes all nodes, and a last one follows
them until the iteration ends.

    slot n   | kernel n, if it runs here | repeated runs before kernel n + 1, and waits |

In each slot each direction of the link to further memory tiers moves at most its rate times the slot's length, and so
do the other devices and the links to them. A piece of memory has a fraction that is present at the start of each slot,
and a fraction of which a tier holds a copy. What a kernel reads is present when it starts; what is present was made
here, has come back from a tier, was computed again just before, or was returned by the device that made it; and as long
as a kernel will read a piece, each part of it is in some memory, or will be computed again.

Memory counts at the start of each kernel, and at its end: then all that it used is there, and what else the next kernel
needs has arrived, except for what arrives in the wait between both.

Any plan gives values to these variables that satisfy all rows: the present fraction of a piece is that of its bytes
that have arrived, so that sums of present bytes are never above the bytes that are allocated. Slowdown of jobs by each
other, pages and the latencies of moves are ignored; so are small pieces, which count as present everywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from math import inf
from typing import TypeAlias

import numpy as np

from interp.machine.memory_system import MemorySystem
from lowering.instance.choice import Choice, ChoicePart, Node
from lowering.instance.problem import Problem
from lowering.joint.contents import Contents, Piece
from lowering.solve.rows import Floats, Rows

NS = 1e9
UNITS = 40
"""Units of bytes in the primary device's memory; the unit of time is that in which the bus moves one."""
IGNORED = 0.002
"""The fraction of the primary device's memory that all ignored pieces together take at most."""
LARGEST = 400
"""Nodes, views excluded, of the largest problem for which the program is solved."""
CUTS = 12
"""Slots, at most, for which rows say what repeated runs after them will read: those of the largest kernels."""
FOLLOWED = 3
"""Readers, at most, of which rows say that what they will read is in some memory."""


@dataclass(frozen=True)
class Sum:
    """A weighted sum of columns, and a constant."""

    terms: tuple[tuple[int, float], ...] = ()
    constant: float = 0.0

    def __add__(self, other: Sum) -> Sum:
        return Sum(self.terms + other.terms, self.constant + other.constant)

    def __sub__(self, other: Sum) -> Sum:
        return self + other * -1.0

    def __mul__(self, factor: float) -> Sum:
        return Sum(tuple((column, factor * each) for column, each in self.terms), self.constant * factor)

    @property
    def is_zero(self) -> bool:
        return not self.terms and not self.constant


ZERO, ONE = Sum(), Sum(constant=1.0)


def total(sums: Iterable[Sum]) -> Sum:
    """The sum of sums."""
    terms: list[tuple[int, float]] = []
    constant = 0.0
    for each in sums:
        terms += each.terms
        constant += each.constant
    return Sum(tuple(terms), constant)


@dataclass
class Lines:
    """A linear program under construction, one column and row at a time."""

    upper: list[float] = field(default_factory=list[float])
    cost: list[float] = field(default_factory=list[float])
    limits: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    entries: list[tuple[int, int, float]] = field(default_factory=list[tuple[int, int, float]])
    groups: list[list[int]] = field(default_factory=list[list[int]])

    def column(self, upper: float = 1.0, cost: float = 0.0) -> Sum:
        """A new column from 0 to `upper`."""
        self.upper.append(upper)
        self.cost.append(cost)
        return Sum(((len(self.upper) - 1, 1.0),))

    def at_least(self, more: Sum, less: Sum = ZERO) -> int | None:
        """Add the row `more >= less`; returns its number, None if it always holds."""
        return self.at_most(less, more)

    def at_most(self, less: Sum, more: Sum = ZERO) -> int | None:
        """Add the row `less <= more`; returns its number, None if it always holds."""
        low, high = sum(min(0.0, each * self.upper[c]) for c, each in more.terms), 0.0
        for column, each in less.terms:
            high += max(0.0, each * self.upper[column])
        if high + less.constant <= low + more.constant:
            return None
        row = len(self.limits)
        self.limits.append((-inf, more.constant - less.constant))
        self.entries += [(row, column, each) for column, each in less.terms]
        self.entries += [(row, column, -each) for column, each in more.terms]
        return row

    def rows(self) -> Rows:
        """The linear program."""
        program = Rows()
        program.columns(len(self.upper), np.array(self.upper), np.array(self.cost), tight=True)
        lower, upper = np.array(self.limits, float).reshape(-1, 2).T
        program.rows(len(self.limits), lower, upper)
        if self.entries:
            rows, columns, coefficients = zip(*self.entries, strict=True)
            program.add(rows, columns, coefficients)
        for row, group in zip(program.choices(len(self.groups)).tolist(), self.groups, strict=True):
            program.add([row] * len(group), group)
        return program


@dataclass(frozen=True)
class Progress:
    """The fraction of a task or copy that is done at the end of each slot from `since` on: that of the time between its
    begin and its end. So a job that takes a stream is never ahead of the job that makes the stream."""

    since: int = 0
    done: tuple[Sum, ...] = ()

    def by(self, slot: int) -> Sum:
        """The fraction that is done at the end of a slot."""
        return self.done[min(slot - self.since, len(self.done) - 1)] if self.done and slot >= self.since else ZERO

    def within(self, slot: int) -> Sum:
        """The fraction that is done in a slot."""
        if not self.since <= slot < self.since + len(self.done):
            return ZERO
        return self.by(slot) - self.by(slot - 1) if slot > self.since else self.by(slot)

    @property
    def slots(self) -> range:
        return range(self.since, self.since + len(self.done))


NOTHING = Progress()


@dataclass(frozen=True)
class JointRelaxation:
    """The optimal solution of the linear program. `bound_ns`: a lower bound on the time of an iteration of any plan, in
    ns, proven by the dual solution."""

    bound_ns: float
    fractions: Mapping[tuple[int, Choice], float]
    """For each node, by its number, and each of its choices, the fraction that is run so."""
    reruns: Mapping[tuple[int, int], float]
    """For each node and each later node, by their numbers, the fraction of the first that runs again before the
    second; zeros are left out."""
    prices: Floats
    """For each node, the time in ns that an iteration would save if one byte less were in the primary device's memory
    while the node runs."""


def joint_bound(problem: Problem, system: MemorySystem, repeats: bool = True) -> JointRelaxation | None:
    """The relaxation of all plans for a problem whose primary device has a memory system. `repeats`: nodes may run
    again. None if the problem has too many nodes, or regions."""
    if problem.regions or not 0 < sum(not node.view for node in problem.nodes) <= LARGEST:
        return None
    return _Builder(problem, system, repeats).solved()


Key: TypeAlias = "tuple[Piece, int]"
"""A piece and a slot."""


class _Builder:
    """The linear program of a problem. Bytes are in units of 1/UNITS of the primary device's memory."""

    def __init__(self, problem: Problem, system: MemorySystem, repeats: bool) -> None:
        self.problem, self.system, self.repeats = problem, system, repeats
        self.primary = problem.primary
        self.lines = Lines()
        self.unit = system.capacity / UNITS
        self.second = max(system.in_rate, system.out_rate) / self.unit
        self.contents = Contents(problem)
        self.nodes = [node for node in problem.nodes if not node.view]
        self.others = tuple(
            dict.fromkeys(part.device for node in self.nodes for choice in node.choices for part in choice.parts)
        )
        self.others = tuple(device for device in self.others if device != self.primary)
        self.pieces = self._large()
        self._number()
        self._choose()
        self._windows()
        self._find_uses()
        self._merge()
        self._find_lives()
        self._lengths()
        self._presence()
        self._flows()
        self._beside()
        self._room()
        self._limits()

    # What is decided.

    def _large(self) -> list[Piece]:
        """The pieces that are not ignored."""
        left, found = IGNORED * self.system.capacity, list[Piece]()
        for piece in sorted(self.contents.pieces, key=lambda piece: piece.nbytes):
            left -= piece.nbytes
            if left < 0:
                found.append(piece)
        return sorted(found, key=lambda piece: piece.number)

    def _number(self) -> None:
        """Number the slots. A node that uses only ignored pieces has no slot of its own: its kernel runs in the slot of
        the node before it."""
        large, slot = {*self.pieces}, 0
        made = {piece.maker for piece in large}
        self.slot: dict[int, int] = {}
        self.node_at: dict[int, int] = {}
        for node in self.nodes:
            parts = [part for choice in node.choices for part in choice.parts]
            if node.index in made or any(piece in large for part in parts for piece, _ in self._read(part)):
                slot += 1
                self.node_at[slot] = node.index
            self.slot[node.index] = slot
        self.end = slot + 1
        self.users = [self.problem.nodes[index] for index in self.node_at.values()]
        """The nodes that have slots of their own."""

    def starts(self, node: int) -> int:
        """The first slot that surely begins after a node's kernel starts, or with it."""
        slot = self.slot[node]
        return slot if self.node_at.get(slot) == node else slot + 1

    def size(self, piece: Piece) -> float:
        return sum(each.nbytes for each in self.members[piece]) / self.unit

    def time(self, ns: float) -> float:
        return ns / NS * self.second

    def _choose(self) -> None:
        """Add the fraction of each choice of each node."""
        self.taken: dict[tuple[int, Choice], Sum] = {}
        for node in self.nodes:
            columns = [self.lines.column() for _ in node.choices] if len(node.choices) > 1 else [ONE]
            if len(columns) > 1:
                self.lines.groups.append([column for each in columns for column, _ in each.terms])
            self.taken |= {(node.index, choice): each for choice, each in zip(node.choices, columns, strict=True)}

    def chosen(self, node: Node, weights: Mapping[Choice, float]) -> Sum:
        """The weighted sum of the fractions of a node's choices. If all choices have the same weight, it is known."""
        each = {weights.get(choice, 0.0) for choice in node.choices}
        if len(each) == 1:
            return ONE * each.pop()
        return total(self.taken[node.index, choice] * weight for choice, weight in weights.items() if weight)

    def on(self, node: Node, device: str) -> Sum:
        """The fraction of a node of which some part runs on a device."""
        return self.chosen(node, {c: 1.0 for c in node.choices if any(part.device == device for part in c.parts)})

    def made(self, piece: Piece, device: str) -> Sum:
        """The fraction of a piece that its maker makes on a device."""
        if piece.maker is None:
            return ZERO
        node = self.problem.nodes[piece.maker]
        lands = {c: 1.0 for c in node.choices if any(piece.value in p.writes and p.device == device for p in c.parts)}
        return self.chosen(node, lands)

    def _find_uses(self) -> None:
        """Find for each piece the nodes that read it on each device, with the fraction of it that they need."""
        self.readers: dict[tuple[Piece, str], list[tuple[int, Sum]]] = defaultdict(list)
        large = {*self.pieces}
        for node in self.nodes:
            needs: dict[tuple[Piece, str], dict[Choice, float]] = defaultdict(dict)
            for choice in node.choices:
                for part in choice.parts:
                    for piece, fraction in self._read(part):
                        if piece in large and fraction:
                            known = needs[piece, part.device]
                            known[choice] = max(fraction, known.get(choice, 0.0))
            for key, weights in needs.items():
                self.readers[key].append((self.slot[node.index], self.chosen(node, weights)))

    def _merge(self) -> None:
        """Let pieces that are made and read by the same nodes in the same way count as one: in an optimal solution, they
        may as well be moved in equal fractions."""
        apart = {piece.heir for piece in self.contents.pieces if piece.heir is not None}
        apart |= {piece for reused in self.contents.reused.values() for piece in reused}
        values = {*self.problem.movable, *self.problem.movable.values(), *self.problem.left, *self.problem.present_at}
        self.members: dict[Piece, list[Piece]] = defaultdict(list)
        self.known: dict[Piece, Piece] = {}
        first: dict[object, Piece] = {}
        for piece in self.pieces:
            uses = tuple((device, tuple(self.readers[piece, device])) for device in (self.primary, *self.others))
            key: object = (piece.kind, piece.maker, piece.returned, piece.value is None, uses)
            if piece.heir is not None or piece in apart or piece.value in values or piece.views:
                key = piece
            elif piece.maker is not None:
                lands = tuple(self.made(piece, device) for device in (self.primary, *self.others))
                key = (key, lands)
            self.known[piece] = first.setdefault(key, piece)
            self.members[self.known[piece]].append(piece)
        self.pieces = [piece for piece in self.pieces if self.known[piece] is piece]

    def _read(self, part: ChoicePart) -> Iterable[tuple[Piece, float]]:
        for value in part.reads:
            yield from self.contents.shown.get(value, {}).items()
        if part.device == self.primary:
            yield from ((self.contents.residents[what], 1.0) for what, _ in part.residents)

    def _find_lives(self) -> None:
        """Find the units that may run again, and the slots from and until which each piece is needed."""
        self.results: dict[int, list[Piece]] = defaultdict(list)
        for piece in self.pieces:
            if piece.maker is not None:
                self.results[piece.maker].append(piece)
        self.again = {
            node.index: min(ns)
            for node in self.nodes
            if self.repeats and self.results[node.index] and (ns := [self._alone(c) for c in node.choices]) and min(ns) < inf
        }
        self.operands = {
            unit: list({self.known[p]: (self.known[p], f) for p, f in self._on_primary(unit).items() if p in self.known}.values())
            for unit in self.again
        }
        self.rereaders: dict[Piece, list[int]] = defaultdict(list)
        for unit, operands in self.operands.items():
            for piece, _ in operands:
                self.rereaders[piece].append(unit)
        self.first, self.last = dict[Piece, int](), dict[Piece, int]()
        for piece in self.pieces:
            self.first[piece] = self._first(piece)
            uses = [slot for slot, _ in self.readers[piece, self.primary]]
            uses += [self.until(self.node_at[slot], d) for d in self.others for slot, _ in self.readers[piece, d]]
            late = piece.returned or (piece.kind == "persistent" and piece.heir is None) or self._replaces(piece)
            self.last[piece] = self.end if late else max(uses, default=self.first[piece])
        for node in reversed(self.nodes):
            if node.index in self.again:
                until = max(self.last[piece] for piece in self.results[node.index])
                for piece, _ in self.operands[node.index]:
                    self.last[piece] = max(self.last[piece], until)

    def _first(self, piece: Piece) -> int:
        """The first slot at whose start a piece may be present. Other devices may make it before the slot of its maker
        begins."""
        if piece.maker is None:
            return 1
        elsewhere = any(not self.made(piece, device).is_zero for device in self.others)
        return (self.before[piece.maker] if elsewhere else self.slot[piece.maker]) + 1

    def _alone(self, choice: Choice) -> float:
        """The time of a choice on the primary device alone, in ns; infinite for others, and for those that change
        states."""
        (part, *more) = choice.parts
        return inf if more or part.device != self.primary or part.states or part.own else part.cost.ns

    def _on_primary(self, unit: int) -> dict[Piece, float]:
        """What a node needs at least to run again, each piece with its fraction."""
        ways = [
            dict(self._read(choice.parts[0])) for choice in self.problem.nodes[unit].choices if self._alone(choice) < inf
        ]
        return {piece: min(way.get(piece, 0.0) for way in ways) for piece in ways[0]}

    def _replaces(self, piece: Piece) -> bool:
        return any(other.heir is piece for other in self.pieces)

    # Slots.

    def _lengths(self) -> None:
        """Add the waits of all slots, and the repeated runs in them."""
        lines, problem = self.lines, self.problem
        work = sum(max(choice.cost.ns for choice in node.choices) for node in self.nodes)
        moved = sum(self.size(piece) for piece in self.pieces) * self.unit * 4 * len(self.nodes)
        slowest = min((min(tier.in_rate, tier.out_rate) for tier in self.system.tiers), default=self.system.in_rate)
        self.patience = self.time(2 * work) + moved / slowest * self.second
        self.waits = [lines.column(self.patience, 1.0) for _ in range(self.end + 1)]
        self.kernel = [ZERO, *(self._kernel(node) for node in self.users), ZERO]
        self.trailing = [ZERO] * (self.end + 1)
        """The time of the other kernels in each slot."""
        for node in self.nodes:
            if self.node_at.get(slot := self.slot[node.index]) != node.index:
                self.trailing[slot] += self._kernel(node)
        self.rerun: dict[tuple[int, int], Sum] = {}
        """For each unit and each slot that a repeated run precedes, the fraction that runs again there."""
        self.again_by: dict[int, Progress] = {}
        for unit, ns in self.again.items():
            until = max(self.last[piece] for piece in self.results[unit])
            runs = self.again_by[unit] = self.progress(self.slot[unit] + 2, min(until, self.end))
            for before in runs.slots:
                self.rerun[unit, before] = runs.within(before)
            for column, _ in runs.by(self.end).terms:
                lines.cost[column] += self.time(ns)
        self.repeated: dict[int, Sum] = defaultdict(lambda: ZERO)
        """The time of repeated runs in each slot."""
        for (unit, before), fraction in self.rerun.items():
            self.repeated[before - 1] += fraction * self.time(self.again[unit])
        kernels = total([*self.kernel, *self.trailing])
        for column, each in kernels.terms:
            lines.cost[column] += each
        self.least = kernels.constant

    def _kernel(self, node: Node) -> Sum:
        """The time of a node's kernels on the primary device."""
        ns = {c: sum(part.cost.ns for part in c.parts if part.device == self.primary) for c in node.choices}
        return self.chosen(node, {choice: self.time(each) for choice, each in ns.items()})

    def after_kernel(self, slot: int) -> Sum:
        """The time in a slot after its kernel has ended; for the last slot with that before the first kernel of the next
        iteration."""
        more = self.after_kernel(0) if slot == self.end else ZERO
        return self.waits[slot] + self.repeated[slot] + self.trailing[slot] + more

    # Pieces in memories.

    def _presence(self) -> None:
        """Add the fraction of each piece that is present at the start of each slot, and of which a tier has a copy."""
        self.present: dict[Key, Sum] = {}
        self.copied: dict[Key, Sum] = {}
        self.stays: dict[Piece, dict[str, Sum]] = defaultdict(dict)
        """For each argument, the fraction that is on each other device from the start."""
        self._place_arguments()
        for piece in self.pieces:
            needed = {slot for slot, each in self.readers[piece, self.primary] if not each.terms and each.constant >= 1}
            streamed = any(self.streams(device, self.primary) and self.returns(piece, device) for device in self.others)
            for slot in range(self.first[piece], self.last[piece] + 1):
                surely = slot in needed and not streamed
                self.present[piece, slot] = ONE if surely else self.lines.column()
                if not self._constant(piece):
                    self.copied[piece, slot] = self.lines.column()

    def _place_arguments(self) -> None:
        """Add the devices on which arguments may be from the start, other than the primary one."""
        for value in self.problem.inputs:
            piece = next(iter(self.contents.shown[value]))
            for device in self.problem.present_at.get(value, ()):
                if device != self.primary:
                    self.stays[piece][device] = ONE
            if value in self.problem.movable:
                columns = {device: self.lines.column() for device in self.others}
                self.stays[piece] |= columns
                self.lines.at_most(total(columns.values()), ONE)
        self.left: dict[Piece, dict[str, Sum]] = defaultdict(dict)
        """For each result, the fraction that stays on each other device."""
        for value, taken in self.problem.movable.items():
            for piece in self.contents.shown[taken]:
                self.left[piece] = self.stays[next(iter(self.contents.shown[value]))]
        for value in self.problem.left:
            for piece in self.contents.shown[value]:
                self.left[piece] = {device: self.made(piece, device) for device in self.others}

    def _constant(self, piece: Piece) -> bool:
        """True if a tier may have a copy of a piece all the time, made once."""
        return piece.kind == "persistent" and piece.heir is None

    def streams(self, maker: str, taker: str) -> bool:
        return self.problem.clock.machine.streams(maker, taker)

    def returns(self, piece: Piece, device: str) -> bool:
        """True if a piece may be copied from another device to the primary one."""
        return bool(not self.made(piece, device).is_zero or device in self.stays[piece] or piece.views)

    def _flows(self) -> None:
        """Add the bytes that move between the memories in each slot, and the rows that say how each piece comes to be
        where it is."""
        self.come: dict[Piece, Progress] = {}
        """For each piece, the fraction that has come back from tiers, more than 1 if it comes back several times."""
        self.ins: dict[Key, Sum] = {}
        self.outs: dict[Key, Sum] = {}
        self.back: dict[tuple[Piece, str], Progress] = {}
        for piece in self.pieces:
            first, last = self.first[piece], self.last[piece]
            again = len(self.rereaders.get(piece, ()))
            most = 1.0 + len(self.readers[piece, self.primary]) + again + len(self.others)
            self.come[piece] = self.progress(first, last if last == self.end else last - 1, most)
            self.ins |= {(piece, slot): self.come[piece].within(slot) for slot in self.come[piece].slots}
            if not self._constant(piece):
                for slot in range(first - 1 if piece.maker is not None else first, last + (last == self.end)):
                    self.outs[piece, slot] = self._copied_in(piece, slot)
            for device in self.others:
                if self.returns(piece, device):
                    self.back[piece, device] = self.progress(first - 1, last)
        for piece in self.pieces:
            self._changes(piece)
            self._somewhere(piece)
        self.largest = sorted(sorted(self.node_at, key=self._used, reverse=True)[:CUTS])
        for unit in self.again_by:
            self._rereads(unit)

    def _used(self, slot: int) -> float:
        """The bytes that a node's kernel uses if it runs on the primary device."""
        operands = [piece for piece in self.pieces if any(at == slot for at, _ in self.readers[piece, self.primary])]
        return sum(map(self.size, [*operands, *self.results[self.node_at[slot]]]))

    def arrives(self, piece: Piece, slot: int) -> Sum:
        """The fraction of a piece that arrives in a slot, from tiers and other devices."""
        slots = (0, 1) if slot == 1 and piece.maker is None else (slot,)
        return total([self.ins.get((piece, slot), ZERO), *(self.returned(piece, each) for each in slots)])

    def returned(self, piece: Piece, slot: int) -> Sum:
        """The fraction of a piece that other devices return in a slot."""
        return total(self.back.get((piece, device), NOTHING).within(slot) for device in self.others)

    def progress(self, since: int, until: int, most: float = 1.0) -> Progress:
        """Add the progress of a job from one slot to another."""
        found = Progress(since, tuple(self.lines.column(most) for _ in range(since, until + 1)))
        for slot in found.slots[1:]:
            self.lines.at_most(found.by(slot - 1), found.by(slot))
        return found

    def runs(self, piece: Piece, before: int) -> Sum:
        """The fraction of a piece that is computed again before a slot."""
        return self.rerun.get((piece.maker, before), ZERO) if piece.maker is not None else ZERO

    def _copied_in(self, piece: Piece, slot: int) -> Sum:
        """The fraction of a piece that is copied to a tier in a slot. Copies are kept if tiers have room for all."""
        if self.tiers_short or slot >= self.last[piece]:
            return self.lines.column()
        before = self.copied.get((piece, slot), ZERO)
        after = self.copied[piece, slot + 1]
        self.lines.at_most(before, after)
        return after - before

    @cached_property
    def tiers_short(self) -> bool:
        """True if the tiers may be too small for copies of all pieces."""
        held = sum(self.size(piece) for piece in self.pieces) * self.unit
        return held > sum(tier.capacity for tier in self.system.tiers)

    def _changes(self, piece: Piece) -> None:
        """What is present or copied was so before, or has just come to be so."""
        lines, first, last = self.lines, self.first[piece], self.last[piece]
        for slot in range(first, last + 1):
            here, copy = self.present[piece, slot], self.copied.get((piece, slot), ZERO)
            made = piece.maker is not None and slot == self.slot[piece.maker] + 1
            fresh = self.made(piece, self.primary) if made else ZERO
            if slot > first:
                come = fresh + self.arrives(piece, slot - 1) + self.runs(piece, slot)
                lines.at_most(here, self.present[piece, slot - 1] + come)
                if self.tiers_short:
                    lines.at_most(copy, self.copied.get((piece, slot - 1), ZERO) + self.outs[piece, slot - 1])
            elif piece.maker is not None:
                lines.at_most(here, fresh + self.arrives(piece, slot - 1))
                if self.tiers_short:
                    lines.at_most(copy, self.outs[piece, slot - 1])
            elif piece.heir is not None and piece.heir in self.first:
                heir, end = piece.heir, self.end
                lines.at_most(here, self.present[heir, end] + self.ins[heir, end])
                lines.at_most(copy, self.copied[heir, end] + self.outs[heir, end])
            elif self._constant(piece):
                lines.at_most(here, self.present[piece, self.end] + self.ins[piece, self.end])
            elif piece.value is not None and self.primary not in self.problem.starts_at(piece.value):
                lines.at_most(here, self.arrives(piece, 0))
                lines.at_most(copy, self.outs.get((piece, 0), ZERO))
        for slot, need in self.readers[piece, self.primary]:
            streaming = [device for device in self.others if self.streams(device, self.primary)]
            flowing = [self.back.get((piece, device), NOTHING).within(slot) for device in streaming]
            lines.at_least(total([self.present[piece, slot], *flowing]), need)
        for device in self.others:
            self._returned(piece, device)

    def _returned(self, piece: Piece, device: str) -> None:
        """What returns from another device is there."""
        back = self.back.get((piece, device))
        if back is None:
            return
        there = self.made(piece, device) + self.stays[piece].get(device, ZERO)
        self.lines.at_most(back.by(back.slots[-1]), ONE if piece.views else there)

    def _somewhere(self, piece: Piece) -> None:
        """What will be read on the primary device, or returned, is in some memory until then, or will be made again."""
        lines, first, last = self.lines, self.first[piece], self.last[piece]
        uses = list(self.readers[piece, self.primary])
        kept = ONE - total(self.left[piece].values())
        if piece.returned:
            here = self.present[piece, last] + self.arrives(piece, last)
            lines.at_least(here, kept)
            uses.append((last, kept))
        elif self._replaces(piece):
            uses.append((last + 1, kept))
        if self._constant(piece) or piece.views:
            return
        for slot in range(first, last + 1):
            if piece.maker is None or slot > self.slot[piece.maker]:
                self._kept(piece, slot, uses)
        self._gaps(piece, sorted({first, *(slot for slot, _ in uses if slot <= last), last}))
        used = max((slot for slot, _ in uses), default=first)
        for slot in range(first, last):
            if slot < used and (piece.maker is None or slot >= self.slot[piece.maker]):
                continue
            lines.at_most(self.outs.get((piece, slot), ZERO), self.present[piece, slot] + self.arrives(piece, slot))

    def _kept(self, piece: Piece, slot: int, uses: list[tuple[int, Sum]]) -> None:
        """A piece that is used after the start of a slot is in some memory then, or will be made again."""
        there = total([self.made(piece, d) + self.stays[piece].get(d, ZERO) for d in self.others])
        mine = self.present[piece, slot] + self.copied[piece, slot] + there
        for reader, need in [each for each in uses if each[0] > slot][:FOLLOWED]:
            self.lines.at_least(mine + self.later(piece.maker, slot, reader), need)
            if not need.terms and need.constant >= 1:
                break

    def later(self, unit: int | None, slot: int, until: int | None = None) -> Sum:
        """The fraction of a unit that runs again after the start of a slot, at most until that of another one."""
        runs = NOTHING if unit is None else self.again_by.get(unit, NOTHING)
        return runs.by(self.end if until is None else until) - runs.by(slot)

    def _rereads(self, unit: int) -> None:
        """As long as a unit will run again, what it reads is in some memory, or will be computed again, too; and this
        much is present at some time. A unit runs again once at most, so that no part of an operand serves twice."""
        for piece, fraction in self.operands[unit]:
            since, until = self.slot[unit] + 1, self.last[piece]
            if piece.views or not fraction or unit not in self.again_by:
                continue
            returned = [each for device in self.others if (each := self.back.get((piece, device)))]
            flows = [self.come[piece], *returned]
            for slot in [each for each in self.largest if since <= each < until]:
                come = total(each.by(until) - each.by(slot - 1) for each in flows)
                here = self.present[piece, slot] + self.later(piece.maker, slot)
                self.lines.at_most(self.later(unit, slot) * fraction, here + come)

    def _gaps(self, piece: Piece, cuts: list[int]) -> None:
        """Between two uses no byte comes back twice from a tier, unless a repeated run needs it."""
        for since, until in zip(cuts, cuts[1:], strict=False):
            come = self.come[piece].by(until - 1) - self.come[piece].by(since - 1)
            reread = total(self.later(unit, since, until) for unit in self.rereaders.get(piece, ()))
            self.lines.at_most(come, self.copied[piece, until] + reread)

    # Other devices, and the links to them.

    def _windows(self) -> None:
        """Find for each node the last node before it, and the first one after it, on a chain of data dependences, that
        surely run on the primary device; `tied` of them are those with another node in between on some chain."""
        nodes = self.problem.nodes
        here = {node.index for node in self.nodes if all(self.on(node, device).is_zero for device in self.others)}
        self.before, self.behind = [0] * len(nodes), [self.end] * len(nodes)
        self.tied_before, self.tied_behind = set[int](), set[int]()
        makers = self.problem.makers
        for node in nodes:
            found = [(self.slot[each], False) if each in here else (self.before[each], not nodes[each].view or each in self.tied_before) for each in makers[node.index]]
            last = self.before[node.index] = max((slot for slot, _ in found), default=0)
            if any(tied for slot, tied in found if slot == last):
                self.tied_before.add(node.index)
        takers: list[list[int]] = [[] for _ in nodes]
        for node in nodes:
            for each in makers[node.index]:
                takers[each].append(node.index)
        for node in reversed(nodes):
            found = [(self.starts(each), False) if each in here else (self.behind[each], not nodes[each].view or each in self.tied_behind) for each in takers[node.index]]
            first = self.behind[node.index] = min((slot for slot, _ in found), default=self.end + 1)
            if any(tied for slot, tied in found if slot == first):
                self.tied_behind.add(node.index)

    def flows_in(self, node: int, device: str) -> bool:
        """True if another device may run a node while the last node before it that surely runs on the primary device
        still runs."""
        tied = node in self.tied_before and not self.chained
        return not tied and (self.chained or self.streams(self.primary, device))

    def until(self, node: int, device: str) -> int:
        """The last slot in which another device may run a node."""
        flows = self.chained or (node not in self.tied_behind and self.streams(device, self.primary))
        return min(self.end, self.behind[node] - 1 + flows)

    @cached_property
    def chained(self) -> bool:
        """True if other devices stream to each other."""
        return any(self.streams(*pair) for pair in permutations(self.others, 2))

    def _beside(self) -> None:
        """Add the work of other devices, and the copies to them, in each slot."""
        self.loads: dict[tuple[str, int], list[Sum]] = defaultdict(list)
        self.late_loads: dict[tuple[str, int], list[Sum]] = defaultdict(list)
        """Work in the slots of kernels on whose results it waits."""
        self.works: dict[tuple[int, Choice], Progress] = {}
        self.sent: dict[tuple[Piece, str], Progress] = {}
        for node in self.nodes:
            for choice in node.choices:
                for place, part in enumerate(choice.parts):
                    if part.device != self.primary and part.cost.ns:
                        self._work(node, choice, place)
        for (_, slot), loads in self.late_loads.items():
            self.lines.at_most(total(loads), self.after_kernel(slot))
        for node in self.nodes:
            for maker in self._nodes_before(node):
                for device in self.others:
                    self._chain(maker, node, device)
        for piece in self.pieces:
            for device in self.others:
                if self.readers[piece, device]:
                    self._send(piece, device)
        for (piece, device), back in self.back.items():
            self._load_copy(piece, device, self.primary, back)
            self._after_maker(piece, device, back)
        for piece, devices in self.left.items():
            for device, fraction in devices.items():
                if piece in self.first and (piece, device) not in self.sent:
                    self.lines.at_least(self.made(piece, device), fraction)
        for (resource, slot), loads in self.loads.items():
            self.lines.at_most(total(loads), self._free(resource, slot))

    def _free(self, resource: str, slot: int) -> Sum:
        """The time in a slot in which a resource may be used: all of it, or, for a lock that kernels of the primary
        device hold, too, the rest."""
        locked = resource in self.problem.draws.rules.locks.get(self.primary, ())
        return self.waits[slot] if locked else self.length(slot)

    def length(self, slot: int) -> Sum:
        return self.kernel[slot] + self.repeated[slot] + self.trailing[slot] + self.waits[slot]

    def load(self, resource: str, slot: int, work: Sum) -> None:
        """Count some work of a device or link in a slot."""
        if not work.is_zero:
            for each in (resource, *self.problem.draws.rules.locks.get(resource, ())):
                self.loads[each, slot].append(work)

    def _work(self, node: Node, choice: Choice, place: int) -> None:
        """Add the work of a part of a choice in each slot in which it may run."""
        lines, slot, part = self.lines, self.slot[node.index], choice.parts[place]
        flows = self.streams(part.device, self.primary)
        since, until = self.before[node.index], self.until(node.index, part.device)
        since = max(since, slot) if any(each.device == self.primary for each in choice.parts[:place]) else since
        if any(each.device == self.primary for each in choice.parts[place + 1 :]):
            until = min(until, self.starts(node.index) - 1 + flows)
        work, taken = self.progress(since, until), self.taken[node.index, choice]
        lines.at_least(work.by(until), taken)
        for each in work.slots:
            self.load(part.device, each, work.within(each) * self.time(part.cost.ns))
        if len(choice.parts) == 1:
            self.works[node.index, choice] = work
        if 0 < since == self.before[node.index] and not self.flows_in(node.index, part.device):
            self.late_loads[part.device, since].append(work.by(since) * self.time(part.cost.ns))
        for maker, here in self._makers(part):
            lines.at_most(work.by(maker - 1), ONE - here)
        for reader, here in self._takers(part):
            if reader - 1 + flows < until:
                lines.at_most(taken - work.by(reader - 1 + flows), ONE - here)

    def _nodes_before(self, node: Node) -> set[Node]:
        """The nodes whose results a node reads, directly or through views."""
        waiting, found, met = [*node.reads], set[int](), {*node.reads}
        while waiting:
            maker = self.problem.producer.get(waiting.pop())
            if maker is not None and self.problem.nodes[maker].view:
                waiting += {*self.problem.nodes[maker].reads} - met
                met |= {*self.problem.nodes[maker].reads}
            elif maker is not None:
                found.add(maker)
        return {self.problem.nodes[each] for each in found}

    def done(self, node: Node, device: str, slot: int) -> Sum:
        """The fraction of a node that a device has surely not less than done by the end of a slot: choices of several
        parts count as done."""
        found: list[Sum] = []
        for choice in node.choices:
            if any(part.device == device for part in choice.parts):
                work = self.works.get((node.index, choice))
                found.append(self.taken[node.index, choice] if work is None else work.by(slot))
        return total(found)

    def _after_maker(self, piece: Piece, device: str, back: Progress) -> None:
        """A piece returns after its maker has run."""
        if piece.maker is None or piece.views:
            return
        maker, stays = self.problem.nodes[piece.maker], self.stays[piece].get(device, ZERO)
        for slot in back.slots:
            if slot < self._latest(maker, device):
                self.lines.at_most(back.by(slot), self.done(maker, device, slot) + stays)

    def _latest(self, node: Node, device: str) -> int:
        """The last slot in which the tasks of a node's choices run on a device."""
        works = [self.works.get((node.index, choice), NOTHING) for choice in node.choices]
        return max((work.slots[-1] for work in works if work.done), default=0) if device else 0

    def _chain(self, maker: Node, node: Node, device: str) -> None:
        """A device runs a node after the node that makes its operands."""
        works = [
            self.works[node.index, choice]
            for choice in node.choices
            if choice.device == device and (node.index, choice) in self.works
        ]
        before = {choice: 1.0 for choice in maker.choices if choice.device != device or len(choice.parts) > 1}
        here = {choice: 1.0 for choice in before if len(choice.parts) == 1 and choice.device == self.primary}
        elsewhere = {choice: 1.0 for choice in before if choice not in here}
        if not works or len(before) == len(maker.choices):
            return
        for slot in range(min(work.since for work in works), self._latest(maker, device)):
            done = self.chosen(maker, elsewhere) + self.done(maker, device, slot)
            if slot >= self.slot[maker.index]:
                done += self.chosen(maker, here)
            self.lines.at_most(total(work.by(slot) for work in works), done)

    def _makers(self, part: ChoicePart) -> Iterable[tuple[int, Sum]]:
        """The slots of the nodes that make what a part reads, each with the fraction made on the primary device."""
        waiting, met = [*part.reads], {*part.reads}
        while waiting:
            value = waiting.pop()
            if (maker := self.problem.producer.get(value)) is None:
                continue
            node = self.problem.nodes[maker]
            if node.view:
                waiting += {*node.reads} - met
                met |= {*node.reads}
                continue
            lands = {
                c: 1.0
                for c in node.choices
                if any(value in each.writes and each.device == self.primary for each in c.parts)
            }
            yield self.slot[maker], self.chosen(node, lands)

    def _takers(self, part: ChoicePart) -> Iterable[tuple[int, Sum]]:
        """The slots of the nodes that read what a part makes, each with the fraction that reads it on the primary
        device."""
        waiting, met = [*part.writes], {*part.writes}
        while waiting:
            value = waiting.pop()
            for reader in dict.fromkeys(self.problem.consumers.get(value, ())):
                node = self.problem.nodes[reader]
                if node.view:
                    waiting += {*node.writes} - met
                    met |= {*node.writes}
                    continue
                reads = {
                    c: 1.0
                    for c in node.choices
                    if any(value in each.reads and each.device == self.primary for each in c.parts)
                }
                yield self.starts(reader), self.chosen(node, reads)

    def _send(self, piece: Piece, device: str) -> None:
        """Add the copies of a piece from the primary device to another one."""
        lines, readers = self.lines, self.readers[piece, device]
        since = 0
        if piece.maker is not None:
            since = self.slot[piece.maker] if len(self.others) == 1 else self.first[piece] - 1
        ends = {slot: self.until(self.node_at[slot], device) for slot, _ in readers}
        until = max(ends.values())
        sent = self.sent[piece, device] = self.progress(since, until)
        there = self.made(piece, device) + self.stays[piece].get(device, ZERO)
        others = [each for each in self.others if each != device]
        for other in others:
            if not self._relayed(other, device):
                there += ONE  # copies between other devices are not counted
        for slot, need in readers:
            lines.at_least(sent.by(ends[slot]) + there, need)
            self._after_copy(piece, device, slot, sent, there)
        here = self.made(piece, self.primary)
        if piece.maker is None:
            here = ONE - total(self.stays[piece].values())
        elif piece.views:
            here = ONE
        back = [self.back.get((piece, other), NOTHING) for other in others]
        runs = self.again_by.get(-1 if piece.maker is None else piece.maker, NOTHING).by(self.end)
        lines.at_most(sent.by(until), total([here, *(each.by(self.end) for each in back), runs]))
        self._load_copy(piece, self.primary, device, sent)
        for slot in sent.slots:
            if slot >= max(1, self.first[piece]):
                present = self.present[piece, slot] + self.runs(piece, slot + 1)
                fresh = self.made(piece, self.primary) if slot == self.slot.get(piece.maker or 0, 0) else ZERO
                lines.at_most(sent.within(slot), present + self.arrives(piece, slot) + fresh)

    def _after_copy(self, piece: Piece, device: str, slot: int, sent: Progress, there: Sum) -> None:
        """A device runs a node after the copies of its operands."""
        node = self.problem.nodes[self.node_at[slot]]
        for choice in node.choices:
            work = self.works.get((node.index, choice))
            if work is None or choice.device != device:
                continue
            fraction = max(
                (each for what, each in self._read(choice.parts[0]) if self.known.get(what) is piece), default=0.0
            )
            for each in work.slots[:-1]:
                lines = self.lines
                lines.at_most(work.by(each) * fraction, sent.by(each) + there)

    def _relayed(self, source: str, target: str) -> bool:
        """True if copies between two other devices pass through the primary device."""
        hops = self.problem.copies.hops(source, target)
        return len(hops) > 1 and hops[0].target == self.primary

    def _load_copy(self, piece: Piece, source: str, target: str, copy: Progress) -> None:
        """Count a copy on its link; copies of views, and those that pass through further devices, are not counted."""
        if piece.views:
            return
        hops = self.problem.copies.hops(source, target)
        if len(hops) == 1:
            sizes = self.problem.sizes
            whole = [m.value for m in self.members[piece] if m.value is not None and sizes[m.value] == m.nbytes]
            ns = sum(self.problem.copies.ns(value, source, target) for value in whole)
            for slot in copy.slots:
                self.load(hops[0].link, slot, copy.within(slot) * self.time(ns))

    # Limits.

    def _room(self) -> None:
        """What is present and in use fits the primary device's memory, at the start and at the end of each kernel."""
        at: dict[int, list[Piece]] = defaultdict(list)
        for piece, slot in self.present:
            at[slot].append(piece)
        self.needs: dict[int, dict[Piece, Sum]] = defaultdict(dict)
        for piece in self.pieces:
            for slot, need in self.readers[piece, self.primary]:
                self.needs[slot][piece] = need
        self.rooms: dict[int, list[int | None]] = defaultdict(list)
        for node in self.users:
            slot, reused = self.slot[node.index], self.contents.reused[node.index]
            made = [piece for piece in self.results[node.index] if piece not in reused]
            results = total(self.made(piece, self.primary) * self.size(piece) for piece in made)
            here = total(self.present[piece, slot] * self.size(piece) for piece in at[slot])
            self.rooms[slot].append(self.lines.at_most(here + results, ONE * UNITS))
            self._room_after(node, results, at[slot + 1])
        here = total(self.present[piece, self.end] * self.size(piece) for piece in at[self.end])
        self.lines.at_most(here, ONE * UNITS)

    def _room_after(self, node: Node, results: Sum, following: list[Piece]) -> None:
        """At the end of a kernel."""
        slot = self.slot[node.index]
        needs = self.needs[slot]
        used = [results]
        for piece, need in needs.items():
            more = self._more(piece, need, slot) if piece in following else ZERO
            used.append((need + more) * self.size(piece))
        own = {*needs, *self.results[node.index]}
        used += [self.present[piece, slot + 1] * self.size(piece) for piece in following if piece not in own]
        come = [self.after_kernel(slot) * self._rate("in_rate")]
        for piece in following:
            come.append(self.returned(piece, slot) * self.size(piece))
            come.append(self.runs(piece, slot + 1) * self.size(piece))
        self.rooms[slot].append(self.lines.at_most(total(used), total([ONE * UNITS, *come])))

    def _more(self, piece: Piece, need: Sum, slot: int) -> Sum:
        """The fraction of an operand that is present when the next kernel starts, beyond that which this kernel
        needs."""
        if not need.terms and need.constant >= 1:
            return ZERO
        more = self.lines.column()
        self.lines.at_least(more + need, self.present[piece, slot + 1])
        return more

    def _rate(self, way: str) -> float:
        """The units of bytes that move to the primary device, or from it, in a unit of time."""
        tiers = sum(getattr(tier, way) for tier in self.system.tiers)
        return min(getattr(self.system, way), tiers) / self.unit / self.second

    def _limits(self) -> None:
        """Limit the bytes on links to tiers, in tiers, and in other devices' memories; and say what reruns read."""
        flows = ((self.ins, "in_rate"), (self.outs, "out_rate"))
        for moved, way in flows:
            by_slot: dict[int, list[Sum]] = defaultdict(list)
            for (piece, slot), fraction in moved.items():
                by_slot[slot].append(fraction * self.size(piece))
            for slot, each in by_slot.items():
                more = self.length(0) if slot == self.end else ZERO
                self.lines.at_most(total(each), (self.length(slot) + more) * self._rate(way))
        for node in self.users:
            slot = self.slot[node.index]
            fresh = [self.outs.get((p, slot), ZERO) * self.size(p) for p in self.results[node.index]]
            self.lines.at_most(total(fresh), self.after_kernel(slot) * self._rate("out_rate"))
        for (unit, before), fraction in self.rerun.items():
            for piece, part in self.operands[unit]:
                if part:
                    here = self.present[piece, before - 1] + self.arrives(piece, before - 1) + self.runs(piece, before)
                    self.lines.at_least(here, fraction * part)
        for piece in self.pieces:
            if (end := self.ins.get((piece, self.end))) is not None and (piece, self.end) in self.copied:
                copied = self.copied[piece, self.end] + self.outs.get((piece, self.end), ZERO)
                self.lines.at_most(end, copied)
        self._tiers()
        for device in self.others:
            self._memory(device)

    def _tiers(self) -> None:
        """Copies fit the tiers."""
        capacity = sum(tier.capacity for tier in self.system.tiers)
        if not self.tiers_short:
            return
        by_slot: dict[int, list[Sum]] = defaultdict(list)
        for (piece, slot), fraction in self.copied.items():
            by_slot[slot].append(fraction * self.size(piece))
        for each in by_slot.values():
            self.lines.at_most(total(each), ONE * (capacity / self.unit))

    def _memory(self, device: str) -> None:
        """Weights, and arguments that are there from the start, fit the memory of another device."""
        held: dict[object, list[Sum]] = defaultdict(list)
        sizes: dict[object, int] = {}
        for node in self.nodes:
            for choice in node.choices:
                for what, nbytes in [each for p in choice.parts if p.device == device for each in p.residents]:
                    held[what].append(self.taken[node.index, choice])
                    sizes[what] = min(nbytes, sizes.get(what, nbytes))
        room, mine = self.problem.clock.machine.devices[device].memory_bytes, list[Sum]()
        stays = [(p, each[device]) for p, each in self.stays.items() if device in each]
        if sum(sizes.values()) + sum(piece.nbytes for piece, _ in stays) <= room:
            return
        for what, fractions in held.items():
            most = self.lines.column()
            for fraction in fractions:
                self.lines.at_least(most, fraction)
            mine.append(most * (sizes[what] / self.unit))
        mine += [fraction * (piece.nbytes / self.unit) for piece, fraction in stays]
        self.lines.at_most(total(mine), ONE * (room / self.unit))

    def solved(self) -> JointRelaxation | None:
        """The solution; None if the solver finds none."""
        program = self.lines.rows()
        found = program.solve()
        if found is None:
            return None
        bound = min(found.lower_bound + self.least, self.patience)
        values, duals = found.values, found.duals

        def value(each: Sum) -> float:
            return each.constant + sum(weight * float(values[column]) for column, weight in each.terms)

        prices = np.zeros(len(self.problem.nodes))
        for node in self.users:
            rows = [row for row in self.rooms[self.slot[node.index]] if row is not None]
            prices[node.index] = -sum(float(duals[row]) for row in rows) / self.second * NS / self.unit
        index = self.node_at
        again = {(unit, before): value(each) for (unit, before), each in self.rerun.items()}
        return JointRelaxation(
            bound / self.second * NS,
            {key: value(each) for key, each in self.taken.items()},
            {(unit, index.get(b, len(self.problem.nodes))): each for (unit, b), each in again.items() if each > 0},
            prices.clip(0.0),
        )

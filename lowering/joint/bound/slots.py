"""The slots of a linear program over plans: which node runs how, which kernels and repeated runs each slot holds, and
which nodes read which pieces of memory in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import permutations
from math import inf

from interp.machine.memory_system import MemorySystem
from lowering.instance.choice import Choice, ChoicePart, Node
from lowering.instance.problem import Problem
from lowering.joint.bound.contents import Contents, Piece
from lowering.joint.bound.lines import ONE, ZERO, Lines, Progress, Sum, total

NS = 1e9
UNITS = 40
"""Units of bytes in the primary device's memory; the unit of time is that in which the bus moves one."""
IGNORED = 0.002
"""The fraction of the primary device's memory that all ignored pieces together take at most."""


class Slots:
    """The choices of a problem's nodes, the slots, and the uses of pieces. Bytes are in units of 1/UNITS of the primary
    device's memory."""

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
        """Add the fraction of each choice of each node. A kernel that exceeds the primary device's memory by itself is
        no choice."""
        self.taken: dict[tuple[int, Choice], Sum] = {}
        self.able: dict[int, list[Choice]] = {}
        for node in self.nodes:
            able = [choice for choice in node.choices if self._fits(node, choice)] or [*node.choices]
            columns = [self.lines.column() for _ in able] if len(able) > 1 else [ONE]
            if len(columns) > 1:
                self.lines.groups.append([column for each in columns for column, _ in each.terms])
            self.able[node.index] = able
            self.taken |= {(node.index, choice): ZERO for choice in node.choices}
            self.taken |= {(node.index, choice): each for choice, each in zip(able, columns, strict=True)}

    def _fits(self, node: Node, choice: Choice) -> bool:
        """True if each part of a choice that runs on the primary device fits its memory by itself."""
        reused = self.contents.reused[node.index]
        fresh = {piece.value: piece.nbytes for piece in self.contents.pieces if piece not in reused}
        for part in choice.parts:
            needs: dict[Piece, float] = {}
            for piece, fraction in self._read(part) if part.device == self.primary else ():
                needs[piece] = max(fraction * piece.nbytes, needs.get(piece, 0.0))
            made = sum(fresh.get(value, 0) for value in part.writes)
            if part.device == self.primary and sum(needs.values()) + made > self.system.capacity:
                return False
        return True

    def chosen(self, node: Node, weights: Mapping[Choice, float]) -> Sum:
        """The weighted sum of the fractions of a node's choices. If all choices have the same weight, it is known."""
        each = {weights.get(choice, 0.0) for choice in self.able[node.index]}
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
        """Let pieces that are made and read by the same nodes in the same way count as one: in an optimal solution they
        may as well move in equal fractions."""
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
            if self.repeats
            and self.results[node.index]
            and (ns := [self._alone(c) for c in node.choices])
            and min(ns) < inf
        }
        self.operands = {
            unit: list(
                {
                    self.known[p]: (self.known[p], f) for p, f in self._on_primary(unit).items() if p in self.known
                }.values()
            )
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
        """The pieces that a node needs to run again, each with the fraction that it needs at least."""
        ways = [
            dict(self._read(choice.parts[0]))
            for choice in self.problem.nodes[unit].choices
            if self._alone(choice) < inf
        ]
        return {piece: min(way.get(piece, 0.0) for way in ways) for piece in ways[0]}

    def _replaces(self, piece: Piece) -> bool:
        return any(other.heir is piece for other in self.pieces)

    def _lengths(self) -> None:
        """Add the waits of all slots, and the repeated runs in them."""
        lines = self.lines
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
        """The time in a slot after its kernel has ended; for the last slot, with that before the first kernel of the
        next iteration."""
        more = self.after_kernel(0) if slot == self.end else ZERO
        return self.waits[slot] + self.repeated[slot] + self.trailing[slot] + more

    def _windows(self) -> None:
        """Find for each node the last node before it, and the first one after it, on a chain of data dependences, that
        surely run on the primary device; `tied` of them are those with another node in between on some chain."""
        nodes = self.problem.nodes
        here = {node.index for node in self.nodes if all(self.on(node, device).is_zero for device in self.others)}
        self.before, self.behind = [0] * len(nodes), [self.end] * len(nodes)
        self.tied_before, self.tied_behind = set[int](), set[int]()
        makers = self.problem.makers
        for node in nodes:
            found = [
                (self.slot[each], False)
                if each in here
                else (self.before[each], not nodes[each].view or each in self.tied_before)
                for each in makers[node.index]
            ]
            last = self.before[node.index] = max((slot for slot, _ in found), default=0)
            if any(tied for slot, tied in found if slot == last):
                self.tied_before.add(node.index)
        takers: list[list[int]] = [[] for _ in nodes]
        for node in nodes:
            for each in makers[node.index]:
                takers[each].append(node.index)
        for node in reversed(nodes):
            found = [
                (self.starts(each), False)
                if each in here
                else (self.behind[each], not nodes[each].view or each in self.tied_behind)
                for each in takers[node.index]
            ]
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

    def progress(self, since: int, until: int, most: float = 1.0) -> Progress:
        """Add the progress of a job from one slot to another."""
        found = Progress(since, tuple(self.lines.column(most) for _ in range(since, until + 1)))
        for slot in found.slots[1:]:
            self.lines.at_most(found.by(slot - 1), found.by(slot))
        return found

    def streams(self, maker: str, taker: str) -> bool:
        return self.problem.clock.machine.streams(maker, taker)

    def length(self, slot: int) -> Sum:
        return self.kernel[slot] + self.repeated[slot] + self.trailing[slot] + self.waits[slot]

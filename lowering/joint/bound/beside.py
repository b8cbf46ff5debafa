"""The rows of a linear program over plans that say what other devices, and the links to them, do in each slot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

from interp.machine.memory_system import MemorySystem
from lowering.instance.choice import Choice, ChoicePart, Node
from lowering.instance.problem import Problem
from lowering.joint.bound.contents import Piece
from lowering.joint.bound.lines import NOTHING, ONE, ZERO, Progress, Sum, total
from lowering.joint.bound.residing import Residing


class Beside(Residing):
    """Slots, the pieces of memory in them, and the work of other devices."""

    def __init__(self, problem: Problem, system: MemorySystem, repeats: bool) -> None:
        super().__init__(problem, system, repeats)
        self._beside()
        for piece in self.cuts:
            self._gaps(piece)

    def _beside(self) -> None:
        """Add the work of other devices, and the copies to them, in each slot."""
        self.loads: dict[tuple[str, int], list[Sum]] = defaultdict(list)
        self.late_loads: dict[tuple[str, int], list[Sum]] = defaultdict(list)
        """Work in the slots of kernels on whose results it waits."""
        self.works: dict[tuple[int, Choice], Progress] = {}
        self.sent: dict[tuple[Piece, str], Progress] = {}
        for node in self.nodes:
            for choice in self.able[node.index]:
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
                if self.readers[piece, device] or self._stays(piece, device):
                    self._send(piece, device)
        for (piece, device), back in self.back.items():
            self._load_copy(piece, device, self.primary, back)
            self._after_maker(piece, device, back)
        for (resource, slot), loads in self.loads.items():
            self.lines.at_most(total(loads), self._free(resource, slot))

    def _free(self, resource: str, slot: int) -> Sum:
        """The time in a slot in which a resource may be used: all of it, or, for a lock that kernels of the primary
        device hold, too, the rest."""
        locked = resource in self.problem.draws.rules.locks.get(self.primary, ())
        return self.waits[slot] if locked else self.length(slot)

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
        lines.at_most(work.by(until), taken)
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

    def _stays(self, piece: Piece, device: str) -> bool:
        """True if a result may have to be on another device at the end, whichever device makes it."""
        return bool(self.left[piece].get(device, ZERO).terms) and piece.value not in self.problem.left

    def _send(self, piece: Piece, device: str) -> None:
        """Add the copies of a piece from the primary device to another one."""
        lines, readers = self.lines, self.readers[piece, device]
        since = 0
        if piece.maker is not None:
            since = self.slot[piece.maker] if len(self.others) == 1 else self.first[piece] - 1
        ends = {slot: self.until(self.node_at[slot], device) for slot, _ in readers}
        left = self.left[piece].get(device, ZERO)
        until = self.end if self._stays(piece, device) else max(ends.values())
        sent = self.sent[piece, device] = self.progress(since, until)
        there = self.made(piece, device) + self.stays[piece].get(device, ZERO)
        others = [each for each in self.others if each != device]
        for other in others:
            if not self._relayed(other, device):
                there += ONE  # copies between other devices are not counted
        for slot, need in readers:
            lines.at_least(sent.by(ends[slot]) + there, need)
            self._after_copy(piece, device, slot, sent, there)
        lines.at_least(sent.by(self.end) + there, left)
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
                lines.at_most(sent.within(slot), present + self.arrives(piece, slot) + self.fresh(piece, slot))

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

    def _gaps(self, piece: Piece) -> None:
        """Between two kernels that read a piece no byte comes back twice from a tier, unless a repeated run or a copy
        to another device needs it."""
        for since, until in pairwise(self.cuts[piece]):
            come = self.come[piece].by(until - 1) - self.come[piece].by(since - 1)
            reread = [self.later(unit, since, until) for unit in self.rereaders.get(piece, ())]
            copies = [self.sent.get((piece, device), NOTHING) for device in self.others]
            sent = [each.by(until - 1) - each.by(since - 1) for each in copies]
            self.lines.at_most(come, total([self.copied[piece, until], *reread, *sent]))

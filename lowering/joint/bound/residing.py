"""The rows of a linear program over plans that say where pieces of memory are: what is present on the primary device,
what tiers have copies of, and what runs again."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TypeAlias

from interp.machine.memory_system import MemorySystem
from lowering.instance.problem import Problem
from lowering.joint.bound.contents import Piece
from lowering.joint.bound.lines import NOTHING, ONE, ZERO, Progress, Sum, total
from lowering.joint.bound.slots import Slots

CUTS = 12
"""Slots, at most, for which rows say what repeated runs after them will read: those of the largest kernels."""
FOLLOWED = 3
"""Readers, at most, of which rows say that what they will read is in some memory."""

Key: TypeAlias = "tuple[Piece, int]"
"""A piece and a slot."""


class Residing(Slots):
    """Slots, and the pieces of memory in them."""

    def __init__(self, problem: Problem, system: MemorySystem, repeats: bool) -> None:
        super().__init__(problem, system, repeats)
        self._presence()
        self._flows()

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
                columns = {device: self.lines.column() for device in (self.primary, *self.others)}
                self.lines.groups.append([column for each in columns.values() for column, _ in each.terms])
                self.stays[piece] |= {device: columns[device] for device in self.others}
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

    def returns(self, piece: Piece, device: str) -> bool:
        """True if a piece may be copied from another device to the primary one."""
        return bool(not self.made(piece, device).is_zero or device in self.stays[piece] or piece.views)

    def _flows(self) -> None:
        """Add the bytes that move between the memories in each slot, and the rows that say how each piece comes to be
        where it is."""
        self.cuts: dict[Piece, list[int]] = {}
        """The slots of the kernels that read each piece, and the first and last slot in which it may be present."""
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
                    self.back[piece, device] = self.progress(first - 1, last, 1.0 + piece.views)
        for piece in self.pieces:
            self._changes(piece)
            self._somewhere(piece)
            self._copies(piece)
        self.largest = sorted(sorted(self.node_at, key=self._used, reverse=True)[:CUTS])
        for unit in self.again_by:
            self._rereads(unit)

    def _used(self, slot: int) -> float:
        """The bytes that a node's kernel uses if it runs on the primary device."""
        operands = [piece for piece in self.pieces if any(at == slot for at, _ in self.readers[piece, self.primary])]
        return sum(map(self.size, [*operands, *self.results[self.node_at[slot]]]))

    def arrives(self, piece: Piece, slot: int) -> Sum:
        """The fraction of a piece that arrives in a slot, from tiers and other devices."""
        return self.ins.get((piece, slot), ZERO) + self.returned(piece, slot)

    def fresh(self, piece: Piece, slot: int) -> Sum:
        """The fraction of a piece that a kernel of the primary device makes in a slot."""
        made = piece.maker is not None and slot == self.slot[piece.maker]
        return self.made(piece, self.primary) if made else ZERO

    def returned(self, piece: Piece, slot: int) -> Sum:
        """The fraction of a piece that other devices return in a slot."""
        return total(self.back.get((piece, device), NOTHING).within(slot) for device in self.others)

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
        """Rows: a piece is present, or has a copy, only if it did before, or has just arrived, been made or copied."""
        lines, first, last = self.lines, self.first[piece], self.last[piece]
        for slot in range(first, last + 1):
            here, copy = self.present[piece, slot], self.copied.get((piece, slot), ZERO)
            fresh = self.fresh(piece, slot - 1)
            if slot > first:
                come = fresh + self.arrives(piece, slot - 1) + self.runs(piece, slot)
                lines.at_most(here, self.present[piece, slot - 1] + come)
                if self.tiers_short and (piece, slot - 1) in self.outs:  # a constant is copied once, for all iterations
                    lines.at_most(copy, self.copied.get((piece, slot - 1), ZERO) + self.outs[piece, slot - 1])
            elif piece.maker is not None:
                lines.at_most(here, fresh + self.arrives(piece, slot - 1))
                if self.tiers_short:
                    lines.at_most(copy, self.outs[piece, slot - 1])
            elif piece.heir is not None and piece.heir in self.first:
                heir, end, come = piece.heir, self.end, self.arrives(piece, 0)
                mine = ONE - total(self.stays[piece].values())
                lines.at_most(here, self.present[heir, end] + self.ins[heir, end] + come)
                lines.at_most(here, mine + come)
                lines.at_most(copy, self.copied[heir, end] + self.outs[heir, end])
                lines.at_most(copy, mine)
            elif self._constant(piece):
                lines.at_most(here, self.present[piece, self.end] + self.ins[piece, self.end] + self.arrives(piece, 0))
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
        """Rows: only what another device holds can return from it."""
        back = self.back.get((piece, device))
        if back is None:
            return
        there = self.made(piece, device) + self.stays[piece].get(device, ZERO)
        if not piece.views:
            self.lines.at_most(back.by(self.end), there)

    def _copies(self, piece: Piece) -> None:
        """Rows: a tier has copies of those parts only that have been on the primary device."""
        first = self.first[piece]
        for slot in range(first, self.last[piece] + 1):
            if (copy := self.copied.get((piece, slot))) is None:
                continue
            come = [self.back.get((piece, device), NOTHING).by(slot - 1) for device in self.others]
            if piece.maker is None:
                come += [self.copied[piece, first], self.present[piece, first]]
            else:
                come.append(self.again_by.get(piece.maker, NOTHING).by(slot))
                if slot > self.slot[piece.maker]:
                    come.append(self.made(piece, self.primary))
            self.lines.at_most(copy, total(come))

    def _somewhere(self, piece: Piece) -> None:
        """Rows: a piece that the primary device will read or return is in some memory until then, or will be made
        again."""
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
        self.cuts[piece] = sorted({first, *(slot for slot, _ in uses if slot <= last), last})
        used = max((slot for slot, _ in uses), default=first)
        for slot in range(first, last):
            if slot < used and (piece.maker is None or slot >= self.slot[piece.maker]):
                continue
            here = self.present[piece, slot] + self.arrives(piece, slot) + self.fresh(piece, slot)
            lines.at_most(self.outs.get((piece, slot), ZERO), here)

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

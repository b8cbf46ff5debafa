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

Plans are those in which a node runs again at most once, on the primary device; other devices run their tasks in any
order, links carry copies in any order, and jobs take each other's results as streams where the machine allows that.
Any such plan gives values to these variables that satisfy all rows: the present fraction of a piece is that of its
bytes that have arrived, so that sums of present bytes are never above the bytes that are allocated, and the fraction of
a task or copy that is done is that of the time between its begin and its end. Slowdown of jobs by each other, pages and
the latencies of moves are ignored; so are small pieces, which count as present everywhere.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from interp.machine.memory_system import MemorySystem
from lowering.instance.choice import Choice, Node
from lowering.instance.problem import Problem
from lowering.joint.bound.beside import Beside
from lowering.joint.bound.contents import Contents, Piece
from lowering.joint.bound.lines import ONE, ZERO, Sum, total
from lowering.joint.bound.slots import NS, UNITS
from lowering.solve.rows import Floats, Solution

LARGEST = 100_000
"""The size of the largest problem for which the program is solved: its nodes, views excluded, times its pieces."""
WHOLE = 0.999
"""The fraction from which on a choice counts as the only one."""


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
    rests: Mapping[tuple[int, str], float]
    """For each argument that may be on other devices, by its number, and each of these, the fraction that rests there;
    zeros are left out."""
    prices: Floats
    """For each node, the time in ns that an iteration would save if one byte less were in the primary device's memory
    while the node runs."""


def joint_bound(
    problem: Problem, system: MemorySystem, repeats: bool = True, branches: int = 0, largest: int = LARGEST
) -> JointRelaxation | None:
    """The relaxation of all plans for a problem whose primary device has a memory system. `repeats`: nodes may run
    again. `branches`: the number of further linear programs to solve in which some nodes have whole choices, which
    raises the bound. None if the problem is larger than `largest`, has regions, or if the solver finds no solution."""
    if problem.regions or not 0 < size(problem) <= largest:
        return None
    return _Builder(problem, system, repeats).solved(branches)


def size(problem: Problem) -> int:
    """The size of a problem: its nodes, views excluded, times the pieces of memory."""
    return sum(not node.view for node in problem.nodes) * len(Contents(problem).pieces)


class _Branch(NamedTuple):
    """A part of all plans: those in which some columns have the values `fixed`. `least`: a lower bound on the objective
    of all of them; `number`: that of the branch; `split`: the choices of a node of which the solution takes fractions,
    None if there are none."""

    least: float
    number: int
    fixed: Mapping[int, float]
    split: list[int] | None
    solution: Solution


class _Builder(Beside):
    """The whole linear program."""

    def __init__(self, problem: Problem, system: MemorySystem, repeats: bool) -> None:
        super().__init__(problem, system, repeats)
        self._room()
        self._limits()

    def _room(self) -> None:
        """Rows: present pieces and those in use fit the primary device's memory when a kernel starts, and when it
        ends."""
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

    def solved(self, branches: int) -> JointRelaxation | None:
        """The solution; None if the solver finds none."""
        program = self.lines.rows()
        found = program.solve("interior" if branches else "central")
        if found is None:
            return None
        open_branches = [_Branch(found.lower_bound, 0, {}, self._split(found), found)]
        number = 0
        while number < branches and (split := open_branches[0].split) is not None:
            parent = heapq.heappop(open_branches)
            for chosen in split:
                number += 1
                fixed = {**parent.fixed, **dict.fromkeys(split, 0.0), chosen: 1.0}
                part = program.solve(fixed=fixed)
                # without a solution it is not known that there is no plan
                branch = (
                    _Branch(parent.least, number, fixed, None, parent.solution)
                    if part is None
                    else _Branch(max(parent.least, part.lower_bound), number, fixed, self._split(part), part)
                )
                heapq.heappush(open_branches, branch)
        return self._relaxation(open_branches[0])

    def _split(self, found: Solution) -> list[int] | None:
        """The choices of the node whose greatest fraction is nearest to one half."""
        greatest = [(float(found.values[group].max()), group) for group in self.lines.groups]
        some = [(abs(most - 0.5), group) for most, group in greatest if most < WHOLE]
        return min(some)[1] if some else None

    def _relaxation(self, branch: _Branch) -> JointRelaxation:
        values, duals = branch.solution.values, branch.solution.duals

        def value(each: Sum) -> float:
            return each.constant + sum(weight * float(values[column]) for column, weight in each.terms)

        prices = np.zeros(len(self.problem.nodes))
        for node in self.users:
            rows = [row for row in self.rooms[self.slot[node.index]] if row is not None]
            prices[node.index] = -sum(float(duals[row]) for row in rows) / self.second * NS / self.unit
        again = {(unit, before): value(each) for (unit, before), each in self.rerun.items()}
        rests = {
            (piece.value, device): value(each)
            for piece, devices in self.stays.items()
            for device, each in devices.items()
            if piece.value in self.problem.movable
        }
        last = len(self.problem.nodes)
        return JointRelaxation(
            min(branch.least + self.least, self.patience) / self.second * NS,
            {key: value(each) for key, each in self.taken.items()},
            {(unit, self.node_at.get(slot, last)): each for (unit, slot), each in again.items() if each > 0},
            {each: fraction for each, fraction in rests.items() if fraction > 0},
            prices.clip(0.0),
        )
